"""What only one program's rules know: its settings beyond those that all recipes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from penjing.data.table import Table
from penjing.tree.counts import Costs


@dataclass(frozen=True, slots=True)
class DialectOptions:
    """The settings of the textbook's rules beyond a recipe's own: none.

    The rules of a program have a subclass of this with a field for each of its settings;
    `Recipe.but` finds them by name, `Recipe.settings` lists them beside the recipe's own.
    """

    shapes: ClassVar[tuple[str, ...]] = ("multiway", "binary")
    """The shapes of a division that these rules know."""
    criteria: ClassVar[tuple[str, ...] | None] = None
    """The criteria that these rules know; None for any, one's own included."""
    missing_policies: ClassVar[tuple[str, ...]] = ("branch",)
    """The policies for missing values besides ``refuse`` and ``fraction``."""
    counts_weightless: ClassVar[bool] = False
    """Whether a row of weight 0 is still a row, which minimum sizes count."""

    @property
    def fixed(self) -> dict[str, str]:
        """What these rules decide that others have a setting for, by that setting's name."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "gap": "0", "precision": "double",
            "tolerance": "0", "zero_gain": "yes", "collapse": "no", "pruning": "none",
            "empty": "majority", "ties": "first",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:  # noqa: ARG002 - of those that have other names
        """Return the program's own options that stand for a setting."""
        return []

    @property
    def centred(self) -> bool:
        """Whether the mean is taken from a number before its squares are summed."""
        return True

    @property
    def depth_first(self) -> bool:
        """Whether nodes must be grown one after the other, depth first."""
        return False

    def check(self) -> None:
        """Refuse settings that cannot be used, each with a sentence."""

    def fits(self, table: Table) -> DialectOptions:  # noqa: ARG002 - for those that have to look at it
        """Return the settings as they suit a table, or refuse with a sentence."""
        return self

    def prepared(self, table: Table) -> Table:
        """Return the table as these rules see it."""
        return table

    def costs(self, table: Table) -> Costs | None:  # noqa: ARG002 - for those that have any
        """Return what the classes of a table count for; None where every row counts the same."""
        return None

    def alias(self, name: str) -> str:
        """Return the setting that a program's own option name stands for, or the name itself."""
        return name

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting and its value that an option of a program stands for."""
        return ("laplace" if name == "A" else self.alias(name)), value


TEXTBOOK = DialectOptions()
