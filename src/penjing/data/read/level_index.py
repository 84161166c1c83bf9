"""Finds the category that a value is: by value and type, by value, by text, by another spelling.

A table remembers neither where it came from nor how its program writes: `TRUE` of a spreadsheet is
`True` in pandas and `true` in a database, and `1` becomes `1.0` beside missing values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from penjing.data.read.dates import date_to_level
from penjing.data.read.reading import fold_key
from penjing.data.table import MISSING

_BOOLEANS = (("true", "True", "TRUE"), ("false", "False", "FALSE"))
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
"""A whole number without leading zeros: 01 is a code, and another one than 1."""


def text_of(value: object) -> str:
    """Return the text by which values of different types are compared: 1.0 and 1 are '1'."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(date_to_level(value)).strip()


def other_spellings(text: str) -> list[str]:
    """Return how else other programs write a text.

    Examples
    --------
    >>> other_spellings("TRUE"), other_spellings("1"), other_spellings("1.0"), other_spellings("01")
    (['true', 'True'], ['1.0'], ['1'], [])
    """
    for words in _BOOLEANS:
        if text in words:
            return [word for word in words if word != text]
    if _WHOLE.fullmatch(text):
        return [f"{text}.0"]
    whole = text.removesuffix(".0")
    return [whole] if whole != text and _WHOLE.fullmatch(whole) else []


def codes_by_text(levels: Sequence[Any]) -> dict[str, int]:
    """Return the code of each text that stands for a level: its own, then other spellings.

    The first of equal texts counts. A spelling that several levels could have stands for none.

    Examples
    --------
    >>> codes_by_text(["TRUE", "FALSE"])["True"], "True" in codes_by_text(["TRUE", "true"])
    (0, False)
    """
    own = {text_of(level): code for code, level in reversed([*enumerate(levels)])}
    others: dict[str, set[int]] = {}
    for text, code in own.items():
        for spelling in other_spellings(text):
            others.setdefault(spelling, set()).add(code)
    return own | {
        spelling: codes.pop()
        for spelling, codes in others.items()
        if len(codes) == 1 and spelling not in own
    }


class LevelIndex:
    """Finds the code of a value: by value and type, then by value, then by text.

    Examples
    --------
    >>> places = LevelIndex((0, 1))
    >>> places.of(1), places.of("1"), places.of(1.0), places.of("one")
    (1, 1, 1, -1)
    >>> LevelIndex(("FALSE", "TRUE")).of(True)
    1
    """

    def __init__(self, levels: Iterable[Any], *, fold_case: bool = False) -> None:
        every = list(enumerate(levels))
        self._folded = {
            fold_key(level): code
            for code, level in reversed(every)
            if fold_case and isinstance(level, str)
        }
        self._same = {(type(level), level): code for code, level in reversed(every)}
        self._equal = {level: code for code, level in reversed(every)}
        self._alike = codes_by_text([level for _, level in every])

    def of(self, value: Any) -> int:  # noqa: ANN401 - a level may be any plain value
        """Return the code of a value, -1 if it is none of the levels."""
        code = self._same.get((type(value), value))
        if code is None:
            code = self._equal.get(value)
        if code is None:
            code = self._alike.get(text_of(value), MISSING)
        if code < 0 and self._folded and isinstance(value, str):
            code = self._folded.get(fold_key(value), MISSING)
        return code
