"""Cross-validation: trees grown on all folds but one, and what they predict for that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.folds import each_fold, hold_out
from penjing.data.read.level_index import LevelIndex
from penjing.data.table import Column, Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError
from penjing.grow.force_syntax import SplitRequest
from penjing.grow.forced_choice import ForcedSplit
from penjing.grow.recipe import Recipe
from penjing.predict.row_predictions import RowPredictions, predict_rows
from penjing.training.auto_recipe import choose_recipe
from penjing.training.pruning import prune
from penjing.training.train import train
from penjing.tree.forced import acts_of, forbidden_columns
from penjing.tree.tree_data import TreeData

Grower = Callable[[Table], TreeData]
LEAVE_ONE_OUT = "leave-one-out"


def held_out_predictions(
    table: Table, grower: Grower, k: int | Literal["leave-one-out"], seed: int
) -> RowPredictions:
    """Return the prediction for each row by the tree that has not seen it.

    Parameters
    ----------
    table : Table
        All rows, with their target.
    grower : function
        Grows a tree from the training rows of a fold.
    k : int or "leave-one-out"
        The number of folds; stratified.
    seed : int
        The seed that assigns rows to folds.

    Returns
    -------
    RowPredictions
        Codes of the target's classes with their probabilities, or numbers.
    """
    assert table.target is not None
    n_folds: Any = table.n_rows if isinstance(k, str) and k == LEAVE_ONE_OUT else k
    # New row numbers: the index of each held-out row's prediction.
    marked = replace(table, row_numbers=np.arange(table.n_rows))
    folds: list[tuple[npt.NDArray[Any], RowPredictions]] = []
    for training, held_out in each_fold(marked, n_folds, seed):
        tree = grower(training)
        predictions = predict_rows(tree, held_out)
        if not table.is_regression:
            predictions = _recoded(predictions, tree, table.target)
        assert held_out.row_numbers is not None
        folds.append((held_out.row_numbers, predictions))
    return _in_row_order(folds, table.n_rows)


def _recoded(predictions: RowPredictions, tree: TreeData, target: Column) -> RowPredictions:
    """Return predictions with the codes of a table's classes in place of a tree's."""
    places = LevelIndex(target.levels)
    codes = np.array([places.of(class_) for class_ in tree.classes])
    probability = np.zeros((len(predictions.probability), len(target.levels)))
    probability[:, codes] = predictions.probability
    without_split, one_split = predictions.without_split, predictions.one_split
    return replace(
        predictions,
        predicted=codes[predictions.predicted],
        probability=probability,
        without_split=None if without_split is None else codes[without_split],
        one_split=None if one_split is None else codes[one_split],
    )


def _in_row_order(
    folds: Sequence[tuple[npt.NDArray[Any], RowPredictions]], n_rows: int
) -> RowPredictions:
    """Return the predictions of all folds in the order of the table.

    What the first split alone predicts is left out if a tree has none.
    """
    sizes = [len(part.probability) for _, part in folds]
    starts = np.cumsum([0, *sizes[:-1]])
    columns = {part.split_column for _, part in folds}

    def joined(name: str) -> Any:  # noqa: ANN401 - an array of any type
        parts = [getattr(part, name) for _, part in folds]
        if any(part is None for part in parts):
            return None
        values = np.empty(n_rows, parts[0].dtype)
        for (rows, _), part in zip(folds, parts, strict=True):
            values[rows] = part
        return values

    group = np.empty(n_rows, np.int64)
    for (rows, part), start in zip(folds, starts.tolist(), strict=True):
        group[rows] = part.group + start
    return RowPredictions(
        joined("predicted"),
        group,
        np.concatenate([part.probability for _, part in folds]),
        joined("without_split"),
        joined("one_split"),
        columns.pop() if len(columns) == 1 else None,
    )


def grower_of(
    learner: str | Recipe | TreeData | Grower,
    table: Table,
    seed: int,
    *,
    method: str | None = None,
    share: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Grower:
    """Return the function from training rows to a finished tree.

    The recipe ``auto`` is chosen once, for the whole table.
    """
    steering: dict[str, Any] = {}
    if isinstance(learner, TreeData):
        recipe: Any = recipe_from(learner)
        steering = steering_of(learner)
    elif callable(learner):
        recipe = learner
    else:
        choice = choose_recipe(learner, table, {}, method, is_validated=share is not None)
        recipe, method = choice.recipe, choice.prune
        options = {**(options or {}), **choice.pruning_options}
    arguments.whole_number("seed", seed, 0)

    def grow(training: Table) -> TreeData:
        rows, held_out = (training, None) if share is None else hold_out(training, share, seed)
        tree: TreeData = (
            train(rows, recipe=recipe, **steering) if isinstance(recipe, Recipe) else recipe(rows)
        )
        arguments.check_instance("how", tree, TreeData, "not_grown")
        validation: dict[str, Any] = {} if held_out is None else {"validation": held_out}
        if method is not None:
            return prune(tree, method, **validation, **(options or {}))
        for name, settings in (
            _pruning_steps(learner, tree) if isinstance(learner, TreeData) else ()
        ):
            tree = prune(tree, name, training=rows, **settings)
        return tree

    return grow


def _pruning_steps(original: TreeData, regrown: TreeData) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield method and options of each pruning of a tree, except those its recipe includes."""
    done = len(regrown.about.get("pruning", ()))
    for record in original.about.get("pruning", ())[done:]:
        if "validation" in record:
            raise ChoiceError("cannot_regrow")
        yield record["method"], dict(record["options"])


def steering_of(tree: TreeData) -> dict[str, Any]:
    """Return the arguments of `train` that force in other rows what was forced in a tree.

    What these rows do not allow is left to the recipe.
    """
    acts = acts_of(tree)
    if any(act.get("act") == "regrow" for act in acts):
        raise ChoiceError("edit_regrown")
    forced = [
        ForcedSplit(str(act.get("path", "")), SplitRequest.from_json(act), tuple(act["steps"]))
        for act in acts
    ]
    forbid = list(forbidden_columns(tree))
    return {"force_splits": forced, "forbid": forbid, "is_strict": False} if acts or forbid else {}


def recipe_from(tree: TreeData) -> Recipe:
    """Return the recipe of a tree."""
    settings = dict(tree.recipe)
    return recipe_of(settings.pop("name", "by hand"), **settings)
