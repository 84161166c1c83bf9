"""The trace: every node visited, every column's offer, the choice and the reason, as plain data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import penjing
from data import RECIPE_NAMES, grown, tables
from penjing import trace as traces
from penjing.engines.memory import Engine
from penjing.grow import grow
from penjing.recipe import ID3
from penjing.table import Table, nominal, numeric
from penjing.trace import Trace, numbers, plain

FISH = Table(
    (nominal("no surfacing", [1, 1, 1, 0, 0]), nominal("flippers", [1, 1, 0, 1, 1])),
    nominal("fish", ["yes", "yes", "no", "no", "no"]),
    5,
)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables() | tables(missing=True))
def test_a_trace_tells_of_every_node_and_changes_nothing(recipe, table):
    tree = grown(table, recipe, missing="fraction", trace=True)
    assert {**tree.to_json(), "trace": None} == grown(table, recipe, missing="fraction").to_json()
    assert json.loads(json.dumps(tree.kept_trace, allow_nan=False)) == tree.kept_trace
    steps = tree.kept_trace["steps"]
    assert [step["node"] for step in steps] == list(range(tree.n_nodes))
    assert tree.kept_trace["is_whole"]
    for node, step in enumerate(steps):
        split = tree.split(node)
        if split is None:
            assert step["stop"] in ("pure", "alike")
            assert step.get("chosen") is None
            continue
        assert "stop" not in step
        assert step["chosen"] == split.column
        told = step["candidates"][split.column]
        assert told["gain"] == split.gain
        assert told["score"] == split.score
        assert told.get("cut") == split.cut
        after = [tree.nodes.total[child] for child in tree.children(node)]
        if not any(told["missing"]):
            np.testing.assert_allclose(told["after"], after, rtol=1e-12)
        best = max(c["score"] for c in step["candidates"] if c["score"] is not None)
        assert told["score"] == pytest.approx(best, rel=1e-9, abs=1e-9)
    for tie in tree.about["ties"]:
        assert tie["columns"] == steps[tie["node"]]["tied"]
        assert tie["columns"][0] == steps[tie["node"]]["chosen"]


def test_what_a_column_offers_is_told_in_numbers():
    tree = penjing.fit(FISH, trace=True)
    root, no, yes = tree.kept_trace["steps"][:3]
    first, second = root["candidates"]
    assert first["after"] == [[2, 1], [0, 2]]
    assert first["gain"] == pytest.approx(0.4199730940219749, rel=1e-15)
    assert second["gain"] == 0.17095059445466854
    assert first["entropy_before"] == 0.9709505944546686
    assert first["entropy_after"] == 0.5509775004326937
    assert first["split_information"] == 0.9709505944546686
    assert first["gini_after"] == pytest.approx(4 / 15, rel=1e-15)
    assert first["codes"] == [0, 1]
    assert first["sides"] == [0, 1]
    assert (root["chosen"], root["tied"]) == (0, [])
    assert yes == {"node": 2, "stop": "pure"}
    assert no["chosen"] == 1
    assert "after" not in no["candidates"][0]  # spent: one level left
    assert no["candidates"][0]["gain"] is None


def test_a_number_shows_its_curve_and_of_many_cuts_the_best(monkeypatch):
    x = numeric("x", [1, 2, 3, 4, 5])
    rows = Table((x,), nominal("c", list("ppqpp")), 5)
    told = grown(rows, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert told["cuts"] == [1.5, 2.5, 3.5, 4.5]
    assert told["n_cuts"] == 4
    assert told["cut"] == told["cuts"][int(np.argmax(told["gains"]))]
    monkeypatch.setattr(traces, "CUTS", 2)
    few = grown(rows, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert few["n_cuts"] == 4
    assert few["cuts"] == [2.5, 3.5]
    assert few["gains"] == [told["gains"][1], told["gains"][2]]


def test_many_levels_are_not_listed(monkeypatch):
    monkeypatch.setattr(traces, "LEVELS", 1)
    told = grown(FISH, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert "codes" not in told
    assert told["after"] == [[2, 1], [0, 2]]


@pytest.mark.parametrize(
    ("limits", "reasons"),
    [
        ({"max_depth": 1}, ["max_depth", "pure"]),
        ({"min_weight": 4}, ["min_weight", "pure"]),
        ({"min_gain": 0.95}, ["min_gain"]),
        ({"max_leaves": 2}, ["max_leaves", "pure"]),
    ],
)
def test_every_leaf_says_why(limits, reasons):
    tree = grown(FISH, trace=True, **limits)
    steps = tree.kept_trace["steps"]
    assert [steps[n]["stop"] for n in np.flatnonzero(tree.is_leaf)] == reasons
    assert not any("stop" in steps[n] for n in np.flatnonzero(~tree.is_leaf))


def test_rows_alike_say_so():
    tree = grown(Table((nominal("a", ["x", "x"]),), nominal("c", ["p", "q"]), 2), trace=True)
    assert tree.kept_trace["steps"][0]["stop"] == "alike"
    assert tree.kept_trace["steps"][0]["chosen"] is None


def test_a_division_taken_back_says_so():
    class Never:
        def refused(self, growth, divided):  # noqa: ARG002
            return divided

    tree = grow(Engine(FISH), ID3, Never(), Trace())
    (step,) = tree.kept_trace["steps"]
    assert step["stop"] == "validation"
    assert step["chosen"] == 0


def test_beyond_its_limit_a_trace_is_cut_short_and_says_so():
    x = numeric("x", np.arange(40))
    rows = Table((x,), nominal("c", ["p", "q"] * 20), 40)
    short = grow(Engine(rows), ID3, trace=Trace(limit=3))
    assert not short.kept_trace["is_whole"]
    assert sum("candidates" in step for step in short.kept_trace["steps"]) == 3
    assert short.to_dict() == grown(rows).to_dict()


def test_ties_are_kept_without_a_trace_up_to_a_number(monkeypatch):
    twice = Table(
        (*FISH.columns, *(nominal(f"copy {c.name}", c.values()) for c in FISH.columns)),
        FISH.target,
        5,
    )
    tree = grown(twice)
    assert tree.trace is None
    assert tree.about["n_ties"] == 2
    assert [(tie["node"], tie["columns"]) for tie in tree.about["ties"]] == [
        (0, [0, 2]),
        (1, [1, 3]),
    ]
    monkeypatch.setattr(traces, "TIES", 1)
    assert len(grown(twice).about["ties"]) == 1
    assert grown(twice).about["n_ties"] == 2


def test_a_tree_of_numbers_has_a_trace_without_entropies():
    rows = Table((numeric("x", [1, 2, 3]),), numeric("y", [1.0, 1.0, 5.0]), 3)
    told = grown(rows, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert "entropy_before" not in told
    assert told["cut"] == 2.5


def test_plain_numbers():
    assert numbers(np.array([1.0, 0.5, 0.0])) == [1, 0.5, 0]
    assert [type(v) for v in numbers(np.array([1.0, 0.5]))] == [int, float]
    assert plain(np.nan) is None
    assert plain(np.float64(0.5)) == 0.5
