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

from importlib import import_module as _import_module

TYPE_CHECKING = False  # as in typing, whose import takes longer than all the rest
__version__ = "0.2.0.dev0"

# Every public name and its module, which is imported when the name is first used, so that
# `import penjing` is fast.
_PUBLIC = {
    "RECIPES": "dialects.recipes",
    "CapabilityError": "errors",
    "ChoiceError": "errors",
    "DataError": "errors",
    "Fold": "data.folds",
    "Recipe": "grow.recipe",
    "Table": "data.table",
    "Tree": "api.tree",
    "bootstrap": "api.resampling",
    "compare": "evaluate.compare",
    "cross_validate": "api.resampling",
    "entropy": "criteria.formulas",
    "example": "data.examples",
    "fit": "api.fit",
    "folds": "data.folds",
    "gain": "criteria.formulas",
    "gain_ratio": "criteria.formulas",
    "gini": "criteria.formulas",
    "gini_index": "criteria.formulas",
    "hold_out": "data.folds",
    "load": "api.load",
    "majority": "criteria.formulas",
    "read": "data.read",
    "split_information": "criteria.formulas",
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
    from penjing.api.fit import fit
    from penjing.api.load import load
    from penjing.api.resampling import bootstrap, cross_validate
    from penjing.api.tree import Tree
    from penjing.criteria.formulas import (
        entropy,
        gain,
        gain_ratio,
        gini,
        gini_index,
        majority,
        split_information,
    )
    from penjing.data.examples import example
    from penjing.data.folds import Fold, folds, hold_out
    from penjing.data.read import read
    from penjing.data.table import Table
    from penjing.dialects.recipes import RECIPES
    from penjing.errors import CapabilityError, ChoiceError, DataError
    from penjing.estimators import C45Classifier as C45Classifier
    from penjing.estimators import CARTClassifier as CARTClassifier
    from penjing.estimators import CARTRegressor as CARTRegressor
    from penjing.estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from penjing.estimators import DecisionTreeRegressor as DecisionTreeRegressor
    from penjing.estimators import ID3Classifier as ID3Classifier
    from penjing.estimators import TreeClassifier as TreeClassifier
    from penjing.estimators import TreeRegressor as TreeRegressor
    from penjing.estimators.from_sklearn import from_sklearn as from_sklearn
    from penjing.evaluate.compare import compare
    from penjing.grow.recipe import Recipe

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


def __getattr__(name: str) -> object:
    if name in _ESTIMATORS:
        return _estimator(name)
    if name not in _PUBLIC:
        message = f"module 'penjing' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(_import_module(f"penjing.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def _estimator(name: str) -> object:
    try:
        value = getattr(_import_module("penjing.estimators"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "scipy"):
            raise
        i18n = _import_module("penjing.i18n")
        raise ImportError(i18n.say("needs_sklearn", name=name), name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ESTIMATORS])
