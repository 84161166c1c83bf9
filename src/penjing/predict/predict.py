"""Predictions and predicted probabilities for rows.

A row stops in a leaf, or inside the tree where its value has no branch: the value is missing, or
its category was never seen (or not seen in that node: Zhou's empty branch). The node where it stops
gives the prediction. In trees grown with ``missing="fraction"`` a row without a value goes down
every branch instead, weighted by the branch's share of the training rows.
"""

from __future__ import annotations

import weakref
from typing import Any, Literal

import numpy.typing as npt

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.predict.flat import LEARNED, FlatPredictor
from penjing.predict.inputs import align, align_to
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData

__all__ = [
    "align",
    "align_to",
    "apply",
    "classes_of",
    "grouped_predictions",
    "predict",
    "predict_proba",
]

Unseen = Literal["stop", "missing", "error"]
Missing = Literal["stop", "fraction", "error"]
UNSEEN = ("stop", "missing", "error")
MISSING = ("stop", "fraction", "error")


def predict(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> npt.NDArray[Any]:
    """Return the prediction for each row: a class of the tree, or a number.

    Parameters
    ----------
    tree : TreeData
        The tree.
    source : Table, dict or source
        A table, one row as a dict, or anything that :func:`penjing.read` can read.
    unseen : str, optional
        A category that is not in the training rows: ``stop`` at the node and use its prediction,
        treat it as ``missing``, or raise an ``error``. By default as the tree's recipe says.
    missing : str, optional
        A missing value: ``stop``, ``fraction`` (down every branch, by weight), or ``error``. By
        default as the tree was grown: by surrogates or learned branches if it has them, by
        ``fraction`` if it was grown so, else ``stop``.

    Returns
    -------
    (n,) array
        Classes keep their type; an object array unless they are all numbers of one type. Ties go
        to the first class.

    Examples
    --------
    >>> import penjing
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: barks}})
    >>> tree.predict({"legs": 4, "barks": 1})
    array(['dog'], dtype=object)
    >>> tree.predict({"legs": 3, "barks": 0}, unseen="error")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    penjing.errors.DataError: row 1: '3' in column 'legs' does not occur in the training rows, ...
    """
    predictor = predictor_of(tree)
    answer = predictor.values if tree.is_regression else predictor.classes
    return answer(predictor.rows(tree, source), *policies(tree, unseen, missing))


def predict_proba(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Floats:
    """Return the predicted probability of each class for each row.

    Parameters
    ----------
    tree, source, unseen, missing
        As in :func:`predict`.

    Returns
    -------
    (n, classes) array
        In the order of ``tree.classes``; every row sums to 1.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> tree.predict_proba([{"legs": 2}, {"legs": 0}])
    array([[0., 1.],
           [1., 0.]])
    """
    if tree.is_regression:
        raise CapabilityError("shares_need_classes", target=tree.target.name)
    predictor = predictor_of(tree)
    return predictor.shares(predictor.rows(tree, source), *policies(tree, unseen, missing))


def classes_of(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> npt.NDArray[Any]:
    """Return the code of the predicted class, or the number, of each row; see :func:`predict`."""
    predictor = predictor_of(tree)
    return predictor.values(predictor.rows(tree, source), *policies(tree, unseen, missing))


def grouped_predictions(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> tuple[npt.NDArray[Any], Ids, Floats, Ids]:
    """Return the prediction and the group of each row, and probabilities and node of each group.

    For a number, the only column of the probabilities is the prediction. See
    :meth:`penjing.predict.flat.FlatPredictor.grouped`.
    """
    predictor = predictor_of(tree)
    return predictor.grouped(predictor.rows(tree, source), *policies(tree, unseen, missing))


def apply(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Ids:
    """Return the node where each row stops; a fractional case, where it is divided first.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> tree.apply([{"legs": 2}, {"legs": None}])
    array([2, 0], dtype=int32)
    """
    predictor = predictor_of(tree)
    return predictor.stop_nodes(predictor.rows(tree, source), *policies(tree, unseen, missing))


def policies(tree: TreeData, unseen: str | None, missing: str | None) -> tuple[str, str]:
    """Return the policies for unseen levels and missing values; defaults are the tree's."""
    if unseen is None:
        unseen = str(tree.recipe.get("unseen", "stop"))
    else:
        arguments.one_of("unseen", unseen, UNSEEN)
    if missing is None:
        if tree.nodes.surrogates or tree.nodes.missing is not None:
            return unseen, LEARNED
        missing = "fraction" if tree.recipe.get("missing") == "fraction" else "stop"
    else:
        arguments.one_of("missing", missing, MISSING)
    return unseen, missing


_PREDICTORS: dict[int, tuple[weakref.ref[TreeData], FlatPredictor]] = {}


def predictor_of(tree: TreeData) -> FlatPredictor:
    """Return the predictor of a tree; it is cached as long as the tree exists."""
    cached = _PREDICTORS.get(id(tree))
    if cached is not None and cached[0]() is tree:
        return cached[1]
    predictor, key = FlatPredictor(tree), id(tree)
    _PREDICTORS[key] = (weakref.ref(tree, lambda _: _PREDICTORS.pop(key, None)), predictor)
    return predictor
