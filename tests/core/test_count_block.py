"""The block counter against a count by hand: classes, weights, numbers, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from penjing._core import Passes, Quantiles, count_block

RNG = np.random.default_rng(8)
N, K, SLOTS = 5_000, 3, 4


def block():
    codes = [RNG.integers(0, 7, N).astype(np.uint8), RNG.integers(0, 900, N).astype(np.uint16)]
    slots = RNG.integers(-1, SLOTS, N).astype(np.int32)
    return codes, [7, 900], slots, RNG.integers(0, K, N).astype(np.uint8)


def by_hand(codes, n, slots, add, width, *, classes=None):
    table = np.zeros((SLOTS, n, width))
    for row in range(N):
        if slots[row] >= 0:
            cell = table[slots[row], codes[row]]
            if classes is None:
                cell += add[row]
            else:
                cell[classes[row]] += add[row]
    return table


def test_rows_that_count_one_each():
    codes, n_codes, slots, classes = block()
    tables = count_block(codes, n_codes, classes, K, slots, SLOTS)
    for column, n, table in zip(codes, n_codes, tables, strict=True):
        assert table.dtype == np.int64
        expected = by_hand(column, n, slots, np.ones(N), K, classes=classes)
        np.testing.assert_array_equal(table.reshape(SLOTS, n, K), expected)


def test_blocks_add_up():
    codes, n_codes, slots, classes = block()
    whole = count_block(codes, n_codes, classes.astype(np.uint16), K, slots, SLOTS)
    parts = [
        count_block([c[p] for c in codes], n_codes, classes[p], K, slots[p], SLOTS)
        for p in (slice(0, 1234), slice(1234, None), slice(0, 0))
    ]
    for c in range(len(codes)):
        np.testing.assert_array_equal(whole[c], sum(part[c] for part in parts))


def test_weights_and_numbers_are_added_in_the_order_of_rows():
    codes, n_codes, slots, classes = block()
    weight, y = RNG.random(N), RNG.normal(size=N)
    tables = count_block(codes, n_codes, classes, K, slots, SLOTS, weight=weight)
    expected = by_hand(codes[0], 7, slots, weight, K, classes=classes)
    np.testing.assert_array_equal(tables[0].reshape(SLOTS, 7, K), expected)
    tables = count_block(codes, n_codes, None, 0, slots, SLOTS, weight=weight, y=y)
    moments = np.stack([weight, weight * y, weight * y * y], axis=1)
    expected = by_hand(codes[1], 900, slots, moments, 3)
    np.testing.assert_array_equal(tables[1].reshape(SLOTS, 900, 3), expected)


@pytest.mark.parametrize("wrong", ["code", "class", "slot"])
def test_what_does_not_fit_is_refused(wrong):
    codes, n_codes, slots, classes = block()
    n_codes = [6, 900] if wrong == "code" else n_codes
    k = 2 if wrong == "class" else K
    with pytest.raises(IndexError):
        count_block(codes, n_codes, classes, k, slots, 3 if wrong == "slot" else SLOTS)


@pytest.mark.parametrize("shape", ["normal", "lognormal", "few", "huge", "none"])
def test_the_cell_of_a_number_is_that_of_a_binary_search(shape):
    numbers = {
        "normal": RNG.normal(size=3000),
        "lognormal": RNG.lognormal(sigma=9, size=3000),
        "few": RNG.integers(-3, 4, 3000) / 3,
        "huge": RNG.choice([-1.7e308, -1.0, 5e-324, 0.0, 1e-9, 1.7e308], 3000),
        "none": np.empty(0),
    }[shape]
    edges = np.unique(numbers)[::3]
    high, low = np.arange(len(edges) + 1) // 256, np.arange(len(edges) + 1) % 256
    cells = Quantiles(edges.tolist(), high.tolist(), low.tolist())
    asked = np.concatenate([numbers, np.nextafter(edges, -np.inf), edges, [-1e308, 0.0, 1e308]])
    found = [cells.cell(float(x)) for x in asked]
    np.testing.assert_array_equal(found, np.searchsorted(edges, asked, side="right"))
    odd = np.array([np.nan, -0.0, np.inf, -np.inf])[: RNG.integers(0, 5)]
    asked = np.concatenate([odd, asked])
    codes = [np.empty(len(asked), np.uint8) for _ in range(2)]
    n_missing, is_infinite, has_minus_zero = cells.code(asked, *codes)
    assert n_missing == np.isnan(asked).sum()
    assert is_infinite == np.isinf(asked).any()
    assert has_minus_zero == (np.signbit(asked) & (asked == 0)).any()
    at = np.searchsorted(edges, asked, side="right")
    gone = np.isnan(asked)
    np.testing.assert_array_equal(codes[0], np.where(gone, 255, at.clip(max=len(edges)) // 256))
    np.testing.assert_array_equal(codes[1], np.where(gone, 0, at.clip(max=len(edges)) % 256))


@pytest.mark.parametrize("size", [1, 7, 40, 256])
@pytest.mark.parametrize("shape", ["normal", "lognormal", "heavy", "few", "huge", "none"])
def test_the_bucket_of_a_number_is_that_of_its_cell(shape, size):
    numbers = {
        "normal": RNG.normal(size=600),
        "lognormal": RNG.lognormal(sigma=9, size=600),
        "heavy": RNG.standard_cauchy(600) ** 3,
        "few": RNG.integers(-3, 4, 600) / 3,
        "huge": RNG.choice([-1.7e308, -1.0, 5e-324, 0.0, 1e-9, 1.7e308], 600),
        "none": np.empty(0),
    }[shape]
    edges = np.unique(numbers)[:: 3 if size > 1 else 1][:200]
    is_new = RNG.random(len(edges) + 1) < 1 / size
    is_new[0] = True
    high = np.cumsum(is_new) - 1
    low = np.arange(len(high)) - np.flatnonzero(is_new)[high]
    cells = Quantiles(edges.tolist(), high.tolist(), low.tolist())
    asked = np.concatenate(
        [numbers, np.nextafter(edges, -np.inf), edges, [-1e308, 0.0, -0.0, 1e308, np.inf, -np.inf]]
    )
    asked = np.insert(asked, RNG.integers(0, len(asked), 3), np.nan)
    found = np.empty(len(asked), np.uint8)
    n_missing, is_infinite, has_minus_zero = cells.buckets(asked, found)
    assert (n_missing, is_infinite, has_minus_zero) == (3, True, True)
    gone = np.isnan(asked)
    at = np.where(gone, 0, np.searchsorted(edges, asked, side="right").clip(max=len(edges)))
    np.testing.assert_array_equal(found, np.where(gone, 255, high[at]))
    few = asked[:3]
    found = np.empty(3, np.uint8)
    cells.buckets(few, found)
    np.testing.assert_array_equal(found, np.where(gone, 255, high[at])[:3])
    passes = Passes(
        [(np.where(gone, 255, high[at]).astype(np.uint8), 256, cells, asked)],
        np.zeros(len(asked), np.uint8), 1, np.zeros(len(asked), np.uint32), 1,
    )  # fmt: skip
    every = np.append(np.arange(255, dtype=np.int32), np.int32(-1))
    (table,) = passes.cells(np.zeros(1, np.int32), [(0, every, 255, None)])
    expected = np.zeros((255, 256), np.uint32)
    np.add.at(expected, (high[at[~gone]], low[at[~gone]]), 1)
    np.testing.assert_array_equal(table.reshape(255, 256), expected)


def test_cells_that_are_not_counted_bucket_by_bucket_are_refused():
    for high, low in [([0, 2], [0, 0]), ([1, 1], [0, 1]), ([0, 0], [0, 0]), ([0, 1], [0, 1])]:
        with pytest.raises(ValueError, match="bucket by bucket"):
            Quantiles([1.0], high, low)
