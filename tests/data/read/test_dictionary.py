"""Coding agrees with its definition."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.read.dictionary import (
    DictionaryEncoder,
    drop_levels,
    encode_numbers,
    encode_values,
    merge_equal_levels,
    order_by_appearance,
)

VALUE = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 2.5, "", "1", "a"])
)


def back(levels, codes):
    return [None if code < 0 else levels[code] for code in codes.tolist()]


def same(one, other):
    return len(one) == len(other) and all(
        type(a) is type(b) and a == b for a, b in zip(one, other, strict=True)
    )


@given(st.lists(VALUE, max_size=40))
def test_values_come_back_with_their_types(cells):
    levels, codes = encode_values(cells)
    assert same(back(levels, codes), cells)
    known = codes[codes >= 0].tolist()
    assert list(dict.fromkeys(known)) == list(range(len(levels)))  # in order of first appearance


@given(st.lists(st.lists(st.text(max_size=2), max_size=9), max_size=5))
def test_batches_are_one_column(batches):
    coder = DictionaryEncoder()
    for batch in batches:
        coder.add(batch)
    levels, codes = coder.finish()
    cells = [cell for batch in batches for cell in batch]
    assert back(levels, codes) == cells
    assert levels == list(dict.fromkeys(cells))


@given(st.lists(st.one_of(st.just(math.nan), st.floats(allow_nan=False)), max_size=40))
def test_numbers_are_ranked(values):
    levels, codes = encode_numbers(np.asarray(values, np.float64))
    known = sorted({value + 0.0 for value in values if not math.isnan(value)})
    assert levels.tolist() == known
    assert not any(math.copysign(1, x) < 0 for x in levels.tolist() if x == 0)
    for value, code in zip(values, codes.tolist(), strict=True):
        assert code == (-1 if math.isnan(value) else known.index(value))


@given(st.lists(st.sampled_from("abc"), max_size=20), st.sets(st.sampled_from("abc")))
def test_levels_leave(cells, gone):
    levels, codes = encode_values(cells)
    left = drop_levels(levels, codes, [levels.index(x) for x in gone if x in levels])
    assert back(*left) == [None if cell in gone else cell for cell in cells]


def test_levels_that_become_equal_are_one():
    levels, codes = encode_values(["a ", "a", " b", "", "b"])
    fresh = merge_equal_levels([level.strip() or None for level in levels], codes)
    assert back(*fresh) == ["a", "a", "b", None, "b"]
    assert fresh[0] == ["a", "b"]


def test_levels_in_the_order_of_the_rows():
    assert order_by_appearance(["x", "y", "z"], np.array([2, 0, 2], np.int32))[0] == ["z", "x"]
