"""Where explanations come from: the model, the rows that `fit` was given, a file; or a sentence."""

from __future__ import annotations

import copy
import pickle

import pytest

import penjing
from penjing.errors import ChoiceError
from penjing.explain.node import explain, story
from penjing.explain.trace import compute_trace

MELONS = penjing.example("watermelon2.0")
KEPT = penjing.fit(MELONS, trace=True)


def steps(tree):
    return [{k: v for k, v in step.items() if k != "row_numbers"} for step in story(tree)]


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(list(MELONS.rows()))


def test_a_tree_of_a_table_is_explained_while_the_table_exists():
    table = penjing.example("watermelon2.0")
    tree = penjing.fit(table)
    assert tree.kept_trace is None
    assert tree.training_table() is table
    assert steps(tree) == steps(KEPT)
    assert explain(tree, 2) == explain(KEPT, 2)
    assert tree.trace[0]["runner_up"] == KEPT.trace[0]["runner_up"]
    assert tree.trace.to_json()["steps"] == KEPT.trace.to_json()["steps"]
    del table
    assert tree.training_table() is None
    assert not tree.trace
    with pytest.raises(ChoiceError, match="data=…"):
        explain(tree)


def test_a_tree_of_a_frame_is_explained_while_the_frame_exists():
    rows = frame()
    tree = penjing.fit(rows, MELONS.target.name)
    assert steps(tree) == steps(KEPT)
    del rows
    assert tree.training_table() is None


def test_a_tree_of_a_file_is_explained_while_the_file_is_unchanged(tmp_path):
    path = tmp_path / "m.csv"
    frame().to_csv(path, index=False)
    tree = penjing.fit(path, MELONS.target.name)
    assert steps(tree) == steps(KEPT)
    path.write_text(path.read_text("utf-8").replace("清晰", "清楚"), "utf-8")
    assert tree.training_table() is None
    path.unlink()
    assert tree.training_table() is None


def test_rows_are_neither_saved_nor_pickled(tmp_path):
    tree = penjing.fit(MELONS)
    tree.save(tmp_path / "m.tree")
    for other in (penjing.load(tmp_path / "m.tree"), pickle.loads(pickle.dumps(tree))):  # noqa: S301
        assert other == tree
        assert other.training_table() is None
        assert compute_trace(other, MELONS)[1] == explain(KEPT, 1)
    assert copy.deepcopy(tree).training_table() is None


def test_rows_of_which_a_part_decided_the_pruning_are_not_taken_for_all():
    assert penjing.fit(MELONS, validation=0.3).training_table() is None
    assert penjing.fit(MELONS, validation=MELONS).training_table() is MELONS
