"""Search for the best split: the best candidate of each column, then the best column.

The candidates of a column are all thresholds (ordered), the one split into all levels (multiway),
or all splits into two groups of levels (binary). Within a column ties go to the lowest threshold or
the first candidate, between columns to the first column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.criteria.criterion import Criterion, impurity_decrease
from penjing.criteria.entropy import entropy_bits
from penjing.data.table import Codes, Field, Floats
from penjing.grow.constraints import limits_of
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.split import BestSplits, Split, midpoints

NO_VALUES = np.empty(0)
"""The values of a column without numbers."""
SCORED_AT_ONCE = 20_000
"""About this many candidates are scored together."""
ALL_SUBSETS = 10
"""With more than two classes, all groupings of up to this many levels are candidates."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All candidate splits of one column in one node.

    Parameters
    ----------
    after : (candidates, branches, S)
        The sums of the branches.
    cuts : (candidates,) float64
        The thresholds of an ordered column; empty for a categorical one.
    sides : (candidates, present) int8
        The branch of each level that is present, for a categorical column.
    """

    after: Floats
    cuts: Floats
    sides: npt.NDArray[np.integer[Any]]


def candidates(counts: Counts, field: Field, values: Floats, shape: str, s: Reader) -> Candidates:
    """Return all splits of a column that leave at least two branches with rows."""
    cells = counts.cells
    n = len(counts.codes)
    if field.has_order:
        after = _two_branches(np.cumsum(cells, axis=0)[:-1], counts.known)
        return Candidates(after, _cuts(counts, field, values), np.empty((0, n), np.int64))
    none = np.empty(0)
    if shape == "multiway":
        return Candidates(cells[None], none, np.arange(n)[None])
    order = _prefix_order(cells, s)
    if order is not None:
        rank = np.empty(n, np.intp)
        rank[order] = np.arange(n)
        sides = (rank[None] > np.arange(n - 1)[:, None]).view(np.int8)
        left = np.cumsum(cells[order], axis=0)[:-1]
    else:
        sides = _subsets(n)
        left = np.zeros((len(sides), s.size))
        # Levels are added in a fixed order, hence with fixed rounding.
        level_order = np.argsort((sides == 1).sum(axis=0), kind="stable")
        for level in level_order.tolist():
            left += (sides[:, level, None] == 0) * cells[level]
    return Candidates(_two_branches(left, counts.known), none, sides)


def _two_branches(first: Floats, known: Floats) -> Floats:
    """Return the sums of both branches, from those of the first."""
    after = np.empty((len(first), 2, first.shape[1]))
    after[:, 0] = first
    np.subtract(known, first, out=after[:, 1])
    return after


def with_missing_branch(
    counts: Counts, known_splits: Candidates, s: Reader
) -> tuple[Counts, Candidates]:
    """Return candidates in which missing values have a branch of their own, the last one.

    A column with one known level still has the split into known and missing values: a threshold
    at infinity.
    """
    if not s.weight(counts.missing) > 0:
        return counts, known_splits
    cells = np.concatenate([counts.cells, counts.missing[None]])
    all_counts = Counts(np.append(counts.codes, np.int32(-1)), cells, np.zeros_like(counts.missing))
    if known_splits.after.size and known_splits.after.shape[1] > 1:
        shape = (len(known_splits.after), 1, s.size)
        missing_branch = np.broadcast_to(counts.missing, shape)
        return all_counts, Candidates(
            np.concatenate([known_splits.after, missing_branch], axis=1),
            known_splits.cuts,
            known_splits.sides,
        )
    after = np.stack([counts.known, counts.missing])[None]
    return all_counts, Candidates(after, np.array([np.inf]), known_splits.sides[:0])


def _cuts(counts: Counts, field: Field, values: Floats) -> Floats:
    codes = counts.codes
    if counts.spans is not None:
        return midpoints(counts.spans[:-1, 1], counts.spans[1:, 0])
    if not field.is_numeric:  # the position of an ordered level
        return codes[:-1].astype(np.float64)
    return midpoints(values[codes])


def _subsets(n: int) -> npt.NDArray[np.int8]:
    """Return every grouping of n levels into two, (candidates, levels)."""
    if n < 2:
        return np.empty((0, n), np.int8)
    numbers = np.arange(1, 2 ** (n - 1))  # the last level is always in group 1
    return (1 - ((numbers[:, None] >> np.arange(n)) & 1)).astype(np.int8)


def _prefix_order(cells: Floats, s: Reader) -> npt.NDArray[np.intp] | None:
    """Return the order of levels whose prefixes are the candidates; None to try every grouping.

    For two classes or regression, ordered by mean, the best grouping is a prefix (Breiman et al.
    1984, theorem 4.5), so the search is complete. For more classes every grouping is tried up to
    `ALL_SUBSETS` levels; beyond it the prefixes along the first principal component of the class
    shares (Coppersmith et al. 1999), a heuristic.
    """
    n = len(cells)
    if n < 2 or (isinstance(s, Classes) and s.n > 2 and n <= ALL_SUBSETS):
        return None
    if isinstance(s, Classes) and s.n > 2:
        key = _core.principal_coordinates(np.ascontiguousarray(cells, np.float64))
    else:
        with np.errstate(invalid="ignore"):  # levels whose rows weigh nothing come last
            key = cells[:, 0] / s.weight(cells) if isinstance(s, Classes) else s.value(cells)
    return np.argsort(key, kind="stable")


def score(
    criterion: Criterion, counts: Counts, splits: Candidates, recipe: Recipe, s: Reader
) -> Floats:
    """Return the gain of each candidate, NaN where it is not admissible."""
    return scores_together(criterion, [(counts, splits)], s, recipe.min_branch)[0]


ScoredColumns = Sequence[tuple[Counts, Candidates]]
"""The counts of columns, and their candidates."""


def scores_together(
    criterion: Criterion, columns: ScoredColumns, s: Reader, min_branch: float | None = None
) -> list[Floats]:
    """Return, for each column, the gain of each candidate, times the share of known rows.

    Candidates with equally many branches are scored together, about `SCORED_AT_ONCE` at a time.

    Parameters
    ----------
    criterion : Criterion
        Provides the impurity.
    columns : sequence of (Counts, Candidates)
        The columns.
    s : Reader
        Interprets the sums.
    min_branch : float, optional
        The weight that two branches must have, or the candidate is not admissible (NaN).
    """
    found = [np.empty(0)] * len(columns)
    open_batches: dict[int, list[int]] = {}
    n_candidates: dict[int, int] = {}
    full_batches = []
    for i, (_, splits) in enumerate(columns):
        if not splits.after.size or (n_branches := splits.after.shape[1]) < 2:
            continue
        open_batches.setdefault(n_branches, []).append(i)
        n_candidates[n_branches] = n_candidates.get(n_branches, 0) + len(splits.after)
        if n_candidates[n_branches] >= SCORED_AT_ONCE:
            full_batches.append(open_batches.pop(n_branches))
            n_candidates[n_branches] = 0
    for batch in (*full_batches, *open_batches.values()):
        scored = _score_batch(criterion, [columns[i] for i in batch], s, min_branch)
        for i, part in zip(batch, scored, strict=True):
            found[i] = part
    return found


def _score_batch(
    criterion: Criterion, columns: ScoredColumns, s: Reader, min_branch: float | None
) -> list[Floats]:
    """Return the scores of columns whose candidates have equally many branches."""
    after = np.concatenate([splits.after for _, splits in columns])
    known = np.stack([counts.known for counts, _ in columns])
    weight, part_weight = s.weight(known), s.weight(after)
    share = weight / (weight + s.weight(np.stack([counts.missing for counts, _ in columns])))
    sizes = [len(splits.after) for _, splits in columns]
    column = np.repeat(np.arange(len(columns)), sizes)
    before = np.asarray(criterion.impurity(known, s))[column]
    parts = criterion.impurity(after, s)
    scored = impurity_decrease(before, weight[column], parts, part_weight) * share[column]
    if min_branch is not None:
        is_large = (part_weight >= min_branch) & (part_weight > 0)
        scored = np.where(is_large.sum(axis=1) >= 2, scored, np.nan)
    ends = np.cumsum(sizes).tolist()
    return [scored[first:last] for first, last in zip([0, *ends[:-1]], ends, strict=True)]


def first_best(scores: Floats, slack: float) -> int:
    """Return the first of the best scores; scores within the slack tie."""
    return int((scores >= np.fmax.reduce(scores) - abs(slack)).argmax())


@dataclass(frozen=True, slots=True)
class Choice:
    """The split chosen for a node, if any, and the columns that tie with it."""

    split: Split | None
    tied: tuple[int, ...] = ()


def choose(best_splits: BestSplits, criterion: Criterion) -> list[Choice]:
    """Choose the column of every node of a generation: the best score, then the first column."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = criterion.between(best_splits)
        scaling = np.where(best_splits.gain > 0, scores / best_splits.gain, 1.0)
    slack = TIE * np.abs(best_splits.impurity * scaling)
    chosen = []
    for i, row in enumerate(scores):
        if np.isnan(row).all():
            chosen.append(Choice(None))
            continue
        best = np.nanargmax(row)
        tied = np.flatnonzero(row + slack[i] >= row[best])
        c = int(tied[0])
        split = best_splits.split(i, c, float(row[c]))
        chosen.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return chosen


def stops(builder: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any split is searched, None if it is not."""
    if builder.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and builder.depth(node) >= recipe.max_depth:
        return "max_depth"
    if builder.weight_of(node) < recipe.min_weight:
        return "min_weight"
    return None


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best candidate split of each column in each node, from tallies."""
    shape = (len(nodes), len(engine.schema))
    gain, information, impurity, cut = (np.full(shape, np.nan) for _ in range(4))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    criterion = recipe.measure()
    limits = limits_of(engine, tree, nodes, recipe)
    for i, tally in enumerate(engine.tally(tree, nodes)):
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            values = engine.level_values(c) if field.is_numeric else NO_VALUES
            splits = candidates(counts, field, values, recipe.shape, engine.reader)
            all_counts = counts
            if recipe.missing == "branch":
                all_counts, splits = with_missing_branch(counts, splits, engine.reader)
            scored = score(criterion, all_counts, splits, recipe, engine.reader)
            if limits is not None and scored.size:
                scored[limits[i].refused(c, splits.after[:, 0], splits.after[:, 1])] = np.nan
            n_candidates[i, c] = (~np.isnan(scored)).sum()
            if not n_candidates[i, c]:
                continue
            scale = float(criterion.impurity(all_counts.known, engine.reader))
            best = first_best(scored, scale * TIE)
            gain[i, c] = scored[best]
            weights = engine.reader.weight(splits.after[best])
            information[i, c] = entropy_bits(weights)
            impurity[i, c] = scale
            if splits.cuts.size:
                cut[i, c] = splits.cuts[best]
            else:
                side = splits.sides[best]
                groups[i, c] = tuple(counts.codes[side == b] for b in range(side.max() + 1))
    return BestSplits(gain, information, impurity, cut, n_candidates, groups, limits=limits)
