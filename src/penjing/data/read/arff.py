"""Read ARFF, the format of Weka: a header of attributes and rows of values.

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
    """Return the columns as the header declares them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    attributes, start = _parse_header(lines, name)
    rows: list[Sequence[str]] = []
    for line in lines[start:]:
        stripped = line.strip()
        if not stripped or stripped[0] == "%":
            continue
        rows.append(_parse_row(stripped, len(attributes), name, len(rows) + 1))
    if not rows:
        raise NoRowsError("no_rows", source=name, names=[a.name for a in attributes])
    columns = [
        declared_column(name, attribute, *encode_values(cells))
        for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True)
    ]
    named_class = [a.name for a in attributes if a.name.lower() == "class"]
    source = {"name": name, "form": "arff"}
    target = named_class[0] if named_class else attributes[-1].name
    return RawTable(columns, len(rows), source, target=target, has_usual_markers=False)


def is_arff(text: str) -> bool:
    r"""Return whether a text begins like ARFF, after comments.

    Examples
    --------
    >>> is_arff("% a comment\n\n@RELATION golf\n")
    True
    """
    for line in text[:100_000].split("\n"):
        stripped = line.strip()
        if stripped and stripped[0] != "%":
            return stripped[:9].lower() == "@relation" or stripped[:10].lower() == "@attribute"
    return False


def _parse_header(lines: list[str], name: str) -> tuple[list[Attribute], int]:
    """Return the attributes, and the index of the line where the rows start."""
    attributes: list[Attribute] = []
    position = 0
    while position < len(lines):
        stripped = lines[position].strip()
        position += 1
        keyword = stripped[:10].lower()
        if not stripped or stripped[0] == "%" or keyword.startswith(("@relation", "@end")):
            continue
        if keyword.startswith("@data"):
            if not attributes:
                break
            return attributes, position
        if keyword != "@attribute":
            raise DataError("bad_arff", source=name, line=position, value=stripped[:40])
        first_line = position
        while "{" in stripped and "}" not in stripped and position < len(lines):
            stripped += " " + lines[position].strip()  # a list of values may span several lines
            position += 1
        attributes.append(_parse_attribute(stripped, name, first_line))
    raise DataError("bad_arff_data", source=name)


def _parse_attribute(line: str, name: str, number: int) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError("bad_arff", source=name, line=number, value=line[:40])
    attribute_name, kind = unquote(match["name"]), match["kind"].strip()
    if kind.startswith("{"):
        values_text = kind[1 : kind.rfind("}")] if "}" in kind else kind[1:]
        levels = tuple(dict.fromkeys(split_values(values_text)))
        if not values_text.strip() or not levels:
            raise DataError("bad_arff", source=name, line=number, value=line[:40])
        return Attribute(attribute_name, "nominal", levels)
    type_name = kind.split()[0].lower()
    if type_name.startswith(NUMERIC_TYPES):
        return Attribute(attribute_name, "numeric")
    if type_name == "string":
        return Attribute(attribute_name, "text")
    if type_name == "date":
        return Attribute(attribute_name, "date")
    raise DataError("arff_kind", source=name, line=number, column=attribute_name, value=type_name)


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
    r"""Return the values of a comma-separated line without their quotes.

    Examples
    --------
    >>> split_values(r"sunny, 'Don\'t Play', ?")
    ['sunny', "Don't Play", '?']
    """
    if "'" not in line and '"' not in line and "\\" not in line:
        return [cell.strip() for cell in line.split(",")]
    cells = []
    position = 0
    while position <= len(line):
        match = CELL.match(line, position)
        if match is None:
            break
        cells.append(unquote(match["cell"]))
        if match.end() == len(line) and not match.group().endswith(","):
            break
        position = match.end()
    return cells


def unquote(text: str) -> str:
    """Return a name or value without its quotes and escapes."""
    content = text.strip()
    if len(content) > 1 and content[0] in "'\"" and content[-1] == content[0]:
        content = content[1:-1]
    elif "\\" not in content:
        return content
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), content)
