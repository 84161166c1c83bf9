"""The scikit-learn dialect."""

from __future__ import annotations

from penjing.criteria import sklearn_impurity
from penjing.dialects.sklearn import dialect, estimator, explanation, native_kernel
from penjing.dialects.sklearn.native_best_splits import native_best_splits
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.dialect import Dialect
from penjing.grow.engine import PREPARED_ROWS
from penjing.grow.recipe import Recipe

SKLEARN_RECIPE = Recipe(
    "sklearn", "sklearn", "gini", "binary", "direction", "missing", options=SklearnOptions()
)

SKLEARN = Dialect(
    name="sklearn",
    options=SklearnOptions,
    recipes=(SKLEARN_RECIPE,),
    aliases={"scikit-learn": "sklearn"},
    stops=dialect.stops,
    best_splits=dialect.best_splits,
    choose=dialect.choose,
    finish=dialect.finish,
    recipe_below=dialect.recipe_below,
    native_grow=native_kernel.grow,
    native_best_splits=native_best_splits,
    is_native=native_kernel.is_native,
    takes_constraints=True,
    impurities={"gain": sklearn_impurity.entropy, "variance": sklearn_impurity.variance},
    importance=dialect.importance,
    needs=frozenset({PREPARED_ROWS}),
    stops_at_small_impurity=True,
    sorts_classes=True,
    ranks_by_criterion=False,
    scoring_message="why_rules_sklearn",
    ranking_message=explanation.ranking_message,
    exclusion_reason=explanation.exclusion_reason,
    limit=explanation.limit,
    unlimited=explanation.UNLIMITED,
    textbook_recipes=("cart-textbook", "cart-binary"),
    removal_reason=explanation.removal_reason,
    estimator_names={"max_leaf_nodes": "max_leaves"},
    seed_setting="random_state",
    leaf_fraction=estimator.leaf_fraction,
)
