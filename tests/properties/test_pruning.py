"""Laws of pruners that know no program: what is left was there, twice is once, nothing rises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.api.tree import Tree
from penjing.engines.memory import Engine
from penjing.prune.cost_complexity import cost_of, pruning_path
from penjing.registry import BUILT_IN, load
from strategies import grown, skeleton, tables

TEXTBOOK = st.sampled_from(["id3", "c4.5-textbook", "cart-binary"])
EVERYWHERE = {
    "collapse", "simplify", "minimum-error", "mdl", "error-based",  # test_pruning_quinlan.py
    "pessimistic", "reduced-error", "cost-complexity",
}  # fmt: skip


def is_subtree(small: Tree, whole: Tree) -> bool:
    """Whether the small tree is the whole one with some nodes made leaves."""
    waiting = [(0, 0)]
    for new, old in waiting:
        if small.nodes.total[new].tolist() != whole.nodes.total[old].tolist():
            return False
        if small.is_leaf[new]:
            continue
        one, other = small.nodes, whole.nodes
        if one.column[new] != other.column[old] or str(one.cut[new]) != str(other.cut[old]):
            return False
        waiting += zip(small.children(new), whole.children(old), strict=True)
    return True


def test_no_pruner_is_without_laws():
    assert set(BUILT_IN["pruner"]) == EVERYWHERE


@settings(max_examples=40)
@given(tables(max_rows=24), TEXTBOOK, st.sampled_from([0.05, 0.25, 0.5]))
def test_pessimistic(table, recipe, confidence):
    tree = grown(table, recipe)
    prune = load("pruner", "pessimistic")
    once, made = prune(tree, confidence=confidence)
    assert is_subtree(once, tree)
    twice, again = prune(once, confidence=confidence)
    assert {d.decision for d in again} <= {"keep"}
    assert skeleton(once) == skeleton(twice)
    for before, after in pairwise([d.tree_kept for d in made]):
        assert after <= before * (1 + 1e-9) + 1e-9


@settings(max_examples=40)
@given(tables(max_rows=24), TEXTBOOK, st.sampled_from(["cut", "keep"]), st.data())
def test_reduced_error(table, recipe, ties, data):
    kept = data.draw(st.lists(st.booleans(), min_size=table.n_rows, max_size=table.n_rows))
    train, judges = table.take(np.array(kept)), table.take(~np.array(kept))
    if not train.n_rows:
        return
    tree = grown(train, recipe)
    prune = load("pruner", "reduced-error")
    judge = Engine(judges, "fraction", shares_of="tree")
    once, made = prune(tree, judge, ties=ties)
    assert is_subtree(once, tree)
    twice, again = prune(once, Engine(judges, "fraction", shares_of="tree"), ties=ties)
    assert {d.decision for d in again} <= {"keep"}
    assert skeleton(once) == skeleton(twice)
    for before, after in pairwise([d.tree_kept for d in made]):  # rows that are right
        assert after >= before - 1e-9


@pytest.mark.parametrize("by", ["errors", "impurity"])
@settings(max_examples=40)
@given(table=tables(max_rows=24), recipe=TEXTBOOK, alpha=st.sampled_from([0.0, 0.01, 0.1, 1.0]))
def test_cost_complexity(by, table, recipe, alpha):
    tree = grown(table, recipe)
    prune = load("pruner", "cost-complexity")
    once, _ = prune(tree, alpha=alpha, by=by)
    assert is_subtree(once, tree)
    twice, again = prune(once, alpha=alpha, by=by)
    assert {d.decision for d in again} <= {"keep"}
    assert skeleton(once) == skeleton(twice)

    def cost(of: Tree) -> float:
        return float(cost_of(of, by)[of.is_leaf].sum()) + alpha * of.n_leaves

    assert cost(once) <= cost(tree) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("by", ["errors", "impurity"])
@settings(max_examples=40)
@given(table=tables(max_rows=24), recipe=TEXTBOOK)
def test_a_path_of_complexities_climbs_and_ends_in_one_leaf(by, table, recipe):
    links = pruning_path(grown(table, recipe), by=by)
    for before, after in pairwise(links):
        assert after.alpha >= before.alpha - 1e-12
        assert after.cost >= before.cost - 1e-9
    assert links[-1].n_leaves == 1
