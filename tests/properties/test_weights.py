"""Weights: three times everything changes nothing, weight k is k copies, scale is no matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import RECIPE_NAMES, grown, part_weights, skeleton, tables, whole_weights


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables() | tables(weights=whole_weights) | tables(weights=part_weights))
def test_three_times_the_weight_changes_nothing(recipe, table):
    one, three = grown(table, recipe), grown(replace(table, weight=table.weights * 3), recipe)
    assert skeleton(three) == skeleton(one)
    np.testing.assert_allclose(three.nodes.total, one.nodes.total * 3, rtol=1e-12)
    np.testing.assert_allclose(three.nodes.gain, one.nodes.gain, rtol=1e-9, atol=1e-12)


@given(
    table=tables(missing=True, weights=whole_weights, max_rows=10),
    factor=st.sampled_from([2.0**-40, 0.5, 2.0**40]),
)
def test_the_unit_of_weight_is_no_matter(table, factor):
    """A power of two shifts no digit, so not even the last bit of a gain may change."""
    one = grown(table, "c4.5-textbook")
    scaled = grown(replace(table, weight=table.weights * factor), "c4.5-textbook")
    assert skeleton(scaled) == skeleton(one)
    np.testing.assert_array_equal(scaled.nodes.gain, one.nodes.gain)
    np.testing.assert_array_equal(scaled.nodes.total, one.nodes.total * factor)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables(weights=whole_weights))
def test_weight_k_is_k_copies(recipe, table):
    times = table.weights.astype(int)
    copies = replace(table.take(np.repeat(np.arange(table.n_rows), times)), weight=None)
    assert grown(copies, recipe).to_json() == grown(table, recipe).to_json()


@given(table=tables(weights=whole_weights, missing=True, max_rows=9))
def test_weight_k_is_k_copies_where_values_are_missing(table):
    times = table.weights.astype(int)
    copies = replace(table.take(np.repeat(np.arange(table.n_rows), times)), weight=None)
    one, other = grown(table, "c4.5-textbook"), grown(copies, "c4.5-textbook")
    assert skeleton(other) == skeleton(one)
    np.testing.assert_allclose(other.nodes.total, one.nodes.total, rtol=1e-12)


@given(table=tables(regression=True, weights=whole_weights))
def test_weight_k_is_k_copies_for_numbers(table):
    times = table.weights.astype(int)
    copies = replace(table.take(np.repeat(np.arange(table.n_rows), times)), weight=None)
    one, other = grown(table, "cart-binary"), grown(copies, "cart-binary")
    assert skeleton(other) == skeleton(one)
    np.testing.assert_allclose(other.values, one.values, rtol=1e-12, atol=1e-12)


@given(table=tables())
def test_a_weight_of_one_is_no_weight(table):
    weighted = replace(table, weight=np.ones(table.n_rows))
    assert grown(weighted).to_json() == grown(table).to_json()
