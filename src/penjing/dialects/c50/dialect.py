"""The rules of C5.0 where they are not C4.5's: costs of cuts, the screen, near-ties, pruning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.dialects.c45.dialect import (
    NONE,
    Offer,
    best_groups,
    climb,
    follow,
    labelled,
    placed,
    record,
)
from penjing.dialects.c45.information import double, gain, in_order, information, single
from penjing.dialects.c50 import error_pruning, global_pruning, leaf_gathering
from penjing.dialects.c50.options import C50Options
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, Choice
from penjing.prune import collapse
from penjing.prune.renumber import NodeMapping, carry_trace, renumber_decisions
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Counts
from penjing.tree.split import Offers, Split
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True, eq=False)
class Screened(Offers):
    """Offers, which columns take part in the average, and what else the screen is made of."""

    counted: npt.NDArray[np.bool_] | None = None
    branches: npt.NDArray[np.int64] | None = None
    weight: Floats | None = None
    per_class: float = 0.0
    cost: Floats | None = None


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    total = growth.total(node)
    weight = float(total.sum())
    if float(total.max()) >= _options(recipe).pure_share * weight:
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if weight < max(2 * recipe.min_branch, recipe.min_weight):
        return "min_weight"
    return None


def offers(engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
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
                found, cost[i, c] = best_cut(counts, weights[i], field, values, recipe)
            else:
                found = best_groups(counts, weights[i], field, recipe)
            n_candidates[i, c] = found.n_candidates
            if found.gain is None or found.gain < options.least_gain:
                continue
            gain_[i, c], information_[i, c], cut[i, c] = found.gain, found.information, found.cut
            if found.groups:
                groups[i, c] = found.groups
    n = tree.weight_of(0)
    return Screened(
        gain_, information_, np.ones(shape), cut, n_candidates, groups,
        counted=np.array(options.in_average(engine.schema, n), bool),
        branches=np.array([2 if f.has_order else len(f.levels) for f in engine.schema]),
        weight=weights,
        per_class=n / max(engine.reader.size, 1),
        cost=cost,
    )  # fmt: skip


def best_cut(
    counts: Counts, weight: float, field: Field, values: Floats, recipe: Recipe
) -> tuple[Offer, float]:
    """Return the cut of most gain, its gain less what it costs to say which cut, and that cost."""
    options = _options(recipe)
    exact = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    numbers = single(exact) if options.numbers == "single" else exact
    known = float(in_order(counts.known, double))
    if len(numbers) < 2 or known < 2 * recipe.min_branch:
        return NONE, 0.0
    least = options.side_share * known / counts.cells.shape[1]
    least = recipe.min_branch if least <= recipe.min_branch else min(least, options.side_most)
    low = np.cumsum(counts.cells, axis=0)[:-1]
    weighs = np.cumsum(counts.cells.sum(axis=1))[:-1]
    # Parts of rows do not add up to the last bit.
    slack = _ROUNDING * known
    heavy = (weighs >= least - slack) & (weighs <= known - least + slack)
    with np.errstate(invalid="ignore"):  # of numbers too large for 32 bits none is apart
        apart = numbers[1:] - numbers[:-1] > options.gap
    tried = np.flatnonzero(apart & heavy)
    if not tried.size:
        return NONE, 0.0
    parts = np.stack([low[tried], np.maximum(counts.known - low[tried], 0.0)], axis=1)
    before = np.asarray(information(counts.known) / known)
    gains = gain(parts, before, 1 - known / weight, double)
    best = climb(gains, 0.0, options.tie)
    if best is None:
        return Offer(n_candidates=len(tried)), 0.0
    place = int(tried[best])
    cost = _cost(numbers, place, len(tried), weight, options)
    worth = float(gains[best]) - cost
    if worth < options.least_gain:
        return Offer(n_candidates=len(tried)), 0.0
    sides = np.array([weight - known, weighs[place], known - weighs[place]])
    said = float(information(np.maximum(sides, 0.0)) / weight)
    cut = float(counts.codes[place])
    if field.is_numeric:
        near = replace(options, precision=options.numbers)
        cut = placed(float(exact[place]), float(exact[place + 1]), values, near)
    return Offer(worth, said, cut, n_candidates=len(tried)), cost


_ROUNDING = 1e-9


def _cost(numbers: Floats, place: int, n_tried: int, weight: float, options: C50Options) -> float:
    """Return what it costs to say which cut it is, a row."""
    if not options.cut_cost:
        return 0.0
    choices = float(n_tried)
    if options.gap_cost:
        width = float(numbers[-1] - numbers[0]) / float(numbers[place + 1] - numbers[place])
        choices = min(choices, width)
    return float(np.log2(choices)) / weight


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose."""
    found = scores(offers, recipe)
    return [_chosen(offers, i, found[i], _options(recipe)) for i in range(len(offers.gain))]


def scores(offers: Offers, recipe: Recipe) -> Floats:
    """Return by what the columns of each node are compared, NaN where one is screened out."""
    options = _options(recipe)
    assert isinstance(offers, Screened)
    assert offers.weight is not None
    assert offers.counted is not None
    found = np.full_like(offers.gain, np.nan)
    for i, (gains, said) in enumerate(zip(offers.gain, offers.split_information, strict=True)):
        offered = counted = ~np.isnan(gains) & offers.counted
        if recipe.criterion == "gain":
            found[i] = np.where(offered & (said > 0), gains, np.nan)
        elif counted.any():
            average = float(gains[counted].mean())
            least = _least(average, int(counted.sum()), float(offers.weight[i]), offers, options)
            passes = offered & (gains >= options.screen_share * least) & (said > 0)
            ratio = np.divide(gains, said, out=np.full_like(gains, np.nan), where=said > 0)
            found[i] = np.where(passes, ratio, np.nan)
    return found


def _least(average: float, n: int, weight: float, offers: Screened, options: C50Options) -> float:
    """Return the gain that the screen asks for: less of it, the more rows each class has."""
    few, many = options.screen_few, options.screen_many
    if offers.per_class <= few:
        return average
    mdl = 0.9 * float(np.log2(n)) / weight
    if offers.per_class >= many:
        return mdl
    share = (offers.per_class - few) / (many - few)
    return (1 - share) * average + share * mdl


def _chosen(offers: Offers, i: int, scores: Floats, options: C50Options) -> Choice:
    """Return the best; near it, the column with fewer branches, then the one that gains more."""
    assert isinstance(offers, Screened)
    assert offers.branches is not None
    best = -1
    for c in np.flatnonzero(scores > 0).tolist():
        if best < 0 or scores[c] > scores[best] * (1 + options.near_ties):
            best = c
        elif scores[c] > scores[best] * (1 - options.near_ties):
            fewer = int(offers.branches[c]) - int(offers.branches[best])
            more = float(offers.gain[i, c] - offers.gain[i, best])
            if fewer < 0 or (fewer == 0 and more > options.tie):
                best = c
    if best < 0:
        return Choice(None)
    score = float(scores[best])
    split = offers.split(i, best, score, max(float(offers.gain[i, best]), 0.0))
    tied = np.flatnonzero(np.abs(scores - score) <= options.near_ties * score)
    return Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ())


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree collapsed, pruned twice and gathered, as C5.0 hands it over."""
    options = _options(recipe)
    tree = grown = labelled(tree, options)
    told: list[dict[str, Any]] = []
    if options.collapse:
        share = {"slack": 0.0, "share": options.collapse_share}
        tree, decisions = collapse.prune(tree, **share)
        told.append(record("collapse", share, decisions))
        follow(told, grown, tree)
    if options.pruning == "error-based":
        settings: dict[str, Any] = {
            "confidence": options.confidence,
            "min_branch": recipe.min_branch if options.pool else 0.0,
            "raise_share": options.raise_share if options.raise_branches else None,
            "regrow_share": options.regrow_share,
        }

        def regrow(road: Sequence[tuple[Split, int]], question: Split) -> tuple[TreeBuilder, int]:
            return regrown(engine, recipe, road, question)

        before = tree
        tree, decisions = error_pruning.prune(tree, engine, regrow, **settings)
        told.append(record("pooled", settings, decisions))
        follow(told, before, tree)
    trace = carry_trace(grown, tree)
    if options.gather:
        tree, trace = _gathered(tree, trace, told)
    if options.pruning == "error-based" and options.global_pruning:
        before = tree
        tree, decisions = global_pruning.prune(tree)
        told.append(record("weakest", {}, decisions))
        follow(told, before, tree)
        trace = carry_trace(replace(before, kept_trace=trace), tree)
        if options.gather:
            tree, trace = _gathered(tree, trace, told)
    about = dict(tree.about) | ({"pruning": told} if told else {})
    return replace(tree, kept_trace=trace, about=about)


def regrown(
    engine: Engine, recipe: Recipe, road: Sequence[tuple[Split, int]], question: Split
) -> tuple[TreeBuilder, int]:
    """Return a growth with this question at the end of a road, all below it grown and collapsed."""
    growth = TreeBuilder(engine.reader)
    growth.set_totals([0], engine.totals(growth, [0]))
    top = 0
    for split, branch in road:
        top = growth.add_children(top, split)[branch]
    growth.set_totals([top], engine.totals(growth, [top]))
    growth.add_children(top, _present(engine, growth, top, question))
    open_nodes = list(growth.children(top))
    growth.set_totals(open_nodes, engine.totals(growth, open_nodes))
    divided = [top]
    while open_nodes:
        asking = [n for n in open_nodes if stops(growth, n, recipe) is None]
        choices = choose(offers(engine, growth, asking, recipe), recipe)
        pairs = zip(asking, choices, strict=True)
        splits = {n: c.split for n, c in pairs if c.split is not None}
        open_nodes = [
            child for n, split in splits.items() for child in growth.add_children(n, split)
        ]
        growth.set_totals(open_nodes, engine.totals(growth, open_nodes))
        divided += splits
    _collapsed(growth, divided[1:], _options(recipe))
    return growth, top


def _present(engine: Engine, growth: TreeBuilder, node: int, question: Split) -> Split:
    """Return a question with a branch for each level that is there."""
    if question.cut is not None:
        return question
    counts = next(iter(engine.tally(growth, [node], [question.column]))).columns[question.column]
    return replace(question, groups=tuple(counts.codes[:, None]))


def _collapsed(growth: TreeBuilder, divided: list[int], options: C50Options) -> None:
    """Take questions back that save no error, the deepest first."""
    errors: dict[int, float] = {}
    for node in reversed(divided):
        below = sum(errors.get(child, growth.loss_of(child)) for child in growth.children(node))
        if options.collapse and below >= options.collapse_share * growth.loss_of(node):
            growth.remove_children(node)
        else:
            errors[node] = below


def _gathered(
    tree: TreeData, trace: dict[str, Any] | None, told: list[dict[str, Any]]
) -> tuple[TreeData, dict[str, Any] | None]:
    """Return the tree with leaves gathered, and its trace without those that are no more."""
    parents = tree.nodes.parent.tolist()
    tree, place = leaf_gathering.gathered(tree)
    nearest: list[int] = []
    for node, parent in enumerate(parents):
        nearest.append(place[node] if node in place else nearest[parent])
    for one in told:
        one["decisions"] = renumber_decisions(
            one["decisions"], NodeMapping(place, nearest, set(), set())
        )
    if trace is None:
        return tree, None
    steps = [s | {"node": place[s["node"]]} for s in trace["steps"] if s["node"] in place]
    steps.sort(key=lambda step: int(step["node"]))
    is_whole = trace["is_whole"] and len(steps) == len(trace["steps"])
    return tree, {"steps": steps, "is_whole": is_whole}


def _options(recipe: Recipe) -> C50Options:
    assert isinstance(recipe.options, C50Options)
    return recipe.options
