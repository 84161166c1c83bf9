"""Weka's own form: ARFF, a header of attributes and rows of values.

Names and values may be quoted with ' or ", with backslash escapes; ``?`` is missing, ``%``
starts a comment line. Sparse rows and attributes that hold tables are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from penjing.data.read.declared_columns import Attribute, declared_column
from penjing.data.read.dictionary import encode_values
from penjing.data.read.raw_columns import RawTable
from penjing.errors import DataError, NoRowsError

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(
    rf"@attribute\s+(?P<name>{QUOTED}|[^\s{{]+)\s*(?P<kind>\{{.*|\S.*)", re.IGNORECASE | re.DOTALL
)
CELL = re.compile(rf"\s*(?P<cell>{QUOTED}|[^,]*?)\s*(?:,|$)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
NUMERIC_TYPES = ("numeric", "real", "integer")


def from_arff(text: str, name: str) -> RawTable:
    """Take the rows as declared."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    attributes, start = _parse_header(lines, name)
    rows: list[Sequence[str]] = []
    for line in lines[start:]:
        bare = line.strip()
        if not bare or bare[0] == "%":
            continue
        rows.append(_parse_row(bare, len(attributes), name, len(rows) + 1))
    if not rows:
        raise NoRowsError("no_rows", source=name, names=[a.name for a in attributes])
    columns = [
        declared_column(name, attribute, *encode_values(cells))
        for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True)
    ]
    named = [a.name for a in attributes if a.name.lower() == "class"]
    source = {"name": name, "form": "arff"}
    target = named[0] if named else attributes[-1].name
    return RawTable(columns, len(rows), source, target=target, has_usual_markers=False)


def is_arff(text: str) -> bool:
    r"""Say whether text begins like ARFF, after comments.

    Examples
    --------
    >>> is_arff("% a comment\n\n@RELATION golf\n")
    True
    """
    for line in text[:100_000].split("\n"):
        bare = line.strip()
        if bare and bare[0] != "%":
            return bare[:9].lower() == "@relation" or bare[:10].lower() == "@attribute"
    return False


def _parse_header(lines: list[str], name: str) -> tuple[list[Attribute], int]:
    """Return the attributes and where the rows start."""
    attributes: list[Attribute] = []
    place = 0
    while place < len(lines):
        bare = lines[place].strip()
        place += 1
        word = bare[:10].lower()
        if not bare or bare[0] == "%" or word.startswith(("@relation", "@end")):
            continue
        if word.startswith("@data"):
            if not attributes:
                break
            return attributes, place
        if word != "@attribute":
            raise DataError("bad_arff", source=name, line=place, value=bare[:40])
        first = place
        while "{" in bare and "}" not in bare and place < len(lines):
            bare += " " + lines[place].strip()  # a long list of values may go over several lines
            place += 1
        attributes.append(_parse_attribute(bare, name, first))
    raise DataError("bad_arff_data", source=name)


def _parse_attribute(line: str, name: str, number: int) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError("bad_arff", source=name, line=number, value=line[:40])
    title, kind = unquote(match["name"]), match["kind"].strip()
    if kind.startswith("{"):
        inside = kind[1 : kind.rfind("}")] if "}" in kind else kind[1:]
        levels = tuple(dict.fromkeys(split_values(inside)))
        if not inside.strip() or not levels:
            raise DataError("bad_arff", source=name, line=number, value=line[:40])
        return Attribute(title, "nominal", levels)
    word = kind.split()[0].lower()
    if word.startswith(NUMERIC_TYPES):
        return Attribute(title, "numeric")
    if word == "string":
        return Attribute(title, "text")
    if word == "date":
        return Attribute(title, "date")
    raise DataError("arff_kind", source=name, line=number, column=title, value=word)


def _parse_row(line: str, width: int, name: str, number: int) -> Sequence[str]:
    if line[0] == "{":
        raise DataError("sparse_arff", source=name, row=number)
    cells = split_values(line)
    if len(cells) == 1 and width > 1:
        cells = [unquote(cell) for cell in re.findall(rf"{QUOTED}|\S+", line)]
    if len(cells) != width:
        raise DataError("ragged_row", source=name, row=number, n=len(cells), expected=width)
    return cells


def split_values(line: str) -> list[str]:
    r"""Return the values of a comma-separated line, quotes undone.

    Examples
    --------
    >>> split_values(r"sunny, 'Don\'t Play', ?")
    ['sunny', "Don't Play", '?']
    """
    if "'" not in line and '"' not in line and "\\" not in line:
        return [cell.strip() for cell in line.split(",")]
    cells = []
    place = 0
    while place <= len(line):
        match = CELL.match(line, place)
        if match is None:
            break
        cells.append(unquote(match["cell"]))
        if match.end() == len(line) and not match.group().endswith(","):
            break
        place = match.end()
    return cells


def unquote(text: str) -> str:
    """Return a name or value without its quotes and escapes."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] in "'\"" and bare[-1] == bare[0]:
        bare = bare[1:-1]
    elif "\\" not in bare:
        return bare
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), bare)
