"""Faults that a stranger found once: each stays mended."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import penjing
from export_trees import chain
from penjing.dialects.recipes import recipe_of
from penjing.engines.native import Engine as Native
from penjing.explain.node import explain, story
from penjing.render import node_text, pruning_text
from penjing.text.labels import branch_text
from penjing.tree.serialize import write_atomically

MELONS = penjing.example("watermelon2.0")
COMMAND = [sys.executable, "-c", "import sys; from penjing.cli import main; sys.exit(main())"]


def test_auto_is_the_native_engine(monkeypatch):
    asked = []
    grow = Native.grow

    def watched(self, recipe, *more):
        asked.append(recipe.name)
        return grow(self, recipe, *more)

    monkeypatch.setattr(Native, "grow", watched)
    penjing.fit(MELONS)
    assert asked == ["id3"]


def test_a_link_is_followed_and_a_pipe_written_into(tmp_path):
    real, link, pipe = (tmp_path / name for name in ("real", "link", "pipe"))
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"through")
    reader.join()
    assert got == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("recipe", ["c4.5", "j48"])
@pytest.mark.parametrize("criterion", ["gini", lambda counts: 1 - counts.max(-1) / counts.sum(-1)])
def test_programs_that_know_one_criterion_refuse_others(recipe, criterion):
    with pytest.raises(penjing.ChoiceError, match=f"{recipe} criterion .* Known: gain, gain_ratio"):
        recipe_of(recipe, criterion=criterion)


def test_the_number_by_which_a_program_chose_is_shown():
    golf = penjing.example("golf")
    told = explain(penjing.fit(golf, recipe="j48"), 0, golf)
    text = node_text.write(told)
    chosen = told["candidates"][0]
    assert f"{chosen['score']:.4f}" in text
    assert "The score decides" in text
    assert "得分决定" in node_text.write(told, "zh")


def test_the_formula_of_a_regression_is_true_for_every_recipe():
    rows = [[i, i % 3, float(i * i)] for i in range(40)]
    table = penjing.read(rows, names=["x", "z", "y"], target="y", keep=["x"])
    for recipe in ("cart-binary", "rpart", "sklearn"):
        tree = penjing.fit(table, recipe=recipe, trace=True)
        told = explain(tree, 0)
        best = told["candidates"][0]
        assert best["gain"] == pytest.approx(told["variance"] - best["variance_after"], rel=1e-9)


def test_each_pruning_decision_says_where_its_node_is_now():
    whole = penjing.fit(MELONS, trace=True)
    once = whole.prune("pessimistic", confidence=0.5)
    twice = once.prune("cost-complexity", alpha=1.0)
    assert whole.n_leaves > once.n_leaves > twice.n_leaves
    for tree, n_records in ((once, 1), (twice, 2)):
        records = tree.about["pruning"]
        assert len(records) == n_records
        for record, before in zip(records, (whole, once), strict=False):
            text = pruning_text.decision_list(tree, record)
            for decision in record["decisions"]:
                road = [branch_text(before, n) for n in before.path(decision["node"])[1:]]
                here = [branch_text(tree, n) for n in tree.path(decision["now"])[1:]]
                assert here == road[: len(here)]  # itself, or what is left above it
                assert decision["is_gone"] == (len(here) < len(road))
                assert f"{decision['kept']:.6g}, as leaf {decision['as_leaf']:.6g}: " in text


def test_a_very_deep_tree_is_pruned_with_its_decisions_followed():
    tree = chain(20_000)
    pruned = tree.prune("pessimistic")
    (record,) = pruned.about["pruning"]
    assert len(record["decisions"]) == 20_000
    assert {d["now"] for d in record["decisions"]} <= set(range(pruned.n_nodes))
    assert len(pruning_text.decision_list(pruned, record)) < 500 * 20_000


def test_a_pruned_tree_tells_its_story_from_the_rows():
    pruned = penjing.fit(MELONS).prune("pessimistic")
    assert pruned.kept_trace is None
    steps = story(pruned, MELONS)
    assert [step["node"] for step in steps] == list(range(pruned.n_nodes))
    assert steps[0]["candidates"][0]["column"] == "纹理"


def test_ties_of_divisions_that_were_not_made_are_not_counted():
    for engine in ("memory", "native"):
        assert penjing.fit(MELONS, engine=engine, min_gain=10.0).about["n_ties"] == 0


@pytest.mark.parametrize(
    ("how", "code"),
    [(">&-", 0), ("> /dev/full", 1)],
)
def test_a_stdout_that_takes_nothing_is_no_crash(tmp_path, how, code):
    model = tmp_path / "m.tree"
    penjing.fit(MELONS).save(model)
    line = f'"$0" -c "$1" show "$2" {how}'
    told = subprocess.run(
        ["sh", "-c", line, COMMAND[0], COMMAND[2], str(model)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == code
    assert "Traceback" not in told.stderr
    assert "our fault" not in told.stderr


def test_a_closed_stdin_gets_a_sentence():
    told = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" fit - <&-', COMMAND[0], COMMAND[2]],
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 1
    assert "standard input is closed" in told.stderr


def test_a_tree_of_c45_on_numbers_that_32_bits_do_not_hold_can_be_saved_and_loaded(tmp_path):
    close = 0.6000000000000001  # not to be told from 0.6 in 32 bits
    cells = ((0.2, "n"), (0.6, "n"), (close, "n"), (1.7, "y"), (1.9, "y"))
    rows = [{"x": x, "y": y} for x, y in cells]
    tree = penjing.fit(rows, "y", recipe="c4.5")
    assert tree.n_leaves == 2
    tree.save(tmp_path / "m.json")
    assert penjing.load(tmp_path / "m.json") == tree
