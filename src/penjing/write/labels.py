"""How a branch reads aloud: printed numbers route every training row as the model does."""

from __future__ import annotations

import math
from collections.abc import Sequence

from penjing.split import level_text
from penjing.tree import Tree

_SPECIAL = ",:'\"{}()[]|│"
_DIGITS = 4
"""A cut is not rounded to fewer significant digits than this."""
_MANY = 12
"""A cut that needs more digits than this is read as the training value below it."""


def short(cut: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return the shortest reading of a cut that keeps low <= cut < high.

    Examples
    --------
    >>> short(0.38149999999999995, 0.36, 0.403)
    '0.3815'
    >>> short(28.856250000000003, 28.7125, 29.0)
    '28.86'
    >>> short(5.0), short(0.1 + 0.2), short(-0.0)
    ('5', '0.30000000000000004', '0')
    >>> short(92.99999999999999, 91.0, 93.0), short(-1.3490000000000002, -1.35, -1.349)
    ('91', '-1.35')
    >>> short(19000100.0, 19000101.0, 19000102.0)  # held in 32 bits
    '19000101'
    """
    if low < high and not low <= cut < high:
        cut = low
    for digits in range(_DIGITS, 18):
        text = f"{cut:.{digits}g}"
        if float(text) == cut or low <= float(text) < high:
            found = tidy(float(text))
            # A cut just below a training value has no short reading; the value below it has.
            value = tidy(low) if low <= cut < high else found
            return value if digits > _MANY and len(value) < len(found) else found
    return tidy(cut)


def reading(cut: float, cuts: Sequence[float] = ()) -> str:
    """Return how a cut reads among others: six digits, or as many as keep it apart from them.

    Examples
    --------
    >>> reading(0.38149999999999995), reading(1234567.5), reading(1234567.5, [1234566.5, 1234567.5])
    ('0.3815', '1234567.5', '1234567.5')
    """
    others = [abs(cut - other) for other in cuts if other != cut]
    slack = 1e-9 * min(others) if others else 1e-12 * abs(cut)
    for digits in range(6, 17):
        near = float(f"{cut:.{digits}g}")
        if abs(near - cut) <= slack:
            return tidy(near)
    return tidy(cut)


def tidy(number: float) -> str:
    """Return a number as people write it: no trailing .0, no -0, no needless exponent.

    Examples
    --------
    >>> tidy(12.0), tidy(0.5), tidy(-0.0), tidy(1e22), tidy(1e-7)
    ('12', '0.5', '0', '1e+22', '1e-07')
    """
    if number == int(number) if math.isfinite(number) else False:
        return str(int(number)) if abs(number) < 1e16 else repr(number)
    return repr(number)


def amount(weight: float) -> str:
    """Return a weight: whole ones as integers, others with at most two decimals.

    Examples
    --------
    >>> amount(5.0), amount(1.4666667), amount(0.001), amount(0.0)
    ('5', '1.47', '0.001', '0')
    """
    if weight == int(weight):
        return str(int(weight))
    return f"{weight:.2f}".rstrip("0").rstrip(".") if abs(weight) >= 0.005 else f"{weight:.1g}"


def quoted(name: object) -> str:
    """Return a name as it is, in quotes where it would read as more than one word.

    Examples
    --------
    >>> quoted("texture"), quoted("no surfacing"), quoted("a,b"), quoted(""), quoted(0)
    ('texture', "'no surfacing'", "'a,b'", "''", '0')
    """
    text = str(name)
    plain = text and not any(c.isspace() or c in _SPECIAL or not c.isprintable() for c in text)
    return text if plain else repr(text)


def branch_text(tree: Tree, node: int, *, ascii_only: bool = False) -> str:
    """Return the answer that leads into a node, with its column: 'texture = clear'."""
    parent, branch = tree.parent_of(node)
    asked = tree.schema[int(tree.nodes.column[parent])]
    return f"{quoted(asked.name)} {answer_text(tree, parent, branch, ascii_only=ascii_only)}"


def answer_text(tree: Tree, node: int, branch: int, *, ascii_only: bool = False) -> str:
    """Return the answer of one branch of a question: '= clear', '≤ 0.3815', 'in {a, b}'."""
    asked = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isnan(cut):
        names = [
            quoted(level_text(asked, c)) for c in tree.nodes.levels(tree.children(node)[branch])
        ]
        return f"= {names[0]}" if len(names) == 1 else "in {" + ", ".join(names) + "}"
    if math.isinf(tree.nodes.cut[node]):  # known, or not
        return ("!= ?" if ascii_only else "≠ ?") if branch == 0 else "= ?"
    sign = ("<=" if ascii_only else "≤") if branch == 0 else ">"
    return f"{sign} {cut_text(tree, node)}"


def cut_text(tree: Tree, node: int) -> str:
    """Return the cut of a node as it is printed: a number, or an ordered level."""
    asked = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isinf(cut):
        return "?"
    if not asked.is_numeric:
        return quoted(level_text(asked, int(cut)))
    if tree.nodes.gap is None:
        return short(cut)
    low, high = tree.nodes.gap[node].tolist()
    return short(cut, low, high)


def value_text(tree: Tree, node: int) -> str:
    """Return what a node answers, as it is printed."""
    answer = tree.answer(node)
    return f"{answer:.6g}" if tree.is_regression else quoted(answer)


def counts_text(tree: Tree, node: int) -> str:
    """Return '(rows)' or '(rows/wrong)' of a node; nothing for a tree made by hand."""
    if not tree.has_counts:
        return ""
    weight = amount(float(tree.weight[node]))
    if tree.is_regression:
        return f" ({weight})"
    wrong = float(tree.weight[node] - tree.nodes.total[node, tree.values[node]])
    if wrong <= 0:
        return f" ({weight})"
    return f" ({weight}/{amount(wrong)})"
