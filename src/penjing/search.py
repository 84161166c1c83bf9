"""One generation's offers: the best candidate of every column of every open node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from penjing.choosing import (
    ALL_SUBSETS,
    NO_VALUES,
    Candidates,
    Choice,
    candidates,
    choose,
    first_best,
    score,
    with_branch,
)
from penjing.criteria import TIE
from penjing.criteria.entropy import bits
from penjing.engines import Engine, Shape
from penjing.recipe import Recipe
from penjing.split import Offers
from penjing.table import Codes

__all__ = [
    "ALL_SUBSETS",
    "NO_VALUES",
    "Candidates",
    "Choice",
    "candidates",
    "choose",
    "first_best",
    "offers",
    "score",
    "with_branch",
]


def offers(engine: Engine, tree: Shape, nodes: Sequence[int], recipe: Recipe) -> Offers:
    """Return the best candidate of each column of each node."""
    told = engine.offers(tree, nodes, recipe)
    if told is not None:
        return told
    shape = (len(nodes), len(engine.schema))
    gain, information, impurity, cut = (np.full(shape, np.nan) for _ in range(4))
    n_candidates = np.zeros(shape, np.int64)
    groups: dict[tuple[int, int], tuple[Codes, ...]] = {}
    criterion = recipe.measure()
    for i, tally in enumerate(engine.tally(tree, nodes)):
        for c, counts in tally.columns.items():
            field = engine.schema[c]
            values = engine.level_values(c) if field.is_numeric else NO_VALUES
            found = candidates(counts, field, values, recipe.shape, engine.reader)
            whole = counts
            if recipe.missing == "branch":
                whole, found = with_branch(counts, found, engine.reader)
            scored = score(criterion, whole, found, recipe, engine.reader)
            n_candidates[i, c] = (~np.isnan(scored)).sum()
            if not n_candidates[i, c]:
                continue
            scale = float(criterion.impurity(whole.known, engine.reader))
            best = first_best(scored, scale * TIE)
            gain[i, c] = scored[best]
            weights = engine.reader.weight(found.after[best])
            information[i, c] = bits(weights)
            impurity[i, c] = scale
            if found.cuts.size:
                cut[i, c] = found.cuts[best]
            else:
                side = found.sides[best]
                groups[i, c] = tuple(counts.codes[side == b] for b in range(side.max() + 1))
    made = Offers(gain, information, impurity, cut, n_candidates, groups)
    keep = getattr(engine, "keep_offers", None)  # an engine that goes on where it was lost
    if keep is not None:
        keep(nodes, made)
    return made
