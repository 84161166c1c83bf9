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

from penjing import _core
from penjing.data.memory_limit import n_threads
from penjing.data.table import Codes, Floats, Table
from penjing.dialects.recipes import recipe_of
from penjing.dialects.rpart import native_kernel
from penjing.dialects.rpart.cp_table import complexities as complexities_of
from penjing.dialects.rpart.cp_table import cp_table, lower_first
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
SMALL = 100_000
"""With fewer cells (rows x columns x folds) than this, a thread costs more than it saves."""


def cp_errors(
    tree: TreeData, table: Table, recipe: Recipe, threads: int | None = None
) -> list[list[float]]:
    """Return the cp table of a tree with two more columns: xerror and xstd.

    Parameters
    ----------
    tree : TreeData
        A tree grown from the table by rpart's dialect.
    table : Table
        Its training rows.
    recipe : Recipe
        Its recipe; ``xval`` defines the folds.
    threads : int, optional
        The number of threads; by default all for large tables. It does not change the result.
    """
    options = recipe.options
    assert isinstance(options, RpartOptions)
    reader = tree.reader if tree.is_regression else reader_of(table, options.costs(table))
    cross_validation = CrossValidation(table, recipe, reader, threads)
    risk, risks = cross_validation.risks(tree)
    alpha = options.cp * risk
    rows = cp_table(tree, alpha, risks)
    cp_rows = [row.to_json(risk) for row in rows]
    if tree.is_leaf[0]:  # rpart stops here, too
        return [[*row[:3], 0.0, 0.0] for row in tree.about.get("cp_table", cp_rows)]
    between = [10 * rows[0].cp]
    between += [float(np.sqrt(a.cp * b.cp)) for a, b in pairwise(rows)]
    errors, squares = cross_validation.errors(alpha, np.asarray(between))
    deviation = np.sqrt(np.maximum(squares - errors * errors / table.weights.sum(), 0.0))
    return [
        [*row, float(e / risk), float(d / risk)]
        for row, e, d in zip(cp_rows, errors, deviation, strict=True)
    ]


class CrossValidation:
    """Grows the tree of each fold: in C++ where it supports the recipe, else in Python.

    ``is_native`` says which; both give the same errors.
    """

    def __init__(
        self, table: Table, recipe: Recipe, reader: Reader, threads: int | None = None
    ) -> None:
        assert isinstance(recipe.options, RpartOptions)
        self._table, self._recipe, self._reader = table, recipe, reader
        self._options = recipe.options
        groups = groups_of(table, self._options)
        self._groups, self._fold_of = np.unique(groups, return_inverse=True)
        is_small = table.n_rows * len(table.columns) * len(self._groups) < SMALL
        n = 1 if threads is None and is_small else n_threads(threads)
        self._request = native_kernel.kernel_request(table, reader, recipe, n)
        self.is_native = self._request is not None

    def risks(self, tree: TreeData) -> tuple[float, list[float] | None]:
        """Return the risk of the root, and those of all nodes if they are added row by row."""
        if self._options.sums == "exact" or not tree.is_regression:
            return float(tree.losses[0]), None
        # Grown again, since a finished tree does not store where rows went while it grew.
        engine = Engine(self._table, self._recipe.missing, reader=self._reader)
        risk = case_risk(engine, tree, 0)
        alpha = self._options.cp * risk
        if self.is_native and self._request is not None:
            columns, arrays, settings = self._request
            by_row = _core.rpart_risks_by_row(columns, arrays, settings | {"alpha": alpha})
            return risk, by_row.tolist()
        again = replace(self._recipe, options=replace(self._options, alpha=alpha, xval=0))
        return risk, risks_of(grow(engine, again), engine, self._recipe)

    def errors(self, alpha: float, complexities: Floats) -> tuple[Floats, Floats]:
        """Return the sum of the errors of the held-out rows, and of their squares.

        Parameters
        ----------
        alpha : float
            The complexity to which the trees are pruned.
        complexities : (k,)
            The complexities at which the rows are predicted, descending.

        Returns
        -------
        (k,), (k,)
        """
        weight = self._table.weights
        total = float(weight.sum())
        alphas, scaled = [], []
        for fold in range(len(self._groups)):  # step by step, to round as rpart does
            n_training = float(weight[self._fold_of != fold].sum())
            scale = n_training / total
            total, alpha, complexities = n_training, alpha * scale, complexities * scale
            alphas.append(alpha)
            scaled.append(complexities)
        if not self.is_native or self._request is None:
            return self._errors_in_python(alphas, scaled)
        assert self._table.target is not None
        is_regression = self._table.is_regression
        return _core.cross_validate_rpart(
            *self._request,
            {
                "fold": self._fold_of.astype(np.int32),
                "alpha": np.asarray(alphas),
                "complexities": np.concatenate(scaled),
                "n_complexities": len(complexities),
                "number": self._table.target.numbers() if is_regression else None,
                "has_costs": not is_regression and self._options.has_costs,
                "loss_transposed": self._options.loss_transposed,
                "stuck_repeats": self._options.stuck_repeats,
            },
        )

    def _errors_in_python(
        self, alphas: Sequence[float], scaled: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        table, options = self._table, self._options
        by_cases = options.sums == "cases"
        row_ranks = [ranks(column) if by_cases else None for column in table.columns]
        errors, squares, loss = (np.zeros(len(scaled[0])) for _ in range(3))
        for fold, (alpha, complexities) in enumerate(zip(alphas, scaled, strict=True)):
            in_training = self._fold_of != fold
            recipe = replace(self._recipe, options=replace(options, alpha=alpha, xval=0))
            engine = Engine(table.take(in_training), recipe.missing, reader=self._reader)
            if by_cases:  # all rows are sorted together, once
                engine.ranks = [None if rank is None else rank[in_training] for rank in row_ranks]
            tree = grow(engine, recipe)
            held_out = table.take(~in_training)
            node_cps = complexities_of(tree, alpha, risks_of(tree, engine, recipe)).of
            row_losses = _losses_by_cp(tree, held_out, complexities, options, node_cps)
            for row, w in zip(row_losses, held_out.weights, strict=True):
                if options.stuck_repeats:
                    loss = np.where(np.isnan(row), loss, row)
                else:
                    last = np.flatnonzero(~np.isnan(row))
                    loss = np.where(np.isnan(row), row[last[-1]] if last.size else 0.0, row)
                errors += loss * w
                squares += loss * loss * w
        return errors, squares


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
    positions = np.arange(table.n_rows)
    if table.row_numbers is not None:
        positions = np.asarray(table.row_numbers, np.int64) - 1
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
