"""scikit-learn's rules: cuts, missing values, weights, settings; and pruning by impurity."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.sklearn.dialect import importance
from penjing.dialects.sklearn.feature_order import FeatureOrder
from penjing.dialects.sklearn.options import first_state
from penjing.errors import ChoiceError, DataError
from penjing.prune.cost_complexity import cost_of, pruning_path
from penjing.training.cross_validate import recipe_from
from penjing.tree.serialize import to_json
from strategies import skeleton, tables, whole_weights
from user_trees import from_json

NAN = float("nan")


def fits_single(table: Table) -> bool:
    most = float(np.finfo(np.float32).max)
    return all(
        not c.is_numeric or not len(c.levels) or np.abs(np.asarray(c.levels)).max() < most
        for c in table.columns
    )


some_tables = tables(missing=True).filter(fits_single)
number_tables = tables(missing=True, regression=True).filter(fits_single)


@given(table=some_tables | number_tables)
def test_every_row_is_in_one_leaf(table):
    tree = penjing.fit(table, recipe="sklearn")
    stops = tree.apply(table)
    assert tree.is_leaf[stops].all()
    arrived = np.bincount(stops, minlength=len(tree.nodes))
    np.testing.assert_array_equal(arrived[tree.is_leaf], tree.weight[tree.is_leaf])
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = list(tree.children(node))
        below = tree.nodes.total[children].sum(axis=0)
        np.testing.assert_allclose(below, tree.nodes.total[node], rtol=1e-9, atol=1e-9)


@given(table=some_tables)
def test_leaves_are_pure_or_alike(table):
    """Divisions need gain nothing: only rows that no cut can part share a leaf."""
    tree = penjing.fit(table, recipe="sklearn")
    stops = tree.apply(table)
    prepared = penjing.RECIPES["sklearn"].options.prepared(table)
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        rows = np.flatnonzero(stops == leaf)
        if len(np.unique(table.target.codes[rows])) < 2:
            continue
        for column in prepared.columns:
            numbers = column.take(rows).numbers()
            assert (
                np.isnan(numbers).all()
                or np.nanmax(numbers) - np.nanmin(numbers) <= 1.1e-7
                or (len(np.unique(numbers)) * 1e-7 >= np.nanmax(numbers) - np.nanmin(numbers))
            )
            assert np.isnan(numbers).all() or not np.isnan(numbers).any()


@given(table=some_tables | number_tables)
def test_saved_trees_come_back_with_their_directions(table):
    tree = penjing.fit(table, recipe="sklearn")
    back = from_json(to_json(tree))
    assert back == tree
    np.testing.assert_array_equal(back.apply(table), tree.apply(table))


@given(table=some_tables.filter(lambda t: t.n_rows > 1))
def test_the_unit_of_weight_is_no_matter(table):
    one = penjing.fit(table, recipe="sklearn")
    heavy = replace(table, weight=np.full(table.n_rows, 4.0))
    assert skeleton(penjing.fit(heavy, recipe="sklearn")) == skeleton(one)


@given(table=tables(weights=whole_weights).filter(fits_single))
def test_weights_are_copies_where_no_size_is_asked_for(table):
    times = table.weights.astype(int)
    copies = replace(table, weight=None).take(np.repeat(np.arange(table.n_rows), times))
    one = penjing.fit(table, recipe="sklearn")
    many = penjing.fit(replace(copies, row_numbers=None), recipe="sklearn")
    assert [row[:3] for row in skeleton(one)] == [row[:3] for row in skeleton(many)]


@given(
    table=some_tables | number_tables,
    share=st.floats(0, 1),
    by=st.sampled_from(["errors", "impurity"]),
)
def test_pruning_twice_changes_nothing_and_more_cuts_more(table, share, by):
    tree = penjing.fit(table, recipe="sklearn")
    alpha = share * float(cost_of(tree, by)[0])
    once = tree.prune("cost-complexity", alpha=alpha, by=by)
    twice = once.prune("cost-complexity", alpha=alpha, by=by)
    assert skeleton(twice) == skeleton(once)
    more = tree.prune("cost-complexity", alpha=2 * alpha, by=by)
    assert set(paths(more)) <= set(paths(once)) <= set(paths(tree))


def paths(tree):
    """Return every node by the branches that lead to it."""
    found = [()]
    for node in range(1, len(tree.nodes)):
        parent, branch = tree.parent_of(node)
        found.append((*found[parent], branch))
    return found


@given(table=some_tables | number_tables, by=st.sampled_from(["errors", "impurity"]))
def test_links_grow_stronger_as_the_tree_grows_smaller(table, by):
    tree = penjing.fit(table, recipe="sklearn")
    links = pruning_path(tree, by)
    root = float(cost_of(tree, by)[0])
    alphas = [link.alpha for link in links]
    assert all(b >= a - 1e-9 * max(root, 1e-9) for a, b in pairwise(alphas[1:]))
    leaves = [link.n_leaves for link in links]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1
    assert links[-1].cost == pytest.approx(root)


@given(table=some_tables)
def test_decisions_tell_what_was_cut(table):
    tree = penjing.fit(table, recipe="sklearn")
    pruned = tree.prune("cost-complexity", alpha=0.05, by="impurity")
    told = pruned.about["pruning"][-1]["decisions"]
    cut = [d["node"] for d in told if d["decision"] == "cut"]
    assert skeleton(tree.pruned(cut)) == skeleton(pruned)
    assert sum(d["decision"] == "keep" for d in told) == int((~pruned.is_leaf).sum())


XOR = Table((numeric("a", [0, 0, 1, 1]), numeric("b", [0, 1, 0, 1])), nominal("y", list("nyyn")), 4)


def test_a_division_need_not_gain_anything():
    tree = penjing.fit(XOR, recipe="sklearn")
    assert tree.n_leaves == 4
    assert tree.nodes.gain[0] == 0


def test_missing_values_may_be_parted_from_all_known_ones():
    table = Table((numeric("x", [1.0, 2.0, 3.0, NAN, NAN]),), nominal("y", list("nnnyy")), 5)
    tree = penjing.fit(table, recipe="sklearn")
    assert np.isinf(tree.nodes.cut[0])
    assert str(tree).splitlines() == ["x ≠ ?: n (3)", "x = ?: y (2)"]
    assert tree.predict([{"x": NAN}, {"x": 1e30}]).tolist() == ["y", "n"]


def test_values_go_the_way_of_the_larger_side_where_none_were_missing():
    table = Table((numeric("x", [1, 2, 3, 4, 5]),), nominal("y", list("nyyyy")), 5)
    tree = penjing.fit(table, recipe="sklearn")
    assert tree.nodes.missing[0] == 1
    assert tree.predict([{"x": None}]).tolist() == ["y"]


def test_numbers_are_compared_as_32_bits_hold_them():
    column = numeric("x", [1.0, 1.00000005, 2.0])
    assert column.rounded().codes.tolist() == [0, 0, 1]
    table = Table((numeric("x", [0.1, 0.3]),), nominal("y", ["n", "y"]), 2)
    tree = penjing.fit(table, recipe="sklearn")
    expected = float(np.float32(0.1)) / 2 + float(np.float32(0.3)) / 2
    assert tree.nodes.cut[0] == expected
    with pytest.raises(DataError):
        numeric("x", [1e300]).rounded()


def test_settings_go_by_their_names_there():
    tree = penjing.fit(
        XOR,
        recipe="sklearn",
        criterion="entropy",
        max_leaf_nodes=3,
        min_samples_split=2,
        splitter="best",
        max_features=None,
    )
    assert tree.n_leaves == 3
    assert tree.recipe["criterion"] == "gain"
    shares = penjing.fit(XOR, recipe="sklearn", min_samples_leaf=0.5)
    assert shares.n_leaves == 2


def test_class_weights_decide_ties():
    table = Table((numeric("x", [1, 1, 1, 1]),), nominal("y", list("nnny")), 4)
    assert penjing.fit(table, recipe="sklearn").answer(0) == "n"
    heavy = penjing.fit(table, recipe="sklearn", class_weight={"y": 5.0})
    assert heavy.answer(0) == "y"
    np.testing.assert_allclose(heavy.predict_proba(table)[0], [3 / 8, 5 / 8])
    even = penjing.fit(table, recipe="sklearn", class_weight="balanced")
    np.testing.assert_allclose(even.predict_proba(table)[0], [0.5, 0.5])


def test_classes_of_arrays_are_sorted_as_scikit_learn_sorts_them():
    x = [[0.0], [0.0], [1.0], [1.0]]
    assert penjing.fit(np.array(x), ["z", "a", "z", "a"], "sklearn").classes == ("a", "z")
    tree = penjing.fit(np.array(x), np.array([7, 3, 7, 3]), "sklearn", random_state=0)
    assert tree.classes == (3, 7)
    assert tree.predict(np.array(x)).tolist() == [3, 3, 3, 3]
    assert penjing.fit(np.array(x), ["z", "a", "z", "a"], "id3").classes == ("z", "a")


@pytest.mark.filterwarnings("error")
def test_rows_of_a_class_that_weighs_nothing_are_none():
    table = Table((numeric("x", [1, 2, 3, 4, 5, 6]),), nominal("y", list("aabacc")), 6)
    tree = penjing.fit(table, recipe="sklearn", class_weight={"a": 0, "c": 2.0})
    assert tree.predict(table).tolist() == list("bbbbcc")
    assert tree.nodes.cut[0] == 4.0  # between 3 and 5: row 4 is not there
    with pytest.raises(DataError):
        penjing.fit(table, recipe="sklearn", class_weight={"a": 0, "b": 0, "c": 0})


def test_class_weights_of_classes_that_are_numbers_come_back_from_a_file(tmp_path):
    table = Table((numeric("x", [1, 1, 1, 2]),), nominal("y", [0, 0, 0, 1]), 4)
    tree = penjing.fit(table, recipe="sklearn", class_weight={0: 1.0, 1: 4.0})
    tree.save(tmp_path / "m.json")
    again = penjing.load(tmp_path / "m.json")
    assert again == tree
    assert penjing.fit(table, recipe=recipe_from(again)) == tree


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "twoing"},
        {"splitter": "random"},
        {"max_features": 0},
        {"max_features": 1.5},
        {"max_features": "all"},
        {"min_samples_leaf": -1},
        {"class_weight": "uneven"},
        {"class_weight": {"q": 1.0}},
        {"class_weight": {"y": -1.0}},
        {"class_weight": {"y": "heavy"}},
        {"class_weight": [1.0, 2.0]},
        {"ccp_alpha": -0.1},
        {"nominal": "hot"},
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings):
    with pytest.raises(ChoiceError):
        penjing.fit(XOR, recipe="sklearn", **settings)


def test_as_many_columns_are_looked_at_as_asked():
    """Two columns that part the rows, and the one drawn alone is taken though it parts worse."""
    better, worse = numeric("a", [1, 2, 3, 4]), numeric("b", [1, 2, 2, 2])
    table = Table((better, worse), nominal("y", list("nnyy")), 4)
    whole = penjing.fit(table, recipe="sklearn")
    assert whole.nodes.column[0] == 0
    drawn = {
        penjing.fit(table, recipe="sklearn", max_features=most, random_state=seed).nodes.column[0]
        for seed in range(8)
        for most in (1, 0.5, "sqrt", "log2")
    }
    assert drawn == {0, 1}
    assert penjing.fit(table, recipe="sklearn", max_features=1).recipe["random_state"] == 0


def test_importances_are_shares():
    tree = penjing.fit(XOR, recipe="sklearn")
    assert sum(importance(tree).values()) == pytest.approx(1.0)


def test_the_drawing_is_scikit_learns():
    """The first columns drawn by random_state 0 to 7 among three that are alike."""
    firsts = [
        int(
            FeatureOrder(3, first_state(seed), is_best_first=False)
            .ranks(0, -1, [False] * 3)
            .argmin()
        )
        for seed in range(8)
    ]
    assert firsts == [1, 0, 0, 2, 2, 0, 2, 0]
