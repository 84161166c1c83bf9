"""Levels merged into groups, greedily, as C4.5 does with -s: pair after pair, by gain ratio."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from penjing.data.table import Codes, Floats
from penjing.dialects.c45.information import gain, in_order, information, rounding
from penjing.dialects.c45.options import C45Options

RARE = 0.5
"""A level that weighs no more than this is set aside."""
ALONE = 0.1
"""Classes that weigh less than this do not count when groups of one class are merged."""
LEAST = 1.0
"""While groups are formed, two must weigh this much (and not the recipe's minimum)."""
STEP = 1e-5
"""A merger must raise the ratio by this much."""


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a nominal column in a node, beside its cells."""

    before: Floats
    missing: float
    weight: float
    by_ratio: bool
    minimum: float
    options: C45Options

    def gains(self, parts: Floats, minimum: float) -> Floats:
        """Return the gain of divisions (n, groups, classes), -slack where they are too light."""
        round_ = rounding(self.options.precision)
        unknown = float(round_(np.asarray(self.missing / self.weight)))
        found = gain(parts, self.before, unknown, round_)
        heavy = (in_order(parts, round_) >= minimum).sum(axis=-1) >= 2
        return np.where(heavy, found, -self.options.slack)

    def bits(self, parts: Floats) -> Floats:
        """Return the split information of divisions; missing values are one more part."""
        round_ = rounding(self.options.precision)
        sizes = in_order(parts, round_)
        missing = np.full((len(parts), 1), self.missing)
        return round_(information(np.concatenate([missing, sizes], axis=1), round_) / self.weight)

    def worth(self, gains: Floats, bits: Floats) -> Floats:
        """Return by what divisions are compared."""
        slack = self.options.slack
        if not self.by_ratio:
            return np.where((bits > 0) & (gains > -slack), gains, -slack)
        round_ = rounding(self.options.precision)
        ratio = np.divide(gains, bits, out=np.zeros_like(gains), where=bits > 0)
        return np.where((gains >= 0) & (bits > slack), round_(ratio), -slack)


@dataclass
class Groups:
    """The groups so far, in an order that mergers change: it decides between equals."""

    codes: list[list[int]]
    cells: Floats
    column: Column
    prior: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))

    @property
    def sizes(self) -> Floats:
        """The weight of each group."""
        return in_order(self.cells, rounding(self.column.options.precision))

    def merged(self, one: int, other: int) -> Floats:
        """Return the cells if two groups were one; the last group moves into the gap."""
        round_ = rounding(self.column.options.precision)
        cells = self.cells.copy()
        cells[one] = round_(cells[one] + cells[other])
        cells[other] = cells[-1]
        return cells[:-1]

    def merge(self, one: int, other: int) -> None:
        """Make two groups one."""
        self.cells = self.merged(one, other)
        self.codes[one] = self.codes[one] + self.codes[other]
        last = self.codes.pop()
        if other < len(self.codes):
            self.codes[other] = last

    def measure(self) -> tuple[float, float, float]:
        """Return gain, bits and worth of the groups as they are."""
        gains = self.column.gains(self.cells[None], LEAST)
        bits = self.column.bits(self.cells[None])
        return float(gains[0]), float(bits[0]), float(self.column.worth(gains, bits)[0])


def grouped(codes: Codes, cells: Floats, column: Column) -> tuple[list[Codes], float, float] | None:
    """Return groups of levels, their gain and split information; None where there are not two.

    Levels that were set aside because they are too rare are in none of the groups.
    """
    sizes = in_order(cells, rounding(column.options.precision))
    common = sizes > RARE
    groups = Groups([[int(c)] for c in codes[common]], cells[common], column)
    groups.prior = Groups([], cells, column).measure()
    _merge_pure(groups)
    _merge_pairs(groups)
    if len(groups.codes) < 2:
        return None
    worth = float(column.gains(groups.cells[None], column.minimum)[0])
    found = [np.array(sorted(group), np.int32) for group in groups.codes]
    return found, worth, groups.prior[1]


def _merge_pure(groups: Groups) -> None:
    """Merge the groups whose rows are all of one class, with those of the same class."""
    before = len(groups.codes)
    one = 0
    while one < len(groups.codes) - 1:
        class_ = int(np.argmax(groups.cells[one] >= ALONE))
        other = one + 1 if _is_all(groups, one, class_) else len(groups.codes)
        while other < len(groups.codes):
            if _is_all(groups, other, class_):
                groups.merge(one, other)
            else:
                other += 1
        one += 1
    if len(groups.codes) < before:
        groups.prior = groups.measure()


def _is_all(groups: Groups, group: int, class_: int) -> bool:
    return bool(groups.cells[group][class_] >= groups.sizes[group] - ALONE)


def _merge_pairs(groups: Groups) -> None:
    """Merge the pair whose merger is worth most, as long as that raises the worth."""
    column = groups.column
    half = float(rounding(column.options.precision)(np.asarray(groups.prior[0] / 2)))
    while len(groups.codes) > 2:
        n_heavy = int((groups.sizes >= column.minimum).sum())
        barred = int(np.argmax(groups.sizes)) if n_heavy < 3 else -1
        pairs = [p for p in combinations(range(len(groups.codes)), 2) if barred not in p]
        must = not column.by_ratio or n_heavy < 2
        best = _best_pair(groups, pairs, half, must=must)
        if not must and (best is None or best[1][2] < groups.prior[2] + STEP):
            return
        assert best is not None
        groups.prior = best[1]
        groups.merge(*best[0])


def _best_pair(
    groups: Groups, pairs: list[tuple[int, int]], half: float, *, must: bool
) -> tuple[tuple[int, int], tuple[float, float, float]] | None:
    """Return the last pair of most worth; a gain of half that at the start goes first."""
    if not pairs:
        return None
    column = groups.column
    parts = np.stack([groups.merged(*pair) for pair in pairs])
    gains, bits = column.gains(parts, LEAST), column.bits(parts)
    worth = column.worth(gains, bits)
    best, most, gained = None, 0.0, -column.options.slack
    for i, (g, w) in enumerate(zip(gains.tolist(), worth.tolist(), strict=True)):
        if (g >= half > gained) or w >= most or (best is None and must):
            best, most, gained = i, w, g
    if best is None:
        return None
    return pairs[best], (float(gains[best]), float(bits[best]), float(worth[best]))
