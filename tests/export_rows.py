"""Rows for a tree, made by hypothesis: on, just below and just above each cut, and all oddities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from export_trees import ODD
from penjing import Table, Tree
from penjing.align import asked_by
from penjing.table import Column, numeric

PER_EXAMPLE = 20
TURNS = 40
ENDS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e308, -1e308, 3.4028235e38, 1e-45]

Row = dict[str, Any]


def cells(tree: Tree, c: int) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of one column, None for a missing one."""
    field = tree.schema[c]
    if not field.is_numeric:
        strange = st.sampled_from(["never seen", "", "NULL", "nan", *ODD]) | st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4
        )
        if field.levels and not isinstance(field.levels[0], str):
            strange = st.integers(-3, 7)
        return st.none() | st.sampled_from(list(field.levels)) | _unpadded(strange)
    cuts = tree.nodes.cut[(tree.nodes.column == c)]
    others = [s.cut for tests in tree.nodes.surrogates.values() for s in tests if s.column == c]
    near = []
    for cut in [*cuts.tolist(), *others]:
        single = float(np.float32(cut))
        for at in (cut, single, (single + float(np.nextafter(np.float32(single), 1e30))) / 2):
            near += [at, math.nextafter(at, math.inf), math.nextafter(at, -math.inf)]
    pool = st.sampled_from(near[:3000]) if near else st.nothing()
    return st.none() | pool | st.sampled_from(ENDS) | st.floats(width=64) | st.floats(-3, 3)


def _unpadded(texts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # The spaces around a text are the reader's business, not the program's.
    return texts.map(lambda t: t.strip() if isinstance(t, str) else t)


def made_rows(tree: Tree, n: int) -> list[Row]:
    """Return so many different rows, the same each time; fewer if there are no more.

    Hypothesis likes to repeat itself, so repetitions are left out and it is asked again.
    """
    found: dict[str, Row] = {}
    row = st.fixed_dictionaries({tree.schema[c].name: cells(tree, c) for c in asked_by(tree)})

    for turn in range(TURNS):
        before = len(found)

        @seed(turn)
        @settings(
            max_examples=max(n // PER_EXAMPLE, 1),
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.lists(row, min_size=PER_EXAMPLE, max_size=PER_EXAMPLE))
        def collect(rows: list[Row]) -> None:
            found.update((repr(one), one) for one in rows)

        collect()
        if len(found) >= n or len(found) == before:
            break
    return list(found.values())[:n]


def as_table(tree: Tree, rows: list[Row]) -> Table:
    """Return rows as a table that means exactly them: no marker, no guess."""
    columns: list[Column] = []
    for c in asked_by(tree):
        field = tree.schema[c]
        values = [row[field.name] for row in rows]
        if field.is_numeric:
            columns.append(numeric(field.name, [math.nan if v is None else v for v in values]))
            continue
        place: dict[Any, int] = {level: code for code, level in enumerate(field.levels)}
        for value in values:
            if value is not None:
                place.setdefault(value, len(place))
        codes = [-1 if v is None else place[v] for v in values]
        columns.append(Column(field.name, field.kind, tuple(place), np.asarray(codes, np.int32)))
    return Table(tuple(columns), None, len(rows))
