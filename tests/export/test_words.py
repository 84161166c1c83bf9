"""Exported programs use the words of the documentation: category, prediction."""

from __future__ import annotations

import re

import pytest

import penjing

MELONS = penjing.example("watermelon2.0")
TREES = {
    "fractional": penjing.fit(MELONS, recipe="c4.5-textbook"),
    "refusing": penjing.fit(MELONS, recipe="id3", unseen="error"),
    "binary": penjing.fit(MELONS, recipe="cart-binary"),
    "numeric": penjing.fit([{"x": i, "k": "uv"[i % 2], "y": i * 1.5} for i in range(30)], "y"),
    "leaf": penjing.fit(MELONS, max_depth=0, quiet=True),
}
OLD_WORDS = re.compile(r"levels?|answers?|asks?|asked|questions?", re.IGNORECASE)


@pytest.mark.parametrize("kind", ["python", "c", "javascript", "java", "sql"])
@pytest.mark.parametrize("name", TREES)
def test_programs_have_no_retired_words(kind, name):
    try:
        program = TREES[name].export(kind)
    except penjing.CapabilityError:
        program = TREES[name].export(kind, unseen="stop", missing="stop")
    words = re.findall(r"[A-Za-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", program))
    assert [word for word in words if OLD_WORDS.fullmatch(word)] == []
