"""How C5.0 differs from C4.5: cost of thresholds, screening of columns, near-ties, pruning."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.dialects.c45.dialect import (
    NO_SPLIT,
    BestSplit,
    best_groups,
    cut_position,
    last_improvement,
    pruning_record,
    update_node_numbers,
    with_majority_classes,
)
from penjing.dialects.c45.information import double, gain, in_order, information, single
from penjing.dialects.c50 import error_pruning, global_pruning, leaf_merging
from penjing.dialects.c50.options import C50Options
from penjing.grow.engine import Engine, RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, Choice
from penjing.prune import collapse
from penjing.prune.editable_tree import EditableTree
from penjing.prune.renumber import NodeMapping, carry_trace, map_nodes, renumber_decisions
from penjing.tree.builder import TreeBuilder, unit_totals
from penjing.tree.counts import Classes, Counts, Reader
from penjing.tree.held_rows import HeldRows
from penjing.tree.split import BestSplits, Split
from penjing.tree.steps import renumber_steps
from penjing.tree.tree_data import TreeData, renumber_stops


@dataclass(frozen=True, slots=True, eq=False)
class ScreenedSplits(BestSplits):
    """The best split of each column, and what columns are screened by."""

    branches: npt.NDArray[np.int64] | None = None
    weight: Floats | None = None
    per_class: float = 0.0


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is tried, None if it is not."""
    total = growth.total(node)
    weight = float(total.sum())
    if float(total.max()) >= _options(recipe).pure_share * weight:
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if weight < max(2 * recipe.min_branch, recipe.min_weight):
        return "min_weight"
    return None


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    options = _options(recipe)
    shape = (len(nodes), len(engine.schema))
    gain_, information_, cut, cost = (np.full(shape, np.nan) for _ in range(4))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    weights = np.zeros(len(nodes))
    for i, tally in enumerate(engine.tally(tree, nodes)):
        weights[i] = float(tally.total.sum())
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            if field.has_order:
                values = engine.level_values(c) if field.is_numeric else NO_VALUES
                best, cost[i, c] = best_cut(counts, weights[i], field, values, recipe)
            else:
                best = best_groups(counts, weights[i], field, recipe)
            n_candidates[i, c] = best.n_candidates
            if best.gain is None or best.gain < options.least_gain:
                continue
            gain_[i, c], information_[i, c], cut[i, c] = best.gain, best.information, best.cut
            if best.groups:
                groups[i, c] = best.groups
    found: dict[str, Any] = {
        "gain": gain_,
        "split_information": information_,
        "impurity": np.ones(shape),
        "cut": cut,
        "n_candidates": n_candidates,
        "groups": groups,
    }
    return screened_splits(engine, recipe, tree.weight_of(0), weights, found, cost)


def screened_splits(  # noqa: PLR0917 - what columns are screened by
    source: Engine | RowSource,
    recipe: Recipe,
    total_weight: float,
    weights: Floats,
    found: dict[str, Any],
    cost: Floats,
) -> ScreenedSplits:
    """Return the best splits with what columns are screened by."""
    options, schema = _options(recipe), source.schema
    return ScreenedSplits(
        **found,
        counted=np.array(options.in_average(schema, total_weight), bool),
        branches=np.array([2 if f.has_order else len(f.levels) for f in schema]),
        weight=weights,
        per_class=total_weight / max(source.reader.size, 1),
        cut_cost=cost if options.cut_cost else None,
    )


def best_cut(
    counts: Counts, weight: float, field: Field, values: Floats, recipe: Recipe
) -> tuple[BestSplit, float]:
    """Return the threshold of the largest gain, less the cost of encoding it, and that cost."""
    options = _options(recipe)
    exact = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    numbers = single(exact) if options.numbers == "single" else exact
    known = float(in_order(counts.known, double))
    if len(numbers) < 2 or known < 2 * recipe.min_branch:
        return NO_SPLIT, 0.0
    min_side = options.side_share * known / counts.cells.shape[1]
    min_side = (
        recipe.min_branch if min_side <= recipe.min_branch else min(min_side, options.side_most)
    )
    left = np.cumsum(counts.cells, axis=0)[:-1]
    left_weight = np.cumsum(counts.cells.sum(axis=1))[:-1]
    # Sums of fractions of rows are not exact.
    slack = _ROUNDING * known
    is_heavy = (left_weight >= min_side - slack) & (left_weight <= known - min_side + slack)
    with np.errstate(invalid="ignore"):  # numbers beyond 32 bits are infinite and have no gap
        has_gap = numbers[1:] - numbers[:-1] > options.gap
    candidates = np.flatnonzero(has_gap & is_heavy)
    if not candidates.size:
        return NO_SPLIT, 0.0
    parts = np.stack([left[candidates], np.maximum(counts.known - left[candidates], 0.0)], axis=1)
    before = np.asarray(information(counts.known) / known)
    gains = gain(parts, before, 1 - known / weight, double)
    best = last_improvement(gains, 0.0, options.tie)
    if best is None:
        return BestSplit(n_candidates=len(candidates)), 0.0
    position = int(candidates[best])
    cost = _cost(numbers, position, len(candidates), weight, options)
    net_gain = float(gains[best]) - cost
    if net_gain < options.least_gain:
        return BestSplit(n_candidates=len(candidates)), 0.0
    sides = np.array([weight - known, left_weight[position], known - left_weight[position]])
    split_bits = float(information(np.maximum(sides, 0.0)) / weight)
    cut = float(counts.codes[position])
    if field.is_numeric:
        in_precision = replace(options, precision=options.numbers)
        cut = cut_position(float(exact[position]), float(exact[position + 1]), values, in_precision)
    return BestSplit(net_gain, split_bits, cut, n_candidates=len(candidates)), cost


_ROUNDING = 1e-9


def _cost(
    numbers: Floats, position: int, n_candidates: int, weight: float, options: C50Options
) -> float:
    """Return the bits per row that encode which threshold it is."""
    if not options.cut_cost:
        return 0.0
    choices = float(n_candidates)
    if options.gap_cost:
        width = float(numbers[-1] - numbers[0]) / float(numbers[position + 1] - numbers[position])
        choices = min(choices, width)
    return math.log2(choices) / weight


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node."""
    node_scores = scores(best_splits, recipe)
    return [
        _choice(best_splits, i, node_scores[i], _options(recipe))
        for i in range(len(best_splits.gain))
    ]


def scores(best_splits: BestSplits, recipe: Recipe) -> Floats:
    """Return the scores that the columns of each node are compared by, NaN if screened out."""
    options = _options(recipe)
    assert isinstance(best_splits, ScreenedSplits)
    assert best_splits.weight is not None
    assert best_splits.counted is not None
    node_scores = np.full_like(best_splits.gain, np.nan)
    for i, (gains, split_bits) in enumerate(
        zip(best_splits.gain, best_splits.split_information, strict=True)
    ):
        is_tried = ~np.isnan(gains) & best_splits.counted
        if recipe.criterion == "gain":
            node_scores[i] = np.where(is_tried & (split_bits > 0), gains, np.nan)
        elif is_tried.any():
            average = float(gains[is_tried].mean())
            min_gain = _min_gain(
                average, int(is_tried.sum()), float(best_splits.weight[i]), best_splits, options
            )
            passes = is_tried & (gains >= options.screen_share * min_gain) & (split_bits > 0)
            ratio = np.divide(
                gains, split_bits, out=np.full_like(gains, np.nan), where=split_bits > 0
            )
            node_scores[i] = np.where(passes, ratio, np.nan)
    return node_scores


def _min_gain(
    average: float, n: int, weight: float, best_splits: ScreenedSplits, options: C50Options
) -> float:
    """Return the gain that a column needs: the average with few rows a class, less with many."""
    few, many = options.screen_few, options.screen_many
    if best_splits.per_class <= few:
        return average
    mdl = 0.9 * math.log2(n) / weight
    if best_splits.per_class >= many:
        return mdl
    share = (best_splits.per_class - few) / (many - few)
    return (1 - share) * average + share * mdl


def _choice(best_splits: BestSplits, i: int, scores: Floats, options: C50Options) -> Choice:
    """Return the best column; of near-ties the one with fewer branches, then of larger gain."""
    assert isinstance(best_splits, ScreenedSplits)
    assert best_splits.branches is not None
    best = -1
    for c in np.flatnonzero(scores > 0).tolist():
        if best < 0 or scores[c] > scores[best] * (1 + options.near_ties):
            best = c
        elif scores[c] > scores[best] * (1 - options.near_ties):
            fewer = int(best_splits.branches[c]) - int(best_splits.branches[best])
            more = float(best_splits.gain[i, c] - best_splits.gain[i, best])
            if fewer < 0 or (fewer == 0 and more > options.tie):
                best = c
    if best < 0:
        return Choice(None)
    score = float(scores[best])
    split = best_splits.split(i, best, score, max(float(best_splits.gain[i, best]), 0.0))
    tied = np.flatnonzero(np.abs(scores - score) <= options.near_ties * score)
    return Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ())


def finish(tree: TreeData, engine: Engine, recipe: Recipe, kept: Collection[int] = ()) -> TreeData:
    """Return the tree collapsed, pruned twice, and with leaves merged, as C5.0 does it.

    Raise `KeptSplitRemovedError` where the first two steps would remove a split of ``kept``.
    """
    options = _options(recipe)
    tree = unpruned = with_majority_classes(tree, options)
    records: list[dict[str, Any]] = []
    if options.collapse:
        collapse_settings = {"slack": 0.0, "share": options.collapse_share}
        tree, decisions = collapse.prune_keeping(kept, tree, **collapse_settings)
        records.append(pruning_record("collapse", collapse_settings, decisions))
        mapping = map_nodes(unpruned, tree)
        kept = [mapping.now[node] for node in kept]
        update_node_numbers(records, mapping)
    if options.pruning == "error-based":
        settings: dict[str, Any] = {
            "confidence": options.confidence,
            "min_branch": recipe.min_branch if options.pool else 0.0,
            "raise_share": options.raise_share if options.raise_branches else None,
            "regrow_share": options.regrow_share,
        }

        def regrow(draft: EditableTree, node: int, split: Split) -> CollapsedSubtree:
            return regrow_subtree(engine, recipe, draft, node, split)

        before = tree
        tree, decisions = error_pruning.prune(tree, engine, regrow, **settings, kept=kept)
        records.append(pruning_record("pooled", settings, decisions))
        update_node_numbers(records, map_nodes(before, tree))
    trace = carry_trace(unpruned, tree)
    if options.gather:
        tree, trace = _merge_leaves(tree, trace, records)
    if options.pruning == "error-based" and options.global_pruning:
        before = tree
        tree, decisions = global_pruning.prune(tree)
        records.append(pruning_record("weakest", {}, decisions))
        update_node_numbers(records, map_nodes(before, tree))
        trace = carry_trace(replace(before, kept_trace=trace), tree)
        if options.gather:
            tree, trace = _merge_leaves(tree, trace, records)
    about = dict(tree.about) | ({"pruning": records} if records else {})
    return replace(tree, kept_trace=trace, about=about)


def recipe_below(recipe: Recipe, share: float, root_loss: float) -> Recipe:  # noqa: ARG001 - the protocol's
    """Return the recipe for a node: what is screened by is that of the whole table."""
    options = _options(recipe)
    return replace(
        recipe,
        options=replace(
            options,
            many_levels=options.many_levels / share,
            screen_few=options.screen_few * share,
            screen_many=options.screen_many * share,
        ),
    )


def regrow_subtree(
    engine: Engine, recipe: Recipe, draft: EditableTree, node: int, root_split: Split
) -> CollapsedSubtree:
    """Return the subtree that grows in the place of a node from this split, collapsed."""
    total_weight = float(engine.reader.weight(draft.total[0]))
    structure = draft.structure_with_raised({})
    grown = engine.regrow(structure, node, root_split, recipe, total_weight)
    if grown is not None and not grown.is_leaf[0]:
        return CollapsedSubtree(grown, 0, root_split, _options(recipe))
    growth = TreeBuilder(engine.reader)
    growth.set_totals([0], unit_totals(draft.total[0][None]))
    top = 0
    for split, branch in draft.path_to(node):
        top = growth.add_children(top, split)[branch]
    known_rows = draft.held_rows.get(node)
    if known_rows is not None:
        growth.held_rows = HeldRows()
        growth.held_rows.hold(top, known_rows, limit=len(known_rows.ids))
    root_split = _with_present_levels(engine, growth, top, root_split)
    growth.add_children(top, root_split)
    open_nodes = list(growth.children(top))
    growth.set_totals(open_nodes, engine.totals(growth, open_nodes))
    while open_nodes:
        splittable = [n for n in open_nodes if stops(growth, n, recipe) is None]
        choices = choose(engine.best_splits(growth, splittable, recipe), recipe)
        pairs = zip(splittable, choices, strict=True)
        splits = {n: c.split for n, c in pairs if c.split is not None}
        open_nodes = [
            child for n, split in splits.items() for child in growth.add_children(n, split)
        ]
        growth.set_totals(open_nodes, engine.totals(growth, open_nodes))
    return CollapsedSubtree(growth, top, root_split, _options(recipe))


class CollapsedSubtree:
    """A grown subtree without the splits that save no error.

    Parameters
    ----------
    grown : TreeBuilder or TreeData
        A tree; its nodes are numbered breadth first.
    top : int
        The root of the subtree.
    top_split : Split
        The split of the root, which is not removed; its groups are those of the tree.
    options : C50Options
        Whether splits are removed, and which.
    """

    def __init__(
        self, grown: TreeBuilder | TreeData, top: int, top_split: Split, options: C50Options
    ) -> None:
        self.top = top
        self._grown = grown
        self._splits: dict[int, Split] = {}
        self.totals = grown.totals() if isinstance(grown, TreeBuilder) else grown.nodes.total
        nodes = [top]
        for node in nodes:  # the list grows during the loop
            split = grown.split(node)
            if split is not None:
                self._splits[node] = split
                nodes.extend(grown.children(node))
        self._splits[top] = replace(top_split, groups=self._splits[top].groups)
        if options.collapse:
            self._collapse(options.collapse_share)

    def _collapse(self, share: float) -> None:
        """Remove splits that save no error, the deepest first."""
        as_leaf = _losses(self.totals, self._grown.reader)
        errors = list(as_leaf)
        for node in reversed(list(self._splits)):
            below = sum(errors[child] for child in self._grown.children(node))
            if node != self.top and below >= share * as_leaf[node]:
                del self._splits[node]
            else:
                errors[node] = below

    def split(self, node: int) -> Split | None:
        """Return the split of a node, None for a leaf."""
        return self._splits.get(node)

    def children(self, node: int) -> range:
        """Return the children of a node."""
        return self._grown.children(node) if node in self._splits else range(0)


def _losses(totals: Floats, s: Reader) -> list[float]:
    """Return the loss of each node."""
    if isinstance(s, Classes) and s.costs is None:
        return s.loss(totals).tolist()  # type: ignore[no-any-return]
    return [float(s.loss(total)) for total in totals]  # each alone: products round otherwise


def _with_present_levels(engine: Engine, growth: TreeBuilder, node: int, split: Split) -> Split:
    """Return a split with a branch for each category that the rows of a node have."""
    if split.cut is not None:
        return split
    counts = next(iter(engine.tally(growth, [node], [split.column]))).columns[split.column]
    return replace(split, groups=tuple(counts.codes[:, None]))


def _merge_leaves(
    tree: TreeData, trace: dict[str, Any] | None, records: list[dict[str, Any]]
) -> tuple[TreeData, dict[str, Any] | None]:
    """Return the tree with leaves merged, and its trace without the nodes that were merged."""
    parents = tree.nodes.parent.tolist()
    tree, new_number = leaf_merging.merge_leaves(tree)
    tree = replace(tree, about=renumber_stops(tree.about, new_number))
    nearest: list[int] = []
    for node, parent in enumerate(parents):
        nearest.append(new_number[node] if node in new_number else nearest[parent])
    for record in records:
        record["decisions"] = renumber_decisions(
            record["decisions"], NodeMapping(new_number, nearest, set(), set())
        )
    if trace is None:
        return tree, None
    steps = renumber_steps(trace["steps"], new_number, {})
    is_whole = trace["is_whole"] and len(steps) == len(trace["steps"])
    return tree, {"steps": steps, "is_whole": is_whole}


def _options(recipe: Recipe) -> C50Options:
    assert isinstance(recipe.options, C50Options)
    return recipe.options
