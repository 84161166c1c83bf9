"""Selects the engine of a fit: native if the coded table fits memory, else disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penjing.data.encode.groups import DATABASE, arrow, files_of, is_codable, is_pattern
from penjing.data.memory_limit import (
    KERNEL_ROW_BYTES,
    estimate_bytes,
    memory_bytes,
    native_engine_bytes,
)
from penjing.data.read.files import (
    bad_parquet_error,
    check_file_name,
    decompressed_size,
    is_file,
    is_folder,
    is_gzip,
)
from penjing.data.read.parquet import parquet_shape
from penjing.data.scratch import format_bytes
from penjing.data.store import StoredColumn
from penjing.data.table import Table
from penjing.engines.out_of_core.engine import decides_by_counts, too_large_error
from penjing.errors import ChoiceError
from penjing.grow.engine import PREPARED_ROWS
from penjing.grow.recipe import Recipe

TEXT_EXPANSION = 8
"""A byte of text takes at most about this many bytes in memory."""
NUMERIC_TYPES = ("int", "uint", "float", "double", "halffloat", "decimal")
"""The numeric types of Parquet."""
SMALL = 50_000_000
"""If a table takes fewer bytes and fits, the selection is not mentioned."""


@dataclass(frozen=True, slots=True)
class EngineSelection:
    """The engine, whether rows are first written to a store, and the reason for the model file.

    ``needs`` is the memory that the table would take, ``least`` that of its row ids alone,
    ``limit`` the memory that may be used; all in bytes, None if not computed.
    """

    engine: str
    is_coded: bool
    reason: dict[str, Any] | None = None
    needs: int | None = None
    limit: int | None = None
    least: int | None = None


def select_engine(
    data: Any,  # noqa: ANN401 - whatever `fit` takes
    engine: str = "auto",
    memory_limit: float | str | None = None,
    query: str | None = None,
) -> EngineSelection:
    """Select an engine for some data.

    Examples
    --------
    >>> select_engine([[1, 2], [3, 4]]).engine
    'native'
    """
    if memory_limit is not None:
        memory_bytes(memory_limit)  # raises an error if it is not a size
    is_path = isinstance(data, (str, os.PathLike))
    if is_path:
        check_file_name(data)
    if query is not None and not is_codable(data):
        raise ChoiceError("query_without_database", source=_source_name(data))
    if isinstance(data, Table):
        is_stored = any(isinstance(column, StoredColumn) for column in data.columns)
        return EngineSelection(
            ("disk" if is_stored else "native") if engine == "auto" else engine, False
        )
    if not is_path or not is_codable(data):
        return EngineSelection("native" if engine == "auto" else engine, False)
    source = os.fspath(data)
    is_many = source.startswith(DATABASE) or is_folder(source) or is_pattern(source)
    if not is_many and (query is not None or not is_file(source)):
        if query is not None:
            raise ChoiceError("query_without_database", source=source)
        return EngineSelection("native" if engine == "auto" else engine, False)
    if engine not in ("auto", "disk"):
        return EngineSelection(engine, is_coded=is_many and engine in ("native", "memory"))
    limit = memory_bytes(memory_limit)
    needs = _needed_bytes(source, limit)
    if engine == "disk":
        return EngineSelection("disk", True, None, needs, limit, _row_bytes(source))
    fits = needs <= limit
    name = "native" if fits else "disk"
    reason = {
        "name": name,
        "reason": "fits" if fits else "too_large",
        "needs": needs,
        "limit": limit,
    }
    least = None if fits else _row_bytes(source)
    is_small = fits and needs < SMALL and memory_limit is None
    return EngineSelection(
        name, is_many or not fits, None if is_small else reason, needs, limit, least
    )


def _source_name(data: object) -> str:
    """Return the name in messages of data that are not a database: a path, else the type."""
    return data if isinstance(data, str) else f"a {type(data).__name__}"


def _needed_bytes(source: str, limit: int) -> int:
    """Return about how many bytes a source takes in memory; 0 if that cannot be known.

    Compressed files count by their uncompressed size.
    """
    if source.startswith(DATABASE):
        path = Path(source.removeprefix(DATABASE))
        return path.stat().st_size * TEXT_EXPANSION if path.is_file() else 0
    files = [source] if Path(source).is_file() else files_of(source)
    if not _is_parquet(files):
        most = limit // TEXT_EXPANSION
        sizes = (
            decompressed_size(path, most) if is_gzip(path) else Path(path).stat().st_size
            for path in files
        )
        return sum(sizes) * TEXT_EXPANSION
    if sum(Path(path).stat().st_size for path in files) * TEXT_EXPANSION < SMALL // TEXT_EXPANSION:
        return max(estimate_bytes(*parquet_shape(path), 0) for path in files) * len(files)
    n_rows, types = _parquet_schema(files)
    n_numeric = sum(kind.startswith(NUMERIC_TYPES) for kind in types)
    return estimate_bytes(n_rows, n_numeric, len(types) - n_numeric)


def _row_bytes(source: str) -> int | None:
    """Return how many bytes the row ids of a source take; None if that cannot be known."""
    if source.startswith(DATABASE):
        return None
    files = [source] if Path(source).is_file() else files_of(source)
    return _parquet_schema(files)[0] * KERNEL_ROW_BYTES if _is_parquet(files) else None


def _is_parquet(files: list[str]) -> bool:
    return files[0].lower().endswith((".parquet", ".pq"))


def _parquet_schema(files: list[str]) -> tuple[int, list[str]]:
    """Return the number of rows of Parquet files, and the types of their columns."""
    n_rows, types = 0, []
    for path in files:
        try:
            with arrow().ParquetFile(path) as file:
                n_rows += file.metadata.num_rows
                types = [str(field.type) for field in file.schema_arrow]
        except (OSError, ValueError):  # from the operating system, or from Arrow
            raise bad_parquet_error(path) from None
    return n_rows, types


def refuse_too_large(
    recipe: Recipe,
    selection: EngineSelection,
    prune: str | None,
    validation: object,
    *,
    is_traced: bool,
) -> None:
    """Raise an error, before a row is read, for a tree that needs more memory than the limit."""
    if selection.engine != "disk" or not selection.needs or selection.limit is None:
        return
    if PREPARED_ROWS in recipe.dialect.needs and selection.needs > selection.limit:
        raise too_large_error(recipe.name, selection.needs, selection.limit)
    is_counted = (
        decides_by_counts(recipe) and validation is None and prune is None and not is_traced
    )
    if not is_counted and selection.least is not None and selection.least > selection.limit:
        raise too_large_error(recipe.name, selection.least, selection.limit)


def in_memory(table: Table) -> Table:
    """Return a stored table as one in memory."""
    columns = tuple(c.to_memory() if isinstance(c, StoredColumn) else c for c in table.columns)
    target = table.target
    return replace(
        table,
        columns=columns,
        target=target.to_memory() if isinstance(target, StoredColumn) else target,
    )


def load_in_memory(table: Table, recipe: Recipe, memory_limit: float | str | None) -> Table:
    """Return a stored table as one in memory; raise an error if it is too large."""
    size, limit = native_engine_bytes(table), memory_bytes(memory_limit)
    if size > limit:
        raise too_large_error(recipe.name, size, limit)
    return in_memory(table)


def selection_message(selection: EngineSelection) -> tuple[str, dict[str, str]]:
    """Return key and values of the message about the selection."""
    values = {
        "needs": format_bytes(selection.needs or 0),
        "limit": format_bytes(selection.limit or 0),
    }
    return f"note_engine_{selection.engine}", values
