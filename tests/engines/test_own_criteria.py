"""Criteria of one's own on every engine: by their kernel, or by counts where they have none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import penjing
import remote_tables
from engines.test_every_engine import (
    HERE,
    Case,
    coarse,
    declared,
    parquet_in,
    put,
    random_table,
    spark_session,
)
from penjing.criteria.criterion import Impurity
from penjing.criteria.entropy import Entropy, GainRatio
from penjing.criteria.gini import Gini
from penjing.criteria.variance import Variance
from penjing.data.memory_limit import mapped_table_bytes
from penjing.data.table import Table
from penjing.registry import load

__all__ = ["coarse", "put", "spark_session"]  # fixtures


def hellinger(counts):
    """Return an impurity that no kernel has, of one node or of many."""
    share = counts / counts.sum(-1, keepdims=True)
    return np.sqrt(share).sum(-1) - 1


def one_at_a_time(counts):
    """Return an impurity of one node only."""
    return 1 - max(counts) / sum(counts)


@dataclass(frozen=True)
class ByRatio:
    """A criterion without a kernel that compares columns otherwise than by gain."""

    name: str = "by_ratio"
    native: str | None = None

    def impurity(self, total, s):
        return Gini().impurity(total, s)

    def between(self, best_splits):
        return best_splits.gain / (0.1 + best_splits.split_information)


@dataclass(frozen=True)
class Named:
    """A built-in criterion under a name of one's own, with its kernel."""

    of: Any
    native: str
    name: str = "mine"

    def impurity(self, total, s):
        return self.of.impurity(total, s)

    def between(self, best_splits):
        return self.of.between(best_splits)


WITHOUT_KERNEL = {
    "function": hellinger,
    "of one node": one_at_a_time,
    "impurity": Impurity("square", lambda counts: hellinger(counts) ** 2),
    "object": ByRatio(),
}
WITH_KERNEL = {
    "gain": Named(Entropy(), "gain"),
    "entropy": Named(Entropy(), "entropy"),
    "gain_ratio": Named(GainRatio(), "gain_ratio"),
    "gini": Named(Gini(), "gini"),
}
CRITERIA = WITHOUT_KERNEL | WITH_KERNEL
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("none", {}),
    "deep": ("none", {"max_depth": 3, "min_branch": 2.0, "min_gain": 1e-4}),
    "leaves": ("none", {"max_leaves": 6}),
    "branch": ("branch", {}),
    "branch-leaves": ("branch", {"max_leaves": 6}),
    "branch-depth": ("branch", {"max_depth": 3}),
    "fraction": ("fraction", {}),
    "fraction-leaves": ("fraction", {"max_leaves": 6}),
}
RECIPES = ("id3", "cart-binary")


def fitted(engine: str, table: Table, case: Case, put: Callable[..., Any] | None, how: Any) -> str:
    """Return the tree of an engine as its file has it."""
    how = {"recipe": case.recipe} | case.settings | how
    if engine not in HERE:
        assert put is not None
        source, where = put(table)
        how |= {"schema": remote_tables.schema_of(table), "target": "y", "engine": engine} | where
        return json.dumps(remote_tables.plain(penjing.fit(source, **how)), sort_keys=True)
    if engine == "disk":
        how["memory_limit"] = mapped_table_bytes(table, is_kernel=False)
    return json.dumps(remote_tables.plain(penjing.fit(table, engine=engine, **how)), sort_keys=True)


def check(engine: str, name: str, settings: str, recipe: str, put: Any = None) -> None:
    """The tree of memory, or the refusal that the engine declares."""
    missing, how = SETTINGS[settings]
    case = Case(recipe, "classes", missing, "no")
    table = random_table(case, np.random.default_rng(3), 90)
    if engine not in HERE:
        table = remote_tables.trimmed(table)
    how = how | {"criterion": CRITERIA[name]}
    if not declared(engine, case):
        with pytest.raises(penjing.CapabilityError):
            fitted(engine, table, case, put, how)
        return
    assert fitted(engine, table, case, put, how) == fitted("memory", table, case, None, how)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("engine", ["native", "disk"])
def test_here(engine, name, settings, recipe):
    check(engine, name, settings, recipe)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", ["function", "object", "gini"])
@pytest.mark.parametrize("engine", ["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def test_in_a_database(engine, name, settings, recipe, put):
    check(engine, name, settings, recipe, put(engine))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.usefixtures("spark_session")
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", ["function", "gini"])
def test_by_spark(name, settings, tmp_path):
    check("spark", name, settings, "id3", parquet_in(tmp_path))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("weights", ["no", "yes"])
def test_of_a_number(settings, weights):
    missing, how = SETTINGS[settings]
    case = Case("cart-binary", "number", missing, weights)
    table = random_table(case, np.random.default_rng(4), 90)
    how = how | {"criterion": Named(Variance(), "variance")}
    oracle = fitted("memory", table, case, None, how)
    assert fitted("native", table, case, None, how) == oracle
    assert fitted("disk", table, case, None, how) == oracle


@pytest.mark.parametrize("name", WITH_KERNEL)
@pytest.mark.parametrize("settings", SETTINGS)
def test_its_kernel_searches_every_column(name, settings):
    missing, how = SETTINGS[settings]
    case = Case("cart-binary", "classes", missing, "no")
    table = random_table(case, np.random.default_rng(3), 90)
    recipe = penjing.RECIPES["cart-binary"].but(criterion=CRITERIA[name], **case.settings, **how)
    engine = load("engine", "native")(table, recipe.missing)
    tree = penjing.fit(table, recipe=recipe, engine="memory")
    assert recipe.dialect.native_best_splits(engine, tree, [0], recipe) is not None


@pytest.mark.parametrize("name", WITHOUT_KERNEL)
def test_without_a_kernel_the_search_is_from_counts(name):
    case = Case("cart-binary", "classes", "none", "no")
    table = random_table(case, np.random.default_rng(3), 90)
    recipe = penjing.RECIPES["cart-binary"].but(criterion=CRITERIA[name])
    engine = load("engine", "native")(table, recipe.missing)
    tree = penjing.fit(table, recipe=recipe, engine="memory")
    assert recipe.dialect.native_best_splits(engine, tree, [0], recipe) is None
    best = engine.best_splits(tree, [0], recipe)
    oracle = load("engine", "memory")(table, recipe.missing).best_splits(tree, [0], recipe)
    assert best.gain.tolist() == oracle.gain.tolist()


@pytest.mark.parametrize("recipe", ["c4.5", "j48", "c5.0", "cart", "sklearn"])
def test_programs_have_their_own_criteria_only(recipe):
    case = Case(recipe, "classes", "none", "no")
    table = replace(random_table(case, np.random.default_rng(3), 30))
    with pytest.raises(penjing.ChoiceError, match="criterion"):
        penjing.fit(table, recipe=recipe, criterion=hellinger)
