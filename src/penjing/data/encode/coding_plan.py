"""Plan the form of each column in the store, from a sample and the metadata of the files."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.coded_column import Coded
from penjing.data.encode.groups import BEGINNING, Group, Groups, arrow
from penjing.data.read.arrow_kinds import (
    arrow_kind,
    arrow_texts,
    first_nested_value,
    is_duration,
)
from penjing.data.read.arrow_kinds import arrow_numbers as numbers_of
from penjing.data.read.build_table import TARGET_NAMES
from penjing.data.read.files import bad_parquet_error
from penjing.data.read.ids import MIN_ROWS, MIN_ROWS_ANY_START, is_id_name
from penjing.data.read.numbers import parse_numbers
from penjing.data.read.python_rows import short_repr
from penjing.data.store import QuantileCells, quantile_cells
from penjing.errors import DataError

SAMPLED_GROUPS, SAMPLED_ROWS = 64, 256_000
"""The edges of cells come from so many rows of so many groups: about ten rows a cell."""
SPREAD = 1_000_000
"""Of a column that is sorted, about so many numbers from all over the source instead."""
FEW_TEXTS = 200
"""Up to so many texts in the sample fit one byte, with room for those not yet seen."""
WIDE, FEW_WHOLE = 65_534, 4_096
"""Whole numbers of a smaller range, and not more different ones in the sample, are exact codes."""
WIDTHS: dict[str | None, int] = {"wide": 2, "widest": 4}
"""How many bytes the codes of a column need that turned out to have many texts."""
MOST, WIDEST = np.iinfo(np.int64).max, np.iinfo(np.uint64).max
FEW_CLASSES, PAIR = 20, 2
"""So many whole numbers, however far apart, make a target classes, and a column names."""


def plan(groups: Groups, target: str | None, wishes: dict[str, str], n_threads: int) -> list[Coded]:
    """Decide from a sample how each column is kept."""
    names = groups.schema.names
    with ThreadPoolExecutor(n_threads) as pool:
        sample = _sample(groups, pool)
        goals = {n for n in names if n.lower() in TARGET_NAMES} | set(names[-1:])
        goals = goals if target is None else {target}
        return list(pool.map(partial(_planned, groups, sample, goals, wishes), range(len(names))))


def _planned(
    groups: Groups,
    sample: Any,  # noqa: ANN401 - an Arrow table
    goals: set[str],
    wishes: dict[str, str],
    place: int,
) -> Coded:
    """Decide how one column is kept; the target is one of the goals."""
    field, values = groups.schema.field(place), sample.column(place)
    name, kind = field.name, arrow_kind(field.type)
    if kind == "nested":
        _refuse_nested(groups, name)
    if wishes.get(name) == "ignored":
        return Coded(name, "id", kind=kind)
    if name not in goals and name not in wishes and _is_id(name, kind, values, groups):
        return Coded(name, "id", kind=kind, n_missing=_n_missing(groups, name))
    if kind in ("whole", "number"):
        return _numbers(groups, values, place, wishes.get(name), is_target=name in goals)
    n = len(arrow_texts(values).dictionary)
    width = 4 if n > WIDE else 2 if n > FEW_TEXTS else 1
    return Coded(name, "texts", max(width, WIDTHS.get(wishes.get(name), 1)), kind=kind)


def _numbers(
    groups: Groups,
    values: Any,  # noqa: ANN401 - of Arrow
    place: int,
    wish: str | None,
    *,
    is_target: bool,
) -> Coded:
    """Return the plan for numbers: few whole ones as codes, others in cells."""
    field = groups.schema.field(place)
    name, is_whole = field.name, arrow_kind(field.type) == "whole"
    chunks = [numbers_of(chunk) for chunk in values.chunks]
    some = np.concatenate([as_floats(chunk) for chunk in chunks])
    if wish != "binned" and (is_whole or (is_target and _is_classes(some))):
        column = _whole(name, some, _ends(chunks) if is_whole else None, groups, place)
        if column is not None:
            return column
    few: list[float] = []
    if is_whole or is_target:
        column, few = _few(name, some, FEW_CLASSES if is_target else PAIR, groups)
        if column is not None:
            return column
    if all(is_sorted(as_floats(chunk)) for chunk in chunks):
        some = _spread(groups, name)  # the first rows of groups say nothing of the others
    return Coded(name, "binned", cells=quantile_cells(some), few=few)


def _is_id(name: str, kind: str, sample: Any, groups: Groups) -> bool:  # noqa: ANN401 - of Arrow
    """Say whether a column only numbers or names the rows: all are asked if some look so."""
    if kind == "whole":
        return _numbers_rows(name, [numbers_of(chunk) for chunk in sample.chunks], groups)
    return kind == "text" and _names_rows(name, sample, groups)


def _names_rows(name: str, sample: Any, groups: Groups) -> bool:  # noqa: ANN401 - of Arrow
    """Say whether texts only name the rows, where they would be too many to be kept."""
    if groups.n_rows <= WIDE:
        return False
    words = arrow_texts(sample).dictionary.to_pylist()
    looks_so = len(words) == len(sample) - sample.null_count > 1
    if not looks_so or parse_numbers(words).is_number.any():
        return False
    return groups.are_distinct(name, are_texts=True)


def _refuse_nested(groups: Groups, name: str) -> None:
    """Refuse a column whose cells are lists and the like, by its first one."""
    for at, chunk in groups.column(name):
        found = first_nested_value(chunk)
        if found is not None:
            row, value = found
            told = {"row": at + row + 1, "column": name, "value": short_repr(value)}
            raise DataError("nested_cell", source=groups.name, **told)


def as_floats(array: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401 - of Arrow
    """Return numbers as doubles, NaN where there is none."""
    return np.asarray(array.to_numpy(zero_copy_only=False), np.float64)


def is_sorted(numbers: npt.NDArray[np.float64]) -> bool:
    """Say whether the first numbers of a group tell little about the others."""
    steps = np.diff(numbers)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _spread(groups: Groups, name: str) -> npt.NDArray[np.float64]:
    """Return numbers of a column from all over the source."""
    step = max(1, groups.n_rows // SPREAD)
    return np.concatenate([as_floats(numbers_of(c))[::step] for _, c in groups.column(name)])


def _numbers_rows(name: str, sample: Sequence[Any], groups: Groups) -> bool:
    """Say whether whole numbers only number the rows."""
    import pyarrow.compute as pc  # noqa: PLC0415

    some = [value for chunk in sample[:1] for value in chunk.slice(0, MIN_ROWS).to_pylist()]
    known = [value for value in some if value is not None]
    if len(set(known)) < len(known):
        return False
    if is_id_name(name):
        return groups.are_distinct(name)
    first = some[0] if some else None
    if first is None or groups.n_rows < MIN_ROWS or some != [*range(first, first + len(some))]:
        return False
    if first not in (0, 1) and groups.n_rows < MIN_ROWS_ANY_START:
        return False
    for at, chunk in groups.column(name):
        whole = numbers_of(chunk)
        if whole.null_count or pc.any(pc.not_equal(whole, _counting(first + at, whole))).as_py():
            return False
    return True


def _counting(first: int, like: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return numbers that count from the first, as many as there are in another array."""
    import pyarrow as pa  # noqa: PLC0415

    wide = pa.uint64() if pa.types.is_unsigned_integer(like.type) else pa.int64()
    kind = np.uint64 if wide == pa.uint64() else np.int64
    return pa.array(np.arange(len(like), dtype=kind) + kind(first), wide)


def _n_missing(groups: Groups, name: str) -> int:
    return sum(chunk.null_count for _, chunk in groups.column(name))


def _is_classes(numbers: npt.NDArray[np.float64]) -> bool:
    return len(np.unique(numbers[~np.isnan(numbers)])) <= FEW_CLASSES


def _ends(chunks: Sequence[Any]) -> tuple[int, int] | None:  # of Arrow
    """Return the least and the greatest of whole numbers, to the last digit."""
    import pyarrow.compute as pc  # noqa: PLC0415

    every = [pc.min_max(chunk).as_py() for chunk in chunks]
    known = [found for found in every if found["min"] is not None]
    if not known:
        return None
    return min(found["min"] for found in known), max(found["max"] for found in known)


def _whole(
    name: str,
    numbers: Any,  # noqa: ANN401
    ends: tuple[int, int] | None,
    groups: Groups,
    place: int,
) -> Coded | None:
    """Return the plan for whole numbers of a small range, None if they are not that."""
    known = np.unique(numbers[~np.isnan(numbers)])
    if not len(known) or len(known) > FEW_WHOLE or (known != np.floor(known)).any():
        return None
    low, high = _range(groups, place, ends or (int(known[0]), int(known[-1])))
    if high - low + 2 > WIDE or high > MOST:
        return None
    n = int(high - low) + 2
    column = Coded(name, "whole", 1 if n <= 256 else 2, int(low), n)
    column.extended(n)
    return column


def _few(
    name: str, sample: npt.NDArray[np.float64], most: int, groups: Groups
) -> tuple[Coded | None, list[float]]:
    """Return the plan for a few whole numbers that lie far apart, None if they are not that.

    Beside it the numbers, if they are few but not whole.
    """
    import pyarrow.compute as pc  # noqa: PLC0415

    if len(np.unique(sample[~np.isnan(sample)])) > most:
        return None, []
    found: set[Any] = set()
    for _, chunk in groups.column(name):
        found.update(pc.unique(numbers_of(chunk)).to_pylist())
        found = {value for value in found if value is not None and value == value}  # noqa: PLR0124
        if len(found) > most:
            return None, []
    if any(value % 1 or abs(value) > WIDEST for value in found):
        return None, sorted(map(float, found)) if np.isfinite(list(found)).all() else []
    listed = sorted(map(int, found))
    if not listed:
        return None, []
    column = Coded(name, "whole", 1, listed[0], len(listed) + 1, listed)
    column.extended(len(listed) + 1)
    return column, []


def _range(groups: Groups, place: int, ends: tuple[int, int]) -> tuple[Any, Any]:
    """Return the smallest and the largest number: those of the files, or else of the sample.

    Durations in files have the units of each file, which may differ.
    """
    low, high = ends
    if is_duration(groups.schema.field(place).type):
        return ends
    place = sum(_n_leaves(field.type) for field in list(groups.schema)[:place])
    parquet = arrow()
    for path in dict.fromkeys(g.path for g in groups.groups):
        with parquet.ParquetFile(path) as file:
            for index in range(file.metadata.num_row_groups):
                statistics = file.metadata.row_group(index).column(place).statistics
                if statistics is not None and statistics.has_min_max:
                    low, high = min(low, statistics.min), max(high, statistics.max)
    return low, high


def _n_leaves(kind: Any) -> int:  # noqa: ANN401 - a type of Arrow
    """Return how many columns a column of a table is in Parquet: a nested one is several."""
    if not kind.num_fields:
        return 1
    return sum(_n_leaves(kind.field(i).type) for i in range(kind.num_fields))


def _sample(groups: Groups, pool: ThreadPoolExecutor) -> Any:  # noqa: ANN401 - an Arrow table
    """Return rows from the beginning of row groups all over the source."""
    import pyarrow as pa  # noqa: PLC0415

    n = len(groups.groups)
    places = sorted(
        {round(i * (n - 1) / max(SAMPLED_GROUPS - 1, 1)) for i in range(SAMPLED_GROUPS)}
    )
    asked = [groups.groups[i] for i in (places if n > SAMPLED_GROUPS else range(n))]
    first = partial(_first_rows, groups.schema, SAMPLED_ROWS // len(asked))
    return pa.Table.from_batches(list(pool.map(first, asked)))


def _first_rows(schema: Any, n: int, group: Group) -> Any:  # noqa: ANN401 - of Arrow
    """Return rows from the beginning of a row group."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        with arrow().ParquetFile(group.path, **BEGINNING) as file:
            return next(file.iter_batches(n, row_groups=[group.index])).cast(schema)
    except (OSError, pa.ArrowInvalid):
        raise bad_parquet_error(group.path) from None


def to_plain(column: Coded) -> dict[str, Any]:
    """Return a plan as plain data, for a later run."""
    kept = ("name", "how", "width", "low", "n_codes", "listed", "kind", "few", "n_missing")
    told = {key: getattr(column, key) for key in kept}
    if column.cells is not None:
        told["cells"] = [
            a.tolist() for a in (column.cells.edges, column.cells.high, column.cells.low)
        ]
    return told


def from_plain(told: Sequence[dict[str, Any]]) -> list[Coded]:
    """Return the plan of an earlier run."""
    found = []
    for plain in told:
        cells = plain.pop("cells", None)
        column = Coded(**plain)
        if cells is not None:
            edges, high, low = cells
            column.cells = QuantileCells(
                np.array(edges, np.float64), np.array(high, np.uint8), np.array(low, np.uint8)
            )
        column.extended(column.n_codes)
        found.append(column)
    return found
