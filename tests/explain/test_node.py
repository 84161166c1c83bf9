"""Why a node asks what it asks: the trace and the rows tell the same, whoever grew the tree."""

from __future__ import annotations

import copy
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import penjing
from penjing.data.table import Column, Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.evaluate.sign_test import sign_test
from penjing.explain import node_text
from penjing.explain import trace_text as telling
from penjing.explain.node import about_empty, explain, story
from penjing.explain.one_leaf import one_leaf
from penjing.i18n import say
from penjing.predict.inputs import align
from penjing.render import summary
from penjing.text.labels import branch_text
from penjing.text.node_path import find_node
from strategies import tables

EXAMPLES = ("watermelon2.0", "watermelon3.0", "buys_computer", "basketball", "fish", "golf")
TEXTBOOK = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary")
ROW_NAMES = ("row_numbers", "row_ids", "row_id_column")


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("recipe", TEXTBOOK)
def test_rows_and_trace_tell_the_same(name, recipe):
    table = penjing.example(name)
    tree = penjing.fit(table, recipe=recipe, trace=True)
    for node in range(tree.n_nodes):
        assert explain(tree, node) == explain(tree, node, table)


def test_rows_shared_out_by_weight_are_told_the_same():
    table = penjing.example("watermelon2.0alpha")
    tree = penjing.fit(table, recipe="c4.5-textbook", trace=True)
    for node in range(tree.n_nodes):
        if not tree.is_leaf[node]:
            assert explain(tree, node) == explain(tree, node, table)
    told = explain(tree)
    assert {c["column"]: round(c["gain"], 3) for c in told["candidates"]} == {
        "纹理": 0.424, "脐部": 0.289, "色泽": 0.252, "根蒂": 0.171, "敲声": 0.145, "触感": 0.006,
    }  # fmt: skip


def test_the_winner_comes_first_and_no_score_is_better():
    for name in EXAMPLES:
        tree = penjing.fit(penjing.example(name), trace=True)
        for told in story(tree):
            scores = [c["score"] for c in told["candidates"] if c["score"] is not None]
            assert scores == pytest.approx(sorted(scores, reverse=True))
            if told["question"] is not None:
                assert told["candidates"][0]["column"] == told["question"]


def test_a_measure_of_one_s_own_is_shown():
    def errors(counts):
        return 1 - counts.max(-1) / counts.sum(-1)

    tree = penjing.fit(penjing.example("golf"), criterion=errors, trace=True)
    lines = node_text.write(explain(tree)).splitlines()
    assert lines[1].split()[-1] == "custom"
    best = explain(tree)["candidates"][0]
    assert best["score"] == best["criterion_gain"]
    assert "(errors)" in telling.write(story(tree), _about(tree))


def _about(tree):
    return {
        "target": tree.target.name,
        "recipe": dict(tree.recipe),
        "rows": tree.weight_of(0),
        "steps": len(tree.kept_trace["steps"]),
        "is_whole": tree.kept_trace["is_whole"],
    }


def test_a_tree_without_a_trace_says_so():
    tree = copy.deepcopy(penjing.fit(penjing.example("golf"), recipe="id3"))
    small = copy.deepcopy(penjing.fit(penjing.example("watermelon2.0"))).prune("pessimistic")
    assert small.n_leaves < 8
    for without in (tree, small):
        with pytest.raises(ChoiceError, match="has no trace"):
            explain(without)
        with pytest.raises(ChoiceError, match="has no trace"):
            story(without)


def test_a_pruned_tree_keeps_the_trace_of_what_stayed():
    whole = penjing.fit(penjing.example("watermelon2.0"), trace=True)
    small = whole.prune("pessimistic")
    assert small.n_leaves < whole.n_leaves
    kept = story(small)
    assert [step["node"] for step in kept] == list(range(small.n_nodes))
    for step in kept:
        if step["question"] is not None:  # the same step as before, under another number
            (same,) = [s for s in story(whole) if s["path"] == step["path"]]
            assert same["candidates"] == step["candidates"]
    assert explain(small)["candidates"] == explain(whole)["candidates"]
    assert [s["stop"] for s in kept].count("pruned") == sum(
        d["decision"] == "cut" and not d["is_gone"] for d in small.about["pruning"][0]["decisions"]
    )


def test_a_trace_that_was_cut_short_says_so():
    tree = penjing.fit(penjing.example("golf"), trace=True)
    short = replace(tree, kept_trace={"steps": tree.kept_trace["steps"][:1], "is_whole": False})
    with pytest.raises(ChoiceError, match="does not cover node 1"):
        explain(short, 1)
    assert "does not cover every node" in telling.write(story(short), _about(short))


def test_a_tree_made_by_hand_is_weighed_with_the_eyes_of_id3():
    table = penjing.example("fish")
    source = {"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}}
    tree = penjing.Tree.from_dict(source, target="fish")
    told = explain(tree, 0, align(tree, table))
    assert told["question"] == "no surfacing"
    assert told["candidates"][0]["gain"] == pytest.approx(0.4199730940219749)
    assert explain(tree, 2, align(tree, table))["candidates"][0]["gain"] == pytest.approx(
        0.9182958340544896
    )


def test_limits_are_named_when_rows_are_weighed_anew():
    table = penjing.example("watermelon2.0")
    for limit, reason in (
        ({"max_depth": 1}, "max_depth"),
        ({"min_weight": 10.0}, "min_weight"),
        ({"max_leaves": 3}, "max_leaves"),
    ):
        tree = penjing.fit(table, **limit)
        reasons = {explain(tree, node, table)["stop"] for node in np.flatnonzero(tree.is_leaf)}
        assert reason in reasons


def test_nodes_are_found_by_cut_by_group_and_by_order():
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="cart-binary")
    for node in range(tree.n_nodes):
        steps = [node_text.node_location({"path": [b]}, "en") for b in explain_path(tree, node)]
        assert find_node(tree, ", ".join(steps)) == (node, None)
        assert find_node(tree, "/".join(steps).replace("≤", "<=").replace(" ", "")) == (node, None)
    size = Column("size", "ordered", ("S", "M", "L"), np.array([0, 1, 2, 2], np.int32))
    table = Table((size,), nominal("fits", ["no", "yes", "yes", "yes"]), 4)
    tree = penjing.fit(table, recipe="id3")
    assert find_node(tree, "size <= S") == (1, None)
    assert find_node(tree, "> S") == (2, None)


def explain_path(tree, node):

    return [branch_text(tree, step) for step in tree.path(node)[1:]]


def test_a_deep_chain_is_told_without_a_long_line():
    n = 3000
    labels = ["a" if i % 2 else "b" for i in range(n)]
    table = Table((numeric("x", np.arange(n, dtype=float)),), nominal("y", labels), n)
    tree = penjing.fit(table, recipe="id3", trace=True)
    deepest = int(tree.depths.argmax())
    text = node_text.write(explain(tree, deepest))
    assert text.startswith("…, x ")
    assert len(text.splitlines()[0]) < 300
    steps = story(tree, table, limit=3)
    assert len(steps) == 3
    assert f"{len(tree.kept_trace['steps']) - 3:,} more steps" in telling.write(steps, _about(tree))


def test_ties_are_listed_up_to_a_number():
    columns = tuple(nominal(f"c{i}", "xy" * 4) for i in range(2))
    extra = tuple(nominal(f"d{i}", ("x" * (i + 1) + "y" * 8)[:8]) for i in range(7))
    table = Table((*columns, *extra), nominal("class", [str(i) for i in range(8)]), 8)
    tree = penjing.fit(table, trace=True)
    assert tree.about["n_ties"] > summary.MAX_TIES
    assert f"and {tree.about['n_ties'] - summary.MAX_TIES} more" in summary.ties_line(tree)


def test_the_sign_test_is_exact():
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(3, 3) == 1.0
    assert sign_test(2000, 0) < 1e-300


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-textbook", "cart-binary"])
def test_the_choice_says_which_number_is_smaller(recipe, lang):
    """Of the Gini index the smallest wins; of gains the largest."""
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe=recipe, trace=True)
    step = explain(tree)
    weighed, chosen = telling.step_lines(step, 1, 1, dict(tree.recipe), lang, ascii_only=False)[3:5]
    first, second = re.findall(r" (0\.\d{4})", weighed)[:2]
    ahead = re.findall(r"0\.\d{4}", chosen)[0]
    assert float(first) - float(second) == pytest.approx(
        -float(ahead) if "cart" in recipe else float(ahead), abs=2e-4
    )
    less = {"en": "smaller than", "zh": "小"}[lang]
    assert (less in chosen) == ("cart" in recipe)
    more = {"en": "ahead of", "zh": "大"}[lang]
    assert (more in chosen) == ("cart" not in recipe)


def ten() -> Table:
    """Return ten rows of the book's table: only one column counts for C4.5's average gain."""
    table = penjing.example("watermelon3.0")
    kept = {1, 2, 3, 6, 7, 10, 14, 15, 16, 17}
    rows = table.take(np.array([row + 1 in kept for row in range(table.n_rows)]))
    names = ("色泽", "根蒂", "敲声", "纹理", "密度")
    return replace(rows, columns=tuple(c for c in rows.columns if c.name in names))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_gain_is_said_only_where_there_is_none(lang):
    tree = penjing.fit(ten(), recipe="c4.5", trace=True)
    told = explain(tree)
    assert told["average_gain"] is None
    words = {"en": ("no gain", "no average gain"), "zh": ("没有增益", "没有可比的平均增益")}[lang]
    text = node_text.write(told, lang)
    assert words[0] not in text.replace(words[1], "")
    assert text.count(words[1]) == 4
    assert {node_text.exclusion_reason(told, c) for c in told["candidates"]} == {
        "no_average",
        "costly",
    }
    assert telling.write([told], _about(tree), lang)


@pytest.mark.parametrize("recipe", ["c4.5", "j48", "c5.0", "c4.5-textbook"])
@given(table=tables(kinds=("nominal", "numeric"), max_rows=30))
def test_what_is_said_of_a_column_left_out_is_true(recipe, table):
    tree = penjing.fit(table, recipe=recipe, trace=True)
    for step in story(tree):
        for c in step["candidates"]:
            if c["gain"] is None or c["score"] is not None:
                continue
            reason, gain = node_text.exclusion_reason(step, c), c.get("criterion_gain")
            if reason == "no_gain":
                assert gain <= 0
            elif reason == "below":
                assert gain < step["average_gain"]
            elif reason == "no_average":
                counted = [o for o in step["candidates"] if o["in_average"]]
                assert all(o.get("criterion_gain") is None for o in counted)
            elif reason == "many_levels":
                assert not c["in_average"]


@pytest.mark.parametrize("name", ["watermelon2.0", "fish", "golf"])
def test_a_tree_made_by_hand_is_told_with_the_counts_of_the_rows_given(name):
    table = penjing.example(name)
    grown = penjing.fit(table, recipe="id3", trace=True)
    made = penjing.Tree.from_dict(grown.to_dict(empty=False), target=table.target.name)
    rows = align(made, table)
    numbers = ("rows", "entropy", "gini", "question", "path")
    for step in story(made, rows):
        same = next(s for s in story(grown) if s["path"] == step["path"])
        assert [step[key] for key in numbers] == [same[key] for key in numbers]
        assert dict(zip(step["classes"], step["total"], strict=True)) == dict(
            zip(same["classes"], same["total"], strict=True)
        )
        named = {key: step[key] for key in ROW_NAMES if key in step}
        assert step == explain(made, step["node"], rows) | named


def test_a_tree_made_by_hand_may_know_fewer_classes_than_the_rows():
    table = penjing.example("fish")
    made = penjing.Tree.from_dict({"flippers": {0: "no", 1: "no"}}, target="fish")
    told = explain(made, 0, align(made, table))
    assert told["rows"] == 5
    assert sorted(told["total"]) == [2, 3]


def test_the_number_by_which_a_program_chose_is_shown():
    golf = penjing.example("golf")
    told = explain(penjing.fit(golf, recipe="j48"), 0, golf)
    text = node_text.write(told)
    chosen = told["candidates"][0]
    assert f"{chosen['score']:.4f}" in text
    assert "ranked by score" in text
    assert "按得分比较" in node_text.write(told, "zh")


def test_the_formula_of_a_regression_is_true_for_every_recipe():
    rows = [[i, i % 3, float(i * i)] for i in range(40)]
    table = penjing.read(rows, names=["x", "z", "y"], target="y", keep=["x"])
    for recipe in ("cart-binary", "rpart", "sklearn"):
        tree = penjing.fit(table, recipe=recipe, trace=True)
        told = explain(tree, 0)
        best = told["candidates"][0]
        assert best["gain"] == pytest.approx(told["variance"] - best["variance_after"], rel=1e-9)


def test_trees_of_numbers_speak_of_values_and_means():
    columns = (nominal("g", list("aabbdd"), list("abcd")),)
    table = Table(columns, numeric("y", [1, 1, 2.5, 2.5, 4, 4]), 6)
    tree = penjing.fit(table, recipe="cart-binary", trace=True)
    pure = [node for node in range(tree.n_nodes) if tree.is_leaf[node]]
    for node in pure:
        assert "all rows have the same value" in tree.why(node).text()
        assert "样本的值全相同" in tree.why(node).text("zh")
    assert "c: no rows; a leaf with the mean of this node, 2.5" in tree.trace.text()
    assert "没有样本，成为叶结点，取这里的均值 2.5" in tree.trace.text(lang="zh")
    empty = node_text.write(about_empty(tree, 0, 2))
    assert "so the mean of its parent is predicted" in empty


@pytest.mark.parametrize("scale", [1e-9, 0.01, 1.0, 1e3, 1e12])
def test_variances_have_digits_whatever_the_unit_of_the_target(scale):
    random = np.random.RandomState(2)
    x = random.rand(60).round(3)
    y = scale * (np.where(x > 0.4, 3.0, 1.0) + random.rand(60).round(2))
    tree = penjing.fit(Table((numeric("x", x),), numeric("y", y), 60), recipe="cart-binary")
    traced = penjing.fit(tree.training_table(), recipe="cart-binary", trace=True).trace.text()
    number = r"(?<![/\d.])\d+\.\d+(?:e[-+]\d+)?"
    for node in (0, 1):
        why = tree.why(node)
        best = next(c for c in why.candidates if c["is_chosen"])
        (formula,) = [line for line in why.text().splitlines() if line.startswith("Gain(D, x)")]
        values = [float(text) for text in re.findall(number, formula)]
        expected = [why.told["variance"], *(b["variance"] for b in best["branches"]), best["gain"]]
        assert values == pytest.approx(expected, rel=2e-3, abs=6e-5 if scale >= 1 else 0)
        variance = formula.split(" = ")[1].split()[0]
        assert f"Var(D) = {variance}" in why.text()
        assert f"variance {variance}" in traced
        assert variance in why.to_markdown()
        assert not re.search(r"\d{14}\.\d", why.text() + traced)
        lines = node_text.threshold_table(why.cuts("x")).splitlines()[1:]
        gains = [float(line.split()[1]) for line in lines]
        assert gains == pytest.approx(why.cuts("x")["gains"], rel=2e-3, abs=6e-5 * scale**2)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e8])
def test_ties_forced_splits_and_small_gains_have_digits_in_any_unit(scale):
    x, z = [1.0, 2, 3, 4], [4.0, 3, 2, 1]
    y = scale * np.array([1.0, 1, 3.6, 3.6])
    table = Table((numeric("x", x), numeric("z", z)), numeric("y", y), 4)
    tree = penjing.fit(table, recipe="cart-binary")
    gain = tree.why().candidates[0]["score"]
    assert gain == pytest.approx(1.69 * scale**2)
    text = {1e-9: "1.690e-18", 1.0: "1.6900", 1e8: "1.690e+16"}[scale]
    assert f"x = z ({text})" in summary.ties_line(tree)
    other = penjing.fit(table, recipe="cart-binary", forbid=["x"])
    assert f"({text})" in penjing.compare(tree, other).text()
    forced = penjing.fit(table, recipe="cart-binary", force_splits={"": "z<=2.5"})
    assert f"gain {text}" in forced.why().text()
    one = penjing.fit(table, recipe="cart-binary", min_gain=2.0 * scale**2, quiet=True)
    assert f"a gain of {text}," in say("one_leaf_min_gain", **one_leaf(one, table).values)


def test_a_pruned_tree_tells_its_story_from_the_rows():
    melons = penjing.example("watermelon2.0")
    pruned = penjing.fit(melons).prune("pessimistic")
    assert pruned.kept_trace is None
    steps = story(pruned, melons)
    assert [step["node"] for step in steps] == list(range(pruned.n_nodes))
    assert steps[0]["candidates"][0]["column"] == "纹理"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["fish", "watermelon2.0", "watermelon3.0"])
def test_every_node_is_explained_in_every_language(name, lang):
    tree = penjing.fit(penjing.example(name), recipe="id3", trace=True)
    rows = tree.weight.tolist()
    assert 1 in rows  # "1 row" has a form of its own in English only
    for node in range(tree.n_nodes):
        assert node_text.write(explain(tree, node), lang)
