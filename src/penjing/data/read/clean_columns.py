"""Cells as they are meant: blanks around text dropped, words for missing turned into gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from penjing.data.read.context import ReadContext
from penjing.data.read.dictionary import drop_levels, merge_equal_levels
from penjing.data.read.missing_markers import NOTHING
from penjing.data.read.raw_columns import RawColumn


def clean_column(reading: ReadContext, cells: RawColumn, *, quietly: bool = False) -> RawColumn:
    """Return a column without blanks around its text and without words for missing.

    Levels that were declared, and numbers, are what they are, unless they were named as markers.
    """
    if cells.is_fixed or cells.is_typed:
        return _drop_named_markers(reading, cells)
    levels, codes = [*cells.levels], cells.codes
    are_texts = {*map(type, levels)} <= {str}
    trimmed = (
        [*map(str.strip, levels)]
        if are_texts
        else [x.strip() if isinstance(x, str) else x for x in levels]
    )
    if trimmed != levels:
        is_seen = any(a and a != b for a, b in zip(trimmed, levels, strict=True))
        if is_seen and not quietly:
            reading.trimmed.append(cells.name)
        levels, codes = merge_equal_levels(trimmed, codes)
    missing = reading.markers.missing_levels(levels)
    levels, codes = drop_levels(levels, codes, _positions(levels, missing))
    return replace(cells, levels=levels, codes=codes)


def _drop_named_markers(reading: ReadContext, cells: RawColumn) -> RawColumn:
    marks = reading.markers
    if not (marks.words if cells.is_fixed else marks.numbers):
        return cells
    plain = cells.plain_levels()
    gone = marks.named_markers(plain)
    if not gone:
        return cells
    levels, codes = drop_levels(plain, cells.codes, _positions(plain, gone))
    return cells.with_levels(levels, codes)


def _positions(levels: Sequence[Any], words: frozenset[Any]) -> list[int]:
    """Return where words are among levels: 1 and 1.0 are one word, True is another."""
    if not words:
        return []
    return [at for at, x in enumerate(levels) if x in words and not isinstance(x, bool)]


def clean_categorical(reading: ReadContext, cells: RawColumn) -> RawColumn:
    """Return a cleaned column that turned out not to be numbers.

    Among names, 无 is taken for missing unless the column also says 有, and none is a value:
    both could be otherwise, so both are noted.
    """
    if cells.is_fixed or cells.is_typed:
        return cells
    levels, codes = [*cells.levels], cells.codes
    for word in sorted(map(str, reading.markers.missing_among_numbers(levels))):
        place = levels.index(word)
        if word == NOTHING and reading.markers.is_wu_missing(map(str, levels)):
            n = int(cells.counts()[[*cells.levels].index(word)])
            reading.note("taken_as_missing", column=cells.name, value=word, n=n)
            levels, codes = drop_levels(levels, codes, [place])
        else:
            reading.note("taken_as_value", column=cells.name, value=word)
    return replace(cells, levels=levels, codes=codes)
