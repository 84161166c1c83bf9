"""Importances of columns, by impurity and by permutation."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import CapabilityError, ChoiceError


def test_importance_by_impurity_is_the_decrease_by_hand():
    table = penjing.example("watermelon2.0")
    tree = penjing.fit(table, trace=True)
    by_hand: dict[str, float] = {}
    for step in tree.trace:
        if step["question"] is not None:
            best = step["candidates"][0]
            worth = step["rows"] * best["gain"]
            by_hand[step["question"]] = by_hand.get(step["question"], 0.0) + worth
    whole = sum(by_hand.values())
    found = tree.importances()
    assert sum(found.values()) == pytest.approx(1)
    for name, value in found.items():
        assert value == pytest.approx(by_hand.get(name, 0.0) / whole)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_surrogates_count_where_they_are_wanted():
    random = np.random.RandomState(4)
    x = random.rand(80)
    table = Table(
        (numeric("x", x), numeric("twin", x + 0.02 * random.rand(80))),
        nominal("y", np.where(x > 0.5, "big", "small").tolist()),
        80,
    )
    tree = penjing.fit(table, recipe="rpart")
    asked = tree.schema[int(tree.nodes.column[0])].name
    other = "twin" if asked == "x" else "x"
    assert tree.importances()[other] == 0
    assert 0.3 < tree.importances(surrogates=True)[other] <= 0.5


def test_a_column_that_is_never_asked_loses_nothing_when_shuffled():
    random = np.random.RandomState(6)
    x, noise = random.rand(2, 200)
    table = Table(
        (numeric("x", x), numeric("noise", noise)),
        nominal("y", np.where(x > 0.5, "big", "small").tolist()),
        200,
    )
    tree = penjing.fit(table, max_depth=1)
    found = tree.importances("permutation", table, seed=3)
    assert found == tree.importances("permutation", table, seed=3)
    assert found["noise"] == 0
    assert 0.3 < found["x"] < 0.7
    number = Table(table.columns, numeric("y", x * 3), 200)
    grown = penjing.fit(number, recipe="cart-binary", max_depth=3)
    assert grown.importances("permutation", number)["x"] > 0.5
    with pytest.raises(ChoiceError, match="needs rows"):
        tree.importances("permutation")
    with pytest.raises(ChoiceError, match=r"importance must be one of .*got 'gain'"):
        tree.importances("gain")


def test_a_tree_without_counts_has_no_importance_by_impurity():
    table = penjing.example("fish")
    tree = penjing.Tree.from_dict(penjing.fit(table).to_dict(), target=table.target.name)
    with pytest.raises(CapabilityError, match="needs the counts of the training rows"):
        tree.importances()
    by_permutation = tree.importances("permutation", table)
    assert sum(by_permutation.values()) > 0
    counted = tree.with_counts(table)
    assert counted.importances() == penjing.fit(table).importances()
