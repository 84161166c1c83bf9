"""TreeGenerate: the book's three leaf conditions, limits, and nodes grown in order of worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.textbook import ID3
from penjing.engines.memory import Engine
from strategies import grown, ordered, skeleton
from user_trees import grow


def table(*columns, target: list, weight: list | None = None) -> Table:
    w = None if weight is None else np.asarray(weight, float)
    return Table(columns, nominal("c", target), len(target), w)


XOR = table(nominal("a", [0, 0, 1, 1]), nominal("b", [0, 1, 0, 1]), target=["n", "p", "p", "n"])


# -- the three returns of the book's figure ---------------------------------------------------


def test_one_class_is_a_leaf():
    tree = grown(table(nominal("a", ["x", "y"]), target=["p", "p"]))
    assert tree.to_dict() == "p"
    assert str(tree) == "p (2)"
    assert tree.depth == 0


def test_no_columns_are_a_leaf_of_the_majority():
    assert grown(table(target=["p", "q", "q"])).to_dict() == "q"


def test_rows_alike_in_all_columns_are_a_leaf_of_the_majority():
    tree = grown(table(nominal("a", ["x"] * 3), numeric("b", [1.0] * 3), target=["p", "q", "q"]))
    assert str(tree) == "q (3/1)"


def test_a_majority_among_equals_is_the_first_class_in_order():
    rows = table(nominal("a", ["x", "x"]), target=["q", "p"])
    assert grown(rows).to_dict() == "q"
    declared = replace(rows, target=nominal("c", ["q", "p"], ["p", "q"]))
    assert grown(declared).to_dict() == "p"


def test_an_empty_branch_answers_as_its_node():
    tree = grown(table(nominal("a", ["x", "x", "y"], ["x", "y", "z"]), target=["p", "p", "q"]))
    assert tree.to_dict() == {"a": {"x": "p", "y": "q", "z": "p"}}
    assert tree.to_dict(empty=False) == {"a": {"x": "p", "y": "q"}}
    assert tree.predict({"a": "z"}).tolist() == ["p"]


def test_a_division_that_gains_nothing_is_made():
    """As TreeGenerate has it: it looks for the best column, not for a good one."""
    tree = grown(XOR)
    assert tree.to_dict() == {"a": {0: {"b": {0: "n", 1: "p"}}, 1: {"b": {0: "p", 1: "n"}}}}
    assert tree.nodes.gain[0] == 0
    assert grown(XOR, min_gain=1e-9).n_nodes == 1


def test_a_nominal_column_is_spent_and_a_number_may_return():
    rows = table(nominal("a", ["x", "x", "y"]), target=["p", "q", "q"])
    assert grown(rows).depth == 1
    again = grown(table(numeric("x", [1, 2, 3]), target=["p", "q", "p"]))
    assert [again.split(n).column for n in np.flatnonzero(~again.is_leaf)] == [0, 0]


def test_groups_of_a_nominal_column_may_be_divided_again():
    rows = table(nominal("a", ["x", "y", "z"] * 2), target=["p", "q", "r"] * 2)
    tree = grown(rows, "cart-binary")
    assert tree.n_leaves == 3
    assert tree.depth == 2


def test_ordered_levels_are_cut_in_two_whatever_the_shape():
    rows = table(ordered("size", [0, 1, 2, 2], ["S", "M", "L"]), target=["p", "p", "q", "q"])
    for recipe in ("id3", "cart-binary"):
        assert grown(rows, recipe).to_dict() == {"size": {("S", "M"): "p", "L": "q"}}


# -- limits -----------------------------------------------------------------------------------


def test_depth_zero_is_a_leaf_and_one_leaf_too():
    for limit in ({"max_depth": 0}, {"max_leaves": 1}, {"min_weight": 5}, {"min_branch": 3}):
        assert grown(XOR, **limit).n_nodes == 1


def test_weight_not_rows_is_what_limits_count():
    rows = table(nominal("a", ["x", "y"]), target=["p", "q"], weight=[0.25, 0.5])
    assert grown(rows, min_weight=0.75).n_leaves == 2
    assert grown(rows, min_weight=0.76).n_leaves == 1
    assert grown(rows, min_branch=0.25).n_leaves == 2
    assert grown(rows, min_branch=0.26).n_leaves == 1


def test_leaves_are_spent_where_they_gain_most():
    """Both branches want to be divided; the heavier one gains more by weight."""
    x = nominal("x", ["few"] * 3 + ["many"] * 9)
    y = nominal("y", ["u", "u", "v"] + ["u"] * 5 + ["v"] * 4)
    rows = table(x, y, target=["p", "p", "q"] + ["q"] * 5 + ["p"] * 4)
    three = grown(rows, max_leaves=3)
    assert three.n_leaves == 3
    heavy = max(three.children(0), key=three.weight_of)
    assert not three.is_leaf[heavy]
    assert grown(rows, max_leaves=4).n_leaves == 4


def test_a_division_with_too_many_branches_gives_way_to_one_that_fits():
    wide = nominal("w", list("abcdef") * 2)
    cut = numeric("x", [1] * 6 + [2] * 6)
    rows = table(wide, cut, target=list("pqpqpq") + list("qpqpqp"))
    assert grown(rows, max_leaves=5).n_leaves <= 5
    assert grown(rows, max_leaves=3).n_leaves <= 3


def test_leaves_are_limited_alike_whatever_the_worth_of_ties():
    rows = table(
        nominal("a", [0, 0, 0, 0, 1, 1, 1, 1]),
        nominal("b", [0, 0, 1, 1, 0, 0, 1, 1]),
        target=list("ppqqqqpp"),
    )
    tree = grown(rows, max_leaves=3)
    assert not tree.is_leaf[1]  # of equally worthy nodes the first
    assert tree.is_leaf[2]


# -- missing values ---------------------------------------------------------------------------


def test_a_row_without_a_value_is_shared_out_by_weight():
    rows = table(nominal("a", ["x", "x", "x", "y", None]), target=["p", "p", "p", "q", "q"])
    tree = grown(rows, missing="fraction")
    assert tree.nodes.total.tolist() == [[3, 2], [3, 0.75], [0, 1.25]]


def test_a_column_without_any_value_divides_nothing():
    rows = table(nominal("a", [None, None]), nominal("b", ["x", "y"]), target=["p", "q"])
    assert grown(rows, missing="fraction").to_dict() == {"b": {"x": "p", "y": "q"}}


def test_rows_that_are_refused_are_refused_before_growing():
    rows = table(nominal("a", ["x", None]), target=["p", "q"])
    with pytest.raises(penjing.ChoiceError, match="1 missing value"):
        penjing.fit(rows, recipe="id3")


# -- who watches ------------------------------------------------------------------------------


def test_progress_is_told_after_each_generation():
    seen = []
    tree = grow(Engine(XOR), ID3, progress=seen.append)
    assert [told.n_leaves for told in seen] == [2, 4, 4]
    n = XOR.n_rows
    assert [told.row_levels for told in seen] == [2 * n, 3 * n, 3 * n]
    assert [told.share for told in seen] == [0, 0, 1]
    assert skeleton(tree) == skeleton(grown(XOR))


def test_a_gate_takes_divisions_back():
    class Never:
        def splits_to_revert(self, growth, divided, kept=()):  # noqa: ARG002
            assert all(growth.split(node) is not None for node in divided)
            return divided

    tree = grow(Engine(XOR), ID3, Never())
    assert tree.n_nodes == 1
    assert tree.about["ties"] == []

    class OnlyRoot:
        def splits_to_revert(self, growth, divided, kept=()):  # noqa: ARG002
            return [node for node in divided if growth.depth(node)]

    assert grow(Engine(XOR), ID3, OnlyRoot()).to_dict() == {"a": {0: "n", 1: "n"}}


def test_ties_of_divisions_that_were_not_made_are_not_counted():
    melons = penjing.example("watermelon2.0")
    for engine in ("memory", "native"):
        assert penjing.fit(melons, engine=engine, min_gain=10.0).about["n_ties"] == 0
