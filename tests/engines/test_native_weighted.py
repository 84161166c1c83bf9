"""Rows that do not count one each: the measuring kernel grows the tree of memory, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.test_native import assert_same, some_recipe
from penjing.api.fit import fit
from penjing.data.lazy_column import LazyColumn
from penjing.data.table import Column, Table, numeric
from penjing.engines import memory, native
from penjing.errors import ChoiceError, DataError
from penjing.grow.recipe import Recipe
from penjing.predict.flat import threshold_gaps
from random_tables import some_table
from user_trees import grow


def assert_all_same(table, recipe, smalls=(4, 25, 1000), threads=(1, 2, 7)):
    """Lists only, buckets down to a few rows, and what is between; any number of threads."""
    with np.errstate(all="ignore"):
        oracle = grow(memory.Engine(table), recipe)
        for small in smalls:
            for n in threads:
                engine = native.Engine(table, threads=n)
                engine._small = small
                grown = engine.grow(recipe)
                if grown is None:
                    return
                assert_same(oracle, grown)
                assert_gap(grown, table)


def assert_gap(tree, table):
    if tree.nodes.gap is None:  # the plain kernel had to do it
        return
    np.testing.assert_array_equal(tree.nodes.gap, threshold_gaps(tree, table))


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 250),
    kind=st.fixed_dictionaries(
        {name: st.booleans() for name in ("regression", "missing", "weighted")}
    ),
)
def test_on_every_road(seed, n, kind):
    rng = np.random.default_rng(seed)
    recipe = some_recipe(rng, regression=kind["regression"])
    assert_all_same(some_table(rng, n, **kind), recipe, threads=(1, 3))


TARGETS = {
    "huge": lambda rng, x: x * 1e60 + rng.normal(size=len(x)) * 1e58,
    "tiny": lambda rng, x: x * 1e-60 + rng.normal(size=len(x)) * 1e-62,
    "out of range": lambda rng, x: x * 1e-130 + rng.normal(size=len(x)) * 1e-131,
    "far away": lambda rng, x: 1e9 + x + rng.normal(size=len(x)) * 1e-3,
    "heavy tails": lambda rng, x: np.exp(rng.normal(size=len(x)) * 6) + x,
    "one outlier": lambda rng, x: np.where(np.arange(len(x)) == 7, 1e12, x),  # noqa: ARG005
    "two values": lambda rng, x: (x + rng.normal(size=len(x)) > 0).astype(float),
    "negative, whole": lambda rng, x: -np.floor(np.abs(x) * 3) - rng.integers(0, 2, len(x)),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", TARGETS)
def test_targets_of_every_size(name, weighted):
    rng = np.random.default_rng(5)
    n = 700
    x = [rng.normal(size=n), rng.integers(0, 30, n) / 7, rng.normal(size=n), np.zeros(n)]
    columns = [numeric(f"c{i}", v) for i, v in enumerate(x)]
    columns.append(numeric("twin", x[0] * 3))  # ties in every node
    target = numeric("y", TARGETS[name](rng, x[0] + (x[1] > 2)))
    weight = rng.random(n) if weighted else None
    table = Table(tuple(columns), target, n, weight)
    assert_all_same(table, Recipe("some", criterion="variance"), smalls=(3, 60), threads=(1, 2))


@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio", "variance"])
@pytest.mark.parametrize(
    "weights",
    [
        lambda rng, n: rng.integers(0, 3, n) / 10,
        lambda rng, n: 10.0 ** rng.integers(-14, 1, n),
        lambda rng, n: np.full(n, 0.1),  # noqa: ARG005
        lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.random(n)) + (np.arange(n) < 2),
    ],
    ids=["tenths", "many sizes", "equal", "mostly none"],
)
def test_weights_of_every_size(criterion, weights):
    """Sums of tenths fall on both sides of the least weight of a branch."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n = 100
        plain = some_table(rng, n, regression=criterion == "variance", missing=seed % 2 == 0,
                           weighted=False)  # fmt: skip
        table = Table(plain.columns, plain.target, n, weights(rng, n))
        recipe = Recipe(
            "some",
            criterion=criterion,
            shape="binary" if seed % 3 else "multiway",
            missing="fraction",
            min_branch=[0.0, 0.3, 1.0][seed % 3],
        )
        assert_all_same(table, recipe, smalls=(3, 1000), threads=(1, 2))


@pytest.mark.parametrize("missing", ["fraction", "stay"])
def test_rows_without_any_value(missing):
    rng = np.random.default_rng(2)
    n = 300
    x = rng.normal(size=(n, 4))
    x[rng.random(x.shape) < 0.3] = np.nan
    x[:30] = np.nan
    x[:, 3] = np.nan
    levels = np.where(rng.random(n) < 0.3, -1, rng.integers(0, 5, n)).astype(np.int32)
    columns = [LazyColumn(f"c{j}", x[:, j]) for j in range(4)]
    columns.append(Column("n", "nominal", tuple("abcde"), levels))
    score = np.nan_to_num(x[:, 0]) + levels + rng.normal(size=n)
    targets = [numeric("y", score), Column("y", "nominal", ("a", "b"), (score > 1).astype("i4"))]
    for target in targets:
        table = Table(tuple(columns), target, n)
        criterion = "variance" if target is targets[0] else "gini"
        recipe = Recipe("some", criterion=criterion, missing="fraction", max_depth=4)
        oracle = grow(memory.Engine(table, missing), recipe)
        for small in (3, 50, 1000):
            for threads in (1, 2, 7):
                engine = native.Engine(table, missing, threads=threads)
                engine._small = small
                assert_same(oracle, engine.grow(recipe))


@pytest.mark.parametrize("kind", ["number", "weighted number", "weighted", "missing", "many"])
def test_the_fast_kernel_grows_what_the_plain_one_does(kind):
    """More values than buckets, more rows than a list: some buckets have to be opened."""
    rng = np.random.default_rng(3)
    n = 6_000
    x = rng.normal(size=(n, 6))
    x[:, 1] = rng.integers(0, 40, n)
    x[:, 2] = np.where(rng.random(n) < 0.9, 0.0, x[:, 2])
    score = np.sin(2 * x[:, 0]) + x[:, 3] ** 2 + (x[:, 1] > 20) + rng.normal(size=n) * 0.3
    if kind == "missing":
        x[rng.random(x.shape) < 0.1] = np.nan
    target = numeric("y", score)
    if kind in {"weighted", "missing", "many"}:
        k = 7 if kind == "many" else 2
        classes = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
        target = Column("y", "nominal", tuple(range(k)), classes.astype(np.int32))
    weight = rng.random(n) if kind in {"weighted number", "weighted", "many"} else None
    table = Table(tuple(LazyColumn(f"c{j}", x[:, j]) for j in range(6)), target, n, weight)
    for criterion in ("variance",) if target.is_numeric else ("gini", "gain"):
        recipe = Recipe("some", criterion=criterion, missing="fraction", max_depth=8)
        plain = native.Engine(table, threads=1)
        plain._by_row = True
        oracle = plain.grow(recipe)
        for small in (50, 1000, 10**6):
            for threads in (1, 2, 7) if small == 50 else (1,):
                engine = native.Engine(table, threads=threads)
                engine._small = small
                assert_same(oracle, engine.grow(recipe))


def test_values_missing_only_late():
    """The kernel starts with rows of weight one, and has to begin again."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4000, 3))
    y = x[:, 0] + rng.normal(size=4000)
    x[3000:, 1] = np.nan
    table = Table(tuple(LazyColumn(f"c{j}", x[:, j]) for j in range(3)), numeric("y", y), 4000)
    recipe = Recipe("some", criterion="variance", missing="fraction", max_depth=5)
    assert_same(grow(memory.Engine(table), recipe), native.Engine(table).grow(recipe))
    assert [column.n_missing for column in table.columns] == [0, 1000, 0]


@pytest.mark.parametrize("n", [40, 4000])
def test_what_is_refused(n):
    x = np.random.default_rng(4).normal(size=(n, 3))
    y = x[:, 0] + x[:, 1]
    x[n - 2, 1] = np.nan
    with pytest.raises(ChoiceError, match="1"):
        fit(x, y, "cart-textbook", missing="refuse")
    x[n - 2, 1] = np.inf
    with pytest.raises(DataError, match="inf"):
        fit(x, y, "cart-textbook")


@pytest.mark.parametrize("engine", ["memory", "native"])
@pytest.mark.parametrize("recipe", ["rpart", "sklearn", "cart-binary"])
def test_a_weight_that_is_lost_in_the_sum_of_all(recipe, engine):
    """The row of x = 1 has a weight, but no weight is left if that of the others is subtracted."""
    y, weight = [0.5, 1.0, 1e12], np.array([1e9, 1e9, 1e-9])
    table = Table((numeric("x", [0.0, 0.0, 1.0]),), numeric("y", y), 3, weight)
    settings = {"cp": 0.0, "minsplit": 2} if recipe == "rpart" else {}
    tree = fit(table, recipe=recipe, engine=engine, quiet=True, **settings)
    assert tree.n_leaves == 1
