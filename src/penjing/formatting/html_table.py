"""Small HTML for notebooks: tables and preformatted text, escaped, in the page's own colours.

Nothing sets a colour of its own but for a line between the head and the rows, which is half
transparent, so that results are readable in light and in dark notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_LINE = "1px solid rgba(128,128,128,.5)"


def html_table(
    head: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    *,
    n_left: int = 1,
) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    head, rows : sequences of sequences of str
        The cells of the heading and of the other rows.
    caption : str
        A line of text below the table.
    n_left : int
        How many of the first columns are aligned to the left; the others to the right.

    Examples
    --------
    >>> html_table([["class"]], [["<b>"]])[-41:]
    '&lt;b&gt;</td></tr></tbody></table></div>'
    """
    lines = ['<div style="overflow-x:auto"><table style="border-collapse:collapse">']
    if head:
        cells = "".join(_row(row, "th", n_left, f"border-bottom:{_LINE};") for row in head)
        lines.append(f"<thead>{cells}</thead>")
    body = "".join(_row(row, "td", n_left) for row in rows)
    lines.append(f"<tbody>{body}</tbody></table>")
    if caption:
        lines.append("".join(f"<div>{escape(line)}</div>" for line in caption.splitlines()))
    return "".join(lines) + "</div>"


def _row(cells: Sequence[str], tag: str, n_left: int, style: str = "") -> str:
    sides = ["left" if i < n_left else "right" for i in range(len(cells))]
    parts = [
        f'<{tag} style="{style}text-align:{side}">{escape(cell)}</{tag}>'
        for side, cell in zip(sides, cells, strict=True)
    ]
    return f"<tr>{''.join(parts)}</tr>"


def html_text(text: str) -> str:
    """Return text whose columns are aligned by blanks as HTML.

    Examples
    --------
    >>> html_text("a < b")
    '<pre style="overflow-x:auto">a &lt; b</pre>'
    """
    return f'<pre style="overflow-x:auto">{escape(text)}</pre>'
