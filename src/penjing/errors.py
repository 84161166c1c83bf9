"""Three exceptions, and how a sentence with a hint is made."""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable

from penjing.words import say

LONGEST = 1000
"""A sentence mentions no longer text than this."""


class Problem(ValueError):  # noqa: N818 - the three below are what users catch
    """Something the user can put right, told in one to three lines.

    Parameters
    ----------
    key : str
        A key of the catalogues in :mod:`penjing.words`; every sentence exists in each language.
    **values
        What the sentence mentions.

    Examples
    --------
    >>> error = DataError("no_rows", source="melons.csv")
    >>> print(error)
    melons.csv has a header but no rows. A tree needs at least one row of data.
    >>> print(error.say("zh"))
    melons.csv 只有表头，没有数据行。生成决策树至少需要一行数据。
    """

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = {name: _bearable(value) for name, value in values.items()}
        super().__init__(say(key, **self.values))

    def say(self, lang: str) -> str:
        """Return the sentence in another language."""
        return say(self.key, lang, **self.values)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.key, self.values)


def _bearable(value: object) -> object:
    """Return a value as a sentence can bear it: of a text of pages, the beginning."""
    if isinstance(value, str | bytes) and len(value) > LONGEST:
        return f"{value[:LONGEST]!s}…"
    return value


class DataError(Problem):
    """The data is not what was expected."""


class ChoiceError(Problem):
    """A parameter, name or combination is not one of the possible ones."""


class CapabilityError(Problem):
    """A part cannot do what was asked of it, though another part can."""


def _rebuild(kind: type[Problem], key: str, values: dict[str, object]) -> Problem:
    return kind(key, **values)


def near(word: object, known: Iterable[object]) -> str | None:
    """Return the known word closest to a mistyped one, or None.

    Examples
    --------
    >>> near("color", ["colour", "root"])
    'colour'
    >>> near("好挂", ["好瓜", "纹理"])
    '好瓜'
    >>> near("xyz", ["colour", "root"])
    """
    found = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0.5)
    return found[0] if found else None


def whole_number(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough, or say what it must be.

    Examples
    --------
    >>> whole_number("n", 3, 1)
    3
    """
    try:
        found = -math.inf if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        found = -math.inf
    if found < least:
        raise ChoiceError("bad_whole", name=name, value=value, least=least)
    return int(found)


def unknown(key: str, word: object, known: Iterable[object], **values: object) -> ChoiceError:
    """Make the error for a name that is not one of the known ones, with the near miss proposed."""
    names = [str(k) for k in known]
    close = near(word, names)
    values |= {"word": word, "known": ", ".join(names)}
    return ChoiceError(key + "_near", near=close, **values) if close else ChoiceError(key, **values)
