"""The C4.5 dialect: C4.5 release 8 and J48, which differ in tolerances."""

from __future__ import annotations

from dataclasses import replace

from penjing.dialects.c45 import dialect, explanation, native_kernel
from penjing.dialects.c45.native_best_splits import native_best_splits
from penjing.dialects.c45.options import C45Options
from penjing.grow.dialect import Dialect
from penjing.grow.recipe import Recipe

C45 = Recipe(
    "c4.5", "quinlan", "gain_ratio", "multiway", "fraction", "missing", min_branch=2.0,
    options=C45Options(precision="single"),
)  # fmt: skip
J48 = replace(
    C45,
    name="j48",
    options=C45Options(
        tolerance=1e-6,
        cut_tolerance=1e-6,
        zero_gain=False,
        deviate="quantile",
        last_errors=1.0,
        empty="shares",
    ),
)

QUINLAN = Dialect(
    name="quinlan",
    options=C45Options,
    recipes=(C45, J48),
    aliases={"c45": "c4.5"},
    stops=dialect.stops,
    best_splits=dialect.best_splits,
    scores=dialect.scores,
    choose=dialect.choose,
    finish=dialect.finish,
    finish_keeping=dialect.finish,
    recipe_below=dialect.recipe_below,
    native_grow=native_kernel.grow,
    native_best_splits=native_best_splits,
    is_native=native_kernel.is_native,
    rounds_thresholds=True,
    ranks_by_criterion=False,
    averages_gains=True,
    score_name="score",  # gain or gain ratio, less the cost of a threshold
    scoring_message="why_rules_quinlan",
    ranking_message=explanation.ranking_message,
    exclusion_reason=explanation.exclusion_reason,
    limit=explanation.limit,
    unlimited=explanation.UNLIMITED,
    textbook_recipes=("c4.5-textbook",),
)
