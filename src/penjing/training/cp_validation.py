"""The cross-validated error of each complexity: rpart's xerror and xstd.

For each fold a tree is grown from the rows outside it, and predicts the rows inside it at a
complexity between each two rows of the cp table. Priors are those of all rows; complexities are
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

TOLERANCE = 1e-12
"""Complexities are equal if they differ by less than this share of the root's risk."""


def cp_errors(tree: TreeData, table: Table, recipe: Recipe) -> list[list[float]]:
    """Return the cp table of a tree with two more columns: xerror and xstd.

    Parameters
    ----------
    tree : TreeData
        A tree grown from the table by rpart's dialect.
    table : Table
        Its training rows.
    recipe : Recipe
        Its recipe; ``xval`` defines the folds.
    """
    options = recipe.options
    assert isinstance(options, RpartOptions)
    groups = groups_of(table, options)
    reader = tree.reader if tree.is_regression else reader_of(table, options.costs(table))
    risk = float(tree.losses[0])
    risks = None
    if options.sums == "cases" and tree.is_regression:
        # Grown again, since a finished tree does not store where rows went while it grew.
        engine = Engine(table, recipe.missing, reader=reader)
        risk = case_risk(engine, tree, 0)
        again = replace(options, alpha=options.cp * risk, xval=0)
        risks = risks_of(grow(engine, replace(recipe, options=again)), engine, recipe)
    alpha = options.cp * risk
    rows = cp_table(tree, alpha, risks)
    cp_rows = [row.to_json(risk) for row in rows]
    if tree.is_leaf[0]:  # rpart stops here, too
        return [[*row[:3], 0.0, 0.0] for row in tree.about.get("cp_table", cp_rows)]
    between = [10 * rows[0].cp]
    between += [float(np.sqrt(a.cp * b.cp)) for a, b in pairwise(rows)]
    scaled_cps = np.asarray(between)
    weight = table.weights
    errors, squares = np.zeros(len(rows)), np.zeros(len(rows))
    loss = np.zeros(len(rows))
    total = float(weight.sum())
    row_ranks = [ranks(column) if options.sums == "cases" else None for column in table.columns]
    for group in np.unique(groups):
        in_training = groups != group
        scale = float(weight[in_training].sum()) / total  # step by step, to round as rpart does
        total, scaled_cps, alpha = (
            float(weight[in_training].sum()),
            scaled_cps * scale,
            alpha * scale,
        )
        fold_options = replace(options, alpha=alpha, xval=0)
        engine = Engine(table.take(in_training), recipe.missing, reader=reader)
        if options.sums == "cases":  # all rows are sorted together, once
            engine.ranks = [None if rank is None else rank[in_training] for rank in row_ranks]
        fold_tree = grow(engine, replace(recipe, options=fold_options))
        held_out = table.take(~in_training)
        node_cps = complexities(fold_tree, alpha, risks_of(fold_tree, engine, recipe)).of
        for row, w in zip(
            _losses_by_cp(fold_tree, held_out, scaled_cps, options, node_cps),
            held_out.weights,
            strict=True,
        ):
            if options.stuck_repeats:
                loss = np.where(np.isnan(row), loss, row)
            else:
                last = np.flatnonzero(~np.isnan(row))
                loss = np.where(np.isnan(row), row[last[-1]] if last.size else 0.0, row)
            errors += loss * w
            squares += loss * loss * w
    deviation = np.sqrt(np.maximum(squares - errors * errors / weight.sum(), 0.0))
    return [
        [*row, float(e / risk), float(d / risk)]
        for row, e, d in zip(cp_rows, errors, deviation, strict=True)
    ]


def cross_validated(tree: TreeData, source: Any, folds: int = 10) -> TreeData:  # noqa: ANN401
    """Return a tree with a cp table that contains cross-validated errors.

    Then ``tree.prune("cost-complexity")`` chooses the complexity by the table. This works for any
    tree whose recipe can grow another one; for rpart's, ``fit(…, xval=10)`` does the same.

    Parameters
    ----------
    tree : TreeData
        The unpruned tree.
    source : Table or source
        Its training rows.
    folds : int
        Number of folds; row i is in fold i modulo folds.

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
    setting_names = {f.name for f in fields(Recipe)} | {f.name for f in fields(_options_of(tree))}
    settings = {k: v for k, v in tree.recipe.items() if k in setting_names - {"name", "options"}}
    recipe = recipe_of(str(tree.recipe.get("name")), **settings)
    if isinstance(recipe.options, RpartOptions):
        recipe = recipe.but(xval=folds).fits(table)
        return _with_table(tree, cp_errors(tree, table, recipe))
    links = pruning_path(tree)
    root = float(tree.losses[0])
    alphas = [0.0]
    for alpha in sorted(link.alpha for link in links[1:]):
        if alpha > alphas[-1] + TOLERANCE * root:
            alphas.append(alpha)
    alphas.reverse()
    between = [10 * alphas[0], *(float(np.sqrt(a * b)) for a, b in pairwise(alphas))]
    fold_of, weight = np.arange(table.n_rows) % folds, table.weights
    losses = np.zeros((table.n_rows, len(alphas)))
    for fold in range(folds):
        held_out = fold_of == fold
        training = table.take(~held_out)
        if not held_out.any() or not training.n_rows:
            continue
        prepared = recipe.prepared(training)
        costs = recipe.options.costs(prepared)
        reader = reader_of(prepared, costs, centred=recipe.options.centred)
        engine = Engine(prepared, recipe.missing, reader=reader)
        fold_tree = grow(engine, recipe.fits(prepared))
        share = float(weight[~held_out].sum() / weight.sum())
        for k, alpha in enumerate(between):
            smaller = cut_to(fold_tree, alpha * share)
            losses[held_out, k] = _row_losses(smaller, table.take(held_out))
    rows = []
    for k, alpha in enumerate(alphas):
        smaller = cut_to(tree, alpha + TOLERANCE * root)
        loss = losses[:, k]
        error = float((loss * weight).sum())
        spread = float((loss * loss * weight).sum()) - error * error / float(weight.sum())
        risk = float(smaller.losses[smaller.is_leaf].sum())
        numbers = (alpha, risk, error, float(np.sqrt(max(spread, 0.0))))
        cp, relative, xerror, xstd = (n / root if root > 0 else 0.0 for n in numbers)
        rows.append([cp, int((~smaller.is_leaf).sum()), relative, xerror, xstd])
    return _with_table(tree, rows)


def cut_to(tree: TreeData, alpha: float) -> TreeData:
    """Return a tree pruned to a complexity."""
    return tree.pruned([link.node for link in pruning_path(tree)[1:] if link.alpha <= alpha])


def _row_losses(tree: TreeData, table: Table) -> Floats:
    """Return the loss of the prediction for each row."""
    assert table.target is not None
    predictions = classes_of(tree, table)
    if tree.is_regression:
        return np.asarray((table.target.numbers() - predictions) ** 2)
    return _costs(table.target.codes, predictions, tree.reader, transposed=False)


def _with_table(tree: TreeData, rows: list[list[float]]) -> TreeData:
    return replace(tree, about=dict(tree.about) | {"cp_table": rows})


def _options_of(tree: TreeData) -> Any:  # noqa: ANN401 - the options of any dialect
    return recipe_of(str(tree.recipe.get("name"))).options


def groups_of(table: Table, options: RpartOptions) -> npt.NDArray[np.int64]:
    """Return the fold of each row: its position in the source modulo ``xval``, or as given."""
    positions = np.array([table.row_number(i) - 1 for i in range(table.n_rows)], np.int64)
    if isinstance(options.xval, int):
        return positions % options.xval
    given = np.asarray(options.xval, np.int64)
    if len(given) == table.n_rows:
        return given
    if len(given) <= positions.max():
        raise ChoiceError("bad_length", name="xval", n=len(given), expected=table.n_rows)
    return np.asarray(given[positions])


def _losses_by_cp(
    tree: TreeData, table: Table, cps: Floats, options: RpartOptions, node_cps: Floats
) -> Floats:
    """Return the loss of each row at each complexity, (rows, complexities).

    NaN from the complexity at which a row is stuck: its value and all surrogates are missing.
    """
    node_of = np.zeros(table.n_rows, np.intp)
    stuck = np.zeros(table.n_rows, bool)
    losses = np.full((table.n_rows, len(cps)), np.nan)
    for k, cp in enumerate(cps):
        while (moving := ~stuck & (node_cps[node_of] > cp) & ~tree.is_leaf[node_of]).any():
            for node in np.unique(node_of[moving]).tolist():
                rows = np.flatnonzero(moving & (node_of == node))
                branch = _branches(tree, node, table, rows, options)
                stuck[rows] = branch == NO_BRANCH
                moves = branch != NO_BRANCH
                node_of[rows[moves]] = tree.children(node).start + branch[moves]
        losses_here = _node_losses(tree, node_of, table, options)
        losses[:, k] = np.where(stuck, np.nan, losses_here)
    return losses


def _branches(
    tree: TreeData, node: int, table: Table, rows: npt.NDArray[np.intp], options: RpartOptions
) -> Codes:
    split = tree.split(node)
    assert split is not None
    branch = split.route_rows(lambda c: table.columns[c].take(rows))
    if options.usesurrogate == 2:
        # No majority among the rows with a value: rpart sends the row to the right.
        children = lower_first(tree, node)
        assert children is not None
        right = children[1] - tree.children(node).start
        branch = np.where(branch == NO_BRANCH, np.int32(right), branch)
    return branch


def _node_losses(tree: TreeData, nodes: Sequence[int] | npt.NDArray[np.intp], table: Table,
            options: RpartOptions) -> Floats:  # fmt: skip
    """Return the loss of the prediction of each row's node."""
    assert table.target is not None
    predictions = tree.values[nodes]
    if tree.is_regression:
        return np.asarray((table.target.numbers() - predictions) ** 2)
    return _costs(table.target.codes, predictions, tree.reader, transposed=options.loss_transposed)


def _costs(
    true: Codes, predictions: npt.NDArray[np.intp], s: Reader, *, transposed: bool
) -> Floats:
    assert isinstance(s, Classes)
    if s.costs is None:
        return np.asarray(true != predictions, np.float64)
    loss = np.asarray(s.costs.loss)
    cost = loss[predictions, true] if transposed else loss[true, predictions]
    return np.asarray(np.asarray(s.costs.factor)[true] * cost)
