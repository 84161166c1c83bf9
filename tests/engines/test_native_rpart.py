"""rpart's recipe: the native engine grows the tree of the memory engine, surrogates included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data.table import Column, Table, numeric
from penjing.dialects.rpart import RPART_RECIPE as RPART
from penjing.engines import memory, native
from penjing.registry import load
from penjing.tree.counts import reader_of
from user_trees import grow


def some_column(rng, name, z, *, missing):
    """Return a column that says something of z, or nothing; nominal, ordered or numbers."""
    n = len(z)
    share = rng.choice([0.05, 0.3, 0.9, 1.0], p=[0.5, 0.4, 0.07, 0.03])
    lost = rng.random(n) < (share if missing and rng.random() < 0.7 else -1)
    if rng.random() < 0.35:
        n_levels = int(rng.integers(1, 8))
        ranks = np.digitize(z, np.linspace(-1, 1, n_levels)[1:])
        codes = ranks if rng.random() < 0.5 else rng.integers(0, n_levels, n)
        levels = tuple(f"l{i}" for i in range(n_levels + 1))
        kind = "nominal" if rng.random() < 0.7 else "ordered"
        return Column(name, kind, levels, np.where(lost, -1, codes).astype(np.int32))
    kinds = (
        lambda: rng.integers(0, rng.integers(1, 5), n) / 3,
        lambda: rng.normal(size=n),
        lambda: z + rng.normal(size=n) * 0.3,
        lambda: rng.integers(-3, 4, n) * 10.0 ** rng.integers(-300, 300),
        lambda: np.round(z + rng.normal(size=n) * 0.2, 1),
        lambda: -z,
    )
    return numeric(name, np.where(lost, np.nan, kinds[rng.integers(len(kinds))]()))


def some_target(rng, z, *, regression):
    n = len(z)
    if regression:
        spread = 10.0 ** rng.integers(-20, 20)
        few = rng.random() < 0.3
        return numeric("y", rng.integers(0, 5, n) / 7 if few else (z + rng.normal(size=n)) * spread)
    k = int(rng.integers(1, 4)) if rng.random() < 0.75 else int(rng.integers(4, 12))
    codes = rng.choice(k, n, p=rng.dirichlet(np.ones(k)))
    if rng.random() < 0.7:
        codes = np.digitize(z + rng.normal(size=n) * 0.4, np.linspace(-1, 1, k)[1:])
    unseen = int(rng.random() < 0.2)
    levels = tuple(f"k{i}" for i in range(k + unseen))
    return Column("y", "nominal", levels, codes.astype(np.int32))


def some_table(rng, n, *, regression, missing, weighted):
    z = rng.normal(size=n)
    columns = [some_column(rng, f"c{i}", z, missing=missing) for i in range(rng.integers(1, 7))]
    if rng.random() < 0.4:
        columns.append(replace(columns[0], name="again"))  # two that tie everywhere
    weight = None
    if weighted:
        weight = rng.integers(1, 4, n) / 3 if rng.random() < 0.5 else rng.random(n) + 1e-3
    return Table(tuple(columns), some_target(rng, z, regression=regression), n, weight)


def some_settings(rng, table):
    found = {
        "cp": float(rng.choice([0, 0.001, 0.01, 0.05])),
        "minsplit": int(rng.choice([1, 2, 5, 20])),
        "maxsurrogate": int(rng.choice([0, 1, 5])),
        "usesurrogate": int(rng.integers(0, 3)),
        "surrogatestyle": int(rng.integers(0, 2)),
    }
    if rng.random() < 0.5:
        found["minbucket"] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        found["maxdepth"] = int(rng.integers(0, 6))
    if rng.random() < 0.1:
        found["min_gain"] = 0.01
    if rng.random() < 0.25:
        found["max_leaves"] = int(rng.integers(1, 12))
    if rng.random() < 0.2:
        found["cost"] = tuple(rng.choice([1.0, 2.0, 0.5], len(table.columns)).tolist())
    if table.is_regression:
        found["sums"] = str(rng.choice(["exact", "cases"]))
        return found
    found["split"] = str(rng.choice(["gini", "information"]))
    k = len(table.target.levels)
    if k > 1 and rng.random() < 0.25:
        prior = rng.dirichlet(np.full(k, 3.0))
        found["prior"] = (prior / prior.sum()).tolist()
    if k > 1 and rng.random() < 0.25:
        found["loss"] = (rng.integers(1, 5, (k, k)) * (1.0 - np.eye(k))).tolist()
    return found


def check(table, threads, **changes):
    """Grow by both engines; return how many numbers of threads the native one could use."""
    recipe = RPART.but(**changes)
    table = recipe.options.prepared(table)
    if not table.n_rows:
        return 0
    recipe = recipe.fits(table)
    reader = reader_of(table, recipe.options.costs(table), centred=recipe.options.centred)
    n_grown = 0
    with np.errstate(all="ignore"):
        expected = grow(memory.Engine(table, recipe.missing, reader=reader), recipe).to_json()
        for n_threads in threads:
            engine = native.Engine(table, recipe.missing, reader=reader, threads=n_threads)
            grown = engine.grow(recipe)
            if grown is not None:
                n_grown += 1
                assert load("dialect", "rpart").finish(grown, engine, recipe).to_json() == expected
    return n_grown


@settings(max_examples=500, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 90),
    threads=st.sampled_from([(1,), (2,), (7,)]),
    kind=st.fixed_dictionaries(
        {name: st.booleans() for name in ("regression", "missing", "weighted")}
    ),
)
def test_any_table_and_settings(seed, n, threads, kind):
    rng = np.random.default_rng(seed)
    table = some_table(rng, n, **kind)
    check(table, threads, **some_settings(rng, table))


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_larger_tables(missing, regression):
    """Nodes large enough to be shared out by columns."""
    rng = np.random.default_rng(5)
    n = 5000
    z = rng.normal(size=n)
    columns = [some_column(rng, f"c{i}", z, missing=missing) for i in range(8)]
    target = some_target(rng, z, regression=regression)
    table = Table(tuple(columns), target, n)
    assert check(table, (1, 2, 7), cp=0.001) == 3


def test_many_groupings():
    """More groupings than are scored at a time; the best may stand in any batch."""
    rng = np.random.default_rng(1)
    n = 2000
    codes = rng.integers(0, 16, n).astype(np.int32)
    target = ((codes * 7 % 16) // 6 + (rng.random(n) < 0.3)) % 3
    table = Table(
        (Column("x", "nominal", tuple("abcdefghijklmnop"), codes), numeric("z", rng.random(n))),
        Column("y", "nominal", ("p", "q", "r"), target.astype(np.int32)),
        n,
    )
    assert check(table, (1, 2), cp=0.001) == 2


def test_what_it_cannot_grow_it_leaves():
    rng = np.random.default_rng(2)
    n = 60
    x = Column("x", "nominal", tuple("abc"), rng.integers(0, 3, n).astype(np.int32))
    y = Column("y", "nominal", tuple("pqr"), rng.integers(0, 3, n).astype(np.int32))
    assert check(Table((x,), y, n, np.full(n, 0.5)), (1,)) == 0
    assert check(Table((x,), y, n), (1,)) == 1
