"""Recognise dates, and make columns such as month or weekday from them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from penjing.arguments import texts
from penjing.data.table import Floats
from penjing.errors import unknown_name_error

_CLOCK = (
    r"(?:[T\s]\s*(?P<hour>\d{1,2})[:时](?P<minute>\d{1,2})"
    r"(?:(?:分?:|分)(?P<second>\d{1,2})(?:[.]\d+)?秒?|分)?"
    r"\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})\s*(?P<mark>[-/.年])\s*(?P<month>\d{1,2})\s*(?:(?P=mark)|月)\s*"
    r"(?P<day>\d{1,2})\s*日?" + _CLOCK,
    re.ASCII,
)
YEAR_LAST = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second_>\d{1,2})(?P=mark)(?P<year>\d{4})" + _CLOCK,
    re.ASCII,
)

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - tables have local times without a zone
DAY = dt.timedelta(days=1)

PARTS: dict[str, Callable[[dt.datetime], float]] = {
    "year": lambda date: date.year,
    "month": lambda date: date.month,
    "day": lambda date: date.day,
    "weekday": lambda date: date.isoweekday(),
    "hour": lambda date: date.hour,
    "number": lambda date: (date - EPOCH) / DAY,
}
"""The parts of a date; weekday 1 is Monday, number counts days from 1970-01-01."""

SAMPLE_SIZE = 20


def check_date_parts(requested: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the requested parts of dates; raise an error for an unknown one.

    Examples
    --------
    >>> check_date_parts("month, weekday")
    ('month', 'weekday')
    """
    if requested is None:
        return ()
    words = requested.split(",") if isinstance(requested, str) else texts("dates", requested)
    parts = tuple(word.strip() for word in words)
    for part in parts:
        if part not in PARTS:
            raise unknown_name_error("unknown_choice", part, PARTS, kind="dates")
    return parts


def date_to_level(value: Any) -> Any:  # noqa: ANN401 - of a column
    """Return a value as a level: a date as text, without the time if it is midnight.

    Examples
    --------
    >>> date_to_level(dt.datetime(2024, 2, 29)), date_to_level(2.5)
    ('2024-02-29', 2.5)
    """
    return str(value).removesuffix(" 00:00:00") if isinstance(value, dt.date) else value


def parse_dates(levels: list[Any]) -> list[dt.datetime] | None:
    """Return the date of each level, or None if one of them is not a date.

    If the year comes last, the order of day and month is the one that fits all levels, and month
    first if both do.

    Examples
    --------
    >>> parse_dates(["2024年3月1日", "2024/3/15"])
    [datetime.datetime(2024, 3, 1, 0, 0), datetime.datetime(2024, 3, 15, 0, 0)]
    >>> parse_dates(["2024-03-01", "soon"])
    """
    if not levels:
        return None
    types = {*map(type, levels)}
    if types != {str}:
        are_dates = all(issubclass(kind, dt.date) for kind in types)
        return [_naive_datetime(level) for level in levels] if are_dates else None
    parser = date_parser(levels)
    dates = [] if parser is None else [parser(level) for level in levels]
    return None if parser is None or None in dates else [date for date in dates if date]


def parse_date_for_model(level: Any, order: str | None) -> dt.datetime | None:  # noqa: ANN401
    """Return the date of one cell for a model, None if it is not one in the model's order.

    The year may come first in any case: that order is unambiguous. If the model has no order,
    since its dates were no text, the month comes first where the year does not.

    Examples
    --------
    >>> parse_date_for_model("06.03.2021", "day") == parse_date_for_model("2021-03-06", "day")
    True
    """
    if isinstance(level, dt.date):
        return _naive_datetime(level)
    if not isinstance(level, str):
        return None
    return _year_first(level) or ORDERS[order or "month"](level)


def date_parser(levels: Sequence[str]) -> Callable[[str], dt.datetime | None] | None:
    """Return the parser that reads all these texts as dates, None if there is none."""
    for parser in ORDERS.values():
        if all(map(parser, levels[:SAMPLE_SIZE])) and all(map(parser, levels)):
            return parser
    return None


def date_order(levels: Sequence[Any]) -> str | None:
    """Return which part comes first in texts that are all dates; None for typed dates.

    Examples
    --------
    >>> date_order(["1/2/2024", "3/14/2024"]), date_order(["14.3.2024"])
    ('month', 'day')
    """
    if not levels or not isinstance(levels[0], str):
        return None
    return next((name for name, parser in ORDERS.items() if all(map(parser, levels))), None)


def date_orders(text: str) -> tuple[bool, bool, bool]:
    """Return whether a text is a date that begins with the year, the month, the day.

    Examples
    --------
    >>> date_orders("2024-03-01"), date_orders("3/14/2024"), date_orders("soon")
    ((True, False, False), (False, True, False), (False, False, False))
    """
    year, month, day = (parser(text) is not None for parser in ORDERS.values())
    return year, month, day


def is_ambiguous_order(levels: Sequence[Any]) -> bool:
    """Return whether dates with the year last could begin with either day or month.

    Examples
    --------
    >>> is_ambiguous_order(["1/2/2024", "3/4/2024"]), is_ambiguous_order(["1/2/2024", "3/14/2024"])
    (True, False)
    """
    return isinstance(levels[0], str) and all(_month_first(x) and _day_first(x) for x in levels)


def date_part(dates: list[dt.datetime], part: str) -> Floats:
    """Return one part of each date."""
    return np.asarray([PARTS[part](date) for date in dates], np.float64)


def _naive_datetime(date: dt.date) -> dt.datetime:
    if isinstance(date, dt.datetime):
        return date.replace(tzinfo=None)
    return dt.datetime(date.year, date.month, date.day)  # noqa: DTZ001


def _year_first(text: str) -> dt.datetime | None:
    match = YEAR_FIRST.fullmatch(text)
    if match is None or (match["mark"] == "年") != ("月" in text):
        return None
    return _make_datetime(match, match["month"], match["day"])


def _month_first(text: str) -> dt.datetime | None:
    match = YEAR_LAST.fullmatch(text)
    return _make_datetime(match, match["first"], match["second_"]) if match else None


def _day_first(text: str) -> dt.datetime | None:
    match = YEAR_LAST.fullmatch(text)
    return _make_datetime(match, match["second_"], match["first"]) if match else None


def _make_datetime(match: re.Match[str], month: str, day: str) -> dt.datetime | None:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    try:
        return dt.datetime(int(match["year"]), int(month), int(day), hour, minute, second)  # noqa: DTZ001
    except ValueError:
        return None


ORDERS: dict[str, Callable[[str], dt.datetime | None]] = {
    "year": _year_first,
    "month": _month_first,
    "day": _day_first,
}
"""The parsers of dates by the part that comes first, in the order in which they are tried."""
