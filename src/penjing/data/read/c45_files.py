"""Read C4.5's files: a .names file declares the columns, a .data or .test file has the cases.

The first entry of a .names file lists the classes (or names the attribute that is the target);
each further one is ``name: values.``, where the values are ``continuous``, ``ignore``,
``discrete n`` or a list. ``|`` starts a comment, a backslash escapes the next character, an entry
ends with a full stop or the line, and several blanks count as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from penjing.data.read.declared_columns import Attribute, declared_column
from penjing.data.read.dictionary import encode_values
from penjing.data.read.files import is_file
from penjing.data.read.raw_columns import DeclaredKind, RawTable
from penjing.errors import DataError, NoRowsError

KINDS: dict[str, DeclaredKind] = {"continuous": "numeric", "ignore": "ignore", "label": "ignore"}
SUFFIXES = (".names", ".c45-names")


def find_names_file(path: Path) -> Path | None:
    """Return the .names file that belongs to a stem, .names, .data or .test path."""
    if path.name.endswith(SUFFIXES):
        return path
    stem = path.with_suffix("") if path.suffix in (".data", ".test", ".cases") else path
    for suffix in SUFFIXES:
        names = stem.with_name(stem.name + suffix)
        if is_file(names):
            return names
    return None


def find_cases_file(path: Path, names: Path) -> Path:
    """Return the file with the cases: the path itself, or the .data beside the .names."""
    if path.suffix in (".data", ".test", ".cases"):
        return path
    stem = next(names.name[: -len(s)] for s in SUFFIXES if names.name.endswith(s))
    return names.with_name(stem + ".data")


def from_c45_files(declaration: str, cases: str, names_name: str, cases_name: str) -> RawTable:
    """Return the columns of the cases as the .names file declares them."""
    attributes, target = parse_names_file(declaration, names_name)
    rows = [row for line in cases.split("\n") if (row := parse_case(line))]
    if not rows:
        raise NoRowsError("no_rows", source=cases_name, names=[a.name for a in attributes])
    for number, row in enumerate(rows, start=1):
        if len(row) != len(attributes):
            values = {"row": number, "n": len(row), "expected": len(attributes)}
            raise DataError("ragged_row", source=cases_name, **values)
    columns = [
        declared_column(cases_name, attribute, *encode_values(cells))
        for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True)
    ]
    source = {"name": cases_name, "form": "names"}
    return RawTable(
        columns, len(rows), source, target=target, has_usual_markers=False, is_chosen=True
    )


def parse_names_file(text: str, name: str) -> tuple[list[Attribute], str]:
    r"""Return what a .names file declares, in the order of the cases, and the target's name.

    Examples
    --------
    >>> text = "yes, no.  | play?\noutlook: sunny, rain.\n"
    >>> columns, target = parse_names_file(text, "golf.names")
    >>> [column.name for column in columns], target
    (['outlook', 'class'], 'class')
    """
    entries = [*_split_entries(text)]
    if not entries:
        raise DataError("bad_names", source=name, line=1)
    (target_name, classes), *attribute_entries = entries
    attributes = []
    for attribute_name, values in attribute_entries:
        if attribute_name is None or not values:
            raise DataError(
                "bad_names_entry", source=name, value=attribute_name or ", ".join(values)
            )
        attributes.append(_parse_attribute(attribute_name, values))
    attribute_names = [attribute.name for attribute in attributes]
    if target_name is None and len(classes) == 1 and classes[0] in attribute_names:
        return attributes, classes[0]
    attribute_name = target_name or "class"
    while attribute_name in attribute_names:
        attribute_name += "'"
    return [*attributes, Attribute(attribute_name, "nominal", tuple(classes))], attribute_name


def _parse_attribute(attribute_name: str, values: list[str]) -> Attribute:
    first_value = values[0]
    if len(values) == 1 and first_value in KINDS:
        return Attribute(attribute_name, KINDS[first_value])
    if len(values) == 1 and first_value.split()[0] == "discrete":
        return Attribute(attribute_name, "nominal")
    if first_value.startswith("[ordered]"):
        return Attribute(
            attribute_name, "ordered", (first_value[len("[ordered]") :].strip(), *values[1:])
        )
    return Attribute(attribute_name, "nominal", tuple(dict.fromkeys(values)))


def _split_entries(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield each entry: the name before the colon, if any, and the words after it."""
    attribute_name: str | None = None
    words: list[str] = []
    expects_more = False
    for word, mark in _split_words(text):
        if mark == ":" and attribute_name is None and not words:
            attribute_name, expects_more = word, True
        elif mark == ",":
            words.append(word)
            expects_more = True
        elif word:
            words.append(word)
            expects_more = False
        if mark in (".", "\n") and not expects_more and (words or attribute_name is not None):
            yield attribute_name, words
            attribute_name, words = None, []
    if words or attribute_name is not None:
        yield attribute_name, words


def _split_words(text: str, marks: str = ",:\n") -> Iterator[tuple[str, str]]:
    """Yield each word with the character that ends it: one of ``marks``, or a final full stop."""
    word: list[str] = []
    position = 0
    text += "\n"
    while position < len(text):
        letter, following = text[position], text[position + 1 : position + 2]
        if letter == "\\" and following != "\n":
            word.append(letter + following)
            position += 1
        elif letter == "|":
            position = text.index("\n", position) - 1
        elif letter in marks or (letter == "." and (not following or following.isspace())):
            yield _join_letters(word), letter
            word = []
        else:
            word.append(letter)
        position += 1


def _join_letters(letters: list[str]) -> str:
    """Join letters to a word; several blanks become one, escaped characters stay."""
    plain = "".join(" " if letter.isspace() else letter for letter in letters)
    joined = " ".join(plain.split())
    return _unescape(joined)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    letters = iter(text)
    return "".join(next(letters, "") if letter == "\\" else letter for letter in letters)


def parse_case(line: str) -> list[str]:
    """Return the cells of one case; a comment or blank line has none.

    Examples
    --------
    >>> parse_case("sunny, 85, Don't Play.  | day 1")
    ['sunny', '85', "Don't Play"]
    """
    if "\\" not in line and "|" not in line:
        bare = line.strip()
        bare = bare.removesuffix(".")
        return [" ".join(cell.split()) for cell in bare.split(",")] if bare else []
    cells: list[str] = []
    for word, mark in _split_words(line, marks=",\n"):
        if word or mark == "," or cells:
            cells.append(word)
        if mark == ".":
            break
    return cells
