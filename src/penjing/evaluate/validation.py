"""Reports of a tree on test rows and of cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.data.checksum import part_digest
from penjing.data.read import read
from penjing.data.source import Label, Source, Target
from penjing.data.statistics import weight_sums
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError
from penjing.evaluate.metrics import Report, class_code, report_of
from penjing.evaluate.number_report import NumberReport, number_report_of
from penjing.grow.recipe import Recipe
from penjing.predict.inputs import align, align_labelled, labelled_rows
from penjing.predict.row_predictions import RowPredictions, predict_rows
from penjing.training.cross_validate import Grower, grower_of, held_out_predictions
from penjing.tree.tree_data import TreeData


def score(
    tree: TreeData,
    source: Source,
    y: Target | None = None,
    *,
    unseen: Literal["stop", "missing", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
    positive: Label | None = None,
) -> Report | NumberReport:
    """Return a report of a tree's predictions for rows whose target is known.

    Parameters
    ----------
    tree : TreeData
        The tree.
    source : Table or source
        Rows with the target; rows without it are left out and counted.
    y : values, optional
        The class (or number) of each row, if the rows do not hold it.
    unseen, missing
        As in :func:`penjing.predict.predict.predict`.
    positive : object, optional
        The class to which lift, cut-offs and, with two classes, the scores refer; by default
        the rarer one of two classes in the training rows.

    Returns
    -------
    Report or NumberReport
        Of classes or of a number. Both print as text, and ``to_json()`` returns plain data.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}, target="ripe")
    >>> texture = nominal("texture", ["clear", "clear", "faint"])
    >>> print(tree.score(Table((texture,), nominal("ripe", ["yes", "no", "no"]), 3)))
    accuracy 66.7% (2 of 3), 95% confidence interval 21% to 94%
    baseline 66.7% (always no)
    ROC AUC 0.750, PR AUC 0.500 (yes), log loss 12.015, Brier score 0.333
                  predicted
    actual        yes    no
      yes           1     0
      no            1     1
    class  precision  recall     F1  rows
    yes        0.500   1.000  0.667     1
    no         1.000   0.500  0.667     2
    wrong predictions: row 2 no→yes
    """
    rows = align(tree, source) if y is None else align_labelled(tree, source, y)
    table, unlabelled = labelled_rows(rows, tree.target.name)
    predictions = predict_rows(tree, table, unseen=unseen, missing=missing)
    return _report(table, predictions, unlabelled, tree, positive)


def cross_validate(
    table: Source,
    how: str | Recipe | TreeData | Grower,
    k: int | Literal["leave-one-out"] = 10,
    *,
    target: str | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
    positive: Label | None = None,
    **options: Any,  # noqa: ANN401 - options of the pruner
) -> Report | NumberReport:
    """Grow trees on all folds but one and test each on the fold left out.

    Parameters and the result are those of :func:`penjing.cross_validate`.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> texture = nominal("texture", ["clear"] * 4 + ["faint"] * 4)
    >>> table = Table((texture,), nominal("ripe", ["yes"] * 3 + ["no"] * 5), 8)
    >>> cross_validate(table, "id3", "leave-one-out").correct
    7
    """
    rows = read(table, target)
    if rows.target is None:
        raise DataError("no_target_in_table")
    arguments.optional_text("prune", prune)
    if options and prune is None:
        for name in {"folds", "cv", "n_splits"} & options.keys():
            raise ChoiceError("folds_are_k", value=options[name])
        raise ChoiceError("options_without_prune", names=", ".join(options))
    grower = grower_of(how, rows, seed, method=prune, share=validation, options=options)
    if positive is not None and not rows.is_regression:
        _class_code(positive, rows)  # before the trees are grown
    return _report(rows, held_out_predictions(rows, grower, k, seed), positive=positive)


def not_a_test(tree: TreeData, rows: Table) -> list[str]:
    """Return the message keys that say why rows are no test set: they grew or pruned the tree.

    Files are compared by their content, not by their names. Two different parts of one file, such
    as those of `hold_out`, are different sets.
    """
    digest, part = rows.source.get("sha256"), part_digest(rows)
    if digest is None:
        return []

    def are_these(source: Mapping[str, Any]) -> bool:
        has_other_part = part is not None and source.get("part") not in (None, part)
        return source.get("sha256") == digest and not has_other_part

    validation_sets = [record.get("validation", {}) for record in tree.about.get("pruning", ())]
    keys = ["note_training_tested"] if are_these(tree.about.get("source", {})) else []
    if any(map(are_these, validation_sets)):
        keys.append("note_validation_tested")
    return keys


def _report(
    table: Table,
    predictions: RowPredictions,
    unlabelled: int = 0,
    tree: TreeData | None = None,
    positive: Label | None = None,
) -> Report | NumberReport:
    source = str(table.source.get("name", "table"))
    if not (has_weight := table.weights > 0).all():  # rows of weight 0 are left out of `n`
        if not has_weight.any():
            raise DataError("test_without_weight", source=source)
        table, predictions = table.take(has_weight), predictions.take(has_weight)
    assert table.target is not None
    column = predictions.split_column
    common: dict[str, Any] = {
        "target": table.target.name,
        "source": source,
        "predictions": predictions,
        "weight": table.weights,
        "unlabelled": unlabelled,
        "column": None if column is None else table.columns[column].name,
    }
    if table.is_regression:
        if positive is not None:
            raise ChoiceError("scores_need_classes", name="positive", target=table.target.name)
        return number_report_of(actual=table.target.numbers(), **common)
    rows = table.row_numbers
    if rows is None:
        rows = np.arange(1, table.n_rows + 1)
    classes = tuple(table.target.levels)
    return report_of(
        classes=classes,
        actual=table.target.codes,
        rows=rows,
        positive=(
            _positive_class(tree, table) if positive is None else _class_code(positive, table)
        ),
        tree=tree,
        ids=table.row_ids,
        **common,
    )


def _class_code(class_: Label, table: Table) -> int:
    assert table.target is not None
    return class_code(class_, tuple(table.target.levels))


def _positive_class(tree: TreeData | None, table: Table) -> int | None:
    """Return the rarer of two classes in the training rows; of equally rare ones, the first.

    None unless the tree has two classes. Without counts it is the first class. In a
    cross-validation all rows are training rows.
    """
    assert table.target is not None
    n_classes = len(table.target.levels) if tree is None else len(tree.classes)
    if n_classes != 2:
        return None
    if tree is None:
        return int(weight_sums(table.target.codes, table.weights, 2).argmin())
    return int(tree.nodes.total[0].argmin()) if tree.has_counts else 0
