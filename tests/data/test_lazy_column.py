"""Plain numbers stay plain: arrays and frames are not ranked before somebody asks."""

import numpy as np
import pandas as pd
import pytest

import penjing
from penjing import read
from penjing.data.lazy_column import LazyColumn
from penjing.errors import ChoiceError, DataError


def some_numbers(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 3)).round(1)
    return x, (x[:, 0] + x[:, 1] > 0).astype(int)


def test_floats_of_an_array_are_not_coded():
    x, y = some_numbers()
    table = read(x, labels=y)
    assert [type(c) for c in table.columns] == [LazyColumn] * 3
    assert not any(c.is_coded for c in table.columns)
    penjing.fit(table, recipe="cart-textbook")
    assert not any(c.is_coded for c in table.columns)
    assert np.array_equal(table.columns[0].levels[table.columns[0].codes], x[:, 0])


@pytest.mark.parametrize("turn", [lambda x: x, np.asfortranarray, lambda x: x[::-1][::-1]])
@pytest.mark.parametrize("recipe", ["cart-textbook", "c4.5-textbook", "id3"])
def test_coded_and_uncoded_grow_the_same_tree(turn, recipe):
    x, y = some_numbers()
    plain = penjing.fit(turn(x), y, recipe)
    names = [f"x{i}" for i in range(1, 4)]
    rows = [dict(zip(names, row, strict=True)) for row in x.tolist()]
    rows = [row | {"class": class_} for row, class_ in zip(rows, y.tolist(), strict=True)]
    coded = penjing.fit(rows, "class", recipe, engine="memory")
    assert plain.to_json()["nodes"] == coded.to_json()["nodes"]


def test_whole_numbers_of_an_array():
    n = 100
    many, two, count = np.arange(n) % 7, np.arange(n) % 2, np.arange(n)
    table = read(pd.DataFrame({"many": many, "two": two, "count": count, "class": two}))
    assert [(c.name, c.kind) for c in table.columns] == [("many", "numeric"), ("two", "nominal")]
    assert table.left_out == (("count", "id"),)


def test_infinity_of_a_large_array_is_refused_when_it_is_used():
    x = np.zeros((200_000, 2))
    x[:, 0] = np.arange(200_000) % 9
    x[123_456, 0] = -np.inf
    table = read(x, labels=np.arange(200_000) % 2)
    with pytest.raises(DataError, match="row 123457: 'x1' is infinite"):
        penjing.fit(table, recipe="cart-textbook")


def test_missing_numbers_are_refused_where_the_recipe_does_without():
    x, y = some_numbers()
    x[7, 1] = np.nan
    for engine in ("native", "memory"):
        with pytest.raises(ChoiceError, match="x2"):
            penjing.fit(x, y, "cart-textbook", engine=engine)


def test_a_column_without_any_number_is_left_out():
    x, y = some_numbers()
    x[:, 2] = np.nan
    table = read(x, labels=y)
    assert table.names == ("x1", "x2")
    assert table.left_out == (("x3", "empty"),)


@pytest.mark.parametrize("kind", [np.float32, np.int8, np.uint64])
def test_numbers_of_other_types(kind):
    rng = np.random.default_rng(4)
    x = rng.integers(0, 90, (500, 2)).astype(kind)
    y = (x[:, 0] > 40).astype(int)
    tree = penjing.fit(x, y, "cart-textbook")
    assert tree.n_leaves == 2
    assert (tree.predict(x) == y).all()


def test_numbers_to_learn_stay_as_they_are():
    x, y = np.arange(12.0).reshape(6, 2) / 7, np.array([0.5, 2, 0.5, 1, -0.0, 0])
    table = penjing.read(x, labels=y)
    assert table.is_regression
    penjing.fit(table, recipe="cart-textbook")
    assert np.shares_memory(table.target.raw, y)
    assert not table.target.is_coded
    assert table.target.codes.tolist() == [1, 3, 1, 2, 0, 0]


@pytest.mark.parametrize(
    ("y", "kind"),
    [([1.0, 2, 1, 3], "nominal"), ([0.5, np.nan, 1, 2], "numeric"), ([*range(25)], "numeric")],
)
def test_other_targets_are_looked_at_closely(y, kind):
    table = penjing.read(np.arange(float(len(y)))[:, None] / 7, labels=np.array(y))
    assert table.target.kind == kind
    assert table.n_rows == int(np.isfinite(y).sum())
    assert table.target.codes.min() == 0
