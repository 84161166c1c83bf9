"""One test: a value in, a branch out; and a cut that always lies between its neighbours."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penjing.data.table import Field, nominal, numeric
from penjing.tree.split import NO_BRANCH, Split, Surrogate, level_text, midpoint, midpoints
from strategies import numbers, ordered

BIG = 1.7976931348623157e308


def groups(*codes: list[int]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(c, np.int32) for c in codes)


@given(numbers, numbers)
@example(-BIG, BIG)
@example(BIG / 2, BIG)
@example(5e-324, 1e-323)
@example(-5e-324, 0.0)
@example(0.0, 5e-324)
@example(-math.inf, math.inf)
def test_a_cut_lies_between_its_neighbours(a, b):
    low, high = sorted((a, b))
    if low == high:
        return
    cut = midpoint(low, high)
    assert low <= cut < high
    if math.isfinite(low) and math.isfinite(high):
        exact = (Fraction(low) + Fraction(high)) / 2
        assert cut == low or abs(Fraction(cut) - exact) <= Fraction(math.ulp(float(exact)))


@given(st.lists(numbers, min_size=1).map(lambda values: sorted(set(values))))
def test_all_cuts_of_a_column_are_made_at_once(values):
    together = midpoints(np.array(values, np.float64))
    assert together.tolist() == [midpoint(a, b) for a, b in pairwise(values)]


def test_a_cut_is_what_one_computes_by_hand():
    assert midpoint(0.36, 0.403) == (0.36 + 0.403) / 2 == 0.3815
    assert midpoint(1.0, math.nextafter(1.0, 2.0)) == 1.0
    assert midpoint(1, 2) == 1.5


@given(st.lists(st.just(math.nan) | numbers, min_size=1), numbers)
def test_a_cut_sends_each_number_by_comparison(values, cut):
    split = Split(0, cut, (), 0.0, 0.0)
    expected = [NO_BRANCH if math.isnan(v) else int(v > cut) for v in values]
    assert split.branches(numeric("x", values)).tolist() == expected
    assert split.n_branches == 2


def test_a_cut_among_ordered_levels_is_by_position():
    column = ordered("size", [0, 1, 2, -1], ["S", "M", "L"])
    assert Split(0, 1.0, (), 0.0, 0.0).branches(column).tolist() == [0, 0, 1, NO_BRANCH]
    assert Split(0, 0.5, (), 0.0, 0.0).branches(column).tolist() == [0, 1, 1, NO_BRANCH]
    assert Split(0, math.inf, (), 0.0, 0.0).branches(column).tolist() == [0, 0, 0, NO_BRANCH]


def test_a_level_in_no_group_has_no_branch():
    column = nominal("a", ["x", "y", "z", None, "w"])
    split = Split(0, None, groups([0], [2, 3]), 0.0, 0.0)
    assert split.branches(column).tolist() == [0, NO_BRANCH, 1, NO_BRANCH, 1]
    assert split.n_branches == 2


def test_rows_without_a_branch_ask_surrogates_in_turn_and_then_take_the_last_resort():
    columns = [
        nominal("a", ["x", None, None, None, None]),
        numeric("b", [1, 1, 9, math.nan, math.nan]),
        nominal("c", [None, None, None, "p", None]),
    ]
    by_number = Surrogate(1, 5.0, 1, (), 0.9, 0.8)
    by_level = Surrogate(2, None, 0, groups([0], []), 0.8, 0.7)
    split = Split(0, None, groups([0], []), 0.0, 0.0, 1, (by_number, by_level))
    assert split.route_rows(lambda c: columns[c]).tolist() == [0, 1, 0, 0, 1]
    stays = Split(0, None, groups([0], []), 0.0, 0.0, NO_BRANCH, (by_number,))
    assert stays.route_rows(lambda c: columns[c]).tolist() == [0, 1, 0, NO_BRANCH, NO_BRANCH]
    only_told = Surrogate(1, 5.0, 1, (), 0.9, 0.8, is_used=False)
    silent = Split(0, None, groups([0], []), 0.0, 0.0, NO_BRANCH, (only_told,))
    assert silent.route_rows(lambda c: columns[c]).tolist() == [0, *[NO_BRANCH] * 4]


@pytest.mark.parametrize(("code", "text"), [(0, "S"), (1, "7"), (2, "?"), (-1, "?")])
def test_a_level_reads_as_it_is(code, text):
    assert level_text(Field("size", "ordered", ("S", 7)), code) == text
