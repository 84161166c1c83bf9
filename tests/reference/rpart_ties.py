"""Whether a tree differs from rpart's only where two splits score exactly the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import zip_longest
from typing import Any

from reference.rpart_comparison import LEFT, RIGHT, Test, Told, differences, near
from reference.rpart_reimplementation import ROUNDING, Digits, Grown, Letter, Settled, Split
from reference.rpart_tables import Case

SAME = Decimal("1e-60")
"""Numbers of 120 digits that are nearer than this, as a share, are equal."""
MOST = 40
"""More ties than these are not looked at."""


def settled(case: Case, slips: frozenset[str], mine: Callable[[Told], Told]) -> list[str] | None:
    """Return the ties at which ours parts from rpart with these slips, None if it is no tie.

    Tie after tie is settled as we do, until nothing differs any more, or something does that
    is no tie. ``mine`` returns our tree, left and right as in another.
    """
    by, ties = Settled(), []
    for _ in range(MOST):
        letter = Letter(case, slips, settled=by)
        there = letter.told()
        told = mine(there)
        found = differences(told, there)
        if found and found[0].startswith("cp table"):
            told.cp, there.cp = _merged(told.cp), _merged(there.cp)
            ties.append("complexities are equal but for rounding")
            found = differences(told, there)
        if not found:
            return ties
        number = re.match(r"node (\d+)", found[0])
        with localcontext(prec=120):
            tie = number and Parting(case, int(number[1]), told, letter, by).tie()
        if not tie:
            return None
        ties.append(tie)
    return None


def _merged(table: list[list[float]]) -> list[list[float]]:
    """Return a table without rows whose complexity is that of the row before but for rounding."""
    found: list[list[float]] = []
    for row in table:
        if not found or not near(found[-1][0], row[0], ROUNDING):
            found.append(row)
    return found


class Parting:
    """The first node at which two trees part; both have the same rows there."""

    def __init__(self, case: Case, number: int, told: Told, letter: Letter, by: Settled) -> None:
        nodes = letter.nodes()
        self.number = number if number in nodes and number in told.nodes else number // 2
        self.node: Grown = nodes[self.number]
        self.mine = told.nodes[self.number]
        self.letter, self.by = letter, by
        self.exact = Letter(case, letter.slips - {"log"}, Digits)

    def tie(self) -> str | None:
        """Settle the node as ours has it, if that is worth the same; return what is tied."""
        one, node = self.mine, self.node
        if self.letter.n_classes and one.value != node.value:
            found = self._values()
        elif (one.test is None) != (node.test is None):
            found = self._leaf()
        elif one.test is None or node.test is None:
            found = self._tried() or self._complexities()
        else:
            there = self.letter.test_of(node.test)
            if not one.test.sends_as(there):
                found = self._tests(there)
            else:
                found = self._surrogates() or self._complexities()
        return found and f"node {self.number}: {found}"

    def _values(self) -> str | None:
        exact, again = self.exact, Grown(self.number, self.node.orders)
        exact.weigh(again, self.node.orders[0])
        risks = [
            sum(
                (again.sums[j] * exact.loss[j][i - 1] * exact.prior[j]
                 for j in range(exact.n_classes)), Decimal(0),
            )
            for i in (int(self.mine.value), self.node.value)
        ]  # fmt: skip
        if not same(*risks) or self.number in self.by.values:
            return None
        self.by.values[self.number] = int(self.mine.value)
        return "two classes cost the same"

    def _leaf(self) -> str | None:
        """Settle whether the node is split."""
        by, number, test = self.by, self.number, self.mine.test
        off = abs(self.node.complexity - self.letter.alpha)
        if off <= ROUNDING * self.letter.root.risk and number not in by.kept:
            by.kept[number] = test is not None
            return "its complexity is cp but for rounding"
        if test is not None and self.node.tried is not None:
            found = self._tests(self.letter.test_of(self.node.tried))
            if found:
                return found
        split = test
        if split is None:
            assert self.node.test is not None
            split = self.letter.test_of(self.node.test)
        if test is None and (found := self._other(split)):
            return found
        if not same(self._worth(split), Decimal(0)) or number in {*by.leaves, *by.tests}:
            return None
        if test is None:
            by.leaves.add(number)
        else:
            by.tests[number] = test
        return "the split improves nothing but for rounding"

    def _other(self, split: Test) -> str | None:
        """Settle which of equal splits a node tries that is a leaf in the end."""
        if self.number in self.by.tests:
            return None
        for offer in self.node.offers:
            other = self.letter.test_of(offer)
            if other.column != split.column and same(self._worth(other), self._worth(split)):
                self.by.tests[self.number] = other
                return f"{other.column} and {split.column} improve the same"
        return None

    def _tried(self) -> str | None:
        """Settle whether a root that is not split in the end was tried."""
        if self.node.tried is None or self.number in self.by.leaves:
            return None
        if not same(self._worth(self.letter.test_of(self.node.tried)), Decimal(0)):
            return None
        self.by.leaves.add(self.number)
        return "the split that is tried improves nothing but for rounding"

    def _complexities(self) -> str | None:
        """Settle a comparison of complexities at this node or below it, the deepest first."""
        for number, k in sorted(self.letter.near, reverse=True):
            if (number, k) not in self.by.goes and self._is_below(number):
                self.by.goes[number, k] = (number, k) not in self.letter.gone
                return f"complexities at node {number} are equal but for rounding"
        return None

    def _is_below(self, number: int) -> bool:
        while number > self.number:
            number //= 2
        return number == self.number

    def _tests(self, there: Test) -> str | None:
        one = self.mine.test
        assert one is not None
        if self._are_one(*map(self.exact.split_of, (one, there))):
            return None
        if not same(self._worth(one), self._worth(there)) or self.number in self.by.tests:
            return None
        self.by.tests[self.number] = one
        return f"{one.column} and {there.column} improve the same"

    def _surrogates(self) -> str | None:
        for one, there in zip_longest(self.mine.surrogates, self.node.surrogates):
            if one is None or there is None:
                return None
            test = self.exact.split_of(one)
            if not one.sends_as(self.letter.test_of(there)) and self._are_one(test, there):
                return None
            if not same(self._agrees(test), self._agrees(there)):
                return None
        if self.number in self.by.surrogates:
            return None
        self.by.surrogates[self.number] = self.mine.surrogates
        return "surrogates agree the same"

    def _are_one(self, one: Split, other: Split) -> bool:
        """Whether two tests of a column part the rows alike: then they are no two candidates."""
        if one.column != other.column:
            return False
        sides = [(self.exact.side(one, r), self.exact.side(other, r)) for r in self.node.orders[0]]
        return all(a == b for a, b in sides) or all(a == -b for a, b in sides)

    def _agrees(self, surrogate: Split) -> Any:
        """Return the weight that a surrogate sends as the split does, with nothing rounded."""
        assert self.node.test is not None
        sides = [
            (self.exact.side(surrogate, r), self.exact.side(self.node.test, r), r)
            for r in self.node.orders[0]
        ]
        agree = (self.exact.weight[r] for one, other, r in sides if one and one == other)
        return sum(agree, Decimal(0))

    def _worth(self, test: Test) -> Any:
        """Return what a split improves, with nothing rounded."""
        exact, split = self.exact, self.exact.split_of(test)
        rows: dict[int, list[int]] = {LEFT: [], RIGHT: [], 0: []}
        for r in self.node.orders[0]:
            rows[exact.side(split, r) if exact.weight[r] > 0 else 0].append(r)
        both = rows[LEFT] + rows[RIGHT]
        measure = self._mixed if exact.n_classes else self._spread
        gain = measure(both) - measure(rows[LEFT]) - measure(rows[RIGHT])
        return gain / exact.cost[split.column]

    def _mixed(self, rows: list[int]) -> Any:
        """Return the impurity of rows times their weight."""
        exact = self.exact
        parts = [Decimal(0)] * exact.n_classes
        for r in rows:
            parts[exact.y[r]] += exact.altered[exact.y[r]] * exact.weight[r]
        whole = sum(parts, Decimal(0))
        if not whole:
            return whole
        return whole * sum((exact.impure(part / whole) for part in parts), Decimal(0))

    def _spread(self, rows: list[int]) -> Any:
        """Return the sum of squares of rows about their mean."""
        again = Grown(self.number, self.node.orders)
        self.exact.weigh(again, rows)
        return again.risk


def same(a: Any, b: Any) -> bool:
    """Whether two numbers of many digits are equal."""
    return bool(abs(a - b) <= SAME * max(abs(a), abs(b), 1))
