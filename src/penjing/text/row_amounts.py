"""How much of the training rows a node has: a number of rows, or the sum of their weights."""

from __future__ import annotations

import math

from penjing.i18n import say
from penjing.text.labels import weight_text
from penjing.text.phrases import rows_of
from penjing.tree.tree_data import TreeData


def training_rows_text(tree: TreeData, lang: str = "en") -> str:
    """Return the number of training rows, and their weight if that is another number.

    Examples
    --------
    >>> import penjing
    >>> training_rows_text(penjing.fit(penjing.example("fish")))
    '5 rows'
    """
    return rows_and_weight(float(tree.weight[0]), tree.about.get("n_rows"), lang)


def rows_and_weight(weight: float, n_rows: object, lang: str = "en") -> str:
    """Return '80 rows (total weight 123)', or '80 rows' if that is their weight.

    Examples
    --------
    >>> rows_and_weight(123.0, 80), rows_and_weight(80.0, 80), rows_and_weight(80.0, None)
    ('80 rows (total weight 123)', '80 rows', '80 rows')
    """
    if not isinstance(n_rows, int) or math.isclose(weight, n_rows, rel_tol=1e-9):
        return rows_of(weight, lang)
    rows = rows_of(float(n_rows), lang)
    return say("rows_and_weight", lang, rows=rows, weight=weight_text(weight))


def size_of(weight: float, lang: str = "en", *, is_weight: bool = False) -> str:
    """Return 'n=8' or 'weight 2.5', for the boxes of pictures.

    Examples
    --------
    >>> size_of(8.0), size_of(2.5), size_of(8.0, "zh", is_weight=True)
    ('n=8', 'weight 2.5', '权重 8')
    """
    text = weight_text(weight)
    return say("picture_weight", lang, weight=text) if is_weight or "." in text else f"n={text}"


def amount_heading(tree: TreeData, key: str, lang: str = "en") -> str:
    """Return the heading of a column of numbers of rows (`key`), or of weights.

    Examples
    --------
    >>> import penjing
    >>> amount_heading(penjing.fit(penjing.example("fish")), "rule_support")
    'rows'
    """
    is_weight = tree.has_counts and (tree.has_weights or tree.has_fractions)
    return say("rule_weight" if is_weight else key, lang)
