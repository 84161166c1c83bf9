"""C4.5 release 8."""

from __future__ import annotations

from typing import Any

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Column, Table, numeric
from penjing.prune.confidence import ErrorBound
from reference.golden import Golden
from reference.programs.base import Program, options_of
from reference.rows import Tables

UNKNOWN = -999.0
"""C4.5 keeps a missing number as this one, and so takes this one for missing."""


class C45(Program):
    """The options -m -c -g -s, and at which stage the tree was looked at."""

    recipe = "c4.5"

    def changes(self, golden: Golden) -> dict[str, Any]:
        found = options_of(
            golden.settings["options"],
            {"-m": "m", "-c": "c"},
            {"-g": {"g": True}, "-s": {"s": True}},
        )
        if golden.settings["stage"] == "unpruned":
            found["pruning"] = "none"
        return found | ({"minimum_slips": True} if "s" in found else {"sums": "cases"})

    def fit(self, golden: Golden, tables: Tables) -> Tree:
        table = self.prepare(golden, tables.train)
        return penjing.fit(table, recipe=self.recipe, engine="native", **self.changes(golden))

    def more(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        """Return what else differs: for pruned trees also the errors that C4.5 expects."""
        wrong = super().more(golden, tables, tree)
        expected = golden.plain["tree"].get("estimated_errors")
        if golden.settings["stage"] == "pruned" and expected is not None:
            bound = ErrorBound(tree.recipe["confidence"], single=True)
            totals = tree.nodes.total[tree.is_leaf]
            sizes = totals.sum(axis=1)
            right = np.take_along_axis(totals, tree.values[tree.is_leaf][:, None], axis=1)[:, 0]
            pairs = zip(sizes.tolist(), (sizes - right).tolist(), strict=True)
            ours = sum(bound.estimate(n, errors) for n, errors in pairs)
            if not abs(ours - expected) <= 1e-4 * max(1.0, expected):  # sums of 32-bit numbers
                wrong.append(f"estimated errors: golden {expected}, ours {ours}")
        return wrong

    def tiny(self, words: list[str]) -> dict[str, Any]:
        return {"options": " ".join(words[:-1]), "stage": words[-1]}

    def prepare(self, golden: Golden, table: Table) -> Table:  # noqa: ARG002
        return Table(
            tuple(without(c) if c.is_numeric else c for c in table.columns),
            table.target,
            table.n_rows,
            source=table.source,
        )


def without(column: Column) -> Column:
    numbers = column.numbers()
    return numeric(column.name, np.where(numbers == UNKNOWN, np.nan, numbers))


PROGRAM = C45()
