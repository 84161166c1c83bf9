"""What the user says a column is; it always wins over what it looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from penjing.errors import ChoiceError, DataError, near, unknown
from penjing.read.cells import Cells, Sheet
from penjing.table import MISSING, Codes, Field

Wanted = Literal["nominal", "ordered", "numeric", "ignore", "date", "target", "weight"]
KINDS: tuple[Wanted, ...] = (
    "nominal",
    "ordered",
    "numeric",
    "ignore",
    "date",
    "target",
    "weight",
)
Schema = Mapping[str, Any] | Sequence[Field]


@dataclass(frozen=True, slots=True)
class Wish:
    """What one column shall be: a kind, perhaps with its levels in their order."""

    kind: Wanted
    levels: tuple[Any, ...] | None = None


def wishes(schema: Mapping[str, Any] | None, sheet: Sheet) -> dict[str, Wish]:
    """Return the wish for each column that the schema names, checked.

    A kind is a word; a list gives the levels of a nominal column, ``{"ordered": [...]}`` those
    of an ordered one.
    """
    asked: dict[str, Wish] = {}
    for name, said in (schema or {}).items():
        if name not in sheet.names:
            raise unknown("unknown_column", name, sheet.names)
        asked[name] = _wish(name, said)
    return asked


def _wish(name: str, said: object) -> Wish:
    if isinstance(said, Field):
        return Wish(said.kind, tuple(said.levels) if not said.is_numeric else None)
    if isinstance(said, str):
        if said not in KINDS:
            raise unknown("unknown_kind", said, KINDS, column=name)
        return Wish(cast("Wanted", said))
    kind: Wanted = "nominal"
    if isinstance(said, Mapping):
        if len(said) != 1 or next(iter(said)) not in ("ordered", "nominal"):
            raise ChoiceError("bad_schema", column=name, value=said)
        kind, said = next(iter(said.items()))
    if isinstance(said, (str, bytes)) or not isinstance(said, Iterable):
        raise ChoiceError("bad_schema", column=name, value=said)
    levels = tuple(said)
    if len(set(map(str, levels))) != len(levels):
        raise ChoiceError("repeated_level", column=name, value=list(levels))
    return Wish(kind, levels)


def text_of(value: object) -> str:
    """Return the text by which values of different types are compared: 1.0 and 1 are '1'."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def matched(cells: Cells, levels: Sequence[Any]) -> Codes:
    """Return the place of each of the column's levels among other levels, -1 where it has none.

    Equal values of one type come first, then equal values, then equal texts: so that '0' of a
    file meets the 0 of a list, and 1.0 of a frame with gaps the 1 of one without.

    Examples
    --------
    >>> matched(Cells("x", ["0", "1", "2"], np.array([0, 1, 2], np.int32)), [1, 0])
    array([ 1,  0, -1], dtype=int32)
    """
    same = {(type(level), level): code for code, level in enumerate(levels)}
    equal = {level: code for code, level in reversed(list(enumerate(levels)))}
    alike = {text_of(level): code for code, level in reversed(list(enumerate(levels)))}
    places = []
    for value in cells.levels:
        place = same.get((type(value), value), equal.get(value, MISSING))
        places.append(alike.get(text_of(value), MISSING) if place < 0 else place)
    return np.asarray(places, np.int32).reshape(-1)


def foreign(sheet: Sheet, cells: Cells, place: int, levels: Sequence[Any]) -> DataError:
    """Make the error for a value that is not among the declared levels."""
    value = cells.levels[place]
    close = near(value, levels)
    said = {
        "source": sheet.name,
        "row": cells.first(place),
        "column": cells.name,
        "value": value,
        "known": ", ".join(map(str, levels)),
    }
    if close is None:
        return DataError("foreign_level", **said)
    return DataError("foreign_level_near", near=close, **said)
