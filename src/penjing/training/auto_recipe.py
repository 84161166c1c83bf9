"""Chooses the recipe if none is named: by the rows, the columns and the target of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from penjing.data.table import Table
from penjing.dialects.recipes import AUTO, recipe_of
from penjing.errors import ChoiceError, PenjingError
from penjing.grow.recipe import Recipe
from penjing.tree.tree_data import TreeData

MAX_TEXTBOOK_ROWS = 1_000
"""A table of more rows is not one that people compute by hand."""
AnyTree = TypeVar("AnyTree", bound=TreeData)


@dataclass(frozen=True, slots=True)
class Preference:
    """A recipe to choose, by name, with settings of its own and how its tree is pruned."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    prune: str | None = None
    pruning_options: Mapping[str, Any] = field(default_factory=dict)


CROSS_VALIDATED = Preference(
    "rpart",
    # how far it grows before the cross-validated errors choose a subtree
    {"cp": 0.001, "minsplit": 10, "xval": 10},
    "cost-complexity",
    # the smallest error: by the one-standard-error rule small tables lose much
    {"one_se": False},
)
CLASSES = tuple(map(Preference, ("c4.5", "c4.5-textbook", "rpart", "sklearn", "j48", "c5.0")))
PREFERENCES = {
    "auto_textbook": (Preference("id3"), *CLASSES),
    "auto_classes": CLASSES,
    "auto_number": (CROSS_VALIDATED, Preference("cart-binary"), Preference("sklearn")),
}
"""For each reason the recipes in order of preference: a later one is taken only where settings rule
out those before it."""
OWN_CRITERION = {
    "auto_textbook": (Preference("id3"),),
    "auto_classes": (Preference("c4.5-textbook"),),
    "auto_number": (Preference("cart-binary"),),
}
"""The same for a criterion that is not one of penjing's."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What decides: read from a table, or from the survey of a database."""

    n_rows: int
    is_regression: bool
    is_categorical: bool
    has_missing: Callable[[], bool]
    """Whether a value is missing; a function, since cells are looked at only if that decides."""

    @classmethod
    def of(cls, table: Table) -> TableFacts:
        """Return the facts of a table.

        Examples
        --------
        >>> import penjing
        >>> TableFacts.of(penjing.example("watermelon2.0")).reason
        'auto_textbook'
        """
        return cls(
            table.n_rows,
            table.is_regression,
            all(column.kind == "nominal" for column in table.columns),
            lambda: any(column.has_missing for column in table.columns),
        )

    @property
    def reason(self) -> str:
        """The key of the message that says why a recipe was chosen."""
        if self.is_regression:
            return "auto_number"
        is_small = self.n_rows <= MAX_TEXTBOOK_ROWS
        is_textbook = is_small and self.is_categorical and not self.has_missing()
        return "auto_textbook" if is_textbook else "auto_classes"


@dataclass(frozen=True, slots=True)
class RecipeChoice:
    """A recipe with its settings, how the tree is pruned, and what a tree records of the choice."""

    recipe: Recipe
    prune: str | None = None
    pruning_options: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] | None = None
    """``reason``, ``recipe`` and ``settings``, which ruled out other recipes; None if a recipe was
    named."""

    def record_in(self, tree: AnyTree) -> AnyTree:
        """Return a tree with the record of the choice, if there is one."""
        if self.record is None:
            return tree
        return replace(tree, about={**tree.about, "auto": dict(self.record)})


def is_auto(recipe: str | Recipe) -> bool:
    """Return whether the table decides the recipe.

    Examples
    --------
    >>> is_auto("auto"), is_auto("AUTO"), is_auto("id3")
    (True, True, False)
    """
    return isinstance(recipe, str) and recipe.strip().lower() == AUTO


def choose_recipe(
    recipe: str | Recipe,
    table: Table | TableFacts,
    changes: Mapping[str, Any],
    prune: str | None = None,
    check: Callable[[Recipe], object] | None = None,
    *,
    is_validated: bool = False,
) -> RecipeChoice:
    """Return the recipe that is named, or the one chosen for a table.

    Parameters
    ----------
    recipe : str or Recipe
        A recipe, or ``auto``.
    table : Table or TableFacts
        The table.
    changes : dict
        Settings of the recipe. A recipe that does not have them is not chosen.
    prune : str, optional
        The pruning method, if one is named.
    check : function, optional
        Raises an error for a recipe that the engine cannot grow.
    is_validated : bool
        Whether a validation set decides the pruning.

    Examples
    --------
    >>> import penjing
    >>> table = penjing.example("watermelon3.0")
    >>> choose_recipe("auto", table, {}).recipe.name
    'c4.5'
    >>> choose_recipe("auto", table, {"cp": 0.1}).recipe.name
    'rpart'
    """
    if is_auto(recipe):
        facts = table if isinstance(table, TableFacts) else TableFacts.of(table)
        return _choose(facts, changes, prune, check, is_validated=is_validated)
    if not isinstance(recipe, Recipe) or changes:
        recipe = recipe_of(recipe, **changes)
    if check is not None:
        check(recipe)
    return RecipeChoice(recipe, prune)


def _choose(
    facts: TableFacts,
    changes: Mapping[str, Any],
    prune: str | None,
    check: Callable[[Recipe], object] | None,
    *,
    is_validated: bool,
) -> RecipeChoice:
    """Return the first recipe that takes the table and the settings."""
    reason = facts.reason
    preferred = PREFERENCES[reason]
    is_own = not isinstance(changes.get("criterion", ""), str)
    candidates = OWN_CRITERION[reason] if is_own else preferred
    errors: list[PenjingError] = []
    for each in candidates:
        prunes = each.prune is not None and prune is None and not is_validated
        try:
            chosen = recipe_of(each.name, **{**(each.settings if prunes else {}), **changes})
        except PenjingError as error:
            errors.append(error)
            continue
        if chosen.missing == "refuse" and "missing" not in changes and facts.has_missing():
            continue
        if check is not None:  # every engine chooses the same, or refuses
            check(chosen)
        record: dict[str, Any] = {"reason": reason, "recipe": each.name}
        if each is not preferred[0]:
            record["settings"] = sorted(changes)
        if prunes and chosen.dialect.cross_validates(chosen):
            return RecipeChoice(chosen, each.prune, each.pruning_options, record)
        return RecipeChoice(chosen, prune, record=record)
    not_had = ("unknown_setting", "nearest_setting")
    wrong_values = [error for error in errors if not error.key.startswith(not_had)]
    raise next(iter([*wrong_values, *errors]), ChoiceError("auto_none"))
