"""Missing markers: the words and numbers that stand for a missing value."""

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


INFINITE = ("inf", "infinity")
"""How infinite numbers are spelled; as markers they also mean the numbers of a frame."""

USUAL_MARKERS = _case_variants("na", "n/a", "#n/a", "<na>", "nan", "?", "？", "null", "缺失")
"""Words that mean missing in any column."""

NUMERIC_MARKERS = _case_variants("none", "nil")
"""Words that mean missing in a numeric column; in others they are categories."""

NOTHING, SOMETHING = "无", "有"
"""无 (none) means missing, with a note, unless 有 (some) shows that it is a category."""


@dataclass(frozen=True, slots=True)
class Markers:
    """The missing markers that apply while one table is read.

    Parameters
    ----------
    words : frozenset of str
        Markers that the user or the file format names.
    numbers : frozenset
        Numbers such as -999, given as a number or as text. They apply to a numeric column
        however its numbers are written.
    has_usual : bool
        Whether the usual markers apply too.
    """

    words: frozenset[str]
    numbers: frozenset[Any]
    has_usual: bool

    def missing_levels(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that mean missing in any column; an empty cell is always one."""
        words = self.words | {""} | (USUAL_MARKERS if self.has_usual else frozenset())
        return words.intersection(levels) | self.named_markers(levels)

    def named_markers(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that are named markers, as text or as a number."""
        return frozenset(level for level in levels if self.is_named_marker(level))

    def is_named_marker(self, level: Any) -> bool:  # noqa: ANN401 - a level may be any plain value
        """Return whether a value is a named marker."""
        if isinstance(level, str):
            return level.strip() in self.words
        is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
        return is_number and level in self.numbers

    def are_markers(self, numbers: Floats) -> npt.NDArray[np.bool_]:
        """Return a mask of the numbers that are named markers."""
        return np.isin(numbers, [float(number) for number in self.numbers])

    def missing_among_numbers(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that mean missing if all others are numbers."""
        return (NUMERIC_MARKERS | {NOTHING}).intersection(levels) if self.has_usual else frozenset()

    def is_wu_missing(self, levels: Iterable[str]) -> bool:
        """Return whether 无 means missing among these levels of a nominal column."""
        if not self.has_usual:
            return False
        others = [level for level in levels if level != NOTHING]
        return len(others) > 1 and not any(level.startswith(SOMETHING) for level in others)


_USUAL_ONLY = Markers(frozenset(), frozenset(), has_usual=True)
_QUESTION_MARK_ONLY = Markers(frozenset({"?"}), frozenset(), has_usual=False)


def make_markers(missing: object, *, usual: bool) -> Markers:
    """Return the markers for the argument ``missing`` of `penjing.read`.

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


def _parse_markers(missing: object) -> tuple[frozenset[str], frozenset[Any]]:
    markers = _list_markers(missing)
    words = frozenset(str(marker).strip() for marker in markers)
    spelled_numbers = (float(marker) for marker in words if PLAIN.fullmatch(marker))
    numbers = {marker for marker in markers if isinstance(marker, (int, float))}
    return words, frozenset(
        numbers
        | {number for number in spelled_numbers if math.isfinite(number)}
        | {float(word) for word in words if word.casefold().lstrip("+-") in INFINITE}
    )


def _list_markers(missing: object) -> list[str | int | float]:
    markers = [missing] if isinstance(missing, str) else as_list(missing)
    plain_markers = [
        marker.item() if isinstance(marker, np.generic) else marker for marker in markers or ()
    ]
    if markers is None or not all(
        isinstance(marker, str | int | float) for marker in plain_markers
    ):
        raise WrongTypeError("bad_missing", value=missing)
    return plain_markers


def serializable_markers(missing: object) -> Any:  # noqa: ANN401 - JSON
    """Return markers as a model file stores them: texts and numbers, None if usual.

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
        marker
        for marker in _list_markers(missing)
        if not isinstance(marker, float) or math.isfinite(marker)
    ]
