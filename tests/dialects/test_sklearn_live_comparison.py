"""Trees of scikit-learn itself, where it is installed, against ours: node for node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.prune.cost_complexity import pruning_path

sklearn_tree = pytest.importorskip("sklearn.tree", reason="scikit-learn is not installed")

pytestmark = pytest.mark.slow


def made(  # noqa: PLR0917 - drawn one by one
    seed: int, n: int, n_columns: int, n_classes: int, digits: int, missing: float
):
    """Return numbers with ties between rows, some of them missing, and a target."""
    draw = np.random.RandomState(seed)
    x = np.round(draw.normal(size=(n, n_columns)), digits)
    y = np.round(x.sum(axis=1) + draw.normal(size=n) * 0.7, 0)
    x[draw.uniform(size=x.shape) < missing] = np.nan
    classes = (y.astype(int) % n_classes) if n_classes else y
    return x, classes


def table_of(x, y, *, regression: bool) -> Table:
    columns = tuple(numeric(f"x{i}", x[:, i]) for i in range(x.shape[1]))
    names = sorted(set(y.tolist()))
    target = numeric("y", y) if regression else nominal("y", y.tolist(), names)
    return Table(columns, target, len(y))


def same(ours, theirs) -> None:
    """Compare two trees, both walked from the root."""
    inner = theirs.tree_
    waiting = [(0, 0)]
    n = 0
    while waiting:
        node, there = waiting.pop()
        n += 1
        assert ours.weight[node] == inner.n_node_samples[there]
        if ours.is_leaf[node]:
            assert inner.children_left[there] == -1
            continue
        assert inner.children_left[there] != -1
        assert ours.nodes.column[node] == inner.feature[there]
        assert ours.nodes.cut[node] == inner.threshold[there]
        goes_left = bool(inner.missing_go_to_left[there])
        assert (ours.nodes.missing[node] == 0) == goes_left
        one, other = ours.children(node)
        waiting += [(one, inner.children_left[there]), (other, inner.children_right[there])]
    assert n == inner.node_count


def no_more_than_there_are(settings, n_columns):
    most = settings["max_features"]
    return settings | {"max_features": min(most, n_columns) if isinstance(most, int) else most}


tables = {
    "seed": st.integers(0, 10**6),
    "n": st.integers(2, 60),
    "n_columns": st.integers(1, 5),
    "digits": st.integers(0, 3),
    "missing": st.sampled_from([0.0, 0.0, 0.15, 0.5]),
    "random_state": st.integers(0, 2**31 - 1),
    "min_samples_leaf": st.integers(1, 4),
    "max_depth": st.none() | st.integers(1, 6),
    "max_features": st.none() | st.integers(1, 2) | st.sampled_from([0.5, "sqrt", "log2"]),
}


@settings(max_examples=300)
@given(
    **tables,
    n_classes=st.integers(2, 5),
    criterion=st.sampled_from(["gini", "entropy"]),
    max_leaf_nodes=st.none() | st.integers(2, 12),
)
def test_classification_trees_are_equal(  # noqa: PLR0917 - drawn one by one
    seed, n, n_columns, digits, missing, n_classes, **settings
):
    x, y = made(seed, n, n_columns, n_classes, digits, missing)
    settings = no_more_than_there_are(settings, n_columns)
    theirs = sklearn_tree.DecisionTreeClassifier(**settings).fit(x, y)
    table = table_of(x, y, regression=False)
    ours = penjing.fit(table, recipe="sklearn", **settings)
    if settings["max_leaf_nodes"] is None:  # which of equal ones grows first is not ours to know
        same(ours, theirs)
        np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(x))


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    factors=st.lists(st.sampled_from([0, 1, 2, 4]), min_size=3, max_size=3).filter(any),
)
def test_class_weights_of_nothing_leave_rows_out(seed, n, factors):
    x, y = made(seed, n, 2, 3, 1, 0.0)
    weights = {k: factors[k] for k in sorted(set(y.tolist()))}
    if not any(weights.values()):
        return
    theirs = sklearn_tree.DecisionTreeClassifier(random_state=0, class_weight=weights).fit(x, y)
    table = table_of(x, y, regression=False)
    ours = penjing.fit(table, recipe="sklearn", random_state=0, class_weight=weights)
    same(ours, theirs)


@settings(max_examples=200)
@given(**tables)
def test_regression_trees_are_equal(seed, n, n_columns, digits, missing, **settings):
    x, y = made(seed, n, n_columns, 0, digits, missing)
    settings = no_more_than_there_are(settings, n_columns)
    theirs = sklearn_tree.DecisionTreeRegressor(**settings).fit(x, y)
    ours = penjing.fit(table_of(x, y, regression=True), recipe="sklearn", **settings)
    same(ours, theirs)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10**6), n=st.integers(5, 80), criterion=st.sampled_from(["gini", "entropy"])
)
def test_pruning_paths_are_equal(seed, n, criterion):
    x, y = made(seed, n, 4, 3, 2, 0.0)
    grower = sklearn_tree.DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = grower.cost_complexity_pruning_path(x, y)
    ours = penjing.fit(
        table_of(x, y, regression=False), recipe="sklearn", criterion=criterion, random_state=0
    )
    found = pruning_path(ours, by="impurity")
    np.testing.assert_allclose([link.alpha for link in found], theirs.ccp_alphas, atol=1e-9)


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 60), alpha=st.floats(0, 0.1))
def test_pruned_trees_predict_alike(seed, n, alpha):
    x, y = made(seed, n, 3, 3, 1, 0.2)
    alpha += 1e-7  # a complexity that is exactly that of a link is a matter of rounding
    theirs = sklearn_tree.DecisionTreeClassifier(ccp_alpha=alpha, random_state=1).fit(x, y)
    table = table_of(x, y, regression=False)
    ours = penjing.fit(table, recipe="sklearn", ccp_alpha=alpha, random_state=1)
    assert ours.n_leaves == theirs.get_n_leaves()
    np.testing.assert_array_equal(ours.predict(table), theirs.predict(x))


def same_values(ours, theirs) -> None:
    """Compare splits and predicted values, both walked from the root."""
    inner = theirs.tree_
    waiting, n = [(0, 0)], 0
    while waiting:
        node, there = waiting.pop()
        n += 1
        value = inner.value[there].ravel()
        assert (ours.values[node] if ours.is_regression else ours.shares[node, 0]) == value[0]
        assert ours.is_regression or ours.shares[node].tolist() == value.tolist()
        assert ours.is_leaf[node] == (inner.children_left[there] == -1)
        if not ours.is_leaf[node]:
            assert ours.nodes.column[node] == inner.feature[there]
            assert ours.nodes.cut[node] == inner.threshold[there]
            one, other = ours.children(node)
            waiting += [(one, inner.children_left[there]), (other, inner.children_right[there])]
    assert n == inner.node_count


@settings(max_examples=400)
@given(
    **tables,
    regression=st.booleans(),
    criterion=st.sampled_from(["gini", "entropy", "log_loss"]),
    max_leaf_nodes=st.none() | st.integers(2, 12),
    directions=st.lists(st.sampled_from([-1, 0, 1]), min_size=5, max_size=5),
    weighted=st.booleans(),
    engine=st.sampled_from(["native", "memory"]),
)
def test_monotonic_trees_are_equal(  # noqa: PLR0917 - drawn one by one
    seed, n, n_columns, digits, missing, regression, criterion, directions, weighted, engine, **more
):
    x, y = made(seed, n, n_columns, 0 if regression else 2, digits, missing)
    settings = no_more_than_there_are(more, n_columns)
    settings["monotonic_cst"] = directions[:n_columns]
    settings["criterion"] = "squared_error" if regression else criterion
    weight = np.random.RandomState(seed).randint(1, 5, n).astype(float) if weighted else None
    kind = "DecisionTreeRegressor" if regression else "DecisionTreeClassifier"
    theirs = getattr(sklearn_tree, kind)(**settings).fit(x, y, sample_weight=weight)
    table = table_of(x, y, regression=regression)
    if not regression and len(table.target.levels) < 2:
        return
    ours = penjing.fit(table, recipe="sklearn", engine=engine, weight=weight, **settings)
    if settings["max_leaf_nodes"] is None:  # which of equal ones grows first is not ours to know
        same_values(ours, theirs)


@pytest.mark.parametrize("n_leaves", [2, 3, 5, 9])
@pytest.mark.parametrize("seed", range(15))
def test_monotonic_trees_with_a_limit_on_leaves_are_equal(seed, n_leaves):
    x, y = made(seed, 200, 4, 2, 6, 0.0)
    settings = {"monotonic_cst": [1, -1, 0, 1], "max_leaf_nodes": n_leaves, "random_state": seed}
    theirs = sklearn_tree.DecisionTreeClassifier(**settings).fit(x, y)
    same_values(penjing.fit(table_of(x, y, regression=False), recipe="sklearn", **settings), theirs)
    other = {**settings, "criterion": "squared_error"}
    theirs = sklearn_tree.DecisionTreeRegressor(**other).fit(x, np.round(x.sum(axis=1) * 8))
    table = table_of(x, np.round(x.sum(axis=1) * 8), regression=True)
    same_values(penjing.fit(table, recipe="sklearn", **other), theirs)
