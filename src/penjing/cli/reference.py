"""The reference of the command line as plain data, for pages that are made from the program."""

from __future__ import annotations

from typing import Any, TypedDict

import typer

from penjing.cli.app import build_app
from penjing.cli.help_examples import HELP_EXAMPLES
from penjing.cli.help_page import (
    COMMAND_GROUPS,
    EXIT_CODES,
    HelpStyle,
    OptionHelp,
    panels_of,
    usage_text,
)


class OptionEntry(TypedDict):
    """An argument or option: without names it is an argument, without value a switch."""

    names: list[str]
    value: str
    text: str
    default: str
    is_required: bool


class PanelEntry(TypedDict):
    """A panel of options."""

    title: str
    options: list[OptionEntry]


class CommandEntry(TypedDict):
    """A command of the program."""

    name: str
    group: str
    usage: str
    summary: str
    description: str
    panels: list[PanelEntry]
    examples: list[str]


def command_reference(lang: str = "en") -> list[CommandEntry]:
    """Return the visible commands in the order of the help, with texts in a language.

    Parameters
    ----------
    lang : str
        ``en`` or ``zh``.

    Examples
    --------
    >>> fit = {command["name"]: command for command in command_reference("en")}["fit"]
    >>> fit["group"], fit["usage"]
    ('Grow and prune', 'penjing fit [OPTIONS] DATA')
    >>> [panel["title"] for panel in fit["panels"]][:3]
    ['Input', 'Target and columns', 'Growing']
    >>> fit["panels"][2]["options"][1]["names"]
    ['--criterion']
    """
    program: Any = typer.main.get_command(build_app())
    style = HelpStyle(lang)
    root = program.make_context("penjing", [], resilient_parsing=True)
    return [
        _entry(program.commands[name], root, style.text(f"group_{group}"), style)
        for group, names in COMMAND_GROUPS.items()
        for name in names
        if not program.commands[name].hidden
    ]


def _entry(command: Any, root: Any, group: str, style: HelpStyle) -> CommandEntry:  # noqa: ANN401
    ctx = command.make_context(command.name, [], parent=root, resilient_parsing=True)
    panels = panels_of(command, ctx, style).items()
    return {
        "name": command.name,
        "group": group,
        "usage": usage_text(ctx, style).removeprefix(style.text("word_usage")),
        "summary": style.text(f"command_{command.name}"),
        "description": style.text(f"about_{command.name}"),
        "panels": [
            {
                "title": style.text(f"panel_{panel}"),
                "options": [_option_entry(option) for option in options],
            }
            for panel, options in panels
        ],
        "examples": list(HELP_EXAMPLES[command.name]),
    }


def _option_entry(option: OptionHelp) -> OptionEntry:
    return {
        "names": list(option.names),
        "value": option.value,
        "text": option.text,
        "default": option.default,
        "is_required": option.is_required,
    }


def exit_code_reference(lang: str = "en") -> dict[int, str]:
    """Return the meaning of each exit code.

    Examples
    --------
    >>> exit_code_reference()[0], exit_code_reference("zh")[2]
    ('success', '命令行无效')
    """
    style = HelpStyle(lang)
    return {code: style.text(f"exit_{code}") for code in EXIT_CODES}
