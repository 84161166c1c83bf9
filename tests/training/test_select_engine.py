"""The engine that is used when none is named."""

from __future__ import annotations

import penjing
from penjing.engines.native import Engine as Native

MELONS = penjing.example("watermelon2.0")


def test_auto_is_the_native_engine(monkeypatch):
    asked = []
    grow = Native.grow

    def watched(self, recipe, *more):
        asked.append(recipe.name)
        return grow(self, recipe, *more)

    monkeypatch.setattr(Native, "grow", watched)
    penjing.fit(MELONS)
    assert asked == ["id3"]
