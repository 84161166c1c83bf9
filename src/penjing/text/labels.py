"""How a branch reads aloud: printed numbers route every training row as the model does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

_SPECIAL = ",:'\"{}()[]|│"
_DIGITS = 4
"""A cut is not rounded to fewer significant digits than this."""
_MANY = 12
"""More digits than this are not short."""


class CutText(NamedTuple):
    """How a cut reads: a number, and whether the number itself belongs above or below.

    Parameters
    ----------
    number : str
        The number as printed.
    is_open : bool
        Whether the branches are ``< number`` and ``≥ number``, not ``≤ number``, ``> number``.
    """

    number: str
    is_open: bool = False

    def sign(self, branch: int, *, ascii_only: bool = False) -> str:
        """Return the sign of a branch, 0 below the cut and 1 above it."""
        if branch == 0:
            return "<" if self.is_open else "<=" if ascii_only else "≤"
        return ">" if not self.is_open else ">=" if ascii_only else "≥"

    def side(self, branch: int, *, ascii_only: bool = False) -> str:
        """Return a branch: '≤ 0.3815'."""
        return f"{self.sign(branch, ascii_only=ascii_only)} {self.number}"


def shortest_cut(
    cut: float, low: float = math.nan, high: float = math.nan, *, single: bool = False
) -> CutText:
    """Return the shortest reading of a cut between the training values on both sides of it.

    The number stands where the model has it, too: one that the model sends up (a cut may lie a
    hair below a round number) reads ``<``, any other ``≤``.

    Parameters
    ----------
    cut : float
        Values up to it go below.
    low, high : float
        The training values on both sides; without them every digit is printed.
    single : bool
        Whether the model rounds values to 32 bits before it compares them.

    Examples
    --------
    >>> (
    ...     shortest_cut(0.3815, 0.36, 0.403).side(0),
    ...     shortest_cut(0.38149999999999995, 0.36, 0.403).side(0),
    ... )
    ('≤ 0.3815', '< 0.3815')
    >>> shortest_cut(28.856250000000003, 28.7125, 29.0).side(1)
    '≥ 28.86'
    >>> shortest_cut(2.449999988079071, 1.9, 3.0, single=True)
    CutText(number='2.45', is_open=True)
    >>> [shortest_cut(cut).number for cut in (5.0, 0.1 + 0.2, -0.0)]
    ['5', '0.30000000000000004', '0']
    >>> (
    ...     shortest_cut(92.99999999999999, 91.0, 93.0).side(1),
    ...     shortest_cut(-1.3490000000000002, -1.35, -1.349)[0],
    ... )
    ('≥ 93', '-1.349')
    >>> shortest_cut(19000100.0, 19000101.0, 19000102.0, single=True)  # held in 32 bits
    CutText(number='19000101', is_open=False)
    >>> shortest_cut(math.nextafter(0, -1), -1.0, 1.0).side(0)
    '< 0'
    """
    if not low < high:
        return CutText(number_text(cut))
    near = cut if low <= cut < high else low
    if near == -math.ulp(0.0):  # a hair below 0 has no shorter decimal form of its own
        near = 0.0
    for digits in range(_DIGITS, 18):
        number = float(f"{near:.{digits}g}")
        is_open = (in_32_bits(number) if single else number) > cut
        # The training value above a cut stands for it only where nothing between them is short.
        last = high if digits > _MANY else math.nextafter(high, -math.inf)
        if (low < number <= last) if is_open else (low <= number < high):
            return CutText(number_text(number), is_open)
    return CutText(number_text(near))


def in_32_bits(value: float) -> float:
    """Return a number as a model sees it that holds numbers in 32 bits."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def cut_label(cut: float, cuts: Sequence[float] = ()) -> str:
    """Return how a cut reads among others: six digits, or as many as keep it apart from them.

    Examples
    --------
    >>> (
    ...     cut_label(0.38149999999999995),
    ...     cut_label(1234567.5),
    ...     cut_label(1234567.5, [1234566.5, 1234567.5]),
    ... )
    ('0.3815', '1234567.5', '1234567.5')
    """
    others = [abs(cut - other) for other in cuts if other != cut]
    slack = 1e-9 * min(others) if others else 1e-12 * abs(cut)
    for digits in range(6, 17):
        near = float(f"{cut:.{digits}g}")
        if abs(near - cut) <= slack:
            return number_text(near)
    return number_text(cut)


def number_text(number: float) -> str:
    """Return a number as people write it: no trailing .0, no -0, no needless exponent.

    Examples
    --------
    >>> number_text(12.0), number_text(0.5), number_text(-0.0), number_text(1e22), number_text(1e-7)
    ('12', '0.5', '0', '1e+22', '1e-07')
    """
    if number == int(number) if math.isfinite(number) else False:
        return str(int(number)) if abs(number) < 1e16 else repr(number)
    return repr(number)


def weight_text(weight: float) -> str:
    """Return a weight: whole ones as integers, others with at most two decimals.

    Examples
    --------
    >>> weight_text(5.0), weight_text(1.4666667), weight_text(0.001), weight_text(0.0)
    ('5', '1.47', '0.001', '0')
    """
    if weight == int(weight):
        return str(int(weight))
    return f"{weight:.2f}".rstrip("0").rstrip(".") if abs(weight) >= 0.005 else f"{weight:.1g}"


def ascii_signs(text: str) -> str:
    """Return a text with its signs of order in plain characters.

    Examples
    --------
    >>> ascii_signs("2 ≤ x, y ≥ 5, z ≠ ?")
    '2 <= x, y >= 5, z != ?'
    """
    return text.replace("≤", "<=").replace("≥", ">=").replace("≠", "!=")


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


def branch_text(tree: TreeData, node: int, *, ascii_only: bool = False) -> str:
    """Return the answer that leads into a node, with its column: 'texture = clear'."""
    parent, branch = tree.parent_of(node)
    asked = tree.schema[int(tree.nodes.column[parent])]
    return f"{quoted(asked.name)} {answer_text(tree, parent, branch, ascii_only=ascii_only)}"


def group_names(tree: TreeData, node: int) -> list[str]:
    """Return the levels on the branch into a node, in quotes where needed; none after a cut."""
    parent = int(tree.nodes.parent[node])
    if not math.isnan(tree.nodes.cut[parent]):
        return []
    asked = tree.schema[int(tree.nodes.column[parent])]
    return [quoted(level_text(asked, code)) for code in tree.nodes.levels(node).tolist()]


def answer_text(tree: TreeData, node: int, branch: int, *, ascii_only: bool = False) -> str:
    """Return the answer of one branch of a question: '= clear', '≤ 0.3815', 'in {a, b}'."""
    if math.isnan(tree.nodes.cut[node]):
        names = group_names(tree, tree.children(node)[branch])
        return f"= {names[0]}" if len(names) == 1 else "in {" + ", ".join(names) + "}"
    if math.isinf(tree.nodes.cut[node]):  # known, or not
        return ("!= ?" if ascii_only else "≠ ?") if branch == 0 else "= ?"
    return cut_text(tree, node).side(branch, ascii_only=ascii_only)


def cut_text(tree: TreeData, node: int) -> CutText:
    """Return how the cut of a node is printed: a number, or an ordered level."""
    asked = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isinf(cut):
        return CutText("?")
    if not asked.is_numeric:
        return CutText(quoted(level_text(asked, int(cut))))
    if tree.nodes.gap is None:
        return shortest_cut(cut)
    low, high = tree.nodes.gap[node].tolist()
    return shortest_cut(
        comparison_cut(tree, cut), low, high, single=tree.recipe.get("precision") == "single"
    )


def comparison_cut(tree: TreeData, cut: float) -> float:
    """Return a cut as numbers are compared with it: C4.5 holds both sides in 32 bits."""
    is_single = tree.recipe.get("precision") == "single"
    return in_32_bits(cut) if is_single and tree.recipe.get("rules") == "quinlan" else cut


def value_text(tree: TreeData, node: int) -> str:
    """Return what a node answers, as it is printed."""
    answer = tree.answer(node)
    return f"{answer:.6g}" if tree.is_regression else quoted(answer)


def counts_text(tree: TreeData, node: int) -> str:
    """Return '(rows)' or '(rows/wrong)' of a node; nothing for a tree made by hand."""
    if not tree.has_counts:
        return ""
    weight = weight_text(float(tree.weight[node]))
    if tree.is_regression:
        return f" ({weight})"
    wrong = float(tree.weight[node] - tree.nodes.total[node, tree.values[node]])
    if wrong <= 0:
        return f" ({weight})"
    return f" ({weight}/{weight_text(wrong)})"
