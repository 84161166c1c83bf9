"""Numbers as people write them: 12, full-width １２, 1,200, 85%, ¥30, 0,5.

The number is what is printed, the unit is dropped: 85% is 85. A column is read as numbers only
if it speaks of one unit throughout.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
INFINITY = re.compile(r"[+-]?(?:inf|infinity|∞)", re.ASCII | re.IGNORECASE)
_GROUPED = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?"
_MONEY = r"¥|\$|€|£|US\$|CN¥|RMB|元"
WITH_UNIT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{_MONEY})?\s*"
    rf"(?P<number>{_GROUPED}|{PLAIN.pattern})\s*(?P<after>%|‰|{_MONEY})?",
    re.ASCII,
)
DECIMAL_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?", re.ASCII)

SAMPLE_SIZE = 1000
"""A column whose first so many values hold no number at all is not looked through."""


@dataclass(frozen=True, slots=True)
class ParsedNumbers:
    """The number behind each level of a column, NaN where there is none.

    ``first_formatted`` is the place of the first level that was not a plain number, or -1.
    """

    values: Floats
    is_number: npt.NDArray[np.bool_]
    first_formatted: int = -1

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return bool(self.is_number.all()) and self.is_number.size > 0


def parse_numbers(levels: Sequence[Any]) -> ParsedNumbers:
    """Read each level as a number, with or without disguise; truth values are none.

    Examples
    --------
    >>> parse_numbers(["1,200", "85", "９"]).values
    array([1200.,   85.,    9.])
    >>> parse_numbers(["0,5", "1,25"]).values
    array([0.5 , 1.25])
    >>> parse_numbers(["5%", "soft"]).is_number
    array([ True, False])
    """
    if not {*map(type, levels)} <= {str}:
        return _from_typed_values(levels)
    quick = _parse_plain(levels)
    if quick is not None:
        return quick
    if len(levels) > SAMPLE_SIZE and not any(map(parse_with_unit, levels[:SAMPLE_SIZE])):
        return ParsedNumbers(np.full(len(levels), np.nan), np.zeros(len(levels), np.bool_))
    found = [parse_with_unit(level) for level in levels]
    units = {pair[1] for pair in found if pair is not None}
    if len(units - {""}) > 1 or {"", "%"} <= units or {"", "‰"} <= units:
        found = [pair if pair is not None and pair[1] == "" else None for pair in found]
    if None in found and all(map(DECIMAL_COMMA.fullmatch, levels)):
        found = [(float(level.replace(",", ".")), ",") for level in levels]
    values = np.asarray([np.nan if pair is None else pair[0] for pair in found], np.float64)
    odd = [
        place
        for place, (level, pair) in enumerate(zip(levels, found, strict=True))
        if pair is not None and not PLAIN.fullmatch(level) and not INFINITY.fullmatch(level)
    ]
    return ParsedNumbers(
        values, np.asarray([pair is not None for pair in found], np.bool_), odd[0] if odd else -1
    )


def parse_number(text: str) -> float | None:
    """Read one cell as a number, or return None.

    Examples
    --------
    >>> parse_number("$1,200.50"), parse_number("８５％"), parse_number("12 apples")
    (1200.5, 85.0, None)
    """
    pair = parse_with_unit(text.strip())
    return None if pair is None else pair[0]


def _from_typed_values(levels: Sequence[Any]) -> ParsedNumbers:
    """Tell the numbers among plain values of any type."""
    found = [isinstance(x, (int, float)) and not isinstance(x, bool) for x in levels]
    values = [as_float(x) if known else np.nan for x, known in zip(levels, found, strict=True)]
    return ParsedNumbers(np.asarray(values, np.float64), np.asarray(found, np.bool_))


def as_float(value: float) -> float:
    """Return a number as a float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf if value > 0 else -math.inf


def _parse_plain(levels: Sequence[str]) -> ParsedNumbers | None:
    """Read the levels at one go if all of them are plain numbers."""
    try:
        values = np.fromiter(map(float, levels), np.float64, len(levels))
    except ValueError:
        return None
    joined = "".join(levels)
    if not joined.isascii() or "_" in joined or " " in joined or np.isnan(values).any():
        return None
    return ParsedNumbers(values, np.ones(len(levels), np.bool_))


def number_parser(levels: Sequence[str]) -> Callable[[str], float]:
    """Return how each of some levels is read that are all numbers.

    Examples
    --------
    >>> number_parser(["0,5", "1"])("2,25"), number_parser(["$1,200", "$7"])("$1,900")
    (2.25, 1900.0)
    """
    if all(map(parse_with_unit, levels)):
        return lambda text: (parse_with_unit(text) or (math.nan,))[0]
    return lambda text: float(text.replace(",", "."))


def parse_with_unit(text: str) -> tuple[float, str] | None:
    """Return the number that a text is, and its unit; None if it is none."""
    if PLAIN.fullmatch(text):
        return float(text), ""
    if INFINITY.fullmatch(text):
        return float(text.replace("∞", "inf")), ""
    if not text or len(text) > 40:
        return None
    bare = unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()
    match = WITH_UNIT.fullmatch(bare)
    if match is None or (match["sign"] and match["number"][0] in "+-"):
        return None
    unit = (match["before"] or "") + (match["after"] or "")
    return float(match["sign"] + match["number"].replace(",", "")), unit
