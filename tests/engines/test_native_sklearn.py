"""scikit-learn's recipe: the native engine grows the tree of the memory engine, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data.table import Column, Table, numeric
from penjing.dialects.sklearn import SKLEARN_RECIPE as SKLEARN
from penjing.engines import memory, native
from penjing.predict.flat import threshold_gaps
from penjing.registry import load
from penjing.tree.counts import reader_of
from user_trees import grow


def some_numbers(rng, n):
    """Return numbers of one kind: few, many, equal in 32 bits, closer than the gap, huge."""
    kinds = (
        lambda: rng.integers(0, rng.integers(1, 5), n) / 3,
        lambda: rng.normal(size=n),
        lambda: 0.5 + rng.integers(0, 20, n) * 6e-8,
        lambda: rng.normal(size=n) * 1e-7,
        lambda: rng.integers(-3, 4, n) * 10.0 ** rng.integers(-37, 38),
        lambda: np.round(rng.normal(size=n), 1),
        lambda: np.full(n, 2.5),
    )
    return kinds[rng.integers(len(kinds))]()


def some_column(rng, name, n, *, missing):
    share = rng.choice([0.05, 0.3, 0.9, 1.0], p=[0.5, 0.35, 0.1, 0.05])
    lost = rng.random(n) < (share if missing and rng.random() < 0.7 else -1)
    if rng.random() < 0.15:
        n_levels = int(rng.integers(1, 7))
        codes = np.where(lost, -1, rng.integers(0, n_levels, n)).astype(np.int32)
        return Column(name, "nominal", tuple(f"l{i}" for i in range(n_levels + 1)), codes)
    return numeric(name, np.where(lost, np.nan, some_numbers(rng, n)))


def some_target(rng, n, first, *, regression):
    if regression:
        whole = rng.random() < 0.5
        spread = 10.0 ** rng.integers(-20, 20)
        return numeric("y", rng.integers(0, 5, n) / 7 if whole else rng.normal(size=n) * spread)
    k = int(rng.integers(1, 4)) if rng.random() < 0.75 else int(rng.integers(4, 30))
    codes = rng.choice(k, n, p=rng.dirichlet(np.ones(k)))
    if rng.random() < 0.5:
        codes = (np.maximum(first.codes, 0) + (rng.random(n) < 0.2)) % k
    return Column("y", "nominal", tuple(f"k{i}" for i in range(k)), codes.astype(np.int32))


def some_table(rng, n, *, regression, missing, weighted):
    columns = [some_column(rng, f"c{i}", n, missing=missing) for i in range(rng.integers(1, 7))]
    if rng.random() < 0.4:
        columns.append(replace(columns[0], name="again"))  # two that tie everywhere
    weight = None
    if weighted:
        weight = rng.integers(1, 4, n) / 3 if rng.random() < 0.5 else rng.random(n) + 1e-3
    target = some_target(rng, n, columns[0], regression=regression)
    return Table(tuple(columns), target, n, weight)


def some_settings(rng, table):
    found = {
        "max_depth": int(rng.integers(0, 6)),
        "max_leaf_nodes": int(rng.integers(1, 12)),
        "min_samples_leaf": [1, 2, 3, 5, 0.1, 0.03][rng.integers(6)],
        "min_samples_split": [2, 3, 10, 0.2][rng.integers(4)],
        "min_weight_fraction_leaf": float(rng.choice([0.02, 0.1, 0.3])),
        "min_impurity_decrease": float(rng.choice([0.001, 0.02, 0.1])),
        "min_gain": 0.01,
        "ccp_alpha": 0.01,
        "max_features": [1, 2, 0.5, "sqrt", "log2"][rng.integers(5)],
    }
    found = {name: value for name, value in found.items() if rng.random() < 0.2}
    if isinstance(found.get("max_features"), int):
        found["max_features"] = min(found["max_features"], len(table.columns))
    if rng.random() < 0.5:
        found["random_state"] = int(rng.integers(0, 1000))
    if rng.random() < 0.15:
        found |= {"precision": "double", "gap": float(rng.choice([0, 1e-7, 1e-12]))}
    if not table.is_regression:
        found["criterion"] = str(rng.choice(["gini", "entropy"]))
        if rng.random() < 0.3:
            each = {level: float(rng.choice([0.3, 1, 2, 5.5])) for level in table.target.levels}
            found["class_weight"] = "balanced" if rng.random() < 0.5 else each
    return found


def check(table, threads, **changes):
    """Grow by both engines, the native one with each number of threads."""
    recipe = SKLEARN.but(**changes)
    table = recipe.options.prepared(table)
    recipe = recipe.fits(table)
    reader = reader_of(table, recipe.options.costs(table), centred=False)
    oracle = memory.Engine(table, recipe.missing, reader=reader)
    with np.errstate(all="ignore"):
        expected = grow(oracle, recipe).to_json()
        for n_threads in threads:
            engine = native.Engine(table, recipe.missing, reader=reader, threads=n_threads)
            grown = engine.grow(recipe)
            assert grown is not None
            finished = load("dialect", "sklearn").finish(grown, engine, recipe)
            np.testing.assert_array_equal(finished.nodes.gap, threshold_gaps(finished, table))
            plain = replace(finished, nodes=replace(finished.nodes, gap=None))
            assert plain.to_json() == expected


@settings(max_examples=500, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 80),
    threads=st.sampled_from([(1,), (2,), (7,)]),
    kind=st.fixed_dictionaries(
        {name: st.booleans() for name in ("regression", "missing", "weighted")}
    ),
)
def test_any_table_and_settings(seed, n, threads, kind):
    rng = np.random.default_rng(seed)
    table = some_table(rng, n, **kind)
    check(table, threads, **some_settings(rng, table))


@pytest.mark.parametrize("seed", range(6))
def test_larger_tables(seed):
    """Nodes large enough to be shared out by columns, and by subtrees."""
    rng = np.random.default_rng(seed)
    n = 4500
    z = rng.normal(size=(n, 6))
    y = (z[:, 0] + z[:, 1] * z[:, 2] + 0.3 * rng.normal(size=n) > 0) + (z[:, 3] > 1) * seed % 3
    columns = [numeric(f"c{i}", z[:, i]) for i in range(5)]
    columns.append(numeric("few", np.where(rng.random(n) < 0.1, np.nan, np.round(z[:, 5]))))
    codes = y.astype(np.int32)
    target = Column("y", "nominal", (0, 1, 2, 3), codes)
    table = Table(tuple(columns if seed % 2 else columns[:5]), target, n)
    changes = {"criterion": "entropy"} if seed > 3 else {}
    check(table, (1, 2, 7), min_samples_leaf=5, **changes)
    check(table, (1, 2, 7), random_state=seed, max_depth=6, **changes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("regression", [False, True])
def test_rows_are_numbered_anew_in_smaller_nodes(regression, weighted):
    rng = np.random.default_rng(3)
    n = 40_000
    z = rng.normal(size=(n, 3))
    y = z[:, 0] + z[:, 1] * z[:, 2] + rng.normal(size=n)
    codes = (y > 0).astype(np.int32)
    target = numeric("y", y) if regression else Column("y", "nominal", ("a", "b"), codes)
    weight = rng.random(n) + 0.1 if weighted else None
    columns = tuple(numeric(f"c{i}", z[:, i]) for i in range(3))
    check(Table(columns, target, n, weight), (1, 2, 7), max_depth=6)


def test_rows_or_classes_that_weigh_nothing_are_left_to_the_readable_loop():
    table = Table(
        (numeric("x", [1.0, 2.0, 3.0, 4.0]),),
        Column("y", "nominal", ("a", "b"), np.array([0, 0, 1, 1], np.int32)),
        4,
    )
    recipe = SKLEARN.but(class_weight={"a": 0.0}).fits(table)
    reader = reader_of(table, recipe.options.costs(table), centred=False)
    assert native.Engine(table, recipe.missing, reader=reader).grow(recipe) is None
