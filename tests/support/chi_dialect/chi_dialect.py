"""A dialect from outside the package: splits by Pearson's chi-squared, drops splits in vain.

It has settings, stop rules, scores, a choice, last steps, a recipe and messages of its own, and
no kernel in C++: every engine that counts can grow its trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from penjing import arguments
from penjing.data.table import Codes, Floats, Table
from penjing.errors import ChoiceError
from penjing.grow.dialect import Dialect
from penjing.grow.dialect_options import DialectOptions
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, Choice, candidates, first_best
from penjing.i18n import add_messages
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE
from penjing.tree.split import BestSplits
from penjing.tree.tree_data import TreeData

add_messages("en", {"chi_scores": "Columns are compared by Pearson's chi-squared.",
                    "chi_ranks": "chi-squared",
                    "setting_least_rows": "the least number of rows of a split"})  # fmt: skip
add_messages("zh", {"chi_scores": "各属性按卡方统计量比较。", "chi_ranks": "卡方统计量"})


@dataclass(frozen=True, slots=True)
class ChiOptions(DialectOptions):
    """The settings that only this dialect has."""

    criteria: ClassVar[tuple[str, ...] | None] = ("gini",)
    missing_policies: ClassVar[tuple[str, ...]] = ()

    least_chi: float = 2.0
    least_rows: float = 6.0

    def check(self) -> None:
        """Raise an error for settings that cannot be used."""
        arguments.number("least_chi", self.least_chi)
        arguments.number("least_rows", self.least_rows)

    def prepared(self, table: Table) -> Table:
        """Return the table as it is; raise an error if its target is a number."""
        if table.is_regression:
            raise ChoiceError("quinlan_needs_classes", target=table.target.name)
        return table


def _options(recipe: Recipe) -> ChiOptions:
    assert isinstance(recipe.options, ChiOptions)
    return recipe.options


def stops(builder: TreeBuilder, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is tried."""
    if builder.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and builder.depth(node) >= recipe.max_depth:
        return "max_depth"
    return "min_weight" if builder.weight_of(node) < _options(recipe).least_rows else None


def chi_squared(after: Floats) -> Floats:
    """Return Pearson's statistic of (candidates, branches, classes)."""
    rows, columns = after.sum(axis=2, keepdims=True), after.sum(axis=1, keepdims=True)
    expected = rows * columns / after.sum(axis=(1, 2), keepdims=True)
    squares = np.divide(
        (after - expected) ** 2, expected, out=np.zeros_like(after), where=expected > 0
    )
    return squares.sum(axis=(1, 2))


def best_splits(
    engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column in each node."""
    shape = (len(nodes), len(engine.schema))
    gain, cut = np.full(shape, np.nan), np.full(shape, np.nan)
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    for i, tally in enumerate(engine.tally(tree, nodes)):
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            values = engine.level_values(c) if field.is_numeric else NO_VALUES
            splits = candidates(counts, field, values, recipe.shape, engine.reader)
            if splits.after.size == 0 or splits.after.shape[1] < 2:
                continue
            scored = chi_squared(splits.after)
            best = first_best(scored, TIE * scored.max())
            n_candidates[i, c] = len(scored)
            if scored[best] < _options(recipe).least_chi:
                continue
            gain[i, c] = scored[best]
            if splits.cuts.size:
                cut[i, c] = splits.cuts[best]
            else:
                side = splits.sides[best]
                groups[i, c] = tuple(counts.codes[side == b] for b in range(side.max() + 1))
    return BestSplits(gain, np.ones(shape), np.abs(gain), cut, n_candidates, groups)


def scores(best_splits: BestSplits, recipe: Recipe) -> Floats:  # noqa: ARG001 - the protocol's
    """Return the statistic of each column."""
    return best_splits.gain


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:  # noqa: ARG001 - the protocol's
    """Return the column of the largest statistic, the last of ties."""
    choices = []
    for i, row in enumerate(best_splits.gain):
        if np.isnan(row).all():
            choices.append(Choice(None))
            continue
        tied = np.flatnonzero(row >= np.nanmax(row) * (1 - TIE))
        c = int(tied[-1])
        split = best_splits.split(i, c, float(row[c]))
        choices.append(Choice(split, tuple(tied.tolist()) if len(tied) > 1 else ()))
    return choices


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:  # noqa: ARG001 - the protocol's
    """Return the tree without splits whose children are leaves of one and the same class."""
    is_leaf, in_vain = tree.is_leaf.copy(), []
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():  # children first
        children = tree.children(node)
        classes = {int(tree.values[child]) for child in children}
        if all(is_leaf[child] for child in children) and len(classes) == 1:
            is_leaf[node] = True
            in_vain.append(node)
    return tree.pruned(in_vain, why="chi") if in_vain else tree


def limit(settings: Any, stop: str) -> Any:
    """Return the limit of a stop condition."""
    return settings.get({"min_weight": "least_rows"}.get(stop, stop))


CHI = Dialect(
    name="chi",
    options=ChiOptions,
    recipes=(
        Recipe("chi", "chi", "gini", "multiway", "fraction", options=ChiOptions()),
        Recipe("chi-binary", "chi", "gini", "binary", "refuse", options=ChiOptions()),
    ),
    aliases={"pearson": "chi"},
    stops=stops,
    best_splits=best_splits,
    scores=scores,
    choose=choose,
    finish=finish,
    ranks_by_criterion=False,
    score_name="score",
    scoring_message="chi_scores",
    ranking_message=lambda criterion: "chi_ranks" if criterion == "gini" else None,
    exclusion_reason=lambda explanation, candidate: "screened",  # noqa: ARG005 - the protocol's
    limit=limit,
)
