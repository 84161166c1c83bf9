"""Numbers of nodes before and after pruning, against a walk in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing import _core
from penjing.prune.renumber import map_nodes


def by_definition(before, after):
    """Walk both trees from the root as long as splits and rows are the same."""

    def split(tree, node):
        nodes = tree.nodes
        children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        cut = float(nodes.cut[node])
        starts = nodes.level_start
        levels = [nodes.level_codes[starts[c] : starts[c + 1]].tolist() for c in children]
        rest = cut if not math.isnan(cut) else levels
        return int(nodes.column[node]), len(children), nodes.total[node].tolist(), rest

    now, cut, other, open_ = {}, set(), set(), [(0, 0)]
    while open_:
        old, new = open_.pop()
        now[old] = new
        if after.is_leaf[new]:
            if not before.is_leaf[old]:
                cut.add(new)
        elif before.is_leaf[old] or split(before, old) != split(after, new):
            other.add(new)
        else:
            one, two = int(before.first_child[old]), int(after.first_child[new])
            open_ += [(one + i, two + i) for i in range(int(before.n_children[old]))]
    nearest = []
    for node, parent in enumerate(before.nodes.parent.tolist()):
        nearest.append(now[node] if node in now else nearest[parent])
    return now, nearest, cut, other


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(["id3", "cart-binary", "c4.5-textbook"]))
def test_as_by_definition(seed, recipe):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 200))
    rows = [
        {"x": float(rng.integers(0, 30)), "c": str(rng.integers(0, 5)),
         "d": str(rng.integers(0, 3)), "y": str(rng.integers(0, 3))}
        for _ in range(n)
    ]  # fmt: skip
    tree = penjing.fit(rows, "y", recipe)
    inner = np.flatnonzero(~tree.is_leaf)
    smaller = [tree.pruned(rng.choice(inner, len(inner) // 3, replace=False).tolist())]
    smaller += [tree.prune(method) for method in ("pessimistic", "collapse", "simplify")]
    smaller += [tree.prune("error-based", training=rows), tree]
    for pruned in smaller:
        mapped = map_nodes(tree, pruned)
        assert (dict(mapped.now), mapped.nearest, mapped.cut, mapped.other) == by_definition(
            tree, pruned
        )


def test_raised_branches_are_changed_splits():
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(30):
        x = rng.integers(0, 4, (60, 4)).astype(str)
        tree = penjing.fit(x, rng.integers(0, 2, 60), "c4.5-textbook")
        pruned = tree.prune("error-based", training=penjing.read(x, labels=tree.predict(x)))
        mapped = map_nodes(tree, pruned)
        changed += len(mapped.other)
        assert mapped.other == by_definition(tree, pruned)[3]
    assert changed


def test_arrays_that_are_no_tree_are_refused():
    tree = penjing.fit(penjing.example("fish"), recipe="id3")
    nodes = tree.nodes
    good = [tree.first_child, tree.n_children, nodes.parent, nodes.column, nodes.cut,
            nodes.total.ravel(), nodes.level_start, nodes.level_codes]  # fmt: skip
    assert len(_core.map_nodes(tuple(good), tuple(good))) == 4
    for i, wrong in ((0, -1), (0, 99), (1, 99), (2, 99), (6, 99)):
        arrays = [array.copy() for array in good]
        arrays[i][-1 if i in (2, 6) else 0] = wrong
        with pytest.raises(ValueError, match="not those of a tree"):
            _core.map_nodes(tuple(arrays), tuple(good))
