"""The help of the commands: panels of options, in the language and width of the output.

Texts are looked up by key when help is printed; see :mod:`penjing.cli.parameters`. Plain text is
written here rather than by typer, whose help is in English, knows no panels without rich, and
counts a Chinese character as one column.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from typer.core import TyperCommand, TyperGroup

from penjing.cli.help_examples import HELP_EXAMPLES
from penjing.cli.parameters import OUTPUT, PANELS
from penjing.formatting.text_table import width as terminal_columns
from penjing.i18n import LANGUAGES, help_catalogue

COMMAND_GROUPS: dict[str, tuple[str, ...]] = {
    "grow": ("check", "fit", "prune", "edit", "import"),
    "understand": (
        "show",
        "draw",
        "why",
        "explain",
        "trace",
        "ruleset",
        "importance",
        "worksheet",
        "lab",
    ),
    "evaluate": ("test", "cross-validate", "compare", "bootstrap", "report", "drift"),
    "use": ("predict", "export"),
    "about": ("examples", "recipes", "plugins", "plugs", "completion"),
}
"""The commands in the order of the help, by what they are for."""
HIDDEN_COMMANDS = ("plugs",)
"""Former names of commands, which work but are not shown."""
EXIT_CODES = (0, 1, 2, 3, 4, 70, 130)
MAX_WIDTH, MIN_WIDTH = 100, 40
"""Help is not wider than this unless ``--width`` says so, and never narrower."""
MAX_NAME = 26
"""Longer names of options have their text on the next line."""


@dataclass(frozen=True)
class HelpStyle:
    """The language, width and colour of the help."""

    lang: str = "en"
    width: int = MAX_WIDTH
    color: str = "auto"

    @staticmethod
    def from_args(args: Sequence[str]) -> HelpStyle:
        """Return the style that arguments ask for, which need not be a valid command line.

        Examples
        --------
        >>> HelpStyle.from_args(["fit", "--help", "--lang=zh", "--width", "60"])
        HelpStyle(lang='zh', width=60, color='auto')
        """
        width = requested_value(args, "--width")
        color = requested_value(args, "--color")
        columns = min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH)
        return HelpStyle(
            requested_language(args),
            max(int(width) if width.isdecimal() else columns, MIN_WIDTH),
            color if color in ("always", "never") else "auto",
        )

    def text(self, key: str, **values: object) -> str:
        """Return a text of the help."""
        text = help_catalogue(self.lang)[key]
        return text.format(**values) if values else text

    @property
    def is_bold(self) -> bool:
        """Whether headings are bold."""
        if self.color != "auto":
            return self.color == "always"
        is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return sys.stdout.isatty() and not is_plain

    def heading(self, title: str) -> str:
        """Return the first line of a panel."""
        text = self.text("word_heading", title=title)
        return f"\x1b[1m{text}\x1b[0m" if self.is_bold else text


def requested_value(args: Sequence[str], option: str) -> str:
    """Return the value of an option that is given as two words or with ``=``; else ""."""
    for at, word in enumerate(args):
        name, sign, value = word.partition("=")
        if name == option:
            return value if sign else "".join(args[at + 1 : at + 2])
    return ""


def requested_language(args: Sequence[str]) -> str:
    """Return the language of ``--lang``, else that of the locale.

    Examples
    --------
    >>> requested_language(["why", "--lang", "zh"]), requested_language(["why", "--lang=en"])
    ('zh', 'en')
    """
    from penjing.cli.console import locale_language  # noqa: PLC0415 - needed for help only

    value = requested_value(args, "--lang")
    return value if value in LANGUAGES else locale_language()


# -- what the help says, as plain data ---------------------------------------------------------


@dataclass(frozen=True)
class OptionHelp:
    """The help of an argument or option: names, value, text, default, panel."""

    names: tuple[str, ...]
    value: str
    text: str
    default: str
    panel: str
    is_required: bool

    def name_text(self) -> str:
        """Return the names with the value, as the help lists them."""
        return f"{', '.join(self.names)} {self.value}".strip()

    def full_text(self, style: HelpStyle) -> str:
        """Return the text with default and "required" in brackets."""
        notes = [style.text("word_default", default=self.default)] if self.default else []
        notes += [style.text("word_required")] if self.is_required else []
        if not notes:
            return self.text
        brackets = style.text("word_brackets", text=style.text("word_join").join(notes))
        return f"{self.text}{style.text('word_gap')}{brackets}"


def option_help(parameter: Any, style: HelpStyle) -> OptionHelp:  # noqa: ANN401 - of typer
    """Return the help of a parameter of a command."""
    is_option = parameter.param_type_name == "option"
    names = sorted(parameter.opts, key=lambda name: name.startswith("--")) if is_option else []
    if parameter.secondary_opts:
        names = [f"{'/'.join([*names, *parameter.secondary_opts])}"]
    key = "help" if parameter.name == "help" else parameter.help
    return OptionHelp(
        tuple(names),
        "" if parameter.name == "help" else metavar_text(parameter.metavar or "", style.lang),
        style.text(f"option_{key}"),
        _default_text(parameter, style),
        getattr(parameter, "rich_help_panel", None) or OUTPUT,  # --help of older versions has none
        bool(parameter.required),
    )


def metavar_text(metavar: str, lang: str) -> str:
    """Return what stands for a value, in a language; words that are values stay as they are.

    Examples
    --------
    >>> metavar_text("JSON|FILE", "zh"), metavar_text("COLUMN=NUMBER,…", "zh")
    ('JSON|文件', '列=数值,…')
    """
    texts = help_catalogue(lang)
    return re.sub(r"[A-Z]+", lambda word: texts.get(f"metavar_{word[0]}", word[0]), metavar)


def _default_text(parameter: Any, style: HelpStyle) -> str:  # noqa: ANN401 - of typer
    """Return the default of an option; empty for switches and where there is none."""
    shown = parameter.show_default
    if isinstance(shown, str):
        return help_catalogue(style.lang).get(shown, shown)
    default = parameter.default
    if default is None or parameter.required:
        return ""
    if isinstance(default, bool):
        names = parameter.opts if default else parameter.secondary_opts
        return str(names[0]) if parameter.secondary_opts else ""
    return str(default.value if isinstance(default, Enum) else default)


def panels_of(command: Any, ctx: Any, style: HelpStyle) -> dict[str, list[OptionHelp]]:  # noqa: ANN401
    """Return the visible arguments and options of a command, by panel."""
    shown = [p for p in command.get_params(ctx) if not getattr(p, "hidden", False)]
    # Arguments first, and how tables are read after what a command is for.
    shown.sort(key=lambda p: (p.param_type_name != "argument", p.name.startswith("reading_")))
    options = [option_help(parameter, style) for parameter in shown]
    return {panel: found for panel in PANELS if (found := [o for o in options if o.panel == panel])}


def usage_text(ctx: Any, style: HelpStyle) -> str:  # noqa: ANN401 - a context of typer
    """Return the usage line of a command."""
    command = ctx.command
    words = [ctx.command_path, style.text("word_options")]
    if hasattr(command, "commands"):
        words.append(style.text("word_command"))
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == "argument":
            name = metavar_text(parameter.metavar or "", style.lang)
            words.append(name if parameter.required else f"[{name}]")
    return style.text("word_usage") + " ".join(words)


# -- the page -----------------------------------------------------------------------------------


def help_page(ctx: Any, style: HelpStyle) -> str:  # noqa: ANN401 - a context of typer
    """Return the help of a command, or of the program."""
    command = ctx.command
    is_program = hasattr(command, "commands")
    if is_program:
        about = wrap(style.text("word_program"), style.width)
    else:
        about = wrap(style.text(f"command_{command.name}"), style.width)
        about += wrap(style.text(f"about_{command.name}"), style.width)
    panels: dict[str, list[tuple[str, str]]] = {}
    for group, names in COMMAND_GROUPS.items() if is_program else ():
        panels[style.text(f"group_{group}")] = [
            (name, style.text(f"command_{name}"))
            for name in names
            if not command.commands[name].hidden
        ]
    for panel, options in panels_of(command, ctx, style).items():
        title = style.text("panel_options" if is_program else f"panel_{panel}")
        panels[title] = [(_indented(option), option.full_text(style)) for option in options]
    if is_program:
        codes = [(str(code), style.text(f"exit_{code}")) for code in EXIT_CODES]
        panels[style.text("word_exit_codes")] = codes
    lines = [usage_text(ctx, style), "", *about]
    sizes = [terminal_columns(name) for rows in panels.values() for name, _ in rows]
    left = max(size for size in sizes if size <= MAX_NAME)
    for title, rows in panels.items():
        lines += ["", style.heading(title), *_rows(rows, left, style.width)]
    lines += ["", style.heading(style.text("word_examples"))]
    lines += [f"  {line}" for line in HELP_EXAMPLES["" if is_program else command.name]]
    lines += ["", *wrap(style.text("word_more"), style.width)] if is_program else []
    return "\n".join(lines)


def _indented(option: OptionHelp) -> str:
    """Return the names of an option; long names stand below each other."""
    is_long = option.names and option.names[0].startswith("--")
    return f"    {option.name_text()}" if is_long else option.name_text()


def _rows(rows: Sequence[tuple[str, str]], names: int, width: int) -> Iterable[str]:
    """Yield lines with names on the left, ``names`` columns wide, and texts on the right."""
    left = 2 + names + 2
    for name, text in rows:
        wrapped = wrap(text, max(width - left, 20))
        start = f"  {name}"
        if terminal_columns(start) + 2 > left:
            yield start
            start = ""
        yield start + " " * (left - terminal_columns(start)) + wrapped[0]
        yield from (" " * left + line for line in wrapped[1:])


_OPENING, _CLOSING = "（“［《", "，。、；：？！）”］》"
_WIDE = "\u3400-\u9fff"
_TOKEN = re.compile(
    rf"""\s+|`[^`]*`[{_CLOSING}]*|['{{\[]*"[^"]*"['\]}},:]*[{_CLOSING}]*|[a-z]+:[{_WIDE}]+"""
    rf"|［[^］]{{1,12}}］|\[\w+: [^\s\]]+\]"
    rf"|[{_OPENING}]*(?:[{_WIDE}]|[^\s`{_WIDE}{_OPENING}{_CLOSING}]+)[{_CLOSING}]*|."
)
"""What a line is not broken inside of: a word, a command, a default, a character and its marks."""


def wrap(text: str, width: int) -> list[str]:
    """Return the lines of a text, broken at blanks and between Chinese characters.

    Examples
    --------
    >>> wrap("Limit the depth of the tree.", 16)
    ['Limit the depth', 'of the tree.']
    >>> wrap("限制树的深度，如 3。", 10)
    ['限制树的深', '度，如 3。']
    """
    lines, line, columns = [], "", 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        size = terminal_columns(token)
        if line and columns + terminal_columns(token.rstrip()) > width:
            lines.append(line.rstrip())
            line, columns = "", 0
        if line or not token.isspace():
            line, columns = line + token, columns + size
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


class _TranslatedHelp:
    """What commands and the program have in common: help and completions by key."""

    def get_help(self, ctx: Any) -> str:  # noqa: ANN401 - a context of typer
        """Return the help in the style that the program was started with."""
        style = _style_of(ctx)
        ctx.color = style.is_bold
        return help_page(ctx, style)

    def get_usage(self, ctx: Any) -> str:  # noqa: ANN401 - a context of typer
        """Return the usage line."""
        return usage_text(ctx, _style_of(ctx))

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - of typer
        """Return the summary of the command, for completions."""
        name: Any = getattr(self, "name", "")
        return help_catalogue(requested_language(())).get(f"command_{name}", "")

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # noqa: ANN401 - of typer
        """Return completions, with the texts of options."""
        items: list[Any] = super().shell_complete(ctx, incomplete)  # type: ignore[misc]
        texts = help_catalogue(requested_language(()))
        for item in items:
            item.help = texts.get(f"option_{item.help}", item.help)
        return items


def _style_of(ctx: Any) -> HelpStyle:  # noqa: ANN401 - a context of typer
    return ctx.obj if isinstance(ctx.obj, HelpStyle) else HelpStyle.from_args(())


class HelpCommand(_TranslatedHelp, TyperCommand):
    """A command with our help."""


class HelpGroup(_TranslatedHelp, TyperGroup):
    """The program with our help."""
