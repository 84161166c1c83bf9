"""`penjing fit` and `penjing show`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import penjing
from penjing.cli import Exit
from penjing.grow import trace_steps
from run_command import CODE, spawn
from watermelon_files import put_melons

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_fit_takes_every_setting(run):
    done = run(
        "fit", TRAIN, "--recipe", "cart-binary", "--max-depth", "1", "--criterion", "gain",
        "--shape", "multiway", "--missing", "fraction", "--unseen", "error", "--max-leaves", "5",
        "--min-weight", "2", "--min-branch", "1", "--set", "min-gain=0.01", "--json",
    )  # fmt: skip
    recipe = done.data["recipe"]
    told = {key: recipe[key] for key in ("criterion", "shape", "missing", "unseen")}
    assert told == {
        "criterion": "gain",
        "shape": "multiway",
        "missing": "fraction",
        "unseen": "error",
    }
    limits = ("max_depth", "max_leaves", "min_weight", "min_branch", "min_gain")
    assert [recipe[key] for key in limits] == [1, 5, 2, 1, 0.01]
    assert run("fit", TRAIN, "--set", "min_gain").code == Exit.INVALID


def test_engines_give_the_same_tree(run):
    trees = [run("fit", TRAIN, "--engine", name, "--json").data for name in ("memory", "native")]
    assert trees[0]["nodes"] == trees[1]["nodes"]


def test_fit_remembers_where_its_rows_are(melon):
    source = penjing.load(melon).about["source"]
    assert source["path"] == TRAIN
    assert len(source["sha256"]) == 64


def test_fit_keeps_the_trace_unless_told_not_to(run, melon):
    assert len(penjing.load(melon).kept_trace["steps"]) == 12
    run("fit", TRAIN, "--no-trace", "-o", "plain.tree")
    assert not penjing.load("plain.tree").trace


def test_a_model_goes_through_a_pipe(tmp_path):
    put_melons(tmp_path)
    fitted = spawn(tmp_path, "fit", "-", "-o", "-", data=(tmp_path / TRAIN).read_bytes())
    assert fitted.returncode == 0
    assert json.loads(fitted.stdout)["about"]["source"]["name"] == "standard input"
    shown = spawn(tmp_path, "show", "-", data=fitted.stdout)
    assert shown.stdout.decode().startswith("纹理 = 清晰\n")
    tested = spawn(tmp_path, "test", "-", TEST, data=fitted.stdout)
    assert tested.stdout.decode().startswith("accuracy 70% (7 of 10)")
    broken = spawn(tmp_path, "show", "-", data=fitted.stdout[:500])
    assert broken.returncode == Exit.INVALID
    assert "standard input is truncated" in broken.stderr.decode()


def test_show_draws_what_it_is_asked_to(run, melon):
    assert "敲声 = 清脆" not in run("show", melon).out
    assert "│  │  敲声 = 清脆: 是 (0)" in run("show", melon, "--empty").out
    assert "|  |  " in run("show", melon, "--ascii").out
    below = run("show", melon, "--node", "纹理=清晰").out
    assert below.startswith("根蒂 = 蜷缩: 是 (5)\n")
    by_levels = run("show", melon, "--order", "levels", "--node", "稍糊").out
    assert by_levels.startswith("色泽 = 青绿")
    assert run("show", melon, "--json").data == penjing.load(melon).to_json()
    assert run("show", melon, "--as", "dict").out.startswith("{'纹理': {'清晰':")
    assert run("show", melon, "--as", "svg").out.startswith("<svg")
    assert "Did you mean 'rules" in run("show", melon, "--as", "rule").err


def test_fit_speaks_chinese(run):
    done = run("fit", TRAIN, "--lang", "zh")
    assert "8 个叶结点，深度 3，训练集精度 16/16\n" in done.out
    assert "2 处并列，取排在前面的列：根蒂 = 敲声（0.5436），在 清晰 之下；" in done.out
    assert "说明：1 个分支没有训练样本" in done.err


def test_fit_says_when_there_is_one_class(run):
    Path("one.csv").write_text("a,class\nx,yes\ny,yes\n")
    done = run("fit", "one.csv", "-o", "one.tree")
    assert done.out == "yes (2)\n1 leaf, depth 0, training accuracy 2/2\n"
    assert "the tree is a single leaf: every row has the same 'class', yes." in done.err
    assert (
        run("why", "one.tree").out.splitlines()[1].startswith("leaf, predicts yes: all rows have")
    )


def test_fit_asks_for_the_target_in_a_pipe_by_failing(run):
    Path("unclear.csv").write_text("a,b\n" + "".join(f"{i},{i}.5\n" for i in range(30)))
    done = run("fit", "unclear.csv")
    assert done.code == Exit.USAGE
    assert "--target COLUMN. Columns: a, b." in done.err
    assert "--target 列名" in run("fit", "unclear.csv", "--lang", "zh").err


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_fit_asks_for_the_target_on_a_terminal(tmp_path):
    import pty  # noqa: PLC0415 - not on every platform

    (tmp_path / "unclear.csv").write_text("a,b\n" + "".join(f"{i},{i}.5\n" for i in range(30)))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", CODE, "fit", "unclear.csv", "--max-depth", "0"],
        cwd=tmp_path,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ) as process:
        os.write(ours, b"b\n")
        out, _ = process.communicate(timeout=60)
    asked = os.read(ours, 1000).decode()
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0
    assert "Which column is the target? (a, b)" in asked
    assert out.decode().splitlines()[0] == "15 (30)"


def test_more_leaves_than_rows_are_explained(run):
    draw = random.Random(0)
    lines = ["a,b,c,d,e,class"]
    for i in range(40):
        cells = ["?" if draw.random() < 0.4 else draw.choice("pqrs") for _ in range(5)]
        lines.append(",".join([*cells, "yn"[i % 2]]))
    Path("holes.csv").write_text("\n".join(lines) + "\n", "utf-8")
    done = run("fit", "holes.csv", "--recipe", "c4.5-textbook")
    assert "rows with missing values are spread over all branches" in done.err
    done = run("fit", "holes.csv", "--recipe", "c4.5-textbook", "--min-weight", "9")
    assert "fractional cases" not in done.err


def scattered(n_rows: int) -> str:
    """Return a table whose C4.5 tree is pruned to one of its branches: the root is replaced."""
    rand = random.Random(0)
    lines = ["a,b,c,d,y"]
    for _ in range(n_rows):
        a, b, c, d = (round(rand.random() * 10, 1) for _ in "1234")
        shown = b if rand.random() > 0.1 else ""
        lines.append(
            f"{a},{shown},{c},{d},{'yes' if rand.random() < 0.1 + 0.03 * (a + b) else 'no'}"
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("recipe", ["c4.5", "j48", "c5.0"])
def test_fit_ends_well_where_pruning_replaced_the_root(run, recipe):
    Path("t.csv").write_text(scattered(2000))
    done = run("fit", "t.csv", "-r", recipe, "-o", "t.tree")
    assert (done.code, "error" in done.err) == (0, False)
    for later in (("why", "t.tree"), ("trace", "t.tree"), ("draw", "t.tree", "-o", "t.html")):
        assert run(*later).code == 0
    if recipe == "c4.5":  # the case: no step tells of the root
        assert all(step["node"] for step in penjing.load("t.tree").kept_trace["steps"])


@pytest.mark.parametrize("n", [60, pytest.param(80_001, marks=pytest.mark.slow)])
def test_fit_takes_a_table_of_more_columns_than_a_trace_has_room_for(run, monkeypatch, n):
    monkeypatch.setattr(trace_steps, "LIMIT", min(trace_steps.LIMIT, n - 1))
    rows = [",".join(["ab"[row % 2]] * n) + f",{'ny'[row % 2]}" for row in range(6)]
    Path("wide.csv").write_text("\n".join([",".join(f"c{i}" for i in range(n)) + ",y", *rows]))
    for option in ((), ("--trace",), ("--no-trace",)):
        done = run("fit", "wide.csv", *option, "-o", "wide.tree")
        assert done.code == 0
        assert f"({n} columns)" in done.out
        assert len(done.out) < 1000


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_fit_says_that_no_trace_is_kept(run, lang):
    rand = random.Random(0)
    rows = [
        ",".join([*(str(rand.randint(0, 30)) for _ in "abcd"), rand.choice("ny")])
        for _ in range(9000)
    ]
    Path("t.csv").write_text("\n".join(["a,b,c,d,y", *rows]))
    done = run("fit", "t.csv", "--recipe", "id3", "-o", "t.tree", "--lang", lang)
    assert done.code == 0
    assert ("the trace was not saved" if lang == "en" else "生成过程太大，没有保存") in done.err
    assert "--trace" in done.err
    assert run("why", "t.tree").code == 0  # from the training rows
    Path("t.csv").unlink()
    for verb in ("why", "trace"):
        told = run(verb, "t.tree", "--lang", lang)
        assert told.code == Exit.INVALID
        assert "--train" in told.err
    for verb in (("draw", "t.tree", "-o", "t.svg"), ("report", "t.tree", "-o", "t.html")):
        assert run(*verb).code == 0


def test_fit_says_of_engine_disk_that_it_keeps_no_trace(run):
    Path("t.csv").write_text("a,b,y\n" + "u,1,n\nv,2,y\n" * 50)
    done = run("fit", "t.csv", "--target", "y", "--engine", "disk", "-o", "t.tree")
    assert "engine disk does not save the trace" in done.err
    assert "cells" not in done.err
    assert run("fit", "t.csv", "--engine", "disk", "--trace", "-o", "t.tree").code == 0
    assert penjing.load("t.tree").kept_trace is not None


@pytest.fixture
def towns(run, tmp_path):
    """Save a tree that splits 240 towns into two groups, grown from 2,400 rows."""
    lines = [f"Town {i % 240},{i % 7},{'yes' if i % 240 % 2 else 'no'}" for i in range(2400)]
    (tmp_path / "towns.csv").write_text("\n".join(["town,x,y", *lines, ""]))
    assert run("fit", "towns.csv", "-r", "rpart", "-o", "towns.tree").code == 0
    return penjing.load("towns.tree")


@pytest.mark.usefixtures("towns")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_long_groups_of_categories_are_abbreviated_to_the_width(run, lang):
    texts = {
        "tree": run("show", "towns.tree", "--width", "70", "--lang", lang).out,
        "fit": run("fit", "towns.csv", "-r", "rpart", "--width", "70", "--lang", lang).out,
    }
    for text in texts.values():
        assert all(len(line) <= 70 for line in text.splitlines()[:2]), text
    word = " more}" if lang == "en" else " 个}"
    assert texts["tree"].count(word) == 2, texts["tree"]
    others = [
        run("show", "towns.tree", "--as", "rules", "--lang", lang),
        run("trace", "towns.tree", "--lang", lang),
        run("why", "towns.tree", "1", "--lang", lang),
        run("explain", "towns.tree", "--data", "towns.csv", "--lang", lang),
    ]
    for done in others:
        assert done.code == 0
        assert max(map(len, done.out.splitlines())) < 200, done.out
    assert "{'Town 0', 'Town 2'" in others[1].out  # the trace names the groups


def test_a_tree_in_full_can_be_imported_and_an_abbreviated_one_is_refused(run, tmp_path, towns):
    (tmp_path / "short.txt").write_text(run("show", "towns.tree").out)
    refused = run("import", "short.txt", "-o", "x.tree")
    assert refused.code == 1
    assert "line 1" in refused.err
    assert "left out" in refused.err
    (tmp_path / "full.txt").write_text(run("show", "towns.tree", "--width", "100000").out)
    assert run("import", "full.txt", "-o", "x.tree").code == 0
    assert list(penjing.load("x.tree").predict("towns.csv")) == list(towns.predict("towns.csv"))
    assert towns.draw().splitlines()[0] == towns.draw(width=100000).splitlines()[0]
    assert "Town 238" in towns.draw()
    assert "more}" in towns.draw(width=70)
