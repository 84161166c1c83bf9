"""On every shared data set, the one-leaf point of the pruning curve is the majority baseline."""

from __future__ import annotations

import json

import numpy as np
import pytest

import penjing
from penjing.data.folds import folds
from penjing.data.table import Table
from penjing.errors import CapabilityError
from penjing.evaluate.curves import pruning_curve
from shared import SHARED, shared

INDEX = SHARED / "data" / "index.json"
MAX_ROWS = 2000
"""Larger tables are read in part: every n-th row."""
K = 4


def _data_sets() -> list[tuple[str, str, str]]:
    if not INDEX.exists():
        return []
    index = json.loads(INDEX.read_text("utf-8"))
    return [(name, entry["file"], entry["target"]) for name, entry in index.items()]


def _rows(file: str, target: str) -> Table:
    table = penjing.read(shared(f"data/{file}"), target, quiet=True)
    step = -(-table.n_rows // MAX_ROWS)
    return table.take(np.arange(0, table.n_rows, step)) if step > 1 else table


def _grown(table: Table) -> penjing.Tree:
    try:
        return penjing.fit(table, recipe="rpart", quiet=True)
    except CapabilityError:  # a column of too many categories
        return penjing.fit(table, recipe="c4.5", quiet=True)


def _baseline(table: Table) -> tuple[float, float]:
    """Return the lowest and highest measure of the majority (or mean) of the other folds.

    Of classes that are equally frequent in these, a tree may predict any.
    """
    low = high = total = 0.0
    for train, held_out in folds(table, K, 0):
        weight = held_out.weights
        total += float(weight.sum())
        if table.is_regression:
            mean = np.average(train.target.numbers(), weights=train.weights)
            squares = float(weight @ (held_out.target.numbers() - mean) ** 2)
            low, high = low + squares, high + squares
            continue
        n = len(table.target.levels)
        counts = np.bincount(train.target.codes, train.weights, n)
        correct = np.bincount(held_out.target.codes, weight, n)[counts == counts.max()]
        low, high = low + correct.min(), high + correct.max()
    if table.is_regression:
        return (low / total) ** 0.5, (high / total) ** 0.5
    return low / total, high / total


@pytest.mark.parametrize(("name", "file", "target"), _data_sets())
def test_one_leaf_is_the_majority_baseline(name, file, target):
    table = _rows(file, target)
    tree = _grown(table)
    point = pruning_curve(tree, table, k=K)["points"][-1]
    assert point["leaves"] == 1
    low, high = _baseline(table)
    assert low * (1 - 1e-12) <= point["test"] <= high * (1 + 1e-12), name
    whole = tree.score(table).baseline
    wanted = whole.rmse if table.is_regression else whole.accuracy
    assert point["train"] == pytest.approx(wanted, rel=1e-12)
    if table.is_regression:  # the mean of the other folds is farther off than that of all rows
        assert point["test"] >= point["train"]


def test_all_data_sets_of_the_index_are_tested():
    shared("data/index.json")
    assert len(_data_sets()) > 30
