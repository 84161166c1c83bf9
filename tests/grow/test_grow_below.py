"""A tree that grows from the rows of a node is the subtree that has grown in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penjing
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.errors import PenjingError
from penjing.grow.grow_below import grow_below
from penjing.grow.loop import grow_unpruned
from penjing.tree.counts import reader_of
from penjing.tree.tree_data import TreeData
from random_tables import some_table

RECIPES: dict[str, dict[str, Any]] = {
    "id3": {"max_depth": 5},
    "c4.5-textbook": {},
    "cart-binary": {"missing": "fraction"},
    "c4.5": {},
    "j48": {},
    "c5.0": {},
    "rpart": {"cp": 0.0, "minsplit": 4},
    "sklearn": {"min_weight_fraction_leaf": 0.02},
}


def subtree(tree: TreeData, node: int) -> list[Any]:
    """Return what the nodes below a node are, breadth first."""
    found, queue = [], [(node, 0)]
    for at, depth in queue:  # the list grows during the loop
        split = tree.split(at)
        groups = () if split is None else tuple(g.tolist() for g in split.groups)
        found.append(
            (
                depth,
                int(tree.nodes.column[at]),
                repr(float(tree.nodes.cut[at])),
                groups,
                tree.nodes.total[at].tolist(),
                float(tree.nodes.gain[at]),
            )
        )
        queue.extend((child, depth + 1) for child in tree.children(at))
    return found


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("seed", range(10))
def test_the_subtree_in_its_place(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(name), 1])
    recipe = recipe_of(name, **RECIPES[name])
    regression = name in {"id3", "cart-binary"} and seed % 3 == 0
    missing = recipe.missing not in {"refuse", "surrogate"} and rng.random() < 0.6
    table = some_table(
        rng,
        int(rng.integers(30, 400)),
        regression=regression,
        missing=missing,
        weighted=seed % 2 == 1,
    )
    try:
        table = recipe.prepared(table)
        recipe = recipe.fits(table)
    except PenjingError:
        pytest.skip("the recipe does not take this table")
    options = recipe.options
    reader = reader_of(table, options.costs(table), centred=options.centred)
    given = {"missing": recipe.missing, "reader": reader}
    engine = native.Engine(table, **given) if seed % 4 else memory.Engine(table, **given)
    tree = engine.grow(recipe) or grow_unpruned(engine, recipe)
    for node in rng.permutation(tree.n_nodes)[:6].tolist():
        assert subtree(grow_below(engine, tree, node, recipe), 0) == subtree(tree, node)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("seed", [4, 26, 35])
def test_a_tree_of_rpart_grown_again_sends_missing_values_as_before(seed, kind):
    # With weights, the larger child by rows may be the smaller one by weight.
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(40, 200)), int(rng.integers(2, 5))
    x = rng.normal(size=(n, width)).round(1)
    y = (x[:, 0] + rng.normal(size=n)).round(1)
    weights = rng.integers(1, 5, n) / 2
    x[rng.random((n, width)) < 0.25] = np.nan
    target = y if kind == "numbers" else np.where(y > 0, "a", "b")
    tree = penjing.fit(x, target, "rpart", weight=weights, minsplit=4, cp=0.001, xval=0, quiet=True)
    assert tree.regrow_at(0).to_json()["nodes"] == tree.to_json()["nodes"]
