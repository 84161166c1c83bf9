"""The engine that counts a table as a recipe counts: with its costs and missing values."""

from __future__ import annotations

from typing import Any

from penjing.data.table import Table
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.registry import load
from penjing.tree.counts import reader_of


def engine_of_table(name: str, table: Table, recipe: Recipe, **options: Any) -> Engine:  # noqa: ANN401 - settings of the engine
    """Return an engine for the rows of a table.

    Parameters
    ----------
    name : str
        The name of the engine.
    table : Table
        The rows, as the recipe prepares them.
    recipe : Recipe
        The recipe.
    **options
        Settings of the engine.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> engine_of_table("native", fish, Recipe("id3")).schema == fish.schema
    True
    """
    costs, centred = recipe.options.costs(table), recipe.options.centred
    if costs is not None or not centred:
        options["reader"] = reader_of(table, costs, centred=centred)
    engine: Engine = load("engine", name)(table, missing=recipe.missing, **options)
    return engine
