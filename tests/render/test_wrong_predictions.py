"""The words of a path, an explanation and a rule are those of the tree's own branches."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.explain.row import explain_row
from penjing.predict.inputs import align
from penjing.render import wrong_predictions
from penjing.render.leaf_rules import conditions_of
from penjing.text.labels import ascii_signs, branch_text, number_text
from strategies import tables

RECIPES = [
    ("id3", {}), ("cart-binary", {}), ("id3", {"missing": "branch"}),
    ("cart-binary", {"missing": "branch"}), ("c4.5", {"min_branch": 1}),
    ("rpart", {"minsplit": 2, "minbucket": 1, "cp": 0.0}),
]  # fmt: skip


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(("recipe", "settings"), RECIPES)
@given(data=st.data())
def test_a_step_of_a_path_is_the_branch_that_was_taken(recipe, settings, ascii_only, data):
    missing = recipe != "id3" or "missing" in settings
    missing = missing and not (recipe == "cart-binary" and not settings)
    table = data.draw(tables(missing=missing))
    assume(any((column.codes >= 0).any() for column in table.columns))
    tree = penjing.fit(table, recipe=recipe, **settings)
    aligned = align(tree, table)
    for row, stop in enumerate(tree.apply(aligned).tolist()):
        road = tree.path(stop)[1:]
        steps = []
        for child in road:
            parent, _ = tree.parent_of(child)
            column = aligned.columns[int(tree.nodes.column[parent])]
            label = branch_text(tree, child, ascii_only=ascii_only)
            if column.is_numeric and np.isfinite(tree.nodes.cut[parent]):
                code = int(column.codes[row])
                value = None if code < 0 else float(column.levels[code])
                label = branch_text(tree, child, ascii_only=ascii_only, value=value)
                name, way = re.fullmatch(r"(.*) ([<>≤≥]=? \S+)", label, re.DOTALL).groups()
                label = f"{name} {'?' if value is None else number_text(value)} {way}"
            steps.append(label)
        told = wrong_predictions.path_text(tree, aligned, row, stop, ascii_only=ascii_only)
        assert told.endswith(", ".join(steps[-wrong_predictions.MAX_STEPS :]))


def hidden() -> Table:
    numbers = [1.0, 2.0, None, None, 8.0]
    return Table((numeric("a", numbers),), nominal("y", list("nnyyn")), 5)


def test_known_or_missing_reads_as_the_tree_says_it():
    tree = penjing.fit(hidden(), recipe="cart-binary", missing="branch")
    table = align(tree, [{"a": 8}, {"a": None}])
    stops = tree.apply(table).tolist()
    assert [wrong_predictions.path_text(tree, table, i, s) for i, s in enumerate(stops)] == [
        "a ≠ ?",
        "a = ?",
    ]
    plain = [
        wrong_predictions.path_text(tree, table, i, s, ascii_only=True) for i, s in enumerate(stops)
    ]
    assert plain == ["a != ?", "a = ?"]
    for row, words in (({"a": 8}, "a ≠ ?"), ({"a": None}, "a = ?")):
        told = explain_row(tree, row)
        assert told.to_json()["path"][0]["branch"] == words
        assert ascii_signs(words) in told.text(ascii_only=True)
    assert [conditions_of(tree, node) for node in (1, 2)] == [("a ≠ ?",), ("a = ?",)]


def test_a_missing_number_is_not_told_as_another():
    """A row that a surrogate sent on was told with the largest number of the column."""
    x = [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]
    table = Table((numeric("x", x), numeric("z", x)), nominal("y", list("aaabbb")), 6)
    tree = penjing.fit(table, recipe="rpart", minsplit=2, minbucket=1, cp=0.0)
    rows = align(tree, [{"x": None, "z": 1.0}])
    assert wrong_predictions.path_text(tree, rows, 0, int(tree.apply(rows)[0])) == "x ? < 5"
