"""C4.5 and J48: their settings, their divisions, and what their trees answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing import CapabilityError, ChoiceError
from penjing.api.tree import Tree
from penjing.data.table import Column, Table, nominal, numeric
from penjing.dialects.c45.dialect import last_improvement
from penjing.dialects.c45.information import single
from penjing.dialects.c45.options import C45Options
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.engines.memory import Engine
from penjing.prune import mdl, minimum_error
from penjing.prune.confidence import ErrorBound
from penjing.registry import load
from penjing.render import nested_json
from strategies import grown, skeleton, tables
from user_trees import from_json


def table_of(y: str, **columns) -> Table:
    made = tuple(
        nominal(name, [None if v == "?" else v for v in values])
        if isinstance(values, str)
        else numeric(name, [np.nan if v is None else v for v in values])
        for name, values in columns.items()
    )
    return Table(made, nominal("y", y), len(y))


def questions(tree: Tree) -> list[str]:
    return str(tree).splitlines()


# -- settings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "given", "setting", "value"),
    [
        ("c4.5", {"m": 5}, "min_branch", 5),
        ("c4.5", {"c": 10}, "confidence", 0.1),
        ("c4.5", {"g": True}, "criterion", "gain"),
        ("c4.5", {"s": True}, "shape", "merged"),
        ("j48", {"C": 0.1}, "confidence", 0.1),
        ("j48", {"M": 5}, "min_branch", 5),
        ("j48", {"R": True}, "pruning", "reduced-error"),
        ("j48", {"B": True}, "shape", "one-level"),
        ("j48", {"U": True}, "pruning", "none"),
        ("j48", {"U": False}, "pruning", "error-based"),
        ("j48", {"S": True}, "raise_branches", False),
        ("j48", {"A": True}, "laplace", True),
        ("j48", {"O": True}, "collapse", False),
        ("j48", {"J": True}, "cut_cost", False),
        ("j48", {"doNotMakeSplitPointActualValue": True}, "cut_at", "midpoint"),
    ],
)
def test_options_of_the_programs_are_understood(recipe, given, setting, value):
    assert RECIPES[recipe].but(**given).settings()[setting] == value


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 0},
        {"confidence": 1.5},
        {"confidence": "much"},
        {"precision": "half"},
        {"pruning": "some"},
        {"tolerance": -1},
        {"gap": True},
        {"shape": "binary"},
        {"window": 3},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ChoiceError):
        RECIPES["j48"].but(**wrong)


def test_a_textbook_recipe_does_not_know_their_shapes():
    with pytest.raises(ChoiceError, match="merged"):
        RECIPES["id3"].but(shape="merged")


def test_a_number_is_not_for_them():
    table = Table((nominal("a", "xy"),), numeric("price", [1, 2]), 2)
    with pytest.raises(ChoiceError, match="'price' is numeric"):
        penjing.fit(table, recipe="c4.5")


# -- divisions -------------------------------------------------------------------------------


def test_a_cut_lies_at_a_value_of_the_whole_table():
    table = table_of("aaabbbbb", x=[1, 2, 3, 7, 8, 9, 10, 4.5], n="uuuuuuuv")
    assert grown(table, "j48").nodes.cut[0] == 3
    table = table_of("aaabbbbbcc", n="uuuuuuuuvv", x=[1, 2, 3, 7, 8, 9, 10, 11, 4.5, 4.6])
    tree = grown(table, "c4.5", pruning="none")
    assert tree.nodes.cut[~np.isnan(tree.nodes.cut)].tolist() == [4.6]
    tree = grown(table, "j48", pruning="none", cut_at="midpoint")
    assert tree.nodes.cut[~np.isnan(tree.nodes.cut)].tolist() == [5]


def test_values_too_close_are_not_parted():
    table = table_of("aabb", x=[1, 1, 1.000005, 1.000005])
    assert grown(table, "c4.5").n_nodes == 1
    assert grown(table, "c4.5", gap=0, precision="double", min_branch=1).n_nodes == 3


def test_zero_gain_is_taken_by_one_and_not_by_the_other():
    table = table_of("nnppppnn", a="00001111", b="00110011")
    assert grown(table, "c4.5").n_leaves == 4
    assert grown(table, "j48").n_leaves == 1


def test_levels_are_merged_or_set_against_the_others():
    table = table_of("ppppnnnnnnnn", c="aabbccddeeff")
    groups = ["c in {a, b}: p (4)", "c in {c, d, e, f}: n (8)"]
    assert sorted(questions(grown(table, "c4.5", s=True))) == groups
    assert sorted(questions(grown(table, "c4.5", s=True, g=True))) == groups
    assert "c = a: p (2)" in questions(grown(table, "j48", B=True, U=True))


def test_a_rare_level_is_set_aside():
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, -1, -1], np.int32)
    column = Column("c", "nominal", tuple("abxz"), codes)
    weight = np.array([1.0] * 8 + [0.2, 0.2] + [1.0, 1.0])
    table = Table((column,), nominal("y", "ppppnnnnpnpn"), 12, weight)
    tree = grown(table, "c4.5", s=True, pruning="none")
    assert [tree.nodes.levels(i).tolist() for i in tree.children(0)] == [[0], [1], [2, 3]]


def test_one_level_without_gain_is_not_chosen():
    for levels in ("ab", "zab"):
        column = nominal("c", "aabb", levels)
        table = Table((column,), nominal("y", "pnpn"), 4)
        assert grown(table, "j48", B=True).n_nodes == 1
    assert grown(table_of("ppnn", c="abcd"), "j48", B=True).n_nodes == 1  # all too light


def test_the_first_of_columns_that_are_nearly_equal_wins():
    assert last_improvement(np.array([0.1, 0.2, 0.2]), 0.0, 0.0) == 1
    assert last_improvement(np.array([0.1, 0.1]), 0.1, 0.0) is None


def test_floats_are_rounded_and_overflow_quietly():
    assert float(single(np.float64(1e300))) == np.inf
    table = table_of("aabb", x=[1e300, 1e300, 1.5e300, 1.5e300])
    assert grown(table, "c4.5").n_nodes == 1  # all the same in 32 bits
    assert grown(table, "c4.5", precision="double").n_nodes == 3


# -- answers ---------------------------------------------------------------------------------


def tree_with_an_empty_branch(recipe: str, **changes) -> Tree:
    a = nominal("a", "uuuuuvvvvwww", "uvwx")
    table = Table((a,), nominal("y", "pppppnnnnnnp"), 12)
    return penjing.fit(table, recipe=recipe, pruning="none", **changes)


def test_an_empty_branch_answers_for_sure_or_by_shares():
    row = {"a": "x"}
    assert tree_with_an_empty_branch("c4.5").predict_proba(row).tolist() == [[1, 0]]
    assert tree_with_an_empty_branch("j48").predict_proba(row).tolist() == [[0.5, 0.5]]


def test_a_level_never_seen_is_taken_for_missing():
    tree = tree_with_an_empty_branch("c4.5")
    assert tree.predict_proba({"a": "new"}) == pytest.approx(tree.predict_proba({"a": None}))
    assert tree.predict_proba({"a": None})[0] == pytest.approx([0.5, 0.5])


def test_laplace_smooths_what_is_told_and_not_the_tree():
    plain, smooth = tree_with_an_empty_branch("j48"), tree_with_an_empty_branch("j48", A=True)
    assert skeleton(plain) == skeleton(smooth)
    assert smooth.predict_proba({"a": "u"}).tolist() == [[6 / 7, 1 / 7]]


def test_a_tree_comes_back_from_its_file_as_it_was(tmp_path):
    rng = np.random.default_rng(3)
    columns = {f"n{i}": "".join(rng.choice(list("abc?"), 60)) for i in range(3)}
    table = table_of("".join(rng.choice(list("pq"), 60)), **columns)
    for recipe in ("c4.5", "j48"):
        tree = penjing.fit(table, recipe=recipe, min_branch=1.0, confidence=0.9)
        tree.save(tmp_path / "tree.json")
        again = penjing.load(tmp_path / "tree.json")
        assert again == tree
        assert again.predict_proba(table).tolist() == tree.predict_proba(table).tolist()


def test_an_answer_of_its_own_is_kept():
    tree = tree_with_an_empty_branch("c4.5")
    plain = tree.to_json()
    plain["nodes"][1]["answer"] = 1
    other = from_json(plain)
    assert other.predict({"a": "u"}).tolist() == ["n"]
    assert from_json(json.loads(json.dumps(other.to_json()))) == other
    assert other.pruned([3]).answer(1) == "n"
    plain["nodes"][1]["answer"] = 2
    with pytest.raises(penjing.DataError, match="answer"):
        from_json(plain)


# -- engines ---------------------------------------------------------------------------------


@given(
    tables(missing=True, max_rows=40),
    st.sampled_from(["c4.5", "j48"]),
    st.fixed_dictionaries(
        {},
        optional={
            "precision": st.sampled_from(["double", "single"]),
            "min_branch": st.sampled_from([0.5, 1.0, 3.0]),
            "criterion": st.just("gain"),
            "cut_cost": st.booleans(),
            "cut_at": st.sampled_from(["value", "midpoint"]),
            "max_depth": st.integers(0, 3),
            "shape": st.sampled_from(["merged", "one-level"]),
        },
    ),
)
def test_engines_grow_the_same_tree(table, recipe, settings):
    slow = penjing.fit(table, recipe=recipe, engine="memory", **settings)
    quick = penjing.fit(table, recipe=recipe, engine="native", **settings)
    assert skeleton(slow) == skeleton(quick)
    assert slow.nodes.total.tolist() == quick.nodes.total.tolist()
    assert slow.nodes.gain == pytest.approx(quick.nodes.gain, abs=1e-9)
    assert slow.values.tolist() == quick.values.tolist()


@given(tables(missing=False, max_rows=40), st.sampled_from([1.0, 2.0]))
def test_the_order_of_cases_is_nothing_where_no_value_is_missing(table, least):
    exact = penjing.fit(table, recipe="c4.5", engine="native", min_branch=least)
    cases = penjing.fit(table, recipe="c4.5", engine="native", min_branch=least, sums="cases")
    assert skeleton(exact) == skeleton(cases)
    assert exact.nodes.total.tolist() == cases.nodes.total.tolist()


@given(tables(missing=True, max_rows=40))
def test_cases_in_their_order_keep_their_weight(table):
    tree = penjing.fit(table, recipe="c4.5", engine="native", sums="cases", pruning="none")
    leaves = tree.nodes.total[tree.is_leaf].sum()
    assert leaves == pytest.approx(table.n_rows)


def test_the_order_of_cases_needs_32_bits_and_the_native_engine():
    table = table_of("ppppnnnn", a="0011001?")
    with pytest.raises(ChoiceError, match="precision='single'"):
        penjing.fit(table, recipe="j48", sums="cases")
    with pytest.raises(CapabilityError, match="engine='native'"):
        penjing.fit(table, recipe="c4.5", sums="cases", engine="memory")
    with pytest.raises(CapabilityError, match="engine='native'"):
        penjing.fit(table, recipe="c4.5", sums="cases", s=True, engine="native")


def test_a_trace_is_kept_for_them_too():
    table = table_of("ppppnnnn", a="00110011", x=[1, 2, 3, 4, 5, 6, 7, 8])
    tree = penjing.fit(table, recipe="c4.5", trace=True, pruning="none", collapse=False)
    assert tree.kept_trace["steps"][0]["chosen"] == 1


# -- pruning ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "errors", "c45", "j48"),
    [(16, 1, 1.507, 1.476), (20, 2, 1.703, 1.667), (100, 10, 2.815, 2.750), (3, 2.6, 0.268, 0.4)],
)
def test_the_bounds_are_those_that_were_measured(n, errors, c45, j48):
    assert ErrorBound().added_errors(n, errors) == pytest.approx(c45, abs=6e-4)
    quantile = ErrorBound(deviate="quantile", last_errors=1.0)
    assert quantile.added_errors(n, errors) == pytest.approx(j48, abs=6e-4)


def test_bounds_between_whole_errors_and_at_the_ends():
    none, one = ErrorBound().added_errors(10, 0), ErrorBound().added_errors(10, 1)
    assert ErrorBound().added_errors(10, 0.5) == pytest.approx((none + one) / 2)
    assert ErrorBound().estimate(0, 0) == 0
    assert ErrorBound(0.9, "quantile", 1.0).added_errors(10, 2) == 0
    assert ErrorBound(single=True).added_errors(10, 1) == float(
        np.float32(ErrorBound(single=True).added_errors(10, 1))
    )
    assert ErrorBound(1e-6).squared == pytest.approx(16, abs=0.01)


def test_reduced_error_is_chosen_by_its_option():
    rng = np.random.default_rng(1)
    table = table_of("".join(rng.choice(list("pn"), 90)), x=rng.normal(size=90).round(1).tolist())
    pruned = penjing.fit(table, recipe="j48", R=True, validation=1 / 3)
    assert [record["method"] for record in pruned.about["pruning"]] == ["reduced-error"]
    with pytest.raises(ChoiceError, match="validation"):
        penjing.fit(table, recipe="j48", R=True)


def test_rows_without_any_value_stay_where_they_are():
    tree = tree_with_an_empty_branch("c4.5")
    lost = Table((nominal("a", [None, None], "uvwx"),), nominal("y", "pn", "pn"), 2)
    totals = Engine(lost, "fraction").totals(tree, range(4)).cells
    assert totals.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]


def test_raising_needs_rows_and_says_so():
    tree = tree_with_an_empty_branch("c4.5")
    with pytest.raises(CapabilityError, match="raise_branches=False"):
        tree.prune("error-based")
    assert tree.prune("error-based", raise_branches=False).n_leaves == 3
    with pytest.raises(ChoiceError, match="between 0 and 1"):
        tree.prune("error-based", raise_branches=False, confidence=2)


@pytest.mark.parametrize("method", ["collapse", "error-based", "minimum-error", "mdl"])
def test_pruners_of_classes_refuse_numbers(method):
    table = Table((nominal("a", "xxyy"),), numeric("y", [1, 1, 5, 5]), 4)
    tree = penjing.fit(table, recipe="cart-binary")
    with pytest.raises(CapabilityError):
        load("pruner", method)(tree)


@pytest.mark.parametrize("method", ["error-based", "minimum-error", "mdl"])
def test_pruners_by_counts_refuse_trees_made_by_hand(method):
    tree = Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    with pytest.raises(CapabilityError):
        load("pruner", method)(tree)


def test_noise_is_cut_by_expected_errors_and_by_description():
    rng = np.random.default_rng(0)
    signal = "".join(rng.choice(list("ab"), 200))
    noise = [float(v) for v in rng.normal(size=200)]
    y = "".join("p" if s == "a" else "n" for s in signal)
    flipped = "".join(c if rng.random() > 0.1 else "pn"[c == "p"] for c in y)
    tree = grown(table_of(flipped, signal=signal, noise=noise), "j48", M=1, U=True, J=True)
    assert tree.n_leaves > 4
    for method in (mdl.prune, minimum_error.prune):
        small, _ = method(tree)
        assert 2 <= small.n_leaves < tree.n_leaves
    assert mdl.prune(tree)[0].n_leaves == 2
    assert (
        minimum_error.prune(tree, m=1e6)[0].n_leaves <= minimum_error.prune(tree, m=1)[0].n_leaves
    )
    with pytest.raises(ChoiceError):
        minimum_error.prune(tree, m=-1)


def test_a_description_tells_groups_and_ordered_levels():
    column = Column("size", "ordered", ("S", "M", "L"), np.array([0, 0, 1, 1, 2, 2], np.int32))
    table = Table((column, nominal("c", "aabbcc")), nominal("y", "ppnnnn"), 6)
    for recipe, changes in (("j48", {"B": True}), ("cart-binary", {}), ("j48", {})):
        tree = grown(table, recipe, **changes)
        assert mdl.column_and_branch_bits(tree, np.array([0]))[0] >= 1
    assert mdl.classes_bits(np.zeros(2)) == 0


# -- the nested form -------------------------------------------------------------------------


def test_the_nested_form_lists_empty_branches():
    tree = tree_with_an_empty_branch("c4.5")
    told = json.loads(nested_json.write(tree))
    assert told["summary"] == {"size": 5, "leaves": 4, "depth": 1, "train_errors": 1}
    last = told["tree"]["branches"][-1]
    assert last["value"] == "x"
    assert last["child"] == {
        "leaf": True, "empty": True, "n": 0, "errors": 0, "class": "p", "counts": [0, 0],
    }  # fmt: skip
    assert (
        json.loads(nested_json.write(tree, empty="none"))["tree"]["branches"][-1]["child"]["class"]
        is None
    )
    assert len(json.loads(nested_json.write(tree, empty="skip"))["tree"]["branches"]) == 3


def test_the_nested_form_has_numbers_and_depth():
    table = Table((numeric("x", [1, 2, 3, 4]),), numeric("y", [1.0, 1.5, 7.0, 8.0]), 4)
    told = json.loads(nested_json.write(penjing.fit(table, recipe="cart-binary")))
    assert told["data"]["classes"] is None
    assert told["tree"]["value"] == pytest.approx(4.375)
    deep = {"x": {"<= 0": "a", "> 0": "b"}}
    for level in range(1, 2000):
        deep = {"x": {f"<= {level}": deep, f"> {level}": "c"}}
    assert nested_json.write(Tree.from_dict(deep)).count('"leaf"') == 2001


def test_levels_that_cannot_come_are_left_out_after_pruning():
    assert isinstance(RECIPES["c4.5"].options, C45Options)
    table = table_of("ppppnnnnqqqq" * 2, c="aabbccddeeff" * 2, d="uvuvuvuvuvuv" * 2)
    tree = grown(table, "c4.5", s=True)
    told = json.loads(nested_json.write(tree))["tree"]
    assert all("values" in b for b in told["branches"])


def test_the_minimum_of_c45_s_slips_for_all_that_is_grown_later():
    """Below a = u nothing is known of b; after that one case a branch is enough."""
    a = nominal("a", ["u"] * 8 + ["v"] * 8)
    b = nominal("b", [None] * 8 + ["p", "q", "r", "p", "q", "r", "p", "q"])
    c = numeric("c", [1.0] * 8 + [float(i) for i in range(1, 9)])
    y = nominal("y", ["yes"] * 6 + ["no"] * 9 + ["yes"])
    table = Table((a, b, c), y, 16)
    settings = {"recipe": "c4.5", "s": True, "pruning": "none", "collapse": False, "min_branch": 3}
    kept = penjing.fit(table, **settings)
    slips = penjing.fit(table, minimum_slips=True, **settings)
    assert kept.n_leaves < slips.n_leaves
    assert min(slips.weight[slips.is_leaf]) < 3 <= min(kept.weight[kept.is_leaf])


def merged_with_an_unknown_column() -> Table:
    """Below a = u nothing is known of b."""
    a = nominal("a", ["u"] * 8 + ["v"] * 8)
    b = nominal("b", [None] * 8 + ["p", "q", "r", "p", "q", "r", "p", "q"])
    y = nominal("y", ["yes"] * 7 + ["no"] * 8 + ["yes"])
    return Table((a, b), y, 16)


@pytest.mark.parametrize("engine", ["memory", "native"])
@pytest.mark.parametrize("recipe", ["c4.5", "j48"])
def test_merged_categories_are_traced_where_a_column_has_no_known_value(recipe, engine):
    settings = {"shape": "merged", "min_branch": 1, "pruning": "none", "trace": True}
    tree = penjing.fit(merged_with_an_unknown_column(), recipe=recipe, engine=engine, **settings)
    assert tree.n_leaves > 1
    candidates = {c["column"]: c for c in tree.why(1).to_dict()["candidates"]}
    assert candidates["b"]["gain"] is None
    assert candidates["b"]["missing"] == 8


def test_a_minimum_that_slips_is_refused_where_candidates_are_computed_afterwards():
    table = merged_with_an_unknown_column()
    settings = {"recipe": "c4.5", "shape": "merged", "min_branch": 1, "minimum_slips": True}
    tree = penjing.fit(table, **settings)
    assert "y" in tree.write("text") + tree.write("html") + str(tree.report())
    for refused in (
        lambda: penjing.fit(table, trace=True, **settings),
        lambda: tree.why(0),
        lambda: tree.trace,
    ):
        with pytest.raises(penjing.errors.CapabilityError, match="minimum_slips=False"):
            refused()


@pytest.mark.parametrize("recipe", ["c4.5", "j48"])
@pytest.mark.parametrize("criterion", ["gini", lambda counts: 1 - counts.max(-1) / counts.sum(-1)])
def test_programs_that_know_one_criterion_refuse_others(recipe, criterion):
    with pytest.raises(penjing.ChoiceError, match=r"unknown criterion .*Criteria: gain, gain"):
        recipe_of(recipe, criterion=criterion)


def test_a_tree_of_c45_on_numbers_that_32_bits_do_not_hold_can_be_saved_and_loaded(tmp_path):
    close = 0.6000000000000001  # not to be told from 0.6 in 32 bits
    cells = ((0.2, "n"), (0.6, "n"), (close, "n"), (1.7, "y"), (1.9, "y"))
    rows = [{"x": x, "y": y} for x, y in cells]
    tree = penjing.fit(rows, "y", recipe="c4.5")
    assert tree.n_leaves == 2
    tree.save(tmp_path / "m.json")
    assert penjing.load(tmp_path / "m.json") == tree
