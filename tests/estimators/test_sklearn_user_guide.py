"""The examples of scikit-learn's user guide for trees, with its classes and with ours.

With a `random_state` equal columns are drawn as scikit-learn draws them, so that ties fall alike.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import datasets, tree
from sklearn.model_selection import cross_val_score, train_test_split

import penjing
from penjing.errors import CapabilityError

CLASSIFIERS = (tree.DecisionTreeClassifier, penjing.DecisionTreeClassifier)
REGRESSORS = (tree.DecisionTreeRegressor, penjing.DecisionTreeRegressor)


def test_the_first_classifier_of_the_guide():
    model = penjing.DecisionTreeClassifier().fit([[0, 0], [1, 1]], [0, 1])
    assert model.predict([[2.0, 2.0]]).tolist() == [1]
    assert model.predict_proba([[2.0, 2.0]]).tolist() == [[0.0, 1.0]]


def test_the_first_regressor_of_the_guide():
    model = penjing.DecisionTreeRegressor().fit([[0, 0], [2, 2]], [0.5, 2.5])
    assert model.predict([[1, 1]]).tolist() == [0.5]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("seed", range(3))
def test_iris(criterion, seed):
    x, y = datasets.load_iris(return_X_y=True)
    theirs, ours = (kind(criterion=criterion, random_state=seed).fit(x, y) for kind in CLASSIFIERS)
    grid = np.random.RandomState(seed).uniform(x.min(axis=0), x.max(axis=0), (2000, 4))
    np.testing.assert_array_equal(ours.predict(grid), theirs.predict(grid))
    assert tree.export_text(ours) == tree.export_text(theirs)


def test_iris_scores_alike_in_cross_validation():
    x, y = datasets.load_iris(return_X_y=True)
    theirs, ours = (cross_val_score(kind(random_state=0), x, y, cv=10) for kind in CLASSIFIERS)
    np.testing.assert_array_equal(ours, theirs)


def test_the_export_of_iris_by_name():
    iris = datasets.load_iris()
    theirs, ours = (
        kind(random_state=0, max_depth=2).fit(iris.data, iris.target) for kind in CLASSIFIERS
    )
    names = {"feature_names": iris.feature_names, "class_names": list(iris.target_names)}
    assert tree.export_graphviz(ours, **names) == tree.export_graphviz(theirs, **names)


def test_cost_complexity_pruning():
    """The example of post-pruning: every tree of the path, and what it scores."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, _ = train_test_split(x, y, random_state=0)
    theirs, ours = (
        kind(random_state=0).cost_complexity_pruning_path(x_train, y_train) for kind in CLASSIFIERS
    )
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, rtol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=1e-12)
    between = (theirs.ccp_alphas[1:] + theirs.ccp_alphas[:-1]) / 2
    for alpha in between[::3]:
        old, new = (
            kind(random_state=0, ccp_alpha=alpha).fit(x_train, y_train) for kind in CLASSIFIERS
        )
        assert new.get_n_leaves() == old.get_n_leaves()
        np.testing.assert_array_equal(new.predict(x_test), old.predict(x_test))


@pytest.mark.parametrize("max_depth", [2, 5, None])
def test_regression_of_a_noisy_sine(max_depth):
    draw = np.random.RandomState(1)
    x = np.sort(5 * draw.rand(80, 1), axis=0)
    y = np.sin(x).ravel()
    y[::5] += 3 * (0.5 - draw.rand(16))
    test = np.arange(0.0, 5.0, 0.01)[:, np.newaxis]
    theirs, ours = (kind(max_depth=max_depth, random_state=0).fit(x, y) for kind in REGRESSORS)
    np.testing.assert_allclose(ours.predict(test), theirs.predict(test), rtol=1e-12)


def test_several_outputs_are_refused_in_a_sentence():
    x = np.arange(20.0).reshape(10, 2)
    for kind, y in (
        (penjing.CARTRegressor, np.stack([x[:, 0], x[:, 1]], axis=1)),
        (penjing.C45Classifier, (x > 9).astype(int)),
        (penjing.TreeRegressor, x),
    ):
        with pytest.raises(CapabilityError, match="y has 2 columns, and multiple outputs"):
            kind().fit(x, y)


@pytest.mark.parametrize("seed", range(3))
def test_missing_values_as_in_the_guide(seed):
    x = np.array([0, 1, 6, np.nan]).reshape(-1, 1)
    model = penjing.DecisionTreeClassifier(random_state=seed).fit(x, [0, 0, 1, 1])
    assert model.predict(x).tolist() == [0, 0, 1, 1]
    x = np.array([np.nan, -1, np.nan, 1]).reshape(-1, 1)  # on which side is a tie, and has changed
    theirs, tied = (kind(random_state=seed).fit(x, [0, 0, 1, 1]) for kind in CLASSIFIERS)
    assert tied.predict([[np.nan]]).tolist() == theirs.predict([[np.nan]]).tolist()
    whole = penjing.DecisionTreeClassifier(random_state=seed).fit(
        [[0], [1], [2], [3]], [0, 1, 1, 1]
    )
    assert whole.predict([[np.nan]]).tolist() == [1]
