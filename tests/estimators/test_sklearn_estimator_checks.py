"""scikit-learn's own checks of estimators; what is expected to fail is told in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.utils.estimator_checks import parametrize_with_checks

import penjing

DOCS = Path(__file__).parents[2] / "docs" / "en" / "reference" / "estimators.md"
ESTIMATORS = [
    penjing.ID3Classifier(),
    penjing.ID3Classifier(missing="fraction"),
    penjing.C45Classifier(),
    penjing.CARTClassifier(),
    penjing.CARTRegressor(),
    *[penjing.TreeClassifier(name) for name in ("cart-binary", "j48", "sklearn", "c4.5-textbook")],
    penjing.TreeRegressor(),
    penjing.TreeRegressor("sklearn"),
    penjing.DecisionTreeClassifier(),
    penjing.DecisionTreeRegressor(),
]
ROWS_COUNT = "rpart's minimum sizes count rows, whatever they weigh"
EXPECTED = {
    "CARTClassifier": {"check_sample_weight_equivalence_on_dense_data": ROWS_COUNT},
    "CARTRegressor": {"check_sample_weight_equivalence_on_dense_data": ROWS_COUNT},
}


def expected(estimator) -> dict[str, str]:
    return EXPECTED.get(type(estimator).__name__, {})


@pytest.mark.filterwarnings("default")  # some checks provoke warnings, and look at them
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("name", "check"), [(name, check) for name, found in EXPECTED.items() for check in found]
)
def test_expected_failures_are_told_in_the_docs(name, check):
    lines = DOCS.read_text("utf-8").splitlines()
    assert [line for line in lines if name in line and check in line]
