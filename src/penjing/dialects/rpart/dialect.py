"""rpart's rules: gains as amounts, altered priors, groups in Gray-code order, complexity.

Improvements, ties and minimum sizes are those of rpart 4.1.19. The tree grows by generations
and is cut back by complexity at the end; since a node is left open only as long as its risk
allows a division to pay, this gives the tree that rpart grows depth first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Codes, Floats
from penjing.dialects.rpart.case_sums import Cases
from penjing.dialects.rpart.cp_table import complexities, cp_table
from penjing.dialects.rpart.options import RpartOptions
from penjing.errors import CapabilityError
from penjing.grow.engine import Engine, HasRows, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, first_best
from penjing.grow.surrogates import just_below, mean, numbers_of
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.nodes import Ids, Nodes
from penjing.tree.split import NO_BRANCH, Offers, snap_to_category
from penjing.tree.tree_data import TreeData

NOTHING = 1e-10
"""An improvement below this share of what there is to improve is rounding."""
MOST_LEVELS = 26
"""With more than two classes, groupings double with each level: beyond this they are refused."""
AT_ONCE = 1 << 14
"""How many groupings are scored at a time."""


def rpart_of(recipe: Recipe) -> RpartOptions:
    """Return rpart's own settings."""
    assert isinstance(recipe.options, RpartOptions)
    return recipe.options


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    options = rpart_of(recipe)
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.n_rows(node) < options.minsplit:
        return "min_weight"
    alpha = options.alpha if options.alpha is not None else options.cp * growth.loss_of(0)
    road = [node]
    while road[-1]:
        road.append(growth.parent_of(road[-1])[0])
    # What divisions below the parent can still pay for, its own having been paid.
    most = growth.loss_of(0)
    for above in reversed(road[1:]):
        most = min(growth.loss_of(above), most) - alpha
    return "complexity" if min(growth.loss_of(node), most) <= alpha else None


def offers(engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
    shape = (len(nodes), len(engine.schema))
    gain, cut = np.full(shape, np.nan), np.full(shape, np.nan)
    whole = np.zeros(shape)
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    s = engine.reader
    judge = Judge(s, recipe, n_present(engine.totals(tree, [0]).cells[0], s))
    for i, tally in enumerate(engine.tally(tree, nodes)):
        risk = float(s.loss(tally.total))
        rows = _rows_of(engine, tree, nodes[i], recipe)
        for c, all_counts in tally.columns.items():
            field, counts = engine.schema[c], _weighing(all_counts, s)
            if len(counts.codes) < 2:
                continue
            if rows is not None:
                found = rows.best(c, counts, judge.least, is_cut=field.has_order)
            elif field.has_order:
                found = judge.cuts(counts, risk)
            else:
                found = judge.groupings(counts, risk, field.name)
            n_candidates[i, c] = found.n
            if found.gain <= found.whole * NOTHING:
                continue
            gain[i, c], whole[i, c] = found.gain, found.whole
            if field.has_order:
                numbers = numbers_of(field, counts, engine, c)
                low, high = float(numbers[found.place]), float(numbers[found.place + 1])
                cut[i, c] = just_below(low, high)
            else:
                sides = found.sides if _is_left(counts, found.sides, s) else ~found.sides
                groups[i, c] = (counts.codes[sides], counts.codes[~sides])
    # Counts of rows are exact, and so are comparisons of what is computed from them; sums of
    # numbers are not, and two of the same size are taken for equal, unless rounded as rpart's.
    exact = gain if isinstance(s, Classes) or rpart_of(recipe).sums == "cases" else None
    none = np.full(shape, np.nan)
    return Offers(gain, none, whole, cut, n_candidates, groups, worth=exact)


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose: the greatest gain for its cost, then the first column."""
    cost = rpart_of(recipe).cost
    scores = offers.gain if cost is None else offers.gain / np.asarray(cost)
    slack = TIE * offers.impurity / (1.0 if cost is None else np.asarray(cost))
    chosen = []
    for i, row in enumerate(scores):
        if np.isnan(row).all():
            chosen.append(Choice(None))
            continue
        c = int(np.nanargmax(row))
        tied = np.flatnonzero(row + slack[i] >= row[c])
        if offers.worth is None:
            c = int(tied[0])
        split = offers.split(i, c, float(row[c]))
        chosen.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return chosen


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree cut back to its complexity, and the table of complexities."""
    options = rpart_of(recipe)
    about = dict(tree.about)
    s = engine.reader
    if isinstance(s, Classes) and s.costs is not None and options.has_costs:
        about["costs"] = s.costs.to_json()
    tree = replace(tree, about=about)
    risks = risks_of(tree, engine, recipe)
    risk = float(tree.losses[0]) if risks is None else risks[0]
    alpha = options.alpha if options.alpha is not None else options.cp * risk
    found = complexities(tree, alpha, risks)
    if found.cut:
        tree = tree.pruned(found.cut, why="complexity")
    if options.alpha is not None:  # a part of a cross-validation: rows still go as in growing
        return tree
    table = cp_table(tree, alpha, risks_of(tree, engine, recipe) if found.cut else risks)
    if tree.is_leaf[0]:  # what its splits would have saved, if any could be found
        table[0].cp = float(found.of[0])
    about = dict(tree.about) | {"cp_table": [row.to_json(risk) for row in table]}
    missing = _majority(tree, engine, options)
    return replace(tree, nodes=replace(_as_predicting(tree), missing=missing), about=about)


def _as_predicting(tree: TreeData) -> Nodes:
    """Return the nodes with the cuts of ordered categories by which a grown tree predicts."""
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

    Complexities that are equal but for the last bit are two rows of its table.
    """
    if rpart_of(recipe).sums == "exact" or not tree.is_regression:
        return None
    if not isinstance(engine, HasRows):
        raise CapabilityError("cases_need_rows")
    return [case_risk(engine, tree, node) for node in range(len(tree.nodes))]


def _majority(tree: TreeData, engine: Engine, options: RpartOptions) -> Ids | None:
    """Return where rows go that no surrogate sends on: to the child with more rows.

    While a tree grows they go with the greater weight of the rows that the question knows; once
    it is grown, rpart goes by the number of all rows, and stays where both children have as many.
    """
    found = np.full(len(tree.nodes), NO_BRANCH, np.int32)
    inner = np.flatnonzero(~tree.is_leaf)
    if options.usesurrogate < 2 or not inner.size:
        return None
    first = tree.first_child[inner]
    rows = _n_rows(tree, engine)
    left, right = rows[first], rows[first + 1]
    found[inner] = np.where(left > right, 0, np.where(right > left, 1, NO_BRANCH))
    return found if (found > NO_BRANCH).any() else None


def _n_rows(tree: TreeData, engine: Engine) -> Floats:
    """Return how many rows each node of a tree has that still sends them on as it grew."""
    if engine.totals(tree, [0]).rows is None:
        return tree.weight
    rows = engine.totals(tree, range(len(tree.nodes))).rows
    assert rows is not None
    return rows


def importance(tree: TreeData) -> dict[str, float]:
    """Return how much each column helped: its own gains, and a part of those it stands in for."""
    found: dict[int, float] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        gain = float(tree.nodes.score[node])
        if tree.is_regression:
            gain *= float(tree.losses[node])
        asked = int(tree.nodes.column[node])
        found[asked] = found.get(asked, 0.0) + gain
        for stand_in in tree.nodes.surrogates.get(node, ()):
            part = gain * stand_in.adjusted
            found[stand_in.column] = found.get(stand_in.column, 0.0) + part
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return {tree.schema[c].name: value for c, value in ranked}


def n_present(total: Floats, s: Reader) -> int:
    """Return how many classes rpart sees: up to the last that occurs; 0 for a number."""
    if isinstance(s, Classes) and s.costs is not None and s.costs.n_seen:
        return s.costs.n_seen
    return int(np.flatnonzero(total)[-1]) + 1 if isinstance(s, Classes) and total.any() else 0


def _weighing(counts: Counts, s: Reader) -> Counts:
    """Return the counts of the levels that have a row of some weight; only these are divided."""
    if counts.rows is None or (some := s.weight(counts.rows) > 0).all():
        return counts
    cells, rows = counts.cells[some], counts.rows[some]
    return replace(counts, codes=counts.codes[some], cells=cells, rows=rows)


def _is_left(counts: Counts, sides: npt.NDArray[np.bool_], s: Reader) -> bool:
    """Whether a group of levels has the lower mean: rpart's left side."""
    left, right = counts.cells[sides].sum(axis=0), counts.cells[~sides].sum(axis=0)
    if isinstance(s, Classes):
        return mean(left, s) < mean(right, s)
    return not mean(left, s) > mean(right, s)


class Found:
    """The best division of one column in one node."""

    __slots__ = ("gain", "n", "place", "sides", "whole")

    def __init__(self, gain: float, whole: float, n: int) -> None:
        self.gain, self.whole, self.n = gain, whole, n
        self.place = 0
        self.sides = np.empty(0, bool)


class ByRows:
    """Scores divisions of a node's numbers, row after row."""

    def __init__(self, engine: HasRows, tree: TreeStructure, node: int) -> None:
        self._engine, self._tree, self._node = engine, tree, node
        self._risk = case_risk(engine, tree, node)

    def best(self, c: int, counts: Counts, least: int, *, is_cut: bool) -> Found:
        """Return the best division of a column; of equal ones the first."""
        known = Cases(*self._engine.cases(self._tree, self._node, c)).known
        place, sides = 0, np.empty(0, bool)
        if is_cut:
            gain, code = known.best_cut(least)
            place = int(np.searchsorted(counts.codes, code))
        else:
            gain, sides = known.best_groups(counts.codes, least)
        found = Found(gain / self._risk if self._risk > 0 else 0.0, 1.0, len(counts.codes) - 1)
        found.place, found.sides = place, sides
        return found


def case_risk(engine: HasRows, tree: TreeStructure, node: int) -> float:
    """Return the squares of a node about its mean, row after row."""
    # The root is weighed before rows are sorted, other nodes in the order of the first column.
    return Cases(*engine.cases(tree, node, 0 if node else None)).squares


def _rows_of(engine: Engine, tree: TreeStructure, node: int, recipe: Recipe) -> ByRows | None:
    """Return what adds up rows one by one, if it is to be so."""
    if rpart_of(recipe).sums == "exact" or isinstance(engine.reader, Classes):
        return None
    if not isinstance(engine, HasRows):
        raise CapabilityError("cases_need_rows")
    return ByRows(engine, tree, node)


class Judge:
    """Scores divisions of a column as rpart does, sum after sum in its order."""

    def __init__(self, s: Reader, recipe: Recipe, n_classes: int) -> None:
        self._s = s
        self._alike = 1.0
        """The altered prior that all classes share: one, or one but for the last bit."""
        self.least = rpart_of(recipe).least
        self._n_classes = n_classes
        self._altered = np.ones(n_classes)
        if isinstance(s, Classes) and s.costs is not None:
            altered = np.asarray(s.costs.altered)[:n_classes]
            present = np.unique(altered[altered > 0])
            self._alike = float(present[0]) if len(present) == 1 else 1.0
            if rpart_of(recipe).has_costs or self._alike != 1.0:
                self._altered = altered
        self._bits = recipe.measure().name != "gini"

    def cuts(self, counts: Counts, risk: float) -> Found:
        """Return the best cut between neighbours; of equal ones the lowest."""
        below = np.cumsum(counts.cells, axis=0)[:-1]
        rows = np.cumsum(self._rows(counts))
        known = counts.known
        weights = None
        if self._is_off(counts):
            weights = _added(self._alike, rows[-1])[:, rows[:-1].astype(np.intp)]
        found, best = self._best(below, rows, known, risk, weights)
        found.place = best
        return found

    def _is_off(self, counts: Counts) -> bool:
        """Whether weights have to be added up row by row, to be rounded as rpart's are."""
        return self._alike != 1.0 and counts.rows is None

    def groupings(self, counts: Counts, risk: float, name: str) -> Found:
        """Return the best division of the levels into two groups; of equal ones the first."""
        if self._n_classes > 2:
            return self._any_groups(counts, risk, name)
        order = np.argsort(self._along(counts), kind="stable")
        below = np.cumsum(counts.cells[order], axis=0)[:-1]
        rows = np.cumsum(self._rows(counts)[order])
        found, best = self._best(below, rows, counts.known, risk)
        found.sides = np.zeros(len(order), bool)
        found.sides[order[: best + 1]] = True
        return found

    def _any_groups(self, counts: Counts, risk: float, name: str) -> Found:
        """Try all groupings, each differing from the one before by one level."""
        n = len(counts.codes)
        if n > MOST_LEVELS:
            raise CapabilityError("too_many_levels", column=name, n=n, most=MOST_LEVELS)
        rows = self._rows(counts)
        kept: Found | None = None
        for start in range(1, 1 << (n - 1), AT_ONCE):
            steps = np.arange(start, min(start + AT_ONCE, 1 << (n - 1)))
            sides = ((steps ^ (steps >> 1))[:, None] >> np.arange(n)) & 1
            part = sides.astype(np.float64)
            n_left = np.append(part @ rows, rows.sum())
            found, best = self._best(part @ counts.cells, n_left, counts.known, risk)
            if kept is None or found.gain > kept.gain:
                found.sides = sides[best].astype(bool)
                found.n += kept.n if kept else 0
                kept = found
        assert kept is not None
        return kept

    def _rows(self, counts: Counts) -> Floats:
        if counts.rows is None:
            return self._s.weight(counts.cells)
        return self._s.weight(counts.rows)

    def _along(self, counts: Counts) -> Floats:
        """Return by what levels are put in order: share of the first class, or mean."""
        if not isinstance(self._s, Classes):
            return self._s.value(counts.cells)
        weight = (counts.cells[:, : self._n_classes] * self._altered).sum(axis=1)
        return np.asarray(counts.cells[:, 0] / weight)

    def _best(
        self,
        left: Floats,
        rows: Floats,
        known: Floats,
        risk: float,
        weights: Floats | None = None,
    ) -> tuple[Found, int]:
        """Return the gain of the best candidate, and which it is.

        ``rows`` says how many rows are on the left of each candidate, and at last how many there
        are in all; ``weights`` what both sides weigh, where that is not the sum of their parts.
        """
        n_left, n = rows[:-1], float(rows[-1])
        fair = (n_left >= self.least) & (n - n_left >= self.least)
        if isinstance(self._s, Classes):
            all_left = None if weights is None else _added(self._alike, n)[:, [-1]]
            whole = float(self._mixed(known[None], np.zeros((1, len(known))), all_left)[0])
            mixed = self._mixed(left, known - left, weights)
            mixed[~fair] = np.inf
            best = int(mixed.argmin())
            gain = whole - float(mixed[best])
        else:
            gain, best = self._squares(left, known, fair)
            gain, whole = (gain / risk, 1.0) if risk > 0 else (0.0, 1.0)
        gain = gain if fair[best] else 0.0
        return Found(gain, whole, int(fair.sum())), best

    def _mixed(self, left: Floats, right: Floats, weights: Floats | None = None) -> Floats:
        """Return the impurity of both sides, each times its weight, class after class."""
        found = np.zeros(len(left))
        a = self._altered
        parts = [side[:, : self._n_classes] * a for side in (left, right)]
        weights = np.stack([_in_order(part) for part in parts]) if weights is None else weights
        with np.errstate(divide="ignore", invalid="ignore"):
            for j in range(self._n_classes):
                for part, weight in zip(parts, weights, strict=True):
                    p = part[:, j] / weight
                    if self._bits:
                        impure = np.where(p > 0, -p * _core.logs(np.where(p > 0, p, 1.0)), 0.0)
                    else:
                        impure = p * (1.0 - p)
                    found += np.where(part.any(axis=1), weight * impure, 0.0)
        return found

    def _squares(
        self, left: Floats, known: Floats, fair: npt.NDArray[np.bool_]
    ) -> tuple[float, int]:
        """Return the largest decrease of the sum of squares, and of which candidate it is."""
        centre = known[1] / known[0]
        off = left[:, 1] - centre * left[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = off * off / left[:, 0] + off * off / (known[0] - left[:, 0])
        gain = np.where(fair, gain, -1.0)
        best = first_best(gain, TIE * abs(float(gain.max())))
        return float(gain[best]), best


def _in_order(part: Floats) -> Floats:
    """Return the sums of rows, added from the first column to the last."""
    found = np.zeros(len(part))
    for j in range(part.shape[1]):
        found = found + part[:, j]
    return found


def _added(weight: float, n: float) -> Floats:
    """Return what the left and the right side weigh after 0, 1, … n rows have changed sides."""
    steps = np.full(int(n) + 1, weight)
    steps[0] = 0.0
    left = np.cumsum(steps)
    steps[0] = left[-1]
    return np.stack([left, np.subtract.accumulate(steps)])
