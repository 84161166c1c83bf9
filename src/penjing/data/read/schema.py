"""What the user says a column is; it always wins over what it looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import cleaned
from penjing.data.read.context import Reading
from penjing.data.read.convert import (
    date_columns,
    must_be_numbers,
    name_column,
    number_column,
    ordered_column,
)
from penjing.data.read.dates import as_level, dates
from penjing.data.read.dictionary import through
from penjing.data.read.raw_columns import Cells, Sheet, short
from penjing.data.table import MISSING, Codes, Column, Field, Kind
from penjing.errors import ChoiceError, DataError, WrongTypeError, near, unknown

Wanted = Literal["nominal", "ordered", "numeric", "date", "ignore", "target", "weight"]
KINDS: tuple[Wanted, ...] = (
    "nominal",
    "ordered",
    "numeric",
    "date",
    "ignore",
    "target",
    "weight",
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What one column shall be: a kind, perhaps with its levels in their order."""

    kind: Wanted
    levels: tuple[Any, ...] | None = None


def check_schema(schema: Any) -> None:  # noqa: ANN401 - that is to be found out
    """Refuse what says nothing of columns: neither a dict nor the fields of a tree."""
    if schema is None or isinstance(schema, Mapping):
        return
    is_list = isinstance(schema, Sequence) and not isinstance(schema, str | bytes | bytearray)
    if not is_list or not all(isinstance(field, Field) for field in schema):
        raise WrongTypeError("schema_shape", value=schema)


def wishes(schema: Mapping[str, Any] | None, sheet: Sheet) -> dict[str, Wish]:
    """Return the wish for each column that the schema names, checked.

    A kind is a word; a list gives the levels of a nominal column, ``{"ordered": [...]}`` those
    of an ordered one.
    """
    asked: dict[str, Wish] = {}
    for name, said in (schema or {}).items():
        if name not in sheet.names:
            raise unknown("unknown_column", name, sheet.names)
        asked[name] = wish_of(name, said)
    return asked


def wish_of(name: str, said: object) -> Wish:
    """Return the wish that a word, a list or a dict of a schema means."""
    if isinstance(said, Field):
        return Wish(said.kind, None if said.is_numeric else tuple(said.levels))
    if isinstance(said, str):
        if said not in KINDS:
            raise unknown("unknown_kind", said, KINDS, column=name)
        return Wish(said)
    kind: Wanted = "nominal"
    if isinstance(said, Mapping):
        if len(said) != 1 or next(iter(said)) not in ("ordered", "nominal"):
            raise ChoiceError("bad_schema", column=name, value=said)
        kind, said = next(iter(said.items()))
    if isinstance(said, (str, bytes, Mapping)) or not isinstance(said, Iterable):
        raise WrongTypeError("bad_schema", column=name, value=said)
    levels = tuple(x.item() if isinstance(x, np.generic) else x for x in said)
    if not all(isinstance(level, str | int | float) for level in levels):
        raise WrongTypeError("bad_schema", column=name, value=said)
    if not levels or len(set(map(str, levels))) != len(levels):
        raise ChoiceError("bad_levels", column=name, value=list(levels))
    return Wish(kind, levels)


def wished(reading: Reading, cells: Cells, wish: Wish) -> list[Column]:
    """Return the columns that a wish makes of a column, as a rule one."""
    if wish.levels is not None:
        return [declared(reading, cells, wish)]
    if wish.kind == "numeric":
        return [number_column(reading, must_be_numbers(reading, cells))]
    cells = cleaned(reading, cells)
    if wish.kind == "ordered":
        return [ordered_column(reading, cells)]
    if wish.kind == "date":
        return must_be_dates(reading, cells)
    return [name_column(cells)]


def must_be_dates(reading: Reading, cells: Cells) -> list[Column]:
    """Return what is made of a column that was said to hold dates."""
    if not cells.n_known:
        reading.note("left_out_empty", column=cells.name)
        reading.left_out.append((cells.name, "empty"))
        return []
    made = date_columns(reading, cells)
    if made is None:
        bad = [place for place, x in enumerate(cells.plain()) if dates([x]) is None]
        raise reading.error("not_a_date", cells, bad[0] if bad else 0)
    return made


def declared(reading: Reading, cells: Cells, wish: Wish) -> Column:
    """Return a column with exactly the levels that the user lists."""
    levels = wish.levels or ()
    places, strange = placed(reading, cells, levels)
    if strange:
        first = int(np.argmax(places == len(levels)))
        raise foreign(reading.sheet.name, cells, first, levels)
    kind: Kind = "ordered" if wish.kind == "ordered" else "nominal"
    return Column(cells.name, kind, levels, through(places, cells.codes))


def placed(reading: Reading, cells: Cells, levels: Sequence[Any]) -> tuple[Codes, list[Any]]:
    """Return the place of each of a column's levels among known ones, and the strange ones.

    Strange levels get the places after the known ones; those that mean missing get -1.
    """
    places = matched(cells, levels)
    if reading.markers.words:  # what was named as a marker is one, even if it is a level, too
        said = [reading.markers.is_said(level) for level in cells.plain()]
        places[np.array(said, np.bool_)] = MISSING
    rest = np.flatnonzero(places < 0)
    plain = cells.plain()
    others = Cells(
        cells.name, [plain[place] for place in rest], np.arange(len(rest), dtype=np.int32)
    )
    others = cleaned(reading, others, quietly=True)
    places[rest] = np.where(others.codes < 0, MISSING, others.codes + len(levels))
    return places, others.plain()


def text_of(value: object) -> str:
    """Return the text by which values of different types are compared: 1.0 and 1 are '1'."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(as_level(value)).strip()


def matched(cells: Cells, levels: Sequence[Any]) -> Codes:
    """Return the place of each of the column's levels among other levels, -1 where it has none.

    Equal values of one type come first, then equal values, then equal texts: so that '0' of a
    file meets the 0 of a list, and 1.0 of a frame with gaps the 1 of one without.

    Examples
    --------
    >>> matched(Cells("x", ["0", "1", "2"], np.array([0, 1, 2], np.int32)), [1, 0])
    array([ 1,  0, -1], dtype=int32)
    """
    places = [*reversed([*enumerate(levels)])]  # of two that are alike the first one wins
    same = {(type(level), level): place for place, level in places}
    equal = {level: place for place, level in places}
    alike = {text_of(level): place for place, level in places}
    found = [
        same.get((type(value), value), equal.get(value, alike.get(text_of(value), MISSING)))
        for value in cells.plain()
    ]
    return np.asarray(found, np.int32)


def foreign(source: str, cells: Cells, level: int, levels: Sequence[Any]) -> DataError:
    """Make the error for a value that is not among the declared levels."""
    value = cells.levels[level]
    close = near(value, levels)
    said = {
        "source": source,
        "row": cells.row(level),
        "column": cells.name,
        "value": short(value),
        "known": short(", ".join(map(str, levels))),
    }
    if close is None:
        return DataError("foreign_level", **said)
    return DataError("foreign_level_near", near=close, **said)
