"""Recipes are values; settings that cannot be used are refused before any row is read."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import pytest

import penjing
from penjing.criteria.criterion import Impurity
from penjing.criteria.gini import Gini
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.dialects.textbook import C45_TEXTBOOK, CART_BINARY, CART_TEXTBOOK, ID3
from penjing.errors import ChoiceError
from strategies import RECIPE_NAMES

CLASSES = Table((nominal("a", ["x", "y"]),), nominal("c", ["p", "q"]), 2)
NUMBERS = Table((nominal("a", ["x", "y"]),), numeric("c", [1, 2]), 2)
HOLES = Table((nominal("a", ["x", None]), nominal("b", [None, None])), nominal("c", ["p", "q"]), 2)


def test_the_textbook_recipes_differ_in_three_choices():
    said = [
        (r.criterion, r.shape, r.missing) for r in (ID3, C45_TEXTBOOK, CART_TEXTBOOK, CART_BINARY)
    ]
    assert said == [
        ("gain", "multiway", "refuse"),
        ("gain_ratio", "multiway", "fraction"),
        ("gini", "multiway", "refuse"),
        ("gini", "binary", "refuse"),
    ]
    assert [RECIPES[name].name for name in RECIPE_NAMES] == list(RECIPE_NAMES)


def test_a_recipe_is_a_value():
    assert ID3.but() == ID3
    assert ID3.but(max_depth=3) != ID3
    assert ID3.max_depth is None
    with pytest.raises(FrozenInstanceError):
        ID3.max_depth = 3
    assert recipe_of(ID3, max_depth=1) == recipe_of("id3", max_depth=1)


@pytest.mark.parametrize("name", RECIPES)
def test_settings_are_plain_data(name):
    settings = RECIPES[name].settings()
    assert json.loads(json.dumps(settings, allow_nan=False)) == settings
    assert settings["name"] in RECIPES


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"max_depth": -1}, "bad_whole_number"),
        ({"max_depth": 1.5}, "bad_whole_number"),
        ({"max_depth": True}, "bad_whole_number"),
        ({"max_depth": "3"}, "bad_whole_number"),
        ({"max_leaves": 0}, "bad_whole_number"),
        ({"min_weight": -1}, "bad_number"),
        ({"min_weight": math.nan}, "bad_number"),
        ({"min_branch": math.inf}, "bad_number"),
        ({"min_gain": "much"}, "bad_number"),
        ({"min_gain": None}, "bad_number"),
        ({"min_gain": True}, "bad_number"),
        ({"criterion": 5}, "bad_criterion"),
        ({"criterion": None}, "bad_criterion"),
        ({"criterion": "ginny"}, "unknown_criterion_near"),
        ({"criterion": "xyz"}, "unknown_criterion"),
        ({"shape": "round"}, "unknown_choice"),
        ({"shape": "binery"}, "unknown_choice_near"),
        ({"missing": "fractions"}, "unknown_choice_near"),
        ({"missing": "surrogate"}, "unknown_choice"),  # rpart's, not the textbook's
        ({"missing": "direction"}, "unknown_choice"),  # scikit-learn's
        ({"unseen": 5}, "unknown_choice"),
        ({"rules": "textbok"}, "unknown_dialect_near"),
        ({"max_dept": 3}, "unknown_setting_near"),
        ({"name": "mine"}, "unknown_setting"),
        ({"options": None}, "unknown_setting"),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_sentence(changes, key):
    with pytest.raises(ChoiceError) as caught:
        ID3.but(**changes)
    assert caught.value.key.removesuffix("_near") == key.removesuffix("_near")
    assert key.endswith("_near") <= caught.value.key.endswith("_near")
    assert str(caught.value)
    assert caught.value.say("zh") != str(caught.value)


def test_a_mistyped_recipe_is_answered_with_the_near_miss():
    with pytest.raises(ChoiceError, match=r"Did you mean 'c4.5-textbook"):
        recipe_of("c45-textbook")
    with pytest.raises(ChoiceError, match=r"unknown recipe 'magic'\. Recipes: "):
        penjing.fit(CLASSES, recipe="magic")


def test_a_criterion_is_a_name_a_function_or_an_object():
    assert ID3.measure().name == "gain"
    assert ID3.but(criterion=Gini()).measure() == Gini()
    mine = Impurity("mine", len)
    assert ID3.but(criterion=mine).measure() is mine
    assert ID3.but(criterion=max).measure().name == "max"
    assert ID3.but(criterion=max).settings()["criterion"] == "max"

    class Nameless:
        def __call__(self, counts):
            return 1 - max(counts) / sum(counts)

    assert ID3.but(criterion=Nameless()).measure().name == "own"


def test_a_number_to_predict_turns_a_class_recipe_to_variance():
    assert ID3.fits(NUMBERS).criterion == "variance"
    assert ID3.fits(CLASSES) == ID3
    assert CART_BINARY.fits(NUMBERS).shape == "binary"
    with pytest.raises(ChoiceError) as caught:
        ID3.but(criterion="variance").fits(CLASSES)
    assert caught.value.key == "variance_needs_number"
    with pytest.raises(ChoiceError) as caught:
        ID3.but(criterion=max).fits(NUMBERS)
    assert caught.value.key == "measure_needs_classes"


def test_missing_values_are_refused_where_the_recipe_says_so():
    with pytest.raises(ChoiceError) as caught:
        ID3.fits(HOLES)
    assert "column 'a' has 1 missing value, which recipe 'id3' does not accept" in str(caught.value)
    with pytest.raises(ChoiceError, match="column 'b' has 2 missing values"):
        ID3.fits(Table(HOLES.columns[1:], HOLES.target, 2))
    assert C45_TEXTBOOK.fits(HOLES) == C45_TEXTBOOK
    assert ID3.but(missing="fraction").fits(HOLES).missing == "fraction"


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("c4.5", {"collapse": "no"}),
        ("c4.5", {"s": "no"}),
        ("c4.5", {"c": "25"}),
        ("j48", {"B": 2}),
        ("j48", {"raise_branches": 3}),
        ("c5.0", {"gather": "no"}),
        ("c5.0", {"c": "25"}),
        ("rpart", {"loss_transposed": 1}),
        ("rpart", {"xval": "ten"}),
        ("rpart", {"xval": [1, "two"]}),
        ("sklearn", {"random_state": "a"}),
        ("sklearn", {"random_state": -1}),
        ("sklearn", {"random_state": 2**32}),
    ],
)
def test_switches_and_numbers_are_not_guessed(recipe, settings):
    with pytest.raises(ChoiceError):
        recipe_of(recipe).but(**settings)


def test_an_option_of_another_program_is_refused_by_the_recipes_name():
    with pytest.raises(ChoiceError, match="'M' is not a setting of recipe 'rpart'"):
        recipe_of("rpart").but(M=2)


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("rpart", {"prior": {"p": 1.0}}),
        ("rpart", {"loss": [[0, 1], [1, 0]]}),
        ("sklearn", {"class_weight": "balanced"}),
    ],
)
def test_what_is_for_classes_is_refused_for_numbers(recipe, settings):
    with pytest.raises(ChoiceError, match="needs a categorical target, but 'c' is numeric"):
        penjing.fit(NUMBERS, recipe=recipe, **settings)


def test_a_named_criterion_is_not_confused_with_the_equal_default():
    named = recipe_of("rpart", criterion="gini")
    assert recipe_of(named).is_criterion_named
    assert not recipe_of(recipe_of("rpart")).is_criterion_named


@pytest.mark.parametrize(
    ("recipe", "setting", "near"),
    [
        ("rpart", "min_weight", "minsplit"),
        ("rpart", "min_branch", "minbucket"),
        ("sklearn", "min_weight", "min_samples_split"),
        ("sklearn", "min_branch", "min_samples_leaf"),
    ],
)
def test_a_setting_that_a_program_does_not_use_is_refused(recipe, setting, near):
    with pytest.raises(ChoiceError, match=f"does not use {setting}; its own setting is {near}"):
        RECIPES[recipe].but(**{setting: 5})
    assert RECIPES[recipe].but(**{setting: 0}) == RECIPES[recipe]
    assert setting not in RECIPES[recipe].table()


def test_hints_name_no_setting_that_the_recipe_does_not_use():
    with pytest.raises(ChoiceError, match="nearest setting of 'rpart' is minbucket"):
        RECIPES["rpart"].but(min_weight_fraction_leaf=0.1)
    with pytest.raises(ChoiceError, match="is not a setting of recipe 'rpart'") as raised:
        RECIPES["rpart"].but(n_jobs=2)
    assert "min_branch" not in str(raised.value)
