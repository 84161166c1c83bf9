"""The best candidate of one column, from its counts; and the choice between columns.

Inside a column every cut (ordered), the one division into all levels (multiway), or every
division into two groups (binary) is a candidate. Ties go to the lowest cut, or to the first
candidate; between columns to the first column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.criteria.criterion import Criterion, gains
from penjing.criteria.entropy import entropy_bits
from penjing.data.table import Codes, Field, Floats
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.split import Offers, Split, midpoints

NO_VALUES = np.empty(0)
"""The numbers of a column that has none."""
ALL_SUBSETS = 10
"""With more than two classes, all groupings of up to this many levels are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All divisions of one column in one node.

    Parameters
    ----------
    after : (candidates, branches, S)
        The sums of the branches.
    cuts : (candidates,) float64
        Where an ordered column is cut; empty for a nominal one.
    sides : (candidates, present) int8
        The branch of each level that is present, for groups of a nominal column.
    """

    after: Floats
    cuts: Floats
    sides: npt.NDArray[np.integer[Any]]


def candidates(counts: Counts, field: Field, values: Floats, shape: str, s: Reader) -> Candidates:
    """Return all divisions of a column that leave at least two branches with rows."""
    cells = counts.cells
    n = len(counts.codes)
    if field.has_order:
        below = np.cumsum(cells, axis=0)[:-1]
        after = np.stack([below, counts.known - below], axis=1)
        return Candidates(after, _cuts(counts, field, values), np.empty((0, n), np.int64))
    none = np.empty(0)
    if shape == "multiway":
        return Candidates(cells[None], none, np.arange(n)[None])
    order = _order(cells, s)
    if order is not None:
        rank = np.empty(n, np.intp)
        rank[order] = np.arange(n)
        sides = (rank[None] > np.arange(n - 1)[:, None]).view(np.int8)
        left = np.cumsum(cells[order], axis=0)[:-1]
    else:
        sides = _subsets(n)
        left = np.zeros((len(sides), s.size))
        by_turn = np.argsort((sides == 1).sum(axis=0), kind="stable")  # one by one: see `sums`
        for level in by_turn.tolist():
            left += (sides[:, level, None] == 0) * cells[level]
    return Candidates(np.stack([left, counts.known - left], axis=1), none, sides)


def with_missing_branch(counts: Counts, found: Candidates, s: Reader) -> tuple[Counts, Candidates]:
    """Return divisions in which rows without a value are a branch of their own, the last one.

    A column with one known level can still be asked whether a value is known: a cut at infinity.
    """
    if not s.weight(counts.missing) > 0:
        return counts, found
    cells = np.concatenate([counts.cells, counts.missing[None]])
    whole = Counts(np.append(counts.codes, np.int32(-1)), cells, np.zeros_like(counts.missing))
    if found.after.size and found.after.shape[1] > 1:
        shape = (len(found.after), 1, s.size)
        apart = np.broadcast_to(counts.missing, shape)
        return whole, Candidates(
            np.concatenate([found.after, apart], axis=1), found.cuts, found.sides
        )
    after = np.stack([counts.known, counts.missing])[None]
    return whole, Candidates(after, np.array([np.inf]), found.sides[:0])


def _cuts(counts: Counts, field: Field, values: Floats) -> Floats:
    codes = counts.codes
    if counts.spans is not None:
        return midpoints(counts.spans[:-1, 1], counts.spans[1:, 0])
    if not field.is_numeric:  # an ordered level: its position
        return codes[:-1].astype(np.float64)
    return midpoints(values[codes])


def _subsets(n: int) -> npt.NDArray[np.int8]:
    """Return every grouping of n levels into two, (candidates, levels)."""
    if n < 2:
        return np.empty((0, n), np.int8)
    numbers = np.arange(1, 2 ** (n - 1))  # the last level is always in group 1
    return (1 - ((numbers[:, None] >> np.arange(n)) & 1)).astype(np.int8)


def _order(cells: Floats, s: Reader) -> npt.NDArray[np.intp] | None:
    """Return the order of levels whose cuts are worth trying; None where every grouping is.

    Two classes, or a number: ordered by mean, the best grouping is a cut (Breiman et al. 1984,
    theorem 4.5), so all are covered. More classes: every grouping up to a number of levels,
    beyond it the cuts along the first principal component of the class shares (Coppersmith et
    al. 1999), a heuristic.
    """
    n = len(cells)
    if n < 2 or (isinstance(s, Classes) and s.n > 2 and n <= ALL_SUBSETS):
        return None
    if not isinstance(s, Classes):
        along = s.value(cells)
    elif s.n <= 2:
        along = cells[:, 0] / s.weight(cells)
    else:
        along = _core.along_principal(np.ascontiguousarray(cells, np.float64))
    return np.argsort(along, kind="stable")


def score(
    criterion: Criterion, counts: Counts, found: Candidates, recipe: Recipe, s: Reader
) -> Floats:
    """Return the gain of each candidate, NaN where it is not admissible."""
    if found.after.size == 0 or found.after.shape[1] < 2:
        return np.empty(0)
    known = counts.known
    gain = gains(criterion, known, found.after, s)
    weight = s.weight(known)
    share = weight / (weight + s.weight(counts.missing))
    heavy = (s.weight(found.after) >= recipe.min_branch) & (s.weight(found.after) > 0)
    return np.where(heavy.sum(axis=1) >= 2, gain * share, np.nan)


def first_best(scores: Floats, slack: float) -> int:
    """Return the first of the best scores, where scores within the slack count as equal."""
    return int(np.flatnonzero(scores >= np.nanmax(scores) - abs(slack))[0])


@dataclass(frozen=True, slots=True)
class Choice:
    """What a node chose: a split or none, and the columns that scored the same as the winner."""

    split: Split | None
    tied: tuple[int, ...] = ()


def choose(offers: Offers, criterion: Criterion) -> list[Choice]:
    """Choose between columns, for every node of a generation: best score, then first column."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = criterion.between(offers)
        scaling = np.where(offers.gain > 0, scores / offers.gain, 1.0)
    slack = TIE * np.abs(offers.impurity * scaling)
    chosen = []
    for i, row in enumerate(scores):
        if np.isnan(row).all():
            chosen.append(Choice(None))
            continue
        best = np.nanargmax(row)
        tied = np.flatnonzero(row + slack[i] >= row[best])
        c = int(tied[0])
        split = offers.split(i, c, float(row[c]))
        chosen.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return chosen


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.weight_of(node) < recipe.min_weight:
        return "min_weight"
    return None


def offers(engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
    told = engine.offers(tree, nodes, recipe)
    if told is not None:
        return told
    shape = (len(nodes), len(engine.schema))
    gain, information, impurity, cut = (np.full(shape, np.nan) for _ in range(4))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    criterion = recipe.measure()
    for i, tally in enumerate(engine.tally(tree, nodes)):
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            values = engine.level_values(c) if field.is_numeric else NO_VALUES
            found = candidates(counts, field, values, recipe.shape, engine.reader)
            whole = counts
            if recipe.missing == "branch":
                whole, found = with_missing_branch(counts, found, engine.reader)
            scored = score(criterion, whole, found, recipe, engine.reader)
            n_candidates[i, c] = (~np.isnan(scored)).sum()
            if not n_candidates[i, c]:
                continue
            scale = float(criterion.impurity(whole.known, engine.reader))
            best = first_best(scored, scale * TIE)
            gain[i, c] = scored[best]
            weights = engine.reader.weight(found.after[best])
            information[i, c] = entropy_bits(weights)
            impurity[i, c] = scale
            if found.cuts.size:
                cut[i, c] = found.cuts[best]
            else:
                side = found.sides[best]
                groups[i, c] = tuple(counts.codes[side == b] for b in range(side.max() + 1))
    made = Offers(gain, information, impurity, cut, n_candidates, groups)
    keep = getattr(engine, "keep_offers", None)  # an engine that goes on where it was lost
    if keep is not None:
        keep(nodes, made)
    return made
