"""rpart implemented literally, row by row in its order, with its bugs ("slips") or without.

With floats every sum is rounded as rpart rounds it; with `Digits` nothing is rounded before the
hundredth digit, which tells ties from differences. The slips, each of which can be left out:

``log``          with ``information`` a share that rounding has left just below 0 has no logarithm,
                 and the cut is passed over
``second``       with ``maxsurrogate = 2`` a new best surrogate drops the one before it
``probability``  probabilities divide by the weight of each class in all, but at least by 1
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from penjing import _core
from reference.rpart_comparison import LEFT, RIGHT, Node, Test, Told
from reference.rpart_tables import Case

SLIPS = frozenset({"log", "second", "probability"})
NOTHING = 1e-10
ROUNDING = 1e-12
"""Complexities that are nearer than this, as a share of the root's risk, are equal."""


class Floats:
    """Numbers as rpart has them."""

    @staticmethod
    def of(x: Any) -> Any:
        return float(x)

    @staticmethod
    def log(x: Any) -> Any:
        return math.log(x) if x > 0 else math.nan

    @staticmethod
    def ratio(a: Any, b: Any) -> Any:
        if b == 0:
            return math.nan if a == 0 else math.copysign(math.inf, a)
        return a / b


class Digits(Floats):
    """Numbers of a hundred and twenty digits."""

    @staticmethod
    def of(x: Any) -> Any:
        return Decimal(repr(x))  # as it is written: three tenths are 0.3

    @staticmethod
    def log(x: Any) -> Any:
        return x.ln()

    @staticmethod
    def ratio(a: Any, b: Any) -> Any:
        return Decimal("nan") if b == 0 else a / b


@dataclass
class Split:
    """A test: ``where`` is a cut, or the side of each level; ``below`` the side below a cut."""

    column: int
    worth: Any
    where: Any
    below: int = 0
    adjusted: Any = 0


@dataclass
class Grown:
    """A node while the tree grows: its rows in the order of each column."""

    number: int
    orders: list[list[int]]
    n: int = 0
    weight: Any = 0
    risk: Any = 0
    value: Any = 0
    sums: list[Any] = field(default_factory=list)
    complexity: Any = 0
    test: Split | None = None
    tried: Split | None = None
    offers: list[Split] = field(default_factory=list)
    surrogates: list[Split] = field(default_factory=list)
    last: int = 0
    sons: list[Grown] = field(default_factory=list)


@dataclass
class Settled:
    """How ties are settled otherwise than by rounding: by the number of a node."""

    tests: dict[int, Test] = field(default_factory=dict)
    surrogates: dict[int, list[Test]] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    kept: dict[int, bool] = field(default_factory=dict)
    leaves: set[int] = field(default_factory=set)
    goes: dict[tuple[int, int], bool] = field(default_factory=dict)


class Letter:
    """Grows one tree of a case, whole, with all its numbers."""

    def __init__(
        self,
        case: Case,
        slips: frozenset[str] = SLIPS,
        kind: Any = Floats,
        settled: Settled | None = None,
    ) -> None:
        self.case, self.slips, self.kind = case, slips, kind
        self.settled = settled or Settled()
        table, said = case.table, case.settings
        rows = range(table.n_rows)
        if table.weight is None:  # R counts the weight among what is known of a row
            rows = [r for r in rows if any(c.codes[r] >= 0 for c in table.columns)]
        self.rows = list(rows)
        num = kind.of
        self.weight = [num(w) for w in table.weights[self.rows].tolist()]
        self.fields = table.columns
        self.n_levels = [0 if c.has_order else len(c.levels) for c in table.columns]
        self.x = [_values(c.take(np.asarray(self.rows, np.intp)), num) for c in table.columns]
        target = table.target
        numbers = target.numbers() if case.method == "anova" else target.codes
        self.y = [num(v) if case.method == "anova" else v for v in numbers[self.rows].tolist()]
        self.cost = [num(c) for c in said.get("cost", [1.0] * len(self.x))]
        self.n_classes = 0
        if case.method == "class":
            self._priors(said)
        every = list(range(len(self.rows)))
        self.orders = [self._sorted(c, every) for c in range(len(self.x))]
        self.root = Grown(1, [list(order) for order in self.orders])
        self.weigh(self.root, every)
        self.root.complexity = self.root.risk
        self.alpha = num(said["cp"]) * self.root.risk
        self.largest = num(0)
        self.near: list[tuple[int, int]] = []
        self.gone: set[tuple[int, int]] = set()
        if kind is Floats:
            self.partition(self.root)
            self.cp = self.table()

    def _sorted(self, c: int, every: list[int]) -> list[int]:
        if self.n_levels[c]:
            return every
        values = np.array([0.0 if v is None else float(v) for v in self.x[c]])
        return _core.rpart_sort_order(values).tolist()

    def _priors(self, said: dict[str, Any]) -> None:
        """Set what classes count for; R adds counts up in long doubles, rpart in doubles."""
        num, n = self.kind.of, max(self.y) + 1
        self.n_classes = n
        counts = [num(0)] * n
        if self.kind is Floats:
            whole = [np.longdouble(0)] * n
            for j, w in zip(self.y, self.weight, strict=True):
                whole[j] += np.longdouble(w)
            counts = [float(c) for c in whole]
            total = float(sum((np.longdouble(c) for c in counts), np.longdouble(0)))
        else:
            for j, w in zip(self.y, self.weight, strict=True):
                counts[j] += w
            total = sum(counts, num(0))
        self.counts = counts
        prior = [num(p) for p in said["prior"]] if "prior" in said else [c / total for c in counts]
        self.given = prior
        one = [[float(i != j) for j in range(n)] for i in range(n)]
        self.loss = [[num(v) for v in row[:n]] for row in said.get("loss", one)[:n]]
        freq, whole_weight = [num(0)] * n, num(0)
        for j, w in zip(self.y, self.weight, strict=True):
            freq[j] += w
            whole_weight += w
        freq = [f / whole_weight for f in freq]
        temp, altered = num(0), [num(0)] * n
        for i in range(n):
            for j in range(n):
                temp += self.loss[i][j] * prior[i]
                altered[i] += self.loss[i][j] * prior[i]
        some = [f > 0 for f in freq]
        self.prior = [p / f if s else p for p, f, s in zip(prior, freq, some, strict=True)]
        self.altered = [
            a / (temp * f) if s else a for a, f, s in zip(altered, freq, some, strict=True)
        ]

    # -- growing -----------------------------------------------------------------------------

    def weigh(self, node: Grown, rows: list[int]) -> None:
        num = self.kind.of
        node.n = len(rows)
        node.weight = num(0)
        for r in rows:
            node.weight += self.weight[r]
        if self.n_classes:
            node.sums = [num(0)] * self.n_classes
            for r in rows:
                node.sums[self.y[r]] += self.weight[r]
            for i in range(self.n_classes):
                temp = num(0)
                for j in range(self.n_classes):
                    temp += node.sums[j] * self.loss[j][i] * self.prior[j]
                if i == 0 or temp < node.risk:
                    node.risk, node.value = temp, i + 1
            node.value = self.settled.values.get(node.number, node.value)
            return
        total = whole = num(0)
        for r in rows:
            total += self.y[r] * self.weight[r]
            whole += self.weight[r]
        node.value = self.kind.ratio(total, whole)
        node.risk = num(0)
        for r in rows:
            off = self.y[r] - node.value
            node.risk += off * off * self.weight[r]

    def partition(self, node: Grown) -> tuple[Any, int]:
        """Return the risk of the grown subtree and its number of splits."""
        said = self.case.settings
        most = node.risk
        if node.number > 1:
            self.weigh(node, node.orders[0])
            most = min(node.risk, node.complexity)
        deep = node.number > 2 ** said["maxdepth"] - 1
        if node.n < said["minsplit"] or most <= self.alpha or deep:
            node.complexity = self.alpha
            return node.risk, 0
        node.test = self.best(node)
        if node.number in self.settled.tests:
            node.test = self.oriented(self.settled.tests[node.number], node)
        if node.test is None or node.number in self.settled.leaves:
            node.test = None
            node.complexity = self.alpha
            return node.risk, 0
        if said["maxsurrogate"]:
            self.find_surrogates(node)
        left, right = self.divided(node)
        left.complexity = most - self.alpha
        left_risk, left_splits = self.partition(left)
        most = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        right.complexity = min(most, node.complexity) - self.alpha
        right_risk, right_splits = self.partition(right)
        risks, splits = [left_risk, right_risk], [left_splits, right_splits]
        found = self.rated(node, (left, right), risks, splits)
        if self.settled.kept.get(node.number, not node.complexity <= self.alpha) is False:
            node.tried, node.test, node.surrogates = node.test, None, []
            return node.risk, 0
        node.sons = [left, right]
        return found

    def rated(
        self, node: Grown, sons: tuple[Grown, Grown], risks: list[Any], splits: list[int]
    ) -> tuple[Any, int]:
        """Set a node's complexity; return the risk of its subtree and its number of splits.

        A son that would go before the node counts as a leaf.
        """

        def rate() -> Any:
            return (node.risk - (risks[0] + risks[1])) / (splits[0] + splits[1] + 1)

        for k in (0, 1) if sons[1].complexity > sons[0].complexity else (1, 0):
            goes = rate() > sons[k].complexity
            if abs(rate() - sons[k].complexity) <= ROUNDING * self.root.risk:
                self.near.append((node.number, k))
                goes = self.settled.goes.get((node.number, k), goes)
            if not goes:
                break
            self.gone.add((node.number, k))
            risks[k], splits[k] = sons[k].risk, 0
        node.complexity = rate()
        return risks[0] + risks[1], splits[0] + splits[1] + 1

    def best(self, node: Grown) -> Split | None:
        chosen: Split | None = None
        for c, order in enumerate(node.orders):
            rows = [r for r in order if self.x[c][r] is not None and self.weight[r] > 0]
            values = self.x[c]
            if not rows or (not self.n_levels[c] and values[rows[0]] == values[rows[-1]]):
                continue
            found = self.classes(c, rows) if self.n_classes else self.squares(c, rows, node.risk)
            if found is None:
                continue
            self.largest = max(self.largest, found.worth)
            if found.worth > self.largest * self.kind.of(NOTHING):
                found.worth /= self.cost[c]
                node.offers.append(found)
                if chosen is None or found.worth > chosen.worth:
                    chosen = found
        return chosen

    def split_of(self, test: Test) -> Split:
        """Return a test as rpart holds it."""
        c = [field.name for field in self.fields].index(test.column)
        worth = test.worth, test.adjusted
        if self.n_levels[c]:
            return Split(c, worth[0], test.sides, 0, worth[1])
        where = test.at if test.cut is None else test.cut
        return Split(c, worth[0], where, test.sides[0], worth[1])

    def oriented(self, test: Test, node: Grown) -> Split:
        """Return a test with the lower mean on its left."""
        split, sums = self.split_of(test), {LEFT: [0.0, 0.0], RIGHT: [0.0, 0.0]}
        for r in node.orders[split.column]:
            if (side := self.side(split, r)) and self.weight[r] > 0:
                weight = self.weight[r] * (self.altered[self.y[r]] if self.n_classes else 1)
                sums[side][0] += weight
                sums[side][1] += weight * self.y[r]
        left, right = (self.kind.ratio(sums[s][1], sums[s][0]) for s in (LEFT, RIGHT))
        return split if left < right else self.split_of(test.turned)

    # -- classes -----------------------------------------------------------------------------

    def impure(self, p: Any) -> Any:
        if self.case.settings["split"] == "gini":
            return p * (1 - p)
        if p == 0 or ("log" not in self.slips and p < 0):
            return self.kind.of(0)
        return -p * self.kind.log(p)

    def mixed(self, sides: list[Any]) -> tuple[Any, bool]:
        """Return the impurity of both sides by weight, and whether the left mean is lower."""
        (lwt, left), (rwt, right) = sides
        num = self.kind.of
        temp, lmean, rmean = num(0), num(0), num(0)
        for j in range(self.n_classes):
            p = self.kind.ratio(self.altered[j] * left[j], lwt)
            temp += lwt * self.impure(p)
            lmean += p * j
            p = self.kind.ratio(self.altered[j] * right[j], rwt)
            temp += rwt * self.impure(p)
            rmean += p * j
        return temp, _less(lmean, rmean)

    def classes(self, c: int, rows: list[int]) -> Split | None:
        num, n = self.kind.of, self.n_classes
        right, rwt = [num(0)] * n, num(0)
        for r in rows:
            rwt += self.altered[self.y[r]] * self.weight[r]
            right[self.y[r]] += self.weight[r]
        total = num(0)
        for j in range(n):
            total += rwt * self.impure(self.kind.ratio(self.altered[j] * right[j], rwt))
        sides = [[num(0), [num(0)] * n], [rwt, right]]
        walk = self._walk_levels if self.n_levels[c] else self._walk_cuts
        best, found = total, None
        for where in walk(c, rows, sides):
            temp, is_lower = self.mixed(sides)
            if _less(temp, best):
                best = temp
                found = where if is_lower else (_turned(where[0]), -where[1])
        worth = total - best
        return Split(c, worth, *found) if found is not None and worth > 0 else None

    def _walk_cuts(self, c: int, rows: list[int], sides: list[Any]) -> Any:
        """Yield each cut that is fair, below it the left side, with the sums of both sides."""
        edge, values = self.case.settings["minbucket"], self.x[c]
        for i in range(len(rows) - edge):
            r = rows[i]
            part = self.altered[self.y[r]] * self.weight[r]
            sides[1][0] -= part
            sides[0][0] += part
            sides[1][1][self.y[r]] -= self.weight[r]
            sides[0][1][self.y[r]] += self.weight[r]
            if i + 1 >= edge and values[rows[i + 1]] != values[r]:
                yield (values[r] + values[rows[i + 1]]) / 2, LEFT

    def _walk_levels(self, c: int, rows: list[int], sides: list[Any]) -> Any:
        num, n, edge = self.kind.of, self.n_classes, self.case.settings["minbucket"]
        levels = range(self.n_levels[c])
        heavy, rows_of = [num(0) for _ in levels], [0 for _ in levels]
        cells = [[num(0)] * n for _ in levels]
        for r in rows:
            k, j = self.x[c][r], self.y[r]
            heavy[k] += self.altered[j] * self.weight[r]
            rows_of[k] += 1
            cells[k][j] += self.weight[r]
        side = [0 if heavy[k] == 0 else RIGHT for k in levels]
        if n == 2:
            present = [k for k in levels if rows_of[k]]
            moves = sorted(present, key=lambda k: self.kind.ratio(cells[k][0], heavy[k]))
        else:
            moves = _gray([k for k in levels[:-1] if rows_of[k]])
        n_left, n_right = 0, len(rows)
        for k in moves:
            sign = -1 if side[k] == LEFT else 1
            side[k] = RIGHT if side[k] == LEFT else LEFT
            sides[1][0] -= sign * heavy[k]
            sides[0][0] += sign * heavy[k]
            n_right -= sign * rows_of[k]
            n_left += sign * rows_of[k]
            for j in range(n):
                sides[1][1][j] -= sign * cells[k][j]
                sides[0][1][j] += sign * cells[k][j]
            if n_left >= edge and n_right >= edge:
                yield tuple(side), 1

    # -- numbers -----------------------------------------------------------------------------

    def squares(self, c: int, rows: list[int], risk: Any) -> Split | None:
        num, edge = self.kind.of, self.case.settings["minbucket"]
        total = whole = num(0)
        for r in rows:
            total += self.y[r] * self.weight[r]
            whole += self.weight[r]
        mean = total / whole
        best, found = num(0), None
        left = right = left_wt = num(0)
        right_wt, n_left = whole, 0
        for off, weight, n, where in self._steps(c, rows, mean):
            left_wt += weight
            right_wt -= weight
            n_left += n
            left += off
            right -= off
            if where is None or n_left < edge or len(rows) - n_left < edge:
                continue
            ratio = self.kind.ratio
            temp = ratio(left * left, left_wt) + ratio(right * right, right_wt)
            if temp > best:
                best = temp
                if self.n_levels[c]:
                    is_lower = not ratio(left, left_wt) > ratio(right, right_wt)
                else:
                    is_lower = left < right
                found = where if is_lower else (_turned(where[0]), -where[1])
        return Split(c, self.kind.ratio(best, risk), *found) if found is not None else None

    def _steps(self, c: int, rows: list[int], mean: Any) -> Any:
        """Yield what changes sides: its sum, weight, rows, and the test if it can end there."""
        num, values = self.kind.of, self.x[c]
        if not self.n_levels[c]:
            for i, r in enumerate(rows):
                where = None
                if i + 1 < len(rows) and values[rows[i + 1]] != values[r]:
                    where = (values[r] + values[rows[i + 1]]) / 2, LEFT
                yield (self.y[r] - mean) * self.weight[r], self.weight[r], 1, where
            return
        levels = range(self.n_levels[c])
        sums, weights = [num(0) for _ in levels], [num(0) for _ in levels]
        rows_of = [0 for _ in levels]
        for r in rows:
            rows_of[values[r]] += 1
            weights[values[r]] += self.weight[r]
            sums[values[r]] += (self.y[r] - mean) * self.weight[r]
        side = [RIGHT if n else 0 for n in rows_of]
        present = [k for k in levels if rows_of[k]]
        for k in sorted(present, key=lambda k: sums[k] / weights[k]):
            side[k] = LEFT
            yield sums[k], weights[k], rows_of[k], (tuple(side), 1)

    # -- missing values ----------------------------------------------------------------------

    def side(self, test: Split, row: int) -> int:
        value = self.x[test.column][row]
        if value is None:
            return 0
        if self.n_levels[test.column]:
            return test.where[value]
        return test.below if value < test.where else -test.below

    def find_surrogates(self, node: Grown) -> None:
        num, primary = self.kind.of, node.test
        assert primary is not None
        sent = {r: self.side(primary, r) for r in node.orders[0]}
        whole = {LEFT: num(0), RIGHT: num(0), 0: num(0)}
        for r in node.orders[primary.column]:
            whole[sent[r]] += self.weight[r]
        if whole[LEFT] != whole[RIGHT]:
            node.last = LEFT if whole[LEFT] > whole[RIGHT] else RIGHT
        for c, order in enumerate(node.orders):
            if c == primary.column:
                continue
            rows = [r for r in order if self.x[c][r] is not None]
            found = self.agree_levels(c, rows, sent) if self.n_levels[c] else self.agree_cut(
                c, rows, sent)  # fmt: skip
            if found is None:
                continue
            agree, both, where, below = found
            of = [whole[LEFT], whole[RIGHT]] if not self.case.settings["surrogatestyle"] else both
            total = of[0] + of[1]
            share, majority = agree / total, max(of) / total
            adjusted = self.kind.ratio(share - majority, 1 - majority)
            if adjusted > NOTHING:
                self._insert(node.surrogates, Split(c, share, where, below, adjusted))
        if node.number in self.settled.surrogates:
            node.surrogates = [self.split_of(s) for s in self.settled.surrogates[node.number]]

    def _insert(self, found: list[Split], new: Split) -> None:
        """Put a surrogate in its place among the best ones."""
        most = self.case.settings["maxsurrogate"]
        place = next((i for i, s in enumerate(found) if new.worth > s.worth), len(found))
        if len(found) == most == 2 and place == 0 and "second" in self.slips:
            found[:] = [new]
            return
        found.insert(place, new)
        del found[most:]

    def agree_cut(self, c: int, rows: list[int], sent: dict[int, int]) -> Any:
        num, values = self.kind.of, self.x[c]
        above, below = {LEFT: num(0), RIGHT: num(0)}, {LEFT: num(0), RIGHT: num(0)}
        n_above = n_below = 0
        for r in reversed(rows):
            if sent[r]:
                above[sent[r]] += self.weight[r]
                n_above += self.weight[r] > 0
        best = max(above.values())
        both = [above[LEFT], above[RIGHT]]
        found, last = None, values[rows[0]] if rows else None
        for r in rows:
            if n_above < 2:
                break
            if n_below >= 2 and values[r] != last:
                for side in (RIGHT, LEFT):
                    agree = above[-side] + below[side]
                    if agree > best:
                        best, found = agree, ((values[r] + last) / 2, side)
                        break
            if sent[r]:
                above[sent[r]] -= self.weight[r]
                below[sent[r]] += self.weight[r]
                n_above -= self.weight[r] > 0
                n_below += self.weight[r] > 0
            last = values[r]
        return None if found is None else (best, both, *found)

    def agree_levels(self, c: int, rows: list[int], sent: dict[int, int]) -> Any:
        num, levels = self.kind.of, range(self.n_levels[c])
        weights = [{LEFT: num(0), RIGHT: num(0)} for _ in levels]
        rows_of = [{LEFT: 0, RIGHT: 0} for _ in levels]
        for r in rows:
            if sent[r]:
                weights[self.x[c][r]][sent[r]] += self.weight[r]
                rows_of[self.x[c][r]][sent[r]] += self.weight[r] > 0
        both = [num(0), num(0)]
        for each in weights:
            both[0] += each[LEFT]
            both[1] += each[RIGHT]
        default = LEFT if both[0] > both[1] else RIGHT
        agree, rightly, wrongly, side = num(0), 0, 0, [0 for _ in levels]
        for k in levels:
            if not rows_of[k][LEFT] and not rows_of[k][RIGHT]:
                continue
            left, right = weights[k][LEFT], weights[k][RIGHT]
            to = default if left == right else RIGHT if left < right else LEFT
            side[k] = to
            agree += weights[k][to]
            rightly += rows_of[k][to]
            wrongly += rows_of[k][-to]
        return None if rightly < 2 or wrongly < 2 else (agree, both, tuple(side), 0)

    def divided(self, node: Grown) -> list[Grown]:
        assert node.test is not None
        use, sent = self.case.settings["usesurrogate"], {}
        for r in node.orders[0]:
            side = self.side(node.test, r)
            if self.x[node.test.column][r] is None and use:
                side = next((s for t in node.surrogates if (s := self.side(t, r))), 0)
                if not side and use == 2:
                    side = node.last
            sent[r] = side
        return [
            Grown(2 * node.number + (side == RIGHT),
                  [[r for r in order if sent[r] == side] for order in node.orders])
            for side in (LEFT, RIGHT)
        ]  # fmt: skip

    # -- what R prints -----------------------------------------------------------------------

    def table(self) -> list[list[Any]]:
        """Return the table of complexities, after no node has more than its parent."""
        rows = [[self.root.complexity, 0, self.root.risk]]
        if self.root.sons:
            rows = [[self.root.complexity, 0, self.kind.of(0)]]
            self._list(self.root, self.root.complexity, rows)
            self._count(self.root, self.root.complexity, 0, rows)
            rows[0][2] = self.root.risk
        ratio = self.kind.ratio
        scale = ratio(self.kind.of(1), self.root.risk)
        return [[cp * scale, splits, risk * scale] for cp, splits, risk in rows]

    def _list(self, node: Grown, parent: Any, rows: list[list[Any]]) -> None:
        node.complexity = min(node.complexity, parent)
        mine = max(node.complexity, self.alpha)
        for son in node.sons:
            self._list(son, mine, rows)
        if mine < parent and all(mine != row[0] for row in rows):
            rows.append([mine, 0, self.kind.of(0)])
            rows.sort(key=lambda row: -row[0])

    def _count(self, node: Grown, parent: Any, splits: int, rows: list[list[Any]]) -> int:
        """Add a node to the rows in which it is a leaf; return the place of the first beyond."""
        place = len(rows) - 1
        if node.sons:
            self._count(node.sons[0], node.complexity, 0, rows)
            place = self._count(node.sons[1], node.complexity, splits + 1, rows)
        while rows[place][0] < parent:
            rows[place][2] += node.risk
            rows[place][1] += splits
            place -= 1
        return place

    def nodes(self) -> dict[int, Grown]:
        """Return the nodes by number."""
        found, waiting = {}, [self.root]
        while waiting:
            node = waiting.pop()
            found[node.number] = node
            waiting += node.sons
        return found

    def told(self) -> Told:
        """Return the tree as R prints it."""
        scale = self.kind.ratio(self.kind.of(1), self.root.risk)
        nodes = {}
        for number, node in self.nodes().items():
            numbers = map(float, (node.n, node.weight, node.risk, node.value))
            test = None if node.test is None else self.test_of(node.test)
            stand_ins = [self.test_of(s) for s in node.surrogates]
            rate = float(node.complexity * scale)
            nodes[number] = Node(*numbers, rate, test, stand_ins)
        stops = [self.stops(t.columns, t.n_rows) for t in (self.case.table, self.case.new)]
        predicted = [[float(node.value) for node in part] for part in stops]
        shares = None
        if self.n_classes:
            shares = [np.array([self.shares(node) for node in part]).T.tolist() for part in stops]
        return Told(nodes, [[float(v) for v in row] for row in self.cp], predicted, shares)

    def test_of(self, s: Split) -> Test:
        column = self.fields[s.column]
        worth = float(s.worth), float(s.adjusted)
        if column.is_numeric:
            return Test(column.name, float(s.where), (s.below, -s.below), *worth)
        at = None if self.n_levels[s.column] else float(s.where)
        return Test(column.name, None, self._sides(s), *worth, at)

    def _sides(self, s: Split) -> tuple[int, ...]:
        """Return the side of each category; R turns the cut of an order into two lists."""
        if self.n_levels[s.column]:
            return tuple(s.where)
        n = len(self.fields[s.column].levels)
        return tuple(s.below if k <= math.floor(s.where) else -s.below for k in range(1, n + 1))

    def shares(self, node: Grown) -> list[float]:
        least = 1 if "probability" in self.slips else 0
        parts = [
            float(node.sums[j] * self.given[j] / max(self.counts[j], least))
            if node.sums[j]
            else 0.0
            for j in range(self.n_classes)
        ]
        return [p / sum(parts) for p in parts]

    def stops(self, columns: Any, n: int) -> list[Grown]:
        """Return the node where each row stops when it is predicted."""
        values = [_values(column, self.kind.of) for column in columns]
        return [self._stop([v[r] for v in values]) for r in range(n)]

    def _stop(self, row: list[Any]) -> Grown:
        node, use = self.root, self.case.settings["usesurrogate"]
        while node.sons:
            assert node.test is not None
            tests = [node.test, *(node.surrogates if use else ())]
            side = next((s for t in tests if (s := self._sent(t, row[t.column]))), 0)
            left, right = node.sons
            if not side and use == 2 and left.n != right.n:
                side = LEFT if left.n > right.n else RIGHT
            if not side:
                break
            node = left if side == LEFT else right
        return node

    def _sent(self, test: Split, value: Any) -> int:
        if value is None:
            return 0
        if self.fields[test.column].is_numeric:
            return test.below if value < test.where else -test.below
        place = value if self.n_levels[test.column] else int(value) - 1
        return self._sides(test)[place]


def _values(column: Any, num: Any) -> list[Any]:
    """Return values as rpart has them: numbers, of an order from 1; codes of other categories."""
    codes = column.codes.tolist()
    if column.is_numeric:
        return [None if v is None or v != v else num(v) for v in column.numbers().tolist()]  # noqa: PLR0124 - NaN
    if column.has_order:
        return [None if code < 0 else num(code + 1) for code in codes]
    return [None if code < 0 else code for code in codes]


def _turned(where: Any) -> Any:
    return tuple(-side for side in where) if isinstance(where, tuple) else where


def _less(a: Any, b: Any) -> bool:
    """Whether a < b; nothing is less than NaN, nor NaN than anything."""
    return bool(a == a and b == b and a < b)  # noqa: PLR0124 - NaN


def _gray(levels: list[int]) -> Any:
    """Yield which level changes sides, so that all groupings come up; the last one never does."""
    state = dict.fromkeys(levels, 1)
    while True:
        for k in levels:
            if state[k] == 1:
                state[k] = 2
                yield k
                break
            state[k] = 1
        else:
            return
