"""C5.0 in C++ grows the tree of the loop in Python, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engines.test_native import assert_same
from penjing.dialects.c50 import native_kernel
from penjing.dialects.c50.dialect import CollapsedSubtree, regrow_subtree
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.prune.editable_tree import EditableTree
from random_tables import some_table
from user_trees import grow

SETTINGS: tuple[dict[str, Any], ...] = (
    {"pruning": "none", "collapse": False, "gather": False},
    {"pruning": "none", "collapse": False, "gather": False, "min_branch": 1.0},
    {"pruning": "none", "collapse": False, "gather": False, "criterion": "gain", "max_depth": 4},
    {"pruning": "none", "collapse": False, "gather": False, "near_ties": 0.2, "screen_few": 5.0},
    {},
)


@pytest.mark.parametrize("seed", range(40))
def test_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng([seed, 50])
    n = int(rng.integers(2, 600))
    table = some_table(
        rng, n, regression=False, missing=rng.random() < 0.6, weighted=rng.random() < 0.4
    )
    recipe = recipe_of("c5.0", **SETTINGS[seed % len(SETTINGS)])
    table = recipe.prepared(table)
    fitted = recipe.fits(table)
    engine = native.Engine(table, threads=1 + seed % 2)
    grown = engine.grow(fitted)
    assert grown is not None
    finished = fitted.dialect.finish(grown, engine, fitted)
    assert_same(finished, grow(memory.Engine(table), fitted))


def nodes_of(grown: CollapsedSubtree) -> list[Any]:
    """Return all that is known of the nodes of a subtree, breadth first."""
    found, nodes = [], [grown.top]
    for node in nodes:  # the list grows during the loop
        split = grown.split(node)
        total = [] if node == grown.top else grown.totals[node].tolist()
        if split is None:
            found.append((total,))
            continue
        groups = [codes.tolist() for codes in split.groups]
        found.append((total, split.column, split.cut, groups, split.gain, split.score))
        nodes.extend(grown.children(node))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_the_same_subtree_below_a_given_split(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 4 > 1:  # threads also for few rows
        monkeypatch.setattr(native_kernel, "MIN_CELLS", 0)
    rng = np.random.default_rng([seed, 51])
    n = int(rng.integers(20, 500))
    table = some_table(
        rng, n, regression=False, missing=rng.random() < 0.6, weighted=rng.random() < 0.4
    )
    settings: tuple[dict[str, Any], ...] = (
        {},
        {"max_depth": 3},
        {"min_gain": 0.5},
        {"max_leaves": 4},
    )
    recipe = recipe_of("c5.0", **SETTINGS[0] | settings[seed % 4] | {"collapse": seed % 3 > 0})
    table = recipe.prepared(table)
    fitted = recipe.fits(table)
    reference = memory.Engine(table)
    tree = grow(reference, fitted)
    draft = EditableTree(tree)
    inner = [node for node in draft.subtree(0) if not draft.is_leaf(node)]
    for node in inner[:12]:
        split = draft.split_of(inner[int(rng.integers(len(inner)))])
        assert split is not None
        engine = native.Engine(table, threads=1 + seed % 2)
        expected = nodes_of(regrow_subtree(reference, fitted, EditableTree(tree), node, split))
        assert nodes_of(regrow_subtree(engine, fitted, draft, node, split)) == expected
