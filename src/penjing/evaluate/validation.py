"""Scores of a tree on test rows, and cross-validation, as reports."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.read import read
from penjing.data.table import Table
from penjing.errors import DataError
from penjing.evaluate.metrics import NumberReport, Report, number_report_of, report_of
from penjing.grow.recipe import Recipe
from penjing.predict.inputs import align, labelled_rows
from penjing.predict.predict import classes_of
from penjing.training.cross_validate import Grower, grower_of, held_out_predictions
from penjing.tree.tree_data import TreeData


def score(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Literal["stop", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
) -> Report | NumberReport:
    """Count a tree's right and wrong answers.

    Parameters
    ----------
    tree : TreeData
        Who answers.
    source : Table or source
        Rows with the value to be predicted; rows without it are left out and counted.
    unseen, missing
        As in :func:`penjing.predict.predict.predict`.

    Returns
    -------
    Report or NumberReport
        Of classes or of a number; both can be printed, and told as plain data by ``to_json()``.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}, target="ripe")
    >>> texture = nominal("texture", ["clear", "clear", "faint"])
    >>> print(tree.score(Table((texture,), nominal("ripe", ["yes", "no", "no"]), 3)))
    accuracy 2/3 = 66.7 %   (95 % interval 21 to 94 %)
                  predicted
    actual        yes    no
      yes           1     0
      no            1     1
    wrong: row 2 no→yes
    """
    table, unlabelled = labelled_rows(align(tree, source), tree.target.name)
    predicted = classes_of(tree, table, unseen=unseen, missing=missing)
    return _report(table, predicted, unlabelled)


def cross_validate(
    table: Any,  # noqa: ANN401 - a Table, or whatever `read` can read
    how: str | Recipe | TreeData | Grower,
    k: int | Literal["leave-one-out"] = 10,
    *,
    target: str | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
    **options: Any,  # noqa: ANN401 - options of the pruner
) -> Report | NumberReport:
    """Grow trees on all folds but one, test each on the fold left out, and count all together.

    Parameters
    ----------
    table : Table or source
        All rows: a table, or anything that :func:`penjing.read` can read.
    how : str, Recipe, TreeData or function
        How to grow: a recipe, a tree (as it was grown and pruned itself), or a function from
        a table to a tree.
    k : int or "leave-one-out"
        The number of folds; stratified.
    target : str, optional
        The column to predict, by name; not needed for a `Table`.
    seed : int
        Decides which rows make a fold.
    prune : str, optional
        How to prune each tree.
    validation : float, optional
        The share of the training rows of each fold that decides the pruning.
    **options
        Of the pruning method.

    Returns
    -------
    Report or NumberReport
        Over all rows, each answered by the tree that has not seen it.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> texture = nominal("texture", ["clear"] * 4 + ["faint"] * 4)
    >>> table = Table((texture,), nominal("ripe", ["yes"] * 3 + ["no"] * 5), 8)
    >>> cross_validate(table, "id3", "leave-one-out").correct
    7
    """
    table = read(table, target)
    if table.target is None:
        raise DataError("no_target_in_table")
    arguments.some_text("prune", prune)
    grower = grower_of(how, seed, prune, validation, options)
    return _report(table, held_out_predictions(table, grower, k, seed))


def not_a_test(tree: TreeData, rows: Table) -> list[str]:
    """Return why rows are no test of a tree, as keys of sentences: they grew or pruned it.

    Files are known by their content, whatever they are called.
    """
    mine = rows.source.get("sha256")
    judges = [record.get("validation", {}) for record in tree.about.get("pruning", ())]
    grew = mine is not None and mine == tree.about.get("source", {}).get("sha256")
    pruned = mine is not None and any(judge.get("sha256") == mine for judge in judges)
    return ["note_training_tested"] * grew + ["note_validation_tested"] * pruned


def _report(
    table: Table, predicted: npt.NDArray[Any], unlabelled: int = 0
) -> Report | NumberReport:
    if not (weighs := table.weights > 0).all():  # a row of weight 0 is not judged
        table, predicted = table.take(weighs), predicted[weighs]
    assert table.target is not None
    about: dict[str, Any] = {
        "target": table.target.name,
        "source": str(table.source.get("name", "table")),
        "predicted": predicted,
        "weight": table.weights,
        "unlabelled": unlabelled,
    }
    if table.is_regression:
        return number_report_of(actual=table.target.numbers(), **about)
    rows = table.row_numbers
    if rows is None:
        rows = np.arange(1, table.n_rows + 1)
    classes = tuple(table.target.levels)
    return report_of(classes=classes, actual=table.target.codes, rows=rows, **about)
