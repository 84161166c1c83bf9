"""The small functions a learner calls: on lists, arrays, dicts or counts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.errors import ChoiceError

LABELS = ["yes", "yes", "no", "no", "no"]
COUNTS = st.lists(st.integers(0, 50), min_size=1, max_size=5).filter(any)


@pytest.mark.parametrize(
    "given_",
    [LABELS, tuple(LABELS), np.array(LABELS), iter(LABELS), {"yes": 2, "no": 3}],
    ids=["list", "tuple", "array", "iterator", "dict of counts"],
)
def test_labels_come_in_any_container(given_):
    assert penjing.entropy(given_) == 0.9709505944546686


def test_a_column_of_a_frame_is_a_list_of_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, 1, 1, 0, 0], "class": LABELS})
    assert penjing.gain(frame["x"], frame["class"]) == 0.4199730940219749
    assert penjing.majority(frame["class"]) == "no"


@given(COUNTS)
def test_entropy_and_gini_are_the_formulas(counts):
    shares = [c / sum(counts) for c in counts]
    entropy = -math.fsum(p * math.log2(p) for p in shares if p)
    assert penjing.entropy(counts=counts) == pytest.approx(entropy, rel=1e-14, abs=1e-15)
    gini = 1 - math.fsum(p * p for p in shares)
    assert penjing.gini(counts=counts) == pytest.approx(gini, rel=1e-13, abs=1e-15)
    labels = [i for i, count in enumerate(counts) for _ in range(count)]
    assert penjing.entropy(labels) == pytest.approx(entropy, rel=1e-14, abs=1e-15)


@given(COUNTS)
def test_nothing_is_a_negative_zero(counts):
    only = [max(counts)] + [0] * len(counts)
    for value in (
        penjing.entropy(counts=only),
        penjing.gini(counts=only),
        penjing.gain(counts=[only, only]),
        penjing.gain_ratio(counts=[only]),
        penjing.split_information(counts=[only]),
        penjing.gini_index(counts=[only, only]),
    ):
        assert value == 0
        assert math.copysign(1, value) == 1


def test_values_and_labels_say_the_same_as_their_counts():
    values, labels = [1, 1, 1, 0, 0], LABELS
    parts = {1: [2, 1], 0: [0, 2]}
    assert penjing.gain(values, labels) == penjing.gain(counts=parts)
    assert penjing.gain_ratio(values, labels) == penjing.gain_ratio(counts=parts)
    assert penjing.gini_index(values, labels) == penjing.gini_index(counts=parts)
    assert penjing.split_information(values) == penjing.split_information(counts=parts)
    assert penjing.gain_ratio(values, labels) == penjing.gain(
        values, labels
    ) / penjing.split_information(values)


def test_a_cut_divides_numbers_in_two():
    density = [0.1, 0.2, 0.3, 0.4, 0.5]
    high = [x <= 0.35 for x in density]
    assert penjing.gain(density, LABELS, cut=0.35) == penjing.gain(high, LABELS)
    assert penjing.split_information(density, cut=0.35) == penjing.entropy(high)


def test_equal_parts_gain_exactly_nothing():
    """Subtracted as floats, 64 of these would leave 1e-16 of either sign."""
    for a, b in itertools.product(range(1, 30), range(1, 6)):
        for sizes in ((1, 2), (1, 3, 7), (2, 5, 11, 3)):
            assert penjing.gain(counts=[[a * n, b * n] for n in sizes]) == 0


def test_a_value_that_never_changes_has_no_ratio():
    assert penjing.gain_ratio([1, 1], ["a", "b"]) == 0


def test_the_majority_of_equals_is_the_first_to_appear():
    assert penjing.majority(["b", "a", "a", "b"]) == "b"
    assert penjing.majority({"b": 1, "a": 3}) == "a"


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (lambda: penjing.entropy([]), "nothing_to_count"),
        (penjing.entropy, "nothing_to_count"),
        (lambda: penjing.entropy(counts=[0, 0]), "nothing_to_count"),
        (lambda: penjing.entropy(counts=[]), "nothing_to_count"),
        (lambda: penjing.entropy(counts=[1, -1]), "not_counts"),
        (lambda: penjing.entropy({"a": -1, "b": 4}), "not_counts"),
        (lambda: penjing.gini(counts=[math.nan, 1]), "not_counts"),
        (lambda: penjing.gini(counts=[math.inf, 1]), "not_counts"),
        (lambda: penjing.gini(counts=["a"]), "not_counts"),
        (lambda: penjing.gini(counts=[[1, 2]]), "not_counts"),
        (lambda: penjing.gain(counts=[1, 2]), "not_counts"),
        (lambda: penjing.gain(counts=[[1, 2], [1]]), "not_counts"),
        (lambda: penjing.gain(counts=[[1, 2], [-1, 5]]), "not_counts"),
        (lambda: penjing.gain(counts=[[0, 0], [0, 0]]), "nothing_to_count"),
        (lambda: penjing.gain([1, 2], ["a"]), "lengths_differ"),
        (penjing.gain, "lengths_differ"),
        (lambda: penjing.gain(labels=["a"]), "lengths_differ"),
        (penjing.split_information, "lengths_differ"),
        (penjing.majority, "nothing_to_count"),
        (lambda: penjing.majority([]), "nothing_to_count"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_a_sentence(call, key):
    with pytest.raises(ChoiceError) as caught:
        call()
    assert caught.value.key == key
    assert str(caught.value)
