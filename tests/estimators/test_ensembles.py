"""Forests, bagging and boosting made of our classes: tree for tree those made of scikit-learn's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn import tree
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _gb,
)

import penjing
from exact_ties import Rows, has_tied_classes, parted


class Seen:
    """Remembers what a tree was grown from. Forests call `_fit`, others `fit`."""

    def fit(self, X, y, sample_weight=None, check_input=True):  # noqa: N803
        self._remember(X, y, sample_weight)
        return super().fit(X, y, sample_weight, check_input)

    def _fit(self, X, y, sample_weight=None, **more):  # noqa: N803
        self._remember(X, y, sample_weight)
        return super()._fit(X, y, sample_weight=sample_weight, **more)

    def _remember(self, x, y, weight) -> None:
        y = np.array(y).reshape(-1)
        weight = np.ones(len(y)) if weight is None else np.array(weight, float)
        criterion = "squared_error" if self.criterion == "friedman_mse" else self.criterion
        self.seen_ = Rows(np.array(x, np.float32), y, weight, criterion).of(weight != 0)


class OurClassifier(Seen, penjing.DecisionTreeClassifier):
    """Somebody's own subclass of ours."""


class OurRegressor(Seen, penjing.DecisionTreeRegressor):
    """The same for numbers."""


class TheirClassifier(Seen, tree.DecisionTreeClassifier):
    """And of scikit-learn's."""


class TheirRegressor(Seen, tree.DecisionTreeRegressor):
    """The same for numbers."""


PAIRS = {"classes": (OurClassifier, TheirClassifier), "number": (OurRegressor, TheirRegressor)}
DATA = {
    "iris": ("classes", load_iris),
    "wine": ("classes", load_wine),
    "cancer": ("classes", load_breast_cancer),
    "diabetes": ("number", load_diabetes),
}


def forest(kind: str, seed: int, base):
    made = {"classes": RandomForestClassifier, "number": RandomForestRegressor}[kind](
        n_estimators=10, max_features=0.5, random_state=seed
    )
    made.estimator = base()
    return made


def whole_forest(kind: str, seed: int, base):
    made = forest(kind, seed, base)
    return made.set_params(bootstrap=False, max_features=1, max_leaf_nodes=12)


def bag(kind: str, seed: int, base):
    wrap = {"classes": BaggingClassifier, "number": BaggingRegressor}[kind]
    return wrap(base(max_features="sqrt"), n_estimators=8, max_features=0.8, random_state=seed)


def boosted(kind: str, seed: int, base):
    wrap = {"classes": AdaBoostClassifier, "number": AdaBoostRegressor}[kind]
    return wrap(base(max_depth=2), n_estimators=12, random_state=seed)


ENSEMBLES = {"forest": forest, "whole": whole_forest, "bag": bag, "boosted": boosted}


def table(seed: int, kind: str):
    """Return random rows, some values equal, and a target that hangs on them."""
    draw = np.random.RandomState(seed)
    x = np.round(draw.normal(size=(draw.randint(30, 90), draw.randint(2, 7))), draw.randint(1, 4))
    number = np.round(4 * (x[:, 0] + x[:, 1] * x[:, -1] + draw.normal(size=len(x)))) / 4
    return x, number if kind == "number" else number.astype(int) % draw.randint(2, 4)


def compared(name: str, kind: str, x, y, seed: int) -> Counter:
    """Grow both, and count trees that are the same, and why others are not.

    Where one hangs on the one before, all that comes after a difference differs, too.
    """
    ours, theirs = (ENSEMBLES[name](kind, seed, base).fit(x, y) for base in PAIRS[kind])
    found = Counter()
    for mine, other in zip(ours.estimators_, theirs.estimators_, strict=False):
        if not same_rows(mine.seen_, other.seen_):
            assert name == "boosted"
            assert found.total() > found["same"]
            break
        assert mine.grown_by_ == "penjing"
        why = parted(mine.tree_, other.tree_, other.seen_)
        if not why and name == "boosted" and has_tied_classes(other.tree_):
            why = "tied classes"  # whose rows weigh more from now on
        found[why or "same"] += 1
    if found.total() == found["same"]:
        np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9)
        assert len(ours.estimators_) == len(theirs.estimators_)
    return found


def same_rows(one: Rows, other: Rows) -> bool:
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)
        for a, b in ((one.x, other.x), (one.y, other.y), (one.weight, other.weight))
    )


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("data", DATA)
def test_ensembles_of_known_data_are_scikit_learns(name, data):
    kind, load = DATA[data]
    x, y = load(return_X_y=True)
    found = compared(name, kind, x, y, seed=1)
    assert found["same"] + found["tied classes"] >= 4


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("kind", PAIRS)
def test_ensembles_of_random_tables_are_scikit_learns(name, kind):
    found = sum((compared(name, kind, *table(s, kind), s) for s in range(4)), Counter())
    assert found["same"] + found["tied classes"] > found.total() / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("kind", PAIRS)
def test_ensembles_of_many_random_tables_are_scikit_learns(name, kind):
    found = sum((compared(name, kind, *table(s, kind), s) for s in range(100, 160)), Counter())
    assert found["same"] + found["tied classes"] > found.total() / 2


@pytest.mark.parametrize("data", ["iris", "diabetes"])
def test_gradient_boosting_takes_it(data, monkeypatch):
    kind, load = DATA[data]
    wrap = GradientBoostingClassifier if kind == "classes" else GradientBoostingRegressor
    x, y = load(return_X_y=True)
    grown = []
    for base in PAIRS["number"]:
        monkeypatch.setattr(_gb, "DecisionTreeRegressor", base)
        grown.append(wrap(n_estimators=5, subsample=0.7, random_state=2).fit(x, y))
    ours, theirs = grown
    assert all(
        mine.criterion == "friedman_mse" or mine.grown_by_ == "penjing"  # before 1.9
        for mine in ours.estimators_.ravel()
    )
    for mine, other in zip(ours.estimators_.ravel(), theirs.estimators_.ravel(), strict=True):
        assert same_rows(mine.seen_, other.seen_)
        if parted(mine.tree_, other.tree_, other.seen_):
            break  # what comes after hangs on it
        # its values are not those of the tree that was grown: they were written into it
        np.testing.assert_allclose(mine.tree_.value, other.tree_.value, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9)
    assert ours.score(x, y) == pytest.approx(theirs.score(x, y), abs=0.05)
