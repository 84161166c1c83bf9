"""A tree as nested JSON with one object for each node, for comparison with other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from penjing.arguments import one_of
from penjing.tree.tree_data import TreeData

Empty = Literal["majority", "none", "skip"]


def write(tree: TreeData, *, empty: Empty = "majority") -> str:
    """Return a tree as nested JSON text.

    A leaf has ``class`` (or ``value``), ``n``, ``counts`` and ``errors``; a split also has
    ``attribute``, ``kind`` (``threshold``, ``nominal``, ``subset``), ``branches``, ``gain`` and
    ``score``. The document also holds the recipe, the columns and the size of the tree.

    Parameters
    ----------
    tree : TreeData
        The tree.
    empty : str
        A branch without training rows is a leaf with the class of its node (``majority``), a leaf
        without a class (``none``), or left out (``skip``).

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> json.loads(write(tree))["tree"]["branches"][0]["value"]
    0
    """
    one_of("empty", empty, ("majority", "none", "skip"))
    size, leaves, depth = _sizes(tree, empty)
    text = "".join(_node_texts(tree, empty))
    summary: dict[str, Any] = {"size": size, "leaves": leaves, "depth": depth}
    training = tree.about.get("training")
    if training is not None and not tree.is_regression:
        summary["train_errors"] = _plain_number(training["of"] - training["correct"])
    document = {"format": "tree-golden/1", "program": "penjing", "settings": dict(tree.recipe)}
    members = _json_members(document | {"data": _data_fields(tree), "summary": summary})
    return f'{{{members}, "tree": {text}}}'


def _node_texts(tree: TreeData, empty: Empty) -> Iterator[str]:
    """Yield the text of a tree in pieces, without recursion and without copying subtrees."""
    stack: list[int | str] = [0]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        yield "{" + _json_members(_node_fields(tree, node))
        if tree.is_leaf[node]:
            yield "}"
            continue
        branches: list[tuple[dict[str, Any], int | str]] = [*_branches(tree, node)]
        if empty != "skip":
            empty_leaf = "{" + _json_members(_empty_leaf(tree, node, empty)) + "}"
            branches += [(label, empty_leaf) for label in _empty_branch_labels(tree, node)]
        parts: list[int | str] = [', "branches": [']
        for i, (label, child) in enumerate(branches):
            parts += [f'{", " if i else ""}{{{_json_members(label)}, "child": ', child, "}"]
        stack += [*parts, "]}"][::-1]


def _sizes(tree: TreeData, empty: Empty) -> tuple[int, int, int]:
    """Return the number of nodes, of leaves, and the depth, including empty branches."""
    n_empty = 0
    depth = tree.depth
    if empty != "skip":
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            if n := len(_empty_branch_labels(tree, node)):
                n_empty += n
                depth = max(depth, int(tree.depths[node]) + 1)
    return tree.n_nodes + n_empty, tree.n_leaves + n_empty, depth


def _data_fields(tree: TreeData) -> dict[str, Any]:
    attributes = [
        {"name": f.name, "type": "numeric"}
        if f.is_numeric
        else {"name": f.name, "type": "nominal", "values": list(f.levels)}
        for f in tree.schema
    ]
    classes = None if tree.is_regression else list(tree.classes)
    return {"target": tree.target.name, "classes": classes, "attributes": attributes}


def _node_fields(tree: TreeData, node: int) -> dict[str, Any]:
    """Return the fields of a node without its branches."""
    fields: dict[str, Any] = {}
    if not tree.is_leaf[node]:
        field = tree.schema[int(tree.nodes.column[node])]
        fields |= {"attribute": field.name, "kind": _kind(tree, node)}
        if not np.isnan(tree.nodes.cut[node]):
            cut = float(tree.nodes.cut[node])  # infinite: tests whether it is missing
            fields["threshold"] = _plain_number(cut) if np.isfinite(cut) else None
        fields |= {"gain": float(tree.nodes.gain[node]), "score": float(tree.nodes.score[node])}
    else:
        fields["leaf"] = True
        if tree.has_counts and tree.weight_of(node) == 0:
            fields["empty"] = True
    if tree.is_regression:
        return fields | {"value": tree.answer(node), "n": _plain_number(tree.weight_of(node))}
    counts = [_plain_number(v) for v in tree.nodes.total[node].tolist()]
    fields |= {
        "class": tree.answer(node),
        "n": _plain_number(tree.weight_of(node)),
        "counts": counts,
    }
    fields["errors"] = _plain_number(tree.weight_of(node) - float(counts[int(tree.values[node])]))
    return fields


def _kind(tree: TreeData, node: int) -> str:
    if not np.isnan(tree.nodes.cut[node]):
        return "threshold"
    n_levels = len(tree.schema[int(tree.nodes.column[node])].levels)
    by_groups = tree.recipe.get("shape", "multiway") != "multiway"
    # Columns with two levels are not merged.
    if by_groups and not (tree.recipe["shape"] == "merged" and n_levels <= 2):
        return "subset"
    has_groups = any(len(tree.nodes.levels(c)) > 1 for c in tree.children(node))
    # C5.0 groups leaves, and also branches without rows.
    groups_empty = tree.recipe.get("gather") is True and len(tree.empty_levels(node)) > 1
    return "subset" if has_groups or groups_empty else "nominal"


def _branches(tree: TreeData, node: int) -> list[tuple[dict[str, Any], int]]:
    kind = _kind(tree, node)
    children = tree.children(node)
    if kind == "threshold":
        return [({"op": op}, child) for op, child in zip(("<=", ">"), children, strict=True)]
    levels = tree.schema[int(tree.nodes.column[node])].levels
    branches = []
    for child in children:
        values = [levels[code] for code in tree.nodes.levels(child).tolist()]
        branches.append(({"value": values[0]} if kind == "nominal" else {"values": values}, child))
    return branches


def _empty_branch_labels(tree: TreeData, node: int) -> list[dict[str, Any]]:
    """Return the labels of the empty branches: one for each level, or one for all of them."""
    codes = tree.empty_levels(node)
    if tree.recipe.get("shape") == "merged" and tree.recipe.get("pruning") == "error-based":
        possible = _reachable_levels(tree, node) if codes else set()
        codes = [code for code in codes if code in possible]
    values = [tree.schema[int(tree.nodes.column[node])].levels[code] for code in codes]
    if _kind(tree, node) == "nominal":
        return [{"value": value} for value in values]
    return [{"values": values}] if values else []


def _reachable_levels(tree: TreeData, node: int) -> set[int]:
    """Return the levels of a node's column that the splits above it do not exclude."""
    column = int(tree.nodes.column[node])
    levels = set(range(len(tree.schema[column].levels)))
    for above, below in pairwise(tree.path(node)):
        if int(tree.nodes.column[above]) == column:
            levels &= set(tree.nodes.levels(below).tolist())
    return levels


def _empty_leaf(tree: TreeData, node: int, empty: Empty) -> dict[str, Any]:
    counts = [0] * len(tree.classes)
    prediction = None if empty == "none" else tree.answer(node)
    prediction_fields = (
        {"value": prediction} if tree.is_regression else {"class": prediction, "counts": counts}
    )
    return {"leaf": True, "empty": True, "n": 0, "errors": 0} | prediction_fields


def _json_members(fields: dict[str, Any]) -> str:
    """Return an object as JSON without its braces, so that more members can follow."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[1:-1]


def _plain_number(value: float) -> float | int:
    return int(value) if value == int(value) else value
