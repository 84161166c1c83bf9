"""A tree while it grows: ids are never used twice, and the end is numbered breadth first."""

from __future__ import annotations

import numpy as np

from penjing.data.table import Field
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes, Totals
from penjing.tree.split import Split

SCHEMA = (Field("a", "nominal", ("x", "y", "z")), Field("b", "numeric"))
TARGET = Field("c", "nominal", ("p", "q"))


def asks(column: int, n: int = 2) -> Split:
    if column == 1:
        return Split(1, 0.5, (), 0.1, 0.2)
    return Split(0, None, tuple(np.array([i], np.int32) for i in range(n)), 0.3, 0.4)


def weighed(growth: TreeBuilder, node: int, split: Split, parts: list[list[float]]) -> list[int]:
    born = list(growth.add_children(node, split))
    cells = np.array(parts)
    growth.set_totals(born, Totals(cells, (cells == 0).any(axis=1)))
    return born


def grown() -> TreeBuilder:
    growth = TreeBuilder(Classes(2))
    growth.set_totals([0], Totals(np.array([[4.0, 3.0]]), np.array([False])))
    weighed(growth, 0, asks(0), [[4.0, 1.0], [0.0, 2.0]])
    return growth


def test_a_seed_is_one_leaf():
    growth = TreeBuilder(Classes(2))
    assert growth.n_leaves == 1
    assert growth.split(0) is None
    assert list(growth.children(0)) == []
    assert growth.is_pure(0)
    assert growth.weight_of(0) == 0


def test_a_node_sprouts_and_its_children_are_weighed():
    growth = grown()
    assert growth.n_leaves == 2
    assert list(growth.children(0)) == [1, 2]
    assert growth.parent_of(2) == (0, 1)
    assert [growth.depth(n) for n in range(3)] == [0, 1, 1]
    assert [growth.weight_of(n) for n in range(3)] == [7, 5, 2]
    assert [growth.is_pure(n) for n in range(3)] == [False, False, True]
    assert growth.total(1).tolist() == [4, 1]
    assert growth.loss_of(1) == 1
    assert growth.n_rows(1) == 5


def test_a_withered_node_is_a_leaf_and_its_ids_are_not_used_again():
    growth = grown()
    growth.remove_children(0)
    assert growth.n_leaves == 1
    assert growth.split(0) is None
    assert list(growth.children(0)) == []
    assert list(growth.add_children(0, asks(0, 3))) == [3, 4, 5]
    assert growth.n_leaves == 3
    tree, new_id = growth.finish(SCHEMA, TARGET, 0.0, {}, {})
    assert new_id == {0: 0, 3: 1, 4: 2, 5: 3}
    assert tree.n_nodes == 4


def test_the_finished_tree_is_numbered_breadth_first():
    growth = grown()
    weighed(growth, 2, asks(1), [[0.0, 1.0], [0.0, 1.0]])  # ids 3 and 4, grown first
    weighed(growth, 1, asks(0, 3), [[1.0, 1.0], [2.0, 0.0], [1.0, 0.0]])  # ids 5, 6 and 7
    tree, new_id = growth.finish(SCHEMA, TARGET, 0.0, {"name": "test"}, {"n_ties": 0})
    assert new_id == {0: 0, 1: 1, 2: 2, 5: 3, 6: 4, 7: 5, 3: 6, 4: 7}
    assert tree.nodes.parent.tolist() == [-1, 0, 0, 1, 1, 1, 2, 2]
    assert tree.nodes.column.tolist() == [0, 0, 1, -1, -1, -1, -1, -1]
    assert [tree.nodes.levels(n).tolist() for n in range(8)] == [
        [],
        [0],
        [1],
        [0],
        [1],
        [2],
        [],
        [],
    ]
    assert tree.nodes.cut[2] == 0.5
    assert np.isnan(np.delete(tree.nodes.cut, 2)).all()
    assert tree.nodes.gain.tolist() == [0.3, 0.3, 0.1, 0, 0, 0, 0, 0]
    assert tree.nodes.score.tolist() == [0.4, 0.4, 0.2, 0, 0, 0, 0, 0]
    assert tree.weight.tolist() == [7, 5, 2, 2, 2, 1, 1, 1]
    assert tree.nodes.missing is None
    assert tree.recipe == {"name": "test"}
