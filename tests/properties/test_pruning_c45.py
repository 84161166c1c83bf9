"""Laws of pruning, for trees of C4.5 and J48: what is left was there, and twice is once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.api.tree import Tree
from penjing.engines.memory import Engine
from penjing.prune import error_based
from penjing.registry import load
from strategies import grown, part_weights, skeleton, tables

NO_ROWS_NEEDED = ("collapse", "simplify", "minimum-error", "mdl")
RECIPES = st.sampled_from(["c4.5", "j48"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "min_branch": st.sampled_from([1.0, 2.0]),
        "confidence": st.sampled_from([0.05, 0.25, 0.5]),
        "precision": st.sampled_from(["double", "single"]),
    },
)
some_tables = tables(missing=True, max_rows=30)


def unpruned(table, recipe, settings) -> Tree:
    return grown(table, recipe, **settings, pruning="none", collapse=False)


def paths(tree: Tree) -> set[tuple]:
    """Return the questions from the root to each node that asks, in their order."""
    asked = {
        n: (int(tree.nodes.column[n]), str(tree.nodes.cut[n]))
        for n in np.flatnonzero(~tree.is_leaf).tolist()
    }
    return {tuple(asked[above] for above in tree.path(n)) for n in asked}


def is_part(short: tuple, long: tuple) -> bool:
    rest = iter(long)
    return all(question in rest for question in short)


@given(some_tables, RECIPES, SETTINGS)
def test_a_row_shared_out_keeps_its_weight(table, recipe, settings):
    tree = unpruned(table, recipe, settings)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        parts = tree.nodes.total[list(tree.children(node))].sum(axis=0)
        assert parts == pytest.approx(tree.nodes.total[node], rel=1e-9, abs=1e-9)


@given(tables(weights=part_weights, missing=True), RECIPES)
def test_so_does_one_that_weighs_less_or_more(table, recipe):
    tree = unpruned(table, recipe, {"min_branch": 0.1})
    leaves = tree.nodes.total[tree.is_leaf].sum()
    assert leaves == pytest.approx(table.weights.sum(), rel=1e-9)


@given(some_tables, RECIPES, SETTINGS)
def test_what_is_pruned_was_there_or_was_raised(table, recipe, settings):
    whole = paths(unpruned(table, recipe, settings))
    for path in paths(grown(table, recipe, **settings)):
        assert any(is_part(path, long) for long in whole)


@given(some_tables, RECIPES, SETTINGS)
def test_without_raising_it_is_a_subtree(table, recipe, settings):
    whole = unpruned(table, recipe, settings)
    small = grown(table, recipe, **settings, raise_branches=False)
    waiting = [(0, 0)]
    for old, new in waiting:
        assert whole.nodes.total[old].tolist() == small.nodes.total[new].tolist()
        if small.is_leaf[new]:
            continue
        assert whole.nodes.column[old] == small.nodes.column[new]
        waiting += zip(whole.children(old), small.children(new), strict=True)


@given(some_tables, RECIPES, SETTINGS, st.booleans())
def test_pruning_twice_changes_nothing(table, recipe, settings, raising):
    tree = unpruned(table, recipe, settings)
    engine = Engine(table, "fraction")
    once, _ = error_based.prune(tree, engine, raise_branches=raising)
    twice, made = error_based.prune(once, engine, raise_branches=raising)
    assert {d.decision for d in made} <= {"keep"}
    assert skeleton(once) == skeleton(twice)


@given(some_tables, RECIPES, SETTINGS, st.booleans())
def test_an_estimate_rises_by_no_more_than_the_margin(table, recipe, settings, raising):
    tree = unpruned(table, recipe, settings)
    _, made = error_based.prune(tree, Engine(table, "fraction"), raise_branches=raising)
    slack = error_based.MARGIN + 2e-6
    for decision in made:
        if decision.decision == "cut":
            assert decision.as_leaf <= decision.kept + slack
        if decision.decision == "raise":
            assert decision.as_branch <= decision.kept + slack
    for before, after in pairwise([d.tree_kept for d in made]):
        assert after <= before + slack


@pytest.mark.parametrize("method", NO_ROWS_NEEDED)
@given(table=some_tables, recipe=RECIPES)
def test_pruners_without_rows_go_down_and_stop(method, table, recipe):
    tree = unpruned(table, recipe, {"min_branch": 1.0})
    prune = load("pruner", method)
    once, made = prune(tree)
    twice, again = prune(once)
    assert {d.decision for d in again} <= {"keep"}
    assert skeleton(once) == skeleton(twice)
    assert paths(once) <= paths(tree)
    slack = 1e-3 if method == "collapse" else 1e-9
    for decision in made:
        if decision.decision == "cut":
            assert decision.as_leaf <= decision.kept * (1 + 1e-9) + slack


@given(some_tables, RECIPES)
def test_simplifying_changes_no_answer(table, recipe):
    tree = unpruned(table, recipe, {"min_branch": 1.0})
    small, _ = load("pruner", "simplify")(tree)
    complete = ~np.any([c.codes < 0 for c in table.columns], axis=0)
    rows = table.take(complete)
    assert small.predict(rows).tolist() == tree.predict(rows).tolist()
