"""Distributions of columns: rows of weight 1 are counted as rows of any equal weight are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.column_bins import N_BINS, column_bins
from penjing.data.table import numeric

NUMBERS = st.sampled_from([-1e300, -2.5, -0.0, 0.0, 1e-300, 1.0, 1.0 + 1e-12, 3.0, 7e15, np.nan])


@given(st.lists(NUMBERS | st.floats(-10, 10), max_size=60))
def test_rows_of_weight_1_are_counted_as_rows_of_weight_2(values):
    column = numeric("x", values)
    ones = column_bins(column, column.field, np.ones(len(values)))
    twos = column_bins(column, column.field, np.full(len(values), 2.0))
    assert ones.bounds is not None
    assert twos.bounds is not None
    assert ones.bounds.tolist() == twos.bounds.tolist()
    assert (2 * ones.counts).tolist() == twos.counts.tolist()
    assert ones.counts.dtype == twos.counts.dtype
    assert 2 * ones.missing == twos.missing


@given(st.lists(NUMBERS, min_size=1, max_size=60))
def test_bins_hold_the_rows_between_their_bounds(values):
    column = numeric("x", values)
    bins = column_bins(column, column.field, np.ones(len(values)))
    assert bins.bounds is not None
    known = [value for value in values if not np.isnan(value)]
    ends = [-np.inf, *bins.bounds.tolist(), np.inf]
    counts = [sum(a < v <= b for v in known) for a, b in pairwise(ends)]
    assert bins.counts.tolist() == counts
    assert len(counts) <= N_BINS
    assert bins.missing == len(values) - len(known)
