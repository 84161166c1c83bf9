"""The named recipes of all dialects: those of penjing, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any

from penjing.errors import unknown_name_error
from penjing.grow.dialect import Dialect
from penjing.grow.recipe import Recipe
from penjing.registry import BUILT_IN, load, plugins

RECIPES: dict[str, Recipe]
"""All recipes by name, those of plug-ins last, then other names of recipes."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - RECIPES
    if name == "RECIPES":  # made when it is first asked for: that loads every dialect
        return _recipes()
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def _dialects() -> Iterator[Dialect]:
    """Load the dialects one after the other, those of penjing first."""
    names = plugins("dialect")
    for name in sorted(names, key=lambda name: name not in BUILT_IN["dialect"]):
        dialect = load("dialect", name)
        if isinstance(dialect, Dialect):
            yield dialect


@cache
def _recipes() -> dict[str, Recipe]:
    dialects = list(_dialects())
    recipes: dict[str, Recipe] = {}
    for recipe in (recipe for dialect in dialects for recipe in dialect.recipes):
        recipes.setdefault(recipe.name, recipe)
    for dialect in dialects:
        for alias, name in dialect.aliases.items():
            recipes.setdefault(alias, recipes[name])
    return recipes


@cache
def named_recipe(name: str) -> Recipe | None:
    """Return the recipe of a name, None if there is none; loads no more dialects than needed.

    Examples
    --------
    >>> named_recipe("cart").name, named_recipe("chaid")
    ('rpart', None)
    """
    for dialect in _dialects():
        own_name = dialect.aliases.get(name, name)
        for recipe in dialect.recipes:
            if recipe.name == own_name:
                return recipe
    return None


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
        known = named_recipe(recipe) if isinstance(recipe, str) else None
        if known is None:
            raise unknown_name_error("unknown_plug", recipe, _recipes(), socket="recipe")
        recipe = known
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
