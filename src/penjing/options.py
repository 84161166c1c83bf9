"""What only one program's rules know: its settings beyond those that all recipes share."""

from __future__ import annotations

from dataclasses import dataclass

from penjing.table import Table
from penjing.tally import Costs


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of the textbook's rules beyond a recipe's own: none.

    The rules of a program have a subclass of this with a field for each of its settings;
    `Recipe.but` finds them by name, `Recipe.settings` lists them beside the recipe's own.
    """

    def check(self) -> None:
        """Refuse settings that cannot be used, each with a sentence."""

    def prepared(self, table: Table) -> Table:
        """Return the table as these rules see it."""
        return table

    def costs(self, table: Table) -> Costs | None:  # noqa: ARG002 - for those that have any
        """Return what the classes of a table count for; None where every row counts the same."""
        return None

    def alias(self, name: str) -> str:
        """Return the setting that a program's own option name stands for, or the name itself."""
        return name


TEXTBOOK = Options()
