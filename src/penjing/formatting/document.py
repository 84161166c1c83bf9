"""A document of headings, paragraphs, formulas and tables, for writers of several formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from penjing.formatting.math_formula import Formula


@dataclass(frozen=True)
class Strong:
    """A text that stands out."""

    text: str


@dataclass(frozen=True)
class Blank:
    """A gap to be filled in by hand.

    Parameters
    ----------
    key : str
        The identifier of the gap, which is unique in its document.
    size : int
        Its width in characters.
    """

    key: str
    size: int = 6


Inline = str | Strong | Blank | Formula
Line = Inline | Sequence[Inline]
"""One piece of a line, or several."""


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the largest below the title."""

    line: Line
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    line: Line


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    lines: Sequence[Line]


@dataclass(frozen=True)
class FormulaLine:
    """A formula on a line of its own."""

    formula: Formula


@dataclass(frozen=True)
class Grid:
    """A table.

    Parameters
    ----------
    head : sequence
        The headings of the columns.
    rows : sequence of sequences
        The cells.
    n_left : int
        How many of the first columns are aligned to the left; the others to the right.
    last_left : bool
        Whether the last column is aligned to the left, too.
    """

    head: Sequence[Line]
    rows: Sequence[Sequence[Line]]
    n_left: int = 1
    last_left: bool = False

    def is_left(self, column: int) -> bool:
        """Return whether a column is aligned to the left."""
        return column < self.n_left or (self.last_left and column == len(self.head) - 1)


@dataclass(frozen=True)
class Figure:
    """A picture, and the same as text for formats without pictures."""

    svg: str
    text: str


Block = Heading | Paragraph | Items | FormulaLine | Grid | Figure


@dataclass(frozen=True)
class Document:
    """A title and what follows it.

    Parameters
    ----------
    title : str
        The title.
    blocks : sequence of Block
        The parts of the document.
    lang : str
        Its language, ``en`` or ``zh``.
    """

    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)
    lang: str = "en"


def pieces(line: Line) -> Sequence[Inline]:
    """Return the pieces of a line.

    Examples
    --------
    >>> pieces("a"), pieces(["a", Strong("b")])
    (('a',), ['a', Strong(text='b')])
    """
    return (line,) if isinstance(line, str | Strong | Blank | Formula) else line
