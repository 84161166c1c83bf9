"""The sums of all nodes below some: those that the memory engine finds node by node."""

from __future__ import annotations

import numpy as np
import pytest

from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.grow.engine import nodes_below
from penjing.prune.editable_tree import EditableTree
from penjing.tree.held_rows import HeldRows
from random_tables import some_table
from user_trees import grow

RECIPES = [
    ("c4.5-textbook", False),
    ("c4.5", False),
    ("j48", False),
    ("c5.0", False),
    ("cart-textbook", True),
    ("cart-binary", False),
    ("rpart", False),
    ("rpart", True),
    ("sklearn", False),
]


@pytest.mark.parametrize(("name", "regression"), RECIPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_sums_below_nodes_are_those_of_each_node(
    seed: int, weighted: bool, name: str, regression: bool
) -> None:
    rng = np.random.default_rng([seed, 53])
    table = some_table(rng, 150, regression=regression, missing=True, weighted=weighted)
    own = name in ("rpart", "sklearn")  # they have policies of their own
    recipe = recipe_of(name, **({} if own else {"missing": "fraction"}))
    table = recipe.prepared(table)
    recipe = recipe.fits(table)
    memory_engine = memory.Engine(table, recipe.missing)
    tree = grow(memory_engine, recipe)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    nodes = rng.choice(inner, min(3, len(inner)), replace=False).tolist() if inner else [0]
    below = [each for node in nodes for each in nodes_below(tree, node)]
    expected = memory_engine.totals(tree, below)
    found = native.Engine(table, recipe.missing).totals_below(tree, nodes)
    assert np.array_equal(found.cells, expected.cells)
    assert np.array_equal(found.is_pure, expected.is_pure)
    if expected.rows is None:
        assert found.rows is None
    else:
        assert np.array_equal(found.rows, expected.rows)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_sums_below_a_raised_branch(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng([seed, 54])
    table = some_table(rng, 200, regression=False, missing=True, weighted=weighted)
    recipe = recipe_of("c4.5", pruning="none", collapse=False, min_branch=1)
    table = recipe.prepared(table)
    draft = EditableTree(grow(memory.Engine(table), recipe.fits(table)))
    raised = {}
    for node in draft.subtree(0):
        inner = [child for child in draft.children(node) if not draft.is_leaf(child)]
        if inner and draft.depth[node] == 1:
            raised[node] = inner[-1]
    structure = draft.structure_with_raised(raised)
    below = [each for nodes in structure.below_raised.values() for each in nodes]
    assert below == [each for node in raised for each in nodes_below(structure, node)]
    if not below:
        return
    expected = memory.Engine(table).totals(structure, below)
    draft.held_rows = HeldRows()  # those of another engine
    structure = draft.structure_with_raised(raised)
    found = native.Engine(table).totals_below(structure, list(raised))
    assert np.array_equal(found.cells, expected.cells)
    assert np.array_equal(found.is_pure, expected.is_pure)


def test_no_nodes_and_leaves_have_nothing_below() -> None:
    table = some_table(np.random.default_rng(1), 40, regression=False, missing=False, weighted=True)
    recipe = recipe_of("c4.5").fits(table)
    engine = native.Engine(table)
    tree = grow(memory.Engine(table), recipe)
    leaf = int(np.flatnonzero(tree.is_leaf)[0])
    assert engine.totals_below(tree, [leaf]).cells.shape == (0, tree.reader.size)
    assert engine.totals_below(tree, []).cells.shape == (0, tree.reader.size)
