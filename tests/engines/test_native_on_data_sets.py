"""Every data set: recipes sklearn and rpart give the same tree by both engines, gaps included."""

from __future__ import annotations

import json

import pytest

import penjing
from penjing.errors import CapabilityError
from shared import SHARED, shared

INDEX = SHARED / "data" / "index.json"
SETS = json.loads(INDEX.read_text()) if INDEX.exists() else {}
LARGE = 2500
"""More rows than this take the readable engine too long for every day."""


def table_of(name):
    about = SETS[name]
    kinds = {a["name"]: "numeric" if a["type"] == "numeric" else "nominal" for a in
             about["attributes"]}  # fmt: skip
    path = shared(f"data/{about['file']}")
    missing = [] if about["missing"] is None else [about["missing"]]
    return penjing.read(path, about["target"], kinds, missing=missing, encoding=about["encoding"])


def grown_or_said(table, recipe, engine, asked):
    """Return the tree as plain data, or why there is none (too many levels for rpart)."""
    try:
        return penjing.fit(table, recipe=recipe, engine=engine, **asked).to_json()
    except CapabilityError as error:
        return str(error)


@pytest.mark.skipif(not SETS, reason="the data sets are not there; PENJING_SHARED names the folder")
@pytest.mark.parametrize("recipe", ["sklearn", "rpart"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if about["rows"] > LARGE else [])
        for name, about in SETS.items()
    ],
)
def test_same_tree(name, recipe):
    table = table_of(name)
    asked = {"min_samples_leaf": 3} if recipe == "sklearn" else {"cp": 0.001}
    found = [grown_or_said(table, recipe, engine, asked) for engine in ("memory", "native")]
    assert found[0] == found[1]
