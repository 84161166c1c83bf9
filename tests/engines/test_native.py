"""Every engine grows the same tree: the memory engine is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data.table import Column, Table, numeric
from penjing.engines import memory, native
from penjing.grow.recipe import Recipe
from random_tables import some_table
from user_trees import grow

ARRAYS = ("parent", "column", "cut", "level_start", "level_codes", "total", "gain", "score")

LESS = 1 if settings.default.max_examples >= 1000 else 8
"""1,000 random tables in `make test-all`, an eighth of them in `make test`."""


def assert_same(one, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one.nodes, name), getattr(other.nodes, name), name)
    assert one.about == other.about
    assert one.recipe == other.recipe


def some_recipe(rng, *, regression):
    criterion = "variance" if regression else str(rng.choice(["gain", "gain_ratio", "gini"]))
    return Recipe(
        "some",
        criterion=criterion,
        shape=str(rng.choice(["multiway", "binary"])),
        missing="fraction",
        max_depth=None if rng.random() < 0.6 else int(rng.integers(0, 5)),
        max_leaves=None if rng.random() < 0.75 else int(rng.integers(1, 30)),
        min_weight=float(rng.choice([0, 0, 2.5, 5])),
        min_branch=float(rng.choice([0, 0, 1, 2])),
        min_gain=float(rng.choice([0, 0, 0.01])),
    )


def check(seed, n, threads, **kind):
    rng = np.random.default_rng(seed)
    recipe = some_recipe(rng, regression=kind["regression"])
    table = some_table(rng, n, **kind)
    with np.errstate(all="ignore"):
        grown = native.Engine(table, threads=threads).grow(recipe)
        if grown is not None:
            assert_same(grow(memory.Engine(table), recipe), grown)


@settings(max_examples=300 // LESS, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 80),
    threads=st.sampled_from([1, 2, 7]),
    kind=st.fixed_dictionaries(
        {name: st.booleans() for name in ("regression", "missing", "weighted")}
    ),
)
def test_native_grows_the_tree_of_memory(seed, n, threads, kind):
    check(seed, n, threads, **kind)


@settings(max_examples=400 // LESS, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 300), threads=st.sampled_from([1, 2, 7]))
def test_rows_that_count_one_each(seed, n, threads):
    check(seed, n, threads, regression=False, missing=False, weighted=False)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
def test_larger_tables(criterion, threads):
    rng = np.random.default_rng(7)
    table = some_table(
        rng, 3000, regression=False, missing=False, weighted=False, n_columns=6, scale=400
    )
    recipe = Recipe("some", criterion=criterion, shape="multiway")
    grown = native.Engine(table, threads=threads).grow(recipe)
    assert grown is not None
    assert_same(grow(memory.Engine(table), recipe), grown)


def test_what_it_cannot_grow_it_leaves():
    rng = np.random.default_rng(1)
    table = some_table(rng, 50, regression=False, missing=False, weighted=False)
    engine = native.Engine(table)
    assert engine.grow(Recipe("some", criterion=lambda counts: counts.min(-1))) is None


@settings(max_examples=300 // LESS, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 300), threads=st.sampled_from([1, 2, 7]))
def test_buckets_down_to_a_few_rows(seed, n, threads):
    rng = np.random.default_rng(seed)
    recipe = some_recipe(rng, regression=False)
    table = some_table(rng, n, regression=False, missing=False, weighted=False)
    engine = native.Engine(table, threads=threads)
    engine._small = 4
    with np.errstate(all="ignore"):
        grown = engine.grow(recipe)
        if grown is not None:
            assert_same(grow(memory.Engine(table), recipe), grown)


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
def test_sorted_or_in_buckets_is_the_same(criterion, k):
    """More values than buckets: some have to be opened."""
    rng = np.random.default_rng(3)
    n = 4000
    values = [rng.normal(size=n), rng.integers(0, 900, n) * 0.1, rng.lognormal(size=n) ** 3]
    values += [(values[0] > 1).astype(float), np.where(rng.random(n) < 0.98, 0.0, values[1])]
    sums = values[0] + np.sin(values[1]) + rng.normal(size=n) * 0.3
    target = np.digitize(sums, np.quantile(sums, np.arange(1, k) / k)).astype(np.int32)
    table = Table(
        tuple(numeric(f"c{i}", v) for i, v in enumerate(values)),
        Column("y", "nominal", tuple(range(k)), target),
        n,
    )
    recipe = Recipe("some", criterion=criterion)
    oracle = grow(memory.Engine(table), recipe)
    for small in (10, 300, 1000, 10**6):
        for threads in (1, 2, 7):
            engine = native.Engine(table, threads=threads)
            engine._small = small
            grown = engine.grow(recipe)
            assert grown is not None
            assert_same(oracle, grown)


@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
@pytest.mark.parametrize("n_levels", [65, 700, 3000])
def test_many_levels_are_put_in_order_of_their_share(criterion, n_levels):
    """Hundreds of levels, many of equal share: those stay in their order."""
    rng = np.random.default_rng(n_levels)
    n = 6000
    codes = np.minimum(rng.integers(0, n_levels, n), rng.integers(0, n_levels, n)).astype(np.int32)
    likely = rng.integers(0, 5, n_levels) / 4
    classes = (rng.random(n) < likely[codes]).astype(np.int32)
    names = tuple(f"l{i}" for i in range(n_levels))
    table = Table(
        (Column("c", "nominal", names, codes), numeric("x", rng.normal(size=n))),
        Column("y", "nominal", ("a", "b"), classes),
        n,
    )
    recipe = Recipe("some", criterion=criterion, shape="binary", max_depth=4)
    assert_same(grow(memory.Engine(table), recipe), native.Engine(table).grow(recipe))


@pytest.mark.parametrize("kind", ["plain", "weighted", "missing"])
@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
def test_many_levels_of_many_classes_are_grouped_along_one_direction(criterion, kind):
    """More levels than every grouping is tried of, more classes than two."""
    rng = np.random.default_rng(17)
    n, n_levels, k = 2500, 40, 5
    codes = np.minimum(rng.integers(0, n_levels, (2, n)), rng.integers(0, n_levels, (2, n)))
    pull = rng.normal(size=(2, n_levels, k))
    scores = pull[0][codes[0]] + pull[1][codes[1]] + rng.gumbel(size=(n, k))
    if kind == "missing":
        codes[0][rng.random(n) < 0.04] = -1
    names = tuple(f"l{i}" for i in range(n_levels))
    table = Table(
        tuple(Column(f"c{i}", "nominal", names, codes[i].astype(np.int32)) for i in range(2)),
        Column("y", "nominal", tuple("abcde"), scores.argmax(1).astype(np.int32)),
        n,
        rng.integers(1, 4, n) / 2 if kind == "weighted" else None,
    )
    missing = "fraction" if kind == "missing" else "refuse"
    recipe = Recipe("some", criterion=criterion, shape="binary", max_depth=6, missing=missing)
    grown = native.Engine(table).grow(recipe)
    assert grown is not None
    assert_same(grow(memory.Engine(table), recipe), grown)


@pytest.mark.parametrize("max_depth", [3, 12])  # a deep tree has finer codes
@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_a_minimum_bars_the_edges_of_buckets(criterion, max_depth):
    """The best admissible cut lies inside a bucket whose edges are too near the end."""
    rng = np.random.default_rng(5)
    n = 3000
    for seed in range(12):
        values = [rng.normal(size=n) for _ in range(3)]
        odd = values[seed % 3] < np.quantile(values[seed % 3], 0.004 + 0.001 * seed)
        classes = np.where(odd, 1, rng.random(n) < 0.02).astype(np.int32)
        table = Table(
            tuple(numeric(f"c{i}", v) for i, v in enumerate(values)),
            Column("y", "nominal", ("a", "b"), classes),
            n,
        )
        recipe = Recipe("some", criterion=criterion, min_branch=7 + seed, max_depth=max_depth)
        engine = native.Engine(table, threads=1)
        engine._small = 50
        assert_same(grow(memory.Engine(table), recipe), engine.grow(recipe))


@pytest.mark.parametrize("kind", ["plain", "weighted", "missing", "regression"])
@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
def test_threads_share_large_nodes(criterion, kind):
    """Large enough that columns of one node are dealt to several threads."""
    rng = np.random.default_rng(11)
    n = 20_000 if kind == "plain" else 5_000
    x = [rng.normal(size=n), rng.integers(0, 50, n) / 4, rng.normal(size=n)]
    if kind == "missing":
        x[0][rng.random(n) < 0.05] = np.nan
    levels = rng.integers(0, 12, n).astype(np.int32)
    columns = [numeric(f"c{i}", v) for i, v in enumerate(x)]
    columns.append(Column("n", "nominal", tuple(f"l{i}" for i in range(12)), levels))
    score = np.nan_to_num(x[0]) + x[1] / 8 + levels % 3 + rng.normal(size=n)
    classes = np.digitize(score, [1.0, 3.0]).astype(np.int32)
    target = Column("y", "nominal", ("a", "b", "c"), classes)
    weight = rng.random(n) if kind == "weighted" else None
    if kind == "regression":
        criterion, target = "variance", numeric("y", score)
    table = Table(tuple(columns), target, n, weight)
    recipe = Recipe("some", criterion=criterion, missing="fraction", max_depth=9)
    alone = native.Engine(table, threads=1).grow(recipe)
    for threads in (2, 7):
        assert_same(alone, native.Engine(table, threads=threads).grow(recipe))
