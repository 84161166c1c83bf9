"""The trace as an object: iterable, by node, as JSON, with pruning; programs' own rules told."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError, DataError
from penjing.explain import node_text
from penjing.explain.node import explain
from penjing.explain.trace import LIMITS
from penjing.text.labels import cut_label

RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "rpart")


def mixed(n: int = 90) -> Table:
    random = np.random.RandomState(11)
    x, z = np.round(random.randn(2, n), 1)
    colour = random.choice(["red", "green", "blue"], n).tolist()
    y = np.where(x + z > 0.2, "yes", np.where(random.rand(n) < 0.2, "maybe", "no"))
    return Table(
        (numeric("x", x), numeric("z", z), nominal("colour", colour)), nominal("y", y.tolist()), n
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_is_told_of_the_winner_is_what_the_tree_asks(recipe):
    tree = penjing.fit(mixed(), recipe=recipe, trace=True)
    asked = [s for s in tree.trace if s["kind"] == "grow" and s["question"] is not None]
    assert asked
    if tree.trace.is_whole:
        assert len(asked) == int((~tree.is_leaf).sum())
    for step in asked:
        node = step["node"]
        best = step["candidates"][0]
        assert best["is_chosen"]
        assert best["column"] == step["question"]
        if not math.isnan(tree.nodes.cut[node]):
            assert best["cut"] == tree.nodes.cut[node]
        if recipe != "rpart":
            assert best["score"] == pytest.approx(float(tree.nodes.score[node]), rel=1e-6)
        rows = sorted(float(tree.weight[child]) for child in tree.children(node))
        assert sorted(branch["rows"] for branch in best["branches"]) == pytest.approx(rows)


def test_the_penalty_of_a_cut_is_its_own_piece():
    tree = penjing.fit(mixed(), recipe="c4.5", trace=True)
    for candidate in tree.trace[0]["candidates"]:
        if candidate["kind"] != "numeric" or candidate["gain"] is None:
            continue
        left = candidate["gain"] - candidate["penalty"]
        assert candidate["criterion_gain"] == pytest.approx(left, rel=1e-5)  # C4.5 counts in floats
        top = max(g for g in candidate["gains"] if g is not None)
        assert candidate["gain"] == pytest.approx(top, rel=1e-9)


def test_the_screen_of_gain_ratio_is_told():
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="c4.5-textbook", trace=True)
    for step in tree.trace:
        gains = [c["gain"] for c in step["candidates"] if c["gain"] is not None]
        if not gains:
            continue
        assert step["average_gain"] == pytest.approx(sum(gains) / len(gains))
        for c in step["candidates"]:
            if c["gain"] is not None:
                assert (c["score"] is not None) == (c["gain"] >= step["average_gain"] - 1e-9)


def test_a_trace_is_iterable_by_node_and_plain_data():
    table = penjing.example("watermelon2.0")
    tree = penjing.fit(table, trace=True)
    told = tree.trace
    assert [step["node"] for step in told] == list(range(tree.n_nodes))
    assert len(told) == tree.n_nodes
    assert told[0] == explain(tree)
    assert told.is_whole
    plain = told.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["limits"] == LIMITS
    with pytest.raises(ChoiceError, match="no node 99"):
        told[99]
    assert "17 steps" not in repr(told)
    assert "steps" in repr(told)
    untraced = copy.deepcopy(penjing.fit(penjing.example("watermelon2.0")))
    assert not untraced.trace  # a copy does not have the rows


def test_pruning_is_part_of_the_trace_with_both_estimates():
    tree = penjing.fit(penjing.example("watermelon2.0"), trace=True).prune("pessimistic")
    assert {step["kind"] for step in tree.trace} == {"grow", "prune"}  # what stayed, what was cut
    steps = [step for step in tree.trace if step["kind"] == "prune"]
    assert steps
    for step in steps:
        assert {"kept", "as_leaf", "decision"} <= set(step)
        assert (step["decision"] == "keep") == (step["as_leaf"] > step["kept"] + 0.1) or step["why"]
    assert tree.trace.pruning[0]["method"] == "pessimistic"


def test_what_was_not_kept_is_weighed_anew_from_the_rows():
    table = penjing.example("golf")
    tree = penjing.fit(table, trace=True)
    short = replace(tree, kept_trace={"steps": tree.kept_trace["steps"][:1], "is_whole": False})
    assert not short.trace.is_whole
    with pytest.raises(ChoiceError, match="does not cover node 1"):
        short.trace.of(1)
    assert short.trace.of(1, table) == tree.trace.of(1)


def test_large_cuts_are_read_in_full():
    x = numeric("x", [1234560.0, 1234567.0, 1234568.0, 1234575.0])
    tree = penjing.fit(Table((x,), nominal("y", list("aabb")), 4), recipe="id3", trace=True)
    told = tree.trace[0]
    assert told["candidates"][0]["branches"][0]["answer"] == "≤ 1234567.5"
    assert "x ≤ 1234567.5" in node_text.write(told)
    lines = node_text.threshold_table(told["candidates"][0]).splitlines()[1:]
    assert [line.split()[0] for line in lines] == ["1234563.5", "1234567.5", "1234571.5"]
    assert cut_label(1e-300) == "1e-300"


@pytest.mark.parametrize(
    "change",
    [
        {"split_information": 0},
        {"after": [[0, 0], [0, 0]]},
        {"after": [[1e308, 1e308], [1e308, 1e308]]},
        {"entropy_before": None},
        {"missing": "x"},
    ],
)
def test_a_doctored_trace_is_refused_in_a_sentence(change):
    tree = penjing.fit(penjing.example("golf"), trace=True)
    steps = json.loads(json.dumps(tree.to_json()["trace"]["steps"]))
    steps[0]["candidates"][0] |= change
    broken = replace(tree, kept_trace={"steps": steps, "is_whole": True})
    with pytest.raises(DataError, match="trace in the model file is damaged"):
        list(broken.trace)
