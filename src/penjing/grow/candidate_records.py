"""The candidates of nodes as plain data for a trace: counts, measures, the gain at each threshold.

The columns of many nodes are scored together: an operation of NumPy takes about as long for the
thresholds of one column as for those of a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import Criterion
from penjing.criteria.entropy import Entropy, entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.criteria.variance import Variance
from penjing.data.table import Floats
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.search import (
    NO_VALUES,
    Candidates,
    candidates,
    first_best,
    scores_together,
    with_missing_branch,
)
from penjing.tree.counts import TIE, Classes, Counts, Reader, Tally
from penjing.tree.split import BestSplits, Split, midpoints, snap_to_category

CUTS = 200
"""The largest number of thresholds recorded per column; beyond it, the best ones."""
LEVELS = 200
"""Columns with more levels than this are recorded without their counts."""

MEASURES = ("split_information", "entropy_before", "entropy_after", "gini_after")
"""The values of criteria in a record, in this order; a numeric target has only the first."""
NO_SPLITS = Candidates(np.empty((0, 0, 0)), np.empty(0), np.empty((0, 0), np.int64))

Record = dict[str, Any]


class OfferedNode(NamedTuple):
    """The counts of a node, the best splits of its generation, and its position there."""

    tally: Tally
    best_splits: BestSplits
    position: int
    forced: Split | None = None
    """The split that a person chose for the node."""


@dataclass(slots=True)
class _Candidate:
    """One column of one node: what is known of its record, and what is still to be scored.

    Parameters
    ----------
    record : dict
        The record so far.
    counts : Counts
        The counts of the column.
    scored_counts : Counts
        The same; where missing values have a branch, they are one more level.
    splits : Candidates
        The splits to be scored; without any, nothing is.
    best : int or None
        The split that a dialect chose; None for the best by the criterion.
    after : (branches, S) or None
        The sums of the branches of the chosen split.
    refused : (splits,) bool or None
        The splits that constraints refuse; None if they refuse none.
    """

    record: Record
    counts: Counts
    scored_counts: Counts
    splits: Candidates
    best: int | None = None
    after: Floats | None = None
    refused: npt.NDArray[np.bool_] | None = None


def records_of(
    engine: Engine,
    nodes: Iterable[OfferedNode],
    recipe: Recipe,
    *,
    all_cuts: bool = False,
) -> list[list[Record]]:
    """Return the records of every column of these nodes, as plain data.

    Parameters
    ----------
    engine : Engine
        Knows the columns.
    nodes : iterable of OfferedNode
        The nodes.
    recipe : Recipe
        The recipe that the tree was grown by.
    all_cuts : bool
        Record all thresholds of a column, not only the best of many.
    """
    s = engine.reader
    max_cuts = None if all_cuts else CUTS
    of_nodes = [
        [
            _with_refused(_candidate(engine, c, counts, recipe, node), recipe, node)
            for c, counts in node.tally.columns.items()
        ]
        for node in nodes
    ]
    found = [candidate for node in of_nodes for candidate in node]
    open_ones = [candidate for candidate in found if candidate.after is None]
    _choose_by_criterion([c for c in open_ones if c.best is None], recipe, s, max_cuts)
    _add_gains([c for c in open_ones if c.best is not None], recipe, s, max_cuts)
    _add_measures([candidate for candidate in found if candidate.after is not None], s)
    return [[candidate.record for candidate in node] for node in of_nodes]


def threshold_measure(recipe: Recipe, s: Reader) -> Criterion:
    """Return what thresholds of one column are compared by; not gain ratio, even for C4.5."""
    criterion = recipe.measure()
    if criterion.name != "gain_ratio":
        return criterion
    return Entropy() if isinstance(s, Classes) else Variance()


def _candidate(
    engine: Engine, c: int, counts: Counts, recipe: Recipe, node: OfferedNode
) -> _Candidate:
    """Return the candidate of one column in one node, before it is scored."""
    best_splits, i = node.best_splits, node.position
    field, s = engine.schema[c], engine.reader
    record: Record = {"column": c, "missing": json_numbers(counts.missing)}
    values = engine.level_values(c) if field.is_numeric else NO_VALUES
    if node.forced is not None and node.forced.column == c:
        own = _forced_candidate((counts, record), values, node.forced, recipe, s)
        if own is not None:
            return own
    if not recipe.dialect.ranks_by_criterion and not np.isnan(best_splits.gain[i, c]):
        chosen = (
            _dialect_threshold(counts, values, float(best_splits.cut[i, c]), record)
            if field.has_order
            else _dialect_groups(counts, best_splits.groups.get((i, c), ()), record)
        )
        if chosen is not None:
            if best_splits.cut_cost is not None and field.has_order:
                record["penalty"] = float(best_splits.cut_cost[i, c])
            return chosen
    splits = candidates(counts, field, values, recipe.shape, s)
    all_counts = counts
    if recipe.missing == "branch":
        all_counts, splits = with_missing_branch(counts, splits, s)
    return _Candidate(record, counts, all_counts, splits)


def _forced_candidate(
    column: tuple[Counts, Record], values: Floats, split: Split, recipe: Recipe, s: Reader
) -> _Candidate | None:
    """Return the candidate of the split that a person chose; None if it does not divide rows."""
    counts, record = column
    has_missing_branch = recipe.missing == "branch" and bool(s.weight(counts.missing) > 0)
    if split.cut is None:
        candidate = _dialect_groups(counts, split.groups, record)
        if candidate is not None and candidate.after is not None and has_missing_branch:
            _add_after(candidate, np.vstack([candidate.after, counts.missing]))
        return candidate
    candidate = _dialect_threshold(counts, values, split.cut, record)
    if candidate is not None and candidate.after is None and has_missing_branch:
        all_counts, splits = with_missing_branch(counts, candidate.splits, s)
        return _Candidate(record, counts, all_counts, splits, candidate.best)
    return candidate


def _with_refused(candidate: _Candidate, recipe: Recipe, node: OfferedNode) -> _Candidate:
    """Return a candidate with the splits that constraints refuse, and record how many they are."""
    best_splits, i = node.best_splits, node.position
    after = candidate.splits.after
    if best_splits.limits is None or not after.size or after.shape[1] < 2:
        return candidate
    limits, c = best_splits.limits[i], candidate.record["column"]
    if recipe.missing == "direction" and candidate.counts.missing.any() and not limits.excludes(c):
        return candidate  # it depends on the side of the missing values
    refused = limits.refused(c, after[:, 0], after[:, 1])
    if candidate.best is not None:
        refused[candidate.best] = False
    if refused.any():
        candidate.refused = refused
        candidate.record["refused"] = int(refused.sum())
    return candidate


def _dialect_groups(counts: Counts, groups: Sequence[Any], record: Record) -> _Candidate | None:
    """Return the groups of categories that a dialect chose."""
    parts = [counts.cells[np.isin(counts.codes, group)].sum(axis=0) for group in groups]
    if len(parts) < 2:
        return None
    candidate = _Candidate(record, counts, counts, NO_SPLITS)
    _add_after(candidate, np.stack(parts))
    if len(counts.codes) <= LEVELS:
        side = {int(code): b for b, group in enumerate(groups) for code in group}
        codes = [int(code) for code in counts.codes if int(code) in side]
        record |= {"codes": codes, "sides": [side[code] for code in codes]}
    return candidate


def _dialect_threshold(
    counts: Counts, values: Floats, cut: float, record: Record
) -> _Candidate | None:
    """Return the threshold that a dialect chose; the gains of all thresholds are to be computed."""
    is_numeric = values is not NO_VALUES
    places = values[counts.codes] if is_numeric else counts.codes.astype(np.float64)
    below = int((places <= cut).sum())
    if below == len(places) and np.isinf(cut):  # a split into known and missing values
        candidate = _Candidate(record, counts, counts, NO_SPLITS)
        _add_after(candidate, np.stack([counts.known, counts.missing]))
        record |= _threshold_gains(np.array([cut]), np.zeros(1), 0, None)
        return candidate
    if not 0 < below < len(places):
        return None
    known = counts.known
    low = counts.cells.cumsum(axis=0)[:-1]
    cuts = midpoints(places) if is_numeric else places[:-1].copy()
    cuts[below - 1] = cut if is_numeric else snap_to_category(cut)
    splits = Candidates(np.stack([low, known - low], axis=1), cuts, np.empty((0, 0), np.int64))
    return _Candidate(record, counts, counts, splits, below - 1)


def _choose_by_criterion(
    found: Sequence[_Candidate], recipe: Recipe, s: Reader, max_cuts: int | None
) -> None:
    """Score the splits of these columns, and complete the records with the best of each."""
    if not found:
        return
    criterion = recipe.measure()
    offered = [(c.scored_counts, c.splits) for c in found]
    scores = scores_together(criterion, offered, s, recipe.min_branch)
    known = np.stack([counts.known for counts, _ in offered])
    slacks = (np.asarray(criterion.impurity(known, s)) * TIE).tolist()
    for candidate, scored, slack in zip(found, scores, slacks, strict=True):
        record, counts, splits = candidate.record, candidate.counts, candidate.splits
        if candidate.refused is not None:
            scored[candidate.refused] = np.nan
        if not scored.size or np.isnan(scored).all():
            record["known"] = json_numbers(counts.known)
            continue
        best = first_best(scored, slack)
        _add_after(candidate, splits.after[best])
        if splits.cuts.size:
            record |= _threshold_gains(splits.cuts, scored, best, max_cuts)
        elif len(counts.codes) <= LEVELS:
            record |= {"codes": counts.codes.tolist(), "sides": splits.sides[best].tolist()}


def _add_gains(
    found: Sequence[_Candidate], recipe: Recipe, s: Reader, max_cuts: int | None
) -> None:
    """Complete the records of thresholds that are chosen with the gains of all thresholds."""
    measure = threshold_measure(recipe, s)
    gains = scores_together(measure, [(c.scored_counts, c.splits) for c in found], s)
    for candidate, gained in zip(found, gains, strict=True):
        assert candidate.best is not None
        _add_after(candidate, candidate.splits.after[candidate.best])
        if candidate.refused is not None:
            gained[candidate.refused] = np.nan
        penalty = candidate.record.pop("penalty", None)
        candidate.record |= _threshold_gains(
            candidate.splits.cuts, gained, candidate.best, max_cuts
        )
        if penalty is not None:
            candidate.record["penalty"] = penalty


def _add_after(candidate: _Candidate, after: Floats) -> None:
    """Record the sums of the branches; the measures follow for all columns at once."""
    candidate.after = after
    candidate.record["after"] = [json_numbers(part) for part in after]
    candidate.record |= dict.fromkeys(MEASURES)


def _add_measures(found: Sequence[_Candidate], s: Reader) -> None:
    """Fill in the values of all criteria, together for splits with equally many branches."""
    by_branches: dict[int, list[_Candidate]] = {}
    for candidate in found:
        assert candidate.after is not None
        by_branches.setdefault(len(candidate.after), []).append(candidate)
    for group in by_branches.values():
        values = measures(np.stack([c.after for c in group if c.after is not None]), s)
        for name in MEASURES:
            if name not in values:
                for candidate in group:
                    del candidate.record[name]
                continue
            for candidate, value in zip(group, values[name].tolist(), strict=True):
                candidate.record[name] = value


def measures(after: Floats, s: Reader) -> dict[str, Floats]:
    """Return the values of all criteria for each split.

    Parameters
    ----------
    after : (splits, branches, S)
        The sums of the branches.
    s : Reader
        Interprets the sums.
    """
    weight = s.weight(after)
    share = weight / weight.sum(axis=-1, keepdims=True)
    values = {"split_information": entropy_bits(weight)}
    if isinstance(s, Classes):
        values["entropy_before"] = entropy_bits(after.sum(axis=1))
        values["entropy_after"] = (share * entropy_bits(after)).sum(axis=-1)
        values["gini_after"] = (share * gini_impurity(after)).sum(axis=-1)
    return values


def _threshold_gains(cuts: Floats, scored: Floats, best: int, max_cuts: int | None) -> Record:
    if np.isinf(cuts[best]):  # known and missing values: there is no threshold
        return {"cut": None, "n_cuts": 0, "cuts": [], "gains": []}
    cut, n_cuts = float(cuts[best]), len(cuts)
    if max_cuts is not None and n_cuts > max_cuts:
        places = np.sort(np.argsort(-np.nan_to_num(scored), kind="stable")[:max_cuts])
        cuts, scored = cuts[places], scored[places]
    gains = scored.tolist()
    if np.isnan(scored).any():
        gains = [json_number(gain) for gain in gains]
    return {"cut": cut, "n_cuts": n_cuts, "cuts": cuts.tolist(), "gains": gains}


def json_numbers(total: Floats) -> list[float | int]:
    """Return sums for JSON: whole numbers as integers."""
    return [int(v) if v.is_integer() else v for v in np.asarray(total, np.float64).tolist()]


def json_number(value: float) -> float | None:
    """Return a float for JSON: None for NaN."""
    return None if math.isnan(value) else float(value)
