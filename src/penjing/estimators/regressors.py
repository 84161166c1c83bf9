"""Regressors: CART by name, and any recipe that supports regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from penjing import arguments
from penjing.data.lazy_column import LazyColumn
from penjing.data.source import ArrayOrFrame, ForcedSplits
from penjing.data.table import Column, Floats
from penjing.errors import WrongSourceError
from penjing.estimators.base import TreeEstimator
from penjing.grow.constraints import Interaction, Monotonic
from penjing.grow.recipe import Missing, Recipe, Shape, Unseen
from penjing.predict import predict


class _Regressor(RegressorMixin, TreeEstimator):
    """The base of all regressors."""

    def _make_target(self, name: str, y: npt.NDArray[Any]) -> Column:
        try:
            return LazyColumn(name, y.astype(np.float64))
        except (TypeError, ValueError):
            not_a_number = next(
                (value for value in y.tolist() if not arguments.is_number(value)), y
            )
            raise WrongSourceError("labels_not_numbers", value=not_a_number) from None

    def predict(self, X: ArrayOrFrame) -> Floats:  # noqa: N803
        """Return the predicted number of each row: the mean of the training rows of its leaf.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        array of shape (rows,)
            The predictions.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeRegressor().fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 5.0])
        >>> model.predict([[0], [9]]).tolist()
        [1.0, 5.0]
        """
        rows = self._read_rows(X)
        return predict.classes_of(self.tree_, rows)


class CARTRegressor(_Regressor):
    """CART as in rpart, for regression (rpart's ``anova``).

    Parameters
    ----------
    cp, max_depth, min_samples_split, min_samples_leaf, max_surrogates
        As for :class:`penjing.CARTClassifier`.
    monotonic_cst : dict, sequence of int or None
        The columns in which predictions are monotonic: 1 if the number increases with
        the column, -1 if it decreases, 0 for no constraint; by name, or one entry per column.
    interaction_cst : str, sequence of sequences or None
        The columns that a path may use together: groups of columns by name or position,
        ``pairwise`` or ``no_interactions``.
    prune, ccp_alpha, validation_fraction, random_state, engine, force_splits, forbid
        As for :class:`penjing.ID3Classifier`.

    Examples
    --------
    >>> model = CARTRegressor().fit([[i] for i in range(40)], [1.0] * 20 + [3.0] * 20)
    >>> model.predict([[3], [30]]).tolist()
    [1.0, 3.0]
    """

    _recipe = "rpart"

    def __init__(
        self,
        *,
        cp: float = 0.01,
        max_depth: int | None = 30,
        min_samples_split: int = 20,
        min_samples_leaf: int | None = None,
        max_surrogates: int = 5,
        monotonic_cst: Monotonic | None = None,
        interaction_cst: Interaction | None = None,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())


class TreeRegressor(_Regressor):
    """A regressor by any recipe that supports regression.

    Parameters
    ----------
    recipe : str or Recipe
        ``cart-binary``, ``cart``, ``sklearn``, ``id3``, …; not ``c4.5`` or ``j48``.
    shape, missing, unseen, max_depth, min_gain, options
        As for :class:`penjing.TreeClassifier`.
    max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        Limits, with scikit-learn's names.
    monotonic_cst, interaction_cst
        As for :class:`CARTRegressor`; for recipes with binary splits.
    prune, ccp_alpha, validation_fraction, random_state, engine, force_splits, forbid
        As for :class:`penjing.ID3Classifier`.

    Examples
    --------
    >>> model = TreeRegressor("cart-binary").fit([["a"], ["b"], ["a"]], [1.0, 5.0, 2.0])
    >>> model.predict([["a"], ["b"]]).tolist()
    [1.5, 5.0]
    """

    def __init__(
        self,
        recipe: str | Recipe = "cart-binary",
        *,
        shape: Shape | None = None,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        monotonic_cst: Monotonic | None = None,
        interaction_cst: Interaction | None = None,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        options: Mapping[str, object] | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())
