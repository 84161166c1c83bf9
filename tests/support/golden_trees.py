"""Trees whose pictures are in tests/render/golden: textbook tables, Titanic, 2,000 leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import StringIO

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from shared import shared
from watermelon_files import FILES

N = 16_000
"""Rows of the large table."""


@cache
def large() -> Tree:
    """Return a tree of 2,000 leaves, grown from numbers of a written-out generator."""
    state, draws = 12345, []
    for _ in range(N * 5):  # Lehmer's generator, the same on every machine and in every version
        state = state * 48271 % 2147483647
        draws.append(state % 1000)
    x = np.asarray(draws).reshape(N, 5)
    names = ("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology")
    rule = (x[:, 0] // 250 + (x[:, 1] > 400) * (x[:, 2] // 300) + (x[:, 4] < 120)) % 4
    classes = [("Aspen", "Krummholz", "Spruce/Fir", "Lodgepole Pine")[k] for k in rule]
    columns = tuple(numeric(name, x[:, c]) for c, name in enumerate(names))
    table = Table(columns, nominal("cover", classes), N)
    return penjing.fit(table, recipe="cart-binary", max_leaves=2000)


@cache
def titanic() -> Tree:
    """Return rpart's tree of the passengers of the Titanic: surrogates for 177 missing ages."""
    path = shared("data/titanic/titanic-passengers.csv")
    columns = ("pclass", "sex", "age", "sibsp", "parch", "fare", "embarked")
    table = penjing.read(path, target="survived", schema={"survived": "nominal"})
    others = {f.name: "ignore" for f in table.columns if f.name not in columns}
    table = penjing.read(path, target="survived", schema={"survived": "nominal"} | others)
    return penjing.fit(table, recipe="rpart", cp=0.003, maxdepth=5)


def _course(name: str, **options: object) -> Tree:
    table = penjing.read(StringIO(FILES[name]), target="好瓜", schema={"编号": "ignore"})
    return penjing.fit(table, **options)


def _example(name: str, recipe: str) -> Callable[[], Tree]:
    return cache(lambda: penjing.fit(penjing.example(name), recipe=recipe, trace=True))


TREES: dict[str, Callable[[], Tree]] = {
    "fish": _example("fish", "id3"),
    "buys_computer": _example("buys_computer", "id3"),
    "basketball": _example("basketball", "id3"),
    "watermelon2.0": _example("watermelon2.0", "id3"),
    "watermelon2.0alpha": _example("watermelon2.0alpha", "c4.5-textbook"),
    "watermelon3.0": _example("watermelon3.0", "cart-binary"),
    "course1": cache(lambda: _course("Watermelon-train1.csv", recipe="id3", trace=True)),
    "course2": cache(lambda: _course("Watermelon-train2.csv", recipe="c4.5-textbook")),
    "titanic": titanic,
    "large": large,
}
