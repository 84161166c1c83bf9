"""Parse numbers as people write them: 12, full-width １２, 1,200, 85%, ¥30, 0,5.

The unit is dropped: 85% is 85. A column is numeric only if all its numbers have the same unit.
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
"""A column without any number among its first values is not parsed further."""


@dataclass(frozen=True, slots=True)
class ParsedNumbers:
    """The number of each level of a column, NaN if it is not a number.

    ``first_formatted`` is the position of the first number with a unit or separators, or -1.
    """

    values: Floats
    is_number: npt.NDArray[np.bool_]
    first_formatted: int = -1

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return bool(self.is_number.all()) and self.is_number.size > 0


def parse_numbers(levels: Sequence[Any]) -> ParsedNumbers:
    """Parse each level as a number, plain or formatted; booleans are not numbers.

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
    plain = _parse_plain(levels)
    if plain is not None:
        return plain
    if len(levels) > SAMPLE_SIZE and not any(map(parse_with_unit, levels[:SAMPLE_SIZE])):
        return ParsedNumbers(np.full(len(levels), np.nan), np.zeros(len(levels), np.bool_))
    parsed = [parse_with_unit(level) for level in levels]
    units = {pair[1] for pair in parsed if pair is not None}
    if len(units - {""}) > 1 or {"", "%"} <= units or {"", "‰"} <= units:
        parsed = [pair if pair is not None and pair[1] == "" else None for pair in parsed]
    if None in parsed and all(map(DECIMAL_COMMA.fullmatch, levels)):
        parsed = [(float(level.replace(",", ".")), ",") for level in levels]
    values = np.asarray([np.nan if pair is None else pair[0] for pair in parsed], np.float64)
    formatted = [
        position
        for position, (level, pair) in enumerate(zip(levels, parsed, strict=True))
        if pair is not None and not PLAIN.fullmatch(level) and not INFINITY.fullmatch(level)
    ]
    return ParsedNumbers(
        values,
        np.asarray([pair is not None for pair in parsed], np.bool_),
        formatted[0] if formatted else -1,
    )


def parse_number(text: str) -> float | None:
    """Parse one cell as a number; return None if it is not one.

    Examples
    --------
    >>> parse_number("$1,200.50"), parse_number("８５％"), parse_number("12 apples")
    (1200.5, 85.0, None)
    """
    pair = parse_with_unit(text.strip())
    return None if pair is None else pair[0]


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


def as_float(value: float) -> float:
    """Return a number as a float, infinity if it is too large."""
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf if value > 0 else -math.inf


def _parse_plain(levels: Sequence[str]) -> ParsedNumbers | None:
    """Parse all levels at once if they are plain numbers; otherwise return None."""
    try:
        values = np.fromiter(map(float, levels), np.float64, len(levels))
    except ValueError:
        return None
    joined = "".join(levels)
    if not joined.isascii() or "_" in joined or " " in joined or np.isnan(values).any():
        return None
    return ParsedNumbers(values, np.ones(len(levels), np.bool_))


def number_parser(levels: Sequence[str]) -> Callable[[str], float]:
    """Return the function that parses these levels, all of which are numbers.

    Examples
    --------
    >>> number_parser(["0,5", "1"])("2,25"), number_parser(["$1,200", "$7"])("$1,900")
    (2.25, 1900.0)
    """
    if all(map(parse_with_unit, levels)):
        return lambda text: (parse_with_unit(text) or (math.nan,))[0]
    return lambda text: float(text.replace(",", "."))


def parse_with_unit(text: str) -> tuple[float, str] | None:
    """Return the number of a text and its unit; None if the text is not a number."""
    if PLAIN.fullmatch(text):
        return float(text), ""
    if INFINITY.fullmatch(text):
        return float(text.replace("∞", "inf")), ""
    if not text or len(text) > 40:
        return None
    normalized = unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()
    match = WITH_UNIT.fullmatch(normalized)
    if match is None or (match["sign"] and match["number"][0] in "+-"):
        return None
    unit = (match["before"] or "") + (match["after"] or "")
    return float(match["sign"] + match["number"].replace(",", "")), unit
