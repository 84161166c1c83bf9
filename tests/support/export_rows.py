"""Rows for an exported tree: values at each threshold and next to it, and unusual values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from export_trees import ODD
from penjing import Table, Tree
from penjing.data.table import Column, numeric
from penjing.predict.inputs import used_columns

DRAWN = 400
"""How many cells hypothesis makes for a column, besides those that the tree suggests."""
PER_EXAMPLE = 20
TURNS = 40
ENDS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e308, -1e308, 3.4028235e38, 1e-45]

Row = dict[str, Any]


def cells(tree: Tree, c: int) -> list[list[Any]]:
    """Return values for one column, by kinds that rows have alike often; None for missing."""
    field = tree.schema[c]
    if not field.is_numeric:
        if field.levels and not isinstance(field.levels[0], str):
            return [[None], list(field.levels), drawn(st.integers(-3, 7))]
        odd = ["never seen", "", "NULL", "nan", *ODD]
        texts = st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4
        )
        # The spaces around a text are the reader's business, not the program's.
        strange = [text.strip() for text in drawn(texts)]
        return [[None], list(field.levels), odd, list(field.levels), strange]
    numbers = [drawn(st.floats(width=64)), drawn(st.floats(-3, 3))]
    near = boundaries(tree, c)
    return [[None], ENDS, *numbers, *([near] * 3 if near else [])]


def boundaries(tree: Tree, c: int) -> list[float]:
    """Return each cut of a column and the floats next to it, as 64 bits and as 32 hold them."""
    here = (tree.nodes.column == c) & np.isfinite(tree.nodes.cut)
    others = [s.cut for tests in tree.nodes.surrogates.values() for s in tests if s.column == c]
    near: dict[float, None] = {}
    for cut in [*tree.nodes.cut[here].tolist(), *others]:
        single = float(np.float32(cut))
        for at in (cut, single, (single + float(np.nextafter(np.float32(single), 1e30))) / 2):
            near |= dict.fromkeys([at, math.nextafter(at, math.inf), math.nextafter(at, -math.inf)])
    return list(near)


def drawn(strategy: st.SearchStrategy[Any]) -> list[Any]:
    """Return what hypothesis makes, the same each time, without repetitions."""
    found: dict[str, Any] = {}

    @seed(0)
    @settings(
        max_examples=DRAWN // PER_EXAMPLE,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(strategy, min_size=PER_EXAMPLE, max_size=PER_EXAMPLE))
    def collect(made: list[Any]) -> None:
        found.update((repr(one), one) for one in made)

    collect()
    return list(found.values())


def made_rows(tree: Tree, n: int) -> list[Row]:
    """Return so many different rows, the same each time; fewer if there are no more.

    The cells of a kind are gone through in turn, so that every boundary has its rows.
    """
    rng = np.random.RandomState(0)
    names = [tree.schema[c].name for c in used_columns(tree)]
    kinds = [cells(tree, c) for c in used_columns(tree)]
    found: dict[str, Row] = {}
    for _ in range(TURNS):
        columns = [_column(of, n, rng) for of in kinds]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        before = len(found)
        found.update((repr(row), row) for row in rows or [{}])
        if len(found) >= n or len(found) == before:
            break
    return list(found.values())[:n]


def _column(kinds: list[list[Any]], n: int, rng: np.random.RandomState) -> list[Any]:
    """Return n cells: the kind of each by chance, then the next of its kind."""
    orders = [itertools.cycle([of[i] for i in rng.permutation(len(of))]) for of in kinds]
    return [next(orders[k]) for k in rng.randint(0, len(kinds), n)]


def as_table(tree: Tree, rows: list[Row]) -> Table:
    """Return rows as a table that means exactly them: no marker, no guess."""
    columns: list[Column] = []
    for c in used_columns(tree):
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
