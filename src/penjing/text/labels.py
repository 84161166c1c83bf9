"""Texts of branches, predictions and counts; printed thresholds route training rows correctly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from penjing.formatting.text_table import dots, width
from penjing.i18n import say
from penjing.tree.dialect import dialect_of
from penjing.tree.split import level_text
from penjing.tree.split_syntax import parse_levels
from penjing.tree.tree_data import TreeData

_SPECIAL = ",:'\"{}()[]|│"
_MIN_DIGITS = 4
"""The smallest number of significant digits of a threshold."""
_GROUP = re.compile(
    r"(?P<name>(?:'.*?' |\".*?\" |\S+ )?)(?P<group>(?P<sign>in|∈) \{.*\})", re.DOTALL
)
MAX_GROUP_WIDTH = 60
"""The width of a condition in explanations, beyond which its group of categories is abbreviated."""
ROUNDING = 1e-13
"""Means are known to this part of their range."""
_MAX_SHORT_DIGITS = 12
"""With more digits than this, the upper training value may be printed instead."""


class CutText(NamedTuple):
    """The text of a threshold, and whether the number itself takes the upper branch.

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
        """Return the sign of a branch: 0 is below the threshold, 1 above it."""
        if branch == 0:
            return "<" if self.is_open else "<=" if ascii_only else "≤"
        return ">" if not self.is_open else ">=" if ascii_only else "≥"

    def side(self, branch: int, *, ascii_only: bool = False) -> str:
        """Return the text of a branch: '≤ 0.3815'."""
        return f"{self.sign(branch, ascii_only=ascii_only)} {self.number}"


def shortest_cut(
    cut: float, low: float = math.nan, high: float = math.nan, *, single: bool = False
) -> CutText:
    """Return the shortest text of a threshold between the training values on both sides of it.

    The printed number itself is routed as by the model: if it takes the upper branch (a threshold
    may be slightly below a round number), the text is ``<``, otherwise ``≤``.

    Parameters
    ----------
    cut : float
        The threshold; values up to it take branch 0.
    low, high : float
        The training values on both sides; without them every digit is printed.
    single : bool
        Whether the model rounds values to 32-bit floats before it compares them.

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
    >>> shortest_cut(19000101.0, 19000100.0, 19000102.0, single=True)  # 19000101 is 19000100 there
    CutText(number='19000101', is_open=False)
    >>> shortest_cut(math.nextafter(0, -1), -1.0, 1.0).side(0)
    '< 0'
    """
    if not low < high:
        return CutText(number_text(cut))
    if single and low < cut and _next_in_32_bits(low) >= high:
        low = min(_last_rounded_to(low), cut)  # it may be the rounded form of a larger number
    near = cut if low <= cut < high else low
    if near == -math.ulp(0.0):  # the largest float below 0 has no short decimal form
        near = 0.0
    for digits in range(_MIN_DIGITS, 18):
        number = float(f"{near:.{digits}g}")
        is_open = (in_32_bits(number) if single else number) > cut
        # The upper training value is printed only if no short number lies below it.
        last = high if digits > _MAX_SHORT_DIGITS else math.nextafter(high, -math.inf)
        if (low < number <= last) if is_open else (low <= number < high):
            return CutText(number_text(number), is_open)
    return CutText(number_text(near))


def _last_rounded_to(value: float) -> float:
    """Return the largest number that is this one in 32 bits; other numbers as they are."""
    if in_32_bits(value) != value or not math.isfinite(value):
        return value
    middle = value / 2 + _next_in_32_bits(value) / 2
    return middle if in_32_bits(middle) == value else math.nextafter(middle, -math.inf)


def _next_in_32_bits(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.nextafter(np.float32(value), np.float32(np.inf)))


def in_32_bits(value: float) -> float:
    """Return a number rounded to a 32-bit float."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def cut_label(cut: float, cuts: Sequence[float] = (), *, single: bool = False) -> str:
    """Return the text of a threshold: six digits, or as many as distinguish it from the others.

    With `single`, numbers are 32-bit floats: digits beyond their precision are not printed.

    Examples
    --------
    >>> (
    ...     cut_label(0.38149999999999995),
    ...     cut_label(1234567.5),
    ...     cut_label(1234567.5, [1234566.5, 1234567.5]),
    ... )
    ('0.3815', '1234567.5', '1234567.5')
    >>> cut_label(5.450000047683716, [5.35, 5.55], single=True)
    '5.45'
    """
    others = [abs(cut - other) for other in cuts if other != cut]
    slack = 1e-9 * min(others) if others else 1e-12 * abs(cut)
    if single:
        spacing = abs(_next_in_32_bits(cut) - in_32_bits(cut))
        slack = max(slack, min(spacing, 1e-3 * min(others)) if others else spacing)
    for digits in range(6, 17):
        near = float(f"{cut:.{digits}g}")
        if abs(near - cut) <= slack:
            return number_text(near)
    return number_text(cut)


def number_text(number: float) -> str:
    """Return the text of a number: no trailing .0, no -0, no needless exponent.

    Examples
    --------
    >>> number_text(12.0), number_text(0.5), number_text(-0.0), number_text(1e22), number_text(1e-7)
    ('12', '0.5', '0', '1e+22', '1e-07')
    """
    if number == int(number) if math.isfinite(number) else False:
        return str(int(number)) if abs(number) < 1e16 else repr(number)
    return repr(number)


def rounded_text(number: float, digits: int = 6) -> str:
    """Return a number with so many digits, and all those before the point.

    Examples
    --------
    >>> rounded_text(2 / 3), rounded_text(1e7 / 3, 4), rounded_text(1.5e20)
    ('0.666667', '3333333', '1.5e+20')
    """
    if not math.isfinite(number) or abs(number) >= 1e15:
        return f"{number:.{digits}g}"
    before = len(str(int(abs(number))))
    return number_text(float(f"{number:.{max(digits, before)}g}"))


def digits_between(low: float, high: float, least: int) -> int:
    """Return with how many significant digits numbers between two ends can be told apart.

    Digits show at least a fiftieth of the distance. There are at least `least` of them and, for
    two equal ends, at least six.

    Examples
    --------
    >>> digits_between(12.0, 45.1, 3), digits_between(2002.5, 2019.2, 3), digits_between(7, 7, 3)
    (3, 5, 6)
    """
    span, largest = high - low, max(abs(low), abs(high))
    if not 0 < span < math.inf:
        return max(least, 6)
    first_digit = 10.0 ** math.floor(math.log10(largest))
    more = math.ceil(math.log10(first_digit / span / 2)) if first_digit > 0 else 0
    return min(max(least, 3 + more), 15)


def without_rounding(mean: float, low: float, high: float) -> float:
    """Return 0 for a mean that is only what sums over rows are rounded by.

    Sums are kept about the mean of the target, so that a mean of 0 may be a number of a size that
    means between `low` and `high` cannot be told apart by.

    Examples
    --------
    >>> without_rounding(-9.4e-16, -9.4e-16, 1.0), without_rounding(-9.4e-16, -2e-15, 3e-15)
    (0.0, -9.4e-16)
    """
    return 0.0 if abs(mean) < ROUNDING * (high - low) < math.inf else mean


def figure_text(number: float) -> str:
    """Return an error or a mean in four digits, or in all digits before the point.

    Examples
    --------
    >>> figure_text(0.51236), figure_text(22762.94), figure_text(1360000000.0)
    ('0.5124', '22,763', '1,360,000,000')
    """
    return f"{number:,.0f}" if 1e4 <= abs(number) < 1e15 else f"{number:,.4g}"


def percent_ends(interval: Iterable[float]) -> tuple[str, ...]:
    """Return the ends of an interval of shares in per cent.

    Examples
    --------
    >>> percent_ends((0.335, 1.0))
    ('34', '100')
    """
    return tuple(f"{100 * end:.0f}" for end in interval)


def weight_text(weight: float) -> str:
    """Return the text of a weight: an integer, or at most two decimals.

    Examples
    --------
    >>> weight_text(5.0), weight_text(1.4666667), weight_text(0.001), weight_text(0.0)
    ('5', '1.47', '0.001', '0')
    """
    if weight == int(weight):
        return str(int(weight))
    return f"{weight:.2f}".rstrip("0").rstrip(".") if abs(weight) >= 0.005 else f"{weight:.1g}"


def ascii_signs(text: str) -> str:
    """Return a text with its comparison signs in ASCII.

    Examples
    --------
    >>> ascii_signs("2 ≤ x, y ≥ 5, z ≠ ?")
    '2 <= x, y >= 5, z != ?'
    """
    return text.replace("≤", "<=").replace("≥", ">=").replace("≠", "!=")


def quoted(name: object) -> str:
    """Return a name, in quotes where it could be read as more than one word.

    Examples
    --------
    >>> quoted("texture"), quoted("no surfacing"), quoted("a,b"), quoted(""), quoted(0)
    ('texture', "'no surfacing'", "'a,b'", "''", '0')
    """
    text = str(name)
    plain = text and not any(c.isspace() or c in _SPECIAL or not c.isprintable() for c in text)
    return text if plain else repr(text)


def branch_text(
    tree: TreeData, node: int, *, ascii_only: bool = False, value: float | None = None
) -> str:
    """Return the branch that leads into a node, with its column: 'texture = clear'.

    ``value`` is that of a row which takes the branch; see `cut_text`.
    """
    parent, branch = tree.parent_of(node)
    column = tree.schema[int(tree.nodes.column[parent])]
    answer = answer_text(tree, parent, branch, ascii_only=ascii_only, value=value)
    return f"{quoted(column.name)} {answer}"


def condition_text(
    condition: str, lang: str, *, ascii_only: bool = False, most: int | None = None
) -> str:
    """Return a condition with the sign of sets that a language has: 'in {a, b}', or '∈ {a, b}'.

    Parameters
    ----------
    condition : str
        The condition in English.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    most : int, optional
        Abbreviate groups of categories in conditions that are wider than this.

    Examples
    --------
    >>> condition_text("色泽 in {青绿, 浅白}", "zh"), condition_text("colour in {a, b}", "en")
    ('色泽 ∈ {青绿, 浅白}', 'colour in {a, b}')
    >>> condition_text("city in {Oslo, Rome, Paris, London}", "en", most=30)
    'city in {Oslo, Rome, … 2 more}'
    """
    if most is not None:
        condition = _abbreviated(condition, most, lang, ascii_only=ascii_only)
    if ascii_only or not condition.endswith("}"):
        return condition
    sign = say("rule_in", lang)
    if sign == "in":
        return condition
    name, found, names = condition.rpartition("in {")
    is_set = found and (not name or name.endswith(" "))
    return f"{name}{sign} {{{names}" if is_set else condition


def path_in_language(path: str, lang: str) -> str:
    """Return several conditions, joined by commas, with the sign of sets that a language has.

    Examples
    --------
    >>> path_in_language("色泽 in {青绿, 浅白}, 密度 ≤ 0.4", "zh")
    '色泽 ∈ {青绿, 浅白}, 密度 ≤ 0.4'
    """
    return re.sub(r"(?<=\s)in (?=\{)", f"{say('rule_in', lang)} ", path)


def _abbreviated(condition: str, most: int, lang: str, *, ascii_only: bool) -> str:
    """Return a condition with as many categories of its group as fit in a width, at least one."""
    if width(condition) <= most:
        return condition
    match = _GROUP.fullmatch(condition)
    names = () if match is None else parse_levels(match["group"]) or ()
    if match is None or len(names) < 3:
        return condition
    start, shown = match["name"] + match["sign"] + " {", [quoted(names[0])]
    remaining = most - width(f"{start}{shown[0]}, … {len(names)} more}}")
    for text in map(quoted, names[1:-1]):
        if (remaining := remaining - width(text) - 2) < 0:
            break
        shown.append(text)
    rest = f"{dots(ascii_only=ascii_only)} {say('check_more', lang, n=len(names) - len(shown))}"
    return f"{start}{', '.join([*shown, rest])}}}"


def group_names(tree: TreeData, node: int) -> list[str]:
    """Return the levels on the branch into a node, in quotes where needed; none after a cut."""
    parent = int(tree.nodes.parent[node])
    if not math.isnan(tree.nodes.cut[parent]):
        return []
    column = tree.schema[int(tree.nodes.column[parent])]
    return [quoted(level_text(column, code)) for code in tree.nodes.levels(node).tolist()]


def answer_text(
    tree: TreeData,
    node: int,
    branch: int,
    *,
    ascii_only: bool = False,
    value: float | None = None,
) -> str:
    """Return the text of one branch of a split: '= clear', '≤ 0.3815', 'in {a, b}'."""
    if math.isnan(tree.nodes.cut[node]):
        names = group_names(tree, tree.children(node)[branch])
        return f"= {names[0]}" if len(names) == 1 else "in {" + ", ".join(names) + "}"
    if math.isinf(tree.nodes.cut[node]):  # a split into known and missing values
        return ("!= ?" if ascii_only else "≠ ?") if branch == 0 else "= ?"
    return cut_text(tree, node, value).side(branch, ascii_only=ascii_only)


def split_text(tree: TreeData, node: int, *, ascii_only: bool = False) -> str:
    """Return the split of a node: its column, with the first branch if it divides in two.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"a": {"<= 2": {"b": {"x": 0, "y": 1}}, "> 2": 1}})
    >>> split_text(tree, 0), split_text(tree, 1)
    ('a ≤ 2', 'b')
    """
    column = tree.schema[int(tree.nodes.column[node])]
    children = tree.children(node)
    is_grouped = any(len(tree.nodes.levels(child)) > 1 for child in children)
    if math.isnan(tree.nodes.cut[node]) and not is_grouped:
        return quoted(column.name)
    return branch_text(tree, children[0], ascii_only=ascii_only)


def cut_text(tree: TreeData, node: int, value: float | None = None) -> CutText:
    """Return the text of the threshold of a node: a number, or an ordered level.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node.
    value : float, optional
        A row's value. The text has the fewest digits that divide the training rows, and with a
        value between these also the row: it is on the side of the text that it takes in the tree.
    """
    column = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isinf(cut):
        return CutText("?")
    if not column.is_numeric:
        return CutText(quoted(level_text(column, int(cut))))
    if tree.nodes.gap is None:
        return shortest_cut(cut)
    low, high = tree.nodes.gap[node].tolist()
    compared = comparison_cut(tree, cut)
    is_single = tree.recipe.get("precision") == "single"
    if value is not None and low < value < high:
        is_below = (in_32_bits(value) if is_single else value) <= compared
        low, high = (value, high) if is_below else (low, value)
    return shortest_cut(compared, low, high, single=is_single)


def comparison_cut(tree: TreeData, cut: float) -> float:
    """Return a threshold as it is compared; C4.5 rounds it to a 32-bit float."""
    is_single = tree.recipe.get("precision") == "single"
    return in_32_bits(cut) if is_single and dialect_of(tree).rounds_thresholds else cut


def value_text(tree: TreeData, node: int) -> str:
    """Return the text of the prediction of a node.

    A number has six digits, or as many as tell the predictions of the tree apart, and all digits
    before the point.
    """
    answer = tree.answer(node)
    if not isinstance(answer, float) or not tree.is_regression:
        return quoted(answer)
    return value_text_between(answer, tree.value_range)


def value_texts(values: Sequence[float]) -> list[str]:
    """Return the texts of all predictions of a tree, as `value_text` writes them.

    Examples
    --------
    >>> value_texts([0.25, 123456.789]), value_texts([1000000.25, 1000001.5])
    (['0.25', '123457'], ['1000000.25', '1000001.5'])
    """
    ends = min(values), max(values)
    return [value_text_between(value, ends) for value in values]


def value_text_between(value: float, ends: Sequence[float]) -> str:
    """Return the text of a predicted number, given the ends of all predictions of the tree.

    Examples
    --------
    >>> value_text_between(1000000.25, (1000000.0, 1000001.5)), value_text_between(0.25, (0.25, 9))
    ('1000000.25', '0.25')
    """
    low, high = ends
    return rounded_text(without_rounding(value, low, high), digits_between(low, high, least=6))


def counts_text(tree: TreeData, node: int) -> str:
    """Return '(rows)' or '(rows/errors)' of a node; empty for a tree without counts."""
    if not tree.has_counts:
        return ""
    weight = weight_text(float(tree.weight[node]))
    if tree.is_regression:
        return f" ({weight})"
    errors = float(tree.weight[node] - tree.nodes.total[node, tree.values[node]])
    if errors <= 0:
        return f" ({weight})"
    return f" ({weight}/{weight_text(errors)})"
