"""Where explanations come from: the model, the rows that `fit` was given, a file; or a sentence."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest

import penjing
from penjing.errors import ChoiceError, DataError
from penjing.explain.node import explain, story
from penjing.explain.trace import compute_trace
from penjing.training import training_rows

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


def temporary_sources():
    rows = list(MELONS.rows())
    target = MELONS.target.name
    without = [{k: v for k, v in row.items() if k != target} for row in rows]
    return {
        "table": lambda **s: penjing.fit(penjing.example("watermelon2.0"), **s),
        "list": lambda **s: penjing.fit([dict(row) for row in rows], target, **s),
        "frame": lambda **s: penjing.fit(frame(), target, **s),
        "labels": lambda **s: penjing.fit(
            [dict(row) for row in without], [row[target] for row in rows], **s
        ),
        "weights": lambda **s: penjing.fit(frame(), target, weight=[1.0] * len(rows), **s),
    }


@pytest.mark.parametrize("source", temporary_sources())
@pytest.mark.parametrize("recipe", ["id3", "c4.5", "rpart"])
def test_a_tree_of_small_temporary_data_is_explained(source, recipe):
    make = temporary_sources()[source]
    later, kept = make(recipe=recipe, quiet=True), make(recipe=recipe, quiet=True, trace=True)
    gc.collect()
    assert later.kept_trace is None
    assert str(later.why()) == str(kept.why())
    assert str(later.trace) == str(kept.trace)


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize(
    ("recipe", "target"),
    [(recipe, "kind") for recipe in penjing.RECIPES]
    + [(recipe, "amount") for recipe in ("cart-textbook", "rpart", "sklearn", "auto")],
)
def test_a_tree_of_temporary_numbers_is_explained(recipe, target, n):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(n)
    numbers = np.round(random.lognormal(size=(n, 3)), 2)
    data = pandas.DataFrame(numbers, columns=["x", "z", "amount"])
    data["kind"] = np.where((data.x > 1) ^ (random.random(n) < 0.2), "a", "b")
    tree = penjing.fit(data.copy(), target, recipe=recipe, quiet=True, max_depth=3)
    gc.collect()
    assert tree.training_table() is not None
    assert str(tree.why()) == str(tree.why(data=data))


@pytest.mark.parametrize("source", temporary_sources())
@pytest.mark.parametrize("recipe", ["id3", "c4.5", "rpart"])
def test_a_tree_of_large_temporary_data_says_what_to_pass(source, recipe, monkeypatch):
    monkeypatch.setattr(training_rows, "KEPT_CELLS", 16)
    tree = temporary_sources()[source](recipe=recipe, quiet=True)
    gc.collect()
    assert tree.training_table() is None
    assert not tree.trace or recipe != "id3"  # the decisions of pruning are in the tree
    with pytest.raises(ChoiceError) as caught:
        tree.why()
    for sentence, call in ((str(caught.value), "tree.why(node, data=rows)"),
                           (str(tree.trace), "tree.trace.with_rows(rows)")):  # fmt: skip
        assert "its training rows are not available" in sentence
        assert "was pruned" not in sentence
        assert call in sentence
    rows = penjing.read(list(MELONS.rows()), MELONS.target.name)
    if source == "labels":
        with pytest.raises(DataError, match="no column 'class', the target of this tree"):
            tree.why(0, data=rows)
        labels = [row[MELONS.target.name] for row in MELONS.rows()]
        rows = penjing.read(list(penjing.read(rows, target=False).rows()), labels=labels)
    assert str(tree.why(0, data=rows))
    assert tree.trace.with_rows(rows)[0]["node"] == 0


def test_a_tree_of_a_small_file_is_explained_when_the_file_has_changed(tmp_path):
    path = tmp_path / "m.csv"
    frame().to_csv(path, index=False)
    tree = penjing.fit(path, MELONS.target.name)
    assert steps(tree) == steps(KEPT)
    path.write_text(path.read_text("utf-8").replace("清晰", "清楚"), "utf-8")
    assert steps(tree) == steps(KEPT)
    path.unlink()
    assert steps(tree) == steps(KEPT)


def test_a_large_file_that_was_changed_is_not_explained_with(tmp_path, monkeypatch):
    monkeypatch.setattr(training_rows, "KEPT_CELLS", 16)
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
