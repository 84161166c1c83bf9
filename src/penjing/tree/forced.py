"""What was forced in a tree: the record in its facts, and the nodes that it is about.

``about["steering"]`` holds ``acts``, in the order in which they were made, and ``forbid``, the
columns that no split may use. An act is ``split`` (a given column, perhaps with its threshold or
its groups) or ``leaf``; its node is found by ``steps`` from the root, so that pruning need not
number it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penjing.arguments import is_whole
from penjing.data.table import Field
from penjing.tree.split import Split, level_text
from penjing.tree.tree_data import TreeData

STEERING = "steering"
"""The fact about a tree that records what was forced."""
Step = dict[str, Any]
"""One branch: ``column`` and ``side`` (0 up to the threshold, 1 above), or ``level``."""
Act = Mapping[str, Any]


def step_of(field: Field, split: Split, branch: int) -> Step:
    """Return the step that takes a branch of a split."""
    if split.cut is not None:
        return {"column": field.name, "side": branch}
    group = split.groups[branch]
    return {"column": field.name, "level": level_text(field, int(group[0])) if len(group) else ""}


def steps_to(tree: TreeData, node: int) -> list[Step]:
    """Return the steps from the root to a node."""
    steps = []
    for child in tree.path(node)[1:]:
        parent, branch = tree.parent_of(child)
        split = tree.split(parent)
        assert split is not None
        steps.append(step_of(tree.schema[split.column], split, branch))
    return steps


def branch_by_step(field: Field, split: Split, step: Step) -> int | None:
    """Return the branch that a step takes; None if the split is on another column."""
    if field.name != step.get("column"):
        return None
    if split.cut is not None:
        side = step.get("side")
        return side if is_whole(side) and side in (0, 1) else None
    level = step.get("level")
    for branch, group in enumerate(split.groups):
        levels = [level_text(field, code) for code in np.asarray(group).tolist()]
        if isinstance(level, str) and level in levels:
            return branch
    return None


def node_of_steps(tree: TreeData, steps: Sequence[Step]) -> int | None:
    """Return the node that steps lead to, None if the tree does not have it.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"a": {0: "x", 1: "y"}})
    >>> node_of_steps(tree, [{"column": "a", "level": "1"}]), node_of_steps(tree, [{"column": "b"}])
    (2, None)
    """
    node = 0
    for step in steps:
        split = tree.split(node)
        if split is None:
            return None
        branch = branch_by_step(tree.schema[split.column], split, step)
        if branch is None:
            return None
        node = tree.children(node)[branch]
    return node


def acts_of(tree: TreeData) -> list[Act]:
    """Return what was forced, in order; empty for any other tree."""
    record = tree.about.get(STEERING)
    acts = record.get("acts") if isinstance(record, Mapping) else None
    return [act for act in acts if isinstance(act, Mapping)] if isinstance(acts, list) else []


def forbidden_columns(tree: TreeData) -> tuple[str, ...]:
    """Return the columns that no split of a tree may use."""
    record = tree.about.get(STEERING)
    names = record.get("forbid") if isinstance(record, Mapping) else None
    return tuple(map(str, names)) if isinstance(names, list) else ()


def forced_nodes(tree: TreeData) -> dict[int, Act]:
    """Return the nodes whose split was forced and is still there, with what was forced."""
    found = {}
    for act in acts_of(tree):
        node = node_of_steps(tree, act.get("steps", ())) if act.get("act") == "split" else None
        if node is None or tree.is_leaf[node]:
            continue
        if tree.schema[int(tree.nodes.column[node])].name == act.get("column"):
            found[node] = act
    return found


def with_record(
    about: Mapping[str, Any], acts: Sequence[Act], forbid: Sequence[str]
) -> dict[str, Any]:
    """Return facts about a tree with the record of what was forced; without one if it is empty."""
    rest = {key: value for key, value in about.items() if key != STEERING}
    record: dict[str, Any] = {}
    if acts:
        record["acts"] = [dict(act) for act in acts]
    if forbid:
        record["forbid"] = list(forbid)
    return rest | ({STEERING: record} if record else {})
