"""Our DecisionTreeClassifier and -Regressor against scikit-learn's: array for array."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import sklearn
from scipy.sparse import csr_matrix
from sklearn import tree
from sklearn.datasets import load_iris
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
    assert json.loads(json.dumps(state["_model"])) == state["_model"]
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    same(again, model)
    assert again.model_ == model.model_
    unfitted = pickle.loads(pickle.dumps(PAIRS[kind][1](max_depth=3)))  # noqa: S301
    assert unfitted.max_depth == 3


USUAL = [
    {},
    {"random_state": 0},
    {"random_state": np.random.RandomState(1), "max_features": "sqrt"},
    {"max_depth": 3, "min_samples_leaf": 5, "min_samples_split": 0.1},
    {"max_leaf_nodes": 8, "min_impurity_decrease": 0.001},
    {"ccp_alpha": 0.01, "min_weight_fraction_leaf": 0.01},
]


@pytest.mark.parametrize("params", USUAL, ids=range(len(USUAL)))
@pytest.mark.parametrize("kind", PAIRS)
def test_what_we_can_grow_we_grow(kind, params):
    x, y = made(3, 60, kind, 0.1)
    weight = np.arange(60) % 3 / 2
    for more in ({}, {"sample_weight": weight}):
        model = PAIRS[kind][1](**params).fit(x, y, **more)
        assert model.grown_by_ == "penjing"
        assert model.model_.n_nodes == model.tree_.node_count


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("weights", [None, "balanced", {0: 1.0, 1: 4.0, 2: 0.0}])
def test_classes_of_any_weight_are_grown_here(criterion, weights):
    x, y = made(3, 60, "classes", 0.0)
    words = np.array(["no", "yes", "perhaps"])[y]
    for labels in (y, y.astype(float), words, words.astype(object), y[:, None]):
        classes = np.unique(labels)
        told = weights
        if isinstance(weights, dict):
            told = dict(zip(classes.tolist(), weights.values(), strict=True))
        model = penjing.DecisionTreeClassifier(criterion=criterion, class_weight=told)
        assert model.fit(x, labels).grown_by_ == "penjing"


@pytest.mark.parametrize("directions", [[1, 0, 0, 0], [-1, 1, 0, 1], [0, 0, 0, 0], np.ones(4)])
@pytest.mark.parametrize("kind", PAIRS)
def test_monotonic_trees_are_grown_here(kind, directions):
    x, y = made(1, 60, kind, 0.1)
    y = y > 0 if kind == "classes" else y
    params = {"random_state": 3, "monotonic_cst": directions, "min_samples_leaf": 2}
    theirs, ours = (model(**params).fit(x, y) for model in PAIRS[kind])
    assert ours.grown_by_ == ("penjing" if KNOWS_OUR_GAPS else "scikit-learn")
    same(ours, theirs)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    again = pickle.loads(pickle.dumps(ours))  # noqa: S301 - our own
    same(again, theirs)


def test_monotonic_constraints_of_three_classes_are_refused_as_in_scikit_learn():
    x, y = made(1, 40, "classes", 0.0)
    for model in PAIRS["classes"]:
        with pytest.raises(ValueError, match="not supported with multiclass"):
            model(monotonic_cst=[1, 0, 0, 0]).fit(x, np.arange(len(y)) % 3)


OTHERS = {
    "sparse": ({}, lambda x, y: (csr_matrix(x), y, None)),
    "random": ({"splitter": "random"}, lambda x, y: (x, y, None)),
    "outputs": ({}, lambda x, y: (x, np.stack([y, y[::-1]], axis=1), None)),
    "negative weights": ({}, lambda x, y: (x, y, np.arange(len(y)) - 3.0)),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("kind", PAIRS)
def test_what_we_cannot_scikit_learn_grows(kind, name):
    params, change = OTHERS[name]
    x, y, weight = change(*made(1, 40, kind, 0.0))
    theirs, ours = (
        model(random_state=3, **params).fit(x, y, sample_weight=weight) for model in PAIRS[kind]
    )
    assert ours.grown_by_ == "scikit-learn"
    same(ours, theirs)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    again = pickle.loads(pickle.dumps(ours))  # noqa: S301 - our own
    same(again, theirs)
    assert again.grown_by_ == "scikit-learn"


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson", "friedman_mse"])
def test_other_criteria_are_grown(criterion):
    x, y = made(1, 40, "number", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of friedman_mse, from 1.9 on
        theirs, ours = (
            model(criterion=criterion, random_state=1).fit(x, np.abs(y))
            for model in PAIRS["number"]
        )
    same(ours, theirs)
    expected = "penjing" if KNOWS_OUR_GAPS and criterion == "friedman_mse" else "scikit-learn"
    assert ours.grown_by_ == expected


def test_a_tree_of_scikit_learns_is_there_as_ours_too():
    x, y = made(1, 40, "number", 0.0)
    model = penjing.DecisionTreeRegressor(splitter="random", random_state=0).fit(x, y)
    assert model.model_.n_nodes == model.tree_.node_count
    np.testing.assert_array_equal(model.model_.predict(x), model.predict(x))
    assert penjing.from_sklearn(model).n_nodes == model.tree_.node_count
    several = penjing.DecisionTreeRegressor().fit(x, np.stack([y, -y], axis=1))
    assert not hasattr(several, "model_")
    assert not hasattr(penjing.DecisionTreeRegressor(), "model_")
    with pytest.raises(CapabilityError, match="multiple outputs"):
        penjing.from_sklearn(several)


def test_one_estimator_may_be_grown_by_either_in_turn():
    x, y = made(1, 40, "number", 0.0)
    model = penjing.DecisionTreeRegressor(random_state=0).fit(x, y)
    model.set_params(splitter="random").fit(x, y)
    assert model.grown_by_ == "scikit-learn"
    assert model.model_.n_nodes == model.tree_.node_count
    model.set_params(splitter="best").fit(x, y)
    assert model.grown_by_ == "penjing"


@pytest.mark.parametrize("kind", PAIRS)
def test_what_was_written_into_the_arrays_is_kept(kind):
    x, y = made(2, 60, kind, 0.0)
    model = PAIRS[kind][1](random_state=0, max_leaf_nodes=5).fit(x, y)
    model.tree_.value[:] = model.tree_.value[::-1].copy()
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.tree_.value, model.tree_.value)
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    model = (
        PAIRS[kind][1](random_state=0, max_leaf_nodes=5).fit(x, y).set_params(max_leaf_nodes=None)
    )
    same(pickle.loads(pickle.dumps(model)), model)  # noqa: S301


def test_generators_are_used_as_scikit_learn_uses_them():
    x, y = made(1, 60, "classes", 0.0)
    for params in ({"max_features": 1}, {}, {"max_features": 1, "max_leaf_nodes": 5}):
        after = []
        for model in PAIRS["classes"]:
            draw = np.random.RandomState(7)
            draw.uniform(size=5)
            grown = [model(random_state=draw, **params).fit(x, y) for _ in range(2)]
            after.append((grown, draw.uniform()))
        (theirs, one), (ours, other) = after
        assert one == other
        for mine, their in zip(ours, theirs, strict=True):
            same(mine, their)


def test_the_global_generator_is_used_as_scikit_learn_uses_it():
    x, y = made(1, 60, "classes", 0.0)
    after = []
    for model in PAIRS["classes"]:
        np.random.seed(3)
        grown = model(max_features=1).fit(x, y)
        model().fit(x, y)
        after.append((grown, np.random.random_sample()))
    (theirs, one), (ours, other) = after
    same(ours, theirs)
    assert one == other


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_a_complexity_at_the_very_edge_prunes_as_there(criterion):
    kind = "number" if criterion == "squared_error" else "classes"
    for seed in range(3):
        x, y = made(seed, 40, kind, 0.0)
        params = {"criterion": criterion, "random_state": seed}
        path = PAIRS[kind][0](**params).cost_complexity_pruning_path(x, y)
        own = PAIRS[kind][1](**params).cost_complexity_pruning_path(x, y)
        np.testing.assert_array_equal(own.ccp_alphas, path.ccp_alphas)
        for edge in path.ccp_alphas[1::3]:
            for alpha in (edge, np.nextafter(edge, 0.0), np.nextafter(edge, 9.0)):
                theirs, ours = (
                    m(ccp_alpha=max(alpha, 0.0), **params).fit(x, y) for m in PAIRS[kind]
                )
                same(ours, theirs)
                assert ours.model_.n_nodes == theirs.tree_.node_count
                assert ours.model_.recipe["ccp_alpha"] == max(alpha, 0.0)


def test_leaves_of_balanced_classes_say_what_they_say_there():
    for seed in range(30):
        x, y = made(seed, 20 + seed, "classes", 0.0)
        theirs, ours = (
            model(class_weight="balanced", min_samples_leaf=0.6, random_state=0).fit(x, y)
            for model in PAIRS["classes"]
        )
        np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("kind", PAIRS)
def test_rows_that_nobody_checks(kind):
    x, y = made(4, 40, kind, 0.0)
    for rows in (
        x.astype(np.float32),
        x,
        np.asfortranarray(x, np.float32),
        np.round(x).astype(int),
    ):
        theirs, ours = (
            model(random_state=0).fit(rows, y.astype(float), check_input=False)
            for model in PAIRS[kind]
        )
        assert ours.grown_by_ == "penjing"
        same(ours, theirs)


def test_sparse_rows_are_refused_by_the_estimators_of_our_own():
    with pytest.raises(TypeError, match="sparse"):
        penjing.C45Classifier().fit(csr_matrix(np.eye(3)), [0, 1, 2])


def test_parameters_are_checked_as_there():
    with pytest.raises(ValueError, match="max_depth"):
        penjing.DecisionTreeClassifier(max_depth=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="inf"):
        penjing.DecisionTreeClassifier().fit([[0], [np.inf]], [0, 1])
    with pytest.raises(ValueError, match="3"):
        penjing.DecisionTreeClassifier().fit([[0], [1]], [0, 1, 1])


@pytest.mark.parametrize("directions", [None, [1, 0], [2, 2], [1]])
def test_complex_targets_warn_and_fail_as_in_scikit_learn(directions):
    x, y = np.arange(8.0).reshape(4, 2), np.array([1, 2, 3, 4]) + 1j
    ended = []
    for model in PAIRS["number"]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                end = model(monotonic_cst=directions).fit(x, y, check_input=False).predict(x)
            except ValueError as error:
                end = str(error)
        ended.append((np.asarray(end).tolist(), [str(one.message) for one in caught]))
    assert ended[0] == ended[1]
