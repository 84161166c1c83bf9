"""Messages for invalid command lines, in the language of the output."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from penjing.cli.help_page import HelpStyle, metavar_text, requested_value, usage_text
from penjing.cli.parameters import CHOICES
from penjing.errors import closest_match
from penjing.i18n import say

_NUMBERS = {"INT": "usage_why_integer", "NUMBER": "usage_why_number", "SHARE": "usage_why_number"}
"""What the value of an option must be, by what stands for it in the help."""
_OTHER_ERRORS = (
    (r"unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)", "usage_too_many"),
    (r"Option '(?P<word>.*?)' requires", "usage_no_value"),
    (r"Option '(?P<word>.*?)' does not take a value", "usage_takes_no_value"),
)
"""Messages of the parser that have no class of their own, and the keys of ours."""


def print_usage_error(error: Any, args: Sequence[str]) -> None:  # noqa: ANN401 - of typer
    """Print the usage line of the command, what is wrong, and where to read on.

    Without a command, the help is printed instead.
    """
    style, ctx = HelpStyle.from_args(args), getattr(error, "ctx", None)
    is_lacking_command = type(error).__name__ == "NoArgsIsHelpError" or (
        str(error.format_message()).startswith("Missing command")
    )
    if ctx is not None and is_lacking_command:
        sys.stderr.write(ctx.get_help() + "\n")
        return
    lines = [] if ctx is None else [usage_text(ctx, style)]
    lines.append(say("word_error", style.lang) + usage_error_text(error, args, style))
    if ctx is None or not hasattr(ctx.command, "commands"):
        command = f"penjing {args[0]}" if ctx is None and args else getattr(ctx, "command_path", "")
        lines.append(style.text("usage_try", command=command))
    sys.stderr.write("\n".join(lines) + "\n")


def usage_error_text(error: Any, args: Sequence[str], style: HelpStyle) -> str:  # noqa: ANN401
    """Return what is wrong with a command line; the parser's own text is never shown."""
    kind, ctx = type(error).__name__, getattr(error, "ctx", None)
    if kind == "NoSuchOption":
        return _unknown_option(error.option_name, ctx, style)
    message = str(error.format_message())
    if found := re.match(r"No such command '(?P<word>.*?)'", message):
        return _unknown_command(found["word"], ctx, style)
    parameter = getattr(error, "param", None)
    if kind == "MissingParameter" and parameter is not None:
        return _missing(parameter, style)
    if kind == "BadParameter" and parameter is not None:
        return _bad_value(parameter, args, str(error.message), style)
    for pattern, key in _OTHER_ERRORS:
        if found := re.search(pattern, message):
            return style.text(key, **found.groupdict())
    return style.text("usage_other")


def _unknown_option(word: str, ctx: Any, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    parameters = [] if ctx is None else ctx.command.get_params(ctx)
    known = [
        name
        for parameter in parameters
        if parameter.param_type_name == "option" and not parameter.hidden
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    ]
    # Without the dashes, which would make all options alike.
    near = closest_match(word[2:], [name[2:] for name in known]) if word[:2] == "--" else None
    key = "usage_no_option" if near is None else "usage_no_option_near"
    return style.text(key, word=word, near=f"--{near}")


def _unknown_command(word: str, ctx: Any, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    commands = {} if ctx is None else getattr(ctx.command, "commands", {})
    near = closest_match(word, [name for name in commands if not commands[name].hidden])
    key = "usage_no_command" if near is None else "usage_no_command_near"
    return style.text(key, word=word, near=near)


def _name(parameter: Any, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    """Return the longest name of an option, or what stands for an argument."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return metavar_text(parameter.metavar or "", style.lang)


def _missing(parameter: Any, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    is_option = parameter.param_type_name == "option"
    key = "usage_missing_option" if is_option else "usage_missing_argument"
    return style.text(key, word=_name(parameter, style))


def _bad_value(parameter: Any, args: Sequence[str], message: str, style: HelpStyle) -> str:  # noqa: ANN401
    given = [found for name in parameter.opts if (found := requested_value(args, name))]
    quoted = re.search(r"'(.*?)' is not one of", message)
    value: str | None = given[-1] if given else None if quoted is None else quoted[1]
    if value is not None and value.startswith("--"):  # the next option was taken for the value
        return style.text("usage_no_value", word=_name(parameter, style))
    word, why = _name(parameter, style), _reason(parameter, value, style)
    is_word = parameter.param_type_name != "option"  # an option's name stands apart in Chinese, too
    key = "usage_bad_argument" if is_word else "usage_bad_value"
    if value is None:
        return style.text(f"{key}_unknown", word=word, why=why)
    return style.text(key, word=word, value=value, why=why)


def _reason(parameter: Any, value: str | None, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    """Return what the value of an option must be."""
    metavar = parameter.metavar or ""
    if names := CHOICES.get(metavar, metavar if "|" in metavar else ""):
        known = say("list_comma", style.lang).join(names.split("|"))
        return style.text("usage_why_one_of", known=known)
    if metavar not in _NUMBERS:
        return style.text("usage_why_other")
    least, most = (_limit(parameter, name) for name in ("min", "max"))
    if least is None or not _is_number(value, is_whole=metavar == "INT"):
        return style.text(_NUMBERS[metavar])
    if most is None:
        return style.text("usage_why_least", least=f"{least:g}")
    return style.text("usage_why_between", least=f"{least:g}", most=f"{most:g}")


def _is_number(value: str | None, *, is_whole: bool) -> bool:
    try:
        (int if is_whole else float)(value or "")
    except ValueError:
        return False
    return True


def _limit(parameter: Any, name: str) -> float | None:  # noqa: ANN401 - of typer
    """Return a limit of a number; older versions of typer keep it with the type."""
    limit: float | None = getattr(parameter, name, None)
    return limit if limit is not None else getattr(getattr(parameter, "type", None), name, None)
