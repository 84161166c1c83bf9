"""Weka's Id3: the book's, but no gain ends a branch, and an empty branch has no class."""

from __future__ import annotations

from typing import Any

import numpy as np

from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.render import nested_json
from reference.golden import Golden
from reference.programs.base import Program

NOTHING = 1e-6
"""A gain below this is none to Weka."""


class Id3(Program):
    """No options at all."""

    recipe = "id3"

    def changes(self, golden: Golden) -> dict[str, Any]:
        if golden.settings.get("options"):
            message = f"Id3 has no options, found {golden.settings['options']!r}"
            raise ValueError(message)
        return {"min_gain": NOTHING}

    def write(self, golden: Golden, tree: Tree) -> str:  # noqa: ARG002
        return nested_json.write(tree, empty="none")

    def answered(self, tree: Tree, table: Table) -> np.ndarray[Any, Any]:
        """Return which rows come to a leaf; an empty branch has no class."""
        return np.array([tree.is_leaf[node] for node in tree.apply(table)])

    def errors(self, tree: Tree, table: Table) -> int:
        """Return the rows that are wrong or that stop in a branch without a class."""
        stops = self.answered(tree, table)
        assert table.target is not None
        truth = np.array([str(v) for v in table.target.values()])
        right = np.array([str(v) for v in tree.predict(table)]) == truth
        return int((~(right & stops)).sum())


PROGRAM = Id3()
