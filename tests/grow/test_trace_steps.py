"""The steps of a trace: every candidate of every node, the choice and the reason for a leaf."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.textbook import ID3
from penjing.engines.memory import Engine
from penjing.grow import candidate_records, growth_record, trace_steps
from penjing.grow.candidate_records import json_number, json_numbers
from penjing.grow.loop import grow_unpruned
from penjing.grow.trace_steps import with_steps
from penjing.training import kept_trace
from strategies import RECIPE_NAMES, grown, tables

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
    plain = tree.to_json()["trace"]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain == tree.kept_trace
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
    monkeypatch.setattr(candidate_records, "CUTS", 2)
    few = grown(rows, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert few["n_cuts"] == 4
    assert few["cuts"] == [2.5, 3.5]
    assert few["gains"] == [told["gains"][1], told["gains"][2]]


def test_many_levels_are_not_listed(monkeypatch):
    monkeypatch.setattr(candidate_records, "LEVELS", 1)
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
        def splits_to_revert(self, growth, divided, kept=()):  # noqa: ARG002
            return divided

    engine = Engine(FISH)
    tree = grow_unpruned(engine, ID3, Never())
    assert tree.about["stops"] == {"validation": [0]}
    (step,) = with_steps(tree, engine, ID3).kept_trace["steps"]
    assert step["stop"] == "validation"
    assert step["chosen"] == 0


def test_beyond_its_limit_a_trace_is_cut_short_and_says_so(monkeypatch):
    x = numeric("x", np.arange(40))
    rows = Table((x,), nominal("c", ["p", "q"] * 20), 40)
    monkeypatch.setattr(trace_steps, "LIMIT", 3)
    short = grown(rows, trace=True)
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
    assert tree.kept_trace is None
    assert tree.about["n_ties"] == 2
    assert [(tie["node"], tie["columns"]) for tie in tree.about["ties"]] == [
        (0, [0, 2]),
        (1, [1, 3]),
    ]
    monkeypatch.setattr(growth_record, "TIES", 1)
    assert len(grown(twice).about["ties"]) == 1
    assert grown(twice).about["n_ties"] == 2


def test_a_tree_of_numbers_has_a_trace_without_entropies():
    rows = Table((numeric("x", [1, 2, 3]),), numeric("y", [1.0, 1.0, 5.0]), 3)
    told = grown(rows, trace=True).kept_trace["steps"][0]["candidates"][0]
    assert "entropy_before" not in told
    assert told["cut"] == 2.5


def test_plain_numbers():
    assert json_numbers(np.array([1.0, 0.5, 0.0])) == [1, 0.5, 0]
    assert [type(v) for v in json_numbers(np.array([1.0, 0.5]))] == [int, float]
    assert json_number(np.nan) is None
    assert json_number(np.float64(0.5)) == 0.5


def noisy(
    n_rows: int, n_columns: int, *, gaps: float = 0.0, seed: int = 0, classes: int = 2
) -> Table:
    """Return a table of numbers and levels that hardly tell anything: its tree is large."""
    random = np.random.default_rng(seed)

    def holes(values):
        return [None if random.random() < gaps else v for v in values]

    half = n_columns // 2
    columns = [
        nominal(f"n{c}", holes(random.integers(0, 9, n_rows).tolist())) for c in range(half)
    ] + [numeric(f"x{c}", holes(random.random(n_rows).round(2).tolist())) for c in range(half)]
    return Table(tuple(columns), nominal("y", random.integers(0, classes, n_rows).tolist()), n_rows)


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "c4.5", "j48", "cart", "cart-binary"])
def test_small_tables_always_keep_their_trace(recipe):
    for table in (penjing.example("watermelon3.0"), penjing.example("fish")):
        assert penjing.fit(table, recipe=recipe, trace="auto").kept_trace is not None


@pytest.mark.parametrize(
    "recipe", ["id3", "c4.5-textbook", "c4.5", "j48", "c5.0", "cart", "cart-binary", "sklearn"]
)
@pytest.mark.parametrize("n_rows", [30, 120, 400, 2_000])
def test_a_trace_is_kept_if_it_is_small(recipe, n_rows):
    """What a model keeps by default is below its limit, and not far below if it is not kept."""
    table = noisy(n_rows, 6, classes=3)
    tree = penjing.fit(table, recipe=recipe, trace="auto")
    whole = penjing.fit(table, recipe=recipe, trace=True)
    n_bytes = len(json.dumps(whole.to_json()["trace"]))
    if tree.kept_trace is not None:
        assert tree.kept_trace == whole.kept_trace
        assert n_bytes <= kept_trace.MAX_BYTES
    else:
        assert n_bytes > kept_trace.MAX_BYTES / 4


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "c4.5", "j48", "cart-binary"])
def test_a_large_trace_is_not_kept(recipe):
    table = noisy(20_000, 6)
    tree = penjing.fit(table, recipe=recipe, trace="auto")
    assert tree.kept_trace is None
    assert tree.to_json() == penjing.fit(table, recipe=recipe).to_json()


@pytest.mark.parametrize("recipe", ["c4.5", "cart"])
def test_a_large_table_with_a_small_tree_keeps_its_trace(recipe):
    clear = np.arange(30_000) % 100
    columns = (numeric("x", clear.tolist()), nominal("n", (clear % 7).tolist()))
    table = Table(columns, nominal("y", (clear > 40).tolist()), len(clear))
    tree = penjing.fit(table, recipe=recipe, trace="auto")
    traced = penjing.fit(table, recipe=recipe, trace=True)
    assert tree.kept_trace == traced.kept_trace is not None


def test_a_trace_is_weighed_once_for_each_node(monkeypatch):
    """C4.5's scores were computed for a whole generation again at every one of its nodes."""
    table = noisy(1_500, 4)
    asked = []
    real = trace_steps.scores_of
    monkeypatch.setattr(trace_steps, "scores_of", lambda *args: asked.append(1) or real(*args))
    tree = penjing.fit(table, recipe="c4.5", trace=True, pruning="none", collapse=False)
    assert not asked  # steps are computed when they are asked for
    assert tree.n_nodes > 100
    assert len(tree.kept_trace["steps"].as_list()) == tree.n_nodes
    assert len(asked) <= tree.depth + 1


def test_the_root_is_told_of_however_many_columns_there_are(monkeypatch):
    monkeypatch.setattr(trace_steps, "LIMIT", 1)
    tree = penjing.fit(FISH, trace=True)
    assert [step["node"] for step in tree.kept_trace["steps"] if "candidates" in step] == [0]
    assert not tree.kept_trace["is_whole"]


def test_sums_by_cases_are_grown_without_a_trace():
    tree = penjing.fit(noisy(60, 4), recipe="c4.5", sums="cases", trace="auto")
    assert tree.kept_trace is None


def test_rows_on_disk_keep_no_trace_unless_asked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "u,1,n\nv,2,y\n" * 20)
    assert penjing.fit(path, "y", engine="disk", trace="auto").kept_trace is None
    assert penjing.fit(path, "y", engine="disk", trace=True).kept_trace is not None
