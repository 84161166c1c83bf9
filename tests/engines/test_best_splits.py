"""The best split of every column: C++ answers as the memory engine does, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.errors import PenjingError
from penjing.grow.recipe import Recipe
from penjing.registry import load
from penjing.training.train import train
from penjing.tree.counts import reader_of
from penjing.tree.split import BestSplits
from penjing.tree.tree_data import TreeData
from random_tables import some_table

N_TABLES = 60
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "id3": ({}, {"missing": "branch"}, {"min_branch": 2.0}),
    "c4.5-textbook": ({}, {"missing": "branch"}, {"min_branch": 1.5}),
    "cart-textbook": ({}, {"missing": "fraction"}),
    "cart-binary": ({}, {"missing": "branch"}, {"missing": "fraction", "min_branch": 2.0}),
}


def assert_same_splits(one: BestSplits, other: BestSplits) -> None:
    for name in ("gain", "split_information", "impurity", "cut", "n_candidates"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("missing", "worth", "order"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            np.testing.assert_array_equal(a, b, name)
    assert set(one.groups) == set(other.groups)
    for key, groups in one.groups.items():
        assert [g.tolist() for g in groups] == [g.tolist() for g in other.groups[key]]


def both_answers(
    table: Table, tree: TreeData, nodes: list[int], recipe: Recipe
) -> tuple[BestSplits, BestSplits]:
    options: dict[str, Any] = {"missing": recipe.missing}
    if (costs := recipe.options.costs(table)) is not None or not recipe.options.centred:
        options["reader"] = reader_of(table, costs, centred=recipe.options.centred)
    oracle = memory.Engine(table, **options)
    engine = native.Engine(table, **options, threads=int(1 + len(nodes) % 2))
    found = engine.best_splits(tree, nodes, recipe)
    assert found is not None, f"{recipe.name} has no search in C++"
    return found, load("dialect", recipe.rules).best_splits(oracle, tree, nodes, recipe)


def some_nodes(rng: np.random.Generator, tree: TreeData) -> list[int]:
    nodes = rng.permutation(tree.n_nodes)[: int(rng.integers(1, tree.n_nodes + 1))]
    return [int(node) for node in nodes]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_random_tables(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(name)])
    changes = SETTINGS[name][seed % len(SETTINGS[name])]
    recipe = recipe_of(name, **changes)
    regression = name not in {"c4.5-textbook", "c4.5", "j48", "c5.0"} and rng.random() < 0.4
    missing = recipe.missing != "refuse" and rng.random() < 0.7
    n = int(rng.integers(2, 400))
    table = some_table(rng, n, regression=regression, missing=missing, weighted=rng.random() < 0.4)
    try:
        table = recipe.prepared(table)
        fitted = recipe.fits(table)
    except PenjingError:
        return
    tree = train(table, recipe=recipe)
    assert_same_splits(*both_answers(table, tree, some_nodes(rng, tree), fitted))
