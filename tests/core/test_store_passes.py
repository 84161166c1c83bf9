"""A pass over a store moves rows and counts them as a plain loop over the rows does."""

import numpy as np
import pytest

from penjing._core import Passes
from penjing.data.store import quantile_cells


def store(rng, n, k):
    """Return columns of every form, the class, and the same columns as plain codes or numbers."""
    numbers = [rng.normal(size=n), np.where(rng.random(n) < 0.3, np.nan, rng.lognormal(size=n))]
    columns, plain = [], []
    for x in numbers:
        cells = quantile_cells(x[: n // 2 + 1])
        high = np.empty(n, np.uint8)
        cells.coder().buckets(x, high)
        columns.append((high, 256, cells.coder(), x))
        plain.append(x)
    for n_codes, kind in [(256, np.uint8), (256, np.uint16), (7, np.uint8), (900, np.uint16),
                          (900, np.uint16), (7, np.uint8), (7, np.uint16)]:  # fmt: skip
        codes = rng.integers(0, n_codes, n).astype(kind)
        columns.append((codes, n_codes, None, None))
        plain.append(codes)
    class_ = rng.integers(0, k, n).astype(np.uint8 if k < 5 else np.uint16)
    return columns, class_, plain


def made_tests(rng, columns, n_nodes):
    """Return a test for some of the nodes, and the branches of those by codes."""
    tests, branches, test_of = [], [], np.full(n_nodes + 1 + 3 * n_nodes, -1, np.int32)
    for node in range(1, n_nodes + 1):
        if rng.random() < 0.2:
            continue
        c, child = int(rng.integers(len(columns))), n_nodes + 1 + 3 * (node - 1)
        _, n_codes, cells, raw = columns[c]
        test_of[node] = len(tests)
        if raw is None:
            tests.append((c, child, len(branches), 0, 0.0))
            branches += rng.integers(-1, 3, n_codes).tolist()
        else:
            cut = float(np.append(raw[~np.isnan(raw)], [0.5, 0.7])[int(rng.integers(2))])
            bucket = np.empty(1, np.uint8)
            cells.buckets(np.array([cut]), bucket)
            tests.append((c, child, -1, int(bucket[0]), cut))
    return tests, branches, test_of


@pytest.mark.parametrize("n", [2, 7, 4096, 40_000])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_move_and_are_counted_as_by_hand(n, k, threads):
    rng = np.random.default_rng(n * 10 + k)
    columns, class_, plain = store(rng, n, k)
    n_nodes = 6
    node = rng.integers(0, n_nodes + 1, n).astype(np.uint32)
    tests, branches, test_of = made_tests(rng, columns, n_nodes)
    slot_of = np.where(rng.random(len(test_of)) < 0.5, -1, 0).astype(np.int32)
    slot_of[slot_of == 0] = np.arange((slot_of == 0).sum())
    n_slots = int(slot_of.max()) + 1

    moved = node.copy()
    for row in range(n):
        at = test_of[node[row]]
        if at < 0:
            continue
        c, child, table, _, cut = tests[at]
        if table < 0:
            branch = -1 if np.isnan(plain[c][row]) else int(plain[c][row] > cut)
        else:
            branch = branches[table + int(plain[c][row])]
        moved[row] = node[row] if branch < 0 else child + branch
    slots = slot_of[moved]
    asked = slots >= 0

    passes = Passes(columns, class_, k, node, threads)
    tables = passes.move_and_count(tests, branches, test_of, slot_of, n_slots)
    np.testing.assert_array_equal(node, moved)
    for (codes, n_codes, _, _), table in zip(columns, tables, strict=True):
        expected = np.zeros((n_slots, n_codes, k), np.int64)
        np.add.at(expected, (slots[asked], codes[asked], class_[asked]), 1)
        np.testing.assert_array_equal(table.reshape(expected.shape), expected)


def test_a_place_beyond_their_number_is_refused():
    columns, class_, _ = store(np.random.default_rng(0), 50, 2)
    passes = Passes(columns, class_, 2, np.zeros(50, np.uint32), 1)
    place = np.full(256, 1, np.int32)
    with pytest.raises(IndexError, match="not below"):
        passes.cells(np.zeros(1, np.int32), [(0, place, 1, None)])
