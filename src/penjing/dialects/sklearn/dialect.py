"""scikit-learn's rules: any division, the best of all cuts with missing values on either side.

Scores, minimum sizes and thresholds are those of scikit-learn 1.9. It looks at columns in a
random order and takes the first of equal ones; without a ``random_state`` the order here is that
of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from penjing.criteria import sklearn_impurity
from penjing.data.table import Floats
from penjing.dialects.sklearn.feature_order import NEVER, Drawing
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, first_best
from penjing.grow.surrogates import numbers_of
from penjing.prune.cost_complexity import prune
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.split import Offers, Split
from penjing.tree.tree_data import TreeData

EPSILON = float(np.finfo(np.float64).eps)
"""A node less impure than this is pure."""


def sklearn_of(recipe: Recipe) -> SklearnOptions:
    """Return scikit-learn's own settings."""
    assert isinstance(recipe.options, SklearnOptions)
    return recipe.options


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    options = sklearn_of(recipe)
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.n_rows(node) < options.min_samples_split:
        return "min_weight"
    least = options.min_weight_fraction_leaf * growth.adjusted_weight_of(0)
    if growth.adjusted_weight_of(node) < 2 * least:
        return "min_weight"
    judge = Judge(growth.reader, recipe)
    return "pure" if judge.impurity(growth.total(node)[None])[0] <= EPSILON else None


def offers(engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
    options = sklearn_of(recipe)
    shape = (len(nodes), len(engine.schema))
    gain, cut = np.full(shape, np.nan), np.full(shape, np.nan)
    impurity = np.zeros(shape)
    n_candidates = np.zeros(shape, np.int64)
    missing = np.ones(shape, np.int32)
    worth, order = np.full(shape, np.nan), np.zeros(shape, np.int32)
    judge = Judge(engine.reader, recipe)
    drawing = drawing_of(tree, engine, recipe)
    whole = float(judge.weight(engine.totals(tree, [0]).cells[0]))
    for i, tally in enumerate(engine.tally(tree, nodes)):
        before = float(judge.impurity(tally.total[None])[0])
        weight = float(judge.weight(tally.total))
        for c, counts in tally.columns.items():
            numbers = numbers_of(engine.schema[c], counts, engine, c)
            found = candidates(counts, numbers, options, engine.reader)
            best, worth[i, c] = judge.best(found, options, options.min_weight_fraction_leaf * whole)
            if best < 0:
                continue
            cut[i, c] = found.cuts[best]
            missing[i, c] = found.goes[best]
            n_candidates[i, c] = len(found.cuts)
            gain[i, c] = judge.gain(found, best, before, weight)
            impurity[i, c] = before
        if drawing is not None:
            constant = [_is_constant(tally.columns[c], options, engine, c) for c in range(shape[1])]
            above = tree.parent_of(nodes[i])[0]
            order[i] = drawing.ranks(nodes[i], above, constant)
            gain[i, order[i] == NEVER] = np.nan
        least = options.min_impurity_decrease
        if least > 0 and np.nanmax(gain[i], initial=-np.inf) * weight / whole + EPSILON < least:
            gain[i] = np.nan
    none = np.full(shape, np.nan)
    return Offers(gain, none, impurity, cut, n_candidates, {}, missing, worth, order)


_DRAWINGS: WeakKeyDictionary[TreeBuilder, Drawing] = WeakKeyDictionary()


def drawing_of(tree: TreeStructure, engine: Engine, recipe: Recipe) -> Drawing | None:
    """Return the drawings of one growth, None where columns come in the order of the table."""
    options = sklearn_of(recipe)
    if not options.depth_first:
        return None
    assert isinstance(tree, TreeBuilder)
    if tree not in _DRAWINGS:
        best_first = recipe.max_leaves is not None
        n, start = len(engine.schema), options.start
        assert start is not None
        most = options.n_looked_at(n)
        _DRAWINGS[tree] = Drawing(n, start, is_best_first=best_first, n_looked_at=most)
    return _DRAWINGS[tree]


def _is_constant(counts: Counts, options: SklearnOptions, engine: Engine, c: int) -> bool:
    """Whether a column has nothing to part: one value (or none), or values too close together."""
    if not len(counts.codes):
        return True
    if counts.missing.any():
        return False
    numbers = numbers_of(engine.schema[c], counts, engine, c)
    return not far_apart(numbers[[0, -1]], options)[0]


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose: the greatest gain, then the first column."""
    assert offers.missing is not None
    chosen = []
    for i, row in enumerate(offers.gain):
        if np.isnan(row).all():
            chosen.append(Choice(None))
            continue
        tied = np.flatnonzero(row + TIE * offers.impurity[i] >= np.nanmax(row))
        c = int(_first(tied, offers, i, recipe))
        gain = max(float(row[c]), 0.0)  # no gain at all may come out as less
        split = Split(c, float(offers.cut[i, c]), (), gain, gain, int(offers.missing[i, c]))
        chosen.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return chosen


def _first(tied: npt.NDArray[np.intp], offers: Offers, i: int, recipe: Recipe) -> int:
    """Return which of the columns that tie is taken: the first, or the first that was drawn.

    With a ``random_state``, numbers that are equal but for their last bits are not equal, as
    they are not to scikit-learn.
    """
    if not sklearn_of(recipe).depth_first:
        return int(tied[0])
    assert offers.worth is not None
    assert offers.order is not None
    worth = offers.worth[i, tied]
    best = tied[worth == worth.max()]
    return int(best[offers.order[i, best].argmin()])


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree, pruned if ``ccp_alpha`` says so."""
    if isinstance(engine.reader, Classes) and engine.reader.costs is not None:
        about = dict(tree.about) | {"costs": engine.reader.costs.to_json()}
        tree = replace(tree, about=about)
    alpha = sklearn_of(recipe).ccp_alpha
    return prune(tree, alpha=alpha, by="impurity")[0] if alpha > 0 else tree


def importance(tree: TreeData) -> dict[str, float]:
    """Return the share of each column in the decrease of impurity."""
    s = tree.reader
    total = tree.nodes.total
    if isinstance(s, Classes) and s.costs is not None:
        total = total * np.asarray(s.costs.factor)
    worth = s.weight(total) * tree.nodes.gain
    found = np.zeros(len(tree.schema))
    asks = ~tree.is_leaf
    np.add.at(found, tree.nodes.column[asks], worth[asks])
    whole = found.sum()
    shares = found / whole if whole > 0 else found
    return {field.name: float(share) for field, share in zip(tree.schema, shares, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All cuts of one column in one node, with missing values on the right, then on the left."""

    left: Floats
    right: Floats
    n_left: Floats
    n_right: Floats
    cuts: Floats
    goes: Floats
    """The branch of a missing value."""


def candidates(counts: Counts, numbers: Floats, options: SklearnOptions, s: Reader) -> Candidates:
    """Return the cuts between values that are far enough apart.

    Where values are missing, one more cut parts them from all known ones; it is infinite.
    """
    rows = counts.cells if counts.rows is None else counts.rows
    below, n_below = np.cumsum(counts.cells, axis=0), np.cumsum(s.weight(rows))
    places = np.flatnonzero(far_apart(numbers, options))
    cuts = numbers[places] / 2.0 + numbers[places + 1] / 2.0
    cuts = np.where(cuts == numbers[places + 1], numbers[places], cuts)
    n = n_below[-1] if len(n_below) else 0.0
    known = counts.known
    lost = counts.missing
    if not lost.any():
        n_left = n_below[places]
        larger = np.where(n_left > n - n_left, 0, 1)
        left = below[places]
        return Candidates(left, known - left, n_left, n - n_left, cuts, larger)
    n_lost = float(s.weight(lost)) if counts.missing_rows is None else counts.missing_rows
    if not len(numbers):
        places = places[:0]
    everything = np.array([len(numbers) - 1]) if len(numbers) else places[:0]
    first = np.append(places, everything).astype(np.intp)
    left = np.concatenate([below[first], below[places] + lost])
    n_left = np.concatenate([n_below[first], n_below[places] + n_lost])
    return Candidates(
        left,
        known + lost - left,
        n_left,
        n + n_lost - n_left,
        np.concatenate([cuts, np.full(len(everything), np.inf), cuts]),
        np.repeat([1, 0], [len(first), len(places)]),
    )


def far_apart(numbers: Floats, options: SklearnOptions) -> npt.NDArray[np.bool_]:
    """Whether each number is further from the next than the gap, in the precision asked for."""
    if options.precision == "single":
        single = numbers.astype(np.float32)
        return np.asarray(single[1:] > single[:-1] + np.float32(options.gap))
    return np.asarray(numbers[1:] > numbers[:-1] + options.gap)


class Judge:
    """Scores divisions as scikit-learn does, sum after sum in its order."""

    def __init__(self, s: Reader, recipe: Recipe) -> None:
        self._s = s
        self._factor = None
        if isinstance(s, Classes) and s.costs is not None:
            self._factor = np.asarray(s.costs.factor)
        self._bits = recipe.measure().name != "gini"

    def weight(self, total: Floats) -> Floats:
        """Return the weight of sums, class weights included."""
        return self._s.weight(self._weighted(total))

    def impurity(self, total: Floats) -> Floats:
        """Return the impurity of each vector of sums."""
        part = self._weighted(total)
        if not isinstance(self._s, Classes):
            return sklearn_impurity.variance(part)
        return sklearn_impurity.entropy(part) if self._bits else sklearn_impurity.gini(part)

    def best(self, found: Candidates, options: SklearnOptions, least: float) -> tuple[int, float]:
        """Return which candidate is best, of equal ones the first, and what it is worth.

        -1 where none may be taken.
        """
        if not len(found.cuts):
            return -1, np.nan
        left, right = self.weight(found.left), self.weight(found.right)
        fair = (found.n_left >= options.min_samples_leaf) & (
            found.n_right >= options.min_samples_leaf
        )
        fair &= (left >= least) & (right >= least)
        if not fair.any():
            return -1, np.nan
        worth = self.worth(found)
        worth[~fair] = -np.inf
        best = int(worth.argmax())
        if not isinstance(self._s, Classes) and not options.depth_first:
            best = first_best(worth, TIE * abs(float(worth.max())))
        return best, float(worth[best])

    def gain(self, found: Candidates, best: int, before: float, weight: float) -> float:
        """Return by how much a division lessens the impurity of its node."""
        pair = np.stack([found.left[best], found.right[best]])
        parts, weights = self.impurity(pair), self.weight(pair)
        return float(before - weights[1] / weight * parts[1] - weights[0] / weight * parts[0])

    def worth(self, found: Candidates) -> Floats:
        """Return by what divisions are compared."""
        left, right = self.weight(found.left), self.weight(found.right)
        if isinstance(self._s, Classes):
            one, other = self.impurity(found.left), self.impurity(found.right)
            return np.asarray(-right * other - left * one)
        squares = found.left[:, 1] ** 2 / left + found.right[:, 1] ** 2 / right
        return np.asarray(squares)

    def _weighted(self, total: Floats) -> Floats:
        return total if self._factor is None else total * self._factor
