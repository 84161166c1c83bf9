"""Classifiers: ID3, C4.5 and CART by name, and any recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from penjing import arguments
from penjing.criteria.criterion import Criterion
from penjing.data.source import ArrayOrFrame, ForcedSplits, Label
from penjing.data.table import Column, Floats
from penjing.estimators.base import TreeEstimator
from penjing.estimators.to_table import encode_classes
from penjing.grow.constraints import Interaction, Monotonic
from penjing.grow.recipe import Measure, Missing, Recipe, Shape, Unseen
from penjing.predict import predict


class _Classifier(ClassifierMixin, TreeEstimator):
    """The base of all classifiers."""

    def _make_target(self, name: str, y: npt.NDArray[Any]) -> Column:
        self.classes_, codes = encode_classes(y)
        self.n_classes_ = len(self.classes_)
        return Column(name, "nominal", tuple(self.classes_.tolist()), codes)

    def _apply_class_weight(self, weight: Floats | None, y: npt.NDArray[Any]) -> Floats | None:
        if self.class_weight is None:
            return weight
        if not isinstance(self.class_weight, Mapping):
            arguments.one_of("class_weight", self.class_weight, ("balanced",))
        factor: Floats = compute_sample_weight(self.class_weight, y)
        return factor if weight is None else weight * factor

    def predict(self, X: ArrayOrFrame) -> npt.NDArray[Any]:  # noqa: N803
        """Return the predicted class of each row.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb"))
        >>> model.predict([[0], [9]]).tolist()
        ['a', 'b']
        """
        rows = self._read_rows(X)
        predictions: npt.NDArray[Any] = self.classes_[predict.classes_of(self.tree_, rows)]
        return predictions

    def predict_proba(self, X: ArrayOrFrame) -> Floats:  # noqa: N803
        """Return the predicted probability of each class for each row.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        array of shape (rows, classes)
            Probabilities, in the order of ``classes_``.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier(max_depth=0).fit([[1], [2], [3], [4]], list("aaab"))
        >>> model.predict_proba([[0]]).tolist()
        [[0.75, 0.25]]
        """
        rows = self._read_rows(X)
        return predict.predict_proba(self.tree_, rows)

    def predict_log_proba(self, X: ArrayOrFrame) -> Floats:  # noqa: N803
        """Return the logarithms of the predicted probabilities.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        array of shape (rows, classes)
            Logarithms, in the order of ``classes_``; minus infinity where a probability is 0.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb"))
        >>> model.predict_log_proba([[0]]).tolist()
        [[0.0, -inf]]
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class ID3Classifier(_Classifier):
    """ID3: splits on the column of greatest information gain, one branch per category.

    Parameters
    ----------
    criterion : str or function
        The measure of a split: ``gain``, ``gain_ratio``, ``gini``, or a function of class counts.
    missing : str
        ``refuse`` missing values, or use fractional cases (``fraction``).
    unseen : str
        A category that is not in the training data: ``stop`` at the node and predict its class,
        treat it as ``missing``, or raise an ``error``.
    max_depth, max_leaf_nodes : int, optional
        The largest depth and the largest number of leaves.
    min_samples_split, min_samples_leaf : float, optional
        The smallest weight of a node to be split, and the smallest weight that at least two
        branches must have.
    min_weight_fraction_leaf : float
        ``min_samples_leaf`` as a fraction of the total weight.
    min_gain : float
        The smallest gain of a split.
    prune : str, optional
        The pruning method: ``reduced-error``, ``prepruned`` (both need ``validation_fraction``),
        ``pessimistic``, ``minimum-error``, ``mdl``, …
    ccp_alpha : float
        Prune by cost-complexity: the impurity that each leaf must save.
    validation_fraction : float, optional
        The fraction of the rows to hold out as validation set.
    class_weight : "balanced" or mapping, optional
        The weight of a row of each class.
    random_state : int or RandomState, optional
        The seed that selects the rows of the validation set.
    engine : str
        The engine that computes the counts: ``auto``, ``native`` or ``memory``.
    force_splits : dict or list, optional
        The splits of some nodes by their paths, as in :func:`penjing.fit`: ``{"": "humidity"}``
        for the root. Columns of an array are ``x1``, ``x2``, …
    forbid : list of str, optional
        Columns that no split may use.

    Attributes
    ----------
    tree_ : penjing.Tree
        The tree: print, draw, prune or explain it.

    Examples
    --------
    >>> X = [["clear", "hard"], ["clear", "soft"], ["faint", "hard"], ["faint", "soft"]]
    >>> model = ID3Classifier().fit(X, ["ripe", "ripe", "ripe", "not"])
    >>> print(model.tree_)
    x1 = faint
    │  x2 = hard: ripe (1)
    │  x2 = soft: not (1)
    x1 = clear: ripe (2)
    """

    _recipe = "id3"

    def __init__(
        self,
        *,
        criterion: str | Measure | Criterion = "gain",
        missing: Missing = "refuse",
        unseen: Unseen = "stop",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: str | Mapping[Label, float] | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())


class C45Classifier(_Classifier):
    """C4.5 release 8: gain ratio, fractional cases, error-based pruning.

    Parameters
    ----------
    criterion : str
        ``gain_ratio``, or ``gain`` (C4.5's -g).
    shape : str
        ``multiway``, or ``merged`` (-s): categories are merged into groups.
    max_depth : int, optional
        The largest depth; C4.5 has no limit.
    min_samples_leaf : float
        The smallest weight that at least two branches must have (-m).
    min_weight_fraction_leaf : float
        ``min_samples_leaf`` as a fraction of the total weight.
    pruning : str
        C4.5's own pruning, a setting of the recipe: ``error-based``, ``none``, or
        ``reduced-error`` (needs ``validation_fraction``). ``prune`` is another method, which
        prunes the resulting tree further.
    confidence : float
        The confidence of error-based pruning, 0.25 for C4.5's ``-c 25``.
    collapse, raise_branches, laplace : bool
        As for the recipe `c4.5`.
    prune, ccp_alpha, validation_fraction
        Further pruning after C4.5's own, as for :class:`ID3Classifier`; with ``pruning="none"``
        instead of it.
    class_weight, random_state, engine, force_splits, forbid
        As for :class:`ID3Classifier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.2], [0.3], [0.4], [0.6], [0.7], [np.nan]])
    >>> model = C45Classifier().fit(X, list("nnnyyy"))
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['n', 'y']
    """

    _recipe = "c4.5"

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        shape: Shape = "multiway",
        max_depth: int | None = None,
        min_samples_leaf: float = 2,
        min_weight_fraction_leaf: float = 0.0,
        pruning: Literal["error-based", "reduced-error", "none"] = "error-based",
        confidence: float = 0.25,
        collapse: bool = True,
        raise_branches: bool = True,
        laplace: bool = False,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: str | Mapping[Label, float] | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())


class CARTClassifier(_Classifier):
    """CART as in rpart: binary splits, surrogates for missing values, complexity parameter.

    Parameters
    ----------
    criterion : str
        ``gini`` or ``gain`` (rpart's information).
    cp : float
        The complexity parameter: a split must decrease the risk by this fraction of the root's
        risk for each leaf that it adds.
    max_depth : int
        The largest depth.
    min_samples_split, min_samples_leaf : int
        The smallest number of rows of a node to be split (minsplit), and of each branch
        (minbucket). If None, the latter is a third of the former.
    max_surrogates : int
        The largest number of surrogates of a split.
    monotonic_cst : dict, sequence of int or None
        The columns in which predictions are monotonic: 1 if the probability of the second
        class increases with the column, -1 if it decreases, 0 for no constraint; by name, or one
        entry per column. For two classes.
    interaction_cst : str, sequence of sequences or None
        The columns that a path may use together: groups of columns by name or position,
        ``pairwise`` or ``no_interactions``.
    prune, ccp_alpha, validation_fraction, class_weight, random_state, engine, force_splits, forbid
        As for :class:`ID3Classifier`.

    Examples
    --------
    >>> X = [[i] for i in range(40)]
    >>> model = CARTClassifier().fit(X, ["low"] * 20 + ["high"] * 20)
    >>> model.predict([[3], [30]]).tolist(), model.get_n_leaves()
    (['low', 'high'], 2)
    """

    _recipe = "rpart"

    def __init__(
        self,
        *,
        criterion: str = "gini",
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
        class_weight: str | Mapping[Label, float] | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())


class TreeClassifier(_Classifier):
    """A classifier by any recipe; a setting that is None keeps the value of the recipe.

    Parameters
    ----------
    recipe : str or Recipe
        ``id3``, ``c4.5``, ``j48``, ``cart``, ``sklearn``, ``cart-binary``, …
    criterion, shape, missing, unseen, max_depth, min_gain
        Settings of the recipe; see :class:`penjing.Recipe`.
    max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        Limits, with scikit-learn's names.
    monotonic_cst, interaction_cst
        As for :class:`CARTClassifier`; for recipes with binary splits.
    prune, ccp_alpha, validation_fraction, class_weight, random_state, engine, force_splits, forbid
        As for :class:`ID3Classifier`.
    options : mapping, optional
        Settings that only this recipe has: ``{"confidence": 0.1}`` for ``c4.5``.

    Examples
    --------
    >>> X, y = [["a", 1], ["a", 2], ["b", 3], ["b", 4]], [0, 0, 1, 1]
    >>> TreeClassifier("j48", options={"pruning": "none"}).fit(X, y).predict([["b", 4]]).tolist()
    [1]
    """

    def __init__(
        self,
        recipe: str | Recipe = "cart-binary",
        *,
        criterion: str | Measure | Criterion | None = None,
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
        class_weight: str | Mapping[Label, float] | None = None,
        random_state: int | np.random.RandomState | None = None,
        engine: str = "auto",
        force_splits: ForcedSplits | None = None,
        forbid: Sequence[str] | None = None,
    ) -> None:
        self._keep_parameters(locals())
