"""The tightest splits of paths that are walked together are those of each path alone."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.text.branch_order import children_in_order, walk_in_order
from penjing.tree.path_splits import splits_on_path, splits_on_paths
from random_tables import some_table


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "cart-binary"])
@pytest.mark.parametrize("seed", range(4))
def test_paths_walked_together_are_those_of_each_node_alone(recipe, seed):
    random = np.random.default_rng(seed)
    table = some_table(random, 200, regression=False, missing=recipe == "c4.5", weighted=False)
    tree = penjing.fit(table, recipe=recipe)
    together = [
        (node, list(splits.items()))
        for node, splits in splits_on_paths(tree, range(tree.n_nodes), children_in_order)
    ]
    assert together == [
        (node, list(splits_on_path(tree, node).items())) for node in walk_in_order(tree)
    ]
    some = random.permutation(tree.n_nodes)[: tree.n_nodes // 3].tolist()
    assert {node: dict(splits) for node, splits in splits_on_paths(tree, some)} == {
        node: splits_on_path(tree, node) for node in some
    }


def test_no_nodes_have_no_paths():
    tree = penjing.fit(penjing.example("fish"))
    assert not list(splits_on_paths(tree, []))
