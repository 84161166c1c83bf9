"""scikit-learn: its parameters, and beside the tree its pruning path and importances."""

from __future__ import annotations

from typing import Any

from penjing.tree import Tree
from penjing.write import nested
from reference.golden import Golden
from reference.programs.base import Program


class Sklearn(Program):
    """Settings go by scikit-learn's own names."""

    recipe = "sklearn"

    def changes(self, golden: Golden) -> dict[str, Any]:
        return {k: v for k, v in golden.settings.items() if k != "estimator"}

    def tiny(self, words: list[str]) -> dict[str, Any]:
        return {"criterion": words[0], "random_state": 0}

    def write(self, golden: Golden, tree: Tree) -> str:  # noqa: ARG002
        return nested.write(tree, empty="skip")


PROGRAM = Sklearn()
