"""scikit-learn's decision trees by their own names and parameters, grown here.

They *are* scikit-learn's classes but for growing: its functions ask whether they are (plot_tree,
export_text, shap), and its compiled walk down an array tree is what predicts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn import tree as original
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, validate_data

from penjing import store
from penjing.errors import CapabilityError, DataError
from penjing.estimators.arrays import arrays_of, best_first, depth_first, rows_of
from penjing.estimators.rows import SparseError, answers_of, coded
from penjing.fit import fit
from penjing.read.rows import numbered
from penjing.table import Column, Floats, Table
from penjing.tree import Tree
from penjing.uncoded import Uncoded

CRITERIA = ("gini", "entropy", "log_loss", "squared_error")
_SAME = (
    "criterion",
    "max_depth",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
)
"""Parameters that the recipe knows by the same name and takes as they are."""


class DropIn:
    """What the classifier and the regressor share: a fit that grows here."""

    # what scikit-learn's classes bring along
    splitter: str
    criterion: Any
    monotonic_cst: Any
    max_features: Any
    max_leaf_nodes: Any
    random_state: Any
    ccp_alpha: float
    _validate_params: Callable[[], None]
    _compute_missing_values_in_feature_mask: Callable[[Any], Any]

    def _target(self, y: Any, rows: npt.NDArray[np.float32]) -> Column:  # noqa: ANN401
        raise NotImplementedError

    def fit(
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's name
        y: Any,  # noqa: ANN401 - any array-like
        sample_weight: Any = None,  # noqa: ANN401 - any array-like
        check_input: bool = True,  # noqa: FBT001, FBT002 - as theirs
    ) -> Self:
        """Grow the tree; parameters as for scikit-learn's class of the same name."""
        self._validate_params()
        self._refuse(X)
        rows = self._rows(X) if check_input else np.asarray(X, np.float32)
        target = self._target(y, rows)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(
                sample_weight, rows, dtype=np.float64, ensure_non_negative=True
            )
            if not weight.any():
                raise DataError("no_weight", source="sample_weight")
        self.n_features_in_ = rows.shape[1]
        self.n_outputs_ = 1
        names = getattr(self, "feature_names_in_", None)
        titles = numbered(rows.shape[1]) if names is None else [*map(str, names)]
        columns = tuple(
            Uncoded(title, rows[:, j].astype(np.float64)) for j, title in enumerate(titles)
        )
        table = Table(columns, target, len(rows), weight, source={"name": "X"})
        self.model_: Tree = fit(table, recipe="sklearn", **self._settings(table))
        self._n_rows: npt.NDArray[np.int64] | None = None
        self._number()
        if weight is not None:
            taught = rows if weight.all() else rows[weight > 0]
            self._n_rows = rows_of(self.tree_, self.tree_.apply(taught))
            self._number()
        return self

    def _refuse(self, rows: Any) -> None:  # noqa: ANN401
        """Refuse what is not done here, each with a sentence."""
        if issparse(rows):
            raise SparseError("sparse_refused")
        if self.splitter != "best":
            raise CapabilityError("splitter_refused", value=self.splitter)
        if self.monotonic_cst is not None:
            raise CapabilityError("monotonic_refused")
        criterion = self.criterion
        if criterion not in CRITERIA:
            raise CapabilityError("criterion_refused", value=criterion, known=", ".join(CRITERIA))

    def _rows(self, rows: Any) -> npt.NDArray[np.float32]:  # noqa: ANN401
        """Return the rows as scikit-learn sees them: 32 bits, finite or missing."""
        found: npt.NDArray[np.float32] = validate_data(
            self, rows, dtype=np.float32, ensure_all_finite=False
        )
        self._compute_missing_values_in_feature_mask(found)
        return found

    def _settings(self, table: Table) -> dict[str, Any]:
        """Return the parameters as the recipe takes them."""
        told = {name: _plain(getattr(self, name)) for name in _SAME}
        told["min_samples_split"] = self._size("min_samples_split", table.n_rows, least=2)
        told["min_samples_leaf"] = self._size("min_samples_leaf", table.n_rows, least=1)
        told["max_features"] = self._n_features(len(table.columns))
        told["random_state"] = self._seed(len(table.columns))
        return told

    def _size(self, name: str, n: int, least: int) -> int:
        """Return a number of rows; a share is of all rows, those that weigh nothing included."""
        given = getattr(self, name)
        is_share = isinstance(given, float | np.floating)
        return max(least, int(np.ceil(given * n))) if is_share else int(given)

    def _n_features(self, n: int) -> int:
        most = self.max_features
        if isinstance(most, str):
            most = int(np.sqrt(n) if most == "sqrt" else np.log2(n))
        elif isinstance(most, float | np.floating):
            most = int(most * n)
        self.max_features_ = n if most is None else max(1, int(most))
        return self.max_features_

    def _seed(self, n: int) -> int | None:
        """Return the seed; a generator is asked for one, None means the order of the table."""
        given = self.random_state
        if given is None and self.max_features_ >= n:
            return None
        if isinstance(given, int | np.integer):
            return int(given)
        return int(check_random_state(given).randint(0, 2**31 - 1))

    def _number(self) -> None:
        """Make the array tree."""
        is_best_first = self.max_leaf_nodes is not None and not self.ccp_alpha
        order = best_first(self.model_) if is_best_first else depth_first(self.model_)
        self.tree_ = arrays_of(self.model_, order, self._n_rows)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn's Tags
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = False
        tags.target_tags.multi_output = False
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: parameters, and the tree as a model file holds it."""
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        if "model_" in state:
            del state["tree_"]
            state["model_"] = store.to_json(self.model_)
            state["_n_rows"] = None if self._n_rows is None else self._n_rows.tolist()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "model_" in state:
            state["model_"] = store.from_json(state["model_"])
            rows = state["_n_rows"]
            state["_n_rows"] = None if rows is None else np.asarray(rows, np.int64)
        super().__setstate__(state)  # type: ignore[misc]
        if "model_" in state:
            self._number()


class DecisionTreeClassifier(DropIn, original.DecisionTreeClassifier):
    """A drop-in for ``sklearn.tree.DecisionTreeClassifier``.

    Every parameter and fitted attribute is scikit-learn's; ``tree_`` holds its arrays in its
    numbering, and ``model_`` is the same tree as a :class:`penjing.Tree`. ``splitter="random"``,
    ``monotonic_cst``, sparse rows and several outputs are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.tree_.feature.tolist(), tree.predict(X[:2]).tolist()
    ([3, -2, 3, -2, -2], [0, 0])
    """

    def _target(self, y: Any, rows: npt.NDArray[np.float32]) -> Column:  # noqa: ANN401
        self.classes_, codes = coded(answers_of(y, len(rows)))
        self.n_classes_ = len(self.classes_)
        return Column("y", "nominal", tuple(self.classes_.tolist()), codes)

    def _settings(self, table: Table) -> dict[str, Any]:
        told = super()._settings(table)
        if self.class_weight is not None:
            assert table.target is not None
            y = self.classes_[table.target.codes]
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            levels = table.target.levels
            told["class_weight"] = dict(zip(levels, factor.tolist(), strict=True))
        return told


class DecisionTreeRegressor(DropIn, original.DecisionTreeRegressor):
    """A drop-in for ``sklearn.tree.DecisionTreeRegressor``; criterion ``squared_error``.

    See :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [0.0, 0.5, 4.5])
    >>> tree.predict([[1.5], [1.6]]).tolist()
    [0.25, 4.5]
    """

    def _target(self, y: Any, rows: npt.NDArray[np.float32]) -> Column:  # noqa: ANN401
        numbers: Floats = answers_of(y, len(rows)).astype(np.float64)
        return Uncoded("y", numbers)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any parameter's
    """Return a NumPy number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
