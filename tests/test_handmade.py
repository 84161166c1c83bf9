"""Trees written by hand: a nested dict becomes a tree, or a sentence says why it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from penjing.errors import DataError
from penjing.tree import Tree

SIZES = {"size": {("S", "M"): "no", "L": {"colour": {"red": "yes", "blue": "no"}}}}


@pytest.mark.parametrize(
    "plain",
    [
        "no",
        0,
        True,
        {"x": {"<= 0.3815": "no", "> 0.3815": {"x": {"<= 1e+300": "yes", "> 1e+300": "no"}}}},
        {"x": {("<= 5",): "no", ("> 5",): "yes"}},  # levels that look like a cut
        {"a": {0: {"a": {0: "no", 1: "yes"}}, 1: "yes"}},
        {"a": {1: 0.5, 2: 1.5}},
        SIZES,
    ],
)
def test_a_dict_comes_back(plain):
    tree = Tree.from_dict(plain)
    again = Tree.from_dict(tree.to_dict())
    assert again == tree
    assert again.to_dict() == tree.to_dict()
    assert tree.to_dict() == plain


@pytest.mark.parametrize("keys", [("<= 5", "> 6"), ("<= M", "> M"), ("<= inf", "> inf")])
def test_levels_that_only_look_like_a_cut_are_levels(keys):
    tree = Tree.from_dict({"x": dict(zip(keys, ("no", "yes"), strict=True))})
    assert tree.schema[0].levels == keys
    assert tree.to_dict() == {"x": {(keys[0],): "no", (keys[1],): "yes"}}
    assert Tree.from_dict(tree.to_dict()) == tree


def test_a_group_of_levels_is_one_branch():
    tree = Tree.from_dict(SIZES)
    assert tree.n_nodes == 5
    assert tree.schema[0].levels == ("S", "M", "L")
    assert str(tree).splitlines()[0] == "size in {S, M}: no"


def test_a_cut_may_be_written_in_either_order():
    down = Tree.from_dict({"x": {"> 5": "b", "<= 5": "a"}})
    assert down == Tree.from_dict({"x": {"<= 5": "a", "> 5": "b"}})
    assert down.to_dict() == {"x": {"<= 5.0": "a", "> 5.0": "b"}}
    assert down.schema[0].is_numeric


def test_numbers_of_numpy_become_plain_ones(tmp_path):
    tree = Tree.from_dict({"a": {np.int64(0): np.str_("no"), np.float64(1.5): np.bool_(True)}})
    assert [type(level) for level in tree.schema[0].levels] == [int, float]
    assert [type(class_) for class_ in tree.classes] == [str, bool]
    tree.save(tmp_path / "tree")


def test_each_leaf_stands_for_one_row_and_no_count_is_printed():
    tree = Tree.from_dict({"a": {0: "no", 1: {"b": {0: "no", 1: "yes"}}}}, target="fish")
    assert tree.nodes.total.tolist() == [[2, 1], [1, 0], [1, 1], [1, 0], [0, 1]]
    assert not tree.has_counts
    assert "(" not in str(tree)
    assert tree.target.name == "fish"
    assert "by hand" in repr(tree)


def test_many_columns_take_no_longer_than_few():
    chain: object = "end"
    for i in range(20_000):
        chain = {f"column {i}": {0: "no", 1: chain}}
    tree = Tree.from_dict(chain)
    assert tree.depth == 20_000
    assert len(tree.schema) == 20_000


@pytest.mark.parametrize(
    ("plain", "key"),
    [
        (None, "dict_not_a_tree"),
        ([], "dict_not_a_tree"),
        ({}, "dict_not_a_tree"),
        ({"a": {}}, "dict_not_a_tree"),
        ({"a": "no"}, "dict_not_a_tree"),
        ({"a": {0: "no"}, "b": {0: "no"}}, "dict_not_a_tree"),
        ({"a": {0: ["no"]}}, "dict_not_a_tree"),
        ({"a": {0: None}}, "dict_not_a_tree"),
        ({"a": {0: math.nan}}, "dict_not_a_tree"),
        ({"a": {0: {"b": {}}}}, "dict_not_a_tree"),
        ({"a": {None: "no"}}, "dict_bad_level"),
        ({"a": {math.inf: "no"}}, "dict_bad_level"),
        ({"a": {(): "no"}}, "dict_bad_level"),
        ({"a": {((0,), 1): "no"}}, "dict_bad_level"),
        ({"a": {frozenset([0]): "no"}}, "dict_bad_level"),
        ({"a": {(0, 1): "no", 1: "yes"}}, "dict_level_twice"),
        ({"a": {(0, 0): "no"}}, "dict_level_twice"),
        (
            {"a": {"<= 1.0": "no", "> 1.0": {"a": {"x": "no", "y": "yes"}}}},
            "dict_mixed_column",
        ),
    ],
)
def test_what_is_no_tree_is_refused_in_a_sentence(plain, key):
    with pytest.raises(DataError) as caught:
        Tree.from_dict(plain)
    assert caught.value.key == key
    assert str(caught.value).endswith(".")
