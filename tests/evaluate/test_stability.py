"""Trees of bootstrap samples: how often a column is the root, and what they agree on."""

from __future__ import annotations

import json

import numpy as np

import penjing
from penjing.data.table import Table, nominal, numeric


def test_drawn_trees_are_counted():
    table = penjing.example("watermelon3.0")
    found = penjing.bootstrap(table, n=12, recipe="cart-binary", seed=1)
    assert found == penjing.bootstrap(table, n=12, recipe="cart-binary", seed=1)
    assert sum(found.roots.values()) <= 12
    assert all(found.roots[name] <= found.used[name] for name in found.roots)
    for name, cuts in found.cuts.items():
        assert len(cuts) == found.roots[name]
        assert cuts == sorted(cuts)
    assert len(found.leaves) == 12
    json.dumps(found.to_json(), allow_nan=False)
    assert "12 trees" in str(found)
    assert "12 棵树" in found.text("zh")


def test_a_column_that_says_all_is_always_the_root():
    x = numeric("x", range(40))
    random = np.random.RandomState(1)
    table = Table((numeric("noise", random.rand(40)), x), nominal("y", ["a"] * 20 + ["b"] * 20), 40)
    found = penjing.bootstrap(table, n=25, recipe="cart-binary")
    assert found.root == "x"
    assert found.roots["x"] >= 24
    assert all(15 < cut < 25 for cut in found.cuts["x"])
