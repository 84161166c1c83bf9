"""Columns of sources that declare what each column is: ARFF and .names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.read.dictionary import merge_equal_levels, remap_codes
from penjing.data.read.raw_columns import DeclaredKind, RawColumn
from penjing.data.read.schema import match_levels, unknown_level_error
from penjing.data.table import Codes


@dataclass(frozen=True, slots=True)
class Attribute:
    """One declared attribute: its name, kind, and levels if they are listed."""

    name: str
    kind: DeclaredKind
    levels: tuple[str, ...] = ()


def declared_column(
    source: str, attribute: Attribute, levels: list[str], codes: Codes
) -> RawColumn:
    """Return a column as declared; a value that is not among the listed ones is a mistake."""
    if not attribute.levels:
        return RawColumn(attribute.name, levels, codes, attribute.kind)
    words = [level.strip() for level in levels]
    meant = [None if word in ("?", "") else word for word in words]
    if "" in attribute.levels:
        meant = [None if word == "?" else word for word in words]
    known, codes = merge_equal_levels(meant, codes)
    found = RawColumn(attribute.name, known, codes)
    places = match_levels(found, attribute.levels)
    for place in np.flatnonzero(places < 0):
        raise unknown_level_error(source, found, int(place), attribute.levels)
    rows = remap_codes(places, codes)
    return RawColumn(attribute.name, attribute.levels, rows, attribute.kind, is_fixed=True)
