"""Lift, cut-offs, profit, calibration and undefined scores, counted again row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal
from penjing.errors import ChoiceError, DataError
from penjing.i18n import LANGUAGES

TREE = penjing.fit(
    [
        {"x": x, "z": z, "y": y}
        for x, z, ys in [
            ("a", "p", "ttttf"),
            ("a", "q", "tttfff"),
            ("b", "p", "ttffff"),
            ("b", "q", "ffffft"),
            ("c", "p", "tttt"),
            ("c", "q", "ffff"),
        ]
        for y in ys
    ],
    "y",
    "id3",
    quiet=True,
)

rows_given = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.sampled_from("pq"), st.sampled_from("tf"), st.integers(1, 3)
    ),
    min_size=1,
    max_size=25,
)


def table_of(rows) -> Table:
    x, z, y, weight = zip(*rows, strict=True)
    columns = (nominal("x", x), nominal("z", z))
    return Table(columns, nominal("y", y), len(rows), np.array(weight, np.float64))


def scored(rows) -> list[tuple[float, bool, float, int]]:
    """Return probability of t, whether the row is t, weight and leaf of every row."""
    table = table_of(rows)
    share = TREE.predict_proba(table)[:, TREE.classes.index("t")]
    leaves = TREE.apply(table)
    return [
        (float(p), y == "t", float(w), int(leaf))
        for p, (_, _, y, w), leaf in zip(share, rows, leaves, strict=True)
    ]


@given(rows_given)
def test_lift_and_gain_by_leaf(rows):
    by_row = scored(rows)
    total = sum(w for _, _, w, _ in by_row)
    positive = sum(w for _, is_t, w, _ in by_row if is_t)
    found = TREE.score(table_of(rows)).lift("t")
    leaves = sorted({(-p, leaf) for p, _, _, leaf in by_row})
    assert [(row.probability, row.node) for row in found] == [(-p, leaf) for p, leaf in leaves]
    seen = set()
    for row in found:
        seen.add(row.node)
        here = [(is_t, w) for _, is_t, w, leaf in by_row if leaf == row.node]
        before = [(is_t, w) for _, is_t, w, leaf in by_row if leaf in seen]
        n, n_t = sum(w for _, w in here), sum(w for is_t, w in here if is_t)
        assert (row.rows, row.positives, row.rate) == (n, n_t, n_t / n)
        assert row.cumulative_rows == pytest.approx(sum(w for _, w in before) / total)
        if positive:
            assert row.lift == pytest.approx(n_t / n / (positive / total))
            assert row.gain == pytest.approx(sum(w for t, w in before if t) / positive)
        else:
            assert row.lift is None
            assert row.gain is None
    assert found[-1].cumulative_rows == 1
    for lang in LANGUAGES:
        assert len(found.text(lang).splitlines()) == len(found) + 1
    assert len(found.to_json()["leaves"]) == len(found)


@given(rows_given, st.integers(0, 4), st.integers(1, 4), st.sampled_from([0.2, 0.5, 0.75, 1.0]))
def test_a_cutoff_is_the_best_of_all(rows, false_positive, false_negative, wanted):
    by_row = scored(rows)
    n_t = sum(w for _, is_t, w, _ in by_row if is_t)

    def at(cutoff):
        true = sum(w for p, is_t, w, _ in by_row if is_t and p >= cutoff)
        false = sum(w for p, is_t, w, _ in by_row if not is_t and p >= cutoff)
        return true, false

    cutoffs = [2.0, *sorted({p for p, *_ in by_row}, reverse=True)]
    report = TREE.score(table_of(rows))
    costs = []
    for cutoff in cutoffs:
        true, false = at(cutoff)
        costs.append(false_positive * false + false_negative * (n_t - true))
    best = cutoffs[costs.index(min(costs))]
    found = report.cutoff("t", cost=(false_positive, false_negative))
    assert (found.cutoff, found.cost) == (None if best == 2 else best, min(costs))
    by_precision, by_recall = [], []
    for place, cutoff in enumerate(cutoffs[1:]):
        true, false = at(cutoff)
        precision, recall = true / (true + false), true / n_t if n_t else -1
        if precision >= wanted and n_t:
            by_precision.append((-recall, place, cutoff))
        if recall >= wanted:
            by_recall.append((-precision, place, cutoff))
    for name, candidates in (("precision", by_precision), ("recall", by_recall)):
        found = report.cutoff("t", **{name: wanted})
        assert found.is_met == bool(candidates)
        assert found.cutoff == (min(candidates)[2] if candidates else None)
        if candidates:
            assert getattr(found, name) >= wanted
        assert found.true_positives + found.false_negatives == n_t
        for lang in LANGUAGES:
            assert found.text(lang)


@given(rows_given, st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_profit_is_added_up_row_by_row(rows, values):
    matrix = {"t": dict(zip("tf", values[:2], strict=True))}
    matrix["f"] = dict(zip("tf", values[2:], strict=True))
    table = table_of(rows)
    predicted = TREE.predict(table).tolist()
    weight = [w for *_, w in rows]
    actual = [y for _, _, y, _ in rows]
    profit = TREE.score(table).profit(matrix)
    earned = [matrix[a][p] * w for a, p, w in zip(actual, predicted, weight, strict=True)]
    assert profit.total == pytest.approx(sum(earned))
    assert profit.mean == pytest.approx(sum(earned) / sum(weight))
    constant = {c: sum(matrix[a][c] * w for a, w in zip(actual, weight, strict=True)) for c in "tf"}
    assert profit.constant == pytest.approx(max(constant.values()))
    assert constant[profit.constant_class] == pytest.approx(profit.constant)
    most = sum(max(matrix[a].values()) * w for a, w in zip(actual, weight, strict=True))
    assert profit.perfect == pytest.approx(most)
    assert profit.total <= profit.perfect + 1e-9
    expected = 0.0
    for shares, a, w in zip(TREE.predict_proba(table), actual, weight, strict=True):
        means = [
            sum(s * matrix[c][p] for c, s in zip(TREE.classes, shares, strict=True))
            for p in TREE.classes
        ]
        choices = [c for c, m in zip(TREE.classes, means, strict=True) if m == max(means)]
        if len(choices) > 1 or len({round(m, 9) for m in means}) == 1:
            return  # a tie, up to rounding
        expected += matrix[a][choices[0]] * w
    assert profit.by_expected_profit == pytest.approx(expected)


@given(rows_given)
def test_calibration_compares_probability_and_share(rows):
    table = table_of(rows)
    shares = TREE.predict_proba(table).max(axis=1)
    right = [p == y for p, (_, _, y, _) in zip(TREE.predict(table), rows, strict=True)]
    points = TREE.score(table).calibration(4)["points"]
    assert sum(point["weight"] for point in points) == sum(w for *_, w in rows)
    for point in points:
        here = [i for i, p in enumerate(shares) if int(min(p * 4, 3)) == round(point["low"] * 4)]
        n = sum(rows[i][3] for i in here)
        assert point["weight"] == n
        assert point["said"] == pytest.approx(sum(shares[i] * rows[i][3] for i in here) / n)
        assert point["right"] == pytest.approx(sum(rows[i][3] for i in here if right[i]) / n)


# -- baselines ----------------------------------------------------------------------------------


def test_the_first_split_alone_is_the_tree_cut_below_it():
    table = penjing.read(penjing.example("watermelon3.0"))
    for recipe in ("id3", "cart-binary", "c4.5-textbook"):
        tree = penjing.fit(table, recipe=recipe)
        below = [c for c in tree.children(0) if not tree.is_leaf[c]]
        baseline = tree.score(table).baseline
        assert baseline.column == tree.schema[int(tree.nodes.column[0])].name
        assert baseline.column_accuracy == tree.pruned(below).score(table).accuracy
        assert baseline.accuracy == 9 / 17
        assert (baseline.class_, baseline.is_of_tested_rows) == ("否", False)


def test_the_majority_is_that_of_the_training_rows():
    rows = [{"x": i, "y": "n"} for i in range(6)] + [{"x": 9, "y": "p"}] * 3
    tree = penjing.fit(rows, "y", "cart-binary")
    baseline = tree.score(rows[5:]).baseline
    assert (baseline.class_, baseline.accuracy) == ("n", 1 / 4)
    by_hand = Tree.from_dict({"x": {"<= 7": "n", "> 7": "p"}}, target="y")
    baseline = by_hand.score(rows[5:]).baseline
    assert (baseline.class_, baseline.accuracy, baseline.is_of_tested_rows) == ("p", 3 / 4, True)
    assert baseline.column is None


@pytest.mark.parametrize("n", [4, 10, 31])
def test_the_baseline_of_a_cross_validation_is_one_class_for_all_rows(n):
    rows = [{"x": i, "y": "np"[i % 2]} for i in range(n)]
    for folds in ("leave-one-out", 2, 3):
        baseline = penjing.cross_validate(rows, "y", folds, recipe="cart-binary").baseline
        assert (baseline.class_, baseline.accuracy) == ("n", (n + 1) // 2 / n)


def test_numbers_are_compared_with_the_mean_of_the_training_rows():
    rows = [{"x": x, "y": 2.0 * x + 0.5} for x in range(10)]
    tree = penjing.fit(rows, "y", "cart-binary")
    baseline = tree.score(rows[:2]).baseline
    assert baseline.mean == 9.5
    assert baseline.mae == pytest.approx(8)
    assert baseline.rmse == pytest.approx(np.sqrt((81 + 49) / 2))
    below = [c for c in tree.children(0) if not tree.is_leaf[c]]
    assert baseline.column_rmse == pytest.approx(tree.pruned(below).score(rows[:2]).rmse)


def test_folds_whose_majorities_differ_have_the_baseline_of_all_rows():
    table = penjing.read(penjing.example("watermelon2.0"))
    report = penjing.cross_validate(table, "id3", "leave-one-out")
    # Without one of nine rows "否", the classes tie, and the first one, "是", would be predicted.
    assert report.baseline.accuracy == 9 / 17
    assert report.baseline.class_ == "否"
    assert 0 < report.baseline.column_accuracy < 1
    assert report.groups.weight.sum() == 17
    assert report.lift("是").rows[0].node is None


def test_a_cross_validation_joins_the_probabilities_of_its_folds():
    table = penjing.read(penjing.example("golf"))
    report = penjing.cross_validate(table, "cart-binary", 3, seed=5)
    sklearn_metrics = pytest.importorskip("sklearn.metrics")
    shares = np.empty((table.n_rows, 2))
    from penjing.data.folds import each_fold  # noqa: PLC0415

    at = {number: i for i, number in enumerate(range(1, table.n_rows + 1))}
    for train, held_out in each_fold(table, 3, 5):
        tree = penjing.fit(train, recipe="cart-binary")
        order = [tree.classes.index(c) for c in table.target.levels]
        for row, share in enumerate(tree.predict_proba(held_out)[:, order]):
            shares[at[held_out.row_number(row)]] = share
    positive = report.classes.index(report.positive)
    expected = sklearn_metrics.roc_auc_score(table.target.codes == positive, shares[:, positive])
    assert report.roc_auc == pytest.approx(expected, abs=1e-12)


# -- what is undefined --------------------------------------------------------------------------


def test_one_class_leaves_roc_auc_undefined():
    report = TREE.score(table_of([("a", "p", "t", 1), ("b", "q", "t", 1)]))
    plain = report.to_json()
    assert plain["roc_auc_score"] is None
    assert plain["balanced_accuracy_score"] == 0.5
    assert plain["notes"] == ["These rows have only the class t, so ROC AUC is undefined."]
    assert "ROC AUC –" in report.text()
    assert "没有定义" in report.text("zh")


def test_classes_that_the_tree_does_not_know():
    rows = [("a", "p", "t", 1), ("b", "q", "other", 1), ("b", "p", "f", 1)]
    report = TREE.score(table_of(rows))
    plain = report.to_json()
    assert plain["classes"][2] == "other"
    assert plain["per_class"][2]["roc_auc"] is None
    assert plain["roc_auc_score"] is not None
    assert plain["log_loss"] > 10
    assert report.positive is not None  # of the two classes of the tree
    assert len(plain["notes"]) == 1
    assert "other" in plain["notes"][0]


def test_classes_without_rows_are_left_out_of_averages():
    tree = Tree.from_dict({"x": {0: "a", 1: "b", 2: "c"}}, "y")
    report = tree.score([{"x": 0, "y": "a"}, {"x": 1, "y": "b"}, {"x": 1, "y": "a"}])
    scores = report.to_json()["precision_recall_fscore_support"]
    assert scores["precision"] == [1.0, 0.5, None]
    assert scores["macro"]["precision"] == 0.75
    assert report.balanced_accuracy == 0.75
    assert "c" in report.notes()[0]
    assert "–" in report.text()


def test_rows_without_weight_are_no_test_set():
    table = table_of([("a", "p", "t", 1)])
    empty = Table(table.columns, table.target, 1, np.zeros(1))
    with pytest.raises(DataError, match="weight 0"):
        TREE.score(empty)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({}, "one_cutoff_condition"),
        ({"cost": (1, 2), "recall": 0.5}, "one_cutoff_condition"),
        ({"cost": (0, 0)}, "bad_costs"),
        ({"cost": (-1, 2)}, "bad_costs"),
        ({"cost": 3}, "bad_costs"),
        ({"cost": ("a", "b")}, "bad_costs"),
        ({"precision": 0}, "bad_wanted_share"),
        ({"recall": 1.5}, "bad_wanted_share"),
        ({"recall": "much"}, "bad_wanted_share"),
        ({"positive": "u", "recall": 0.5}, "no_such_class"),
    ],
)
def test_conditions_that_are_none(arguments, key):
    report = TREE.score(table_of([("a", "p", "t", 1), ("b", "q", "f", 1)]))
    with pytest.raises(ChoiceError) as error:
        report.cutoff(**arguments)
    assert error.value.key.removesuffix("_near") == key


@pytest.mark.parametrize(
    ("matrix", "key"),
    [
        ([], "bad_profit"),
        ({"t": 3}, "bad_profit"),
        ({"t": {"t": "x"}}, "bad_profit_number"),
        ({"t": {"t": float("inf")}}, "bad_profit_number"),
        ({"maybe": {"t": 1}}, "no_such_class"),
    ],
)
def test_matrices_that_are_none(matrix, key):
    report = TREE.score(table_of([("a", "p", "t", 1), ("b", "q", "f", 1)]))
    with pytest.raises(ChoiceError) as error:
        report.profit(matrix)
    assert error.value.key == key


def test_many_classes_need_a_positive_one():
    tree = Tree.from_dict({"x": {0: "a", 1: "b", 2: "c"}}, "y")
    rows = [{"x": 0, "y": "a"}, {"x": 1, "y": "b"}, {"x": 2, "y": "c"}]
    with pytest.raises(ChoiceError, match="positive="):
        tree.score(rows).lift()
    report = tree.score(rows, positive="b")
    assert report.lift().class_ == report.positive == "b"
    assert report.roc_auc == 1
    with pytest.raises(ChoiceError, match="no class 'd'"):
        tree.score(rows, positive="d")
    numbers = penjing.fit([{"x": i, "y": i / 2} for i in range(9)], "y", "cart-binary")
    with pytest.raises(ChoiceError, match="categorical"):
        numbers.score([{"x": 1, "y": 1.5}], positive="b")
