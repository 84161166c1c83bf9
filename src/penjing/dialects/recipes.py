"""The named recipes: ID3, C4.5 and CART of the textbook, and those of the programs."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from penjing import arguments
from penjing.dialects.c45.options import C45Options
from penjing.dialects.c50.options import C50Options
from penjing.dialects.rpart.options import RpartOptions
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.recipe import Recipe

ID3 = Recipe("id3", criterion="gain", shape="multiway", missing="refuse")
C45_TEXTBOOK = Recipe("c4.5-textbook", criterion="gain_ratio", shape="multiway", missing="fraction")
CART_TEXTBOOK = Recipe("cart-textbook", criterion="gini", shape="multiway", missing="refuse")
CART_BINARY = Recipe("cart-binary", criterion="gini", shape="binary", missing="refuse")
C45 = Recipe(
    "c4.5", "quinlan", "gain_ratio", "multiway", "fraction", "missing", min_branch=2.0,
    options=C45Options(precision="single"),
)  # fmt: skip
J48 = replace(
    C45,
    name="j48",
    options=C45Options(
        tolerance=1e-6,
        cut_tolerance=1e-6,
        zero_gain=False,
        deviate="quantile",
        last_errors=1.0,
        empty="shares",
    ),
)
C50_RECIPE = Recipe(
    "c5.0",
    "c50",
    "gain_ratio",
    "multiway",
    "fraction",
    "missing",
    min_branch=2.0,
    options=C50Options(),
)
RPART = Recipe(
    "rpart", "rpart", "gini", "binary", "surrogate", "missing", max_depth=30, options=RpartOptions()
)
SKLEARN = Recipe(
    "sklearn", "sklearn", "gini", "binary", "direction", "missing", options=SklearnOptions()
)

RECIPES: dict[str, Recipe] = {
    r.name: r
    for r in (ID3, C45_TEXTBOOK, CART_TEXTBOOK, CART_BINARY, C45, J48, C50_RECIPE, RPART, SKLEARN)
} | {"cart": RPART}


def recipe_of(recipe: str | Recipe, **changes: Any) -> Recipe:  # noqa: ANN401 - checked by `but`
    """Return a recipe by name, or as given, with settings changed.

    Examples
    --------
    >>> recipe_of("cart-binary", max_depth=3).shape
    'binary'
    """
    setting_types: tuple[
        type, ...
    ] = ()  # the settings of a named recipe always have the same types
    if isinstance(recipe, Recipe):
        setting_types = tuple(type(getattr(recipe, name)) for name in _FIELDS)
    else:
        recipe = RECIPES[arguments.one_of("recipe", recipe, RECIPES)]
    try:
        return _changed(recipe, setting_types, **changes)
    except Exception:  # noqa: BLE001 - unhashable settings; invalid ones are refused again
        return recipe.but(**changes)


_FIELDS = tuple(field.name for field in fields(Recipe))


@lru_cache(maxsize=64, typed=True)  # typed, and with the types of its settings: True is not 1
def _changed(
    recipe: Recipe,
    setting_types: tuple[type, ...],  # noqa: ARG001 - part of the key of the cache
    **changes: Any,  # noqa: ANN401 - checked by `but`
) -> Recipe:
    return recipe.but(**changes)
