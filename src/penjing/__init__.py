"""Decision trees that show their work: ID3, C4.5 and CART, grown, pruned and explained.

Examples
--------
>>> import penjing
>>> tree = penjing.fit(penjing.example("fish"))
>>> print(tree)
'no surfacing' = 1
│  flippers = 1: yes (2)
│  flippers = 0: no (1)
'no surfacing' = 0: no (2)
"""

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

TYPE_CHECKING = False  # as in typing, whose import takes longer than all the rest
__version__ = "0.1.0"

# Every public name and the room it lives in; a room is imported when its name is first used, so
# that `import penjing` stays quick.
_ROOMS = {
    "entropy": "byhand",
    "gain": "byhand",
    "gain_ratio": "byhand",
    "gini": "byhand",
    "gini_index": "byhand",
    "majority": "byhand",
    "split_information": "byhand",
    "CapabilityError": "errors",
    "ChoiceError": "errors",
    "DataError": "errors",
    "bootstrap": "bootstrap",
    "compare": "compare",
    "cross_validate": "evaluate",
    "Fold": "folds",
    "folds": "folds",
    "hold_out": "folds",
    "fit": "fit",
    "example": "examples",
    "read": "read",
    "RECIPES": "recipe",
    "Recipe": "recipe",
    "load": "store",
    "Table": "table",
    "Tree": "tree",
}

# Names that need scikit-learn; not in __all__, so that `from penjing import *` works without it.
_ESTIMATORS = (
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "TreeClassifier",
    "TreeRegressor",
    "from_sklearn",
)

if TYPE_CHECKING:
    from penjing.bootstrap import bootstrap
    from penjing.byhand import (
        entropy,
        gain,
        gain_ratio,
        gini,
        gini_index,
        majority,
        split_information,
    )
    from penjing.compare import compare
    from penjing.errors import CapabilityError, ChoiceError, DataError
    from penjing.estimators import C45Classifier as C45Classifier
    from penjing.estimators import CARTClassifier as CARTClassifier
    from penjing.estimators import CARTRegressor as CARTRegressor
    from penjing.estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from penjing.estimators import DecisionTreeRegressor as DecisionTreeRegressor
    from penjing.estimators import ID3Classifier as ID3Classifier
    from penjing.estimators import TreeClassifier as TreeClassifier
    from penjing.estimators import TreeRegressor as TreeRegressor
    from penjing.estimators import from_sklearn as from_sklearn
    from penjing.evaluate import cross_validate
    from penjing.examples import example
    from penjing.fit import fit
    from penjing.folds import Fold, folds, hold_out
    from penjing.read import read
    from penjing.recipe import RECIPES, Recipe
    from penjing.store import load
    from penjing.table import Table
    from penjing.tree import Tree

__all__ = [
    "RECIPES",
    "CapabilityError",
    "ChoiceError",
    "DataError",
    "Fold",
    "Recipe",
    "Table",
    "Tree",
    "bootstrap",
    "compare",
    "cross_validate",
    "entropy",
    "example",
    "fit",
    "folds",
    "gain",
    "gain_ratio",
    "gini",
    "gini_index",
    "hold_out",
    "load",
    "majority",
    "read",
    "split_information",
]


class _Package(_ModuleType):
    """Keeps `penjing.read` the function: importing the room of that name must not hide it."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _ROOMS and isinstance(value, _ModuleType)):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name in _ESTIMATORS:
        return _estimator(name)
    if name not in _ROOMS:
        message = f"module 'penjing' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(_import_module(f"penjing.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def _estimator(name: str) -> object:
    try:
        value = getattr(_import_module("penjing.estimators"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "scipy"):
            raise
        words = _import_module("penjing.words")
        raise ImportError(words.say("needs_sklearn", name=name), name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ESTIMATORS])
