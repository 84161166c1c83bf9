"""Two trees side by side: where they part, and on which rows."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.evaluate.compare import compare, differences
from penjing.evaluate.comparison_text import difference_text
from penjing.text.labels import answer_text
from strategies import grown, tables

DAYS = [
    *(("sun", "high", "middle", "no", 0), ("sun", "high", "middle", "yes", 0)),
    *(("cloud", "high", "high", "no", 1), ("rain", "high", "high", "no", 1)),
    *(("rain", "low", "high", "no", 0), ("sun", "middle", "middle", "yes", 1)),
    ("cloud", "middle", "high", "yes", 0),
]
SOURCES_TREE = {
    "temperature": {
        "high": {"weather": {"sun": 0, "cloud": 1, "rain": 1}},
        "low": 0,
        "middle": {"humidity": {"middle": 1, "high": 0}},
    }
}


def basketball() -> Table:
    names = ("weather", "temperature", "humidity", "windy", "play")
    *columns, play = (nominal(n, c) for n, c in zip(names, zip(*DAYS, strict=True), strict=True))
    return Table(tuple(columns), play, len(DAYS))


def test_basketball_differs_from_its_source_in_one_tie():
    table = basketball()
    ours, theirs = grown(table), Tree.from_dict(SOURCES_TREE, target="play")
    assert theirs.predict(table).tolist() == table.target.values()
    told = compare(ours, theirs, {"days": table}, names=("ours", "source"))
    assert not told.same
    (difference,) = told.differences
    assert difference["path"] == [{"column": "temperature", "levels": ["middle"]}]
    assert difference["kind"] == "column"
    assert difference["a"]["column"] == "weather"
    assert difference["b"]["column"] == "humidity"
    assert difference["tie"] == 1.0
    assert told.rows == {"days": []}
    assert [t["tables"]["days"]["correct"] for t in told.trees] == [7, 7]
    assert json.loads(json.dumps(told)) == told == told.to_dict()
    with pytest.warns(DeprecationWarning, match=r"compare\(…\).same"):
        assert not told["same"]
    # The tie stands in the tree that was grown, whichever comes first.
    (turned,) = differences(theirs, ours)
    assert (turned["kind"], turned["tie"]) == ("column", 1.0)
    # What is not a tie is not called one.
    forgotten = replace(ours, about={**ours.about, "ties": []})
    assert next(differences(forgotten, theirs))["tie"] is None


@given(tables(max_rows=20), st.sampled_from(["id3", "cart-binary"]))
def test_a_tree_is_the_same_as_itself_and_as_its_dict(table, recipe):
    tree = grown(table, recipe)
    assert list(differences(tree, tree)) == []
    rewritten = Tree.from_dict(tree.to_dict(), target=tree.target.name)
    assert list(differences(tree, rewritten)) == []
    assert list(differences(rewritten, tree)) == []


@given(tables(max_rows=20, missing=True), st.booleans(), st.booleans())
def test_trees_without_a_difference_answer_alike(table, one, other):
    trees = [
        grown(table, "id3" if binary else "cart-binary", missing="fraction", max_depth=2)
        for binary in (one, other)
    ]
    told = compare(*trees, {"rows": table})
    answers = [tree.predict(table) for tree in trees]
    assert [r["row"] - 1 for r in told.rows["rows"]] == np.flatnonzero(
        answers[0] != answers[1]
    ).tolist()
    if told.same:
        assert told.rows["rows"] == []
    for tree, entry in zip(trees, told.trees, strict=True):
        assert entry["tables"]["rows"]["correct"] == tree.score(table).correct
        assert (entry["leaves"], entry["depth"]) == (tree.n_leaves, tree.depth)


@given(tables(max_rows=20), st.data())
def test_a_pruned_tree_differs_where_it_was_cut(table, data):
    tree = grown(table)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    cut = data.draw(st.lists(st.sampled_from(inner), unique=True)) if inner else []
    top = {node for node in cut if not set(tree.path(node)[:-1]) & set(cut)}
    found = list(differences(tree, tree.pruned(cut)))
    assert {d["nodes"][0] for d in found} == top
    assert all(d["kind"] == "leaf" and d["b"] == tree.answer(d["nodes"][0]) for d in found)


@pytest.mark.parametrize(
    ("a", "b", "kind", "path"),
    [
        ({"x": {"<= 1": 0, "> 1": 1}}, {"x": {"<= 2": 0, "> 2": 1}}, "cut", []),
        ({"x": {"<= 1": 0, "> 1": 1}}, {"x": {"p": 0, "q": 1}}, "groups", []),
        ({"x": {("p", "q"): 0, "r": 1}}, {"x": {"p": 0, ("q", "r"): 1}}, "groups", []),
        ({"x": {("p", "q"): 0, "r": 1}}, {"x": {"p": 0, "q": 0, "r": 1}}, "groups", []),
        ({"x": {"p": 0, "q": 1}}, {"z": {"p": 0, "q": 1}}, "column", []),
        ({"x": {"p": 0, "q": 1}}, 0, "leaf", []),
        (0, 1, "answer", []),
        (
            {"x": {"p": 0, "q": {"z": {"<= 1": 0, "> 1": 0}}}},
            {"x": {"q": {"z": {"<= 1": 0, "> 1": 1}}, "p": 0}},
            "answer",
            [
                {"column": "x", "levels": ["q"]},
                {"column": "z", "cut": 1.0, "side": ">", "text": "> 1"},
            ],
        ),
        # A level that one of them has no branch for: it answers as its node, 0.
        (
            {"x": {"p": 0, "q": 0, "r": 1}},
            {"x": {"p": 0, "q": 0}},
            "answer",
            [{"column": "x", "levels": ["r"]}],
        ),
        (
            {"x": {"p": 0, "q": 0}},
            {"x": {"p": 0, "q": 0, "r": 1}},
            "answer",
            [{"column": "x", "levels": ["r"]}],
        ),
    ],
)
def test_what_two_trees_can_differ_in(a, b, kind, path):
    (found,) = differences(Tree.from_dict(a), Tree.from_dict(b))
    assert (found["kind"], found["path"], found["tie"]) == (kind, path, None)


def test_the_same_in_other_words():
    a = Tree.from_dict({"x": {0: "no", 1: {"z": {("p", "q"): "yes", "r": "no"}}}})
    b = Tree.from_dict({"x": {"1": {"z": {"r": "no", ("q", "p"): "yes"}}, "0": "no"}})
    assert compare(a, b).same
    # A branch of the parent's own answer is no difference from no branch at all.
    c = Tree.from_dict({"x": {"p": 0, "q": 0, "r": 0, "s": 1}})
    d = Tree.from_dict({"x": {"p": 0, "q": 0, "s": 1}})
    assert compare(c, d).same


def test_a_level_parted_from_its_group_by_the_other_tree():
    a = Tree.from_dict({"x": {("p", "q"): {"z": {0: 0, 1: 1}}, "r": 1}})
    # The other knows q, though not here.
    b = Tree.from_dict({"x": {"p": {"z": {0: 0, 1: 1}}, "r": {"x": {"q": 1, "r": 1}}}})
    (found,) = differences(a, b)
    assert found["kind"] == "groups"


def test_rows_that_are_answered_differently_are_named():
    a, b = (
        Tree.from_dict({"x": {"p": 1, "q": 2}}, "y"),
        Tree.from_dict({"x": {"p": 1, "q": 1}}, "y"),
    )
    table = Table(
        (nominal("x", "pqq"),), nominal("y", [1, 2, 1]), 3, row_numbers=np.array([4, 6, 9])
    )
    told = compare(a, b, {"t": table})
    assert told.rows["t"] == [{"row": 6, "answers": [2, 1]}, {"row": 9, "answers": [2, 1]}]
    assert [t["tables"]["t"] for t in told.trees] == [
        {"n": 3, "weight": 3, "correct": 2},
        {"n": 3, "weight": 3, "correct": 2},
    ]
    unlabelled = compare(a, b, {"t": [{"x": "q"}, {"x": "p"}]})
    assert unlabelled.rows["t"] == [{"row": 1, "answers": [2, 1]}]
    assert unlabelled.trees[0]["tables"]["t"] == {"n": 2}


def test_a_source_is_read_once_for_both():
    a = Tree.from_dict({"x": {"p": "no", "q": "yes"}}, "y")
    b = Tree.from_dict({"z": {"<= 3": "no", "> 3": "yes"}}, "y")

    class Once:
        name = "once"
        data: bytes | None = b"x,z,y\np,1,no\nq,2,yes\np,9,yes\n"

        def read(self) -> bytes:
            data, self.data = self.data, None
            assert data is not None, "read twice"
            return data

    told = compare(a, b, {"t": Once()})
    assert [t["tables"]["t"]["correct"] for t in told.trees] == [2, 2]
    assert [r["row"] for r in told.rows["t"]] == [2, 3]


def test_numbers_are_compared_too_but_not_with_classes():
    x = nominal("x", "aabb")
    table = Table((x,), numeric("y", [1.0, 2.0, 5.0, 6.0]), 4)
    tree = grown(table)
    told = compare(tree, tree.pruned([0]), {"t": table})
    assert [t["tables"]["t"]["squares"] for t in told.trees] == [1.0, 17.0]
    assert len(told.rows["t"]) == 4
    assert told.rows["t"][0]["answers"] == [1.5, 3.5]
    with pytest.raises(ChoiceError, match="cannot be compared"):
        compare(tree, Tree.from_dict({"x": {"a": 0, "b": 1}}))


def test_deep_chains_are_compared_without_recursion():
    deep = 5_000
    nested: object = "end"
    for i in range(deep, 0, -1):
        nested = {"x": {f"<= {i}": "here", f"> {i}": nested}}
    tree = Tree.from_dict(nested)
    assert list(differences(tree, tree)) == []
    (found,) = differences(tree, tree.pruned([len(tree.nodes) - 3]))
    assert len(found["path"]) == deep - 1


def test_thresholds_are_printed_as_in_the_trees():
    x = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    parts = (numeric("fare", [v / 3 for v in x]), numeric("age", [v / 7 for v in x]))
    first = penjing.fit(Table(parts, nominal("y", [*"aaabbbcc"]), 8), recipe="cart-binary")
    second = penjing.fit(Table(parts, nominal("y", [*"aaaabbcc"]), 8), recipe="cart-binary")
    third = penjing.fit(Table(parts, nominal("y", [*"aaabbbbc"]), 8), recipe="cart-binary")
    pairs = 0
    for a, b in ((first, second), (first, third), (second, third)):
        compared = compare(a, b, {}, names=("A", "B"))
        text = compared.text()
        assert re.search(r"\d{8}", text) is None
        for part in compared.differences:
            for step in part["path"]:
                assert f"{step['column']} {step['text']}" in text
            if part["kind"] == "cut":
                for tree, node, side in zip((a, b), part["nodes"], "ab", strict=True):
                    pairs += 1
                    assert part[side]["text"] == answer_text(tree, node, 0)
                    assert f"fare {part[side]['text']}" in text
    assert pairs > 0


def test_thresholds_that_print_alike_are_printed_with_all_digits():
    target = nominal("y", [*"aaabbb"])
    trees = [
        penjing.fit(
            Table((numeric("x", [0.1, 0.2, 0.31, *above]),), target, 6), recipe="cart-binary"
        )
        for above in ([0.4711111111113, 1, 2], [0.4711111111117, 1, 2])
    ]
    (found,) = differences(*trees)
    assert found["kind"] == "cut"
    assert found["a"]["text"] == found["b"]["text"]
    text = difference_text(found, ("A", "B"), "en")
    assert "0.39055555555565" in text
    assert "0.39055555555585" in text


ROWS_OF_A_TIE = [
    ("p", "u", "k", "a"),
    ("p", "u", "l", "b"),
    ("q", "v", "k", "c"),
    ("q", "v", "l", "d"),
]


def _tied_tree(column, below):
    """Return a tree that splits on one of two equal columns, which tie."""
    table = penjing.read(
        {name: [row[i] for row in ROWS_OF_A_TIE] for i, name in enumerate("xyzt")}, target="t"
    )
    tree = penjing.fit(table, force_splits={"": column})
    return tree if below else tree.prune_at(2)


def test_a_tie_is_the_only_difference_if_the_subtrees_below_are_the_same():
    first, second = _tied_tree("x", below=True), _tied_tree("y", below=True)
    first = replace(
        first, about=first.about | {"ties": [{"node": 0, "columns": [0, 1], "score": 1.0}]}
    )
    (found,) = compare(first, second).differences
    assert (found["tie"], found["below"]) == (1.0, False)
    assert (
        "The trees differ only in one tie: at the root, x and y tie"
        in compare(first, second).text()
    )
    other = compare(first, _tied_tree("y", below=False))
    (found,) = other.differences
    assert (found["tie"], found["below"]) == (1.0, True)
    assert "only" not in other.text()
    assert "The first difference is a tie: at the root, x and y tie" in other.text()
    assert "The subtrees below it differ too." in other.text()
    assert "其下的子树也不同" in other.text("zh")


@pytest.mark.parametrize(
    ("b", "below"),
    [
        ({"x": {"<= 2.5": "a", "> 2.5": "b"}}, False),
        ({"x": {"<= 2.5": "b", "> 2.5": "a"}}, True),
        ({"x": {"<= 2.5": "a", "> 2.5": {"y": {"u": "a", "v": "b"}}}}, True),
        ({"y": {"u": "a", "v": "b"}}, False),
        ({"y": {"u": "a", "v": {"z": {"k": "a", "l": "b"}}}}, True),
    ],
)
def test_subtrees_below_two_different_splits_are_compared(b, below):
    first = Tree.from_dict({"x": {"<= 1.5": "a", "> 1.5": "b"}})
    comparison = compare(first, Tree.from_dict(b))
    (found,) = comparison.differences
    assert found["below"] is below
    assert ("The subtrees below differ too." in comparison.text()) is below


def test_predicted_numbers_that_print_alike_are_printed_with_all_digits():
    x = nominal("x", "aabb")
    tables = [Table((x,), numeric("y", [v, v, 2e6, 2e6]), 4) for v in (1e6, 1e6 + 0.02)]
    text = compare(grown(tables[0]), grown(tables[1]), names=("A", "B")).text()
    assert "1000000 " in text
    assert "1000000.02" in text
    large = [Table((x,), numeric("y", [v, v, 3e12, 3e12]), 4) for v in (2.574e12, 2574003826074)]
    assert "2574003826074" in compare(grown(large[0]), grown(large[1])).text()
