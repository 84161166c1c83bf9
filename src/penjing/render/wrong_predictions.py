"""Wrong predictions as text: their paths, and equal training rows of another class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from penjing.data.table import Table
from penjing.evaluate.wrong_rows import MOST_WRONG_SHOWN, heading_of, wrong_text
from penjing.formatting.lists import numbered_rows
from penjing.formatting.text_table import last_steps
from penjing.i18n import say
from penjing.text.labels import (
    answer_text,
    branch_text,
    condition_text,
    number_text,
    quoted,
)
from penjing.text.phrases import join_clauses, join_names
from penjing.tree.tree_data import TreeData

MAX_PATHS = 3
"""With more wrong rows than this, their paths are not shown."""
MAX_STEPS = 6
"""Number of steps of a path that are shown: the last ones."""


def wrong_rows_line(
    report: Any,  # noqa: ANN401 - a Report
    paths: Mapping[int, str],
    lang: str = "en",
    *,
    ascii_only: bool = False,
) -> str:
    """Return the line that lists the wrong rows, with the paths that are given.

    Parameters
    ----------
    report : Report
        The metrics with the wrong rows.
    paths : dict
        The path of some rows, by row number; see `path_text`.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    """
    if len(report.wrong) > MOST_WRONG_SHOWN:
        line: str = report.wrong_text(lang)
        return line.replace("→", "->").replace("…", "...") if ascii_only else line
    shown = []
    column, heading = heading_of(report.wrong, report.row_id)
    for row in report.wrong:
        actual, predicted = quoted(row.actual), quoted(row.predicted)
        text = wrong_text(row, column, actual, predicted, lang)
        if row.row in paths:
            text = say("text_and_remark", lang, text=text, remark=paths[row.row])
        shown.append(text)
    rows = join_clauses(shown, lang)
    line = say(heading, lang, rows=rows, column=report.row_id)
    return line.replace("→", "->") if ascii_only else line


def path_text(
    tree: TreeData,
    table: Table,
    row: int,
    leaf: int,
    *,
    ascii_only: bool = False,
    lang: str = "en",
) -> str:
    """Return the path of a row: 'density 0.337 ≤ 0.3815, texture = clear'.

    A step is the label of the branch. For a threshold it includes the row's value, or '?' if the
    value is missing.

    Parameters
    ----------
    tree : TreeData
        The tree that predicted.
    table : Table
        The rows, aligned to the tree.
    row : int
        The position of the row.
    leaf : int
        The node where its path ends.
    ascii_only : bool
        Use ASCII characters only.
    lang : str
        ``en`` or ``zh``.
    """
    nodes = tree.path(leaf)
    steps = []
    for parent, child in pairwise(nodes):
        column = table.columns[int(tree.nodes.column[parent])]
        if not (column.is_numeric and math.isfinite(tree.nodes.cut[parent])):
            branch = branch_text(tree, child, ascii_only=ascii_only)
            steps.append(condition_text(branch, lang, ascii_only=ascii_only))
            continue
        code = int(column.codes[row])
        value = None if code < 0 else float(column.levels[code])
        shown = "?" if value is None else number_text(value)
        condition = answer_text(tree, *tree.parent_of(child), ascii_only=ascii_only, value=value)
        steps.append(f"{quoted(column.name)} {shown} {condition}")
    return ", ".join(last_steps(steps, MAX_STEPS, ascii_only=ascii_only))


def ceiling_lines(
    ceiling: Any,  # noqa: ANN401 - a Ceiling
    wrong_rows: Sequence[int],
    train: str,
    lang: str = "en",
    tables: tuple[Table, Table] | None = None,
) -> list[str]:
    """Return the lines that say why no tree that fits the training rows can be more accurate.

    Parameters
    ----------
    ceiling : Ceiling
        Test rows that are equal to training rows of another class.
    wrong_rows : sequence of int
        The rows with wrong predictions.
    train : str
        The name of the training rows.
    lang : str
        ``en`` or ``zh``.
    tables : pair of Table, optional
        The training and the test rows; rows with ids are named by them.
    """
    clashes = {clash.row: clash for clash in ceiling.clashes}
    clashing = [clashes[row] for row in wrong_rows if row in clashes]
    if not clashing:
        return []
    equal_rows = list(dict.fromkeys(row for clash in clashing for row in clash.equals))
    values = {
        "train": numbered_rows(equal_rows, lang),
        "rows": numbered_rows([c.row for c in clashing], lang),
    }
    if tables is not None and any(table.row_ids is not None for table in tables):
        values = {
            "train": rows_phrase(tables[0], equal_rows, lang),
            "rows": rows_phrase(tables[1], [c.row for c in clashing], lang),
        }
        is_all = len(clashing) == len(wrong_rows) > 1
        key = "test_equal_all_ids" if is_all else "test_equal_ids"
        text = say(key, lang, n=len(clashing), **values)
    elif len(wrong_rows) == 1:
        text = say("test_equal_one", lang, row=clashing[0].row, train=values["train"])
    else:
        text = say(
            "test_equal_all" if len(clashing) == len(wrong_rows) else "test_equal_some",
            lang,
            **values,
        )
    limit = say("test_ceiling", lang, train=train, right=ceiling.best, of=ceiling.n_rows)
    return [say("test_why", lang, equal=text), say("test_ceiling_indent", lang) + limit]


def rows_phrase(table: Table, numbers: Sequence[int], lang: str = "en") -> str:
    """Return the names of rows, given by number: 'rows 3 and 4', 'melon 7 and 15'.

    Examples
    --------
    >>> import penjing
    >>> rows_phrase(penjing.example("fish"), [3, 4])
    'rows 3 and 4'
    """
    if table.row_ids is not None:
        rows = {table.row_number(row): row for row in range(table.n_rows)}
        ids = [table.row_id(rows[number]) for number in numbers]
        if None not in ids:
            return f"{table.row_ids.name} {join_names(ids, lang)}"
    return numbered_rows(numbers, lang)
