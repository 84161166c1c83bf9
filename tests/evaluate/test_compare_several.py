"""Several trees side by side: what each two of them do is what comparing two of them says."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given, settings

import penjing
from penjing.api.tree import Tree
from penjing.data.statistics import wilson
from penjing.errors import ChoiceError
from strategies import tables

MELONS = penjing.example("watermelon2.0")


@pytest.fixture(scope="module")
def three():
    whole = penjing.fit(MELONS, recipe="id3")
    return [whole, whole.prune("pessimistic"), penjing.fit(MELONS, recipe="cart-binary")]


def test_every_pair_is_what_comparing_two_says(three):
    several = penjing.compare(*three, tables={"training": MELONS, "test": MELONS})
    assert [tree["name"] for tree in several.trees] == ["a", "b", "c"]
    for pair, (i, j) in zip(several.pairs, combinations(range(3), 2), strict=True):
        two = penjing.compare(three[i], three[j], {"training": MELONS, "test": MELONS})
        assert pair["trees"] == ["abc"[i], "abc"[j]]
        assert (pair["same"], pair["differences"]) == (two.same, two.differences)
        assert (pair["rows"], pair["verdict"]) == (two.rows, two.verdict)
    for tree, scored in zip(three, several.trees, strict=True):
        report = tree.score(MELONS)
        score = scored["tables"]["training"]
        assert (score["correct"], score["weight"]) == (report.correct, report.weight)
        assert score["interval"] == list(wilson(report.correct, report.weight))
        assert (scored["leaves"], scored["depth"]) == (tree.n_leaves, tree.depth)
        assert scored["cross_validation"] is None
    json.dumps(several.to_dict())


def test_two_trees_are_compared_as_before(three):
    by_place = penjing.compare(three[0], three[1], {"training": MELONS}, ("x", "y"))
    by_name = penjing.compare(three[0], three[1], tables={"training": MELONS}, names=("x", "y"))
    assert isinstance(by_place, penjing.evaluate.compare.Comparison)
    assert by_place.to_dict() == by_name.to_dict()
    assert by_place.is_pruned


def test_cross_validation_is_that_of_the_recipe(three):
    several = penjing.compare(*three, tables={"training": MELONS}, folds=5, seed=3)
    for tree, scored in zip(three, several.trees, strict=True):
        report = penjing.cross_validate(MELONS, tree, 5, seed=3)
        assert scored["cross_validation"]["correct"] == report.correct
    left_out = penjing.compare(*three, tables={"training": MELONS}, folds="leave-one-out")
    report = penjing.cross_validate(MELONS, "id3", "leave-one-out")
    assert left_out.trees[0]["cross_validation"]["correct"] == report.correct
    hand = Tree.from_dict({"纹理": {"清晰": "是", "稍糊": "否", "模糊": "否"}}, target="好瓜")
    mixed = penjing.compare(hand, three[0], tables={"training": MELONS}, folds=5)
    assert mixed.trees[0]["cross_validation"] is None
    assert list(mixed.to_pandas())[-1] == "cross-validation"


@settings(max_examples=15)
@given(table=tables(max_rows=10))
def test_rows_that_differ_are_those_that_are_predicted_differently(table):
    trees = [penjing.fit(table, recipe="id3", max_depth=depth, quiet=True) for depth in (1, 2, 3)]
    several = penjing.compare(*trees, tables={"rows": table})
    for pair, (a, b) in zip(several.pairs, combinations(trees, 2), strict=True):
        one, other = a.predict(table), b.predict(table)
        assert [row["row"] for row in pair["rows"]["rows"]] == [
            i + 1 for i in range(table.n_rows) if one[i] != other[i]
        ]
    assert several.text("zh").count("\n") >= 7


def test_texts_are_in_both_languages(three):
    several = penjing.compare(
        *three, tables={"training": MELONS}, names=["甲", "乙", "丙"], folds=5
    )
    english, chinese = several.text(), several.text("zh")
    assert "first difference" in english
    assert "17/17 = 100% (82% to 100%)" in english
    assert "5-fold" in english
    assert "最先不同之处" in chinese
    assert "17/17 = 100%（82%–100%）" in chinese
    assert "5 折交叉验证" in chinese
    assert "first difference" in several._repr_html_()
    assert several.to_pandas().index.tolist() == ["甲", "乙", "丙"]


def test_recipes_are_compared_on_one_table():
    several = penjing.compare_recipes(MELONS, ["id3", "cart-binary"], test=MELONS, max_depth=1)
    assert [tree["name"] for tree in several.trees] == ["id3", "cart-binary"]
    assert [tree["depth"] for tree in several.trees] == [1, 1]
    assert set(several.trees[0]["tables"]) == {"training", "test"}


def test_a_recipe_that_refuses_missing_values_is_left_out_with_a_warning():
    rows = [{"x": i % 5 or None, "y": "ab"[i % 5 > 2]} for i in range(40)]
    with pytest.warns(penjing.DataWarning, match="id3 was left out: it does not accept missing"):
        several = penjing.compare_recipes(rows, ["c4.5", "id3", "cart"], "y")
    assert [tree["name"] for tree in several.trees] == ["c4.5", "cart"]
    with pytest.raises(penjing.ChoiceError) as error:
        penjing.compare_recipes(rows, ["id3", "cart-textbook"], "y", quiet=True)
    assert error.value.key == "compare_needs_two"


def test_numbers_are_compared_by_their_squared_errors():
    rows = [{"x": x, "y": x**1.5} for x in range(12)]
    trees = [penjing.fit(rows, "y", recipe="sklearn", max_depth=d) for d in (1, 2, 3)]
    several = penjing.compare(*trees, tables={"training": rows}, folds=3)
    errors = several.to_pandas()["training mean squared error"].tolist()
    assert errors == pytest.approx([tree.score(rows).rmse ** 2 for tree in trees])


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (lambda t: penjing.compare(*t, names=["a", "b"]), "not_n_names"),
        (lambda t: penjing.compare(*t, names=["a", "b", "b"]), "not_n_names"),
        (lambda t: penjing.compare(*t, folds=5), "compare_folds_need_rows"),
        (lambda t: penjing.compare(*t, 5), "not_tree"),
        (lambda _: penjing.compare_recipes(MELONS, ["id3"]), "compare_needs_two"),
    ],
)
def test_wrong_calls_are_refused_in_a_sentence(three, call, key):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        call(three)
    assert caught.value.key == key
    assert isinstance(caught.value, ChoiceError) or key == "not_tree"
