"""Coding in C++ agrees with its definition by NumPy and dicts: numbers, texts, objects."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing import _core
from penjing.data.table import nominal, numeric

# ------------------------------------------------------------------ numbers

awkward = st.sampled_from(
    [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, -5e-324, 1.0, 1.0 + 2**-52]
)


def same_as_numpy(values):
    values = np.asarray(values, np.float64)
    expected = numeric("x", values)
    levels, codes = _core.encode_floats(values)
    assert levels.dtype == np.float64
    assert codes.dtype == np.int32
    # bytes: -0.0 and 0.0 compare equal but must not be told apart later
    assert levels.tobytes() == expected.levels.tobytes()
    assert codes.tolist() == expected.codes.tolist()


@given(st.lists(st.one_of(st.floats(), awkward, st.integers(-9, 9).map(float)), max_size=60))
def test_numbers_get_their_rank(values):
    same_as_numpy(values)


@given(
    st.lists(
        st.one_of(st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1), st.just(1000)), max_size=60
    )
)
def test_whole_numbers_are_coded_as_they_appear(values):
    told = _core.encode_integers(np.array(values, np.int64))
    if values and max(values) - min(values) >= 1024:
        assert told is None
        return
    levels, codes = told
    assert levels.tolist() == [*dict.fromkeys(values)]
    assert levels[codes].tolist() == values


# Enough rows for every road: hash table, radix sort, second radix sort of equal upper halves.
MANY = {
    "normal": lambda r, n: r.normal(size=n),
    "few levels": lambda r, n: r.integers(-3, 4, n) / 4,
    "about as many levels as the hash table takes": lambda r, n: r.permutation(n) % 1025 - 512.0,
    "as many": lambda r, n: r.permutation(n) % 1024 * 1.5,
    "integers": lambda r, n: r.integers(-5000, 5000, n).astype(float),
    "all magnitudes": lambda r, n: np.exp(r.normal(size=n) * 100) * r.choice([-1.0, 1.0], n),
    "equal upper halves": lambda r, n: np.where(r.random(n) < 0.01, 1e300, 1 + r.random(n) / 1e9),
    "neighbours": lambda r, n: 1.0 + r.integers(0, 4000, n) * 2.0**-52,
    "ascending": lambda r, n: np.sort(r.normal(size=n)),
    "descending": lambda r, n: np.sort(r.normal(size=n))[::-1].copy(),
    "one value": lambda _, n: np.full(n, -7.25),
    "nothing": lambda _, n: np.full(n, np.nan),
    "bit patterns": lambda r, n: r.integers(0, 2**63, n).view(np.float64) * r.choice([-1.0, 1], n),
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("missing_share", [0.0, 0.1])
def test_many_numbers_get_their_rank(name, missing_share):
    rng = np.random.default_rng(7)
    for n in (511, 2047, 2048, 20_000):
        with np.errstate(all="ignore"):
            values = MANY[name](rng, n)
        values[rng.random(n) < missing_share] = np.nan
        same_as_numpy(values)


def test_numbers_must_be_plain_float64():
    for wrong in (np.zeros(3, np.float32), np.zeros((2, 2)), np.zeros(6)[::2], [0.5]):
        with pytest.raises(TypeError):
            _core.encode_floats(wrong)


def test_a_read_only_array_can_be_coded():
    values = np.array([2.0, 1.0])
    values.flags.writeable = False
    assert _core.encode_floats(values)[1].tolist() == [1, 0]


# ------------------------------------------------------------------ strings and objects


def packed(texts):
    parts = [b"" if t is None else t.encode() for t in texts]
    data = np.frombuffer(b"".join(parts), np.uint8)
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return data, offsets, np.array([t is not None for t in texts], np.uint8)


texts = st.one_of(
    st.none(),
    st.sampled_from(["", "a", "ab", "ba", "aaa", "青绿", "乌黑", "x" * 8, "x" * 9, "x" * 16 + "y"]),
    st.text(max_size=20),
)


@given(st.lists(texts, max_size=60))
def test_strings_are_coded_in_order_of_appearance(values):
    expected = nominal("x", values)
    data, offsets, valid = packed(values)
    first_rows, codes = _core.encode_strings(data, offsets, valid)
    assert codes.tolist() == expected.codes.tolist()
    assert [values[row] for row in first_rows.tolist()] == list(expected.levels)
    assert all(values[:row].count(values[row]) == 0 for row in first_rows.tolist())


@pytest.mark.parametrize("n_levels", [3, 31, 33, 5000, 100_000])
def test_the_table_of_strings_grows(n_levels):
    numbers = np.random.default_rng(1).integers(0, n_levels, 120_000).tolist()
    values = [f"{k}-level" for k in numbers]
    expected = nominal("x", values)
    data, offsets, _ = packed(values)
    first_rows, codes = _core.encode_strings(data, offsets)
    assert codes.tolist() == expected.codes.tolist()
    assert [values[row] for row in first_rows.tolist()] == list(expected.levels)


@pytest.mark.parametrize(
    ("offsets", "valid"),
    [([], None), ([0, 2, 1], None), ([0, 4], None), ([-1, 2], None), ([0, 1], [1, 1])],
)
def test_offsets_outside_the_data_are_refused(offsets, valid):
    valid = None if valid is None else np.array(valid, np.uint8)
    with pytest.raises(ValueError, match="offsets"):
        _core.encode_strings(np.zeros(3, np.uint8), np.array(offsets, np.int64), valid)


@given(st.lists(st.one_of(texts, st.integers(-3, 3), st.booleans(), st.just(1.0)), max_size=60))
def test_objects_are_coded_as_a_dict_would(values):
    expected = nominal("x", values)
    levels, codes = _core.encode_objects(values)
    assert codes.tolist() == expected.codes.tolist()
    assert [(type(v), v) for v in levels] == [(type(v), v) for v in expected.levels]


def test_objects_without_a_hash_are_refused():
    with pytest.raises(TypeError, match="unhashable"):
        _core.encode_objects(["a", []])


def test_a_list_that_shrinks_while_it_is_read_is_refused():
    class Rude:
        def __hash__(self):
            values.clear()
            return 1

    values = ["a", Rude(), "b", "c"]
    with pytest.raises(ValueError, match="changed"):
        _core.encode_objects(values)


def test_coding_keeps_no_references():
    level = "a level of its own " + str(id(object()))
    before = sys.getrefcount(level)
    answer = _core.encode_objects([level] * 100)
    del answer
    assert sys.getrefcount(level) == before
