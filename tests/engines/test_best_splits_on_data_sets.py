"""Every data set: the best split of every column is the same by both engines, in any nodes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.errors import PenjingError
from penjing.training.train import train
from penjing.tree.counts import reader_of
from shared import SHARED, shared

INDEX = SHARED / "data" / "index.json"
SETS = json.loads(INDEX.read_text()) if INDEX.exists() else {}
SMALL = ("contact-lenses", "iris", "labor", "kyphosis", "cpu", "stagec")
"""Checked every day; the others by `make test-all`."""
MOST_NODES = 60
"""How many nodes of a tree are searched: the largest."""
RECIPES: dict[str, dict[str, Any]] = {
    "id3": {},
    "c4.5-textbook": {},
    "cart-binary": {},
    "rpart": {"cp": 0.0005, "minsplit": 4},
    "sklearn": {},
}


def table_of(name: str) -> Table:
    about = SETS[name]
    kinds = {
        a["name"]: "numeric" if a["type"] == "numeric" else "nominal" for a in about["attributes"]
    }
    path = shared(f"data/{about['file']}")
    missing = [] if about["missing"] is None else [about["missing"]]
    return penjing.read(path, about["target"], kinds, missing=missing, encoding=about["encoding"])


@pytest.mark.skipif(not SETS, reason="the data sets are not there; PENJING_SHARED names the folder")
@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize(
    "data",
    [pytest.param(data, marks=[] if data in SMALL else [pytest.mark.slow]) for data in SETS],
)
def test_data_set(data: str, name: str) -> None:
    table = table_of(data)
    recipe = recipe_of(name, **RECIPES[name])
    try:
        table = recipe.prepared(table)
        recipe = recipe.fits(table)
        tree = train(table, recipe=recipe)
    except PenjingError as error:
        pytest.skip(f"the recipe does not take this table: {error}")
    costs = recipe.options.costs(table)
    reader = reader_of(table, costs, centred=recipe.options.centred)
    largest = np.argsort(-tree.weight, kind="stable")[:MOST_NODES].tolist()
    first, second = (
        engine(table, missing=recipe.missing, reader=reader).best_splits(tree, largest, recipe)
        for engine in (memory.Engine, native.Engine)
    )
    for field in ("gain", "split_information", "impurity", "cut", "n_candidates"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field), field)
    for field in ("missing", "worth", "order"):
        assert (getattr(first, field) is None) == (getattr(second, field) is None), field
        if getattr(first, field) is not None:
            np.testing.assert_array_equal(getattr(first, field), getattr(second, field), field)
    assert set(first.groups) == set(second.groups)
    for key, groups in first.groups.items():
        assert [g.tolist() for g in groups] == [g.tolist() for g in second.groups[key]]
