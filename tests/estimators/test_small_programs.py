"""Small programs as people write them, run with scikit-learn's class and with ours."""

from __future__ import annotations

import copy
import io

import joblib
import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import sklearn
from scipy.sparse import csr_matrix
from sklearn import tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, validation_curve
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

import penjing

IRIS = load_iris(return_X_y=True)
CLASSIFIERS = (tree.DecisionTreeClassifier, penjing.DecisionTreeClassifier)
REGRESSORS = (tree.DecisionTreeRegressor, penjing.DecisionTreeRegressor)


def grid(kind):
    params = {"max_depth": [1, 3], "splitter": ["best", "random"], "criterion": ["gini", "entropy"]}
    found = GridSearchCV(kind(random_state=0), params, cv=3).fit(*IRIS)
    return found.best_params_, found.cv_results_["mean_test_score"].tolist()


def processes(kind):
    return cross_val_predict(kind(random_state=0, max_features=2), *IRIS, cv=4, n_jobs=2)


def curve(kind):
    how = {"param_name": "min_samples_leaf", "param_range": [1, 0.1], "cv": 3}
    return validation_curve(kind(random_state=1), *IRIS, **how)


def routed(kind):
    weight = np.arange(150) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        model = kind(random_state=0, max_depth=2).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        piped = make_pipeline(scaler, model).fit(*IRIS, sample_weight=weight)
        search = GridSearchCV(model.set_score_request(sample_weight=True), {}, cv=3)
        search.fit(*IRIS, sample_weight=weight)
    return search.cv_results_["mean_test_score"], piped.predict_proba(IRIS[0])


def unchecked_metadata(kind):
    with sklearn.config_context(enable_metadata_routing=True):
        return repr(kind().get_metadata_routing())


def frames(kind):
    frame = pd.DataFrame(IRIS[0], columns=["a", "b", "c", "d"])
    piped = make_pipeline(StandardScaler().set_output(transform="pandas"), kind(random_state=0))
    model = piped.fit(frame, IRIS[1])[-1]
    with pytest.raises(ValueError, match="feature names should match") as caught:
        model.predict(frame[["b", "a", "c", "d"]])
    return model.feature_names_in_, str(caught.value), tree.export_text(model)


def one_hot(kind):
    words = np.array([["a", "b", "c"][i % 3] for i in range(60)]).reshape(-1, 1)
    piped = make_pipeline(OneHotEncoder(), kind(random_state=0))
    return piped.fit(words, np.arange(60) % 3 == 1).predict(words)


def selected(kind):
    rows, y = IRIS
    by_rank = RFE(kind(random_state=0), n_features_to_select=2).fit(rows, y)
    by_share = SelectFromModel(kind(random_state=0)).fit(rows, y)
    return by_rank.ranking_, by_share.get_support()


def together(kind):
    two = [("a", kind(max_depth=1)), ("b", kind(max_depth=3, random_state=0))]
    voted = VotingClassifier(two, voting="soft", weights=[1, 3]).fit(*IRIS)
    stacked = StackingClassifier(two, kind(random_state=1, max_depth=2), cv=3).fit(*IRIS)
    return voted.predict_proba(IRIS[0]), stacked.predict(IRIS[0])


def several(kind):
    rows, y = IRIS
    outputs = np.stack([y == 0, y == 2], axis=1).astype(int)
    ways = (
        kind(random_state=0),
        MultiOutputClassifier(kind(random_state=0)),
        ClassifierChain(kind(random_state=0)),
    )
    return [way.fit(rows, outputs).predict(rows) for way in ways]


def calibrated(kind):
    rows, y = IRIS
    model = CalibratedClassifierCV(kind(random_state=0, max_depth=2), cv=3).fit(rows, y)
    return model.predict_proba(rows), OneVsOneClassifier(kind(random_state=0)).fit(rows, y).score(
        rows, y
    )


def inspected(kind):
    model = kind(random_state=0, max_depth=4).fit(*IRIS)
    found = permutation_importance(model, *IRIS, n_repeats=2, random_state=0)
    path = model.cost_complexity_pruning_path(*IRIS)
    return found.importances_mean, path.ccp_alphas, path.impurities, tree.export_graphviz(model)


def copied(kind):
    file = io.BytesIO()
    model = kind(random_state=0, max_leaf_nodes=5).fit(*IRIS)
    joblib.dump(copy.deepcopy(model), file)
    file.seek(0)
    again = joblib.load(file)
    return again.predict(IRIS[0]), again.get_params(), again.tree_.impurity, again.get_depth()


def described(kind):
    model = kind(max_depth=3, class_weight="balanced")
    return repr(model), str(model.get_params()), str(get_tags(model)), str(get_tags(kind()))


def sparse_rows(kind):
    rows = csr_matrix(np.where(IRIS[0] > 2, IRIS[0], 0))
    model = kind(random_state=0).fit(rows, IRIS[1])
    return model.predict(rows), model.apply(rows), model.decision_path(rows).toarray()


PROGRAMS = (
    grid, curve, routed, unchecked_metadata, frames, one_hot, selected, together, several,
    calibrated, inspected, copied, described, sparse_rows,
    pytest.param(processes, marks=pytest.mark.slow),
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_changed_import_line(program):
    theirs, ours = (program(kind) for kind in CLASSIFIERS)
    alike(ours, theirs)


def test_partial_dependence_reads_the_arrays():
    rows, y = load_diabetes(return_X_y=True)
    y = np.round(y)
    theirs, ours = (
        partial_dependence(
            kind(random_state=0, max_depth=3).fit(rows, y), rows, [0, 2], method="recursion"
        )["average"]
        for kind in REGRESSORS
    )
    alike(ours, theirs)


def alike(one, other) -> None:
    """Compare whatever programs return."""
    assert type(one) is type(other)
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            alike(a, b)
    elif isinstance(one, np.ndarray) and one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)
