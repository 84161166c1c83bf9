"""Rows counted into a tree: the counts of growing come back, and hand-made trees get theirs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.errors import DataWarning
from strategies import part_weights, tables

RECIPES = ("id3", "c4.5-textbook", "cart-binary", "c4.5", "j48", "sklearn")


def oracle(tree: Tree, table: Table) -> np.ndarray:
    """Return the class counts of every node, one row at a time, for rows without missing values."""
    total = np.zeros((tree.n_nodes, len(tree.classes)))
    for row, stop in enumerate(tree.apply(table).tolist()):
        label = tree.classes.index(table.target.levels[table.target.codes[row]])
        for node in tree.path(stop):
            total[node, label] += table.weights[row]
    return total


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=20)
@given(table=tables(weights=part_weights))
def test_the_rows_that_a_tree_was_grown_from_give_its_counts(recipe, table):
    numbers = [column for column in table.columns if column.is_numeric]
    if recipe == "sklearn" and len(numbers) < len(table.columns):
        return
    if any(np.abs(column.levels).max(initial=0) > 3e38 for column in numbers):
        return  # C4.5 and scikit-learn hold numbers in 32 bits
    try:
        tree = penjing.fit(table, recipe=recipe, quiet=True)
    except (penjing.DataError, penjing.CapabilityError):
        return
    counted = tree.with_counts(table, quiet=True)
    assert np.allclose(counted.nodes.total, tree.nodes.total, rtol=1e-12, atol=0)
    assert counted.predict(table).tolist() == tree.predict(table).tolist()


@settings(max_examples=25)
@given(table=tables(), seed=st.integers(0, 5))
def test_other_rows_are_counted_where_they_go(table, seed):
    tree = penjing.fit(table, recipe="cart-binary", quiet=True)
    rows = table.take(np.random.RandomState(seed).randint(0, table.n_rows, 2 * table.n_rows))
    assert np.array_equal(tree.with_counts(rows, quiet=True).nodes.total, oracle(tree, rows))
    hand = Tree.from_dict(tree.to_dict(empty=False), target="class")
    if not isinstance(tree.to_dict(), dict):
        return
    counted = hand.with_counts(rows, quiet=True)
    assert counted.predict(rows).tolist() == hand.predict(rows).tolist()
    assert counted.about["training"]["correct"] == hand.score(rows).correct


def test_fractions_are_counted_as_growing_counts_them():
    rng = np.random.RandomState(3)
    x = np.where(rng.rand(60) < 0.2, np.nan, rng.rand(60).round(1))
    colours = [None if rng.rand() < 0.2 else "rgb"[rng.randint(3)] for _ in range(60)]
    classes = ["yes" if rng.rand() < 0.3 + 0.4 * (c == "r") else "no" for c in colours]
    table = Table((numeric("x", x), nominal("colour", colours)), nominal("y", classes), 60)
    tree = penjing.fit(table, recipe="c4.5-textbook", missing="fraction")
    counted = tree.with_counts(table)
    assert np.allclose(counted.nodes.total, tree.nodes.total, rtol=1e-9)
    hand = Tree.from_dict({"colour": {"r": "yes", "g": "no", "b": "no"}}, target="y")
    stopped = hand.with_counts(table)
    assert stopped.nodes.total[1:].sum() == sum(c is not None for c in colours)
    shared = hand.with_counts(table, missing="fraction")
    assert shared.nodes.total[1:].sum() == pytest.approx(60)
    assert shared.recipe["missing"] == "fraction"


def test_leaves_keep_their_predictions_and_nodes_are_pruned_to_the_majority(tmp_path):
    melons = penjing.example("watermelon2.0")
    wrong = {"纹理": {"清晰": "否", "稍糊": {"触感": {"硬滑": "是", "软粘": "否"}}, "模糊": "是"}}
    hand = Tree.from_dict(wrong, target="好瓜")
    tree = hand.with_counts(melons)
    assert tree.predict(melons).tolist() == hand.predict(melons).tolist()
    assert str(tree) == (
        "纹理 = 清晰: 否 (9/7)\n纹理 = 稍糊\n│  触感 = 硬滑: 是 (4/4)\n"
        "│  触感 = 软粘: 否 (1/1)\n纹理 = 模糊: 是 (3/3)"
    )
    assert tree.about["training"] == {"correct": 2.0, "of": 17.0}
    assert tree.losses[tree.is_leaf].sum() == 15
    assert str(tree.prune("pessimistic")) == "否 (17/8)"
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree


def test_numbers_are_counted(tmp_path):
    table = Table((numeric("x", [1, 2, 3, 4, 5]),), numeric("y", [1, 2, 6, 7, 8]), 5)
    tree = Tree.from_dict({"x": {"<= 2": 1.0, "> 2": 7.0}}, target="y").with_counts(table)
    assert tree.weight.tolist() == [5, 2, 3]
    assert tree.predict([{"x": 1}, {"x": 5}]).tolist() == [1.0, 7.0]
    assert tree.losses.round(9).tolist() == [38.8, 1.0, 2.0]
    assert str(tree) == "x ≤ 2: 1 (2)\nx > 2: 7 (3)"
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree
    assert penjing.load(tmp_path / "tree").predict({"x": 1}).tolist() == [1.0]


def messages(tree: Tree, table: object) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DataWarning)
        tree.with_counts(table)
    return [str(each.message) for each in found]


def test_what_only_the_tree_or_only_the_rows_have_is_said():
    melons = penjing.example("watermelon2.0")
    good = {"清晰": "是", "稍糊": "否", "模糊": "否"}
    assert messages(Tree.from_dict({"纹理": good}, target="好瓜"), melons) == []
    typo = {"清晰": "是", "稍湖": "否", "模糊": "否"}
    assert messages(Tree.from_dict({"纹理": typo}, target="好瓜"), melons) == [
        "5 rows stop inside the tree: their category of '纹理' has no branch (稍糊).",
        "no row has the category '稍湖' of '纹理'. Did you mean '稍糊'?",
        "no row reaches one of the leaves.",
    ]
    alone = Tree.from_dict({"纹理": {"清晰": "是", "稍糊": "是", "模糊": "是"}}, target="好瓜")
    assert messages(alone, melons) == [
        "9 rows have a class of '好瓜' that the tree never predicts (否)."
    ]
    deep = {"纹理": {"清晰": {"色泽": {"青绿": "是", "乌黑": "否"}}, "稍糊": "否", "模糊": "否"}}
    assert messages(Tree.from_dict(deep, target="好瓜"), melons) == [
        "1 row stops inside the tree: its category of '色泽' has no branch (浅白)."
    ]


def test_an_explanation_has_one_table_and_the_split_of_the_tree():
    melons = penjing.example("watermelon3.0")
    plain = {"密度": {"<= 0.5": "否", "> 0.5": {"纹理": {("清晰", "稍糊"): "是", "模糊": "否"}}}}
    hand = Tree.from_dict(plain, target="好瓜")
    for tree, data in ((hand, melons), (hand.with_counts(melons), None)):
        told = tree.why(0, data).text()
        assert told.startswith("root, 17 rows, 否 9 是 8")
        assert "Gain(D, 密度) = 0.9975 - (7/17 × 0.9852 + 10/17 × 1.0000) = 0.0036" in told
    below = hand.with_counts(melons).why(2).text()
    assert "纹理 in {清晰, 稍糊}" in below
    assert "9/10 × 0.9911 + 1/10 × 0.0000" in below
    trace = hand.with_counts(melons).trace.text()
    assert "密度, by hand; 纹理 would be better by 0.3770" in trace
    assert "branches  {清晰, 稍糊} 9, 模糊 1" in trace


def test_all_that_needs_counts_works():
    melons = penjing.example("watermelon3.0")
    hand = Tree.from_dict({"密度": {"<= 0.3815": "否", "> 0.3815": "是"}}, target="好瓜")
    tree = hand.with_counts(melons)
    for method in ("pessimistic", "cost-complexity", "minimum-error", "mdl", "collapse"):
        tree.prune(method, **({"cp": 0.5} if method == "cost-complexity" else {}))
    assert "n=17" in tree.write("svg")
    assert tree.report(cross_validation=False, training=melons).startswith("<!doctype")
    assert next(iter(tree.importances())) == "密度"
    assert penjing.compare(hand, tree).same
    assert tree.explain({"密度": 0.5}).to_json()["answer"] == "是"
    assert tree.ruleset(melons).to_json()


def test_a_mistyped_category_is_said_by_score():
    melons = penjing.example("watermelon2.0")
    typo = Tree.from_dict({"纹理": {"清晰": "是", "稍湖": "否", "模糊": "否"}}, target="好瓜")
    with pytest.warns(DataWarning, match="no row has the category '稍湖'"):
        report = typo.score(melons)
    assert report.n == 17
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = {"清晰": "是", "稍糊": "否", "模糊": "否"}
        assert Tree.from_dict({"纹理": good}, target="好瓜").score(melons).correct == 14


def test_long_lists_of_categories_without_a_branch_end_in_dots():
    tree = Tree.from_dict({"x": {"u": "a", "v": "b"}}, target="y")
    rows = {"x": list("uvcdefgh"), "y": list("abaaaaaa")}
    with pytest.warns(penjing.DataWarning) as told:
        tree.with_counts(rows)
    (note,) = [str(one.message) for one in told if "no branch" in str(one.message)]
    assert note.endswith("has no branch (c, d, e, f, g, …).")
