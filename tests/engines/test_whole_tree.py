"""The sums of all nodes at once are those of the memory engine, node by node."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.engines import memory, native
from penjing.engines.whole_tree import whole_tree_totals


@pytest.mark.parametrize("recipe", ["id3", "cart-binary", "c4.5-textbook"])
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_whole_trees_have_the_sums_of_the_memory_engine(recipe, regression, weighted):
    rng = np.random.default_rng(len(recipe) + 2 * regression + weighted)
    n = 400
    z = rng.normal(size=(n, 3)).round(1)
    columns = (
        numeric("x", z[:, 0]), numeric("z", z[:, 1]), nominal("c", rng.integers(0, 6, n)),
    )  # fmt: skip
    score = z[:, 0] * z[:, 1] + rng.normal(size=n)
    target = numeric("y", score) if regression else nominal("y", np.digitize(score, [-1, 0, 1]))
    weight = rng.random(n) + 0.1 if weighted else None
    table = Table(columns, target, n, weight=weight)
    tree = penjing.fit(
        table.take(np.arange(n) % 2 == 0), recipe="cart-binary" if regression else recipe
    )
    hidden = numeric("x", np.where(rng.random(n) < 0.1, np.nan, z[:, 0]))
    for rows in (table, Table((hidden, *columns[1:]), target, n, weight=weight)):
        ids = range(len(tree.nodes))
        expected = memory.Engine(rows, "refuse", reader=tree.reader).totals(tree, ids)
        engine = native.Engine(rows, "refuse", reader=tree.reader)
        assert len(ids) > native.MANY_NODES
        assert whole_tree_totals(tree, rows, engine._y, tree.reader, "refuse") is not None
        found = engine.totals(tree, ids)
        assert found.cells.tolist() == expected.cells.tolist()
        assert found.is_pure.tolist() == expected.is_pure.tolist()
        assert (found.rows is None) == (expected.rows is None)
        if found.rows is not None:
            assert found.rows.tolist() == expected.rows.tolist()


def test_divided_rows_are_left_to_the_engine():
    table = Table((numeric("x", [1.0, 2.0, np.nan]),), nominal("y", "abb"), 3)
    tree = penjing.fit(table, recipe="c4.5-textbook")
    y = table.target.codes
    assert whole_tree_totals(tree, table, y, tree.reader, "fraction") is None
    assert whole_tree_totals(tree, table, y, tree.reader, "refuse") is not None
