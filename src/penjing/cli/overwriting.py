"""A command does not write its result over a file that it reads."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from typer.models import ParameterInfo

from penjing.cli.parameters import INPUT, OUTPUT, PRUNING
from penjing.errors import ChoiceError

FILES = frozenset(("FILE", "DATA", "MODEL", "MODEL...", "TREE"))
"""What stands for the value of a parameter that is a file."""


def refuse_overwriting(
    parameters: Iterable[inspect.Parameter], values: Mapping[str, object]
) -> None:
    """Raise an error if the output of a command is one of its inputs.

    A changed model may be written over the model.

    Parameters
    ----------
    parameters : iterable of Parameter
        The parameters of the command.
    values : mapping
        What typer parsed, by their names.
    """
    inputs: list[tuple[str, str]] = []
    outputs: list[tuple[str, str]] = []
    for parameter in parameters:
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, ParameterInfo) and info.metavar in FILES:
                paths = [(str(info.help), path) for path in _paths(values.get(parameter.name))]
                if info.rich_help_panel == OUTPUT:
                    outputs += paths
                elif info.rich_help_panel in {INPUT, PRUNING}:
                    inputs += paths
    for output_key, output in outputs:
        for input_key, path in inputs:
            is_changed_model = (output_key, input_key) == ("output_model", "model")
            if not is_changed_model and _is_same(path, output):
                raise ChoiceError("output_is_input", path=output)


def _paths(value: Any) -> list[str]:  # noqa: ANN401 - what typer parsed
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _is_same(path: str, output: str) -> bool:
    try:
        return Path(path).samefile(output)
    except (OSError, ValueError):  # there is no such file, or it cannot be the name of one
        return False
