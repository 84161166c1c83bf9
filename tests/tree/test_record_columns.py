"""Lists of records as columns and back; what is no column is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.tree.record_columns import MAX_COLUMNS, ColumnError, from_columns, to_columns

values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0, 0.1 + 0.2]),
    st.sampled_from(["cut", "keep", ""]), st.lists(st.integers(0, 1), max_size=2),
    st.dictionaries(st.sampled_from(["values", "codes"]), st.integers(0, 1)),
)  # fmt: skip
records = st.lists(
    st.builds(
        lambda node, others: {"node": node} | others,
        st.integers(0, 9),
        st.dictionaries(st.sampled_from("abc"), values),
    )
)


@given(records)
def test_records_come_back_to_the_last_sign(rows):
    columns = json.loads(json.dumps(to_columns(rows, "node")))
    found = from_columns(columns, "node")
    assert [dict(sorted(row.items())) for row in found] == [dict(sorted(r.items())) for r in rows]
    for old, new in zip(rows, found, strict=True):  # True, 1 and 1.0 are equal
        assert json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)


def test_a_column_takes_its_shortest_form():
    rows = [{"node": i, "one": "a", "few": "cut" if i % 3 else "keep", "many": i} for i in range(9)]
    columns = to_columns(rows, "node")
    assert columns["one"] == "a"
    assert columns["few"] == {"values": ["keep", "cut"], "codes": [0, 1, 1] * 3}
    assert columns["many"] == list(range(9))


def test_what_cannot_be_columns_stays_a_list():
    assert to_columns([{"node": 1}, {"now": 1}], "node") is None
    assert to_columns([{"node": 1} | {f"k{i}": i for i in range(MAX_COLUMNS)}], "node") is None


def codes_of(values, codes):
    return {"node": [4, 2], "a": {"values": values, "codes": codes}}


@pytest.mark.parametrize(
    ("columns", "at", "expected"),
    [
        ({"node": 3}, ".node", "a list"),
        ({}, ".node", "a list"),
        ({"node": {"values": [1], "codes": [0]}}, ".node", "a list"),
        ({"node": [1], "a": []}, ".a", "one for each node"),
        ({"node": [1], "a": [1, 2]}, ".a", "one for each node"),
        ({"node": [1], "a": {}}, ".a", "values and codes"),
        ({"node": [1], "a": {"values": [1], "codes": [0], "b": 1}}, ".a", "values and codes"),
        (codes_of(7, [0, 0]), ".a.values", "a list"),
        (codes_of([7], 0), ".a.codes", "a list"),
        (codes_of([7], [0]), ".a.codes", "one for each node"),
        (codes_of([7], [0, 1]), ".a.codes[1]", "a whole number from -1 to 0"),
        (codes_of([7], [0, -2]), ".a.codes[1]", "a whole number from -1 to 0"),
        (codes_of([7], [0, True]), ".a.codes[1]", "a whole number from -1 to 0"),
        (codes_of([7], [0, 0.0]), ".a.codes[1]", "a whole number from -1 to 0"),
        (codes_of([7, 8], [0, 0]), ".a.values", "only values that a code has"),
        ({"node": [1]} | {f"k{i}": 0 for i in range(MAX_COLUMNS)}, "", "at most 16 columns"),
    ],
)
def test_what_is_no_column_is_refused(columns, at, expected):
    with pytest.raises(ColumnError) as error:
        from_columns(columns, "node")
    assert (error.value.at, error.value.expected) == (at, expected)
