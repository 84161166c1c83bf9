"""Estimators: trees with scikit-learn's interface; only this package imports scikit-learn."""

from penjing.estimators.classifiers import (
    C45Classifier,
    CARTClassifier,
    ID3Classifier,
    TreeClassifier,
)
from penjing.estimators.dropin import DecisionTreeClassifier, DecisionTreeRegressor
from penjing.estimators.from_sklearn import from_sklearn
from penjing.estimators.regressors import CARTRegressor, TreeRegressor

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "TreeClassifier",
    "TreeRegressor",
    "from_sklearn",
]
