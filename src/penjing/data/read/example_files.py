"""Example tables from textbooks, which are read as ``example:NAME`` wherever a file can be."""

from __future__ import annotations

from importlib.resources import files

from penjing.errors import unknown_name_error

PREFIX = "example:"
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


def is_example(source: object) -> bool:
    """Return whether a source is the name of an example with its prefix.

    Examples
    --------
    >>> is_example("example:fish"), is_example("fish.csv")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(PREFIX)


def example_file(source: str) -> str:
    """Return the path of an example's file; any other path as it is.

    Examples
    --------
    >>> example_file("example:fish").endswith("fish.jsonl")
    True
    >>> example_file("fish.csv")
    'fish.csv'
    """
    if not is_example(source):
        return source
    return str(files("penjing.data").joinpath("tables", _entry(source)[0]))


def example_target(source: str) -> str:
    """Return the target of an example."""
    return _entry(source)[1]


def _entry(source: str) -> tuple[str, str]:
    name = source.removeprefix(PREFIX)
    if name not in EXAMPLES:
        raise unknown_name_error("unknown_example", name, EXAMPLES)
    return EXAMPLES[name]
