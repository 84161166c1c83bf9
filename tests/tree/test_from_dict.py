"""Trees written by hand: a nested dict becomes a tree, or a sentence says why it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.errors import DataError
from penjing.text.labels import answer_text, branch_text
from strategies import tables

SIZES = {"size": {("S", "M"): "no", "L": {"colour": {"red": "yes", "blue": "no"}}}}


@pytest.mark.parametrize(
    "plain",
    [
        "no",
        0,
        True,
        {"x": {"<= 0.3815": "no", "> 0.3815": {"x": {"<= 1e+300": "yes", "> 1e+300": "no"}}}},
        {"x": {("<= 5",): "no", ("> 5",): "yes"}},  # levels that look like a cut
        {"a": {0: {"a": {0: "no", 1: "yes"}}, 1: "yes"}},
        {"a": {1: 0.5, 2: 1.5}},
        SIZES,
    ],
)
def test_a_dict_comes_back(plain):
    tree = Tree.from_dict(plain)
    again = Tree.from_dict(tree.to_dict())
    assert again == tree
    assert again.to_dict() == tree.to_dict()
    assert tree.to_dict() == plain


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        (("<= 5", "> 6"), "dict_bad_cut"),
        (("<= M", "> M"), "dict_no_order"),
        (("<= inf", "> inf"), "dict_no_order"),
        (("<= 2", "<= 5", "> 5"), "dict_bad_cut"),
        (("<= 5",), "dict_one_side"),
        (("＞5",), "dict_one_side"),
    ],
)
def test_levels_that_look_like_a_cut_are_levels_only_in_tuples(keys, key):
    answers = ("no", "yes", "maybe")
    with pytest.raises(DataError) as caught:
        Tree.from_dict({"x": dict(zip(keys, answers, strict=False))})
    assert caught.value.key == key
    tree = Tree.from_dict({"x": {(k,): a for k, a in zip(keys, answers, strict=False)}})
    assert tree.schema[0].levels == keys
    assert tree.to_dict() == {"x": {(k,): a for k, a in zip(keys, answers, strict=False)}}
    assert Tree.from_dict(tree.to_dict()) == tree


def test_ages_of_a_textbook_are_categories():
    ages = {"<=30": "no", "31…40": "yes", ">40": {"credit": {"fair": "yes", "excellent": "no"}}}
    tree = Tree.from_dict({"age": ages})
    assert tree.schema[0].levels == ("<=30", "31…40", ">40")


def test_the_order_of_an_ordinal_column_makes_a_threshold():
    schema = {"size": {"ordinal": ["S", "M", "L"]}}
    by_side = Tree.from_dict({"size": {"<= M": "a", "> M": "b"}}, schema=schema)
    by_group = Tree.from_dict({"size": {("S", "M"): "a", "L": "b"}}, schema=schema)
    assert by_side == by_group
    assert (by_side.schema[0].kind, by_side.nodes.cut[0]) == ("ordered", 1.0)
    assert by_side.predict([{"size": s} for s in "SML"]).tolist() == ["a", "a", "b"]
    odd = Tree.from_dict({"size": {("S", "L"): "a", "M": "b"}}, schema=schema)
    assert odd.schema[0].kind == "nominal"


def test_floats_at_leaves_are_numbers(tmp_path):
    tree = Tree.from_dict({"x": {"<= 2": 0.5, "> 2": 3.0}}, target="y")
    assert tree.is_regression
    assert tree.predict([{"x": 1}, {"x": 3}]).tolist() == [0.5, 3.0]
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree
    assert not Tree.from_dict({"x": {"<= 2": 0, "> 2": 1}}).is_regression
    assert not Tree.from_dict({"x": {"<= 2": 0.5, "> 2": "no"}}).is_regression


def test_a_group_of_levels_is_one_branch():
    tree = Tree.from_dict(SIZES)
    assert tree.n_nodes == 5
    assert tree.schema[0].levels == ("S", "M", "L")
    assert str(tree).splitlines()[0] == "size in {S, M}: no"


def test_a_cut_may_be_written_in_either_order():
    down = Tree.from_dict({"x": {"> 5": "b", "<= 5": "a"}})
    assert down == Tree.from_dict({"x": {"<= 5": "a", "> 5": "b"}})
    assert down.to_dict() == {"x": {"<= 5.0": "a", "> 5.0": "b"}}
    assert down.schema[0].is_numeric


def test_numbers_of_numpy_become_plain_ones(tmp_path):
    tree = Tree.from_dict({"a": {np.int64(0): np.str_("no"), np.float64(1.5): np.bool_(True)}})
    assert [type(level) for level in tree.schema[0].levels] == [int, float]
    assert [type(class_) for class_ in tree.classes] == [str, bool]
    tree.save(tmp_path / "tree")


def test_each_leaf_stands_for_one_row_and_no_count_is_printed():
    tree = Tree.from_dict({"a": {0: "no", 1: {"b": {0: "no", 1: "yes"}}}}, target="fish")
    assert tree.nodes.total.tolist() == [[2, 1], [1, 0], [1, 1], [1, 0], [0, 1]]
    assert not tree.has_counts
    assert "(" not in str(tree)
    assert tree.target.name == "fish"
    assert "by hand" in repr(tree)


def test_many_columns_take_no_longer_than_few():
    chain: object = "end"
    for i in range(20_000):
        chain = {f"column {i}": {0: "no", 1: chain}}
    tree = Tree.from_dict(chain)
    assert tree.depth == 20_000
    assert len(tree.schema) == 20_000


@pytest.mark.parametrize(
    ("plain", "key"),
    [
        (None, "dict_not_a_tree"),
        ([], "dict_not_a_tree"),
        ({}, "dict_not_a_tree"),
        ({"a": {}}, "dict_not_a_tree"),
        ({"a": "no"}, "dict_not_a_tree"),
        ({"a": {0: "no"}, "b": {0: "no"}}, "dict_not_a_tree"),
        ({"a": {0: ["no"]}}, "dict_not_a_tree"),
        ({"a": {0: None}}, "dict_not_a_tree"),
        ({"a": {0: math.nan}}, "dict_not_a_tree"),
        ({"a": {0: {"b": {}}}}, "dict_not_a_tree"),
        ({"a": {None: "no"}}, "dict_bad_level"),
        ({"a": {math.inf: "no"}}, "dict_bad_level"),
        ({"a": {(): "no"}}, "dict_bad_level"),
        ({"a": {((0,), 1): "no"}}, "dict_bad_level"),
        ({"a": {frozenset([0]): "no"}}, "dict_bad_level"),
        ({"a": {(0, 1): "no", 1: "yes"}}, "dict_level_twice"),
        ({"a": {(0, 0): "no"}}, "dict_level_twice"),
        (
            {"a": {"<= 1.0": "no", "> 1.0": {"a": {"x": "no", "y": "yes"}}}},
            "dict_mixed_column",
        ),
    ],
)
def test_what_is_no_tree_is_refused_in_a_sentence(plain, key):
    with pytest.raises(DataError) as caught:
        Tree.from_dict(plain)
    assert caught.value.key == key
    assert str(caught.value).endswith(".")


SIDES = [
    ("<= 0.3815", "> 0.3815"), ("<=0.3815", ">0.3815"), ("≤ 0.3815", "> 0.3815"),
    ("≤0.3815", ">0.3815"), ("< 0.3815", ">= 0.3815"), ("<0.3815", "≥ 0.3815"),
    ("＜＝ 0.3815", "＞ 0.3815"), ("≦０．３８１５", "＞０．３８１５"),
    ("  <=  0.3815 ", "> 0.38150"),
    ("=< 0.3815", "> 3815e-4"), ("密度 ≤ 0.3815", "密度 > 0.3815"), ("密度<0.3815", "密度≥0.3815"),
]  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sides", SIDES)
def test_every_way_to_write_a_threshold_is_one(sides, turned):
    arms = dict(zip(sides, ("否", "是"), strict=True))
    plain = {"密度": dict(reversed(arms.items())) if turned else arms}
    tree = Tree.from_dict(plain, target="好瓜")
    assert tree.schema[0].is_numeric
    assert tree.score(penjing.example("watermelon3.0")).correct == 12
    at = tree.predict([{"密度": 0.3815}, {"密度": 0.38150001}]).tolist()
    is_open = "≥" in "".join(sides) or ">=" in "".join(sides)
    assert at == (["是", "是"] if is_open else ["否", "是"])
    assert str(tree).splitlines()[0] == f"密度 {'<' if is_open else '≤'} 0.3815: 否"


def test_known_or_missing_is_a_question(tmp_path):
    numbers = {"a": {"≤ 3": "x", "> 3": "y"}}
    tree = Tree.from_dict({"a": {"= ?": "z", "≠ ?": numbers}})
    assert tree.predict([{"a": None}, {"a": 2}, {"a": 5}]).tolist() == ["z", "x", "y"]
    below = Tree.from_dict({"b": {"u": "z", "v": {"a": {"≠ ?": "q", "= ?": "z"}}}})
    rows = [{"b": "v", "a": value} for value in ("u", 1, None)]
    assert below.predict(rows).tolist() == ["q", "q", "z"]
    words = Tree.from_dict({"a": {"!=?": "q", "=?": "z"}})
    assert words.predict([{"a": None}, {"a": "u"}, {"a": "v"}]).tolist() == ["z", "q", "q"]
    turned = Tree.from_dict({"a": {"=?": "z", "!=?": {"b": {"≠?": "q", "=?": "r"}}}})
    pairs = [("u", 1), ("v", None), (None, 1)]
    assert turned.predict([{"a": a, "b": b} for a, b in pairs]).tolist() == ["q", "r", "z"]
    for made in (tree, words):
        assert Tree.from_dict(made.to_dict()) == made
        made.save(tmp_path / "tree")
        assert penjing.load(tmp_path / "tree") == made


@pytest.mark.parametrize("keys", [("<5", ">5"), ("<= 5", ">= 5"), ("≥5", "≤5"), (">5", "<5.0")])
def test_sides_that_do_not_divide_the_numbers_are_refused(keys):
    with pytest.raises(DataError) as caught:
        Tree.from_dict({"x": dict(zip(keys, "ab", strict=True))})
    assert caught.value.key == "dict_bad_cut"
    assert Tree.from_dict({"x": {(keys[0],): "a", (keys[1],): "b"}}).schema[0].levels == keys


def printed(tree: Tree, key) -> object:
    """Return the nested dict of a tree with the branches as they are printed."""
    made: dict[int, object] = {}
    for node in reversed(range(tree.n_nodes)):
        if tree.is_leaf[node]:
            made[node] = tree.answer(node)
            continue
        name = tree.schema[int(tree.nodes.column[node])].name
        made[node] = {
            name: {key(tree, node, b, c): made[c] for b, c in enumerate(tree.children(node))}
        }
    return made[0]


def test_a_level_may_begin_with_a_sign():
    tree = Tree.from_dict({"age": {"=<30": "n", "=31-40": "y", "=>40": "y"}})
    assert tree.schema[0].levels == ("<30", "31-40", ">40")
    pair = Tree.from_dict({"age": {"=<30": "n", "=a": "y"}})
    assert pair.predict([{"age": "<30"}, {"age": "a"}]).tolist() == ["n", "y"]
    assert Tree.from_dict({"age": {"=<30": "n", ">30": "y"}}).nodes.cut[0] == 30


FORMS = {
    "drawn": lambda tree, node, b, _: answer_text(tree, node, b),
    "plain": lambda tree, node, b, _: answer_text(tree, node, b, ascii_only=True),
    "named": lambda tree, _node, _b, child: branch_text(tree, child),
    "close": lambda tree, node, b, _: answer_text(tree, node, b).replace(" ", "", 1),
}


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("id3", {}), ("c4.5-textbook", {}), ("cart-textbook", {}), ("cart-binary", {}),
        ("id3", {"missing": "branch"}), ("cart-binary", {"missing": "branch"}),
        ("c4.5", {"min_branch": 1, "pruning": "none", "precision": "double"}),
        ("j48", {"min_branch": 1}),
        ("rpart", {"minsplit": 2, "minbucket": 1, "cp": 0.0}), ("c5.0", {"min_branch": 1}),
        ("sklearn", {"precision": "double"}),
    ],
)  # fmt: skip
@given(data=st.data())
def test_a_printed_tree_is_read_as_the_tree(recipe, settings, data):
    own = settings.get("missing") == "branch"
    kinds = ("numeric",) if recipe == "sklearn" else ("nominal", "numeric")
    table = data.draw(tables(kinds=kinds, missing=own))
    tree = penjing.fit(table, recipe=recipe, **settings)
    forms = [tree.to_dict(), *(printed(tree, key) for key in FORMS.values())]
    for plain in forms if tree.n_nodes > 1 else ():
        again = Tree.from_dict(plain, target="class")
        known = {field.name: set(field.levels) for field in tree.schema}
        if any(0 < len(field.levels) < len(known[field.name]) for field in again.schema):
            continue  # a level that the dict does not name stops where it is asked about
        assert again.predict(table).tolist() == tree.predict(table).tolist(), plain
