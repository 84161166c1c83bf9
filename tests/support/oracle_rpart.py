"""Oracle of rpart: its rules applied literally, row by row and depth first.

Slow and plain on purpose: no counts, no generations, no cutting back at the end. Case weights are
one, classes count the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

LEFT, RIGHT = -1, 1


@dataclass
class Node:
    rows: list[int]
    risk: float
    complexity: float = 0.0
    test: Any = None
    stand_ins: list[Any] = field(default_factory=list)
    sons: list[Node] = field(default_factory=list)


class Oracle:
    """Grows one tree.

    ``columns`` are lists of values with None for a missing one; ``levels`` how many levels each
    has, 0 for numbers; ``y`` classes from 0, or numbers.
    """

    def __init__(self, columns, levels, y, *, n_classes, cp, minsplit, minbucket, maxsurrogate,
                 usesurrogate, maxdepth=30):  # fmt: skip
        self.columns, self.levels, self.y, self.n_classes = columns, levels, y, n_classes
        self.minsplit, self.minbucket, self.maxdepth = minsplit, minbucket, maxdepth
        self.maxsurrogate, self.usesurrogate = maxsurrogate, usesurrogate
        every = list(range(len(y)))
        self.root = Node(every, self.risk(every))
        self.root.complexity = self.root.risk
        self.alpha = cp * self.root.risk
        self.largest = 0.0
        self.grow(self.root, 0)

    def risk(self, rows):
        if self.n_classes:
            counts = [sum(self.y[r] == k for r in rows) for k in range(self.n_classes)]
            return float(len(rows) - max(counts))
        mean = sum(self.y[r] for r in rows) / len(rows)
        return sum((self.y[r] - mean) ** 2 for r in rows)

    def grow(self, node, depth):  # noqa: C901 - by the letter
        """Return the risk of the subtree and its number of splits."""
        most = min(node.risk, node.complexity)
        if len(node.rows) < self.minsplit or most <= self.alpha or depth >= self.maxdepth:
            node.complexity = self.alpha
            return node.risk, 0
        node.test = self.best(node)
        if node.test is None:
            node.complexity = self.alpha
            return node.risk, 0
        last = 0
        if self.maxsurrogate:
            last = self.find_stand_ins(node)
        parts = self.divided(node, last)
        left = Node(parts[LEFT], self.risk(parts[LEFT]) if parts[LEFT] else 0.0, most - self.alpha)
        left_risk, left_splits = self.grow(left, depth + 1)
        most = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        most = min(most, node.complexity)
        right = Node(parts[RIGHT], self.risk(parts[RIGHT]), most - self.alpha)
        right_risk, right_splits = self.grow(right, depth + 1)

        def rate():
            return (node.risk - (left_risk + right_risk)) / (left_splits + right_splits + 1)

        if right.complexity > left.complexity:
            if rate() > left.complexity:
                left_risk, left_splits = left.risk, 0
                if rate() > right.complexity:
                    right_risk, right_splits = right.risk, 0
        elif rate() > right.complexity:
            right_risk, right_splits = right.risk, 0
            if rate() > left.complexity:
                left_risk, left_splits = left.risk, 0
        node.complexity = rate()
        if node.complexity <= self.alpha:
            node.test = None
            return node.risk, 0
        node.sons = [left, right]
        return left_risk + right_risk, left_splits + right_splits + 1

    # -- primary splits ------------------------------------------------------------------------

    def best(self, node):
        found = None
        for c, values in enumerate(self.columns):
            rows = [r for r in node.rows if values[r] is not None]
            if not rows:
                continue
            offer = self.cut(c, rows, node) if not self.levels[c] else self.group(c, rows, node)
            if offer is None:
                continue
            self.largest = max(self.largest, offer[0])
            if offer[0] > self.largest * 1e-10 and (found is None or offer[0] > found[0]):
                found = offer
        return found

    def worth(self, left, right, risk):
        """Return how much a division is worth, and whether its first part has the lower mean."""
        if self.n_classes:

            def mixed(rows):
                p = [sum(self.y[r] == k for r in rows) / len(rows) for k in range(self.n_classes)]
                return len(rows) * sum(q * (1 - q) for q in p)

            gain = mixed(left + right) - mixed(left) - mixed(right)
        else:
            mean = sum(self.y[r] for r in left + right) / len(left + right)
            off = sum(self.y[r] - mean for r in left)
            gain = (off * off / len(left) + off * off / len(right)) / risk if risk else 0.0
        one, other = (sum(self.y[r] for r in part) / len(part) for part in (left, right))
        return gain, one < other

    def cut(self, c, rows, node):
        values = self.columns[c]
        rows = sorted(rows, key=lambda r: values[r])
        found = None
        for i in range(self.minbucket, len(rows) - self.minbucket + 1):
            if i == 0 or i == len(rows) or values[rows[i - 1]] == values[rows[i]]:
                continue
            gain, low = self.worth(rows[:i], rows[i:], node.risk)
            if gain > (found[0] * (1 + 1e-12) if found else 0):
                middle = (values[rows[i - 1]] + values[rows[i]]) / 2
                found = (gain, c, middle, LEFT if low else RIGHT)
        return found

    def group(self, c, rows, node):
        values = self.columns[c]
        present = sorted({values[r] for r in rows})
        found = None
        if self.n_classes in (0, 1, 2):

            def mean(level):
                inside = [r for r in rows if values[r] == level]
                key = (lambda r: self.y[r]) if not self.n_classes else (lambda r: self.y[r] == 0)
                return sum(map(key, inside)) / len(inside)

            order = sorted(present, key=mean)
            tries = [set(order[:i]) for i in range(1, len(order))]
        else:
            steps = range(1, 1 << (len(present) - 1))
            tries = [{v for i, v in enumerate(present) if (t ^ (t >> 1)) >> i & 1} for t in steps]
        for group in tries:
            left = [r for r in rows if values[r] in group]
            right = [r for r in rows if values[r] not in group]
            if min(len(left), len(right)) < self.minbucket:
                continue
            gain, low = self.worth(left, right, node.risk)
            if gain > (found[0] * (1 + 1e-12) if found else 0):
                sides = {v: LEFT if (v in group) == low else RIGHT for v in present}
                found = (gain, c, sides, None)
        return found

    # -- missing values ------------------------------------------------------------------------

    def side(self, test, row):
        _, c, where, below = test[:4]
        value = self.columns[c][row]
        if value is None:
            return 0
        if below is None:
            return where.get(value, 0)
        return below if value < where else -below

    def find_stand_ins(self, node):
        sent = {r: self.side(node.test, r) for r in node.rows}
        weight = {d: sum(s == d for s in sent.values()) for d in (LEFT, RIGHT)}
        found = []
        for c in range(len(self.columns)):
            if c != node.test[1]:
                rows = [r for r in node.rows if self.columns[c][r] is not None]
                offer = self.agree_group(c, rows, sent) if self.levels[c] else self.agree_cut(
                    c, rows, sent)  # fmt: skip
                if offer is None:
                    continue
                agree, where, below = offer
                total, most = sum(weight.values()), max(weight.values())
                if total == most:
                    continue
                adjusted = (agree / total - most / total) / (1 - most / total)
                if adjusted > 1e-10:
                    found.append((agree / total, c, where, below, adjusted))
        found.sort(key=lambda s: -s[0])
        node.stand_ins = found[: self.maxsurrogate]
        return 0 if weight[LEFT] == weight[RIGHT] else max(weight, key=weight.get)

    def agree_cut(self, c, rows, sent):
        values = self.columns[c]
        both = [r for r in rows if sent[r]]
        best = max([sum(sent[r] == d for r in both) for d in (LEFT, RIGHT)], default=0)
        found = None
        distinct = sorted({values[r] for r in rows})
        for low, high in pairwise(distinct):
            below = [r for r in both if values[r] <= low]
            if len(below) < 2 or len(both) - len(below) < 2:
                continue
            for direction in (RIGHT, LEFT):
                agree = sum(
                    sent[r] == (direction if values[r] <= low else -direction) for r in both
                )
                if agree > best:
                    best, found = agree, ((low + high) / 2, direction)
        return None if found is None else (best, *found)

    def agree_group(self, c, rows, sent):
        values = self.columns[c]
        both = [r for r in rows if sent[r]]
        whole = {d: sum(sent[r] == d for r in both) for d in (LEFT, RIGHT)}
        larger = LEFT if whole[LEFT] > whole[RIGHT] else RIGHT
        sides, agree = {}, 0
        for level in {values[r] for r in both}:
            n = {d: sum(sent[r] == d for r in both if values[r] == level) for d in (LEFT, RIGHT)}
            sides[level] = larger if n[LEFT] == n[RIGHT] else max(n, key=n.get)
            agree += n[sides[level]]
        if agree < 2 or len(both) - agree < 2:
            return None
        return agree, sides, None

    def divided(self, node, last):
        parts = {LEFT: [], RIGHT: [], 0: []}
        for row in node.rows:
            side = self.side(node.test, row)
            if not side and self.usesurrogate:
                side = next((s for t in node.stand_ins if (s := self.side(t, row))), 0)
            if not side and self.usesurrogate == 2:
                side = last
            parts[side].append(row)
        return parts


def is_close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
