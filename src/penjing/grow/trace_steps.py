"""The steps of a trace, computed from a tree and its training rows after it was grown.

A step tells what one node saw: the candidate splits, the choice, and the reason for a leaf. It is
a dict of plain data that is written to the model file unchanged. Everything shown to users
(entropies, ratios, formulas) can be computed from its counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from penjing.criteria.criterion import gains
from penjing.criteria.entropy import Entropy, entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.criteria.variance import Variance
from penjing.data.table import Floats
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import (
    NO_VALUES,
    Choice,
    candidates,
    first_best,
    score,
    with_missing_branch,
)
from penjing.grow.surrogates import add_missing_routes
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader, Tally, Totals
from penjing.tree.split import BestSplits, midpoints, snap_to_category
from penjing.tree.steps import Step, StepEntry, Steps
from penjing.tree.tree_data import TreeData

LIMIT = 80_000
"""The largest number of candidates (nodes x columns) in a trace: 2,000 nodes of 40 columns."""
CUTS = 200
"""The largest number of thresholds recorded per column; beyond it, the best ones."""
LEVELS = 200
"""Columns with more levels than this are recorded without their counts."""


class TraceComputer:
    """Computes what the nodes of a tree saw; best splits are found a generation at a time.

    Parameters
    ----------
    engine : Engine
        Counts the training rows.
    tree : TreeData
        The tree: as it was grown, or later, with its final splits.
    recipe : Recipe
        The recipe that the tree was grown by.
    totals : Totals, optional
        The sums of the tree's nodes, if they are known.
    """

    def __init__(
        self, engine: Engine, tree: TreeData, recipe: Recipe, totals: Totals | None = None
    ) -> None:
        self._engine, self._recipe, self.tree = engine, recipe, tree
        self._totals = totals
        self._found: dict[int, tuple[BestSplits, Floats, int, Choice]] = {}
        self._with_depths = _TreeWithDepths(tree)
        self._structure: TreeStructure = self._with_depths if recipe.missing == "branch" else tree
        """What the engine is asked with; always the same object, since engines cache by it."""

    @cached_property
    def stops(self) -> dict[int, str]:
        """The leaves for which no split was searched, and why."""
        tree, reader = self.tree, self._engine.reader
        leaves = np.flatnonzero(tree.is_leaf).tolist()
        totals = self._totals or self._engine.totals(self._structure, range(tree.n_nodes))
        builder = TreeBuilder.from_totals(reader, tree.nodes.parent.tolist(), totals)
        reasons = ((n, self._recipe.dialect.stops(builder, n, self._recipe)) for n in leaves)
        return {n: why for n, why in reasons if why is not None}

    @cached_property
    def searched(self) -> list[int]:
        """The nodes for which splits were searched.

        Where missing values have a branch of their own, a node may be the second half of its
        parent's split: known and missing values were separated first, by the same score.
        """
        tree, nodes = self.tree, self.tree.nodes
        halves: set[int] = set()
        if self._recipe.missing == "branch":
            for node in np.flatnonzero(np.isinf(nodes.cut)).tolist():
                first = int(tree.first_child[node])
                if nodes.column[first] == nodes.column[node] and (
                    nodes.score[first] == nodes.score[node]
                ):
                    halves.add(first)
        return [n for n in range(tree.n_nodes) if n not in self.stops and n not in halves]

    def search(self, nodes: Sequence[int]) -> None:
        """Find the best splits of these nodes, one call of the engine for each generation."""
        depths = self.tree.depths
        wanted = [n for n in nodes if n not in self._found]
        for depth in np.flatnonzero(np.bincount(depths[wanted])).tolist() if wanted else ():
            generation = [n for n in wanted if depths[n] == depth]
            engine, recipe = self._engine, self._recipe
            best_splits = engine.best_splits(self._structure, generation, recipe)
            scores = scores_of(best_splits, recipe)
            choices = self._recipe.dialect.choose(best_splits, recipe)
            for i, node in enumerate(generation):
                self._found[node] = best_splits, scores, i, choices[i]

    def choice(self, node: int) -> Choice:
        """Return the choice of a node by its candidates; its split may be refused later."""
        self.search([node])
        return self._found[node][3]

    def runner_up(self, node: int) -> int | None:
        """Return the column with the best score besides that of the node's split."""
        self.search([node])
        scores = self._found[node][1][self._found[node][2]].copy()
        scores[self.tree.nodes.column[node]] = np.nan
        return None if np.isnan(scores).all() else int(np.nanargmax(scores))

    def steps(self, nodes: Sequence[int]) -> Iterator[Step]:
        """Yield the steps of these nodes, which should be in the order of their numbers."""
        depths = self.tree.depths
        for start, end in _runs(depths[list(nodes)].tolist()):
            generation = list(nodes[start:end])
            searched = [n for n in generation if n not in self.stops]
            self.search(searched)
            tallies = iter(self._engine.tally(self._structure, searched))
            for node in generation:
                if node in self.stops:
                    yield {"node": node, "stop": self.stops[node]}
                else:
                    yield self._step(node, next(tallies))

    def _step(self, node: int, tally: Tally) -> Step:
        best_splits, scores, i, choice = self._found[node]
        recipe = self._recipe
        step = {"node": node} | candidates_step(
            self._engine, tally, (best_splits, scores, i), recipe
        )
        is_leaf = bool(self.tree.is_leaf[node])
        if is_leaf and recipe.missing == "branch":
            (choice,) = add_missing_routes(
                self._engine, self._with_depths, [node], [choice], recipe
            )
        split = choice.split
        if split is None:
            step["stop"] = "alike"
        elif split.total_gain < recipe.min_gain:
            step["stop"] = "min_gain"
        elif is_leaf and (reason := self._recorded_stops.get(node)):
            step["stop"] = reason
        step["chosen"] = None if split is None else split.column
        step["tied"] = list(choice.tied)
        return step

    @cached_property
    def _recorded_stops(self) -> dict[int, str]:
        """The leaves that had a split, and why it was not made: what only growing knows."""
        recorded = self.tree.about.get("stops", {})
        return {int(n): reason for reason, nodes in recorded.items() for n in nodes}


class _TreeWithDepths:
    """The structure of a finished tree, with the depth of each node as a builder has it."""

    def __init__(self, tree: TreeData) -> None:
        self.split, self.parent_of = tree.split, tree.parent_of
        self.children, self.weight_of = tree.children, tree.weight_of
        self._depths = tree.depths

    def depth(self, node: int) -> int:
        """Return the number of splits above a node."""
        return int(self._depths[node])


def _runs(values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of equal values."""
    start = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or values[i] != values[start]:
            yield start, i
            start = i


def with_steps(
    tree: TreeData, engine: Engine, recipe: Recipe, totals: Totals | None = None
) -> TreeData:
    """Return a tree with its trace, whose steps are computed when somebody asks for them.

    Parameters
    ----------
    tree : TreeData
        The tree as it was grown.
    engine : Engine
        Counts the training rows.
    recipe : Recipe
        The recipe that the tree was grown by.
    totals : Totals, optional
        The sums of the tree's nodes, if they are known.
    """
    computer = TraceComputer(engine, tree, recipe, totals)
    most = max(LIMIT // max(len(engine.schema), 1), 1)
    entries = [StepEntry(n, n) for n in computer.searched[:most]]
    entries += [StepEntry(n, n, is_stop=True) for n in computer.stops]
    steps = Steps(computer.steps, sorted(entries))
    return replace(tree, kept_trace={"steps": steps, "is_whole": len(computer.searched) <= most})


def candidates_step(
    engine: Engine, tally: Tally, offered: tuple[BestSplits, Floats, int], recipe: Recipe
) -> dict[str, Any]:
    """Return the candidates of one node and, for gain ratio, the average gain they must reach.

    ``offered`` holds the best candidates of a generation, their scores, and the node's position.
    """
    best_splits, scores, i = offered
    step: dict[str, Any] = {}
    if recipe.criterion == "gain_ratio":
        is_averaged = ~np.isnan(best_splits.gain[i])
        counted = best_splits.counted
        if counted is not None and (is_averaged & counted).any():
            is_averaged &= counted
        step["average_gain"] = json_number(
            best_splits.gain[i][is_averaged].mean() if is_averaged.any() else np.nan
        )
    step["candidates"] = [
        candidate_record(engine, c, counts, recipe, (best_splits, i))
        | {"score": json_number(scores[i, c]), "gain": json_number(best_splits.gain[i, c])}
        for c, counts in tally.columns.items()
    ]
    return step


def scores_of(best_splits: BestSplits, recipe: Recipe) -> Floats:
    """Return the scores by which the dialect of the recipe compares columns."""
    return np.asarray(recipe.dialect.scores(best_splits, recipe))


def candidate_record(
    engine: Engine, c: int, counts: Counts, recipe: Recipe, offered: tuple[BestSplits, int]
) -> dict[str, Any]:
    """Return the record of one column in one node, as plain data."""
    best_splits, i = offered
    field, s = engine.schema[c], engine.reader
    if not recipe.dialect.ranks_by_criterion and not np.isnan(best_splits.gain[i, c]):
        record_of_dialect = _dialect_candidate(engine, c, counts, best_splits, i)
        if record_of_dialect is not None:
            if best_splits.cut_cost is not None and field.has_order:
                record_of_dialect["penalty"] = float(best_splits.cut_cost[i, c])
            return record_of_dialect
    values = engine.level_values(c) if field.is_numeric else NO_VALUES
    splits = candidates(counts, field, values, recipe.shape, s)
    all_counts = counts
    if recipe.missing == "branch":
        all_counts, splits = with_missing_branch(counts, splits, s)
    scored = score(recipe.measure(), all_counts, splits, recipe, s)
    record: dict[str, Any] = {"column": c, "missing": json_numbers(counts.missing)}
    if not scored.size or np.isnan(scored).all():
        return record | {"known": json_numbers(counts.known)}
    scale = float(recipe.measure().impurity(all_counts.known, s))
    best = first_best(scored, scale * TIE)
    record |= {"after": [json_numbers(part) for part in splits.after[best]]} | measures(
        splits.after[best], s
    )
    if splits.cuts.size:
        record |= _threshold_gains(splits.cuts, scored, best)
    elif len(counts.codes) <= LEVELS:
        record["codes"] = counts.codes.tolist()
        record["sides"] = splits.sides[best].tolist()
    return record


def _dialect_candidate(
    engine: Engine, c: int, counts: Counts, best_splits: BestSplits, i: int
) -> dict[str, Any] | None:
    """Return the candidate that a dialect chose, and the gains of all thresholds."""
    field, s = engine.schema[c], engine.reader
    record: dict[str, Any] = {"column": c, "missing": json_numbers(counts.missing)}
    if not field.has_order:
        groups = best_splits.groups.get((i, c), ())
        parts = [counts.cells[np.isin(counts.codes, group)].sum(axis=0) for group in groups]
        if len(parts) < 2:
            return None
        after = np.stack(parts)
        record |= {"after": [json_numbers(part) for part in after]} | measures(after, s)
        if len(counts.codes) <= LEVELS:
            side = {int(code): b for b, group in enumerate(groups) for code in group}
            codes = [int(code) for code in counts.codes if int(code) in side]
            record |= {"codes": codes, "sides": [side[code] for code in codes]}
        return record
    values = engine.level_values(c) if field.is_numeric else NO_VALUES
    places = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    cut = float(best_splits.cut[i, c])
    below = int((places <= cut).sum())
    if below == len(places) and np.isinf(cut):  # a split into known and missing values
        after = np.stack([counts.known, counts.missing])
        record |= {"after": [json_numbers(part) for part in after]} | measures(after, s)
        return record | _threshold_gains(np.array([cut]), np.zeros(1), 0)
    if not 0 < below < len(places):
        return None
    low = counts.cells.cumsum(axis=0)[:-1]
    after = np.stack([low[below - 1], counts.known - low[below - 1]])
    record |= {"after": [json_numbers(part) for part in after]} | measures(after, s)
    all_splits = np.stack([low, counts.known - low], axis=1)
    share = s.weight(counts.known) / (s.weight(counts.known) + s.weight(counts.missing))
    measure = Entropy() if isinstance(s, Classes) else Variance()
    scored = gains(measure, counts.known, all_splits, s) * share
    cuts = midpoints(places) if field.is_numeric else places[:-1].copy()
    cuts[below - 1] = cut if field.is_numeric else snap_to_category(cut)
    return record | _threshold_gains(cuts, scored, below - 1)


def measures(after: Floats, s: Reader) -> dict[str, float]:
    """Return the values of all criteria for one split."""
    weight = s.weight(after)
    share = weight / weight.sum()
    values = {"split_information": float(entropy_bits(weight))}
    if isinstance(s, Classes):
        values["entropy_before"] = float(entropy_bits(after.sum(axis=0)))
        values["entropy_after"] = float((share * entropy_bits(after)).sum())
        values["gini_after"] = float((share * gini_impurity(after)).sum())
    return values


def _threshold_gains(cuts: Floats, scored: Floats, best: int) -> dict[str, Any]:
    if np.isinf(cuts[best]):  # known and missing values: there is no threshold
        return {"cut": None, "n_cuts": 0, "cuts": [], "gains": []}
    places = np.arange(len(cuts))
    if len(cuts) > CUTS:
        places = np.sort(np.argsort(-np.nan_to_num(scored), kind="stable")[:CUTS])
    return {
        "cut": float(cuts[best]),
        "n_cuts": len(cuts),
        "cuts": [float(cuts[p]) for p in places],
        "gains": [json_number(scored[p]) for p in places],
    }


def json_numbers(total: Floats) -> list[float | int]:
    """Return sums for JSON: whole numbers as integers."""
    return [int(v) if v == int(v) else v for v in np.asarray(total).tolist()]


def json_number(value: float) -> float | None:
    """Return a float for JSON: None for NaN."""
    return None if np.isnan(value) else float(value)
