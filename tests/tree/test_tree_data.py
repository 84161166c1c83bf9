"""Trees: shape, answers, and what stays when branches are cut off."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from strategies import grown, skeleton, tables

FISH = {"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}}


@pytest.fixture
def melons():
    return penjing.fit(
        Table(
            (
                nominal("t", ["c", "c", "f", "f", "b", "c"], ["c", "f", "b", "unseen"]),
                numeric("x", [1, 2, 3, 4, 5, 6]),
            ),
            nominal("ripe", ["y", "n", "n", "n", "y", "y"]),
            6,
        ),
        recipe="id3",
    )


def test_shape_of_a_small_tree():
    tree = Tree.from_dict(FISH)
    assert (tree.depth, tree.n_leaves, tree.n_nodes, tree.n_empty) == (2, 3, 5, 0)
    assert tree.depths.tolist() == [0, 1, 1, 2, 2]
    assert tree.is_leaf.tolist() == [False, True, False, True, True]
    assert tree.path(4) == [0, 2, 4]
    assert tree.path(0) == [0]
    assert list(tree.walk()) == [0, 1, 2, 3, 4]
    assert list(tree.children(2)) == [3, 4]
    assert list(tree.children(4)) == []
    assert tree.parent_of(4) == (2, 1)
    assert [tree.answer(n) for n in range(5)] == ["no", "no", "no", "no", "yes"]
    assert tree.classes == ("no", "yes")
    assert tree.split(4) is None
    assert [codes.tolist() for codes in tree.split(2).groups] == [[0], [1]]


def test_a_branch_that_no_row_took_is_empty_not_a_node(melons):
    assert melons.empty_levels(0) == [3]
    assert melons.empty_levels(1) == []
    assert melons.n_empty == 1
    assert melons.to_dict()["t"]["unseen"] == "y"
    assert "unseen" not in melons.to_dict(empty=False)["t"]
    assert "t = unseen: y (0)" in melons.draw(empty=True)
    cut = Tree.from_dict({"x": {"<= 1.0": "a", "> 1.0": "b"}})
    assert cut.empty_levels(0) == []


def test_a_tree_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Tree.from_dict(FISH).schema = ()


def test_equal_trees_are_equal_and_none_is_a_key(melons):
    assert Tree.from_dict(FISH) == Tree.from_dict(FISH)
    assert Tree.from_dict(FISH) != Tree.from_dict({"flippers": {0: "no", 1: "yes"}})
    assert Tree.from_dict(FISH) != FISH
    with pytest.raises(TypeError):
        hash(melons)
    assert pickle.loads(pickle.dumps(melons)) == melons  # noqa: S301 - our own bytes


def test_a_tree_introduces_itself(melons):
    assert repr(melons) == f"<Tree ripe: id3, {melons.n_leaves} leaves, depth {melons.depth}>"
    assert repr(melons.pruned([0])) == "<Tree ripe: id3, 1 leaf, depth 0>"


def test_a_tree_of_numbers_answers_numbers():
    table = Table((numeric("x", [1, 2, 3, 4]),), numeric("y", [1.0, 1.0, 4.0, 6.0]), 4)
    tree = penjing.fit(table, recipe="cart-binary", max_depth=1)
    assert tree.is_regression
    assert tree.classes == ()
    assert [tree.answer(n) for n in range(3)] == [3.0, 1.0, 5.0]
    assert tree.losses.tolist() == pytest.approx([18.0, 0.0, 2.0])
    assert str(tree) == "x ≤ 2.5: 1 (2)\nx > 2.5: 5 (2)"
    assert tree.to_dict() == {"x": {"<= 2.5": 1.0, "> 2.5": 5.0}}


@given(tables(), st.data())
def test_a_pruned_tree_is_the_tree_without_what_was_cut(table, data):
    tree = grown(table, trace=True)
    cut = data.draw(st.lists(st.sampled_from(range(tree.n_nodes))))
    smaller = tree.pruned(cut)
    kept = [n for n in range(tree.n_nodes) if not set(tree.path(n)[:-1]) & set(cut)]
    assert smaller.n_nodes == len(kept)
    for new, old in enumerate(kept):
        assert smaller.nodes.total[new].tolist() == tree.nodes.total[old].tolist()
        assert smaller.answer(new) == tree.answer(old)
        is_cut = old in cut
        assert smaller.is_leaf[new] == (is_cut or tree.is_leaf[old])
        assert smaller.nodes.gain[new] == (0 if is_cut else tree.nodes.gain[old])
        if new:
            assert kept[smaller.nodes.parent[new]] == tree.nodes.parent[old]
            assert smaller.nodes.levels(new).tolist() == tree.nodes.levels(old).tolist()
    assert skeleton(smaller.pruned(())) == skeleton(smaller)
    assert smaller.kept_trace is None
    assert not {"ties", "n_ties"} & smaller.about.keys()
    assert skeleton(tree) == skeleton(grown(table))  # and the tree itself is as it was


def test_pruning_keeps_the_gaps_of_the_cuts_that_stay(melons):
    deep = penjing.fit(Table((numeric("x", [1, 2, 3, 4]),), nominal("c", ["a", "b", "a", "b"]), 4))
    root = deep.pruned(range(1, deep.n_nodes))
    np.testing.assert_array_equal(root.nodes.gap[0], deep.nodes.gap[0])
    assert np.isnan(root.nodes.gap[1:]).all()
    assert melons.pruned([0]).n_leaves == 1
