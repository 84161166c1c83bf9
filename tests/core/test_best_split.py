"""The best division of a column from its counts, in C++, against the definition in Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing import _core
from penjing.criteria.criterion import gains
from penjing.data.table import Field
from penjing.grow.recipe import Recipe
from penjing.grow.search import candidates, first_best, score
from penjing.tree.counts import TIE, Classes, Counts

MEASURES = {"gini": "gini", "gain": "entropy"}


def some_counts(rng, n, k):
    cells = rng.integers(0, int(rng.choice([2, 4, 60])), (n, k)).astype(np.float64)
    cells[np.arange(n), rng.integers(0, k, n)] += 1  # no unit is empty
    return Counts(np.arange(n, dtype=np.int32), cells, np.zeros(k))


@pytest.mark.parametrize("criterion", MEASURES)
@given(seed=st.integers(0, 2**32))
def test_the_best_division_is_that_of_the_definition(criterion, seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 25)), int(rng.integers(2, 6))
    recipe = Recipe("some", criterion=criterion, min_branch=float(rng.choice([0, 1, 20])))
    counts, s, measure = some_counts(rng, n, k), Classes(k), MEASURES[criterion]
    slack = TIE * float(recipe.measure().impurity(counts.known, s))
    for kind in ("numeric", "nominal"):
        field = Field("x", kind, tuple(range(n)))
        found = candidates(counts, field, np.arange(n, dtype=float), "binary", s)
        scored = score(recipe.measure(), counts, found, recipe, s)
        some = scored.size and not np.isnan(scored).all()
        best = first_best(scored, slack) if some else -1
        if kind == "numeric":
            at, gain = _core.cut_gains(counts.cells, measure, recipe.min_branch)
            assert at == best
            np.testing.assert_allclose(gain, scored, rtol=1e-9, atol=1e-12)
        else:
            side = _core.best_grouping(counts.cells, measure, recipe.min_branch)
            assert side.tolist() == (found.sides[best].tolist() if some else [])


@pytest.mark.parametrize("criterion", MEASURES)
@given(seed=st.integers(0, 2**32))
def test_a_unit_that_stays_closed_hides_nothing(criterion, seed):
    """Whatever the order of a closed unit's rows is, no cut among them reaches the bar."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    cells = rng.integers(0, 3, (n, k)).astype(np.float64)
    cells[0, 0] += 1
    measure, s = Recipe("some", criterion=criterion).measure(), Classes(k)
    known = cells.sum(axis=0)
    _, gain = _core.cut_gains(cells, MEASURES[criterion], 0.0)
    bar = float(rng.uniform(0, 1)) * float(measure.impurity(known, s))
    single = (rng.random(n) < 0.2).astype(np.uint8)
    is_open = _core.open_units(cells, MEASURES[criterion], gain, single, bar)
    for u in range(n):
        beside = any(gain[v] >= bar for v in (u - 1, u) if 0 <= v < n - 1)
        if single[u]:
            assert not is_open[u]
            continue
        assert is_open[u] or not beside
        if is_open[u]:
            continue
        inside = itertools.product(*(range(int(c) + 1) for c in cells[u]))
        lefts = [np.array(part, float) for part in inside if 0 < sum(part) < cells[u].sum()]
        if lefts:
            left = cells[:u].sum(axis=0) + np.array(lefts)
            assert gains(measure, known, np.stack([left, known - left], axis=1), s).max() < bar


def test_a_measure_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="gini or entropy"):
        _core.cut_gains(np.ones((2, 2)), "variance", 0.0)
