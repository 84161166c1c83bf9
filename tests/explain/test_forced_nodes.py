"""The explanation of a split that a person chose has the numbers of that split, not of another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from lab_rows import csv_rows

RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart",
           "sklearn")  # fmt: skip


def forced_thresholds(table, draw):
    """Return a numeric column and a threshold that divides the rows of the root."""
    names = [c.name for c in table.columns if c.is_numeric and len(c.levels) > 2]
    name = draw(st.sampled_from(names))
    levels = next(c for c in table.columns if c.name == name).levels
    at = draw(st.integers(0, len(levels) - 2))
    return name, float(levels[at]) + (float(levels[at + 1]) - float(levels[at])) / 4


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(RECIPES), st.integers(0, 20))
def test_a_forced_threshold_has_its_own_numbers(tmp_path_factory, data, recipe, seed):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_bytes(csv_rows(seed, 120))
    table = penjing.read(str(path), quiet=True)
    tree = penjing.fit(table, recipe=recipe, quiet=True)
    name, threshold = forced_thresholds(table, data.draw)
    try:
        changed = tree.replace_split(0, name, threshold=threshold)
    except penjing.PenjingError:
        return  # the recipe's limits do not allow it
    told = changed.why(0).to_dict()
    own = told["candidates"][0]
    assert own["column"] == name
    assert own["is_chosen"]
    assert own["cut"] == pytest.approx(changed.nodes.cut[0])
    assert [b["rows"] for b in own["branches"]] == pytest.approx(
        [b["rows"] for b in told["forced"]["branches"]]
    )
    totals = changed.nodes.total[list(changed.children(0))]
    assert np.array([b["total"] for b in own["branches"]]) == pytest.approx(totals)
    assert own["score"] is None or own["score"] == pytest.approx(changed.nodes.score[0])


def test_forced_groups_have_their_own_numbers():
    melons = penjing.example("watermelon3.0")
    tree = penjing.fit(melons, recipe="cart-binary")
    groups = [["青绿"], ["乌黑", "浅白"]]
    changed = tree.replace_split(0, "色泽", groups=groups)
    own = changed.why(0).to_dict()["candidates"][0]
    rows = {b["answer"]: b["rows"] for b in own["branches"]}
    assert rows == {"青绿": 6, "乌黑, 浅白": 11}
    assert "forced" in str(changed.why(0))
    assert "forced otherwise" not in str(changed.why(0))


def test_a_branch_of_missing_values_is_counted():
    rows = [{"a": None if i % 5 == 0 else i % 7, "y": "n" if i % 3 else "m"} for i in range(60)]
    tree = penjing.fit(rows, "y", "cart-binary", missing="branch", quiet=True)
    changed = tree.replace_split(0, "a", threshold=3.5, data=penjing.read(rows, "y", quiet=True))
    own = changed.why(0).to_dict()["candidates"][0]
    assert own["cut"] == 3.5
    assert sum(b["rows"] for b in own["branches"]) == 60


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_best_threshold_is_the_highest_point_of_its_curve(tmp_path, recipe):
    (tmp_path / "rows.csv").write_bytes(csv_rows(3, 300))
    table = penjing.read(str(tmp_path / "rows.csv"), quiet=True)
    limits = {"min_samples_leaf": 1} if recipe == "sklearn" else {}
    tree = penjing.fit(table, recipe=recipe, quiet=True, **limits)
    curves = [c for c in tree.why(0).to_dict()["candidates"] if len(c.get("cuts", ())) > 2]
    assert curves
    for candidate in curves:
        at = candidate["cuts"].index(candidate["cut"])
        best = max(gain for gain in candidate["gains"] if gain is not None)
        if recipe in ("c4.5", "j48", "c5.0", "rpart"):  # branches need some rows
            assert candidate["gains"][at] <= best
            continue
        assert candidate["gains"][at] == pytest.approx(best)
