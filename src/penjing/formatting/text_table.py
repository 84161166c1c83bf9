"""Aligned text columns, in which a wide character takes two columns of the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

__all__ = [
    "align_left", "align_right", "clip", "dots", "headings", "last_steps", "max_width",
    "right_aligned", "table_lines", "width",
]  # fmt: skip

GAP = 4
"""The distance between headings, where they stay above their numbers."""
DRIFT = 2
"""The largest distance by which a heading may end before its numbers."""


def width(text: str) -> int:
    """Return the width of a text in a terminal; wide East Asian characters take two columns.

    Examples
    --------
    >>> width("纹理 = a")
    8
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


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


def dots(*, ascii_only: bool = False) -> str:
    """Return the sign for what is left out."""
    return "..." if ascii_only else "…"


def last_steps(steps: Sequence[str], most: int, *, ascii_only: bool = False) -> list[str]:
    """Return the last steps of a path, after dots if others are left out.

    Examples
    --------
    >>> last_steps(["texture = clear", "root = curled", "colour = dark"], 2)
    ['…', 'root = curled', 'colour = dark']
    """
    left_out = [dots(ascii_only=ascii_only)] if len(steps) > most else []
    return [*left_out, *steps[-most:]]


def right_aligned(
    rows: Sequence[Sequence[str]], gaps: Sequence[int] | int = 2, least: int = 0
) -> list[str]:
    """Return rows of cells as lines; every column ends where its widest cell ends.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells of each row, those of the heading first.
    gaps : int or sequence of int
        The blanks before the widest cell, of all columns or of each.
    least : int
        The least width of a column.

    Examples
    --------
    >>> right_aligned([["rows", "test"], ["10", "0.500"]])
    ['  rows   test', '    10  0.500']
    """
    columns = list(zip(*rows, strict=True))
    gaps = [gaps] * len(columns) if isinstance(gaps, int) else gaps
    widths = [max(least, max_width(c) + gap) for c, gap in zip(columns, gaps, strict=True)]
    return ["".join(map(align_right, row, widths)) for row in rows]


def table_lines(
    rows: Sequence[Sequence[str]],
    gaps: Sequence[int] | int = 2,
    *,
    least_name: int = 0,
    least: int = 0,
) -> list[str]:
    """Return rows of a name and cells as lines: names to the left, cells to the right.

    Examples
    --------
    >>> table_lines([["class", "recall"], ["yes", "1.000"]])
    ['class  recall', 'yes     1.000']
    """
    names = [name for name, *_ in rows]
    name_width = max_width(names, least_name)
    cells = right_aligned([cells for _, *cells in rows], gaps, least)
    return [align_left(name, name_width) + line for name, line in zip(names, cells, strict=True)]


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
