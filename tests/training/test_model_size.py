"""How many bytes a model file takes, by every recipe and every pruning method."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import penjing
from penjing import Table
from penjing.data.table import nominal, numeric
from penjing.dialects.recipes import RECIPES
from penjing.errors import PenjingError
from penjing.tree.serialize import to_bytes
from penjing.tree.skeleton import MAX_NODES

A_NODE = 300
"""The most bytes that a node may take."""
A_SKELETON_NODE = 80
"""The same for a node of the tree before pruning, whose fractions are rounded."""
FIXED = 30_000
"""Recipe, names, and up to 200 decisions of each stage about nodes that are gone."""


@cache
def table(n_classes: int, share: float, n: int = 3000) -> Table:
    random = np.random.default_rng(n_classes)
    columns, values = [], []
    for c in range(10):
        if c % 2:
            codes = random.integers(0, (3, 5, 8, 12)[c // 2 % 4], n)
            column = [f"v{code}" for code in codes]
        else:
            codes = np.round(random.normal(size=n), 2)
            column = codes.tolist()
        values.append(codes)
        for i in np.flatnonzero(random.random(n) < share):
            column[i] = None
        columns.append((nominal if c % 2 else numeric)(f"column {c}", column))
    z = values[0] + 0.7 * values[2] * (values[1] == 1) + 0.5 * random.normal(size=n)
    y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    return Table(tuple(columns), nominal("y", [f"class {v}" for v in y]), n)


def check_size(tree: penjing.Tree) -> None:
    data = to_bytes(tree)
    sketches = len(json.dumps(tree.sketch, separators=(",", ":"))) + 2 * len(tree.sketch or ())
    n_before = len(tree.skeleton["nodes"]) if tree.skeleton else 0
    assert n_before <= MAX_NODES
    allowed = A_NODE * tree.n_nodes + sketches + A_SKELETON_NODE * n_before + FIXED
    assert len(data) <= allowed, (len(data), tree.n_nodes, n_before)


@pytest.mark.parametrize("share", [0.0, 0.05])
@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_model_takes_at_most_300_bytes_a_node(recipe, n_classes, share, tmp_path):
    try:
        tree = penjing.fit(table(n_classes, share), recipe=recipe, sketch=True)
    except PenjingError:
        assert share  # a recipe that takes no missing values
        return
    check_size(tree)
    tree.save(tmp_path / "m.tree")
    loaded = penjing.load(tmp_path / "m.tree")
    assert loaded == tree
    assert loaded.to_json() == tree.to_json()


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("error-based", {"training": 0.05}),
        ("reduced-error", {"validation": 0.05}),
        ("cost-complexity", {"cp": 0.001}),
        ("pessimistic", {}),
        ("minimum-error", {}),
        ("mdl", {}),
        ("collapse", {}),
        ("simplify", {}),
    ],
)
def test_a_pruned_tree_takes_no_more(method, options, tmp_path):
    rows = {k: table(10, v) for k, v in options.items() if k in ("training", "validation")}
    tree = penjing.fit(table(10, 0.05), recipe="c4.5-textbook", sketch=True)
    pruned = tree.prune(method, **options | rows)
    check_size(pruned)
    pruned.save(tmp_path / "m.tree")
    assert penjing.load(tmp_path / "m.tree").to_json() == pruned.to_json()
