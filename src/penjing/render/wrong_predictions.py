"""Wrong answers and their reasons: the path each took, and training rows that say otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from penjing.data.table import Table
from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import answer_text, branch_text, number_text, quoted, weight_text
from penjing.text.phrases import join_names
from penjing.text.text_table import align_left, align_right, max_width
from penjing.tree.tree_data import TreeData

SHOWN = 20
"""How many wrong rows are named."""
PATHS = 3
"""With more wrong rows than this their paths are not told."""
STEPS = 6
"""How many questions of a path are told; of a longer one the last."""


def wrong(
    report: Any,  # noqa: ANN401 - a Report; its room stands above this one
    paths: Mapping[int, str],
    lang: str = "en",
    *,
    ascii_only: bool = False,
) -> str:
    """Return the line that names the wrong rows, with the path of those that have one.

    Parameters
    ----------
    report : Report
        Right and wrong answers.
    paths : dict
        What to say of a row, by its number; see `path`.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    shown = []
    for row in report.wrong[:SHOWN]:
        actual, predicted = quoted(row.actual), quoted(row.predicted)
        text = say("report_wrong_row", lang, row=row.row, actual=actual, predicted=predicted)
        shown.append(text + (f" ({paths[row.row]})" if row.row in paths else ""))
    rows = (", " if lang == "en" else "，").join(shown)
    if len(report.wrong) > SHOWN:
        rows = say("report_wrong_more", lang, rows=rows, n=len(report.wrong) - SHOWN)
    line = say("report_wrong", lang, rows=rows)
    return line.replace("→", "->") if ascii_only else line


def path(tree: TreeData, table: Table, row: int, stop: int, *, ascii_only: bool = False) -> str:
    """Return how a row came to its answer: 'density 0.337 ≤ 0.3815, texture = clear'.

    A step reads as the tree's own branch, with the row's number in it where it decided; '?' for
    a missing one that went this way by a surrogate or with the others.

    Parameters
    ----------
    tree : TreeData
        Who answered.
    table : Table
        The rows, aligned to the tree.
    row : int
        Which row, by its position.
    stop : int
        The node where it stopped.
    ascii_only : bool
        Use plain characters only.
    """
    road = tree.path(stop)
    steps = []
    for parent, child in pairwise(road):
        column = table.columns[int(tree.nodes.column[parent])]
        if not (column.is_numeric and math.isfinite(tree.nodes.cut[parent])):
            steps.append(branch_text(tree, child, ascii_only=ascii_only))
            continue
        code = int(column.codes[row])
        value = "?" if code < 0 else number_text(float(column.levels[code]))
        way = answer_text(tree, *tree.parent_of(child), ascii_only=ascii_only)
        steps.append(f"{quoted(column.name)} {value} {way}")
    dots = ["..." if ascii_only else "…"] if len(steps) > STEPS else []
    return ", ".join([*dots, *steps[-STEPS:]])


def ceiling(
    found: Any,  # noqa: ANN401 - a Ceiling; its room stands above this one
    wrong_rows: Sequence[int],
    train: str,
    lang: str = "en",
) -> list[str]:
    """Return the lines that say why no tree that fits the training rows can do better.

    Parameters
    ----------
    found : Ceiling
        Test rows that training rows of another class equal.
    wrong_rows : sequence of int
        The rows that were answered wrongly.
    train : str
        What the training rows are called.
    lang : str
        ``en`` or ``zh``.
    """
    clashes = {clash.row: clash for clash in found.clashes}
    mine = [clashes[row] for row in wrong_rows if row in clashes]
    if not mine:
        return []
    equals = list(dict.fromkeys(row for clash in mine for row in clash.equals))
    told = {"train": join_names(equals, lang), "rows": join_names([c.row for c in mine], lang)}
    if len(wrong_rows) == 1:
        text = say("test_equal_one", lang, row=mine[0].row, train=told["train"])
    else:
        text = say(
            "test_equal_all" if len(mine) == len(wrong_rows) else "test_equal_some", lang, **told
        )
    limit = say("test_ceiling", lang, train=train, right=found.best, of=found.n_rows)
    return [say("test_why", lang, equal=text), say("test_ceiling_indent", lang) + limit]


def per_class(report: Any, lang: str = "en") -> list[str]:  # noqa: ANN401 - a Report
    """Return precision and recall of each class in a table."""
    heads = [say(f"test_{key}", lang) for key in ("class", "precision", "recall", "support")]
    rows = [
        (
            quoted(score.class_),
            _share(score.precision),
            _share(score.recall),
            weight_text(score.support),
        )
        for score in report.per_class
    ]
    first = max_width([heads[0], *(row[0] for row in rows)])
    wide = [max_width([heads[i], *(row[i] for row in rows)]) + 2 for i in (1, 2, 3)]
    return [
        align_left(name, first)
        + "".join(align_right(cell, w) for cell, w in zip(cells, wide, strict=True))
        for name, *cells in [heads, *rows]
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else decimals(value, 3)
