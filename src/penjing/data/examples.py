"""Example tables from textbooks."""

from __future__ import annotations

from importlib.resources import files

from penjing.arguments import one_of
from penjing.data.read import read
from penjing.data.table import Table

EXAMPLES: dict[str, tuple[str, str]] = {
    "watermelon2.0": ("watermelon2.0.csv", "好瓜"),
    "watermelon2.0alpha": ("watermelon2.0alpha.csv", "好瓜"),
    "watermelon3.0": ("watermelon3.0.csv", "好瓜"),
    "fish": ("fish.jsonl", "fish"),
    "buys_computer": ("buys_computer.csv", "buys_computer"),
    "basketball": ("basketball.jsonl", "play"),
    "golf": ("golf.csv", "class"),
    "play_tennis": ("play_tennis.csv", "play"),
}
"""The file and the target of each example.

watermelon2.0, 2.0alpha (with missing values), 3.0 (with numbers)
    Zhou Zhihua, Machine Learning (2016), tables 4.1, 4.4 and 4.3.
fish
    Five sea animals: can they survive without surfacing, have they flippers, are they fish.
buys_computer
    Han and Kamber, Data Mining: fourteen customers of AllElectronics.
basketball
    Seven days on which a game was played or not.
golf, play_tennis
    Quinlan's fourteen days, with numbers (1993) and without (1986).
"""


def example(name: str) -> Table:
    """Return an example table from a textbook.

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
    file, target = EXAMPLES[one_of("example", name, EXAMPLES)]
    data = files("penjing.data").joinpath("tables", file).read_bytes()
    return read(data, target, name=file)
