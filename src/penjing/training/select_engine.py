"""Which engine a fit gets, and why: native where the coded table fits memory, else disk."""

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
from penjing.data.read.files import check_file_name, decompressed_size, is_file, is_folder, is_gzip
from penjing.data.read.parquet import parquet_shape
from penjing.data.scratch import format_bytes
from penjing.data.store import StoredColumn
from penjing.data.table import Table
from penjing.engines.out_of_core.engine import decides_by_counts, too_large
from penjing.errors import ChoiceError, DataError
from penjing.grow.recipe import Recipe

TEXT = 8
"""A byte of text becomes at most about so many in memory."""
NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal")
"""How the types of numbers are called in Parquet."""
SMALL = 50_000_000
"""Of what takes fewer bytes, and fits, nothing is said."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The engine, whether rows go through a store, and what is told of the choice.

    ``needs`` is what the table would take in memory, ``least`` what its rows take alone, ``limit``
    how much may be used; all in bytes, None where nobody asked.
    """

    engine: str
    is_coded: bool
    told: dict[str, Any] | None = None
    needs: int | None = None
    limit: int | None = None
    least: int | None = None


def pick(
    data: Any,  # noqa: ANN401 - whatever `fit` takes
    engine: str = "auto",
    memory_limit: float | str | None = None,
    query: str | None = None,
) -> Picked:
    """Choose an engine for some data.

    Examples
    --------
    >>> pick([[1, 2], [3, 4]]).engine
    'native'
    """
    if memory_limit is not None:
        memory_bytes(memory_limit)  # refused here if it is none
    is_path = isinstance(data, (str, os.PathLike))
    if is_path:
        check_file_name(data)
    if query is not None and not is_codable(data):
        raise ChoiceError("query_without_database", source=_called(data))
    if isinstance(data, Table):
        is_stored = any(isinstance(column, StoredColumn) for column in data.columns)
        return Picked(("disk" if is_stored else "native") if engine == "auto" else engine, False)
    if not is_path or not is_codable(data):
        return Picked("native" if engine == "auto" else engine, False)
    source = os.fspath(data)
    is_many = source.startswith(DATABASE) or is_folder(source) or is_pattern(source)
    if not is_many and (query is not None or not is_file(source)):
        if query is not None:
            raise ChoiceError("query_without_database", source=source)
        return Picked("native" if engine == "auto" else engine, False)
    if engine not in ("auto", "disk"):
        return Picked(engine, is_coded=is_many and engine in ("native", "memory"))
    limit = memory_bytes(memory_limit)
    needs = _needs(source, limit)
    if engine == "disk":
        return Picked("disk", True, None, needs, limit, _least(source))
    fits = needs <= limit
    reason = "fits" if fits else "too_large"
    name = "native" if fits else "disk"
    told = {"name": name, "reason": reason, "needs": needs, "limit": limit}
    least = None if fits else _least(source)
    is_small = fits and needs < SMALL and memory_limit is None
    return Picked(name, is_many or not fits, None if is_small else told, needs, limit, least)


def _called(data: object) -> str:
    """Return how a sentence calls data that are no database: by name, else by type."""
    return data if isinstance(data, str) else f"a {type(data).__name__}"


def _needs(source: str, limit: int) -> int:
    """Return what a source takes in memory, about; 0 where that cannot be known beforehand.

    What is packed counts as what it unpacks to.
    """
    if source.startswith(DATABASE):
        path = Path(source.removeprefix(DATABASE))
        return path.stat().st_size * TEXT if path.is_file() else 0
    files = [source] if Path(source).is_file() else files_of(source)
    if not _is_parquet(files):
        most = limit // TEXT
        sizes = (
            decompressed_size(path, most) if is_gzip(path) else Path(path).stat().st_size
            for path in files
        )
        return sum(sizes) * TEXT
    if sum(Path(path).stat().st_size for path in files) * TEXT < SMALL // TEXT:
        return max(estimate_bytes(*parquet_shape(path), 0) for path in files) * len(files)
    n_rows, types = _described(files)
    n_numeric = sum(kind.startswith(NUMBERS) for kind in types)
    return estimate_bytes(n_rows, n_numeric, len(types) - n_numeric)


def _least(source: str) -> int | None:
    """Return what the rows of a source take alone; None where nobody can know beforehand."""
    if source.startswith(DATABASE):
        return None
    files = [source] if Path(source).is_file() else files_of(source)
    return _described(files)[0] * KERNEL_ROW_BYTES if _is_parquet(files) else None


def _is_parquet(files: list[str]) -> bool:
    return files[0].lower().endswith((".parquet", ".pq"))


def _described(files: list[str]) -> tuple[int, list[str]]:
    """Return how many rows Parquet files have, and the types of their columns, as they say."""
    n_rows, types = 0, []
    for path in files:
        try:
            with arrow().ParquetFile(path) as file:
                n_rows += file.metadata.num_rows
                types = [str(field.type) for field in file.schema_arrow]
        except (OSError, ValueError):  # the system's, or Arrow's
            raise DataError("bad_parquet", source=path) from None
    return n_rows, types


def refuse_before(
    recipe: Recipe, picked: Picked, prune: str | None, validation: object, *, is_traced: bool
) -> None:
    """Refuse, before a row is read, what only memory can do and memory cannot hold."""
    if picked.engine != "disk" or not picked.needs or picked.limit is None:
        return
    if recipe.rules == "sklearn" and picked.needs > picked.limit:
        raise too_large(recipe.name, picked.needs, picked.limit)
    is_counted = (
        decides_by_counts(recipe) and validation is None and prune is None and not is_traced
    )
    if not is_counted and picked.least is not None and picked.least > picked.limit:
        raise too_large(recipe.name, picked.least, picked.limit)


def in_memory(table: Table) -> Table:
    """Return a stored table as one in memory."""
    columns = tuple(c.to_memory() if isinstance(c, StoredColumn) else c for c in table.columns)
    target = table.target
    return replace(
        table,
        columns=columns,
        target=target.to_memory() if isinstance(target, StoredColumn) else target,
    )


def whole_or_refused(table: Table, recipe: Recipe, memory_limit: float | str | None) -> Table:
    """Return a table in memory, for rules that look at whole columns; or refuse it as too large."""
    wants, limit = native_engine_bytes(table), memory_bytes(memory_limit)
    if wants > limit:
        raise too_large(recipe.name, wants, limit)
    return in_memory(table)


def sentence(picked: Picked) -> tuple[str, dict[str, str]]:
    """Return the key of the sentence about the choice, and what it mentions."""
    told = {"needs": format_bytes(picked.needs or 0), "limit": format_bytes(picked.limit or 0)}
    return f"note_engine_{picked.engine}", told
