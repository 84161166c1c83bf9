"""Large delimited text: DuckDB divides and codes it, on all cores.

It is only asked where it and the careful road of :mod:`penjing.data.read.csv` cannot differ,
and any complaint of its sends the text back to that road, which finds the row and the words.
"""

# ruff: noqa: S608 - the only names in these queries are our own c0, c1, c2 …

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.missing_markers import USUAL_MARKERS, make_markers
from penjing.data.read.numbers import PLAIN
from penjing.data.read.raw_columns import RawColumn
from penjing.data.scratch import scratch_folder
from penjing.data.table import MISSING, Codes, Field
from penjing.errors import DataError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MIN_CHARACTERS = 4_000_000
"""From so many characters on the detour pays."""

MIN_CHARACTERS_PER_COLUMN = 100_000
"""Nor does it pay for fewer characters a column than this: each one is a query or three."""

MAX_TEXT_LEVELS = 5_000
"""Columns with more distinct texts are fetched as numbers if they are."""

INTEGER, CANONICAL_INTEGER = "[+-]?[0-9]+", "0|-?[1-9][0-9]{0,17}"
"""Whole numbers, and those that are written without a needless sign or zero, and fit 64 bits."""

STRAY_QUOTE = re.compile(r'[^",;|\t，\n]"[^",;|\t，\n]')
"""A quote inside a word: there readers of CSV disagree."""


@dataclass(frozen=True, slots=True)
class ColumnHints:
    """What is known about the columns before a large text is divided.

    Parameters
    ----------
    words : frozenset of str
        Words for a missing value.
    texts : frozenset of str
        Columns that the user wants as written, whatever they look like.
    """

    words: frozenset[str] = USUAL_MARKERS
    texts: frozenset[str] = frozenset()


def column_hints(
    schema: Mapping[str, Any] | Sequence[Field] | None, missing: object
) -> ColumnHints:
    """Return what a large text should know of its columns before it is divided."""
    words = make_markers(missing, usual=True)
    if isinstance(schema, Mapping):
        texts = [name for name, said in schema.items() if said != "numeric"]
    else:
        fields = [field for field in schema or () if isinstance(field, Field)]
        texts = [field.name for field in fields if not field.is_numeric]
    certain = words.words | (USUAL_MARKERS if words.has_usual else frozenset())
    return ColumnHints(certain, frozenset(texts))


def is_large(text: str, header: list[str]) -> bool:
    """Say whether a text is worth the detour."""
    return len(text) >= max(MIN_CHARACTERS, MIN_CHARACTERS_PER_COLUMN * len(header))


def read_with_duckdb(
    text: str, header: list[str], separator: str, hints: ColumnHints, *, has_header: bool
) -> list[RawColumn] | None:
    """Return the columns of a large text, or None if the careful road has to be taken."""
    if len(header) < 2 or not _is_plain(text, separator):
        return None
    import duckdb  # noqa: PLC0415

    try:
        with scratch_folder() as folder, duckdb.connect() as link:
            path = folder / "table.csv"
            path.write_text(text.lstrip("\n"), encoding="utf-8", newline="")
            return _read_columns(link, path, header, separator, hints, has_header=has_header)
    except (duckdb.Error, OSError, DataError):
        return None


def _is_plain(text: str, separator: str) -> bool:
    """Say whether DuckDB and the careful road read a text in the same way, raggedness included.

    DuckDB forgives an empty cell too many at the end of a row, so where rows end with one, all
    are counted; with quotes that is the careful road's business. So are blanks before a cell, which
    it passes over where there are quotes.
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
    link: DuckDBPyConnection,
    path: Path,
    header: list[str],
    separator: str,
    hints: ColumnHints,
    *,
    has_header: bool,
) -> list[RawColumn]:
    names = [f"c{place}" for place in range(len(header))]
    link.execute("set enable_progress_bar = false")
    link.execute(
        "create temp table rows as select * from read_csv($path, delim=$separator,"
        " columns=$columns, header=$header, quote='\"', escape='\"', auto_detect=false,"
        " strict_mode=true)",
        {
            "path": str(path),
            "separator": separator,
            "columns": dict.fromkeys(names, "VARCHAR"),
            "header": has_header,
        },
    )
    counts = link.execute(
        "select " + ", ".join(f"approx_count_distinct({name})" for name in names) + " from rows"
    ).fetchall()[0]
    columns = []
    for title, name, count in zip(header, names, counts, strict=True):
        is_open = count > MAX_TEXT_LEVELS and title not in hints.texts
        numbers = _read_numbers(link, name, hints.words) if is_open else None
        columns.append(RawColumn(title, *(numbers or _read_texts(link, name))))
    return columns


def _read_texts(link: DuckDBPyConnection, column: str) -> tuple[list[str], Codes]:
    """Return the distinct texts of a column in order of first appearance, and its codes."""
    link.execute(
        f"create or replace temp table levels as select {column} as level, row_number() over"
        f" (order by min(rowid)) - 1 as code from rows where {column} is not null group by 1"
    )
    levels = link.execute("select level from levels order by code").fetchnumpy()
    codes = link.execute(
        f"select coalesce(code, -1)::integer as code from rows left join levels"
        f" on {column} = level order by rows.rowid"
    ).fetchnumpy()
    return np.asarray(levels["level"]).tolist(), np.asarray(codes["code"], np.int32)


def _read_numbers(
    link: DuckDBPyConnection, column: str, words: frozenset[str]
) -> tuple[npt.NDArray[Any], Codes] | None:
    """Return the distinct numbers of a column and its codes, without ever making text of them.

    None if it holds anything but plain numbers and words for missing.
    """
    is_word = f"list_contains($words, {column})"
    is_plain = f"regexp_full_match({column}, '{PLAIN.pattern}')"
    is_number = f"{is_plain} and not {is_word}"
    (told,) = link.execute(
        f"select count(*) filter (where not {is_plain} and not {is_word}), "
        + ", ".join(
            f"bool_and(regexp_full_match({column}, '{pattern}')) filter (where {is_number})"
            for pattern in (INTEGER, CANONICAL_INTEGER)
        )
        + " from rows",
        {"words": sorted(words)},
    ).fetchall()
    n_odd, is_whole, is_tidy = told
    if n_odd or (is_whole and not is_tidy):  # 007 and 7 are two texts, twenty digits no number
        return None
    kind = "bigint" if is_whole else "double"
    found = link.execute(
        f"select case when {is_number} then {column}::{kind} end as number from rows"
        " order by rowid",  # words may be joined to the rows, which then come in any order
        {"words": sorted(words)},
    ).fetchnumpy()["number"]
    if kind == "double" and np.isinf(np.ma.getdata(found)).any():
        return None
    known = ~np.ma.getmaskarray(found)
    codes = np.full(len(known), MISSING, np.int32)
    levels, codes[known] = encode_numbers(np.asarray(found)[known])
    return levels, codes
