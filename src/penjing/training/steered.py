"""The last steps of a steered tree: what its recipe prunes, without the splits that were forced.

A tree is finished as any other. If that removes a forced split, it is finished in parts instead:
forced splits and all splits above them stay, and each subtree beside or below them is finished by
itself, as if it were a tree of its own rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.grow.engine import Engine
from penjing.grow.grow_below import recipe_in_place
from penjing.grow.recipe import Recipe
from penjing.prune.kept_splits import KeptSplitRemovedError
from penjing.prune.renumber import NodeMapping, carry_trace, renumber_decisions
from penjing.tree.forced import STEERING, forced_nodes
from penjing.tree.graft import Grafted, Part, graft
from penjing.tree.tree_data import TreeData

PRUNING = "pruning"
"""The fact about a tree that lists the decisions of pruning."""


def finish_steered(grown: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return a tree after the last steps of its program; forced splits are kept.

    Parameters
    ----------
    grown : TreeData
        The tree as it was grown.
    engine : Engine
        Counts the training rows.
    recipe : Recipe
        The recipe.
    """
    if STEERING not in grown.about:
        return recipe.dialect.finish(grown, engine, recipe)
    forced = forced_nodes(grown)
    kept = {node for each in forced for node in grown.path(each)}
    finished = _finished_whole(grown, engine, recipe, kept)
    if finished is not None and len(forced_nodes(finished)) == len(forced):
        return finished
    tops = [child for node in kept for child in grown.children(node) if child not in kept]
    return finish_parts(grown, sorted(tops), engine, recipe)


def _finished_whole(
    grown: TreeData, engine: Engine, recipe: Recipe, kept: Collection[int]
) -> TreeData | None:
    """Return the tree finished as any other; None if some splits are known not to stay."""
    dialect = recipe.dialect
    if not kept or dialect.finish_keeping is None:
        return dialect.finish(grown, engine, recipe)
    try:
        return dialect.finish_keeping(grown, engine, recipe, kept)
    except KeptSplitRemovedError:
        return None


def finish_parts(grown: TreeData, tops: list[int], engine: Engine, recipe: Recipe) -> TreeData:
    """Return a tree in which some subtrees are finished, each by itself.

    Parameters
    ----------
    grown : TreeData
        The tree as it was grown.
    tops : list of int
        The top nodes of the subtrees; none is below another.
    engine, recipe
        As in `finish_steered`.
    """
    parts = {
        node: Part(finished_subtree(Part(grown, node), grown, node, engine, recipe))
        for node in tops
        if not grown.is_leaf[node]
    }
    grafted = graft(grown, parts)
    about = dict(grafted.tree.about) | facts_of_parts(grafted, parts)
    tree = replace(grafted.tree, about=about)
    tree = recipe.dialect.refresh(tree, engine, recipe)
    return replace(tree, kept_trace=carry_trace(grown, tree))


def finished_subtree(
    part: Part, tree: TreeData, node: int, engine: Engine, recipe: Recipe
) -> TreeData:
    """Return a subtree after the last steps of its program, as a tree of the rows of a node.

    Parameters
    ----------
    part : Part
        The subtree, as it was grown from the rows of the node.
    tree : TreeData
        The whole tree.
    node : int
        The node whose place the subtree takes.
    engine, recipe
        As in `finish_steered`.
    """
    own = subtree(part)
    if own.is_leaf[0]:
        return own
    below = engine.engine_below(tree, node)
    return recipe.dialect.finish(own, below, recipe_in_place(engine, tree, node, recipe))


def subtree(part: Part) -> TreeData:
    """Return a subtree as a tree of its own."""
    if part.top == 0:
        return replace(part.tree, kept_trace=None, sketch=None, skeleton=None)
    one_leaf = part.tree.pruned([0])
    return graft(replace(one_leaf, about=_few_facts(part.tree.about)), {0: part}).tree


def _few_facts(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a tree that hold for its parts, too."""
    return {key: value for key, value in about.items() if key in ("costs", "counted")}


def facts_of_parts(grafted: Grafted, parts: Mapping[int, Part]) -> dict[str, Any]:
    """Return the decisions of pruning of all parts, by the node numbers of the whole tree."""
    records: dict[str, dict[str, Any]] = {}
    for node, part in parts.items():
        numbers = grafted.part_ids[node]
        for record in part.tree.about.get(PRUNING, ()):
            decisions = [_renumbered(d, numbers) for d in record.get("decisions", ())]
            known = records.setdefault(record["method"], dict(record) | {"decisions": []})
            known["decisions"] = [*known["decisions"], *decisions]
            known.pop("n_decisions", None)
    return {PRUNING: list(records.values())} if records else {}


def _renumbered(decision: Mapping[str, Any], numbers: Any) -> dict[str, Any]:  # noqa: ANN401
    now = int(decision.get("now", decision["node"]))
    number = int(numbers[now]) if now < len(numbers) else int(numbers[0])
    return {**decision, "node": number, "now": number}


def renumbered_pruning(grafted: Grafted, old: TreeData, top: int) -> list[dict[str, Any]]:
    """Return the decisions about a tree of which the nodes below one were replaced."""
    if not old.about.get(PRUNING):
        return []
    now = {o: int(n) for o, n in enumerate(grafted.new_id) if n >= 0 and o != top}
    nearest = np.where(grafted.new_id < 0, grafted.new_id[top], grafted.new_id).tolist()
    mapping = NodeMapping(now, nearest, set(), set())
    found = []
    for record in old.about.get(PRUNING, ()):
        decisions = record.get("decisions", ())
        kept = [d for d in decisions if int(d.get("now", -1)) in now]
        found.append(dict(record) | {"decisions": renumber_decisions(kept, mapping)})
    return found
