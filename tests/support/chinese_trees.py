"""Trees whose names are all Chinese, and the English words in texts about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric


def table(target: str, *, n: int = 120, n_classes: int = 2, holes: int = 6) -> Table:
    """Return a table whose names are all Chinese; `holes` values are missing."""
    rng = np.random.RandomState(5)
    length, density = np.round(rng.rand(n) * 50, 1), np.round(rng.randn(n), 2)
    codes = rng.randint(0, 4, n)
    signal = length / 10 + density + codes + rng.randn(n) / 2
    ranks = np.argsort(np.argsort(signal)) * n_classes // n
    y = (
        numeric("价格", signal)
        if target == "number"
        else nominal("好坏", [f"第{v}类" for v in ranks])
    )
    length[:holes] = np.nan
    places = nominal("产地", [f"产地{v}" for v in codes])
    return Table((numeric("长度", length), numeric("密度", density), places), y, n)


def full() -> Table:
    return table("class", holes=0)


def by_hand() -> Tree:
    leaves = {f"产地{v}": f"第{v % 2}类" for v in range(4)}
    return Tree.from_dict({"产地": leaves}, target="好坏")


def binary() -> Tree:
    return penjing.fit(full(), recipe="cart-binary", trace=True)


TREES: dict[str, Callable[[], tuple[Tree, Table]]] = {
    **{
        recipe: lambda recipe=recipe: (penjing.fit(table("class"), recipe=recipe), table("class"))
        for recipe in ("c4.5", "c5.0", "j48", "rpart", "sklearn")
    },
    "id3": lambda: (penjing.fit(full(), recipe="id3"), full()),
    **{
        f"{recipe}, number": lambda recipe=recipe: (
            penjing.fit(table("number"), recipe=recipe),
            table("number"),
        )
        for recipe in ("rpart", "sklearn", "c4.5-textbook")
    },
    "many classes": lambda: _with_rows(table("class", n=300, n_classes=12), recipe="c4.5"),
    "weights": lambda: _with_rows(_weighted(full()), recipe="rpart"),
    "pruned": lambda: (binary().prune("pessimistic"), full()),
    "pruned by hand": lambda: (binary().prune_at(1), full()),
    "split by hand": lambda: (binary().replace_split(0, "产地"), full()),
    "forced": lambda: _with_rows(full(), recipe="c4.5", force_splits={"": "产地"}, forbid=["密度"]),
    "made by hand": lambda: (by_hand(), full()),
    "made by hand, counted": lambda: (by_hand().with_counts(full()), full()),
    "one leaf": lambda: _with_rows(full(), recipe="rpart", max_depth=0),
}


def _with_rows(rows: Table, **settings: Any) -> tuple[Tree, Table]:
    return penjing.fit(rows, **settings), rows


def _weighted(rows: Table) -> Table:
    weights = np.arange(rows.n_rows) % 3 + 0.5
    return Table(rows.columns, rows.target, rows.n_rows, weight=weights)


PROPER = {
    "ROC", "PR", "F", "R", "CF", "Ent", "Gain", "Gini", "IV", "Var", "D", "log", "n", "p", "cp",
    "index", "ratio", "Gain_ratio", "Gini_index", "penjing", "dev", "scikit-learn", "rpart", "C",
}  # fmt: skip
"""Names of measures in formulas, and of programs."""
WORD = re.compile(r"[A-Za-z](?:[\w.'-]*[A-Za-z])?", re.ASCII)
LATEX = re.compile(
    r"\\textasciigrave.*?\\textasciigrave|\\(begin|end)\{\w+\}(\{[lr]+\})?|\\[A-Za-z]+|-\{\}"
)
NUMBER = re.compile(r"\d(?:\.\d+)?e[+-]?\d+")


def english_words(name: str, texts: list[str], known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of texts that are neither known names nor syntax, with their texts."""
    if name.endswith("LaTeX"):
        texts = texts[texts.index(r"\begin{document}") :]
    for text in texts:
        if name == "dot":
            shown = " ".join(re.findall(r'label="([^"]*)"', text)).replace("\\n", " ")
        elif name.endswith("LaTeX"):
            shown = re.sub(
                r"\\textasciigrave.*?\\textasciigrave|\\(begin|end)\{\w+\}(\{[lr]+\})?|\\[A-Za-z]+|-\{\}",
                "-",
                text,
            )
        else:
            shown = re.sub(r"&\w+;|\\[A-Za-z]+|`[^`]*`", " ", text)
        for word in WORD.findall(NUMBER.sub("", shown)):
            if word not in known and word.strip("-") not in known:
                yield word, text
