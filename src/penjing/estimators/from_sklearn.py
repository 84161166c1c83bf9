"""A fitted tree of scikit-learn becomes a tree of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree._tree import Tree as Arrays

from penjing.api.tree import Tree
from penjing.data.read.python_rows import default_names
from penjing.data.table import Field, Floats
from penjing.dialects.recipes import recipe_of
from penjing.errors import CapabilityError, ChoiceError
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import NO_BRANCH

_KEPT = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
)
_CRITERIA = {"gini": "gini", "entropy": "gain", "log_loss": "gain"}
_MEANS = ("squared_error", "friedman_mse")
"""Criteria whose impurity is the variance, from which the sum of squares can be told."""
_WHOLE = 1e-9
"""Counts that are whole up to this share of the rows were whole before they became shares."""


class OutputsError(CapabilityError, AttributeError):
    """A tree of several outputs is none of ours; to ``hasattr`` an estimator has no such tree."""


def from_sklearn(estimator: Any) -> Tree:  # noqa: ANN401 - any estimator with a tree
    """Return a fitted tree of scikit-learn as a tree of ours: for pictures, reasons, exports.

    It predicts what the estimator predicts; numbers are compared in 32 bits, as there.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, …
        Fitted, of one output; one tree of a forest (``forest.estimators_[0]``) is such a one.

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


def from_arrays(estimator: Any) -> Tree:  # noqa: ANN401 - any estimator with a tree
    """Return what scikit-learn's array tree of an estimator says, as a tree of ours."""
    arrays = getattr(estimator, "tree_", None)
    if not isinstance(arrays, Arrays):
        raise ChoiceError("not_a_fitted_tree", kind=type(estimator).__name__)
    if arrays.n_outputs > 1:
        raise OutputsError("outputs_refused", n=arrays.n_outputs)
    old, parent = _breadth_first(arrays)
    classes = getattr(estimator, "classes_", None)
    criterion = getattr(estimator, "criterion", None)
    is_counted = classes is not None or criterion in _MEANS
    total = _moments(arrays, is_counted=is_counted) if classes is None else _counts(arrays)
    column = np.where(arrays.children_left[old] < 0, LEAF, arrays.feature[old]).astype(np.int32)
    asks = column != LEAF
    gain = np.where(asks, _gains(arrays)[old], 0.0)
    goes = np.where(arrays.missing_go_to_left[old].astype(bool), 0, 1)
    nodes = Nodes(
        parent=parent,
        column=column,
        cut=np.where(asks, arrays.threshold[old], np.nan),
        level_start=np.zeros(len(old) + 1, np.int64),
        level_codes=np.empty(0, np.int32),
        total=total[old],
        gain=gain,
        score=gain.copy(),
        missing=np.where(asks, goes, NO_BRANCH).astype(np.int32) if asks.any() else None,
    )
    names = getattr(estimator, "feature_names_in_", None)
    titles = default_names(arrays.n_features) if names is None else [*map(str, names)]
    target = "y"
    while target in titles:
        target += "_"
    answers = (
        Field(target, "numeric") if classes is None else Field(target, "nominal", _levels(classes))
    )
    about = {
        "n_rows": int(arrays.n_node_samples[0]),
        "source": {"name": type(estimator).__name__, "n_rows": int(arrays.n_node_samples[0])},
        "counted": is_counted,
    }
    schema = tuple(Field(title, "numeric") for title in titles)
    return Tree(nodes, schema, answers, _settings(estimator, criterion), 0.0, about)


def _breadth_first(arrays: Any) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:  # noqa: ANN401
    """Return the nodes in our order, and the parent of each in it."""
    left, right = arrays.children_left, arrays.children_right
    old, parent = [np.zeros(1, np.intp)], [np.full(1, -1, np.int32)]
    born = 0
    while True:
        here = old[-1]
        asks = np.flatnonzero(left[here] >= 0)
        if not asks.size:
            break
        old.append(np.stack([left[here[asks]], right[here[asks]]], axis=1).reshape(-1))
        parent.append(np.repeat(asks + born, 2).astype(np.int32))
        born += len(here)
    return np.concatenate(old), np.concatenate(parent)


def _counts(arrays: Any) -> Floats:  # noqa: ANN401 - scikit-learn's array tree
    """Return the weight of each class in each node, whole where it was."""
    weight = arrays.weighted_n_node_samples
    found: Floats = arrays.value[:, 0, :] * weight[:, None]
    whole = np.rint(found)
    is_whole = np.abs(found - whole) <= _WHOLE * weight[:, None]
    return np.where(is_whole, whole, found)


def _moments(arrays: Any, *, is_counted: bool) -> Floats:  # noqa: ANN401
    """Return the sums of each node, such that their quotient is its value to the last bit."""
    weight, mean = arrays.weighted_n_node_samples, arrays.value[:, 0, 0]
    once = mean * weight
    for there in (-np.inf, np.inf):
        near = np.nextafter(once, there)
        once = np.where((once / weight != mean) & (near / weight == mean), near, once)
    spread = np.maximum(arrays.impurity, 0.0) if is_counted else 0.0
    return np.stack([weight, once, weight * (spread + mean**2)], axis=1)


def _gains(arrays: Any) -> Floats:  # noqa: ANN401 - scikit-learn's array tree
    """Return by how much each question lessens the impurity of its node."""
    left, right = arrays.children_left, arrays.children_right
    mixed = arrays.impurity * arrays.weighted_n_node_samples
    less = (mixed - mixed[left] - mixed[right]) / arrays.weighted_n_node_samples
    return np.asarray(np.maximum(less, 0.0))


def _levels(classes: Any) -> tuple[Any, ...]:  # noqa: ANN401 - an array of classes
    return tuple(np.asarray(classes).tolist())


def _settings(estimator: Any, criterion: object) -> dict[str, Any]:  # noqa: ANN401
    """Return the recipe that says how the tree was grown, as far as ours can say it."""
    told = {k: v for k in _KEPT if (v := getattr(estimator, k, None)) is not None}
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in told.items()}
    measure = _CRITERIA.get(
        str(criterion), "variance" if "classes_" not in vars(estimator) else "gini"
    )
    return recipe_of("sklearn", criterion=measure, **plain).settings()
