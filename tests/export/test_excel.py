"""Formulas, computed by LibreOffice, answer as the tree does."""

from __future__ import annotations

import math

import numpy as np
import pytest

import export_programs as programs
from export_rows import as_table, made_rows
from export_trees import chain, rows_of
from penjing import CapabilityError, Tree, fit

SMALL = {
    "words": lambda: fit(rows_of(), recipe="id3", max_depth=1),
    "numbers": lambda: fit(rows_of(300, 7, missing=0.2), recipe="sklearn", max_depth=3),
    "surrogates": lambda: fit(rows_of(600, 4, missing=0.15), recipe="rpart", max_depth=2, cp=0.001),
    "capitals": lambda: Tree.from_dict({"a": {"x": "small", "X": "large"}}),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_formula_answers_as_the_tree_does(name, tmp_path):
    tree = SMALL[name]()
    rows = [row for row in made_rows(tree, 400) if _fits_a_sheet(tree, row)]
    assert len(rows) >= 20
    found = programs.by_excel(tree, rows, tmp_path)
    assert found == [str(c) for c in tree.predict(as_table(tree, rows)).tolist()]


def _fits_a_sheet(tree, row) -> bool:
    """Leave out what no cell holds, and numbers that a sheet takes for equal to a cut."""
    cuts = [s.cut for tests in tree.nodes.surrogates.values() for s in tests if s.cut is not None]
    cuts += tree.nodes.cut[~np.isnan(tree.nodes.cut)].tolist()
    numbers = [value for value in row.values() if isinstance(value, float)]
    near = (0 < abs(v - cut) <= 1e-7 * abs(cut) for v in numbers for cut in cuts)
    return all(map(_fits_a_cell, row.values())) and not any(near)


def _fits_a_cell(value) -> bool:
    if isinstance(value, float):
        return math.isfinite(value) and (value == 0 or 1e-300 < abs(value) < 1e300)
    return not isinstance(value, str) or (value != "" and all(c >= " " or c == "\n" for c in value))


def test_long_and_deep_formulas_are_refused():
    with pytest.raises(CapabilityError, match="60"):
        chain(61).export("excel")
    wide = Tree.from_dict({"a": {f"level {i:03}": "x" * 250 + str(i) for i in range(50)}})
    with pytest.raises(CapabilityError, match="8,000"):
        wide.export("excel")
    with pytest.raises(CapabilityError, match="255"):
        Tree.from_dict({"a": {"x" * 300: "a", "b": "b"}}).export("excel")
