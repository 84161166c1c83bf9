"""What a column is: a judgement from its distinct values, said aloud where it is a guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penjing.errors import DataError
from penjing.read.cells import Cells, Sheet
from penjing.read.code import merged, without
from penjing.read.dates import dates, part_of
from penjing.read.ids import DISTINCT, counts_up, is_id_name
from penjing.read.markers import Markers
from penjing.read.numbers import INTEGER, Numbers, numbers
from penjing.read.schema import Wish, foreign, matched
from penjing.table import MISSING, Column, Floats, Note, numeric

FEW_CLASSES = 20
"""A target with more distinct numbers than this is a number, not a class."""

ODD_ROWS = 20
ODD_SHARE = 0.95
"""From so many rows and so large a share of numbers on, a word among them is worth a note."""


@dataclass(slots=True)
class Judge:
    """Judges the columns of one sheet and collects what it noted and left out."""

    sheet: Sheet
    markers: Markers
    parts: tuple[str, ...] = ()
    notes: list[Note] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def note(self, key: str, **values: object) -> None:
        """Add a note about the sheet."""
        self.notes.append(Note(f"note_{key}", {"source": self.sheet.name, **values}))

    def leave_out(self, name: str, reason: str) -> list[Column]:
        """Leave a column out; the list of columns made of it is empty."""
        self.left_out.append((name, reason))
        return []

    def columns(self, cells: Cells, wish: Wish | None, *, keep: bool) -> list[Column]:
        """Return what a column becomes: itself, nothing, or the parts of a date."""
        if (wish and wish.kind == "ignore") or (cells.declared == "ignore" and not wish):
            return self.leave_out(cells.name, "ignored")
        if wish and wish.kind != "date":
            return [self.wished(cells, wish)]
        cells = self.known(cells)
        if not cells.n_known and not (keep or cells.fixed):
            self.note("left_out_empty", column=cells.name)
            return self.leave_out(cells.name, "empty")
        if wish or (cells.declared in (None, "date", "text") and not keep):
            made = self.dated(cells, must=bool(wish))
            if made is not None:
                return made
        found = self.read_numbers(cells)
        if not keep and not self.sheet.trusted and self.looks_like_id(cells, found):
            return self.leave_out(cells.name, "id")
        return [self.judged(cells, found)]

    def judged(self, cells: Cells, found: Numbers | None, *, is_target: bool = False) -> Column:
        """Return a column as what it looks like."""
        cells = self.settled(cells, found)
        if cells.declared in ("nominal", "ordered"):
            kind = cells.declared
            return Column(cells.name, kind, tuple(cells.levels), cells.codes)
        is_number = found is not None and found.all and cells.n_known > 0
        if is_number and found is not None:
            few = len(cells.levels) == 2 and self.are_integers(cells)
            if is_target:
                whole = bool((found.values == np.floor(found.values)).all())
                few = whole and len(np.unique(found.values)) <= FEW_CLASSES
            if cells.declared == "numeric" or not few:
                return self.number(cells, found)
        elif found is not None:
            self.mention_odd(cells, found)
        self.mention_levels(cells, is_target=is_target)
        return Column(cells.name, "nominal", tuple(cells.levels), cells.codes)

    def wished(self, cells: Cells, wish: Wish) -> Column:
        """Return a column as what the user says it is."""
        if wish.levels is not None:
            return self.declared(cells, wish)
        if wish.kind == "numeric":
            return self.number(*self.only_numbers(cells))
        cells = self.known(cells)
        if wish.kind == "ordered":
            found = self.read_numbers(cells)
            if found is not None and found.all:
                order = np.argsort(found.values, kind="stable")
                place = np.append(np.argsort(order), MISSING).astype(np.int32)
                levels = tuple(cells.levels[code] for code in order)
                return Column(cells.name, "ordered", levels, place[cells.codes])
            return Column(cells.name, "ordered", tuple(cells.levels), cells.codes)
        if wish.kind == "nominal":
            self.mention_levels(cells, is_target=False)
            return Column(cells.name, "nominal", tuple(cells.levels), cells.codes)
        return self.judged(cells, self.read_numbers(cells))

    def declared(self, cells: Cells, wish: Wish) -> Column:
        """Return a column with exactly the levels that the user lists."""
        levels = wish.levels or ()
        places = matched(cells, levels)
        for place in np.flatnonzero(places < 0):
            value = cells.levels[place]
            if not (isinstance(value, str) and self.markers.is_missing(value.strip())):
                raise foreign(self.sheet, cells, int(place), levels)
        codes = np.append(places, np.int32(MISSING))[cells.codes]
        kind = "ordered" if wish.kind == "ordered" else "nominal"
        return Column(cells.name, kind, tuple(levels), codes)

    def known(self, cells: Cells) -> Cells:
        """Trim written cells and turn the markers into missing values."""
        if not cells.is_written:
            return cells
        levels, codes = cells.levels, cells.codes
        trimmed = [level.strip() for level in levels]
        if trimmed != levels and not cells.fixed:
            if any(a != b for a, b in zip(trimmed, levels, strict=True) if a):
                self.note("trimmed", column=cells.name)
            levels, codes = merged(trimmed, codes)
        if not cells.fixed:
            for level in filter(self.markers.is_doubtful, levels):
                n = int((codes == levels.index(level)).sum())
                self.note("doubtful_missing", column=cells.name, value=level, n=n)
            levels, codes = without(levels, codes, [*map(self.markers.is_missing, levels)])
        return Cells(cells.name, levels, codes, True, cells.declared, cells.fixed)  # noqa: FBT003

    def settled(self, cells: Cells, found: Numbers | None) -> Cells:
        """Say which doubtful words stay values."""
        if cells.is_written and not cells.fixed and not (found is not None and found.all):
            for level in filter(self.markers.is_spared, cells.levels):
                self.note("spared_value", column=cells.name, value=level)
        return cells

    def read_numbers(self, cells: Cells) -> Numbers | None:
        """Return the numbers of a column's levels; None where it cannot be numeric."""
        if cells.declared in ("nominal", "ordered", "text"):
            return None
        if cells.is_written:
            spared = [self.markers.is_missing(x, among_numbers=True) for x in cells.levels]
            if any(spared):
                rest, codes = without(cells.levels, cells.codes, spared)
                found = numbers(rest)
                if found.all:
                    cells.levels, cells.codes = rest, codes
                    cells.__dict__.pop("counts", None)
                    return found
            return numbers(cells.levels)
        return typed_numbers(cells.levels)

    def are_integers(self, cells: Cells) -> bool:
        """Say whether every level is written as, or is, an integer."""
        return all(
            INTEGER.fullmatch(level) if isinstance(level, str) else isinstance(level, int)
            for level in cells.levels
        )

    def only_numbers(self, cells: Cells) -> tuple[Cells, Numbers]:
        """Return a column that must be numeric, or refuse its first odd cell."""
        cells = self.known(cells)
        found = self.read_numbers(
            Cells(cells.name, cells.levels, cells.codes, cells.is_written, None)
        )
        if cells.is_written:
            gone = [self.markers.is_missing(x, among_numbers=True) for x in cells.levels]
            if any(gone):
                levels, codes = without(cells.levels, cells.codes, gone)
                cells = Cells(cells.name, levels, codes, True)  # noqa: FBT003
                found = numbers(levels)
        if found is None or not found.is_number.all():
            odd = 0 if found is None else int(np.argmin(found.is_number))
            value = cells.levels[odd]
            raise DataError(
                "not_a_number",
                source=self.sheet.name,
                row=cells.first(odd),
                column=cells.name,
                value=value,
            )
        return cells, found

    def number(self, cells: Cells, found: Numbers) -> Column:
        """Return a numeric column; infinity is refused, a disguise noted."""
        values = found.values
        for place in np.flatnonzero(np.isinf(values)):
            raise DataError(
                "infinite_number",
                source=self.sheet.name,
                row=cells.first(int(place)),
                column=cells.name,
                value=cells.levels[place],
            )
        if found.disguise >= 0:
            self.note(
                "disguised",
                column=cells.name,
                value=cells.levels[found.disguise],
                number=shortest(values[found.disguise]),
            )
        return recoded(cells, values)

    def dated(self, cells: Cells, *, must: bool) -> list[Column] | None:
        """Return what is made of a column of dates, None if it is not one."""
        found = dates(cells.levels)
        if found is None:
            if must or cells.declared == "date":
                bad = next((x for x in cells.levels if dates([x]) is None), "")
                raise DataError(
                    "not_a_date",
                    source=self.sheet.name,
                    row=cells.first(cells.levels.index(bad)) if cells.levels else 1,
                    column=cells.name,
                    value=bad,
                )
            return None
        if not self.parts:
            self.note("left_out_date", column=cells.name, value=cells.levels[0])
            return self.leave_out(cells.name, "date")
        made = [(f"{cells.name}.{part}", part_of(found, part)) for part in self.parts]
        names = ", ".join(name for name, _ in made)
        self.note("dates_made", column=cells.name, made=names)
        self.leave_out(cells.name, "date")
        return [recoded(cells, values, name) for name, values in made]

    def looks_like_id(self, cells: Cells, found: Numbers | None) -> bool:
        """Say whether a column only numbers or names the rows, and note why it is left out."""
        if cells.fixed or not cells.is_distinct:
            return False
        n = len(cells.codes)
        are_numbers = found is not None and found.all
        if are_numbers and not self.are_integers(cells):
            return False
        if is_id_name(cells.name):
            why = "name"
        elif are_numbers and found is not None and counts_up(found.values, cells.codes):
            why = "count"
        elif not are_numbers and cells.n_known >= DISTINCT and self.is_text(cells):
            why = "text"
        else:
            return False
        self.note(f"left_out_id_{why}", column=cells.name, n=n)
        return True

    def is_text(self, cells: Cells) -> bool:
        """Say whether the levels are words rather than numbers with one slip among them."""
        return all(isinstance(level, str) for level in cells.levels)

    def mention_odd(self, cells: Cells, found: Numbers) -> None:
        """Note the first cell that kept a column from being numeric."""
        known = cells.n_known
        share = float(cells.counts[found.is_number].sum()) / known if known else 0.0
        if known >= ODD_ROWS and ODD_SHARE < share < 1:
            odd = int(np.argmin(found.is_number))
            self.note(
                "odd_number", column=cells.name, row=cells.first(odd), value=cells.levels[odd]
            )

    def mention_levels(self, cells: Cells, *, is_target: bool) -> None:
        """Warn of a column with many levels."""
        n = len(cells.levels)
        many = n > 50 or (n > 10 and 5 * n > self.sheet.n_rows)
        if many:
            key = "many_classes" if is_target else "many_levels"
            self.note(key, column=cells.name, n=n)


def typed_numbers(levels: list[Any]) -> Numbers | None:
    """Return the numbers of plain values; None where one of them is none, or a truth value."""
    if all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in levels):
        values = np.asarray([float(x) for x in levels], np.float64)
        return Numbers(values, np.ones(len(levels), np.bool_))
    return None


def recoded(cells: Cells, values: Floats, name: str | None = None) -> Column:
    """Return the numeric column whose rows have the numbers of their levels."""
    by_level = numeric(name or cells.name, values)
    place = np.append(by_level.codes, np.int32(MISSING))
    codes = place[cells.codes]
    used = np.bincount(codes[codes >= 0], minlength=len(by_level.levels)) > 0
    if not used.all():
        order = np.append(np.cumsum(used, dtype=np.int32) - 1, np.int32(MISSING))
        return Column(by_level.name, "numeric", np.asarray(by_level.levels)[used], order[codes])
    return Column(by_level.name, "numeric", by_level.levels, codes)


def shortest(value: float) -> str:
    """Return a number without a needless '.0'."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
