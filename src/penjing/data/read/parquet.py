"""Read Parquet, and large JSON lines, column by column with DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from penjing.data.read.arrow_kinds import arrow_numbers as nearest
from penjing.data.read.arrow_schema import SCHEMA_KEY, duration_units, time_zones
from penjing.data.read.files import bad_parquet_error, too_large_error
from penjing.data.read.frames import column_from_array, column_from_numbers
from penjing.data.read.python_rows import column_from_python
from penjing.data.read.raw_columns import (
    MAX_EXACT_INTEGER,
    RawColumn,
    RawTable,
    duplicate_column_error,
)
from penjing.data.scratch import unnamed_file
from penjing.data.table import MISSING
from penjing.errors import CapabilityError, DataError, NoRowsError

F = TypeVar("F")

PLAIN_TYPES = {"VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"}
"""JSON columns of other types are read with Python's json module, which changes no value."""

MIN_ENUM_ROWS, MAX_ENUM_TEXTS = 20_000, 20_000
"""In files of at least this many rows, text columns of few distinct texts are read as codes."""
_ENUM_PREFIX = "penjing_texts_"

TIMES = {
    "TIMESTAMP WITH TIME ZONE": "{}",
    "TIMESTAMPTZ_NS": "{}::timestamptz",
    "TIMESTAMP_NS": "timezone('UTC', {}::timestamp)",  # before DuckDB 2
}
"""DuckDB's types of times with a time zone, and SQL for such a time in microseconds."""
OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)")
"""A time zone that is only an offset from UTC, such as +08:00."""

KEPT_KIND = re.compile(
    r"BOOLEAN|DATE|TIME|TIMESTAMP|FLOAT|U?(?:TINY|SMALL|BIG)INT|U?INTEGER|DECIMAL\(\d+,\d+\)"
)
DOUBLE_DIGITS = 15
"""A decimal of so many digits is the only one that its nearest double is read back as."""

MAX_DUCKDB_DIGITS = 38
"""DuckDB has no decimals of more digits."""

MIN_CELL_BYTES = 4
"""Memory that each cell needs at least."""

BATCH_ROWS = 100_000
"""Rows of a Parquet file that are in memory at a time."""

NUMBERED_ROWS = "read_parquet($path, file_row_number = true)"
ROW_RANGE = "where file_row_number >= $low and file_row_number < $high"

NOT_AN_OBJECT = re.compile(r"^[ \t\r]*[^{\s]", re.MULTILINE)
"""The beginning of a line that is not a JSON object."""

RENAMED_KEY = re.compile(r"_\d+$")
"""The suffix that DuckDB adds if keys differ only in letter case."""
JSON_LINES = "select * from read_json($path, format='newline_delimited', sample_size=-1)"


@dataclass(frozen=True, slots=True)
class _ParquetColumn:
    """A column of a Parquet file: its name in the file, and its name and type in DuckDB.

    Integers that are durations have the number of ``units`` in a second, times with a time zone
    have that ``zone``; others have None.
    """

    title: str
    name: str
    kind: str
    digits: int | None
    units: int | None
    zone: str | None


def from_parquet(data: bytes, name: str, max_bytes: int) -> RawTable:
    """Return the columns of a Parquet file; raise an error if it needs more than ``max_bytes``."""
    import duckdb  # noqa: PLC0415

    try:
        with unnamed_file(data) as path, duckdb.connect() as connection:
            parameters = {"path": path}
            connection.execute("set enable_progress_bar = false")
            columns = _list_columns(connection, parameters, name)
            _check_size(connection, parameters, len(columns), name, max_bytes)
            texts = _create_enums(connection, parameters, columns)
            enum_codes = {
                column: f"enum_code({_quote_identifier(column)}::{_ENUM_PREFIX}{i})"
                for i, column in enumerate(texts)
            }
            select_list = _select_list(columns, enum_codes)
            query = f"select {select_list} from read_parquet($path)"  # noqa: S608 - names are quoted
            arrays = connection.execute(query, parameters).fetchnumpy()
            arrays |= _wide_decimals(parameters["path"], columns, name)
    except duckdb.Error:
        raise DataError("bad_parquet", source=name) from None
    if not len(next(iter(arrays.values()), ())):
        raise NoRowsError("no_rows", source=name, names=[*arrays])
    return build_raw_table(
        _by_column_name(arrays, columns), name, "parquet", _by_column_name(texts, columns)
    )


def _list_columns(
    connection: Any,  # noqa: ANN401 - of DuckDB
    parameters: Mapping[str, str],
    name: str,
) -> list[_ParquetColumn]:
    """Return the columns of a file; DuckDB renames those that differ only in letter case."""
    described = connection.execute(
        "describe select * from read_parquet($path)", parameters
    ).fetchall()
    query = "select name, coalesce(num_children, 0), precision from parquet_schema($path)"
    top_level, n_pending = [], 1  # the first row is the root of the schema
    for column_name, n_children, digits in connection.execute(query, parameters).fetchall()[1:]:
        n_pending -= 1
        if not n_pending:
            top_level.append((column_name, digits))
        n_pending = max(n_pending, 1) + n_children
    column_names = [column_name for column_name, _ in top_level]
    if len({*column_names}) < len(column_names):
        raise duplicate_column_error(name, column_names)
    units = _in_arrow_schema(connection, parameters, duration_units)
    zones = _known_zones(connection, _in_arrow_schema(connection, parameters, time_zones))
    return [
        _ParquetColumn(
            column_name,
            str(row[0]),
            str(row[1]),
            digits,
            units.get(column_name) if str(row[1]) == "BIGINT" else None,
            zones.get(column_name) if str(row[1]) in TIMES else None,
        )
        for row, (column_name, digits) in zip(described, top_level, strict=True)
    ]


def _in_arrow_schema(
    connection: Any,  # noqa: ANN401 - of DuckDB
    parameters: Mapping[str, str],
    facts: Callable[[bytes], dict[str, F]],
) -> dict[str, F]:
    """Return what the schema that Arrow wrote says of columns: units of durations, time zones."""
    query = "select distinct value from parquet_kv_metadata($path) where key = $key"
    rows = connection.execute(query, {**parameters, "key": SCHEMA_KEY}).fetchall()
    return {name: fact for (encoded,) in rows for name, fact in facts(encoded).items()}


def _known_zones(
    connection: Any,  # noqa: ANN401 - of DuckDB
    zones: Mapping[str, str],
) -> dict[str, str]:
    """Return the time zones that DuckDB knows; times of others stay in UTC."""
    import duckdb  # noqa: PLC0415

    known: set[str] = set()
    if zones:
        with suppress(duckdb.Error):  # a build without time zones
            rows = connection.execute("select name from pg_timezone_names()").fetchall()
            known = {name for (name,) in rows}
    return {
        column: zone
        for column, zone in zones.items()
        if zone in known or OFFSET.fullmatch(zone) is not None
    }


def _local_time(column: _ParquetColumn) -> str:
    """Return SQL for the local times of a column with a time zone, as frames have them."""
    assert column.zone is not None
    time = TIMES[column.kind].format(_quote_identifier(column.name))
    offset = OFFSET.fullmatch(column.zone)
    if offset is None:
        return f"timezone('{column.zone}', {time})"
    minutes = int(f"{offset['sign']}1") * (60 * int(offset["hours"]) + int(offset["minutes"]))
    return f"timezone('UTC', {time}) + to_minutes({minutes})"


def _by_column_name(
    by_name: Mapping[str, Any], columns: Sequence[_ParquetColumn]
) -> dict[str, Any]:
    """Return a mapping by DuckDB's names as one by the names in the file."""
    return {column.title: by_name[column.name] for column in columns if column.name in by_name}


def _select_list(
    columns: Sequence[_ParquetColumn], expressions: Mapping[str, str] | None = None
) -> str:
    """Return the columns to select, some as ``expressions``.

    Decimals are the nearest doubles: DuckDB's own cast divides the digits of a decimal by a power
    of ten, which rounds twice. Durations are seconds. Times are local in their time zone.
    """
    decimals = {
        column.name: f"{_quote_identifier(column.name)}::varchar::double"
        for column in columns
        if column.kind.startswith("DECIMAL")
    }
    durations = {
        column.name: f"{_quote_identifier(column.name)}::double / {column.units}::double"
        for column in columns
        if column.units is not None
    }
    times = {column.name: _local_time(column) for column in columns if column.zone is not None}
    replaced = decimals | durations | times | dict(expressions or {})
    replacements = ", ".join(
        f"{expression} as {_quote_identifier(column_name)}"
        for column_name, expression in replaced.items()
    )
    return f"* replace ({replacements})" if replacements else "*"


def _wide_decimals(path: str, columns: Sequence[_ParquetColumn], name: str) -> dict[str, Any]:
    """Return the columns of decimals that DuckDB does not support, as masked doubles."""
    wide = [
        i for i, c in enumerate(columns) if c.digits is not None and c.digits > MAX_DUCKDB_DIGITS
    ]
    if not wide:
        return {}
    try:
        import pyarrow.parquet as pq  # noqa: PLC0415 - heavy and optional
    except ImportError:
        column_name = columns[wide[0]].title
        raise CapabilityError("wide_decimals", source=name, column=column_name) from None
    table = pq.ParquetFile(path).read()
    arrays = {}
    for i in wide:
        numbers = nearest(table.column(i)).to_numpy(zero_copy_only=False)
        arrays[columns[i].name] = np.ma.masked_array(numbers, np.isnan(numbers))
    return arrays


def parquet_shape(path: str) -> tuple[int, int]:
    """Return the number of rows and columns of a Parquet file, from its metadata."""
    import duckdb  # noqa: PLC0415

    try:
        with duckdb.connect() as connection:
            connection.execute("set enable_progress_bar = false")
            result = connection.execute(
                "select * from read_parquet($path) limit 0", {"path": escape_glob(path)}
            )
            n_columns = len(result.description or ())
            count = "select count(*) from read_parquet($path)"
            ((n_rows,),) = connection.execute(count, {"path": escape_glob(path)}).fetchall()
    except duckdb.Error:
        raise bad_parquet_error(path) from None
    return int(n_rows), n_columns


def duration_columns(path: str) -> list[str]:
    """Return the columns of durations in a Parquet file, or in those of a folder."""
    import duckdb  # noqa: PLC0415

    pattern = escape_glob(path) + ("/**/*.parquet" if Path(path).is_dir() else "")
    try:
        with duckdb.connect() as connection:
            return sorted(_in_arrow_schema(connection, {"path": pattern}, duration_units))
    except duckdb.Error:
        raise bad_parquet_error(path) from None


def escape_glob(path: str) -> str:
    """Return a path that DuckDB does not expand as a pattern.

    Examples
    --------
    >>> escape_glob("data[1]*.parquet")
    'data[[]1][*].parquet'
    """
    return re.sub(r"([\[*?])", r"[\1]", path)


def _check_size(
    connection: Any,  # noqa: ANN401 - of DuckDB
    parameters: Mapping[str, str],
    n_columns: int,
    name: str,
    max_bytes: int,
) -> None:
    """Raise an error if the decompressed rows of a file do not fit in memory."""
    ((n_rows,),) = connection.execute(
        "select count(*) from read_parquet($path)", parameters
    ).fetchall()
    if n_rows * n_columns * MIN_CELL_BYTES > max_bytes:
        raise too_large_error(name, max_bytes)


def _create_enums(
    connection: Any,  # noqa: ANN401
    parameters: Mapping[str, str],
    columns: Sequence[_ParquetColumn],
) -> dict[str, list[str]]:
    """Create an enum type for each column of few distinct texts; return these texts.

    Codes are fetched in a tenth of the time that a Python object per cell takes.
    """
    names = [column.name for column in columns if column.kind == "VARCHAR"]
    if not names:
        return {}
    counts = ", ".join(f"approx_count_distinct({_quote_identifier(name)})" for name in names)
    query = f"select count(*), {counts} from read_parquet($path)"  # noqa: S608 - names are quoted
    ((n_rows, *sizes),) = connection.execute(query, parameters).fetchall()
    small = [name for name, size in zip(names, sizes, strict=True) if 0 < size <= MAX_ENUM_TEXTS]
    texts = {}
    for i, name in enumerate(small if n_rows >= MIN_ENUM_ROWS else ()):
        column, path = _quote_identifier(name), parameters["path"].replace("'", "''")
        distinct = f"select distinct {column} from read_parquet('{path}')"  # noqa: S608 - quoted
        connection.execute(
            f"create type {_ENUM_PREFIX}{i} as enum ({distinct} where {column} is not null)"
        )
        ((texts[name],),) = connection.execute(
            f"select enum_range(null::{_ENUM_PREFIX}{i})"
        ).fetchall()
    return texts


def _quote_identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def read_parquet_batches(path: str, name: str) -> Iterator[RawTable]:
    """Yield the rows of a Parquet file in batches; one table without rows if it is empty."""
    import duckdb  # noqa: PLC0415

    parameters: dict[str, Any] = {"path": escape_glob(path)}
    try:
        with duckdb.connect() as connection:
            connection.execute("set enable_progress_bar = false")
            ((n_rows,),) = connection.execute(
                "select count(*) from read_parquet($path)", parameters
            ).fetchall()
            columns = _list_columns(connection, parameters, name)
            rows = f"(select * exclude (file_row_number) from {NUMBERED_ROWS} {ROW_RANGE})"  # noqa: S608
            query = f"select {_select_list(columns)} from {rows}"  # noqa: S608 - names are quoted
            wide = _wide_decimals(path, columns, name)
            for start in range(0, max(n_rows, 1), BATCH_ROWS):
                result = connection.execute(
                    query, parameters | {"low": start, "high": start + BATCH_ROWS}
                )
                arrays = result.fetchnumpy()
                arrays |= {
                    title: array[start : start + BATCH_ROWS] for title, array in wide.items()
                }
                if n_rows:
                    yield build_raw_table(_by_column_name(arrays, columns), name, "parquet")
                else:
                    empty_columns = [RawColumn(c.title, [], np.empty(0, np.int32)) for c in columns]
                    yield RawTable(empty_columns, 0, {"name": name, "form": "parquet"})
    except duckdb.Error:
        raise bad_parquet_error(path, name) from None


def stored_kinds(path: str) -> dict[str, str]:
    """Return the SQL types of those columns of a Parquet file that a text can be converted back to.

    Times with a time zone are local times, without it. Durations, decimals of more digits than a
    double has, and nested columns are not among them.
    """
    import duckdb  # noqa: PLC0415

    try:
        with duckdb.connect() as connection:
            columns = _list_columns(connection, {"path": escape_glob(path)}, path)
    except duckdb.Error:
        raise bad_parquet_error(path) from None
    kinds = {c.title: "TIMESTAMP" if c.kind in TIMES else c.kind for c in columns if not c.units}
    return {
        c.title: kinds[c.title]
        for c in columns
        if c.title in kinds
        and KEPT_KIND.fullmatch(kinds[c.title])
        and (c.digits is None or c.digits <= DOUBLE_DIGITS)
    }


def csv_to_parquet(path: str, kinds: Mapping[str, str], output: str) -> None:
    """Convert a CSV file that penjing wrote to Parquet, with little memory."""
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as connection:
        connection.execute(
            "set enable_progress_bar = false; set threads = 1; set memory_limit = '96MB'"
        )
        read_as = {name: kind if kind in PLAIN_TYPES else "VARCHAR" for name, kind in kinds.items()}
        rows = connection.read_csv(path, header=True, dtype=read_as, delimiter=",", quotechar='"')
        names = {name: _quote_identifier(name) for name in kinds}
        cells = (f"{names[name]}::{kind} as {names[name]}" for name, kind in kinds.items())
        rows.project(", ".join(cells)).write_parquet(output)


def read_json_lines(text: str, name: str) -> RawTable | None:
    """Return the columns of JSON lines; None if Python's json module must read them."""
    import duckdb  # noqa: PLC0415

    if NOT_AN_OBJECT.search(text):
        return None
    try:
        with unnamed_file(text.encode()) as path, duckdb.connect() as connection:
            parameters = {"path": path}
            connection.execute("set enable_progress_bar = false")
            columns = connection.execute(f"describe {JSON_LINES}", parameters).fetchall()
            names = {str(row[0]).casefold() for row in columns}
            renamed = {name for name in names if RENAMED_KEY.sub("", name) in names - {name}}
            if renamed or not {row[1] for row in columns} <= PLAIN_TYPES:
                return None
            arrays = connection.execute(JSON_LINES, parameters).fetchnumpy()
    except (duckdb.Error, OSError):
        return None
    doubles = [values for values in arrays.values() if values.dtype.kind == "f"]
    if any((np.abs(np.ma.getdata(values)) >= MAX_EXACT_INTEGER).any() for values in doubles):
        return None  # maybe integers with more digits than a double has
    return build_raw_table(arrays, name, "json")


def build_raw_table(
    arrays: Mapping[str, Any], name: str, form: str, texts: Mapping[str, list[str]] | None = None
) -> RawTable:
    """Return the columns of masked arrays as DuckDB returns them.

    Columns that are in ``texts`` are codes of these texts.
    """
    texts = texts or {}
    columns = [
        _column_from_codes(column_name, values, texts[column_name])
        if column_name in texts
        else _column_from_array(column_name, values, name)
        for column_name, values in arrays.items()
    ]
    return RawTable(columns, len(columns[0].codes), {"name": name, "form": form})


def _column_from_codes(column_name: str, values: Any, texts: list[str]) -> RawColumn:  # noqa: ANN401 - masked
    """Return a column from codes; the levels are sorted by their first row."""
    is_missing, codes = np.ma.getmaskarray(values), np.asarray(values)
    rows = np.flatnonzero(~is_missing) if is_missing.any() else np.arange(len(codes))
    known_codes = codes[rows]
    first_rows = np.full(len(texts), len(codes), np.int64)
    first_rows[known_codes[::-1]] = rows[::-1]  # the last assignment is the first row
    order = np.argsort(first_rows, kind="stable")
    new_codes = np.empty(len(texts), np.int32)
    new_codes[order] = np.arange(len(texts), dtype=np.int32)
    row_codes = np.full(len(codes), MISSING, np.int32)
    row_codes[rows] = new_codes[known_codes]
    return RawColumn(column_name, [texts[i] for i in order.tolist()], row_codes)


def _column_from_array(column_name: str, values: Any, name: str) -> RawColumn:  # noqa: ANN401 - masked where it has gaps
    is_missing, array = np.ma.getmaskarray(values), np.asarray(values)
    if not is_missing.any():
        return column_from_array(column_name, array, name)
    if array.dtype.kind in "iuf":
        return column_from_numbers(column_name, array[~is_missing], ~is_missing)
    converted = array.astype("M8[us]") if array.dtype.kind == "M" else array
    pairs = zip(converted.tolist(), is_missing.tolist(), strict=True)
    return column_from_python(
        column_name, [None if missing else value for value, missing in pairs], name
    )
