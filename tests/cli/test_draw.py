"""`penjing draw`: data of a saved model, layouts, test rows, and options that a format lacks."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import penjing


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    for name, n in (("train.csv", 120), ("test.csv", 60)):
        x = np.round(rng.rand(n), 2)
        kind = rng.choice(["red", "green", "blue"], n)
        bought = np.where(x + 0.3 * (kind == "red") + 0.2 * rng.randn(n) > 0.6, "yes", "no")
        price = np.round(100 * x + 20 * (kind == "blue") + rng.randn(n), 2)
        lines = [f"{a},{b},{c},{d}" for a, b, c, d in zip(x, kind, bought, price, strict=True)]
        (tmp_path / name).write_text("\n".join(["x,kind,bought,price", *lines]) + "\n", "utf-8")
    return tmp_path


def fitted(run, target: str = "bought", *options: str) -> None:
    other = "price" if target == "bought" else "bought"
    recipe = "cart-binary"
    made = run(
        "fit", "train.csv", "-t", target, "--ignore", other, "-r", recipe, "-o", "a.tree", *options
    )
    assert made.code == 0, made.err


def test_a_saved_model_draws_its_data_without_rows(run, files):
    fitted(run)
    (files / "train.csv").unlink()
    assert run("draw", "a.tree", "-o", "a.svg", "--max-leaves", "8").code == 0
    shown = (files / "a.svg").read_text("utf-8")
    assert 'class="w"' in shown  # a wedge below a threshold
    for show, has_data in (("counts", False), ("data", True), ("none", False)):
        assert run("draw", "a.tree", "-o", "b.svg", "--max-leaves", "8", "--show", show).code == 0
        assert ('class="w"' in (files / "b.svg").read_text("utf-8")) == has_data


def test_a_model_without_sketches_says_why_no_data_are_shown(run, files):
    fitted(run, "bought", "--no-sketch")
    assert run("draw", "a.tree", "-o", "a.svg", "--show", "data").code == 0
    assert "the model does not contain the distributions" in (files / "a.svg").read_text("utf-8")


@pytest.mark.parametrize("target", ["bought", "price"])
def test_test_rows_are_shown_at_leaves(run, files, target):
    fitted(run, target)
    done = run("draw", "a.tree", "-o", "a.svg", "--test", "test.csv", "--lang", "en")
    assert done.code == 0, done.err
    shown = (files / "a.svg").read_text("utf-8")
    score = run("test", "a.tree", "test.csv", "--lang", "en").out
    if target == "bought":
        k, n = re.search(r"test accuracy (\d+)/(\d+)", shown).groups()
        assert f"{k} of {n}" in score.replace(",", "") or f"{k}/{n}" in score
    else:
        assert re.search(r"test RMSE \S+ \(n=60\)", shown)
    done = run("draw", "a.tree", "-o", "a.svg", "--test", "train.csv", "--lang", "en")
    assert "training set" in done.err


def test_layouts_and_what_has_no_effect(run, files):
    fitted(run)
    sizes = []
    for options in (
        (),
        ("--layout", "left-to-right"),
        ("--layout", "left-to-right", "--align-leaves"),
    ):
        assert run("draw", "a.tree", "-o", "a.svg", *options).code == 0
        sizes.append(re.search(r'width="([\d.]+)"', (files / "a.svg").read_text("utf-8"))[1])
    assert len(set(sizes[:2])) == 2
    done = run("draw", "a.tree", "-o", "a.md", "--show", "data", "--align-leaves", "--lang", "en")
    assert done.code == 0
    assert "--show, --align-leaves have no effect on a.md." in done.err
    done = run("draw", "a.tree", "-o", "a.svg", "--layout", "circle", "--lang", "en")
    assert done.code == 2
    assert "left-to-right" in done.err


def test_the_number_of_leaves_is_that_of_the_first_view_of_a_page(run, files):
    fitted(run)
    for n in (4, 9):
        done = run("draw", "a.tree", "-o", "a.html", "--max-leaves", str(n), "--lang", "en")
        assert done.code == 0
        assert "no effect" not in done.err
        text = (files / "a.html").read_text("utf-8")
        data = re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)[1]
        assert json.loads(data)["max_leaves"] == n


@pytest.mark.parametrize(("lang", "start"), [("en", "note: the"), ("zh", "说明：字体")])
def test_the_command_names_characters_that_no_font_has(run, tmp_path, lang, start):
    rows = [{"x": i, "y": "\U0001f349" if i < 20 else "b"} for i in range(40)]
    penjing.fit(rows, "y", recipe="cart-binary").save(tmp_path / "a.tree")
    result = run("draw", tmp_path / "a.tree", "-o", tmp_path / "a.png", "--lang", lang)
    assert result.err.count("\U0001f349") == 1
    assert start in result.err
    assert "Warning" not in result.err
