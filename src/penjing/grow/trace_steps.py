"""The steps of a trace, computed from a tree and its training rows after it was grown.

A step tells what one node saw: the candidate splits, the choice, and the reason for a leaf. It is
a dict of plain data that is written to the model file unchanged. Everything shown to users
(entropies, ratios, formulas) can be computed from its counts.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.grow.candidate_records import OfferedNode, json_number, records_of
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.grow.surrogates import add_missing_routes
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Counts, Tally, Totals
from penjing.tree.forced import forced_nodes
from penjing.tree.split import BestSplits, Split
from penjing.tree.steps import Step, StepEntry, Steps
from penjing.tree.tree_data import TreeData

LIMIT = 80_000
"""The largest number of candidates (nodes x columns) in a trace: 2,000 nodes of 40 columns."""
LEVELS_AT_ONCE = 50_000
"""The candidates of nodes whose columns have about so many levels are scored together."""


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
        self._found: dict[int, _SearchedNodes] = {}
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
        stops = self._recipe.dialect.stops
        reasons = ((n, stops(builder, n, self._recipe)) for n in leaves)
        return {n: why for n, why in reasons if why is not None}

    @cached_property
    def halves(self) -> set[int]:
        """The nodes that are the second half of their parent's split.

        Where missing values have a branch of their own, known and missing values are separated
        first; the known ones are then split by the same candidate, and nothing is chosen.
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
        return halves

    @cached_property
    def _forced(self) -> dict[int, Split]:
        """The splits that a person chose; of missing values apart, the split of the known ones."""
        splits: dict[int, Split] = {}
        for node in forced_nodes(self.tree):
            first = int(self.tree.first_child[node])
            split = self.tree.split(first if first in self.halves else node)
            assert split is not None
            splits[node] = split
        return splits

    @cached_property
    def searched(self) -> list[int]:
        """The nodes for which splits were searched."""
        passed_over = self.halves | self.stops.keys()
        return [n for n in range(self.tree.n_nodes) if n not in passed_over]

    def search(self, nodes: Sequence[int]) -> None:
        """Find the best splits of these nodes, one call of the engine for each generation."""
        depths = self.tree.depths
        wanted = [n for n in nodes if n not in self._found]
        for depth in np.flatnonzero(np.bincount(depths[wanted])).tolist() if wanted else ():
            generation = [n for n in wanted if depths[n] == depth]
            best_splits = self._engine.best_splits(self._structure, generation, self._recipe)
            searched = _SearchedNodes(generation, best_splits, self._recipe)
            self._found |= dict.fromkeys(generation, searched)

    def choice(self, node: int) -> Choice:
        """Return the choice of a node by its candidates; its split may be refused later."""
        self.search([node])
        generation = self._found[node]
        return generation.choices[generation.place(node)[1]]

    def runner_up(self, node: int) -> int | None:
        """Return the column with the best score besides that of the node's split."""
        self.search([node])
        generation = self._found[node]
        scores = generation.scores[generation.place(node)[1]].copy()
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
            for chunk in _chunks(generation, self.stops, tallies):
                yield from self._steps_together(chunk)

    def candidates(self, node: int) -> Step:
        """Return the step of a node; of a leaf that was not searched, what a search would find."""
        self.search([node])
        tally = next(iter(self._engine.tally(self._structure, [node])))
        (step,) = self._steps_together({node: tally})
        if node in self.stops:
            step |= {"stop": self.stops[node], "chosen": None, "tied": []}
        return step

    def column_record(self, node: int, column: int) -> dict[str, Any]:
        """Return the candidate of one column in a node, with all thresholds; also of leaves."""
        self.search([node])
        tally = next(iter(self._engine.tally(self._structure, [node], [column])))
        offered = OfferedNode(tally, *self._found[node].place(node))
        ((record,),) = records_of(self._engine, [offered], self._recipe, all_cuts=True)
        return record

    def column_counts(self, node: int, column: int) -> Counts:
        """Return the sums of each category or value of a column in a node."""
        return next(iter(self._engine.tally(self._structure, [node], [column]))).columns[column]

    def _steps_together(self, nodes: Mapping[int, Tally | None]) -> Iterator[Step]:
        """Yield the steps of nodes of one generation, whose candidates are scored together."""
        offered = [
            OfferedNode(tally, *self._found[n].place(n), self._forced.get(n))
            for n, tally in nodes.items()
            if tally is not None
        ]
        records = iter(records_of(self._engine, offered, self._recipe))
        for node, tally in nodes.items():
            if tally is None:
                yield {"node": node, "stop": self.stops[node]}
            else:
                yield self._step(node, next(records))

    def _step(self, node: int, records: list[dict[str, Any]]) -> Step:
        recipe, generation = self._recipe, self._found[node]
        best_splits, i = generation.place(node)
        step: Step = {"node": node}
        if recipe.criterion == "gain_ratio":
            step["average_gain"] = _averaged_gain(best_splits, i)
        scores, gains = generation.scores[i].tolist(), best_splits.gain[i].tolist()
        for record in records:
            c = record["column"]
            record |= {"score": json_number(scores[c]), "gain": json_number(gains[c])}
            if (forced := self._forced.get(node)) is not None and forced.column == c:
                record["is_best"] = _is_best(forced, best_splits, i)
                record |= {"score": forced.score, "gain": forced.gain}
        if node in self.halves:  # the others were compared in its parent
            records = [r for r in records if r["column"] == self.tree.nodes.column[node]]
        step["candidates"] = records
        choice = generation.choices[i]
        is_leaf = bool(self.tree.is_leaf[node])
        if is_leaf and recipe.missing == "branch":
            (choice,) = add_missing_routes(
                self._engine, self._with_depths, [node], [choice], recipe
            )
        split = choice.split
        if split is None:
            is_refused = any("refused" in record for record in records)
            step["stop"] = "constraints" if is_refused else "alike"
        elif split.total_gain < recipe.min_gain:
            step["stop"] = "min_gain"
        elif is_leaf and (reason := self._recorded_stops.get(node)):
            step["stop"] = reason
        step["chosen"] = None if split is None else split.column
        step["tied"] = list(choice.tied)
        if node in self.halves:
            step |= {"chosen": int(self.tree.nodes.column[node]), "tied": []}
        return step

    @cached_property
    def _recorded_stops(self) -> dict[int, str]:
        """The leaves that had a split, and why it was not made: what only growing knows."""
        recorded = self.tree.about.get("stops", {})
        return {int(n): reason for reason, nodes in recorded.items() for n in nodes}


def _is_best(split: Split, best_splits: BestSplits, i: int) -> bool:
    """Whether a split is the one that the recipe finds for its column in a node."""
    c = split.column
    if split.cut is not None:
        return bool(split.cut == best_splits.cut[i, c])
    groups = best_splits.groups.get((i, c), ())
    return len(groups) == len(split.groups) and all(
        set(np.asarray(found).tolist()) <= set(own.tolist())
        for found, own in zip(groups, split.groups, strict=True)
    )


class _SearchedNodes:
    """Nodes of one generation and their best splits; scores and choices are computed if needed."""

    def __init__(self, nodes: Sequence[int], best_splits: BestSplits, recipe: Recipe) -> None:
        self.best_splits, self._recipe = best_splits, recipe
        self._position = {node: i for i, node in enumerate(nodes)}

    def place(self, node: int) -> tuple[BestSplits, int]:
        """Return the best splits, and the position of a node in them."""
        return self.best_splits, self._position[node]

    @cached_property
    def scores(self) -> Floats:
        """The scores by which the dialect compares columns."""
        return scores_of(self.best_splits, self._recipe)

    @cached_property
    def choices(self) -> list[Choice]:
        """The choice of each node."""
        return self._recipe.dialect.choose(self.best_splits, self._recipe)


class _TreeWithDepths:
    """The structure of a finished tree, with the depth of each node as a builder has it."""

    def __init__(self, tree: TreeData) -> None:
        self.split, self.parent_of = tree.split, tree.parent_of
        self.children, self.weight_of = tree.children, tree.weight_of
        self._depths = tree.depths

    def depth(self, node: int) -> int:
        """Return the number of splits above a node."""
        return int(self._depths[node])


def _chunks(
    nodes: Sequence[int], stops: Container[int], tallies: Iterator[Tally]
) -> Iterator[dict[int, Tally | None]]:
    """Yield some nodes at a time with their tallies, None for a node in ``stops``."""
    chunk: dict[int, Tally | None] = {}
    n_levels = 0
    for node in nodes:
        tally = None if node in stops else next(tallies)
        chunk[node] = tally
        if tally is not None:
            n_levels += sum(len(counts.codes) for counts in tally.columns.values())
        if n_levels >= LEVELS_AT_ONCE:
            yield chunk
            chunk, n_levels = {}, 0
    yield chunk


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


def _averaged_gain(best_splits: BestSplits, i: int) -> float | None:
    """Return the average gain that a column must reach; None if no column can split the node."""
    is_averaged = ~np.isnan(best_splits.gain[i])
    counted = best_splits.counted
    if counted is not None and (is_averaged & counted).any():
        is_averaged &= counted
    return float(best_splits.gain[i][is_averaged].mean()) if is_averaged.any() else None


def scores_of(best_splits: BestSplits, recipe: Recipe) -> Floats:
    """Return the scores by which the dialect of the recipe compares columns."""
    return np.asarray(recipe.dialect.scores(best_splits, recipe))
