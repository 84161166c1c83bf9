"""The recipe c5.0, setting by setting, and the rules that vote."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.c50 import global_pruning, leaf_merging
from penjing.errors import CapabilityError, ChoiceError


def table(n=300, seed=3, *, missing=0.1):
    draw = np.random.default_rng(seed)
    x, z = draw.normal(size=n), draw.integers(0, 9, n).astype(float)
    a, b = draw.integers(0, 5, n), draw.integers(0, 3, n)
    y = (x + (a == 2) - (b == 1) * (z > 4) + draw.normal(size=n) / 2 > 0).astype(int)
    hide = draw.random((4, n)) < missing
    columns = (
        numeric("x", np.where(hide[0], np.nan, x)),
        numeric("z", np.where(hide[1], np.nan, z)),
        nominal("a", [None if h else "abcde"[v] for v, h in zip(a, hide[2], strict=True)]),
        nominal("b", [None if h else "uvw"[v] for v, h in zip(b, hide[3], strict=True)]),
    )
    return Table(columns, nominal("y", ["np"[v] for v in y]), n)


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_grow_the_same_tree(seed):
    rows = table(seed=seed)
    one, other = (penjing.fit(rows, recipe="c5.0", engine=e) for e in ("memory", "native"))
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("seed", range(4))
def test_branches_hold_all_the_rows_of_their_node(seed):
    tree = penjing.fit(table(seed=seed), recipe="c5.0", g=True)
    assert tree.n_leaves > 1
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = sum(tree.nodes.total[child] for child in tree.children(node))
        np.testing.assert_allclose(below, tree.nodes.total[node], rtol=1e-9)


def test_a_wide_gap_is_cheaper_to_name():
    x = [*np.arange(10.0), *np.arange(50.0, 60.0)]
    y = ["n"] * 10 + ["p"] * 9 + ["n"]
    rows = Table((numeric("x", x),), nominal("y", y), 20)
    gains = [
        penjing.fit(rows, recipe="c5.0", gap_cost=on, pruning="none").nodes.gain[0]
        for on in (True, False)
    ]
    # 17 cuts leave two rows on each side; the range is 59 and the gap 41
    assert gains[0] - gains[1] == pytest.approx((np.log2(17) - np.log2(59 / 41)) / 20)


def test_leaves_of_one_class_become_one_branch():
    a = nominal("a", ["u"] * 4 + ["v"] * 4 + ["w"] * 4)
    rows = Table((a,), nominal("y", ["n"] * 4 + ["p"] * 8), 12)
    apart = penjing.fit(rows, recipe="c5.0", gather=False)
    tree = penjing.fit(rows, recipe="c5.0")
    assert apart.n_leaves == 3
    assert str(tree).splitlines() == ["a in {v, w}: p (8)", "a = u: n (4)"]
    assert list(tree.predict(rows)) == list(apart.predict(rows))
    again, _ = leaf_merging.merge_leaves(tree)
    assert replace(again, skeleton=None).to_json() == replace(tree, skeleton=None).to_json()


def test_global_pruning_stays_within_a_standard_error():
    rows = table(600, missing=0)
    whole = penjing.fit(rows, recipe="c5.0", g=True)
    tree = penjing.fit(rows, recipe="c5.0")
    before, after = (float(t.losses[t.is_leaf].sum()) for t in (whole, tree))
    assert tree.n_leaves < whole.n_leaves
    assert before <= after <= before + np.sqrt(before * (1 - before / 600))
    told = next(p for p in tree.about["pruning"] if p["method"] == "weakest")
    assert any(d["decision"] == "cut" for d in told["decisions"])


def test_equally_weak_subtrees_go_together_or_not_at_all():
    a = ["u"] * 11 + ["v"] * 11 + ["w"] * 60
    b = ["s"] * 9 + ["t"] * 2 + ["s"] * 9 + ["t"] * 2 + ["s"] * 60
    y = ["n"] * 9 + ["p"] * 2 + ["n"] * 9 + ["p"] * 2 + ["q"] * 54 + ["n"] * 6
    rows = Table((nominal("a", a), nominal("b", b)), nominal("y", y), 82)
    tree = penjing.fit(rows, recipe="c5.0", g=True, gather=False)
    if tree.n_leaves != 5:
        pytest.fail(f"another tree than meant: {tree}")
    # two subtrees save two errors each; sqrt(6 * 76 / 82) is 2.36, room for one
    same, decisions = global_pruning.prune(tree)
    assert same.n_leaves == 5
    assert [d.decision for d in decisions] == ["keep", "keep"]


def test_options_by_their_own_names():
    rows = table()
    tree = penjing.fit(rows, recipe="c5.0", c=10, m=5, g=True)
    told = tree.recipe
    assert (told["confidence"], told["min_branch"], told["global_pruning"]) == (0.1, 5, False)
    with pytest.raises(CapabilityError, match="-s"):
        penjing.fit(rows, recipe="c5.0", s=True)
    with pytest.raises(CapabilityError, match="votes"):
        penjing.fit(rows, recipe="c5.0", r=True)
    with pytest.raises(ChoiceError):
        penjing.fit(rows, recipe="c5.0", pruning="reduced-error")
    with pytest.raises(ChoiceError):
        penjing.fit(rows, recipe="c5.0", near_ties=-1)


def test_a_trace_is_kept_through_pruning_and_gathering():
    rows = table()
    tree = penjing.fit(rows, recipe="c5.0", trace=True)
    steps = tree.kept_trace["steps"]
    assert [s["node"] for s in steps] == sorted({s["node"] for s in steps})
    root = tree.trace[0]
    chosen = next(c for c in root["candidates"] if c["is_chosen"])
    assert chosen["column"] == tree.schema[int(tree.nodes.column[0])].name


def test_a_tree_is_loaded_as_it_was_saved(tmp_path):
    tree = penjing.fit(table(), recipe="c5.0")
    tree.save(tmp_path / "mine.tree")
    assert penjing.load(tmp_path / "mine.tree").to_json() == tree.to_json()


def test_rules_vote():
    rows = table(missing=0.05)
    tree = penjing.fit(rows, recipe="c5.0")
    made = tree.ruleset(rows, votes=True)
    told = json.loads(json.dumps(made.to_json()))
    answers = made.predict(rows)
    truth = rows.target.values()
    right = sum(str(a) == str(t) for a, t in zip(answers, truth, strict=True))
    assert right == told["training"]["correct"] > 0.8 * rows.n_rows
    for rule in told["rules"]:
        assert rule["accuracy"] == (rule["ok"] + 1) / (rule["cover"] + 2)
        assert rule["conditions"]
    order = [(tree.classes.index(r["class"]), -r["accuracy"]) for r in told["rules"]]
    assert order == sorted(order)


def test_no_rule_leaves_the_default():
    rows = Table((nominal("a", "uuvv"),), nominal("y", "npnp"), 4)
    tree = penjing.fit(rows, recipe="c5.0")
    assert isinstance(tree, Tree)
    made = tree.ruleset(rows, votes=True)
    assert made.rules == ()
    assert list(made.predict(rows)) == ["n"] * 4


def test_two_branches_that_raise_each_other_come_to_an_end():
    """Each was grown again from the other's split, without end."""
    draw = np.random.default_rng(37)
    n, n_classes = 600, 5
    a = draw.integers(0, 8, n)
    b, c = np.round(draw.normal(size=n), 1), np.round(draw.normal(size=n), 2)
    z = a + b * (a > 0) + draw.normal(size=n)
    y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    columns = nominal("a", [f"v{v}" for v in a]), numeric("b", b), numeric("c", c)
    rows = Table(columns, nominal("y", y.tolist()), n)
    one, other = (penjing.fit(rows, recipe="c5.0", engine=e) for e in ("memory", "native"))
    assert one.to_json() == other.to_json()
    raised = [d["node"] for d in one.trace.pruning[1]["decisions"] if d["decision"] == "raise"]
    assert max(map(raised.count, raised)) > 1


def weakest_by_hand(tree):
    """Return what global pruning decides, every number computed anew in each round."""
    cut, decisions = set(), []

    def leaves(node):
        if tree.is_leaf[node] or node in cut:
            return [node]
        return [leaf for child in tree.children(node) for leaf in leaves(child)]

    def errors(node):
        if tree.is_leaf[node] or node in cut:
            return float(tree.losses[node])
        return sum(errors(child) for child in tree.children(node))

    allowance = np.sqrt(errors(0) * (1 - errors(0) / float(tree.weight[0])))
    while True:
        cost = {}
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            added = float(tree.losses[node]) - errors(node)
            if cut.isdisjoint(tree.path(node)) and added <= allowance:
                n = sum(bool(tree.weight[leaf] > 0) for leaf in leaves(node))
                cost[node] = added, added / (n - 1)
        least = min((each for _, each in cost.values()), default=0)
        weak = [n for n, (_, each) in cost.items() if each <= least]
        weak = [n for n in weak if not set(weak) & set(tree.path(n)[:-1])]
        added = sum(cost[n][0] for n in weak)
        is_cut = added <= allowance
        decisions += [(n, "cut" if is_cut else "keep", errors(n), errors(0)) for n in weak]
        if not weak or not is_cut:
            return decisions
        allowance -= added
        cut |= set(weak)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_weakest_subtrees_are_those_found_by_hand(missing):
    n_cuts = 0
    for seed in range(6):
        tree = penjing.fit(table(400, seed, missing=missing), recipe="c5.0", g=True)
        _, decisions = global_pruning.prune(tree)
        found = [(d.node, d.decision, d.kept, d.tree_kept) for d in decisions]
        assert found == weakest_by_hand(tree)
        n_cuts += sum(d.decision == "cut" for d in decisions)
    assert n_cuts > 3
