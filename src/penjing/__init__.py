"""Grow decision trees (ID3, C4.5, J48, C5.0, rpart, CART) and see how each split was chosen.

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
__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec as _ModuleSpec
else:  # without importing importlib.machinery, which takes as long as all the rest
    _ModuleSpec = type(__spec__)

# Every public name and its module, which is imported when the name is first used, so that
# `import penjing` is fast.
_PUBLIC = {
    "RECIPES": "dialects.recipes",
    "CapabilityError": "errors",
    "ChoiceError": "errors",
    "DataError": "errors",
    "PenjingError": "errors",
    "DataWarning": "errors",
    "Fold": "data.folds",
    "Recipe": "grow.recipe",
    "Table": "data.table",
    "Tree": "api.tree",
    "bootstrap": "api.resampling",
    "compare": "api.comparison",
    "compare_recipes": "api.comparison",
    "cross_validate": "api.resampling",
    "entropy": "criteria.formulas",
    "example": "data.examples",
    "fit": "api.fit",
    "folds": "api.resampling",
    "gain": "criteria.formulas",
    "gain_ratio": "criteria.formulas",
    "gini": "criteria.formulas",
    "gini_index": "criteria.formulas",
    "hold_out": "api.resampling",
    "lab": "webapp.notebook",
    "load": "api.load",
    "majority": "criteria.formulas",
    "read": "api.read_table",
    "split_information": "criteria.formulas",
    "worksheet": "api.worksheet",
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

# Modules of 0.1.0 whose classes users may have pickled or imported; removed in 0.3.0.
_OLD_MODULES = {
    "because": "explain.row",
    "bootstrap": "evaluate.stability",
    "byhand": "criteria.formulas",
    "compare": "evaluate.compare",
    "examples": "data.examples",
    "fit": "api.fit",
    "folds": "data.folds",
    "induction": "explain.trace",
    "options": "dialects.c45.options",
    "options_c50": "dialects.c50.options",
    "options_rpart": "dialects.rpart.options",
    "options_sklearn": "dialects.sklearn.options",
    "read": "data.read",
    "recipe": "grow.recipe",
    "report": "evaluate.metrics",
    "ruleset": "explain.rules",
    "ruleset_parts": "explain.rule_conditions",
    "split": "tree.split",
    "store": "tree.serialize",
    "stored": "data.store",
    "table": "data.table",
    "tally": "tree.counts",
    "uncoded": "data.lazy_column",
    "votes": "explain.rule_votes",
}
_OLD_NAMES = {
    "C50": "C50Options",
    "Induction": "Trace",
    "Options": "DialectOptions",
    "Quinlan": "C45Options",
    "Rpart": "RpartOptions",
    "Sklearn": "SklearnOptions",
    "Uncoded": "LazyColumn",
}

if TYPE_CHECKING:
    from penjing.api.comparison import compare, compare_recipes
    from penjing.api.fit import fit
    from penjing.api.load import load
    from penjing.api.read_table import read
    from penjing.api.resampling import bootstrap, cross_validate, folds, hold_out
    from penjing.api.tree import Tree
    from penjing.api.worksheet import worksheet
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
    from penjing.data.folds import Fold
    from penjing.data.table import Table
    from penjing.dialects.recipes import RECIPES
    from penjing.errors import CapabilityError, ChoiceError, DataError, DataWarning, PenjingError
    from penjing.estimators import C45Classifier as C45Classifier
    from penjing.estimators import CARTClassifier as CARTClassifier
    from penjing.estimators import CARTRegressor as CARTRegressor
    from penjing.estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from penjing.estimators import DecisionTreeRegressor as DecisionTreeRegressor
    from penjing.estimators import ID3Classifier as ID3Classifier
    from penjing.estimators import TreeClassifier as TreeClassifier
    from penjing.estimators import TreeRegressor as TreeRegressor
    from penjing.estimators.from_sklearn import from_sklearn as from_sklearn
    from penjing.grow.recipe import Recipe
    from penjing.webapp.notebook import lab

__all__ = [
    "RECIPES",
    "CapabilityError",
    "ChoiceError",
    "DataError",
    "DataWarning",
    "Fold",
    "PenjingError",
    "Recipe",
    "Table",
    "Tree",
    "bootstrap",
    "compare",
    "compare_recipes",
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
    "lab",
    "load",
    "majority",
    "read",
    "split_information",
    "worksheet",
]


class _Package(_ModuleType):
    """Keeps `penjing.read` the function when the old module of that name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _PUBLIC and isinstance(value, _ModuleType)):
            super().__setattr__(name, value)


class _OldModule(_ModuleType):
    """A module of 0.1.0: its names are found where they are now."""

    def __getattr__(self, name: str) -> object:
        if name in _PUBLIC:
            return getattr(_sys.modules[__name__], name)
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        module = _import_module(f"penjing.{_OLD_MODULES[self.__name__.removeprefix('penjing.')]}")
        if name == "__all__":
            old = [was for was, now in _OLD_NAMES.items() if hasattr(module, now)]
            return [*old, *(each for each in vars(module) if not each.startswith("_"))]
        return getattr(module, _OLD_NAMES.get(name, name))


class _OldModuleFinder:
    """Lets `import` and pickles find the modules of 0.1.0, with a warning."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> _ModuleSpec | None:
        old = name.removeprefix("penjing.")
        if old == name or old not in _OLD_MODULES:
            return None
        return _ModuleSpec(name, _OldModuleFinder)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: _ModuleSpec) -> _ModuleType:
        warnings = _import_module("warnings")
        new = f"penjing.{_OLD_MODULES[spec.name.removeprefix('penjing.')]}"
        message = _import_module("penjing.i18n").say("old_module", old=spec.name, new=new)
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return _OldModule(spec.name)

    @staticmethod
    def exec_module(_module: _ModuleType) -> None:
        pass


_sys.modules[__name__].__class__ = _Package
_sys.meta_path.append(_OldModuleFinder)


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
        if (error.name or "").partition(".")[0] not in ("scipy", "sklearn"):
            raise
        i18n = _import_module("penjing.i18n")
        raise ImportError(i18n.say("needs_sklearn", name=name), name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ESTIMATORS])
