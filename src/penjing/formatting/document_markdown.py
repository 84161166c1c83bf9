"""A document as Markdown, with tables and formulas as GitHub, Jupyter and Pandoc read them."""

from __future__ import annotations

import re

from penjing.formatting.document import (
    Blank,
    Block,
    Document,
    Figure,
    FormulaLine,
    Grid,
    Heading,
    Items,
    Line,
    Paragraph,
    Strong,
    pieces,
)
from penjing.formatting.latex_text import printable
from penjing.formatting.markdown_text import escape_cell
from penjing.formatting.math_formula import Formula


def write(document: Document) -> str:
    r"""Return a document as Markdown.

    Examples
    --------
    >>> print(write(Document("a*b", [Paragraph(["x = ", Blank("x", 3)])])))
    # a\*b
    <BLANKLINE>
    x = \_\_\_
    <BLANKLINE>
    """
    parts = [f"# {_line(document.title)}", *(_block(block) for block in document.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {_line(block.line)}"
        case Paragraph():
            return _not_a_mark(_line(block.line))
        case Items():
            return "\n".join(f"- {_not_a_mark(_line(line))}" for line in block.lines)
        case FormulaLine():
            return f"$$\n{block.formula.latex()}\n$$"
        case Grid():
            return _table(block)
        case Figure():
            fence = "`" * (1 + max((len(r) for r in re.findall("`+", block.text)), default=2))
            return f"{fence}text\n{block.text}\n{fence}"


def _table(table: Grid) -> str:
    rules = ["---" if table.is_left(i) else "---:" for i in range(len(table.head))]
    rows = [[_line(cell) for cell in row] for row in (table.head, *table.rows)]
    rows.insert(1, rules)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _line(line: Line) -> str:
    return "".join(_piece(piece) for piece in pieces(line))


def _piece(piece: str | Strong | Blank | Formula) -> str:
    match piece:
        case Strong():
            text = escape_cell(printable(piece.text)).strip()
            return f"**{text}**" if text else ""
        case Blank():
            return "\\_" * piece.size
        case Formula():
            return f"${piece.latex()}$"
        case _:
            return escape_cell(printable(piece))


def _not_a_mark(text: str) -> str:
    """Return a line with a sign escaped that would begin a list, heading or quotation."""
    text = text.strip()
    if found := re.match(r"(\d+)([.)])(\s|$)", text):
        return f"{found[1]}\\{text[len(found[1]) :]}"
    return f"\\{text}" if re.match(r"[-+>#=]", text) else text
