"""A plan as flat tables, for trees that are too large for nested if and else.

A row starts at node 0. The tests of a node are adjacent, its split first. A test of categories is
a sorted run of pairs (code, branch). The branch AS_MISSING marks categories that count as missing
here, and the code UNSEEN stands for unseen categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from penjing.export.plan import STOP, Plan

AS_MISSING = -2
"""The branch of a known category that counts as missing."""
UNSEEN = -2
"""The code of an unseen category."""


@dataclass(slots=True)
class Tables:
    """The tables of a plan.

    ``test_start`` has one entry more than there are nodes, ``pair_start`` one more than there are
    tests. ``cut`` is NaN for tests of categories. ``fallback`` is that of :class:`SplitPlan`.
    """

    test_start: list[int] = field(default_factory=lambda: [0])
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    pair_start: list[int] = field(default_factory=lambda: [0])
    pair_code: list[int] = field(default_factory=list)
    pair_branch: list[int] = field(default_factory=list)
    fallback: list[int] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    n_children: list[int] = field(default_factory=list)


def build_tables(plan: Plan) -> Tables:
    """Return the tables of a plan; columns are numbered among those that the tree uses."""
    position = {c: i for i, c in enumerate(plan.columns)}
    tables = Tables()
    for split in plan.splits:
        for test in split.tests if split else ():
            tables.column.append(position[test.column])
            tables.cut.append(math.nan if test.cut is None else test.cut)
            tables.below.append(test.below)
            pairs = [(code, b) for b, group in enumerate(test.groups) for code in group]
            pairs += [(code, AS_MISSING) for code in test.as_missing]
            pairs += [(UNSEEN, test.unseen_branch)] if test.unseen_branch != STOP else []
            for code, branch in sorted(pairs):
                tables.pair_code.append(code)
                tables.pair_branch.append(branch)
            tables.pair_start.append(len(tables.pair_code))
        tables.test_start.append(len(tables.column))
        tables.fallback.append(split.fallback if split else STOP)
        tables.child.append(split.children.start if split else 0)
        tables.n_children.append(len(split.children) if split else 0)
    return tables
