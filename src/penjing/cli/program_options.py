"""Options with the names of other programs: `penjing fit data.csv --recipe j48 -C 0.25`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from penjing.cli.command import collect_options
from penjing.errors import ChoiceError

Command = Callable[..., Any]


def _options() -> dict[str, tuple[Any, Any]]:
    """Return the type for typer and the default of each option, by name."""
    options: dict[str, tuple[Any, Any]] = {}

    def add(name: str, kind: Any, panel: str, help_: str, *words: str) -> None:  # noqa: ANN401
        option = typer.Option(*words, help=help_, rich_help_panel=panel)
        options[name] = (Annotated[kind | None, option], None)

    def switch(name: str, panel: str, help_: str, *words: str) -> None:
        option = typer.Option(f"-{name}", *words, help=help_, rich_help_panel=panel)
        options[name] = (Annotated[bool, option], False)

    j48, c45 = "J48's own options", "C4.5's own options"
    add("C", float, j48, "Confidence of pruning, 0.25.", "-C")
    add("M", float, j48, "Least weight of two branches, 2.", "-M")
    switch("R", j48, "Reduced-error pruning, by validation rows.")
    switch("B", j48, "Nominal columns: one level against the rest.")
    switch("U", j48, "No pruning.")
    switch("S", j48, "No branch is raised.")
    switch("A", j48, "Laplace probabilities (any recipe).", "--laplace")
    switch("O", j48, "Do not collapse.")
    switch("J", j48, "Cuts cost nothing.")
    add("m", float, c45, "Least weight of two branches, 2.", "-m")
    add("c", float, c45, "Confidence of pruning in per cent, 25.", "-c")
    switch("g", c45, "Gain instead of gain ratio (C5.0: no global pruning).")
    switch("s", c45, "Levels are merged into groups.")
    rpart, sklearn = "rpart's own options", "scikit-learn's own options"
    add("cp", float, rpart, "Least decrease of risk per leaf, 0.01.", "--cp")
    for name, help_ in {
        "minsplit": "Least rows of a node to divide, 20.",
        "minbucket": "Least rows of each side; a third of minsplit.",
        "maxdepth": "Most questions on a path, 30.",
        "usesurrogate": "0, 1 or 2.",
        "maxsurrogate": "Most surrogates of a question, 5.",
        "xval": "Groups of the cross-validated cp table, 0.",
    }.items():
        add(name, int, rpart, help_, f"--{name}")
    add("split", str, rpart, "gini or information.", "--split")
    add("prior", str, rpart, "How likely classes are: yes=0.3,no=0.7.", "--prior")
    add("loss", str, rpart, 'Costs of errors: {"true": {"answered": 5}}, or a matrix.', "--loss")
    add("cost", str, rpart, "What asking about columns costs: age=2,sex=1.", "--cost")
    add("ccp_alpha", float, sklearn, "Impurity that a leaf costs, 0.", "--ccp-alpha")
    for name in ("min_samples_split", "min_samples_leaf", "max_leaf_nodes", "random_state"):
        add(name, int, sklearn, "As there.", f"--{name.replace('_', '-')}")
    add("class_weight", str, sklearn, "balanced, or yes=2,no=1.", "--class-weight")
    return options


OPTIONS = _options()
"""The options, by their keyword in `penjing.fit`."""


def with_program_options(function: Command) -> Command:
    """Give a command these options; it gets a dict of those given as ``program_options``."""
    return collect_options(function, "program_options", OPTIONS, _read_options)


def _read_options(parsed: dict[str, Any]) -> dict[str, Any]:
    given = {k: v for k, v in parsed.items() if v is not None and v is not False}
    return {key: _parse_value(key, value) for key, value in given.items()}


_NUMBERS_BY_NAME = ("prior", "loss", "cost", "class_weight")


def _parse_value(key: str, value: Any) -> Any:  # noqa: ANN401 - what typer parsed
    """Return the value of an option; a mapping is JSON or ``name=number,name=number``.

    Examples
    --------
    >>> _parse_value("prior", "yes=0.3,no=0.7"), _parse_value("class_weight", "balanced")
    ({'yes': 0.3, 'no': 0.7}, 'balanced')
    """
    if key not in _NUMBERS_BY_NAME or value == "balanced":
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
            raise ChoiceError("bad_pairs", name=key.replace("_", "-"), value=value)
    return numbers
