"""`penjing export`: programs on stdout or in a file, and sentences where they cannot be."""

from __future__ import annotations

import ast

import pytest

from penjing.registry import BUILT_IN


@pytest.mark.parametrize("kind", BUILT_IN["export"])
def test_every_kind_goes_to_a_file(run, melon, kind, tmp_path):
    done = run("export", melon, "--to", kind, "-o", "out")
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "out").stat().st_size > 50


def test_python_goes_to_stdout_and_runs(run, melon):
    made: dict = {}
    exec(run("export", melon, "--to", "python").out, made)  # noqa: S102
    assert made["predict"]({"纹理": "模糊"}) == "否"


def test_options_reach_their_kind(run, melon):
    words = ("--dialect", "mysql", "--table", "瓜", "--proba")
    query = run("export", melon, "--to", "sql", *words).out
    assert "FROM `瓜`" in query
    assert "`p(是)`" in query
    assert "class Melon" in run("export", melon, "--to", "java", "--name", "Melon").out


def test_cells_are_told_or_given(run):
    assert run("fit", "Watermelon-train1.csv", "--max-depth", "1", "-o", "small.tree").code == 0
    done = run("export", "small.tree", "--to", "excel")
    assert done.out.startswith("=IF(EXACT(A2,")
    assert "A2 " in done.err
    column = done.err.split("A2 ")[1].strip()
    assert "EXACT(D7," in run("export", "small.tree", "--to", "excel", "--cell", f"{column}=D7").out


def test_a_dict_is_a_literal(run, melon):
    assert isinstance(ast.literal_eval(run("export", melon, "--to", "dict").out), dict)


def test_text_may_be_json(run, melon):
    told = run("export", melon, "--to", "c", "--json").data
    assert told["kind"] == "c"
    assert "penjing_predict" in told["text"]


def test_mistakes_are_sentences(run, melon):
    done = run("export", melon, "--to", "cobol")
    assert (done.code, done.out) == (1, "")
    assert "cobol" in done.err
    assert run("export", melon, "--to", "c", "--dialect", "duckdb").code == 1
    assert run("export", melon).code == 2
    assert run("fit", "Watermelon-train1.csv", "-r", "c4.5", "-o", "c45.tree").code == 0
    assert "--missing stop" in run("export", "c45.tree", "--to", "pmml").err
    assert run("export", "c45.tree", "--to", "pmml", "--missing", "stop").code == 0
