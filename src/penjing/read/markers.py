"""Which written words mean that a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penjing.errors import ChoiceError

USUAL = frozenset({"na", "n/a", "#n/a", "<na>", "nan", "?", "？", "null", "缺失"})
"""Words (in lower case) that are taken for a missing value in any column."""

DOUBTFUL = frozenset({"无"})
"""Words taken for a missing value though they could be one; a note says so."""

AMONG_NUMBERS = frozenset({"none", "nil"})
"""Words that mean missing among numbers only; among names they are a value like another."""


@dataclass(frozen=True, slots=True)
class Markers:
    """The words for missing that one reading goes by.

    Parameters
    ----------
    always : frozenset of str
        As written, or in lower case for the usual ones.
    usual : bool
        Whether the three usual sets apply too.
    """

    always: frozenset[str]
    usual: bool

    def is_missing(self, cell: str, *, among_numbers: bool = False) -> bool:
        """Say whether a trimmed cell means missing; an empty one always does."""
        if not cell or cell in self.always:
            return True
        if not self.usual:
            return False
        word = cell.lower()
        return (
            word in USUAL or word in DOUBTFUL or (among_numbers and word in AMONG_NUMBERS)
        )

    def is_doubtful(self, cell: str) -> bool:
        """Say whether a cell was taken for missing though it might be a value."""
        return self.usual and cell in DOUBTFUL and cell not in self.always

    def is_spared(self, cell: str) -> bool:
        """Say whether a cell was taken for a value though it might mean missing."""
        return self.usual and cell.lower() in AMONG_NUMBERS and cell not in self.always


def markers(missing: object, *, usual: bool) -> Markers:
    """Make the markers of one reading from what the user said.

    ``None`` means the usual words, a list adds to them, ``{"only": [...]}`` replaces them.

    Examples
    --------
    >>> markers(["-"], usual=True).is_missing("N/A"), markers(["-"], usual=True).is_missing("-")
    (True, True)
    >>> markers({"only": ["?"]}, usual=True).is_missing("NA")
    False
    """
    if missing is None:
        return Markers(frozenset() if usual else frozenset({"?"}), usual)
    if isinstance(missing, Mapping):
        if set(missing) != {"only"}:
            raise ChoiceError("bad_missing", value=missing)
        return Markers(_words(missing["only"]), usual=False)
    return Markers(_words(missing) | (frozenset() if usual else frozenset({"?"})), usual)


def _words(given: object) -> frozenset[str]:
    if isinstance(given, str):
        return frozenset({given.strip()})
    if not isinstance(given, Iterable):
        raise ChoiceError("bad_missing", value=given)
    return frozenset(str(word).strip() for word in given)
