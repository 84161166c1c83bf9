"""Reports, rows put aside, cross-validation: counted again from the definition."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.folds import Fold, folds, hold_out
from penjing.data.read import read
from penjing.data.statistics import percent, wilson
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import RECIPES
from penjing.errors import ChoiceError, DataError
from penjing.evaluate.metrics import NumberReport, Report, Wrong, width
from penjing.evaluate.validation import cross_validate, score
from penjing.i18n import LANGUAGES
from shared import shared
from strategies import grown, part_weights, skeleton, tables, whole_weights

COURSE = "data/watermelon-course/Watermelon-"


@pytest.fixture(scope="module")
def melons() -> dict[str, Table]:
    return {name: read(shared(f"{COURSE}{name}.csv")) for name in ("train1", "test1", "train2")}


# -- the homework -------------------------------------------------------------------------------


def test_the_report_of_the_homework(melons):
    report = grown(melons["train1"]).score(melons["test1"])
    assert str(report).splitlines() == [
        "accuracy 7/10 = 70 %   (95 % interval 40 to 89 %)",
        "              predicted",
        "actual         是    否",
        "  是            4     1",
        "  否            2     3",
        "wrong: row 4 是→否, row 6 否→是, row 7 否→是",
    ]
    assert report.text("zh").splitlines() == [
        "精度 7/10 = 70 %   （95 % 区间 40 到 89 %）",
        "              预测",
        "实际           是    否",
        "  是            4     1",
        "  否            2     3",
        "错误：第 4 行 是→否，第 6 行 否→是，第 7 行 否→是",
    ]


def test_the_second_homework(melons):
    tree = grown(melons["train2"], "c4.5-textbook")
    report = tree.score(shared(COURSE + "test2.csv"))
    assert report.headline() == "accuracy 4/5 = 80 %   (95 % interval 38 to 96 %)"
    assert report.wrong_text() == "wrong: row 3 是→否"


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


@given(st.integers(1, 3000), st.data())
def test_wilsons_limits_are_where_the_normal_test_turns(n, data):
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n)
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n)
    for p in (low, high):
        if 0 < p < 1:
            assert abs(k / n - p) / math.sqrt(p * (1 - p) / n) == pytest.approx(1.959963984540054)
    mirrored = wilson(n - k, n)
    assert mirrored == pytest.approx((1 - high, 1 - low))


def test_a_mark_on_a_letter_takes_no_room():
    assert [width(text) for text in ("e\u0301", "清晰", "e")] == [1, 4, 1]


def test_percentages_are_never_100_unless_all_are_right():
    assert [percent(k, 16) for k in (0, 12, 13, 16)] == ["0", "75", "81.3", "100"]
    assert percent(99_999, 100_000) == "99.9"
    assert percent(1, 100_000) == "0.1"


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
    assert report.wrong_text().endswith(f"and {len(report.wrong) - 20} more")
    assert len(report.wrong_text()) < 1000
    assert report.headline() == (
        "accuracy 41000/123000 = 33.3 %   (95 % interval 33.07 to 33.60 %)"
    )


def test_rows_without_an_answer_are_left_out_and_counted():
    tree = Tree.from_dict({"x": {"p": "no", "q": "yes"}}, "y")
    table = Table((nominal("x", "pqp"),), nominal("y", ["no", None, "yes"]), 3)
    report = tree.score(table)
    assert (report.n, report.correct, report.unlabelled) == (2, 1, 1)
    assert "1 row without a value of 'y' was left out." in str(report)
    assert [w.row for w in report.wrong] == [3]
    with pytest.raises(DataError, match="no row of table has a value of 'y'"):
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
        "root mean square error 1.414, mean absolute error 1, R² 0.1111   (2 rows)",
        "1 row without a value of 'y' was left out.",
    ]


# -- rows put aside -----------------------------------------------------------------------------


def rows_of(table: Table) -> list[int]:
    return table.row_numbers.tolist()


@given(tables(max_rows=40), st.floats(0.01, 0.99), st.integers(0, 5))
def test_a_share_is_held_out_of_each_class(table, share, seed):
    assume(table.n_rows > 1)
    train, held_out = hold_out(table, share, seed)
    n = table.n_rows
    assert sorted(rows_of(train) + rows_of(held_out)) == list(range(1, n + 1))
    assert rows_of(train) == sorted(rows_of(train))
    sizes = np.bincount(table.target.codes)
    out = np.bincount(held_out.target.codes, minlength=len(sizes))
    wanted = min(max(math.floor(n * share + 0.5), 1), n - 1)
    assert held_out.n_rows == wanted
    room = int(np.maximum(sizes - 1, 0).sum())
    if room >= wanted:  # every class keeps a row for training
        assert (out[sizes > 0] < sizes[sizes > 0]).all()
    if room >= wanted and (sizes * (1 - share) >= 1)[sizes > 0].all():
        assert (np.abs(out - sizes * share) < 2).all()
    assert rows_of(hold_out(table, share, seed)[1]) == rows_of(held_out)


@given(tables(max_rows=40), st.integers(2, 7), st.integers(0, 5))
def test_folds_share_out_every_row_once_and_every_class_evenly(table, k, seed):
    assume(table.n_rows >= k)
    pairs = folds(table, k, seed)
    assert sorted(r for _, out in pairs for r in rows_of(out)) == list(range(1, table.n_rows + 1))
    sizes = [out.n_rows for _, out in pairs]
    assert max(sizes) - min(sizes) <= 1
    per_class = np.stack([np.bincount(out.target.codes, minlength=4) for _, out in pairs])
    assert (per_class.max(axis=0) - per_class.min(axis=0) <= 1).all()
    for which, (train, out) in enumerate(pairs):
        assert not set(rows_of(train)) & set(rows_of(out))
        again = Fold(k, which, seed).of(table)
        assert [rows_of(part) for part in again] == [rows_of(train), rows_of(out)]


def test_the_same_seed_takes_the_same_rows_everywhere():
    table = Table((), nominal("y", ["a"] * 8 + ["b"] * 4), 12)
    assert rows_of(hold_out(table, 0.5, seed=0)[1]) == [2, 3, 4, 7, 9, 12]
    assert rows_of(hold_out(table, 0.5, seed=1)[1]) == [3, 5, 6, 8, 10, 12]
    assert [rows_of(out) for _, out in folds(table, 3, seed=7)] == [
        *([1, 6, 7, 11], [2, 3, 4, 10], [5, 8, 9, 12]),
    ]


def test_leaving_one_out_goes_by_the_order_of_rows():
    table = Table((), nominal("y", "abab"), 4)
    assert [rows_of(out) for _, out in folds(table, 4, seed=3)] == [[1], [2], [3], [4]]


def test_a_share_next_to_one_leaves_a_row():
    table = Table((), nominal("y", "aabbb"), 5)
    train, held_out = hold_out(table, 1 - 2**-53)
    assert (train.n_rows, held_out.n_rows) == (1, 4)


def test_a_number_is_divided_without_classes():
    table = Table((), numeric("y", np.arange(10.0)), 10)
    train, held_out = hold_out(table, 0.3)
    assert (train.n_rows, held_out.n_rows) == (7, 3)


def test_wrong_shares_folds_and_seeds_are_told():
    table = Table((), nominal("y", "abab"), 4)
    for share in (0, 1, 1.5, -0.1, "0.3", True, float("nan")):
        with pytest.raises(ChoiceError, match="between 0 and 1"):
            hold_out(table, share)
    with pytest.raises(DataError, match="1 row cannot be divided"):
        hold_out(table.take([0]), 0.5)
    for k in (1, 5, 2.0, True, "3"):
        with pytest.raises(ChoiceError, match="4 rows cannot be divided"):
            folds(table, k)
    with pytest.raises(ChoiceError, match="no fold 3 of 3: folds are numbered from 0 to 2"):
        Fold(3, 3).of(table)
    for seed in (-1, 0.5, None):
        with pytest.raises(ChoiceError, match="seed"):
            hold_out(table, 0.5, seed)


# -- cross-validation ---------------------------------------------------------------------------


@given(tables(max_rows=16), st.integers(2, 5), st.sampled_from(["id3", "cart-binary"]))
def test_every_row_is_answered_by_a_tree_that_has_not_seen_it(table, k, recipe):
    assume(table.n_rows >= k)
    report = cross_validate(table, recipe, k, seed=4)
    right = 0
    for train, held_out in folds(table, k, seed=4):
        right += grown(train, recipe).score(held_out).correct
    assert (report.correct, report.n) == (right, table.n_rows)
    assert isinstance(report, Report)
    assert cross_validate(table, RECIPES[recipe], k, seed=4) == report
    assert cross_validate(table, lambda t: grown(t, recipe), k, seed=4) == report
    assert cross_validate(table, grown(table, recipe), k, seed=4) == report


@given(tables(max_rows=16, regression=True), st.integers(2, 5))
def test_numbers_are_cross_validated(table, k):
    assume(table.n_rows >= k)
    report = cross_validate(table, "id3", k)
    squares = 0.0
    for train, held_out in folds(table, k):
        off = grown(train).predict(held_out) - held_out.target.numbers()
        squares += float((off**2).sum())
    assert report.rmse == pytest.approx(math.sqrt(squares / table.n_rows))


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_every_recipe_is_cross_validated_as_it_is_fitted(melons, recipe):
    table = melons["train2"]
    right = sum(fit(t, recipe=recipe).score(out).correct for t, out in folds(table, 3))
    assert cross_validate(table, recipe, 3).correct == right
    assert cross_validate(table, fit(table, recipe=recipe), 3).correct == right


def test_each_fold_can_hold_out_rows_that_decide_its_pruning(melons):
    table = melons["train1"]
    report = cross_validate(table, "id3", 4, prune="reduced-error", validation=0.3, ties="keep")
    right = 0
    for train, held_out in folds(table, 4):
        rest, validation = hold_out(train, 0.3)
        tree = grown(rest).prune("reduced-error", validation=validation, ties="keep")
        right += tree.score(held_out).correct
    assert report.correct == right


def test_a_tree_that_others_pruned_cannot_be_grown_again(melons):
    table = melons["train1"]
    tree = grown(table).prune("reduced-error", validation=melons["test1"])
    with pytest.raises(ChoiceError, match="pruned by validation rows"):
        cross_validate(table, tree, 4)
    assert cross_validate(table, tree, 4, prune="pessimistic").n == 16
    with pytest.raises(ChoiceError, match="recipe 'id33' is not known"):
        cross_validate(table, "id33", 4)
    with pytest.raises(DataError, match="no target"):
        cross_validate(replace(table, target=None), "id3", 4)


def test_growers_may_order_classes_as_they_like():
    table = Table((nominal("x", "ppqq"),), nominal("y", ["a", "a", "b", "b"]), 4)
    by_hand = Tree.from_dict({"x": {"q": "b", "p": "a"}}, "y")
    assert by_hand.classes == ("b", "a")
    assert cross_validate(table, lambda _: by_hand, 2).correct == 4


# -- training accuracy after pruning ------------------------------------------------------------


def test_the_training_accuracy_follows_the_pruning_or_is_left_out(melons):
    table = melons["train1"]
    tree = grown(table)
    tree = replace(tree, about={**tree.about, "training": {"correct": 16.0, "of": 16.0}})
    pruned = tree.prune("pessimistic")
    assert pruned.about["training"] == {"correct": 14.0, "of": 16.0}
    assert pruned.score(table).correct == 14
    assert skeleton(tree.prune("pessimistic")) == skeleton(pruned)
    gaps = read(shared("data/watermelon-book/watermelon2.0alpha.csv"))
    shared_out = grown(gaps, "c4.5-textbook")
    told = {"training": {"correct": shared_out.score(gaps).correct, "of": 17.0}}
    shared_out = replace(shared_out, about={**shared_out.about, **told})
    assert "training" not in shared_out.prune("pessimistic", confidence=0.01).about
