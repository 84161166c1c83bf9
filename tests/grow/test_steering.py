"""Forced splits: what the recipe would have chosen changes nothing, and both engines agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from penjing.data.table import Table
from penjing.errors import PenjingError
from penjing.text.node_path import node_path
from penjing.training.train import train
from penjing.tree.forced import STEERING, forced_nodes
from penjing.tree.tree_data import TreeData
from random_tables import some_table

UNPRUNED: dict[str, dict[str, Any]] = {
    "id3": {},
    "c4.5-textbook": {},
    "cart-textbook": {},
    "cart-binary": {},
    "c4.5": {"pruning": "none", "collapse": False},
    "j48": {"pruning": "none", "collapse": False},
    "c5.0": {"pruning": "none", "collapse": False, "gather": False},
    "rpart": {"cp": 0.0, "minsplit": 4},
    "sklearn": {},
}
REGRESSION = {"id3", "cart-textbook", "cart-binary", "rpart", "sklearn", "c4.5-textbook"}


def random_table(seed: int, name: str) -> Table:
    rng = np.random.default_rng([seed, len(name), 7])
    regression = name in REGRESSION and rng.random() < 0.3
    missing = name not in {"id3", "cart-textbook", "cart-binary"} and rng.random() < 0.5
    weighted = rng.random() < 0.3
    n = int(rng.integers(8, 150))
    return some_table(rng, n, regression=regression, missing=missing, weighted=weighted)


def grown(table: Table, name: str, **options: Any) -> TreeData:
    try:
        return train(table, recipe=name, **options)
    except PenjingError as error:
        if error.key.startswith("force"):
            raise
        reject()


def without_steering(tree: TreeData) -> dict[str, Any]:
    plain = tree.to_json()
    plain["about"] = {k: v for k, v in plain["about"].items() if k != STEERING}
    return plain


def own_split(tree: TreeData, node: int, *, explicit: bool) -> Any:
    """Return what forces the split that a node has."""
    split = tree.split(node)
    field = tree.schema[split.column]
    if not explicit:
        return field.name
    if split.cut is None:
        groups = [[field.levels[code] for code in group.tolist()] for group in split.groups]
        return {"column": field.name, "groups": groups}
    at = float(split.cut)
    if not field.is_numeric:
        if not at.is_integer():
            return field.name
        return {"column": field.name, "threshold": str(field.levels[int(at)])}
    return {"column": field.name, "threshold": at}


@pytest.mark.parametrize("name", UNPRUNED)
@pytest.mark.parametrize("engine", ["native", "memory"])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_forcing_what_the_recipe_chooses_changes_nothing(name: str, engine: str, seed: int) -> None:
    table = random_table(seed, name)
    rng = np.random.default_rng(seed)
    tree = grown(table, name, engine=engine, **UNPRUNED[name])
    inner = np.flatnonzero(~tree.is_leaf)
    if not inner.size:
        return
    nodes = rng.permutation(inner)[:3].tolist()
    forced = {node_path(tree, node): own_split(tree, node, explicit=False) for node in nodes}
    again = grown(table, name, engine=engine, force_splits=forced, **UNPRUNED[name])
    assert without_steering(again) == without_steering(tree)
    assert sorted(forced_nodes(again)) == sorted(set(nodes))


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_forcing_the_whole_split_changes_nothing(name: str, seed: int) -> None:
    table = random_table(seed, name)
    rng = np.random.default_rng(seed)
    tree = grown(table, name, **UNPRUNED[name])
    inner = [n for n in np.flatnonzero(~tree.is_leaf).tolist() if not np.isinf(tree.nodes.cut[n])]
    if name == "sklearn":  # the position of a category has no name
        inner = [n for n in inner if tree.schema[int(tree.nodes.column[n])].is_numeric]
    if not inner:
        return
    node = int(rng.choice(inner))
    forced = {node_path(tree, node): own_split(tree, node, explicit=True)}
    again = grown(table, name, force_splits=forced, **UNPRUNED[name])
    assert without_steering(again) == without_steering(tree)


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_engines_agree(name: str, seed: int) -> None:
    table = random_table(seed, name)
    rng = np.random.default_rng(seed)
    column = str(rng.choice([c.name for c in table.columns]))
    forced: dict[str, Any] = {"": column}
    other = [c.name for c in table.columns if c.name != column]
    forbid = other[:1] if len(other) > 1 and rng.random() < 0.5 else None
    trees = []
    for engine in ("native", "memory"):
        try:
            tree = train(
                table,
                recipe=name,
                engine=engine,
                force_splits=forced,
                forbid=forbid,
                **UNPRUNED[name],
            )
        except PenjingError as error:
            trees.append(error.key)
            continue
        assert tree.schema[int(tree.nodes.column[0])].name == column
        assert (
            forbid is None
            or not np.isin(
                tree.nodes.column, [i for i, f in enumerate(tree.schema) if f.name in forbid]
            ).any()
        )
        trees.append(tree.to_json())
    assert trees[0] == trees[1]
