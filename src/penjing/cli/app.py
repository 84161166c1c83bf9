"""The typer application, built from the command modules of this package."""

from __future__ import annotations

import inspect
import os
from importlib import import_module
from typing import Annotated

import typer

from penjing.cli.help_page import COMMAND_GROUPS, HIDDEN_COMMANDS, HelpCommand, HelpGroup
from penjing.cli.parameters import COMMON_OPTIONS, OUTPUT, option

COMMAND_MODULES = (
    "show", "fit", "edit", "import_tree", "predict", "understand", "worksheet", "lab", "export",
    "report", "about",
)  # fmt: skip
"""The modules that define the commands."""
COMMANDS = tuple(name for names in COMMAND_GROUPS.values() for name in names)
"""The commands in the order of the help."""


def _version(is_requested: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if is_requested:
        from penjing import __version__  # noqa: PLC0415 - only here

        typer.echo(f"penjing {__version__}")
        raise typer.Exit


def _nothing() -> None:
    """Do nothing: a command of which only the name is needed."""


def _root(**_: object) -> None:
    """Accept the options of the program; those of a command are moved behind it before."""


def _root_options() -> inspect.Signature:
    """Return the options of the program: the common ones, so that its help can have a language."""
    version = option("version", "--version", panel=OUTPUT, is_eager=True, callback=_version)
    group = {"version": (Annotated[bool, version], False), **COMMON_OPTIONS}
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [
            inspect.Parameter(name, keyword_only, annotation=kind, default=default)
            for name, (kind, default) in group.items()
        ]
    )


_root.__signature__ = _root_options()  # type: ignore[attr-defined]
_root.__annotations__ = {p.name: p.annotation for p in _root_options().parameters.values()}


def build_app(*, with_completion: bool = False, first_word: str | None = None) -> typer.Typer:
    """Return the application with all its commands.

    Parameters
    ----------
    with_completion : bool
        Whether the application handles requests for shell completion.
    first_word : str, optional
        The first argument. If it is a command, the application has no other; if not, its commands
        have only their names: typer prepares all options of all commands, which takes longer than
        most commands.
    """
    app = typer.Typer(
        name="penjing",
        cls=HelpGroup,
        no_args_is_help=True,
        add_completion=with_completion,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_root)
    if first_word is None or first_word in COMMANDS:
        for module in COMMAND_MODULES:
            import_module(f"penjing.cli.{module}").add_to(app)
    else:
        for name in COMMANDS:
            app.command(name, hidden=name in HIDDEN_COMMANDS)(_nothing)
    for command in app.registered_commands:
        command.cls = HelpCommand
    app.registered_commands.sort(key=lambda command: COMMANDS.index(str(command.name)))
    named = [command for command in app.registered_commands if command.name == first_word]
    app.registered_commands = named or app.registered_commands
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
