"""The named recipes of all dialects: those of penjing, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any

from penjing.errors import ChoiceError, unknown_name_error
from penjing.grow.dialect import Dialect
from penjing.grow.recipe import Recipe
from penjing.registry import BUILT_IN, load, plugins

AUTO = "auto"
"""The name that stands for the recipe chosen for a table, by `penjing.training.auto_recipe`."""


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


class _Recipes(Mapping[str, Recipe]):
    """All recipes by name, those of plug-ins last, then other names of recipes.

    They are read when one is first used.

    Examples
    --------
    >>> import penjing
    >>> penjing.RECIPES["rpart"].but(cp=0.05).options.cp
    0.05
    >>> "c4.5" in penjing.RECIPES, penjing.RECIPES["cart"].name
    (True, 'rpart')
    """

    def __getitem__(self, name: str) -> Recipe:
        return _recipes()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_recipes())

    def __len__(self) -> int:
        return len(_recipes())

    def __repr__(self) -> str:
        return repr(_recipes())


RECIPES: Mapping[str, Recipe] = _Recipes()
"""All recipes by name, those of plug-ins last, then other names of recipes."""


@cache
def named_recipe(name: str) -> Recipe | None:
    """Return the recipe of a name in any case, None if there is none.

    No more dialects are loaded than needed. A name as it is written goes before the same name in
    another case, for plug-ins that differ in case only.

    Examples
    --------
    >>> named_recipe("CART").name, named_recipe("C4.5").name, named_recipe("chaid")
    ('rpart', 'c4.5', None)
    """
    for written in (str, _plain_name):
        wanted = written(name)
        for dialect in _dialects():
            names = {recipe.name: recipe for recipe in dialect.recipes}
            names |= {alias: names[own] for alias, own in dialect.aliases.items()}
            for known, recipe in names.items():
                if written(known) == wanted:
                    return recipe
    return None


def _plain_name(name: str) -> str:
    return name.strip().casefold()


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
            if isinstance(recipe, str) and _plain_name(recipe) == AUTO:
                raise ChoiceError("auto_needs_table")
            raise unknown_name_error("unknown_choice", recipe, (AUTO, *_recipes()), kind="recipe")
        recipe = known
    try:
        return _changed(recipe, (recipe.is_criterion_named, *setting_types), **changes)
    except Exception:  # noqa: BLE001 - unhashable settings; invalid ones are refused again
        return recipe.but(**changes)


_FIELDS = tuple(field.name for field in fields(Recipe))


@lru_cache(maxsize=64, typed=True)  # typed, and with the types of its settings: True is not 1
def _changed(
    recipe: Recipe,
    other_facts: tuple[bool | type, ...],  # noqa: ARG001 - what equality leaves out
    **changes: Any,  # noqa: ANN401 - checked by `but`
) -> Recipe:
    return recipe.but(**changes)
