"""TreeGenerate: the book's figure, one generation of open nodes at a time.

    function TreeGenerate(D, A)                          (Zhou 2016, figure 4.2)
      1   if D is of one class: leaf of that class
      2   if A is used up, or D is alike in A: leaf of the majority
          a* <- the best of A
          for each value v of a*:
      3      if no row of D has v: leaf of D's majority
             otherwise TreeGenerate(D_v, A without a*)

The three numbered cases are marked below. A nominal column is spent on a path by itself: below
its own branch it has one level left and nothing to offer. Case 3 needs no node: a value without
a branch is answered by the node that was asked.
"""

from __future__ import annotations

from typing import Protocol

from penjing.grow.dialect import Dialect
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.surrogates import add_missing_routes
from penjing.grow.trace_record import Trace
from penjing.progress import ProgressCallback
from penjing.registry import load
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


class PrePruner(Protocol):
    """Says, of divisions just made, which are to be taken back (pre-pruning)."""

    def splits_to_revert(self, growth: TreeBuilder, divided: list[int]) -> list[int]:
        """Return the nodes that are better left whole."""


def grow(
    engine: Engine,
    recipe: Recipe,
    gate: PrePruner | None = None,
    trace: Trace | None = None,
    progress: ProgressCallback | None = None,
) -> TreeData:
    """Grow a tree: TreeGenerate by generations."""
    rules: Dialect = load("dialect", recipe.rules)
    trace = trace or Trace(limit=0)
    growth = TreeBuilder(engine.reader)
    growth.set_totals([0], engine.totals(growth, [0]))  # node <- all of D
    open_nodes = [0]
    waiting: dict[int, Split] = {}
    later: list[int] = []
    while open_nodes or waiting:
        if recipe.options.depth_first and recipe.max_leaves is None:
            open_nodes, later = open_nodes[:1], open_nodes[1:]
        leaves = {n: why for n in open_nodes if (why := rules.stops(growth, n, recipe))}  # case 1
        asking = [n for n in open_nodes if n not in leaves]
        found = rules.offers(engine, growth, asking, recipe)
        choices = rules.choose(found, recipe)  # a* <- the best of A
        choices = add_missing_routes(
            engine, growth, asking, choices, recipe
        )  # surrogates, if wanted
        trace.stops(leaves)
        trace.candidates(engine, growth, (asking, found, choices), recipe)
        waiting |= {
            node: choice.split
            for node, choice in zip(asking, choices, strict=True)
            if choice.split is not None
            and choice.split.total_gain >= recipe.min_gain  # else case 2
        }
        divided = nodes_to_split(waiting, growth, recipe)
        born = [child for n in divided for child in growth.apply_split(n, waiting.pop(n))]  # case 3
        growth.set_totals(born, engine.totals(growth, born))
        for node in gate.splits_to_revert(growth, divided) if gate else ():
            growth.remove_children(node)
            trace.stops({node: "validation"})
        open_nodes = [child for n in divided for child in growth.final_children(n)] + later
        if progress:
            progress(growth.progress(open_nodes))
    return rules.finish(trace.finish(growth, engine, recipe), engine, recipe)


def nodes_to_split(waiting: dict[int, Split], growth: TreeBuilder, recipe: Recipe) -> list[int]:
    """Return the nodes to divide next: all that wait, or the best one while leaves are limited."""
    if recipe.max_leaves is None:
        return list(waiting)

    def worth(node: int) -> tuple[float, int]:
        return growth.adjusted_weight_of(node) * waiting[node].total_gain, -node

    by_worth = sorted(waiting, key=worth, reverse=True)
    room = recipe.max_leaves - growth.n_leaves
    fits = [node for node in by_worth if waiting[node].n_final_branches - 1 <= room]
    if not fits:
        waiting.clear()
    return fits[:1]
