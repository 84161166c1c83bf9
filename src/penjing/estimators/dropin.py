"""scikit-learn's decision trees by their own names and parameters, grown here where they can be.

They *are* scikit-learn's classes but for growing: its functions ask whether they are (plot_tree,
export_text, shap), its methods check what comes in, and its compiled walk down an array tree is
what predicts. What our kernels do not grow it grows itself.
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
from sklearn import tree as original
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
    Order,
    are_equal,
    arrays_of,
    best_first,
    depth_first,
    made_leaves,
    rows_of,
)
from penjing.tree import serialize

Singles = npt.NDArray[np.float32]
Labels = npt.NDArray[Any]

OURS, THEIRS = "penjing", "scikit-learn"
_LEAST = {
    "max_depth": 1,
    "max_leaf_nodes": 2,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_features": 1,
}
_MOST = 2**31 - 1
"""Larger settings fail in ways of their own, which are scikit-learn's."""
_SHARES = ("min_samples_split", "min_samples_leaf", "max_features")
_PARTS = {"sqrt": sqrt, "log2": log2}
_DEGREES = {"min_weight_fraction_leaf": 0.5, "min_impurity_decrease": np.inf, "ccp_alpha": np.inf}
_SMALLEST, _LARGEST = 1e-100, 1e100
"""Numbers and weights between these can be squared and summed up."""
_CHECKS = (
    {"dtype": np.float32, "accept_sparse": "csc", "ensure_all_finite": False},
    {"ensure_2d": False, "dtype": None},
)
"""How scikit-learn has rows and targets checked."""
_DIVIDES_GAPS_ALIKE = parse_version(sklearn.__version__) >= parse_version("1.9")
"""Before, scikit-learn divided rows with missing values otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target as a column, and what a row of each class weighs."""

    column: Column
    factor: Floats | None = None


class Growing(original.BaseDecisionTree):
    """Stands between scikit-learn's two classes and their base, where they grow the tree."""

    _criteria: ClassVar[tuple[str, ...]] = ()

    def _fit(
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's name
        y: Any,  # noqa: ANN401 - any array-like
        sample_weight: Any = None,  # noqa: ANN401 - any array-like
        check_input: bool = True,  # noqa: FBT001, FBT002 - as theirs
        missing_values_in_feature_mask: Any = None,  # noqa: ANN401 - an array or None
    ) -> Self:
        """Grow the tree, here or there. ``fit`` comes by here, and so do forests."""
        self._model: Tree | None = None
        given, gaps = X, missing_values_in_feature_mask
        table = None
        if not issparse(X) and self._are_settings_known():
            rows = X
            if check_input:
                rows, y = self._checked(X, y)
            if not issparse(rows):  # as a frame of sparse columns would be now
                if check_input:
                    gaps = self._gaps(rows)
                table = self._table(rows, y, sample_weight, gaps, is_checked=check_input)
                given, check_input = rows, False
        if table is None:
            super()._fit(given, y, sample_weight, check_input, gaps)
        else:
            self._grow(*table)
        self.grown_by_ = THEIRS if table is None else OURS
        return self

    # -- what is grown here -----------------------------------------------------------------------

    def _are_settings_known(self) -> bool:
        """Whether parameters are such as are known here, and valid (nobody may have checked)."""
        return (
            isinstance(self.criterion, str)
            and self.criterion in self._criteria
            and isinstance(self.splitter, str)
            and self.splitter == "best"
            and self.monotonic_cst is None
            and all(_is_size(name, getattr(self, name)) for name in _LEAST)
            and all(_is_degree(getattr(self, name), most) for name, most in _DEGREES.items())
        )

    def _checked(self, rows: Any, y: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any array-like
        if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu" and y.size:
            return validate_data(self, rows, **_CHECKS[0]), y  # nothing can be wrong with y
        found: tuple[Any, Any] = validate_data(self, rows, y, validate_separately=_CHECKS)
        return found

    def _gaps(self, rows: Singles) -> Any:  # noqa: ANN401 - an array or None
        """Return which columns have missing values, None if none; refuse infinite ones."""
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = np.isfinite(rows.sum())
        return None if is_finite else self._compute_missing_values_in_feature_mask(rows)

    def _table(
        self,
        rows: Any,  # noqa: ANN401 - whatever was handed over unchecked
        y: Any,  # noqa: ANN401
        sample_weight: Any,  # noqa: ANN401
        gaps: Any,  # noqa: ANN401
        *,
        is_checked: bool,
    ) -> tuple[Table, Singles, Floats | None] | None:
        """Return what is grown from: table, rows, class weights; None if that is not done here.

        What is wrong is left to scikit-learn, to be found in its order and said in its words.
        """
        if not (is_checked or _are_rows(rows, gaps)) or not (gaps is None or _DIVIDES_GAPS_ALIKE):
            return None
        rows = np.asarray(rows, np.float32)
        labels = np.atleast_1d(y)
        if labels.shape not in {(len(rows),), (len(rows), 1)}:
            return None
        weight = None
        try:
            if sample_weight is not None:
                weight = _check_sample_weight(sample_weight, rows, dtype=np.float64)
            target = self._target(labels.reshape(-1))
        except (TypeError, ValueError):
            return None
        if target is None or not _is_heavy(weight, target):
            return None
        self._check_target(labels.reshape(-1, 1))
        if weight is not None and (weight == 1).all():
            weight = None
        self.n_features_in_ = rows.shape[1]
        self.n_outputs_ = 1
        titles = self._titles()
        columns = tuple(
            LazyColumn(title, rows[:, j].astype(np.float64)) for j, title in enumerate(titles)
        )
        table = Table(columns, target.column, len(rows), weight, source={"name": "X"})
        return table, rows, target.factor

    def _target(self, y: Labels) -> Target | None:
        raise NotImplementedError

    def _check_target(self, y: Labels) -> None:
        """Let scikit-learn refuse or warn of a target that is sound as far as we can see."""

    def _titles(self) -> list[str]:
        """Return what columns are called in our tree: as in the frame if names are distinct."""
        names = [*map(str, getattr(self, "feature_names_in_", ()))]
        return (
            names if len(set(names)) == self.n_features_in_ else default_names(self.n_features_in_)
        )

    # -- growing ----------------------------------------------------------------------------------

    def _grow(self, table: Table, rows: Singles, factor: Floats | None) -> None:
        settings = self._settings(*rows.shape)
        if factor is not None:
            assert table.target is not None
            levels = table.target.levels
            settings["class_weight"] = dict(zip(levels, factor.tolist(), strict=True))
        grown = fit(table, recipe="sklearn", **settings)
        order = best_first(grown) if self.max_leaf_nodes is not None else depth_first(grown)
        self.tree_ = arrays_of(grown, order, is_weighted=table.weight is not None)
        if table.weight is not None:
            weight = table.weight
            if factor is not None:
                assert table.target is not None
                weight = weight * factor[table.target.codes]
            taught = rows if weight.all() else rows[weight > 0]
            self.tree_.n_node_samples[:] = rows_of(self.tree_, self.tree_.apply(taught))
        self._model = self._pruned(grown, order) if self.ccp_alpha > 0 else grown

    def _settings(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        """Return the parameters as the recipe takes them, all but the complexity."""
        told: dict[str, Any] = {"criterion": self.criterion}
        for name in ("max_depth", "max_leaf_nodes"):
            given = getattr(self, name)
            told[name] = None if given is None else int(given)
        for name in ("min_samples_split", "min_samples_leaf"):
            given = getattr(self, name)
            is_whole = isinstance(given, Integral)
            told[name] = max(_LEAST[name], int(given) if is_whole else ceil(given * n_rows))
        for name in ("min_weight_fraction_leaf", "min_impurity_decrease"):
            told[name] = float(getattr(self, name))
        self.max_features_ = self._n_looked_at(n_columns)
        told["max_features"] = min(int(self.max_features_), n_columns)
        return told | self._drawn_by(n_columns)

    def _n_looked_at(self, n: int) -> Any:  # noqa: ANN401 - whatever whole number was given
        most = self.max_features
        if most is None:
            return n
        if isinstance(most, Integral):
            return most
        return max(1, int(_PARTS[most](n) if isinstance(most, str) else most * n))

    def _drawn_by(self, n_columns: int) -> dict[str, int]:
        """Return by what columns are drawn; a generator gives one number, as scikit-learn has it.

        Without any, columns come in the order of the table where all of them are looked at.
        """
        given = self.random_state
        if isinstance(given, Integral):
            return {"random_state": int(given)}
        start = int(check_random_state(given).randint(0, _MOST))
        looks_at_all = self.max_features_ >= n_columns
        return {} if given is None and looks_at_all else {"random_start": start}

    def _pruned(self, grown: Tree, order: Order) -> Tree:
        """Let scikit-learn prune the array tree, and cut back ours where it did."""
        whole = self.tree_
        self._prune_tree()
        cut = np.argsort(order.place)[made_leaves(whole, self.tree_)].tolist()
        recipe = dict(grown.recipe) | {"ccp_alpha": float(self.ccp_alpha)}
        return replace(grown.pruned(cut) if cut else grown, recipe=recipe)

    # -- what is kept -----------------------------------------------------------------------------

    @property
    def model_(self) -> Tree:
        """The same tree as a :class:`penjing.Tree`; there is none of several outputs."""
        check_is_fitted(self)
        return from_arrays(self) if self._model is None else self._model

    def _arrays(self, n_rows: npt.NDArray[np.int64]) -> Any:  # noqa: ANN401 - theirs
        """Return the array tree that our tree stands for."""
        assert self._model is not None
        recipe = self._model.recipe
        is_best_first = recipe["max_leaves"] is not None and not recipe["ccp_alpha"]
        order = best_first(self._model) if is_best_first else depth_first(self._model)
        weight = self._model.reader.weight(self._model.nodes.total)
        arrays = arrays_of(
            self._model, order, is_weighted=bool((weight != n_rows[order.place]).any())
        )
        arrays.n_node_samples[:] = n_rows
        return arrays

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: parameters, and the tree as a model file holds it.

        The array tree goes along where it says anything else: whoever has it may write into it.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        if state.get("_model") is not None:
            state["_model"] = serialize.to_json(state["_model"])
            n_rows = self.tree_.n_node_samples
            state["_n_rows"] = n_rows.tolist()
            if are_equal(self.tree_, self._arrays(n_rows)):
                del state["tree_"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        n_rows = state.pop("_n_rows", None)
        if n_rows is not None:
            state["_model"] = serialize.from_json(state["_model"])
        super().__setstate__(state)
        if n_rows is not None and "tree_" not in state:
            self.tree_ = self._arrays(np.asarray(n_rows, np.int64))


class DecisionTreeClassifier(original.DecisionTreeClassifier, Growing):
    """A drop-in for ``sklearn.tree.DecisionTreeClassifier``.

    Every parameter, method and fitted attribute is scikit-learn's; ``tree_`` holds its arrays in
    its numbering, and ``model_`` is the same tree as a :class:`penjing.Tree`. ``grown_by_`` says
    who grew it: ``"penjing"``, or ``"scikit-learn"`` itself where rows are sparse, ``splitter`` is
    ``"random"``, there are several outputs, weights are negative or ``monotonic_cst`` is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.tree_.feature.tolist(), tree.predict(X[:2]).tolist(), tree.grown_by_
    ([3, -2, 3, -2, -2], [0, 0], 'penjing')
    """

    _criteria = ("gini", "entropy", "log_loss")

    def _target(self, y: Labels) -> Target | None:
        self.classes_, found = np.unique(y, return_inverse=True)
        self.n_classes_ = np.intp(len(self.classes_))
        codes = found.reshape(-1).astype(np.int32)
        factor = None
        if self.class_weight is not None:
            factor = np.empty(self.n_classes_)
            factor[codes] = compute_sample_weight(self.class_weight, y.reshape(-1, 1))
        levels = tuple(self.classes_.tolist())
        if not all(isinstance(level, str | int | float) for level in levels[:1]):
            return None  # of such no model file can be made
        return Target(Column("y", "nominal", levels, codes), factor)

    def _check_target(self, y: Labels) -> None:
        is_whole = y.dtype.kind in "biu"
        if not is_whole or 2 * self.n_classes_ > len(y):  # of so many classes it warns
            check_classification_targets(y)


class DecisionTreeRegressor(original.DecisionTreeRegressor, Growing):
    """A drop-in for ``sklearn.tree.DecisionTreeRegressor``.

    See :class:`DecisionTreeClassifier`; trees by another criterion than ``squared_error`` are
    grown by scikit-learn.

    Examples
    --------
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [0.0, 0.5, 4.5])
    >>> tree.predict([[1.5], [1.6]]).tolist()
    [0.25, 4.5]
    """

    _criteria = ("squared_error",)

    def _target(self, y: Labels) -> Target | None:
        numbers: Floats = np.ascontiguousarray(y, dtype=np.float64)
        is_small = bool((np.abs(numbers) < _LARGEST).all())
        return Target(LazyColumn("y", numbers)) if is_small else None


def _is_size(name: str, value: object) -> bool:
    """Whether a setting is a number of rows, levels, leaves or columns, or says how to get it."""
    if isinstance(value, Integral):
        return _LEAST[name] <= int(value) <= _MOST
    if name in _SHARES and isinstance(value, Real):
        return 0.0 < float(value) <= 1.0
    if name == "max_features":
        return value is None or (isinstance(value, str) and value in _PARTS)
    return value is None and name not in _SHARES


def _is_degree(value: object, most: float) -> bool:
    return isinstance(value, Real) and 0.0 <= float(value) <= most and float(value) < np.inf


def _are_rows(rows: object, gaps: object) -> bool:
    """Whether rows that nobody has checked are what scikit-learn takes for granted."""
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind not in "fiub":
        return False
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32, copy=False)
    return bool(rows.size) and (gaps is not None or bool(np.isfinite(rows).all()))


def _is_heavy(weight: Floats | None, target: Target) -> bool:
    """Whether something weighs something, and nothing less than nothing (or too much)."""
    given = [part for part in (weight, target.factor) if part is not None]
    if not all(bool(((w == 0) | ((w > _SMALLEST) & (w < _LARGEST))).all()) for w in given):
        return False
    if target.factor is None:
        return weight is None or bool(weight.any())
    every = target.factor[target.column.codes]
    return bool((every if weight is None else every * weight).any())
