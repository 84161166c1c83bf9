"""Classifiers: ID3, C4.5 and CART by name, and any recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from penjing import arguments
from penjing.data.table import Column, Floats
from penjing.estimators.base import TreeEstimator
from penjing.estimators.to_table import coded
from penjing.grow.recipe import Recipe
from penjing.predict import predict


class _Classifier(ClassifierMixin, TreeEstimator):
    """What all classifiers share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: ANN401, N803
        """Grow the tree.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            Numbers and texts as they are; NaN and None are missing values. Categories of a frame
            keep their order, ordered ones are ordered.
        y : array of shape (rows,)
            The class of each row.
        sample_weight : array of shape (rows,), optional
            What each row weighs.
        """
        return self._taught(X, y, sample_weight)

    def _target(self, name: str, y: npt.NDArray[Any]) -> Column:
        self.classes_, codes = coded(y)
        self.n_classes_ = len(self.classes_)
        return Column(name, "nominal", tuple(self.classes_.tolist()), codes)

    def _weighed(self, weight: Floats | None, y: npt.NDArray[Any]) -> Floats | None:
        if self.class_weight is None:
            return weight
        if not isinstance(self.class_weight, Mapping):
            arguments.one_of("class_weight", self.class_weight, ("balanced",))
        factor: Floats = compute_sample_weight(self.class_weight, y)
        return factor if weight is None else weight * factor

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: ANN401, N803
        """Return the class of each row."""
        rows = self._rows(X)
        found: npt.NDArray[Any] = self.classes_[predict.classes_of(self.tree_, rows)]
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Return the share of each class for each row, in the order of ``classes_``."""
        rows = self._rows(X)
        return predict.predict_proba(self.tree_, rows)

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Return the logarithms of the shares; minus infinity where a share is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class ID3Classifier(_Classifier):
    """ID3: the column of greatest information gain, a branch for each of its levels.

    Parameters
    ----------
    criterion : str or function
        ``gain``, ``gain_ratio``, ``gini``, or a function of class counts.
    missing : str
        ``refuse`` missing values, or share them out by ``fraction``.
    unseen : str
        A level that training never saw: ``stop`` at the node that asks, take it for ``missing``,
        or ``error``.
    max_depth, max_leaf_nodes : int, optional
        Limits to the questions on a path and to the leaves.
    min_samples_split, min_samples_leaf : float, optional
        A node lighter than this is not divided; at least two branches weigh this much.
    min_weight_fraction_leaf : float
        The same as ``min_samples_leaf``, as a share of all weight.
    min_gain : float
        A division that gains less is not made.
    prune : str, optional
        ``reduced-error``, ``prepruned`` (both need ``validation_fraction``), ``pessimistic``,
        ``minimum-error``, ``mdl``, …
    ccp_alpha : float
        Prune by cost-complexity: how much impurity a leaf must save.
    validation_fraction : float, optional
        The share of the rows that decides the pruning.
    class_weight : "balanced" or mapping, optional
        What a row of each class weighs.
    random_state : int, optional
        Decides which rows a share takes.
    engine : str
        Who counts: ``auto``, ``native``, ``memory``.

    Attributes
    ----------
    tree_ : penjing.Tree
        The tree: print it, draw it, prune it, ask it why.

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
        criterion: Any = "gain",  # noqa: ANN401 - a name or a function
        missing: str = "refuse",
        unseen: str = "stop",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        random_state: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state
        self.engine = engine


class C45Classifier(_Classifier):
    """C4.5 release 8: gain ratio, missing values in fractions, error-based pruning.

    Parameters
    ----------
    criterion : str
        ``gain_ratio``, or ``gain`` (C4.5's -g).
    shape : str
        ``multiway``, or ``merged`` (-s): levels of a column are merged into groups.
    max_depth : int, optional
        A limit to the questions on a path; C4.5 has none.
    min_samples_leaf : float
        At least two branches of a division weigh this much (-m).
    min_weight_fraction_leaf : float
        The same as a share of all weight.
    pruning : str
        ``error-based`` or ``none``.
    confidence : float
        The confidence of error-based pruning (-c, here not in per cent).
    collapse, raise_branches, laplace : bool
        As for the recipe `c4.5`.
    prune, ccp_alpha, validation_fraction
        A further pruning, as for :class:`ID3Classifier`.
    class_weight, random_state, engine
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
        shape: str = "multiway",
        max_depth: int | None = None,
        min_samples_leaf: float = 2,
        min_weight_fraction_leaf: float = 0.0,
        pruning: str = "error-based",
        confidence: float = 0.25,
        collapse: bool = True,
        raise_branches: bool = True,
        laplace: bool = False,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        random_state: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.criterion = criterion
        self.shape = shape
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.pruning = pruning
        self.confidence = confidence
        self.collapse = collapse
        self.raise_branches = raise_branches
        self.laplace = laplace
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state
        self.engine = engine


class CARTClassifier(_Classifier):
    """CART as rpart grows it: two branches, surrogate tests for missing values, complexity.

    Parameters
    ----------
    criterion : str
        ``gini`` or ``gain`` (rpart's information).
    cp : float
        A division must lessen the risk by this share of the root's for each leaf it adds.
    max_depth : int
        A limit to the questions on a path.
    min_samples_split, min_samples_leaf : int
        A node of fewer rows is not divided (minsplit); each side has at least so many (minbucket),
        a third of the former where None.
    max_surrogates : int
        How many stand-in tests a question has at most.
    prune, ccp_alpha, validation_fraction, class_weight, random_state, engine
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
        max_depth: int = 30,
        min_samples_split: int = 20,
        min_samples_leaf: int | None = None,
        max_surrogates: int = 5,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        random_state: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.criterion = criterion
        self.cp = cp
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_surrogates = max_surrogates
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state
        self.engine = engine


class TreeClassifier(_Classifier):
    """A classifier by any recipe; None leaves a setting as the recipe has it.

    Parameters
    ----------
    recipe : str or Recipe
        ``id3``, ``c4.5``, ``j48``, ``cart``, ``sklearn``, ``cart-binary``, …
    criterion, shape, missing, unseen, max_depth, min_gain
        Settings of the recipe; see :class:`penjing.Recipe`.
    max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        Limits, by scikit-learn's names.
    prune, ccp_alpha, validation_fraction, class_weight, random_state, engine
        As for :class:`ID3Classifier`.
    options : mapping, optional
        Settings that only this recipe knows: ``{"confidence": 0.1}`` for ``c4.5``.

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
        criterion: Any = None,  # noqa: ANN401 - a name or a function
        shape: str | None = None,
        missing: str | None = None,
        unseen: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        validation_fraction: float | None = None,
        options: Mapping[str, Any] | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        random_state: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.shape = shape
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.options = options
        self.class_weight = class_weight
        self.random_state = random_state
        self.engine = engine
