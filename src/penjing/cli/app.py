"""The command itself; its verbs come from the files beside this one."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated

import typer

from penjing.cli.command import COMMON

COMMAND_MODULES = ("show", "fit", "predict", "understand", "export", "report", "about")
"""The modules that define the commands."""
VERBS = (
    "check", "fit", "show", "draw", "why", "explain", "trace", "prune", "predict", "test",
    "compare", "ruleset", "importance", "bootstrap", "cross-validate", "export", "report",
    "recipes", "plugins", "plugs", "completion",
)  # fmt: skip
"""The verbs as the help lists them."""


def _version(asked: bool) -> None:  # noqa: FBT001 - typer hands it over by position
    if asked:
        from penjing import __version__  # noqa: PLC0415 - only here

        typer.echo(f"penjing {__version__}")
        raise typer.Exit


def top(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, help="Print the version.", callback=_version),
    ] = False,
) -> None:
    """Decision trees that show their work: from a file to a pruned, tested tree."""


def built(*, completes: bool = False, is_rich: bool = False) -> typer.Typer:
    """Return the command with all its verbs.

    Parameters
    ----------
    completes : bool
        Whether a shell is to be answered how a command line may go on.
    is_rich : bool
        Whether help is drawn in boxes; plain help is ready in half the time.
    """
    made = typer.Typer(
        name="penjing",
        no_args_is_help=True,
        add_completion=completes,
        rich_markup_mode="rich" if is_rich else None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog="Exit codes: 0 fine, 1 data or choice wrong, 2 usage, 3 below --min-accuracy, "
        "70 our fault, 130 interrupted.",
    )
    made.callback()(top)
    for name in COMMAND_MODULES:
        import_module(f"penjing.cli.{name}").add_to(made)
    made.registered_commands.sort(key=lambda command: VERBS.index(str(command.name)))
    return made


def in_front(args: list[str]) -> list[str]:
    """Return the arguments with the common options that stand before the verb put after it.

    Examples
    --------
    >>> in_front(["--lang", "zh", "--json", "check", "melons.csv"])
    ['check', '--lang', 'zh', '--json', 'melons.csv']
    >>> in_front(["--help"])
    ['--help']
    """
    switches = {"--json": 1, "--ascii": 1, "--debug": 1}
    valued = {f"--{name}": 2 for name in COMMON if f"--{name}" not in switches}
    at = 0
    while at < len(args):
        word, _, value = args[at].partition("=")
        length = (switches | valued).get(word, 0)
        if not length:
            break
        at += 1 if value else length
    if at == 0 or at >= len(args) or args[at].startswith("-"):
        return args
    return [args[at], *args[:at], *args[at + 1 :]]


def is_completing() -> bool:
    """Say whether a shell asks how a command line may go on."""
    return "_PENJING_COMPLETE" in os.environ
