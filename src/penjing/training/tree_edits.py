"""Changes of a finished tree at one node: another split, a leaf, or a subtree that grows again.

Everything outside the node stays as it is. What is below it grows from the node's rows, with the
weights that they have there, by the recipe of the tree, and is then pruned as the recipe prunes:
as a tree of its own, in which a given split is never removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from penjing.data.masked import masked
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.grow.engine import Engine
from penjing.grow.engine_of_table import engine_of_table
from penjing.grow.force_syntax import SplitRequest
from penjing.grow.forced_choice import ForcedSplit
from penjing.grow.grow_below import recipe_in_place
from penjing.grow.loop import grow_unpruned
from penjing.grow.recipe import Recipe
from penjing.grow.steering import Steering
from penjing.grow.trace_steps import with_steps
from penjing.i18n import Word
from penjing.progress import ProgressCallback
from penjing.prune.renumber import map_nodes, renumber_decisions
from penjing.text.node_path import node_path
from penjing.training.sketches import sketches
from penjing.training.steered import PRUNING, facts_of_parts, finish_steered, renumbered_pruning
from penjing.training.train import describe
from penjing.tree.forced import (
    Act,
    acts_of,
    forbidden_columns,
    node_of_steps,
    steps_to,
    with_record,
)
from penjing.tree.graft import Grafted, Part, graft
from penjing.tree.tree_data import TreeData

OF_THE_WHOLE_TREE = ("rules", "missing", "unseen", "laplace", "precision", "empty", "class_weight")
"""Settings that hold for a whole tree, so that a subtree cannot grow by others."""
_OWN_FACTS = ("n_rows", "source", "left_out")
"""Facts about the training rows, which an edit does not change."""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The training rows of a tree, and the recipe that it was grown by.

    Parameters
    ----------
    table : Table
        The rows, with the columns of the tree, as the recipe prepares them.
    recipe : Recipe
        The recipe.
    engine : Engine
        Counts the rows; forbidden columns are masked.
    """

    table: Table
    recipe: Recipe
    engine: Engine

    @classmethod
    def of_tree(
        cls, tree: TreeData, rows: Table, recipe: Recipe, threads: int | None = None
    ) -> TrainingSet:
        """Return the training set of a tree.

        Parameters
        ----------
        tree : TreeData
            The tree.
        rows : Table
            Its training rows, with its columns and classes.
        recipe : Recipe
            Its recipe.
        threads : int, optional
            The number of threads.
        """
        table = recipe.prepared(rows)
        columns = masked(table, forbidden_columns(tree))
        return cls(table, recipe, engine_of_table("native", columns, recipe, threads=threads))

    def rows_of(self, tree: TreeData, node: int) -> npt.NDArray[Any] | None:
        """Return the numbers of the rows that reach a node; None for all of them.

        Parameters
        ----------
        tree : TreeData
            The tree.
        node : int
            The number of the node.
        """
        if node == 0 or any(column.has_missing for column in self.table.columns):
            return None  # rows with missing values are predicted otherwise than they grew
        return self.engine.row_numbers(tree, node)


def replace_split(
    tree: TreeData,
    node: int,
    request: SplitRequest,
    training: TrainingSet,
    progress: ProgressCallback | None = None,
) -> TreeData:
    """Return a tree in which a node has another split, and what grows below it.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    node : int
        The number of the node.
    request : SplitRequest
        The column, perhaps with its threshold or its groups.
    training : TrainingSet
        The training rows of the tree.
    progress : function, optional
        Called with a `Progress` from time to time.
    """
    if request.column in forbidden_columns(tree):
        raise ChoiceError("force_forbidden", column=request.column)
    below, recipe = _below(tree, node, training)
    steering = Steering((ForcedSplit(node_path(tree, node), request, ()),))
    grown = below.grow_steered(recipe, steering, progress)
    if grown is None:
        grown = grow_unpruned(below, recipe, None, progress, steering)
    return _with_subtree(tree, node, finish_steered(grown, below, recipe), training)


def regrow_at(
    tree: TreeData,
    node: int,
    training: TrainingSet,
    changes: Mapping[str, Any] | None = None,
    progress: ProgressCallback | None = None,
) -> TreeData:
    """Return a tree in which everything below a node has grown again.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    node : int
        The number of the node.
    training : TrainingSet
        The training rows of the tree.
    changes : mapping, optional
        Settings of the recipe that differ for this subtree.
    progress : function, optional
        Called with a `Progress` from time to time.
    """
    changes = dict(changes or {})
    for name in OF_THE_WHOLE_TREE:
        if name in changes:
            raise ChoiceError("edit_whole_setting", setting=name)
    recipe = training.recipe
    if changes:
        recipe = recipe.but(**changes).fits(training.table)
    below, in_place = _below(tree, node, replace(training, recipe=recipe))
    grown = below.grow(in_place, progress)
    if grown is None:
        grown = grow_unpruned(below, in_place, None, progress)
    part = finish_steered(grown, below, in_place)
    act = {"act": "regrow", "settings": changes} if changes else None
    return _with_subtree(tree, node, part, training, act)


def prune_at(tree: TreeData, node: int, training: TrainingSet | None = None) -> TreeData:
    """Return a tree in which a node is a leaf.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    node : int
        The number of the node.
    training : TrainingSet, optional
        The training rows of the tree; without them, facts that need rows are left out.
    """
    if tree.is_leaf[node]:
        raise ChoiceError("edit_leaf_already", node=node_path(tree, node) or Word("root"))
    smaller = tree.pruned([node], why="forced")
    mapping = map_nodes(tree, smaller)
    about = dict(smaller.about)
    listed = len(tree.about.get("ties", ()))
    if "n_ties" in tree.about:
        about["n_ties"] = int(tree.about["n_ties"]) - (listed - len(about["ties"]))
    stops = dict(about.get("stops", {}))
    about["stops"] = stops | {"forced": sorted({*stops.get("forced", ()), node})}
    if PRUNING in about:
        about[PRUNING] = [
            dict(record) | {"decisions": renumber_decisions(record.get("decisions", ()), mapping)}
            for record in about[PRUNING]
        ]
    act = {"act": "leaf", "path": node_path(tree, node), "steps": steps_to(tree, node)}
    about = with_record(about, [*_acts_outside(tree, node), act], forbidden_columns(tree))
    return _described(tree, replace(smaller, about=about), training)


def _below(tree: TreeData, node: int, training: TrainingSet) -> tuple[Engine, Recipe]:
    """Return the engine of a node's rows, and the recipe for a tree that grows there."""
    engine, recipe = training.engine, training.recipe
    if node == 0:
        return engine, recipe
    if not tree.weight_of(node) > 0:
        raise ChoiceError("edit_no_rows", node=node_path(tree, node) or Word("root"))
    in_place = recipe_in_place(engine, tree, node, recipe)
    if recipe.max_leaves is not None:
        others = tree.pruned([node]).n_leaves - 1
        in_place = replace(in_place, max_leaves=max(recipe.max_leaves - others, 1))
    return engine.engine_below(tree, node), in_place


def _acts_outside(tree: TreeData, node: int) -> list[Act]:
    """Return what was forced outside a node and what is below it."""
    return [
        act
        for act in acts_of(tree)
        if (at := node_of_steps(tree, act.get("steps", ()))) is None or node not in tree.path(at)
    ]


def _with_subtree(
    tree: TreeData,
    node: int,
    part: TreeData,
    training: TrainingSet,
    act: dict[str, Any] | None = None,
) -> TreeData:
    """Return a tree with a subtree in the place of a node, and with the record of it."""
    grafted = graft(tree, {node: Part(part)})
    steps, path = steps_to(tree, node), node_path(tree, node)
    new_acts = [
        dict(each) | {"path": path, "steps": [*steps, *each["steps"]]} for each in acts_of(part)
    ]
    if act is not None:
        new_acts.append(act | {"path": path, "steps": steps})
    about = dict(grafted.tree.about)
    about.pop(PRUNING, None)
    records = _pruning(grafted, tree, node, part) if node else list(part.about.get(PRUNING, ()))
    if records:
        about[PRUNING] = records
    if "cp_table" in part.about:
        about["cp_table"] = part.about["cp_table"]
    acts = [*_acts_outside(tree, node), *new_acts]
    about = with_record(about, acts, forbidden_columns(tree))
    return _described(tree, replace(grafted.tree, about=about, centre=part.centre), training)


def _pruning(grafted: Grafted, tree: TreeData, node: int, part: TreeData) -> list[dict[str, Any]]:
    """Return the decisions of pruning about the rest of a tree, and about its new subtree."""
    records = renumbered_pruning(grafted, tree, node)
    for record in facts_of_parts(grafted, {node: Part(part)}).get(PRUNING, ()):
        same = next((r for r in records if r["method"] == record["method"]), None)
        if same is None:
            records.append(record)
        else:
            same["decisions"] = [*same["decisions"], *record["decisions"]]
    return records


def _described(old: TreeData, new: TreeData, training: TrainingSet | None) -> TreeData:
    """Return a changed tree with the facts that depend on all of it."""
    about = {k: v for k, v in new.about.items() if k not in ("training", "missing")}
    if training is None:
        about.pop("cp_table", None)
        return replace(new, about=about)
    new = replace(new, about=about)
    engine, recipe = training.engine, training.recipe
    new = recipe.dialect.refresh(new, engine, recipe)
    described = describe(new, training.table)
    kept = {key: old.about[key] for key in _OWN_FACTS if key in old.about}
    described = replace(described, about={**described.about, **kept}, reading=old.reading)
    if old.kept_trace is not None:
        described = with_steps(described, engine, recipe)
        described.kept_trace["steps"].as_list()
    if old.sketch is not None:
        described = replace(described, sketch=sketches(described, engine, recipe))
    return described
