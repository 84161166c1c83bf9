"""A threshold that is shown beside a row's value is on the same side of it as in the tree."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.predict.inputs import align
from penjing.render.wrong_predictions import path_text

VALUES = [100.25, 900.5, 1700.13, 2300.8, 2399.86, 2500.4, 2600.2, 2700.9, 3000.1, 4000.77]
ROWS = [{"x": value, "y": "ab"[value > 2400]} for value in VALUES] * 4


@cache
def grown(recipe: str) -> penjing.Tree:
    return penjing.fit(ROWS, "y", recipe=recipe, quiet=True)


def holds(condition: str, value: float) -> bool:
    sign, number = re.fullmatch(r"x ([<>≤≥]) (\S+)", condition).groups()
    edge = float(number)
    return {"<": value < edge, "≤": value <= edge, ">": value > edge, "≥": value >= edge}[sign]


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "j48", "c5.0", "rpart", "sklearn"])
@settings(deadline=None, max_examples=60)
@given(value=st.floats(2399.0, 2501.0) | st.sampled_from([2400.0, 2450.0, 2450.13, 2499.95]))
def test_the_branch_of_a_row_holds_for_its_value(recipe, value):
    tree = grown(recipe)
    branch = tree.explain({"x": value}).to_dict()["path"][0]["branch"]
    # Some programs compare in 32 bits.
    assert holds(branch, value) or value == pytest.approx(tree.nodes.cut[0], rel=1e-7)


def test_training_rows_are_shown_with_the_threshold_of_the_tree():
    tree = grown("c4.5")
    shown = {tree.explain(row).to_dict()["path"][0]["branch"] for row in ROWS}
    assert shown == {"x < 2400", "x ≥ 2400"}
    assert "x < 2400" in str(tree)


def test_a_wrong_prediction_is_shown_with_a_threshold_that_holds():
    tree = grown("c4.5")
    rows = align(tree, [{"x": 2399.95, "y": "a"}])
    assert path_text(tree, rows, 0, int(tree.apply(rows)[0])) == "x 2399.95 ≥ 2399.9"
