"""A plan as flat tables: what a program walks that is too deep, or too entangled, for if and else.

A row starts at node 0. The tests of a node stand side by side, its own first. A test of levels
is a run of pairs (code, branch), ascending; the branch LOST says that the level counts as
missing here, and the code ODD stands for the levels that nobody knows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from penjing.export.plan import STOP, Plan

LOST = -2
"""The branch of a known level that counts as missing."""
ODD = -2
"""The code of a level that nobody knows."""


@dataclass(slots=True)
class Tables:
    """The numbers of a plan.

    ``test_start`` has an entry more than there are nodes, ``pair_start`` one more than there are
    tests; ``cut`` is NaN for tests of levels; ``last`` and ``share`` as in :class:`Plan`.
    """

    test_start: list[int] = field(default_factory=lambda: [0])
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    pair_start: list[int] = field(default_factory=lambda: [0])
    pair_code: list[int] = field(default_factory=list)
    pair_branch: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    n_children: list[int] = field(default_factory=list)


def tables_of(plan: Plan) -> Tables:
    """Return the tables of a plan; columns are numbered among those asked about."""
    place = {c: i for i, c in enumerate(plan.columns)}
    made = Tables()
    for ask in plan.asks:
        for test in ask.tests if ask else ():
            made.column.append(place[test.column])
            made.cut.append(math.nan if test.cut is None else test.cut)
            made.below.append(test.below)
            pairs = [(code, b) for b, group in enumerate(test.groups) for code in group]
            pairs += [(code, LOST) for code in test.lost]
            pairs += [(ODD, test.odd)] if test.odd != STOP else []
            for code, branch in sorted(pairs):
                made.pair_code.append(code)
                made.pair_branch.append(branch)
            made.pair_start.append(len(made.pair_code))
        made.test_start.append(len(made.column))
        made.last.append(ask.last if ask else STOP)
        made.child.append(ask.children.start if ask else 0)
        made.n_children.append(len(ask.children) if ask else 0)
    return made
