"""Encode text larger than memory (CSV, TSV, JSON lines) to a store as it is read.

The functions that split, decode and infer columns are those for text in memory; only the rows are
in files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from penjing.data.encode.coding import MOST_TEXTS
from penjing.data.encode.distinct_values import AT_A_TIME, Rows
from penjing.data.encode.text_batches import (
    Batch,
    Disagreed,
    NotInPieces,
    dialect_of,
    divided,
    objects,
)
from penjing.data.encode.text_column import Reader, TextColumn
from penjing.data.encode.text_stream import Text
from penjing.data.read.build_table import TARGET_NAMES, build_table
from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.csv import CsvDialect, build_raw_table
from penjing.data.read.dates import check_date_parts, date_part
from penjing.data.read.dates import date_parser as date_way
from penjing.data.read.dispatch import record_encoding
from penjing.data.read.missing_markers import Markers, make_markers
from penjing.data.read.numbers import DecimalMark, NumberStyle, as_float
from penjing.data.read.numbers import number_parser as number_way
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.read.reading import Reading, with_layout
from penjing.data.scratch import ScratchFolder, convert_disk_full
from penjing.data.store import BinnedNumbers, ExactCodes, quantile_cells, write_store
from penjing.data.table import MISSING, Codes, Column, Floats, Note, Table
from penjing.errors import DataError, NoRowsError
from penjing.progress import Progress, ProgressCallback

SMALL = 16_000_000
"""A file of fewer bytes is read whole, and then written to the store."""
PACKED = 20
"""A byte of gzip is at most about so many of text."""
MOST_CODES = 65_535
"""Numbers of more codes, that of missing included, are kept as numbers."""
SAMPLED = 1_000_000
"""The edges of cells come from about so many numbers."""
ALL_TEXTS = ("nominal", "ordered", "target")
"""What a column may be said to be so that all its texts are needed."""


class Wanted(Protocol):
    """How a source is to be read, as in :func:`penjing.read`."""

    @property
    def target(self) -> str | None: ...  # noqa: D102
    @property
    def schema(self) -> Mapping[str, Any] | None: ...  # noqa: D102
    @property
    def weight(self) -> str | None: ...  # noqa: D102
    @property
    def missing(self) -> Any: ...  # noqa: D102, ANN401
    @property
    def keep(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def dates(self) -> Any: ...  # noqa: D102, ANN401
    @property
    def encoding(self) -> str | None: ...  # noqa: D102
    @property
    def separator(self) -> str | None: ...  # noqa: D102
    @property
    def names(self) -> Sequence[str] | None: ...  # noqa: D102
    @property
    def decimal(self) -> str | None: ...  # noqa: D102
    @property
    def fold_case(self) -> bool: ...  # noqa: D102

    def reading(self) -> Reading: ...  # noqa: D102


@dataclass(slots=True)
class Kept:
    """A column in the store: where its rows are, and what its codes mean."""

    name: str
    where: ExactCodes | BinnedNumbers
    n_rows: int
    n_missing: int
    order: Any = None
    counts: Any = None
    how: str = "text"

    def part(self) -> ExactCodes | BinnedNumbers:
        """Return where the rows are, mapped."""
        return self.where

    def places(self, column: Column) -> Codes:
        """Return the level of each code, from a column that was judged by what is shown."""
        assert isinstance(self.where, ExactCodes)
        place = np.full(self.where.n_codes, MISSING, np.int32)
        place[self.order] = column.codes
        return place

    def count_of(self, codes: Any) -> int:  # noqa: ANN401 - a mask
        """Return how many rows have one of these codes."""
        return int(self.counts[codes].sum())


@dataclass(slots=True)
class CodedText:
    """A judged text: its columns with a row for each value, and where all rows are."""

    mini: Table
    kept: dict[str, Kept]
    weight: Floats | None
    n_rows: int
    notes: list[Note] = field(default_factory=list)


def is_small(files: Sequence[str]) -> bool:
    """Say whether a source is one file that may as well be read whole."""
    if len(files) > 1 or not SMALL:
        return False
    size = Path(files[0]).stat().st_size
    return size * (PACKED if files[0].lower().endswith(".gz") else 1) < SMALL


def whole_table(path: str, wants: Wanted, space: ScratchFolder) -> Table:
    """Read a text whole, and write its columns to the store."""
    from penjing.data.read import read  # noqa: PLC0415 - the package itself

    told: dict[str, Any] = {"missing": wants.missing, "weight": wants.weight, "keep": wants.keep}
    told |= {"dates": wants.dates, "encoding": wants.encoding, "names": wants.names}
    told |= {"decimal": wants.decimal, "fold_case": wants.fold_case}
    table = read(path, wants.target, wants.schema, separator=wants.separator, **told)
    return write_store(table, space)


def coded_text(
    files: Sequence[str],
    form: str,
    wants: Wanted,
    space: ScratchFolder,
    progress: ProgressCallback | None,
) -> CodedText | None:
    """Code delimited text or JSON to a store; None if it has to be read whole."""
    with convert_disk_full(space.folder):
        try:
            return _Coding(files, form, wants, space, progress).coded()
        except NotInPieces:
            if len(files) > 1:
                raise DataError("mixed_forms", source=Path(files[0]).parent.name) from None
            return None


class _Coding:
    def __init__(
        self,
        files: Sequence[str],
        form: str,
        wants: Wanted,
        space: ScratchFolder,
        progress: ProgressCallback | None,
    ) -> None:
        self._wants, self._space, self._progress = wants, space, progress
        self._is_json = form == "json"
        translate = not self._is_json
        self._texts = [Text(path, wants.encoding, translate=translate) for path in files]
        self._dialects: list[tuple[CsvDialect, int]] = []
        for text in () if self._is_json else self._texts:
            self._dialects.append(self._dialect(text))
        self._marks = make_markers(wants.missing, usual=True)
        self._columns: dict[str | int, TextColumn] = {}
        self._quickly = True
        self._n_rows = self._n_files = 0

    def _dialect(self, text: Text) -> tuple[CsvDialect, int]:
        hint = text.path.lower().removesuffix(".gz")
        separator = self._wants.separator or ("\t" if hint.endswith((".tsv", ".tab")) else None)
        found = dialect_of(text, separator, self._wants.names)
        if self._dialects and found[0].header != self._dialects[0][0].header:
            raise DataError("files_differ", one=self._texts[0].path, other=text.path)
        return found

    def _batches(self) -> Iterator[Batch]:
        if self._is_json:
            for text in self._texts:
                yield from objects(text)
            return
        for text, (dialect, start) in zip(self._texts, self._dialects, strict=True):
            yield from divided(text, dialect, start, quickly=self._quickly)

    # -- passes

    def coded(self) -> CodedText:
        """Code all columns; those that turn out to be other than thought are read again."""
        self._read({})
        while True:
            sheet = self._sheet()
            over = [key for key, one in self._columns.items() if one.how == "over"]
            if over:
                self._read({key: {"how": "looked"} for key in over})
                continue
            mini = self._judged(sheet)
            again = self._again(mini, sheet)
            if not again:
                return self._finished(mini, sheet)
            self._read(again)

    def _read(self, again: Mapping[str | int, dict[str, Any]]) -> None:
        """Read all rows: of all columns, or of these."""
        for key in again:
            self._columns[key].close()
        fresh: dict[str | int, TextColumn] = {}
        try:
            self._pass(fresh, again)
        except Disagreed:
            self._quickly = False
            for one in fresh.values():
                one.close()
            fresh.clear()
            self._pass(fresh, again)
        self._columns |= fresh

    def _pass(
        self, fresh: dict[str | int, TextColumn], again: Mapping[str | int, dict[str, Any]]
    ) -> None:
        n_rows = 0
        fresh |= {key: self._column(key, **how) for key, how in again.items()}
        for batch in self._batches():
            n = len(next(iter(batch.values()), ()))
            for key, piece in batch.items():
                if not again and key not in fresh:
                    fresh[key] = self._column(key)
                    fresh[key].skip(n_rows)
                if key in fresh:
                    fresh[key].add(piece)
            n_rows += n
            for one in fresh.values():
                self._refuse_many(one)
                one.skip(n_rows - one.n_rows)  # a key that these rows do not have
            if self._progress is not None:
                self._progress(Progress(n_rows, 0, n_rows, 1, is_reading=True))
        self._n_rows = n_rows

    def _refuse_many(self, one: TextColumn) -> None:
        if len(one.held) > MOST_TEXTS:
            said = {"source": self._texts[0].name, "column": one.name, "n": MOST_TEXTS}
            raise DataError("too_many_texts", **said)

    def _column(
        self,
        key: str | int,
        how: str = "any",
        *,
        is_all: bool = False,
        **options: Any,  # noqa: ANN401 - as there
    ) -> TextColumn:
        header = self._dialects[0][0].header if self._dialects else []
        name = header[key] if isinstance(key, int) else key
        wish = (self._wants.schema or {}).get(name)
        is_last = bool(header) and key == len(header) - 1
        may_be_target = self._wants.target is None and (is_last or name.lower() in TARGET_NAMES)
        is_all = is_all or name == self._wants.target or may_be_target
        if wish == "ignore" and name not in ("", self._wants.target, self._wants.weight):
            how = "ignored"
        elif wish in ALL_TEXTS or not (wish is None or isinstance(wish, str)):
            is_all, how = True, "texts" if how == "any" and wish != "target" else how
        options |= {"has_comma": self._wants.decimal == ","}
        return TextColumn(name, self._stem(), self._marks, how, is_all=is_all, **options)

    def _stem(self) -> Path:
        """Return how the next files are called."""
        self._n_files += 1
        return self._space.folder / f"t{self._n_files}"

    # -- judging

    def _sheet(self) -> RawTable:
        first = self._texts[0]
        for one in self._columns.values():
            if one.nested is not None:
                row, value = one.nested
                said = {"row": row, "column": one.name, "value": value}
                raise DataError("nested_cell", source=first.name, **said)
        if not self._columns:
            if self._is_json:
                raise NotInPieces
            raise NoRowsError("no_rows", source=first.name, names=self._dialects[0][0].header)
        shown = [one.shown() for one in self._columns.values()]
        if self._is_json:
            sheet = RawTable(shown, self._n_rows, {"name": first.name, "form": "json"})
        else:
            sheet = build_raw_table(shown, self._n_rows, self._dialects[0][0], first.name)
        if self._wants.encoding is not None and first.is_beyond_ascii_utf8():
            sheet.source["is_beyond_ascii_utf8"] = True
        encoding = first.encoding
        return record_encoding(sheet, first.sha256, encoding.name, encoding.reason)

    def _judged(self, sheet: RawTable) -> Table:
        wants = self._wants
        reading = with_layout(
            wants.reading(), sheet, encoding=wants.encoding, separator=wants.separator
        )
        return build_table(
            sheet, self._marks, wants.target, wants.schema,
            weight=wants.weight, keep=tuple(wants.keep), dates=wants.dates,
            reading=reading, drop=False,
        )  # fmt: skip

    def _by_name(self, sheet: RawTable) -> dict[str, tuple[str | int, RawColumn]]:
        """Return the key and the cells of each column, by name."""
        return {
            cells.name: (key, cells)
            for key, cells in zip(self._columns, sheet.columns, strict=False)
        }

    def _origin(self, column: Column, sheet: RawTable) -> tuple[str | int, RawColumn]:
        """Return where a judged column comes from; that of a date's part is the date."""
        named = self._by_name(sheet)
        return named.get(column.name) or named[column.name.rsplit(".", 1)[0]]

    def _weight_name(self) -> str | None:
        said = (self._wants.schema or {}).items()
        return self._wants.weight or next((name for name, kind in said if kind == "weight"), None)

    def _again(self, mini: Table, sheet: RawTable) -> dict[str | int, dict[str, Any]]:
        """Return the columns that have to be read again, and how."""
        assert mini.target is not None
        again: dict[str | int, dict[str, Any]] = {}
        asked: list[tuple[str, str | int, RawColumn, Column | None]] = [
            (c.name, *self._origin(c, sheet), c) for c in _every(mini)
        ]
        weight = self._weight_name()
        if weight is not None:
            asked.append((weight, *self._by_name(sheet)[weight], None))
        for name, key, cells, column in asked:
            one = self._columns[key]
            if column is not None and not column.is_numeric:
                if one.how in ("numbers", "looked"):
                    again[key] = {"how": "texts", "is_all": True}
            elif (
                one.how == "looked"
                or (one.how == "numbers" and name != cells.name)
                or (one.how == "numbers" and one.has_point and _has_comma(mini, name))
            ):
                reading = Reading.from_json(mini.source.get("reading"))
                decimal = self._wants.reading().decimal or reading.column(name).number.decimal
                is_date = name != cells.name
                again[key] = self._as_values(key, cells, decimal, is_date=is_date)
        return again

    def _as_values(
        self, key: str | int, cells: RawColumn, decimal: DecimalMark | None, *, is_date: bool
    ) -> dict[str, Any]:
        """Return how a column of numbers or dates is read that has too many texts to hold."""
        reading = ReadContext(RawTable([cells], self._n_rows, {"name": ""}), self._marks)
        known = clean_column(reading, cells, quiet=True).plain_levels()
        how: dict[str, Any] = {"how": "values", "known": self._columns[key].shown()}
        if is_date:
            parts = check_date_parts(self._wants.dates)
            return {**how, "reader": _dates(known, parts), "n_parts": len(parts)}
        return {**how, "reader": _numbers(known, self._marks, NumberStyle(decimal))}

    # -- the store

    def _finished(self, mini: Table, sheet: RawTable) -> CodedText:
        assert mini.target is not None
        kept: dict[str, Kept] = {}
        for column in _every(mini):
            key, cells = self._origin(column, sheet)
            kept[column.name] = self._kept(column.name, self._columns[key], column, cells.name)
        notes = [self._counted(note, kept) for note in mini.notes]
        return CodedText(mini, kept, self._weight(mini, sheet), self._n_rows, notes)

    def _counted(self, note: Note, kept: Mapping[str, Kept]) -> Note:
        """Return a note that counts the numbers of all rows."""
        one = kept.get(str(note.values.get("column")))
        if note.key != "note_target_is_number" or one is None or isinstance(one.where, ExactCodes):
            return note
        raw = np.array(one.where.raw)
        return Note(note.key, {**note.values, "n": len(np.unique(raw[~np.isnan(raw)]))})

    def _kept(self, name: str, one: TextColumn, column: Column, origin: str) -> Kept:
        if one.how in ("any", "texts"):
            n_codes = len(one.held) + 1
            if n_codes <= MOST_CODES or not column.is_numeric:
                counts = one.held.counts[:n_codes]
                where = ExactCodes(one.rows[0].mapped(), n_codes)
                return Kept(name, where, self._n_rows, int(counts[0]), one.order, counts)
            lut = _by_place(one, column)
            copy = Rows(self._stem().with_suffix(".raw"), np.float64)
            codes = one.rows[0].mapped()
            for at in range(0, len(codes), AT_A_TIME):
                copy.add(lut[codes[at : at + AT_A_TIME]])
            return self._binned(name, copy)
        if one.how == "numbers":
            one.unboxed(_by_place(one, column))
            return self._binned(name, one.rows[0])
        parts = check_date_parts(self._wants.dates)
        part = parts.index(name.rsplit(".", 1)[1]) if name != origin else 0
        return self._binned(name, one.rows[part])

    def _binned(self, name: str, rows: Rows) -> Kept:
        """Return numbers as they lie in a store: themselves, and the bucket of each."""
        raw = rows.mapped()
        cells = quantile_cells(np.array(raw[:: max(1, len(raw) // SAMPLED)]))
        coder, n_missing = cells.coder(), 0
        high = self._space.array(f"{rows.path.name}.high", np.uint8, len(raw), "w+")
        for at in range(0, len(raw), AT_A_TIME):
            part = raw[at : at + AT_A_TIME]
            part += 0.0  # no number is -0.0
            n_missing += coder.buckets(part, high[at : at + AT_A_TIME])[0]
        return Kept(name, BinnedNumbers(high, raw, cells), self._n_rows, n_missing)

    def _weight(self, mini: Table, sheet: RawTable) -> Floats | None:
        name = self._weight_name()
        if name is None:
            return None
        assert mini.weight is not None
        key, _ = self._by_name(sheet)[name]
        one = self._columns[key]
        lut = np.full(len(one.held) + 1, np.nan)
        if one.how != "values":
            lut[one.order] = mini.weight
        if one.how == "numbers":
            one.unboxed(lut)
        found: Floats = np.array(one.rows[0].mapped())
        found = lut[found] if one.how in ("any", "texts") else found
        bad = ~np.isfinite(found) | (found < 0)
        if bad.any():
            row = int(bad.argmax())
            value = "" if np.isnan(found[row]) else found[row].item()
            said = {"source": sheet.name, "row": row + 1, "column": name, "value": value}
            raise DataError("bad_weight", **said)
        return found


def _every(table: Table) -> tuple[Column, ...]:
    """Return all columns of a table, the target last."""
    assert table.target is not None
    return (*table.columns, table.target)


def _has_comma(table: Table, name: str) -> bool:
    """Return whether the numbers of a column have a decimal comma, so that points mean nothing."""
    reading = Reading.from_json(table.source.get("reading"))
    return reading.column(name).number.decimal == ","


def _by_place(one: TextColumn, column: Column) -> Floats:
    """Return the number of each value that is held, from a column judged by what is shown."""
    numbers = np.full(len(one.held) + 1, np.nan)
    levels = np.append(np.asarray(column.levels, np.float64), np.nan)
    numbers[one.order] = levels[column.codes]
    return numbers


def _numbers(known: Sequence[Any], marks: Markers, style: NumberStyle) -> Reader:
    """Return how the cells of a column of numbers are read, of which these are some."""
    words = marks.missing_among_numbers([x for x in known if isinstance(x, str)])
    way = number_way([x for x in known if isinstance(x, str) and x not in words], style)

    def read(cell: Any) -> tuple[float]:  # noqa: ANN401 - a cell
        if not isinstance(cell, str):
            return (np.nan if cell in marks.numbers else as_float(cell),)
        text = cell.strip()
        is_gap = bool(marks.missing_levels([text]) or marks.missing_among_numbers([text]))
        number = np.nan if is_gap else way(text)
        return (np.nan if number in marks.numbers else number,)

    return read


def _dates(known: Sequence[Any], parts: Sequence[str]) -> Reader:
    """Return how the cells of a column of dates are read, of which these are some."""
    way = date_way(known)
    assert way is not None

    def read(cell: Any) -> tuple[float, ...]:  # noqa: ANN401 - a cell
        date = way(cell.strip())
        return tuple(np.nan if date is None else date_part([date], part)[0] for part in parts)

    return read
