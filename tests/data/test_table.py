"""A table is coded columns: values go in, the same values come out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.table import Column, Field, Table, nominal, numeric
from penjing.errors import ChoiceError
from strategies import ODD_NUMBERS, numbers, ordered, tables, words


@given(st.lists(st.none() | words))
def test_nominal_values_come_back(values):
    column = nominal("a", values)
    assert column.values() == values
    assert column.has_missing == (None in values)
    assert list(column.levels) == list(dict.fromkeys(v for v in values if v is not None))


def test_declared_levels_keep_their_order_and_new_ones_follow():
    column = nominal("size", ["L", "XL", "S"], ["S", "M", "L"])
    assert column.levels == ("S", "M", "L", "XL")
    assert column.codes.tolist() == [2, 3, 0]


@given(st.lists(st.just(math.nan) | numbers))
def test_numbers_come_back_and_their_codes_are_ranks(values):
    column = numeric("x", values)
    again = [math.nan if v is None else v for v in column.values()]
    np.testing.assert_array_equal(again, values)
    np.testing.assert_array_equal(column.numbers(), values)
    assert np.all(column.levels[1:] > column.levels[:-1])
    assert column.codes.dtype == np.int32


def test_neighbouring_floats_and_big_integers_stay_apart():
    assert len(numeric("x", [1.0, math.nextafter(1.0, 2.0)]).levels) == 2
    assert len(numeric("x", [1.7e9, 1.7e9 + 1, 2**24, 2**24 + 1]).levels) == 4
    # A numeric column is a double: integers beyond 2**53 may fall together, as in NumPy.
    assert len(numeric("x", [2**53, 2**53 + 1]).levels) == 1
    assert numeric("x", [10**300]).levels.tolist() == [1e300]


def test_zero_has_one_sign():
    levels = numeric("x", [0.0, -0.0]).levels
    assert str(levels.tolist()) == "[0.0]"


def test_an_ordered_level_is_a_number_by_its_position():
    column = ordered("size", [2, -1, 0], ["S", "M", "L"])
    assert column.values() == ["L", None, "S"]
    np.testing.assert_array_equal(column.numbers(), [2.0, math.nan, 0.0])
    assert column.has_order
    assert not column.is_numeric


def test_a_field_is_a_column_without_rows_and_a_number_keeps_no_levels():
    assert nominal("a", ["x"]).field == Field("a", "nominal", ("x",))
    assert numeric("a", ODD_NUMBERS).field == Field("a", "numeric")
    assert Field("a", "numeric") != Field("b", "numeric")
    assert Field("a", "nominal", ("x", "y")) != Field("a", "nominal", ("y", "x"))
    assert Field("a", "numeric", np.array([1.0])) == Field("a", "numeric", (1.0,))
    assert Field("a", "numeric") != "a"


@given(tables(missing=True), st.data())
def test_taken_rows_are_those_rows(table, data):
    rows = list(table.rows())
    picked = data.draw(st.lists(st.integers(0, table.n_rows - 1)))
    taken = table.take(picked)
    assert list(taken.rows()) == [rows[i] for i in picked]
    assert [taken.row_number(i) for i in range(taken.n_rows)] == [i + 1 for i in picked]
    assert taken.schema == table.schema
    mask = np.isin(np.arange(table.n_rows), picked)
    assert list(table.take(mask).rows()) == [rows[i] for i in sorted(set(picked))]
    if taken.n_rows:
        assert taken.take([0]).row_number(0) == picked[0] + 1


def test_no_rows_can_be_taken():
    table = Table((nominal("a", ["x"]),), nominal("c", ["p"]), 1, np.array([2.0]))
    assert table.take([]).n_rows == 0
    assert table.take([]).weights.size == 0
    assert list(table.take([]).rows()) == []


def test_a_table_may_have_no_target_and_no_columns():
    table = Table((), None, 3)
    assert table.names == ()
    assert not table.is_regression
    assert table.weights.tolist() == [1, 1, 1]
    assert table.take([2]).row_number(0) == 3
    assert Table((nominal("a", ["x"]),), None, 1).take([0]).target is None


def test_a_column_is_found_by_name_and_a_near_miss_is_proposed():
    table = Table(
        (nominal("纹理", ["清晰"]), nominal("色泽", ["青绿"])), nominal("好瓜", ["是"]), 1
    )
    assert table.column("好瓜") is table.target
    assert table.column("纹理") is table.columns[0]
    with pytest.raises(ChoiceError, match="Did you mean '好瓜'") as caught:
        table.column("好挂")
    assert "纹理, 色泽, 好瓜" in str(caught.value)
    with pytest.raises(ChoiceError, match="there is no column 'x'"):
        Table((), None, 1).column("x")


def test_a_column_is_a_record_of_arrays():
    column = Column("a", "nominal", ("x",), np.zeros(2, np.int32))
    assert column.take(np.array([True, False])).codes.tolist() == [0]
    assert not Column("a", "nominal").has_missing
