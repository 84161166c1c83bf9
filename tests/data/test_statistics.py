"""Confidence intervals of shares, and percentages as they are printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.statistics import percent, wilson


@given(st.integers(1, 3000), st.data())
def test_wilsons_limits_are_where_the_normal_test_turns(n, data):
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n)
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n)
    for p in (low, high):
        if 0 < p < 1:
            assert abs(k / n - p) / math.sqrt(p * (1 - p) / n) == pytest.approx(1.959963984540054)
    mirrored = wilson(n - k, n)
    assert mirrored == pytest.approx((1 - high, 1 - low))


def test_percentages_are_never_100_unless_all_are_right():
    assert [percent(k, 16) for k in (0, 12, 13, 16)] == ["0", "75", "81.3", "100"]
    assert percent(99_999, 100_000) == "99.9"
    assert percent(1, 100_000) == "0.1"
