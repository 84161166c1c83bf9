"""The parameters of the estimators are the settings of their recipes, with the same defaults."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest

import penjing
from penjing import RECIPES, Recipe
from penjing.criteria.criterion import Criterion
from penjing.data.source import Label
from penjing.dialects.recipes import recipe_of
from penjing.estimators import base
from penjing.grow.constraints import Interaction, Monotonic
from penjing.grow.recipe import Measure, Missing, Shape, Unseen

OWN = {
    "prune",
    "ccp_alpha",
    "validation_fraction",
    "random_state",
    "engine",
    "class_weight",
    "min_weight_fraction_leaf",
    "recipe",
    "force_splits",
    "forbid",
    "options",
}
"""Parameters of the estimators themselves."""
ANY_RECIPE = (penjing.TreeClassifier, penjing.TreeRegressor)
NAMED = (
    penjing.ID3Classifier,
    penjing.C45Classifier,
    penjing.CARTClassifier,
    penjing.CARTRegressor,
)
CASES = [(estimator, estimator._recipe) for estimator in NAMED]
CASES += [(estimator, name) for estimator in ANY_RECIPE for name in RECIPES]
TYPES = {
    "Any": Any,
    "Criterion": Criterion,
    "Label": Label,
    "Literal": Literal,
    "Mapping": Mapping,
    "Interaction": Interaction,
    "Measure": Measure,
    "Monotonic": Monotonic,
    "Missing": Missing,
    "Recipe": Recipe,
    "Shape": Shape,
    "Unseen": Unseen,
    "np": np,
}


def settings_of(recipe: Recipe) -> dict[str, tuple[object, str]]:
    """Return the value and the annotation of each field of a recipe and of its options."""
    found = {}
    for record in (recipe, recipe.options):
        for field in fields(record):
            if field.name not in ("name", "options"):
                found[field.name] = getattr(record, field.name), str(field.type)
    return found


def setting_names(estimator: type, recipe: Recipe) -> dict[str, str]:
    """Return the field of the recipe for each parameter that is not the estimator's own."""
    names = recipe.dialect.estimator_names
    parameters = inspect.signature(estimator).parameters
    return {name: names.get(name, name) for name in parameters if name not in OWN}


def members(annotation: object) -> list[object]:
    """Return the types of which an annotation is the union."""
    if isinstance(annotation, str):
        annotation = eval(annotation, TYPES)  # noqa: S307 - text of the package
    if get_origin(annotation) in (types.UnionType, typing.Union):
        return [part for member in get_args(annotation) for part in members(member)]
    return [annotation]


def admits(wide: object, narrow: object) -> bool:
    """Return whether one type has every value of another."""
    if wide == narrow or (wide is float and narrow is int):
        return True
    if get_origin(narrow) is not Literal:
        return False
    values = get_args(narrow)
    if get_origin(wide) is Literal:
        return set(values) <= set(get_args(wide))
    return isinstance(wide, type) and all(isinstance(value, wide) for value in values)


def test_the_own_parameters_are_those_that_the_base_sets_apart():
    assert {*base._OWN_PARAMETERS, "recipe", "options"} == OWN


@pytest.mark.parametrize(("estimator", "name"), CASES)
def test_every_parameter_is_a_setting_of_the_recipe(estimator, name):
    recipe = recipe_of(name)
    names = setting_names(estimator, recipe)
    assert len(set(names.values())) == len(names)
    assert set(names.values()) <= set(settings_of(recipe))


@pytest.mark.parametrize(("estimator", "name"), CASES)
def test_a_default_is_that_of_the_recipe_or_none(estimator, name):
    recipe = recipe_of(name)
    parameters = inspect.signature(estimator).parameters
    for parameter, setting in setting_names(estimator, recipe).items():
        default = parameters[parameter].default
        assert default is None or default == settings_of(recipe)[setting][0], parameter


@pytest.mark.parametrize(("estimator", "name"), CASES)
def test_an_annotation_admits_what_the_recipe_does(estimator, name):
    recipe = recipe_of(name)
    parameters = inspect.signature(estimator).parameters
    for parameter, setting in setting_names(estimator, recipe).items():
        wide = members(parameters[parameter].annotation)
        narrow = members(settings_of(recipe)[setting][1])
        if setting == "criterion" and recipe.options.criteria is not None:
            narrow = [str]  # this dialect takes the names of criteria only
        for kind in narrow:
            assert any(admits(each, kind) for each in wide), (parameter, kind)
