"""Trees of C4.5 and J48: grown and pruned by C++ alone as by the readable loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.prune import error_based
from random_tables import some_table

SHAPE = ("parent", "column", "cut", "level_start", "level_codes", "total")
HOW = [
    {"recipe": "j48"},
    {"recipe": "j48", "C": 0.1, "M": 5},
    {"recipe": "j48", "C": 0.6, "S": True},
    {"recipe": "j48", "J": True, "U": True, "O": True},
    {"recipe": "c4.5"},
    {"recipe": "c4.5", "g": True, "m": 1},
    {"recipe": "c4.5", "c": 5, "precision": "double"},
    {"recipe": "c4.5", "max_leaves": 100, "c": 60},
    {"recipe": "j48", "max_leaves": 20, "U": True},
]


def assert_same(one, other):
    for name in SHAPE:
        np.testing.assert_array_equal(getattr(one.nodes, name), getattr(other.nodes, name), name)
    assert one.nodes.answers == other.nodes.answers
    np.testing.assert_allclose(one.nodes.gain, other.nodes.gain, rtol=1e-9, atol=1e-12)
    assert one.values.tolist() == other.values.tolist()


def large_table(rng, n, *, missing):
    """Return numbers that all differ, of some hundred values, of ten; and levels."""
    z = rng.normal(size=(n, 4))

    def lost(values):
        return np.where(rng.random(n) < 0.05, np.nan, values) if missing else values

    numbers = [lost(np.round(z[:, j], digits)) for j, digits in enumerate((9, 5, 2, 1))]
    columns = [numeric(f"x{j}", values) for j, values in enumerate(numbers)]
    for j, k in enumerate((2, 5, 12)):
        codes = (z @ rng.normal(size=(4, k)) + rng.gumbel(size=(n, k))).argmax(1)
        codes = np.where(rng.random(n) < 0.05, -1, codes) if missing else codes
        levels = tuple(f"v{i}" for i in range(k))
        columns.append(Column(f"c{j}", "nominal", levels, codes.astype(np.int32)))
    y = (z @ rng.normal(size=(4, 3)) + rng.gumbel(size=(n, 3))).argmax(1).astype(np.int32)
    return Table(tuple(columns), Column("y", "nominal", ("a", "b", "c"), y), n)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(HOW), st.booleans())
def test_small_tables(seed, how, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 200))
    table = some_table(rng, n, regression=False, missing=True, weighted=weighted)
    fast, slow = (penjing.fit(table, engine=e, **how) for e in ("native", "memory"))
    assert_same(fast, slow)
    assert fast.about.get("pruning") == slow.about.get("pruning")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("missing", [True, False])
def test_large_nodes_take_other_roads(how, missing):
    """Codes are sorted by digits, cuts screened, rows gathered: in nodes of some size only."""
    table = large_table(np.random.default_rng(7), 3000, missing=missing)
    fast, slow = (penjing.fit(table, engine=e, **how) for e in ("native", "memory"))
    assert len(slow.nodes) > 20
    assert_same(fast, slow)
    assert fast.about.get("pruning") == slow.about.get("pruning")


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["c4.5", "j48"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_pruning_makes_the_same_decisions(seed, name, raising, missing, weighted):
    rng = np.random.default_rng(seed)
    table = some_table(
        rng, int(rng.integers(20, 400)), regression=False, missing=missing, weighted=weighted
    )
    recipe = recipe_of(name, pruning="none", collapse=False, min_branch=1.0).fits(table)
    tree = native.Engine(table).grow(recipe)
    assert tree is not None
    how = {"raise_branches": raising, "confidence": float(rng.choice([0.05, 0.25, 0.5]))}
    fast, fast_made = error_based.prune(tree, native.Engine(table), **how)
    slow, slow_made = error_based.prune(tree, memory.Engine(table), **how)
    assert_same(fast, slow)
    assert [d.to_json() for d in fast_made] == [d.to_json() for d in slow_made]


@pytest.mark.parametrize("start", range(0, 800, 200))
def test_a_raised_branch_gets_rows_without_its_values(start):
    """Few values are missing, in rows that reach no split on their columns before it is raised."""
    for seed in range(start, start + 200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 60))
        table = some_table(rng, n, regression=False, missing=False, weighted=False, scale=1)
        columns = []
        for column in table.columns:
            codes = column.codes.copy()
            codes[rng.integers(0, n, int(rng.integers(0, 3)))] = -1
            columns.append(replace(column, codes=codes))
        table = replace(table, columns=tuple(columns))
        name = str(rng.choice(["c4.5", "j48", "c4.5-textbook"]))
        whole = {} if name == "c4.5-textbook" else {"pruning": "none", "collapse": False}
        tree = native.Engine(table).grow(recipe_of(name, min_branch=1.0, **whole).fits(table))
        assert tree is not None
        how = {"raise_branches": True, "confidence": float(rng.choice([0.05, 0.25, 0.5]))}
        fast, fast_made = error_based.prune(tree, native.Engine(table), **how)
        slow, slow_made = error_based.prune(tree, memory.Engine(table), **how)
        assert_same(fast, slow)
        assert [d.to_json() for d in fast_made] == [d.to_json() for d in slow_made], seed
