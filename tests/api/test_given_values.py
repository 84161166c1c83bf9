"""Weights, targets and class names that are given as values beside the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import penjing
from penjing.errors import PenjingError

X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "b": list("uvuvvu")})
Y = pd.Series([0, 1, 1, 0, 1, 0], name="ripe")
WEIGHT = [1.0, 2.0, 0.5, 1.0, 3.0, 1.5]
FORMS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "float32": lambda w: np.array(w, np.float32),
    "pandas": pd.Series,
    "polars": pl.Series,
}


@pytest.mark.parametrize("name", ["weight", "sample_weight"])
@pytest.mark.parametrize("form", FORMS)
def test_weights_are_those_of_a_column(form, name):
    expected = penjing.fit(X.assign(w=WEIGHT, ripe=Y), "ripe", "cart-binary", weight="w")
    tree = penjing.fit(X, Y, "cart-binary", **{name: FORMS[form](WEIGHT)})
    assert str(tree) == str(expected)
    assert tree.weight_of(0) == sum(WEIGHT)


@pytest.mark.parametrize("form", FORMS)
def test_weights_of_a_table(form):
    table = penjing.read(X, labels=Y, weight=FORMS[form](WEIGHT))
    assert table.weights.tolist() == WEIGHT
    plain = penjing.read(X, labels=Y)
    weighted = penjing.fit(plain, recipe="cart-binary", weight=FORMS[form](WEIGHT))
    assert str(weighted) == str(penjing.fit(table, recipe="cart-binary"))


def test_weights_of_rows_without_a_target_are_dropped_with_them():
    table = penjing.read(X, labels=["n", None, "y", "n", None, "y"], weight=WEIGHT, quiet=True)
    assert table.weights.tolist() == [1.0, 0.5, 1.0, 1.5]


def test_a_weighted_tree_remembers_its_rows_while_they_exist():
    weight = np.array(WEIGHT)
    table = penjing.read(X, labels=Y)
    for data, target in ((X, Y), (table, None)):
        tree = penjing.fit(data, target, "cart-binary", weight=weight)
        assert tree.training_table().weights.tolist() == WEIGHT
        weight[0] += 1
        kept = tree.training_table()  # the table of the tree itself, with the weights of training
        assert kept is None or kept.weights.tolist() == WEIGHT
        weight[0] -= 1


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ([1.0], "table has 6 rows, but 1 weight was given"),
        ([1, 1, -1, 1, 1, 1], "the weight of row 3 is -1"),
        ([1, 1, np.nan, 1, 1, 1], "the weight of row 3 is missing"),
        ([1, None, 1, 1, 1, 1], "the weight of row 2 is missing"),
        ([1, np.inf, 1, 1, 1, 1], "the weight of row 2 is infinite"),
        (list("uvuvuv"), "one number per row"),
        (np.ones((6, 2)), "one number per row"),
        (3, "one number per row"),
        ({"a": 1}, "one number per row"),
        ([0] * 6, "weight"),
    ],
)
def test_bad_weights_are_refused_in_a_sentence(weight, sentence):
    for call in (
        lambda: penjing.fit(X, Y, weight=weight),
        lambda: penjing.fit(penjing.read(X, labels=Y), weight=weight),
        lambda: penjing.read(X, labels=Y, weight=weight),
    ):
        with pytest.raises(PenjingError, match=sentence):
            call()


def test_weights_cannot_be_given_twice():
    with pytest.raises(penjing.ChoiceError, match="sample_weight and weight"):
        penjing.fit(X, Y, weight=WEIGHT, sample_weight=WEIGHT)


@pytest.mark.parametrize("series", [Y, pl.Series("ripe", Y.to_list())], ids=["pandas", "polars"])
def test_the_target_has_the_name_of_its_series(series):
    tree = penjing.fit(X, series, "cart-binary")
    assert tree.target.name == "ripe"
    assert tree.score(X.assign(ripe=Y)).correct == 6


def test_a_name_that_a_column_has_is_not_taken():
    assert penjing.fit(X, Y.rename("a"), "cart-binary").target.name == "class"
    assert penjing.fit(X, Y.rename(None), "cart-binary").target.name == "class"


@pytest.mark.parametrize(
    "call",
    [
        lambda data, **target: penjing.cross_validate(data, "cart-binary", 2, **target).n,
        lambda data, **target: sum(test.n_rows for _, test in penjing.folds(data, 2, **target)),
        lambda data, **target: sum(t.n_rows for t in penjing.hold_out(data, 0.5, **target)),
        lambda data, **target: (
            sum(penjing.bootstrap(data, recipe="id3", n=6, **target).leaves) > 6 and 6
        ),
    ],
    ids=["cross_validate", "folds", "hold_out", "bootstrap"],
)
def test_resampling_takes_what_read_takes(call, tmp_path):
    file = tmp_path / "rows.csv"
    X.assign(ripe=Y).to_csv(file, index=False)
    assert call(X.assign(ripe=Y), target="ripe") == 6
    assert call(pl.from_pandas(X.assign(ripe=Y)), target="ripe") == 6
    assert call(file, target="ripe") == 6
    assert call(str(file), target="ripe") == 6
    assert call(X, target=Y) == 6
    assert call(X[["a"]].to_numpy(), target=Y.to_numpy()) == 6
    assert call(X.to_dict("records"), target=Y.to_list()) == 6
