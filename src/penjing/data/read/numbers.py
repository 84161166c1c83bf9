"""Parse numbers as people write them: １２, 1,200, 1.234,56, 1 000, (5), 85%, USD 30.

The unit is dropped: 85% is 85. A column is numeric only if all its numbers have the same unit.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.arguments import bad_value_error
from penjing.data.table import Floats

DecimalMark = Literal[".", ","]
"""The character before the fraction of a number."""

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
INFINITY = re.compile(r"[+-]?(?:inf|infinity|∞)", re.ASCII | re.IGNORECASE)
SHARES = ("%", "‰")
"""Units that change the scale of a number; all numbers of a column must have them, or none."""

CURRENCIES: dict[str, tuple[str, ...]] = {
    "USD": ("$", "US$", "USD"),
    "EUR": ("€", "EUR"),
    "GBP": ("£", "GBP"),
    "CNY": ("¥", "CN¥", "CNY", "RMB", "元", "人民币"),
    "JPY": ("¥", "JP¥", "JPY", "円", "日元"),
    "HKD": ("HK$", "HKD", "港元"),
    "TWD": ("NT$", "TWD"),
    "CAD": ("C$", "CA$", "CAD"),
    "AUD": ("A$", "AU$", "AUD"),
    "NZD": ("NZ$", "NZD"),
    "SGD": ("S$", "SGD"),
    "MXN": ("MX$", "MXN"),
    "BRL": ("R$", "BRL"),
    "CHF": ("CHF", "Fr."),
    "INR": ("₹", "Rs", "Rs.", "INR"),
    "KRW": ("₩", "KRW", "원"),
    "RUB": ("₽", "RUB"),
    "UAH": ("₴", "UAH"),
    "TRY": ("₺", "TL"),
    "ILS": ("₪", "ILS"),
    "VND": ("₫", "VND"),
    "THB": ("฿", "THB"),
    "PHP": ("₱", "PHP"),
    "PLN": ("zł", "PLN"),
    "CZK": ("Kč", "CZK"),
    "HUF": ("Ft", "HUF"),
    "SEK": ("SEK",),
    "NOK": ("NOK",),
    "DKK": ("DKK",),
    "KR": ("kr", "kr."),
    "ZAR": ("ZAR",),
}
"""How amounts of money are marked. Codes that are also English words, such as TRY, are absent."""

_SPELLINGS = sorted({s for names in CURRENCIES.values() for s in names}, key=lambda s: (-len(s), s))
_MONEY = "|".join(map(re.escape, _SPELLINGS))
_GROUPS = r"[+-]?[1-9]\d{{0,2}}(?:(?:{mark}\d{{3}})+|(?: \d{{3}})+|(?:'\d{{3}})+)(?:{point}\d+)?"
_NUMBERS: dict[str, str] = {
    ".": _GROUPS.format(mark=",", point=r"\.") + "|" + PLAIN.pattern,
    ",": _GROUPS.format(mark=r"\.", point=",") + r"|[+-]?\d+(?:,\d+)?",
}


@cache
def _with_unit(decimal: str) -> re.Pattern[str]:
    """Return the pattern of numbers with units; it takes a while to compile."""
    return re.compile(
        rf"(?P<sign>[+-]?)\s*(?P<before>{_MONEY})?\s*(?P<number>{_NUMBERS[decimal]})\s*"
        rf"(?P<after>%|‰|{_MONEY})?",
        re.ASCII,
    )


@cache
def _in_parentheses() -> re.Pattern[str]:
    """Return the pattern of numbers in parentheses, which are negative."""
    return re.compile(rf"(?P<before>{_MONEY})?\s*\((?P<inside>[^()]*)\)\s*(?P<after>%|‰|{_MONEY})?")


_THOUSANDS: dict[str, re.Pattern[str]] = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII),
    ",": re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII),
}
"""One mark before three digits: either a fraction or thousands."""
_UP_TO_THREE_DIGITS = re.compile(r"[+-]?\d{1,3}", re.ASCII)

SAMPLE_SIZE = 1000
"""A column without any number among its first values is not parsed further."""

MAX_LENGTH = 40
"""Longer texts are not numbers."""


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : "." or ",", optional
        The decimal mark; None if it is not known, as in a column of integers.
    units : tuple of str
        The units that a number may have, in every spelling; empty if they are not known.
    is_fixed : bool
        Whether the other decimal mark is out of the question.
    is_unit_known : bool
        Whether the column is a model's, so that no ``units`` mean that it has none: ``13 %`` is
        not 13 there.
    """

    decimal: DecimalMark | None = None
    units: tuple[str, ...] = ()
    is_fixed: bool = False
    is_unit_known: bool = False


ANY_STYLE = NumberStyle()


@dataclass(frozen=True, slots=True)
class ParsedNumber:
    """The number of one text: its value, its units, and how it was written."""

    value: float
    units: tuple[str, ...] = ()
    digits: str = ""
    in_parentheses: bool = False


@dataclass(frozen=True, slots=True)
class ParsedNumbers:
    """The number of each level of a column, NaN if it is not a number.

    ``first_formatted`` is the position of the first number with a unit or separators, or -1.
    ``first_ambiguous`` is that of the first number with one mark that could be a decimal mark or
    a separator of thousands, if no other number of the column tells which; or -1.
    """

    values: Floats
    is_number: npt.NDArray[np.bool_]
    first_formatted: int = -1
    style: NumberStyle = ANY_STYLE
    first_ambiguous: int = -1

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return bool(self.is_number.all()) and self.is_number.size > 0


def check_decimal(decimal: object) -> DecimalMark | None:
    """Return a decimal mark, after checking that it is one.

    Examples
    --------
    >>> check_decimal(",")
    ','
    """
    if decimal is None:
        return None
    if isinstance(decimal, str):  # an array compares with each of them
        marks: dict[str, DecimalMark] = {".": ".", ",": ","}
        if decimal in marks:
            return marks[decimal]
    raise bad_value_error("bad_decimal", "decimal", decimal, str)


def parse_numbers(
    levels: Sequence[Any], style: NumberStyle = ANY_STYLE, *, is_numeric: bool = False
) -> ParsedNumbers:
    """Parse each level as a number, plain or formatted; booleans are not numbers.

    Without a style the decimal mark is the one that fits all levels, and a point if both do.

    Parameters
    ----------
    levels : sequence
        The distinct values of a column.
    style : NumberStyle
        What is known about the numbers beforehand.
    is_numeric : bool
        Whether the column must be numeric; then texts between numbers are parsed, too.

    Examples
    --------
    >>> parse_numbers(["1,200", "85", "９"]).values
    array([1200.,   85.,    9.])
    >>> parse_numbers(["0,5", "1.234,25"]).values
    array([5.00000e-01, 1.23425e+03])
    >>> parse_numbers(["USD 5", "(1 200)"]).values
    array([    5., -1200.])
    >>> parse_numbers(["5%", "soft"]).is_number
    array([ True, False])
    """
    types = {*map(type, levels)}
    if not types <= {str}:
        if not is_numeric or str not in types:
            return _from_typed_values(levels)
        return _from_mixed_values(levels, style)
    plain = _parse_plain(levels, style)
    if plain is not None:
        return plain
    if len(levels) > SAMPLE_SIZE and not any(map(_is_any_number, levels[:SAMPLE_SIZE])):
        return ParsedNumbers(np.full(len(levels), np.nan), np.zeros(len(levels), np.bool_))
    best: tuple[int, DecimalMark, list[ParsedNumber | None]] | None = None
    for decimal in _decimals(style):
        parsed = [parse_cell(level, decimal) for level in levels]
        parsed = _keep_consistent(parsed, style, is_numeric=is_numeric)
        n_parsed = sum(one is not None for one in parsed)
        if best is None or n_parsed > best[0]:
            best = n_parsed, decimal, parsed
        if n_parsed == len(levels):
            break
    assert best is not None
    return _as_parsed_numbers(levels, best[2], best[1], style)


def _decimals(style: NumberStyle) -> list[DecimalMark]:
    """Return the decimal marks to try, in this order."""
    if style.decimal is None:
        return [".", ","]
    other: DecimalMark = "," if style.decimal == "." else "."
    return [style.decimal] if style.is_fixed else [style.decimal, other]


def _is_any_number(text: str) -> bool:
    return parse_cell(text, ".") is not None or parse_cell(text, ",") is not None


def _keep_consistent(
    parsed: list[ParsedNumber | None], style: NumberStyle, *, is_numeric: bool
) -> list[ParsedNumber | None]:
    """Return the numbers, without those whose unit contradicts the others or the style.

    Numbers are negative in parentheses only beside numbers without; a column of nothing but
    numbers in parentheses is a list of labels such as (1), (2).
    """
    if style.units:
        return [one if one is None or {*one.units} <= {*style.units} else None for one in parsed]
    if style.is_unit_known:
        parsed = [one if one is None or {*one.units}.isdisjoint(SHARES) else None for one in parsed]
    known = [one for one in parsed if one is not None]
    if not _have_one_unit([one.units for one in known]):
        parsed = [one if one is None or not one.units else None for one in parsed]
    if known and not is_numeric and all(one.in_parentheses for one in known):
        return [None] * len(parsed)
    return parsed


def _have_one_unit(units: Collection[tuple[str, ...]]) -> bool:
    """Return whether numbers with these units can be compared."""
    spellings = {spelling for each in units for spelling in each}
    if not spellings:
        return True
    if not spellings.isdisjoint(SHARES):
        return len(spellings) == 1 and all(units)
    return bool(_currencies_of(spellings))


def _currencies_of(spellings: Collection[str]) -> list[str]:
    """Return the currencies that have all these spellings."""
    return [code for code, names in CURRENCIES.items() if {*spellings} <= {*names}]


def _accepted_units(spellings: Collection[str]) -> tuple[str, ...]:
    """Return the spellings of the unit that some spellings stand for.

    Examples
    --------
    >>> _accepted_units({"$"}), _accepted_units({"¥"}), _accepted_units({"%"})
    (('$', 'US$', 'USD'), ('¥',), ('%',))
    """
    currencies = _currencies_of(spellings) if spellings else []
    return CURRENCIES[currencies[0]] if len(currencies) == 1 else tuple(sorted(spellings))


def find_different_styles(levels: Iterable[Any]) -> tuple[str, str] | None:
    """Return two numbers with different units or decimal marks, in a column of nothing else.

    Such a column is not numeric, although each of its cells is a number.

    Examples
    --------
    >>> find_different_styles(["5%", "6", "7%"]), find_different_styles(["1.5", "2,5", "3"])
    (('5%', '6'), ('1.5', '2,5'))
    >>> find_different_styles(["$5", "6", "soft", "7 €"]), find_different_styles(["(1)", "(2)"])
    (None, None)
    """
    examples: dict[tuple[object, ...], str] = {}
    for level in levels:
        if not isinstance(level, str):
            return None
        by_mark = [parse_cell(level, "."), parse_cell(level, ",")]
        known = [one for one in by_mark if one is not None]
        if not known:
            return None
        examples.setdefault((known[0].units, *(one is not None for one in by_mark)), level)
    pairs = itertools.combinations(examples.values(), 2)
    return next((pair for pair in pairs if not parse_numbers(pair, is_numeric=True).all), None)


def _as_parsed_numbers(
    levels: Sequence[str],
    parsed: Sequence[ParsedNumber | None],
    decimal: DecimalMark,
    style: NumberStyle,
) -> ParsedNumbers:
    values = np.asarray([np.nan if one is None else one.value for one in parsed], np.float64)
    formatted = (
        position
        for position, (level, one) in enumerate(zip(levels, parsed, strict=True))
        if one is not None and not PLAIN.fullmatch(level) and not INFINITY.fullmatch(level)
    )
    known = [one for one in parsed if one is not None]
    has_mark = style.decimal is not None or any(_has_mark(one.digits) for one in known)
    units = style.units or _accepted_units({unit for one in known for unit in one.units})
    return ParsedNumbers(
        values,
        np.asarray([one is not None for one in parsed], np.bool_),
        next(formatted, -1),
        NumberStyle(decimal if has_mark else None, units),
        _first_ambiguous([None if one is None else one.digits for one in parsed], style),
    )


def _has_mark(digits: str) -> bool:
    """Return whether digits show the decimal mark: with a fraction, thousands, or an exponent."""
    return any(mark in digits for mark in ".,eE")


def _first_ambiguous(digits: Sequence[str | None], style: NumberStyle) -> int:
    """Return the first number with a mark that may mean a fraction or thousands, else -1."""
    if style.decimal is not None:
        return -1
    first = -1
    for mark in (".", ","):
        for position, text in enumerate(digits):
            if text is None or _UP_TO_THREE_DIGITS.fullmatch(text):
                continue
            if not _THOUSANDS[mark].fullmatch(text):
                first = -1
                break
            first = position if first < 0 else first
        if first >= 0:
            return first
    return -1


def other_reading(text: str, decimal: DecimalMark | None) -> float | None:
    """Return the number of a text with the other decimal mark, None if it is not one.

    Examples
    --------
    >>> other_reading("1.234", "."), other_reading("12.5", ".")
    (1234.0, None)
    """
    parsed = parse_cell(text.strip(), "," if decimal != "," else ".")
    return None if parsed is None else parsed.value


def parse_number(text: str, decimal: DecimalMark = ".") -> float | None:
    """Parse one cell as a number; return None if it is not one.

    Examples
    --------
    >>> parse_number("$1,200.50"), parse_number("８５％"), parse_number("12 apples")
    (1200.5, 85.0, None)
    """
    parsed = parse_cell(text.strip(), decimal)
    return None if parsed is None else parsed.value


def _from_typed_values(levels: Sequence[Any]) -> ParsedNumbers:
    """Return the numbers among plain values of any type."""
    is_number = [
        isinstance(level, (int, float)) and not isinstance(level, bool) for level in levels
    ]
    values = [
        as_float(level) if is_known else np.nan
        for level, is_known in zip(levels, is_number, strict=True)
    ]
    return ParsedNumbers(np.asarray(values, np.float64), np.asarray(is_number, np.bool_))


def _from_mixed_values(levels: Sequence[Any], style: NumberStyle) -> ParsedNumbers:
    """Return the numbers of values of which some are texts."""
    typed = _from_typed_values(levels)
    at = [position for position, level in enumerate(levels) if isinstance(level, str)]
    parsed = parse_numbers([levels[position] for position in at], style, is_numeric=True)
    values, is_number = typed.values.copy(), typed.is_number.copy()
    values[at], is_number[at] = parsed.values, parsed.is_number
    first = parsed.first_formatted
    return replace(
        parsed, values=values, is_number=is_number, first_formatted=at[first] if first >= 0 else -1,
        first_ambiguous=-1,
    )  # fmt: skip


def as_float(value: float) -> float:
    """Return a number as a float, infinity if it is too large."""
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf if value > 0 else -math.inf


def _parse_plain(levels: Sequence[str], style: NumberStyle) -> ParsedNumbers | None:
    """Parse all levels at once if they are plain numbers; otherwise return None."""
    try:
        values = np.fromiter(map(float, levels), np.float64, len(levels))
    except ValueError:
        return None
    joined = "".join(levels)
    if not joined.isascii() or "_" in joined or " " in joined or np.isnan(values).any():
        return None
    has_point = _has_mark(joined)
    if has_point and style.decimal == ",":
        return None
    decimal: DecimalMark | None = "." if has_point else style.decimal
    return ParsedNumbers(
        values,
        np.ones(len(levels), np.bool_),
        style=NumberStyle(decimal, style.units),
        first_ambiguous=_first_ambiguous(levels, style) if has_point else -1,
    )


def number_parser(levels: Sequence[str], style: NumberStyle = ANY_STYLE) -> Callable[[str], float]:
    """Return the function that parses these levels, all of which are numbers.

    Examples
    --------
    >>> number_parser(["0,5", "1"])("2,25"), number_parser(["$1,200", "$7"])("$1,900")
    (2.25, 1900.0)
    """
    decimal = parse_numbers(levels, style).style.decimal or "."

    def parse(text: str) -> float:
        parsed = parse_cell(text, decimal)
        return math.nan if parsed is None else parsed.value

    return parse


def number_facts(text: str) -> tuple[Any, ...]:
    """Return all that `parse_numbers` can tell about one text, except its value.

    A column with one text of each kind is parsed as the column with all texts is.
    """
    return tuple(_facts_of_cell(parse_cell(text, decimal)) for decimal in _decimals(ANY_STYLE))


def _facts_of_cell(parsed: ParsedNumber | None) -> tuple[Any, ...] | None:
    if parsed is None:
        return None
    digits = parsed.digits
    marks = tuple(bool(pattern.fullmatch(digits)) for pattern in _THOUSANDS.values())
    is_short = bool(_UP_TO_THREE_DIGITS.fullmatch(digits))
    value = parsed.value
    how = (math.isinf(value), value.is_integer(), _has_mark(digits), is_short, *marks)
    return (parsed.units, parsed.in_parentheses, *how)


def parse_cell(text: str, decimal: DecimalMark = ".") -> ParsedNumber | None:
    """Return the number of a text without blanks around it; None if the text is not a number.

    Examples
    --------
    >>> parse_cell("1.234,5 €", ",")
    ParsedNumber(value=1234.5, units=('€',), digits='1.234,5', in_parentheses=False)
    """
    if decimal == "." and PLAIN.fullmatch(text):
        return ParsedNumber(float(text), digits=text)
    if INFINITY.fullmatch(text):
        return ParsedNumber(float(text.replace("∞", "inf")))
    if not text or len(text) > MAX_LENGTH:
        return None
    normalized = unicodedata.normalize("NFKC", text)
    normalized = normalized.replace("\u2212", "-").replace("\u2019", "'").strip()
    outer: tuple[str, ...] = ()
    is_negative = False
    if "(" in normalized:
        match = _in_parentheses().fullmatch(normalized)
        if match is None:
            return None
        outer = tuple(filter(None, (match["before"], match["after"])))
        normalized, is_negative = match["inside"].strip(), True
    match = _with_unit(decimal).fullmatch(normalized)
    if match is None or (match["sign"] and match["number"][0] in "+-"):
        return None
    if is_negative and (match["sign"] or match["number"][0] in "+-"):
        return None
    units = (*outer, *filter(None, (match["before"], match["after"])))
    if len(units) > 1 and not _currencies_of(units):
        return None
    digits = match["sign"] + match["number"]
    value = float(_plain_text(digits, decimal))
    return ParsedNumber(-value if is_negative else value, units, digits, is_negative)


def _plain_text(digits: str, decimal: DecimalMark) -> str:
    """Return digits without thousands separators, and with a decimal point."""
    digits = digits.replace(" ", "").replace("'", "")
    return digits.replace(",", "") if decimal == "." else digits.replace(".", "").replace(",", ".")
