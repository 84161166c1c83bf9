"""Changes of a fitted tree at one node: laws for all recipes, messages, costs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table
from penjing.errors import ChoiceError, PenjingError
from penjing.tree.forced import STEERING, forced_nodes
from random_tables import some_table

UNPRUNED: dict[str, dict[str, Any]] = {
    "id3": {},
    "c4.5-textbook": {},
    "cart-textbook": {},
    "cart-binary": {},
    "c4.5": {"pruning": "none", "collapse": False},
    "j48": {"pruning": "none", "collapse": False},
    "c5.0": {"pruning": "none", "collapse": False, "gather": False},
    "rpart": {"cp": 0.0, "minsplit": 4},
    "sklearn": {},
}
WITHOUT_NUMBERS = {"c4.5", "j48", "c5.0"}


def grown(seed: int, name: str, **options: Any) -> tuple[Table, penjing.Tree]:
    rng = np.random.default_rng([seed, len(name), 11])
    table = some_table(
        rng,
        int(rng.integers(8, 120)),
        regression=name not in WITHOUT_NUMBERS and rng.random() < 0.3,
        missing=name in {"c4.5-textbook", "c4.5", "j48", "c5.0", "sklearn"} and rng.random() < 0.5,
        weighted=rng.random() < 0.3,
    )
    try:
        return table, penjing.fit(table, recipe=name, quiet=True, **options)
    except PenjingError:
        reject()


def plain(tree: penjing.Tree) -> dict[str, Any]:
    """Return a tree as plain data, without the record of what was forced or pruned before."""
    model = tree.to_json() | {"skeleton": None}
    model["about"] = {k: v for k, v in model["about"].items() if k != STEERING}
    return model


def some_inner_node(tree: penjing.Tree, seed: int) -> int:
    inner = np.flatnonzero(~tree.is_leaf)
    if not inner.size:
        reject()
    return int(np.random.default_rng(seed).choice(inner))


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_node_gets_its_own_split(name: str, seed: int) -> None:
    _, tree = grown(seed, name, **UNPRUNED[name])
    node = some_inner_node(tree, seed)
    column = tree.schema[int(tree.nodes.column[node])].name
    again = tree.replace_split(node, column)
    assert plain(again) == plain(tree)
    assert list(forced_nodes(again)) == [node]
    assert again.edit_cost.training.changed == 0


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_what_was_pruned_grows_again(name: str, seed: int) -> None:
    _, tree = grown(seed, name, **UNPRUNED[name])
    node = some_inner_node(tree, seed)
    pruned = tree.prune_at(node)
    assert pruned.is_leaf[node]
    assert plain(pruned.regrow_at(node)) == plain(tree)
    assert STEERING not in pruned.regrow_at(node).about


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), is_pruned=st.booleans())
def test_the_root_grows_as_the_tree_did(name: str, seed: int, *, is_pruned: bool) -> None:
    _, tree = grown(seed, name, **({} if is_pruned else UNPRUNED[name]))
    assert plain(tree.regrow_at(0)) == plain(tree)


@pytest.mark.parametrize("name", UNPRUNED)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_pruning_recipe_keeps_what_is_forced(name: str, seed: int) -> None:
    table, tree = grown(seed, name)
    node = some_inner_node(tree, seed)
    rng = np.random.default_rng(seed)
    column = str(rng.choice([c.name for c in table.columns]))
    try:
        changed = tree.replace_split(node, column)
    except ChoiceError as error:
        if error.key != "force_constant":
            raise
        return
    assert changed.schema[int(changed.nodes.column[node])].name == column
    assert changed.weight[node] == tree.weight[node]
    outside = [n for n in range(tree.n_nodes) if node not in tree.path(n)]
    assert changed.n_nodes >= len(outside) + 1
    penjing.Tree.from_data(changed).write("svg")
    again = pickle.loads(pickle.dumps(changed))  # noqa: S301 - our own
    assert again == changed
    assert again.edit_cost is None


MELONS = penjing.example("watermelon2.0")


def test_nodes_by_number_and_path() -> None:
    tree = penjing.fit(MELONS, recipe="id3")
    assert tree.prune_at("纹理=清晰") == tree.prune_at(1)
    assert tree.replace_split("root", "脐部") == tree.replace_split(0, "脐部")


def test_the_cost_counts_changed_rows() -> None:
    table = MELONS
    tree = penjing.fit(table, recipe="id3")
    pruned = tree.prune_at("纹理=清晰", validation=table)
    cost = pruned.edit_cost
    wrong = int((pruned.predict(table) != tree.predict(table)).sum())
    assert cost.training.changed == cost.validation.changed == wrong == 2
    assert cost.to_dict()["training"]["accuracy"] == [1.0, 15 / 17]
    assert "15/17" in cost.text("zh")
    assert "->" in cost.text(ascii_only=True)


@pytest.mark.parametrize("column", ["色泽", "根蒂", "敲声", "脐部", "触感"])
@pytest.mark.parametrize("path", ["", "纹理=清晰"])
def test_validation_rows_have_the_columns_of_the_changed_tree(path: str, column: str) -> None:
    source = "example:watermelon2.0"
    tree = penjing.fit(source, recipe="id3", quiet=True)
    for rows in (source, penjing.read(source)):
        changed = tree.replace_split(path, column, data=source, validation=rows)
        assert changed.edit_cost.validation == changed.edit_cost.training
        again = tree.regrow_at(path, data=source, validation=rows, max_depth=1)
        assert again.edit_cost.validation == again.edit_cost.training


def test_the_cost_of_numbers_is_their_error() -> None:
    rows = [{"x": i, "y": 0.37 * i} for i in range(40)]
    tree = penjing.fit(rows, "y", recipe="cart-binary")
    pruned = tree.prune_at(0, data=rows)
    before, after = pruned.edit_cost.to_dict()["training"]["mean_squared_error"]
    assert before == pytest.approx(0.0)
    assert after == pytest.approx(np.var([row["y"] for row in rows]))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda t: t.replace_split(0, "脐步"), "unknown_column_near"),
        (lambda t: t.replace_split("纹理=清析", "脐部"), "no_such_branch_near"),
        (lambda t: t.replace_split(99, "脐部"), "no_node"),
        (lambda t: t.prune_at("纹理=模糊"), "edit_leaf_already"),
        (lambda t: t.regrow_at(1, missing="fraction"), "edit_whole_setting"),
        (lambda t: t.regrow_at(1, max_deepth=3), "unknown_setting_near"),
        (
            lambda t: t.replace_split("纹理=模糊", "触感", groups=[["硬滑", "软粘"]]),
            "force_one_branch",
        ),
        (lambda t: t.replace_split(0, "触感", threshold=1), "force_threshold_categorical"),
        (lambda t: t.replace_split(0, "触感", groups=[["硬滑"], ["硬滑"]]), "force_level_twice"),
        (lambda t: t.replace_split(1, "脐部", data=MELONS.take(np.arange(5))), "edit_other_rows"),
    ],
)
def test_a_change_that_cannot_be_made(change: Any, key: str) -> None:
    tree = penjing.fit(MELONS, recipe="id3")
    with pytest.raises(PenjingError) as error:
        change(tree)
    assert error.value.key == key
    assert error.value.say("zh") != error.value.say("en")


def test_a_loaded_model_needs_its_rows(tmp_path: Any) -> None:
    table = MELONS
    tree = penjing.fit(table, recipe="id3")
    tree.save(tmp_path / "m.tree")
    loaded = penjing.load(tmp_path / "m.tree")
    with pytest.raises(ChoiceError, match="training rows"):
        loaded.replace_split(0, "脐部")
    assert loaded.prune_at(1).edit_cost.training is None
    changed = loaded.replace_split(0, "脐部", data=table)
    assert changed == tree.replace_split(0, "脐部")
    changed.save(tmp_path / "n.tree")
    assert penjing.load(tmp_path / "n.tree") == changed
    assert "forced" in penjing.load(tmp_path / "n.tree").why(0, table).text()
    assert "指定的划分" in penjing.load(tmp_path / "n.tree").why(0, table).text("zh")


def test_a_subtree_with_settings_of_its_own() -> None:
    table = MELONS
    tree = penjing.fit(table, recipe="id3")
    flat = tree.regrow_at("纹理=清晰", max_depth=2)
    assert flat.depth == 2
    acts = flat.about[STEERING]["acts"]
    assert [(act["act"], act["settings"]) for act in acts] == [("regrow", {"max_depth": 2})]
    with pytest.raises(ChoiceError):
        penjing.cross_validate(table, flat, 3)


def test_forced_trees_are_validated_as_they_are() -> None:
    table = MELONS
    tree = penjing.fit(table, recipe="id3", force_splits={"": "触感"}, forbid=["纹理"])
    report = penjing.cross_validate(table, tree, "leave-one-out")
    free = penjing.cross_validate(table, penjing.fit(table, recipe="id3"), "leave-one-out")
    assert report.correct != free.correct


def test_all_threads_give_the_same_tree() -> None:
    rng = np.random.default_rng(3)
    table = some_table(rng, 3000, regression=False, missing=True, weighted=False)
    column = table.columns[-1].name
    trees = [
        penjing.fit(table, recipe="c4.5", threads=n, force_splits={"": column}, quiet=True)
        for n in (1, 2, 3)
    ]
    assert trees[0] == trees[1] == trees[2]
