"""What is a sum of weights is not called a number of rows, in any picture, page or text."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from penjing import fit
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from written_texts import written_texts

N = 60
FREQUENCIES = np.arange(N) % 4 + 2.0
DECIMALS = np.linspace(1, 3, N) / 7


def grown(weights: np.ndarray | None, *, target: str = "class", recipe: str = "c4.5", holes: int = 0
          ) -> tuple[Tree, Table]:  # fmt: skip
    """Return a tree of 60 rows with these weights, and its table; `holes` values are missing."""
    rng = np.random.RandomState(3)
    x, place = rng.permutation(N).astype(float), [f"p{v}" for v in rng.randint(0, 3, N)]
    kinds = ["a" if v > 30 + 5 * rng.randn() else "b" for v in x]
    y = nominal("y", kinds) if target == "class" else numeric("y", x + rng.randn(N))
    x[:holes] = np.nan
    columns = (numeric("x", x), numeric("z", rng.randn(N)), nominal("place", place))
    table = Table(columns, y, N, weight=weights)
    return fit(table, recipe=recipe), table


WEIGHTED: dict[str, Callable[[], tuple[Tree, Table]]] = {
    "frequencies": lambda: grown(FREQUENCIES),
    "decimals": lambda: grown(DECIMALS, recipe="cart-binary"),
    "sum is the number of rows": lambda: grown(DECIMALS * N / DECIMALS.sum(), recipe="id3"),
    "regression": lambda: grown(FREQUENCIES, target="number", recipe="rpart"),
    "surrogates": lambda: grown(FREQUENCIES, recipe="rpart", holes=7),
}
ALLOWED = re.compile(
    r"60 rows|60 行|第 \d+ 行|60 个样本|fewer than [\d.]+ rows|不足 [\d.]+ 个样本|\d+ 个样本缺失"
    r"|(?<=\()rows [\d, ]+"
)
ROWS = {
    "en": re.compile(
        r"(?<![\w.])[\d,.]*\d rows?\b|\bn=[\d.]+|% of rows|(?:the|=) number of rows|\| rows \|"
    ),
    "zh": re.compile(
        r"(?<![\w.])[\d,.]*\d (?:行|个样本)|\bn=[\d.]+|的样本一致|= 样本数|\| 样本数? \|"
        r"|乘以样本数|全部样本的"
    ),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_sums_of_weights_are_not_called_rows(name, lang):
    tree, table = WEIGHTED[name]()
    assert tree.has_weights
    found = {
        writer: [t for t in texts if ROWS[lang].search(ALLOWED.sub("", t))]
        for writer, texts in written_texts(tree, table, lang)
    }
    assert {"svg", "icicle", "report", "trace", "why 0", "markdown"} <= set(found)
    assert {writer: texts for writer, texts in found.items() if texts} == {}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_rows_without_weights_are_counted_as_rows(lang):
    tree, table = grown(None)
    assert not tree.has_weights
    written = dict(written_texts(tree, table, lang))
    said = {"en": "weight", "zh": "权重"}[lang]
    assert not [t for name in ("svg", "trace", "markdown") for t in written[name] if said in t]
    assert "n=60" in written["svg"]


def test_only_nodes_with_parts_of_rows_have_a_weight():
    tree, table = grown(None, recipe="c4.5-textbook", holes=7)
    assert tree.has_fractions
    assert not tree.has_weights
    written = dict(written_texts(tree, table, "en"))
    assert "n=60" in written["svg"]
    sizes = [t for t in written["svg"] if re.fullmatch(r"(n=|weight )[\d.]+", t)]
    assert any(t.startswith("weight ") for t in sizes)
    assert all(("." in t) == t.startswith("weight ") for t in sizes)
    assert "grown from 60 rows by" in written["trace"][0]
