"""The C5.0 dialect; it builds on that of C4.5."""

from __future__ import annotations

from penjing.dialects.c45 import explanation as c45_explanation
from penjing.dialects.c50 import dialect, native_kernel
from penjing.dialects.c50.explanation import exclusion_reason
from penjing.dialects.c50.options import C50Options
from penjing.grow.dialect import Dialect
from penjing.grow.engine import REGROWING
from penjing.grow.recipe import Recipe

C50_RECIPE = Recipe(
    "c5.0",
    "c50",
    "gain_ratio",
    "multiway",
    "fraction",
    "missing",
    min_branch=2.0,
    options=C50Options(),
)

C50 = Dialect(
    name="c50",
    options=C50Options,
    recipes=(C50_RECIPE,),
    aliases={"c50": "c5.0"},
    stops=dialect.stops,
    best_splits=dialect.best_splits,
    scores=dialect.scores,
    choose=dialect.choose,
    finish=dialect.finish,
    finish_keeping=dialect.finish,
    recipe_below=dialect.recipe_below,
    native_grow=native_kernel.grow,
    native_best_splits=native_kernel.native_best_splits,
    native_regrow=native_kernel.native_regrow,
    needs=frozenset({REGROWING}),
    ranks_by_criterion=False,
    averages_gains=True,
    score_name="score",  # gain or gain ratio, less the cost of a threshold
    scoring_message="why_rules_c50",
    ranking_message=c45_explanation.ranking_message,
    exclusion_reason=exclusion_reason,
    limit=c45_explanation.limit,
    unlimited=c45_explanation.UNLIMITED,
    textbook_recipes=("c4.5-textbook",),
)
