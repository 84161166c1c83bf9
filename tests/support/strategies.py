"""Hypothesis strategies for tables, with unusual names and extreme numbers; trees of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from penjing.api.tree import Tree
from penjing.data.table import Column, Table, nominal, numeric
from penjing.dialects.recipes import RECIPES
from penjing.engines.memory import Engine
from penjing.grow.loop import grow_unpruned
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import with_steps
from user_trees import grow

ODD_WORDS = [
    *("a", "b", "c", "yes", "no", "清晰", "稍糊", "no surfacing", "a,b", "<= 5", "> 5", "<= M"),
    *("", " ", "-0.0", "0", "1", "│  x", "in {a}", "'", '"', "\n", "é", "🍉", "?", "nan", "[S1]"),
]
ODD_NUMBERS = [
    *(0.0, -0.0, 5e-324, -5e-324, 1e-300, 1.0, 1.0000000000000002, 0.9999999999999999),
    *(0.3, 0.1 + 0.2, 2.0**53, float(2**53 + 2), float(2**63), 1e300, 1e308, -1e308),
    *(1.7976931348623157e308, -1.7976931348623157e308, 1.7e9, 1.7e9 + 1, 1.7e9 + 2.4e-7),
]
RECIPE_NAMES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary")
NAMES = ("texture", "no surfacing", "密度", "a,b", "> 5")

words = st.sampled_from(ODD_WORDS) | st.text(max_size=3)
numbers = (
    st.sampled_from(ODD_NUMBERS)
    | st.integers(-4, 4).map(float)
    | st.floats(allow_nan=False, allow_infinity=False)
)
pools_of_levels = st.lists(words, min_size=1, max_size=5, unique=True) | st.lists(
    st.integers(-2, 9), min_size=1, max_size=5, unique=True
)
whole_weights = st.integers(1, 4).map(float)
part_weights = st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 1.0, 2.5, 7.0, 40.0])


def ordered(name: str, codes: list[int], levels: list[Any]) -> Column:
    """Make a column of ordered levels from their positions; -1 is missing."""
    return Column(name, "ordered", tuple(levels), np.asarray(codes, np.int32))


@st.composite
def columns(draw: st.DrawFn, name: str, n: int, kinds: tuple[str, ...], *, missing: bool) -> Column:
    """Draw a column of n rows: few different values, some of them missing if they may be."""
    kind = draw(st.sampled_from(kinds))
    pool = draw(st.lists(numbers, min_size=1, max_size=6) if kind == "numeric" else pools_of_levels)
    places = st.integers(-1 if missing else 0, len(pool) - 1)
    codes = draw(st.lists(places, min_size=n, max_size=n))
    if kind == "ordered":
        return ordered(name, codes, pool)
    if kind == "nominal":  # some levels may be declared and never occur
        return nominal(name, [None if c < 0 else pool[c] for c in codes], pool)
    return numeric(name, [np.nan if c < 0 else pool[c] for c in codes])


@st.composite
def tables(
    draw: st.DrawFn,
    kinds: tuple[str, ...] = ("nominal", "ordered", "numeric"),
    weights: st.SearchStrategy[float] | None = None,
    *,
    missing: bool = False,
    regression: bool = False,
    max_rows: int = 14,
) -> Table:
    """Draw a table with one to four columns and two to four classes, or a number to predict."""
    n = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, 4))
    found = tuple(draw(columns(NAMES[i], n, kinds, missing=missing)) for i in range(n_columns))
    if regression:
        tenths = st.integers(-30, 30).map(lambda tenth: tenth / 10)
        target = numeric("y", draw(st.lists(tenths, min_size=n, max_size=n)))
    else:
        classes = draw(st.lists(words, min_size=2, max_size=4, unique=True))
        rows = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
        target = nominal("class", rows, classes)
    weight = None
    if weights is not None:
        weight = np.asarray(draw(st.lists(weights, min_size=n, max_size=n)))
    return Table(found, target, n, weight)


def grown(table: Table, recipe: str | Recipe = "id3", *, trace: bool = False, **but: Any) -> Tree:
    """Grow a tree by the reference engine, without anything that `penjing.fit` adds."""
    chosen = (RECIPES[recipe] if isinstance(recipe, str) else recipe).but(**but).fits(table)
    engine = Engine(table, chosen.missing)
    if not trace:
        return grow(engine, chosen)
    tree = with_steps(grow_unpruned(engine, chosen), engine, chosen)
    return Tree.from_data(chosen.dialect.finish(tree, engine, chosen))


def skeleton(tree: Tree) -> list[tuple[Any, ...]]:
    """Return what a tree asks and answers, without names and counts: equal for equal trees."""
    nodes = tree.nodes
    return [
        (
            int(nodes.parent[i]),
            int(nodes.column[i]),
            None if np.isnan(nodes.cut[i]) else float(nodes.cut[i]),
            tuple(nodes.levels(i).tolist()),
        )
        for i in range(len(nodes))
    ]
