"""rpart: its control, parms and cost, and beside the tree its tables and surrogates."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.dialects.rpart.cp_table import complexities
from penjing.dialects.rpart.dialect import importance
from penjing.render import nested_json
from penjing.tree.split import Surrogate
from reference.golden import Golden
from reference.programs.base import Program
from reference.rows import Tables

NEAR = 1e-6
"""How far numbers may be apart, as a share of the golden's (or of 1)."""


class Rpart(Program):
    """Settings go by rpart's own names."""

    recipe = "rpart"

    def changes(self, golden: Golden) -> dict[str, Any]:
        said = golden.settings
        if "words" in said:
            return dict(said["words"])
        parms = said.get("parms") or {}
        found = dict(said["control"]) | {"sums": "cases"}
        if "split" in parms:
            found["split"] = parms["split"]
        if "prior" in parms:
            found["prior"] = padded(parms["prior"], golden)
        if "loss" in parms:
            n = len(golden.data["classes"])
            found["loss"] = [parms["loss"][n * i : n * i + n] for i in range(n)]
        if said.get("cost"):
            found["cost"] = said["cost"]
        words = str(said.get("xval", "none")).split()
        if words[0] == "group":
            found["xval"] = int(words[words.index("mod") + 1])
        return found

    def tiny(self, words: list[str]) -> dict[str, Any]:
        pairs = (word.split("=") for word in words)
        return {"words": {name: float(v) if name == "cp" else int(v) for name, v in pairs}}

    def prepare(self, golden: Golden, table: Table) -> Table:  # noqa: ARG002
        """Return the table with rows numbered anew: groups are counted of rows with a target."""
        return replace(table, row_numbers=None)

    def fit(self, golden: Golden, tables: Tables) -> Tree:
        tree = super().fit(golden, tables)
        cp = golden.settings.get("prune_cp")
        return tree if cp is None else tree.prune("cost-complexity", cp=cp)

    def write(self, golden: Golden, tree: Tree) -> str:
        plain = json.loads(nested_json.write(tree, empty="skip"))
        if golden.summary.get("rows_dropped"):
            del plain["summary"]["train_errors"]  # the golden's are of all rows, see `more`
        return json.dumps(plain)

    def more(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        wrong = super().more(golden, tables, tree)
        listed = golden.plain.get("cptable")
        if listed is not None:
            wrong += unlike("cp table", listed["rows"], tree.about["cp_table"])
        listed = golden.plain.get("variable_importance")
        if listed is not None:
            ours = importance(tree)
            wrong += unlike("importance", list(listed.values()), [ours.get(n, 0) for n in listed])
            if set(ours) != set(listed):
                wrong.append(f"importance of {sorted(ours)}, golden {sorted(listed)}")
        alpha = golden.settings.get("prune_cp") or self.changes(golden).get("cp", 0.0)
        return wrong + nodes(golden.plain["tree"], tree, alpha * float(tree.losses[0]))


def unlike(what: str, golden: Any, ours: Any) -> list[str]:
    """Return a sentence if numbers differ by more than a millionth of the golden's."""
    one, other = np.asarray(golden, np.float64), np.asarray(ours, np.float64)
    if one.shape != other.shape:
        return [f"{what}: golden has {one.shape} numbers, ours {other.shape}"]
    off = np.abs(one - other) > NEAR * np.maximum(1.0, np.abs(one))
    return [f"{what}: golden {one[off][:3]}, ours {other[off][:3]}"] if off.any() else []


def nodes(golden: dict[str, Any], tree: Tree, alpha: float) -> list[str]:
    """Return where nodes differ: risk, shares, improvement, complexity; and their surrogates.

    Of surrogates: which, in which order, where they cut, how they agree.
    """
    wrong: list[str] = []
    root = float(tree.losses[0])
    complexity = complexities(tree, alpha).of / root if root else np.zeros(len(tree.nodes))
    waiting = [(golden, 0)]
    while waiting and not wrong:
        plain, node = waiting.pop()
        if "deviance" in plain:
            wrong += unlike("deviance", [plain["deviance"]], [tree.losses[node]])
        if "probabilities" in plain:
            there = np.zeros(len(tree.classes))
            there[: len(plain["probabilities"])] = plain["probabilities"]
            wrong += unlike("probabilities", there, tree.shares[node])
        if tree.is_leaf[node]:
            continue
        if "complexity" in plain:
            wrong += unlike("complexity", [plain["complexity"]], [complexity[node]])
        ours = [told(tree, s) for s in tree.nodes.surrogates.get(node, ())]
        theirs = [told_there(plain, s) for s in plain.get("surrogates", ())]
        wrong += [
            f"surrogates of node {node}: golden {one}, ours {other}"
            for one, other in zip_longest(theirs, ours)
            if one is None or other is None or one[:-1] != other[:-1]
        ]
        if not wrong:
            wrong = unlike("agreement", [s[-1] for s in theirs], [s[-1] for s in ours])
        if "improve" in plain:
            wrong += unlike("improve", [plain["improve"]], [tree.nodes.score[node]])
        for k, child in enumerate(tree.children(node)):
            waiting.append((branch_there(plain, k, tree, child), child))
    return wrong


def told(tree: Tree, s: Surrogate) -> tuple[Any, ...]:
    field = tree.schema[s.column]
    numbers = (s.agreement, s.adjusted)
    if s.cut is not None:
        return field.name, f"{s.cut:.9g}", s.below, numbers
    groups = [frozenset(str(field.levels[c]) for c in codes) for codes in s.groups]
    return field.name, frozenset(groups), 0, numbers


def told_there(plain: dict[str, Any], s: dict[str, Any]) -> tuple[Any, ...]:
    numbers = (s["agree"], s["adj"])
    if s["kind"] == "threshold":
        # Which of the golden's branches is the left one, and which side of the surrogate is.
        first_is_left = plain.get("left", "<") == "<"
        below = (0 if first_is_left else 1) if s["left"] == "<" else (1 if first_is_left else 0)
        return s["attribute"], f"{s['threshold']:.9g}", below, numbers
    return s["attribute"], frozenset([frozenset(s["left"]), frozenset(s["right"])]), 0, numbers


def branch_there(plain: dict[str, Any], k: int, tree: Tree, child: int) -> dict[str, Any]:
    """Return the golden's node at the same branch as a child of ours."""
    if plain["kind"] == "threshold":
        ops = ("<", "<=") if k == 0 else (">", ">=")
        return next(b["child"] for b in plain["branches"] if b["op"] in ops)
    asked = tree.schema[int(tree.nodes.column[tree.nodes.parent[child]])]
    levels = {str(asked.levels[c]) for c in tree.nodes.levels(child).tolist()}
    return next(b["child"] for b in plain["branches"] if set(b["values"]) == levels)


def padded(prior: list[float], golden: Golden) -> list[float]:
    """Return priors for all classes; those that do not occur are told none by rpart."""
    return [*prior, *[0.0] * (len(golden.data["classes"]) - len(prior))]


PROGRAM = Rpart()
