"""Sketches and skeletons: what a model keeps for pictures adds up to its counts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.training import sketches as rules
from penjing.training.sketch_bins import numeric_bins
from penjing.tree import serialize
from penjing.tree.bins import Bins, KnownCounts
from penjing.tree.counts import Classes

CLASSES = ("id3", "c4.5-textbook", "cart-binary", "c4.5", "j48", "rpart", "sklearn")


def mixed(n: int = 600, *, classes: int = 3, gaps: float = 0.0, kinds: int = 40) -> Table:
    random = np.random.default_rng(0)
    x, z = np.round(random.normal(size=n), 2), random.lognormal(sigma=3, size=n)
    kind = random.integers(0, kinds, n)
    group = random.integers(0, 4, n)
    y = (np.digitize(x + 0.1 * group, [-0.5, 0.6]) + (kind % 5 == 0) + random.integers(0, 2, n)) % 3
    y = (y + 3 * random.integers(0, 4, n)) % classes
    holes = random.random((2, n)) < gaps
    columns = (
        numeric("x", [None if h else v for h, v in zip(holes[0], x.tolist(), strict=True)]),
        numeric("z", z),
        nominal("kind", [None if h else v for h, v in zip(holes[1], kind.tolist(), strict=True)]),
        nominal("group", group.tolist()),
    )
    return Table(columns, nominal("y", y.tolist(), list(range(classes))), n)


@pytest.mark.parametrize("recipe", CLASSES)
@pytest.mark.parametrize("classes", [3, 12])
def test_the_entries_of_a_sketch_add_up_to_its_node(recipe, classes):
    kinds = 12 if recipe == "rpart" else 40
    tree = penjing.fit(mixed(classes=classes, kinds=kinds), recipe=recipe, sketch=True)
    assert tree.sketch
    assert len(tree.sketch) <= rules.MAX_NODES
    for sketch in tree.sketch:
        node, column = sketch["node"], sketch["column"]
        assert column == tree.nodes.column[node]
        assert tree.weight[node] >= rules.MIN_ROWS
        assert len(sketch["counts"]) <= rules.MAX_BINS
        counts = np.asarray(
            [*sketch["counts"], *([sketch["missing"]] if "missing" in sketch else [])]
        )
        assert counts.shape[1] == min(classes, rules.MAX_CLASSES + 1)
        expected = tree.nodes.total[node]
        np.testing.assert_allclose(counts.sum(), expected.sum())
        listed = counts[:, : len(sketch["classes"])].sum(axis=0)
        np.testing.assert_allclose(listed, expected[sketch["classes"]])
        cut = tree.nodes.cut[node]
        if np.isfinite(cut) and tree.schema[column].is_numeric:
            at = sketch["bounds"].index(cut)  # the threshold is a bound
            left = tree.nodes.total[next(iter(tree.children(node)))]
            np.testing.assert_allclose(counts[: at + 1].sum(), left.sum())
        if "runner_up" in sketch:
            assert sketch["runner_up"] != column


def test_fractional_cases_are_sketched_too():
    tree = penjing.fit(mixed(gaps=0.1), recipe="c4.5", sketch=True)
    assert any("missing" in sketch for sketch in tree.sketch)
    for sketch in tree.sketch:
        rows = [*sketch["counts"], *([sketch["missing"]] if "missing" in sketch else [])]
        total = float(np.asarray(rows).sum())
        assert total == pytest.approx(tree.weight[sketch["node"]], rel=1e-3)


def test_a_sketch_of_numbers_has_count_mean_and_deviation():
    table = mixed(200)
    target = numeric("y", np.arange(200.0))
    tree = penjing.fit(Table(table.columns, target, 200), recipe="cart-textbook", sketch=True)
    root = tree.sketch[0]
    count, mean, spread = np.asarray(root["counts"]).T
    assert count.sum() == 200
    assert (count * mean).sum() / 200 == pytest.approx(99.5, rel=1e-3)
    total = (count * (spread**2 + (mean - 99.5) ** 2)).sum()
    assert total == pytest.approx(((np.arange(200) - 99.5) ** 2).sum(), rel=1e-2)


def test_the_runner_up_is_the_second_best_column():
    tree = penjing.fit(mixed(), recipe="id3", sketch=True, trace=True)
    with_runner_up = [sketch for sketch in tree.sketch if "runner_up" in sketch]
    assert with_runner_up[0]["node"] == 0
    for sketch in with_runner_up:
        assert tree.schema[sketch["runner_up"]].name == tree.trace[sketch["node"]]["runner_up"]


def test_sketches_are_made_if_asked_for():
    table = mixed(100)
    assert penjing.fit(table, recipe="id3").sketch is None
    assert penjing.fit(table, recipe="id3", sketch=True).sketch


@pytest.mark.parametrize("low", [0.0, -3.0, 1e-9, 1e9, -5e-324])
@pytest.mark.parametrize("span", [0.0, 1e-7, 0.9, 10.0, 12345.0, 1e300])
@pytest.mark.parametrize("skew", [1, 9])
def test_bins_are_few_and_ascend_and_have_the_threshold_as_a_bound(low, span, skew):
    values = np.unique(low + span * np.linspace(0, 1, 50) ** skew)
    for cut in (np.nan, *(values[:-1] / 2 + values[1:] / 2)[:5].tolist()):
        bins = Bins(np.ones((len(values), 1)), np.zeros(1), len(values), None, values, values)
        bounds, _ = numeric_bins(KnownCounts({0: bins}), {0: cut}, Classes(1))[0]
        assert len(bounds) < rules.MAX_BINS
        assert (np.diff(bounds) > 0).all()
        if values[0] <= cut < values[-1]:
            assert cut in bounds


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "rpart", "j48"])
def test_a_pruned_tree_keeps_the_skeleton_of_the_first_tree(recipe, tmp_path):
    table = mixed(400, kinds=12)
    whole = penjing.fit(table, recipe=recipe, sketch=True)
    once = (
        whole.prune("pessimistic") if recipe != "rpart" else whole.prune("cost-complexity", cp=0.05)
    )
    first = once.skeleton
    if recipe == "id3":
        assert whole.skeleton is None
        assert first["n_nodes"] == whole.n_nodes
        plain = whole.to_json()["nodes"]
        for node, row in zip(plain, first["nodes"], strict=True):
            assert row == {key: node[key] for key in row}
            assert ("column" in row) == ("column" in node)
    twice = once.prune("collapse").prune("cost-complexity", alpha=1e9)
    assert twice.n_leaves == 1
    assert twice.skeleton == first
    twice.save(tmp_path / "m.tree")
    assert penjing.load(tmp_path / "m.tree") == twice


def test_the_skeleton_of_a_large_tree_is_its_top():
    random = np.random.default_rng(1)
    columns = tuple(numeric(f"x{c}", random.random(9_000)) for c in range(2))
    y = (columns[0].numbers() > 0.5) ^ (random.random(9_000) < 0.35)
    table = Table(columns, nominal("y", y.tolist()), 9_000)
    tree = penjing.fit(table, recipe="c4.5", cut_cost=False)
    assert tree.skeleton["n_nodes"] > 2_000
    assert len(tree.skeleton["nodes"]) <= max(tree.n_nodes / 3, 100)
    serialize.from_json(json.loads(serialize.to_bytes(tree)))


def test_many_decisions_are_written_as_columns_and_come_back(tmp_path):
    table = mixed(900, gaps=0.05)
    for recipe in ("c4.5", "c5.0"):
        tree = penjing.fit(table, recipe=recipe)
        tree.save(tmp_path / "m.tree")
        text = json.loads((tmp_path / "m.tree").read_text("utf-8"))
        assert any(isinstance(r["decisions"], dict) for r in text["about"]["pruning"])
        assert penjing.load(tmp_path / "m.tree") == tree
    for damage in ({"node": 7}, {"node": [1, 2]}, {"kept": [1.0]}, {"kept": {}}):
        record = next(r for r in text["about"]["pruning"] if isinstance(r["decisions"], dict))
        broken = text | {
            "about": text["about"]
            | {"pruning": [record | {"decisions": record["decisions"] | damage}]}
        }
        with pytest.raises(penjing.DataError):
            serialize.from_json(broken)
