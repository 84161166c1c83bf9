"""Parameters of the estimators that rpart does not have."""

from __future__ import annotations

from typing import Any

from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.grow.recipe import Recipe


def leaf_fraction(fraction: float, recipe: Recipe, table: Table) -> dict[str, Any]:  # noqa: ARG001
    """Raise an error: rpart counts the rows of a leaf, not their weight."""
    raise ChoiceError("weight_fraction_unknown", recipe=recipe.name)
