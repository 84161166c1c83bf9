"""Names in right-to-left scripts do not move the figures beside them."""

from __future__ import annotations

import re
import unicodedata

_START, _END = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate: a text between them has its own direction."""
ISOLATES = frozenset({_START, _END})
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
"""The blocks of scripts that are written from right to left, with their marks."""
_ANY = re.compile(rf"{_LETTER}|\u200f")
"""Nothing else has a direction from right to left."""
_WORD = rf"\w{{0,100}}{_LETTER}(?:\w|{_LETTER})*"
_NAMES = re.compile(
    rf"{_START}[^{_END}]*{_END}"  # is isolated already
    rf"|(?<!\w)(?P<quote>['\"])(?:(?!(?P=quote))[^\\]|\\.)*?{_LETTER}"
    rf"(?:(?!(?P=quote))[^\\]|\\.)*(?P=quote)(?!\w)"
    rf"|{_WORD}(?:[ -]+{_WORD})*"
)


def isolated(name: str) -> str:
    """Return a name that other text follows, marked as a unit if it is written from the right.

    Without the marks, ``(3)`` after a Hebrew name is drawn at its left, or within it.

    Examples
    --------
    >>> isolated("oak"), [f"{ord(c):04x}" for c in isolated(chr(0x5D0) + "2")]
    ('oak', ['2068', '05d0', '0032', '2069'])
    """
    if not _has_right_to_left(name):
        return name
    return f"{_START}{''.join(c for c in name if c not in ISOLATES)}{_END}"


def with_isolated_names(text: str) -> str:
    """Return a text in which each name that is written from the right is marked as a unit.

    A name is what stands between quotes, else words of such letters beside each other.

    Examples
    --------
    >>> with_isolated_names("oak 3"), len(with_isolated_names(f"{chr(0x5D0)} 3")) - 3
    ('oak 3', 2)
    """
    if not _has_right_to_left(text):
        return text
    return _NAMES.sub(lambda found: isolated(found[0]), text)


def _has_right_to_left(text: str) -> bool:
    """Return whether a text has letters that are written from right to left."""
    if _ANY.search(text) is None:
        return False
    return any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)
