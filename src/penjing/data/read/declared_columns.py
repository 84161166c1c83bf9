"""Columns of sources that declare what each column is: ARFF and .names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.read.dictionary import merged, through
from penjing.data.read.raw_columns import Cells, Declared
from penjing.data.read.schema import foreign, matched
from penjing.data.table import Codes


@dataclass(frozen=True, slots=True)
class Attribute:
    """One declared attribute: its name, kind, and levels if they are listed."""

    name: str
    kind: Declared
    levels: tuple[str, ...] = ()


def declared_cells(source: str, attribute: Attribute, levels: list[str], codes: Codes) -> Cells:
    """Return a column as declared; a value that is not among the listed ones is a mistake."""
    if not attribute.levels:
        return Cells(attribute.name, levels, codes, attribute.kind)
    words = [level.strip() for level in levels]
    meant = [None if word in ("?", "") else word for word in words]
    if "" in attribute.levels:
        meant = [None if word == "?" else word for word in words]
    known, codes = merged(meant, codes)
    found = Cells(attribute.name, known, codes)
    places = matched(found, attribute.levels)
    for place in np.flatnonzero(places < 0):
        raise foreign(source, found, int(place), attribute.levels)
    rows = through(places, codes)
    return Cells(attribute.name, attribute.levels, rows, attribute.kind, is_fixed=True)
