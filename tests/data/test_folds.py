"""Rows held out for testing and folds: every row once, every class evenly, by the seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penjing.data.folds import Fold, folds, hold_out
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError, DataError
from strategies import tables


def rows_of(table: Table) -> list[int]:
    return table.row_numbers.tolist()


@given(tables(max_rows=40), st.floats(0.01, 0.99), st.integers(0, 5))
def test_a_share_is_held_out_of_each_class(table, share, seed):
    assume(table.n_rows > 1)
    train, held_out = hold_out(table, share, seed)
    n = table.n_rows
    assert sorted(rows_of(train) + rows_of(held_out)) == list(range(1, n + 1))
    assert rows_of(train) == sorted(rows_of(train))
    sizes = np.bincount(table.target.codes)
    out = np.bincount(held_out.target.codes, minlength=len(sizes))
    wanted = min(max(math.floor(n * share + 0.5), 1), n - 1)
    assert held_out.n_rows == wanted
    room = int(np.maximum(sizes - 1, 0).sum())
    if room >= wanted:  # every class keeps a row for training
        assert (out[sizes > 0] < sizes[sizes > 0]).all()
    if room >= wanted and (sizes * (1 - share) >= 1)[sizes > 0].all():
        assert (np.abs(out - sizes * share) < 2).all()
    assert rows_of(hold_out(table, share, seed)[1]) == rows_of(held_out)


@given(tables(max_rows=40), st.integers(2, 7), st.integers(0, 5))
def test_folds_share_out_every_row_once_and_every_class_evenly(table, k, seed):
    assume(table.n_rows >= k)
    pairs = folds(table, k, seed)
    assert sorted(r for _, out in pairs for r in rows_of(out)) == list(range(1, table.n_rows + 1))
    sizes = [out.n_rows for _, out in pairs]
    assert max(sizes) - min(sizes) <= 1
    per_class = np.stack([np.bincount(out.target.codes, minlength=4) for _, out in pairs])
    assert (per_class.max(axis=0) - per_class.min(axis=0) <= 1).all()
    for which, (train, out) in enumerate(pairs):
        assert not set(rows_of(train)) & set(rows_of(out))
        again = Fold(k, which, seed).of(table)
        assert [rows_of(part) for part in again] == [rows_of(train), rows_of(out)]


def test_the_same_seed_takes_the_same_rows_everywhere():
    table = Table((), nominal("y", ["a"] * 8 + ["b"] * 4), 12)
    assert rows_of(hold_out(table, 0.5, seed=0)[1]) == [2, 3, 4, 7, 9, 12]
    assert rows_of(hold_out(table, 0.5, seed=1)[1]) == [3, 5, 6, 8, 10, 12]
    assert [rows_of(out) for _, out in folds(table, 3, seed=7)] == [
        *([1, 6, 7, 11], [2, 3, 4, 10], [5, 8, 9, 12]),
    ]


def test_leaving_one_out_goes_by_the_order_of_rows():
    table = Table((), nominal("y", "abab"), 4)
    assert [rows_of(out) for _, out in folds(table, 4, seed=3)] == [[1], [2], [3], [4]]


def test_a_share_next_to_one_leaves_a_row():
    table = Table((), nominal("y", "aabbb"), 5)
    train, held_out = hold_out(table, 1 - 2**-53)
    assert (train.n_rows, held_out.n_rows) == (1, 4)


def test_a_number_is_divided_without_classes():
    table = Table((), numeric("y", np.arange(10.0)), 10)
    train, held_out = hold_out(table, 0.3)
    assert (train.n_rows, held_out.n_rows) == (7, 3)


def test_wrong_shares_folds_and_seeds_are_told():
    table = Table((), nominal("y", "abab"), 4)
    for share in (0, 1, 1.5, -0.1, "0.3", True, float("nan")):
        with pytest.raises(ChoiceError, match="between 0 and 1"):
            hold_out(table, share)
    with pytest.raises(DataError, match="1 row is too few"):
        hold_out(table.take([0]), 0.5)
    for k in (1, 5, 2.0, True, "3"):
        with pytest.raises(ChoiceError, match="4 rows cannot be split"):
            folds(table, k)
    with pytest.raises(ChoiceError, match="no fold 3 of 3: folds are numbered from 0 to 2"):
        Fold(3, 3).of(table)
    for seed in (-1, 0.5, None):
        with pytest.raises(ChoiceError, match="seed"):
            hold_out(table, 0.5, seed)
