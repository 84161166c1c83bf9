"""Routes for missing values: surrogate splits, or a branch of their own.

A surrogate is a split on another column that routes as many rows as possible like the primary
split. It is kept only if it does better than always taking the larger branch (Breiman et al. 1984,
5.3). The arithmetic is rpart's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from penjing.criteria.criterion import gains
from penjing.data.table import Field, Floats
from penjing.grow.dialect_options import SurrogateOptions
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.split import NO_BRANCH, Split, Surrogate, midpoint

MIN_ADJUSTED = 1e-10
"""The adjusted agreement of a surrogate must exceed this."""
MIN_ROWS = 2
"""The smallest number of rows in each branch of a surrogate."""


class TreeWithDepth(TreeStructure, Protocol):
    """The part of a tree that is needed to find routes for missing values."""

    def depth(self, node: int) -> int:
        """Return the number of splits above a node."""


def add_missing_routes(
    engine: Engine,
    builder: TreeWithDepth,
    nodes: Sequence[int],
    choices: Sequence[Choice],
    recipe: Recipe,
) -> list[Choice]:
    """Return the choices with surrogates or a branch for missing values, as the recipe says."""
    options = recipe.options.surrogates
    if recipe.missing == "branch":
        pairs = zip(nodes, choices, strict=True)
        return [
            _with_missing_branch(engine, builder, node, choice, recipe) for node, choice in pairs
        ]
    if options is None or recipe.missing != "surrogate" or not options.maxsurrogate:
        return list(choices)
    with_split = [(i, c.split) for i, c in enumerate(choices) if c.split is not None]
    completed = list(choices)
    splits = [split for _, split in with_split]
    tallies = engine.tally(builder, [nodes[i] for i, _ in with_split], by=splits)
    for (i, split), tally in zip(with_split, tallies, strict=True):
        zero_is_left = _zero_is_left(engine, builder, nodes[i], split)
        split_with_surrogates = _with_surrogates(
            split, tally.columns, engine, options, zero_is_left=zero_is_left
        )
        completed[i] = replace(choices[i], split=split_with_surrogates)
    return completed


def _with_missing_branch(
    engine: Engine, builder: TreeWithDepth, node: int, choice: Choice, recipe: Recipe
) -> Choice:
    """Return a choice that first separates missing values, where there are any.

    Both splits were scored as one, and their gain is divided between them. Where ``max_depth``
    allows one more level only, the node is split into known and missing values, if that gains
    anything.
    """
    split, s = choice.split, engine.reader
    if split is None:
        return choice
    tally = next(iter(engine.tally(builder, [node], [split.column])))
    counts = tally.columns[split.column]
    if not s.weight(counts.missing) > 0:
        return choice
    known_split = Split(split.column, math.inf, (), split.gain, split.score, missing=1)
    if split.cut is not None and math.isinf(split.cut):
        return replace(choice, split=known_split)
    parts = np.stack([counts.known, counts.missing])[None]
    gain = max(float(gains(recipe.measure(), tally.total, parts, s)[0]), 0.0)
    if split.gain - gain <= TIE * split.gain:  # the known values need no second split
        return replace(choice, split=replace(known_split, gain=gain))
    if recipe.max_depth is not None and builder.depth(node) + 2 > recipe.max_depth:
        return Choice(None) if gain <= 0 else replace(choice, split=replace(known_split, gain=gain))
    share = float(s.weight(counts.known) / s.weight(tally.total))
    then = replace(split, gain=max((split.gain - gain) / share, 0.0))
    return replace(choice, split=replace(known_split, gain=gain, then=then, whole=split.gain))


@dataclass(frozen=True, slots=True)
class _PrimaryBranches:
    """The weights of the two branches of the primary split."""

    weight: Floats
    is_left: tuple[int, int]
    """The branches that are rpart's left and right one."""


def _with_surrogates(
    split: Split,
    columns: object,
    engine: Engine,
    options: SurrogateOptions,
    *,
    zero_is_left: bool,
) -> Split:
    counts_of: dict[int, Counts] = dict(columns)  # type: ignore[call-overload]
    weight = counts_of.pop(split.column).cells[:, :2].sum(axis=0)
    primary = _PrimaryBranches(weight, (0, 1) if zero_is_left else (1, 0))
    surrogates = []
    for c, counts in counts_of.items():
        field = engine.schema[c]
        if len(counts.codes) == 0:
            continue
        if field.has_order:
            values = engine.level_values(c) if field.is_numeric else None
            surrogate = _by_cut(c, counts, values, primary, options)
        else:
            surrogate = _by_groups(c, counts, primary, options)
        if surrogate is not None:
            surrogates.append(surrogate)
    surrogates.sort(key=lambda s: -s.agreement)  # stable: ties go to the first column
    majority_branch = NO_BRANCH
    if options.usesurrogate == 2 and weight[0] != weight[1]:
        majority_branch = int(weight[1] > weight[0])
    return replace(
        split, surrogates=tuple(surrogates[: options.maxsurrogate]), missing=majority_branch
    )


def _by_cut(
    c: int,
    counts: Counts,
    values: Floats | None,
    primary: _PrimaryBranches,
    options: SurrogateOptions,
) -> Surrogate | None:
    """Return the threshold that agrees best with the split; None if none beats the majority."""
    cells = counts.cells[:, :2]
    rows = cells if counts.rows is None else counts.rows[:, :2]
    below, n_below = np.cumsum(cells, axis=0)[:-1], np.cumsum(rows.sum(axis=1))[:-1]
    total = cells.sum(axis=0)
    is_allowed = (n_below >= MIN_ROWS) & (rows.sum() - n_below >= MIN_ROWS)
    above = total - below
    agrees = np.stack([below[:, 0] + above[:, 1], below[:, 1] + above[:, 0]], axis=1)
    agrees[~is_allowed] = -1.0
    if not agrees.size or not agrees.max() > total.max():
        return None
    place, side = divmod(int(agrees.argmax()), 2)
    numbers = counts.codes.astype(np.float64) if values is None else values[counts.codes]
    cut = just_below(float(numbers[place]), float(numbers[place + 1]))
    agreement = _agreement(float(agrees.max()), total, primary, options)
    if agreement is None:
        return None
    return Surrogate(c, cut, side, (), *agreement, is_used=options.usesurrogate > 0)


def _by_groups(
    c: int, counts: Counts, primary: _PrimaryBranches, options: SurrogateOptions
) -> Surrogate | None:
    """Return the grouping that agrees best: each level takes its larger branch."""
    left, right = primary.is_left
    cells = counts.cells[:, :2]
    rows = cells if counts.rows is None else counts.rows[:, :2]
    total = cells.sum(axis=0)
    known = rows.sum(axis=1) > 0
    to_right = cells[:, left] < cells[:, right]
    if not total[left] > total[right]:
        to_right |= cells[:, left] == cells[:, right]
    side = np.where(to_right, right, left)
    agree = float(np.take_along_axis(cells, side[:, None], axis=1)[known].sum())
    # rpart requires two rows that agree and two that do not, instead of two in each branch.
    n_agreeing = float(np.take_along_axis(rows, side[:, None], axis=1)[known].sum())
    if n_agreeing < MIN_ROWS or rows[known].sum() - n_agreeing < MIN_ROWS:
        return None
    agreement = _agreement(agree, total, primary, options)
    if agreement is None:
        return None
    groups = tuple(counts.codes[known & (side == branch)] for branch in (0, 1))
    return Surrogate(c, None, 0, groups, *agreement, is_used=options.usesurrogate > 0)


def _agreement(
    agree: float, known_weight: Floats, primary: _PrimaryBranches, options: SurrogateOptions
) -> tuple[float, float] | None:
    """Return agreement and adjusted agreement; None if no better than the majority."""
    base = primary.weight if options.surrogatestyle == 0 else known_weight
    total = float(base.sum())
    agreement, majority = agree / total, float(base.max()) / total
    if majority == 1:
        return None
    adjusted = (agreement - majority) / (1.0 - majority)
    return (agreement, adjusted) if adjusted > MIN_ADJUSTED else None


def just_below(low: float, high: float) -> float:
    """Return the cut c for which value <= c means value < (low + high) / 2; at least ``low``.

    Examples
    --------
    >>> just_below(3.0, 7.0)
    4.999999999999999
    """
    return max(math.nextafter(midpoint(low, high), -math.inf), low)


def _zero_is_left(engine: Engine, builder: TreeWithDepth, node: int, split: Split) -> bool:
    """Whether branch 0 has the lower mean, which makes it rpart's left branch."""
    if split.cut is None:
        return True
    tally = next(engine.tally(builder, [node], [split.column]))
    counts = tally.columns[split.column]
    numbers = numbers_of(engine.schema[split.column], counts, engine, split.column)
    low = numbers <= split.cut
    below, above = counts.cells[low].sum(axis=0), counts.cells[~low].sum(axis=0)
    return mean(below, engine.reader) < mean(above, engine.reader)


def numbers_of(field: Field, counts: Counts, engine: Engine, c: int) -> Floats:
    """Return the values of the levels that are present; for ordered levels, their positions."""
    if field.is_numeric:
        return np.asarray(engine.level_values(c)[counts.codes])
    return counts.codes.astype(np.float64)


def mean(total: Floats, s: Reader) -> float:
    """Return the mean of the target; for classes, the mean class position by altered weight."""
    if not isinstance(s, Classes):
        return float(s.value(total))
    part = total * np.asarray(s.costs.altered) if s.costs else total
    weight = float(part.sum())
    if not weight:  # only classes with a prior of 0
        return math.nan
    return float((part * np.arange(s.n)).sum() / weight)
