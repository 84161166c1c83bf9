"""Forced splits, forbidden columns and changed nodes on the command line."""

from __future__ import annotations

import csv

import pytest

import penjing
from penjing.cli import Exit

MELONS = "example:watermelon2.0"
ODD = "a<=b, 'c' => 密度"
"""A name with every sign that a path or a split is written with."""


def odd_table(folder):
    """Write a table whose names and categories contain signs."""
    path = folder / "odd.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([ODD, "x=y", "级别", "class"])
        for i in range(40):
            kind = ["p=q", "r, s", "t => u", "'v'"][i % 4]
            writer.writerow(
                [i / 2 % 13, kind, "低" if i % 3 else "高<", "yes" if (i // 7) % 2 else "no"]
            )
    return path.name


def test_the_root_is_forced(run):
    done = run("fit", MELONS, "--recipe", "id3", "--root", "脐部", "-o", "m.tree")
    assert done.code == Exit.OK
    assert done.out.startswith("脐部 = 凹陷")
    assert "forced: 脐部 at the root" in done.out
    assert "指定的划分：根结点 脐部" in run("show", "m.tree", "--lang", "zh").out
    assert "指定的划分" in run("why", "m.tree", "--lang", "zh").out
    assert "forced: 脐部" in run("trace", "m.tree").out
    assert run("report", "m.tree", "-o", "m.html").code == Exit.OK
    assert run("draw", "m.tree", "-o", "m2.html").code == Exit.OK


def test_paths_and_columns_with_signs(run, tmp_path):
    name = odd_table(tmp_path)
    forced = [f"x=y = t => u => {ODD} <= 5.2", f"x=y = 'r, s', => {ODD}", "=> x=y"]
    words = [word for text in forced for word in ("--force", text)]
    done = run("fit", name, "--recipe", "id3", *words, "-o", "odd.tree")
    assert done.code == Exit.OK, done.err
    tree = penjing.load(tmp_path / "odd.tree")
    assert [act["column"] for act in tree.about["steering"]["acts"]] == ["x=y", ODD, ODD]
    at = [n for n in range(tree.n_nodes) if tree.nodes.cut[n] == 5.2]
    assert len(at) == 1
    changed = run("edit", "odd.tree", "--replace", f"x=y='v' => {ODD}<6", "--json")
    assert changed.code == Exit.OK, changed.err
    assert changed.data["acts"][0]["cost"]["training"]["rows"] == 40


def test_python_takes_the_same_names(tmp_path):
    odd_table(tmp_path)
    table = penjing.read(tmp_path / "odd.csv", "class", quiet=True)
    by_text = penjing.fit(table, recipe="id3", force_splits=["=> x=y", f"x=y=p=q => {ODD}>=4.4"])
    by_path = penjing.fit(
        table, recipe="id3", force_splits={"": "x=y", "x=y=p=q": {"column": ODD, "threshold": 4.2}}
    )
    assert by_text.predict(table).tolist() == by_path.predict(table).tolist()


def test_a_column_is_never_split_on(run):
    done = run("fit", MELONS, "--recipe", "id3", "--forbid", "纹理", "-o", "m.tree")
    assert "never split on: 纹理" in done.out
    assert "纹理 =" not in done.out
    assert "纹理" in run("why", "m.tree").out.splitlines()[-1]


def test_changes_are_made_in_their_order(run, tmp_path):
    run("fit", MELONS, "--recipe", "id3", "-o", "m.tree")
    done = run(
        "edit", "m.tree", "--prune", "纹理=清晰", "--replace", "纹理=稍糊 => 色泽",
        "--validate", MELONS, "-o", "n.tree",
    )  # fmt: skip
    assert done.code == Exit.OK, done.err
    lines = done.out.splitlines()
    assert [line.split(" ")[0] for line in lines[-3:]] == ["replaced", "made", "together:"]
    for line in lines[-3:]:  # the validation rows are the training rows
        assert len({part.split("correct ")[1] for part in line.split("; ")[1:]}) == 1
    assert penjing.load(tmp_path / "n.tree").is_leaf[1]
    again = run("edit", "n.tree", "--regrow", "root", "-o", "o.tree")
    assert again.code == Exit.OK
    assert (
        penjing.load(tmp_path / "o.tree").to_dict() == penjing.load(tmp_path / "m.tree").to_dict()
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fit", MELONS, "-r", "id3", "--root", "脐步"], "脐部"),
        (["fit", MELONS, "-r", "id3", "--forbid", "脐步"], "脐部"),
        (["fit", MELONS, "-r", "id3", "--force", "纹理=清析 => 色泽"], "纹理=清晰"),
        (["fit", MELONS, "-r", "id3", "--root", "纹理", "--forbid", "纹理"], "both forced"),
        (["fit", MELONS, "-r", "id3", "--engine", "disk", "--root", "纹理"], "engine disk"),
        (["fit", MELONS, "-r", "id3", "--root", "纹理", "--force", "root => 色泽"], "same node"),
        (["edit", "m.tree"], "--replace"),
        (["edit", "m.tree", "--prune", "0", "--set", "max_depth=1"], "--regrow"),
        (["edit", "m.tree", "--replace", "99 => 色泽"], "99"),
        (["edit", "m.tree", "--regrow", "0", "--set", "max_dept=1"], "max_depth"),
    ],
)
def test_one_sentence_for_a_mistake(run, words, sentence):
    run("fit", MELONS, "--recipe", "id3", "-o", "m.tree")
    done = run(*words)
    assert done.code == Exit.INVALID
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_pruning_that_removes_a_forced_split_says_so(run):
    run("fit", MELONS, "--recipe", "id3", "--force", "纹理=清晰 => 色泽", "-o", "m.tree")
    done = run("prune", "m.tree", "--method", "pessimistic", "-o", "n.tree")
    assert "pruning removed a forced split: 色泽." in done.err


def test_a_model_on_standard_output(run):
    run("fit", MELONS, "--recipe", "id3", "-o", "m.tree")
    done = run("edit", "m.tree", "--prune", "1", "-o", "-")
    assert done.out.startswith("{")
