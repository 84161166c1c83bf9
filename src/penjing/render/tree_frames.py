"""Nodes and rules of a tree as data frames, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from penjing.formatting.frame import frame_of
from penjing.i18n import say
from penjing.render.leaf_rules import rules_of
from penjing.text.labels import branch_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame


def nodes_frame(tree: TreeData) -> DataFrame:
    """Return one row per node, in the order of their numbers.

    Examples
    --------
    >>> import penjing
    >>> nodes_frame(penjing.fit(penjing.example("fish")))[["parent", "depth", "weight"]]
          parent  depth  weight
    node
    0       <NA>      0     5.0
    1          0      1     3.0
    2          0      1     2.0
    3          1      2     2.0
    4          1      2     1.0
    """
    nodes = range(tree.n_nodes)
    columns, cuts = tree.nodes.column, tree.nodes.cut
    has_cut = [
        not tree.is_leaf[n] and tree.schema[int(columns[n])].is_numeric and np.isfinite(cuts[n])
        for n in nodes
    ]
    frame: dict[str, list[object]] = {
        "parent": [None if n == 0 else tree.parent_of(n)[0] for n in nodes],
        "depth": [int(depth) for depth in tree.depths],
        "branch": ["" if n == 0 else branch_text(tree, n) for n in nodes],
        "split": [None if tree.is_leaf[n] else tree.schema[int(columns[n])].name for n in nodes],
        "threshold": [float(cuts[n]) if has_cut[n] else None for n in nodes],
        "is_leaf": [bool(tree.is_leaf[n]) for n in nodes],
        "prediction": [tree.answer(n) for n in nodes],
        "weight": [tree.weight_of(n) for n in nodes],
    }
    for i, class_ in enumerate(tree.classes):
        frame[f"weight {class_}"] = [float(tree.nodes.total[n, i]) for n in nodes]
    made = frame_of(frame, list(nodes), "node")
    made["parent"] = made["parent"].astype("Int64")
    return made


def rules_frame(tree: TreeData, lang: str = "en") -> DataFrame:
    """Return one row per leaf, in the order in which the tree is drawn.

    Examples
    --------
    >>> import penjing
    >>> rules_frame(penjing.fit(penjing.example("fish")))["confidence"].tolist()
    [1.0, 1.0, 1.0]
    """
    rules = list(rules_of(tree, lang))
    frame: dict[str, list[object]] = {
        "rule": [say("rule_and", lang).join(rule.conditions) for rule in rules],
        "prediction": [tree.answer(rule.node) for rule in rules],
        "weight": [rule.weight for rule in rules],
    }
    if not tree.is_regression:
        frame["confidence"] = [rule.confidence for rule in rules]
    return frame_of(frame, [rule.node for rule in rules], "node")
