"""Greedy merging of categories into groups, as C4.5 -s does it: pair by pair, by gain ratio."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from penjing.data.table import Codes, Floats
from penjing.dialects.c45.information import gain, in_order, information, rounding
from penjing.dialects.c45.options import C45Options

RARE = 0.5
"""Categories that weigh no more than this are left out of the groups."""
IMPURE = 0.1
"""Classes that weigh less than this are ignored when groups of one class are merged."""
MIN_GROUP = 1.0
"""While groups are formed, two must weigh this much (instead of the recipe's minimum)."""
MIN_INCREASE = 1e-5
"""A merger must raise the gain ratio by this much."""


@dataclass(frozen=True, slots=True)
class CategoricalColumn:
    """A categorical column in a node: what its splits are scored with, beside its counts."""

    before: Floats
    missing: float
    weight: float
    by_ratio: bool
    minimum: float
    options: C45Options

    def gains(self, parts: Floats, minimum: float) -> Floats:
        """Return the gain of splits (n, groups, classes), -slack where fewer than two are heavy."""
        round_ = rounding(self.options.precision)
        missing_share = float(round_(np.asarray(self.missing / self.weight)))
        gains = gain(parts, self.before, missing_share, round_)
        has_two = (in_order(parts, round_) >= minimum).sum(axis=-1) >= 2
        return np.where(has_two, gains, -self.options.slack)

    def bits(self, parts: Floats) -> Floats:
        """Return the split information of splits; missing values are one more part."""
        round_ = rounding(self.options.precision)
        sizes = in_order(parts, round_)
        missing = np.full((len(parts), 1), self.missing)
        return round_(information(np.concatenate([missing, sizes], axis=1), round_) / self.weight)

    def score(self, gains: Floats, bits: Floats) -> Floats:
        """Return the score that splits are compared by: the gain ratio, or the gain."""
        slack = self.options.slack
        if not self.by_ratio:
            return np.where((bits > 0) & (gains > -slack), gains, -slack)
        round_ = rounding(self.options.precision)
        ratio = np.divide(gains, bits, out=np.zeros_like(gains), where=bits > 0)
        return np.where((gains >= 0) & (bits > slack), round_(ratio), -slack)


@dataclass
class Groups:
    """The groups so far; mergers change their order, which decides between equal scores."""

    codes: list[list[int]]
    cells: Floats
    column: CategoricalColumn
    prior: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))

    @property
    def sizes(self) -> Floats:
        """The weight of each group."""
        return in_order(self.cells, rounding(self.column.options.precision))

    def merged_cells(self, one: int, other: int) -> Floats:
        """Return the counts if two groups were merged; the last group takes the free position."""
        round_ = rounding(self.column.options.precision)
        cells = self.cells.copy()
        cells[one] = round_(cells[one] + cells[other])
        cells[other] = cells[-1]
        return cells[:-1]

    def merge(self, one: int, other: int) -> None:
        """Merge two groups."""
        self.cells = self.merged_cells(one, other)
        self.codes[one] = self.codes[one] + self.codes[other]
        last = self.codes.pop()
        if other < len(self.codes):
            self.codes[other] = last

    def measure(self) -> tuple[float, float, float]:
        """Return the gain, split information and score of the groups as they are."""
        gains = self.column.gains(self.cells[None], MIN_GROUP)
        bits = self.column.bits(self.cells[None])
        return float(gains[0]), float(bits[0]), float(self.column.score(gains, bits)[0])


def merge_levels(
    codes: Codes, cells: Floats, column: CategoricalColumn
) -> tuple[list[Codes], float, float] | None:
    """Return groups of categories, their gain and split information; None if there are not two.

    Categories that are too rare are in none of the groups.
    """
    sizes = in_order(cells, rounding(column.options.precision))
    common = sizes > RARE
    groups = Groups([[int(c)] for c in codes[common]], cells[common], column)
    groups.prior = Groups([], cells, column).measure()
    _merge_pure(groups)
    _merge_pairs(groups)
    if len(groups.codes) < 2:
        return None
    gain_ = float(column.gains(groups.cells[None], column.minimum)[0])
    merged = [np.array(sorted(group), np.int32) for group in groups.codes]
    return merged, gain_, groups.prior[1]


def _merge_pure(groups: Groups) -> None:
    """Merge groups whose rows all have the same class."""
    before = len(groups.codes)
    one = 0
    while one < len(groups.codes) - 1:
        class_ = int(np.argmax(groups.cells[one] >= IMPURE))
        other = one + 1 if _is_pure(groups, one, class_) else len(groups.codes)
        while other < len(groups.codes):
            if _is_pure(groups, other, class_):
                groups.merge(one, other)
            else:
                other += 1
        one += 1
    if len(groups.codes) < before:
        groups.prior = groups.measure()


def _is_pure(groups: Groups, group: int, class_: int) -> bool:
    return bool(groups.cells[group][class_] >= groups.sizes[group] - IMPURE)


def _merge_pairs(groups: Groups) -> None:
    """Merge the pair with the best score, as long as that raises the score."""
    column = groups.column
    half_gain = float(rounding(column.options.precision)(np.asarray(groups.prior[0] / 2)))
    while len(groups.codes) > 2:
        n_heavy = int((groups.sizes >= column.minimum).sum())
        excluded = int(np.argmax(groups.sizes)) if n_heavy < 3 else -1
        pairs = [p for p in combinations(range(len(groups.codes)), 2) if excluded not in p]
        must_merge = not column.by_ratio or n_heavy < 2
        best = _best_pair(groups, pairs, half_gain, must_merge=must_merge)
        if not must_merge and (best is None or best[1][2] < groups.prior[2] + MIN_INCREASE):
            return
        assert best is not None
        groups.prior = best[1]
        groups.merge(*best[0])


def _best_pair(
    groups: Groups, pairs: list[tuple[int, int]], half_gain: float, *, must_merge: bool
) -> tuple[tuple[int, int], tuple[float, float, float]] | None:
    """Return the last pair of the best score, and its measures.

    A pair that keeps half of the initial gain replaces one that does not.
    """
    if not pairs:
        return None
    column = groups.column
    parts = np.stack([groups.merged_cells(*pair) for pair in pairs])
    gains, bits = column.gains(parts, MIN_GROUP), column.bits(parts)
    scores = column.score(gains, bits)
    best, best_score, best_gain = None, 0.0, -column.options.slack
    for i, (g, w) in enumerate(zip(gains.tolist(), scores.tolist(), strict=True)):
        if (g >= half_gain > best_gain) or w >= best_score or (best is None and must_merge):
            best, best_score, best_gain = i, w, g
    if best is None:
        return None
    return pairs[best], (float(gains[best]), float(bits[best]), float(scores[best]))
