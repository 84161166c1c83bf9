"""Commands that save charts: the files, the options, and what is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from penjing import load

TRAIN, TEST = "Watermelon-train2.csv", "Watermelon-test2.csv"


@pytest.fixture
def model(run):
    run("fit", TRAIN, "--recipe", "c4.5-textbook", "-o", "m.tree")
    return "m.tree"


def picture(name: str) -> ET.Element:
    return ET.fromstring(Path(name).read_text("utf-8"))  # noqa: S314 - our own text


@pytest.mark.parametrize("kind", ["confusion", "roc", "precision_recall", "calibration"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_test_saves_a_chart_beside_its_text(run, model, kind, lang):
    plain = run("test", model, TEST, "--lang", lang)
    done = run("test", model, TEST, "--chart", kind, "-o", f"{kind}.svg", "--lang", lang)
    assert done.code == 0
    assert done.out == plain.out
    assert f"{kind}.svg" in done.err
    assert picture(f"{kind}.svg").get("{http://www.w3.org/XML/1998/namespace}lang") == lang


def test_charts_of_other_commands(run, model):
    words = ("--theme", "dark", "--title", "My <title>")
    run("prune", model, "-m", "pessimistic", "-o", "p.tree")
    commands = {
        "importance.svg": ("importance", model),
        "why.svg": ("why", model, "root"),
        "thresholds.svg": ("why", model, "root", "--cuts", "密度"),
        "compare.svg": ("compare", model, "p.tree"),
        "folds.svg": ("cross-validate", TRAIN, "-r", "c4.5-textbook", "--folds", "3"),
        "curve.svg": ("cross-validate", TRAIN, "--curve", "pruning", "--folds", "3"),
    }
    for name, command in commands.items():
        done = run(*command, *words, "-o", name)
        assert done.code == 0, done.err
        assert "My &lt;title&gt;" in Path(name).read_text("utf-8")
        assert "#16191d" in Path(name).read_text("utf-8")


def test_a_plane_is_drawn_with_points(run):
    lines = [f"{i % 19}.5,{(i * 7) % 20},{'ab'[i * 7 % 20 > 8 and i > 9]}" for i in range(20)]
    Path("q.csv").write_text("\n".join(["u,v,k", *lines]), "utf-8")
    assert run("fit", "q.csv", "-r", "cart-binary", "-o", "q.tree").code == 0
    assert run("draw", "q.tree", "--plane", "u,v", "--points", "q.csv", "-o", "q.svg").code == 0
    elements = list(picture("q.svg").iter())
    assert len([e for e in elements if "data-row" in e.attrib]) == 20
    assert len([e for e in elements if "data-x-low" in e.attrib]) == load("q.tree").n_leaves
    text = Path("q.csv").read_text()
    Path("other.csv").write_text(text.replace(",", ";"))
    points = ("--points", "other.csv", "--separator", ";")
    assert run("draw", "q.tree", "--plane", "u,v", *points, "-o", "other.svg").code == 0
    assert Path("other.svg").read_text() == Path("q.svg").read_text()
    ignored = (
        "--show",
        "data",
        "--max-leaves",
        "2",
        "--align-leaves",
        "--icicle",
        "--test",
        "q.csv",
    )
    done = run("draw", "q.tree", "--plane", "u,v", *ignored, "-o", "q.svg")
    named = "--max-leaves, --show, --align-leaves, --test, --icicle"
    assert f"{named} have no effect on q.svg." in done.err
    other = run("draw", "q.tree", "--plane", "u", "-o", "x.svg")
    assert other.code == 1
    assert "two names of columns" in other.err
    assert run("draw", "q.tree", "--points", "q.csv", "-o", "x.svg").code == 1
    assert not Path("x.svg").exists()


def test_wrong_choices_are_refused_before_work_is_done(run, model):
    cases = [
        (("test", model, TEST, "--chart", "rok", "-o", "x.svg"), "roc"),
        (("test", model, TEST, "--chart", "roc"), "--output FILE.svg"),
        (("test", model, TEST, "--chart", "predictions", "-o", "x.svg"), "is categorical"),
        (("test", model, TEST, "-o", "x.bmp"), "'.bmp' is not a supported"),
        (("importance", model, "-o", "x.svg", "--theme", "pink"), "pink"),
        (("compare", model, model, model, "-o", "x.svg"), "exactly two models"),
        (("why", model, "root", "--cuts", "密度", "-o", "x.md"), "--cuts"),
    ]
    for command, words in cases:
        done = run(*command)
        assert done.code in (1, 2), command
        assert words in done.err, done.err
    assert not Path("x.svg").exists()


def test_json_is_printed_beside_the_chart(run, model):
    done = run("test", model, TEST, "-o", "c.svg", "--json")
    assert done.data["confusion"]
    assert picture("c.svg") is not None
