"""The error of each complexity, judged by rows left out: rpart's xerror and xstd.

Trees are grown from all groups of rows but one, and asked about the rows of that one, at a
complexity between each two rows of the table. Priors are those of all rows, complexities are
scaled to the smaller number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats, Table
from penjing.dialects.recipes import recipe_of
from penjing.dialects.rpart.cp_table import complexities, cp_table, lower_first
from penjing.dialects.rpart.dialect import case_risk, risks_of
from penjing.dialects.rpart.options import RpartOptions
from penjing.dialects.rpart.sorted_rows import ranks
from penjing.engines.memory import Engine
from penjing.errors import ChoiceError, DataError
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.prune.cost_complexity import pruning_path
from penjing.tree.counts import Classes, Reader, reader_of
from penjing.tree.split import NO_BRANCH
from penjing.tree.tree_data import TreeData

NOTHING = 1e-12
"""Complexities that differ by less than this share of the root's risk are equal."""


def cp_errors(tree: TreeData, table: Table, recipe: Recipe) -> list[list[float]]:
    """Return the table of complexities of a tree with two more columns: xerror and xstd.

    Parameters
    ----------
    tree : TreeData
        As rpart's rules have grown it from the table.
    table : Table
        Its rows.
    recipe : Recipe
        Its recipe; ``xval`` says which rows are left out together.
    """
    options = recipe.options
    assert isinstance(options, RpartOptions)
    groups = groups_of(table, options)
    reader = tree.reader if tree.is_regression else reader_of(table, options.costs(table))
    risk = float(tree.losses[0])
    risks = None
    if options.sums == "cases" and tree.is_regression:
        # Grown anew, since a finished tree no longer tells where rows went while it grew.
        engine = Engine(table, recipe.missing, reader=reader)
        risk = case_risk(engine, tree, 0)
        again = replace(options, alpha=options.cp * risk, xval=0)
        risks = risks_of(grow(engine, replace(recipe, options=again)), engine, recipe)
    alpha = options.cp * risk
    rows = cp_table(tree, alpha, risks)
    told = [row.to_json(risk) for row in rows]
    if tree.is_leaf[0]:  # rpart does not look further either
        return [[*row[:3], 0.0, 0.0] for row in tree.about.get("cp_table", told)]
    between = [10 * rows[0].cp]
    between += [float(np.sqrt(a.cp * b.cp)) for a, b in pairwise(rows)]
    asked = np.asarray(between)
    weight = table.weights
    errors, squares = np.zeros(len(rows)), np.zeros(len(rows))
    charge = np.zeros(len(rows))
    whole = float(weight.sum())
    places = [ranks(column) if options.sums == "cases" else None for column in table.columns]
    for group in np.unique(groups):
        inside = groups != group
        scale = float(weight[inside].sum()) / whole  # one after the other: rpart's rounding
        whole, asked, alpha = float(weight[inside].sum()), asked * scale, alpha * scale
        part = replace(options, alpha=alpha, xval=0)
        engine = Engine(table.take(inside), recipe.missing, reader=reader)
        if options.sums == "cases":  # sorted once, all rows together
            engine.ranks = [None if rank is None else rank[inside] for rank in places]
        grown = grow(engine, replace(recipe, options=part))
        out = table.take(~inside)
        found = complexities(grown, alpha, risks_of(grown, engine, recipe)).of
        for row, w in zip(_charges(grown, out, asked, options, found), out.weights, strict=True):
            if options.stuck_repeats:
                charge = np.where(np.isnan(row), charge, row)
            else:
                last = np.flatnonzero(~np.isnan(row))
                charge = np.where(np.isnan(row), row[last[-1]] if last.size else 0.0, row)
            errors += charge * w
            squares += charge * charge * w
    deviation = np.sqrt(np.maximum(squares - errors * errors / weight.sum(), 0.0))
    return [
        [*row, float(e / risk), float(d / risk)]
        for row, e, d in zip(told, errors, deviation, strict=True)
    ]


def cross_validated(tree: TreeData, source: Any, folds: int = 10) -> TreeData:  # noqa: ANN401
    """Return a tree with a table of complexities, each with its error on rows left out.

    Then ``tree.prune("cost-complexity")`` needs no number: the table decides. Any tree will do
    whose recipe can grow another one; for rpart's own, ``fit(…, xval=10)`` does the same.

    Parameters
    ----------
    tree : TreeData
        The tree, as it was grown from the rows.
    source : Table or source
        The rows it was grown from.
    folds : int
        In how many parts these are left out; row i is in part i modulo folds.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> tree = cross_validated(penjing.fit(melons), melons, folds=5)
    >>> for row in tree.about["cp_table"]:
    ...     print([round(number, 3) for number in row])
    [0.312, 0, 1.0, 1.25, 0.254]
    [0.125, 1, 0.375, 1.0, 0.257]
    [0.062, 2, 0.25, 0.625, 0.235]
    [0.0, 5, 0.0, 0.75, 0.246]
    >>> tree.prune("cost-complexity").n_leaves
    4
    """
    table = align(tree, source)
    if table.target is None:
        raise DataError("no_target_in_table")
    words = {f.name for f in fields(Recipe)} | {f.name for f in fields(_options_of(tree))}
    known = {k: v for k, v in tree.recipe.items() if k in words - {"name", "options"}}
    recipe = recipe_of(str(tree.recipe.get("name")), **known)
    if isinstance(recipe.options, RpartOptions):
        recipe = recipe.but(xval=folds).fits(table)
        return _with_table(tree, cp_errors(tree, table, recipe))
    links = pruning_path(tree)
    root = float(tree.losses[0])
    alphas = [0.0]
    for alpha in sorted(link.alpha for link in links[1:]):
        if alpha > alphas[-1] + NOTHING * root:
            alphas.append(alpha)
    alphas.reverse()
    asked = [10 * alphas[0], *(float(np.sqrt(a * b)) for a, b in pairwise(alphas))]
    places, weight = np.arange(table.n_rows) % folds, table.weights
    charges = np.zeros((table.n_rows, len(alphas)))
    for part in range(folds):
        out = places == part
        inside = table.take(~out)
        if not out.any() or not inside.n_rows:
            continue
        prepared = recipe.prepared(inside)
        costs = recipe.options.costs(prepared)
        reader = reader_of(prepared, costs, centred=recipe.options.centred)
        engine = Engine(prepared, recipe.missing, reader=reader)
        grown = grow(engine, recipe.fits(prepared))
        share = float(weight[~out].sum() / weight.sum())
        for k, alpha in enumerate(asked):
            smaller = cut_to(grown, alpha * share)
            charges[out, k] = _charged(smaller, table.take(out))
    rows = []
    for k, alpha in enumerate(alphas):
        smaller = cut_to(tree, alpha + NOTHING * root)
        lost = charges[:, k]
        error = float((lost * weight).sum())
        spread = float((lost * lost * weight).sum()) - error * error / float(weight.sum())
        risk = float(smaller.losses[smaller.is_leaf].sum())
        numbers = (alpha, risk, error, float(np.sqrt(max(spread, 0.0))))
        cp, relative, xerror, xstd = (n / root if root > 0 else 0.0 for n in numbers)
        rows.append([cp, int((~smaller.is_leaf).sum()), relative, xerror, xstd])
    return _with_table(tree, rows)


def cut_to(tree: TreeData, alpha: float) -> TreeData:
    """Return a tree without the links that are weaker than a complexity."""
    return tree.pruned([link.node for link in pruning_path(tree)[1:] if link.alpha <= alpha])


def _charged(tree: TreeData, table: Table) -> Floats:
    """Return what each row is charged for the answer that it gets."""
    assert table.target is not None
    answers = classes_of(tree, table)
    if tree.is_regression:
        return np.asarray((table.target.numbers() - answers) ** 2)
    return _costs(table.target.codes, answers, tree.reader, transposed=False)


def _with_table(tree: TreeData, rows: list[list[float]]) -> TreeData:
    return replace(tree, about=dict(tree.about) | {"cp_table": rows})


def _options_of(tree: TreeData) -> Any:  # noqa: ANN401 - the settings of any rules
    return recipe_of(str(tree.recipe.get("name"))).options


def groups_of(table: Table, options: RpartOptions) -> npt.NDArray[np.int64]:
    """Return the group of each row: its place in the source modulo ``xval``, or as given."""
    places = np.array([table.row_number(i) - 1 for i in range(table.n_rows)], np.int64)
    if isinstance(options.xval, int):
        return places % options.xval
    given = np.asarray(options.xval, np.int64)
    if len(given) == table.n_rows:
        return given
    if len(given) <= places.max():
        raise ChoiceError("bad_length", name="xval", n=len(given), expected=table.n_rows)
    return np.asarray(given[places])


def _charges(
    tree: TreeData, table: Table, asked: Floats, options: RpartOptions, found: Floats
) -> Floats:
    """Return what each row is charged at each complexity, (rows, complexities).

    NaN from where a row gets stuck: its value is missing, and so are those of all surrogates.
    """
    here = np.zeros(table.n_rows, np.intp)
    stuck = np.zeros(table.n_rows, bool)
    charges = np.full((table.n_rows, len(asked)), np.nan)
    for k, most in enumerate(asked):
        while (moving := ~stuck & (found[here] > most) & ~tree.is_leaf[here]).any():
            for node in np.unique(here[moving]).tolist():
                rows = np.flatnonzero(moving & (here == node))
                branch = _branches(tree, node, table, rows, options)
                stuck[rows] = branch == NO_BRANCH
                going = branch != NO_BRANCH
                here[rows[going]] = tree.children(node).start + branch[going]
        charged = _errors(tree, here, table, options)
        charges[:, k] = np.where(stuck, np.nan, charged)
        # Stuck at a node whose own error was never asked for: told by the last one that was.
    return charges


def _branches(
    tree: TreeData, node: int, table: Table, rows: npt.NDArray[np.intp], options: RpartOptions
) -> Codes:
    split = tree.split(node)
    assert split is not None
    branch = split.route_rows(lambda c: table.columns[c].take(rows))
    if options.usesurrogate == 2:
        # No majority among the rows that the question knows: to the right, as rpart has it.
        sons = lower_first(tree, node)
        assert sons is not None
        right = sons[1] - tree.children(node).start
        branch = np.where(branch == NO_BRANCH, np.int32(right), branch)
    return branch


def _errors(tree: TreeData, nodes: Sequence[int] | npt.NDArray[np.intp], table: Table,
            options: RpartOptions) -> Floats:  # fmt: skip
    """Return what each row is charged for the answer of its node."""
    assert table.target is not None
    answers = tree.values[nodes]
    if tree.is_regression:
        return np.asarray((table.target.numbers() - answers) ** 2)
    return _costs(table.target.codes, answers, tree.reader, transposed=options.loss_transposed)


def _costs(true: Codes, answers: npt.NDArray[np.intp], s: Reader, *, transposed: bool) -> Floats:
    assert isinstance(s, Classes)
    if s.costs is None:
        return np.asarray(true != answers, np.float64)
    loss = np.asarray(s.costs.loss)
    cost = loss[answers, true] if transposed else loss[true, answers]
    return np.asarray(np.asarray(s.costs.factor)[true] * cost)
