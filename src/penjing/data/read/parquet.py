"""What DuckDB reads column by column: Parquet, and JSON lines when there are many."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from penjing.data.read.arrow_kinds import arrow_numbers as nearest
from penjing.data.read.files import too_large_error
from penjing.data.read.frames import column_from_array, column_from_numbers
from penjing.data.read.python_rows import column_from_python
from penjing.data.read.raw_columns import (
    MAX_EXACT_INTEGER,
    RawColumn,
    RawTable,
    duplicate_column_error,
)
from penjing.data.scratch import scratch_folder
from penjing.data.table import MISSING
from penjing.errors import CapabilityError, DataError, NoRowsError

PLAIN_TYPES = {"VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"}
"""Columns of other types are left to Python's JSON, which changes no value."""

MIN_ENUM_ROWS, MAX_ENUM_TEXTS = 20_000, 20_000
"""In a file of more rows, columns of up to about so many texts are read as codes."""
_ENUM_PREFIX = "penjing_texts_"

MAX_DUCKDB_DIGITS = 38
"""Decimals of more digits are not DuckDB's."""

MIN_CELL_BYTES = 4
"""A cell takes at least so many bytes."""

BATCH_ROWS = 100_000
"""Rows of a Parquet file that are held at a time."""

NUMBERED_ROWS = "read_parquet($path, file_row_number = true)"
ROW_RANGE = "where file_row_number >= $low and file_row_number < $high"

NOT_AN_OBJECT = re.compile(r"^[ \t\r]*[^{\s]", re.MULTILINE)
"""The beginning of a line that is no JSON object."""

RENAMED_KEY = re.compile(r"_\d+$")
"""How DuckDB makes a name another one where keys differ only in letter case."""
JSON_LINES = "select * from read_json($path, format='newline_delimited', sample_size=-1)"


@dataclass(frozen=True, slots=True)
class _ParquetColumn:
    """A column of a Parquet file: its name, and how DuckDB calls it and its type."""

    title: str
    name: str
    kind: str
    digits: int | None


def from_parquet(data: bytes, name: str, most: int) -> RawTable:
    """Take a Parquet file, if it unpacks to no more than so many bytes."""
    import duckdb  # noqa: PLC0415

    try:
        with scratch_folder() as folder, duckdb.connect() as link:
            asked = {"path": _write_file(folder, data)}
            link.execute("set enable_progress_bar = false")
            columns = _list_columns(link, asked, name)
            _check_size(link, asked, len(columns), name, most)
            texts = _create_enums(link, asked, columns)
            coded = {
                t: f"enum_code({_quote_identifier(t)}::{_ENUM_PREFIX}{i})"
                for i, t in enumerate(texts)
            }
            chosen = _select_list(columns, coded)
            query = f"select {chosen} from read_parquet($path)"  # noqa: S608 - names are quoted
            found = link.execute(query, asked).fetchnumpy()
            found |= _wide_decimals(asked["path"], columns, name)
    except duckdb.Error:
        raise DataError("bad_parquet", source=name) from None
    if not len(next(iter(found.values()), ())):
        raise NoRowsError("no_rows", source=name, names=[*found])
    return build_raw_table(
        _by_file_name(found, columns), name, "parquet", _by_file_name(texts, columns)
    )


def _list_columns(link: Any, asked: Mapping[str, str], name: str) -> list[_ParquetColumn]:  # noqa: ANN401
    """Return the columns of a Parquet file; DuckDB renames twins, also of other letter case."""
    told = link.execute("describe select * from read_parquet($path)", asked).fetchall()
    query = "select name, coalesce(num_children, 0), precision from parquet_schema($path)"
    tops, inner = [], 1  # the first is the whole table
    for title, n_children, digits in link.execute(query, asked).fetchall()[1:]:
        inner -= 1
        if not inner:
            tops.append((title, digits))
        inner = max(inner, 1) + n_children
    titles = [title for title, _ in tops]
    if len({*titles}) < len(titles):
        raise duplicate_column_error(name, titles)
    return [
        _ParquetColumn(title, str(row[0]), str(row[1]), digits)
        for row, (title, digits) in zip(told, tops, strict=True)
    ]


def _by_file_name(found: Mapping[str, Any], columns: Sequence[_ParquetColumn]) -> dict[str, Any]:
    """Return what was found of columns by the names that they have in the file."""
    return {column.title: found[column.name] for column in columns if column.name in found}


def _select_list(columns: Sequence[_ParquetColumn], others: Mapping[str, str] | None = None) -> str:
    """Return the columns to select: decimals as the nearest doubles, some in other words.

    DuckDB itself divides a decimal's digits by a power of ten, which rounds twice.
    """
    made = {
        column.name: f"{_quote_identifier(column.name)}::varchar::double"
        for column in columns
        if column.kind.startswith("DECIMAL")
    }
    told = ", ".join(
        f"{text} as {_quote_identifier(t)}" for t, text in (made | dict(others or {})).items()
    )
    return f"* replace ({told})" if told else "*"


def _wide_decimals(path: str, columns: Sequence[_ParquetColumn], name: str) -> dict[str, Any]:
    """Return the columns of decimals that DuckDB cannot hold, as doubles, masked where empty."""
    wide = [
        i for i, c in enumerate(columns) if c.digits is not None and c.digits > MAX_DUCKDB_DIGITS
    ]
    if not wide:
        return {}
    try:
        import pyarrow.parquet as pq  # noqa: PLC0415 - heavy, and not always there
    except ImportError:
        title = columns[wide[0]].title
        raise CapabilityError("wide_decimals", source=name, column=title) from None
    table = pq.ParquetFile(path).read()
    found = {}
    for i in wide:
        numbers = nearest(table.column(i)).to_numpy(zero_copy_only=False)
        found[columns[i].name] = np.ma.masked_array(numbers, np.isnan(numbers))
    return found


def parquet_shape(path: str) -> tuple[int, int]:
    """Return how many rows and columns a Parquet file has, as it says itself."""
    import duckdb  # noqa: PLC0415

    try:
        with duckdb.connect() as link:
            link.execute("set enable_progress_bar = false")
            found = link.execute(
                "select * from read_parquet($path) limit 0", {"path": escape_glob(path)}
            )
            width = len(found.description or ())
            count = "select count(*) from read_parquet($path)"
            ((n,),) = link.execute(count, {"path": escape_glob(path)}).fetchall()
    except duckdb.Error:
        raise DataError("bad_parquet", source=path) from None
    return int(n), width


def escape_glob(path: str) -> str:
    """Return a path that DuckDB does not take for a pattern.

    Examples
    --------
    >>> escape_glob("data[1]*.parquet")
    'data[[]1][*].parquet'
    """
    return re.sub(r"([\[*?])", r"[\1]", path)


def _check_size(
    link: Any,  # noqa: ANN401 - of DuckDB
    asked: Mapping[str, str],
    width: int,
    name: str,
    most: int,
) -> None:
    """Refuse a file whose rows, equal ones packed into little room, do not fit memory."""
    ((n,),) = link.execute("select count(*) from read_parquet($path)", asked).fetchall()
    if n * width * MIN_CELL_BYTES > most:
        raise too_large_error(name, most)


def _create_enums(
    link: Any,  # noqa: ANN401
    asked: Mapping[str, str],
    columns: Sequence[_ParquetColumn],
) -> dict[str, list[str]]:
    """Return the texts of columns that have few of them, each made a type of its own.

    Columns of codes come in a tenth of the time that a Python object for each cell takes.
    """
    names = [column.name for column in columns if column.kind == "VARCHAR"]
    if not names:
        return {}
    about = ", ".join(f"approx_count_distinct({_quote_identifier(name)})" for name in names)
    query = f"select count(*), {about} from read_parquet($path)"  # noqa: S608 - names are quoted
    ((n, *sizes),) = link.execute(query, asked).fetchall()
    few = [name for name, size in zip(names, sizes, strict=True) if 0 < size <= MAX_ENUM_TEXTS]
    texts = {}
    for i, name in enumerate(few if n >= MIN_ENUM_ROWS else ()):
        column, path = _quote_identifier(name), asked["path"].replace("'", "''")
        distinct = f"select distinct {column} from read_parquet('{path}')"  # noqa: S608 - quoted
        link.execute(
            f"create type {_ENUM_PREFIX}{i} as enum ({distinct} where {column} is not null)"
        )
        ((texts[name],),) = link.execute(f"select enum_range(null::{_ENUM_PREFIX}{i})").fetchall()
    return texts


def _quote_identifier(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def read_parquet_batches(path: str, name: str) -> Iterator[RawTable]:
    """Yield the rows of a Parquet file, some at a time; one sheet without rows if it has none."""
    import duckdb  # noqa: PLC0415

    told: dict[str, Any] = {"path": escape_glob(path)}
    try:
        with duckdb.connect() as link:
            link.execute("set enable_progress_bar = false")
            ((n,),) = link.execute("select count(*) from read_parquet($path)", told).fetchall()
            columns = _list_columns(link, told, name)
            rows = f"(select * exclude (file_row_number) from {NUMBERED_ROWS} {ROW_RANGE})"  # noqa: S608
            query = f"select {_select_list(columns)} from {rows}"  # noqa: S608 - names are quoted
            wide = _wide_decimals(path, columns, name)
            for start in range(0, max(n, 1), BATCH_ROWS):
                found = link.execute(query, told | {"low": start, "high": start + BATCH_ROWS})
                arrays = found.fetchnumpy()
                arrays |= {t: a[start : start + BATCH_ROWS] for t, a in wide.items()}
                if n:
                    yield build_raw_table(_by_file_name(arrays, columns), name, "parquet")
                else:
                    none = [RawColumn(c.title, [], np.empty(0, np.int32)) for c in columns]
                    yield RawTable(none, 0, {"name": name, "form": "parquet"})
    except duckdb.Error:
        raise DataError("bad_parquet", source=name) from None


def csv_to_parquet(path: str, kinds: Mapping[str, str], output: str) -> None:
    """Turn a CSV file of our own into Parquet, in little memory."""
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as link:
        link.execute("set enable_progress_bar = false; set threads = 1; set memory_limit = '96MB'")
        rows = link.read_csv(path, header=True, dtype=dict(kinds), delimiter=",", quotechar='"')
        rows.write_parquet(output)


def read_json_lines(text: str, name: str) -> RawTable | None:
    """Take many lines of plain JSON objects; None if Python's JSON should have a look."""
    import duckdb  # noqa: PLC0415

    if NOT_AN_OBJECT.search(text):
        return None
    try:
        with scratch_folder() as folder, duckdb.connect() as link:
            asked = {"path": _write_file(folder, text.encode())}
            link.execute("set enable_progress_bar = false")
            columns = link.execute(f"describe {JSON_LINES}", asked).fetchall()
            names = {str(row[0]).casefold() for row in columns}
            renamed = {name for name in names if RENAMED_KEY.sub("", name) in names - {name}}
            if renamed or not {row[1] for row in columns} <= PLAIN_TYPES:
                return None
            found = link.execute(JSON_LINES, asked).fetchnumpy()
    except (duckdb.Error, OSError):
        return None
    doubles = [values for values in found.values() if values.dtype.kind == "f"]
    if any((np.abs(np.ma.getdata(values)) >= MAX_EXACT_INTEGER).any() for values in doubles):
        return None  # they may be whole numbers, of more digits than doubles have
    return build_raw_table(found, name, "json")


def _write_file(folder: Path, data: bytes) -> str:
    path = folder / "table"
    path.write_bytes(data)
    return str(path)


def build_raw_table(
    found: Mapping[str, Any], name: str, form: str, texts: Mapping[str, list[str]] | None = None
) -> RawTable:
    """Take columns as DuckDB hands them over: arrays, masked where they have gaps.

    Some are codes, of these ``texts``.
    """
    texts = texts or {}
    cells = [
        _column_from_codes(title, values, texts[title])
        if title in texts
        else _column_from_array(title, values, name)
        for title, values in found.items()
    ]
    return RawTable(cells, len(cells[0].codes), {"name": name, "form": form})


def _column_from_codes(title: str, values: Any, texts: list[str]) -> RawColumn:  # noqa: ANN401 - masked
    """Make a column of codes; levels are in order of their first row."""
    gaps, codes = np.ma.getmaskarray(values), np.asarray(values)
    rows = np.flatnonzero(~gaps) if gaps.any() else np.arange(len(codes))
    known = codes[rows]
    first = np.full(len(texts), len(codes), np.int64)
    first[known[::-1]] = rows[::-1]  # the last that is written counts
    order = np.argsort(first, kind="stable")
    place = np.empty(len(texts), np.int32)
    place[order] = np.arange(len(texts), dtype=np.int32)
    found = np.full(len(codes), MISSING, np.int32)
    found[rows] = place[known]
    return RawColumn(title, [texts[i] for i in order.tolist()], found)


def _column_from_array(title: str, values: Any, name: str) -> RawColumn:  # noqa: ANN401 - masked where it has gaps
    gaps, array = np.ma.getmaskarray(values), np.asarray(values)
    if not gaps.any():
        return column_from_array(title, array, name)
    if array.dtype.kind in "iuf":
        return column_from_numbers(title, array[~gaps], ~gaps)
    plain = array.astype("M8[us]") if array.dtype.kind == "M" else array
    listed = zip(plain.tolist(), gaps.tolist(), strict=True)
    return column_from_python(title, [None if gap else value for value, gap in listed], name)
