"""Characters that no font of matplotlib has: drawn as a box, and named in one note."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from penjing.data.notes import Note, record_notes
from penjing.render.svg import to_printable
from penjing.text.direction import ISOLATES, with_isolated_names

BOX = "\u25a1"
"""Drawn for a character that is missing; DejaVu Sans, which matplotlib brings, has it."""


class Fonts:
    """The fonts of a picture, and the characters of its texts that none of them has."""

    def __init__(self, families: Sequence[str]) -> None:
        self.families = list(families)
        self.missing: set[str] = set()

    def text(self, text: str) -> str:
        """Return a text with a box for each character that is missing.

        Missing marks that combine with another character are left out.
        """
        printable = with_isolated_names(to_printable(text))
        if printable.isascii():
            return printable
        codes = _codes(tuple(self.families))
        characters = []
        for character in printable:
            is_known = ord(character) in codes
            if character in ISOLATES and _has_directions():
                is_known = True
            is_mark = unicodedata.category(character) in {"Mn", "Me", "Cf"}
            if not is_known and not is_mark:
                self.missing.add(character)
            characters.append(character if is_known else "" if is_mark else BOX)
        return "".join(characters)

    def record_missing(self) -> None:
        """Record a note on the characters that were drawn as boxes, if there are any."""
        if self.missing:
            record_notes([Note("note_missing_glyphs", {"names": sorted(self.missing)})])


@cache
def _has_directions() -> bool:
    """Return whether matplotlib draws names from the right, and keeps figures beside them."""
    from matplotlib import ft2font  # noqa: PLC0415 - an extra

    return hasattr(ft2font, "__libraqm_version__")


@cache
def _codes(families: tuple[str, ...]) -> frozenset[int]:
    """Return the codes of all characters of fonts."""
    from matplotlib.font_manager import (  # noqa: PLC0415 - an extra
        FontProperties,
        findfont,
        get_font,
    )

    paths = {findfont(FontProperties(family=family)) for family in families}
    return frozenset(code for path in paths for code in get_font(path).get_charmap())
