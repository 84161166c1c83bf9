"""Parts add up to their whole, and the order of rows is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.api.tree import Tree
from strategies import RECIPE_NAMES, grown, part_weights, tables, whole_weights


def sums_of_children(tree: Tree) -> np.ndarray:
    sums = np.zeros_like(tree.nodes.total)
    np.add.at(sums, tree.nodes.parent[1:], tree.nodes.total[1:])
    return sums


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables(weights=whole_weights))
def test_branches_add_up_to_their_node(recipe, table):
    tree = grown(table, recipe)
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(sums_of_children(tree)[inner], tree.nodes.total[inner])
    root = np.bincount(table.target.codes, table.weights, len(tree.classes))
    np.testing.assert_array_equal(tree.nodes.total[0], root)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables(weights=part_weights, missing=True, max_rows=10))
def test_rows_shared_out_keep_their_weight(recipe, table):
    tree = grown(table, recipe, missing="fraction")
    inner = ~tree.is_leaf
    np.testing.assert_allclose(sums_of_children(tree)[inner], tree.nodes.total[inner], rtol=1e-12)
    leaves = tree.nodes.total[tree.is_leaf].sum(axis=0)
    root = np.bincount(table.target.codes, table.weights, len(tree.classes))
    np.testing.assert_allclose(leaves, root, rtol=1e-12)


@given(table=tables(regression=True, weights=whole_weights))
def test_moments_of_branches_add_up_to_their_node(table):
    tree = grown(table, "cart-binary")
    inner = ~tree.is_leaf
    whole, parts = tree.nodes.total[inner], sums_of_children(tree)[inner]
    np.testing.assert_allclose(parts, whole, rtol=1e-9, atol=1e-9)
    mean = np.average(table.target.numbers(), weights=table.weights)
    assert tree.values[0] == pytest.approx(mean, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables(weights=whole_weights), data=st.data())
def test_the_order_of_rows_is_nothing(recipe, table, data):
    shuffled = table.take(data.draw(st.permutations(range(table.n_rows))))
    assert grown(shuffled, recipe).to_json() == grown(table, recipe).to_json()


@given(table=tables(missing=True, max_rows=10), data=st.data())
def test_the_order_of_rows_with_missing_values_changes_last_digits_only(table, data):
    shuffled = table.take(data.draw(st.permutations(range(table.n_rows))))
    one, other = grown(table, "c4.5-textbook"), grown(shuffled, "c4.5-textbook")
    assert [one.split(n) and one.split(n).column for n in one.walk()] == [
        other.split(n) and other.split(n).column for n in other.walk()
    ]
    np.testing.assert_array_equal(one.nodes.cut, other.nodes.cut)
    np.testing.assert_allclose(one.nodes.total, other.nodes.total, rtol=1e-12)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables())
def test_a_grown_tree_obeys_the_three_leaf_conditions(recipe, table):
    """One class, or nothing divides the rows; a path asks a nominal column once (multiway)."""
    tree = grown(table, recipe)
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            continue
        assert np.count_nonzero(tree.nodes.total[node]) > 1
        assert len(tree.children(node)) == split.n_branches >= 2
        assert all(tree.weight[child] > 0 for child in tree.children(node))
        above = [tree.split(n).column for n in tree.path(node)[:-1]]
        if tree.recipe["shape"] == "multiway" and not tree.schema[split.column].has_order:
            assert split.column not in above


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables(), limit=st.integers(1, 6))
def test_limits_are_kept(recipe, table, limit):
    assert grown(table, recipe, max_leaves=limit).n_leaves <= limit
    assert grown(table, recipe, max_depth=limit - 1).depth <= limit - 1
    heavy = grown(table, recipe, min_weight=float(limit))
    assert all(heavy.weight[n] >= limit for n in np.flatnonzero(~heavy.is_leaf))
    worth = grown(table, recipe, min_gain=limit / 10)
    assert all(worth.nodes.gain[~worth.is_leaf] >= limit / 10)
    branchy = grown(table, recipe, min_branch=float(limit))
    for node in np.flatnonzero(~branchy.is_leaf):
        assert sum(branchy.weight[c] >= limit for c in branchy.children(node)) >= 2


@given(table=tables())
def test_enough_leaves_are_no_limit(table):
    whole = grown(table)
    wide = grown(table, max_leaves=whole.n_leaves)
    assert wide.to_dict() == whole.to_dict()
    assert sorted(wide.weight.tolist()) == sorted(whole.weight.tolist())
