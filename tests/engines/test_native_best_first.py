"""With a limit on leaves the native engine grows every recipe itself, best first as memory does."""

from __future__ import annotations

import numpy as np
import pytest

from engines.test_native import assert_same
from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.registry import load
from penjing.tree.counts import reader_of
from user_trees import grow


def some_table(rng, n, *, regression, missing, weighted):
    """Return columns of few and many values, with columns that tie everywhere."""
    z = rng.normal(size=(n, 3))
    numbers = [z[:, 0].copy(), np.round(z[:, 1], 1), z[:, 0].copy()]
    codes = [rng.integers(0, k, n) for k in (2, 4, 4)]
    if missing:
        for values in numbers:
            values[rng.random(n) < 0.1] = np.nan
        codes = [np.where(rng.random(n) < 0.1, -1, c) for c in codes]
    columns = [numeric(f"x{j}", values) for j, values in enumerate(numbers)]
    for j, c in enumerate(codes):
        levels = tuple(f"v{i}" for i in range(max(int(c.max()) + 1, 1)))
        columns.append(Column(f"c{j}", "nominal", levels, c.astype(np.int32)))
    score = z[:, 0] + (codes[0] > 0) * z[:, 1] + 0.3 * rng.normal(size=n)
    if regression:
        target = numeric("y", np.round(score, 2))
    else:
        y = np.digitize(score, [-0.6, 0.7]).astype(np.int32)
        target = Column("y", "nominal", ("a", "b", "c"), y)
    weight = rng.integers(1, 4, n) / 3 if weighted else None
    return Table(tuple(columns), target, n, weight)


def check(table, name, max_leaves, threads, **settings):
    recipe = recipe_of(name, max_leaves=max_leaves, **settings)
    table = recipe.options.prepared(table)
    recipe = recipe.fits(table)
    reader = reader_of(table, recipe.options.costs(table), centred=recipe.options.centred)
    with np.errstate(all="ignore"):
        expected = grow(memory.Engine(table, recipe.missing, reader=reader), recipe)
        for n_threads in threads:
            engine = native.Engine(table, recipe.missing, reader=reader, threads=n_threads)
            grown = engine.grow(recipe)
            assert grown is not None
            grown = load("dialect", recipe.rules).finish(grown, engine, recipe)
            assert_same(expected, grown)
    return expected


CASES = [
    ("id3", False, False),
    ("c4.5-textbook", False, True),
    ("cart-textbook", False, False),
    ("cart-binary", False, True),
    ("cart-binary", True, True),
    ("c4.5", False, True),
    ("j48", False, True),
    ("c5.0", False, True),
    ("rpart", False, True),
    ("rpart", True, True),
    ("sklearn", False, False),
    ("sklearn", True, False),
]
PRUNES = ("c4.5", "j48", "c5.0")
SETTINGS = {"rpart": {"cp": 0.0, "minsplit": 4}, "cart-binary": {"missing": "fraction"}}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "regression", "missing"), CASES)
def test_every_recipe(name, regression, missing, weighted):
    settings = SETTINGS.get(name, {})
    n_leaves = []
    for seed, max_leaves in enumerate((1, 2, 3, 8, 33)):
        rng = np.random.default_rng(seed)
        plain = some_table(rng, 150, regression=regression, missing=missing, weighted=weighted)
        table = plain
        if name in ("rpart", "sklearn"):  # weighted groupings of three classes are Python's
            columns = tuple(c for c in plain.columns if c.has_order)
            table = Table(columns, plain.target, plain.n_rows, plain.weight)
        n_leaves.append(check(table, name, max_leaves, (1, 3), **settings).n_leaves)
        assert n_leaves[-1] <= max_leaves
    assert n_leaves[-1] > (3 if name in PRUNES else 8)


@pytest.mark.parametrize("name", ["id3", "cart-binary", "c4.5", "rpart", "sklearn"])
def test_nodes_whose_columns_are_shared(name):
    rng = np.random.default_rng(3)
    missing = name in ("c4.5", "rpart")
    table = some_table(rng, 8000, regression=False, missing=missing, weighted=False)
    columns = [c for c in table.columns if c.has_order or name != "sklearn"]
    settings = SETTINGS.get(name, {})
    table = Table(tuple(columns), table.target, table.n_rows)
    assert check(table, name, 60, (1, 2), **settings).n_leaves > 30
