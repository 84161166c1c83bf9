"""Encode a source larger than memory, in one pass, to a store on disk.

Parquet is read row group by row group, several at a time. DuckDB first exports its tables and
queries to Parquet in the same folder. Text is encoded as it is read. The types of columns are
inferred from their distinct values, as in :mod:`penjing.data.read`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.coded_column import Coded
from penjing.data.encode.coded_text import Kept, coded_text, is_small, whole_table
from penjing.data.encode.coding import Again, coded_groups, forget
from penjing.data.encode.groups import Groups, arrow, groups_of, source_of
from penjing.data.read.build_table import build_table
from penjing.data.read.missing_markers import make_markers, serializable_markers
from penjing.data.read.numbers import check_decimal
from penjing.data.read.raw_columns import RawTable
from penjing.data.read.reading import Reading
from penjing.data.scratch import ScratchFolder
from penjing.data.store import BinnedNumbers, StoredColumn
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import DataError
from penjing.progress import ProgressCallback

TEXTS = ("csv", "json")
"""Forms that are coded as they are read."""


@dataclass(frozen=True, slots=True)
class Wants:
    """How a source is to be read, as in :func:`penjing.read`."""

    target: str | None = None
    schema: Mapping[str, Any] | None = None
    weight: str | None = None
    missing: Any = None
    keep: Sequence[str] = ()
    dates: Any = None
    encoding: str | None = None
    separator: str | None = None
    names: Sequence[str] | None = None
    weightless: bool = True
    """Whether rows of weight 0 are kept; dropped here, they cost no memory later."""
    decimal: str | None = None
    fold_case: bool = False

    def reading(self) -> Reading:
        """Return what is known beforehand about how the table is to be read."""
        return Reading(
            serializable_markers(self.missing),
            decimal=check_decimal(self.decimal),
            fold_case=self.fold_case,
        )


def coded(
    source: str,
    wants: Wants,
    *,
    query: str | None = None,
    work: str | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[Table, ScratchFolder]:
    """Code a source to a store; return the table that reads it from there, and its folder.

    Parameters
    ----------
    source : str
        A file, a folder, a pattern such as ``"data/*.parquet"``, or ``duckdb:FILE``.
    wants : Wants
        How it is to be read.
    query : str, optional
        What to ask of a DuckDB database: SQL, or the name of a table.
    work : str, optional
        In which folder the store is made; there an interrupted run goes on where it was.
    """
    wants.reading()  # raises an error if it is invalid
    said = {name for name, kind in (wants.schema or {}).items() if kind != "ignore"}
    kept = {*wants.keep, *said} | ({wants.weight} if wants.weight else set())
    wishes = dict.fromkeys(kept, "asked")
    wishes |= {name: "ignored" for name, kind in (wants.schema or {}).items() if kind == "ignore"}
    files, form = source_of(source, query)
    if form in TEXTS:
        return _coded_text(files, form, wants, work, progress)
    groups = groups_of(source, query, work, [wants.target, *sorted(kept), *sorted(wishes)])
    try:
        while True:
            found = coded_groups(groups, wants.target, threads, progress, wishes)
            try:
                return _table(found, groups, wants), groups.space
            except Again as again:  # a column that only counts, and nothing else to ask about
                wishes[again.name] = again.how
                forget(groups)
    except BaseException as error:
        groups.space.close_after_error(error, keep=work is not None)
        raise


def _coded_text(
    files: Sequence[str],
    form: str,
    wants: Wants,
    work: str | None,
    progress: ProgressCallback | None,
) -> tuple[Table, ScratchFolder]:
    """Code text; what is small is read whole."""
    arrow()
    space = ScratchFolder(work)
    try:
        found = None if is_small(files) else coded_text(files, form, wants, space, progress)
        if found is None:
            return whole_table(files[0], wants, space), space
        size = sum(path.stat().st_size for path in space.folder.iterdir())
        about = {**found.mini.source, "bytes_per_row": round(size / found.n_rows, 2)}
        mini = replace(found.mini, notes=tuple(found.notes), source=about)
        how = {"weightless": wants.weightless}
        return _stored_table(mini, found.kept, found.n_rows, found.weight, **how), space
    except BaseException as error:
        space.close_after_error(error, keep=False)
        raise


def _table(found: Sequence[Coded], groups: Groups, wants: Wants) -> Table:
    """Judge the columns from their distinct values, and put the table together."""
    kept = {c.name: c for c in found}
    weight = _weights(kept, wants, groups)
    about: dict[str, Any] = {"name": groups.name, "form": "parquet"}
    mini = build_table(
        RawTable([c.shown() for c in kept.values()], groups.n_rows, about),
        make_markers(wants.missing, usual=True), wants.target, wants.schema,
        weight=wants.weight, keep=tuple(wants.keep), dates=wants.dates, reading=wants.reading(),
        drop=False,
    )  # fmt: skip
    notes = [_of_all(note, kept) for note in mini.notes]
    mini = replace(
        mini, notes=tuple(notes), source={**mini.source, "bytes_per_row": groups.bytes_per_row()}
    )
    return _stored_table(mini, kept, groups.n_rows, weight, weightless=wants.weightless)


def _stored_table(
    mini: Table,
    kept: Mapping[str, Coded | Kept],
    n_rows: int,
    weight: Floats | None,
    *,
    weightless: bool,
) -> Table:
    """Return a table that was judged by its distinct values, with all rows that can teach."""
    assert mini.target is not None
    notes, name = [*mini.notes], str(mini.source["name"])
    target = mini.target, kept[mini.target.name]
    rows = _rows(*target, weight, name, notes, weightless=weightless)
    return Table(
        tuple(_stored(column, kept, rows) for column in mini.columns),
        _stored(mini.target, kept, rows),
        n_rows if rows is None else len(rows),
        weight if weight is None or rows is None else weight[rows],
        None if rows is None else rows + 1,
        mini.left_out,
        tuple(notes),
        mini.source,
    )


def _of_all(note: Note, kept: Mapping[str, Coded]) -> Note:
    """Return a note that speaks of all rows, not of those that were shown."""
    one = kept.get(str(note.values.get("column")))
    if one is None or one.how != "id":
        return note
    return Note(note.key, {**note.values, "n": one.n_rows - one.n_missing})


def _rows(
    target: Column,
    one: Coded | Kept,
    weight: Floats | None,
    source: str,
    notes: list[Note],
    *,
    weightless: bool,
) -> npt.NDArray[np.intp] | None:
    """Return the rows that can teach, None if all can; note how many cannot."""
    lost = _lost(target, one)
    stays = np.ones(one.n_rows, np.bool_) if lost is None else ~lost
    if lost is not None:
        if not stays.any():
            raise DataError("empty_target", source=source, column=target.name)
        said = {"source": source, "column": target.name, "n": int(lost.sum())}
        notes.append(Note("note_target_missing", said))
    if weight is not None and (zero := stays & (weight == 0)).any():
        notes.append(Note("note_zero_weight", {"source": source, "n": int(zero.sum())}))
        if not (stays & ~zero).any():
            raise DataError("no_weight", source=source)
        stays = stays if weightless else stays & ~zero
    return None if stays.all() else np.flatnonzero(stays)


def _lost(target: Column, one: Coded | Kept) -> npt.NDArray[np.bool_] | None:
    """Return which rows have no target, None if all have one."""
    part = one.part()
    if isinstance(part, BinnedNumbers):
        return np.isnan(part.raw) if one.n_missing else None
    is_lost = one.places(target) < 0
    return is_lost[part.codes] if one.count_of(is_lost) else None


def _weights(kept: Mapping[str, Coded], wants: Wants, groups: Groups) -> Floats | None:
    asked = (k for k, v in (wants.schema or {}).items() if v == "weight")
    name = wants.weight or next(asked, None)
    if name is None or name not in kept:  # the second is refused when columns are judged
        return None
    one = kept[name]
    part = one.part()
    if isinstance(part, BinnedNumbers):
        numbers = np.array(part.raw)
    else:
        numbers = np.array([np.nan, *map(_number, one.values)])[part.codes]
    odd = ~np.isfinite(numbers) | (numbers < 0)
    if odd.any():
        row = int(odd.argmax())
        said = {"source": groups.name, "row": row + 1, "column": name}
        value = "" if np.isnan(numbers[row]) else float(numbers[row])
        raise DataError("bad_weight", **said, value=value)
    return numbers


def _number(value: Any) -> float:  # noqa: ANN401 - a level
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _stored(
    column: Column, kept: Mapping[str, Coded | Kept], rows: npt.NDArray[np.intp] | None
) -> StoredColumn:
    """Return a judged column as it lies in the store; a date's parts share its codes."""
    one = kept.get(column.name) or kept[column.name.rsplit(".", 1)[0]]
    if one.how == "id":
        raise Again(one.name, "asked")
    part = one.part()
    if isinstance(part, BinnedNumbers):
        n_missing = one.n_missing
        if rows is not None and n_missing:
            n_missing = int(np.isnan(part.raw[rows]).sum())
        return StoredColumn(Field(column.name, "numeric"), part, None, n_missing, rows)
    place = one.places(column)
    lost = place < 0
    n_missing = one.count_of(lost)
    if rows is not None and n_missing:
        n_missing = int(lost[part.codes[rows]].sum())
    return StoredColumn(
        Field(column.name, column.kind, column.levels), part, place, n_missing, rows
    )
