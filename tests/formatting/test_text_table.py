"""How wide a text is in a terminal."""

from __future__ import annotations

from penjing.formatting.text_table import width


def test_a_mark_on_a_letter_takes_no_room():
    assert [width(text) for text in ("e\u0301", "清晰", "e")] == [1, 4, 1]
