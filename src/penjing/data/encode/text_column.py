"""A text column while it is encoded: stored as codes, stored as numbers, or only sampled.

A column of few distinct texts is stored as codes. A column of very many texts that are nearly all
plain numbers is stored as numbers; its other cells are kept in memory as texts, and a NaN payload
in the file refers to them. A column with too many texts keeps only some in memory: the first ones,
and the first of each kind that type inference distinguishes. So inference gives the same result
as with all texts.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.coded_column import NEVER, Shown
from penjing.data.encode.distinct_values import (
    AT_A_TIME,
    Facts,
    Held,
    Rows,
    Sampled,
    counts_on,
    facts_of,
    is_whole,
    key_of,
    never_twice,
    plain_number,
    seen,
)
from penjing.data.encode.text_batches import Piece
from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.ids import is_id_name
from penjing.data.read.missing_markers import Markers
from penjing.data.read.python_rows import short_repr
from penjing.data.read.raw_columns import MAX_EXACT_INTEGER, RawColumn
from penjing.data.table import MISSING, Floats

MOST_TEXTS = 1 << 18
"""More distinct texts of a column are not held."""
EARLY = 20_000
"""From so many on it is asked whether they are numbers."""
NEARLY = 0.95
"""The share of plain numbers that makes it so."""
SOME = 2_048
"""So many distinct texts are held of a column that is not kept by its texts."""
NAN = 0x7FF8_0000_0000_0000
"""The bits of a NaN; those of a cell that is held come with its number, from 1."""
WIDTHS = (np.uint8, np.uint16, np.uint32)

SURE = r"^[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?$"
"""Plain numbers that Arrow reads as Python does, and that are finite."""
SURE_WHOLE = r"^[+-]?[0-9]{1,40}$"
"""Integers of that kind."""
WHOLE, USUAL = r"^[+-]?[0-9]+$", r"^(?:0|-?[1-9][0-9]*)$"
"""Whole numbers, and those that are written without a needless sign or zero."""

Reader = Callable[[Any], Sequence[float]]
Mask = npt.NDArray[np.bool_]


class TextColumn:
    """A column while its cells arrive.

    Parameters
    ----------
    name : str
        What it is called where it comes from.
    stem : Path
        How its files are called.
    marks : Markers
        The words for missing.
    how : str
        ``any`` until it turns out, ``texts`` if it must be kept by its texts, ``looked`` if it is
        only looked at, ``ignored`` if not even that, ``values`` if ``reader`` turns each value into
        numbers, one for each part; what it looks like is ``known`` then. What it then is:
        ``texts``, ``numbers``, ``looked``, ``values``; or ``over`` if it has to be looked at anew.
    is_all : bool
        Whether all its texts are held, however many.
    has_comma : bool
        Whether the decimal mark is a comma, so that a point separates thousands; then only
        integers are plain numbers.
    """

    def __init__(
        self,
        name: str,
        stem: Path,
        marks: Markers,
        how: str = "any",
        *,
        is_all: bool = False,
        reader: Reader | None = None,
        n_parts: int = 1,
        known: RawColumn | None = None,
        has_comma: bool = False,
    ) -> None:
        self._has_comma = has_comma
        self.name, self._stem, self._marks = name, stem, marks
        self.how, self._is_all, self._reader, self._known = how, is_all, reader, known
        self.n_rows = 0
        self.held = Held()
        self.nested: tuple[int, str] | None = None
        self.rows: list[Rows] = []
        if how in ("any", "texts"):
            self.rows = [self._file("codes1", np.uint8)]
        elif how == "values":
            self.rows = [self._file(f"part{i}", np.float64) for i in range(n_parts)]
        self._asked = EARLY
        self._odd: dict[int, int] = {}
        self._witness: dict[Facts, int] = {}
        self._hashes = self._file("keys", np.int64) if how == "looked" else None
        self._plain = 0
        self._are_texts = True
        self._has_point = self._has_fraction = self._has_unusual = False

    def _file(self, ending: str, dtype: Any) -> Rows:  # noqa: ANN401 - of NumPy
        return Rows(self._stem.with_name(f"{self._stem.name}.{ending}"), dtype)

    def close(self) -> None:
        """Remove what was written."""
        for rows in (*self.rows, *([self._hashes] if self._hashes else [])):
            rows.gone()

    def skip(self, n: int) -> None:
        """Take rows that have no value."""
        for start in range(0, n, AT_A_TIME):
            self.add(Piece(values=[None] * min(AT_A_TIME, n - start)))

    def add(self, piece: Piece) -> None:
        """Take the next rows."""
        piece = self._cleared(piece)
        if self.how in ("any", "texts"):
            self._add_texts(piece)
        elif self.how == "numbers":
            self._add_numbers(piece)
        elif self.how == "looked":
            self._add_looked(piece)
        elif self.how == "values":
            self._add_values(piece)
        self.n_rows += len(piece)

    def _cleared(self, piece: Piece) -> Piece:
        """Return rows without NaN, and without lists and the like, of which the first is told."""
        if piece.array is not None or _are_cells(piece.values):
            return piece
        found = [None if x != x or isinstance(x, (list, dict)) else x for x in piece.values]  # noqa: PLR0124
        if self.nested is None:
            for row, value in enumerate(piece.values, start=self.n_rows + 1):
                if isinstance(value, (list, dict)):
                    self.nested = row, short_repr(value)
                    break
        return Piece(values=found)

    # -- by texts

    def _add_texts(self, piece: Piece) -> None:
        levels, codes = piece.coded()
        places = self.held.places(levels)
        times, first = seen(codes, len(levels))
        self.held.count(places, times, np.where(times > 0, first + self.n_rows, NEVER))
        n = len(self.held)
        width = np.dtype(next(w for w in WIDTHS if n <= np.iinfo(w).max))
        if width.itemsize > self.rows[0].dtype.itemsize:
            new = self._file(f"codes{width.itemsize}", width)
            self.rows = [self.rows[0].turned(new)]
        self.rows[0].add(places[codes])
        if self.how == "any" and n > self._asked:
            self._asked = 2 * n
            values = self.held.values()
            numbers = [x for x in values if plain_number(x) is not None]
            self._are_texts = bool(numbers) and isinstance(numbers[0], str)
            if sum(self._number(value) is not None for value in values) >= NEARLY * n:
                self._to_numbers()
                return
        if n > MOST_TEXTS and not self._is_all:
            self._to_looked()

    # -- as numbers

    def _to_numbers(self) -> None:
        """Keep the rows so far as numbers; forget most texts, for which one of them counts."""
        values = self.held.values()
        numbers = [*map(self._number, values)]
        odd = np.array([number is None for number in numbers], np.bool_)
        point = ~odd & ~np.array([*map(is_whole, values)], np.bool_)
        parted = np.array([number is not None and number % 1 != 0 for number in numbers], np.bool_)
        self._has_point, self._has_fraction = bool(point.any()), bool(parted.any())
        self._has_unusual = not all(
            is_odd or _is_usual(x) for x, is_odd in zip(values, odd.tolist(), strict=True)
        )
        stays = odd.copy()
        stays[:SOME] = True
        stays[[int((~odd).argmax()), int(point.argmax()), int(parted.argmax())]] = True
        new = self._kept_only(values, stays, np.full(len(values), (~odd).argmax()))
        self._plain = int(new[(~odd).argmax() + 1])
        lut = np.array([np.nan, *(np.nan if x is None else x for x in numbers)])
        for place in np.flatnonzero(odd) + 1:
            lut[place] = self._boxed(int(new[place]))
        self.rows = [self.rows[0].turned(self._file("part0", np.float64), lut)]
        self.how = "numbers"

    def _number(self, value: Any) -> float | None:  # noqa: ANN401 - a cell
        """Return the number of a plain cell; not of a marker, nor of a text among numbers."""
        number = plain_number(value)
        if self._has_comma and isinstance(value, str) and not is_whole(value):
            return None
        is_other = number in self._marks.numbers or isinstance(value, str) is not self._are_texts
        return None if is_other else number

    def _kept_only(
        self, values: Sequence[Any], stays: Mask, instead: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.intp]:
        """Forget values for which another one counts instead; return the places by old ones."""
        old, self.held = self.held, Held()
        self.held.places(
            [value for value, stay in zip(values, stays.tolist(), strict=True) if stay]
        )
        new = np.append(0, np.cumsum(stays))
        new[1:] = np.where(stays, new[1:], new[instead + 1])
        n = len(values) + 1
        self.held.count(new, old.counts[:n], old.first[:n])
        return new

    def _boxed(self, place: int) -> float:
        """Return the NaN that stands for a value that is held."""
        number = self._odd.setdefault(place, len(self._odd) + 1)
        return float(np.array([NAN | number], np.uint64).view(np.float64)[0])

    def _add_numbers(self, piece: Piece) -> None:
        values, plain = self._plain_values(piece)
        n_plain = len(values)
        if plain is not None:
            n_plain = int(plain.sum())
            self._add_odd(piece, values, np.flatnonzero(~plain))
        if n_plain:
            self.held.count(self._plain, n_plain, NEVER)
            self._notice(piece, values, plain)
        self.rows[0].add(values)
        if len(self._odd) > MOST_TEXTS:
            self.how = "over"

    def _plain_values(self, piece: Piece) -> tuple[Floats, Mask | None]:
        """Return the numbers of a column, NaN where a cell is no plain one, and which are plain.

        The second is None where all are.
        """
        if piece.array is not None:
            values, plain = _arrow_values(piece, only_whole=self._has_comma)
        elif not self._are_texts and {*map(type, piece.values)} == {float}:
            values = np.array(piece.values, np.float64)
            plain = None if np.isfinite(values).all() else np.isfinite(values)
        else:
            levels, codes = piece.coded()
            found = [self._number(level) for level in levels]
            values = np.array([*(np.nan if x is None else x for x in found), np.nan])[codes]
            plain = None if not np.isnan(values).any() else ~np.isnan(values)
        said = self._marks.are_markers(values) if self._marks.numbers else None
        if said is None or not said.any():
            return values, plain
        return np.array(values), ~said if plain is None else plain & ~said

    def _add_odd(self, piece: Piece, values: Floats, rows: npt.NDArray[np.intp]) -> None:
        """Hold the cells that are not plain numbers, and put a NaN for each."""
        levels, codes = piece.taken(rows).coded()
        places = self.held.places(levels)
        times, first = seen(codes, len(levels))
        at = np.append(rows, 0)[np.minimum(first, len(rows))] + self.n_rows
        self.held.count(places, times, np.where(times > 0, at, NEVER))
        boxed = np.array([*map(self._boxed, places[:-1].tolist()), np.nan])
        values[rows] = boxed[codes]

    def _notice(self, piece: Piece, values: Floats, plain: Mask | None) -> None:
        """Notice what plain numbers say about the column: whether some have a point, or parts."""
        if not self._has_fraction:
            with np.errstate(invalid="ignore"):
                parted = (values != np.floor(values)) & ~np.isnan(values)
            if parted.any():
                self._has_fraction = self._has_point = True
                self._witnessed(piece, int(parted.argmax()))
        if not self._has_point:
            whole = _are_whole(piece, plain)
            if whole is not None:
                self._has_point = True
                self._witnessed(piece, int((~whole).argmax()))
        if not (self._has_point or self._has_unusual) and is_id_name(self.name):
            self._has_unusual = not _are_usual(piece, plain)

    def _witnessed(self, piece: Piece, row: int) -> None:
        """Hold a cell that shows something about the column."""
        self.held.count(self.held.place(piece.value(row)), 0, row + self.n_rows)

    # -- only looked at

    def _to_looked(self) -> None:
        """Forget most texts: if the rows are needed, the column is read again."""
        self._hashes = self._file("keys", np.int64)
        values = self.held.values()
        self._once(values, self.held.counts[1 : len(values) + 1])
        instead = np.array([self._witnesses(value, at) for at, value in enumerate(values)], np.intp)
        stays = instead == np.arange(len(values))
        stays[:SOME] = True
        new = self._kept_only(values, stays, instead)
        self._witness = {facts: int(new[at + 1]) for facts, at in self._witness.items()}
        for rows in self.rows:
            rows.gone()
        self.rows, self.how = [], "looked"

    def _witnesses(self, value: Any, place: int) -> int:  # noqa: ANN401 - a cell
        """Return the place of the first value of the same kind: this one, if there is none yet."""
        bare = value.strip() if isinstance(value, str) else value
        is_word = bool(self._missing([bare]) or self._marks.missing_among_numbers([bare]))
        facts = ("word", bare, bare == value) if is_word else facts_of(value)
        return self._witness.setdefault(facts, place)

    def _add_looked(self, piece: Piece) -> None:
        levels, codes = piece.coded()
        times, first = seen(codes, len(levels))
        self._once(levels, times[:-1])
        places = np.append(np.array([*map(self._placed, levels)], np.intp), 0)
        self.held.count(places, times, np.where(times > 0, first + self.n_rows, NEVER))

    def _placed(self, value: Any) -> int:  # noqa: ANN401 - a cell
        """Return where a value is counted: where it is held, or one of its kind is."""
        place = self.held.known.get(key_of(value))
        if place is not None:
            return place
        place = self._witnesses(value, len(self.held) + 1)
        return self.held.place(value) if place > len(self.held) or len(self.held) < SOME else place

    def _once(self, values: Sequence[Any], times: npt.NDArray[Any]) -> None:
        """Remember the values so far, as long as none that is known occurs twice."""
        if self._hashes is None:
            return
        bare = [x.strip() if isinstance(x, str) else x for x in values]
        gone = self._missing(bare)
        stays = np.array([x not in gone for x in bare], np.bool_)
        if (times[stays] > 1).any():
            self._hashes.gone()
            self._hashes = None
        else:
            known = [key_of(x) for x in bare if x not in gone]
            self._hashes.add(np.fromiter(map(hash, known), np.int64, len(known)))

    def _missing(self, bare: Sequence[Any]) -> frozenset[Any]:
        return self._marks.missing_levels(bare) | self._marks.numbers.intersection(bare)

    # -- as what a reader makes of each value

    def _add_values(self, piece: Piece) -> None:
        assert self._reader is not None
        levels, codes = piece.coded()
        gap = [np.nan] * len(self.rows)
        table = np.array([*map(self._reader, levels), gap], np.float64)
        for part, rows in enumerate(self.rows):
            rows.add(table[:, part][codes])

    # -- for the judges

    @property
    def has_point(self) -> bool:
        """Whether some of the plain numbers have a point."""
        return self._has_point

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """The places of the values that are shown, in this order; 0 is missing."""
        first = self.held.first[: len(self.held) + 1]
        return np.argsort(first, kind="stable")[: int((first < NEVER).sum())]

    def shown(self) -> RawColumn:
        """Return the column for the judges: a row for each value that is held."""
        if self._known is not None:
            return self._known
        held, order = self.held, self.order
        is_known = order > 0
        values = [None, *held.values()]
        levels: Any = [values[at] for at in order[is_known].tolist()]
        codes = np.full(len(order), MISSING, np.int32)
        codes[is_known] = np.arange(len(levels))
        if levels and {*map(type, levels)} == {float}:
            levels, codes[is_known] = encode_numbers(np.array(levels))
        times, rows = held.counts[order], held.first[order]
        if self.how in ("any", "texts"):
            return Shown(self.name, levels, codes, None, False, times, rows)
        is_once, is_count = self._of_all()
        return Sampled(self.name, levels, codes, None, False, times, rows, is_once, is_count)

    def _of_all(self) -> tuple[bool, bool]:
        """Return whether no value occurs twice, and whether the rows count up."""
        if self.how == "looked":
            return self._hashes is not None and never_twice(self._hashes.mapped()), False
        if self.how != "numbers" or self._has_point:
            return False, False
        is_count = not self._odd and not self.held.counts[0] and counts_on(self.rows[0].mapped())
        return is_count or (is_id_name(self.name) and self._is_id()), is_count

    def _is_id(self) -> bool:
        """Say whether no value of whole numbers occurs twice."""
        values = self.held.values()
        often = [values[place - 1] for place in self._odd if self.held.counts[place] > 1]
        bare = [x.strip() if isinstance(x, str) else x for x in often]
        if {*bare} - self._missing(bare):
            return False
        raw, known = self.rows[0].mapped(), self._file("sorted", np.float64)
        for at in range(0, len(raw), AT_A_TIME):
            part = raw[at : at + AT_A_TIME]
            known.add(part[~np.isnan(part)])
        numbers = known.mapped()
        is_once = never_twice(numbers)
        most = max(abs(numbers[0]), abs(numbers[-1])) if len(numbers) else 0.0
        if not is_once and (self._has_unusual or most > MAX_EXACT_INTEGER):
            self.how = "over"  # texts may differ where their numbers do not
        known.gone()
        return is_once

    def unboxed(self, values: Floats) -> None:
        """Put the numbers of values that are held, by place, where their NaN stands for them."""
        table = np.full(len(self._odd) + 1, np.nan)
        for place, number in self._odd.items():
            table[number] = values[place]
        raw = self.rows[0].mapped()
        for at in range(0, len(raw) if self._odd else 0, AT_A_TIME):
            part = raw[at : at + AT_A_TIME]
            odd = np.isnan(part)
            part[odd] = table[(part[odd].view(np.uint64) & np.uint64(0xFFFF_FFFF)).astype(np.intp)]


def _are_cells(values: Sequence[Any]) -> bool:
    """Say whether no value is NaN, a list or an object."""
    types = {*map(type, values)}
    if not types <= {str, int, float, bool, type(None)}:
        return False
    return float not in types or not any(map(operator.ne, values, values))


def _arrow_values(piece: Piece, *, only_whole: bool) -> tuple[Floats, Mask | None]:
    """Return the numbers of texts, NaN where one is no plain number, and which are (None: all)."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    try:
        values = piece.array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        pass
    else:
        if np.isfinite(values).all() and not only_whole:
            return values, None
    is_sure = pc.match_substring_regex(piece.array, SURE_WHOLE if only_whole else SURE)
    sure = pc.if_else(is_sure, piece.array, None).cast(pa.float64())
    return np.array(sure.to_numpy(zero_copy_only=False)), is_sure.to_numpy(zero_copy_only=False)


def _are_whole(piece: Piece, plain: Mask | None) -> Mask | None:
    """Return which cells are whole numbers or no plain ones; None if all are."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if piece.array is None:
        if {*map(type, piece.values)} == {int}:
            return None
        found = np.array([is_whole(value) for value in piece.values], np.bool_)
    else:
        array = piece.array if plain is None else piece.array.filter(pa.array(plain))
        try:
            array.cast(pa.int64())
        except pa.ArrowInvalid:
            found = pc.match_substring_regex(piece.array, WHOLE).to_numpy(zero_copy_only=False)
        else:
            return None
    found = found if plain is None else found | ~plain
    return None if found.all() else found


def _are_usual(piece: Piece, plain: Mask | None) -> bool:
    """Say whether whole numbers are all written as usual."""
    import pyarrow.compute as pc  # noqa: PLC0415

    if piece.array is None:
        found = np.array([_is_usual(value) for value in piece.values], np.bool_)
    else:
        found = pc.match_substring_regex(piece.array, USUAL).to_numpy(zero_copy_only=False)
    return bool((found if plain is None else found[plain]).all())


def _is_usual(value: Any) -> bool:  # noqa: ANN401 - a cell
    """Say whether a whole number has no needless sign or zero."""
    return not isinstance(value, str) or value.lstrip("+-0") == value.lstrip("-") or value == "0"
