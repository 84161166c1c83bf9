"""What the harness asks of a program, and the answers most of them share."""

from __future__ import annotations

from typing import Any

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.render import nested_json
from reference.golden import Golden
from reference.rows import Tables


class Program:
    """A program: its recipe, and the table from its own options to changes of the recipe."""

    recipe: str
    engine = "auto"
    """Who counts; the harness sets it for all."""

    cut_near = 0.0
    """How far a cut may lie from the program's own where rows go the same way."""

    def changes(self, golden: Golden) -> dict[str, Any]:
        """Return the recipe's settings, from the golden's settings."""
        raise NotImplementedError

    def tiny(self, words: list[str]) -> dict[str, Any]:
        """Return the settings of a tree of a tiny table, from the words of its title."""
        return {"options": " ".join(words)}

    def prepare(self, golden: Golden, table: Table) -> Table:  # noqa: ARG002
        """Return the table as the program reads it."""
        return table

    def fit(self, golden: Golden, tables: Tables) -> Tree:
        """Return our tree."""
        table = self.prepare(golden, tables.train)
        return penjing.fit(table, recipe=self.recipe, engine=self.engine, **self.changes(golden))

    def write(self, golden: Golden, tree: Tree) -> str:  # noqa: ARG002
        """Return our tree in the golden's form."""
        return nested_json.write(tree)

    def more(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        """Return what else the golden tells and we tell otherwise, a sentence each."""
        wrong = []
        for which in ("train", "test"):
            table = tables.train if which == "train" else tables.test
            if table is not None:
                wrong += self.figures(golden, which, tree, self.prepare(golden, table))
        listed = golden.plain.get("predictions")
        if listed is not None:
            table = tables.train if listed["of"] == "train" else tables.test
            assert table is not None
            shares = tree.predict_proba(self.prepare(golden, table))
            off = float(np.abs(shares - np.asarray(listed["probabilities"])).max())
            if not off <= 1e-6:
                wrong.append(f"probabilities: off by up to {off:.3g}")
        return wrong

    def rules(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        """Return how the rules made of a tree differ from the golden's, a sentence each."""
        raise NotImplementedError

    def figures(self, golden: Golden, which: str, tree: Tree, table: Table) -> list[str]:
        """Return which figures of a table's rows differ: errors, who is taken for whom, squares."""
        told = {k.removeprefix(f"{which}_"): v for k, v in golden.summary.items() if which in k}
        assert table.target is not None
        if table.is_regression:
            off = table.target.numbers() - np.asarray(tree.predict(table), np.float64)
            ours = {"sse": float((off**2).sum()), "rmse": float(np.sqrt((off**2).mean()))}
            near = {
                k: abs(ours[k] - told[k]) <= 1e-6 * max(1.0, told[k]) for k in ours if k in told
            }
            return [f"{which} {k}: golden {told[k]}, ours {ours[k]}" for k in near if not near[k]]
        wrong = []
        if "errors" in told and (errors := self.errors(tree, table)) != told["errors"]:
            wrong.append(f"{which} errors: golden {told['errors']}, ours {errors}")
        if (
            "confusion" in told
            and (found := self.confusion(golden, tree, table)) != told["confusion"]
        ):
            wrong.append(f"{which} confusion: golden {told['confusion']}, ours {found}")
        return wrong

    def confusion(self, golden: Golden, tree: Tree, table: Table) -> list[list[int]]:
        """Return how many rows of each class (down) get each answer (across)."""
        assert table.target is not None
        names = [str(c) for c in golden.data["classes"]]
        found = [[0] * len(names) for _ in names]
        answers = [str(v) for v in tree.predict(table)]
        truth = [str(v) for v in table.target.values()]
        for i in np.flatnonzero(self.answered(tree, table)).tolist():
            found[names.index(truth[i])][names.index(answers[i])] += 1
        return found

    def answered(self, tree: Tree, table: Table) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return which rows get an answer at all."""
        return np.ones(table.n_rows, bool)

    def errors(self, tree: Tree, table: Table) -> int:
        """Return how many rows of a table the tree gets wrong."""
        assert table.target is not None
        truth = np.array([str(v) for v in table.target.values()])
        return int((np.array([str(v) for v in tree.predict(table)]) != truth).sum())


def options_of(text: str, with_value: dict[str, str], switches: dict[str, Any]) -> dict[str, Any]:
    """Return settings from a line of options, by a program's own table of them.

    ``with_value`` names the setting of each option that takes a value, ``switches`` the setting
    and value that each option without one stands for.
    """
    found: dict[str, Any] = {}
    words = text.split()
    while words:
        option = words.pop(0)
        if option in switches:
            found |= switches[option]
        elif option in with_value:
            value = words.pop(0)
            if with_value[option]:
                found[with_value[option]] = float(value)
        else:
            message = f"option {option} of {text!r} is not in the table"
            raise ValueError(message)
    return found
