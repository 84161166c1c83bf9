"""The cross-validated error of each complexity: rpart's xerror and xstd.

For each fold a tree is grown from the rows outside it, and predicts the rows inside it at a
complexity between each two rows of the cp table. Priors are those of all rows; complexities are
scaled to the smaller number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.memory_limit import n_threads
from penjing.data.table import Codes, Floats, Table
from penjing.dialects.rpart import native_kernel
from penjing.dialects.rpart.cp_table import complexities as complexities_of
from penjing.dialects.rpart.cp_table import cp_table, lower_first
from penjing.dialects.rpart.dialect import case_risk, risks_of
from penjing.dialects.rpart.options import RpartOptions
from penjing.dialects.rpart.sorted_rows import ranks
from penjing.errors import ChoiceError
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.registry import load
from penjing.tree.counts import Reader, prediction_costs, reader_of
from penjing.tree.split import NO_BRANCH
from penjing.tree.tree_data import TreeData

SMALL = 100_000
"""With fewer cells (rows x columns x folds) than this, a thread costs more than it saves."""


def cross_validates(recipe: Recipe) -> bool:
    """Return whether the cp table is to have cross-validated errors (``xval``)."""
    assert isinstance(recipe.options, RpartOptions)
    return bool(recipe.options.xval)


def cross_validated_table(
    tree: TreeData, table: Table, recipe: Recipe, folds: int
) -> list[list[float]]:
    """Return the cp table of a finished tree with errors of so many folds."""
    return cp_errors(tree, table, recipe.but(xval=folds).fits(table))


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
        engine = _engine(self._table, self._recipe, self._reader)
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
            engine = _engine(table.take(in_training), recipe, self._reader)
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


def _engine(table: Table, recipe: Recipe, reader: Reader) -> Any:  # noqa: ANN401 - it has ranks
    """Return the engine that keeps the order of rows."""
    return load("engine", "memory")(table, recipe.missing, reader=reader)


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
    return prediction_costs(
        table.target.codes, predictions, tree.reader, transposed=options.loss_transposed
    )
