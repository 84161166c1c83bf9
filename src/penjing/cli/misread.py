"""A command line that cannot be read, told in the reader's language."""

from __future__ import annotations

import re
import sys
from typing import Any

from penjing.cli.say import language
from penjing.words import LANGUAGES, say


def asked_language(args: list[str]) -> str:
    """Return the language that a command line asks for, else the locale's.

    Examples
    --------
    >>> asked_language(["why", "--lang", "zh"]), asked_language(["why", "--lang=en"])
    ('zh', 'en')
    """
    for at, word in enumerate(args):
        name, _, value = word.partition("=")
        if name == "--lang":
            value = value or (args[at + 1] if at + 1 < len(args) else "")
            if value in LANGUAGES:
                return value
    return language()


def tell(error: Any, args: list[str]) -> None:  # noqa: ANN401 - typer's own, of many names
    """Say what is wrong with a command line; in English the parser has its own words."""
    lang = asked_language(args)
    if lang == "en":
        error.show()
        return
    usage = error.ctx.get_usage() if getattr(error, "ctx", None) else ""
    usage = re.sub("^Usage: ", say("usage_usage", lang), usage)
    sentence = say("word_error", lang) + _sentence(error, lang)
    sys.stderr.write("\n".join(filter(None, (usage, sentence))) + "\n")


def _sentence(error: Any, lang: str) -> str:  # noqa: ANN401 - as above
    kind = type(error).__name__
    message = str(error.format_message())
    if kind == "NoSuchOption":
        near = ", ".join(getattr(error, "possibilities", None) or ())
        key = "usage_no_option_near" if near else "usage_no_option"
        return say(key, lang, word=error.option_name, near=near)
    if found := re.match(r"No such command '(.*)'", message):
        return say("usage_no_command", lang, word=found[1])
    parameter = getattr(error, "param", None)
    names = list(getattr(parameter, "opts", None) or ())
    name = names[0] if names else ""
    if kind == "MissingParameter":
        return say("usage_lacking", lang, word=name if name[:1] == "-" else name.upper())
    if kind == "BadParameter" and name:
        return say("usage_bad_value", lang, word=name, why=error.message)
    return say("usage_other", lang, why=message)
