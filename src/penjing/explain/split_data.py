"""The sketches of a tree for pictures: those of the model, or counted in its training rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from penjing.data.masked import masked
from penjing.explain.node import has_training_counts, recipe_of_tree, rows_of_tree
from penjing.grow.engine_of_table import engine_of_table
from penjing.training.sketches import sketches
from penjing.tree.forced import forbidden_columns
from penjing.tree.tree_data import TreeData

MAX_ROWS = 200_000
"""Rows are counted for a picture only up to this number; `fit(sketch=True)` counts any."""

KEPT = "_drawn_sketches"
"""Where a tree keeps the sketches that were counted for a picture; they are not saved with it."""

T = TypeVar("T", bound=TreeData)


def with_sketches(tree: T) -> T:
    """Return a tree with sketches, if it has them or if its training rows are available.

    Parameters
    ----------
    tree : TreeData
        A tree; a loaded model has the sketches that it was saved with, or none.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> [sketch["node"] for sketch in with_sketches(tree).sketch]
    [0]
    """
    if tree.sketch is not None or not tree.has_counts or tree.is_leaf[0]:
        return tree
    kept = tree.__dict__.get(KEPT)
    if kept is not None:
        return replace(tree, sketch=kept)
    n_rows = tree.about.get("n_rows")
    if not isinstance(n_rows, int) or n_rows > MAX_ROWS:
        return tree
    table = tree.training_table()
    if table is None or not has_training_counts(tree, table):  # such as with validation rows
        return tree
    recipe = recipe_of_tree(tree)
    rows = masked(recipe.prepared(rows_of_tree(tree, table)), forbidden_columns(tree))
    kept = sketches(tree, engine_of_table("native", rows, recipe), recipe)
    tree.__dict__[KEPT] = kept  # another picture of the tree shows the same
    return replace(tree, sketch=kept)
