"""The rpart dialect: R's rpart."""

from __future__ import annotations

from penjing.dialects.rpart import cross_validation, dialect, estimator, explanation, native_kernel
from penjing.dialects.rpart.native_best_splits import native_best_splits
from penjing.dialects.rpart.options import RpartOptions
from penjing.grow.dialect import ESTIMATOR_NAMES, Dialect
from penjing.grow.engine import SURROGATES
from penjing.grow.recipe import Recipe

RPART_RECIPE = Recipe(
    "rpart", "rpart", "gini", "binary", "surrogate", "missing", max_depth=30, options=RpartOptions()
)

RPART = Dialect(
    name="rpart",
    options=RpartOptions,
    recipes=(RPART_RECIPE,),
    aliases={"cart": "rpart"},
    stops=dialect.stops,
    best_splits=dialect.best_splits,
    choose=dialect.choose,
    finish=dialect.finish,
    refresh=dialect.refresh,
    recipe_below=dialect.recipe_below,
    native_grow=native_kernel.grow,
    native_best_splits=native_best_splits,
    is_native=native_kernel.is_native,
    takes_constraints=True,
    importance=dialect.importance,
    needs=frozenset({SURROGATES}),
    drops_unknown_rows=True,
    cross_validates=cross_validation.cross_validates,
    complexity_errors=cross_validation.cp_errors,
    cross_validated_table=cross_validation.cross_validated_table,
    ranks_by_criterion=False,
    score_name="improvement",  # n times the gain, or a share of the sum of squares
    scoring_message="why_rules_rpart",
    ranking_message=explanation.ranking_message,
    exclusion_reason=explanation.exclusion_reason,
    limit=explanation.limit,
    unlimited=explanation.UNLIMITED,
    textbook_recipes=("cart-textbook", "cart-binary"),
    removal_reason=explanation.removal_reason,
    estimator_names=ESTIMATOR_NAMES
    | {
        "min_samples_split": "minsplit",
        "min_samples_leaf": "minbucket",
        "max_surrogates": "maxsurrogate",
    },
    leaf_fraction=estimator.leaf_fraction,
)
