"""Read large delimited text with DuckDB, which splits and encodes it on all cores.

DuckDB is used only for text that it reads exactly as :mod:`penjing.data.read.csv` does. If it
reports an error, that module reads the text again and names the faulty row.
"""

# ruff: noqa: S608 - the only identifiers in these queries are c0, c1, c2 …

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.missing_markers import USUAL_MARKERS, make_markers
from penjing.data.read.numbers import PLAIN
from penjing.data.read.raw_columns import RawColumn
from penjing.data.read.reading import Reading
from penjing.data.scratch import unnamed_file
from penjing.data.table import MISSING, Codes, Field
from penjing.errors import DataError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MIN_CHARACTERS = 4_000_000
"""Texts of fewer characters are faster in Python."""

MIN_CHARACTERS_PER_COLUMN = 100_000
"""The same per column, since each column takes up to three queries."""

MAX_TEXT_LEVELS = 5_000
"""Columns with more distinct texts are fetched as numbers if all of them are numbers."""

INTEGER, CANONICAL_INTEGER = "[+-]?[0-9]+", "0|-?[1-9][0-9]{0,17}"
"""Integers, and those without a redundant sign or leading zero that fit in 64 bits."""

MAYBE_THOUSANDS = r"[+-]?(?:[1-9][0-9]{0,2}\.[0-9]{3}|[0-9]{1,3})"
"""Numbers whose point may be a decimal mark or separate thousands."""

STRAY_QUOTE = re.compile(r'[^",;|\t，\n]"[^",;|\t，\n]')
"""A quote inside a word, which CSV readers treat differently."""


@dataclass(frozen=True, slots=True)
class ColumnHints:
    """What is known about the columns before a large text is read.

    Parameters
    ----------
    words : frozenset of str
        Markers of a missing value.
    texts : frozenset of str
        Columns that the user declared as text, so they are not parsed as numbers.
    reading : Reading
        What is known about how the table is to be read.
    """

    words: frozenset[str] = USUAL_MARKERS
    texts: frozenset[str] = frozenset()
    reading: Reading = field(default_factory=Reading)


def column_hints(
    schema: Mapping[str, Any] | Sequence[Field] | None, missing: object, reading: Reading
) -> ColumnHints:
    """Return the missing markers and the columns that the schema declares as text."""
    markers = make_markers(missing, usual=True)
    if isinstance(schema, Mapping):
        texts = [name for name, spec in schema.items() if spec != "numeric"]
    else:
        fields = [each for each in schema or () if isinstance(each, Field)]
        texts = [each.name for each in fields if not each.is_numeric]
    missing_words = markers.words | (USUAL_MARKERS if markers.has_usual else frozenset())
    return ColumnHints(missing_words, frozenset(texts), reading)


def is_large(text: str, header: list[str]) -> bool:
    """Return whether a text is large enough to be read with DuckDB."""
    return len(text) >= max(MIN_CHARACTERS, MIN_CHARACTERS_PER_COLUMN * len(header))


def read_with_duckdb(
    text: str, header: list[str], separator: str, hints: ColumnHints, *, has_header: bool
) -> list[RawColumn] | None:
    """Return the columns of a large text; None if it must be read in Python."""
    if len(header) < 2 or not _is_plain(text, separator):
        return None
    import duckdb  # noqa: PLC0415

    try:
        content = text.lstrip("\n").encode()
        with unnamed_file(content) as path, duckdb.connect() as connection:
            return _read_columns(connection, path, header, separator, hints, has_header=has_header)
    except (duckdb.Error, OSError, DataError):
        return None


def _is_plain(text: str, separator: str) -> bool:
    """Return whether DuckDB reads a text, ragged rows included, as the Python reader does.

    DuckDB accepts an extra empty cell at the end of a row. Hence the cells of all rows are counted
    if a row ends with a separator; quoted text of this kind is left to Python. So is quoted text
    with blanks before a cell, which Python skips.
    """
    is_quoted = '"' in text
    if "\0" in text or (is_quoted and STRAY_QUOTE.search(text)):
        return False
    if is_quoted and (separator + " " in text or "\n " in text or text.startswith(" ")):
        return False
    if is_quoted:
        return not re.search(re.escape(separator) + r'[ \t]*(?:""[ \t]*)?(?:\n|\Z)', text)
    if separator + "\n" in text or text.endswith(separator):
        return len({line.count(separator) for line in text.split("\n") if line}) == 1
    return True


def _read_columns(
    connection: DuckDBPyConnection,
    path: str,
    header: list[str],
    separator: str,
    hints: ColumnHints,
    *,
    has_header: bool,
) -> list[RawColumn]:
    names = [f"c{i}" for i in range(len(header))]
    connection.execute("set enable_progress_bar = false")
    connection.execute(
        "create temp table rows as select * from read_csv($path, delim=$separator,"
        " columns=$columns, header=$header, quote='\"', escape='\"', auto_detect=false,"
        " strict_mode=true)",
        {
            "path": path,
            "separator": separator,
            "columns": dict.fromkeys(names, "VARCHAR"),
            "header": has_header,
        },
    )
    counts = connection.execute(
        "select " + ", ".join(f"approx_count_distinct({name})" for name in names) + " from rows"
    ).fetchall()[0]
    columns = []
    for column_name, name, count in zip(header, names, counts, strict=True):
        may_be_numbers = count > MAX_TEXT_LEVELS and column_name not in hints.texts
        decimal = hints.reading.known_decimal(column_name)
        numbers = _read_numbers(connection, name, hints.words, decimal) if may_be_numbers else None
        columns.append(RawColumn(column_name, *(numbers or _read_texts(connection, name))))
    return columns


def _read_texts(connection: DuckDBPyConnection, column: str) -> tuple[list[str], Codes]:
    """Return the distinct texts of a column in order of first appearance, and its codes."""
    connection.execute(
        f"create or replace temp table levels as select {column} as level, row_number() over"
        f" (order by min(rowid)) - 1 as code from rows where {column} is not null group by 1"
    )
    levels = connection.execute("select level from levels order by code").fetchnumpy()
    codes = connection.execute(
        f"select coalesce(code, -1)::integer as code from rows left join levels"
        f" on {column} = level order by rows.rowid"
    ).fetchnumpy()
    return np.asarray(levels["level"]).tolist(), np.asarray(codes["code"], np.int32)


def _read_numbers(
    connection: DuckDBPyConnection, column: str, words: frozenset[str], decimal: str | None
) -> tuple[npt.NDArray[Any], Codes] | None:
    """Return the distinct numbers of a column and its codes, without text objects in Python.

    None if it has anything but plain numbers and missing markers, or if its points may separate
    thousands.
    """
    is_word = f"list_contains($words, {column})"
    is_plain = f"regexp_full_match({column}, '{PLAIN.pattern}')"
    is_number = f"{is_plain} and not {is_word}"
    (counts,) = connection.execute(
        f"select count(*) filter (where not {is_plain} and not {is_word}), "
        + ", ".join(
            f"bool_and(regexp_full_match({column}, '{pattern}')) filter (where {is_number})"
            for pattern in (INTEGER, CANONICAL_INTEGER, MAYBE_THOUSANDS)
        )
        + " from rows",
        {"words": sorted(words)},
    ).fetchall()
    n_others, are_integers, are_canonical, are_ambiguous = counts
    if not are_integers and (decimal == "," or (decimal is None and are_ambiguous)):
        return None
    # 007 and 7 are two different texts, and twenty digits do not fit in 64 bits.
    if n_others or (are_integers and not are_canonical):
        return None
    kind = "bigint" if are_integers else "double"
    numbers: Any = connection.execute(
        f"select case when {is_number} then {column}::{kind} end as number from rows"
        " order by rowid",  # a join with the markers may change the order of the rows
        {"words": sorted(words)},
    ).fetchnumpy()["number"]
    if kind == "double" and np.isinf(np.ma.getdata(numbers)).any():
        return None
    is_known = ~np.ma.getmaskarray(numbers)
    codes = np.full(len(is_known), MISSING, np.int32)
    levels, codes[is_known] = encode_numbers(np.asarray(numbers)[is_known])
    return levels, codes
