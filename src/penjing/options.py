"""What only one program's rules know: its settings beyond those that all recipes share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of the textbook's rules beyond a recipe's own: none.

    The rules of a program have a subclass of this with a field for each of its settings;
    `Recipe.but` finds them by name, `Recipe.settings` lists them beside the recipe's own.
    """

    def check(self) -> None:
        """Refuse settings that cannot be used, each with a sentence."""

    def alias(self, name: str) -> str:
        """Return the setting that a program's own option name stands for, or the name itself."""
        return name


TEXTBOOK = Options()
