"""Example tables from textbooks."""

from __future__ import annotations

from penjing import arguments
from penjing.data.read import read
from penjing.data.read.example_files import EXAMPLES, PREFIX
from penjing.data.table import Table

__all__ = ["EXAMPLES", "example"]


def example(name: str) -> Table:
    """Return an example table from a textbook; ``read("example:" + name)`` does the same.

    Parameters
    ----------
    name : str
        watermelon2.0, watermelon2.0alpha, watermelon3.0, fish, buys_computer, basketball, golf
        or play_tennis.

    Examples
    --------
    >>> fish = example("fish")
    >>> fish.names, fish.columns[0].levels, fish.target.levels
    (('no surfacing', 'flippers'), (1, 0), ('yes', 'no'))
    """
    arguments.text("name", name)
    return read(PREFIX + name)
