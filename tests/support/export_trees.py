"""Trees to export: every policy for missing and unseen values, and unusual names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penjing import Table, Tree, fit
from penjing.data.table import Column, nominal, numeric
from strategies import ordered

ODD = ["Don't Play", 'a "quoted" one', "清晰 🍉", "two\nlines", "x'; DROP TABLE rows; --", "%s {0}"]
"""Levels, names and classes that a careless program would stumble over."""
PLAIN = ["low", "high", "*/", "back\\slash", "<b>&amp;", "??/", "$1 `x` ${y}"]


def rows_of(n: int = 240, seed: int = 0, *, missing: float = 0.0, **kinds: bool) -> Table:
    """Return a table of numbers, odd levels, an order and whole numbers as levels."""
    rng = np.random.RandomState(seed)
    gone = lambda: rng.rand(n) < missing  # noqa: E731
    number = rng.randn(n)
    tenths = rng.randint(-20, 20, n) / 10
    words = rng.randint(0, len(ODD), n)
    plain = rng.randint(0, len(PLAIN), n)
    sizes = rng.randint(0, 5, n)
    legs = rng.choice([0, 2, 4, 100], n)
    signal = number + (words % 3) - (plain % 2) + 0.7 * sizes * (legs > 2) + 0.3 * rng.randn(n)
    columns: list[Column] = [
        numeric("number", np.where(gone(), np.nan, number)),
        numeric('ten"ths\n%', np.where(gone(), np.nan, tenths)),
    ]
    if not kinds.get("only_numbers"):
        columns += [
            nominal("it's; a name -- 🍉", _known(ODD, words, gone()), ODD),
            nominal("class", _known(PLAIN, plain, gone()), PLAIN),
            ordered("size", np.where(gone(), -1, sizes).tolist(), ["XS", "S", "M", "L", "XL"]),
            nominal("legs", [None if g else int(v) for v, g in zip(legs, gone(), strict=True)]),
        ]
    if kinds.get("regression"):
        return Table(tuple(columns), numeric("y's", signal / 3), n)
    cuts = np.quantile(signal, [0.4, 0.7])
    target = nominal("Don't Play", [ODD[k] for k in np.searchsorted(cuts, signal)])
    return Table(tuple(columns), target, n)


def _known(levels: list[str], codes: np.ndarray, gone: np.ndarray) -> list[str | None]:
    # the last level is declared and hardly ever seen: nodes without a branch for it
    return [None if g else levels[c] for c, g in zip(codes.tolist(), gone, strict=True)]


def chain(depth: int) -> Tree:
    """Return a tree that is one long path of cuts."""
    from user_trees import from_json  # noqa: PLC0415

    nodes = [{"parent": -1, "total": [1, 1], "column": 0, "cut": 0.0, "gain": 0.1, "score": 0.1}]
    for k in range(depth):
        up = 0 if k == 0 else 2 * k
        nodes.append({"parent": up, "total": [1, 0] if k % 2 else [0, 1]})
        last = {"parent": up, "total": [1, 2]}
        if k < depth - 1:
            last |= {"column": 0, "cut": (k + 1) / 8, "gain": 0.1, "score": 0.1}
        nodes.append(last)
    return from_json(
        {
            "format": 1,
            "penjing": "0.1.0",
            "recipe": {},
            "target": {"name": "c", "kind": "nominal", "levels": ["a", "b"]},
            "schema": [{"name": "x", "kind": "numeric"}],
            "centre": 0.0,
            "nodes": nodes,
            "about": {},
            "trace": None,
        }
    )


def _numeric_classes() -> Tree:
    table = rows_of(120, 5)
    target = nominal("n", [len(v) for v in table.target.values()])
    return fit(Table(table.columns, target, table.n_rows), recipe="cart-binary", max_depth=4)


TREES: dict[str, Callable[[], Tree]] = {
    "id3": lambda: fit(rows_of(), recipe="id3", max_depth=4),
    "fraction": lambda: fit(rows_of(missing=0.1), recipe="c4.5-textbook", max_depth=5),
    "c4.5": lambda: fit(rows_of(400, 2, missing=0.05), recipe="c4.5"),
    "j48": lambda: fit(rows_of(300, 3, missing=0.05), recipe="j48"),
    "c5.0": lambda: fit(rows_of(400, 2, missing=0.05), recipe="c5.0"),
    "branch": lambda: fit(rows_of(300, 3, missing=0.2), recipe="cart-binary", missing="branch"),
    "surrogates": lambda: fit(rows_of(600, 4, missing=0.15), recipe="rpart", cp=0.001),
    "stay": lambda: fit(
        rows_of(600, 4, missing=0.15), recipe="rpart", cp=0.001, usesurrogate=1, unseen="stop"
    ),
    "direction": lambda: fit(rows_of(300, 6, missing=0.2), recipe="sklearn", max_depth=7),
    "numbers": lambda: fit(
        rows_of(300, 7, missing=0.2, only_numbers=True), recipe="sklearn", max_depth=25
    ),
    "regression": lambda: fit(
        rows_of(500, 8, missing=0.1, regression=True), recipe="rpart", cp=0.003
    ),
    "classes": _numeric_classes,
    "leaf": lambda: fit(rows_of(30, 9), recipe="id3", max_depth=0),
    "large": lambda: fit(rows_of(6000, 10), recipe="cart-binary"),
}
"""The trees by name, each made when it is wanted."""
