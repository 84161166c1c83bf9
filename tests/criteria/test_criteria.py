"""Criteria judge from counts alone: the built-in ones, and whatever function a user brings."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_split as oracle
import penjing
from oracle_split import Row
from penjing.criteria.criterion import KERNELS, Impurity, gains
from penjing.criteria.custom import apply_measure
from penjing.criteria.entropy import Entropy, GainRatio
from penjing.criteria.gini import Gini
from penjing.criteria.variance import Variance
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.registry import load, plugins
from penjing.tree.counts import Classes, Number
from penjing.tree.split import BestSplits
from strategies import grown, tables

COUNTS = st.lists(st.integers(0, 40), min_size=2, max_size=4).filter(any)
FISH = Table(
    (nominal("no surfacing", [1, 1, 1, 0, 0]), nominal("flippers", [1, 1, 0, 1, 1])),
    nominal("fish", ["yes", "yes", "no", "no", "no"]),
    5,
)


def plain_entropy(counts):
    """The homework's function: one list of counts, a loop, a number."""
    total = 0.0
    for count in counts:
        if count > 0:
            share = count / sum(counts)
            total -= share * math.log2(share)
    return total


def plain_gini(counts):
    return 1 - sum((count / sum(counts)) ** 2 for count in counts)


def array_gini(counts):
    share = counts / counts.sum(axis=-1, keepdims=True)
    return 1 - (share**2).sum(axis=-1)


def rows_only_gini(counts):
    share = counts / counts.sum(axis=1)[:, None]
    return 1 - (share**2).sum(axis=1)


def hasty_gini(counts):
    """Right for one node; for many it would divide by the sum of all."""
    return 1 - ((counts / counts.sum()) ** 2).sum(-1)


def columnwise_gini(counts):
    """Right for one node; for a square of counts it would add along the wrong axis."""
    return 1 - sum((counts / sum(counts)) ** 2)


# -- the built-in ones ------------------------------------------------------------------------


@given(COUNTS)
def test_impurities_are_the_formulas(counts):
    rows = [Row((), i, oracle.Fraction(c)) for i, c in enumerate(counts) if c]
    total, s = np.array(counts, float), Classes(len(counts))
    assert Entropy().impurity(total, s) == pytest.approx(oracle.entropy(rows), rel=1e-13)
    assert GainRatio().impurity(total, s) == Entropy().impurity(total, s)
    assert Gini().impurity(total, s) == pytest.approx(
        float(oracle.gini(rows)), rel=1e-13, abs=1e-16
    )


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 5)), min_size=1, max_size=9))
def test_variance_is_the_formula(rows):
    y, w = np.array(rows, float).T
    total = np.array([w.sum(), (w * y).sum(), (w * y * y).sum()])
    exact = oracle.variance([Row((), a, oracle.Fraction(b)) for a, b in rows])
    found = Variance().impurity(total, Number())
    assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


def test_an_empty_node_is_not_mixed():
    nothing = np.zeros((2, 3))
    for criterion in (Entropy(), GainRatio(), Gini(), Impurity("own", array_gini)):
        assert criterion.impurity(nothing, Classes(3)).tolist() == [0, 0]
    assert Variance().impurity(nothing, Number()).tolist() == [0, 0]


@given(st.lists(COUNTS.filter(lambda counts: len(counts) == 2), min_size=1, max_size=4))
def test_a_division_never_loses(parts):
    after = np.array(parts, float)[None]
    for criterion in (Entropy(), Gini()):
        gain = gains(criterion, after[0].sum(axis=0), after, Classes(2))
        assert gain[0] >= 0
        assert math.copysign(1, gain[0]) == 1


def test_equal_parts_gain_exactly_nothing():
    """Without care 1e-16 would be left over, and look like a reason to divide."""
    for k in range(1, 60):
        after = np.array([[[k, 2.0 * k], [3.0 * k, 6.0 * k], [7.0 * k, 14.0 * k]]])
        for criterion in (Entropy(), Gini()):
            assert gains(criterion, after[0].sum(axis=0), after, Classes(2))[0] == 0


def test_gain_ratio_bars_columns_below_the_average_and_divisions_without_information():
    gain = np.array([[0.3, 0.1, np.nan, 0.2], [np.nan] * 4])
    information = np.array([[3.0, 0.1, np.nan, 0.4], [np.nan] * 4])
    best_splits = BestSplits(
        gain, information, np.ones((2, 4)), np.full((2, 4), np.nan), np.ones((2, 4), int), {}
    )
    score = GainRatio().between(best_splits)
    assert score[0, [0, 3]].tolist() == [0.3 / 3.0, 0.2 / 0.4]
    assert np.isnan(score[0, [1, 2]]).all()
    assert np.isnan(score[1]).all()
    best_splits.split_information[0, 0] = 0.0
    assert np.isnan(GainRatio().between(best_splits)[0, 0])


@pytest.mark.parametrize("name", plugins("criterion"))
def test_a_criterion_answers_to_its_name(name):
    assert load("criterion", name)().name == name


# -- one's own --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "recipe"),
    [
        (plain_entropy, "id3"),
        (plain_gini, "cart-textbook"),
        (plain_gini, "cart-binary"),
        (array_gini, "cart-textbook"),
        (rows_only_gini, "cart-textbook"),
        (hasty_gini, "cart-textbook"),
        (columnwise_gini, "cart-binary"),
        (penjing.RECIPES["id3"].measure(), "id3"),
    ],
)
@given(table=tables(max_rows=10))
def test_the_same_formula_grows_the_same_tree(mine, recipe, table):
    built_in = grown(table, recipe)
    own = grown(table, recipe, criterion=mine)
    assert own.to_dict() == built_in.to_dict()
    assert own.nodes.total.tolist() == built_in.nodes.total.tolist()
    np.testing.assert_allclose(own.nodes.gain, built_in.nodes.gain, rtol=1e-12, atol=1e-15)


def test_fit_takes_a_function_and_the_tree_remembers_its_name(tmp_path):
    tree = penjing.fit(FISH, criterion=plain_gini, trace=True)
    assert tree.recipe["criterion"] == "plain_gini"
    assert tree.to_dict() == penjing.fit(FISH, criterion="gini").to_dict()
    tree.save(tmp_path / "fish.tree")
    assert penjing.load(tmp_path / "fish.tree") == tree
    nameless = penjing.fit(FISH, criterion=lambda counts: 1 - max(counts) / sum(counts))
    assert nameless.recipe["criterion"] == "<lambda>"


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("size", range(2, 5))
@pytest.mark.parametrize(
    "mine", [plain_gini, array_gini, rows_only_gini, hasty_gini, columnwise_gini]
)
def test_a_function_may_take_one_node_or_many(mine, n, size):
    counts = np.random.RandomState(n).randint(1, 9, (n, size)).astype(float)
    if mine is rows_only_gini:
        expected = array_gini(counts)
    else:
        expected = [float(mine(row)) for row in counts]
    np.testing.assert_allclose(apply_measure("own", mine, counts), expected, rtol=1e-12)
    assert apply_measure("own", mine, counts[:, None]).shape == (n, 1)


@pytest.mark.parametrize(
    ("mine", "key"),
    [
        (lambda counts: counts, "measure_failed"),
        (lambda counts: None, "measure_failed"),  # noqa: ARG005
        (lambda counts: "much", "measure_failed"),  # noqa: ARG005
        (lambda counts: 1 / 0, "measure_failed"),  # noqa: ARG005
        (lambda: 1.0, "measure_failed"),
        (lambda counts: counts.sum(-1) * np.nan, "measure_not_finite"),
        (lambda counts: counts.sum(-1) / 0, "measure_not_finite"),
        (
            lambda counts: -sum(counts / sum(counts) * np.log2(counts / sum(counts))),
            "measure_not_finite",
        ),
    ],
)
def test_a_function_that_measures_nothing_is_refused_in_a_sentence(mine, key):
    with pytest.raises(ChoiceError) as caught:
        penjing.fit(FISH, criterion=mine)
    assert caught.value.key == key
    assert "'<lambda>'" in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_function_that_calls_everything_equal_divides_by_column_order():
    tree = grown(FISH, criterion=lambda counts: 1.0)  # noqa: ARG005
    assert tree.to_dict() == grown(FISH).to_dict()
    assert not tree.nodes.gain.any()


def test_a_measure_that_grows_worse_by_dividing_leaves_a_leaf():
    tree = grown(FISH, criterion=lambda counts: -max(counts))
    assert tree.n_nodes == 1


def test_a_function_cannot_judge_a_number():
    table = Table(FISH.columns, numeric("y", [1, 2, 3, 4, 5]), 5)
    with pytest.raises(ChoiceError, match="needs a categorical target, but 'y' is numeric"):
        penjing.fit(table, criterion=plain_gini)


# -- one's own, grown by a kernel -------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """A built-in criterion under a name of one's own, and the kernel that it says it is."""

    of: Any
    native: Any
    name: str = "mine"

    def impurity(self, total, s):
        return self.of.impurity(total, s)

    def between(self, best_splits):
        return self.of.between(best_splits)


OTHERS = {name: [other for other in KERNELS.values() if other != name] for name in KERNELS.values()}


def worth(n: int = 60) -> Table:
    """Return rows on which gain, gain ratio and Gini grow different trees."""
    draw = np.random.RandomState(5)
    columns = [nominal(f"c{k}", draw.randint(0, k, n).tolist()) for k in (2, 3, 5, 8)]
    columns.append(numeric("x", draw.rand(n).round(2)))
    return Table(tuple(columns), nominal("y", draw.choice(list("abc"), n, p=[0.6, 0.3, 0.1])), n)


def numbers() -> Table:
    table = worth()
    return replace(table, target=numeric("y", np.random.RandomState(6).rand(table.n_rows)))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_criterion_of_ones_own_is_grown_by_the_kernel_that_it_names(kernel):
    meant = KERNELS[kernel]
    table = numbers() if meant == "variance" else worth()
    how = {"recipe": "c4.5-textbook", "max_depth": 4}
    mine = Named(load("criterion", meant)(), kernel)
    built_in = penjing.fit(table, criterion=meant, engine="native", **how)
    for engine in ("native", "memory"):
        own = penjing.fit(table, criterion=mine, engine=engine, **how)
        assert own.nodes.column.tolist() == built_in.nodes.column.tolist(), engine
        for part in ("cut", "total", "gain", "score"):
            given = getattr(own.nodes, part), getattr(built_in.nodes, part)
            np.testing.assert_allclose(*given, rtol=1e-12, err_msg=f"{engine} {part}")


def test_the_kernels_grow_different_trees_of_these_rows():
    grown_by = [
        penjing.fit(worth(), recipe="c4.5-textbook", criterion=name, max_depth=4).to_dict()
        for name in ("gain", "gain_ratio", "gini")
    ]
    assert all(a != b for a, b in pairwise([*grown_by, grown_by[0]]))


def test_an_impurity_with_a_kernel_is_grown_by_it():
    mine = Impurity("mine", array_gini, native="gini")
    for recipe in ("cart-textbook", "cart-binary"):
        own = penjing.fit(worth(), recipe=recipe, criterion=mine)
        assert own.to_dict() == penjing.fit(worth(), recipe=recipe).to_dict()


@pytest.mark.parametrize("native", ["ratio", "Gini", "", 5, True, ("gini",), ["gini"], object()])
def test_a_kernel_that_does_not_exist_is_refused(native):
    for mine in (Named(Gini(), native), Impurity("mine", array_gini, native=native)):
        with pytest.raises(ChoiceError, match="native kernel"):
            penjing.fit(FISH, criterion=mine)


@pytest.mark.parametrize(("meant", "other"), [(a, b) for a, bs in OTHERS.items() for b in bs])
def test_a_kernel_that_measures_otherwise_is_refused(meant, other):
    mine = Named(load("criterion", meant)(), other)
    table = numbers() if other == "variance" else worth()
    with pytest.raises(ChoiceError, match="'mine'"):
        penjing.fit(table, criterion=mine)


def test_the_kernel_of_a_number_is_not_for_classes_nor_one_of_classes_for_a_number():
    with pytest.raises(ChoiceError, match="variance"):
        penjing.fit(FISH, criterion=Named(Variance(), "variance"))
    with pytest.raises(ChoiceError, match="needs a categorical target, but 'y' is numeric"):
        penjing.fit(numbers(), criterion=Named(Gini(), "gini"))


@pytest.mark.parametrize("kernel", [k for k, meant in KERNELS.items() if meant != "variance"])
def test_on_disk_too_a_criterion_of_ones_own_has_the_kernel_that_it_names(kernel, tmp_path):
    path = tmp_path / "rows.csv"
    rows = [*worth().rows()]
    lines = [",".join(map(str, row.values())) for row in rows]
    path.write_text("\n".join([",".join(rows[0]), *lines]) + "\n", "utf-8")
    how = {"target": "y", "recipe": "c4.5-textbook", "engine": "disk"}
    mine = Named(load("criterion", KERNELS[kernel])(), kernel)
    own = penjing.fit(path, criterion=mine, **how)
    built_in = penjing.fit(path, criterion=KERNELS[kernel], **how)
    assert own.to_dict() == built_in.to_dict()
    assert own.nodes.score.tolist() == built_in.nodes.score.tolist()
