"""Where missing values go: surrogates, the tests that best repeat a question on other columns.

A surrogate sends as many rows as possible the way that the question itself sends them; it is
kept only if it does better than sending all rows the way of the larger branch (Breiman et al.
1984, 5.3). The arithmetic is rpart's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from penjing.criteria.criterion import gains
from penjing.data.table import Field, Floats
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader
from penjing.tree.split import NO_BRANCH, Split, Surrogate, midpoint

NOTHING = 1e-10
"""A surrogate must better the majority by more than this."""
EACH_WAY = 2
"""A surrogate sends at least so many rows each way."""


@runtime_checkable
class SurrogateOptions(Protocol):
    """The settings of a dialect that looks for surrogates, by rpart's names."""

    @property
    def maxsurrogate(self) -> int:
        """The largest number of surrogates of a split."""

    @property
    def usesurrogate(self) -> int:
        """0: surrogates are only listed; 1: they route rows; 2: then the majority does."""

    @property
    def surrogatestyle(self) -> int:
        """0: agreement is a share of the rows the split knows; 1: of those that both know."""


def add_missing_routes(
    engine: Engine,
    growth: TreeBuilder,
    nodes: Sequence[int],
    choices: Sequence[Choice],
    recipe: Recipe,
) -> list[Choice]:
    """Return the choices with surrogates or an own branch, where the recipe asks for them."""
    options = recipe.options
    if recipe.missing == "branch":
        pairs = zip(nodes, choices, strict=True)
        return [_own_branch(engine, growth, node, choice, recipe) for node, choice in pairs]
    if (
        not isinstance(options, SurrogateOptions)
        or recipe.missing != "surrogate"
        or not options.maxsurrogate
    ):
        return list(choices)
    asking = [(i, c.split) for i, c in enumerate(choices) if c.split is not None]
    found = list(choices)
    splits = [split for _, split in asking]
    told = engine.tally(growth, [nodes[i] for i, _ in asking], by=splits)
    for (i, split), tally in zip(asking, told, strict=True):
        leans = _leans(engine, growth, nodes[i], split)
        settled = _settled(split, tally.columns, engine, options, leans=leans)
        found[i] = replace(choices[i], split=settled)
    return found


def _own_branch(
    engine: Engine, growth: TreeBuilder, node: int, choice: Choice, recipe: Recipe
) -> Choice:
    """Return a choice that asks first whether the value is known, where it is not always.

    Both questions were weighed as one, and share what they gain between them. Where the depth
    allows for one more only, that is whether the value is known, if that gains anything.
    """
    split, s = choice.split, engine.reader
    if split is None:
        return choice
    tally = next(iter(engine.tally(growth, [node], [split.column])))
    counts = tally.columns[split.column]
    if not s.weight(counts.missing) > 0:
        return choice
    known = Split(split.column, math.inf, (), split.gain, split.score, missing=1)
    if split.cut is not None and math.isinf(split.cut):
        return replace(choice, split=known)
    parts = np.stack([counts.known, counts.missing])[None]
    gain = max(float(gains(recipe.measure(), tally.total, parts, s)[0]), 0.0)
    if split.gain - gain <= TIE * split.gain:  # what is known needs no second question
        return replace(choice, split=replace(known, gain=gain))
    if recipe.max_depth is not None and growth.depth(node) + 2 > recipe.max_depth:
        return Choice(None) if gain <= 0 else replace(choice, split=replace(known, gain=gain))
    share = float(s.weight(counts.known) / s.weight(tally.total))
    then = replace(split, gain=max((split.gain - gain) / share, 0.0))
    return replace(choice, split=replace(known, gain=gain, then=then, whole=split.gain))


@dataclass(frozen=True, slots=True)
class _Sent:
    """The weights that a question itself sends to its two branches."""

    weight: Floats
    is_left: tuple[int, int]
    """Which branch is rpart's left one, which its right one."""


def _settled(
    split: Split,
    columns: object,
    engine: Engine,
    options: SurrogateOptions,
    *,
    leans: bool,
) -> Split:
    counted: dict[int, Counts] = dict(columns)  # type: ignore[call-overload]
    weight = counted.pop(split.column).cells[:, :2].sum(axis=0)
    sent = _Sent(weight, (0, 1) if leans else (1, 0))
    found = []
    for c, counts in counted.items():
        field = engine.schema[c]
        if len(counts.codes) == 0:
            continue
        if field.has_order:
            values = engine.level_values(c) if field.is_numeric else None
            surrogate = _by_cut(c, counts, values, sent, options)
        else:
            surrogate = _by_groups(c, counts, sent, options)
        if surrogate is not None:
            found.append(surrogate)
    found.sort(key=lambda s: -s.agreement)  # stable: of equal ones the first column
    last = NO_BRANCH
    if options.usesurrogate == 2 and weight[0] != weight[1]:
        last = int(weight[1] > weight[0])
    return replace(split, surrogates=tuple(found[: options.maxsurrogate]), missing=last)


def _by_cut(
    c: int, counts: Counts, values: Floats | None, sent: _Sent, options: SurrogateOptions
) -> Surrogate | None:
    """Return the cut that agrees best with the question, None if no cut betters the majority."""
    cells = counts.cells[:, :2]
    rows = cells if counts.rows is None else counts.rows[:, :2]
    below, n_below = np.cumsum(cells, axis=0)[:-1], np.cumsum(rows.sum(axis=1))[:-1]
    whole = cells.sum(axis=0)
    fair = (n_below >= EACH_WAY) & (rows.sum() - n_below >= EACH_WAY)
    above = whole - below
    agrees = np.stack([below[:, 0] + above[:, 1], below[:, 1] + above[:, 0]], axis=1)
    agrees[~fair] = -1.0
    if not agrees.size or not agrees.max() > whole.max():
        return None
    place, side = divmod(int(agrees.argmax()), 2)
    numbers = counts.codes.astype(np.float64) if values is None else values[counts.codes]
    cut = just_below(float(numbers[place]), float(numbers[place + 1]))
    told = _agreement(float(agrees.max()), whole, sent, options)
    if told is None:
        return None
    return Surrogate(c, cut, side, (), *told, is_used=options.usesurrogate > 0)


def _by_groups(c: int, counts: Counts, sent: _Sent, options: SurrogateOptions) -> Surrogate | None:
    """Return the grouping of levels that agrees best: each level to its larger side."""
    left, right = sent.is_left
    cells = counts.cells[:, :2]
    rows = cells if counts.rows is None else counts.rows[:, :2]
    whole = cells.sum(axis=0)
    known = rows.sum(axis=1) > 0
    to_right = cells[:, left] < cells[:, right]
    if not whole[left] > whole[right]:
        to_right |= cells[:, left] == cells[:, right]
    side = np.where(to_right, right, left)
    agree = float(np.take_along_axis(cells, side[:, None], axis=1)[known].sum())
    # "Two each way" is counted as two that agree and two that do not.
    rightly = float(np.take_along_axis(rows, side[:, None], axis=1)[known].sum())
    if rightly < EACH_WAY or rows[known].sum() - rightly < EACH_WAY:
        return None
    told = _agreement(agree, whole, sent, options)
    if told is None:
        return None
    groups = tuple(counts.codes[known & (side == branch)] for branch in (0, 1))
    return Surrogate(c, None, 0, groups, *told, is_used=options.usesurrogate > 0)


def _agreement(
    agree: float, whole: Floats, sent: _Sent, options: SurrogateOptions
) -> tuple[float, float] | None:
    """Return the share that agrees and how much of the rest beyond the majority that is."""
    of = sent.weight if options.surrogatestyle == 0 else whole
    total = float(of.sum())
    agreement, majority = agree / total, float(of.max()) / total
    if majority == 1:
        return None
    adjusted = (agreement - majority) / (1.0 - majority)
    return (agreement, adjusted) if adjusted > NOTHING else None


def just_below(low: float, high: float) -> float:
    """Return the cut c for which value <= c means value < (low + high) / 2; at least ``low``.

    Examples
    --------
    >>> just_below(3.0, 7.0)
    4.999999999999999
    """
    return max(math.nextafter(midpoint(low, high), -math.inf), low)


def _leans(engine: Engine, growth: TreeBuilder, node: int, split: Split) -> bool:
    """Whether branch 0 is the one of the lower mean: rpart's left."""
    if split.cut is None:
        return True
    tally = next(engine.tally(growth, [node], [split.column]))
    counts = tally.columns[split.column]
    numbers = numbers_of(engine.schema[split.column], counts, engine, split.column)
    low = numbers <= split.cut
    below, above = counts.cells[low].sum(axis=0), counts.cells[~low].sum(axis=0)
    return mean(below, engine.reader) < mean(above, engine.reader)


def numbers_of(field: Field, counts: Counts, engine: Engine, c: int) -> Floats:
    """Return the numbers of the levels that are present: values, or positions in the order."""
    if field.is_numeric:
        return np.asarray(engine.level_values(c)[counts.codes])
    return counts.codes.astype(np.float64)


def mean(total: Floats, s: Reader) -> float:
    """Return the mean number, or the mean position of the class by its altered weight."""
    if not isinstance(s, Classes):
        return float(s.value(total))
    part = total * np.asarray(s.costs.altered) if s.costs else total
    whole = float(part.sum())
    if not whole:  # only classes that count for nothing, by a prior of 0
        return math.nan
    return float((part * np.arange(s.n)).sum() / whole)
