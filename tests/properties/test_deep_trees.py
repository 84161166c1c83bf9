"""No depth is too deep: whatever walks a tree is a loop, never a recursion."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric

DEEP = 50_000


def alternating(n: int) -> Table:
    """Classes that alternate along a number: the best cut always parts the lowest row."""
    return Table((numeric("x", np.arange(n)),), nominal("c", ["a", "b"] * (n // 2)), n)


def chain(depth: int) -> Tree:
    """A chain written by hand: x <= 0, else x <= 1, else …"""
    plain: Any = "ab"[depth % 2]
    for i in range(depth - 1, -1, -1):
        plain = {"x": {f"<= {i + 0.5}": "ab"[i % 2], f"> {i + 0.5}": plain}}
    return Tree.from_dict(plain, target="c")


@pytest.fixture(scope="module")
def deep() -> Tree:
    return chain(DEEP)


def levels_of(plain: Any) -> int:
    depth = 0
    while isinstance(plain, dict):
        plain = list(next(iter(plain.values())).values())[-1]
        depth += 1
    return depth


def test_a_deep_tree_is_measured_and_walked(deep):
    assert deep.depth == DEEP
    assert deep.n_leaves == DEEP + 1
    assert sum(1 for _ in deep.walk()) == deep.n_nodes == 2 * DEEP + 1
    assert len(deep.path(deep.n_nodes - 1)) == DEEP + 1
    assert deep.n_empty == 0


def test_a_deep_tree_is_printed(deep):
    lines = str(deep).split("\n")
    assert sum(line.endswith((": a", ": b")) for line in lines) == DEEP + 1
    assert max(map(len, lines)) < 200


def test_a_deep_tree_is_saved_loaded_and_pickled(deep, tmp_path):
    deep.save(tmp_path / "deep.tree.gz")
    assert penjing.load(tmp_path / "deep.tree.gz") == deep
    assert pickle.loads(pickle.dumps(deep)) == deep  # noqa: S301 - our own bytes


def test_a_deep_tree_goes_into_a_dict_and_comes_back(deep):
    plain = deep.to_dict()
    assert levels_of(plain) == DEEP
    assert Tree.from_dict(plain, "c") == deep


def test_a_deep_tree_answers(deep):
    rows = alternating(DEEP).take(range(0, DEEP, 99))
    assert (deep.predict(rows) == rows.target.values()).all()
    assert deep.predict_proba(rows).sum() == rows.n_rows
    assert deep.depths[deep.apply(rows)].tolist() == [i + 1 for i in range(0, DEEP, 99)]
    assert deep.score(rows).correct == rows.n_rows


def test_a_deep_tree_is_pruned(deep):
    assert deep.pruned([0]).n_nodes == 1
    half = deep.pruned([deep.path(deep.n_nodes - 1)[DEEP // 2]])
    assert half.depth == DEEP // 2
    rows = alternating(200)
    smaller = deep.prune("reduced-error", validation=rows)
    assert smaller.score(rows).correct == 200
    assert smaller.depth <= 200


@pytest.mark.parametrize(
    ("engine", "recipe", "depth"),
    [
        ("memory", "id3", 2_000),
        ("memory", "cart-binary", 2_000),
        ("native", "id3", 2_000),
        ("native", "cart-binary", 2_000),
        pytest.param("memory", "id3", 10_000, marks=pytest.mark.slow),
        pytest.param("native", "id3", DEEP, marks=pytest.mark.slow),
    ],
)
def test_a_chain_grows(engine, recipe, depth, tmp_path):
    rows = alternating(depth)
    tree = penjing.fit(rows, recipe=recipe, engine=engine)
    assert tree.depth == depth - 1
    assert tree.n_leaves == depth
    assert tree.score(rows).correct == depth
    assert len(str(tree)) > depth
    tree.save(tmp_path / "chain.tree")
    assert penjing.load(tmp_path / "chain.tree") == tree
