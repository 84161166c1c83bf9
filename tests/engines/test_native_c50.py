"""C5.0 in C++ grows the tree of the loop in Python, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engines.test_native import assert_same
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from random_tables import some_table
from user_trees import grow

SETTINGS: tuple[dict[str, Any], ...] = (
    {"pruning": "none", "collapse": False, "gather": False},
    {"pruning": "none", "collapse": False, "gather": False, "min_branch": 1.0},
    {"pruning": "none", "collapse": False, "gather": False, "criterion": "gain", "max_depth": 4},
    {"pruning": "none", "collapse": False, "gather": False, "near_ties": 0.2, "screen_few": 5.0},
    {},
)


@pytest.mark.parametrize("seed", range(40))
def test_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng([seed, 50])
    n = int(rng.integers(2, 600))
    table = some_table(
        rng, n, regression=False, missing=rng.random() < 0.6, weighted=rng.random() < 0.4
    )
    recipe = recipe_of("c5.0", **SETTINGS[seed % len(SETTINGS)])
    table = recipe.prepared(table)
    fitted = recipe.fits(table)
    engine = native.Engine(table, threads=1 + seed % 2)
    grown = engine.grow(fitted)
    assert grown is not None
    finished = fitted.dialect.finish(grown, engine, fitted)
    assert_same(finished, grow(memory.Engine(table), fitted))
