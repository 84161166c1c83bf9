"""`penjing worksheet`: files, formats, random tables, refusals."""

from __future__ import annotations

import json

import pytest


def test_a_worksheet_and_its_solution_are_saved(run, tmp_path):
    for ending in ("html", "md", "tex", "json"):
        done = run("worksheet", "example:fish", "--recipe", "id3", "-o", f"fish.{ending}")
        assert (done.code, done.out) == (0, "")
        assert f"fish-solution.{ending}" in done.err
        sheet, solution = (
            (tmp_path / name).read_text("utf-8")
            for name in (f"fish.{ending}", f"fish-solution.{ending}")
        )
        assert "0.420" in solution
        assert "0.420" not in sheet
    done = run("worksheet", "example:fish", "-o", "a.html", "--solution", "b.md")
    assert (tmp_path / "b.md").read_text("utf-8").startswith("# Solution")
    assert not (tmp_path / "a-solution.html").exists()
    assert done.code == 0


def test_a_worksheet_is_printed_in_both_languages(run):
    english = run("worksheet", "example:fish")
    assert english.out.startswith("# Worksheet: decision tree for fish by id3\n")
    assert "--solution" in english.err
    chinese = run("worksheet", "example:fish", "--lang", "zh", "--format", "html")
    assert chinese.out.startswith("<!doctype html>")
    assert '<html lang="zh-CN">' in chinese.out


def test_a_drawn_table_is_saved_and_the_same_for_a_seed(run):
    first = run("worksheet", "--seed", "4", "--recipe", "cart-binary", "--save-table", "a.csv",
                "--json")  # fmt: skip
    again = run("worksheet", "--seed", "4", "--recipe", "cart-binary", "--json")
    assert first.data == again.data
    assert first.data["sheet"]["seed"] == 4
    from_file = run("worksheet", "a.csv", "--recipe", "cart-binary", "--json")
    assert from_file.data["solution"]["answers"] == first.data["solution"]["answers"]
    fitted = run("fit", "a.csv", "--recipe", "cart-binary", "--trace", "-o", "a.tree")
    assert fitted.code == 0
    told = run("why", "a.tree", "--json").data
    answers = {a["id"]: a for a in first.data["solution"]["answers"]}
    assert answers["1.chosen"]["value"] == told["question"]
    assert answers["1.impurity"]["value"] == told["gini"]
    ginis = {c["column"]: c["gini_after"] for c in told["candidates"] if c["gain"] is not None}
    for i, column in enumerate(first.data["sheet"]["columns"], start=1):
        assert answers[f"1.gini_after.{i}"]["value"] == ginis.get(column["name"])


def test_ties_are_noted(run):
    done = run("worksheet", "example:watermelon2.0", "--depth", "2", "-o", "melon.md")
    assert "at node 2, 根蒂, 脐部 and 触感 tie" in done.err


def test_the_input_is_never_overwritten(run, tmp_path):
    rows = "a,b,class\nx,y,1\nx,z,0\nw,z,0\n"
    (tmp_path / "rows.md").write_text(rows)
    (tmp_path / "rows-solution.md").write_text(rows)
    for args in (
        ("rows.md", "-o", "rows.md"),
        ("rows-solution.md", "-o", "rows.md"),
        ("rows.md", "-o", "a.md", "--solution", "./rows.md"),
        ("rows.md", "-o", "a.md", "--save-table", "rows.md"),
    ):
        done = run("worksheet", *args)
        assert (done.code, "overwritten" in done.err) == (1, True)
    assert (tmp_path / "rows.md").read_text() == rows
    same = run("worksheet", "rows.md", "-o", "a.md", "--solution", "a.md")
    assert (same.code, "same file" in same.err) == (1, True)
    assert sorted(p.name for p in tmp_path.glob("a*")) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "args",
    [
        (),
        ("example:fish", "--recipe", "rpart"),
        ("example:fish", "--rows", "9"),
        ("example:watermelon2.0alpha",),
        ("--seed", "1", "--depth", "7"),
        ("example:fish", "-o", "a.pdf"),
        ("example:fish", "-o", "a.md", "--solution", "b.pdf"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(run, tmp_path, args, lang):
    done = run("worksheet", *args, "--lang", lang)
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert list(tmp_path.glob("a*")) == []


def test_answers_are_for_programs_too(run):
    data = run("worksheet", "example:play_tennis", "--blanks", "all", "--json").data
    assert (data["sheet"]["version"], data["solution"]["version"]) == (1, 1)
    kinds = {blank["kind"] for blank in data["sheet"]["blanks"]}
    assert kinds == {"path", "count", "number", "column", "condition", "result"}
    gain = next(a for a in data["solution"]["answers"] if a["id"] == "1.gain.1")
    assert gain["text"] == "0.247"
    assert gain["value"] == pytest.approx(0.2467498, abs=1e-7)
    assert (gain["digits"], gain["tolerance"]) == (3, 0.002)
    assert "answers" not in json.dumps(data["sheet"])
