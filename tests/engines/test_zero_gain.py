"""Columns that tell nothing: a gain of zero is one, however the arithmetic rounds it."""

import itertools
import json

import pytest

import penjing

CASES = [(3, 5, (2, 1)), (3, 4, (5, 2)), (3, 4, (4, 2, 1)), (4, 4, (2, 1)), (3, 5, (1, 1)),
         (3, 5, (3, 2, 2)), (2, 7, (2, 1))]  # fmt: skip


def plain(tree):
    told = tree.to_json()
    told["about"].pop("engine", None)
    return json.dumps(told, sort_keys=True)


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-textbook", "cart-binary"])
@pytest.mark.parametrize(("n_levels", "n_columns", "times"), CASES)
def test_rows_of_which_all_parts_have_the_same_shares(recipe, n_levels, n_columns, times):
    rows = [
        (*values, class_)
        for values in itertools.product("abcd"[:n_levels], repeat=n_columns)
        for class_, n in zip("pqr", times, strict=False)
        for _ in range(n)
    ]
    table = penjing.read(rows, names=[*(f"x{i}" for i in range(n_columns)), "class"])
    found = {engine: penjing.fit(table, "class", recipe, engine=engine, max_depth=4)
             for engine in ("memory", "native", "disk")}  # fmt: skip
    assert plain(found["native"]) == plain(found["memory"])
    assert plain(found["disk"]) == plain(found["memory"])
