"""Forced splits: what the recipe would have chosen changes nothing, and both engines agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import penjing
from penjing.data.lazy_column import LazyColumn
from penjing.data.read import read
from penjing.data.table import Column, Table, numeric
from penjing.errors import PenjingError
from penjing.text.node_path import find_node, node_path
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


ODD_NAMES = [
    "a=b", "a, b", "a<=b", "x≤3", "in {a}", "'q'", '"d"', "a b", "ab", "=", "t;u", "a/b",
    ",lead", "trail,", "名 称", "<=3", "12", "root", "=>", "{z}", "\\", "tab\tx", "it's", "its",
    "?", "p ≠ ?", "'a'", "a", "A", "==", "=a", "new york", "newyork", "≤ 3", ",x", "x,", "→", "∅",
]  # fmt: skip


@pytest.mark.parametrize("recipe", ["id3", "cart-textbook", "cart-binary", "rpart"])
@pytest.mark.parametrize("seed", range(6))
def test_paths_of_odd_names_lead_to_their_nodes(recipe: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names, n = rng.permutation(ODD_NAMES)[:5].tolist(), 120
    columns: dict[str, Any] = {}
    score = rng.normal(0, 0.4, n)
    for name in names[:3]:
        levels = rng.permutation(ODD_NAMES)[: rng.integers(3, 7)]
        codes = rng.integers(0, len(levels), n)
        score += rng.normal(size=len(levels))[codes]
        columns[name] = levels[codes].tolist()
    for name in names[3:]:
        columns[name] = rng.normal(size=n).round(2)
        score += columns[name]
        columns[name][rng.random(n) < 0.1 * (recipe != "cart-textbook")] = np.nan
    columns["class"] = np.where(score > 0, "yes, it is", "n=1").tolist()
    kinds = dict.fromkeys(names[:3], "categorical")
    table = read(columns, "class", kinds, keep=names, missing={"only": []})
    options: dict[str, Any] = {"missing": "branch"} if recipe in {"id3", "cart-binary"} else {}
    options |= {"minsplit": 4, "minbucket": 2, "cp": 0} if recipe == "rpart" else {"max_depth": 4}
    tree = grown(table, recipe, **options)
    paths = [node_path(tree, node) for node in range(tree.n_nodes)]
    assert [find_node(tree, path)[0] for path in paths] == [*range(tree.n_nodes)]
    forced = {
        paths[node]: [tree.schema[int(tree.nodes.column[node])].name]
        for node in np.flatnonzero(~tree.is_leaf)
    }
    again = grown(table, recipe, force_splits=forced, **options)
    assert without_steering(again) == without_steering(tree)


@pytest.mark.parametrize(("path", "node"), [
    ("'a b' = 'new york'", 1), ("a b='new york'", 1), ("a b == 'new york'", 1), ("'new york'", 1),
    ("ab=newyork", 2), ("newyork", 2), ("a b = =a", 3), ("a b==a", 3), ("=a", 3), ("a b = a", 4),
    ("a", 4), ("a b ==b", 5), ("b", 5), ("a b = x y", 6), ("a b = 'x y'", 6), ('a b = "x y"', 6),
])  # fmt: skip
def test_names_of_a_path_may_be_written_without_quotes(path: str, node: int) -> None:
    levels = {"new york": "y", "newyork": "n", "=a": "y", "a": "n", "b": "y", "x y": "n"}
    assert find_node(penjing.Tree.from_dict({"a b": levels}), path) == (node, None)


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
@pytest.mark.parametrize("seed", range(8))
def test_columns_that_are_not_encoded(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, 4])
    coded = some_table(rng, 200, regression=False, missing=False, weighted=False)

    def uncoded() -> Table:
        columns = [LazyColumn(c.name, c.numbers()) if c.is_numeric else c for c in coded.columns]
        return replace(coded, columns=tuple(columns))

    tree = penjing.fit(uncoded(), recipe=name, quiet=True, **UNPRUNED[name])
    if tree.is_leaf[0]:
        return
    column = tree.schema[int(tree.nodes.column[0])].name
    forced = train(uncoded(), recipe=name, force_splits={"": column}, **UNPRUNED[name])
    assert without_steering(forced) == without_steering(tree)
    replaced = tree.replace_split(0, column, data=uncoded())
    assert np.array_equal(replaced.nodes.cut, tree.nodes.cut, equal_nan=True)
    if not tree.is_leaf[1]:
        regrown = tree.regrow_at(1, data=uncoded())
        assert np.array_equal(regrown.nodes.cut, tree.nodes.cut, equal_nan=True)


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


@pytest.mark.parametrize(
    "options",
    [
        {"recipe": "sklearn", "random_state": 3},
        {"recipe": "cart-binary", "max_leaves": 6},
        {"recipe": "id3", "missing": "branch"},
        {"recipe": "c4.5", "max_depth": 3},
    ],
    ids=["random order", "best first", "missing branch", "depth"],
)
@pytest.mark.parametrize("seed", range(4))
def test_settings_that_only_the_loop_grows(options: dict[str, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    missing = options.get("missing") == "branch"
    table = some_table(rng, 80, regression=False, missing=missing, weighted=False)
    tree = train(table, **options)
    if tree.is_leaf[0]:
        return
    column = tree.schema[int(tree.nodes.column[0])].name
    trees = [
        train(table, engine=engine, force_splits={"": column}, **options)
        for engine in ("native", "memory")
    ]
    assert without_steering(trees[0]) == without_steering(trees[1]) == without_steering(tree)


@pytest.mark.parametrize("engine", ["native", "memory"])
def test_pre_pruning_keeps_what_is_forced(engine: str) -> None:
    melons = penjing.example("watermelon2.0")
    forced = {"": "触感", "触感=硬滑": "色泽"}
    tree = train(
        melons, recipe="id3", engine=engine, validation=melons.take(np.arange(3)),
        force_splits=forced,
    )  # fmt: skip
    assert len(forced_nodes(tree)) == 2
    assert tree.about["pruning"][0]["decisions"][0]["decision"] == "keep"


def test_a_forced_leaf() -> None:
    melons = penjing.example("watermelon2.0")
    trees = [
        train(melons, recipe="id3", engine=engine, force_splits={"纹理=清晰": None})
        for engine in ("native", "memory")
    ]
    assert trees[0].to_json() == trees[1].to_json()
    assert trees[0].is_leaf[1]
    assert trees[0].about["stops"] == {"forced": [1]}


@pytest.mark.parametrize("name", ["c4.5", "j48", "c5.0", "rpart"])
def test_the_recipes_pruning_keeps_what_is_forced(name: str) -> None:
    rng = np.random.default_rng(5)
    n = 300
    useless = Column("u", "nominal", ("a", "b"), rng.integers(0, 2, n).astype(np.int32))
    x = rng.normal(size=n)
    target = Column("y", "nominal", ("p", "q"), (x + rng.normal(size=n) * 0.3 > 0).astype(np.int32))
    table = Table((useless, numeric("x", x)), target, n)
    tree = train(table, recipe=name, force_splits={"": "u"})
    assert tree.schema[int(tree.nodes.column[0])].name == "u"
    assert list(forced_nodes(tree)) == [0]
    assert tree.n_leaves < 40
