"""Pruning that must not remove some splits ends at the first one that it would, and only then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import named_recipe
from penjing.engines import memory, native
from penjing.grow.loop import grow_unpruned
from penjing.prune.kept_splits import KeptSplitRemovedError, check_kept_splits
from penjing.prune.renumber import map_nodes
from penjing.training.train import train
from penjing.tree.forced import forced_nodes
from penjing.tree.tree_data import TreeData
from random_tables import some_table

RECIPES = ["c4.5", "j48", "c5.0"]


def grown_tree(name: str, seed: int, engine: Any) -> tuple[TreeData, Any, Any]:
    rng = np.random.default_rng([seed, len(name)])
    missing = bool(rng.random() < 0.5)
    table = some_table(rng, int(rng.integers(20, 150)), regression=False, missing=missing,
                       weighted=False)  # fmt: skip
    recipe = named_recipe(name).fits(table)
    counter = engine.Engine(table, missing=recipe.missing)
    return grow_unpruned(counter, recipe), counter, recipe


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("engine", [native, memory], ids=["native", "memory"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_it_ends_only_if_the_split_goes(name: str, engine: Any, seed: int) -> None:
    grown, counter, recipe = grown_tree(name, seed, engine)
    dialect = recipe.dialect
    assert dialect.finish_keeping is not None
    finished = dialect.finish(grown, counter, recipe)
    mapping = map_nodes(grown, finished)
    changed = mapping.cut | mapping.other
    for node in np.flatnonzero(~grown.is_leaf).tolist():
        try:
            kept = dialect.finish_keeping(grown, counter, recipe, grown.path(node))
        except KeptSplitRemovedError:
            above = [mapping.now.get(each) for each in grown.path(node)]
            assert any(new is None or new in changed for new in above)
        else:
            assert kept.to_json() == finished.to_json()


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("seed", range(12))
def test_a_forced_split_that_pruning_raises_stays(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, 3])
    table = some_table(rng, 200, regression=False, missing=False, weighted=False)
    column = str(rng.choice([c.name for c in table.columns if len(c.levels) > 1]))
    trees = []
    for engine in ("native", "memory"):
        trees.append(train(table, recipe=name, engine=engine, force_splits={"": column}))
        assert list(forced_nodes(trees[-1])) == [0]
    assert trees[0].to_json() == trees[1].to_json()


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("engine", ["native", "memory"])
def test_it_ends_where_the_root_is_raised(name: str, engine: str) -> None:
    rng = np.random.default_rng(5)
    n = 300
    useless = Column("u", "nominal", ("a", "b"), rng.integers(0, 2, n).astype(np.int32))
    x = rng.normal(size=n)
    target = Column("y", "nominal", ("p", "q"), (x + rng.normal(size=n) * 0.3 > 0).astype(np.int32))
    table = Table((useless, numeric("x", x)), target, n)
    unpruned = {"pruning": "none", "collapse": False} | (
        {"gather": False} if name == "c5.0" else {}
    )
    grown = train(table, recipe=name, force_splits={"": "u"}, **unpruned)
    recipe = named_recipe(name).fits(table)
    counter = {"native": native, "memory": memory}[engine].Engine(table, missing=recipe.missing)
    finished = recipe.dialect.finish(grown, counter, recipe)
    assert finished.schema[int(finished.nodes.column[0])].name == "x"
    assert recipe.dialect.finish_keeping is not None
    with pytest.raises(KeptSplitRemovedError):
        recipe.dialect.finish_keeping(grown, counter, recipe, [0])


def test_leaves_in_the_place_of_kept_splits() -> None:
    check_kept_splits(np.array([4, 7]), ())
    with pytest.raises(KeptSplitRemovedError):
        check_kept_splits(np.array([4, 7]), {0, 7})
