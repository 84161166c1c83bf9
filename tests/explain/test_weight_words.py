"""Fractional weights are called weights, whole ones are rows."""

from __future__ import annotations

import re

import pytest

import penjing

ROWS = [{"a": "uv"[i % 2], "b": "xyz"[i % 3], "y": "pq"[i % 2 ^ (i % 5 == 0)]} for i in range(30)]
TREE = penjing.fit(ROWS, "y", "cart-binary", weight=[0.5 + i % 3 / 4 for i in range(30)])
WHOLE = penjing.fit(ROWS, "y", "cart-binary", weight=[1.0] * 30)


@pytest.mark.parametrize(
    ("lang", "rows", "weight"), [("en", " rows", "total weight"), ("zh", "行", "总权重")]
)
def test_weights_are_not_called_rows(lang, rows, weight):
    for tree in (TREE, WHOLE):
        texts = [tree.why(0).text(lang), tree.trace.text(lang), tree.write("svg", lang=lang)]
        for text in texts:
            assert not re.search(rf"\d\.\d+ ?{rows}", text), text
            assert (weight in text) == (tree is TREE)
