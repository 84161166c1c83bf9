"""The split of a node on a given column, scored as the dialect scores its own candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.criteria.entropy import entropy_bits
from penjing.data.table import Column, Floats
from penjing.errors import ChoiceError
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.force_syntax import ResolvedSplit, SplitRequest
from penjing.grow.recipe import Recipe
from penjing.grow.search import (
    NO_VALUES,
    Candidates,
    Choice,
    candidates,
    first_best,
    scores_together,
)
from penjing.i18n import Word
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Counts, Reader
from penjing.tree.forced import Step
from penjing.tree.split import NO_BRANCH, BestSplits, Split


@dataclass(frozen=True, slots=True)
class ForcedSplit:
    """A node by its path, as it was written or by steps, and the split that it is to have."""

    path: str
    request: SplitRequest
    steps: tuple[Step, ...] | None = None


def forced_choice(  # noqa: PLR0917 - what a split is scored by
    engine: Engine,
    tree: TreeStructure,
    node: int,
    wanted: ResolvedSplit,
    recipe: Recipe,
    best_splits: BestSplits,
    i: int,
    forced: ForcedSplit,
) -> Choice:
    """Return a split of a node on a given column, scored as the dialect scores it.

    The split that the recipe would have chosen is returned as it is, with its ties.

    Parameters
    ----------
    engine : Engine
        Counts the training rows.
    tree : TreeStructure
        The tree.
    node : int
        The node.
    wanted : ResolvedSplit
        The column, perhaps with its threshold or its groups.
    recipe : Recipe
        The recipe.
    best_splits : BestSplits
        The best split of each column, for nodes of which this is the one at position ``i``.
    i : int
        That position.
    forced : ForcedSplit
        The request, for messages.
    """
    counts = next(iter(engine.tally(tree, [node], [wanted.column]))).columns[wanted.column]
    split = _given_split(engine, wanted, counts) if wanted.is_explicit else None
    if split is not None and _n_branches_with_rows(split, engine, counts) < 2:
        raise _does_not_divide(engine, wanted, counts, forced)
    own = recipe.dialect.choose(best_splits, recipe)[i]
    if own.split is not None and own.split.column == wanted.column:
        if split is None:
            return own
        if _is_same_division(own.split, split, engine, counts):
            return replace(own, split=replace(own.split, cut=split.cut))
    if split is None:
        found = _only_column(best_splits, i, wanted.column, recipe)
        found = found or _best_of_column(engine, tree, node, wanted.column, recipe, counts)
        if found is None:
            raise _does_not_divide(engine, wanted, counts, forced)
        return Choice(found)
    scored = _only_column(best_splits, i, wanted.column, recipe)
    if scored is None or not _is_same_division(scored, split, engine, counts):
        scored = _scored_division(engine, tree, node, split, recipe, counts)
    return Choice(replace(split, gain=scored.gain, score=scored.score, missing=scored.missing))


def _given_split(engine: Engine, wanted: ResolvedSplit, counts: Counts) -> Split:
    """Return the split of given branches; categories in no group have a branch of their own."""
    if wanted.groups is None:
        return Split(wanted.column, wanted.cut, (), 0.0, 0.0)
    groups = list(wanted.groups)
    named = {int(code) for group in groups for code in group}
    if any(code not in named for code in counts.codes.tolist()):
        n_levels = len(engine.schema[wanted.column].levels)
        rest = [code for code in range(n_levels) if code not in named]
        groups.append(np.array(rest, np.int32))
    return Split(wanted.column, None, tuple(groups), 0.0, 0.0)


def _branches_of_codes(split: Split, engine: Engine, counts: Counts) -> npt.NDArray[np.int64]:
    """Return the branch of each code that the rows of a node have."""
    if split.cut is not None:
        if math.isinf(split.cut):
            return np.zeros(len(counts.codes), np.int64)
        field = engine.schema[split.column]
        values = (
            engine.level_values(split.column)[counts.codes]
            if field.is_numeric
            else counts.codes.astype(np.float64)
        )
        return (values > split.cut).astype(np.int64)
    branches = np.full(len(counts.codes), NO_BRANCH, np.int64)
    for branch, group in enumerate(split.groups):
        branches[np.isin(counts.codes, group)] = branch
    return branches


def _n_branches_with_rows(split: Split, engine: Engine, counts: Counts) -> int:
    branches = _branches_of_codes(split, engine, counts)
    has_weight = engine.reader.weight(counts.cells) > 0
    return len(set(branches[has_weight & (branches >= 0)].tolist()))


def _is_same_division(one: Split, other: Split, engine: Engine, counts: Counts) -> bool:
    """Whether two splits send the rows of a node to the same branches."""
    if (one.cut is None) != (other.cut is None) or one.n_branches != other.n_branches:
        return False
    first, second = (_branches_of_codes(split, engine, counts) for split in (one, other))
    return bool((first == second).all())


def _does_not_divide(
    engine: Engine, wanted: ResolvedSplit, counts: Counts, forced: ForcedSplit
) -> ChoiceError:
    """Return the error for a split that leaves all rows of a node in one branch."""
    field = engine.schema[wanted.column]
    values = {
        "column": field.name,
        "place": forced.path.strip() or Word("root"),
        "split": forced.request.split_text(),
    }
    if len(counts.codes) < 2:
        return ChoiceError("force_constant", **values)
    if field.is_numeric and wanted.cut is not None:
        numbers = engine.level_values(wanted.column)[counts.codes[[0, -1]]].tolist()
        return ChoiceError("force_outside", low=numbers[0], high=numbers[1], **values)
    return ChoiceError("force_one_branch", **values)


def _only_column(best_splits: BestSplits, i: int, column: int, recipe: Recipe) -> Split | None:
    """Return the best split of a column as the dialect would choose it among no others."""
    gain = np.full_like(best_splits.gain, np.nan)
    gain[i, column] = best_splits.gain[i, column]
    if np.isnan(gain[i, column]):
        return None
    choice = recipe.dialect.choose(replace(best_splits, gain=gain), recipe)[i]
    if choice.split is not None:
        return choice.split
    split = best_splits.split(i, column, 0.0, max(float(gain[i, column]), 0.0))
    missing = NO_BRANCH if best_splits.missing is None else int(best_splits.missing[i, column])
    return None if split.n_branches < 2 else replace(split, missing=missing)


def _best_of_column(  # noqa: PLR0917 - what a split is scored by
    engine: Engine,
    tree: TreeStructure,
    node: int,
    column: int,
    recipe: Recipe,
    counts: Counts,
) -> Split | None:
    """Return the best split of a column without the minimum sizes of the dialect, or by gain."""
    relaxed = without_limits(recipe)
    found = _only_column(engine.best_splits(tree, [node], relaxed), 0, column, relaxed)
    if found is None or _n_branches_with_rows(found, engine, counts) < 2:
        return _best_by_gain(engine, column, recipe, counts)
    return found


def without_limits(recipe: Recipe) -> Recipe:
    """Return a recipe without the minimum sizes of its dialect."""
    settings: dict[str, Any] = {}
    for stop in ("min_weight", "min_branch", "min_gain"):
        settings |= recipe.dialect.unlimited.get(stop, {})
    return recipe.but(**settings)


def _best_by_gain(engine: Engine, column: int, recipe: Recipe, counts: Counts) -> Split | None:
    """Return the split of a column with the largest gain by the criterion, 0 if need be."""
    s, field = engine.reader, engine.schema[column]
    has_weight = s.weight(counts.cells) > 0
    counts = replace(counts, codes=counts.codes[has_weight], cells=counts.cells[has_weight])
    if len(counts.codes) < 2:
        return None
    if recipe.options.orders_categories and not field.has_order:
        field = replace(field, kind="ordered")
    values = engine.level_values(column) if field.is_numeric else NO_VALUES
    shape = "multiway" if recipe.shape in ("multiway", "merged") else "binary"
    splits = candidates(counts, field, values, shape, s)
    if not len(splits.after):
        return None
    gains = _gains(recipe, counts, splits, s)
    best = first_best(gains, TIE * float(np.abs(gains).max()))
    gain, score = _score(recipe, splits.after[best], max(float(gains[best]), 0.0), s)
    if splits.cuts.size:
        return Split(column, float(splits.cuts[best]), (), gain, score)
    side = splits.sides[best]
    groups = tuple(counts.codes[side == b] for b in range(int(side.max()) + 1))
    return Split(column, None, groups, gain, score)


def _gains(recipe: Recipe, counts: Counts, splits: Candidates, s: Reader) -> Floats:
    return np.nan_to_num(scores_together(recipe.measure(), [(counts, splits)], s)[0])


def _score(recipe: Recipe, after: Floats, gain: float, s: Reader) -> tuple[float, float]:
    """Return gain and score of a split by the criterion of the recipe."""
    if recipe.criterion != "gain_ratio":
        return gain, gain
    bits = float(entropy_bits(s.weight(after)))
    return gain, gain / bits if bits > 0 else 0.0


def _scored_division(  # noqa: PLR0917 - what a split is scored by
    engine: Engine,
    tree: TreeStructure,
    node: int,
    split: Split,
    recipe: Recipe,
    counts: Counts,
) -> Split:
    """Return a split with the score that the dialect gives to its branches.

    The column is replaced by one whose values are the branches: that has one split only.
    """
    field = engine.schema[split.column]
    below = engine.engine_below(tree, node)
    codes = below.column_branches(split)
    name, n = field.name, split.n_branches
    if split.cut is None:
        column = Column(name, "nominal", tuple(f"group {b}" for b in range(n)), codes)
    else:
        column = Column(name, "numeric", np.arange(float(n)), codes)
    coded = below.with_column(split.column, column)
    builder = TreeBuilder(coded.reader)
    builder.set_totals([0], coded.totals(builder, [0]))
    relaxed = without_limits(recipe)
    if relaxed.shape == "merged":
        relaxed = replace(relaxed, shape="multiway")
    if relaxed.shape in ("binary", "one-level") and n > 2:
        raise ChoiceError("force_two_groups", column=name, n=n, recipe=recipe.name)
    found = _only_column(coded.best_splits(builder, [0], relaxed), 0, split.column, relaxed)
    if found is not None:
        return found
    branches = _branches_of_codes(split, engine, counts)
    after = np.stack([counts.cells[branches == b].sum(axis=0) for b in range(n)])
    gains = _gains(
        recipe, counts, Candidates(after[None], np.empty(0), branches[None]), engine.reader
    )
    gain, score = _score(recipe, after, max(float(gains[0]), 0.0), engine.reader)
    return replace(split, gain=gain, score=score)
