"""The trace: for each node, the candidate splits, the choice, and the reason for a leaf.

A trace is a list of steps, one per visited node. A step is a dict of plain data that is written to
the model file unchanged. Everything shown to users (entropies, ratios, formulas) can be computed
from its counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import gains
from penjing.criteria.entropy import Entropy, entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.criteria.variance import Variance
from penjing.data.table import Floats, Table
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.search import (
    NO_VALUES,
    Choice,
    candidates,
    first_best,
    score,
    with_missing_branch,
)
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader, Tally
from penjing.tree.split import BestSplits, midpoints, snap_to_category
from penjing.tree.tree_data import TreeData

LIMIT = 80_000
"""The largest number of candidates (nodes x columns) in a trace: 2,000 nodes of 40 columns."""
CUTS = 200
"""The largest number of thresholds recorded per column; beyond it, the best ones."""
LEVELS = 200
"""Columns with more levels than this are recorded without their counts."""
TIES = 1_000
"""The largest number of ties that are recorded."""
AUTO = "auto"
"""Record a trace where it costs little compared with reading the table and growing."""
FREE_COLUMNS = 3_000
"""This many candidates (nodes x columns) are always traced; it takes about a second."""
CELLS = 150
"""Each such number of cells in the table allows one more candidate; reading them takes as long."""
ROWS = 2_000
"""Counting this many rows of a column takes as long as scoring the column once."""
MAX_CELLS = 2_000_000
"""No trace is recorded by default for a table with more cells than this."""


class Trace:
    """Collects the steps while a tree grows.

    Parameters
    ----------
    limit : int
        The largest number of candidates; with 0 only ties are recorded.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._n_remaining = limit
        self._is_recording = limit > 0
        self._is_truncated = False
        self._steps: dict[int, dict[str, Any]] = {}
        self._ties: list[dict[str, Any]] = []
        self._n_ties = 0

    def stops(self, reasons: Mapping[int, str]) -> None:
        """Record which nodes became leaves, and why."""
        if self._is_recording:
            for node, reason in reasons.items():
                self._steps.setdefault(node, {"node": node})["stop"] = reason

    def candidates(
        self,
        engine: Engine,
        builder: TreeBuilder,
        searched: tuple[Sequence[int], BestSplits, Sequence[Choice]],
        recipe: Recipe,
    ) -> None:
        """Record the best candidate of each column in each node, and the choice."""
        nodes, best_splits, choices = searched
        for node, choice in zip(nodes, choices, strict=True):
            split = choice.split
            if split is not None and split.total_gain >= recipe.min_gain and choice.tied:
                self._n_ties += 1
                if len(self._ties) < TIES:
                    tie = {"columns": list(choice.tied), "score": split.score}
                    self._ties.append({"node": node} | tie)
        if not self._is_recording:
            return
        max_nodes = max(self._n_remaining // max(len(engine.schema), 1), 0 if self._steps else 1)
        recorded = list(nodes[:max_nodes])
        self._is_truncated |= len(recorded) < len(nodes)
        self._n_remaining -= len(recorded) * len(engine.schema)
        scores = scores_of(best_splits, recipe)
        for i, tally in enumerate(engine.tally(builder, recorded)):
            step = {"node": recorded[i]} | candidates_step(
                engine, tally, (best_splits, scores, i), recipe
            )
            split = choices[i].split
            if split is None:
                step["stop"] = "alike"
            elif split.total_gain < recipe.min_gain:
                step["stop"] = "min_gain"
            step["chosen"] = None if split is None else split.column
            step["tied"] = list(choices[i].tied)
            self._steps[recorded[i]] = step

    def finish(self, growth: TreeBuilder, engine: Engine, recipe: Recipe) -> TreeData:
        """Return the grown tree with its trace, every step under its final node number."""
        about: dict[str, Any] = {"n_ties": self._n_ties}
        centre = 0.0 if isinstance(engine.reader, Classes) else engine.reader.centre
        tree, new_id = growth.finish(engine.schema, engine.target, centre, recipe.settings(), about)
        about["ties"] = [
            tie | {"node": new_id[tie["node"]]}
            for tie in self._ties
            if tie["node"] in new_id and growth.split(tie["node"]) is not None
        ]
        if self._is_recording:
            for node, step in self._steps.items():
                if step.get("chosen") is not None and growth.split(node) is None:
                    step.setdefault("stop", "max_leaves")  # it had a split, but no leaves were left
            steps = [s | {"node": new_id[n]} for n, s in self._steps.items() if n in new_id]
            steps.sort(key=lambda step: int(step["node"]))
            kept = {"steps": steps, "is_whole": not self._is_truncated}
            return replace(tree, kept_trace=kept)
        return tree


def trace_is_cheap(grown: TreeData | None, table: Table) -> bool:
    """Whether a trace takes about as long as reading the table and growing the tree, or less.

    A trace is computed in Python, which scores every column of every impure node again. That work
    is estimated from the tree that C++ grew, before pruning; None is a tree that only Python can
    grow, for which the trace is the smaller part. Nothing is timed, so the result depends on the
    table only.
    """
    n_columns, n_cells = len(table.columns), table.n_rows * len(table.columns)
    if grown is None or n_cells > MAX_CELLS:
        return n_cells <= MAX_CELLS
    allowed = FREE_COLUMNS + n_cells / CELLS
    impure = _not_pure(grown)
    if n_columns * len(impure) > allowed:  # avoids the work below
        return False
    rows = _rows(grown, table)
    return n_columns * (len(impure) + float(rows[impure].sum()) / ROWS) <= allowed


def _not_pure(tree: TreeData) -> npt.NDArray[np.intp]:
    """Return the nodes for which splits were searched, or may have been."""
    if tree.is_regression:
        return np.flatnonzero(~tree.is_leaf | (tree.losses > 0))
    return np.flatnonzero((tree.nodes.total > 0).sum(axis=1) > 1)


def _rows(tree: TreeData, table: Table) -> Floats:
    """Return the approximate number of rows in each node.

    Fractional cases count in every branch, whatever their weight there.
    """
    weight, parent, column = tree.weight, tree.nodes.parent.tolist(), tree.nodes.column.tolist()
    missing_share = [column.n_missing / table.n_rows for column in table.columns]
    if tree.recipe.get("missing") != "fraction":
        missing_share = [0.0] * len(missing_share)
    rows = np.full(tree.n_nodes, float(table.n_rows))
    for node in range(1, tree.n_nodes):
        up = parent[node]
        part = float(weight[node] / weight[up]) if weight[up] > 0 else 0.0
        fraction = missing_share[column[up]]
        rows[node] = rows[up] * (fraction + (1 - fraction) * part)
    return rows


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
    if not 0 < below < len(places):  # a split into known and missing values
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
