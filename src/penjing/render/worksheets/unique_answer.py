"""Whether a tree is clearly the only answer: no ties, and no scores that rounding could swap."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.table import Floats, Table

Step = Mapping[str, Any]

MARGIN = 0.02
"""The smallest difference between the best score and the next, far above rounding by hand."""
MIN_SPLIT_MARGIN = 0.01
"""The same for thresholds and groups inside of a column, and for the average gain."""


def has_unique_answer(steps: Sequence[Step], table: Table) -> bool:
    """Return whether every split and every prediction of a tree is clearly the only right one.

    Parameters
    ----------
    steps : sequence of dict
        The step of each node with ``row_numbers``, as :func:`penjing.explain.node.story` returns
        them.
    table : Table
        The training rows, numbered from 1.

    Examples
    --------
    >>> import penjing
    >>> from penjing.explain.node import story
    >>> fish, tennis = penjing.example("fish"), penjing.example("play_tennis")
    >>> [has_unique_answer(story(penjing.fit(t), t), t) for t in (fish, tennis)]
    [True, True]
    >>> melons = penjing.example("watermelon2.0")  # a tie below the root
    >>> has_unique_answer(story(penjing.fit(melons), melons), melons)
    False
    """
    return all(_is_clear(step, table) for step in steps)


def _is_clear(step: Step, table: Table) -> bool:
    if step["question"] is None:
        first, second = sorted(step["total"], reverse=True)[:2]
        return bool(first > second)
    if len(step["tied"]) > 1 or step["empty"]:
        return False
    candidates = [c for c in step["candidates"] if c["gain"] is not None]
    scores = sorted(c["score"] for c in candidates if c["score"] is not None)
    if len(scores) > 1 and scores[-1] - scores[-2] < MARGIN:
        return False
    if step["criterion"] == "gain_ratio" and len(candidates) > 1:
        distances = [abs(c["gain"] - step["average_gain"]) for c in candidates]
        if min(distances) < MIN_SPLIT_MARGIN:
            return False
    return all(_has_clear_split(c, step, table) for c in candidates)


def _has_clear_split(candidate: Mapping[str, Any], step: Step, table: Table) -> bool:
    """Return whether no other threshold or group of a column is nearly as good."""
    if "cut" in candidate:
        gains = sorted(gain for gain in candidate["gains"] if gain is not None)
        return len(gains) < 2 or gains[-1] - gains[-2] >= MIN_SPLIT_MARGIN
    counts = _category_counts(candidate["column"], step["row_numbers"], table)
    if len(counts) == len(candidate["branches"]):
        return True
    impurity = gini_impurity if step["criterion"] == "gini" else entropy_bits
    groups = itertools.product((False, True), repeat=len(counts) - 1)
    masks = [np.array([False, *group]) for group in groups if any(group)]
    after = []
    for mask in masks:
        parts = np.array([counts[mask].sum(axis=0), counts[~mask].sum(axis=0)])
        sizes = parts.sum(axis=1)
        after.append(float((sizes * impurity(parts)).sum() / sizes.sum()))
    best, second = sorted(after)[:2]
    return second - best >= MIN_SPLIT_MARGIN


def _category_counts(name: str, row_numbers: Sequence[int], table: Table) -> Floats:
    """Return the class counts of each category of a column that some of the rows have."""
    assert table.target is not None
    rows = np.asarray(row_numbers) - 1
    _, categories = np.unique(table.column(name).codes[rows], return_inverse=True)
    counts = np.zeros((categories.max() + 1, len(table.target.levels)))
    np.add.at(counts, (categories, table.target.codes[rows]), 1)
    return counts
