"""How scikit-learn splits and prunes: every threshold, with missing values on either side.

Scores, minimum sizes and thresholds are those of scikit-learn 1.9. It tries columns in a random
order and takes the first of ties; without a ``random_state`` the order is that of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from penjing.criteria import sklearn_impurity
from penjing.data.table import Floats
from penjing.dialects.sklearn.feature_order import NEVER, FeatureOrder
from penjing.dialects.sklearn.finished_order import finished_order
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.constraints import limits_of
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, first_best
from penjing.grow.surrogates import numbers_of
from penjing.prune.cost_complexity import prune
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader, Tally
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData

EPSILON = float(np.finfo(np.float64).eps)
"""A node less impure than this is pure."""


def sklearn_options(recipe: Recipe) -> SklearnOptions:
    """Return scikit-learn's own settings."""
    assert isinstance(recipe.options, SklearnOptions)
    return recipe.options


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is tried, None if it is not."""
    options = sklearn_options(recipe)
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.n_rows(node) < options.min_samples_split:
        return "min_weight"
    least = options.min_weight_fraction_leaf * growth.adjusted_weight_of(0)
    if growth.adjusted_weight_of(node) < 2 * least:
        return "min_weight"
    scorer = SplitScorer(growth.reader, recipe)
    return "pure" if scorer.impurity(growth.total(node)[None])[0] <= EPSILON else None


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    options = sklearn_options(recipe)
    shape = (len(nodes), len(engine.schema))
    gain, cut = np.full(shape, np.nan), np.full(shape, np.nan)
    impurity = np.zeros(shape)
    n_candidates = np.zeros(shape, np.int64)
    missing = np.ones(shape, np.int32)
    worth, order = np.full(shape, np.nan), np.zeros(shape, np.int32)
    scorer = SplitScorer(engine.reader, recipe)
    feature_order = feature_order_of(tree, len(engine.schema), recipe)
    finished = None
    if feature_order is not None and not isinstance(tree, TreeBuilder):

        def constant_columns(searched: Sequence[int]) -> list[list[bool]]:
            tallies = engine.tally(tree, searched)
            return [_constant_columns(tally, options, engine) for tally in tallies]

        finished = finished_order(engine, tree, recipe, feature_order, constant_columns)
    total_weight = float(scorer.weight(engine.totals(tree, [0]).cells[0]))
    limits = limits_of(engine, tree, nodes, recipe)
    for i, tally in enumerate(engine.tally(tree, nodes)):
        before = float(scorer.impurity(tally.total[None])[0])
        weight = float(scorer.weight(tally.total))
        for c, counts in tally.columns.items():
            numbers = numbers_of(engine.schema[c], counts, engine, c)
            splits = candidates(counts, numbers, options, engine.reader)
            refused = None if limits is None else limits[i].refused(c, splits.left, splits.right)
            best, worth[i, c] = scorer.best(
                splits, options, options.min_weight_fraction_leaf * total_weight, refused
            )
            if best < 0:
                continue
            cut[i, c] = splits.cuts[best]
            missing[i, c] = splits.goes[best]
            n_candidates[i, c] = len(splits.cuts)
            gain[i, c] = scorer.gain(splits, best, before, weight)
            impurity[i, c] = before
        if finished is not None:
            order[i] = finished[nodes[i]]
        elif feature_order is not None:
            constant = _constant_columns(tally, options, engine)
            order[i] = feature_order.ranks(nodes[i], tree.parent_of(nodes[i])[0], constant)
        gain[i, order[i] == NEVER] = np.nan
        if too_small_decrease(gain[i], weight, total_weight, options):
            gain[i] = np.nan
    none = np.full(shape, np.nan)
    return BestSplits(
        gain, none, impurity, cut, n_candidates, {}, missing, worth, order, limits=limits
    )


def too_small_decrease(
    gain: Floats, weight: float, total_weight: float, options: SklearnOptions
) -> bool:
    """Return whether no split of a node decreases the impurity of the tree as it must."""
    least = options.min_impurity_decrease
    if least <= 0:
        return False
    largest = float(np.nanmax(gain, initial=-np.inf))
    return largest * weight / total_weight + EPSILON < least


_FEATURE_ORDERS: WeakKeyDictionary[TreeBuilder, FeatureOrder] = WeakKeyDictionary()


def feature_order_of(tree: TreeStructure, n_columns: int, recipe: Recipe) -> FeatureOrder | None:
    """Return the order of columns of one tree, None if it is the order of the table.

    That of a growing tree goes on where it was; that of a finished tree is at its start.
    """
    options = sklearn_options(recipe)
    if not options.depth_first:
        return None
    if isinstance(tree, TreeBuilder) and tree in _FEATURE_ORDERS:
        return _FEATURE_ORDERS[tree]
    best_first = recipe.max_leaves is not None
    start, most = options.start, options.n_looked_at(n_columns)
    assert start is not None
    order = FeatureOrder(n_columns, start, is_best_first=best_first, n_looked_at=most)
    if isinstance(tree, TreeBuilder):
        _FEATURE_ORDERS[tree] = order
    return order


def _constant_columns(tally: Tally, options: SklearnOptions, engine: Engine) -> list[bool]:
    """Return whether each column is constant in a node."""
    return [_is_constant(counts, options, engine, c) for c, counts in tally.columns.items()]


def _is_constant(counts: Counts, options: SklearnOptions, engine: Engine, c: int) -> bool:
    """Whether a column cannot be split: one value (or none), or values too close together."""
    if not len(counts.codes):
        return True
    if counts.missing.any():
        return False
    numbers = numbers_of(engine.schema[c], counts, engine, c)
    return not far_apart(numbers[[0, -1]], options)[0]


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node: the largest gain, the first of ties."""
    assert best_splits.missing is not None
    choices = []
    for i, row in enumerate(best_splits.gain):
        if np.isnan(row).all():
            choices.append(Choice(None))
            continue
        tied = np.flatnonzero(row + TIE * best_splits.impurity[i] >= np.nanmax(row))
        c = int(_first_tied(tied, best_splits, i, recipe))
        gain = max(float(row[c]), 0.0)  # rounding may make a gain of 0 negative
        split = Split(
            c, float(best_splits.cut[i, c]), (), gain, gain, int(best_splits.missing[i, c])
        )
        choices.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return choices


def _first_tied(tied: npt.NDArray[np.intp], best_splits: BestSplits, i: int, recipe: Recipe) -> int:
    """Return the column that is chosen among ties: the first of the table, or the first drawn.

    With a ``random_state``, scores that differ only in their last bits are not tied, as in
    scikit-learn.
    """
    if not sklearn_options(recipe).depth_first:
        return int(tied[0])
    assert best_splits.worth is not None
    assert best_splits.order is not None
    worth = best_splits.worth[i, tied]
    best = tied[worth == worth.max()]
    return int(best[best_splits.order[i, best].argmin()])


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree, pruned if ``ccp_alpha`` is above 0."""
    if isinstance(engine.reader, Classes) and engine.reader.costs is not None:
        about = dict(tree.about) | {"costs": engine.reader.costs.to_json()}
        tree = replace(tree, about=about)
    alpha = sklearn_options(recipe).ccp_alpha
    return prune(tree, alpha=alpha, by="impurity")[0] if alpha > 0 else tree


def recipe_below(recipe: Recipe, share: float, root_loss: float) -> Recipe:  # noqa: ARG001 - the protocol's
    """Return the recipe for a node: fractions are those of the weight of the whole table."""
    options = sklearn_options(recipe)
    return replace(
        recipe,
        options=replace(
            options,
            min_weight_fraction_leaf=options.min_weight_fraction_leaf / share,
            min_impurity_decrease=options.min_impurity_decrease / share,
            ccp_alpha=options.ccp_alpha / share,
        ),
    )


def importance(tree: TreeData) -> dict[str, float]:
    """Return the importance of each column: its share in the decrease of impurity."""
    s = tree.reader
    total = sklearn_impurity.weighted(tree.nodes.total, s)
    weighted_gain = s.weight(total) * tree.nodes.gain
    decrease = np.zeros(len(tree.schema))
    is_split = ~tree.is_leaf
    np.add.at(decrease, tree.nodes.column[is_split], weighted_gain[is_split])
    total_decrease = decrease.sum()
    shares = decrease / total_decrease if total_decrease > 0 else decrease
    return {field.name: float(share) for field, share in zip(tree.schema, shares, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All thresholds of a column in a node, with missing values on the right, then on the left."""

    left: Floats
    right: Floats
    n_left: Floats
    n_right: Floats
    cuts: Floats
    goes: Floats
    """The branch of a missing value."""


def candidates(counts: Counts, numbers: Floats, options: SklearnOptions, s: Reader) -> Candidates:
    """Return the thresholds between values that are far enough apart.

    If values are missing, one more threshold, infinity, separates them from all known ones.
    """
    rows = counts.cells if counts.rows is None else counts.rows
    below, n_below = np.cumsum(counts.cells, axis=0), np.cumsum(s.weight(rows))
    positions = np.flatnonzero(far_apart(numbers, options))
    cuts = numbers[positions] / 2.0 + numbers[positions + 1] / 2.0
    cuts = np.where(cuts == numbers[positions + 1], numbers[positions], cuts)
    n = n_below[-1] if len(n_below) else 0.0
    known = counts.known
    missing = counts.missing
    if not missing.any():
        n_left = n_below[positions]
        larger = np.where(n_left > n - n_left, 0, 1)
        left = below[positions]
        return Candidates(left, known - left, n_left, n - n_left, cuts, larger)
    n_missing = float(s.weight(missing)) if counts.missing_rows is None else counts.missing_rows
    if not len(numbers):
        positions = positions[:0]
    all_known = np.array([len(numbers) - 1]) if len(numbers) else positions[:0]
    missing_right = np.append(positions, all_known).astype(np.intp)
    left = np.concatenate([below[missing_right], below[positions] + missing])
    n_left = np.concatenate([n_below[missing_right], n_below[positions] + n_missing])
    return Candidates(
        left,
        known + missing - left,
        n_left,
        n + n_missing - n_left,
        np.concatenate([cuts, np.full(len(all_known), np.inf), cuts]),
        np.repeat([1, 0], [len(missing_right), len(positions)]),
    )


def far_apart(numbers: Floats, options: SklearnOptions) -> npt.NDArray[np.bool_]:
    """Return whether each number is further from the next than the gap, in the given precision."""
    if options.precision == "single":
        single = numbers.astype(np.float32)
        return np.asarray(single[1:] > single[:-1] + np.float32(options.gap))
    return np.asarray(numbers[1:] > numbers[:-1] + options.gap)


class SplitScorer:
    """Scores splits as scikit-learn does, with its order of summation."""

    def __init__(self, s: Reader, recipe: Recipe) -> None:
        self._s = s
        self._criterion = recipe.measure().name

    def weight(self, total: Floats) -> Floats:
        """Return the weight of sums, class weights included."""
        return self._s.weight(sklearn_impurity.weighted(total, self._s))

    def impurity(self, total: Floats) -> Floats:
        """Return the impurity of each vector of sums."""
        return sklearn_impurity.impurity(total, self._s, self._criterion)

    def best(
        self,
        splits: Candidates,
        options: SklearnOptions,
        least: float,
        refused: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[int, float]:
        """Return the best candidate, the first of ties, and its score; -1 if none is allowed.

        Candidates that are ``refused`` by constraints are not.
        """
        if not len(splits.cuts):
            return -1, np.nan
        left, right = self.weight(splits.left), self.weight(splits.right)
        is_allowed = (splits.n_left >= options.min_samples_leaf) & (
            splits.n_right >= options.min_samples_leaf
        )
        is_allowed &= (left >= least) & (right >= least)
        if refused is not None:
            is_allowed &= ~refused
        if not is_allowed.any():
            return -1, np.nan
        scores = self.scores(splits)
        scores[~is_allowed | np.isnan(scores)] = -np.inf
        best = int(scores.argmax())
        if np.isneginf(scores[best]):
            return -1, np.nan
        if not isinstance(self._s, Classes) and not options.depth_first:
            best = first_best(scores, TIE * abs(float(scores.max())))
        return best, float(scores[best])

    def gain(self, splits: Candidates, best: int, before: float, weight: float) -> float:
        """Return the decrease of impurity by a split of a node."""
        pair = np.stack([splits.left[best], splits.right[best]])
        parts, weights = self.impurity(pair), self.weight(pair)
        return float(before - weights[1] / weight * parts[1] - weights[0] / weight * parts[0])

    def scores(self, splits: Candidates) -> Floats:
        """Return the scores that splits are compared by.

        NaN if the weight of a side is lost in the difference of sums: then it is no candidate.
        """
        left, right = self.weight(splits.left), self.weight(splits.right)
        with np.errstate(divide="ignore", invalid="ignore"):
            if isinstance(self._s, Classes):
                one, other = self.impurity(splits.left), self.impurity(splits.right)
                return np.asarray(-right * other - left * one)
            squares = splits.left[:, 1] ** 2 / left + splits.right[:, 1] ** 2 / right
        return np.where((left > 0) & (right > 0), squares, np.nan)
