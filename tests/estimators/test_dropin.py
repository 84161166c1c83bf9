"""Our DecisionTreeClassifier and -Regressor against scikit-learn's: array for array."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import sklearn
from scipy.sparse import csr_matrix
from sklearn import tree
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.utils.fixes import parse_version

import penjing
from penjing.errors import CapabilityError

EXACT = ("children_left", "children_right", "feature", "threshold", "n_node_samples")
CLOSE = ("impurity", "weighted_n_node_samples", "value")
KNOWS_OUR_GAPS = parse_version(sklearn.__version__) >= parse_version("1.9")
"""Before, scikit-learn divided rows with missing values otherwise."""
PAIRS = {
    "classes": (tree.DecisionTreeClassifier, penjing.DecisionTreeClassifier),
    "number": (tree.DecisionTreeRegressor, penjing.DecisionTreeRegressor),
}


def same(ours, theirs) -> None:
    one, other = ours.tree_, theirs.tree_
    asks = other.children_left >= 0
    for name in EXACT:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    # best first, scikit-learn leaves in a leaf what the division would have been
    goes = "missing_go_to_left"
    np.testing.assert_array_equal(getattr(one, goes)[asks], getattr(other, goes)[asks])
    for name in CLOSE:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12, err_msg=name
        )
    assert (one.max_depth, one.node_count, one.n_leaves) == (
        other.max_depth,
        other.node_count,
        other.n_leaves,
    )


def made(seed: int, n: int, kind: str, missing: float):
    missing = missing if KNOWS_OUR_GAPS else 0.0
    draw = np.random.RandomState(seed)
    x = np.round(draw.normal(size=(n, 4)), 1)
    # quarters add up exactly in any order, so that no tie is decided by rounding
    number = np.round(4 * (x.sum(axis=1) + draw.normal(size=n))) / 4
    x[draw.uniform(size=x.shape) < missing] = np.nan
    return x, number if kind == "number" else (number.astype(int) % 3)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    kind=st.sampled_from(["classes", "number"]),
    missing=st.sampled_from([0.0, 0.2]),
    max_depth=st.none() | st.integers(1, 5),
    min_samples_leaf=st.integers(1, 3) | st.sampled_from([0.1]),
    max_features=st.sampled_from([None, 1, 0.5, "sqrt"]),
    ccp_alpha=st.sampled_from([0.0, 0.0123]),
)
def test_the_arrays_are_scikit_learns(seed, n, kind, missing, **params):
    x, y = made(seed, n, kind, missing)
    theirs, ours = (model(random_state=seed, **params).fit(x, y) for model in PAIRS[kind])
    same(ours, theirs)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    assert (ours.decision_path(x) != theirs.decision_path(x)).nnz == 0
    assert ours.max_features_ == theirs.max_features_


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("n", [2, 3, 7])
def test_few_leaves_are_numbered_best_first(kind, n):
    x, y = made(5, 80, kind, 0.0)
    y = y + np.arange(80) / 64 if kind == "number" else y
    theirs, ours = (model(random_state=3, max_leaf_nodes=n).fit(x, y) for model in PAIRS[kind])
    same(ours, theirs)


@pytest.mark.parametrize("kind", PAIRS)
def test_weights_and_zero_weights(kind):
    x, y = made(8, 70, kind, 0.1)
    weight = np.random.RandomState(0).randint(0, 3, 70).astype(float)
    theirs, ours = (
        model(random_state=1, min_weight_fraction_leaf=0.02).fit(x, y, sample_weight=weight)
        for model in PAIRS[kind]
    )
    same(ours, theirs)
    with pytest.raises(ValueError, match="weight"):
        PAIRS[kind][1]().fit(x, y, sample_weight=np.zeros(70))


@pytest.mark.parametrize("weights", ["balanced", {0: 1.0, 1: 4.0, 2: 0.5}])
def test_class_weights(weights):
    x, y = made(9, 70, "classes", 0.0)
    theirs, ours = (
        model(random_state=1, class_weight=weights, max_depth=4).fit(x, y)
        for model in PAIRS["classes"]
    )
    same(ours, theirs)


def test_functions_of_scikit_learn_read_it():
    x, y = load_iris(return_X_y=True)
    ours = penjing.DecisionTreeClassifier(random_state=0).fit(x, y)
    theirs = tree.DecisionTreeClassifier(random_state=0).fit(x, y)
    assert isinstance(ours, tree.DecisionTreeClassifier)
    assert isinstance(ours.tree_, type(theirs.tree_))
    assert tree.export_text(ours) == tree.export_text(theirs)
    assert tree.export_graphviz(ours, filled=True) == tree.export_graphviz(theirs, filled=True)
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    drawn = tree.plot_tree(ours)
    assert len(drawn) > ours.tree_.node_count // 2


def test_shap_explains_it_as_it_explains_theirs():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    x, y = load_iris(return_X_y=True)
    ours = penjing.DecisionTreeClassifier(random_state=0).fit(x, y)
    theirs = tree.DecisionTreeClassifier(random_state=0).fit(x, y)
    found, expected = (shap.TreeExplainer(m).shap_values(x[:5]) for m in (ours, theirs))
    np.testing.assert_allclose(found, expected)


def test_the_same_tree_is_there_as_ours():
    x, y = load_iris(return_X_y=True)
    model = penjing.DecisionTreeClassifier(random_state=0).fit(x, y)
    assert model.model_.n_nodes == model.tree_.node_count
    assert model.model_.predict(x).tolist() == model.predict(x).tolist()
    assert penjing.from_sklearn(model) is model.model_


@pytest.mark.parametrize("kind", PAIRS)
def test_the_state_is_plain_data_and_comes_back(kind):
    x, y = made(2, 60, kind, 0.1)
    weight = np.linspace(0.5, 2, 60)
    model = PAIRS[kind][1](random_state=0).fit(x, y, sample_weight=weight)
    state = model.__getstate__()
    assert "tree_" not in state
    assert json.loads(json.dumps(state["model_"])) == state["model_"]
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    same(again, model)
    assert again.model_ == model.model_
    unfitted = pickle.loads(pickle.dumps(PAIRS[kind][1](max_depth=3)))  # noqa: S301
    assert unfitted.max_depth == 3


def test_ensembles_take_it():
    x, y = load_iris(return_X_y=True)
    for kind in (BaggingClassifier, AdaBoostClassifier):
        one, other = (
            kind(model(max_depth=2), n_estimators=5, random_state=0).fit(x, y)
            for model in PAIRS["classes"]
        )
        np.testing.assert_array_equal(one.predict(x), other.predict(x))


def test_a_generator_seeds_it():
    x, y = made(1, 60, "classes", 0.0)
    trees = [
        penjing.DecisionTreeClassifier(max_features=1, random_state=np.random.RandomState(7))
        for _ in range(2)
    ]
    one, other = (model.fit(x, y) for model in trees)
    same(one, other)
    loose = penjing.DecisionTreeClassifier(max_features=1).fit(x, y)
    assert loose.score(x, y) > 0.5


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"splitter": "random"}, "splitter"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
    ],
)
@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_not_done_is_refused_in_a_sentence(kind, params, word):
    x, y = made(1, 20, kind, 0.0)
    with pytest.raises(CapabilityError, match=f"^{word}.* not supported"):
        PAIRS[kind][1](**params).fit(x, y)


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_other_criteria_are_refused_in_a_sentence(criterion):
    x, y = made(1, 20, "number", 0.0)
    with pytest.raises(CapabilityError, match=f"criterion='{criterion}' is not supported"):
        penjing.DecisionTreeRegressor(criterion=criterion).fit(x, np.abs(y))


def test_sparse_rows_are_refused_in_a_sentence():
    with pytest.raises(CapabilityError, match="sparse input is not supported"):
        penjing.DecisionTreeClassifier().fit(csr_matrix(np.eye(3)), [0, 1, 2])
    with pytest.raises(TypeError, match="sparse"):
        penjing.C45Classifier().fit(csr_matrix(np.eye(3)), [0, 1, 2])


def test_parameters_are_checked_as_there():
    with pytest.raises(ValueError, match="max_depth"):
        penjing.DecisionTreeClassifier(max_depth=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="inf"):
        penjing.DecisionTreeClassifier().fit([[0], [np.inf]], [0, 1])
    with pytest.raises(ValueError, match="3"):
        penjing.DecisionTreeClassifier().fit([[0], [1]], [0, 1, 1])
