"""How C4.5 release 8 and J48 split, stop and prune; they differ in tolerances."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.dialects.c45.category_merging import CategoricalColumn, merge_levels
from penjing.dialects.c45.information import double, gain, in_order, information, n_log_n, rounding
from penjing.dialects.c45.options import C45Options
from penjing.errors import CapabilityError
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, Choice
from penjing.prune import collapse, error_based
from penjing.prune.decisions import Decision
from penjing.prune.editable_tree import majority
from penjing.prune.renumber import (
    NodeMapping,
    carry_trace,
    decisions_to_json,
    map_nodes,
    renumber_decisions,
)
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Counts
from penjing.tree.split import BestSplits, midpoint
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class BestSplit:
    """The best split of one column in one node; its gain is None if there is none."""

    gain: float | None = None
    information: float = 0.0
    cut: float = np.nan
    groups: tuple[Codes, ...] = ()
    n_candidates: int = 0


NO_SPLIT = BestSplit()


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is tried, None if it is not."""
    options = _options(recipe)
    recipe = _with_reduced_minimum(growth, recipe)
    total = growth.total(node)
    round_ = rounding(options.precision)
    weight = float(in_order(total, round_))
    if weight - float(total.max()) <= options.tolerance:
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if weight < max(2 * recipe.min_branch, recipe.min_weight) - options.tolerance:
        return "min_weight"
    return None


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    options = _options(recipe)
    reason = options.untraceable(recipe.shape)
    if reason is not None and (options.sums == "cases" or not isinstance(tree, TreeBuilder)):
        raise CapabilityError(reason)
    shape = (len(nodes), len(engine.schema))
    gain_, information_, cut, cut_cost = (np.full(shape, np.nan) for _ in range(4))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    s = engine.reader
    for i, tally in enumerate(engine.tally(tree, nodes)):
        weight = float(in_order(tally.total, rounding(options.precision)))
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            recipe = _with_reduced_minimum(tree, recipe)
            if field.has_order:
                values = engine.level_values(c) if field.is_numeric else NO_VALUES
                best = best_cut(counts, weight, field, values, recipe)
            else:
                best = best_groups(counts, weight, field, recipe)
            if _reduces_minimum(counts, field, recipe) and isinstance(tree, TreeBuilder):
                _REDUCED_MINIMUM.add(tree)
            n_candidates[i, c] = best.n_candidates
            if best.gain is None:
                continue
            gain_[i, c], information_[i, c], cut[i, c] = best.gain, best.information, best.cut
            if field.has_order:
                weight_of_all = float(s.weight(counts.known) + s.weight(counts.missing))
                cut_cost[i, c] = math.log2(best.n_candidates) / weight_of_all
            if best.groups:
                groups[i, c] = best.groups
    counted = np.array(options.in_average(engine.schema, tree.weight_of(0)), bool)
    # The impurity is used only as a scale of rounding errors; gains are a few bits, so it is 1.
    return BestSplits(
        gain_, information_, np.ones(shape), cut, n_candidates, groups, counted=counted,
        cut_cost=cut_cost if options.cut_cost else None,
    )  # fmt: skip


_REDUCED_MINIMUM: WeakSet[TreeBuilder] = WeakSet()
"""The growing trees in which C4.5's minimum has fallen to 1, see `C45Options.minimum_slips`."""


def _reduces_minimum(counts: Counts, field: Field, recipe: Recipe) -> bool:
    """Return whether the minimum falls to 1 after a column of a node, as in C4.5 -s."""
    is_merged = recipe.shape == "merged" and len(field.levels) > 2 and not field.has_order
    return _options(recipe).minimum_slips and is_merged and not counts.known.any()


def _with_reduced_minimum(tree: TreeStructure, recipe: Recipe) -> Recipe:
    """Return the recipe, with a minimum of 1 if the minimum of this tree has fallen to that."""
    has_fallen = isinstance(tree, TreeBuilder) and tree in _REDUCED_MINIMUM
    if _options(recipe).minimum_slips and has_fallen and recipe.min_branch > 1:
        return replace(recipe, min_branch=1.0)
    return recipe


def best_cut(
    counts: Counts, weight: float, field: Field, values: Floats, recipe: Recipe
) -> BestSplit:
    """Return the threshold of the largest gain, less the cost of encoding the threshold."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    known = float(round_(in_order(counts.known, double)))
    numbers = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    numbers = round_(numbers)
    if len(numbers) < 2 or known < 2 * recipe.min_branch - options.tolerance:
        return NO_SPLIT
    min_side = float(round_(np.asarray(options.side_share * known / counts.cells.shape[1])))
    if min_side <= recipe.min_branch + options.tolerance:
        min_side = recipe.min_branch
    elif min_side > options.side_most + options.tolerance:
        min_side = options.side_most
    left = _cumulative(counts.cells, options)
    left_weight = _cumulative(in_order(counts.cells, round_), options)
    has_gap = numbers[:-1] < numbers[1:] - options.gap
    is_heavy = (left_weight >= min_side - options.tolerance) & (
        left_weight <= round_(np.asarray(known - min_side)) + options.tolerance
    )
    candidates = np.flatnonzero(has_gap & is_heavy)
    if not candidates.size:
        return NO_SPLIT
    parts = np.stack([left[candidates], round_(counts.known - left[candidates])], axis=1)
    before = round_(information(counts.known, round_, options.tolerance) / known)
    missing_share = float(round_(np.asarray(1 - float(round_(np.asarray(known / weight))))))
    gains = _gain(parts, before, missing_share, options)
    cost = math.log2(len(candidates)) / weight if options.cut_cost else 0.0
    gains = round_(gains - float(round_(np.asarray(cost)))) if options.tolerance == 0 else gains
    best = last_improvement(gains, 0.0, options.tie)
    if best is None:
        return BestSplit(n_candidates=len(candidates))
    net_gain = float(gains[best]) - (cost if options.tolerance else 0.0)
    if net_gain <= options.tolerance:
        return BestSplit(n_candidates=len(candidates))
    position = int(candidates[best])
    right_weight = float(round_(np.asarray(known - left_weight[position])))
    sides = np.array([weight - known, left_weight[position], right_weight])
    split_bits = float(round_(information(sides, round_, options.tolerance) / weight))
    cut = float(counts.codes[position])
    if field.is_numeric:
        low, high = values[counts.codes[position : position + 2]]
        cut = cut_position(float(low), float(high), values, options)
    return BestSplit(net_gain, split_bits, cut, n_candidates=len(candidates))


def _cumulative(cells: Floats, options: C45Options) -> Floats:
    """Return the sums up to each level but the last, added one after the other."""
    if options.precision == "double":
        return np.cumsum(cells, axis=0)[:-1]
    return np.cumsum(cells.astype(np.float32), axis=0, dtype=np.float32)[:-1].astype(np.float64)


def _gain(parts: Floats, before: Floats, missing_share: float, options: C45Options) -> Floats:
    gains = gain(parts, before, missing_share, rounding(options.precision), options.tolerance)
    if options.tolerance == 0:
        return gains
    known = in_order(parts[0].ravel(), double)
    return np.where(np.abs(gains * known) <= options.tolerance, 0.0, gains)


def last_improvement(scores: Floats, start: float, tolerance: float) -> int | None:
    """Return the index of the last score that exceeded the best before it by the tolerance.

    None if none exceeded ``start``.

    Examples
    --------
    >>> last_improvement(np.array([0.3, 0.3000005, 0.2, 0.4]), 0.0, 1e-6)
    3
    >>> last_improvement(np.array([0.3, 0.3000005, 0.2]), 0.0, 1e-6)
    0
    """
    best, index = start, -1
    while (better := np.flatnonzero(scores[index + 1 :] - best > tolerance)).size:
        index += 1 + int(better[0]) if tolerance else 1 + int(np.nanargmax(scores[index + 1 :]))
        best = float(scores[index])
    return None if index < 0 else index


def cut_position(low: float, high: float, values: Floats, options: C45Options) -> float:
    """Return the threshold between two neighbours: their midpoint, or the value below it.

    Examples
    --------
    >>> values = np.array([3.0, 4.0, 4.5, 7.0])
    >>> midpoint = C45Options(cut_at="midpoint")
    >>> cut_position(3.0, 7.0, values, C45Options()), cut_position(3.0, 7.0, values, midpoint)
    (4.5, 5.0)
    """
    round_ = rounding(options.precision)
    rounded_low, rounded_high = (float(round_(np.asarray(side))) for side in (low, high))
    middle = float(round_(np.asarray(midpoint(rounded_low, rounded_high))))
    if not rounded_low <= middle < rounded_high:
        middle = rounded_low
    if options.cut_at == "midpoint":
        return middle if low <= middle < high else low
    below = np.searchsorted(round_(values), middle + options.cut_tolerance, side="right")
    return float(values[below - 1])


def best_groups(counts: Counts, weight: float, field: Field, recipe: Recipe) -> BestSplit:
    """Return the best split of a categorical column that the recipe's shape allows."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    missing = float(in_order(counts.missing, round_))
    known = weight - missing
    if len(counts.codes) == 0 or known <= options.tolerance:
        return NO_SPLIT
    if recipe.shape == "one-level":
        return best_one_level(counts, weight, field, recipe)
    if recipe.shape == "merged" and len(field.levels) > 2:
        return best_merged_groups(counts, weight, field, recipe)
    sizes = in_order(counts.cells, round_)
    if (sizes >= recipe.min_branch - options.tolerance).sum() < 2:
        return NO_SPLIT
    missing_share = float(round_(np.asarray(missing / weight)))
    gain_ = float(
        _gain(counts.cells[None], _bits_before(counts, options), missing_share, options)[0]
    )
    split_bits = float(
        round_(information(np.append(missing, sizes), round_, options.tolerance) / weight)
    )
    return BestSplit(gain_, split_bits, groups=tuple(counts.codes[:, None]), n_candidates=1)


def _bits_before(counts: Counts, options: C45Options) -> Floats:
    """Return the entropy of the classes over the rows whose value of the column is known."""
    round_ = rounding(options.precision)
    classes = in_order(counts.cells.T, round_)
    known = in_order(classes, round_)
    class_bits = in_order(n_log_n(classes, options.tolerance), round_)
    return round_((n_log_n(known, options.tolerance) - class_bits) / known)


def best_merged_groups(counts: Counts, weight: float, field: Field, recipe: Recipe) -> BestSplit:
    """Return the split into merged groups of categories (C4.5 -s)."""
    options = _options(recipe)
    missing = float(in_order(counts.missing, rounding(options.precision)))
    column = CategoricalColumn(
        _bits_before(counts, options),
        missing,
        weight,
        recipe.criterion != "gain",
        recipe.min_branch,
        options,
    )
    merged = merge_levels(counts.codes, counts.cells, column)
    if merged is None or merged[1] <= -options.slack:
        return NO_SPLIT
    groups, gain_, split_bits = merged
    grouped = {int(code) for group in groups for code in group}
    if not grouped.issuperset(counts.codes.tolist()):
        rest = [code for code in range(len(field.levels)) if code not in grouped]
        groups.append(np.array(rest, np.int32))
    return BestSplit(gain_, split_bits, groups=tuple(groups), n_candidates=1)


def best_one_level(counts: Counts, weight: float, field: Field, recipe: Recipe) -> BestSplit:
    """Return the best split into one category and all others (J48 -B), by gain ratio."""
    options = _options(recipe)
    tolerance = options.tolerance
    sizes = counts.cells.sum(axis=1)
    known = counts.cells.sum()
    min_side = recipe.min_branch - tolerance
    candidates = np.flatnonzero((sizes >= min_side) & (known - sizes >= min_side))
    if not candidates.size:
        return NO_SPLIT
    parts = np.stack([counts.cells[candidates], counts.known - counts.cells[candidates]], axis=1)
    missing = weight - known
    gains = _gain(parts, _bits_before(counts, options), missing / weight, options)
    sides = np.stack(
        [sizes[candidates], known - sizes[candidates], np.full(len(candidates), missing)], axis=1
    )
    split_bits = information(sides, least=tolerance) / weight
    ratio = np.divide(
        gains, split_bits, out=np.zeros_like(gains), where=split_bits * weight > tolerance
    )
    # Category 0, if it is a candidate, is the first best one whatever its gain.
    is_first = counts.codes[candidates[0]] == 0
    best = last_improvement(ratio, float(ratio[0]) if is_first else 0.0, tolerance)
    if best is None and not is_first:
        return BestSplit(0.0, 0.0, groups=(), n_candidates=len(candidates))
    position = best or 0
    code = int(counts.codes[candidates[position]])
    others = np.array([i for i in range(len(field.levels)) if i != code], np.int32)
    groups = (np.array([code], np.int32), others)
    return BestSplit(
        float(gains[position]),
        float(split_bits[position]),
        groups=groups,
        n_candidates=len(candidates),
    )


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node: the first best column of at least average gain."""
    options = _options(recipe)
    node_scores = scores(best_splits, recipe)
    return [_choice(best_splits, i, node_scores[i], options) for i in range(len(best_splits.gain))]


def scores(best_splits: BestSplits, recipe: Recipe) -> Floats:
    """Return the scores that the columns of each node are compared by, NaN if screened out."""
    assert best_splits.counted is not None
    rows = zip(best_splits.gain, best_splits.split_information, strict=True)
    of_nodes = [
        _scores(gains, split_bits, best_splits.counted, recipe) for gains, split_bits in rows
    ]
    return np.stack(of_nodes) if of_nodes else best_splits.gain


def _scores(
    gains: Floats, split_bits: Floats, counted: npt.NDArray[np.bool_], recipe: Recipe
) -> Floats:
    """Return the scores that the columns of a node are compared by, NaN if screened out."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    has_split = gains > -options.slack
    in_average = has_split & counted
    if recipe.criterion == "gain":
        return np.where(has_split & (split_bits > 0), gains, np.nan)
    if not in_average.any():
        return np.full_like(gains, np.nan)
    average = float(round_(in_order(gains[in_average], round_) / in_average.sum()))
    ratio = np.divide(gains, split_bits, out=np.full_like(gains, np.nan), where=split_bits > 0)
    min_bits = 0.0 if options.tolerance else options.slack
    passes = has_split & (gains >= average - options.slack) & (split_bits > min_bits)
    return np.where(passes, round_(ratio), np.nan)


def _choice(best_splits: BestSplits, i: int, scores: Floats, options: C45Options) -> Choice:
    start = -options.slack if options.zero_gain else 0.0
    c = last_improvement(np.nan_to_num(scores, nan=-np.inf), start, options.tie)
    if c is None:
        return Choice(None)
    # Rounding may make a gain of 0 slightly negative.
    score = float(scores[c])
    split = best_splits.split(i, c, score, max(float(best_splits.gain[i, c]), 0.0))
    slack = max(options.tolerance, TIE * max(abs(score), 1.0))
    tied = np.flatnonzero(np.abs(scores - score) <= slack)
    return Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ())


def finish(tree: TreeData, engine: Engine, recipe: Recipe, kept: Collection[int] = ()) -> TreeData:
    """Return the tree collapsed and pruned, as the programs do after growing.

    Raise `KeptSplitRemovedError` where a node of ``kept`` would lose its split.
    """
    options = _options(recipe)
    if options.sums == "cases":  # rounded sums chose the splits; the tree reports exact ones
        totals = engine.totals(tree, range(len(tree.nodes))).cells
        tree = replace(tree, nodes=replace(tree.nodes, total=totals))
    tree = unpruned = with_majority_classes(tree, options)
    records: list[dict[str, Any]] = []
    if options.collapse and options.pruning != "reduced-error":
        tree, decisions = collapse.prune_keeping(kept, tree, slack=options.slack)
        mapping = map_nodes(unpruned, tree)
        kept = [mapping.now[node] for node in kept]
        records.append(pruning_record("collapse", {"slack": options.slack}, decisions, mapping))
    if options.pruning == "error-based":
        settings: dict[str, Any] = {
            "confidence": options.confidence,
            "deviate": options.deviate,
            "last_errors": options.last_errors,
            "raise_branches": options.raise_branches,
            "tolerance": options.tolerance,
            "precision": options.precision,
        }
        collapsed = tree
        tree, decisions = error_based.prune_keeping(kept, tree, engine, **settings)
        mapping = map_nodes(collapsed, tree)
        update_node_numbers(records, mapping)
        records.append(pruning_record("error-based", settings, decisions, mapping))
    about = dict(tree.about) | ({"pruning": records} if records else {})
    return replace(tree, kept_trace=carry_trace(unpruned, tree), about=about)


def with_majority_classes(tree: TreeData, options: C45Options) -> TreeData:
    """Return the tree with the predicted class of each node as the programs choose it.

    Sums of fractions may differ by less than the programs' tolerance: of classes that are equal
    within it, the first is predicted.
    """
    totals = rounding(options.precision)(tree.nodes.total)
    is_tied = (totals >= totals.max(axis=1, keepdims=True) - options.tolerance).sum(axis=1) > 1
    predictions = {
        node: code
        for node in np.flatnonzero(is_tied).tolist()
        if (code := majority(totals[node], options.tolerance)) != tree.values[node]
    }
    return replace(tree, nodes=replace(tree.nodes, answers=predictions)) if predictions else tree


def recipe_below(recipe: Recipe, share: float, root_loss: float) -> Recipe:  # noqa: ARG001 - the protocol's
    """Return the recipe for a node: many categories are judged by the rows of the table."""
    options = _options(recipe)
    return replace(recipe, options=replace(options, many_levels=options.many_levels / share))


def pruning_record(
    method: str,
    settings: dict[str, Any],
    decisions: list[Decision],
    mapping: NodeMapping | None = None,
) -> dict[str, Any]:
    """Return the record of a pruning run that the tree keeps.

    With a mapping, the decisions have the numbers of nodes after it.
    """
    record: dict[str, Any] = {"method": method, "options": settings, "measure": "errors"}
    if mapping is None:
        return record | {"decisions": [decision.to_json() for decision in decisions]}
    return record | decisions_to_json(decisions, mapping)


def update_node_numbers(records: list[dict[str, Any]], mapping: NodeMapping) -> None:
    """Update the node numbers in the decisions of pruning records."""
    for record in records:
        record["decisions"] = renumber_decisions(record["decisions"], mapping)


def _options(recipe: Recipe) -> C45Options:
    assert isinstance(recipe.options, C45Options)
    return recipe.options
