"""Sums of rows, and the two readers of such sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.engines.memory import Engine
from penjing.errors import DataError
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes, Number, reader_of, sums
from strategies import part_weights, tables


def test_classes_read_weight_majority_and_loss():
    s = Classes(3)
    total = np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert s.size == 3
    assert s.weight(total).tolist() == [7, 0, 2]
    assert s.value(total).tolist() == [1, 0, 0]  # of equal classes the first
    assert s.loss(total).tolist() == [4, 0, 0]


def test_numbers_read_weight_mean_and_squares():
    s = Number(10.0)
    total = np.array([[2.0, 4.0, 10.0], [0.0, 0.0, 0.0]])  # 11 and 13, less the centre 10
    assert s.size == 3
    assert s.weight(total).tolist() == [2, 0]
    assert s.value(total).tolist() == [12, 10]
    assert s.loss(total).tolist() == [2, 0]


def test_rounding_never_makes_a_loss_negative():
    third = np.array([3.0, 1.0, 1 / 3])
    assert Number().loss(third) >= 0


def test_the_centre_is_the_weighted_mean():
    y = numeric("y", [1.0, 2.0, 6.0])
    assert reader_of(Table((), y, 3)) == Number(3.0)
    assert reader_of(Table((), y, 3, np.array([1.0, 1.0, 2.0]))) == Number(3.75)
    assert reader_of(Table((), nominal("c", ["a", "b"]), 2)) == Classes(2)
    assert reader_of(Table((), numeric("y", []), 0)) == Number(0.0)


def test_a_number_far_from_zero_keeps_its_digits():
    """sum(y^2) - sum(y)^2/n would lose them all without a centre."""
    y = [1e9, 1e9 + 1, 1e9 + 2]
    table = Table((numeric("x", [0, 1, 2]),), numeric("y", y), 3)
    engine = Engine(table)
    totals = engine.totals(TreeBuilder(engine.reader), [0])
    assert engine.reader.loss(totals.cells)[0] == pytest.approx(2.0, rel=1e-12)


@given(st.data())
def test_sums_are_sums(data):
    n = data.draw(st.integers(0, 12))
    slots = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.intp)
    y = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int32)
    weight = data.draw(st.none() | st.lists(part_weights, min_size=n, max_size=n).map(np.array))
    w = np.ones(n) if weight is None else weight
    counted = sums(slots, 3, weight, y, Classes(4))
    expected = [[w[(slots == i) & (y == k)].sum() for k in range(4)] for i in range(3)]
    np.testing.assert_allclose(counted, expected, rtol=1e-15)
    assert counted.dtype == np.float64
    moments = sums(slots, 3, weight, y.astype(float), Number())
    expected = [[(w * y**p)[slots == i].sum() for p in range(3)] for i in range(3)]
    np.testing.assert_allclose(moments, expected, rtol=1e-14, atol=1e-14)
    assert moments.dtype == np.float64


@given(tables(missing=True, weights=part_weights))
def test_a_tally_holds_every_row_once(table):
    engine = Engine(table)
    (tally,) = engine.tally(TreeBuilder(engine.reader), [0])
    for c, counts in tally.columns.items():
        np.testing.assert_allclose(counts.known + counts.missing, tally.total, rtol=1e-12)
        present = np.unique(table.columns[c].codes[table.columns[c].codes >= 0])
        assert counts.codes.tolist() == present.tolist()
        assert (counts.cells.sum(axis=1) > 0).all()


def test_many_levels_and_few_rows_are_counted_alike():
    """The reference engine has two ways to count; both give the same counts."""
    many = nominal("a", ["l90", "l3", "l90", None], [f"l{i}" for i in range(100)])
    few = nominal("a", ["l90", "l3", "l90", None], ["l3", "l90"])
    target = nominal("c", ["p", "q", "q", "p"])
    answers = []
    for column in (many, few):
        engine = Engine(Table((column,), target, 4))
        (tally,) = engine.tally(TreeBuilder(engine.reader), [0], [0])
        answers.append(tally.columns[0])
    assert answers[0].cells.tolist() == answers[1].cells.tolist() == [[0, 1], [1, 1]]
    assert answers[0].codes.tolist() == [3, 90]
    assert answers[0].missing.tolist() == [1, 0]


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("y", [[1e200, -1e200, 3e200], [1.7e308, 1.7e308, 0.0]])
def test_a_number_whose_square_is_no_number_is_refused(y, centred):
    with pytest.raises(DataError) as caught:
        reader_of(Table((), numeric("y", y), 3), centred=centred)
    assert caught.value.key == "target_too_large"
    assert reader_of(Table((), numeric("y", [1e150, -1e150]), 2)) == Number(0.0)


@pytest.mark.parametrize("target", [numeric("y", [1, 2]), nominal("y", ["p", "q"])])
def test_weights_whose_sum_is_no_number_are_refused(target):
    with pytest.raises(DataError) as caught:
        reader_of(Table((), target, 2, np.array([1e308, 1e308])))
    assert caught.value.key == "weights_too_large"


def rows_of(values, weights):
    rows = zip(range(len(values)), values, weights, strict=True)
    return [{"a": a / 2, "y": y, "w": w} for a, y, w in rows]


@pytest.mark.parametrize("recipe", ["cart-binary", "id3", "c4.5", "rpart", "sklearn"])
@pytest.mark.parametrize("engine", ["native", "memory"])
@pytest.mark.parametrize(("values", "weight", "key"), [
    ("ppqq", 1e155, "weights_too_large"), ("ppqq", 1e-160, "weights_too_small"),
    ([1e-165, 1e-165, 3e-165, 2e-165], 1.0, "target_too_small"),
    ([1e200, 1.5, 2, 3], 1.0, "target_too_large"),
])  # fmt: skip
def test_squares_beyond_floating_point_are_refused(recipe, engine, values, weight, key):
    if isinstance(values, list) and recipe in ("id3", "c4.5"):
        pytest.skip("the recipe needs classes")
    if (recipe, key) == ("sklearn", "target_too_small"):
        pytest.skip("such a tree is one leaf, as in scikit-learn")
    rows = rows_of(values, [weight] * 4)
    schema = {"a": "numeric"}
    with pytest.raises(DataError) as caught:
        penjing.fit(rows, "y", recipe, schema=schema, weight="w", engine=engine, quiet=True)
    assert caught.value.key == key


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart"])  # sklearn stops at impurities near 0
@pytest.mark.parametrize("scale", [1e-140, 1e-60, 1.0, 1e60, 1e140])
def test_scales_of_weights_and_targets_leave_the_splits(recipe, scale):
    settings = {"minsplit": 2} if recipe == "rpart" else {}
    options = {"schema": {"a": "numeric"}, "weight": "w", "quiet": True, **settings}
    classes = penjing.fit(rows_of("pppqq", [scale] * 5), "y", recipe, **options)
    assert [classes.n_leaves, classes.nodes.cut[0]] == [2, pytest.approx(1.25)]
    numbers = penjing.fit(
        rows_of([v * scale for v in (1, 1, 1, 2, 2)], [1.0] * 5), "y", recipe, **options
    )
    assert [numbers.n_leaves, numbers.nodes.cut[0]] == [2, pytest.approx(1.25)]


@pytest.mark.parametrize("engine", ["native", "memory"])
def test_small_targets_are_one_leaf_by_sklearn_as_in_scikit_learn(engine):
    tree = pytest.importorskip("sklearn.tree")
    values = [1e-165, 1e-165, 3e-165, 2e-165]
    theirs = tree.DecisionTreeRegressor().fit([[0.0], [0.5], [1.0], [1.5]], values)
    ours = penjing.fit(
        rows_of(values, [1.0] * 4), "y", "sklearn", weight="w", engine=engine, quiet=True
    )
    assert ours.n_leaves == theirs.get_n_leaves() == 1
