"""rpart: its control, parms and cost, and beside the tree its tables and surrogates."""

from __future__ import annotations

import json
from typing import Any

from penjing.tree import Tree
from penjing.write import nested
from reference.golden import Golden
from reference.programs.base import Program
from reference.rows import Tables


class Rpart(Program):
    """Settings go by rpart's own names."""

    recipe = "rpart"

    def changes(self, golden: Golden) -> dict[str, Any]:
        said = golden.settings
        if "words" in said:
            return dict(said["words"])
        parms = said.get("parms") or {}
        found = dict(said["control"])
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

    def fit(self, golden: Golden, tables: Tables) -> Tree:
        tree = super().fit(golden, tables)
        cp = golden.settings.get("prune_cp")
        return tree if cp is None else tree.prune("cost-complexity", cp=cp)

    def write(self, golden: Golden, tree: Tree) -> str:
        plain = json.loads(nested.write(tree, empty="skip"))
        if golden.summary.get("rows_dropped"):
            del plain["summary"]["train_errors"]  # the golden's are of all rows, see `more`
        return json.dumps(plain)


def padded(prior: list[float], golden: Golden) -> list[float]:
    """Return priors for all classes; those that do not occur are told none by rpart."""
    return [*prior, *[0.0] * (len(golden.data["classes"]) - len(prior))]


PROGRAM = Rpart()
