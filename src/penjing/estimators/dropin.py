"""Drop-in replacements of scikit-learn's decision trees, grown by penjing if it supports them.

The classes are subclasses of scikit-learn's, as `plot_tree`, `export_text` and shap require.
scikit-learn validates the input and predicts from the array tree; only growing is replaced. Trees
that penjing does not support are grown by scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import sklearn
from scipy.sparse import issparse
from sklearn import tree as sklearn_tree
from sklearn.tree._tree import Tree as ArrayTree
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.fixes import parse_version
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.lazy_column import LazyColumn
from penjing.data.read.python_rows import default_names
from penjing.data.table import Column, Floats, Table
from penjing.estimators.from_sklearn import from_arrays
from penjing.estimators.to_sklearn import (
    NodeOrder,
    are_equal,
    best_first,
    count_rows,
    depth_first,
    new_leaves,
    to_arrays,
)
from penjing.tree import serialize

Float32s = npt.NDArray[np.float32]
Labels = npt.NDArray[Any]

PENJING, SKLEARN = "penjing", "scikit-learn"
_SMALLEST_SIZE = {
    "max_depth": 1,
    "max_leaf_nodes": 2,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_features": 1,
}
_LARGEST_SIZE = 2**31 - 1
"""Larger values are left to scikit-learn, which raises its own errors."""
_FRACTIONS = ("min_samples_split", "min_samples_leaf", "max_features")
_MAX_FEATURES = {"sqrt": sqrt, "log2": log2}
_LARGEST_VALUE = {
    "min_weight_fraction_leaf": 0.5,
    "min_impurity_decrease": np.inf,
    "ccp_alpha": np.inf,
}
_SMALLEST, _LARGEST = 1e-100, 1e100
"""Numbers and weights between these can be squared and summed without overflow."""
_VALIDATION = (
    {"dtype": np.float32, "accept_sparse": "csc", "ensure_all_finite": False},
    {"ensure_2d": False, "dtype": None},
)
"""The arguments with which scikit-learn validates X and y."""
_SAME_MISSING_RULE = parse_version(sklearn.__version__) >= parse_version("1.9")
"""Earlier versions of scikit-learn treat rows with missing values differently."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target as a column, and the weight of each class."""

    column: Column
    class_weight: Floats | None = None


class PenjingDecisionTree(sklearn_tree.BaseDecisionTree):
    """Overrides how scikit-learn's base class grows a tree."""

    _criteria: ClassVar[tuple[str, ...]] = ()

    def _fit(
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's name
        y: Any,  # noqa: ANN401 - any array-like
        sample_weight: Any = None,  # noqa: ANN401 - any array-like
        check_input: bool = True,  # noqa: FBT001, FBT002 - scikit-learn's signature
        missing_values_in_feature_mask: Any = None,  # noqa: ANN401 - an array or None
    ) -> Self:
        """Grow the tree by penjing or scikit-learn; called by ``fit`` and by forests."""
        self._model: Tree | None = None
        data, missing_mask = X, missing_values_in_feature_mask
        table = None
        if not issparse(X) and self._are_parameters_supported():
            rows = X
            if check_input:
                rows, y = self._validate(X, y)
            if not issparse(rows):  # a frame of sparse columns is sparse now
                if check_input:
                    missing_mask = self._columns_with_missing(rows)
                table = self._make_table(
                    rows, y, sample_weight, missing_mask, is_checked=check_input
                )
                data, check_input = rows, False
        if table is None:
            super()._fit(data, y, sample_weight, check_input, missing_mask)
        else:
            self._grow(*table)
        self.grown_by_ = SKLEARN if table is None else PENJING
        return self

    # -- supported input -------------------------------------------------------------------------

    def _are_parameters_supported(self) -> bool:
        """Return whether penjing supports the parameters and they are valid."""
        return (
            isinstance(self.criterion, str)
            and self.criterion in self._criteria
            and isinstance(self.splitter, str)
            and self.splitter == "best"
            and all(_is_valid_size(name, getattr(self, name)) for name in _SMALLEST_SIZE)
            and all(
                _is_valid_number(getattr(self, name), most) for name, most in _LARGEST_VALUE.items()
            )
        )

    def _validate(self, rows: Any, y: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any array-like
        if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu" and y.size:
            return validate_data(self, rows, **_VALIDATION[0]), y  # integers need no check
        validated: tuple[Any, Any] = validate_data(self, rows, y, validate_separately=_VALIDATION)
        return validated

    def _columns_with_missing(self, rows: Float32s) -> Any:  # noqa: ANN401 - an array or None
        """Return which columns have missing values, None if none; infinite values are errors."""
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = np.isfinite(rows.sum())
        return None if is_finite else self._compute_missing_values_in_feature_mask(rows)

    def _make_table(
        self,
        rows: Any,  # noqa: ANN401 - possibly unchecked
        y: Any,  # noqa: ANN401
        sample_weight: Any,  # noqa: ANN401
        missing_mask: Any,  # noqa: ANN401
        *,
        is_checked: bool,
    ) -> tuple[Table, Float32s, Floats | None] | None:
        """Return the table, the rows and the class weights; None if penjing does not support them.

        Invalid input returns None, too, so that scikit-learn raises its own error.
        """
        if not is_checked and not _are_valid_rows(rows, missing_mask):
            return None
        if missing_mask is not None and not _SAME_MISSING_RULE:
            return None
        rows = np.asarray(rows, np.float32)
        labels = np.atleast_1d(y)
        if labels.shape not in {(len(rows),), (len(rows), 1)}:
            return None
        weight = None
        try:
            if sample_weight is not None:
                weight = _check_sample_weight(sample_weight, rows, dtype=np.float64)
            target = self._make_target(labels.reshape(-1))
        except (TypeError, ValueError):
            return None
        if target is None or not _are_valid_weights(weight, target):
            return None
        if not self._is_constraint_supported(rows.shape[1], target):
            return None
        self._check_target(labels.reshape(-1, 1))
        if weight is not None and (weight == 1).all():
            weight = None
        self.n_features_in_ = rows.shape[1]
        self.n_outputs_ = 1
        names = self._column_names()
        columns = tuple(
            LazyColumn(name, rows[:, j].astype(np.float64)) for j, name in enumerate(names)
        )
        table = Table(columns, target.column, len(rows), weight, source={"name": "X"})
        return table, rows, target.class_weight

    def _is_constraint_supported(self, n_columns: int, target: Target) -> bool:
        """Return whether ``monotonic_cst`` is None, or valid for these columns and the target."""
        if self.monotonic_cst is None:
            return True
        try:
            directions = np.asarray(self.monotonic_cst)
        except ValueError:
            return False
        is_binary = target.column.is_numeric or len(target.column.levels) <= 2
        has_form = directions.shape == (n_columns,) and directions.dtype.kind in "iuf"
        return is_binary and has_form and bool(np.isin(directions, (-1, 0, 1)).all())

    def _make_target(self, y: Labels) -> Target | None:
        raise NotImplementedError

    def _check_target(self, y: Labels) -> None:
        """Let scikit-learn raise its errors and warnings about the target."""

    def _column_names(self) -> list[str]:
        """Return the column names of the tree: those of the frame if they are distinct."""
        names = [*map(str, getattr(self, "feature_names_in_", ()))]
        return (
            names if len(set(names)) == self.n_features_in_ else default_names(self.n_features_in_)
        )

    # -- growing ----------------------------------------------------------------------------------

    def _grow(self, table: Table, rows: Float32s, class_weight: Floats | None) -> None:
        settings = self._recipe_settings(*rows.shape)
        if class_weight is not None:
            assert table.target is not None
            levels = table.target.levels
            settings["class_weight"] = dict(zip(levels, class_weight.tolist(), strict=True))
        tree = fit(table, recipe="sklearn", quiet=True, **settings)
        order = best_first(tree) if self.max_leaf_nodes is not None else depth_first(tree)
        self.tree_ = to_arrays(tree, order, is_weighted=table.weight is not None)
        if table.weight is not None:
            weight = table.weight
            if class_weight is not None:
                assert table.target is not None
                weight = weight * class_weight[table.target.codes]
            used_rows = rows if weight.all() else rows[weight > 0]
            self.tree_.n_node_samples[:] = count_rows(self.tree_, self.tree_.apply(used_rows))
        self._model = self._prune_both(tree, order) if self.ccp_alpha > 0 else tree

    def _recipe_settings(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        """Return the parameters as settings of the recipe, all but ``ccp_alpha``."""
        settings: dict[str, Any] = {"criterion": self.criterion}
        for name in ("max_depth", "max_leaf_nodes"):
            value = getattr(self, name)
            settings[name] = None if value is None else int(value)
        for name in ("min_samples_split", "min_samples_leaf"):
            value = getattr(self, name)
            is_whole = isinstance(value, Integral)
            settings[name] = max(
                _SMALLEST_SIZE[name], int(value) if is_whole else ceil(value * n_rows)
            )
        for name in ("min_weight_fraction_leaf", "min_impurity_decrease"):
            settings[name] = float(getattr(self, name))
        if self.monotonic_cst is not None:
            settings["monotonic_cst"] = [int(d) for d in np.asarray(self.monotonic_cst)]
        self.max_features_ = self._number_of_features(n_columns)
        settings["max_features"] = min(int(self.max_features_), n_columns)
        return settings | self._random_settings(n_columns)

    def _number_of_features(self, n: int) -> Any:  # noqa: ANN401 - any integer type
        value = self.max_features
        if value is None:
            return n
        if isinstance(value, Integral):
            return value
        return max(1, int(_MAX_FEATURES[value](n) if isinstance(value, str) else value * n))

    def _random_settings(self, n_columns: int) -> dict[str, int]:
        """Return the setting of the random order of columns.

        As in scikit-learn, one number is drawn from a generator. Without ``random_state`` and with
        all columns used, columns keep the order of the table.
        """
        random_state = self.random_state
        if isinstance(random_state, Integral):
            return {"random_state": int(random_state)}
        start = int(check_random_state(random_state).randint(0, _LARGEST_SIZE))
        uses_all_columns = self.max_features_ >= n_columns
        return {} if random_state is None and uses_all_columns else {"random_start": start}

    def _prune_both(self, tree: Tree, order: NodeOrder) -> Tree:
        """Let scikit-learn prune the array tree, and return the tree with the same leaves."""
        unpruned = self.tree_
        self._prune_tree()
        leaves = np.argsort(order.position)[new_leaves(unpruned, self.tree_)].tolist()
        recipe = dict(tree.recipe) | {"ccp_alpha": float(self.ccp_alpha)}
        return replace(tree.pruned(leaves) if leaves else tree, recipe=recipe)

    # -- fitted attributes ------------------------------------------------------------------------

    @property
    def model_(self) -> Tree:
        """The tree as a :class:`penjing.Tree`; not available with several outputs.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> print(model.model_)
        x1 ≤ 1.5: a (1)
        x1 > 1.5: b (1)
        """
        check_is_fitted(self)
        return from_arrays(self) if self._model is None else self._model

    def _array_tree(self, n_rows: npt.NDArray[np.int64]) -> ArrayTree:
        """Return the array tree of the `Tree`."""
        assert self._model is not None
        recipe = self._model.recipe
        is_best_first = recipe["max_leaves"] is not None and not recipe["ccp_alpha"]
        order = best_first(self._model) if is_best_first else depth_first(self._model)
        weight = self._model.reader.weight(self._model.nodes.total)
        arrays = to_arrays(
            self._model, order, is_weighted=bool((weight != n_rows[order.position]).any())
        )
        arrays.n_node_samples[:] = n_rows
        return arrays

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: the parameters, and the tree as in a model file.

        The array tree is included only if it differs, since its arrays can be written to.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        if state.get("_model") is not None:
            state["_model"] = serialize.to_json(state["_model"])
            n_rows = self.tree_.n_node_samples
            state["_n_rows"] = n_rows.tolist()
            if are_equal(self.tree_, self._array_tree(n_rows)):
                del state["tree_"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        n_rows = state.pop("_n_rows", None)
        if n_rows is not None:
            state["_model"] = Tree.from_data(serialize.from_json(state["_model"]))
        super().__setstate__(state)
        if n_rows is not None and "tree_" not in state:
            self.tree_ = self._array_tree(np.asarray(n_rows, np.int64))


class DecisionTreeClassifier(sklearn_tree.DecisionTreeClassifier, PenjingDecisionTree):
    """A drop-in replacement for ``sklearn.tree.DecisionTreeClassifier``.

    Every parameter, method and fitted attribute is scikit-learn's, including the array tree
    ``tree_``; ``model_`` is the same tree as a :class:`penjing.Tree`. ``grown_by_`` is
    ``"penjing"``, or ``"scikit-learn"`` if rows are sparse, ``splitter`` is ``"random"``, there
    are several outputs or weights are negative.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.tree_.feature.tolist(), tree.predict(X[:2]).tolist(), tree.grown_by_
    ([3, -2, 3, -2, -2], [0, 0], 'penjing')
    """

    _criteria = ("gini", "entropy", "log_loss")

    def _make_target(self, y: Labels) -> Target | None:
        self.classes_, inverse = np.unique(y, return_inverse=True)
        self.n_classes_ = np.intp(len(self.classes_))
        codes = inverse.reshape(-1).astype(np.int32)
        class_weight = None
        if self.class_weight is not None:
            class_weight = np.empty(self.n_classes_)
            class_weight[codes] = compute_sample_weight(self.class_weight, y.reshape(-1, 1))
        levels = tuple(self.classes_.tolist())
        if not all(isinstance(level, str | int | float) for level in levels[:1]):
            return None  # a model file cannot hold such classes
        return Target(Column("y", "nominal", levels, codes), class_weight)

    def _check_target(self, y: Labels) -> None:
        is_whole = y.dtype.kind in "biu"
        if not is_whole or 2 * self.n_classes_ > len(y):  # it warns of so many classes
            check_classification_targets(y)


class DecisionTreeRegressor(sklearn_tree.DecisionTreeRegressor, PenjingDecisionTree):
    """A drop-in replacement for ``sklearn.tree.DecisionTreeRegressor``.

    See :class:`DecisionTreeClassifier`. Trees with a criterion other than ``squared_error`` are
    grown by scikit-learn.

    Examples
    --------
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [0.0, 0.5, 4.5])
    >>> tree.predict([[1.5], [1.6]]).tolist()
    [0.25, 4.5]
    """

    _criteria = ("squared_error",)

    def _make_target(self, y: Labels) -> Target | None:
        if y.dtype.kind == "c":
            return None  # scikit-learn warns, and once
        numbers: Floats = np.ascontiguousarray(y, dtype=np.float64)
        is_small = bool((np.abs(numbers) < _LARGEST).all())
        return Target(LazyColumn("y", numbers)) if is_small else None


def _is_valid_size(name: str, value: object) -> bool:
    """Return whether a value is a valid number of rows, leaves or columns, or a fraction."""
    if isinstance(value, Integral):
        return _SMALLEST_SIZE[name] <= int(value) <= _LARGEST_SIZE
    if name in _FRACTIONS and isinstance(value, Real):
        return 0.0 < float(value) <= 1.0
    if name == "max_features":
        return value is None or (isinstance(value, str) and value in _MAX_FEATURES)
    return value is None and name not in _FRACTIONS


def _is_valid_number(value: object, most: float) -> bool:
    return isinstance(value, Real) and 0.0 <= float(value) <= most and float(value) < np.inf


def _are_valid_rows(rows: object, missing_mask: object) -> bool:
    """Return whether unchecked rows have the form that scikit-learn expects."""
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind not in "fiub":
        return False
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32, copy=False)
    return bool(rows.size) and (missing_mask is not None or bool(np.isfinite(rows).all()))


def _are_valid_weights(weight: Floats | None, target: Target) -> bool:
    """Return whether no weight is negative or too large, and the total is positive."""
    given = [part for part in (weight, target.class_weight) if part is not None]
    if not all(bool(((w == 0) | ((w > _SMALLEST) & (w < _LARGEST))).all()) for w in given):
        return False
    if target.class_weight is None:
        return weight is None or bool(weight.any())
    row_class_weight = target.class_weight[target.column.codes]
    return bool((row_class_weight if weight is None else row_class_weight * weight).any())
