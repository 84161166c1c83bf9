"""Names of settings that people know from other libraries."""

from __future__ import annotations

import pytest

import penjing
from penjing.errors import PenjingError
from penjing.grow.setting_names import CRITERIA, NEAREST, SAME

GOLF = penjing.example("golf")


def grown(recipe: str = "cart-binary", **settings: object) -> penjing.Tree:
    return penjing.fit(GOLF, recipe=recipe, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", [w for w, c in CRITERIA.items() if c != "variance"])
def test_a_criterion_has_several_names(word):
    for recipe in ("id3", "cart-binary", "c4.5-textbook"):
        assert grown(recipe, criterion=word) == grown(recipe, criterion=CRITERIA[word])
    assert grown(criterion=word.upper()).recipe["criterion"] == CRITERIA[word]


@pytest.mark.parametrize("word", [w for w, c in CRITERIA.items() if c == "variance"])
def test_a_criterion_of_numbers_has_several_names(word):
    rows = [{"x": i, "y": i * i / 7} for i in range(12)]
    for recipe in ("cart-binary", "rpart"):
        by_word = penjing.fit(rows, "y", recipe, criterion=word)
        assert by_word == penjing.fit(rows, "y", recipe, criterion="variance")
    with pytest.raises(PenjingError):
        grown(criterion=word)


def test_estimators_take_them_too():
    rows, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0]
    for kind in (penjing.CARTClassifier, penjing.TreeClassifier):
        estimator = kind(criterion="entropy").fit(rows, y)
        assert estimator.model_.recipe["criterion"] == "gain"


@pytest.mark.parametrize(
    ("alias", "setting", "value"),
    [
        ("max_leaf_nodes", "max_leaves", 3),
        ("min_samples_split", "min_weight", 6),
        ("min_samples_leaf", "min_branch", 3),
    ],
)
def test_parameters_of_sklearn_are_settings_where_they_mean_the_same(alias, setting, value):
    assert SAME[alias][-1] == setting
    assert grown(**{alias: value}) == grown(**{setting: value}) != grown()
    with pytest.raises(PenjingError, match=f"{alias} and {setting} are the same"):
        grown(**{alias: value, setting: value})


@pytest.mark.parametrize(
    ("alias", "own"), [("min_samples_split", "minsplit"), ("min_samples_leaf", "minbucket")]
)
def test_rpart_has_its_own_names_for_them(alias, own):
    assert grown("rpart", **{alias: 4}) == grown("rpart", **{own: 4})


def test_they_are_settings_of_the_recipe_sklearn():
    for word in {*SAME, *NEAREST} - {"class_weight"}:
        value = 2 if word.startswith(("min_samples", "max_leaf", "random")) else 0.0
        assert grown("sklearn", **{word: value}).n_nodes >= 1


@pytest.mark.parametrize("word", NEAREST)
def test_the_nearest_setting_is_named_where_they_do_not(word):
    if word == "random_state":
        return
    value = 0.5 if word != "class_weight" else "balanced"
    with pytest.raises(PenjingError) as caught:
        grown("id3", **{word: value})
    assert NEAREST[word] in str(caught.value)
    assert word in str(caught.value)
    assert NEAREST[word] in caught.value.say("zh")


def test_a_smallest_leaf_of_a_multiway_split_is_not_a_smallest_branch():
    with pytest.raises(PenjingError, match="min_branch"):
        grown("id3", min_samples_leaf=2)
    assert grown("id3", min_samples_leaf=2, shape="binary").n_leaves


def test_random_state_is_the_seed():
    one = penjing.fit(GOLF, recipe="id3", validation=0.4, random_state=3)
    assert one == penjing.fit(GOLF, recipe="id3", validation=0.4, seed=3)
    assert penjing.fit(GOLF, recipe="id3", random_state=None) == penjing.fit(GOLF, recipe="id3")
    with pytest.raises(PenjingError, match="random_state and seed"):
        penjing.fit(GOLF, recipe="id3", random_state=3, seed=4)
    with pytest.raises(PenjingError, match="random_state"):
        penjing.fit(GOLF, recipe="id3", random_state="x")
