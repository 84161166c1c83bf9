"""How rpart splits, stops and prunes: altered priors, groups in Gray-code order, complexity.

Improvements, ties and minimum sizes are those of rpart 4.1.19. The tree is grown level by level
and pruned by complexity at the end. Since a node is split only if its risk allows the split to
pay, this gives the tree that rpart grows depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Codes, Floats
from penjing.dialects.rpart.case_sums import Cases
from penjing.dialects.rpart.cp_table import complexities, cp_table
from penjing.dialects.rpart.options import RpartOptions
from penjing.dialects.rpart.sorted_rows import ranks
from penjing.errors import CapabilityError
from penjing.grow.constraints import limits_of
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, first_best
from penjing.grow.surrogates import just_below, mean, numbers_of
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Number, Reader
from penjing.tree.nodes import Ids, Nodes
from penjing.tree.split import NO_BRANCH, BestSplits, snap_to_category
from penjing.tree.tree_data import TreeData

NO_GAIN = 1e-10
"""A gain below this share of the impurity is rounding."""
MOST_LEVELS = 26
"""With more than two classes, groupings double with each category; more raise an error."""
BATCH = 1 << 14
"""How many groupings are scored at a time."""


def rpart_options(recipe: Recipe) -> RpartOptions:
    """Return rpart's own settings."""
    assert isinstance(recipe.options, RpartOptions)
    return recipe.options


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is tried, None if it is not."""
    options = rpart_options(recipe)
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.n_rows(node) < options.minsplit:
        return "min_weight"
    alpha = options.alpha if options.alpha is not None else options.cp * growth.loss_of(0)
    path = [node]
    while path[-1]:
        path.append(growth.parent_of(path[-1])[0])
    # The largest decrease of risk that is left for splits, after those of the ancestors.
    allowance = growth.loss_of(0)
    for ancestor in reversed(path[1:]):
        allowance = min(growth.loss_of(ancestor), allowance) - alpha
    return "complexity" if min(growth.loss_of(node), allowance) <= alpha else None


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    shape = (len(nodes), len(engine.schema))
    gain, cut = np.full(shape, np.nan), np.full(shape, np.nan)
    impurity = np.zeros(shape)
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    s = engine.reader
    scorer = SplitScorer(s, recipe, n_present(engine.totals(tree, [0]).cells[0], s))
    limits = limits_of(engine, tree, nodes, recipe)
    for i, tally in enumerate(engine.tally(tree, nodes)):
        risk = float(s.loss(tally.total))
        rowwise = _rowwise_scorer(engine, tree, nodes[i], recipe)
        for c, all_counts in tally.columns.items():
            field, counts = engine.schema[c], _with_weight(all_counts, s)
            if len(counts.codes) < 2 or (limits is not None and limits[i].excludes(c)):
                continue
            here = None if limits is None or not field.has_order else limits[i]
            scorer.refused = None if here is None else partial(here.refused, c)
            if rowwise is not None:
                rowwise.refused = None if here is None else partial(here.refused_values, c)
                best = rowwise.best(c, counts, scorer.least, is_cut=field.has_order)
            elif field.has_order:
                best = scorer.cuts(counts, risk)
            else:
                best = scorer.groupings(counts, risk, field.name)
            n_candidates[i, c] = best.n
            if best.gain <= best.impurity * NO_GAIN:
                continue
            gain[i, c], impurity[i, c] = best.gain, best.impurity
            if field.has_order:
                numbers = numbers_of(field, counts, engine, c)
                low, high = float(numbers[best.place]), float(numbers[best.place + 1])
                cut[i, c] = just_below(low, high)
            else:
                sides = best.sides if _is_left(counts, best.sides, s) else ~best.sides
                groups[i, c] = (counts.codes[sides], counts.codes[~sides])
    # Counts are exact, and so are comparisons of scores computed from them. Sums of numbers are
    # not: nearly equal scores are ties, unless the sums are rounded as in rpart.
    exact = gain if isinstance(s, Classes) or rpart_options(recipe).sums == "cases" else None
    none = np.full(shape, np.nan)
    return BestSplits(gain, none, impurity, cut, n_candidates, groups, worth=exact, limits=limits)


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node: the largest gain for its cost, the first of ties."""
    cost = rpart_options(recipe).cost
    scores = best_splits.gain if cost is None else best_splits.gain / np.asarray(cost)
    slack = TIE * best_splits.impurity / (1.0 if cost is None else np.asarray(cost))
    choices = []
    for i, row in enumerate(scores):
        if np.isnan(row).all():
            choices.append(Choice(None))
            continue
        c = int(np.nanargmax(row))
        tied = np.flatnonzero(row + slack[i] >= row[c])
        if best_splits.worth is None:
            c = int(tied[0])
        split = best_splits.split(i, c, float(row[c]))
        choices.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return choices


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree pruned to its complexity, with its cp table."""
    options = rpart_options(recipe)
    about = dict(tree.about)
    s = engine.reader
    if isinstance(s, Classes) and s.costs is not None and options.has_costs:
        about["costs"] = s.costs.to_json()
    tree = replace(tree, about=about)
    risks = risks_of(tree, engine, recipe)
    risk = float(tree.losses[0]) if risks is None else risks[0]
    alpha = options.alpha if options.alpha is not None else options.cp * risk
    pruning = complexities(tree, alpha, risks)
    if pruning.cut:
        tree = tree.pruned(pruning.cut, why="complexity")
    if options.alpha is not None:  # a fold of a cross-validation: missing values go as in growing
        return tree
    table = cp_table(tree, alpha, risks_of(tree, engine, recipe) if pruning.cut else risks)
    if tree.is_leaf[0]:  # the decrease of risk by its splits, if there were any
        table[0].cp = float(pruning.of[0])
    about = dict(tree.about) | {"cp_table": [row.to_json(risk) for row in table]}
    missing = _majority_branches(tree, engine, options)
    return replace(tree, nodes=replace(_with_predicting_cuts(tree), missing=missing), about=about)


def refresh(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return a tree with other subtrees: its cp table, and the routes of missing values."""
    options = rpart_options(recipe)
    s = engine.reader
    about = dict(tree.about)
    if isinstance(s, Classes) and s.costs is not None and options.has_costs:
        about["costs"] = s.costs.to_json()
    tree = replace(tree, about=about)
    grown = _as_grown(tree, engine) if options.usesurrogate == 2 else tree
    risks = risks_of(grown, engine, recipe)
    risk = float(tree.losses[0]) if risks is None else risks[0]
    table = cp_table(tree, options.cp * risk, risks)
    about |= {"cp_table": [row.to_json(risk) for row in table]}
    missing = _majority_branches(grown, engine, options)
    return replace(tree, nodes=replace(_with_predicting_cuts(tree), missing=missing), about=about)


def recipe_below(recipe: Recipe, share: float, root_loss: float) -> Recipe:  # noqa: ARG001 - the protocol's
    """Return the recipe for a node: complexity is measured by the risk of the root."""
    options = rpart_options(recipe)
    alpha = options.cp * root_loss if options.alpha is None else options.alpha
    return replace(recipe, options=replace(options, alpha=alpha))


def _with_predicting_cuts(tree: TreeData) -> Nodes:
    """Return the nodes with the thresholds of ordered columns by which a grown tree predicts."""
    nodes = tree.nodes
    ordered = {c for c, field in enumerate(tree.schema) if field.has_order and not field.is_numeric}
    cut = nodes.cut.copy()
    for node in np.flatnonzero(np.isin(nodes.column, list(ordered)) & np.isfinite(cut)).tolist():
        cut[node] = snap_to_category(float(cut[node]))
    surrogates = {
        node: tuple(
            s
            if s.cut is None or s.column not in ordered
            else replace(s, cut=snap_to_category(s.cut))
            for s in found
        )
        for node, found in nodes.surrogates.items()
    }
    return replace(nodes, cut=cut, surrogates=surrogates)


def risks_of(tree: TreeData, engine: Engine, recipe: Recipe) -> list[float] | None:
    """Return the risk of each node as rpart rounds it; None where sums are exact.

    Complexities that differ only in the last bit are separate rows of its table.
    """
    if rpart_options(recipe).sums == "exact" or not tree.is_regression:
        return None
    return [case_risk(engine, tree, node) for node in range(len(tree.nodes))]


def _majority_branches(tree: TreeData, engine: Engine, options: RpartOptions) -> Ids | None:
    """Return the branch of rows that no surrogate sends on: the child with more rows.

    While a tree grows, it is the child of the larger weight among rows with a known value. In a
    grown tree rpart compares the number of all rows; rows stay if both children have as many.
    """
    branches = np.full(len(tree.nodes), NO_BRANCH, np.int32)
    inner = np.flatnonzero(~tree.is_leaf)
    if options.usesurrogate < 2 or not inner.size:
        return None
    first = tree.first_child[inner]
    rows = _n_rows(tree, engine)
    left, right = rows[first], rows[first + 1]
    branches[inner] = np.where(left > right, 0, np.where(right > left, 1, NO_BRANCH))
    return branches if (branches > NO_BRANCH).any() else None


def _as_grown(tree: TreeData, engine: Engine) -> TreeData:
    """Return a tree whose missing values go as they went while it grew.

    Subtrees that were finished send them by the number of rows, new ones by the weight of the rows
    with a known value. Without weights the counts of the tree tell the rows of each node.
    """
    if engine.totals(tree, [0]).rows is None:
        return tree
    branches = np.full(len(tree.nodes), NO_BRANCH, np.int32)
    for depth in range(tree.depth):
        level = np.flatnonzero(~tree.is_leaf & (tree.depths == depth))
        # Without surrogates, only rows with a known value come to the children of this level.
        surrogates = {n: s for n, s in tree.nodes.surrogates.items() if tree.depths[n] != depth}
        nodes = replace(tree.nodes, missing=branches.copy(), surrogates=surrogates)
        first = tree.first_child[level]
        children = np.stack([first, first + 1], axis=1).ravel().tolist()
        weight = engine.reader.weight(
            engine.totals(replace(tree, nodes=nodes), children).cells
        ).reshape(-1, 2)
        left, right = weight[:, 0], weight[:, 1]
        branches[level] = np.where(left > right, 0, np.where(right > left, 1, NO_BRANCH))
    return replace(tree, nodes=replace(tree.nodes, missing=branches))


def _n_rows(tree: TreeData, engine: Engine) -> Floats:
    """Return the number of rows of each node, missing values sent as in growing."""
    if engine.totals(tree, [0]).rows is None:
        return tree.weight
    rows = engine.totals(tree, range(len(tree.nodes))).rows
    assert rows is not None
    return rows


def importance(tree: TreeData) -> dict[str, float]:
    """Return the importance of each column: its gains, and a share of those as a surrogate."""
    importances: dict[int, float] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        gain = float(tree.nodes.score[node])
        if tree.is_regression:
            gain *= float(tree.losses[node])
        column = int(tree.nodes.column[node])
        importances[column] = importances.get(column, 0.0) + gain
        for surrogate in tree.nodes.surrogates.get(node, ()):
            share = gain * surrogate.adjusted
            importances[surrogate.column] = importances.get(surrogate.column, 0.0) + share
    ranked = sorted(importances.items(), key=lambda item: (-item[1], item[0]))
    return {tree.schema[c].name: value for c, value in ranked}


def n_present(total: Floats, s: Reader) -> int:
    """Return the number of classes for rpart: up to the last that occurs; 0 for a number."""
    if isinstance(s, Classes) and s.costs is not None and s.costs.n_seen:
        return s.costs.n_seen
    return int(np.flatnonzero(total)[-1]) + 1 if isinstance(s, Classes) and total.any() else 0


def _with_weight(counts: Counts, s: Reader) -> Counts:
    """Return the counts of the levels with rows of a weight above 0; only these are split."""
    if counts.rows is None or (has_weight := s.weight(counts.rows) > 0).all():
        return counts
    cells, rows = counts.cells[has_weight], counts.rows[has_weight]
    return replace(counts, codes=counts.codes[has_weight], cells=cells, rows=rows)


def _is_left(counts: Counts, sides: npt.NDArray[np.bool_], s: Reader) -> bool:
    """Whether a group of categories has the lower mean, which is rpart's left side."""
    left, right = counts.cells[sides].sum(axis=0), counts.cells[~sides].sum(axis=0)
    if isinstance(s, Classes):
        return mean(left, s) < mean(right, s)
    return not mean(left, s) > mean(right, s)


Refused = Callable[[Floats, Floats], npt.NDArray[np.bool_]]
"""Returns which candidates are refused, from the sums of both sides."""


class BestSplit:
    """The best split of one column in one node."""

    __slots__ = ("gain", "impurity", "n", "place", "sides")

    def __init__(self, gain: float, impurity: float, n: int) -> None:
        self.gain, self.impurity, self.n = gain, impurity, n
        self.place = 0
        self.sides = np.empty(0, bool)


class RowwiseScorer:
    """Scores splits for regression by sums that are rounded row by row, as in rpart."""

    def __init__(self, engine: Engine, tree: TreeStructure, node: int) -> None:
        self._engine, self._tree, self._node = engine, tree, node
        self._centre = engine.reader.centre if isinstance(engine.reader, Number) else 0.0
        self.refused: Refused | None = None
        """Returns which candidates constraints refuse; None without constraints."""
        self._risk = case_risk(engine, tree, node)

    def best(self, c: int, counts: Counts, least: int, *, is_cut: bool) -> BestSplit:
        """Return the best split of a column, the first of ties."""
        known = _cases(self._engine, self._tree, self._node, c).known
        place, sides = 0, np.empty(0, bool)
        if is_cut:
            gain, code = known.best_cut(least, self.refused, self._centre)
            place = int(np.searchsorted(counts.codes, code))
        else:
            gain, sides = known.best_groups(counts.codes, least)
        best = BestSplit(gain / self._risk if self._risk > 0 else 0.0, 1.0, len(counts.codes) - 1)
        best.place, best.sides = place, sides
        return best


def case_risk(engine: Engine, tree: TreeStructure, node: int) -> float:
    """Return the sum of squares of a node about its mean, added row by row."""
    # rpart adds the root before rows are sorted, other nodes in the order of the first column.
    cases = _cases(engine, tree, node, 0 if node else None)
    return cases.squares if len(cases.y) else 0.0


def _cases(engine: Engine, tree: TreeStructure, node: int, column: int | None) -> Cases:
    """Return the rows of a node in the order in which rpart has sorted them by a column."""
    return Cases(*engine.cases(tree, node, column, ranks))


def _rowwise_scorer(
    engine: Engine, tree: TreeStructure, node: int, recipe: Recipe
) -> RowwiseScorer | None:
    """Return the scorer that adds row by row; None if sums are exact."""
    if rpart_options(recipe).sums == "exact" or isinstance(engine.reader, Classes):
        return None
    return RowwiseScorer(engine, tree, node)


class SplitScorer:
    """Scores splits of a column as rpart does, with its order of summation."""

    def __init__(self, s: Reader, recipe: Recipe, n_classes: int) -> None:
        self._s = s
        self.shared_prior = 1.0
        """The altered prior that all classes share: 1, up to the last bit."""
        self.least = rpart_options(recipe).least
        self.refused: Refused | None = None
        """Returns which candidates constraints refuse; None without constraints."""
        self.n_classes = n_classes
        self.altered = np.ones(n_classes)
        if isinstance(s, Classes) and s.costs is not None:
            altered = np.asarray(s.costs.altered)[:n_classes]
            present = np.unique(altered[altered > 0])
            self.shared_prior = float(present[0]) if len(present) == 1 else 1.0
            if rpart_options(recipe).has_costs or self.shared_prior != 1.0:
                self.altered = altered
        self.is_entropy = recipe.measure().name != "gini"

    def cuts(self, counts: Counts, risk: float) -> BestSplit:
        """Return the best threshold, the lowest of ties."""
        below = np.cumsum(counts.cells, axis=0)[:-1]
        rows = np.cumsum(self._rows(counts))
        known = counts.known
        weights = None
        if self._adds_weights(counts):
            weights = _side_weights(self.shared_prior, rows[-1])[:, rows[:-1].astype(np.intp)]
        split, best = self._best(below, rows, known, risk, weights)
        split.place = best
        return split

    def _adds_weights(self, counts: Counts) -> bool:
        """Whether weights have to be added row by row, to be rounded as in rpart."""
        return self.shared_prior != 1.0 and counts.rows is None

    def groupings(self, counts: Counts, risk: float, name: str) -> BestSplit:
        """Return the best split of the categories into two groups, the first of ties."""
        if self.n_classes > 2:
            return self._all_groupings(counts, risk, name)
        order = np.argsort(self._level_order_key(counts), kind="stable")
        below = np.cumsum(counts.cells[order], axis=0)[:-1]
        rows = np.cumsum(self._rows(counts)[order])
        split, best = self._best(below, rows, counts.known, risk)
        split.sides = np.zeros(len(order), bool)
        split.sides[order[: best + 1]] = True
        return split

    def _all_groupings(self, counts: Counts, risk: float, name: str) -> BestSplit:
        """Try all groupings in Gray-code order, in which neighbours differ by one category."""
        n = len(counts.codes)
        if n > MOST_LEVELS:
            raise CapabilityError("too_many_levels", column=name, n=n, most=MOST_LEVELS)
        rows = self._rows(counts)
        best_split: BestSplit | None = None
        n_allowed = 0
        for start in range(1, 1 << (n - 1), BATCH):
            steps = np.arange(start, min(start + BATCH, 1 << (n - 1)))
            sides = ((steps ^ (steps >> 1))[:, None] >> np.arange(n)) & 1
            # Added from the first category to the last: a product of matrices would round sums
            # of weights as the installed linear algebra library does.
            left = np.zeros((len(steps), counts.cells.shape[1]))
            for level, cell in enumerate(counts.cells):
                left += sides[:, level, None] * cell
            n_left = np.append(sides @ rows, rows.sum())
            split, best = self._best(left, n_left, counts.known, risk)
            n_allowed += split.n
            if best_split is None or split.gain > best_split.gain:
                split.sides = sides[best].astype(bool)
                best_split = split
        assert best_split is not None
        best_split.n = n_allowed
        return best_split

    def _rows(self, counts: Counts) -> Floats:
        if counts.rows is None:
            return self._s.weight(counts.cells)
        return self._s.weight(counts.rows)

    def _level_order_key(self, counts: Counts) -> Floats:
        """Return the sort key of the categories: the share of the first class, or the mean."""
        if not isinstance(self._s, Classes):
            return self._s.value(counts.cells)
        weight = (counts.cells[:, : self.n_classes] * self.altered).sum(axis=1)
        return np.asarray(counts.cells[:, 0] / weight)

    def _best(
        self,
        left: Floats,
        rows: Floats,
        known: Floats,
        risk: float,
        weights: Floats | None = None,
    ) -> tuple[BestSplit, int]:
        """Return the gain of the best candidate, and which it is.

        ``rows`` are the numbers of rows on the left of each candidate, and last the number of all
        rows; ``weights`` are those of both sides, if they are not the sums of their parts.
        """
        n_left, n = rows[:-1], float(rows[-1])
        is_allowed = (n_left >= self.least) & (n - n_left >= self.least)
        if self.refused is not None:
            is_allowed &= ~self.refused(left, known - left)
        if isinstance(self._s, Classes):
            all_left = None if weights is None else _side_weights(self.shared_prior, n)[:, [-1]]
            impurity = float(
                self._weighted_impurity(known[None], np.zeros((1, len(known))), all_left)[0]
            )
            impurities = self._weighted_impurity(left, known - left, weights)
            impurities[~is_allowed] = np.inf
            best = int(impurities.argmin())
            gain = impurity - float(impurities[best])
        else:
            gain, best = self._squares(left, known, is_allowed)
            gain, impurity = (gain / risk, 1.0) if risk > 0 else (0.0, 1.0)
        gain = gain if is_allowed[best] else 0.0
        return BestSplit(gain, impurity, int(is_allowed.sum())), best

    def _weighted_impurity(
        self, left: Floats, right: Floats, weights: Floats | None = None
    ) -> Floats:
        """Return the impurity of both sides, each times its weight, added class by class."""
        total = np.zeros(len(left))
        a = self.altered
        parts = [side[:, : self.n_classes] * a for side in (left, right)]
        weights = np.stack([_in_order(part) for part in parts]) if weights is None else weights
        with np.errstate(divide="ignore", invalid="ignore"):
            for j in range(self.n_classes):
                for part, weight in zip(parts, weights, strict=True):
                    p = part[:, j] / weight
                    if self.is_entropy:
                        impure = np.where(p > 0, -p * _core.logs(np.where(p > 0, p, 1.0)), 0.0)
                    else:
                        impure = p * (1.0 - p)
                    total += np.where(part.any(axis=1), weight * impure, 0.0)
        return total

    def _squares(
        self, left: Floats, known: Floats, is_allowed: npt.NDArray[np.bool_]
    ) -> tuple[float, int]:
        """Return the largest decrease of the sum of squares, and its candidate."""
        centre = known[1] / known[0]
        deviation = left[:, 1] - centre * left[:, 0]
        right = known[0] - left[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = deviation * deviation / left[:, 0] + deviation * deviation / right
        # The weight of a side may be lost in the difference of sums.
        is_lost = ~((left[:, 0] > 0) & (right > 0))
        gain = np.where(is_allowed, np.where(is_lost, 0.0, gain), -1.0)
        best = first_best(gain, TIE * abs(float(gain.max())))
        return float(gain[best]), best


def _in_order(part: Floats) -> Floats:
    """Return the sum of each row, added from the first column to the last."""
    sums = np.zeros(len(part))
    for j in range(part.shape[1]):
        sums = sums + part[:, j]
    return sums


def _side_weights(weight: float, n: float) -> Floats:
    """Return the weights of both sides after 0, 1, … n rows have moved to the left."""
    steps = np.full(int(n) + 1, weight)
    steps[0] = 0.0
    left = np.cumsum(steps)
    steps[0] = left[-1]
    return np.stack([left, np.subtract.accumulate(steps)])
