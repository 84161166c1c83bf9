"""Right-to-left letters of every script are found: nothing outside the listed blocks has any."""

import sys
import unicodedata

from penjing.text.direction import isolated, with_isolated_names


def test_every_character_that_is_written_from_the_right_is_isolated():
    strong = [c for c in map(chr, range(sys.maxunicode + 1)) if is_from_the_right(c)]
    assert len(strong) > 1000
    assert [hex(ord(c)) for c in strong if isolated(c) == c] == []


def is_from_the_right(character):
    return unicodedata.bidirectional(character) in ("R", "AL", "AN")


def test_other_text_stays_as_it_is():
    for text in ("oak", "纹理 ≤ 0.38", "é → –", "😀", "\u2068x\u2069"):
        assert isolated(text) == text
        assert with_isolated_names(text) == text
