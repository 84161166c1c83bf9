"""A tree as nested JSON, one object a node: the form in which trees of programs are compared."""

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

    A leaf has ``class`` (or ``value``), ``n``, ``counts`` and ``errors``; a question has also
    ``attribute``, ``kind`` (``threshold``, ``nominal``, ``subset``), ``branches``, ``gain`` and
    ``score``. Around the tree stand the recipe, the columns, and the size.

    Parameters
    ----------
    tree : TreeData
        The tree.
    empty : str
        A branch that no training row took is a leaf with the class of its node
        (``majority``), without a class (``none``), or left out (``skip``).

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> json.loads(write(tree))["tree"]["branches"][0]["value"]
    0
    """
    one_of("empty", empty, ("majority", "none", "skip"))
    size, leaves, depth = _sizes(tree, empty)
    text = "".join(_texts(tree, empty))
    summary: dict[str, Any] = {"size": size, "leaves": leaves, "depth": depth}
    trained = tree.about.get("training")
    if trained is not None and not tree.is_regression:
        summary["train_errors"] = _number(trained["of"] - trained["correct"])
    around = {"format": "tree-golden/1", "program": "penjing", "settings": dict(tree.recipe)}
    head = _plain(around | {"data": _data(tree), "summary": summary})
    return f'{{{head}, "tree": {text}}}'


def _texts(tree: TreeData, empty: Empty) -> Iterator[str]:
    """Yield the text of a tree piece by piece, each once: no recursion, and none copied."""
    waiting: list[int | str] = [0]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        yield "{" + _plain(_own(tree, node))
        if tree.is_leaf[node]:
            yield "}"
            continue
        arms: list[tuple[dict[str, Any], int | str]] = [*_branches(tree, node)]
        if empty != "skip":
            nothing = "{" + _plain(_nothing(tree, node, empty)) + "}"
            arms += [(label, nothing) for label in _empty(tree, node)]
        later: list[int | str] = [', "branches": [']
        for i, (label, child) in enumerate(arms):
            later += [f'{", " if i else ""}{{{_plain(label)}, "child": ', child, "}"]
        waiting += [*later, "]}"][::-1]


def _sizes(tree: TreeData, empty: Empty) -> tuple[int, int, int]:
    """Return how many nodes and leaves there are with the empty ones, and how deep they are."""
    n_empty = 0
    depth = tree.depth
    if empty != "skip":
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            if n := len(_empty(tree, node)):
                n_empty += n
                depth = max(depth, int(tree.depths[node]) + 1)
    return tree.n_nodes + n_empty, tree.n_leaves + n_empty, depth


def _data(tree: TreeData) -> dict[str, Any]:
    attributes = [
        {"name": f.name, "type": "numeric"}
        if f.is_numeric
        else {"name": f.name, "type": "nominal", "values": list(f.levels)}
        for f in tree.schema
    ]
    classes = None if tree.is_regression else list(tree.classes)
    return {"target": tree.target.name, "classes": classes, "attributes": attributes}


def _own(tree: TreeData, node: int) -> dict[str, Any]:
    """Return what a node says of itself."""
    told: dict[str, Any] = {}
    if not tree.is_leaf[node]:
        asked = tree.schema[int(tree.nodes.column[node])]
        told |= {"attribute": asked.name, "kind": _kind(tree, node)}
        if not np.isnan(tree.nodes.cut[node]):
            cut = float(tree.nodes.cut[node])  # infinite: known or not, which no number divides
            told["threshold"] = _number(cut) if np.isfinite(cut) else None
        told |= {"gain": float(tree.nodes.gain[node]), "score": float(tree.nodes.score[node])}
    else:
        told["leaf"] = True
        if tree.has_counts and tree.weight_of(node) == 0:
            told["empty"] = True
    if tree.is_regression:
        return told | {"value": tree.answer(node), "n": _number(tree.weight_of(node))}
    counts = [_number(v) for v in tree.nodes.total[node].tolist()]
    told |= {"class": tree.answer(node), "n": _number(tree.weight_of(node)), "counts": counts}
    told["errors"] = _number(tree.weight_of(node) - float(counts[int(tree.values[node])]))
    return told


def _kind(tree: TreeData, node: int) -> str:
    if not np.isnan(tree.nodes.cut[node]):
        return "threshold"
    n_levels = len(tree.schema[int(tree.nodes.column[node])].levels)
    by_groups = tree.recipe.get("shape", "multiway") != "multiway"
    # Merging has nothing to merge in a column of two levels, and leaves it as it is.
    if by_groups and not (tree.recipe["shape"] == "merged" and n_levels <= 2):
        return "subset"
    several = any(len(tree.nodes.levels(c)) > 1 for c in tree.children(node))
    # Where leaves are gathered (C5.0), so are branches that no row took.
    gathers = tree.recipe.get("gather") is True and len(tree.empty_levels(node)) > 1
    return "subset" if several or gathers else "nominal"


def _branches(tree: TreeData, node: int) -> list[tuple[dict[str, Any], int]]:
    kind = _kind(tree, node)
    children = tree.children(node)
    if kind == "threshold":
        return [({"op": op}, child) for op, child in zip(("<=", ">"), children, strict=True)]
    levels = tree.schema[int(tree.nodes.column[node])].levels
    found = []
    for child in children:
        values = [levels[code] for code in tree.nodes.levels(child).tolist()]
        found.append(({"value": values[0]} if kind == "nominal" else {"values": values}, child))
    return found


def _empty(tree: TreeData, node: int) -> list[dict[str, Any]]:
    """Return the labels of the branches that no row took: one a level, or one for all."""
    codes = tree.empty_levels(node)
    if tree.recipe.get("shape") == "merged" and tree.recipe.get("pruning") == "error-based":
        possible = _possible(tree, node) if codes else set()
        codes = [code for code in codes if code in possible]
    values = [tree.schema[int(tree.nodes.column[node])].levels[code] for code in codes]
    if _kind(tree, node) == "nominal":
        return [{"value": value} for value in values]
    return [{"values": values}] if values else []


def _possible(tree: TreeData, node: int) -> set[int]:
    """Return the levels of a node's column that the questions above it let through."""
    column = int(tree.nodes.column[node])
    found = set(range(len(tree.schema[column].levels)))
    for above, below in pairwise(tree.path(node)):
        if int(tree.nodes.column[above]) == column:
            found &= set(tree.nodes.levels(below).tolist())
    return found


def _nothing(tree: TreeData, node: int, empty: Empty) -> dict[str, Any]:
    counts = [0] * len(tree.classes)
    answer = None if empty == "none" else tree.answer(node)
    said = {"value": answer} if tree.is_regression else {"class": answer, "counts": counts}
    return {"leaf": True, "empty": True, "n": 0, "errors": 0} | said


def _plain(told: dict[str, Any]) -> str:
    """Return an object's text without its braces, so that more can follow."""
    return json.dumps(told, ensure_ascii=False, allow_nan=False)[1:-1]


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value
