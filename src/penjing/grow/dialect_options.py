"""Settings of a dialect beyond those that all recipes share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from penjing.data.table import Field, Table
from penjing.tree.counts import Costs


class SurrogateOptions(Protocol):
    """The settings of a dialect that looks for surrogates, by rpart's names."""

    @property
    def maxsurrogate(self) -> int:
        """The largest number of surrogates of a split."""

    @property
    def usesurrogate(self) -> int:
        """0: surrogates are only listed; 1: they route rows; 2: then the majority does."""

    @property
    def surrogatestyle(self) -> int:
        """0: agreement is a share of the rows the split knows; 1: of those that both know."""


@dataclass(frozen=True, slots=True)
class DialectOptions:
    """The additional settings of the textbook dialect: none.

    Another dialect has a subclass with a field for each of its settings; `Recipe.but` accepts
    them by name, and `Recipe.settings` lists them with those of the recipe.
    """

    shapes: ClassVar[tuple[str, ...]] = ("multiway", "binary")
    """The shapes of a split that the dialect supports."""
    criteria: ClassVar[tuple[str, ...] | None] = None
    """The criteria that the dialect supports; None for any, user-defined ones included."""
    missing_policies: ClassVar[tuple[str, ...]] = ("branch",)
    """The policies for missing values besides ``refuse`` and ``fraction``."""
    divides_rows: ClassVar[bool] = True
    """Whether ``fraction`` is one: a row without a value is divided between the branches."""
    orders_categories: ClassVar[bool] = False
    """Whether categories are compared by their position, so that a threshold divides them."""
    replaced: ClassVar[Mapping[str, str]] = {}
    """Settings of a recipe that the dialect does not use, and what it has in their place."""
    counts_weightless: ClassVar[bool] = False
    """Whether minimum sizes count rows of weight 0."""

    @property
    def fixed(self) -> dict[str, str]:
        """What this dialect fixes but other dialects have a setting for, by the setting's name."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "gap": "0", "precision": "double",
            "tolerance": "0", "zero_gain": "yes", "collapse": "no", "pruning": "none",
            "empty": "majority", "ties": "first",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:  # noqa: ARG002 - for subclasses
        """Return the program's own option names for a setting."""
        return []

    @property
    def surrogates(self) -> SurrogateOptions | None:
        """How surrogates are searched and used; None if the dialect has none."""
        return None

    def untraceable(self, shape: str) -> str | None:  # noqa: ARG002 - for subclasses
        """Return the message why tallies do not reproduce the search, None if they do.

        If they do not, there is no trace by default.
        """
        return None

    @property
    def pruning_method(self) -> str | None:
        """The method that prunes the tree after training, by validation rows; None for none."""
        return None

    @property
    def centred(self) -> bool:
        """Whether the mean of the target is subtracted before squares are summed."""
        return True

    @property
    def depth_first(self) -> bool:
        """Whether nodes must be grown one after the other, depth first."""
        return False

    def in_average(self, schema: Sequence[Field], n: float) -> list[bool]:  # noqa: ARG002
        """Return which columns of n rows count for the average gain; empty without that rule."""
        return []

    def check(self) -> None:
        """Raise an error if a setting is invalid."""

    def fits(self, table: Table) -> DialectOptions:  # noqa: ARG002 - for subclasses
        """Return the settings adapted to a table, or raise an error if they do not fit it."""
        return self

    def prepared(self, table: Table) -> Table:
        """Return the table as the dialect trains on it."""
        return table

    def costs(self, table: Table) -> Costs | None:  # noqa: ARG002 - for subclasses
        """Return the class weights and costs for a table; None where there are none."""
        return None

    def alias(self, name: str) -> str:
        """Return the setting for a program's own option name, or the name itself."""
        return name

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting and its value for an option of the program."""
        return ("laplace" if name == "A" else self.alias(name)), value


TEXTBOOK = DialectOptions()
