"""What was offered, chosen, refused, and why: induction as plain data.

A trace is a list of steps, one per node that was visited, each a dict of plain values that goes
into the model file as it is. All that a person is shown (entropies, ratios, formulas) can be
computed from the counts kept here.
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
from penjing.registry import load
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Counts, Reader, Tally
from penjing.tree.split import Offers, midpoints, snap_to_category
from penjing.tree.tree_data import TreeData

LIMIT = 80_000
"""How many candidates (nodes x columns) are kept; 2,000 nodes of 40 columns."""
CUTS = 200
"""How many cuts of a numeric column are kept; beyond it, the best ones."""
LEVELS = 200
"""How many levels of a nominal column are kept with their counts."""
TIES = 1_000
"""How many ties are kept."""
AUTO = "auto"
"""Keep the trace where that costs little beside reading the table and growing the tree."""
FREE_COLUMNS = 3_000
"""So many columns of nodes are always weighed again for a trace; about a second's work."""
CELLS = 150
"""For so many cells of a table one more; reading them takes as long."""
ROWS = 2_000
"""Counting so many rows of a column takes as long as weighing the column once."""
MAX_CELLS = 2_000_000
"""Of a table with more cells than this no trace is kept, whatever its tree looks like."""


class Trace:
    """Collects the steps of one growth.

    Parameters
    ----------
    limit : int
        How many candidates may be kept. With 0 only the ties are.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._left = limit
        self._keep = limit > 0
        self._cut_short = False
        self._steps: dict[int, dict[str, Any]] = {}
        self._ties: list[dict[str, Any]] = []
        self._n_ties = 0

    def stops(self, reasons: Mapping[int, str]) -> None:
        """Record which nodes became leaves, and why."""
        if self._keep:
            for node, reason in reasons.items():
                self._steps.setdefault(node, {"node": node})["stop"] = reason

    def candidates(
        self,
        engine: Engine,
        growth: TreeBuilder,
        asked: tuple[Sequence[int], Offers, Sequence[Choice]],
        recipe: Recipe,
    ) -> None:
        """Record what each column of each node offered, and what was chosen."""
        nodes, offers, choices = asked
        for node, choice in zip(nodes, choices, strict=True):
            split = choice.split
            if split is not None and split.total_gain >= recipe.min_gain and choice.tied:
                self._n_ties += 1
                if len(self._ties) < TIES:
                    tie = {"columns": list(choice.tied), "score": split.score}
                    self._ties.append({"node": node} | tie)
        if not self._keep:
            return
        room = max(self._left // max(len(engine.schema), 1), 0 if self._steps else 1)
        kept = list(nodes[:room])
        self._cut_short |= len(kept) < len(nodes)
        self._left -= len(kept) * len(engine.schema)
        scores = scores_of(offers, recipe)
        for i, tally in enumerate(engine.tally(growth, kept)):
            step = {"node": kept[i]} | candidates_step(engine, tally, (offers, scores, i), recipe)
            split = choices[i].split
            if split is None:
                step["stop"] = "alike"
            elif split.total_gain < recipe.min_gain:
                step["stop"] = "min_gain"
            step["chosen"] = None if split is None else split.column
            step["tied"] = list(choices[i].tied)
            self._steps[kept[i]] = step

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
        if self._keep:
            for node, step in self._steps.items():
                if step.get("chosen") is not None and growth.split(node) is None:
                    step.setdefault("stop", "max_leaves")  # it waited, and no room was left
            steps = [s | {"node": new_id[n]} for n, s in self._steps.items() if n in new_id]
            steps.sort(key=lambda step: int(step["node"]))
            kept = {"steps": steps, "is_whole": not self._cut_short}
            return replace(tree, kept_trace=kept)
        return tree


def trace_is_cheap(grown: TreeData | None, table: Table) -> bool:
    """Say whether the trace of a tree takes no longer, about, than reading its table and growing.

    A trace is made in Python: every column of every node that was not pure is weighed again.
    That work is estimated here from the tree as C++ grew it, before it is pruned; None stands
    for one that only Python can grow, of which the trace is the smaller part. Nothing is
    measured, so that the same table always gets the same answer.
    """
    n_columns, n_cells = len(table.columns), table.n_rows * len(table.columns)
    if grown is None or n_cells > MAX_CELLS:
        return n_cells <= MAX_CELLS
    allowed = FREE_COLUMNS + n_cells / CELLS
    weighed = _not_pure(grown)
    if n_columns * len(weighed) > allowed:  # before any node is looked at
        return False
    rows = _rows(grown, table)
    return n_columns * (len(weighed) + float(rows[weighed].sum()) / ROWS) <= allowed


def _not_pure(tree: TreeData) -> npt.NDArray[np.intp]:
    """Return the nodes whose columns were looked at, or might have been."""
    if tree.is_regression:
        return np.flatnonzero(~tree.is_leaf | (tree.losses > 0))
    return np.flatnonzero((tree.nodes.total > 0).sum(axis=1) > 1)


def _rows(tree: TreeData, table: Table) -> Floats:
    """Return how many rows each node looked at, about.

    Rows that are shared out count in every branch, however little they weigh there.
    """
    weight, parent, asked = tree.weight, tree.nodes.parent.tolist(), tree.nodes.column.tolist()
    shared = [column.n_missing / table.n_rows for column in table.columns]
    if tree.recipe.get("missing") != "fraction":
        shared = [0.0] * len(shared)
    rows = np.full(tree.n_nodes, float(table.n_rows))
    for node in range(1, tree.n_nodes):
        above = parent[node]
        part = float(weight[node] / weight[above]) if weight[above] > 0 else 0.0
        lost = shared[asked[above]]
        rows[node] = rows[above] * (lost + (1 - lost) * part)
    return rows


def candidates_step(
    engine: Engine, tally: Tally, offered: tuple[Offers, Floats, int], recipe: Recipe
) -> dict[str, Any]:
    """Return what every column offered in one node, and the average by which they are screened.

    ``offered`` are the offers of a generation, the scores of all of them, and which node it is.
    """
    offers, scores, i = offered
    step: dict[str, Any] = {}
    if recipe.criterion == "gain_ratio":
        taking = ~np.isnan(offers.gain[i])
        counted = getattr(offers, "counted", None)
        if counted is not None and (taking & counted).any():
            taking &= counted
        step["average_gain"] = json_number(
            offers.gain[i][taking].mean() if taking.any() else np.nan
        )
    step["candidates"] = [
        candidate_record(engine, c, counts, recipe, (offers, i))
        | {"score": json_number(scores[i, c]), "gain": json_number(offers.gain[i, c])}
        for c, counts in tally.columns.items()
    ]
    return step


def scores_of(offers: Offers, recipe: Recipe) -> Floats:
    """Return by what columns are compared, as the rules of the recipe have it."""
    own = getattr(load("dialect", recipe.rules), "scores", None)
    if own is not None:
        return np.asarray(own(offers, recipe))
    return recipe.measure().between(offers)


def candidate_record(
    engine: Engine, c: int, counts: Counts, recipe: Recipe, offered: tuple[Offers, int]
) -> dict[str, Any]:
    """Return all that can be said of one column in one node, as plain data."""
    offers, i = offered
    field, s = engine.schema[c], engine.reader
    if recipe.rules != "textbook" and not np.isnan(offers.gain[i, c]):
        own = _offered(engine, c, counts, offers, i)
        if own is not None:
            if getattr(recipe.options, "cut_cost", False) and field.has_order:
                weight = float(s.weight(counts.known) + s.weight(counts.missing))
                own["penalty"] = float(np.log2(offers.n_candidates[i, c])) / weight
                costs: Floats | None = getattr(offers, "cost", None)  # C5.0's depend on the gap
                own["penalty"] = own["penalty"] if costs is None else float(costs[i, c])
            return own
    values = engine.level_values(c) if field.is_numeric else NO_VALUES
    found = candidates(counts, field, values, recipe.shape, s)
    whole = counts
    if recipe.missing == "branch":
        whole, found = with_missing_branch(counts, found, s)
    scored = score(recipe.measure(), whole, found, recipe, s)
    told: dict[str, Any] = {"column": c, "missing": json_numbers(counts.missing)}
    if not scored.size or np.isnan(scored).all():
        return told | {"known": json_numbers(counts.known)}
    scale = float(recipe.measure().impurity(whole.known, s))
    best = first_best(scored, scale * TIE)
    told |= {"after": [json_numbers(part) for part in found.after[best]]} | measures(
        found.after[best], s
    )
    if found.cuts.size:
        told |= _curve(found.cuts, scored, best)
    elif len(counts.codes) <= LEVELS:
        told["codes"] = counts.codes.tolist()
        told["sides"] = found.sides[best].tolist()
    return told


def _offered(
    engine: Engine, c: int, counts: Counts, offers: Offers, i: int
) -> dict[str, Any] | None:
    """Return the division that a program's own rules offered, and the curve of all its cuts."""
    field, s = engine.schema[c], engine.reader
    told: dict[str, Any] = {"column": c, "missing": json_numbers(counts.missing)}
    if not field.has_order:
        groups = offers.groups.get((i, c), ())
        parts = [counts.cells[np.isin(counts.codes, group)].sum(axis=0) for group in groups]
        if len(parts) < 2:
            return None
        after = np.stack(parts)
        told |= {"after": [json_numbers(part) for part in after]} | measures(after, s)
        if len(counts.codes) <= LEVELS:
            side = {int(code): b for b, group in enumerate(groups) for code in group}
            codes = [int(code) for code in counts.codes if int(code) in side]
            told |= {"codes": codes, "sides": [side[code] for code in codes]}
        return told
    values = engine.level_values(c) if field.is_numeric else NO_VALUES
    places = values[counts.codes] if field.is_numeric else counts.codes.astype(np.float64)
    cut = float(offers.cut[i, c])
    below = int((places <= cut).sum())
    if not 0 < below < len(places):  # known or not
        return None
    low = counts.cells.cumsum(axis=0)[:-1]
    after = np.stack([low[below - 1], counts.known - low[below - 1]])
    told |= {"after": [json_numbers(part) for part in after]} | measures(after, s)
    every = np.stack([low, counts.known - low], axis=1)
    share = s.weight(counts.known) / (s.weight(counts.known) + s.weight(counts.missing))
    measure = Entropy() if isinstance(s, Classes) else Variance()
    scored = gains(measure, counts.known, every, s) * share
    cuts = midpoints(places) if field.is_numeric else places[:-1].copy()
    cuts[below - 1] = cut if field.is_numeric else snap_to_category(cut)
    return told | _curve(cuts, scored, below - 1)


def measures(after: Floats, s: Reader) -> dict[str, float]:
    """Return what every criterion says of one division, whoever chose it."""
    weight = s.weight(after)
    share = weight / weight.sum()
    said = {"split_information": float(entropy_bits(weight))}
    if isinstance(s, Classes):
        said["entropy_before"] = float(entropy_bits(after.sum(axis=0)))
        said["entropy_after"] = float((share * entropy_bits(after)).sum())
        said["gini_after"] = float((share * gini_impurity(after)).sum())
    return said


def _curve(cuts: Floats, scored: Floats, best: int) -> dict[str, Any]:
    if np.isinf(cuts[best]):  # known, or not: no number, and nothing to compare it with
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
    """Return sums as plain numbers, whole ones as integers."""
    return [int(v) if v == int(v) else v for v in np.asarray(total).tolist()]


def json_number(value: float) -> float | None:
    """Return a float for JSON: None for what is not a number."""
    return None if np.isnan(value) else float(value)
