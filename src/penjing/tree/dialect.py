"""What a finished tree needs of its dialect: how it predicts, is pruned, and is explained.

The dialect of a tree is found by its name in the recipe, through the registry, so that the
packages below `penjing.dialects` can ask it. `penjing.grow.dialect.Dialect` adds how a tree is
grown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penjing.data.table import Floats
from penjing.errors import PenjingError
from penjing.registry import load

if TYPE_CHECKING:
    from penjing.tree.tree_data import TreeData

Settings = Mapping[str, Any]
"""The recipe of a tree as plain data."""
Explanation = Mapping[str, Any]
"""An explanation of a node, or of a candidate in it, by `penjing.explain.node`."""

UNLIMITED: dict[str, Settings] = {
    "max_depth": {"max_depth": None},
    "max_leaves": {"max_leaves": None},
    "min_weight": {"min_weight": 0.0},
    "min_branch": {"min_branch": 0.0},
    "min_gain": {"min_gain": 0.0},
}
"""For each stop condition of the textbook, the setting under which it never applies."""
TEXTBOOK = "textbook"
"""The dialect of a recipe that names none."""


def no_message(criterion: str) -> str | None:  # noqa: ARG001 - the protocol's
    """Return None: columns are ranked by the criterion itself."""
    return None


def setting_limit(settings: Settings, stop: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the limit of a stop condition: the setting of the same name."""
    value = settings.get(stop)
    return value or 0 if stop == "min_weight" else value


def not_pruned(settings: Settings) -> str | None:  # noqa: ARG001 - the protocol's
    """Return None: growing leaves no node that could be split."""
    return None


def below_average(explanation: Explanation, candidate: Explanation) -> str:  # noqa: ARG001
    """Return the reason of the textbook: the gain is below the average."""
    return "below"


def screened_out(explanation: Explanation, candidate: Explanation) -> str:
    """Return why a program did not compare a column: no split allowed, no gain, or too little."""
    gain, average = candidate.get("criterion_gain"), explanation["average_gain"]
    if gain is None:
        return "not_allowed"
    if gain <= 0:
        return "no_gain"
    return "below" if average is not None and gain < average else "screened"


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeDialect:
    """The dialect of a finished tree; the defaults are those of the textbook."""

    name: str
    """The name of the dialect in recipes and model files (``rules``)."""

    rounds_thresholds: bool = False
    """Whether thresholds are compared as 32-bit floats if the recipe's precision is single."""
    impurities: Mapping[str, Callable[[Floats], Floats]] = field(default_factory=dict)
    """The impurity of sums by criterion, where cost-complexity pruning rounds as a program does."""
    importance: Callable[[TreeData], dict[str, float]] | None = None
    """The importance of each column; None: the gain of its splits, weighted by rows."""

    ranks_by_criterion: bool = True
    """Whether the criterion of the recipe, by the textbook's formula, ranks the columns."""
    averages_gains: bool = False
    """Whether columns are compared by the average gain, for which not all of them count."""
    score_name: str | None = None
    """The name of the score of a split in pictures; None: that of the criterion."""
    scoring_message: str | None = None
    """The key of the message that says how splits are scored, below the candidates of a node."""
    ranking_message: Callable[[str], str | None] = no_message
    """The key of the message that names the number by which columns are ranked, by criterion."""
    exclusion_reason: Callable[[Explanation, Explanation], str] = below_average
    """Why a candidate of a node was not compared; its messages are ``why_…`` and ``story_out_…``"""
    limit: Callable[[Settings, str], Any] = setting_limit
    """The limit that a stop condition compares with."""
    unlimited: Mapping[str, Settings] = field(default_factory=UNLIMITED.copy)
    """For each stop condition, the settings under which it never applies."""
    textbook_recipes: tuple[str, ...] = ()
    """The textbook's recipes of the same algorithm, which grow without a program's limits."""
    namesakes: Mapping[str, str] = field(default_factory=dict)
    """For one of its recipes, the recipe of a program that is known by the same name."""
    removal_reason: Callable[[Settings], str | None] = not_pruned
    """Why growing made a leaf of a node that has a split, such as ``complexity``."""


def dialect_of(tree: TreeData | Settings | str) -> TreeDialect:
    """Return the dialect of a tree, of its recipe, or of a name.

    A tree whose dialect is not installed is treated like one of the textbook.

    Examples
    --------
    >>> dialect_of({"rules": "rpart"}).score_name, dialect_of({}).name
    ('improvement', 'textbook')
    """
    recipe = tree if isinstance(tree, str | Mapping) else tree.recipe
    name = recipe if isinstance(recipe, str) else recipe.get("rules", TEXTBOOK)
    try:
        dialect = load("dialect", name)
    except PenjingError:
        return TreeDialect(name=str(name))
    return dialect if isinstance(dialect, TreeDialect) else TreeDialect(name=name)
