"""Rows that are held while a tree is edited are those that the edited tree gives each node."""

from __future__ import annotations

import numpy as np
import pytest

from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.engines import memory, native
from penjing.prune.editable_tree import EditableTree, row_sums
from penjing.tree.held_rows import HeldRows
from random_tables import some_table
from user_trees import grow


def raisable(draft: EditableTree, rng: np.random.Generator) -> dict[int, int]:
    """Return the nodes of some depth that have an inner child, and the first such child of each."""
    pairs = {}
    for node in draft.subtree(0):
        inner = [child for child in draft.children(node) if not draft.is_leaf(child)]
        if inner:
            pairs[node] = inner[0]
    depth = rng.choice([draft.depth[node] for node in pairs]) if pairs else 0
    return {node: branch for node, branch in pairs.items() if draft.depth[node] == depth}


def check_sums(
    draft: EditableTree, raised: dict[int, int], engine: memory.Engine, table: Table
) -> None:
    """Compare the sums of all nodes with those of an engine that finds all rows anew."""
    structure = draft.structure_with_raised(raised)
    nodes = [0]
    for node in nodes:  # the list grows during the loop
        nodes.extend(structure.children(node))
    nodes.reverse()  # rows are searched upwards from a node, so that held ones are found
    sums = engine.totals(structure, nodes).cells
    held, draft.held_rows = draft.held_rows, HeldRows()
    fresh = memory.Engine(table).totals(draft.structure_with_raised(raised), nodes).cells
    draft.held_rows = held
    assert np.array_equal(sums, fresh)


@pytest.mark.parametrize("engine_type", [memory.Engine, native.Engine])
@pytest.mark.parametrize("most", [None, 0, 30, 100_000])
@pytest.mark.parametrize("seed", range(6))
def test_held_rows_are_those_of_the_edited_tree(
    seed: int, most: int | None, engine_type: type[memory.Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    if most is not None:
        monkeypatch.setattr(engine_type, "_most_held", most)
    rng = np.random.default_rng([seed, 52])
    table = some_table(rng, 200, regression=False, missing=True, weighted=seed % 2 == 0)
    recipe = recipe_of("c4.5", pruning="none", collapse=False, min_branch=1)
    table = recipe.prepared(table)
    tree = grow(memory.Engine(table), recipe.fits(table))
    draft, engine = EditableTree(tree), engine_type(table)
    n_raised = 0
    while raised := raisable(draft, rng):
        check_sums(draft, raised, engine, table)
        if rng.random() < 0.5:  # it was only tried
            check_sums(draft, {}, engine, table)
            continue
        node, branch = list(raised.items())[int(rng.integers(len(raised)))]
        draft.raise_branch(node, branch)
        check_sums(draft, {}, engine, table)
        n_raised += 1
    assert n_raised or tree.n_nodes < 10


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 8, 9, 17, 40])
def test_sums_of_rows_are_rounded_as_each_alone(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    cells = rng.random((50, n_classes)) * 10.0 ** rng.integers(-6, 6, (50, n_classes))
    assert row_sums(cells) == [float(row.sum()) for row in cells]
    assert row_sums(np.asfortranarray(cells)) == [float(row.sum()) for row in cells]
