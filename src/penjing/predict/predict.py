"""What a tree answers for rows, and how surely.

A row stops in a leaf, or inside the tree where its value has no branch: it is missing, or its
level was never seen (or not seen in that node: the book's empty branch). The node where it stops
answers. In trees grown with ``missing="fraction"`` a row without a value goes down every branch
instead, with a part of it that is the branch's share of the training rows.
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

__all__ = ["align", "align_to", "apply", "classes_of", "predict", "predict_proba"]

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
    """Return the answer for each row: a class of the tree, or a number.

    Parameters
    ----------
    tree : TreeData
        Who answers.
    source : Table, dict or source
        A table, one row as a dict, or anything that :func:`penjing.read` can read.
    unseen : str, optional
        A level that training never saw: ``stop`` at the node that asks and answer as it would,
        take it for ``missing``, or ``error``. As the tree's recipe says where it is not given.
    missing : str, optional
        A missing value: ``stop``, ``fraction`` (down every branch, by weight), or ``error``. As
        the tree was grown where it is not given: by surrogate tests or learnt branches if it
        has them, by ``fraction`` if its rows were shared out so, else ``stop``.

    Returns
    -------
    (n,) array
        Classes keep their type; an object array unless they are all numbers of one type. Of
        classes that are equally likely the first one is answered.

    Examples
    --------
    >>> import penjing
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: barks}})
    >>> tree.predict({"legs": 4, "barks": 1})
    array(['dog'], dtype=object)
    >>> tree.predict({"legs": 3, "barks": 0}, unseen="error")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    penjing.errors.DataError: row 1: '3' in column 'legs' was not among the training rows, ...
    """
    walk = predictor_of(tree)
    answer = walk.values if tree.is_regression else walk.classes
    return answer(walk.rows(tree, source), *policies(tree, unseen, missing))


def predict_proba(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Floats:
    """Return the share of each class among the training rows of the node that answers.

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
    walk = predictor_of(tree)
    return walk.shares(walk.rows(tree, source), *policies(tree, unseen, missing))


def classes_of(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> npt.NDArray[Any]:
    """Return the code of the class answered for each row, or the number; see :func:`predict`."""
    walk = predictor_of(tree)
    return walk.values(walk.rows(tree, source), *policies(tree, unseen, missing))


def apply(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Ids:
    """Return the node where each row stops; for one that is shared out, where that begins.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> tree.apply([{"legs": 2}, {"legs": None}])
    array([2, 0], dtype=int32)
    """
    walk = predictor_of(tree)
    return walk.stop_nodes(walk.rows(tree, source), *policies(tree, unseen, missing))


def policies(tree: TreeData, unseen: str | None, missing: str | None) -> tuple[str, str]:
    """Return what becomes of unseen levels and of missing values, where nobody says otherwise."""
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


_WALKS: dict[int, tuple[weakref.ref[TreeData], FlatPredictor]] = {}


def predictor_of(tree: TreeData) -> FlatPredictor:
    """Return what makes a tree quick at answering; made once, and gone when the tree is."""
    found = _WALKS.get(id(tree))
    if found is not None and found[0]() is tree:
        return found[1]
    made, key = FlatPredictor(tree), id(tree)
    _WALKS[key] = (weakref.ref(tree, lambda _: _WALKS.pop(key, None)), made)
    return made
