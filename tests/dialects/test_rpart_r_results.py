"""rpart as R has it where weights, missing values and orders meet; R's answers stand beside."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import penjing
from export_programs import by_python, by_sqlite
from penjing.data.table import Column, Table, nominal, numeric
from penjing.dialects.rpart.cp_table import complexities
from penjing.estimators import CARTClassifier
from penjing.tree.serialize import to_json
from user_trees import from_json

ENGINES = ("memory", "native", "disk")
ALL = {"recipe": "rpart", "minsplit": 2, "minbucket": 1, "cp": 0}
HEAVY = Table(
    (numeric("x", [1, 2, 3, 8, 9]),), nominal("y", list("aaabb")), 5, np.array([1.0, 1, 1, 5, 5])
)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_new_row_without_a_value_goes_where_more_rows_are_whatever_they_weigh(engine, tmp_path):
    tree = penjing.fit(HEAVY, engine=engine, **ALL)
    lost = [{"x": None}]
    assert tree.predict(lost).tolist() == ["a"]
    assert from_json(to_json(tree)).predict(lost).tolist() == ["a"]
    assert by_python(tree, lost, tmp_path)[0] == ["a"]
    assert by_sqlite(tree, lost, tmp_path)[0] == ["a"]
    assert tree.explain(lost[0]).told["answer"] == "a"


def test_pruning_leaves_the_way_of_missing_values_as_it_was():
    table = replace(
        HEAVY,
        columns=(*HEAVY.columns, numeric("z", [1, 2, 1, 2, 1])),
        target=nominal("y", list("abaab")),
    )
    tree = penjing.fit(table, **ALL)
    pruned = tree.prune("cost-complexity", cp=0.3)
    kept = np.flatnonzero(~pruned.is_leaf)
    assert 0 < kept.size < (~tree.is_leaf).sum()
    assert pruned.nodes.missing[0] == tree.nodes.missing[0]


def test_while_growing_rows_without_a_value_go_with_the_greater_weight():
    table = Table(
        (numeric("x", [1, 2, 3, 8, 9, math.nan]), numeric("z", [1, 1, 1, 1, 1, 1])),
        nominal("y", list("aaabba")), 6, np.array([1.0, 1, 1, 5, 5, 1]),
    )  # fmt: skip
    tree = penjing.fit(table, **ALL | {"maxdepth": 1})
    assert tree.nodes.total.tolist() == [[4, 10], [3, 0], [1, 10]]
    assert tree.nodes.missing is None  # three rows on each side: a new row stays at the root
    assert tree.predict([{"x": None, "z": 1}]).tolist() == ["b"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("weight", "n"), [(None, 4), (np.ones(5), 5)])
def test_rows_of_which_nothing_is_known_count_as_soon_as_there_are_weights(engine, weight, n):
    table = Table((numeric("x", [1, 2, 8, 9, math.nan]),), nominal("y", list("aabba")), 5, weight)
    tree = penjing.fit(table, engine=engine, **ALL)
    assert tree.about["n_rows"] == n
    assert tree.weight[0] == n


WEIGHTLESS = [
    {"x": 1, "w": 1, "y": "a"}, {"x": 2, "w": 1, "y": "a"}, {"x": 3, "w": 0, "y": "a"},
    {"x": 4, "w": 0, "y": "b"}, {"x": 5, "w": 1, "y": "b"}, {"x": 6, "w": 1, "y": "b"},
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_weight_0_count_for_minsplit(engine):
    tree = penjing.fit(WEIGHTLESS, "y", weight="w", engine=engine, **ALL | {"minsplit": 6})
    assert tree.n_leaves == 2
    assert tree.about["n_rows"] == 6
    fewer = penjing.fit(WEIGHTLESS, "y", weight="w", engine=engine, **ALL | {"minsplit": 7})
    assert fewer.n_leaves == 1


def test_rows_of_weight_0_count_for_minsplit_from_files_and_in_estimators(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{row['x']},{row['w']},{row['y']}" for row in WEIGHTLESS]
    path.write_text("\n".join(["x,w,y", *lines]) + "\n", encoding="utf-8")
    for engine in ENGINES:
        options = ALL | {"minsplit": 6}
        tree = penjing.fit(str(path), "y", weight="w", engine=engine, **options)
        assert (tree.n_leaves, tree.about["n_rows"]) == (2, 6)
        textbook = penjing.fit(str(path), "y", "cart-binary", weight="w", engine=engine)
        assert textbook.about["n_rows"] == 4  # to others such rows are none
    x = np.array([[row["x"]] for row in WEIGHTLESS])
    y, w = [row["y"] for row in WEIGHTLESS], [row["w"] for row in WEIGHTLESS]
    cart = CARTClassifier(min_samples_split=6, min_samples_leaf=1, cp=0).fit(x, y, w)
    assert cart.tree_.n_leaves == 2


def test_rows_of_weight_0_are_not_judged():
    table = penjing.read(WEIGHTLESS, "y", weight="w")
    tree = penjing.fit(table, **ALL)
    odd = replace(table, target=nominal("y", list("aababb")))  # both of weight 0 are wrong
    recipe = penjing.RECIPES["rpart"].but(minsplit=2)
    for report in (tree.score(odd), penjing.cross_validate(odd, recipe, 3)):
        assert np.sum(report.confusion) == 4
        assert not {3, 4} & {wrong.row for wrong in report.wrong}


@pytest.mark.parametrize("sums", ["exact", "cases"])
def test_rows_of_weight_0_neither_move_a_cut_nor_fill_a_bucket(sums):
    table = Table(
        (numeric("x", [1, 2, 5, 6, 7]),), numeric("y", [1, 1, 1, 4, 4]), 5,
        np.array([1.0, 1, 0, 1, 1]),
    )  # fmt: skip
    tree = penjing.fit(table, sums=sums, **ALL)
    assert tree.nodes.cut[0] == np.nextafter(4, 0)  # between 2 and 6
    whole = penjing.fit(table, sums=sums, **ALL | {"minbucket": 3})
    assert whole.n_leaves == 1


def test_a_category_of_weight_0_stays_while_the_tree_grows():
    """R: node 2 has n = 2, node 3 has n = 2, one of 5 rows stays; minsplit 3 splits neither."""
    table = Table(
        (Column("g", "nominal", tuple("uvw"), np.array([0, 0, 1, 1, 2], np.int32)),
         numeric("x", [1, 1, 2, 2, 1])),
        nominal("y", list("aabba")), 5, np.array([1.0, 1, 1, 1, 0]),
    )  # fmt: skip
    tree = penjing.fit(table, engine="memory", **ALL)
    assert tree.schema[tree.nodes.column[0]].name == "g"
    assert tree.nodes.missing is None  # two rows on each side


def test_a_class_of_weight_0_is_a_class():
    """R tries all groupings as soon as there are three classes, though one weighs nothing."""
    g = nominal("g", [*"abbbbbbcc", "a"], list("abc"))
    y = nominal("y", [*"pppppqqqq", "r"], list("pqr"))
    table = Table((g,), y, 10, np.array([1.0] * 9 + [0]))
    options = ALL | {"minbucket": 3, "maxdepth": 1}
    assert penjing.fit(table.take(np.arange(9)), **options).n_leaves == 1
    for engine in ENGINES:
        tree = penjing.fit(table, engine=engine, **options)
        assert [set(g.tolist()) for g in tree.split(0).groups] == [{1}, {0, 2}]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_absent_category_half_way_goes_down(engine, tmp_path):
    codes = np.array([0, 0, 2, 2, 2], np.int32)
    table = Table(
        (Column("g", "ordered", tuple("abc"), codes),), nominal("y", list("ppqqq")), 5
    )  # fmt: skip
    tree = penjing.fit(table, engine=engine, **ALL)
    rows = [{"g": level} for level in "abc"]
    assert tree.predict(rows).tolist() == ["p", "p", "q"]
    assert by_python(tree, rows, tmp_path)[0] == ["p", "p", "q"]
    assert by_sqlite(tree, rows, tmp_path)[0] == ["p", "p", "q"]
    assert from_json(to_json(tree)).predict(rows).tolist() == ["p", "p", "q"]
    assert "g ≤ b" in tree.write("text")


def test_an_absent_category_half_way_goes_down_in_surrogates():
    codes = np.array([0, 0, 0, 2, 2, 2], np.int32)
    table = Table(
        (numeric("x", [1, 2, 3, 7, 8, 9]), Column("g", "ordered", tuple("abc"), codes)),
        nominal("y", list("pppqqq")), 6,
    )  # fmt: skip
    tree = penjing.fit(table, **ALL)
    assert tree.nodes.surrogates
    assert tree.predict([{"x": None, "g": "b"}]).tolist() == ["p"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_table_of_a_root_alone_says_what_its_split_would_save(engine):
    table = Table((numeric("x", [1, 2, 3, 4]),), numeric("y", [1, 3, 2, 4]), 4)
    tree = penjing.fit(table, engine=engine, **ALL | {"cp": 0.9})
    (row,) = tree.about["cp_table"]
    assert row == pytest.approx([0.6, 0, 1])
    crossed = penjing.fit(table, engine=engine, xval=2, **ALL | {"cp": 0.9})
    assert crossed.about["cp_table"] == [pytest.approx([0.6, 0, 1, 0, 0])]
    few = penjing.fit(table, engine=engine, **ALL | {"cp": 0.9, "minsplit": 5})
    assert few.about["cp_table"] == [pytest.approx([0.9, 0, 1])]  # none was tried
    assert complexities(tree, 0.9 * 5).of.tolist() == [pytest.approx(4.5)]


def test_why_names_the_category_that_the_tree_names():
    codes = np.array([0, 0, 2, 2, 2], np.int32)
    table = Table((Column("g", "ordered", tuple("abc"), codes),), nominal("y", list("ppqqq")), 5)
    tree = penjing.fit(table, trace=True, **ALL)
    (chosen,) = tree.kept_trace["steps"][0]["candidates"]
    assert int(chosen["cut"]) == int(tree.nodes.cut[0]) == 1
