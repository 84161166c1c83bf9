"""Missing values in a branch of their own: grown, asked, told, kept and pruned."""

from __future__ import annotations

import json

import numpy as np
import pytest

import penjing
from penjing.criteria.entropy import entropy_bits
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.explain import node_text
from penjing.text import formula

RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary")


def table(n=200, seed=0, *, share=0.2, regression=False):
    draw = np.random.default_rng(seed)
    x, a = draw.normal(size=n), draw.integers(0, 4, n)
    gone_x, gone_a = draw.random((2, n)) < share
    y = (np.where(gone_x, 1, x > 0) ^ (np.where(gone_a, 4, a) == 4)).astype(int)
    columns = (
        numeric("x", np.where(gone_x, np.nan, x)),
        nominal("a", [None if g else "stuv"[v] for v, g in zip(a, gone_a, strict=True)]),
    )
    noisy = draw.normal(size=n) / 10 + y
    target = numeric("y", noisy) if regression else nominal("y", ["np"[v] for v in y])
    return Table(columns, target, n)


@pytest.mark.parametrize("recipe", RECIPES)
def test_rows_without_a_value_have_their_own_branch(recipe):
    rows = table()
    tree = penjing.fit(rows, recipe=recipe, missing="branch")
    assert list(tree.predict(rows)) == list(rows.target.values())
    asks = np.flatnonzero(~tree.is_leaf & np.isinf(tree.nodes.cut)).tolist()
    assert asks
    stops = tree.apply(rows)
    for node in asks:
        known, gone = tree.children(node)
        c = int(tree.nodes.column[node])
        for row, stop in enumerate(stops.tolist()):
            path = tree.path(stop)
            if node in path:
                is_gone = rows.columns[c].codes[row] < 0
                assert (gone if is_gone else known) in path


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("seed", range(3))
def test_engines_grow_the_same_tree(recipe, seed):
    rows = table(seed=seed)
    trees = [
        penjing.fit(rows, recipe=recipe, missing="branch", engine=engine, max_depth=6)
        for engine in ("memory", "native")
    ]
    assert trees[0].to_json() == trees[1].to_json()
    assert trees[0].depth <= 6


def test_both_questions_are_weighed_as_one():
    x = numeric("x", [1, 2, 3, 10, 11, 12, np.nan, np.nan, np.nan, np.nan])
    y = nominal("y", list("nnnpppqqqp"))
    tree = penjing.fit(Table((x,), y, 10), missing="branch", trace=True)
    assert str(tree).splitlines() == [
        "x ≠ ?", "│  x ≤ 6.5: n (3)", "│  x > 6.5: p (3)", "x = ?: q (4/1)",
    ]  # fmt: skip
    whole = float(
        entropy_bits(np.array([3.0, 4.0, 3.0])) - 0.4 * entropy_bits(np.array([1.0, 3.0]))
    )
    first, second = tree.nodes.gain[0], tree.nodes.gain[tree.children(0)[0]]
    assert first + 0.6 * second == pytest.approx(whole, rel=1e-12)
    told = tree.trace[0]["candidates"][0]
    assert [b["answer"] for b in told["branches"]] == ["≤ 6.5", "> 6.5", "= ?"]
    assert told["gain"] == pytest.approx(whole)
    said = formula.gain(told).text()
    assert "× (" not in said
    assert said.startswith("Gain(D, x) = ")


def test_only_whether_a_value_is_known_may_matter():
    a = nominal("a", ["u", "v", "u", "v", None, None])
    tree = penjing.fit(Table((a,), nominal("y", list("nnnnpp")), 6), missing="branch")
    assert str(tree).splitlines() == ["a ≠ ?: n (4)", "a = ?: p (2)"]
    one = nominal("a", ["u", "u", "u", "u", None, None])
    tree = penjing.fit(Table((one,), nominal("y", list("nnnnpp")), 6), missing="branch")
    assert str(tree).splitlines() == ["a ≠ ?: n (4)", "a = ?: p (2)"]


def test_a_tree_without_missing_values_is_the_same_tree():
    rows = table(share=0)
    one, other = (penjing.fit(rows, recipe="id3", missing=m) for m in ("refuse", "branch"))
    assert str(one) == str(other)
    # a value that was never missing in training: the row stops at the question
    assert other.apply([{"x": None, "a": None}]).tolist() == [0]


def test_limits_hold():
    rows = table()
    for depth in (0, 1, 2, 3):
        assert penjing.fit(rows, missing="branch", max_depth=depth).depth <= depth
    for leaves in (1, 2, 3, 5):
        assert penjing.fit(rows, missing="branch", max_leaves=leaves).n_leaves <= leaves


def test_numbers_are_predicted_so_too():
    rows = table(regression=True)
    tree = penjing.fit(rows, recipe="cart-binary", missing="branch", max_depth=4)
    off = tree.predict(rows) - rows.target.numbers()
    assert float(np.abs(off).mean()) < 0.2


def test_it_is_kept_and_told(tmp_path):
    rows = table()
    tree = penjing.fit(rows, missing="branch")
    tree.save(tmp_path / "mine.tree")
    again = penjing.load(tmp_path / "mine.tree")
    assert again.to_json() == tree.to_json()
    assert list(again.predict(rows)) == list(tree.predict(rows))
    assert again.recipe["missing"] == "branch"
    root = json.loads(tree.export("nested"))["tree"]
    assert (root["kind"], root["threshold"]) == ("threshold", None)
    assert "= ?" in str(tree.explain(rows.take([0]))) or "≠ ?" in str(tree.explain(rows.take([0])))


def test_rules_tell_it_too():
    rows = table()
    tree = penjing.fit(rows, recipe="cart-binary", missing="branch")
    for made in (tree.ruleset(rows, max_loss=0), tree.ruleset(rows, votes=True)):
        assert "x = ?" in str(made)
        json.dumps(made.to_json())
    listed = tree.ruleset(rows, max_loss=0)
    assert list(listed.predict(rows)) == list(rows.target.values())


def test_validation_rows_go_the_same_way():
    rows, others = table(300), table(200, seed=5)
    tree = penjing.fit(rows, missing="branch", validation=others, prune="reduced-error")
    right = sum(a == b for a, b in zip(tree.predict(others), others.target.values(), strict=True))
    assert right >= 195  # some lie between two training values


def test_before_growing_ends_it_can_be_pruned_too():
    rows, others = table(300), table(200, seed=5)
    tree = penjing.fit(rows, missing="branch", validation=others)
    assert 1 <= tree.n_leaves <= penjing.fit(rows, missing="branch").n_leaves


def test_other_rules_have_other_ways():
    with pytest.raises(ChoiceError, match="missing"):
        penjing.fit(table(), recipe="c4.5", missing="branch")


def test_a_column_that_can_only_be_known_or_not_is_weighed_told_and_saved(tmp_path):
    x = numeric("x", [5.0, 5.0, np.nan, 5.0, np.nan, 5.0])
    z = nominal("z", ["a", None, "a", "a", None, None])
    w = nominal("w", list("ppqqqp"))
    rows = Table((x, z, w), nominal("y", list("ababba")), 6)
    tree = penjing.fit(rows, missing="branch", trace=True)
    told = {c["column"]: c for c in tree.trace[0]["candidates"]}
    for name in ("x", "z"):
        assert (told[name]["cut"], told[name]["cuts"]) == (None, [])
        assert [b["answer"] for b in told[name]["branches"]] == ["≠ ?", "= ?"]
    json.dumps([dict(step) for step in tree.trace], allow_nan=False)
    tree.save(tmp_path / "mine.tree")
    again = penjing.load(tmp_path / "mine.tree")
    assert list(again.trace) == list(tree.trace)
    assert "x ≠ ?" in node_text.write(again.trace[0], "zh")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_level_that_nobody_knows_is_a_value(recipe):
    rows = [{"a": "p", "y": "n"}, {"a": "q", "y": "n"}, *({"a": None, "y": "y"} for _ in range(5))]
    tree = penjing.fit(rows, "y", recipe, missing="branch")
    asked = [{"a": "new"}, {"a": "p"}, {"a": None}]
    assert list(tree.predict(asked)) == ["n", "n", "y"]
    assert "a ≠ ?" in str(tree.explain(asked[0]))
    assert list(tree.predict(asked, unseen="missing")) == ["y", "n", "y"]
    with pytest.raises(ValueError, match="new"):
        tree.predict(asked, unseen="error")
