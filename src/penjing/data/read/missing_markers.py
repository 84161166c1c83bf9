"""Which written words mean that a value is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.arguments import as_list
from penjing.data.read.numbers import PLAIN
from penjing.data.table import Floats
from penjing.errors import ChoiceError, WrongTypeError


def _case_variants(*words: str) -> frozenset[str]:
    return frozenset(
        "".join(letters)
        for word in words
        for letters in product(*({letter.lower(), letter.upper()} for letter in word))
    )


USUAL_MARKERS = _case_variants("na", "n/a", "#n/a", "<na>", "nan", "?", "？", "null", "缺失")
"""Words that are taken for a missing value in any column."""

NUMERIC_MARKERS = _case_variants("none", "nil")
"""Words that mean missing among numbers; among names they are a value like another."""

NOTHING, SOMETHING = "无", "有"
"""The first is missing (a note says so), unless the second shows that it is an answer."""


@dataclass(frozen=True, slots=True)
class Markers:
    """The words for missing that one reading goes by.

    Parameters
    ----------
    words : frozenset of str
        Those that the user or the file format names.
    numbers : frozenset
        Numbers, such as -999: named as one, or spelled by a word. A column of numbers has them
        whatever way they are written.
    has_usual : bool
        Whether the usual ones apply too.
    """

    words: frozenset[str]
    numbers: frozenset[Any]
    has_usual: bool

    def missing_levels(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that mean missing in any column; an empty cell always does."""
        certain = self.words | {""} | (USUAL_MARKERS if self.has_usual else frozenset())
        return certain.intersection(levels) | self.named_markers(levels)

    def named_markers(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that were named as markers, as text or as a number."""
        return frozenset(level for level in levels if self.is_named_marker(level))

    def is_named_marker(self, level: Any) -> bool:  # noqa: ANN401 - a level may be any plain value
        """Say whether a value was named as a marker."""
        if isinstance(level, str):
            return level.strip() in self.words
        is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
        return is_number and level in self.numbers

    def are_markers(self, numbers: Floats) -> npt.NDArray[np.bool_]:
        """Return which numbers were named as markers."""
        return np.isin(numbers, [float(number) for number in self.numbers])

    def missing_among_numbers(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that would mean missing if the rest were numbers."""
        return (NUMERIC_MARKERS | {NOTHING}).intersection(levels) if self.has_usual else frozenset()

    def is_wu_missing(self, levels: Iterable[str]) -> bool:
        """Say whether 无 among these levels of a nominal column means missing."""
        if not self.has_usual:
            return False
        others = [level for level in levels if level != NOTHING]
        return len(others) > 1 and not any(level.startswith(SOMETHING) for level in others)


_USUAL_ONLY = Markers(frozenset(), frozenset(), has_usual=True)
_QUESTION_MARK_ONLY = Markers(frozenset({"?"}), frozenset(), has_usual=False)


def make_markers(missing: object, *, usual: bool) -> Markers:
    """Make the markers of one reading from what the user said.

    ``None`` means the usual words, a list adds to them, ``{"only": [...]}`` replaces them.

    Examples
    --------
    >>> sorted(make_markers(["-"], usual=True).missing_levels(["N/A", "-", "soft"]))
    ['-', 'N/A']
    >>> sorted(make_markers({"only": ["?"]}, usual=True).missing_levels(["N/A", "?", "soft"]))
    ['?']
    """
    if missing is None:
        return _USUAL_ONLY if usual else _QUESTION_MARK_ONLY
    if isinstance(missing, Mapping):
        if [*missing] != ["only"]:
            raise ChoiceError("bad_missing", value=missing)
        return Markers(*_parse_markers(missing["only"]), has_usual=False)
    words, others = _parse_markers(missing)
    return Markers(words if usual else words | {"?"}, others, usual)


def _parse_markers(given: object) -> tuple[frozenset[str], frozenset[Any]]:
    said = _list_markers(given)
    words = frozenset(str(word).strip() for word in said)
    spelled = (float(word) for word in words if PLAIN.fullmatch(word))
    others = {word for word in said if isinstance(word, (int, float))}
    return words, frozenset(others | {number for number in spelled if math.isfinite(number)})


def _list_markers(given: object) -> list[str | int | float]:
    said = [given] if isinstance(given, str) else as_list(given)
    plain = [word.item() if isinstance(word, np.generic) else word for word in said or ()]
    if said is None or not all(isinstance(word, str | int | float) for word in plain):
        raise WrongTypeError("bad_missing", value=given)
    return plain


def serializable_markers(missing: object) -> Any:  # noqa: ANN401 - JSON
    """Return markers in the form in which a model keeps them: texts and numbers, None if usual.

    Examples
    --------
    >>> serializable_markers("-"), serializable_markers({"only": ("?", -999)})
    (['-'], {'only': ['?', -999]})
    """
    if missing is None:
        return None
    if isinstance(missing, Mapping):
        if [*missing] != ["only"]:
            raise ChoiceError("bad_missing", value=missing)
        return {"only": serializable_markers(missing["only"])}
    return [
        word
        for word in _list_markers(missing)
        if not isinstance(word, float) or math.isfinite(word)
    ]
