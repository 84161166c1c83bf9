"""Trees written by hand in files: imported, counted, and refused where they cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import penjing

TRAIN = "Watermelon-train1.csv"
MELON = "纹理 = 清晰: 是\n纹理 = 稍糊: 否\n纹理 = 模糊: 否\n"


def test_a_printed_tree_comes_back_as_a_model(run, melon):
    for lang in ("en", "zh"):
        Path("shown.txt").write_text(run("show", melon, "--lang", lang).out, "utf-8")
        done = run("import", "shown.txt", "--target", "好瓜", "-o", "again.tree")
        assert done.code == 0, done.err
        assert run("show", "again.tree").out == run("show", "again.tree", "--lang", "en").out
        tree, again = penjing.load(melon), penjing.load("again.tree")
        assert str(again) == str(tree)
        assert again.target.name == "好瓜"
        assert run("compare", melon, "again.tree").out.count("same splits") == 1


def test_a_nested_dict_is_read_as_json_and_as_python(run, melon):
    nested = penjing.load(melon).to_dict()
    Path("tree.py.txt").write_text(run("show", melon, "--as", "dict").out, "utf-8")
    Path("tree.json").write_text(json.dumps(nested, ensure_ascii=False), "utf-8")
    Path("gbk.json").write_text(json.dumps(nested, ensure_ascii=False), "gbk")
    for path in ("tree.py.txt", "tree.json", "gbk.json"):
        done = run("import", path, "-t", "好瓜", "-o", "again.tree", "--json")
        assert done.code == 0, done.err
        assert penjing.load("again.tree").to_dict() == nested
        assert done.data["target"]["name"] == "好瓜"


def test_rows_are_counted_into_a_tree(run):
    Path("hand.txt").write_text(MELON, "utf-8")
    done = run("import", "hand.txt", "--data", TRAIN, "-o", "hand.tree")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].startswith("纹理 = 清晰: 是 (")
    why = run("why", "hand.tree")
    assert why.code == 0, why.err
    assert why.out.startswith("root, 16 rows")
    assert "色泽" in why.out  # columns that the tree does not split on are compared, too
    assert run("prune", "hand.tree", "--method", "pessimistic").code == 0
    assert run("draw", "hand.tree", "-o", "hand.svg").code == 0
    assert "n=16" in Path("hand.svg").read_text("utf-8")
    assert run("report", "hand.tree", "--no-cross", "-o", "hand.html").code == 0
    assert run("trace", "hand.tree").code == 0
    assert run("test", "hand.tree", "Watermelon-test1.csv").code == 0


def test_a_tree_without_counts_is_explained_from_one_table(run):
    Path("f.csv").write_text("a,y\nu,n\nv,y\nu,n\nv,y\n")
    Path("hand.json").write_text('{"a": {"u": "n", "v": "y"}}')
    assert run("import", "hand.json", "-t", "y", "-o", "h.tree").code == 0
    told = run("why", "h.tree", "--data", "f.csv").out
    assert told.startswith("root, 4 rows, n 2 y 2")
    assert "2/4 × 0.0000 + 2/4 × 0.0000" in told


def test_what_the_rows_lack_is_said_in_both_languages(run):
    Path("hand.txt").write_text(MELON.replace("稍糊", "稍湖"), "utf-8")
    done = run("import", "hand.txt", "--data", TRAIN)
    assert "no row has the category '稍湖' of '纹理'. Did you mean '稍糊'?" in done.err
    assert "no row reaches one of the leaves" in done.err
    done = run("import", "hand.txt", "--data", TRAIN, "--lang", "zh")
    assert "没有样本的“纹理”取值为“稍湖”。是不是“稍糊”？" in done.err


def test_ordinal_columns_take_their_order_from_the_schema(run):
    Path("t.csv").write_text("size,y\nS,a\nM,a\nL,b\nS,a\n")
    Path("hand.txt").write_text("size <= M: a\nsize > M: b\n")
    done = run("import", "hand.txt", "-t", "y")
    assert done.code == 1
    assert "--schema" in done.err
    assert "line 1" in done.err
    schema = '{"size": {"ordinal": ["S", "M", "L"]}}'
    done = run("import", "hand.txt", "-t", "y", "--schema", schema)
    assert done.out.startswith("size ≤ M: a")
    done = run("import", "hand.txt", "--data", "t.csv", "--schema", schema, "-o", "h.tree")
    assert done.out.startswith("size ≤ M: a (3)"), done.err


def test_a_model_can_be_counted_again(run, melon):
    done = run("import", melon, "--data", "Watermelon-test1.csv", "-o", "other.tree")
    assert done.code == 0, done.err
    tree = penjing.load("other.tree")
    assert tree.about["n_rows"] == 10
    assert tree.weight_of(0) == 10


@pytest.mark.parametrize("command", ["show", "why", "draw", "predict", "prune", "report", "export"])
def test_commands_name_import_for_a_tree_written_by_hand(run, command):
    Path("hand.json").write_text('{"a": {"u": "n", "v": "y"}}')
    Path("hand.txt").write_text(MELON, "utf-8")
    more = {"draw": ["-o", "x.svg"], "predict": [TRAIN], "export": ["--to", "c"]}.get(command, [])
    for path, word in (("hand.json", "a nested dict"), ("hand.txt", "text")):
        done = run(command, path, *more)
        assert done.code == 1
        assert f"{path} is not a model file but a tree as {word}." in done.err
        assert f"`penjing import {path} -o MODEL`" in done.err
    assert "penjing import" in run(command, "hand.json", *more, "--lang", "zh").err


WRONG = {
    '{"a": {"u": "n", "u": "y"}}': "the key 'u' twice",
    "{'a': {'u': 'n', 'u': 'y'}}": "twice",
    '{"a": {"u": "n",\n "v": "y"': "(line 2)",
    '{"a": {"<= 5": "n", "> 6": "y"}}': "not the two sides of a threshold",
    '{"a": ["u"]}': "is not a tree",
    "a <= 5: n\na >= 5: y": "line 2",
    "a,b\n1,2\n": "line 1",
    "": "no tree",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_no_tree_is_refused_in_a_sentence(run, text):
    Path("x.txt").write_text(text)
    done = run("import", "x.txt", "-o", "x.tree")
    assert done.code == 1
    assert WRONG[text] in done.err
    assert not Path("x.tree").exists()


def test_missing_needs_rows(run):
    Path("hand.txt").write_text(MELON, "utf-8")
    assert "--data" in run("import", "hand.txt", "--missing", "fraction").err
    Path("t.csv").write_text("a,y\nu,n\n,y\nv,y\n")
    Path("h.txt").write_text("a = u: n\na = v: y\n")
    done = run("import", "h.txt", "--data", "t.csv", "--missing", "fraction")
    assert "(1.5" in done.out, done.err
