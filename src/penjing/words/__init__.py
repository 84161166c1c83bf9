"""Every sentence a person reads, in every language: one key, one catalogue per language."""

from __future__ import annotations

from functools import cache
from importlib import import_module

LANGUAGES = ("en", "zh")


def catalogue(lang: str) -> dict[str, str]:
    """Return the sentences of one language, by key."""
    if not isinstance(lang, str) or lang not in LANGUAGES:  # by name: errors stand above words
        raise import_module("penjing.errors").unknown(
            "unknown_plug", lang, LANGUAGES, socket="language"
        )
    return _sentences(lang)


@cache
def _sentences(lang: str) -> dict[str, str]:
    words: dict[str, str] = import_module(f"penjing.words.{lang}").WORDS
    return words


def say(key: str, lang: str = "en", /, **values: object) -> str:
    """Return a sentence with its values filled in.

    A key that ends in ``_one`` is the English singular of the key without it and is taken
    when the value ``n`` is 1 and the language has one.

    Examples
    --------
    >>> say("leaves", n=1), say("leaves", n=8), say("leaves", "zh", n=8)
    ('1 leaf', '8 leaves', '8 个叶结点')
    """
    words = catalogue(lang)
    if values.get("n") == 1 and f"{key}_one" in words:
        key = f"{key}_one"
    return words[key].format(**values)
