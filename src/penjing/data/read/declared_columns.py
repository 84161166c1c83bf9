"""Columns whose type the source declares: ARFF and .names files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.read.dictionary import merge_equal_levels, remap_codes
from penjing.data.read.raw_columns import DeclaredKind, RawColumn
from penjing.data.read.schema import match_levels, unknown_level_error
from penjing.data.table import Codes


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared attribute: its name, kind, and levels if they are listed."""

    name: str
    kind: DeclaredKind
    levels: tuple[str, ...] = ()


def declared_column(
    source: str, attribute: Attribute, levels: list[str], codes: Codes
) -> RawColumn:
    """Return a column as declared; raise an error for a value that is not listed."""
    if not attribute.levels:
        return RawColumn(attribute.name, levels, codes, attribute.kind)
    stripped = [level.strip() for level in levels]
    known_values = [None if text in ("?", "") else text for text in stripped]
    if "" in attribute.levels:
        known_values = [None if text == "?" else text for text in stripped]
    distinct, codes = merge_equal_levels(known_values, codes)
    raw = RawColumn(attribute.name, distinct, codes)
    level_codes = match_levels(raw, attribute.levels)
    for level in np.flatnonzero(level_codes < 0):
        raise unknown_level_error(source, raw, int(level), attribute.levels)
    row_codes = remap_codes(level_codes, codes)
    return RawColumn(attribute.name, attribute.levels, row_codes, attribute.kind, is_fixed=True)
