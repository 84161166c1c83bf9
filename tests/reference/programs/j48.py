"""J48 of Weka 3.6.14 and 3.9.7."""

from __future__ import annotations

import json
from typing import Any

import penjing
from penjing.api.tree import Tree
from reference.golden import Golden
from reference.programs.base import Program, options_of
from reference.rows import Tables


class J48(Program):
    """The options by their own letters; -N and -Q choose the rows that the golden lists."""

    recipe = "j48"
    cut_near = 2e-6  # Weka 3.6 moves cuts, and sends rows, with a tolerance of 1e-6

    def changes(self, golden: Golden) -> dict[str, Any]:
        switches = ("R", "B", "U", "S", "A", "O", "J", "doNotMakeSplitPointActualValue")
        found = options_of(
            golden.settings["options"],
            {"-C": "C", "-M": "M", "-N": "", "-Q": ""},
            {f"-{s}": {s: True} for s in switches},
        )
        if "3.9" in golden.version:
            found["cut_tolerance"] = 0.0
        return found

    def fit(self, golden: Golden, tables: Tables) -> Tree:
        if "growing_rows" not in golden.settings:
            return super().fit(golden, tables)
        return penjing.fit(
            tables.train.take(golden.settings["growing_rows"]),
            recipe=self.recipe,
            validation=tables.train.take(golden.settings["pruning_rows"]),
            prune="reduced-error",
            **self.changes(golden),
        )

    def write(self, golden: Golden, tree: Tree) -> str:
        ours = json.loads(super().write(golden, tree))
        if "growing_rows" in golden.settings:
            # The golden counts the errors on all rows, those that pruned included; `more` does too.
            ours["summary"].pop("train_errors", None)
        return json.dumps(ours)


PROGRAM = J48()
