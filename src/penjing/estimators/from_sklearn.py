"""Conversion of a fitted scikit-learn tree to a `Tree`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.tree._tree import Tree as ArrayTree

from penjing.api.tree import Tree
from penjing.data.read.python_rows import default_names
from penjing.data.table import Field, Floats
from penjing.dialects.recipes import recipe_of
from penjing.errors import CapabilityError, ChoiceError
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import NO_BRANCH

_COPIED_PARAMETERS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
)
_CRITERIA = {"gini": "gini", "entropy": "gain", "log_loss": "gain"}
_VARIANCE_CRITERIA = ("squared_error", "friedman_mse")
"""Criteria whose impurity is the variance; the sum of squares is computed from it."""
_ROUNDING = 1e-9
"""Counts that differ from whole numbers by less than this fraction of the rows are rounded."""


class OutputsError(CapabilityError, AttributeError):
    """Several outputs are not supported; an AttributeError, so that ``hasattr`` is False."""


def from_sklearn(estimator: BaseEstimator) -> Tree:
    """Return a fitted scikit-learn tree as a :class:`penjing.Tree`, to draw, explain or export it.

    The tree predicts what the estimator predicts; like scikit-learn it compares 32-bit numbers.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, …
        A fitted tree with one output, also one of a forest (``forest.estimators_[0]``).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    >>> print(from_sklearn(model))
    x1 ≤ 0.5: no (1)
    x1 > 0.5: yes (1)
    """
    own = getattr(estimator, "model_", None)
    return own if isinstance(own, Tree) else from_arrays(estimator)


def from_arrays(estimator: BaseEstimator) -> Tree:
    """Return the array tree of a fitted estimator as a `Tree`."""
    arrays = getattr(estimator, "tree_", None)
    if not isinstance(arrays, ArrayTree):
        raise ChoiceError("not_a_fitted_tree", kind=type(estimator).__name__)
    if arrays.n_outputs > 1:
        raise OutputsError("outputs_refused", n=arrays.n_outputs)
    order, parent = _breadth_first(arrays)
    classes = getattr(estimator, "classes_", None)
    criterion = getattr(estimator, "criterion", None)
    is_counted = classes is not None or criterion in _VARIANCE_CRITERIA
    total = _moments(arrays, is_counted=is_counted) if classes is None else _counts(arrays)
    column = np.where(arrays.children_left[order] < 0, LEAF, arrays.feature[order]).astype(np.int32)
    is_split = column != LEAF
    gain = np.where(is_split, _gains(arrays)[order], 0.0)
    missing_branch = np.where(arrays.missing_go_to_left[order].astype(bool), 0, 1)
    nodes = Nodes(
        parent=parent,
        column=column,
        cut=np.where(is_split, arrays.threshold[order], np.nan),
        level_start=np.zeros(len(order) + 1, np.int64),
        level_codes=np.empty(0, np.int32),
        total=total[order],
        gain=gain,
        score=gain.copy(),
        missing=np.where(is_split, missing_branch, NO_BRANCH).astype(np.int32)
        if is_split.any()
        else None,
    )
    names = getattr(estimator, "feature_names_in_", None)
    columns = default_names(arrays.n_features) if names is None else [*map(str, names)]
    target_name = "y"
    while target_name in columns:
        target_name += "_"
    target_field = (
        Field(target_name, "numeric")
        if classes is None
        else Field(target_name, "nominal", _levels(classes))
    )
    about = {
        "n_rows": int(arrays.n_node_samples[0]),
        "source": {"name": type(estimator).__name__, "n_rows": int(arrays.n_node_samples[0])},
        "counted": is_counted,
    }
    schema = tuple(Field(name, "numeric") for name in columns)
    return Tree(nodes, schema, target_field, _settings(estimator, criterion), 0.0, about)


def _breadth_first(arrays: ArrayTree) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
    """Return the nodes in breadth-first order, and the parent of each in that order."""
    left, right = arrays.children_left, arrays.children_right
    levels, parent = [np.zeros(1, np.intp)], [np.full(1, -1, np.int32)]
    n_before = 0
    while True:
        nodes = levels[-1]
        splits = np.flatnonzero(left[nodes] >= 0)
        if not splits.size:
            break
        levels.append(np.stack([left[nodes[splits]], right[nodes[splits]]], axis=1).reshape(-1))
        parent.append(np.repeat(splits + n_before, 2).astype(np.int32))
        n_before += len(nodes)
    return np.concatenate(levels), np.concatenate(parent)


def _counts(arrays: ArrayTree) -> Floats:
    """Return the weight of each class in each node, rounded where it was a whole number."""
    weight = arrays.weighted_n_node_samples
    counts: Floats = arrays.value[:, 0, :] * weight[:, None]
    rounded = np.rint(counts)
    is_whole = np.abs(counts - rounded) <= _ROUNDING * weight[:, None]
    return np.where(is_whole, rounded, counts)


def _moments(arrays: ArrayTree, *, is_counted: bool) -> Floats:
    """Return weight, sum and sum of squares of each node; sum / weight is exactly its value."""
    weight, mean = arrays.weighted_n_node_samples, arrays.value[:, 0, 0]
    first = mean * weight
    for direction in (-np.inf, np.inf):
        near = np.nextafter(first, direction)
        first = np.where((first / weight != mean) & (near / weight == mean), near, first)
    spread = np.maximum(arrays.impurity, 0.0) if is_counted else 0.0
    return np.stack([weight, first, weight * (spread + mean**2)], axis=1)


def _gains(arrays: ArrayTree) -> Floats:
    """Return the decrease of impurity by the split of each node."""
    left, right = arrays.children_left, arrays.children_right
    weighted_impurity = arrays.impurity * arrays.weighted_n_node_samples
    decrease = (
        weighted_impurity - weighted_impurity[left] - weighted_impurity[right]
    ) / arrays.weighted_n_node_samples
    return np.asarray(np.maximum(decrease, 0.0))


def _levels(classes: npt.ArrayLike) -> tuple[Any, ...]:
    return tuple(np.asarray(classes).tolist())


def _settings(estimator: BaseEstimator, criterion: object) -> dict[str, Any]:
    """Return the recipe of the tree, as far as penjing has the estimator's parameters."""
    given = {k: v for k in _COPIED_PARAMETERS if (v := getattr(estimator, k, None)) is not None}
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in given.items()}
    criterion_name = _CRITERIA.get(
        str(criterion), "variance" if "classes_" not in vars(estimator) else "gini"
    )
    return recipe_of("sklearn", criterion=criterion_name, **plain).settings()
