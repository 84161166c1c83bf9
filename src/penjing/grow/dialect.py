"""The protocol of a dialect: everything by which one program differs, as one object.

C4.5, J48, rpart and scikit-learn differ in minimum sizes, tolerances and ties even where their
recipes agree. A dialect sees counts and sums through the engine, never rows. The registry has the
objects by name; nothing outside `penjing.dialects` compares their names or classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penjing.data.table import Floats, Table
from penjing.grow import search
from penjing.grow.dialect_options import DialectOptions
from penjing.grow.engine import Engine, NativeEngine, RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.progress import ProgressCallback
from penjing.tree.builder import TreeBuilder
from penjing.tree.dialect import TreeDialect
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData

CpTable = list[list[float]]
StopRule = Callable[[TreeBuilder, int, Recipe], str | None]
SplitSearch = Callable[[Engine, TreeStructure, Sequence[int], Recipe], BestSplits]
NativeGrower = Callable[[NativeEngine, Recipe, ProgressCallback | None], TreeData | None]
NativeRegrower = Callable[[RowSource, TreeStructure, int, Split, Recipe, float], TreeData | None]
NativeSplitSearch = Callable[[RowSource, TreeStructure, Sequence[int], Recipe], BestSplits | None]


def choose_best(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node: the column of the best score, the first of ties."""
    return search.choose(best_splits, recipe.measure())


def criterion_scores(best_splits: BestSplits, recipe: Recipe) -> Floats:
    """Return the scores by which columns are compared: those of the criterion."""
    return np.asarray(recipe.measure().between(best_splits))


def unchanged(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:  # noqa: ARG001 - the protocol's
    """Return the tree as it is."""
    return tree


def never(recipe: Recipe) -> bool:  # noqa: ARG001 - the protocol's
    """Return False."""
    return False


def as_it_is(recipe: Recipe, share: float, root_loss: float) -> Recipe:  # noqa: ARG001 - the protocol's
    """Return the recipe: nothing in it depends on the whole table."""
    return recipe


def not_native(*arguments: object) -> None:
    """Return None: C++ does not have this dialect."""


def least_leaf_weight(fraction: float, recipe: Recipe, table: Table) -> dict[str, Any]:
    """Return the setting for scikit-learn's ``min_weight_fraction_leaf``: a least weight."""
    return {"min_branch": max(recipe.min_branch, fraction * float(table.weights.sum()))}


ESTIMATOR_NAMES = {
    "max_leaf_nodes": "max_leaves",
    "min_samples_split": "min_weight",
    "min_samples_leaf": "min_branch",
}
"""The settings of the recipe that have another name in scikit-learn."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect(TreeDialect):
    """One dialect; the defaults are those of the textbook.

    A dialect of a program gives its own functions, and sets those of `TreeDialect` too.
    """

    options: type[DialectOptions] = DialectOptions
    """The settings that only this dialect has, with the program's own option names."""
    recipes: tuple[Recipe, ...] = ()
    """The named recipes of the dialect."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of its recipes."""

    stops: StopRule = search.stops
    """Returns why a node is a leaf before any split is searched, None if it is not."""
    best_splits: SplitSearch = search.best_splits
    """Returns the best candidate split of each column in each node, from tallies."""
    scores: Callable[[BestSplits, Recipe], Floats] = criterion_scores
    """Returns the scores by which columns are compared, NaN for those that are not."""
    choose: Callable[[BestSplits, Recipe], list[Choice]] = choose_best
    """Returns the split chosen for each node."""
    finish: Callable[[TreeData, Engine, Recipe], TreeData] = unchanged
    """Returns the grown tree after the program's last steps, such as pruning."""

    finish_keeping: Callable[[TreeData, Engine, Recipe, Collection[int]], TreeData] | None = None
    """As `finish`, but `penjing.prune.kept_splits.KeptSplitRemovedError` is raised as soon as one
    of some nodes would lose its split; None if `finish` does not tell before its end."""

    refresh: Callable[[TreeData, Engine, Recipe], TreeData] = unchanged
    """Returns a finished tree, some of whose subtrees were replaced, with what its program
    computes from the whole tree."""

    native_grow: NativeGrower = not_native
    """Returns a tree grown in C++, before the last steps; None if the loop has to grow it."""
    native_best_splits: NativeSplitSearch = not_native
    """Returns the best splits of nodes as C++ computes them; None if it cannot."""
    native_regrow: NativeRegrower = not_native
    """Returns the subtree below a given split as C++ grows it; None if it cannot."""
    is_native: Callable[[Recipe], bool] = never
    """Whether C++ grows whole trees by a recipe; then rows need less memory."""

    recipe_below: Callable[[Recipe, float, float], Recipe] = as_it_is
    """Returns the recipe for a tree that grows from a node, given the node's share of the weight
    of the table and the loss of the root: what counts from the root is adapted."""

    needs: frozenset[str] = frozenset()
    """What an engine must be able to do besides counting; see `penjing.grow.engine`."""
    refuses_missing: bool = False
    """Whether its kernel itself finds missing values that the recipe refuses, in plain numbers."""
    takes_constraints: bool = False
    """Whether its binary splits observe ``monotonic_cst`` and ``interaction_cst``."""
    drops_unknown_rows: bool = False
    """Whether rows whose values are all missing are left out."""
    stops_at_small_impurity: bool = False
    """Whether nodes of an impurity below the float64 epsilon are leaves, so that the tree of a
    target whose squares are lost is defined: one leaf."""
    sorts_classes: bool = False
    """Whether classes are sorted, since the first wins ties."""
    cross_validates: Callable[[Recipe], bool] = never
    """Whether the recipe asks for cross-validated complexities."""
    complexity_errors: Callable[[TreeData, Table, Recipe, int | None], CpTable] | None = None
    """Returns the cp table of a new tree with the errors of the recipe's folds, by threads."""
    cross_validated_table: Callable[[TreeData, Table, Recipe, int], CpTable] | None = None
    """Returns the cp table of any tree with errors of so many folds; None: the general way."""

    estimator_names: Mapping[str, str] = field(default_factory=ESTIMATOR_NAMES.copy)
    """The settings that have another name in scikit-learn, by that name."""
    seed_setting: str | None = None
    """The setting that takes the ``random_state`` of an estimator."""
    leaf_fraction: Callable[[float, Recipe, Table], dict[str, Any]] = least_leaf_weight
    """Returns the setting for ``min_weight_fraction_leaf`` of an estimator."""

    @property
    def decides_by_counts(self) -> bool:
        """Whether counts of whole rows decide as in the textbook.

        Then numbers may be counted in buckets, generation by generation, and the search of the
        textbook in C++ serves the dialect too.
        """
        return (
            self.stops is search.stops
            and self.best_splits is search.best_splits
            and self.choose is choose_best
            and self.finish is unchanged
        )
