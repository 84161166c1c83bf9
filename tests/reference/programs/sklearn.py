"""scikit-learn: its parameters, and beside the tree its pruning path and importances."""

from __future__ import annotations

from typing import Any

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.dialects.sklearn.dialect import importance
from penjing.prune.cost_complexity import cost_of, pruning_path
from penjing.render import nested_json
from penjing.tree.counts import Classes
from reference.golden import Golden
from reference.programs.base import Program
from reference.rows import Tables

NEAR = 1e-9
"""How far numbers may be apart."""


class Sklearn(Program):
    """Settings go by scikit-learn's own names."""

    recipe = "sklearn"

    def changes(self, golden: Golden) -> dict[str, Any]:
        return {k: v for k, v in golden.settings.items() if k != "estimator"}

    def tiny(self, words: list[str]) -> dict[str, Any]:
        return {"criterion": words[0], "random_state": 0}

    def more(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        wrong = super().more(golden, tables, tree)
        listed = golden.plain.get("feature_importances")
        if listed is not None:
            ours = {n: v for n, v in importance(tree).items() if v or n in listed}
            wrong += unlike("importances", list(listed.values()), [ours.get(n) for n in listed])
            if any(abs(v) > NEAR for n, v in ours.items() if n not in listed):
                wrong.append(f"importances of {list(ours)}, golden of {list(listed)}")
        listed = golden.plain.get("ccp_path")
        if listed is not None:
            whole = tree
            if golden.settings.get("ccp_alpha"):  # the path is that of the tree before pruning
                settings = self.changes(golden) | {"ccp_alpha": 0.0}
                whole = penjing.fit(tables.train, recipe=self.recipe, **settings)
            links = pruning_path(whole, by="impurity")
            wrong += unlike("ccp alphas", listed["alphas"], [link.alpha for link in links])
            if "impurities" in listed:
                wrong += unlike("ccp costs", listed["impurities"], [link.cost for link in links])
        return wrong + nodes(golden.plain["tree"], tree)

    def write(self, golden: Golden, tree: Tree) -> str:  # noqa: ARG002
        return nested_json.write(tree, empty="skip")


def nodes(golden: dict[str, Any], tree: Tree) -> list[str]:
    """Return where nodes differ in what compare.py does not look at: impurity, missing values."""
    wrong: list[str] = []
    share = tree.shares if not tree.is_regression else None
    impurity = cost_of(tree, "impurity") / np.where(tree.weight > 0, mass(tree), 1.0)
    impurity *= mass(tree)[0]
    waiting = [(golden, 0)]
    while waiting and not wrong:
        plain, node = waiting.pop()
        if "impurity" in plain:
            wrong += unlike("impurity", [plain["impurity"]], [impurity[node]])
        if "weighted_counts" in plain and share is not None:
            theirs = np.asarray(plain["weighted_counts"], np.float64)
            wrong += unlike("shares", (theirs / theirs.sum()).tolist(), share[node].tolist())
        if tree.is_leaf[node]:
            continue
        if "missing_goes" in plain:
            assert tree.nodes.missing is not None
            ours = "<=" if tree.nodes.missing[node] == 0 else ">"
            if ours != plain["missing_goes"]:
                wrong.append(f"missing values: golden {plain['missing_goes']}, ours {ours}")
        sides = {b["op"]: b["child"] for b in plain["branches"]}
        waiting += zip((sides["<="], sides[">"]), tree.children(node), strict=True)
    return wrong


def mass(tree: Tree) -> np.ndarray[Any, Any]:
    """Return the weight of each node, class weights included."""
    s = tree.reader
    costs = s.costs if isinstance(s, Classes) else None
    return s.weight(tree.nodes.total * np.asarray(costs.factor) if costs else tree.nodes.total)


def unlike(what: str, golden: list[float], ours: list[Any]) -> list[str]:
    """Return a sentence if numbers differ by more than a billionth."""
    one, other = np.asarray(golden, np.float64), np.asarray(ours, np.float64)
    if one.shape != other.shape:
        return [f"{what}: golden has {len(one)}, ours {len(other)}"]
    off = ~(np.abs(one - other) <= NEAR * np.maximum(1.0, np.abs(one)))
    return [f"{what}: golden {one[off][:3]}, ours {other[off][:3]}"] if off.any() else []


PROGRAM = Sklearn()
