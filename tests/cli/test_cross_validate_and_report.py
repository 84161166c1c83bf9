"""`penjing cross-validate` and `penjing report`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import penjing
from penjing import cross_validate, read
from penjing.i18n import say

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_folds_are_counted_together(run):
    told = run("cross-validate", TRAIN, "--folds", "4", "--seed", "2", "--json").data
    assert (told["folds"], told["seed"]) == (4, 2)
    assert told["correct"] == cross_validate(read(TRAIN), "id3", 4, seed=2).correct
    assert (
        f"{told['correct']:g} of {told['n']}"
        in run("cross-validate", TRAIN, "--folds", "4", "--seed", "2").out
    )
    alone = run("cross-validate", TRAIN, "--leave-one-out", "--json").data
    assert alone["folds"] == alone["n"]


@pytest.mark.parametrize("curve", ["learning", "pruning"])
def test_curves_are_text_data_and_pictures(run, curve, tmp_path):
    words = ("cross-validate", TRAIN, "--curve", curve, "--folds", "3")
    told = run(*words, "--json").data
    assert told["kind"] == curve
    assert len(run(*words).out.splitlines()) == len(told["points"]) + 1
    assert run(*words, "-o", "curve.svg").code == 0
    assert (tmp_path / "curve.svg").read_text("utf-8").startswith("<svg")


def test_a_report_is_one_file(run, melon, tmp_path):
    done = run("report", melon, "--test", TEST, "-o", "report.html", "--folds", "3")
    assert done.code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert 'lang="zh-CN"' in run("report", melon, "--lang", "zh", "--no-cross").out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_report_of_a_tree_made_by_hand_has_no_counts(run, lang):
    penjing.Tree.from_dict(
        {"outlook": {"sunny": {"wind": {"strong": "no", "weak": "yes"}}, "rain": "no"}},
        target="play",
    ).save("hand.tree")
    assert run("report", "hand.tree", "-o", "hand.html", "--lang", lang).code == 0
    page = Path("hand.html").read_text("utf-8")
    text = re.sub(r"<(svg|style|script)\b.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    assert ("has no counts" if lang == "en" else "没有样本数") in text
    for key in ("document_rows", "document_importance", "document_recipe_words"):
        assert f">{say(key, lang)}<" not in page
    assert " by ." not in text
    assert "50%" not in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_summary_says_that_the_test_set_is_the_training_set(run, lang):
    assert run("fit", TRAIN, "-o", "melon.tree").code == 0

    def summary(test: str) -> str:
        words = ("report", "melon.tree", "--train", TRAIN, "--test", test, "-o", "r.html")
        assert run(*words, "--folds", "4", "--lang", lang).code == 0
        return Path("r.html").read_text("utf-8").split("</section>")[0]

    same, other = summary(TRAIN), summary(TEST)
    told = say("note_training_tested", lang, source=TRAIN)
    assert told in same
    assert told not in other
    folds = say("verdict_in_folds", lang, k=4)
    assert folds in same
    assert folds in other
    crossed = cross_validate(read(TRAIN), "id3", 4, seed=0).accuracy
    figure = re.search(r"<li><strong>([^<]+)</strong>", same)
    assert figure is not None
    assert figure[1] == f"{100 * crossed:.1f}".removesuffix(".0") + "%"
