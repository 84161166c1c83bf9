"""The first rows of a table as text and as HTML: what `print(table)` and notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penjing.formatting.html_table import html_table
from penjing.formatting.text_table import clip, right_aligned
from penjing.i18n import number_text, say

if TYPE_CHECKING:
    from penjing.data.table import Column, Table

FIRST_ROWS = 5
"""How many rows are shown if there are more than `MOST_ROWS`."""
MOST_ROWS = 10
MOST_COLUMNS = 8
"""How many columns are shown besides the target."""
CELL_WIDTH = 20


def preview_text(table: Table, lang: str = "en") -> str:
    """Return the first rows of a table as text, with the type of each column."""
    head, rows = _cells(table, lang)
    lines = right_aligned([*head, *rows])
    return "\n".join([*lines, size_text(table, lang)] if head[0] else [size_text(table, lang)])


def preview_html(table: Table, lang: str = "en") -> str:
    """Return the first rows of a table as HTML, with the type of each column."""
    head, rows = _cells(table, lang)
    return html_table(head, rows, size_text(table, lang), n_left=0)


def size_text(table: Table, lang: str = "en") -> str:
    """Return one line: the size of a table and its target."""
    size = {"rows": f"{table.n_rows:,}", "columns": f"{len(table.columns):,}"}
    if table.target is None:
        return say("table_size", lang, **size)
    return say("table_size_target", lang, target=table.target.name, **size)


def _cells(table: Table, lang: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the names and types of the columns, and the cells of the first rows."""
    n = table.n_rows if table.n_rows <= MOST_ROWS else FIRST_ROWS
    shown = [_column_cells(column, f"kind_{column.kind}", n, lang) for column in table.columns]
    if len(shown) > MOST_COLUMNS:
        shown = [*shown[:MOST_COLUMNS], ["…"] * (n + 2)]
    if table.target is not None:
        key = "kind_target_numeric" if table.is_regression else "kind_target"
        shown.append(_column_cells(table.target, key, n, lang))
    if not shown:
        return [[], []], []
    lines = [list(row) for row in zip(*shown, strict=True)]
    if n < table.n_rows:
        lines.append(["…"] * len(shown))
    return lines[:2], lines[2:]


def _column_cells(column: Column, key: str, n: int, lang: str) -> list[str]:
    values = column.take(slice(0, n)).values()
    cells = [column.name, say(key, lang), *(_cell(value) for value in values)]
    return [clip(" ".join(cell.split()), CELL_WIDTH) for cell in cells]


def _cell(value: Any) -> str:  # noqa: ANN401 - any plain value
    if value is None:
        return "?"
    if not isinstance(value, float):
        return str(value)
    return number_text(value) if value.is_integer() else f"{value:.6g}"
