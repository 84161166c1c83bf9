"""Aligned text columns, in which a wide character takes two columns of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from penjing.text.font_metrics import terminal_columns as width

__all__ = ["align_left", "align_right", "clip", "headings", "max_width", "width"]

GAP = 4
"""The distance between headings, where they stay above their numbers."""
DRIFT = 2
"""The largest distance by which a heading may end before its numbers."""


def align_left(text: str, places: int) -> str:
    """Return a text padded with blanks on the right, to a width."""
    return text + " " * (places - width(text))


def align_right(text: str, places: int) -> str:
    """Return a text padded with blanks on the left, to a width.

    Examples
    --------
    >>> [align_right("否", 4), align_right("no", 4)]
    ['  否', '  no']
    """
    return " " * (places - width(text)) + text


def clip(text: str, places: int, *, dots: str = "…") -> str:
    """Return a text shortened to a width; dots mark where it was cut.

    Examples
    --------
    >>> clip("texture", 5), clip("纹理清晰", 5), clip("纹理", 5)
    ('text…', '纹理…', '纹理')
    """
    if width(text) <= places:
        return text
    clipped, remaining = "", places - width(dots)
    for c in text:
        if (remaining := remaining - width(c)) < 0:
            break
        clipped += c
    return clipped + dots


def headings(words: Sequence[str], ends: Sequence[int]) -> str:
    """Return headings above numbers that end at these columns.

    A heading ends where its numbers end, or a little earlier if that leaves four blanks after the
    previous heading.

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
