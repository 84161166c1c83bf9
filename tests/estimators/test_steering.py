"""Forced splits and forbidden columns of the estimators are those of `penjing.fit`."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import penjing
from penjing.errors import ChoiceError

RECIPES = {
    penjing.ID3Classifier: "id3",
    penjing.C45Classifier: "c4.5",
    penjing.CARTClassifier: "rpart",
    penjing.TreeClassifier: "cart-binary",
    penjing.CARTRegressor: "rpart",
    penjing.TreeRegressor: "cart-binary",
}


def rows(kind: str):
    generator = np.random.default_rng(5)
    x = generator.normal(size=(200, 3)).round(1)
    total = x[:, 0] + x[:, 1] / 2
    is_p = (total > 0) == (total[0] > 0)  # the first class comes first, for `fit` and estimators
    return x, total if kind.endswith("Regressor") else np.where(is_p, "p", "q")


def named(x):
    return {f"x{j + 1}": x[:, j].tolist() for j in range(x.shape[1])}


@pytest.mark.parametrize("estimator", RECIPES)
@pytest.mark.parametrize("steering", [
    {"force_splits": {"": "x3"}},
    {"force_splits": {"": "x3<=0.2", "x3<=0.2": "x2"}},
    {"force_splits": [" => x2 <= 0.1"]},
    {"forbid": ["x1"]},
    {"forbid": ["x2"], "force_splits": {"": "x3"}},
], ids=str)  # fmt: skip
def test_the_tree_is_that_of_fit(estimator, steering):
    x, y = rows(estimator.__name__)
    model = estimator(**steering).fit(x, y)
    expected = penjing.fit(named(x), y, RECIPES[estimator], quiet=True, **steering)
    assert str(model.tree_) == str(expected)
    assert str(model.tree_) != str(estimator().fit(x, y).tree_)
    assert str(clone(model).fit(x, y).tree_) == str(model.tree_)


def test_a_search_tries_roots():
    x, y = rows("")
    roots = [{"": "x1"}, {"": "x2"}, {"": "x3"}]
    search = GridSearchCV(penjing.C45Classifier(), {"force_splits": roots}, cv=3).fit(x, y)
    found = search.best_estimator_.tree_
    root = found.schema[found.nodes.column[0]].name
    assert search.best_params_ == {"force_splits": {"": root}}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(("steering", "message"), [
    ({"forbid": ["nope"]}, "there is no column 'nope'"),
    ({"force_splits": {"": "nope"}}, "there is no column 'nope'"),
    ({"force_splits": {"": "x1"}, "forbid": ["x1"]}, "both forced and forbidden"),
])  # fmt: skip
def test_columns_that_do_not_exist(steering, message):
    x, y = rows("")
    with pytest.raises(ChoiceError, match=message):
        penjing.TreeClassifier(**steering).fit(x, y)


@pytest.mark.parametrize("estimator", RECIPES)
def test_a_pickle_without_later_parameters(estimator):
    x, y = rows(estimator.__name__)
    model = estimator().fit(x, y)
    for name in ("force_splits", "forbid"):
        delattr(model, name)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    assert again.get_params()["force_splits"] is None
    assert again.predict(x).tolist() == model.predict(x).tolist()
    assert str(again.fit(x, y).tree_) == str(model.tree_)
