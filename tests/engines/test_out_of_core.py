"""The disk engine grows the tree of the memory engine, whatever has to be looked at twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data import store as data_store
from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import RECIPES
from penjing.engines import memory
from penjing.engines.out_of_core import bucket_candidates
from penjing.engines.out_of_core import engine as disk_engine
from penjing.errors import CapabilityError
from penjing.grow.recipe import Recipe
from penjing.predict.flat import threshold_gaps
from user_trees import grow

ARRAYS = ("parent", "column", "cut", "level_start", "level_codes", "total", "gain", "score")
LESS = 1 if settings.default.max_examples >= 1000 else 20


def assert_same(one, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one.nodes, name), getattr(other.nodes, name), name)
    assert one.about == other.about
    assert one.recipe == other.recipe


@pytest.fixture
def coarse(monkeypatch):
    """Few cells, so that small tables have something to look into."""

    def set_to(apart, cells, noise=9.0):
        monkeypatch.setattr(data_store, "MAX_SINGLE_VALUE_CELLS", apart)
        monkeypatch.setattr(data_store, "N_CELLS", cells)
        monkeypatch.setattr(bucket_candidates, "MAX_OPEN_SHARE", noise)

    return set_to


def some_table(rng, n, k):
    shape = rng.integers(0, 4, int(rng.integers(1, 5)))
    columns = []
    for i, kind in enumerate(shape.tolist()):
        if kind == 0:
            codes = rng.integers(0, int(rng.integers(1, 30)), n).astype(np.int32)
            levels = tuple(f"l{j}" for j in range(30))
            columns.append(Column(f"c{i}", str(rng.choice(["nominal", "ordered"])), levels, codes))
        else:
            values = [rng.normal(size=n), rng.lognormal(sigma=4, size=n), rng.integers(0, 9, n) / 3]
            columns.append(numeric(f"c{i}", values[kind - 1]))
    score = sum(np.asarray(c.codes) / max(len(c.levels), 1) for c in columns)
    score = score + rng.normal(size=n) * rng.choice([0.01, 1.0, 100.0])
    classes = np.digitize(score, np.quantile(score, np.arange(1, k) / k)).astype(np.int32)
    target = Column("y", "nominal", tuple(f"k{i}" for i in range(k)), classes)
    return Table(tuple(columns), target, n)


@settings(max_examples=400 // LESS, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_tree_of_memory(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 400)), int(rng.choice([2, 3, 4, 6]))
    table = some_table(rng, n, k)
    recipe = Recipe(
        "some",
        criterion=str(rng.choice(["gini", "gain", "gain_ratio"])),
        shape=str(rng.choice(["multiway", "binary"])),
        max_depth=None if rng.random() < 0.6 else int(rng.integers(0, 5)),
        min_weight=float(rng.choice([0, 0, 2.5, 5])),
        min_branch=float(rng.choice([0, 0, 1, 9])),
        min_gain=float(rng.choice([0, 0, 0.01])),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_store, "MAX_SINGLE_VALUE_CELLS", int(rng.choice([2, 10, 16000])))
        patch.setattr(data_store, "N_CELLS", int(rng.choice([3, 10, 40, 200])))
        patch.setattr(bucket_candidates, "MAX_OPEN_SHARE", float(rng.choice([0.25, 9])))
        engine = disk_engine.Engine(table, threads=int(rng.integers(1, 3)))
        engine._small = int(rng.choice([0, 0, 5, 50, 1000]))
        with np.errstate(all="ignore"):
            oracle, grown = grow(memory.Engine(table), recipe), engine.grow(recipe)
    assert_same(oracle, grown)
    np.testing.assert_array_equal(threshold_gaps(oracle, table), grown.nodes.gap)


@pytest.mark.parametrize("criterion", ["gini", "gain", "gain_ratio"])
def test_little_memory_means_more_passes_and_the_same_tree(criterion, coarse):
    coarse(2, 60)
    rng = np.random.default_rng(3)
    n = 1500
    columns = tuple(numeric(f"c{i}", rng.normal(size=n)) for i in range(3))
    target = Column("y", "nominal", ("a", "b", "c"), rng.integers(0, 3, n).astype(np.int32))
    table = Table(columns, target, n)
    recipe = Recipe("some", criterion=criterion, max_depth=2)
    oracle = grow(memory.Engine(table), recipe)
    told: list[list] = []
    for limit in (20_000, 200_000, "1GB"):
        engine = disk_engine.Engine(table, memory_limit=limit)
        engine._small = 0
        told.append([])
        assert_same(oracle, engine.grow(recipe, told[-1].append))
    passes = [sofar[-1].row_levels // n for sofar in told]
    assert passes[0] > passes[1] > passes[2]
    assert told[2][0].generation == 1
    assert told[2][0].n_open == 2


def test_what_memory_alone_can_do_is_refused_where_it_does_not_fit():
    target = Column("y", "nominal", ("a", "b"), np.array([0, 1, 0, 1], np.int32))
    table = Table((numeric("x", [1.0, 2.0, np.nan, 4.0]),), target, 4)
    recipe = RECIPES["c4.5-textbook"]
    engine = disk_engine.Engine(table, memory_limit=10)
    with pytest.raises(CapabilityError, match="of memory to grow a tree"):
        engine.grow(recipe)
    assert_same(grow(memory.Engine(table), recipe), disk_engine.Engine(table).grow(recipe))


def test_the_folder_goes_with_the_engine():
    table = some_table(np.random.default_rng(1), 50, 2)
    engine = disk_engine.Engine(table)
    folder = engine._space.folder
    assert list(folder.iterdir())
    del engine
    assert not folder.exists()
