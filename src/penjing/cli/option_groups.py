"""Decorators that give a command a group of options as one parameter."""

from __future__ import annotations

import csv
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penjing.cli.chart_output import ChartOptions
from penjing.cli.command import collect_options
from penjing.cli.evaluation_output import EvaluationOptions
from penjing.cli.parameters import (
    CHART_OPTIONS,
    EVALUATION_OPTIONS,
    FIT_PRUNING,
    MODEL_READING_OPTIONS,
    PROGRAM_OPTIONS,
    PRUNE_PRUNING,
    READING_OPTIONS,
    RECIPE_OPTIONS,
    STYLE_OPTIONS,
)
from penjing.cli.prune_options import Pruning
from penjing.cli.sources import ReadingOptions
from penjing.errors import ChoiceError

Command = Callable[..., Any]


@dataclass(frozen=True)
class RecipeSettings:
    """The settings of a recipe: those with an option of their own, and the words of ``--set``."""

    named: dict[str, Any]
    words: dict[str, Any]


def with_reading_options(function: Command) -> Command:
    """Give a command the reading options; it gets them as ``reading``.

    Where a command has a model, that settles what the columns are, and the help says so.
    """
    has_model = not {"model", "models"}.isdisjoint(inspect.signature(function).parameters)
    options = MODEL_READING_OPTIONS if has_model else READING_OPTIONS
    return collect_options(function, "reading", options, ReadingOptions)


def with_recipe_options(function: Command) -> Command:
    """Give a command the settings of recipes; it gets those given as ``settings``."""

    def build(
        setting: list[str] | None,
        monotonic: list[str] | None,
        interaction: list[str] | None,
        **named: Any,  # noqa: ANN401 - what typer parsed
    ) -> RecipeSettings:
        named["monotonic_cst"] = parse_directions(monotonic) if monotonic else None
        named["interaction_cst"] = parse_groups(interaction) if interaction else None
        return RecipeSettings(_given(named), parse_settings(setting))

    return collect_options(function, "settings", RECIPE_OPTIONS, build)


def with_program_options(function: Command) -> Command:
    """Give a command the options of other programs; it gets a dict as ``program_options``."""

    def build(**parsed: Any) -> dict[str, Any]:  # noqa: ANN401 - what typer parsed
        return {k: _parse_value(k, v) for k, v in _given(parsed).items() if v is not False}

    return collect_options(function, "program_options", PROGRAM_OPTIONS, build)


def with_evaluation_options(function: Command) -> Command:
    """Give a command the options of a report on predictions; it gets them as ``evaluation``."""
    return collect_options(function, "evaluation", EVALUATION_OPTIONS, EvaluationOptions)


def with_chart_options(function: Command) -> Command:
    """Give a command the options of a chart that it can save; it gets them as ``charts``."""
    return collect_options(function, "charts", CHART_OPTIONS, ChartOptions)


def with_chart_style(function: Command) -> Command:
    """Give a command with an output of its own the theme and title of charts, as ``charts``."""
    return collect_options(function, "charts", STYLE_OPTIONS, ChartOptions)


def with_pruning(function: Command) -> Command:
    """Give a command that grows trees the options of pruning; it gets a ``pruning``."""
    return collect_options(function, "pruning", FIT_PRUNING, Pruning)


def with_pruning_methods(function: Command) -> Command:
    """Give a command the options of pruning and of its methods; the ``pruning`` has no method."""
    fields = ("validate", "share", "seed", "ties")

    def build(setting: list[str] | None, **parsed: Any) -> Pruning:  # noqa: ANN401
        kept = {name: parsed.pop(name) for name in fields}
        return Pruning(None, **kept, options=_given(parsed | parse_settings(setting)))

    return collect_options(function, "pruning", PRUNE_PRUNING, build)


def _given(parsed: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parsed.items() if value is not None}


def parse_settings(words: list[str] | None, **options: object) -> dict[str, Any]:
    """Return the settings of ``NAME=VALUE`` words; a value is JSON if it parses, else text.

    ``yes``, ``no`` and ``none`` mean True, False and None, as `recipes` prints them. The words
    take precedence over ``options``.

    Examples
    --------
    >>> parse_settings(["collapse=no", "max_depth=none", "pruning=none", "cut_at=value", "gap=.1"])
    {'collapse': False, 'max_depth': None, 'pruning': 'none', 'cut_at': 'value', 'gap': 0.1}
    """
    settings: dict[str, Any] = {}
    for word in words or ():
        name, sign, value = word.partition("=")
        if not sign:
            raise ChoiceError("bad_set", word=word)
        name, lowered = name.replace("-", "_"), value.lower()
        is_method = lowered == "none" and name == "pruning"  # a value of that setting
        if lowered in _CONSTANTS and not is_method:
            settings[name] = _CONSTANTS[lowered]
            continue
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = float(value) if _NUMBER.fullmatch(value) else value
    return _given(options) | settings


def parse_directions(words: list[str]) -> dict[str, int]:
    """Return the direction of each column of ``COLUMN=1`` words.

    Examples
    --------
    >>> parse_directions(["income=1", "age=-1"])
    {'income': 1, 'age': -1}
    """
    directions: dict[str, int] = {}
    for word in words:
        column, sign, direction = word.rpartition("=")
        if not (sign and column and direction.strip() in ("1", "+1", "-1", "0")):
            raise ChoiceError("bad_monotonic_word", word=word)
        if column in directions:
            raise ChoiceError("monotonic_twice", column=column)
        directions[column] = int(direction)
    return directions


def parse_groups(words: list[str]) -> str | list[list[str]]:
    """Return the groups of columns of ``A,B`` words; a name with a comma stands in quotes.

    Examples
    --------
    >>> parse_groups(["a,b", "c"]), parse_groups(["pairwise"])
    ([['a', 'b'], ['c']], 'pairwise')
    """
    if len(words) == 1 and words[0] in ("pairwise", "no_interactions"):
        return words[0]
    rows = csv.reader(words, skipinitialspace=True)
    return [[name.strip() for name in row if name.strip()] for row in rows]


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""Numbers, also those that JSON does not have, such as ``.5``."""
_CONSTANTS = {"yes": True, "true": True, "no": False, "false": False, "none": None}


_EXAMPLES = {
    "prior": "yes=0.3,no=0.7",
    "loss": '{"yes": {"no": 5}}',
    "cost": "age=2,income=1",
    "class_weight": "yes=2,no=1",
}
"""How the options are written that give numbers by name."""


def _parse_value(key: str, value: Any) -> Any:  # noqa: ANN401 - what typer parsed
    """Return the value of an option; a mapping is JSON or ``name=number,name=number``.

    Examples
    --------
    >>> _parse_value("prior", "yes=0.3,no=0.7"), _parse_value("class_weight", "balanced")
    ({'yes': 0.3, 'no': 0.7}, 'balanced')
    """
    if key not in _EXAMPLES or value == "balanced":
        return value
    try:
        return json.loads(value)
    except ValueError:
        pass
    numbers = {}
    for part in value.split(","):
        name, sign, number = part.rpartition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            sign = ""
        if not sign:
            message = "bad_loss_pairs" if key == "loss" else "bad_pairs"
            raise ChoiceError(message, name=key, value=value, example=_EXAMPLES[key])
    return numbers
