"""The same tree, to the last bit of its file, on every shared data set, engine and thread count."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import penjing
from penjing import stored
from penjing.engines import disk
from penjing.table import Table
from shared import SHARED

RECIPES = (
    "id3",
    "c4.5-textbook",
    "cart-textbook",
    "cart-binary",
    "c4.5",
    "j48",
    "rpart",
    "sklearn",
)
TREES = {"engine": "native", "threads": 1}, {"engine": "native", "threads": 2}
TREES += ({"engine": "native", "threads": 7}, {"engine": "disk"})
LARGE = 20_000
"""Cells from which on the readable engine takes its time."""
MOST_SUBSETS = 12
"""More levels than these, with more than two classes, are beyond grouping one by one."""


def index() -> dict[str, dict[str, Any]]:
    path = SHARED / "data/index.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def cells(name: str) -> int:
    return INDEX[name]["rows"] * len(INDEX[name]["attributes"])


INDEX = index()
SETS = [
    pytest.param(name, marks=[pytest.mark.slow] if cells(name) > LARGE else []) for name in INDEX
]


@cache
def table_of(name: str) -> Table:
    told = INDEX[name]
    schema: dict[str, Any] = {}
    for column in told["attributes"]:
        kind = column["type"]
        if kind in {"identifier", "string"}:
            schema[column["name"]] = "ignore"
        elif kind == "ordered":
            schema[column["name"]] = {"ordered": column["values"]}
        else:
            schema[column["name"]] = column.get("values") or kind
    missing = None if told["missing"] is None else [told["missing"]]
    path = SHARED / "data" / told["file"]
    return penjing.read(path, told["target"], schema, missing=missing, encoding=told["encoding"])


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Few cells and small gatherings: the disk engine has something to count and to look into."""
    monkeypatch.setattr(disk, "SMALL", 20)
    monkeypatch.setattr(stored, "APART", 30)
    monkeypatch.setattr(stored, "CELLS", 60)


def grown(table: Table, recipe: str, **how: Any) -> str:
    changes = {"missing": "fraction"} if recipe in {"cart-textbook", "cart-binary", "id3"} else {}
    tree = penjing.fit(table, recipe=recipe, **changes, **how)
    return json.dumps(tree.to_json(), sort_keys=True)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", SETS)
def test_every_engine_grows_the_same_tree(name, recipe):
    table = table_of(name)
    if recipe in {"c4.5", "j48"} and table.is_regression:
        pytest.skip("C4.5 and J48 know classes only")
    n_classes = 0 if table.is_regression else len(table.target.levels)
    most = max((len(c.levels) for c in table.columns if c.kind == "nominal"), default=0)
    if recipe in {"cart-binary", "rpart"} and n_classes > 2 and most > MOST_SUBSETS:
        pytest.skip("2^levels groupings")
    oracle = grown(table, recipe, engine="memory")
    for how in TREES:
        assert grown(table, recipe, **how) == oracle


def test_the_data_sets_are_there():
    if not INDEX:
        pytest.skip(f"{SHARED} is not there; PENJING_SHARED names the folder")
    assert len(INDEX) > 50
