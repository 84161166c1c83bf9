"""Rows down a tree: against a walk from the definition, and what happens off the beaten path."""

from __future__ import annotations

import copy
import gc
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from oracle_predict_numpy import reached
from penjing.api.tree import Tree
from penjing.data.read.level_index import LevelIndex
from penjing.data.table import Column, Table, nominal, numeric
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.predict import predict
from penjing.predict.flat import ROWS_PER_THREAD
from penjing.predict.inputs import align, align_to, hide_unordered_levels
from penjing.tree.counts import Costs
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import Surrogate
from strategies import grown, ordered, tables

ZOO = {"legs": {0: "fish", 2: "bird", 4: {"barks": {1: "dog", 0: "cat"}}}}


def zoo(**columns) -> Table:
    n = len(next(iter(columns.values())))
    return Table(tuple(nominal(name, values) for name, values in columns.items()), None, n)


@st.composite
def trees_and_rows(draw, *, regression: bool = False):
    """Draw a tree and rows for it, some with levels it never saw, some shuffled in their coding."""
    table = draw(tables(missing=True, regression=regression, max_rows=20))
    tree = grown(
        table, "c4.5-textbook" if draw(st.booleans()) else "cart-binary", missing="fraction"
    )
    n = draw(st.integers(0, 12))
    columns = []
    for column in table.columns:
        if column.is_numeric:
            pool = [*np.asarray(column.levels).tolist(), 0.1, -7.5, np.nan]
            columns.append(numeric(column.name, [draw(st.sampled_from(pool)) for _ in range(n)]))
            continue
        levels = [*column.levels, "never seen", "nor this"]
        codes = draw(st.lists(st.integers(-1, len(levels) - 1), min_size=n, max_size=n))
        columns.append(Column(column.name, column.kind, tuple(levels), np.array(codes, np.int32)))
    return tree, Table(tuple(columns), None, n)


@given(trees_and_rows(), st.sampled_from(["stop", "fraction"]))
def test_answers_are_those_of_a_walk_from_the_definition(pair, missing):
    tree, rows = pair
    ends = reached(tree, rows, fraction=missing == "fraction")
    shares = ends @ (tree.nodes.total / tree.weight[:, None])
    np.testing.assert_allclose(
        predict.predict_proba(tree, rows, missing=missing), shares, rtol=1e-12, atol=1e-15
    )
    found = predict.classes_of(tree, rows, missing=missing)
    for i, ended in enumerate(ends):
        mixed = shares[i] >= shares[i].max() - 1e-12
        is_whole = ended.max() == 1.0  # in one node: that node's own answer
        assert found[i] == (tree.values[ended.argmax()] if is_whole else mixed.argmax())
    assert predict.predict(tree, rows, missing=missing).tolist() == [
        tree.classes[code] for code in found
    ]
    if missing == "stop":
        np.testing.assert_array_equal(
            predict.apply(tree, rows), ends.argmax(axis=1) if rows.n_rows else []
        )


@given(trees_and_rows(regression=True), st.sampled_from(["stop", "fraction"]))
def test_numbers_are_mixed_by_weight(pair, missing):
    tree, rows = pair
    means = reached(tree, rows, fraction=missing == "fraction") @ tree.values
    np.testing.assert_allclose(tree.predict(rows, missing=missing), means, rtol=1e-12, atol=1e-12)


@given(trees_and_rows())
def test_every_row_alone_is_answered_as_among_the_others(pair):
    tree, rows = pair
    together = tree.predict_proba(rows)
    for i, row in enumerate(rows.rows()):
        np.testing.assert_array_equal(tree.predict_proba(row)[0], together[i])
        assert tree.predict(row).tolist() == tree.predict(rows.take([i])).tolist()


@given(trees_and_rows(), st.data())
def test_the_order_of_columns_and_levels_is_nothing(pair, data):
    tree, rows = pair
    columns = []
    for column in rows.columns:
        if column.is_numeric:
            columns.append(column)
            continue
        order = data.draw(st.permutations(range(len(column.levels))))
        place = np.append(np.argsort(order), -1)
        levels = tuple(column.levels[i] for i in order)
        columns.append(replace(column, levels=levels, codes=place[column.codes].astype(np.int32)))
    columns.append(nominal("not asked", ["?"] * rows.n_rows))
    other = replace(rows, columns=tuple(data.draw(st.permutations(columns))))
    np.testing.assert_array_equal(tree.predict_proba(other), tree.predict_proba(rows))


def test_an_empty_branch_answers_with_its_parents_majority_and_is_not_unseen():
    texture = nominal("texture", ["clear", "clear", "clear", "faint"], ["clear", "faint", "dull"])
    sound = nominal("sound", ["a", "a", "b", "a"], ["a", "b", "c"])
    table = Table((texture, sound), nominal("ripe", ["yes", "yes", "no", "no"]), 4)
    tree = grown(table)
    row = {"texture": "dull", "sound": "a"}
    assert tree.predict(row, unseen="error").tolist() == ["yes"]  # 2 : 2, the first class
    assert tree.predict({"texture": "clear", "sound": "c"}, unseen="error").tolist() == ["yes"]
    assert tree.predict_proba({"texture": "clear", "sound": "c"}).tolist() == [[2 / 3, 1 / 3]]


def test_an_unseen_level_stops_or_is_an_error_that_names_row_column_and_value():
    tree = Tree.from_dict(ZOO)
    rows = zoo(legs=[0, 4, 4, 8], barks=[0, 1, 7, 1])
    assert tree.predict(rows).tolist() == ["fish", "dog", "dog", "fish"]
    with pytest.raises(DataError, match="row 3: '7' in column 'barks'") as caught:
        tree.predict(rows, unseen="error")
    assert "legs" not in str(caught.value)
    assert "第 3 行" in caught.value.say("zh")
    moved = replace(rows.take([0, 3]), row_numbers=np.array([11, 14]))
    with pytest.raises(DataError, match="row 14: '8' in column 'legs'"):
        tree.predict(moved, unseen="error")
    # A level that the row is never asked about is nobody's business.
    assert tree.predict(zoo(legs=[0], barks=[7]), unseen="error").tolist() == ["fish"]
    by_recipe = replace(tree, recipe={**tree.recipe, "unseen": "error"})
    with pytest.raises(DataError):
        by_recipe.predict(rows)
    with pytest.raises(DataError):
        by_recipe.apply(rows)
    with pytest.raises(DataError):
        by_recipe.predict_proba(rows)
    assert by_recipe.predict(rows, unseen="stop").tolist()[3] == "fish"


def test_unseen_levels_are_found_behind_a_missing_value_that_is_shared_out():
    tree = Tree.from_dict(ZOO)
    row = {"legs": None, "barks": "loudly"}
    assert tree.predict(row, unseen="error").tolist() == ["fish"]  # stops before it is asked
    with pytest.raises(DataError, match="'loudly' in column 'barks'"):
        tree.predict(row, unseen="error", missing="fraction")


def test_a_long_list_of_levels_is_cut_short_in_the_sentence():
    tree = Tree.from_dict({"n": {i: i % 2 for i in range(1000)}})
    with pytest.raises(DataError) as caught:
        tree.predict({"n": -1}, unseen="error")
    assert len(str(caught.value)) < 400


def test_a_missing_value_stops_at_the_node_unless_the_tree_shares_out():
    texture = nominal("texture", ["clear", "clear", "clear", "faint", "faint"])
    sound = nominal("sound", ["a", "a", "b", "a", "b"])
    table = Table((texture, sound), nominal("ripe", ["yes", "yes", "no", "no", "no"]), 5)
    tree = grown(table)
    assert tree.predict_proba({"texture": None, "sound": "a"}).tolist() == [[0.4, 0.6]]
    assert tree.predict({"texture": float("nan"), "sound": "a"}).tolist() == ["no"]
    shared = tree.predict_proba({"texture": None, "sound": "a"}, missing="fraction")
    np.testing.assert_allclose(shared, [[0.6, 0.4]])  # 3/5 of clear, a: yes; 2/5 of faint: no
    assert grown(table, "c4.5-textbook").predict({"texture": None, "sound": "a"}) == ["yes"]
    with pytest.raises(DataError, match="row 1: column 'texture' is missing"):
        tree.predict({"texture": None, "sound": "a"}, missing="error")
    assert tree.predict({"texture": "faint", "sound": None}, missing="error").tolist() == ["no"]


def test_parts_that_are_equal_but_for_rounding_go_to_the_first_class():
    # A third and two sixths are a half only up to rounding.
    nodes = Nodes(
        parent=np.array([-1, 0, 0, 0], np.int32),
        column=np.array([0, LEAF, LEAF, LEAF], np.int32),
        cut=np.full(4, np.nan),
        level_start=np.array([0, 0, 1, 2, 3]),
        level_codes=np.array([0, 1, 2], np.int32),
        total=np.array([[0.5, 0.5], [0.0, 0.1], [0.3, 0.2], [0.1, 0.1]]) * 0.1,
        gain=np.zeros(4),
        score=np.zeros(4),
    )
    tree = grown(Table((nominal("x", ["a", "b"]),), nominal("y", ["p", "q"]), 2))
    tree = replace(tree, nodes=nodes, schema=(replace(tree.schema[0], levels=("a", "b", "c")),))
    mixed = tree.predict_proba({"x": None}, missing="fraction")[0]
    assert mixed[0] == pytest.approx(0.5)
    assert tree.predict({"x": None}, missing="fraction").tolist() == ["p"]


def test_an_ordered_column_has_no_place_for_a_level_it_does_not_know():
    table = Table((ordered("size", [0, 0, 1, 2], ["S", "M", "L"]),), nominal("y", "aaab"), 4)
    tree = grown(table, "cart-binary")
    assert tree.predict({"size": "M"}).tolist() == ["a"]
    rows = Table((nominal("size", ["XXL", "L", "S"]),), None, 3)
    assert tree.predict(rows).tolist() == ["a", "b", "a"]  # XXL stops at the root, it is no L
    with pytest.raises(DataError, match="'XXL' in column 'size'"):
        tree.predict(rows, unseen="error")
    with pytest.raises(DataError, match="'XXL' in column 'size'"):
        tree.predict(rows, unseen="error", missing="fraction")
    assert hide_unordered_levels(align(tree, rows), tree.schema).columns[0].codes.tolist() == [
        -1,
        2,
        0,
    ]


ODD_CELLS = [
    *(None, float("nan"), "", "?", "NA", "无", 4, "4", 4.0, " 4 ", True, "five", np.int8(4)),
    *("0.7", "０.７", "70%", "1,200", "much", float("inf"), 0.25, np.float32(0.25), 2**70),
]


@pytest.mark.parametrize("cell", ODD_CELLS, ids=repr)
@pytest.mark.parametrize("policy", [{}, {"unseen": "error"}, {"missing": "fraction"}])
def test_a_row_is_read_alike_by_itself_and_in_a_list(cell, policy):
    legs = Tree.from_dict(ZOO)
    dense = Tree.from_dict(
        {"density": {"<= 0.5": "no", "> 0.5": {"density": {"<= 9": 1, "> 9": 2}}}}
    )
    for tree, row in ((legs, {"legs": cell, "barks": 1}), (dense, {"density": cell})):
        told = []
        for source in (row, [row]):
            try:
                told.append(tree.predict(source, **policy).tolist())
            except DataError as error:
                told.append(str(error))
        assert told[0] == told[1]


def test_rows_come_from_lists_arrays_and_frames():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    tree = Tree.from_dict(ZOO)
    columns = {"barks": [1, 0, 0], "legs": [4, 2, 4]}
    rows = list(zip(columns["legs"], columns["barks"], strict=True))
    sources = [
        rows,
        [list(row) for row in rows],
        np.array(rows),
        [dict(zip(("legs", "barks"), row, strict=True)) for row in rows],
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
        b"id,legs,barks\n7,4,1\n8,2,0\n9,4,0\n",
        [(*row, "dog") for row in rows],  # the target may be there
    ]
    for source in sources:
        assert tree.predict(source).tolist() == ["dog", "bird", "cat"]


def test_classes_keep_their_type():
    table = Table((nominal("x", [1, 2, 3]),), None, 3)
    for classes in ([0, 1, 2], ["no", "yes", "so"], [1.5, 2.5, 0.0], [0, "0", 0.5], [2**70, 1, 2]):
        tree = Tree.from_dict({"x": dict(zip([1, 2, 3], classes, strict=True))})
        found = tree.predict(table).tolist()
        assert found == classes
        assert [type(c) for c in found] == [type(c) for c in classes]
    tree = Tree.from_dict({"x": {1: True, 2: False, 3: True}})
    assert tree.predict(table).dtype == bool


def test_levels_match_by_value_before_text():
    places = LevelIndex([1, "1", 1.5, "no"])
    assert [places.of(v) for v in (1, "1", 1.0, True, 1.5, "1.5", " no ", None, "x")] == [
        *(0, 1, 0, 0, 2, 2, 3, -1, -1)
    ]


def test_a_table_is_matched_by_name_and_by_level():
    tree = Tree.from_dict(ZOO, target="animal")
    rows = Table(
        (nominal("barks", ["1", "0"]), numeric("legs", [4.0, 2.0])),
        nominal("animal", ["wolf", "bird"]),
        2,
        row_numbers=np.array([3, 8]),
    )
    aligned = align(tree, rows)
    assert aligned.names == ("legs", "barks")
    assert aligned.columns[0].codes.tolist() == [2, 1]
    assert aligned.columns[1].codes.tolist() == [0, 1]
    assert aligned.target is not None
    assert aligned.target.levels == ("fish", "bird", "dog", "cat", "wolf")
    assert aligned.target.codes.tolist() == [4, 1]
    assert aligned.row_number(1) == 8
    assert tree.predict(rows).tolist() == ["dog", "bird"]


def test_text_that_spells_numbers_is_numbers_where_the_tree_wants_them():
    tree = Tree.from_dict({"density": {"<= 0.5": "no", "> 0.5": "yes"}})
    rows = Table((nominal("density", ["0.7", "0.2", None, "1e-3"]),), None, 4)
    assert tree.predict(rows).tolist() == ["yes", "no", "no", "no"]
    unused = Table((nominal("density", ["0.7", "0.2"], ["much"]),), None, 2)
    assert tree.predict(unused).tolist() == ["yes", "no"]
    bad = Table((nominal("density", ["0.7", "much"]),), None, 2)
    with pytest.raises(DataError, match="row 2: 'density' must be a number, found 'much'"):
        tree.predict(bad)
    with pytest.raises(DataError, match="'density' must be a number, found 'much'"):
        tree.predict({"density": "much"})
    assert tree.predict({"density": "0.7"}).tolist() == ["yes"]
    assert tree.predict({"density": np.float32(0.25)}).tolist() == ["no"]


def test_a_column_that_is_asked_about_must_be_there_and_others_need_not():
    table = Table((nominal("a", "xxyy"), nominal("b", "pqpq")), nominal("y", "0011"), 4)
    tree = grown(table)
    assert tree.predict({"a": "y"}).tolist() == ["1"]
    only_a = Table((nominal("a", "yx"),), None, 2)
    assert tree.predict(only_a).tolist() == ["1", "0"]
    assert align(tree, only_a).columns[1].codes.tolist() == [-1, -1]
    with pytest.raises(ChoiceError, match="there is no column 'a' in the table"):
        tree.predict(Table((nominal("b", "p"),), None, 1))
    with pytest.raises(ChoiceError, match="there is no column 'a' in the table"):
        tree.predict({"A": "y"})
    with pytest.raises(ChoiceError, match="there is no column 'b' in the table"):
        align_to(tree.schema, None, only_a)


def stump(nominal_root: bool, **extra) -> Tree:
    """Make a tree of one question, x <= 0 or x = "a", with what stands in for a missing x."""
    x = nominal("x", "abab") if nominal_root else numeric("x", [0, 1, 0, 1])
    table = Table((x, nominal("z", "pqpq")), nominal("y", ["low", "high"] * 2), 4)
    tree = grown(table, "cart-textbook")
    return replace(tree, nodes=replace(tree.nodes, **extra))


@pytest.mark.parametrize("nominal_root", [True, False])
def test_a_missing_value_takes_the_branch_it_was_taught(nominal_root):
    tree = stump(nominal_root, missing=np.array([1, -1, -1], np.int32))
    low = "a" if nominal_root else 0
    for rows, kind in (([low, None], "list"), ([None], "one")):
        source = [{"x": x} for x in rows] if kind == "list" else {"x": rows[0]}
        assert tree.predict(source).tolist() == ["low", "high"][-len(rows) :]
        assert tree.predict(source, missing="stop").tolist() == ["low", "low"][-len(rows) :]
    with pytest.raises(DataError, match="column 'x' is missing"):
        tree.predict({"x": None}, missing="error")
    if nominal_root:
        assert tree.apply({"x": "never"}).tolist() == [0]
        assert tree.apply({"x": "never"}, unseen="missing").tolist() == [2]
        with pytest.raises(DataError, match="'never' in column 'x'"):
            tree.apply({"x": "never"}, unseen="error")


@pytest.mark.parametrize("nominal_root", [True, False])
def test_surrogate_tests_are_asked_in_turn(nominal_root):
    codes = (np.array([0], np.int32), np.array([1], np.int32))
    stand_in = Surrogate(1, None, 0, codes, 1.0, 1.0)
    tree = stump(nominal_root, surrogates={0: (stand_in,)}, missing=np.array([1, -1, -1], np.int32))
    rows = zoo(x=[None, None, None], z=["p", "q", None])
    if not nominal_root:
        rows = replace(rows, columns=(numeric("x", [np.nan] * 3), rows.columns[1]))
    assert tree.predict(rows).tolist() == ["low", "high", "high"]
    assert tree.predict({"x": None, "z": "p"}).tolist() == ["low"]
    # The stand-in's column is asked about, too.
    with pytest.raises(ChoiceError, match="there is no column 'z' in the table"):
        tree.predict({"x": None})
    if nominal_root:
        assert tree.apply({"x": "never", "z": "p"}).tolist() == [0]
        assert tree.apply({"x": "never", "z": "p"}, unseen="missing").tolist() == [1]


def test_the_cheapest_class_is_answered_where_mistakes_have_a_price():
    tree = stump(nominal_root=False)
    costs = Costs((1.0, 1.0), ((0.0, 1.0), (5.0, 0.0)), (1.0, 1.0))
    dear = replace(tree, about={**tree.about, "costs": costs.to_json()})
    row = {"x": None}
    assert tree.predict(row, missing="fraction").tolist() == ["low"]
    assert dear.predict(row, missing="fraction").tolist() == ["high"]
    assert dear.predict(row, missing="stop").tolist() == ["high"]


def test_words_for_policies_are_checked():
    tree = Tree.from_dict(ZOO)
    with pytest.raises(ChoiceError, match=r"unseen must be one of .*got 'ignore'"):
        tree.predict({"legs": 0, "barks": 0}, unseen="ignore")
    with pytest.raises(ChoiceError, match=r"missing must be one of .*got 'guess'"):
        tree.predict({"legs": 0, "barks": 0}, missing="guess")
    number = grown(Table((nominal("x", "ab"),), numeric("y", [1.0, 2.0]), 2))
    assert number.predict({"x": "b"}).tolist() == [2.0]
    with pytest.raises(CapabilityError, match="the target 'y' is numeric"):
        number.predict_proba({"x": "a"})


def test_a_leaf_answers_anything():
    tree = Tree.from_dict("yes")
    assert tree.predict(Table((), None, 3)).tolist() == ["yes"] * 3
    assert tree.predict({}).tolist() == ["yes"]


def test_many_rows_are_answered_alike_by_one_and_by_several_threads():
    rng = np.random.RandomState(5)
    n = 2 * ROWS_PER_THREAD + 17
    table = Table(
        (numeric("x", rng.randint(0, 50, n)), nominal("z", rng.randint(0, 4, n).tolist())),
        nominal("y", rng.randint(0, 3, n).tolist()),
        n,
    )
    tree = grown(table.take(np.arange(300)))
    whole = tree.predict(table)
    parts = [tree.predict(table.take(np.arange(i, min(i + 999, n)))) for i in range(0, n, 999)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_what_is_kept_for_a_tree_goes_with_it_and_stays_out_of_copies():
    tree = Tree.from_dict(ZOO)
    row = {"legs": 2, "barks": 0}
    assert predict.predictor_of(tree) is predict.predictor_of(tree)
    tree.predict(row)
    for twin in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), replace(tree)):  # noqa: S301
        assert twin.predict(row).tolist() == ["bird"]
        assert predict.predictor_of(twin) is not predict.predictor_of(tree)
    key = id(tree)
    assert key in predict._PREDICTORS
    del tree, twin
    gc.collect()
    assert key not in predict._PREDICTORS


def test_a_deep_chain_is_walked_without_recursion():
    deep = 50_000
    nested: object = "end"
    for i in range(deep, 0, -1):
        nested = {"x": {f"<= {i}": "here", f"> {i}": nested}}
    tree = Tree.from_dict(nested)
    rows = Table((numeric("x", [deep + 5.0, 3.0, 0.5, np.nan]),), None, 4)
    assert tree.depth == deep
    assert tree.predict(rows).tolist() == ["end", "here", "here", "here"]
    assert tree.predict(rows, missing="fraction").tolist() == ["end", "here", "here", "here"]


def test_rows_that_do_not_say_their_class_are_answered_too():
    rows = [{"x": i, "c": "ab"[i > 3]} for i in range(8)]
    tree = penjing.fit(penjing.read(rows, "c"))
    asked = [row | {"c": None} if row["x"] in (1, 6) else row for row in rows]
    assert tree.predict(asked).tolist() == list("aaaabbbb")
    assert tree.predict_proba(asked).shape == (8, 2)
    assert len(tree.apply(asked)) == 8
    made = tree.ruleset(rows)
    assert made.predict(asked).tolist() == list("aaaabbbb")
    assert tree.ruleset(rows, votes=True).predict(asked).tolist() == list("aaaabbbb")


@pytest.mark.parametrize("recipe", ["cart-textbook", "sklearn", "c4.5"])
def test_a_few_rows_of_an_array_are_answered_as_many(recipe):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4)).round(1)
    y = (x[:, 0] + x[:, 2] > 0.3).astype(int) + (x[:, 1] > 1)
    tree = penjing.fit(x, y, recipe)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[x == 0] = -0.0
    answers, shares = tree.predict(x), tree.predict_proba(x)
    for start, end in ((0, 1), (5, 69), (7, 72)):
        for part in (x[start:end], np.asfortranarray(x)[start:end]):
            assert tree.predict(part).tolist() == answers[start:end].tolist()
            assert tree.predict_proba(part).tolist() == shares[start:end].tolist()
    assert tree.predict(x[::-1][:5]).tolist() == answers[::-1][:5].tolist()
    assert tree.predict(x[:, ::-1][:5, ::-1]).tolist() == answers[:5].tolist()
    assert tree.predict(np.broadcast_to(x[3], (5, 4))).tolist() == [answers[3]] * 5


@pytest.mark.parametrize("width", [1, 3, 8, 9, 16, 17, 20, 24, 25, 40])
@pytest.mark.parametrize("recipe", ["cart-textbook", "c4.5"])
def test_many_rows_of_an_array_are_answered_as_a_few(width, recipe):
    """Many walk together, and of a row's numbers several are asked at a time; a few go alone."""
    rng = np.random.default_rng(width)
    x = rng.normal(size=(9_003, width)).round(1)
    y = (x[:, 0] * x[:, -1] + x.sum(axis=1) > 0.5).astype(int) + (x[:, width // 2] > 1)
    tree = penjing.fit(x[:300], y[:300], recipe)
    x[rng.random(x.shape) < 0.01] = np.nan
    x[x == 0] = -0.0
    few = [x[i : i + 9] for i in range(0, len(x), 9)]
    answers = np.concatenate([tree.predict(part) for part in few])
    shares = np.concatenate([tree.predict_proba(part) for part in few])
    stops = np.concatenate([tree.apply(part) for part in few])
    for rows in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        assert tree.predict(rows).tolist() == answers.tolist()
        assert tree.predict_proba(rows).tolist() == shares.tolist()
        assert tree.apply(rows).tolist() == stops.tolist()


def test_fields_of_packed_records_are_numbers_as_any():
    rng = np.random.default_rng(0)
    for kind in ([("a", "f8"), ("s", "i4"), ("b", "f8"), ("z", "i4")], [("a", "f8"), ("b", "f4")]):
        rows = np.zeros(6_000, kind)
        rows["a"], rows["b"] = rng.normal(size=6_000), rng.normal(size=6_000)
        y = (rows["a"] + 2 * rows["b"] > 0).astype(int)
        tree = penjing.fit(rows, y, "cart-textbook", max_depth=5)
        plain = {name: np.ascontiguousarray(rows[name], np.float64) for name in ("a", "b")}
        same = penjing.fit(plain, y, "cart-textbook", max_depth=5)
        assert tree.predict(rows).tolist() == same.predict(plain).tolist()
        parts = [tree.predict(rows[i : i + 7]) for i in range(0, 6_000, 7)]
        assert tree.predict(rows).tolist() == np.concatenate(parts).tolist()


def test_one_row_may_run_backwards():
    rows = np.array([[5.5, 2.0], [1.0, 3.0]])[::-2]
    tree = penjing.fit(rows, np.array([1]), "cart-textbook")
    assert tree.predict(rows).tolist() == [1]


def test_numbers_need_not_be_aligned():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5_000, 3))
    odd = np.frombuffer(b"1234" + x.tobytes(), np.float64, x.size, 4).reshape(x.shape)
    assert not odd.flags.aligned
    y = (x.sum(axis=1) > 0).astype(int)
    tree = penjing.fit(odd, y, "cart-textbook", max_depth=5)
    assert tree.to_json() == penjing.fit(x, y, "cart-textbook", max_depth=5).to_json()
    for n in (1, 20, 5_000):
        assert tree.predict(odd[:n]).tolist() == tree.predict(x[:n]).tolist()
