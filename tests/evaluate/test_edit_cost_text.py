"""The cost of an edit as text: singular and plural, separators of thousands."""

from __future__ import annotations

import pytest

from penjing.evaluate.edit_cost import EditCost, RowsCost


@pytest.mark.parametrize(("leaves", "changed", "ends"), [
    ((1500, 1), 1878, ("1,500 → 1 leaf", "1,878 rows predicted differently")),
    ((8, 5), 1, ("8 → 5 leaves", "1 row predicted differently")),
])  # fmt: skip
def test_singular_and_plural(leaves, changed, ends):
    training = RowsCost(9.0, 8.0, 20.0, 20, changed, is_error=False)
    first, last = ends
    expected = f"{first}; training rows correct 9/20 → 8/20, {last}"
    assert EditCost(leaves, training).text() == expected


def test_one_row_with_another_error():
    training = RowsCost(9.0, 8.0, 20.0, 20, 1, is_error=True)
    assert EditCost((2, 1), training).text().endswith("9 → 8, 1 row predicted differently")
