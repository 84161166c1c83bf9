"""The best division of a column and the choice between columns; ties by the stated rule."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from penjing import _core
from penjing.criteria.criterion import gains
from penjing.criteria.entropy import Entropy, GainRatio
from penjing.criteria.gini import Gini
from penjing.criteria.variance import Variance
from penjing.data.table import Field, Table, nominal, numeric
from penjing.dialects.textbook import CART_BINARY, CART_TEXTBOOK, ID3
from penjing.engines.memory import Engine
from penjing.grow import search
from penjing.grow.search import (
    ALL_SUBSETS,
    NO_VALUES,
    best_splits,
    candidates,
    choose,
    first_best,
    scores_together,
)
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes, Counts, Number
from penjing.tree.split import BestSplits
from strategies import ordered

NOMINAL, ORDERED, NUMERIC = (Field("a", kind) for kind in ("nominal", "ordered", "numeric"))


def counts_of(cells: list[list[float]], codes: list[int] | None = None) -> Counts:
    found = np.asarray(cells, np.float64)
    present = np.arange(len(found)) if codes is None else np.asarray(codes)
    return Counts(present.astype(np.int32), found, np.zeros(found.shape[1]))


def offered(table: Table, recipe=ID3) -> BestSplits:
    engine = Engine(table, recipe.missing)
    return best_splits(engine, TreeBuilder(engine.reader), [0], recipe)


# -- scoring ------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [Entropy(), GainRatio(), Gini(), Variance()])
@pytest.mark.parametrize("at_once", [1, 40, 20_000])
def test_columns_have_the_same_scores_together_as_alone(criterion, at_once, monkeypatch):
    monkeypatch.setattr(search, "SCORED_AT_ONCE", at_once)
    random = np.random.default_rng(at_once)
    s = Number(0.0) if isinstance(criterion, Variance) else Classes(3)
    fields = [(NUMERIC, "binary"), (NOMINAL, "multiway"), (NOMINAL, "binary")]
    columns = []
    for i in range(60):
        n = int(random.integers(0, 12))
        cells = random.integers(0, 9, (n, 3)) * np.where(i % 4, 1.0, random.random((n, 1)))
        cells[:, 0] += 0.25  # every level that is there has rows
        missing = random.integers(0, 3, 3).astype(np.float64)
        counts = Counts(np.arange(n, dtype=np.int32), cells, missing)
        field, shape = fields[i % 3]
        columns.append((counts, candidates(counts, field, np.arange(12.0), shape, s)))
    for min_branch in (None, 0.0, 4.0):
        together = scores_together(criterion, columns, s, min_branch)
        for column, scored in zip(columns, together, strict=True):
            (alone,) = scores_together(criterion, [column], s, min_branch)
            np.testing.assert_array_equal(scored, alone)
            if min_branch is None and alone.size:
                counts, splits = column
                share = s.weight(counts.known) / s.weight(counts.known + counts.missing)
                by_hand = gains(criterion, counts.known, splits.after, s) * share
                np.testing.assert_allclose(scored, by_hand, rtol=1e-14)


# -- inside a column --------------------------------------------------------------------------


def test_a_number_is_cut_between_the_values_present():
    found = candidates(
        counts_of([[1, 0], [0, 2], [3, 0]], [0, 2, 3]),
        NUMERIC,
        np.array([1.0, 5.0, 6.0, 8.0]),
        "multiway",
        Classes(2),
    )
    assert found.cuts.tolist() == [3.5, 7.0]  # 5 is not there
    assert found.after.tolist() == [[[1, 0], [3, 2]], [[1, 2], [3, 0]]]


def test_ordered_levels_are_cut_by_position():
    found = candidates(
        counts_of([[1, 0], [0, 2], [3, 0]], [0, 2, 3]), ORDERED, NO_VALUES, "binary", Classes(2)
    )
    assert found.cuts.tolist() == [0, 2]


def test_a_nominal_column_has_one_division_into_all_levels():
    found = candidates(
        counts_of([[1, 0], [0, 2], [3, 0]], [0, 2, 3]), NOMINAL, NO_VALUES, "multiway", Classes(2)
    )
    assert found.after.tolist() == [[[1, 0], [0, 2], [3, 0]]]
    assert found.sides.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("n", range(2, ALL_SUBSETS + 1))
def test_with_three_classes_every_grouping_is_tried_once(n):
    cells = np.random.RandomState(n).randint(0, 9, (n, 3)) + np.eye(3)[np.arange(n) % 3]
    found = candidates(counts_of(cells.tolist()), NOMINAL, NO_VALUES, "binary", Classes(3))
    lefts = {frozenset(np.flatnonzero(side == 0).tolist()) for side in found.sides}
    every = {frozenset(c) for k in range(1, n) for c in combinations(range(n), k)}
    assert len(found.sides) == len(lefts) == 2 ** (n - 1) - 1
    assert lefts | {frozenset(range(n)) - left for left in lefts} == every
    for side, after in zip(found.sides, found.after, strict=True):
        np.testing.assert_array_equal(after[0], cells[side == 0].sum(axis=0))
        np.testing.assert_allclose(after[1], cells[side == 1].sum(axis=0))


@pytest.mark.parametrize("reader", [Classes(2), Number()], ids=["two classes", "number"])
def test_two_classes_or_a_number_need_only_the_groupings_in_order(reader):
    """Breiman et al. 1984, theorem 4.5: the best of all groupings is among these n - 1."""
    rng = np.random.RandomState(1)
    for n in range(2, 9):
        if isinstance(reader, Number):
            w, y = rng.randint(1, 6, n) * 1.0, rng.randint(-9, 9, n) * 1.0
            cells = np.stack([w, w * y, w * y * y + w * rng.randint(0, 3, n)], axis=1)
        else:
            cells = rng.randint(0, 9, (n, 2)) + np.array([1.0, 0.0])
        found = candidates(counts_of(cells.tolist()), NOMINAL, NO_VALUES, "binary", reader)
        assert len(found.sides) == n - 1

        def left_over(side, cells=cells):
            parts = np.array([cells[side == b].sum(axis=0) for b in (0, 1)])
            if isinstance(reader, Number):
                return reader.loss(parts).sum()
            return (Gini().impurity(parts, reader) * reader.weight(parts)).sum()

        every = (
            np.array([i in c for i in range(n)]) * 1
            for k in range(1, n)
            for c in combinations(range(n), k)
        )
        assert min(map(left_over, found.sides)) == pytest.approx(
            min(map(left_over, every)), abs=1e-9
        )


def test_many_levels_of_many_classes_are_grouped_along_one_direction():
    """A heuristic: deterministic, and it finds a clean grouping where there is one."""
    n = 60
    cells = np.zeros((n, 3))
    cells[::2, 0] = 5
    cells[1::2, 1:] = 3
    found = candidates(counts_of(cells.tolist()), NOMINAL, NO_VALUES, "binary", Classes(3))
    assert len(found.sides) == n - 1
    halves = [side for side in found.sides if side.sum() == n // 2]
    assert len(set(halves[0][::2])) == len(set(halves[0][1::2])) == 1
    again = candidates(counts_of(cells.tolist()), NOMINAL, NO_VALUES, "binary", Classes(3))
    assert (again.sides == found.sides).all()


@pytest.mark.parametrize("k", [2, 3, 8, 30])
def test_the_direction_is_the_first_principal_component(k):
    rng = np.random.default_rng(k)
    cells = rng.integers(0, 40, (25, k)).astype(float)
    cells[:, k // 2] = 0  # a class that does not occur changes nothing
    weight = cells.sum(axis=1)
    centred = cells / weight[:, None] - cells.sum(axis=0) / weight.sum()
    values, axes = np.linalg.eigh((centred * weight[:, None]).T @ centred)
    along = _core.principal_coordinates(cells)
    assert np.average(along**2, weights=weight) * weight.sum() == pytest.approx(values[-1])
    assert np.abs(along) == pytest.approx(np.abs(centred @ axes[:, -1]), abs=1e-7)
    some = [c for c in range(k) if c != k // 2]
    assert (_core.principal_coordinates(np.ascontiguousarray(cells[:, some])) == along).all()


@pytest.mark.parametrize("shape", ["multiway", "binary"])
@pytest.mark.parametrize("field", [NOMINAL, ORDERED, NUMERIC])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n", [0, 1])
def test_a_column_with_one_value_or_none_offers_nothing(shape, field, n_classes, n):
    table = Table(
        (
            {
                "nominal": nominal("a", [None] * 6 if n == 0 else ["x"] * 6),
                "ordered": ordered("a", [n - 1] * 6, ["x"]),
                "numeric": numeric("a", [np.nan] * 6 if n == 0 else [1.0] * 6),
            }[field.kind],
        ),
        nominal("c", ["p", "q", "r", "p", "q", "p"][:6] if n_classes == 3 else ["p", "q"] * 3),
        6,
    )
    found = offered(table, ID3.but(shape=shape, missing="fraction"))
    assert np.isnan(found.gain).all()
    assert not found.n_candidates.any()
    assert choose(found, Entropy())[0].split is None


def test_a_branch_too_light_bars_a_division():
    table = Table((numeric("x", [1, 2, 3, 4, 5]),), nominal("c", ["p", "q", "q", "q", "q"]), 5)
    assert offered(table).cut[0, 0] == 1.5
    assert offered(table, ID3.but(min_branch=2.0)).cut[0, 0] == 2.5
    assert offered(table, ID3.but(min_branch=2.0)).n_candidates[0, 0] == 2
    assert np.isnan(offered(table, ID3.but(min_branch=3.0)).gain[0, 0])


def test_the_gain_is_scaled_by_the_known_share():
    known = Table((nominal("a", ["x", "y"]),), nominal("c", ["p", "q"]), 2)
    partly = Table((nominal("a", ["x", "y", None, None]),), nominal("c", ["p", "q", "p", "q"]), 4)
    assert offered(known).gain[0, 0] == 1.0
    assert offered(partly, ID3.but(missing="fraction")).gain[0, 0] == 0.5


def test_of_equal_cuts_the_lowest_is_taken():
    table = Table((numeric("x", [1, 2, 3, 4]),), nominal("c", ["p", "q", "q", "p"]), 4)
    assert offered(table).cut[0, 0] == 1.5
    assert first_best(np.array([np.nan, 0.5, 0.5]), 0.0) == 1
    assert first_best(np.array([0.1, 0.5 - 1e-14, 0.5]), 1e-13) == 1


# -- between columns --------------------------------------------------------------------------


def best_splits_of(gain: list[float], information: list[float] | None = None) -> BestSplits:
    row = np.array([gain])
    return BestSplits(
        row,
        np.ones_like(row) if information is None else np.array([information]),
        np.ones_like(row),
        np.full_like(row, 0.5),
        np.ones_like(row, dtype=np.int64),
        {},
    )


def test_of_equal_columns_the_first_is_taken_and_all_are_told():
    (choice,) = choose(best_splits_of([0.1, 0.5 - 1e-14, 0.5, 0.5 - 1e-9]), Entropy())
    assert choice.split.column == 1
    assert choice.tied == (1, 2)
    (alone,) = choose(best_splits_of([0.1, 0.5]), Entropy())
    assert alone.split.column == 1
    assert alone.tied == ()


def test_a_column_that_cannot_divide_is_no_candidate():
    (choice,) = choose(best_splits_of([np.nan, 0.0]), Entropy())
    assert choice.split.column == 1
    (nothing,) = choose(best_splits_of([np.nan, np.nan]), Entropy())
    assert nothing.split is None
    assert nothing.tied == ()


def test_ratio_compares_only_columns_of_average_gain():
    # The third has by far the best ratio, but gains less than the average 0.3.
    (choice,) = choose(best_splits_of([0.5, 0.3, 0.1], [2.0, 1.0, 0.01]), GainRatio())
    assert choice.split.column == 1
    assert choice.split.gain == 0.3
    assert choice.split.score == 0.3


def test_equal_gains_are_all_at_least_average():
    """The average of three equal numbers may round up; that must not bar them all."""
    (choice,) = choose(best_splits_of([0.1, 0.1, 0.1]), GainRatio())
    assert choice.split.column == 0
    assert choice.tied == (0, 1, 2)


def test_a_tie_is_seen_however_the_counts_are_ordered():
    """The same division under other names adds up in another order, last bits included."""
    rng = np.random.RandomState(0)
    for _ in range(30):
        values = rng.randint(0, 7, 200)
        classes = rng.randint(0, 3, 200).tolist()
        table = Table(
            (nominal("a", values.tolist()), nominal("b", (6 - values).tolist(), range(7))),
            nominal("c", classes),
            200,
        )
        for recipe in (ID3, CART_TEXTBOOK, CART_BINARY):
            (choice,) = choose(offered(table, recipe), recipe.measure())
            assert choice.tied == (0, 1)
