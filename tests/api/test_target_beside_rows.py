"""X and y in the order of scikit-learn, reports as numbers, criteria that fit the target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import penjing
from penjing.errors import ChoiceError

FRAME = pd.DataFrame({
    "a": ["uvw"[i % 3] for i in range(30)], "b": [(i * 7) % 11 / 2 for i in range(30)],
})  # fmt: skip
CLASSES = ["yes" if i % 3 == 0 or i % 7 == 1 else "no" for i in range(30)]
NUMBERS = [i % 3 + (i * 7) % 11 / 4 for i in range(30)]
FORMS = {"list": list, "array": np.array, "series": pd.Series, "tuple": tuple}
WHOLE = FRAME.assign(**{"class": CLASSES})


@pytest.mark.parametrize("form", FORMS)
def test_cross_validate_takes_rows_and_target(form):
    y = FORMS[form](CLASSES)
    expected = penjing.cross_validate(WHOLE, "auto", 5, target="class")
    assert penjing.cross_validate(FRAME, y, 5).to_json() | {"target": "", "source": ""} == (
        expected.to_json() | {"target": "", "source": ""}
    )
    assert penjing.cross_validate(FRAME, y).n == 30
    assert penjing.cross_validate(FRAME, "id3", 3, target=y).n == 30
    with pytest.raises(ChoiceError, match="y and target"):
        penjing.cross_validate(FRAME, y, target=y)


@pytest.mark.parametrize("form", FORMS)
def test_hold_out_and_folds_take_rows_and_target(form):
    y = FORMS[form](CLASSES)
    train, test = penjing.hold_out(FRAME, y, 0.3)
    assert train.n_rows + test.n_rows == 30
    assert test.rows() and train.target is not None  # noqa: PT018 - both are one state
    same = penjing.hold_out(FRAME, 0.3, target=y)
    assert list(same[1].rows()) == list(test.rows())
    assert [t.n_rows for _, t in penjing.folds(FRAME, y, 5)] == [6] * 5
    assert [t.n_rows for _, t in penjing.folds(WHOLE, "class", 5)] == [6] * 5
    by_name = penjing.hold_out(WHOLE, "class", 0.3)
    assert list(by_name[1].rows()) == list(penjing.hold_out(WHOLE, 0.3, target="class")[1].rows())
    with pytest.raises(ChoiceError, match="share must be"):
        penjing.hold_out(FRAME, y)
    with pytest.raises(ChoiceError, match="y and target"):
        penjing.folds(FRAME, y, 3, target=y)


@pytest.mark.parametrize(("y", "figure"), [(CLASSES, "accuracy"), (NUMBERS, "r2")])
def test_a_report_is_the_number_of_scikit_learns_score(y, figure):
    metrics = pytest.importorskip("sklearn.metrics")
    tree = penjing.fit(FRAME, y, "rpart", minsplit=4)
    report = tree.score(FRAME, y)
    measure = metrics.accuracy_score if figure == "accuracy" else metrics.r2_score
    assert float(report) == pytest.approx(measure(y, tree.predict(FRAME)))
    assert float(report) == getattr(report, figure)
    assert f"{report:.3f}" == f"{float(report):.3f}"
    assert f"{report}" == str(report)
    assert round(report, 2) == round(float(report), 2)
    assert report > 0 and report >= 0 and report < 2 and report <= report  # noqa: PT018, PLR0124
    assert not report > report  # noqa: PLR0124
    assert np.mean([float(report), float(report)]) == pytest.approx(float(report))
    assert max([report, tree.score(FRAME, y)]) == report
    assert min([report, 0.0], key=float) == 0.0
    with pytest.raises(TypeError):
        _ = report > "x"


def test_r2_of_a_constant_target_is_scikit_learns():
    tree = penjing.fit(FRAME, NUMBERS, "rpart")
    assert float(tree.score(FRAME, [1.5] * 30)) == 0.0


CLASS_CRITERIA = ["gini", "gain", "gain_ratio", "entropy"]
RECIPES = ["auto", "id3", "c4.5-textbook", "cart-textbook", "cart-binary", "rpart", "sklearn"]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_a_criterion_for_classes_is_refused_for_numbers(recipe, criterion):
    with pytest.raises(ChoiceError) as caught:
        penjing.fit(FRAME, NUMBERS, recipe, criterion=criterion)
    has_it = (recipe, criterion) not in {("rpart", "gain_ratio"), ("sklearn", "gain_ratio")}
    expected = "needs a categorical target" if has_it else "criterion"
    assert expected in str(caught.value)


@pytest.mark.parametrize("recipe", [*RECIPES, "c4.5", "j48", "c5.0"])
@pytest.mark.parametrize("criterion", ["variance", "squared_error"])
def test_a_criterion_for_numbers_is_refused_for_classes(recipe, criterion):
    with pytest.raises(ChoiceError):
        penjing.fit(FRAME, CLASSES, recipe, criterion=criterion)


def test_a_criterion_is_refused_everywhere_and_only_if_it_was_named():
    recipe = penjing.RECIPES["cart-binary"].but(criterion="gini").but(max_depth=2)
    for call in (
        lambda: penjing.cross_validate(FRAME, recipe, 3, target=NUMBERS),
        lambda: penjing.bootstrap(FRAME, NUMBERS, "cart-binary", 3, criterion="gini"),
        lambda: penjing.fit(FRAME, NUMBERS, recipe),
    ):
        with pytest.raises(ChoiceError, match="needs a categorical target"):
            call()
    for recipe_name in RECIPES:
        assert penjing.fit(FRAME, NUMBERS, recipe_name, quiet=True).is_regression
    assert penjing.fit(FRAME, NUMBERS, "cart-binary", criterion="variance").is_regression


def test_cross_validate_takes_the_name_of_the_target_in_the_place_of_the_recipe():
    rows = [{"x": i, "y": "np"[i > 7]} for i in range(20)]
    by_name = penjing.cross_validate(rows, target="y", k=5)
    assert penjing.cross_validate(rows, "y", 5) == by_name
    by_recipe = penjing.cross_validate(rows, "id3", 5, target="y")
    assert penjing.cross_validate(rows, "y", 5, recipe="id3") == by_recipe
    with pytest.raises(penjing.ChoiceError, match=r"unknown recipe 'idd3'.*Did you mean 'id3'"):
        penjing.cross_validate(rows, "idd3")


def test_cross_validate_takes_the_recipe_by_the_name_that_fit_has():
    table = penjing.example("watermelon2.0")
    by_name = penjing.cross_validate(table, recipe="cart-binary", k=5)
    assert by_name.to_dict() == penjing.cross_validate(table, "cart-binary", 5).to_dict()
    with pytest.raises(penjing.ChoiceError, match="recipe"):
        penjing.cross_validate(table, "id3", recipe="cart-binary")


@pytest.mark.parametrize(
    "taken", [["class"], ["class", "target"], ["class", "target", "label", "y"]]
)
def test_labels_get_a_name_that_no_column_has(taken):
    rows = pd.DataFrame(
        {name: ["first", "third"] * 10 for name in taken} | {"age": [3, 5, 4] * 6 + [1, 2]}
    )
    labels = [1, 0] * 10
    tree = penjing.fit(rows, labels, quiet=True)
    assert tree.target.name not in rows.columns
    assert tree.predict(rows).tolist() == labels
    assert tree.score(rows, labels).accuracy == 1.0
