"""Messages for invalid command lines, in the language of the output."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from penjing.cli.console import locale_language
from penjing.i18n import LANGUAGES, say


def requested_language(args: list[str]) -> str:
    """Return the language of ``--lang``, else that of the locale.

    Examples
    --------
    >>> requested_language(["why", "--lang", "zh"]), requested_language(["why", "--lang=en"])
    ('zh', 'en')
    """
    for at, word in enumerate(args):
        name, _, value = word.partition("=")
        if name == "--lang":
            value = value or (args[at + 1] if at + 1 < len(args) else "")
            if value in LANGUAGES:
                return value
    return locale_language()


def print_usage_error(error: Any, args: list[str]) -> None:  # noqa: ANN401 - a usage error of typer
    """Print the message of a usage error; in English it is the parser's own."""
    lang = requested_language(args)
    if lang == "en":
        error.show()
        return
    usage = error.ctx.get_usage() if getattr(error, "ctx", None) else ""
    usage = re.sub("^Usage: ", say("usage_usage", lang), usage)
    usage = re.sub(
        r"(?<=[\[{])[A-Za-z]{2,}",
        lambda word: _CHINESE_METAVARS.get(word[0].upper(), word[0]),
        usage,
    )
    sentence = say("word_error", lang) + _translate(error, lang)
    sys.stderr.write("\n".join(filter(None, (usage, sentence))) + "\n")


_CHINESE_METAVARS = {
    "OPTIONS": "选项", "COMMAND": "命令", "ARGS": "参数", "DATA": "数据", "MODEL": "模型",
    "NODE": "结点", "NAME": "名称", "RECIPE": "配方", "SHELL": "外壳",
}  # fmt: skip
"""Names of arguments in the usage line."""
_VALUE_ERRORS = (
    (r"valid integer|valid int\b", "usage_why_integer"),
    (r"valid number|valid float", "usage_why_number"),
    (r"valid boolean", "usage_why_yes_no"),
    (r"(?:greater than or equal to|at least|x>=) ?(?P<least>\S+)$", "usage_why_least"),
    (r"(?:less than or equal to|at most|x<=) ?(?P<most>\S+)$", "usage_why_most"),
    (r"greater than (?P<least>\S+)$", "usage_why_above"),
    (r"less than (?P<most>\S+)$", "usage_why_under"),
    (r"is not one of (?P<known>.+?)\.?$", "usage_why_one_of"),
)
"""The parser's reasons for refusing a value, and the keys of our messages."""
_OTHER_ERRORS = (
    (r"unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)", "usage_too_many"),
    (r"Option '(?P<word>.*?)' requires", "usage_no_value"),
    (r"Option '(?P<word>.*?)' does not take a value", "usage_takes_no_value"),
    (r"Argument '(?P<word>.*?)' takes (?P<n>\d+) values", "usage_n_values"),
    (r"No such command '(?P<word>.*?)'\. Did you mean '(?P<near>.*?)'", "usage_no_command_near"),
    (r"No such command '(?P<word>.*?)'", "usage_no_command"),
    (r"^Missing command", "usage_no_verb"),
)
"""The parser's other messages, and the keys of ours."""


def _translate(error: Any, lang: str) -> str:  # noqa: ANN401 - as above
    kind = type(error).__name__
    if kind == "NoArgsIsHelpError":
        return say("usage_no_verb", lang, verbs=_command_list(lang))
    message = str(error.format_message())
    if kind == "NoSuchOption":
        near = ", ".join(getattr(error, "possibilities", None) or ())
        key = "usage_no_option_near" if near else "usage_no_option"
        return say(key, lang, word=error.option_name, near=near)
    parameter = getattr(error, "param", None)
    names = list(getattr(parameter, "opts", None) or ())
    name = names[0] if names else ""
    word = name if name[:1] == "-" else _CHINESE_METAVARS.get(name.upper(), name.upper())
    if kind == "MissingParameter":
        return say("usage_lacking", lang, word=word)
    if kind == "BadParameter" and name:
        why = _translate_message(_VALUE_ERRORS, str(error.message), lang)
        return say("usage_bad_value" if why else "usage_bad_value_plain", lang, word=word, why=why)
    return _translate_message(_OTHER_ERRORS, message, lang) or say("usage_other", lang)


def _translate_message(patterns: Sequence[tuple[str, str]], message: str, lang: str) -> str:
    """Return the translation of a parser message; empty if no pattern matches."""
    for pattern, key in patterns:
        if match := re.search(pattern, message):
            return say(key, lang, **match.groupdict(), verbs=_command_list(lang))
    return ""


def _command_list(lang: str) -> str:
    from penjing.cli.app import COMMANDS  # noqa: PLC0415 - app imports this package

    return say("list_comma", lang).join(COMMANDS)
