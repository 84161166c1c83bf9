"""Texts of answers in every language."""

from __future__ import annotations

from collections.abc import Callable

from penjing.data.notes import Note
from penjing.errors import PenjingError
from penjing.i18n import LANGUAGES, catalogue, say

Text = dict[str, str]
"""A text in every language, by its code."""

PAGE_PREFIX = "lab_page_"
"""Messages of the page have keys that begin with this."""
LAB_SUFFIX = "_lab"
"""Messages with another form in the lab, which says what to click, have keys that end with this."""
SHEET_PREFIX = "sheet_"
"""Messages of worksheets, which exercises show as well; they keep their keys."""


def in_all(write: Callable[[str], str]) -> Text:
    """Return a text in every language.

    Examples
    --------
    >>> in_all(lambda lang: lang.upper())
    {'en': 'EN', 'zh': 'ZH'}
    """
    return {lang: write(lang) for lang in LANGUAGES}


def message(key: str, **values: object) -> Text:
    """Return a message of the catalogue in every language."""
    return in_all(lambda lang: say(key, lang, **values))


def _lab_key(key: str) -> str:
    """Return the key of the lab's form of a message; most messages have one form only."""
    lab_key = f"{key}{LAB_SUFFIX}"
    return lab_key if lab_key in catalogue("en") else key


def note_text(note: Note) -> Text:
    """Return a note in every language; it says what to click, not what to write in Python.

    Examples
    --------
    >>> note_text(Note("note_target_named", {"column": "class"}))["en"]
    "column 'class' is used as the target because of its name. Another one can be chosen below."
    """
    return in_all(Note(_lab_key(note.key), note.values).text)


def error_text(error: PenjingError) -> Text:
    """Return the message of an error in every language; it says what to click."""
    key = _lab_key(error.key)
    return in_all(error.say if key == error.key else lambda lang: say(key, lang, **error.values))


def pruner_label(name: str, lang: str) -> str:
    """Return what a pruning method is called; those of plug-ins have their names only.

    Examples
    --------
    >>> pruner_label("reduced-error", "zh"), pruner_label("my-pruner", "en")
    ('错误率降低剪枝', "pruning by 'my-pruner'")
    """
    key = f"method_{name.replace('-', '_')}"
    return say(key, lang) if key in catalogue(lang) else say("lab_other_pruner", lang, name=name)


def export_label(name: str, lang: str) -> str:
    """Return what a format is called; those of plug-ins have their names only.

    Examples
    --------
    >>> export_label("html", "en"), export_label("mine", "zh")
    ('web page (HTML)', 'mine')
    """
    return catalogue(lang).get(f"lab_export_{name}", name)


def page_words() -> dict[str, dict[str, str]]:
    """Return the texts of the page in every language, by key without its prefix."""
    return {
        lang: {
            key.removeprefix(PAGE_PREFIX): text
            for key, text in catalogue(lang).items()
            if key.startswith((PAGE_PREFIX, SHEET_PREFIX))
        }
        for lang in LANGUAGES
    }
