"""Curves are counted from the definition; pictures, texts and the report show them."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from export_trees import TREES, rows_of
from penjing import CapabilityError, ChoiceError, Tree, cross_validate, fit
from penjing.data.folds import folds, hold_out
from penjing.evaluate.curves import calibration, learning_curve, pruning_curve
from penjing.i18n import say
from penjing.prune.cost_complexity import pruning_path
from penjing.render import curve_text
from penjing.render.charts import curve as curve_chart
from penjing.render.report import write as write_report

TABLE = rows_of(160, 3)


def test_a_learning_curve_is_trees_of_parts_of_the_folds():
    curve = learning_curve(TABLE, "id3", shares=[0.5, 1.0], k=4, seed=3)
    for share, point in zip([0.5, 1.0], curve["points"], strict=True):
        tests, sizes = [], []
        for train, held_out in folds(TABLE, 4, 3):
            rows = train if share == 1 else hold_out(train, share, 3)[1]
            tests.append(fit(rows, recipe="id3").score(held_out).accuracy)
            sizes.append(rows.n_rows)
        assert point["folds"] == tests
        assert point["rows"] == np.mean(sizes)
        assert point["test"] == np.mean(tests)
    assert curve["points"][-1]["train"] == 1.0


def test_the_whole_of_a_learning_curve_is_cross_validation():
    curve = learning_curve(TABLE, "id3", shares=[1.0], k=8)
    assert np.isclose(curve["points"][0]["test"], cross_validate(TABLE, "id3", 8).accuracy)


def test_a_pruning_curve_follows_the_weakest_links():
    tree = fit(TABLE, recipe="cart-binary")
    test = rows_of(200, 4)
    curve = pruning_curve(tree, TABLE, test)
    alphas = [point["alpha"] for point in curve["points"]]
    leaves = [point["leaves"] for point in curve["points"]]
    assert alphas == sorted(set(alphas))
    assert leaves == sorted(leaves, reverse=True)
    assert (leaves[0], leaves[-1]) == (
        min(link.n_leaves for link in pruning_path(tree) if link.alpha <= 0), 1,
    )  # fmt: skip
    assert curve["tested"] == "rows"
    for point in curve["points"]:
        smaller = tree.prune("cost-complexity", alpha=point["alpha"])
        assert smaller.n_leaves == point["leaves"]
        assert smaller.score(test).accuracy == point["test"]
        assert smaller.score(TABLE).accuracy == point["train"]


def test_without_test_rows_folds_are_grown():
    tree = fit(TABLE, recipe="cart-binary")
    curve = pruning_curve(tree, TABLE, k=4)
    assert curve["tested"] == "folds"
    assert all(0 <= point["test"] <= 1 for point in curve["points"])
    assert pruning_curve(tree)["tested"] is None
    with pytest.raises(CapabilityError, match="by hand"):
        pruning_curve(Tree.from_dict({"a": {"x": "y", "z": "n"}}))


def _by_majority(table, k, seed) -> tuple[float, float]:
    """Return what the class that is most frequent in the other folds (or the mean) gets.

    Of classes that are as frequent any may be answered: the lowest and the highest measure.
    """
    low = high = 0.0
    for train, held_out in folds(table, k, seed):
        if table.is_regression:
            squares = ((held_out.target.numbers() - train.target.numbers().mean()) ** 2).sum()
            low, high = low + squares, high + squares
            continue
        counts = np.bincount(train.target.codes, minlength=len(table.target.levels))
        best = np.flatnonzero(counts == counts.max())
        right = [int((held_out.target.codes == code).sum()) for code in best]
        low, high = low + min(right), high + max(right)
    low, high = low / table.n_rows, high / table.n_rows
    return (low**0.5, high**0.5) if table.is_regression else (low, high)


NUMBERS = ("cart-binary", "rpart", "sklearn")


@pytest.mark.parametrize(
    ("recipe", "regression"),
    [(recipe, False) for recipe in (*NUMBERS, "id3", "c4.5")] + [(r, True) for r in NUMBERS],
)
def test_one_leaf_is_tested_as_the_majority_of_each_fold(recipe, regression):
    for seed in range(4):
        rows = rows_of(
            40 + 15 * seed, seed, regression=regression, only_numbers=recipe == "sklearn"
        )
        curve = pruning_curve(fit(rows, recipe=recipe), rows, k=3 + seed, seed=seed)
        last = curve["points"][-1]
        assert last["leaves"] == 1
        low, high = _by_majority(rows, 3 + seed, seed)
        assert low - 1e-9 <= last["test"] <= high + 1e-9
        if not regression:
            assert last["train"] == np.bincount(rows.target.codes).max() / rows.n_rows


@pytest.mark.parametrize("regression", [False, True])
def test_the_first_point_of_a_tree_grown_to_the_end_is_cross_validation(regression):
    rows = rows_of(120, 5, regression=regression)
    curve = pruning_curve(fit(rows, recipe="cart-binary"), rows, k=5, seed=2)
    report = cross_validate(rows, "cart-binary", 5, seed=2)
    wanted = report.rmse if regression else report.accuracy
    assert curve["points"][0]["alpha"] == 0
    assert np.isclose(curve["points"][0]["test"], wanted)
    if regression:  # the mean of the other rows is farther off than that of all
        assert curve["points"][-1]["test"] >= curve["points"][-1]["train"]


def test_complexities_left_out_of_a_long_curve_change_no_other_point(monkeypatch):
    tree = fit(TABLE, recipe="cart-binary")
    whole = {p["alpha"]: p["test"] for p in pruning_curve(tree, TABLE, k=4)["points"]}
    assert len(whole) > 4
    monkeypatch.setattr("penjing.evaluate.curves.MOST_POINTS", 4)
    few = {p["alpha"]: p["test"] for p in pruning_curve(tree, TABLE, k=4)["points"]}
    assert len(few) == 4
    assert few == {alpha: whole[alpha] for alpha in few}


def test_calibration_counts_rows_by_how_sure_the_tree_is():
    tree = fit(TABLE, recipe="cart-binary", max_depth=2)
    test = rows_of(300, 4)
    points = calibration(tree, test)["points"]
    assert sum(point["weight"] for point in points) == 300
    right = sum(point["weight"] * point["right"] for point in points)
    assert np.isclose(right, tree.score(test).correct)
    assert all(p["low"] <= p["said"] <= p["high"] for p in points)
    with pytest.raises(CapabilityError, match="predicted probabilities"):
        calibration(TREES["regression"](), test)


def test_shares_out_of_range_are_refused():
    with pytest.raises(ChoiceError):
        learning_curve(TABLE, "id3", shares=[0.0])


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_curve_is_a_picture_and_a_text(theme, lang):
    curve = pruning_curve(fit(TABLE, recipe="cart-binary"), TABLE, rows_of(90, 5))
    root = ET.fromstring(curve.chart(theme=theme, lang=lang).svg())  # noqa: S314 - our own
    marks = [e for e in root.iter() if e.get("data-series") == "test"]
    assert len(marks) == len(curve["points"])
    assert len(curve_text.text(curve, lang).splitlines()) == len(curve["points"]) + 1
    with pytest.raises(ChoiceError):
        curve.chart(theme="pink")


def test_one_point_and_equal_points_have_a_picture():
    for y in (0.0, 0.5, 1.0):
        point = {"rows": 10, "train": y, "test": y}
        assert curve_chart.draw({"kind": "learning", "measure": "accuracy", "points": [point]})
        assert curve_chart.draw({"kind": "learning", "measure": "rmse", "points": [point] * 2})


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_has_all_its_parts_and_fetches_nothing(theme, lang):
    tree = fit(TABLE, recipe="cart-binary", max_depth=3)
    page = write_report(tree, TABLE, rows_of(90, 5), lang=lang, theme=theme, folds=3)
    assert page.count("<section ") == 10
    assert page.count("<svg id=") == 12  # one picture for light and dark
    assert "<img" not in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href|srcset)=(?!"#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "Don&#x27;t Play" in page


def test_a_report_of_numbers_and_of_a_tree_alone():
    tree = TREES["regression"]()
    page = write_report(tree, rows_of(500, 8, missing=0.1, regression=True), folds=3)
    assert "root mean squared error" in page
    alone = write_report(Tree.from_dict({"<b>": {"x": "y", "<i>": "n"}}))
    assert "<b>" not in alone
    with pytest.raises(ChoiceError):
        write_report(tree, theme="pink")
    with pytest.raises(ChoiceError):
        write_report(tree, lang="fr")
    with pytest.raises(ChoiceError):
        write_report(tree, folds=1)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_begins_with_the_result_and_ends_with_the_provenance(lang):
    rows = rows_of(1500, 5)
    tree = fit(TABLE, recipe="cart-binary", max_depth=4).prune("pessimistic")
    page = write_report(tree, TABLE, rows, lang=lang, cross_validation=False)
    headings = re.findall(r"<h2 id=[^>]*>(.*?)</h2>", page)
    keys = ["verdict", "test", "rules", "importance", "root", "decisions", "curves"]
    keys += ["recipe_words", "data", "provenance"]
    wanted = [say(f"document_{key}", lang) for key in keys]
    assert [heading for heading in headings if heading in wanted] == wanted
    contents = re.search(r"<nav[^>]*>(.*?)</nav>", page)[1]
    assert re.findall(r">([^<>]+)</a>", contents) == headings[1:]
    first = html.unescape(page[page.index("class=sentences") : page.index("<figure")])
    report = tree.score(rows)
    for figure in (report.accuracy, report.baseline.accuracy):
        assert f"{100 * figure:.1f}".removesuffix(".0") + "%" in first
    assert f"{report.roc_auc:.3f}" in first
    assert "sha256" not in page[: page.index(f">{wanted[-1]}</h2>")].lower()
    rules = page[page.index(f">{wanted[2]}</h2>") :].split("</section>")[0]
    assert re.findall(r"<th scope=col[^>]*>(.*?)</th>", rules) == [
        say(f"document_{key}", lang) for key in ("prediction", "rule", "rows", "right")
    ]
    assert rules.count("<td class=n>") == 2 * tree.n_leaves  # numbers are not broken
    assert "name=cart-binary" not in page


def test_a_report_has_the_trace_if_asked():
    tree = fit(TABLE, recipe="cart-binary", max_depth=3)
    for lang in ("en", "zh"):
        heading = say("document_trace", lang)
        assert heading not in tree.report(cross_validation=False, lang=lang)
        page = tree.report(cross_validation=False, lang=lang, trace=True)
        part = html.unescape(page[page.index(f">{heading}</h2>") :].split("</section>")[0])
        assert tree.trace.text(lang).splitlines()[2] in part


def test_a_chinese_report_has_no_english_but_names():
    rows = rows_of(90, 5)
    tree = fit(TABLE, recipe="cart-binary", max_depth=3).prune("pessimistic")
    page = tree.report(test=rows, lang="zh", folds=3, trace=True)
    page = re.sub(r"<(style|code|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    words = set(re.findall(r"[A-Za-z]{3,}", html.unescape(re.sub(r"<[^>]*>", " ", page))))
    names = {str(v) for f in (*tree.schema, tree.target) for v in (f.name, *f.levels)}
    allowed = {"ROC", "Gini", "gini", "Ent", "SHA", "penjing", "dev", "cart", "binary", "Gain"}
    allowed |= {"index", "table", "nlines"}  # Gini_index; parts of hostile names
    parts = {part for name in names for part in re.findall(r"[A-Za-z]{3,}", name)}
    assert words <= parts | allowed, words - parts - allowed


def test_a_report_has_the_training_accuracy_of_every_pruned_tree():
    tree = fit(TABLE, recipe="cart-binary", max_depth=4)
    page = write_report(tree, TABLE, rows_of(90, 5), cross_validation=False)
    figures = page.split(">Pruning curve as a table</summary><pre>")[1].split("</pre>")[0]
    points = pruning_curve(tree, TABLE, rows_of(90, 5))["points"]
    assert [line.split()[2] for line in figures.splitlines()[1:]] == [
        f"{point['train']:.3f}" for point in points
    ]


@pytest.mark.parametrize("regression", [False, True])
def test_a_report_without_folds_has_a_pruning_curve_of_the_training_rows(regression):
    rows = rows_of(120, 3, regression=regression)
    tree = fit(rows, recipe="cart-binary")
    curve = pruning_curve(tree, rows, cross_validation=False)
    assert curve["tested"] is None
    assert [point["test"] for point in curve["points"]] == [None] * len(curve["points"])
    assert [point["train"] for point in curve["points"]] == [
        point["train"] for point in pruning_curve(tree, rows, k=3)["points"]
    ]
    page = tree.report(cross_validation=False)
    chart = page.split('id="curves"')[1].split("</section>")[0]
    assert chart.count("<circle") + chart.count("<title>") >= len(curve["points"])
    assert len(curve["points"]) > 3


@pytest.mark.parametrize("regression", [False, True])
def test_errors_and_choices_of_a_pruning_curve_are_those_of_the_definition(regression):
    rows = rows_of(150, 6, regression=regression)
    held_out = rows_of(70, 7, regression=regression)
    tree = fit(rows, recipe="cart-binary", max_depth=5)
    curve = pruning_curve(tree, rows, held_out)
    errors, losses = {}, {}
    for point in curve["points"]:
        smaller = tree.prune("cost-complexity", alpha=point["alpha"])
        predicted = smaller.predict(held_out)
        if regression:
            loss = (predicted - held_out.target.numbers()) ** 2
            assert point["test"] == pytest.approx(loss.mean() ** 0.5)
            se = loss.std(ddof=1) / len(loss) ** 0.5
            assert point["se"] == pytest.approx(se / (2 * loss.mean() ** 0.5))
        else:
            actual = np.array(held_out.target.levels)[held_out.target.codes]
            loss = (predicted != actual).astype(float)
            assert point["test"] == pytest.approx(1 - loss.mean())
            se = (loss.mean() * (1 - loss.mean()) / len(loss)) ** 0.5
            assert point["se"] == pytest.approx(se)
        errors[point["leaves"]], losses[point["leaves"]] = loss.mean(), se
    best = min(errors, key=lambda leaves: (errors[leaves], leaves))
    within = [n for n in errors if errors[n] <= errors[best] + losses[best]]
    assert (curve["best_leaves"], curve["one_se_leaves"]) == (best, min(within))
    assert curve["own_leaves"] == tree.n_leaves


def test_a_learning_curve_has_the_standard_error_of_its_folds():
    curve = learning_curve(TABLE, "id3", shares=[0.5, 1.0], k=4)
    for point in curve["points"]:
        assert point["se"] == pytest.approx(np.std(point["folds"], ddof=1) / 2)
