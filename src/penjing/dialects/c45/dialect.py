"""The rules of C4.5 release 8 and of J48, which differ in tolerances: how a node is divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.dialects.c45.category_merging import Column, grouped
from penjing.dialects.c45.information import double, gain, in_order, information, n_log_n, rounding
from penjing.dialects.c45.options import C45Options
from penjing.errors import CapabilityError
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, Choice
from penjing.prune import collapse, error_based
from penjing.prune.decisions import Decision
from penjing.prune.editable_tree import majority
from penjing.prune.renumber import carry_trace, map_nodes, renumber_decisions
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Counts
from penjing.tree.split import Offers, midpoint
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True, eq=False)
class Screened(Offers):
    """Offers, and which columns take part in the average gain."""

    counted: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """The best division of one column in one node; no gain (None) where there is none."""

    gain: float | None = None
    information: float = 0.0
    cut: float = np.nan
    groups: tuple[Codes, ...] = ()
    n_candidates: int = 0


NONE = Offer()


def stops(growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    options = _options(recipe)
    recipe = _slipped(growth, recipe)
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


def offers(engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
    options = _options(recipe)
    if options.sums == "cases":
        raise CapabilityError("sums_need_native")
    shape = (len(nodes), len(engine.schema))
    gain_, information_, cut = (np.full(shape, np.nan) for _ in range(3))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    for i, tally in enumerate(engine.tally(tree, nodes)):
        weight = float(in_order(tally.total, rounding(options.precision)))
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            recipe = _slipped(tree, recipe)
            if field.has_order:
                values = engine.level_values(c) if field.is_numeric else NO_VALUES
                found = best_cut(counts, weight, field, values, recipe)
            else:
                found = best_groups(counts, weight, field, recipe)
            if recipe.shape == "merged" and len(field.levels) > 2 and not counts.known.any():
                _SLIPPED.add(tree)
            n_candidates[i, c] = found.n_candidates
            if found.gain is None:
                continue
            gain_[i, c], information_[i, c], cut[i, c] = found.gain, found.information, found.cut
            if found.groups:
                groups[i, c] = found.groups
    counted = np.array(options.in_average(engine.schema, tree.weight_of(0)), bool)
    # The impurity is only a scale of rounding; a gain in bits is a difference of some bits.
    return Screened(gain_, information_, np.ones(shape), cut, n_candidates, groups, counted=counted)


_SLIPPED: WeakSet[TreeStructure] = WeakSet()
"""The growths in which C4.5's minimum has fallen to 1, see `C45Options.minimum_slips`."""


def _slipped(tree: TreeStructure, recipe: Recipe) -> Recipe:
    """Return the recipe as it stands in this growth."""
    if _options(recipe).minimum_slips and tree in _SLIPPED and recipe.min_branch > 1:
        return replace(recipe, min_branch=1.0)
    return recipe


def best_cut(counts: Counts, weight: float, field: Field, values: Floats, recipe: Recipe) -> Offer:
    """Return the cut of most gain, its gain less what it costs to say which cut it is."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    known = float(round_(in_order(counts.known, double)))
    numbers = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    numbers = round_(numbers)
    if len(numbers) < 2 or known < 2 * recipe.min_branch - options.tolerance:
        return NONE
    least = float(round_(np.asarray(options.side_share * known / counts.cells.shape[1])))
    if least <= recipe.min_branch + options.tolerance:
        least = recipe.min_branch
    elif least > options.side_most + options.tolerance:
        least = options.side_most
    low = _running(counts.cells, options)
    weighs = _running(in_order(counts.cells, round_), options)
    apart = numbers[:-1] < numbers[1:] - options.gap
    heavy = (weighs >= least - options.tolerance) & (
        weighs <= round_(np.asarray(known - least)) + options.tolerance
    )
    tried = np.flatnonzero(apart & heavy)
    if not tried.size:
        return NONE
    parts = np.stack([low[tried], round_(counts.known - low[tried])], axis=1)
    before = round_(information(counts.known, round_, options.tolerance) / known)
    unknown = float(round_(np.asarray(1 - float(round_(np.asarray(known / weight))))))
    gains = _gain(parts, before, unknown, options)
    cost = float(np.log2(len(tried)) / weight) if options.cut_cost else 0.0
    gains = round_(gains - float(round_(np.asarray(cost)))) if options.tolerance == 0 else gains
    best = climb(gains, 0.0, options.tie)
    if best is None:
        return Offer(n_candidates=len(tried))
    worth = float(gains[best]) - (cost if options.tolerance else 0.0)
    if worth <= options.tolerance:
        return Offer(n_candidates=len(tried))
    at = int(tried[best])
    sides = np.array([weight - known, weighs[at], float(round_(np.asarray(known - weighs[at])))])
    said = float(round_(information(sides, round_, options.tolerance) / weight))
    cut = float(counts.codes[at])
    if field.is_numeric:
        sides = values[counts.codes[at : at + 2]]
        cut = placed(float(sides[0]), float(sides[1]), values, options)
    return Offer(worth, said, cut, n_candidates=len(tried))


def _running(cells: Floats, options: C45Options) -> Floats:
    """Return the sums up to each level, in their order."""
    if options.precision == "double":
        return np.cumsum(cells, axis=0)[:-1]
    return np.cumsum(cells.astype(np.float32), axis=0, dtype=np.float32)[:-1].astype(np.float64)


def _gain(parts: Floats, before: Floats, unknown: float, options: C45Options) -> Floats:
    found = gain(parts, before, unknown, rounding(options.precision), options.tolerance)
    if options.tolerance == 0:
        return found
    known = in_order(parts[0].ravel(), double)
    return np.where(np.abs(found * known) <= options.tolerance, 0.0, found)


def climb(scores: Floats, start: float, tolerance: float) -> int | None:
    """Return the place of the last score that exceeded the best before it by the tolerance.

    Examples
    --------
    >>> climb(np.array([0.3, 0.3000005, 0.2, 0.4]), 0.0, 1e-6)
    3
    >>> climb(np.array([0.3, 0.3000005, 0.2]), 0.0, 1e-6)
    0
    """
    best, at = start, -1
    while (ahead := np.flatnonzero(scores[at + 1 :] - best > tolerance)).size:
        at += 1 + int(ahead[0]) if tolerance else 1 + int(np.nanargmax(scores[at + 1 :]))
        best = float(scores[at])
    return None if at < 0 else at


def placed(low: float, high: float, values: Floats, options: C45Options) -> float:
    """Return where the cut between two neighbours is put: half-way, or at a value below that.

    Examples
    --------
    >>> values = np.array([3.0, 4.0, 4.5, 7.0])
    >>> midpoint = C45Options(cut_at="midpoint")
    >>> placed(3.0, 7.0, values, C45Options()), placed(3.0, 7.0, values, midpoint)
    (4.5, 5.0)
    """
    round_ = rounding(options.precision)
    near, far = (float(round_(np.asarray(side))) for side in (low, high))
    middle = float(round_(np.asarray(midpoint(near, far))))
    if not near <= middle < far:
        middle = near
    if options.cut_at == "midpoint":
        return middle if low <= middle < high else low
    below = np.searchsorted(round_(values), middle + options.cut_tolerance, side="right")
    return float(values[below - 1])


def best_groups(counts: Counts, weight: float, field: Field, recipe: Recipe) -> Offer:
    """Return the division of a nominal column that the recipe's shape allows."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    missing = float(in_order(counts.missing, round_))
    known = weight - missing
    if len(counts.codes) == 0 or known <= options.tolerance:
        return NONE
    if recipe.shape == "one-level":
        return one_level(counts, weight, field, recipe)
    if recipe.shape == "merged" and len(field.levels) > 2:
        return merged(counts, weight, field, recipe)
    sizes = in_order(counts.cells, round_)
    if (sizes >= recipe.min_branch - options.tolerance).sum() < 2:
        return NONE
    unknown = float(round_(np.asarray(missing / weight)))
    worth = float(_gain(counts.cells[None], _before(counts, options), unknown, options)[0])
    said = float(round_(information(np.append(missing, sizes), round_, options.tolerance) / weight))
    return Offer(worth, said, groups=tuple(counts.codes[:, None]), n_candidates=1)


def _before(counts: Counts, options: C45Options) -> Floats:
    """Return the bits per known case of a nominal column, undivided."""
    round_ = rounding(options.precision)
    classes = in_order(counts.cells.T, round_)
    known = in_order(classes, round_)
    spent = in_order(n_log_n(classes, options.tolerance), round_)
    return round_((n_log_n(known, options.tolerance) - spent) / known)


def merged(counts: Counts, weight: float, field: Field, recipe: Recipe) -> Offer:
    """Return the division into merged groups of levels (C4.5 -s)."""
    options = _options(recipe)
    missing = float(in_order(counts.missing, rounding(options.precision)))
    column = Column(
        _before(counts, options),
        missing,
        weight,
        recipe.criterion != "gain",
        recipe.min_branch,
        options,
    )
    found = grouped(counts.codes, counts.cells, column)
    if found is None or found[1] <= -options.slack:
        return NONE
    groups, worth, said = found
    taken = {int(code) for group in groups for code in group}
    if not taken.issuperset(counts.codes.tolist()):
        rest = [code for code in range(len(field.levels)) if code not in taken]
        groups.append(np.array(rest, np.int32))
    return Offer(worth, said, groups=tuple(groups), n_candidates=1)


def one_level(counts: Counts, weight: float, field: Field, recipe: Recipe) -> Offer:
    """Return the best division into one level and all others (J48 -B), by gain ratio."""
    options = _options(recipe)
    tolerance = options.tolerance
    sizes = counts.cells.sum(axis=1)
    known = counts.cells.sum()
    least = recipe.min_branch - tolerance
    tried = np.flatnonzero((sizes >= least) & (known - sizes >= least))
    if not tried.size:
        return NONE
    parts = np.stack([counts.cells[tried], counts.known - counts.cells[tried]], axis=1)
    missing = weight - known
    gains = _gain(parts, _before(counts, options), missing / weight, options)
    sides = np.stack([sizes[tried], known - sizes[tried], np.full(len(tried), missing)], axis=1)
    said = information(sides, least=tolerance) / weight
    ratio = np.divide(gains, said, out=np.zeros_like(gains), where=said * weight > tolerance)
    # Level 0, if it can be tried, is the first best whatever it gains.
    is_first = counts.codes[tried[0]] == 0
    best = climb(ratio, float(ratio[0]) if is_first else 0.0, tolerance)
    if best is None and not is_first:
        return Offer(0.0, 0.0, groups=(), n_candidates=len(tried))
    place = best or 0
    code = int(counts.codes[tried[place]])
    others = np.array([i for i in range(len(field.levels)) if i != code], np.int32)
    groups = (np.array([code], np.int32), others)
    return Offer(float(gains[place]), float(said[place]), groups=groups, n_candidates=len(tried))


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose: the first of the best among columns of average gain."""
    options = _options(recipe)
    assert isinstance(offers, Screened)
    assert offers.counted is not None
    return [
        _chosen(offers, i, _scores(offers.gain[i], offers.split_information[i],
                                   offers.counted, recipe), options)
        for i in range(len(offers.gain))
    ]  # fmt: skip


def scores(offers: Offers, recipe: Recipe) -> Floats:
    """Return by what the columns of each node are compared, NaN where one is screened out."""
    assert isinstance(offers, Screened)
    assert offers.counted is not None
    rows = zip(offers.gain, offers.split_information, strict=True)
    found = [_scores(gain, said, offers.counted, recipe) for gain, said in rows]
    return np.stack(found) if found else offers.gain


def _scores(gains: Floats, said: Floats, counted: npt.NDArray[np.bool_], recipe: Recipe) -> Floats:
    """Return by what the columns of a node are compared, NaN where one is screened out."""
    options = _options(recipe)
    round_ = rounding(options.precision)
    offered = gains > -options.slack
    possible = offered & counted
    if recipe.criterion == "gain":
        return np.where(offered & (said > 0), gains, np.nan)
    if not possible.any():
        return np.full_like(gains, np.nan)
    average = float(round_(in_order(gains[possible], round_) / possible.sum()))
    ratio = np.divide(gains, said, out=np.full_like(gains, np.nan), where=said > 0)
    least = 0.0 if options.tolerance else options.slack
    passes = offered & (gains >= average - options.slack) & (said > least)
    return np.where(passes, round_(ratio), np.nan)


def _chosen(offers: Offers, i: int, scores: Floats, options: C45Options) -> Choice:
    start = -options.slack if options.zero_gain else 0.0
    c = climb(np.nan_to_num(scores, nan=-np.inf), start, options.tie)
    if c is None:
        return Choice(None)
    # A gain of nothing may come out below 0, by its rounding.
    score = float(scores[c])
    split = offers.split(i, c, score, max(float(offers.gain[i, c]), 0.0))
    slack = max(options.tolerance, TIE * max(abs(score), 1.0))
    tied = np.flatnonzero(np.abs(scores - score) <= slack)
    return Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ())


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the tree collapsed and pruned, as the programs hand it over."""
    options = _options(recipe)
    if options.sums == "cases":  # they decided the questions; what is told are the rows
        counted = engine.totals(tree, range(len(tree.nodes))).cells
        tree = replace(tree, nodes=replace(tree.nodes, total=counted))
    tree = grown = labelled(tree, options)
    told: list[dict[str, Any]] = []
    if options.collapse and options.pruning != "reduced-error":
        tree, decisions = collapse.prune(tree, slack=options.slack)
        told.append(record("collapse", {"slack": options.slack}, decisions))
        if grown.kept_trace is not None:
            follow(told, grown, tree)
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
        tree, decisions = error_based.prune(tree, engine, **settings)
        told.append(record("error-based", settings, decisions))
        if grown.kept_trace is not None:
            follow(told, collapsed, tree)
    about = dict(tree.about) | ({"pruning": told} if told else {})
    return replace(tree, kept_trace=carry_trace(grown, tree), about=about)


def labelled(tree: TreeData, options: C45Options) -> TreeData:
    """Return the tree with the class of each node as the programs find it.

    Sums of fractions may differ in bits that the programs do not look at: the first of classes
    that are equal to them is the answer.
    """
    totals = rounding(options.precision)(tree.nodes.total)
    near = (totals >= totals.max(axis=1, keepdims=True) - options.tolerance).sum(axis=1) > 1
    answers = {
        node: code
        for node in np.flatnonzero(near).tolist()
        if (code := majority(totals[node], options.tolerance)) != tree.values[node]
    }
    return replace(tree, nodes=replace(tree.nodes, answers=answers)) if answers else tree


def record(method: str, settings: dict[str, Any], decisions: list[Decision]) -> dict[str, Any]:
    """Return what a run of pruning did, as a tree keeps it."""
    made = [decision.to_json() for decision in decisions]
    return {"method": method, "options": settings, "measure": "errors", "decisions": made}


def follow(told: list[dict[str, Any]], before: TreeData, after: TreeData) -> None:
    """Say of each decision where its node is now."""
    found = map_nodes(before, after)
    for one in told:
        one["decisions"] = renumber_decisions(one["decisions"], found)


def _options(recipe: Recipe) -> C45Options:
    assert isinstance(recipe.options, C45Options)
    return recipe.options
