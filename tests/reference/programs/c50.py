"""C5.0 release 2.07: trees, and the rules that `-r` makes of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.explain.rule_votes import votes
from reference.golden import Golden
from reference.programs.base import Program, options_of
from reference.rows import Tables


class C50(Program):
    """The options -m -c -g -s; -r turns the tree into rules, which are compared as such."""

    recipe = "c5.0"

    def changes(self, golden: Golden) -> dict[str, Any]:
        switches = {"-g": {"g": True}, "-s": {"s": True}, "-r": {}}
        return options_of(golden.settings["options"], {"-m": "m", "-c": "c"}, switches)

    def rules(self, golden: Golden, tables: Tables, tree: Tree) -> list[str]:
        """Return which rules differ, which figures of them, and which errors."""
        made = votes(tree, tables.train)
        ours, theirs = made.to_json(), golden.plain["ruleset"]
        wrong = []
        if ours["default"] != theirs["default"]:
            wrong.append(f"default: golden {theirs['default']}, ours {ours['default']}")
        mine = [said(rule) for rule in ours["rules"]]
        listed = [said(rule) for rule in theirs["rules"]]
        wrong += [f"rule {rule} is not ours" for rule in listed if rule not in mine]
        wrong += [f"rule {rule} is ours only" for rule in mine if rule not in listed]
        if not wrong and mine != listed:
            wrong.append("the order of the rules")
        for one, other in zip(theirs["rules"], ours["rules"], strict=not wrong):
            for key in ("cover", "ok", "lift") if not wrong else ():
                if not abs(one[key] - other[key]) <= 1e-5 * abs(one[key]):  # six digits
                    wrong.append(f"{key}: golden {one[key]}, ours {other[key]}")
        for which, table in (("train", tables.train), ("test", tables.test)):
            told = golden.summary.get(f"{which}_errors")
            if table is not None and told is not None:
                errors = wrongly(made.predict(table), table)
                if errors != told:
                    wrong.append(f"{which} errors: golden {told}, ours {errors}")
        return wrong


def said(rule: dict[str, Any]) -> str:
    conditions = [f"{c['attribute']} {c['op']} {c['value']}" for c in rule["conditions"]]
    return json.dumps([rule["class"], sorted(conditions)], ensure_ascii=False)


def wrongly(answers: Any, table: Table) -> int:
    assert table.target is not None
    truth = np.array([str(v) for v in table.target.values()])
    return int((np.array([str(v) for v in answers]) != truth).sum())


PROGRAM = C50()
