"""No division that the oracle can think of scores better than the one that was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_split as oracle
from oracle_split import Row, Rows
from penjing.api.tree import Tree
from penjing.data.table import Column, Table
from strategies import RECIPE_NAMES, grown, part_weights, tables, whole_weights

CLOSE = 1e-9
"""How far floats may be from the oracle's fractions, as a share of the node's impurity."""
MEASURES = {
    "gain": oracle.entropy,
    "gain_ratio": oracle.entropy,
    "gini": oracle.gini,
    "variance": oracle.variance,
}

some_weights = st.sampled_from([None, whole_weights, part_weights])
plain_tables = some_weights.flatmap(lambda weights: tables(weights=weights))
holey_tables = some_weights.flatmap(
    lambda weights: tables(weights=weights, missing=True, max_rows=9)
)
number_tables = some_weights.flatmap(lambda weights: tables(weights=weights, regression=True))


def plain_rows(table: Table) -> Rows:
    def plain(column: Column) -> list[float | int | None]:
        if column.is_numeric:
            return column.values()
        return [None if code < 0 else code for code in column.codes.tolist()]

    values = zip(*(plain(column) for column in table.columns), strict=True)
    answers = table.target.values()
    weights = table.weights.tolist()
    return [Row(v, y, Fraction(w)) for v, y, w in zip(values, answers, weights, strict=True)]


def with_rows(tree: Tree, table: Table) -> Iterator[tuple[int, Rows]]:
    """Yield each node with the rows that reach it by the tree's own questions."""
    rows_at = {0: plain_rows(table)}
    for node in range(len(tree.nodes)):
        rows = rows_at.pop(node)
        yield node, rows
        split = tree.split(node)
        if split is None:
            continue

        def branch(value: float, split=split) -> int:
            if split.cut is not None:
                return 0 if value <= split.cut else 1
            return next(b for b, codes in enumerate(split.groups) if value in codes)

        parts = oracle.rows_of_branch(rows, split.column, branch, split.n_branches)
        rows_at |= dict(zip(tree.children(node), parts, strict=True))


def best_of_column(rows: Rows, c: int, tree: Tree) -> tuple[float, list[Rows]] | None:
    """Return the greatest gain of a column, and the first division (lowest cut) that has it."""
    measure = MEASURES[tree.recipe["criterion"]]
    binary = tree.recipe["shape"] == "binary"
    found = [
        (oracle.gain(rows, parts, measure), parts)
        for parts in oracle.divisions(rows, c, order=tree.schema[c].has_order, binary=binary)
    ]
    if not found:
        return None
    top = max(gain for gain, _ in found)
    slack = CLOSE * float(measure(rows)) + 1e-300
    return next((gain, parts) for gain, parts in found if gain >= top - slack)


def check_every_node(tree: Tree, table: Table) -> None:
    measure = MEASURES[tree.recipe["criterion"]]
    for node, rows in with_rows(tree, table):
        weight = float(oracle.weigh(rows))
        assert math.isclose(tree.weight_of(node), weight, rel_tol=1e-9)
        best = {
            c: found
            for c in range(len(tree.schema))
            if (found := best_of_column(rows, c, tree)) is not None
        }
        split = tree.split(node)
        if split is None:
            assert len({row.y for row in rows}) == 1 or not best
            continue
        assert len({row.y for row in rows}) > 1
        close = CLOSE * float(measure(rows))
        gain, parts = best[split.column]
        assert split.gain == pytest.approx(gain, rel=CLOSE, abs=close)
        if tree.recipe["criterion"] != "gain_ratio":
            scores = {c: gain for c, (gain, _) in best.items()}
        else:
            average = sum(gain for gain, _ in best.values()) / len(best)
            scores = {
                c: gain / oracle.split_information(parts)
                for c, (gain, parts) in best.items()
                if gain >= average - close
            }
            close /= min(1.0, oracle.split_information(parts))
        top = max(scores.values())
        assert scores[split.column] == pytest.approx(top, rel=CLOSE, abs=close)
        assert split.score == pytest.approx(scores[split.column], rel=CLOSE, abs=close)
        first = min(c for c, score in scores.items() if score >= top - close)
        assert split.column == first


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=plain_tables)
def test_no_division_scores_better(recipe, table):
    check_every_node(grown(table, recipe), table)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=holey_tables)
def test_no_division_scores_better_where_values_are_missing(recipe, table):
    check_every_node(grown(table, recipe, missing="fraction"), table)


@pytest.mark.parametrize("recipe", ["id3", "cart-binary"])
@given(table=number_tables)
def test_no_division_leaves_less_variance(recipe, table):
    check_every_node(grown(table, recipe), table)
