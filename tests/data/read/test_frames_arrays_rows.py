"""Frames, arrays and Python's own tables."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from penjing import fit
from penjing.data.read import read
from penjing.errors import DataError

FISH = [[1, 1, "yes"], [1, 1, "yes"], [1, 0, "no"], [0, 1, "no"], [0, 1, "no"]]
NAMES = ["no surfacing", "flippers"]
COLUMNS = {
    "whole": [3, 1, 2, 5],
    "two": [7, 3, 3, 7],
    "real": [0.5, None, 2.0, 3.0],
    "truth": [True, False, None, True],
    "word": ["x", "y", None, "x"],
    "day": [dt.date(2024, 1, 1), None, dt.date(2024, 2, 1), dt.date(2024, 3, 1)],
    "y": ["p", "q", "p", "q"],
}


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, lambda c: pl.DataFrame(c).lazy(), pa.table, dict],
    ids=["pandas", "polars", "lazy", "pyarrow", "dict"],
)
def test_every_library_gives_one_table(make):
    table = read(make(COLUMNS), "y", dates="month")
    assert table.column("whole").values() == [3.0, 1.0, 2.0, 5.0]
    assert table.column("two").levels == (7, 3)
    assert type(table.column("two").levels[0]) is int
    assert table.column("real").values() == [0.5, None, 2.0, 3.0]
    assert table.column("truth").levels == (True, False)
    assert table.column("truth").codes.tolist() == [0, 1, -1, 0]
    assert table.column("word").values() == ["x", "y", None, "x"]
    assert table.column("day.month").values() == [1.0, None, 2.0, 3.0]
    assert table.left_out == (("day", "date"),)
    assert table.target.levels == ("p", "q")


def test_categories_of_pandas_keep_their_order():
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["b", "a", None], categories=["z", "b", "a"]),
            "o": pd.Categorical(["S", "L", "M"], categories=["S", "M", "L"], ordered=True),
            "n": pd.Categorical([3, 1, 3]),
            "i": pd.cut([1, 5, 9], 2),
            "y": pd.Categorical(["q", "p", "q"], categories=["p", "q", "r"]),
        }
    )
    table = read(frame)
    assert table.column("c").levels == ("z", "b", "a")
    assert table.column("c").codes.tolist() == [1, 2, -1]
    assert table.column("o").kind == "ordered"
    assert table.column("o").codes.tolist() == [0, 2, 1]
    assert table.column("n").levels == (1, 3)
    assert table.column("i").kind == "ordered"
    assert table.target.levels == ("p", "q", "r")


def test_categories_of_polars_and_pyarrow():
    frame = pl.DataFrame(
        {
            "c": pl.Series(["b", "a", None], dtype=pl.Categorical),
            "e": pl.Series(["L", "S", None], dtype=pl.Enum(["S", "M", "L"])),
            "y": ["p", "q", "p"],
        }
    )
    table = read(frame)
    assert table.column("c").levels == ("b", "a")
    assert table.column("e").levels == ("S", "M", "L")
    assert table.column("e").codes.tolist() == [2, 0, -1]
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 1]), pa.array(["low", "high"]), ordered=True
    )
    table = read(pa.table({"o": ordered, "y": ["p", "q", "p"]}))
    assert table.column("o").kind == "ordered"
    assert table.column("o").levels == ("low", "high")
    assert table.column("o").codes.tolist() == [1, 0, 1]


def test_categories_of_arrow_in_pandas():
    words = pa.array(["b", "a", None]).dictionary_encode()
    series = pd.Series(words, dtype=pd.ArrowDtype(words.type))
    column = read(pd.DataFrame({"x": series, "y": ["p", "q", "p"]}), "y").column("x")
    assert column.kind == "nominal"
    assert (column.levels, column.codes.tolist()) == (("b", "a"), [0, 1, -1])


def test_nulls_and_duplicates_among_the_categories_of_arrow():
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["b", None, "b", "a"]))
    column = read(pa.table({"x": words, "y": list("ppqq")}), "y").column("x")
    assert (column.levels, column.codes.tolist()) == (("b", "a"), [0, -1, 0, 1])
    codes = pa.chunked_array([words.slice(0, 2), words.slice(2)])
    column = read(pa.table({"x": codes, "y": list("ppqq")}), "y").column("x")
    assert (column.levels, column.codes.tolist()) == (("b", "a"), [0, -1, 0, 1])


def test_gaps_of_pandas():
    frame = pd.DataFrame(
        {
            "I": pd.array([1, 2, None, 5], dtype="Int64"),
            "two": pd.array([1, 0, None, 1], dtype="Int8"),
            "B": pd.array([True, None, False, True], dtype="boolean"),
            "s": pd.array(["a", pd.NA, "b", "a"], dtype="string"),
            "o": pd.Series([1, "a", np.nan, 2.5], dtype=object),
            "t": pd.to_datetime(["2024-01-01", None, "2024-02-01", "2024-03-01"]),
            "d": pd.to_timedelta([1, 2, None, 4], unit="s"),
            "y": ["p", "q", "p", "q"],
        }
    )
    table = read(frame, dates="month")
    assert table.column("I").values() == [1.0, 2.0, None, 5.0]
    assert table.column("two").levels == (1, 0)
    assert table.column("B").values() == [True, None, False, True]
    assert table.column("s").values() == ["a", None, "b", "a"]
    assert table.column("o").values() == [1, "a", None, 2.5]
    assert table.column("t.month").values() == [1.0, None, 2.0, 3.0]
    assert table.column("d").values() == [1.0, 2.0, None, 4.0]


def test_names_of_frames():
    assert read(pd.DataFrame([[1, "a"], [2, "b"]])).names == ("0",)
    both = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    assert read(pd.DataFrame([[1, "a"], [2, "b"]], columns=both)).names == ("a.x",)
    for frame in (
        pd.DataFrame([[1, 2]], columns=["x", "x"]),
        pa.table([[1], [2]], names=["x", "x"]),
    ):
        with pytest.raises(DataError, match="columns 1 and 2 are both named 'x'"):
            read(frame)
    with pytest.raises(DataError, match="columns 1 and 2 are both named 'True'"):
        read(pd.DataFrame([[1, 2]], columns=[True, 1]))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame({"a": []}),
        pl.DataFrame(),
        pa.table({"a": pa.array([], pa.int8())}),
    ],
)
def test_empty_frames(frame):
    with pytest.raises(DataError, match="table has no rows or no columns"):
        read(frame)


def test_an_awkward_frame():
    frame = pl.DataFrame({"a": [[1], [2]], "y": ["p", "q"]})
    with pytest.raises(DataError, match=r"row 1: 'a' holds \[1\]"):
        read(frame)


# ---------------------------------------------------------------- arrays


def test_arrays():
    table = read(np.array([[1, 2.5], [3, np.nan], [1, 7]]), False, names=["a", "b"])
    assert table.column("a").values() == [1.0, 3.0, 1.0]
    assert table.column("b").values() == [2.5, None, 7.0]
    assert read(np.array([[1, 2, 5], [3, 4, 6]]), False).names == ("x1", "x2", "x3")
    records = np.array(
        [(1, "a", 2.5), (2, "b", 3.5)], dtype=[("i", "i4"), ("s", "U3"), ("f", "f8")]
    )
    assert read(records, "s").names == ("i", "f")
    words = read(np.array([["a", "b"], ["c", "d"]]), names=["p", "q"])
    assert words.columns[0].levels == ("a", "c")
    days = read(np.array([["2024-01-01"], ["NaT"]], dtype="M8[ns]"), False, dates="year")
    assert days.columns[0].values() == [2024.0, None]
    mixed = read(np.array([[1, "x", None], [2, "y", 3.5]], dtype=object), False)
    assert mixed.column("x3").values() == [None, 3.5]
    assert read(np.array([[b"x"], [b"y"]]), False).columns[0].levels == ("x", "y")
    assert read(np.array([[-0.0], [0.0], [1.5]]), False).columns[0].codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("array", "names", "key"),
    [
        (np.array([1, 2]), None, "array_shape"),
        (np.zeros((2, 2, 2)), None, "array_shape"),
        (np.zeros((2, 2)), ["a"], "names_count"),
        (np.zeros((0, 2)), None, "empty_table"),
        (np.zeros((2, 0)), None, "empty_table"),
        (np.array([[1j], [2j]]), None, "nested_cell"),
    ],
)
def test_awkward_arrays(array, names, key):
    with pytest.raises(DataError) as caught:
        read(array, False, names=names)
    assert caught.value.key == key


def test_masked_values_are_missing():
    numbers = np.ma.masked_array([[1.5, 2], [3.5, 4]], [[False, True], [False, False]])
    for array in (numbers, numbers.astype(int), numbers.astype(object), numbers.astype(str)):
        assert read(array, False).columns[1].codes.tolist() == [-1, 0]
    assert read({"a": [1, 2], "b": numbers[:, 1]}, False).columns[1].values() == [None, 4.0]
    whole = np.ma.masked_array([[1.5], [3.5]], [[False], [False]])
    assert read(whole, False).columns[0].values() == [1.5, 3.5]
    labels = np.ma.masked_array([1.5, 7.5, 9.5], [False, True, False])
    assert read(np.eye(3), labels=labels).n_rows == 2
    records = np.ma.masked_array(
        [(1, 2.5), (2, 3.5)], [(False, True), (True, False)], dtype=[("i", "i4"), ("f", "f8")]
    )
    assert read(records, False).columns[0].values() == [1.0, None]
    assert read(records, False).columns[1].values() == [None, 3.5]
    with pytest.raises(DataError, match="weight of row 2 is missing"):
        read({"a": [1, 2], "y": ["p", "q"]}, "y", weight=np.ma.masked_array([1, 2], [False, True]))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_are_arrays():
    table = read(np.matrix([[1.5, 2], [3.5, 4]]), labels=["p", "q"])
    assert table.columns[1].values() == [2.0, 4.0]
    assert fit(np.matrix([[1.5, 2], [3.5, 4]]), ["p", "q"], "cart-binary").n_leaves == 2


def test_arrays_with_labels():
    for labels in (
        [0, 1, 0],
        np.array([0, 1, 0]),
        pd.Series([0, 1, 0]),
        pl.Series([0, 1, 0]),
        iter([0, 1, 0]),
    ):
        table = read(np.array([[1.5], [2.5], [3.5]]), labels=labels)
        assert table.target.name == "class"
        assert table.target.levels == (0, 1)
    with pytest.raises(DataError, match="2 labels for 3 rows"):
        read(np.array([[1.5], [2.5], [3.5]]), labels=[0, 1])


# ---------------------------------------------------------------- rows


def fish(table):
    return [list(row.values()) for row in table.rows()] == FISH and table.names == tuple(NAMES)


def test_the_fish_in_every_form():
    bare, labels = [row[:2] for row in FISH], [row[2] for row in FISH]
    assert fish(read(FISH, names=[*NAMES, "fish"]))
    assert fish(read(bare, labels=labels, names=NAMES))
    assert fish(read(bare, "fish", labels=labels, names=NAMES))
    assert fish(read(bare, labels=labels, names=[*NAMES, "fish"]))
    assert fish(read([dict(zip([*NAMES, "fish"], row, strict=True)) for row in FISH]))
    assert fish(read([tuple(row) for row in FISH], "fish", names=[*NAMES, "fish"]))
    table = read(FISH, names=[*NAMES, "fish"])
    assert table.columns[0].levels == (1, 0)
    assert [type(level) for level in table.columns[0].levels] == [int, int]
    assert read(bare, labels=labels, names=[*NAMES, "fish"]).target.name == "fish"


@pytest.mark.parametrize(
    "make", [pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v]), np.array, tuple]
)
def test_a_dict_of_series(make):
    table = read({"a": make([1, 2, 4]), "b": make(["u", None, "v"]), "y": list("ppq")}, "y")
    assert table.column("a").values() == [1.0, 2.0, 4.0]
    assert table.column("b").values() == ["u", None, "v"]
    with pytest.raises(DataError, match="'b' has 2 values, but the first column has 3"):
        read({"a": make([1, 2, 4]), "b": make(["u", "v"])}, False)


def test_a_dict_of_ranges_and_categories():
    table = read({"a": range(3), "c": pd.Categorical(["u", "v", None]), "y": list("ppq")}, "y")
    assert table.column("a").values() == [0.0, 1.0, 2.0]
    assert table.column("c").values() == ["u", "v", None]


def test_a_dict_of_rows():
    pairs = {("sun", 1): "yes", ("rain", 0): "no", ("rain", 1): "yes"}
    table = read(pairs)
    assert table.names == ("x1", "x2")
    assert table.target.name == "class"
    assert read(pairs, "play", names=["sky", "wind"]).target.name == "play"
    assert read(pairs, names=["sky", "wind", "play"]).target.name == "play"
    assert read({"u": "p", "v": "q"}).columns[0].levels == ("u", "v")
    with pytest.raises(DataError, match="row 2: found 2 cells, expected 3"):
        read({(1, 2): "a", (1,): "b"})


def test_dicts_as_a_csv_reader_gives_them():
    rows = [
        {"RID": "1", "student": "no", "age": "31", "class": "no"},
        {"RID": "2", "student": "yes", "age": "24", "class": "yes"},
        {"RID": "3", "student": "no", "age": "", "class": "no"},
    ]
    table = read(rows)
    assert table.left_out == (("RID", "id"),)
    assert table.column("student").levels == ("no", "yes")
    assert table.target.name == "class"


def test_values_of_many_types():
    key = uuid.uuid4()
    cells = [Decimal("1.5"), Fraction(1, 4), np.float32(0.5), None, float("nan"), Decimal("nan")]
    table = read({"n": cells, "k": [key, None, key, b"x", "z", dt.time(1, 2)]}, False)
    assert table.column("n").values() == [1.5, 0.25, 0.5, None, None, None]
    assert table.column("k").values() == [str(key), None, str(key), "x", "z", "01:02:00"]
    mixed = read({"m": [1, True, 1.0, "1"]}, False)
    assert mixed.columns[0].levels == (1, True, 1.0, "1")


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ([], "empty_table"),
        ((), "empty_table"),
        ({}, "empty_table"),
        ([[], []], "empty_table"),
        ({"a": []}, "empty_table"),
        ([[1, 2], [3]], "ragged_row"),
        ([[1, 2], 3], "not_a_row"),
        (["ab", "cd"], "not_a_row"),
        ([{"a": 1}, [2]], "not_a_row"),
        ([{"a": {}}], "nested_cell"),
        ({"a": [1], "b": [1, 2]}, "uneven_column"),
        (3, "unknown_source"),
        (None, "unknown_source"),
        (object(), "unknown_source"),
        (pd.Series([1]), "unknown_source"),
        ({1, 2}, "unknown_source"),
    ],
)
def test_awkward_sources(source, key):
    with pytest.raises(DataError) as caught:
        read(source, False)
    assert caught.value.key == key
