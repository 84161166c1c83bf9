"""Clean raw columns: strip blanks around text and turn missing markers into missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.data.read.context import ReadContext
from penjing.data.read.dictionary import drop_levels, merge_equal_levels, remap_codes
from penjing.data.read.missing_markers import NOTHING
from penjing.data.read.raw_columns import RawColumn
from penjing.data.read.reading import fold_key


def clean_column(context: ReadContext, raw: RawColumn, *, quiet: bool = False) -> RawColumn:
    """Return a column without blanks around its text and without missing markers.

    Declared levels and numbers stay, unless the user named them as markers. ``quiet`` suppresses
    the note about stripped blanks.
    """
    if raw.is_fixed or raw.is_typed:
        return _drop_named_markers(context, raw)
    levels, codes = [*raw.levels], raw.codes
    are_texts = {*map(type, levels)} <= {str}
    trimmed = (
        [*map(str.strip, levels)]
        if are_texts
        else [x.strip() if isinstance(x, str) else x for x in levels]
    )
    if trimmed != levels:
        is_visible = any(a and a != b for a, b in zip(trimmed, levels, strict=True))
        if is_visible and not quiet:
            context.trimmed.append(raw.name)
        levels, codes = merge_equal_levels(trimmed, codes)
    missing = context.markers.missing_levels(levels)
    levels, codes = drop_levels(levels, codes, _positions(levels, missing))
    return replace(raw, levels=levels, codes=codes)


def _drop_named_markers(context: ReadContext, raw: RawColumn) -> RawColumn:
    markers = context.markers
    if not (markers.words if raw.is_fixed else markers.numbers):
        return raw
    levels = raw.plain_levels()
    named = markers.named_markers(levels)
    if not named:
        return raw
    kept_levels, codes = drop_levels(levels, raw.codes, _positions(levels, named))
    return raw.with_levels(kept_levels, codes)


def _positions(levels: Sequence[Any], words: frozenset[Any]) -> list[int]:
    """Return the positions of the levels that are markers: 1 equals 1.0, but not True."""
    if not words:
        return []
    return [
        position
        for position, level in enumerate(levels)
        if level in words and not isinstance(level, bool)
    ]


def clean_categorical(context: ReadContext, raw: RawColumn) -> RawColumn:
    """Return a cleaned column that is categorical.

    In such a column 无 means missing unless there is also 有, and "none" is a category. Both are
    guesses, so both are noted.
    """
    raw = fold_column(context, raw)
    if raw.is_fixed or raw.is_typed:
        return raw
    levels, codes = [*raw.levels], raw.codes
    for word in sorted(map(str, context.markers.missing_among_numbers(levels))):
        position = levels.index(word)
        if word == NOTHING and context.markers.is_wu_missing(map(str, levels)):
            n = int(raw.counts()[[*raw.levels].index(word)])
            context.note("taken_as_missing", column=raw.name, value=word, n=n)
            levels, codes = drop_levels(levels, codes, [position])
            context.record(raw.name, missing=(word,))
        else:
            context.note("taken_as_value", column=raw.name, value=word)
    return replace(raw, levels=levels, codes=codes)


def fold_column(context: ReadContext, raw: RawColumn) -> RawColumn:
    """Return a cleaned column whose categories differ in more than case and blanks, if asked for.

    The most frequent spelling names the category; of equally frequent ones, the first.
    """
    if raw.is_typed or not context.reading.folds_case(raw.name):
        return raw
    levels, counts = raw.plain_levels(), raw.counts().tolist()
    spellings: dict[Any, list[int]] = {}
    for position, level in enumerate(levels):
        key = fold_key(level) if isinstance(level, str) else (type(level), level)
        spellings.setdefault(key, []).append(position)
    context.record(raw.name, fold_case=True)
    if len(spellings) == len(levels):
        return raw
    named = {
        key: max(positions, key=lambda position: (counts[position], -position))
        for key, positions in spellings.items()
    }
    new_codes = np.empty(len(levels), np.int32)
    for code, positions in enumerate(spellings.values()):
        new_codes[positions] = code
    others = [p for key, positions in spellings.items() for p in positions if p != named[key]]
    first = levels[min(others)]
    context.note(
        "folded", column=raw.name, n=len(others), value=first, named=levels[named[fold_key(first)]]
    )
    folded = [levels[position] for position in named.values()]
    return raw.with_levels(folded, remap_codes(new_codes, raw.codes))
