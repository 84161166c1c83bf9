"""Compare two array trees of the same rows: equal, or different first at an exact tie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

ROUNDING = 1e-13
"""Scores that differ by less than this share of what was summed up differ by rounding only."""


@dataclass(frozen=True)
class Rows:
    """What a tree was grown from, as scikit-learn sees it."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    criterion: str
    least_weight: float = 0.0
    least_gain: float = 0.0
    """What a child must weigh, and a division gain, at least."""

    def of(self, mask):
        return replace(self, x=self.x[mask], y=self.y[mask], weight=self.weight[mask])

    def impurity(self) -> Fraction | Decimal:
        """Return the impurity of these rows times their weight, without rounding."""
        if self.criterion == "squared_error":
            w, y = [*map(Fraction, self.weight.tolist())], [*map(Fraction, self.y.tolist())]
            total = sum(w)
            mean = sum(a * b for a, b in zip(w, y, strict=True)) / total
            return sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True))
        counts: dict[float, Fraction] = {}
        for label, weight in zip(self.y.tolist(), self.weight.tolist(), strict=True):
            counts[label] = counts.get(label, Fraction(0)) + Fraction(weight)
        total = sum(counts.values())
        if self.criterion == "gini":
            return total - sum(n * n for n in counts.values()) / total
        with localcontext(prec=60):
            shares = [(_decimal(n), _decimal(n / total)) for n in counts.values()]
            return -sum((n * p.ln() for n, p in shares), Decimal(0))

    def scale(self) -> float:
        """Return how large the numbers are that are summed up."""
        if self.criterion == "squared_error":
            return float((self.weight * self.y.astype(float) ** 2).sum())
        return float(self.weight.sum())


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


@dataclass(frozen=True)
class Step:
    """One division: of which node (a path of L and R), by what."""

    path: str
    node: int
    column: int
    cut: float
    missing_left: bool


def steps(arrays) -> list[Step]:
    """Return the divisions of a tree in the order in which they were made."""
    left, right = arrays.children_left, arrays.children_right
    found, waiting = [], [(0, "")]
    while waiting:
        node, path = waiting.pop()
        if left[node] < 0:
            continue
        goes = bool(arrays.missing_go_to_left[node])
        found.append(
            Step(path, node, int(arrays.feature[node]), float(arrays.threshold[node]), goes)
        )
        waiting += [(int(left[node]), path + "L"), (int(right[node]), path + "R")]
    return sorted(found, key=lambda step: int(left[step.node]))


def parted(ours, theirs, rows: Rows) -> str:
    """Return why two trees differ: "" if they do not, otherwise what rounding has decided.

    Which of equal divisions is the best ("tie"), whether rows of one class or number are any
    more mixed than not at all ("pure"), whether a limit is kept that is met exactly ("limit"),
    or whether a division that gains nothing gains less than nothing ("no gain").
    Anything else is an error. Only the first difference can be judged: below and after it other
    columns are drawn, and other rows divided.
    """
    for mine, other in zip(_padded(ours, theirs), _padded(theirs, ours), strict=True):
        if mine is None or other is None or (mine.path, _asks(mine)) != (other.path, _asks(other)):
            return _judged(mine, other, ours, theirs, rows)
    return ""


def has_tied_classes(arrays) -> bool:
    """Whether only rounding says which class of a node is the likeliest."""
    if arrays.value.shape[2] < 2:
        return False
    shares = np.sort(arrays.value[:, 0], axis=1)
    return bool((shares[:, -1] - shares[:, -2] < 1e-9).any())


def _padded(arrays, other):
    made = steps(arrays)
    return made + [None] * max(0, len(steps(other)) - len(made))


def _asks(step: Step):
    return step.column, step.cut, step.missing_left


def _judged(mine, other, ours, theirs, rows) -> str:
    sides = [(s, a) for s, a in ((mine, ours), (other, theirs)) if s is not None]
    gains, scales, impure, near = [], [], [], []
    for step, arrays in sides:
        here = rows.of(_reaching(arrays, step.path, rows.x))
        left = _goes_left(step, here.x)
        before = here.impurity()
        gains.append(before - here.of(left).impurity() - here.of(~left).impurity())
        scales.append(here.scale())
        impure.append(float(before) > ROUNDING * here.scale())
        sizes = [here.weight[left].sum(), here.weight[~left].sum()]
        least = rows.least_gain * rows.weight.sum()
        near += [
            bool(rows.least_weight)
            and abs(size - rows.least_weight) <= ROUNDING * rows.weight.sum()
            for size in sizes
        ]
        near.append(bool(least) and abs(float(gains[-1]) - least) <= ROUNDING * rows.scale())
    if not all(impure):
        return "pure"
    if any(near):
        return "limit"
    if any(abs(float(gain)) <= ROUNDING * scale for gain, scale in zip(gains, scales, strict=True)):
        return "no gain"
    assert len(gains) == 2, f"only one goes on: {mine} {other}"
    slack = ROUNDING * max(scales)
    assert abs(float(gains[0] - gains[1])) <= slack, f"no tie: {mine} {other} {gains}"
    return "tie"


def _goes_left(step: Step, x):
    values = x[:, step.column]
    return np.where(np.isnan(values), step.missing_left, values <= step.cut)


def _reaching(arrays, path: str, x):
    by_path = {step.path: step for step in steps(arrays)}
    mask = np.ones(len(x), bool)
    for i, turn in enumerate(path):
        mask &= _goes_left(by_path[path[:i]], x) == (turn == "L")
    return mask
