"""The workbook without HTTP: laws of steps, undo, replay, scripts and figures."""

from __future__ import annotations

import json
import math
import runpy

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penjing
from lab_rows import csv_rows
from penjing.webapp.division import Shares
from penjing.webapp.failures import ConflictError, NotFoundError
from penjing.webapp.history import Entry
from penjing.webapp.lab_workbook import Growing, Workbook
from penjing.webapp.questions import workbook_state
from penjing.webapp.same_tree import have_same_nodes
from penjing.webapp.script import script_text
from penjing.webapp.table_source import TableSource, example_source, uploaded
from penjing.webapp.workbook_file import parse_workbook, replay, table_of_workbook, workbook_text

RECIPES = {
    (False, False): (
        "id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart",
        "sklearn",
    ),
    (False, True): ("c4.5-textbook", "c4.5", "j48", "c5.0", "rpart", "sklearn"),
    (True, False): ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "rpart", "sklearn"),
    (True, True): ("c4.5-textbook", "rpart", "sklearn"),
}  # fmt: skip
"""The recipes for a target (of classes, of numbers) and cells (all filled, some empty)."""
ALL_TRAINING = Shares(1.0, 0.0, 0.0)
LAWS = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def make_workbook(source, growing=None, shares=ALL_TRAINING):
    table = source.read()
    return Workbook(
        source, table, shares.divide(table), shares.to_json(), growing or Growing("id3")
    )


@st.composite
def tables(draw):
    """Return the source of a table of any kind, its content, and a recipe for it."""
    is_regression, has_missing, has_weights = draw(st.tuples(*[st.booleans()] * 3))
    content = csv_rows(
        draw(st.integers(0, 50)), 60, is_regression, has_missing=has_missing,
        has_weights=has_weights,
    )  # fmt: skip
    changes = {"target": "target"} | ({"schema": {"w": "weight"}} if has_weights else {})
    recipe = draw(st.sampled_from(RECIPES[is_regression, has_missing]))
    return uploaded("rows.csv", content).changed(changes), content, recipe


@st.composite
def steps(draw, tree):
    """Return a step that a tree may allow, as plain data."""
    node = draw(st.integers(0, tree.n_nodes - 1))
    act = draw(st.sampled_from(["split", "split", "split", "leaf", "regrow", "prune"]))
    if act == "prune":
        method = draw(st.sampled_from(["pessimistic", "cost-complexity", "collapse", "simplify"]))
        options = {"alpha": draw(st.sampled_from([0.5, 1.0, 2.0]))}
        return {
            "act": act,
            "method": method,
            **({"options": options} if method == "cost-complexity" else {}),
        }
    step = {"act": act, "node": node}
    if act == "regrow" and draw(st.booleans()):
        step["settings"] = {"max_depth": draw(st.integers(1, 3))}
    if act == "split":
        field = draw(st.sampled_from(tree.schema))
        step["column"] = field.name
        if field.is_numeric and draw(st.booleans()):
            step["threshold"] = draw(st.sampled_from([-0.37, 0.1, 3.5, 4.0]))
        elif not field.is_numeric and draw(st.booleans()):
            levels = draw(st.permutations(field.levels))
            first = draw(st.integers(1, len(levels) - 1))
            step["groups"] = [list(levels[:first]), list(levels[first:])]
    return step


def try_step(workbook, data):
    """Make a drawn step; one that the node's rows do not allow changes nothing."""
    before = workbook.current
    try:
        return workbook.step(data.draw(steps(workbook.tree(before)))).is_changed
    except penjing.PenjingError:
        assert workbook.current == before
        return False


@LAWS
@given(st.data(), tables(), st.booleans())
def test_undo_gives_back_every_tree_and_replay_and_script_give_the_same(
    tmp_path_factory, data, table, is_divided
):
    source, content, recipe = table
    shares = Shares(0.6, 0.2, 0.2, seed=7) if is_divided else ALL_TRAINING
    workbook = make_workbook(source, Growing(recipe), shares)
    first = workbook.tree(workbook.current)
    trees = [(workbook.current, first)]
    for _ in range(4):
        if try_step(workbook, data):
            trees += [(workbook.current, workbook.tree(workbook.current))]
    last = workbook.current
    for tree_id, tree in reversed(trees[:-1]):
        assert workbook.undo().after == tree_id
        assert workbook.tree(tree_id) == tree
    with pytest.raises(ConflictError):
        workbook.undo()
    for tree_id, _ in trees[1:]:
        assert workbook.redo().after == tree_id
    assert workbook.current == last

    plain = parse_workbook(workbook_text(workbook), "w.json")
    again = replay(plain, *table_of_workbook(plain, uploaded("rows.csv", content)))
    assert list(again.history.entries) == list(workbook.history.entries)
    assert again.current == workbook.current
    for tree_id in workbook.history.entries:
        assert again.tree(tree_id) == workbook.tree(tree_id)

    folder = tmp_path_factory.mktemp("script")
    (folder / "rows.csv").write_bytes(content)
    (folder / "grow.py").write_text(script_text(workbook, "zh"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = runpy.run_path("grow.py")["tree"]
    assert result == workbook.tree(workbook.current)


@LAWS
@given(tables(), st.data())
def test_choosing_what_the_recipe_chose_changes_nothing(table, data):
    source, _, recipe = table
    workbook = make_workbook(source, Growing(recipe))
    tree = workbook.tree(workbook.current)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    if not inner:
        return
    node = data.draw(st.sampled_from(inner))
    step = {"act": "split", "node": node, "column": tree.schema[tree.nodes.column[node]].name}
    split = tree.split(node)
    # An infinite one separates missing values from all others.
    has_threshold = split.cut is not None and math.isfinite(split.cut)
    if has_threshold and data.draw(st.booleans()):
        field = tree.schema[split.column]
        code = math.floor(split.cut)
        step["threshold"] = float(split.cut) if field.is_numeric else field.levels[code]
    moved = workbook.step(step)
    assert not moved.is_changed
    assert len(workbook.history.entries) == 1
    assert workbook.tree(moved.after) is tree
    assert not workbook.step({"act": "regrow", "path": []}).is_changed


def test_trees_outside_of_the_cache_are_grown_again_and_are_equal(monkeypatch):
    monkeypatch.setattr("penjing.webapp.lab_workbook.MAX_TREES", 2)
    workbook = make_workbook(uploaded("rows.csv", csv_rows(3)), Growing("cart-binary"))
    trees = {}
    for column in ("b", "c", "d", "b", "c"):
        moved = workbook.step({"act": "split", "node": 0, "column": column})
        trees[moved.after] = workbook.tree(moved.after)
    assert len(workbook._trees) == 2
    for tree_id, tree in trees.items():
        assert workbook.tree(tree_id) == tree


def test_a_step_after_undo_starts_a_branch_and_both_are_kept():
    workbook = make_workbook(example_source("watermelon2.0"))
    first = workbook.current
    one = workbook.step({"act": "split", "column": "脐部"}).after
    workbook.undo()
    other = workbook.step({"act": "split", "column": "触感"}).after
    entries = workbook.history.entries
    assert entries[one].parent == entries[other].parent == first
    workbook.go(one)
    assert workbook.undo().after == first
    assert workbook.redo().after == one  # the branch that was shown last
    assert workbook.step({"act": "split", "column": "触感", "tree": first}).after == other
    assert len(entries) == 3


@LAWS
@given(st.data(), tables(), st.booleans())
def test_scores_of_any_tree_are_those_of_the_python_api(data, table, is_divided):
    source, _, recipe = table
    shares = Shares(0.6, 0.4, 0.0, seed=2) if is_divided else ALL_TRAINING
    workbook = make_workbook(source, Growing(recipe), shares)
    for _ in range(3):
        try_step(workbook, data)
        tree = workbook.tree(workbook.current)
        for part in ("training", "validation"):
            rows, told = workbook.given(part), workbook.score(workbook.current, part)
            if rows is None:
                assert told is None
                continue
            own = tree.score(rows)
            names = ("n", "weight", "rmse", "mae", "r2", "interval")
            if not tree.is_regression:
                names = ("n", "weight", "correct", "accuracy", "interval")
            wanted = {name: getattr(own, name, None) for name in names}
            wanted["interval"] = (
                own.to_json()["intervals"].get("rmse") if tree.is_regression else own.interval
            )
            assert json.dumps([told[name] for name in names]) == json.dumps(list(wanted.values()))


@pytest.mark.parametrize("is_regression", [False, True])
def test_figures_are_those_of_the_python_api(is_regression):
    source = uploaded("rows.csv", csv_rows(5, 200, is_regression))
    recipe = "cart-binary"
    workbook = make_workbook(source, Growing(recipe, {"max_depth": 3}), Shares(seed=4))
    table = source.read()
    training, rest = penjing.hold_out(table, 0.4, 4)
    validation, test = penjing.hold_out(rest, 0.5, 4)
    tree = penjing.fit(training, recipe=recipe, max_depth=3, sketch=True)
    assert tree == workbook.tree(workbook.current)
    changed = tree.replace_split(1, "c", groups=[["x", "= 1"]])
    moved = workbook.step({"act": "split", "node": 1, "column": "c", "groups": [["x", "= 1"]]})
    assert changed == workbook.tree(moved.after)
    for part, rows in (("training", training), ("validation", validation)):
        before, after = tree.score(rows), changed.score(rows)
        result, change = workbook.score(moved.after, part), workbook.change(moved, part)
        names = ("n", "rmse", "mae", "r2") if is_regression else ("n", "correct", "accuracy")
        assert [result[name] for name in names] == [getattr(after, name) for name in names]
        interval = after.intervals["rmse"] if is_regression else after.interval
        assert tuple(result["interval"]) == tuple(interval)
        assert change["change"] == (
            after.rmse - before.rmse if is_regression else after.accuracy - before.accuracy
        )
        differs = tree.predict(rows) != changed.predict(rows)
        assert change["n_changed"] == differs.sum()
        numbers = [rows.row_number(row) for row in np.flatnonzero(differs)]
        assert [row["number"] for row in change["rows"]] == numbers[:200]
    finished = workbook.finish()
    assert finished.report == changed.score(test).to_json()


def test_validation_looks_count_different_trees_and_the_test_rows_open_once():
    workbook = make_workbook(uploaded("rows.csv", csv_rows(6, 200)), shares=Shares())
    for _ in range(3):
        workbook.score(workbook.current, "validation")
    assert workbook.validation_looks == 1
    moved = workbook.step({"act": "leaf", "node": 1})
    workbook.change(moved, "validation")
    workbook.change(workbook.undo(), "validation")
    assert workbook.validation_looks == 2
    finished = workbook.finish()
    assert workbook.finish() is finished
    assert finished.validation_looks == 2
    workbook.redo()
    with pytest.raises(ConflictError, match="another tree"):
        workbook.finish()
    with pytest.raises(ConflictError):
        workbook.score(workbook.current, "test")


def test_rows_for_pruning_are_those_of_the_method():
    workbook = make_workbook(uploaded("rows.csv", csv_rows(7, 200)), shares=Shares())
    tree = workbook.tree(workbook.current)
    moved = workbook.step({"act": "prune", "method": "reduced-error"})
    assert workbook.tree(moved.after) == tree.prune(
        "reduced-error", validation=workbook.given("validation")
    )
    assert workbook.validation_looks == 1
    whole = make_workbook(uploaded("rows.csv", csv_rows(7)))
    with pytest.raises(penjing.ChoiceError, match="needs validation rows"):
        whole.step({"act": "prune", "method": "reduced-error"})


@pytest.mark.parametrize(
    "step",
    [
        None, [], {}, {"act": "jump"}, {"act": "split"}, {"act": "split", "column": "nothing"},
        {"act": "split", "column": 3}, {"act": "leaf", "node": 999}, {"act": "leaf", "node": True},
        {"act": "leaf", "node": -1}, {"act": "leaf", "path": "a"}, {"act": "leaf", "path": [1]},
        {"act": "leaf", "path": [{"column": "a", "side": 7}]}, {"act": "prune"},
        {"act": "prune", "method": "magic"}, {"act": "regrow", "settings": [1]},
        {"act": "regrow", "settings": {"nothing": 1}}, {"act": "leaf", "file": "/etc/passwd"},
        {"act": "split", "column": "a", "threshold": {}}, {"act": "leaf", "tree": "0" * 32},
        {"act": "split", "column": "c", "groups": [["x"], ["x"]]},
        {"act": "prune", "method": "cost-complexity", "options": {"alpha": "a"}},
        {"act": "prune", "method": "cost-complexity", "options": {"folds": "a"}},
        {"act": "prune", "method": "cost-complexity", "options": {"folds": 1}},
        {"act": "prune", "method": "cost-complexity", "options": {"method": "mdl"}},
        {"act": "prune", "method": "cost-complexity", "options": {"self": 1}},
        {"act": "prune", "method": "cost-complexity", "options": {"folds": 10**30}},
        {"act": "regrow", "settings": {"self": 1}},
        *({"act": "leaf", "path": [{"column": c, "side": 0.0, "level": ["x"]}]} for c in "abcd"),
    ],
)  # fmt: skip
def test_steps_that_mean_nothing_are_refused_in_one_sentence(step):
    workbook = make_workbook(uploaded("rows.csv", csv_rows(1)), Growing("cart-binary"))
    before = workbook.current
    with pytest.raises(penjing.PenjingError) as caught:
        workbook.step(step)
    assert caught.value.say("zh")
    assert workbook.current == before


def test_names_may_contain_any_sign(tmp_path):
    columns = ["a, b = c", "</script>", "x\u202e'\"\\", "q"]
    random = np.random.RandomState(0)
    levels = ["= 1, b", "<b>", "'", "a b", "ab"]
    rows = [{c: str(random.choice(levels)) for c in columns[:3]} | {"q": int(random.randint(5))}
            for _ in range(80)]  # fmt: skip
    for row in rows:
        row["target=>"] = "ja, <nein>" if row["q"] > 2 or row[columns[0]] == "ab" else "no"
    source = TableSource("rows", None, rows, {"target": "target=>"})
    workbook = make_workbook(source, Growing("id3"))
    for column in columns[:3]:
        tree = workbook.tree(workbook.current)
        workbook.step({"act": "split", "node": tree.n_nodes // 3, "column": column})
    plain = parse_workbook(workbook_text(workbook), "w")
    assert replay(plain, *table_of_workbook(plain, source)).current == workbook.current
    script = tmp_path / "grow.py"
    text = script_text(workbook).replace("DATA = None", f"DATA = {rows!r}")
    script.write_text(text, encoding="utf-8")
    assert runpy.run_path(str(script))["tree"] == workbook.tree(workbook.current)


def test_a_workbook_begins_with_a_model_and_its_script_loads_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_bytes(csv_rows(2))
    table = penjing.read("rows.csv", "target", quiet=True)
    penjing.fit(table, recipe="c4.5", quiet=True).save("rows.tree")
    source = uploaded("rows.csv", csv_rows(2)).changed({"target": "target"})
    growing = Growing(model=penjing.load("rows.tree"), model_name="rows.tree")
    workbook = make_workbook(source, growing)
    workbook.step({"act": "split", "node": 0, "column": "d"})
    (tmp_path / "grow.py").write_text(script_text(workbook), encoding="utf-8")
    assert runpy.run_path("grow.py")["tree"] == workbook.tree(workbook.current)
    plain = parse_workbook(workbook_text(workbook), "w")
    again = replay(plain, *table_of_workbook(plain, source), growing=growing)
    assert again.current == workbook.current
    other = make_workbook(uploaded("rows.csv", csv_rows(3)))
    with pytest.raises(penjing.ChoiceError):
        Workbook(other.source, other.table, ALL_TRAINING.divide(other.table),
                 ALL_TRAINING.to_json(), growing)  # fmt: skip


def test_other_rows_and_edited_files_do_not_replay():
    workbook = make_workbook(uploaded("rows.csv", csv_rows(2)))
    workbook.step({"act": "split", "node": 0, "column": "d"})
    text = workbook_text(workbook)
    plain = parse_workbook(text, "w")
    with pytest.raises(penjing.DataError, match="differ from those"):
        table_of_workbook(plain, uploaded("rows.csv", csv_rows(3)))
    edited = json.loads(text)
    edited["steps"][1]["step"]["column"] = "c"
    source, table = table_of_workbook(plain, workbook.source)
    with pytest.raises(penjing.DataError, match="gave different trees"):
        replay(parse_workbook(json.dumps(edited), "w"), source, table)
    for broken in ("", "[]", "{}", "{", '{"format": "penjing-workbook", "version": 9}',
                   json.dumps(json.loads(text) | {"steps": []}),
                   json.dumps(json.loads(text) | {"recipe": 5})):  # fmt: skip
        with pytest.raises(penjing.DataError):
            parse_workbook(broken, "w")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validation", __file__), ("data", __file__), ("work", "folder"), ("engine", "duckdb"),
        ("query", "select 1"), ("session", 1), ("progress", 1), ("quiet", False),
        ("force_splits", {}), ("schema", {}), ("weight", "a"), ("seed", 1), ("trace", True),
    ],
)  # fmt: skip
def test_a_file_names_no_other_file_and_no_engine(name, value):
    workbook = make_workbook(uploaded("rows.csv", csv_rows(2)))
    plain = parse_workbook(workbook_text(workbook), "w")
    plain["settings"] = {name: value}
    with pytest.raises(penjing.ChoiceError, match=f"'{name}' is not a setting"):
        replay(plain, *table_of_workbook(plain, workbook.source))


def test_damaged_files_are_refused_and_never_take_long():
    workbook = make_workbook(uploaded("rows.csv", csv_rows(6, 200)), shares=Shares())
    workbook.step({"act": "leaf", "node": 1})
    workbook.score(workbook.current, "validation")
    plain = json.loads(workbook_text(workbook))
    odd = ([], {}, 5, "x", None, True, -5, 10**30, [[]], {"a": []})
    places = [(plain, key) for key in plain]
    places += [(entry, key) for entry in plain["steps"] for key in entry]
    places += [(plain[part], key) for part in ("data", "division") for key in plain[part]]
    for place, key in places:
        kept = place[key]
        for value in odd:
            place[key] = value
            try:
                record = parse_workbook(json.dumps(plain), "w")
                source, table = table_of_workbook(record, workbook.source)
                again = replay(record, source, table)
            except penjing.PenjingError:
                continue
            assert again.validation_looks == record["validation_looks"] >= 0
        place[key] = kept


def test_a_replayed_workbook_does_not_count_the_same_tree_twice():
    workbook = make_workbook(uploaded("rows.csv", csv_rows(6, 200)), shares=Shares())
    workbook.score(workbook.current, "validation")
    plain = parse_workbook(workbook_text(workbook), "w")
    again = replay(plain, *table_of_workbook(plain, workbook.source))
    again.score(again.current, "validation")
    assert again.validation_looks == workbook.validation_looks == 1
    del plain["looked"]  # as an earlier version wrote it
    older = replay(plain, *table_of_workbook(plain, workbook.source))
    assert older.validation_looks == 1


def test_same_nodes_ignore_records_but_no_number():
    table = penjing.example("watermelon2.0")
    tree = penjing.fit(table)
    assert have_same_nodes(tree, penjing.fit(table, trace=True))
    assert not have_same_nodes(tree, tree.prune("pessimistic"))
    assert not have_same_nodes(tree, penjing.fit(table.take(range(16))))


def test_unknown_trees_are_not_found():
    workbook = make_workbook(example_source("fish"))
    for method in (workbook.tree, workbook.go):
        with pytest.raises(NotFoundError):
            method("0" * 32)


def test_a_workbook_is_shown_and_saved_while_another_tab_makes_steps(monkeypatch):
    source = uploaded("rows.csv", csv_rows(8)).changed({"target": "target"})
    workbook = make_workbook(source, Growing("cart-binary"), Shares(0.6, 0.2, 0.2, seed=1))
    to_json, columns = Entry.to_json, iter("abcdabcd")

    def stepping(entry):
        column = next(columns, None)
        if column is not None:
            workbook.step({"act": "split", "node": 0, "column": column})
            workbook.score(workbook.current, "validation")
        if column == "d" and workbook.finished is None:
            workbook.finish()
        return to_json(entry)

    monkeypatch.setattr(Entry, "to_json", stepping)
    for _ in range(3):
        state = workbook_state("book", "table", workbook)
        assert {state["current"]} <= {entry["tree"] for entry in state["history"]}
        plain = parse_workbook(workbook_text(workbook), "w")
        assert {plain["current"], plain["finished"] or plain["current"]} <= {
            entry["tree"] for entry in plain["steps"]
        }
