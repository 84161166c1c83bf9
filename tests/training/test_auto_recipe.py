"""The recipe `auto`: what is chosen for a table, why, and that it is the recipe named outright."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.dialects.recipes import recipe_of
from penjing.errors import CapabilityError, ChoiceError, PenjingError
from penjing.training.auto_recipe import MAX_TEXTBOOK_ROWS, PREFERENCES, choose_recipe, is_auto


def made(n, *, numeric=False, missing=False, target="class", seed=0):
    """A table of two categorical columns, and as asked a numeric one and missing values."""
    rng = np.random.default_rng(seed)
    columns = {f"c{i}": rng.choice(["a", "b", "c"], n).tolist() for i in range(2)}
    if numeric:
        columns["x"] = rng.normal(size=n).tolist()
    y = [a == "a" for a in columns["c0"]]
    columns["y"] = [float(i) + v for i, v in enumerate(y)] if target == "number" else y
    if missing:
        columns["c1"][0] = None
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    kinds = {"y": "numeric" if target == "number" else "nominal"}
    return penjing.read(rows, "y", schema=kinds)


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([30, MAX_TEXTBOOK_ROWS, MAX_TEXTBOOK_ROWS + 1]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["class", "number"]),
)
def test_the_rule_as_it_is_stated(n, numeric, missing, target):
    table = made(n, numeric=numeric, missing=missing, target=target)
    tree = penjing.fit(table)
    is_textbook = n <= MAX_TEXTBOOK_ROWS and not numeric and not missing
    stated = "rpart" if target == "number" else "id3" if is_textbook else "c4.5"
    assert tree.recipe["name"] == stated
    assert tree.about["auto"]["recipe"] == stated
    assert tree.about["auto"]["reason"] in PREFERENCES


def test_a_class_tree_is_that_of_the_recipe_named_outright():
    for table in (made(200), made(200, numeric=True), made(200, missing=True)):
        chosen = penjing.fit(table)
        named = penjing.fit(table, recipe=chosen.recipe["name"])
        assert chosen.about.pop("auto")
        assert json.dumps(chosen.to_json()) == json.dumps(named.to_json())


def test_numbers_are_pruned_by_the_cross_validated_errors():
    tree = penjing.fit(made(300, numeric=True, target="number"))
    assert tree.recipe["xval"] == 10
    assert [record["method"] for record in tree.about["pruning"]] == ["cost-complexity"]
    grown = penjing.fit(made(300, numeric=True, target="number"), recipe="rpart", cp=0.001, xval=10)
    assert tree.n_leaves == grown.prune("cost-complexity").n_leaves


def test_a_pruning_method_or_a_validation_set_goes_first():
    table = made(300, numeric=True, target="number")
    assert [r["method"] for r in penjing.fit(table, prune="simplify").about["pruning"]] == [
        "simplify"
    ]
    assert penjing.fit(table, validation=0.3).about["pruning"][0]["method"] == "prepruned"


@pytest.mark.parametrize(
    ("changes", "recipe"),
    [
        ({"max_depth": 2}, "c4.5"),
        ({"cp": 0.01}, "rpart"),
        ({"minsplit": 5}, "rpart"),
        ({"ccp_alpha": 0.01}, "sklearn"),
        ({"criterion": "gini"}, "c4.5-textbook"),
        ({"global_pruning": False}, "c5.0"),
    ],
)
def test_settings_rule_out_recipes_that_lack_them(changes, recipe):
    table = made(200, numeric=True)
    choice = choose_recipe("auto", table, changes)
    assert choice.recipe.name == recipe
    assert penjing.fit(table, **changes).recipe["name"] == recipe
    assert ("settings" in choice.record) == (recipe != "c4.5")


@pytest.mark.parametrize("changes", [{"max_dpth": 3}, {"max_depth": -1}, {"criterion": "nope"}])
def test_settings_that_no_recipe_takes_are_refused(changes):
    with pytest.raises(PenjingError) as of_auto:
        penjing.fit(made(200, numeric=True), **changes)
    with pytest.raises(PenjingError) as of_first:
        penjing.fit(made(200, numeric=True), recipe="c4.5", **changes)
    assert str(of_auto.value) == str(of_first.value)


def test_cross_validation_decides_once():
    # A fold of the 1,001 rows would be small enough for id3.
    table = made(MAX_TEXTBOOK_ROWS + 1)
    by_auto = penjing.cross_validate(table, "auto", 5)
    assert str(by_auto) == str(penjing.cross_validate(table, "c4.5", 5))


@pytest.mark.parametrize("name", ["ID3", "Id3", " id3 "])
def test_names_of_recipes_in_any_case(name):
    assert penjing.fit(made(50), recipe=name).recipe["name"] == "id3"


@pytest.mark.parametrize(
    ("name", "recipe"),
    [("C4.5", "c4.5"), ("C45", "c4.5"), ("CART", "rpart"), ("J48", "j48"), ("C50", "c5.0"),
     ("C4.5-Textbook", "c4.5-textbook"), ("scikit-learn", "sklearn"), ("RPART", "rpart")],
)  # fmt: skip
def test_other_names_of_recipes(name, recipe):
    assert penjing.fit(made(50), recipe=name).recipe["name"] == recipe


def test_auto_needs_a_table():
    assert is_auto("Auto")
    with pytest.raises(ChoiceError, match="depends on the table"):
        recipe_of("auto")


@pytest.mark.parametrize("engine", ["native", "memory", "disk", "duckdb"])
def test_every_engine_chooses_the_same(engine):
    for table in (made(200), made(200, numeric=True)):
        tree = penjing.fit(table, engine=engine)
        assert tree.about["auto"] == penjing.fit(table).about["auto"]


def test_an_engine_that_cannot_grow_the_recipe_refuses():
    # rather than growing another tree than the other engines
    with pytest.raises(CapabilityError, match="fraction"):
        penjing.fit(made(200, missing=True), engine="duckdb")


def test_an_estimator_may_choose():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    model = penjing.TreeClassifier(recipe="auto").fit(x, x[:, 0] > 0)
    assert model.tree_.recipe["name"] == "c4.5"
    regressor = penjing.TreeRegressor(recipe="auto").fit(x, x[:, 0])
    assert regressor.tree_.recipe["name"] == "rpart"


def test_a_wrong_value_is_refused_by_the_recipe_that_has_the_setting():
    with pytest.raises(PenjingError, match="usesurrogate must be one of"):
        penjing.fit(made(200, numeric=True), usesurrogate=5)
