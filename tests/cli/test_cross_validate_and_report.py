"""`penjing cross-validate` and `penjing report`."""

from __future__ import annotations

import pytest

from penjing import cross_validate, read

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
