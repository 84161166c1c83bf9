"""The text drawing: golden files, the order of branches, short cuts, quoted names."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.render.tree_text import MAX_DEPTH
from penjing.text.labels import (
    counts_text,
    number_text,
    quoted,
    shortest_cut,
    value_text,
    weight_text,
)
from penjing.tree.split import midpoint
from strategies import numbers

GOLDEN = Path(__file__).parent / "golden" / "texts"


def chain(depth: int) -> Tree:
    plain: object = "end"
    for i in range(depth, 0, -1):
        plain = {f"c{i}": {0: "no", 1: plain}}
    return Tree.from_dict(plain)


DRAWINGS = {
    "fish-id3": lambda: penjing.fit(penjing.example("fish")).draw(),
    "watermelon2.0-id3": lambda: penjing.fit(penjing.example("watermelon2.0")).draw(),
    "watermelon2.0-id3-empty": lambda: penjing.fit(penjing.example("watermelon2.0")).draw(
        empty=True, order="levels"
    ),
    "watermelon2.0alpha-c4.5-textbook": lambda: penjing.fit(
        penjing.example("watermelon2.0alpha"), recipe="c4.5-textbook"
    ).draw(),
    "watermelon3.0-cart-binary": lambda: penjing.fit(
        penjing.example("watermelon3.0"), recipe="cart-binary"
    ).draw(),
    "golf-id3-ascii": lambda: penjing.fit(penjing.example("golf"), recipe="id3").draw(
        ascii_only=True
    ),
    "chain-50": lambda: chain(50).draw(),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_are_as_they_were(name, request):
    path = GOLDEN / f"{name}.txt"
    text = DRAWINGS[name]() + "\n"
    if request.config.getoption("--update-golden"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_branches_stand_by_rows_then_questions_before_leaves_then_levels():
    table = Table(
        (
            nominal("a", ["s", "m", "m", "l", "l", "l", "k", "k"]),
            numeric("x", [1, 1, 2, 1, 1, 1, 1, 1]),
        ),
        nominal("c", ["p", "p", "q", "q", "q", "q", "p", "p"]),
        8,
    )
    lines = penjing.fit(table, recipe="id3").draw().split("\n")
    assert lines == [
        "a = l: q (3)",
        "a = m",
        "│  x ≤ 1.5: p (1)",
        "│  x > 1.5: q (1)",
        "a = k: p (2)",
        "a = s: p (1)",
    ]
    in_order = penjing.fit(table, recipe="id3").draw(order="levels").split("\n")
    assert [line for line in in_order if line.startswith("a")] == [
        "a = s: p (1)",
        "a = m",
        "a = l: q (3)",
        "a = k: p (2)",
    ]


def test_one_node_can_be_drawn_alone():
    tree = penjing.fit(penjing.example("fish"))
    assert tree.draw(node=1) == "flippers = 1: yes (2)\nflippers = 0: no (1)"
    assert tree.draw(node=2) == "no (2)"


def test_deep_stairs_go_on_below():
    text = chain(2 * MAX_DEPTH + 3).draw()
    assert "[S1]\n" in text
    assert "[S2]\n" in text
    assert "[S3]" not in text
    assert max(line.count("│") for line in text.split("\n")) == MAX_DEPTH - 1


def test_counts_tell_rows_and_wrong_ones():
    table = Table(
        (nominal("a", ["x", "x", "x", "y"]),),
        nominal("c", ["p", "p", "q", "q"]),
        4,
        np.array([0.5, 0.25, 1 / 3, 2.0]),
    )
    assert str(penjing.fit(table)) == "a = y: q (2)\na = x: p (1.08/0.33)"


@given(st.lists(numbers, min_size=2, max_size=2, unique=True))
def test_a_short_cut_still_parts_its_neighbours(pair):
    low, high = sorted(pair)
    if low == high:
        return
    cut = midpoint(low, high)
    text, is_open = shortest_cut(cut, low, high)
    number = float(text)
    assert is_open == (number > cut)  # the number itself goes where the model sends it
    assert low < number <= high if is_open else low <= number < high
    assert float(shortest_cut(cut).number) == cut
    assert text not in ("-0", "-0.0")


@pytest.mark.parametrize(
    ("cut", "low", "high", "text"),
    [
        (0.38149999999999995, 0.36, 0.403, "< 0.3815"),
        (2.45, 1.9, 3.0, "≤ 2.45"),
        (5.0, 4.0, 6.0, "≤ 5"),
        (1e16, 0.0, 2e16, "≤ 1e+16"),
        (123456.5, 123456.25, 123457.0, "≤ 123456.5"),
        (123456.5, 100000.0, 150000.0, "< 123500"),
        (0.1 + 0.2, 0.3, 0.31, "≤ 0.3"),
        (0.99996, 0.99992, 1.0, "≤ 0.99996"),  # four digits would read 1: not between
        (-0.0, -1.0, 1.0, "≤ 0"),
        (1.0, 1.0, 1.0000000000000002, "≤ 1"),
        (1.0000000000000002, 1.0000000000000002, 1.0000000000000004, "≤ 1.0000000000000002"),
        (5e-324, 5e-324, 1e-323, "≤ 5e-324"),
    ],
)
def test_cuts_read_as_short_as_they_may(cut, low, high, text):
    assert shortest_cut(cut, low, high).side(0) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (-0.0, "0"), (-3.0, "-3"), (1e15, "1000000000000000"), (1e16, "1e+16"),
     (0.1, "0.1"), (math.inf, "inf"), (math.nan, "nan")],
)  # fmt: skip
def test_tidy_numbers(number, text):
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0.0, "0"), (3.0, "3"), (2.5, "2.5"), (1 / 3, "0.33"), (0.004, "0.004"), (1e-9, "1e-09"),
     (0.999, "1"), (1e15, "1000000000000000")],
)  # fmt: skip
def test_amounts(weight, text):
    assert weight_text(weight) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [("清晰", "清晰"), (0, "0"), (True, "True"), (1.5, "1.5"), ("", "''"), ("a b", "'a b'"),
     ("a:b", "'a:b'"), ("it's", '"it\'s"'), ("\n", "'\\n'"), ("[S1]", "'[S1]'"), ("-0.0", "-0.0")],
)  # fmt: skip
def test_names_are_quoted_only_where_they_would_mislead(name, text):
    assert quoted(name) == text


def test_a_number_that_is_predicted_is_printed_with_six_digits():
    table = Table((numeric("x", [1, 2]),), numeric("y", [-0.25, 123456.789]), 2)
    tree = penjing.fit(table, recipe="cart-binary")
    assert str(tree) == "x ≤ 1.5: -0.25 (1)\nx > 1.5: 123457 (1)"
    zero = penjing.fit(Table((), numeric("y", [-0.0, 0.0]), 2), recipe="cart-binary")
    assert str(zero) == "0 (2)"
    assert value_text(zero, 0) == "0"
    assert counts_text(zero, 0) == " (2)"
