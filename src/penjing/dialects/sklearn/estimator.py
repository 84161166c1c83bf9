"""Parameters of the estimators that are settings of the scikit-learn dialect itself."""

from __future__ import annotations

from typing import Any

from penjing.data.table import Table
from penjing.grow.recipe import Recipe


def leaf_fraction(fraction: float, recipe: Recipe, table: Table) -> dict[str, Any]:  # noqa: ARG001
    """Return the setting of the same name."""
    return {"min_weight_fraction_leaf": fraction}
