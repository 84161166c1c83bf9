"""Text in columns that stay straight: a wide character takes two places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from penjing.text.font_metrics import terminal_columns as width

__all__ = ["align_left", "align_right", "clip", "headings", "max_width", "width"]

GAP = 4
"""Headings stand this far apart where that keeps them over their numbers."""
DRIFT = 2
"""A heading may end this far before its numbers do."""


def align_left(text: str, places: int) -> str:
    """Return a text with blanks after it, up to so many places."""
    return text + " " * (places - width(text))


def align_right(text: str, places: int) -> str:
    """Return a text with blanks before it, up to so many places.

    Examples
    --------
    >>> [align_right("否", 4), align_right("no", 4)]
    ['  否', '  no']
    """
    return " " * (places - width(text)) + text


def clip(text: str, places: int, *, dots: str = "…") -> str:
    """Return a text cut to so many places; where it is cut, dots say so.

    Examples
    --------
    >>> clip("texture", 5), clip("纹理清晰", 5), clip("纹理", 5)
    ('text…', '纹理…', '纹理')
    """
    if width(text) <= places:
        return text
    kept, room = "", places - width(dots)
    for c in text:
        if (room := room - width(c)) < 0:
            break
        kept += c
    return kept + dots


def headings(words: Sequence[str], ends: Sequence[int]) -> str:
    """Return headings over numbers that end at these places.

    A heading ends where its numbers end, or a little earlier where four blanks after the one
    before it are enough.

    Examples
    --------
    >>> headings(["Ent after", "gain"], [11, 20])
    '  Ent after    gain'
    """
    line = ""
    for word, end in zip(words, ends, strict=True):
        aligned = end - width(word)
        near = width(line) + GAP
        start = near if aligned - DRIFT <= near < aligned else aligned
        line += " " * (start - width(line)) + word
    return line


def max_width(texts: Iterable[str], least: int = 0) -> int:
    """Return the width of the widest text, but not less than ``least``."""
    return max(least, *(width(text) for text in texts), 0)
