"""The typer application, built from the command modules of this package."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated

import typer

from penjing.cli.parameters import COMMON_OPTIONS

COMMAND_MODULES = ("show", "fit", "predict", "understand", "export", "report", "about")
"""The modules that define the commands."""
COMMANDS = (
    "check", "fit", "show", "draw", "why", "explain", "trace", "prune", "predict", "test",
    "compare", "ruleset", "importance", "bootstrap", "cross-validate", "export", "report",
    "recipes", "plugins", "plugs", "completion",
)  # fmt: skip
"""The commands in the order of the help."""


def _version(is_requested: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if is_requested:
        from penjing import __version__  # noqa: PLC0415 - only here

        typer.echo(f"penjing {__version__}")
        raise typer.Exit


def root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, help="Print the version.", callback=_version),
    ] = False,
) -> None:
    """Decision trees that show their work: from a file to a pruned, tested tree."""


def build_app(*, with_completion: bool = False, is_rich: bool = False) -> typer.Typer:
    """Return the application with all its commands.

    Parameters
    ----------
    with_completion : bool
        Whether the application handles requests for shell completion.
    is_rich : bool
        Whether help is printed in rich's panels; plain help takes half the time.
    """
    app = typer.Typer(
        name="penjing",
        no_args_is_help=True,
        add_completion=with_completion,
        rich_markup_mode="rich" if is_rich else None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog="Exit codes: 0 fine, 1 data or choice wrong, 2 usage, 3 below --min-accuracy, "
        "70 our fault, 130 interrupted.",
    )
    app.callback()(root)
    for name in COMMAND_MODULES:
        import_module(f"penjing.cli.{name}").add_to(app)
    app.registered_commands.sort(key=lambda command: COMMANDS.index(str(command.name)))
    return app


def move_common_options(args: list[str]) -> list[str]:
    """Return the arguments with common options before the command moved behind it.

    Examples
    --------
    >>> move_common_options(["--lang", "zh", "--json", "check", "melons.csv"])
    ['check', '--lang', 'zh', '--json', 'melons.csv']
    >>> move_common_options(["--help"])
    ['--help']
    """
    switches = {"--json": 1, "--ascii": 1, "--debug": 1}
    options_with_value = {f"--{name}": 2 for name in COMMON_OPTIONS if f"--{name}" not in switches}
    at = 0
    while at < len(args):
        word, _, value = args[at].partition("=")
        length = (switches | options_with_value).get(word, 0)
        if not length:
            break
        at += 1 if value else length
    if at == 0 or at >= len(args) or args[at].startswith("-"):
        return args
    return [args[at], *args[:at], *args[at + 1 :]]


def is_completing() -> bool:
    """Return whether a shell requests completions."""
    return "_PENJING_COMPLETE" in os.environ
