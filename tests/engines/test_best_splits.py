"""The best split of every column: C++ answers as the memory engine does, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import recipe_of
from penjing.dialects.sklearn.feature_order import NEVER
from penjing.engines import memory, native
from penjing.errors import CapabilityError, PenjingError
from penjing.grow.recipe import Recipe
from penjing.registry import load
from penjing.training.train import train
from penjing.tree.counts import reader_of
from penjing.tree.from_dict import from_dict
from penjing.tree.split import BestSplits
from penjing.tree.tree_data import TreeData
from random_tables import some_table

N_TABLES = 60
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "id3": ({}, {"missing": "branch"}, {"min_branch": 2.0}),
    "c4.5-textbook": ({}, {"missing": "branch"}, {"min_branch": 1.5}),
    "cart-textbook": ({}, {"missing": "fraction"}),
    "c4.5": ({}, {"criterion": "gain"}, {"min_branch": 1.0, "precision": "double"}),
    "j48": ({}, {"cut_cost": False}, {"cut_at": "midpoint", "min_branch": 1.0}),
    "c5.0": (
        {},
        {"criterion": "gain", "min_branch": 1.0},
        {"numbers": "double", "gap_cost": False},
    ),
    "cart-binary": ({}, {"missing": "branch"}, {"missing": "fraction", "min_branch": 2.0}),
}


def assert_same_splits(one: BestSplits, other: BestSplits) -> None:
    for name in ("gain", "split_information", "impurity", "cut", "n_candidates"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("missing", "worth", "order", "counted", "cut_cost"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            np.testing.assert_array_equal(a, b, name)
    assert set(one.groups) == set(other.groups)
    for key, groups in one.groups.items():
        assert [g.tolist() for g in groups] == [g.tolist() for g in other.groups[key]]


def both_answers(
    table: Table, tree: TreeData, nodes: list[int], recipe: Recipe
) -> tuple[BestSplits, BestSplits]:
    options: dict[str, Any] = {"missing": recipe.missing}
    if (costs := recipe.options.costs(table)) is not None or not recipe.options.centred:
        options["reader"] = reader_of(table, costs, centred=recipe.options.centred)
    oracle = memory.Engine(table, **options)
    engine = native.Engine(table, **options, threads=int(1 + len(nodes) % 2))
    found = recipe.dialect.native_best_splits(engine, tree, nodes, recipe)
    assert found is not None, f"{recipe.name} has no search in C++"
    return found, load("dialect", recipe.rules).best_splits(oracle, tree, nodes, recipe)


def some_nodes(rng: np.random.Generator, tree: TreeData) -> list[int]:
    nodes = rng.permutation(tree.n_nodes)[: int(rng.integers(1, tree.n_nodes + 1))]
    return [int(node) for node in nodes]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_random_tables(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(name)])
    changes = SETTINGS[name][seed % len(SETTINGS[name])]
    recipe = recipe_of(name, **changes)
    regression = name not in {"c4.5-textbook", "c4.5", "j48", "c5.0"} and rng.random() < 0.4
    missing = recipe.missing != "refuse" and rng.random() < 0.7
    n = int(rng.integers(2, 400))
    table = some_table(rng, n, regression=regression, missing=missing, weighted=rng.random() < 0.4)
    try:
        table = recipe.prepared(table)
        fitted = recipe.fits(table)
    except PenjingError:
        return
    tree = train(table, recipe=recipe)
    assert_same_splits(*both_answers(table, tree, some_nodes(rng, tree), fitted))


# -- rpart and scikit-learn ---------------------------------------------------------------------

WHOLE = {"cp": 0.0, "minsplit": 2, "minbucket": 1}
RPART: tuple[dict[str, Any], ...] = (
    {},
    WHOLE,
    {**WHOLE, "sums": "exact"},
    {**WHOLE, "split": "information"},
    {"cp": 0.0, "minsplit": 6, "minbucket": 3, "missing": "refuse"},
    {"cp": 0.001, "minsplit": 4, "usesurrogate": 1, "sums": "exact"},
)
SKLEARN: tuple[dict[str, Any], ...] = (
    {},
    {"criterion": "entropy"},
    {"class_weight": "balanced", "min_samples_leaf": 3},
    {"precision": "double", "gap": 0.4, "min_weight_fraction_leaf": 0.05},
    {"min_impurity_decrease": 0.01, "criterion": "entropy", "class_weight": {"k0": 0.3}},
    {"max_depth": 3, "min_samples_leaf": 0.04, "gap": 0.0},
)


def random_costs(rng: np.random.Generator, table: Table) -> dict[str, Any]:
    """Return priors, losses and costs of columns, some of them."""
    assert table.target is not None
    k = len(table.target.levels)
    changes: dict[str, Any] = {}
    if not table.is_regression and k > 1 and rng.random() < 0.4:
        prior = rng.dirichlet(np.ones(k))
        changes["prior"] = tuple((prior / prior.sum()).tolist())
    if not table.is_regression and k > 1 and rng.random() < 0.4:
        loss = rng.integers(1, 5, (k, k)) * (1.0 - np.eye(k))
        changes["loss"] = tuple(map(tuple, loss.tolist()))
    if rng.random() < 0.3:
        changes["cost"] = tuple((0.5 + rng.random(len(table.columns))).tolist())
    return changes


def some_trees(rng: np.random.Generator, table: Table, recipe: Recipe) -> list[TreeData]:
    """Return the tree of the recipe, a part of it, and a tree that was made by hand."""
    grown = train(table, recipe=recipe)
    inner = np.flatnonzero(~grown.is_leaf)
    cut = rng.permutation(inner)[: len(inner) // 3].tolist()
    trees = [grown, grown.pruned(cut) if cut else grown]
    first = next((c for c in table.columns if c.is_numeric), None)
    if first is not None and len(first.levels) > 0 and table.target is not None:
        middle = float(np.median(np.asarray(first.levels, np.float64)))
        answers = [str(level) for level in table.target.levels[:2]]
        split = {f"<= {middle!r}": answers[0], f"> {middle!r}": answers[-1]}
        by_hand = from_dict({first.name: split})
        column = np.where(by_hand.nodes.column < 0, -1, table.columns.index(first))
        nodes = replace(by_hand.nodes, column=column.astype(np.int32))
        trees.append(replace(by_hand, schema=table.schema, nodes=nodes))
    return trees


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["rpart", "sklearn"])
def test_tables_of_programs(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, 19])
    settings = RPART if name == "rpart" else SKLEARN
    changes = settings[seed % len(settings)]
    regression = rng.random() < 0.4 and "class_weight" not in changes
    if regression:
        changes = {k: v for k, v in changes.items() if k not in ("criterion", "split")}
    missing = changes.get("missing") != "refuse" and rng.random() < 0.6
    table = some_table(
        rng,
        int(rng.integers(2, 300)),
        regression=regression,
        missing=missing,
        weighted=rng.random() < 0.5,
        scale=5,
    )
    if name == "rpart":
        changes = changes | random_costs(rng, table)
    recipe = recipe_of(name, **changes)
    table = recipe.prepared(table)
    try:
        fitted = recipe.fits(table)
        trees = some_trees(rng, table, recipe)
    except PenjingError:
        return
    for tree in trees:
        assert_same_splits(*both_answers(table, tree, some_nodes(rng, tree), fitted))


@pytest.mark.parametrize("seed", range(5))
def test_a_side_that_is_lost_in_the_sum_of_both(seed: int) -> None:
    """Weights so different that the weight of one side is no difference of sums."""
    rng = np.random.default_rng([seed, 29])
    n = 60
    weight = rng.choice([1e-9, 1.0, 1e9], n)
    classes = rng.integers(0, 3, n).astype(np.int32)
    columns = tuple(numeric(f"x{i}", rng.integers(0, 9, n).astype(float)) for i in range(4))
    table = Table(columns, Column("y", "nominal", ("a", "b", "c"), classes), n, weight)
    numbers = replace(table, target=numeric("y", np.round(rng.normal(size=n), 2)))
    cases = [(name, table) for name in ("cart-binary", "id3", "c4.5-textbook", "rpart", "sklearn")]
    for name, rows in [*cases, ("rpart", numbers), ("sklearn", numbers)]:
        recipe = recipe_of(name).fits(rows)
        tree = train(rows, recipe=recipe, engine="memory")
        assert train(rows, recipe=recipe, engine="native").n_nodes > 1
        assert_same_splits(*both_answers(rows, tree, list(range(tree.n_nodes)), recipe))


@pytest.mark.parametrize("weighted", [False, True])
def test_all_groupings_of_many_categories(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    n, n_levels = 400, 16
    codes = np.append(np.arange(n_levels), rng.integers(0, n_levels, n - n_levels))
    classes = np.where(codes == 0, 0, rng.integers(0, 3, n)).astype(np.int32)
    column = Column("c", "nominal", tuple(f"l{i}" for i in range(n_levels)), codes.astype(np.int32))
    target = Column("y", "nominal", ("a", "b", "c"), classes)
    table = Table((column,), target, n, rng.random(n) if weighted else None)
    recipe = recipe_of("rpart", minbucket=1).fits(table)
    tree = from_dict("a")
    tree = replace(tree, schema=table.schema)
    found, expected = both_answers(table, tree, [0], recipe)
    assert_same_splits(found, expected)
    assert found.n_candidates.tolist() == [[2 ** (n_levels - 1) - 1]]


def test_too_many_categories_for_all_groupings() -> None:
    codes = np.arange(60, dtype=np.int32) % 30
    column = Column("c", "nominal", tuple(f"l{i}" for i in range(30)), codes)
    target = Column("y", "nominal", ("a", "b", "c"), (codes % 3).astype(np.int32))
    table = Table((column,), target, 60)
    recipe = recipe_of("rpart").fits(table)
    tree = replace(from_dict("a"), schema=table.schema)
    reader = reader_of(table, recipe.options.costs(table))
    for engine in (memory.Engine(table, reader=reader), native.Engine(table, reader=reader)):
        with pytest.raises(CapabilityError) as error:
            engine.best_splits(tree, [0], recipe)
        assert error.value.values["n"] == 30


@pytest.mark.parametrize("seed", range(24))
def test_random_order_of_columns(seed: int) -> None:
    rng = np.random.default_rng([seed, 23])
    changes: dict[str, Any] = {"random_state": seed}
    changes |= {"max_features": int(rng.integers(1, 4))} if seed % 2 else {}
    changes |= {"max_leaves": int(rng.integers(2, 20))} if seed % 3 == 0 else {}
    table = some_table(
        rng, 120, regression=seed % 5 == 0, missing=seed % 4 == 0, weighted=False, n_columns=6
    )
    recipe = recipe_of("sklearn", **changes)
    table = recipe.prepared(table)
    fitted = recipe.fits(table)
    tree = train(table, recipe=recipe)
    found, expected = both_answers(table, tree, list(range(tree.n_nodes)), fitted)
    assert_same_splits(found, expected)
    # Drawn again, the order gives the splits that the tree was grown with.
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    choices = fitted.dialect.choose(expected, fitted)
    chosen = [choice.split.column for n in inner if (choice := choices[n]).split is not None]
    assert chosen == tree.nodes.column[inner].tolist()
    assert found.order is not None
    drawn = found.order[inner]
    n_tried = (drawn != NEVER).sum(axis=1)
    assert (n_tried <= fitted.options.n_looked_at(len(table.columns))).all()


def test_trace_of_a_tree_with_a_random_order_of_columns() -> None:
    table = penjing.example("watermelon3.0")
    tree = penjing.fit(table, recipe="sklearn", random_state=3, trace=True)
    steps = [step for step in tree.trace if step["question"] is not None]
    assert len(steps) == tree.n_nodes - tree.n_leaves
