"""Which written words mean that a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from penjing.errors import ChoiceError


def _in_any_case(*words: str) -> frozenset[str]:
    return frozenset(
        "".join(letters)
        for word in words
        for letters in product(*({letter.lower(), letter.upper()} for letter in word))
    )


USUAL = _in_any_case("na", "n/a", "#n/a", "<na>", "nan", "?", "？", "null", "缺失")
"""Words that are taken for a missing value in any column."""

AMONG_NUMBERS = _in_any_case("none", "nil")
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
    others : frozenset
        Values that are not text, such as -999, for columns of plain values.
    has_usual : bool
        Whether the usual ones apply too.
    """

    words: frozenset[str]
    others: frozenset[Any]
    has_usual: bool

    def missing(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that mean missing in any column; an empty cell always does."""
        certain = self.words | {""} | (USUAL if self.has_usual else frozenset())
        return certain.intersection(levels)

    def among_numbers(self, levels: Iterable[Any]) -> frozenset[Any]:
        """Return the levels that would mean missing if the rest were numbers."""
        return (AMONG_NUMBERS | {NOTHING}).intersection(levels) if self.has_usual else frozenset()

    def is_nothing(self, levels: Iterable[str]) -> bool:
        """Say whether 无 among these levels of a nominal column means missing."""
        if not self.has_usual:
            return False
        others = [level for level in levels if level != NOTHING]
        return len(others) > 1 and not any(level.startswith(SOMETHING) for level in others)


_PLAIN = Markers(frozenset(), frozenset(), has_usual=True)
_BARE = Markers(frozenset({"?"}), frozenset(), has_usual=False)


def markers(missing: object, *, usual: bool) -> Markers:
    """Make the markers of one reading from what the user said.

    ``None`` means the usual words, a list adds to them, ``{"only": [...]}`` replaces them.

    Examples
    --------
    >>> sorted(markers(["-"], usual=True).missing(["N/A", "-", "soft"]))
    ['-', 'N/A']
    >>> sorted(markers({"only": ["?"]}, usual=True).missing(["N/A", "?", "soft"]))
    ['?']
    """
    if missing is None:
        return _PLAIN if usual else _BARE
    if isinstance(missing, Mapping):
        if set(missing) != {"only"}:
            raise ChoiceError("bad_missing", value=missing)
        return Markers(*_words(missing["only"]), has_usual=False)
    words, others = _words(missing)
    return Markers(words if usual else words | {"?"}, others, usual)


def _words(given: object) -> tuple[frozenset[str], frozenset[Any]]:
    if isinstance(given, (str, int, float)):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ChoiceError("bad_missing", value=given)
    said = list(given)
    return (
        frozenset(str(word).strip() for word in said),
        frozenset(word for word in said if isinstance(word, (int, float))),
    )
