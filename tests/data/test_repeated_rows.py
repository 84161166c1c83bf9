"""Rows that repeat, contradict each other, or cap a test's score."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from penjing.data.read import read
from penjing.data.repeated_rows import accuracy_bound, find_contradictory_rows, find_repeated_rows
from penjing.data.table import Table, nominal, numeric
from shared import shared

VALUE = st.sampled_from(["a", "b", None])


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))
    columns = tuple(
        nominal(f"c{place}", draw(st.lists(VALUE, min_size=n, max_size=n)))
        for place in range(draw(st.integers(1, 3)))
    )
    numbers = draw(st.lists(st.sampled_from([0.5, 1.5, float("nan")]), min_size=n, max_size=n))
    classes = draw(st.lists(st.sampled_from("pq"), min_size=n, max_size=n))
    return Table(
        (*columns, numeric("x", numbers)), nominal("class", classes, draw(st.permutations("pq"))), n
    )


def groups(table, *, with_class):
    found = defaultdict(list)
    for number, row in enumerate(table.rows(), start=1):
        key = tuple(row.values()) if with_class else tuple(row.values())[:-1]
        found[key].append((number, row["class"]))
    return found


@given(tables())
def test_repeated_and_contradictory_by_the_definition(table):
    same = groups(table, with_class=True).values()
    assert find_repeated_rows(table) == sorted(
        tuple(n for n, _ in rows) for rows in same if len(rows) > 1
    )
    alike = groups(table, with_class=False).values()
    expected = [tuple(n for n, _ in rows) for rows in alike if len({c for _, c in rows}) > 1]
    assert find_contradictory_rows(table) == sorted(expected)


@given(tables(), tables())
def test_the_ceiling_by_the_definition(train, test):
    n_columns = min(len(train.columns), len(test.columns)) - 1
    names = {f"c{place}" for place in range(n_columns)} | {"x"}
    train, test = (
        Table(tuple(c for c in t.columns if c.name in names), t.target, t.n_rows)
        for t in (train, test)
    )
    taught = groups(train, with_class=False)
    expected = []
    for number, row in enumerate(test.rows(), start=1):
        rows = taught.get(tuple(row.values())[:-1], [])
        classes = {class_ for _, class_ in rows}
        if len(classes) == 1 and row["class"] not in classes:
            expected.append((number, tuple(n for n, _ in rows)))
    found = accuracy_bound(train, test)
    assert [(clash.row, clash.equals) for clash in found.clashes] == expected
    assert found.best == test.n_rows - len(expected)


def test_the_homework():
    train = read(shared("data/watermelon-course/Watermelon-train1.csv"))
    test = read(shared("data/watermelon-course/Watermelon-test1.csv"))
    assert find_repeated_rows(train) == [(12, 15)]
    assert find_contradictory_rows(train) == []
    assert find_repeated_rows(test) == [(1, 5)]
    cap = accuracy_bound(train, test)
    assert [(c.row, c.equals, c.class_, c.taught) for c in cap.clashes] == [
        (4, (16,), "是", "否"),
        (6, (6,), "否", "是"),
        (7, (7,), "否", "是"),
    ]
    assert cap.best == 7
    again = read(
        shared("data/watermelon-course/Watermelon-test1.csv"), train.target.field, train.schema
    )
    assert accuracy_bound(train, again) == cap


def test_row_numbers_are_those_of_the_source():
    table = read({"a": list("uvuv"), "class": ["p", None, "p", "q"]})
    assert find_repeated_rows(table) == [(1, 3)]


def test_many_columns_do_not_overflow():
    n = 40
    columns = tuple(nominal(f"c{k}", [str((row * k) % 7) for row in range(n)]) for k in range(60))
    table = Table(columns, nominal("class", ["p"] * n), n)
    assert find_repeated_rows(table) == sorted(
        tuple(range(first + 1, n + 1, 7)) for first in range(7)
    )


def test_no_target_no_clash():
    table = Table((nominal("a", "uu"),), None, 2)
    assert find_repeated_rows(table) == [(1, 2)]
    assert find_contradictory_rows(table) == []
    assert accuracy_bound(table, table).best == 2
    number = Table((nominal("a", "uu"),), numeric("y", [1.0, 2.0]), 2)
    assert accuracy_bound(number, number).clashes == ()
