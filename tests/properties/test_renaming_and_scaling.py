"""Names and scales carry no information: the same tree grows under other ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.table import Column, Table, nominal, numeric
from strategies import RECIPE_NAMES, grown, numbers, skeleton, tables


def same_but_cuts(tree) -> list:
    return [(parent, column, levels) for parent, column, _, levels in skeleton(tree)]


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables())
def test_other_words_for_columns_levels_and_classes_grow_the_same_tree(recipe, table):
    def renamed(column: Column, name: str) -> Column:
        if column.is_numeric:
            return replace(column, name=name)
        return replace(column, name=name, levels=tuple(f"L{i}" for i in range(len(column.levels))))

    other = replace(
        table,
        columns=tuple(renamed(column, f"C{i}") for i, column in enumerate(table.columns)),
        target=renamed(table.target, "T"),
    )
    one, two = grown(table, recipe), grown(other, recipe)
    assert skeleton(two) == skeleton(one)
    for name in ("total", "gain", "score"):
        np.testing.assert_array_equal(getattr(two.nodes, name), getattr(one.nodes, name))


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-textbook"])
@given(table=tables(), data=st.data())
def test_another_order_of_classes_asks_the_same_questions(recipe, table, data):
    """Only a majority among equals may change: it goes to the first class."""
    target = table.target
    order = data.draw(st.permutations(range(len(target.levels))))
    place = np.argsort(order).astype(np.int32)
    levels = tuple(target.levels[i] for i in order)
    other = replace(table, target=replace(target, levels=levels, codes=place[target.codes]))
    one, two = grown(table, recipe), grown(other, recipe)
    assert skeleton(two) == skeleton(one)
    np.testing.assert_array_equal(two.nodes.total, one.nodes.total[:, order])


CHANGES = [
    lambda x: 2 * x + 7,
    lambda x: x**3,
    math.atan,
    lambda x: math.copysign(math.log1p(abs(x)), x),
    lambda x: x / 2**60,
]


@pytest.mark.parametrize("recipe", [*RECIPE_NAMES, "variance"])
@given(data=st.data(), change=st.sampled_from(CHANGES))
def test_a_number_on_another_scale_is_cut_between_the_same_rows(recipe, data, change):
    kinds, is_number = ("numeric", "nominal"), recipe == "variance"
    table = data.draw(tables(kinds, regression=is_number))
    table = replace(table, columns=tuple(map(whole_numbers, table.columns)))
    moved = replace(table, columns=tuple(rescaled(column, change) for column in table.columns))
    chosen = "cart-binary" if is_number else recipe
    one, two = grown(table, chosen), grown(moved, chosen)
    assert same_but_cuts(two) == same_but_cuts(one)
    np.testing.assert_array_equal(two.nodes.total, one.nodes.total)
    for node in np.flatnonzero(~np.isnan(one.nodes.cut)):
        column = one.nodes.column[node]
        below = [v for v in table.columns[column].levels if v <= one.nodes.cut[node]]
        above = [v for v in table.columns[column].levels if v > one.nodes.cut[node]]
        low, high = present_about(one, node, table)
        assert low in below
        assert high in above
        assert change(low) <= two.nodes.cut[node] < change(high)


def whole_numbers(column: Column) -> Column:
    """Return the column with its numbers replaced by small ones, which any change keeps apart."""
    if not column.is_numeric:
        return column
    return replace(column, levels=np.arange(len(column.levels)) * 1.0 - 2.0)


def rescaled(column: Column, change) -> Column:
    if not column.is_numeric:
        return column
    levels = np.array([change(v) for v in column.levels.tolist()])
    assert (np.diff(levels) > 0).all()
    return replace(column, levels=levels)


def present_about(tree, node: int, table: Table) -> tuple[float, float]:
    """Return the values on both sides of a cut among the rows that reach its node."""
    reach = np.ones(table.n_rows, bool)
    for above, below in zip(tree.path(node), tree.path(node)[1:], strict=False):
        split = tree.split(above)
        reach &= split.branches(table.columns[split.column]) == tree.parent_of(below)[1]
    values = table.columns[tree.nodes.column[node]].numbers()[reach]
    cut = tree.nodes.cut[node]
    return values[values <= cut].max(), values[values > cut].min()


@given(st.lists(numbers, min_size=2, max_size=8, unique=True))
def test_every_two_different_numbers_can_be_parted(values):
    """However close, huge or tiny: each row gets its own leaf, by a cut between it and the next."""
    column = numeric("x", values)
    n = len(column.levels)
    if n < 2:
        return
    levels = column.levels.tolist()
    table = Table((numeric("x", levels),), nominal("c", [f"c{i}" for i in range(n)]), n)
    tree = grown(table, "cart-binary")
    assert tree.n_leaves == n
    cuts = np.sort(tree.nodes.cut[~np.isnan(tree.nodes.cut)])
    for low, cut, high in zip(levels, cuts, levels[1:], strict=False):
        assert low <= cut < high
