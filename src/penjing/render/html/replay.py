"""The replay of a page: the steps in which a tree was grown and pruned.

The steps of growing are those of the trace; nodes that pruning removed come from the skeleton. A
decision of pruning names its node by a number of the tree that was pruned: if a tree was pruned
several times, that is the result of the pruning before. Applying the decisions to the skeleton one
after the other translates all of them to numbers of the grown tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penjing.explain import pruning_text
from penjing.explain.node import story
from penjing.explain.trace_text import step_lines
from penjing.i18n import LANGUAGES, say
from penjing.text.labels import CutText, cut_label, cut_text, quoted, value_texts
from penjing.text.phrases import method_name
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

MAX_STEPS = 500
"""Maximum number of steps of growing, and of decisions of pruning, in the page."""

Texts = dict[str, str]


def replay_data(tree: TreeData) -> dict[str, Any]:
    """Return the tree before pruning, the texts of the trace, and the steps of pruning.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3", trace=True)
    >>> replay = replay_data(tree.prune("pessimistic"))
    >>> len(replay["grown"]["parent"]), [step["kind"] for step in replay["pruning"]][:2]
    (13, ['keep', 'cut'])
    """
    shape = _Shape(tree)
    is_split = [bool(below) for below in shape.children]
    steps = list(_pruning_steps(tree, shape))
    grown_number = shape.grown_numbers(tree)
    steps += _other_cuts(tree, shape)
    return {
        "grown": None if tree.skeleton is None else _grown_arrays(tree, grown_number),
        "texts": _growing_texts(tree, is_split, grown_number),
        "pruning": steps,
    }


class _Shape:
    """The children of each node of the grown tree, as pruning goes on."""

    def __init__(self, tree: TreeData) -> None:
        if tree.skeleton is None:
            parents = tree.nodes.parent.tolist()
            self.is_whole = True
            self.weight = tree.weight.tolist()
        else:
            nodes = tree.skeleton["nodes"]
            parents = [node["parent"] for node in nodes]
            self.is_whole = len(nodes) == tree.skeleton["n_nodes"]
            self.weight = tree.reader.weight(_totals(tree)).tolist()
        self.children: list[list[int]] = [[] for _ in parents]
        for node, parent in enumerate(parents[1:], start=1):
            self.children[parent].append(node)

    def numbers(self) -> list[int]:
        """Return the remaining nodes breadth first: a node's place is its number."""
        found = [0]
        for node in found:
            found += self.children[node]
        return found

    def apply(self, node: int, kind: str) -> None:
        """Cut a node back to a leaf, or let its largest branch take its place."""
        if kind == "cut":
            self.children[node] = []
        elif kind == "raise" and self.children[node]:
            largest = max(self.children[node], key=lambda child: self.weight[child])
            self.children[node] = self.children[largest]

    def grown_numbers(self, tree: TreeData) -> dict[int, int]:
        """Return the number in the grown tree of each node of the pruned one that is known."""
        number = {0: 0}
        for node, first in enumerate(tree.first_child.tolist()):
            n_children = int(tree.n_children[node])
            if node in number and n_children == len(below := self.children[number[node]]):
                number |= dict(zip(range(first, first + n_children), below, strict=True))
        return number


def _pruning_steps(tree: TreeData, shape: _Shape) -> Iterator[dict[str, Any]]:
    """Yield the decisions of all prunings, each at its node of the grown tree, -1 if unknown."""
    has_skeleton = tree.skeleton is not None
    n_steps = 0
    for index, record in enumerate(tree.about.get("pruning", ())):
        numbers = shape.numbers() if has_skeleton and (shape.is_whole or index == 0) else []
        decisions = record.get("decisions", ())
        head = {
            lang: say(
                "pruned_head", lang, n=len(decisions), method=method_name(record["method"], lang)
            )
            for lang in LANGUAGES
        }
        for decision in decisions:
            kind = decision.get("decision")
            node = numbers[decision["node"]] if decision["node"] < len(numbers) else -1
            if node >= 0:
                shape.apply(node, kind)
            elif not has_skeleton:
                node = decision.get("now", -1)
            if kind in ("keep", "cut", "raise") and n_steps < MAX_STEPS:
                n_steps += 1
                text = {
                    lang: f"{head[lang]}\n  "
                    + pruning_text.decision_text(tree, record, decision, lang)
                    for lang in LANGUAGES
                }
                yield {"node": node, "kind": kind, "text": text}


def _other_cuts(tree: TreeData, shape: _Shape) -> list[dict[str, Any]]:
    """Return steps for the nodes that pruning cut back without a record, from the bottom up."""
    if tree.skeleton is None:
        return []
    n_leaves = [0 if below else 1 for below in shape.children]
    for node in reversed(shape.numbers()):
        n_leaves[node] += sum(n_leaves[child] for child in shape.children[node])
    cut = [
        grown
        for node, grown in shape.grown_numbers(tree).items()
        if tree.is_leaf[node] and shape.children[grown]
    ]
    return [
        {
            "node": grown,
            "kind": "cut",
            "text": {lang: say("view_cut", lang, n=n_leaves[grown]) for lang in LANGUAGES},
        }
        for grown in sorted(cut, reverse=True)[:MAX_STEPS]
    ]


def _growing_texts(
    tree: TreeData, is_split: Sequence[bool], grown_number: Mapping[int, int]
) -> dict[int, Texts]:
    """Return the steps of the trace as texts, by node of the grown tree; none without a trace.

    A step is told for every node of the trace, and for every split that pruning removed. What the
    trace says of a leaf is left out where the grown tree has a split: the page describes that one.
    """
    if not tree.kept_trace:
        return {}
    steps = {
        grown_number[step["node"]]: step
        for step in story(tree, limit=MAX_STEPS)
        if step["node"] in grown_number
        and not (tree.is_leaf[step["node"]] and is_split[grown_number[step["node"]]])
    }
    order = [node for node, splits in enumerate(is_split) if splits or node in steps][:MAX_STEPS]
    return {
        node: {
            lang: "\n".join(
                step_lines(steps[node], i, len(order), tree.recipe, lang, ascii_only=False)
            )
            for lang in LANGUAGES
        }
        for i, node in enumerate(order, start=1)
        if node in steps
    }


def _totals(tree: TreeData) -> Any:  # noqa: ANN401 - an array of sums
    assert tree.skeleton is not None
    return np.asarray([node["total"] for node in tree.skeleton["nodes"]], float)


def _grown_arrays(tree: TreeData, grown_number: Mapping[int, int]) -> dict[str, Any]:
    """Return the skeleton as arrays, as the page has the tree itself."""
    assert tree.skeleton is not None
    nodes: Sequence[Mapping[str, Any]] = tree.skeleton["nodes"]
    values = tree.reader.value(_totals(tree)).tolist()
    cuts = [_cut_text(tree, node) for node in nodes]
    for node, grown in grown_number.items():
        # The tree itself knows the training values on both sides of its thresholds.
        if not math.isnan(tree.nodes.cut[node]) and "cut" in nodes[grown]:
            cuts[grown] = cut_text(tree, node)
    return {
        "parent": [node["parent"] for node in nodes],
        "column": [node.get("column", -1) for node in nodes],
        "cut": [_cut(node) for node in nodes],
        "cut_text": [cut.number for cut in cuts],
        "open": [node for node, cut in enumerate(cuts) if cut.is_open],
        "levels": [node.get("levels", []) for node in nodes],
        "total": [node["total"] for node in nodes],
        "value": value_texts(values) if tree.is_regression else values,
    }


def _cut(node: Mapping[str, Any]) -> float | str | None:
    if "cut" not in node:
        return None
    return "inf" if node["cut"] is None else float(node["cut"])


def _cut_text(tree: TreeData, node: Mapping[str, Any]) -> CutText:
    """Return the text of a threshold of the skeleton."""
    cut = _cut(node)
    if cut is None or cut == "inf":
        return CutText("?" if cut else "")
    field = tree.schema[node["column"]]
    if field.is_numeric:
        return CutText(cut_label(float(cut)))
    return CutText(quoted(level_text(field, int(cut))))
