"""Pre-pruning after growing gives the tree that the loop grows with a pre-pruner."""

from __future__ import annotations

import numpy as np
import pytest

from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.errors import PenjingError
from penjing.grow.loop import grow_unpruned
from penjing.grow.pre_pruned import can_pre_prune, pre_pruned
from penjing.prune.pre_pruning import ValidationPrePruner
from penjing.tree.counts import reader_of
from random_tables import some_table

ARRAYS = ("parent", "column", "cut", "level_start", "level_codes", "total", "gain", "score")
RECIPES = ("id3", "c4.5-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart", "sklearn")


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("seed", range(12))
def test_the_tree_of_the_loop(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(name)])
    recipe = recipe_of(name)
    regression = name in {"id3", "cart-binary", "rpart", "sklearn"} and rng.random() < 0.4
    table = some_table(
        rng,
        int(rng.integers(20, 300)),
        regression=regression,
        missing=recipe.missing != "refuse" and rng.random() < 0.6,
        weighted=rng.random() < 0.3,
    )
    try:
        table = recipe.prepared(table)
        recipe = recipe.fits(table)
    except PenjingError:
        pytest.skip("the recipe does not take this table")
    is_training = rng.random(table.n_rows) < 0.6
    if is_training.all() or not is_training.any():
        pytest.skip("nothing is held out")
    training, held_out = table.take(is_training), table.take(~is_training)
    ties = "keep" if seed % 2 else "cut"
    costs, centred = recipe.options.costs(training), recipe.options.centred
    reader = reader_of(training, costs, centred=centred)
    options = {"missing": recipe.missing, "reader": reader}
    judge_reader = reader_of(held_out, costs, centred=centred)
    judges = [
        kind(held_out, missing=recipe.missing, shares_of="tree", reader=judge_reader)
        for kind in (memory.Engine, native.Engine)
    ]
    gates = [ValidationPrePruner(judge, ties) for judge in judges]
    expected = grow_unpruned(memory.Engine(training, **options), recipe, gates[0])
    assert can_pre_prune(recipe)
    grown = native.Engine(training, **options).grow(recipe)
    if grown is None:
        pytest.skip("only the loop grows it")
    found = pre_pruned(grown, gates[1], reader)
    assert found is not None
    for array in ARRAYS:
        np.testing.assert_array_equal(
            getattr(found.nodes, array), getattr(expected.nodes, array), array
        )
    assert found.about == expected.about
    assert gates[1].pruning_records() == gates[0].pruning_records()
