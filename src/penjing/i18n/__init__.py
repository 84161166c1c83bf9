"""Every sentence a person reads, in every language: one key, one catalogue per language."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Self

LANGUAGES = ("en", "zh")

_make_error: Callable[[object], Exception] = LookupError


def set_unknown_language_error(make: Callable[[object], Exception]) -> None:
    """Let a layer above say how an unknown language is refused; this layer has no errors."""
    global _make_error  # noqa: PLW0603 - set once, when penjing.errors is imported
    _make_error = make


def catalogue(lang: str) -> dict[str, str]:
    """Return the sentences of one language, by key."""
    if not isinstance(lang, str) or lang not in LANGUAGES:
        raise _make_error(lang)
    return _messages(lang)


@cache
def _messages(lang: str) -> dict[str, str]:
    # Imported when first used: a session mostly needs one language.
    if lang == "zh":
        from penjing.i18n import zh  # noqa: PLC0415

        return zh.MESSAGES
    from penjing.i18n import en  # noqa: PLC0415

    return en.MESSAGES


@cache
def _system_reasons(lang: str) -> dict[str, str]:
    """Return the phrases of the operating system, which speaks English, in another language."""
    if lang == "zh":
        from penjing.i18n import zh  # noqa: PLC0415

        return {os.strerror(number): text for number, text in zh.SYSTEM_REASONS.items()}
    return {}


@cache
def help_catalogue(lang: str) -> dict[str, str]:
    """Return the texts of the command's help and of its usage errors, by key."""
    # Apart from the messages: a command that runs needs none of them.
    if lang == "zh":
        from penjing.i18n import help_zh  # noqa: PLC0415

        return help_zh.HELP
    from penjing.i18n import help_en  # noqa: PLC0415

    return help_en.HELP


def add_messages(lang: str, messages: dict[str, str]) -> None:
    """Add sentences to a catalogue, for dialects and plug-ins that bring their own.

    A key that the catalogue has already with another text is refused, so that nothing is replaced
    by accident.

    Examples
    --------
    >>> add_messages("en", {"my_dialect_note": "{column} was rounded."})
    >>> say("my_dialect_note", column="age")
    'age was rounded.'
    """
    known = catalogue(lang)
    if taken := sorted(key for key in messages if known.get(key, messages[key]) != messages[key]):
        problem = f"the {lang} catalogue has these messages already: {', '.join(taken)}"
        raise KeyError(problem)
    known.update(messages)


def count_text(count: object) -> str:
    """Return a count with thousands separators; a count that is text already may have decimals.

    Examples
    --------
    >>> count_text(9), count_text(10_000), count_text("1234567.5"), count_text("-")
    ('9', '10,000', '1,234,567.5', '-')
    """
    text = str(count)
    whole, point, decimals = text.partition(".")
    return f"{int(whole):,}{point}{decimals}" if whole.isascii() and whole.isdigit() else text


def number_text(value: float) -> str:
    """Return a number with all digits that a reader can mean, and no others.

    Examples
    --------
    >>> number_text(2_000_001.0), number_text(0.1 + 0.2), number_text(1e-9)
    ('2000001', '0.3', '1e-09')
    """
    return format(value + 0.0, _DIGITS)


_DIGITS = ".15g"
"""A double has a digit or two more, which are rounding errors of arithmetic."""


class Names(str):
    """Names in a sentence; each language puts its own comma between them.

    As plain text, in JSON for example, they have the English comma.

    Examples
    --------
    >>> known = Names(["id3", "c4.5"])
    >>> known, say("unknown_view", "zh", word="x", known=known)
    ('id3, c4.5', '没有名为“x”的视图。可选：id3、c4.5。')
    """

    __slots__ = ("names",)
    names: tuple[str, ...]

    def __new__(cls, names: Iterable[object]) -> Self:
        """Keep the names apart from the text."""
        listed = tuple(map(str, names))
        text = super().__new__(cls, ", ".join(listed))
        text.names = listed
        return text

    def __getnewargs__(self) -> tuple[tuple[str, ...]]:  # type: ignore[override]
        """Make copies and pickles from the names, not from the text."""
        return (self.names,)


class Word(str):
    """The key of a word in a sentence; each language says its own word.

    As plain text, in JSON for example, it is the key.

    Examples
    --------
    >>> say("edit_leaf_already", "zh", node=Word("root"))
    '结点“根结点”已经是叶结点。'
    """

    __slots__ = ()


@cache
def _parts(text: str) -> tuple[tuple[str, str | None, str, str | None], ...]:
    """Return the parts of a sentence: text, then the name, format and conversion of a value."""
    return tuple(
        (before, name, spec or "", conversion)
        for before, name, spec, conversion in string.Formatter().parse(text)
    )


def _filled(text: str, lang: str, values: Mapping[str, object]) -> str:
    """Return a sentence with its values; ``{n:,}`` is a count.

    Pictures have thousands of sentences, for which `string.Formatter` is too slow.
    """
    filled = []
    for before, name, spec, conversion in _parts(text):
        filled.append(before)
        if name is not None:
            value = values[name]
            filled.append(_value_text(repr(value) if conversion == "r" else value, spec, lang))
    return "".join(filled)


def _value_text(value: object, spec: str, lang: str) -> str:
    if isinstance(value, Names):
        return catalogue(lang)["list_comma"].join(value.names)
    if isinstance(value, Word):
        return catalogue(lang)[value]
    return count_text(value) if spec == "," else format(value, _DIGITS if spec == "g" else spec)


def say_for(command: bool, key: str, lang: str = "en", /, **values: object) -> str:  # noqa: FBT001
    """Return a sentence for Python, or for the command: a key that ends in ``_cli`` names options.

    Examples
    --------
    >>> say_for(False, "permutation_needs_data").split("Give them")[1]
    ": importances('permutation', data=rows)."
    >>> say_for(True, "permutation_needs_data").split("Give them")[1]
    ' with --data FILE.'
    """
    command_key = f"{key}_cli"
    return say(command_key if command and command_key in catalogue(lang) else key, lang, **values)


_SOURCES = frozenset(("source", "path"))
"""The values of messages that name a source."""


@cache
def _source_names(lang: str) -> dict[str, str]:
    """Return what sources without a file name are called in a language."""
    if lang == "zh":
        from penjing.i18n import zh  # noqa: PLC0415 - loaded when needed

        return zh.SOURCE_NAMES
    return {}


def say(key: str, lang: str = "en", /, **values: object) -> str:
    """Return a sentence with its values filled in.

    A key that ends in ``_one`` is the English singular of the key without it and is taken
    when the value ``n`` is 1 and the language has one.

    Examples
    --------
    >>> say("leaves", n=1), say("leaves", n=8), say("leaves", "zh", n=8)
    ('1 leaf', '8 leaves', '8 个叶结点')
    """
    messages = catalogue(lang)
    if isinstance(reason := values.get("reason"), str):
        values["reason"] = _system_reasons(lang).get(reason, reason)
    for name in _SOURCES & values.keys():
        if isinstance(source := values[name], str):
            values[name] = _source_names(lang).get(source, source)
    if values.get("n") == 1 and f"{key}_one" in messages:
        key = f"{key}_one"
    return _filled(messages[key], lang, values)
