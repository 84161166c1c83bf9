"""Pruning: the books' examples, laws, and brute force over every subtree."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import penjing
from deep_chains import chain_table
from penjing.api.load import load
from penjing.api.tree import Tree
from penjing.data.folds import hold_out
from penjing.data.read import read
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import RECIPES
from penjing.engines.memory import Engine
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.prune import pessimistic, reduced_error
from penjing.prune.bottom_up import fold_bottom_up, inner_nodes_bottom_up, preorder
from penjing.prune.cost_complexity import cost_of, pruning_path
from penjing.prune.pessimistic import regularized_beta, upper_limit
from penjing.prune.pre_pruning import ValidationPrePruner
from penjing.registry import plugins
from penjing.training.pruning import prune, validation_rows
from shared import shared
from strategies import grown, skeleton, tables, whole_weights
from user_trees import grow

BOOK_TRAIN = (1, 2, 3, 6, 7, 10, 14, 15, 16, 17)
BOOK_VALIDATION = (4, 5, 8, 9, 11, 12, 13)


@pytest.fixture(scope="module")
def book() -> tuple[Table, Table]:
    """Return the training and the validation rows of the watermelon book's pruning example.

    Its root is an exact tie of 色泽 and 脐部 (0.2755 each), which the book gives to 脐部 without
    a word; with our rule, the first column, that means to put 脐部 first.
    """
    table = read(shared("data/watermelon-book/watermelon2.0.csv"))
    names = ("脐部", "色泽", "根蒂", "敲声", "纹理", "触感")
    table = replace(table, columns=tuple(table.column(name) for name in names))
    train = table.take([number - 1 for number in BOOK_TRAIN])
    return train, table.take([number - 1 for number in BOOK_VALIDATION])


@pytest.fixture(scope="module")
def melon1() -> Tree:
    return grown(read(shared("data/watermelon-course/Watermelon-train1.csv")))


def decisions_of(tree: Tree) -> list[dict]:
    return tree.about["pruning"][-1]["decisions"]


def correct(tree: Tree, table: Table) -> float:
    return tree.score(table).correct


def is_subtree(small: Tree, large: Tree) -> bool:
    """Whether a tree is another one with some nodes made leaves."""
    pairs = [(0, 0)]
    for a, b in pairs:  # grows while it is walked
        if small.nodes.total[a].tolist() != large.nodes.total[b].tolist():
            return False
        if small.is_leaf[a]:
            continue
        same = small.nodes.column[a] == large.nodes.column[b]
        if not same or len(small.children(a)) != len(large.children(b)):
            return False
        pairs += zip(small.children(a), large.children(b), strict=True)
    return True


def prunings(tree: Tree):
    """Yield every pruned version of a tree, itself included."""
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    for n in range(len(inner) + 1):
        for cut in itertools.combinations(inner, n):
            above = [set(tree.path(node)[:-1]) for node in cut]
            if not any(set(cut) & ancestors for ancestors in above):
                yield tree.pruned(cut)


@st.composite
def trees_and_validation(draw, **kind):
    """Draw a tree and other rows of the same table; every level occurs in neither or in both."""
    table = draw(tables(max_rows=24, **kind))
    assume(table.n_rows >= 4)
    half = table.n_rows // 2
    recipe = draw(st.sampled_from(["id3", "cart-binary"]))
    tree = grown(table.take(np.arange(half)), recipe)
    return tree, table.take(np.arange(half, table.n_rows))


# -- the watermelon book ------------------------------------------------------------------------


def test_the_books_tree_before_pruning_gets_three_of_seven(book):
    train, validation = book
    tree = grown(train)
    assert (tree.n_leaves, tree.depth) == (8, 4)
    assert correct(tree, train) == 10
    assert correct(tree, validation) == 3  # 42.9 %
    assert correct(tree.pruned([0]), validation) == 3  # a leaf 是 as well


def test_the_books_prepruned_tree_is_a_stump(book):
    train, validation = book
    gate = ValidationPrePruner(Engine(validation, "refuse", shares_of="tree"))
    tree = grow(Engine(train), RECIPES["id3"], gate)
    told = [(d.decision, d.why, d.tree_as_leaf, d.tree_kept) for d in gate.decisions]
    assert told == [
        ("keep", "worse", 3, 5),  # 42.9 % -> 71.4 % after 脐部
        ("cut", "better", 5, 4),  # 色泽 under 凹陷: 57.1 %
        ("cut", "equal", 5, 5),  # 根蒂 under 稍凹: 71.4 % either way
    ]
    assert (tree.depth, tree.n_leaves, correct(tree, validation)) == (1, 3, 5)


def test_the_books_postpruned_tree_gets_five_of_seven_step_by_step(book):
    train, validation = book
    tree = prune(grown(train), "reduced-error", validation=validation, ties="keep")
    told = [(d["tree_kept"], d["tree_as_leaf"], d["decision"]) for d in decisions_of(tree)]
    assert told == [
        (3, 4, "cut"),  # node 6, 纹理: 42.9 % -> 57.1 %
        (4, 4, "keep"),  # node 5, 色泽: no change, so it stays
        (4, 5, "cut"),  # node 2, 色泽: 57.1 % -> 71.4 %
        (5, 5, "keep"),  # node 3, 根蒂: no change
        (5, 3, "keep"),  # node 1, 脐部: 42.9 % would be left
    ]
    assert correct(tree, validation) == 5
    assert tree.n_leaves == 5


def test_with_ties_cut_the_books_example_ends_in_the_stump(book):
    train, validation = book
    tree = prune(grown(train), "reduced-error", validation=validation)
    assert (tree.n_leaves, correct(tree, validation)) == (3, 5)
    assert [d["why"] for d in decisions_of(tree)] == ["better", "equal", "better", "equal", "worse"]


# -- pessimistic --------------------------------------------------------------------------------


def test_the_transcripts_numbers(melon1):
    tree = prune(melon1, "pessimistic")
    told = [
        (d["rows"], f"{d['kept']:.3f}", f"{d['as_leaf']:.3f}", d["decision"])
        for d in decisions_of(tree)
    ]
    assert told == [
        (8, "2.961", "2.422", "cut"),
        (2, "1.500", "1.732", "keep"),
        (5, "3.250", "2.271", "cut"),
        (16, "5.803", "9.797", "keep"),
    ]
    assert (tree.n_leaves, tree.depth) == (3, 1)
    paths = [[melon1.answer(d["node"]), melon1.depths[d["node"]]] for d in decisions_of(tree)]
    assert paths == [["是", 1], ["是", 2], ["否", 1], ["是", 0]]


def test_a_tree_from_a_file_can_be_pruned(melon1, tmp_path):
    melon1.save(tmp_path / "melon1.tree")
    again = load(tmp_path / "melon1.tree")
    pruned = again.prune("pessimistic")
    assert skeleton(pruned) == skeleton(melon1.prune("pessimistic"))
    pruned.save(tmp_path / "pruned.tree")
    assert load(tmp_path / "pruned.tree").about["pruning"] == pruned.about["pruning"]


@given(st.integers(1, 60), st.data())
def test_the_limit_is_where_the_binomial_sum_is_the_confidence(n, data):
    errors = data.draw(st.integers(0, n - 1))
    confidence = data.draw(st.sampled_from([0.001, 0.05, 0.25, 0.5, 0.9]))
    p = Fraction(float(upper_limit(errors, n, confidence)))
    tail = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(errors + 1))
    assert float(tail) == pytest.approx(confidence, rel=1e-11)


def test_limits_at_the_ends():
    assert upper_limit(0, 1) == 0.75
    np.testing.assert_array_equal(
        upper_limit([0, 1, 2, 1], [9, 9, 9, 9]), [float(upper_limit(e, 9)) for e in (0, 1, 2, 1)]
    )
    assert upper_limit(0, 2) == pytest.approx(0.5, abs=1e-15)
    assert upper_limit(0, 10**12) == pytest.approx(np.log(4) / 1e12, rel=1e-12)
    assert upper_limit(3, 3) == 1.0
    assert upper_limit(0, 0) == 1.0
    assert upper_limit(1, 2) == pytest.approx(np.sqrt(0.75), rel=1e-15)


def test_many_rows_are_near_the_normal_limit():
    for n in (1e5, 1e6, 1e8):
        normal = 0.1 + 0.6744897501960817 * np.sqrt(0.09 / n)
        assert upper_limit(n / 10, n) == pytest.approx(normal, abs=1 / n)


@given(
    st.floats(0, 50, allow_subnormal=False),
    st.floats(1e-3, 50, allow_subnormal=False),
    st.floats(1e-3, 10, allow_subnormal=False),
    st.sampled_from([0.05, 0.25, 0.5]),
)
def test_limits_of_shared_out_rows_lie_between_those_of_whole_ones(errors, right, more, confidence):
    rows = errors + right
    limit, worse, more_right = upper_limit(
        [errors, errors + more, errors], [rows, rows + more, rows + more], confidence
    )
    assert errors / rows < limit or confidence > 0.25
    assert 0 < limit <= 1
    assert limit <= worse * (1 + 1e-12)
    assert limit >= more_right * (1 - 1e-12)
    assert limit <= upper_limit(errors, rows, confidence / 2) * (1 + 1e-12)


@given(st.floats(0.05, 80), st.floats(0.05, 80), st.floats(0, 1))
def test_the_incomplete_beta_function_keeps_its_identities(a, b, x):
    both = regularized_beta(a, b, x) + regularized_beta(b, a, 1 - x)
    assume(1 - (1 - x) == x)
    assert both == pytest.approx(1, abs=1e-12)
    assert regularized_beta(a, 1, x) == pytest.approx(x**a, rel=1e-11, abs=1e-300)
    # I_x(a, b) = x I_x(a - 1, b) + (1 - x) I_x(a, b - 1), for a, b > 1
    mixed = x * regularized_beta(a, b + 1, x) + (1 - x) * regularized_beta(a + 1, b, x)
    assert regularized_beta(a + 1, b + 1, x) == pytest.approx(mixed, rel=1e-10, abs=1e-14)


def test_pessimistic_pruning_refuses_what_it_cannot_count():
    number = grown(Table((nominal("x", "ab"),), numeric("y", [1.0, 2.0]), 2))
    with pytest.raises(CapabilityError, match="'y' is numeric"):
        prune(number, "pessimistic")
    by_hand = Tree.from_dict({"x": {"a": 0, "b": 1}})
    with pytest.raises(CapabilityError, match="made by hand"):
        prune(by_hand, "pessimistic")
    tree = grown(Table((nominal("x", "ab"),), nominal("y", "pq"), 2))
    for bad in (0, 1, -0.5, 25, "0.25", True, float("nan")):
        with pytest.raises(ChoiceError, match="between 0 and 1"):
            prune(tree, "pessimistic", confidence=bad)


@given(tables(max_rows=24), st.sampled_from([0.01, 0.25, 0.9]))
def test_pessimistic_pruning_is_the_best_subtree_by_its_own_measure(table, confidence):
    tree = grown(table)
    assume((~tree.is_leaf).sum() <= 6)

    def estimate(version: Tree) -> float:
        leaves = np.flatnonzero(version.is_leaf)
        return sum(
            n * float(upper_limit(e, n, confidence))
            for n, e in zip(version.weight[leaves], version.losses[leaves], strict=True)
        )

    pruned, decisions = pessimistic.prune(tree, confidence=confidence)
    least = min(estimate(version) for version in prunings(tree))
    assert estimate(pruned) == pytest.approx(least, rel=1e-11)
    assert [d.node for d in decisions] == [n for n in post_order(tree) if not tree.is_leaf[n]]


def post_order(tree: Tree) -> list[int]:
    """Return the nodes, children before parents, first branch first; recursion is fine here."""

    def below(node: int) -> list[int]:
        return [*itertools.chain.from_iterable(map(below, tree.children(node))), node]

    return below(0)


# -- laws of all pruners ------------------------------------------------------------------------


@given(trees_and_validation(weights=whole_weights), st.sampled_from(["cut", "keep"]))
def test_pruning_twice_is_pruning_once_and_gives_a_subtree(pair, ties):
    tree, validation = pair
    before = skeleton(tree)
    for method, options in (
        ("pessimistic", {}),
        ("reduced-error", {"validation": validation, "ties": ties}),
    ):
        once = prune(tree, method, **options)
        twice = prune(once, method, **options)
        assert skeleton(twice) == skeleton(once)
        assert is_subtree(once, tree)
        assert all(d["decision"] == "keep" for d in decisions_of(twice))
        assert len(twice.about["pruning"]) == 2
        assert json.loads(json.dumps(once.about["pruning"])) == once.about["pruning"]
        cut = {d["node"] for d in decisions_of(once) if d["decision"] == "cut"}
        assert skeleton(tree.pruned(cut)) == skeleton(once)
    assert skeleton(tree) == before


@given(trees_and_validation(), st.sampled_from(["cut", "keep"]))
def test_reduced_error_finds_the_most_accurate_subtree_and_its_smallest_version(pair, ties):
    tree, validation = pair
    assume((~tree.is_leaf).sum() <= 6)
    versions = [(correct(t, validation), -t.n_leaves) for t in prunings(tree)]
    pruned = prune(tree, "reduced-error", validation=validation, ties=ties)
    assert correct(pruned, validation) == max(versions)[0]
    if ties == "cut":
        assert -pruned.n_leaves == max(versions)[1]


@given(trees_and_validation(), st.sampled_from(["cut", "keep"]))
def test_every_decision_tells_the_accuracy_of_the_whole_tree(pair, ties):
    tree, validation = pair
    pruned = prune(tree, "reduced-error", validation=validation, ties=ties)
    cut: list[int] = []
    for d in decisions_of(pruned):
        assert d["tree_kept"] == correct(tree.pruned(cut), validation)
        assert d["tree_as_leaf"] == correct(tree.pruned([*cut, d["node"]]), validation)
        assert d["tree_as_leaf"] - d["tree_kept"] == d["as_leaf"] - d["kept"]
        if d["decision"] == "cut":
            cut.append(d["node"])
        better = d["as_leaf"] - d["kept"]
        assert (d["decision"] == "cut") == (better > 0 or (better == 0 and ties == "cut"))
        assert d["rows"] == 0 if d["why"] == "unreached" else d["rows"] > 0


@given(trees_and_validation(regression=True), st.sampled_from(["cut", "keep"]))
def test_numbers_are_pruned_by_their_squared_errors(pair, ties):
    tree, validation = pair
    assume((~tree.is_leaf).sum() <= 5)

    def squares(version: Tree) -> float:
        off = version.predict(validation) - validation.target.numbers()
        return float((off**2).sum())

    pruned = prune(tree, "reduced-error", validation=validation, ties=ties)
    least = min(squares(version) for version in prunings(tree))
    assert squares(pruned) == pytest.approx(least, rel=1e-9, abs=1e-9)
    for d in decisions_of(pruned):
        assert d["kept"] >= 0
        assert d["as_leaf"] >= 0


# -- reduced error, off the beaten path ---------------------------------------------------------


def two_questions() -> Tree:
    x = nominal("x", ["a", "a", "a", "b", "b"])
    z = nominal("z", ["p", "p", "q", "p", "q"])
    return grown(Table((x, z), nominal("y", ["yes", "yes", "no", "no", "no"]), 5))


def test_a_row_that_stops_inside_is_judged_where_it_stops():
    tree = two_questions()
    rows = Table(
        (nominal("x", ["a", "a", "b"]), nominal("z", ["never", None, "p"])),
        nominal("y", ["yes", "yes", "no"]),
        3,
    )
    pruned = prune(tree, "reduced-error", validation=rows, ties="keep")
    inner, root = decisions_of(pruned)
    assert (inner["rows"], inner["kept"], inner["as_leaf"]) == (2, 2, 2)
    assert (root["kept"], root["as_leaf"]) == (3, 1)


def test_a_class_that_training_never_saw_is_always_wrong():
    tree = two_questions()
    rows = Table(
        (nominal("x", ["a", "b"]), nominal("z", ["p", "p"])), nominal("y", ["maybe", "no"]), 2
    )
    pruned = prune(tree, "reduced-error", validation=rows)
    assert decisions_of(pruned)[-1] == {
        "node": 0,
        "rows": 2,
        "kept": 1,
        "as_leaf": 1,
        "tree_kept": 1,
        "tree_as_leaf": 1,
        "decision": "cut",
        "why": "equal",
        "now": 0,
        "is_gone": False,
    }


def test_a_row_that_is_shared_out_counts_in_parts():
    x = nominal("x", ["a", "a", "a", "b"])
    tree = grown(Table((x,), nominal("y", ["yes", "yes", "yes", "no"]), 4), "c4.5-textbook")
    rows = Table((nominal("x", [None, "b"], "ab"),), nominal("y", ["yes", "no"]), 2)
    judge = Engine(rows, "fraction", shares_of="tree")
    pruned, decisions = reduced_error.prune(tree, judge)
    assert decisions[0].kept == 1.75  # three quarters of the first row go to a, one to b
    assert decisions[0].as_leaf == 1
    assert pruned.n_leaves == 2


@st.composite
def trees_grown_with_gaps(draw):
    table = draw(tables(max_rows=24, missing=True))
    half = max(table.n_rows // 2, 1)
    tree = grown(table.take(np.arange(half)), "c4.5-textbook")
    return tree, table.take(np.arange(half, table.n_rows))


@given(trees_grown_with_gaps())
def test_shared_out_rows_keep_their_weight_and_pruning_its_laws(pair):
    tree, validation = pair
    assume(validation.n_rows)
    pruned = prune(tree, "reduced-error", validation=validation, ties="cut")
    assert skeleton(prune(pruned, "reduced-error", validation=validation)) == skeleton(pruned)
    assert is_subtree(pruned, tree)
    for d in decisions_of(pruned):
        assert 0 <= d["kept"] <= d["rows"] * (1 + 1e-12)
        assert 0 <= d["as_leaf"] <= d["rows"] * (1 + 1e-12)


def test_no_validation_row_comes_by():
    tree = two_questions()
    rows = Table((nominal("x", ["b"]), nominal("z", ["p"])), nominal("y", ["no"]), 1)
    for ties, leaves in (("cut", 1), ("keep", 3)):
        pruned = prune(tree, "reduced-error", validation=rows, ties=ties)
        assert [d["why"] for d in decisions_of(pruned)] == ["unreached", "equal"]
        assert pruned.n_leaves == leaves


def test_an_unknown_level_of_an_order_is_not_its_last():
    levels = nominal("size", ["S", "S", "L", "L"], ["S", "L"])
    size = replace(levels, kind="ordered")
    tree = grown(Table((size,), nominal("y", ["no", "no", "yes", "yes"]), 4), "cart-binary")
    rows = Table((nominal("size", ["XL", "L"]),), nominal("y", ["no", "yes"]), 2)
    (decision,) = decisions_of(prune(tree, "reduced-error", validation=rows))
    assert (decision["kept"], decision["as_leaf"]) == (2, 1)  # XL stops at the root: no


# -- pre-pruning --------------------------------------------------------------------------------


@given(
    tables(max_rows=24),
    st.sampled_from(["cut", "keep"]),
    st.sampled_from([{}, {"max_leaves": 5}, {"max_depth": 2}]),
    st.booleans(),
)
def test_a_gate_keeps_only_divisions_that_help(table, ties, limits, binary):
    assume(table.n_rows >= 4)
    train, validation = hold_out(table, 0.5)
    recipe = RECIPES["cart-binary" if binary else "id3"].but(**limits)
    gate = ValidationPrePruner(
        Engine(validation, "refuse", shares_of="tree"), ties=ties, source={"name": "v"}
    )
    tree = grow(Engine(train), recipe, gate)
    (story,) = gate.pruning_records()
    assert story["method"] == "prepruned"
    assert story["options"] == {"ties": ties}
    assert story["validation"] == {"name": "v"}
    kept = [d for d in story["decisions"] if d["decision"] == "keep"]
    assert {d["node"] for d in kept} == set(np.flatnonzero(~tree.is_leaf).tolist())
    assert all(tree.is_leaf[d["node"]] for d in story["decisions"] if d["decision"] == "cut")
    now = correct(tree.pruned([0]), validation)
    for d in story["decisions"]:
        assert d["tree_as_leaf"] == now
        if d["decision"] == "keep":
            assert d["kept"] > d["as_leaf"] or (ties == "keep" and d["kept"] == d["as_leaf"])
            now = d["tree_kept"]
        else:
            assert d["kept"] < d["as_leaf"] or (ties == "cut" and d["kept"] == d["as_leaf"])
    assert now == correct(tree, validation)
    if not limits:
        assert is_subtree(tree, grow(Engine(train), recipe))


def test_a_gate_judges_numbers_by_squares_about_the_training_mean():
    x = nominal("x", ["a", "a", "b", "b"])
    train = Table((x,), numeric("y", [1000.0, 1002.0, 1010.0, 1012.0]), 4)
    validation = Table((x,), numeric("y", [1001.0, 1001.0, 1011.0, 1011.0]), 4)
    gate = ValidationPrePruner(Engine(validation, "refuse", shares_of="tree"))
    tree = grow(Engine(train), RECIPES["id3"].fits(train), gate)
    (decision,) = gate.decisions
    assert (decision.kept, decision.as_leaf) == (0, 100)
    assert tree.n_leaves == 2
    assert gate.pruning_records()[0]["measure"] == "squares"


def test_a_gate_may_have_rows_without_an_answer_and_levels_without_a_place():
    size = replace(nominal("size", ["S", "M", "L", "L"]), kind="ordered")
    train = Table((size,), nominal("y", ["a", "a", "b", "b"]), 4)
    rows = Table((nominal("size", ["XL", "S", "L"]),), nominal("y", ["a", None, "b"]), 3)
    gate = ValidationPrePruner(Engine(validation_rows(train, rows), "refuse", shares_of="tree"))
    grow(Engine(train), RECIPES["cart-binary"], gate)
    (decision,) = gate.decisions
    assert (decision.rows, decision.kept, decision.as_leaf) == (2, 2, 1)


def test_words_for_ties_are_checked():
    tree = two_questions()
    rows = Table((nominal("x", "a"), nominal("z", "p")), nominal("y", ["no"]), 1)
    with pytest.raises(ChoiceError, match=r"ties must be one of .*got 'maybe'"):
        prune(tree, "reduced-error", validation=rows, ties="maybe")
    with pytest.raises(ChoiceError, match=r"ties must be one of .*got 'kep'. Did you mean 'keep'"):
        ValidationPrePruner(Engine(rows), ties="kep")


# -- the way in ---------------------------------------------------------------------------------


def test_wrong_options_are_told():
    tree = two_questions()
    rows = Table((nominal("x", "a"), nominal("z", "p")), nominal("y", ["no"]), 1)
    with pytest.raises(
        ChoiceError, match=r"unknown pruning method 'reduced'.*Did you mean 'reduced-error'"
    ):
        prune(tree, "reduced")
    with pytest.raises(ChoiceError, match="'reduced-error' pruning needs a validation set"):
        prune(tree, "reduced-error")
    with pytest.raises(ChoiceError, match="and no validation set"):
        prune(tree, "pessimistic", validation=rows)
    with pytest.raises(ChoiceError, match=r"'tie' is not an option of 'reduced-error'.*\n.*'ties'"):
        prune(tree, "reduced-error", validation=rows, tie="keep")
    with pytest.raises(ChoiceError, match="does not keep its training rows"):
        prune(tree, "reduced-error", validation=0.3)
    with pytest.raises(DataError, match="has no column 'y'"):
        prune(tree, "reduced-error", validation=replace(rows, target=None))


def test_the_record_says_who_decided(tmp_path):
    tree = two_questions()
    path = tmp_path / "held-out.csv"
    path.write_text("x,z,y\na,p,yes\nb,q,no\n", encoding="utf-8")
    pruned = prune(tree, "reduced-error", validation=path)
    (record,) = pruned.about["pruning"]
    assert record["method"] == "reduced-error"
    assert record["options"] == {"ties": "cut"}
    assert record["measure"] == "correct"
    assert record["validation"]["name"] == "held-out.csv"
    assert len(record["validation"]["sha256"]) == 64
    assert record["validation"]["n_rows"] == 2


def test_a_deep_chain_is_pruned_without_recursion():
    deep = 20_000
    nested: object = "end"
    for i in range(deep, 0, -1):
        nested = {"x": {f"<= {i}": "here", f"> {i}": nested}}
    tree = replace(Tree.from_dict(nested, "y"), about={})
    assert tree.prune("pessimistic").n_nodes < tree.n_nodes
    rows = Table((numeric("x", [3.5, 9.0]),), nominal("y", ["end", "end"]), 2)
    assert tree.prune("reduced-error", validation=rows, ties="keep").depth == deep
    assert tree.prune("reduced-error", validation=rows).depth == 0


def test_raising_branches_of_a_deep_chain_counts_only_the_rows_that_move():
    table = chain_table(2500)
    tree = penjing.fit(table, recipe="cart-textbook")
    assert tree.depth > 1000
    seconds = []
    for options in ({"training": table}, {"raise_branches": False}):
        start = time.process_time()
        assert tree.prune("error-based", **options).n_nodes < tree.n_nodes
        seconds.append(time.process_time() - start)
    assert seconds[0] < 50 * seconds[1]  # it was 1,000 times as long


@pytest.mark.parametrize(
    ("method", "options", "key"),
    [
        ("cost-complexity", {"cp": 0.1, "alpha": 3.0}, "settings_clash"),
        ("mdl", {"confidence": 0.3}, "no_options"),
    ],
)
def test_options_that_clash_or_say_nothing_are_refused(method, options, key):
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="rpart", minsplit=2)
    with pytest.raises(ChoiceError) as error:
        tree.prune(method, **options)
    assert error.value.key == key


# -- the fold and the weakest links ------------------------------------------------------------


def _random_tree(seed, *, regression=False, recipe="cart-binary"):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    z = rng.normal(size=(n, 3)).round(1)
    columns = (
        *(numeric(f"x{j}", z[:, j]) for j in (0, 1)),
        nominal("c", (z[:, 2] * 2).astype(int)),
    )
    score = z[:, 0] + z[:, 1] * (z[:, 2] > 0) + rng.normal(size=n)
    target = (
        numeric("y", score.round(2)) if regression else nominal("y", np.digitize(score, [-1, 1]))
    )
    weight = rng.integers(1, 9, n) / 10 if seed % 3 == 0 else None
    return penjing.fit(Table(columns, target, n, weight=weight), recipe=recipe)


def _path_by_definition(tree, by):
    """Weakest links with all rates computed anew for every step."""
    order = list(tree.walk())
    position = {node: i for i, node in enumerate(order)}
    parent = [position.get(int(tree.nodes.parent[node]), -1) for node in order]
    own = cost_of(tree, by)[order].tolist()
    is_inner = [not tree.is_leaf[node] for node in order]
    below, n_leaves = [0.0] * len(order), [0] * len(order)
    for i in (i for i, inner in enumerate(is_inner) if not inner):
        ancestor = i
        while ancestor >= 0:
            below[ancestor] += own[i]
            n_leaves[ancestor] += 1
            ancestor = parent[ancestor]
    links = [(0.0, -1, below[0], n_leaves[0])]
    while is_inner[0]:
        inner = [i for i, yes in enumerate(is_inner) if yes]
        weakest = min(inner, key=lambda i: ((own[i] - below[i]) / (n_leaves[i] - 1), i))
        rate = (own[weakest] - below[weakest]) / (n_leaves[weakest] - 1)
        added, removed = own[weakest] - below[weakest], n_leaves[weakest] - 1
        is_inner[weakest] = False
        for i in range(weakest + 1, len(order)):
            is_inner[i] = is_inner[i] and weakest not in _ancestors(parent, i)
        below[weakest], n_leaves[weakest] = own[weakest], 1
        for ancestor in _ancestors(parent, weakest):
            below[ancestor] += added
            n_leaves[ancestor] -= removed
        links.append((rate, order[weakest], below[0], n_leaves[0]))
    return links


def _ancestors(parent, i):
    found = []
    while parent[i] >= 0:
        i = parent[i]
        found.append(i)
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("by", ["errors", "impurity"])
def test_weakest_links_are_those_of_the_definition(seed, by):
    tree = _random_tree(seed, regression=bool(seed % 2))
    links = [(k.alpha, k.node, k.cost, k.n_leaves) for k in pruning_path(tree, by)]
    assert links == _path_by_definition(tree, by)


@pytest.mark.parametrize("seed", range(6))
def test_orders_of_nodes(seed):
    tree = _random_tree(seed, recipe="id3")
    assert preorder(tree).tolist() == list(tree.walk())
    nodes = inner_nodes_bottom_up(tree)
    assert sorted(nodes) == np.flatnonzero(~tree.is_leaf).tolist()
    last_first = []  # postorder is the reverse of a preorder that visits the last branch first
    stack = [0]
    while stack:
        node = stack.pop()
        last_first.append(node)
        stack.extend(tree.children(node))
    assert nodes == [node for node in reversed(last_first) if not tree.is_leaf[node]]


@pytest.mark.parametrize("seed", range(6))
def test_a_fold_adds_up_the_costs_of_what_is_left(seed):
    tree = _random_tree(seed)
    rng = np.random.default_rng(seed)
    as_leaf, own = rng.random(len(tree.nodes)), rng.random(len(tree.nodes))
    decided = {}

    def is_cut(node, kept):
        assert all(child in decided or tree.is_leaf[child] for child in tree.children(node))
        decided[node] = bool(as_leaf[node] <= kept)
        return decided[node]

    def cost(node):
        if tree.is_leaf[node] or decided[node]:
            return as_leaf[node]
        return own[node] + sum(cost(child) for child in tree.children(node))

    whole = own[~tree.is_leaf].sum() + as_leaf[tree.is_leaf].sum()
    fold = fold_bottom_up(tree, as_leaf, is_cut, tree_cost=whole, own=own)
    pruned, decisions = fold.apply(tree, tree.weight)
    assert [d.node for d in decisions] == inner_nodes_bottom_up(tree)
    last = decisions[-1]
    assert last.node == 0
    assert min(last.kept, last.as_leaf) == pytest.approx(cost(0))
    assert pruned.n_leaves == tree.pruned([n for n, cut in decided.items() if cut]).n_leaves


@pytest.mark.parametrize("recipe", ["c4.5", "c4.5-textbook", "cart-binary"])
def test_fit_prunes_by_estimated_errors_with_the_rows_that_it_has(recipe):
    table = penjing.example("golf")
    tree = penjing.fit(table, recipe=recipe, prune="error-based", quiet=True)
    again = prune(penjing.fit(table, recipe=recipe, quiet=True), "error-based", training=table)
    assert str(tree) == str(Tree.from_data(again))


def test_a_classifier_prunes_by_estimated_errors():
    x, y = [[i, i % 3] for i in range(40)], ["a"] * 19 + ["b"] * 21
    model = penjing.ID3Classifier(prune="error-based").fit(x, y)
    assert model.predict([[3, 0], [30, 0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("method", plugins("pruner"))
def test_a_tree_of_a_table_without_columns_is_a_root_that_stays(method):
    table = read([["p"], ["q"], ["q"]], "y", names=["y"])
    tree = penjing.fit(table, recipe="id3", quiet=True)
    options = {
        "reduced-error": {"validation": table}, "cost-complexity": {"alpha": 0.5},
        "error-based": {"training": table},
    }  # fmt: skip
    assert tree.prune(method, **options.get(method, {})).n_nodes == 1


@pytest.mark.parametrize("recipe", ["c4.5", "j48", "c4.5-textbook", "id3"])
@pytest.mark.parametrize("engine", ["native", "memory"])
def test_groups_of_categories_stay_whole_in_error_based_pruning(recipe, engine):
    rows = penjing.read("example:golf")
    tree = penjing.fit(
        rows, recipe=recipe, engine=engine, prune="error-based", quiet=True,
        force_splits={"": {"outlook": [["sunny"], ["overcast", "rain"]]}},
    )  # fmt: skip
    assert tree.weight[1:3].tolist() == [5, 9]
    assert_leaves_count_the_rows(tree, rows)


@given(tables(max_rows=40), st.booleans())
def test_groups_of_c50_stay_whole_in_error_based_pruning(table, raising):
    settings = {"prune": "error-based", "raise_branches": raising, "quiet": True}
    tree = penjing.fit(table, recipe="c5.0", **settings)
    assert_leaves_count_the_rows(tree, table)


def assert_leaves_count_the_rows(tree, rows):
    """The rows that a tree predicts correctly are those that its leaves count."""
    leaves = tree.nodes.total[tree.is_leaf]
    correct = leaves[np.arange(len(leaves)), tree.values[tree.is_leaf].astype(int)].sum()
    assert tree.score(rows).accuracy == pytest.approx(correct / tree.nodes.total[0].sum())


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook"])
def test_branches_for_missing_values_are_pruned_but_not_raised(recipe, tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    values = np.where(rng.random(60) < 0.3, np.nan, rng.integers(0, 5, 60) + y)
    kinds = [None if rng.random() < 0.3 else "uvw"[k] for k in rng.integers(0, 3, 60)]
    table = Table((numeric("x", values), nominal("c", kinds)), nominal("y", y.tolist()), 60)
    settings = {"recipe": recipe, "missing": "branch", "quiet": True}
    whole = penjing.fit(table, **settings)
    with pytest.raises(CapabilityError, match="raise_branches=False"):
        penjing.fit(table, prune="error-based", **settings)
    with pytest.raises(CapabilityError, match="missing='branch'"):
        whole.prune("error-based", training=table)
    small = whole.prune("error-based", raise_branches=False, confidence=0.05)
    assert small.n_leaves < whole.n_leaves
    assert_leaves_count_the_rows(small, table)
    small.save(tmp_path / "small.tree")
    assert skeleton(load(tmp_path / "small.tree")) == skeleton(small)
