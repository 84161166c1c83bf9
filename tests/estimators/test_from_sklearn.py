"""Fitted trees of scikit-learn as trees of ours: they answer alike, at the edges too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import ensemble, tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import penjing
from penjing.errors import CapabilityError, ChoiceError, DataError


def edges(arrays) -> np.ndarray:
    """Return every cut, its neighbours in 32 and in 64 bits, and a missing value."""
    cuts = np.unique(arrays.threshold[arrays.children_left >= 0])
    cuts = cuts[np.isfinite(cuts)]  # an infinite one parts missing values from all others
    single = cuts.astype(np.float32)
    up, down = np.float32(np.inf), np.float32(-np.inf)
    near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
    near += [single, np.nextafter(single, up), np.nextafter(single, down), [np.nan]]
    return np.concatenate([np.asarray(part, np.float64) for part in near])


KINDS = (
    tree.DecisionTreeClassifier,
    tree.ExtraTreeClassifier,
    tree.DecisionTreeRegressor,
    tree.ExtraTreeRegressor,
)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(KINDS),
    missing=st.sampled_from([0.0, 0.2]),
    is_weighted=st.booleans(),
    scale=st.sampled_from([1.0, 1e-6, 1e7]),
)
def test_it_answers_alike_at_every_edge(seed, kind, missing, is_weighted, scale):
    draw = np.random.RandomState(seed)
    x = draw.normal(size=(60, 3)) * scale
    y = draw.randint(0, 3, 60) if "Classifier" in kind.__name__ else draw.normal(size=60)
    x[draw.uniform(size=x.shape) < missing] = np.nan
    weight = draw.uniform(0.1, 2, 60) if is_weighted else None
    model = kind(random_state=seed, max_depth=6).fit(x, y, sample_weight=weight)
    ours = penjing.from_sklearn(model)
    values = edges(model.tree_)
    test = draw.choice(values, (400, 3))
    np.testing.assert_array_equal(ours.predict(test), model.predict(test))
    assert (ours.n_nodes, ours.n_leaves, ours.depth) == (
        model.tree_.node_count,
        model.get_n_leaves(),
        model.get_depth(),
    )
    if not ours.is_regression:
        np.testing.assert_allclose(ours.predict_proba(test), model.predict_proba(test), atol=1e-12)


def test_it_can_be_drawn_saved_and_pruned(tmp_path):
    iris = load_iris(as_frame=True)
    model = tree.DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    ours = penjing.from_sklearn(model)
    assert ours.schema[0].name == "sepal length (cm)"
    assert ours.nodes.total[0].tolist() == [50.0, 50.0, 50.0]
    assert ours.draw().startswith("'petal")
    assert "<svg" in ours.write("svg")
    ours.save(tmp_path / "iris.json")
    assert penjing.load(tmp_path / "iris.json") == ours
    pruned = ours.prune("cost-complexity", alpha=0.02, by="impurity")
    theirs = tree.DecisionTreeClassifier(random_state=0, ccp_alpha=0.02)
    theirs.fit(iris.data, iris.target)
    assert pruned.n_leaves == theirs.get_n_leaves()
    assert ours.recipe["name"] == "sklearn"


def test_a_tree_of_a_forest():
    x, y = load_diabetes(return_X_y=True)
    forest = ensemble.RandomForestRegressor(3, max_depth=4, random_state=0).fit(x, y)
    for member in forest.estimators_:
        ours = penjing.from_sklearn(member)
        np.testing.assert_array_equal(ours.predict(x), member.predict(x))


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_sums_that_the_arrays_do_not_hold_are_not_made_up(criterion):
    x, y = load_diabetes(return_X_y=True)
    model = tree.DecisionTreeRegressor(criterion=criterion, max_depth=3).fit(x, y)
    ours = penjing.from_sklearn(model)
    np.testing.assert_array_equal(ours.predict(x), model.predict(x))
    assert not ours.has_counts
    with pytest.raises(CapabilityError):
        ours.prune("cost-complexity", alpha=0.1)


def test_a_leaf_alone():
    model = tree.DecisionTreeClassifier().fit([[1.0], [1.0]], ["a", "b"])
    ours = penjing.from_sklearn(model)
    assert (ours.n_nodes, ours.predict([[3.0]]).tolist()) == (1, ["a"])


def test_other_things_are_refused_in_a_sentence():
    x, y = load_iris(return_X_y=True)
    piped = make_pipeline(StandardScaler(), tree.DecisionTreeClassifier()).fit(x, y)
    for thing in (tree.DecisionTreeClassifier(), piped, 3):
        with pytest.raises(ChoiceError, match="is not a fitted scikit-learn tree"):
            penjing.from_sklearn(thing)
    several = tree.DecisionTreeRegressor().fit(x, x[:, :2])
    with pytest.raises(CapabilityError, match="multiple outputs"):
        penjing.from_sklearn(several)
    with pytest.raises(DataError):
        penjing.from_sklearn(piped[-1]).predict([["a", "b", "c", "d"]])
