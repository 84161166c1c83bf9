"""Metrics of predictions and their report: counted again from the definition."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.read import read
from penjing.data.table import Table, nominal, numeric
from penjing.errors import DataError
from penjing.evaluate.metrics import NumberReport, Wrong
from penjing.evaluate.validation import cross_validate, score
from penjing.i18n import LANGUAGES
from shared import shared
from strategies import grown, part_weights, tables, whole_weights

COURSE = "data/watermelon-course/Watermelon-"


@pytest.fixture(scope="module")
def melons() -> dict[str, Table]:
    return {name: read(shared(f"{COURSE}{name}.csv")) for name in ("train1", "test1", "train2")}


# -- the homework -------------------------------------------------------------------------------


def test_the_report_of_the_homework(melons):
    report = grown(melons["train1"]).score(melons["test1"])
    assert str(report).splitlines() == [
        "accuracy 70% (7 of 10), 95% confidence interval 40% to 89%",
        "baseline 50% (always 是); first split alone 80% (纹理)",
        "ROC AUC 0.700 (0.390 to 1.000), PR AUC 0.633 (是), log loss 10.813, Brier score 0.300",
        "              predicted",
        "actual         是    否",
        "  是            4     1",
        "  否            2     3",
        "class  precision  recall     F1  rows",
        "是         0.667   0.800  0.727     5",
        "否         0.750   0.600  0.667     5",
        "wrong predictions: 编号 4 是→否, 编号 6 否→是, 编号 7 否→是",
    ]
    assert report.text("zh").splitlines() == [
        "精度 70%（7/10），95% 置信区间 40%–89%",
        "基线 50%（一律预测 是）；仅用第一个划分 80%（纹理）",
        "ROC 面积 0.700（0.390–1.000），PR 面积 0.633（是），对数损失 10.813，布里尔分数 0.300",
        "              预测",
        "实际           是    否",
        "  是            4     1",
        "  否            2     3",
        "类别  查准率  查全率     F1  样本数",
        "是     0.667   0.800  0.727       5",
        "否     0.750   0.600  0.667       5",
        "判错的样本：编号 4 是→否，编号 6 否→是，编号 7 否→是",
    ]


def test_the_second_homework(melons):
    tree = grown(melons["train2"], "c4.5-textbook")
    report = tree.score(shared(COURSE + "test2.csv"))
    assert report.headline() == "accuracy 80% (4 of 5), 95% confidence interval 38% to 96%"
    assert report.wrong_text() == "wrong predictions: 编号 3 是→否"


def test_leave_one_out_of_the_homework(melons):
    train1, train2 = melons["train1"], melons["train2"]
    assert cross_validate(train1, "id3", "leave-one-out").correct == 12
    pruned = cross_validate(train1, "id3", "leave-one-out", prune="pessimistic")
    assert (pruned.correct, pruned.n) == (13, 16)
    as_it_was = cross_validate(train1, grown(train1).prune("pessimistic"), "leave-one-out")
    assert as_it_was == pruned
    textbook = cross_validate(train2, "c4.5-textbook", "leave-one-out", prune="pessimistic")
    assert (textbook.correct, textbook.n) == (13, 17)


# -- reports ------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), part_weights), min_size=1),
    st.booleans(),
)
def test_reports_count_right_and_wrong(rows, weighted):
    actual, predicted, weight = (list(part) for part in zip(*rows, strict=True))
    tree = Tree.from_dict({"x": {0: "a", 1: "b", 2: "c"}}, "y")
    classes = ["a", "b", "c", "never seen"]
    table = Table(
        (nominal("x", predicted),),
        nominal("y", [classes[c] for c in actual]),
        len(rows),
        np.array(weight) if weighted else None,
        row_numbers=np.arange(len(rows)) * 10,
    )
    report = tree.score(table)
    weights = [Fraction(w) for w in weight] if weighted else [Fraction(1)] * len(rows)
    right = sum(
        (w for a, p, w in zip(actual, predicted, weights, strict=True) if a == p), Fraction(0)
    )
    assert report.n == len(rows)
    assert report.weight == pytest.approx(float(sum(weights)))
    assert report.correct == pytest.approx(float(right))
    assert report.accuracy == pytest.approx(float(right / sum(weights)))
    assert report.classes[:3] == ("a", "b", "c")
    assert ("never seen" in report.classes) == (3 in actual)
    assert [(w.row, w.actual, w.predicted) for w in report.wrong] == [
        (10 * i, classes[a], classes[p])
        for i, (a, p) in enumerate(zip(actual, predicted, strict=True))
        if a != p
    ]
    for one in report.per_class:
        of_it = [classes[a] == one.class_ for a in actual]
        told = [classes[p] == one.class_ for p in predicted]
        hits = sum(w for h, t, w in zip(of_it, told, weights, strict=True) if h and t)
        support = sum(w for h, w in zip(of_it, weights, strict=True) if h)
        answered = sum(w for t, w in zip(told, weights, strict=True) if t)
        assert one.support == pytest.approx(float(support))
        assert one.recall == (pytest.approx(float(hits / support)) if support else None)
        assert one.precision == (pytest.approx(float(hits / answered)) if answered else None)
    assert sum(map(sum, report.confusion)) == pytest.approx(report.weight)
    assert json.loads(json.dumps(report.to_json())) == report.to_json()
    for lang in LANGUAGES:
        assert report.text(lang)


@given(tables(weights=whole_weights))
def test_weight_k_is_k_copies(table):
    tree = grown(table)
    copies = table.take(np.repeat(np.arange(table.n_rows), table.weights.astype(int)))
    copied = tree.score(replace(copies, weight=None))
    weighed = tree.score(table)
    assert (weighed.weight, weighed.correct) == (copied.weight, copied.correct)
    assert weighed.interval == copied.interval
    assert weighed.confusion == copied.confusion


def test_long_names_wide_counts_and_many_wrong_rows_are_lined_up():
    classes = ["a very long name", "短", "c"]
    tree = Tree.from_dict({"x": dict(enumerate(classes))}, "y")
    x = [0, 1, 2] * 41_000
    y = [classes[(i // 3) % 3] for i in range(len(x))]
    report = tree.score(Table((nominal("x", x),), nominal("y", y), len(x)))
    lines = report.table()
    widths = {sum(2 if c == "短" else 1 for c in line) for line in lines[1:]}
    assert len(widths) == 1
    assert len(report.wrong) == 82_000
    assert report.wrong[-1] == Wrong(123_000, "短", "c")
    assert report.wrong == tree.score(Table((nominal("x", x),), nominal("y", y), len(x))).wrong
    assert repr(report.wrong) == "<82000 wrong rows>"
    counts = re.findall(r"([\d,]+) (\S+|'.*?')→(\S+|'.*?') \(row", report.wrong_text())
    expected = Counter((wrong.actual, wrong.predicted) for wrong in report.wrong)
    assert {(a.strip("'"), p.strip("'")): int(n.replace(",", "")) for n, a, p in counts} == dict(
        expected.most_common(4)
    )
    assert report.wrong_text().endswith(
        f"and {82_000 - sum(sorted(expected.values())[-4:]):,} more"
    )
    assert len(report.wrong_text()) < 1000
    assert report.headline() == (
        "accuracy 33.3% (41,000 of 123,000), 95% confidence interval 33.07% to 33.60%"
    )


def test_rows_without_an_answer_are_left_out_and_counted():
    tree = Tree.from_dict({"x": {"p": "no", "q": "yes"}}, "y")
    table = Table((nominal("x", "pqp"),), nominal("y", ["no", None, "yes"]), 3)
    report = tree.score(table)
    assert (report.n, report.correct, report.unlabelled) == (2, 1, 1)
    assert "1 row without a value in 'y' was left out." in str(report)
    assert [w.row for w in report.wrong] == [3]
    with pytest.raises(DataError, match="no row of table has a value in 'y'"):
        tree.score(table.take([1]))
    with pytest.raises(DataError, match="has no column 'y'"):
        tree.score(replace(table, target=None))
    with pytest.raises(DataError, match="'z' in column 'x'"):
        score(tree, Table((nominal("x", "z"),), nominal("y", ["no"]), 1), unseen="error")


@given(tables(regression=True, weights=part_weights))
def test_numbers_are_reported_by_their_errors(table):
    tree = grown(table, max_depth=1)
    report = tree.score(table)
    off = tree.predict(table) - table.target.numbers()
    w, y = table.weights, table.target.numbers()
    assert report.rmse == pytest.approx(math.sqrt((w * off**2).sum() / w.sum()))
    assert report.mae == pytest.approx((w * abs(off)).sum() / w.sum())
    assert isinstance(report, NumberReport)
    if len(set(y)) == 1:
        assert report.r2 is None
    else:
        about = y - (w * y).sum() / w.sum()
        assert report.r2 == pytest.approx(1 - (w * off**2).sum() / (w * about**2).sum())
        assert -1e-9 <= report.r2 <= 1
    assert json.loads(json.dumps(report.to_json())) == report.to_json()
    for lang in LANGUAGES:
        assert f"{report.rmse:.4g}" in report.text(lang)


def test_a_number_reports_rows_without_one():
    tree = grown(Table((nominal("x", "ab"),), numeric("y", [1.0, 2.0]), 2))
    rows = Table((nominal("x", "aab"),), numeric("y", [1.0, np.nan, 4.0]), 3)
    report = tree.score(rows)
    assert (report.n, report.unlabelled) == (2, 1)
    assert str(report).splitlines() == [
        "root mean squared error 1.414, mean absolute error 1, R² 0.1111   (2 rows)",
        "median absolute error 1; 95% confidence interval of the mean absolute error 0 to 2.96",
        (
            "baseline: root mean squared error 1.803 (mean 1.5 for every row)"
            "; first split alone 1.414 (x)"
        ),
        "1 row without a value in 'y' was left out.",
    ]


def test_class_names_with_line_ends_keep_the_confusion_table_whole():
    rows = [{"v": i % 2, "c": ("a\nb", "Don't")[i % 2]} for i in range(8)]
    tree = penjing.fit(rows, "c", "cart-binary", quiet=True)
    lines = str(tree.score(rows)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("actual"))
    assert lines[start].split() == ["actual", "'a\\nb'", "Don't"]
    assert lines[start + 1].split() == ["'a\\nb'", "4", "0"]
    assert lines[start + 2].split() == ["Don't", "0", "4"]
