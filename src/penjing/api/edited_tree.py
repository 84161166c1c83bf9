"""Changes of a tree at one node, for the methods of `Tree`: the node, the rows, the cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from penjing import arguments
from penjing.data.source import Label, Source
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.evaluate.edit_cost import EditCost, edit_cost
from penjing.explain.node import has_training_counts, recipe_of_tree, rows_of_tree
from penjing.grow.force_syntax import (
    SplitRequest,
    parse_forced_text,
    parse_request,
    split_request,
)
from penjing.i18n import number_text
from penjing.text.node_path import find_node
from penjing.training.pruning import validation_rows
from penjing.training.tree_edits import TrainingSet, replace_split
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.api.tree import Tree

Edit = Callable[[int, TrainingSet], TreeData]
"""Returns a tree with another subtree at a node, given its training rows."""


def requested_split(
    tree: TreeData,
    column: str,
    threshold: float | str | None = None,
    groups: Sequence[Sequence[Label]] | None = None,
) -> SplitRequest:
    """Return the split that a user asks for.

    Parameters
    ----------
    tree : TreeData
        The tree.
    column, threshold, groups
        As in :meth:`penjing.Tree.replace_split`.
    """
    arguments.text("column", column)
    if threshold is None and groups is None:
        return parse_request(column, tree.schema)
    return split_request(tree.schema, column, threshold, groups)


def replaced_by_text(
    tree: Tree, text: str, *, data: Source | None = None, validation: Source | None = None
) -> Tree:
    """Return the tree after a change that is written as ``PATH => SPLIT``.

    Parameters
    ----------
    tree : Tree
        The tree.
    text : str
        The path of a node (or its number), an arrow, and a split; without an arrow it is that of
        the root. Nothing behind the arrow makes the node a leaf.
    data, validation : source, optional
        As in :meth:`penjing.Tree.replace_split`.
    """
    path, request = parse_forced_text(text, tree.schema)
    if request.column is None:
        return tree.prune_at(path, data=data, validation=validation)
    return edited_tree(
        tree, path, lambda at, rows: replace_split(tree, at, request, rows), data, validation
    )


def node_number(tree: TreeData, node: int | str) -> int:
    """Return the number of a node that is given by number or path."""
    if not isinstance(node, str):
        return tree.checked(node)
    at, empty_branch = find_node(tree, node)
    if empty_branch is not None:
        raise ChoiceError("edit_no_rows", node=node)
    return at


def edited_tree(
    tree: Tree,
    node: int | str,
    edit: Edit,
    data: Source | None,
    validation: Source | None,
    *,
    needs_rows: bool = True,
) -> Tree:
    """Return the tree after an edit, with what it cost.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int or str
        The node.
    edit : function
        Returns the changed tree.
    data, validation : source, optional
        The training rows, and rows to validate with.
    needs_rows : bool
        Whether the edit is impossible without the training rows.
    """
    from penjing.api.tree import Tree, remember_cost  # it imports this module

    at = node_number(tree, node)
    rows = _training_rows(tree, data, needs_rows=needs_rows)
    training = None if rows is None else TrainingSet.of_tree(tree, rows, recipe_of_tree(tree))
    changed = edit(at, training)  # type: ignore[arg-type]
    # The changed tree may use columns that the tree does not.
    held_out = None if validation is None else validation_rows(tree, validation, changed)

    def compute_cost() -> EditCost:
        if training is None:
            return edit_cost(tree, changed, None, held_out)
        reached = training.rows_of(tree, at)
        return edit_cost(tree, changed, training.table, held_out, reached)

    # Predicting with both trees may take longer than growing the node, so that waits for a reader.
    return remember_cost(Tree.from_data(changed), tree, compute_cost)


def _training_rows(tree: Tree, data: Source | None, *, needs_rows: bool) -> Table | None:
    """Return the training rows of a tree: those given, or those that it was fitted to."""
    if not tree.has_counts:
        raise ChoiceError("edit_needs_counts")
    source = tree.training_table() if data is None else data
    if source is None:
        if needs_rows:
            raise ChoiceError("edit_needs_rows")
        return None
    rows = rows_of_tree(tree, source)
    if not has_training_counts(tree, rows):
        counts = {"n": number_text(rows.total_weight), "grown": number_text(tree.weight_of(0))}
        raise ChoiceError("edit_other_rows", **counts)
    return rows
