"""Reading rows for a tree that exists: its columns, its levels, its classes."""

from __future__ import annotations

import numpy as np

from penjing.errors import unknown
from penjing.read.assemble import finished, refuse_twins, weights
from penjing.read.cells import Cells, Sheet
from penjing.read.code import merged
from penjing.read.dates import PARTS, dates, part_of
from penjing.read.infer import Judge, recoded
from penjing.read.markers import Markers
from penjing.read.schema import matched
from penjing.table import MISSING, Column, Field, Table


def fitted(
    sheet: Sheet,
    marks: Markers,
    fields: tuple[Field, ...],
    target: str | Field | bool | None,  # noqa: FBT001 - False is a word of its own here
    *,
    weight: str | None = None,
) -> Table:
    """Return the sheet's rows with exactly these columns, in this order and kind.

    Values that a field does not know come after its levels, so a code of ``len(field.levels)``
    or more is one that the tree has never seen. A target that the sheet does not have is None.
    """
    refuse_twins(sheet)
    judge = Judge(sheet, marks)
    have = sheet.find()
    columns = tuple(_column(judge, field) for field in fields)
    aim = None
    if isinstance(target, Field) and target.name in have:
        aim = as_field(judge, have[target.name], target)
    elif isinstance(target, str):
        if target not in have:
            raise unknown("unknown_column", target, sheet.names)
        cells = judge.known(have[target])
        aim = judge.judged(cells, judge.read_numbers(cells), is_target=True)
    table = Table(columns, aim, sheet.n_rows, weights(judge, weight), source=sheet.source)
    return finished(table, judge)


def _column(judge: Judge, field: Field) -> Column:
    have = judge.sheet.find()
    if field.name in have:
        return as_field(judge, have[field.name], field)
    stem, _, part = field.name.rpartition(".")
    if stem in have and part in PARTS:
        cells = judge.known(have[stem])
        found = dates(cells.levels)
        if found is not None:
            return recoded(cells, part_of(found, part), field.name)
    raise unknown("unknown_column", field.name, judge.sheet.names)


def as_field(judge: Judge, cells: Cells, field: Field) -> Column:
    """Return a column coded as a tree's field says, unknown levels after the known ones."""
    if field.is_numeric:
        return judge.number(*judge.only_numbers(cells))
    places = matched(cells, field.levels)
    extra = []
    for place in np.flatnonzero(places < 0):
        value = cells.levels[place]
        word = value.strip() if isinstance(value, str) else value
        gone = isinstance(word, str) and cells.is_written and judge.markers.is_missing(word)
        extra.append((place, None if gone else word))
    fresh, codes = merged([word for _, word in extra], np.arange(len(extra), dtype=np.int32))
    for (place, _), code in zip(extra, codes, strict=True):
        places[place] = MISSING if code < 0 else len(field.levels) + code
    levels = (*field.levels, *fresh)
    rows = np.append(places, np.int32(MISSING))[cells.codes]
    return Column(field.name, field.kind, levels, rows)


