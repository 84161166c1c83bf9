"""Cross-validation: trees grown on all folds but one, and what they predict for that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.folds import each_fold, hold_out
from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError
from penjing.grow.force_syntax import SplitRequest
from penjing.grow.forced_choice import ForcedSplit
from penjing.grow.recipe import Recipe
from penjing.predict.inputs import LevelIndex
from penjing.predict.predict import classes_of
from penjing.training.auto_recipe import choose_recipe
from penjing.training.pruning import prune
from penjing.training.train import train
from penjing.tree.forced import acts_of, forbidden_columns
from penjing.tree.tree_data import TreeData

Grower = Callable[[Table], TreeData]
LEAVE_ONE_OUT = "leave-one-out"


def held_out_predictions(
    table: Table, grower: Grower, k: int | Literal["leave-one-out"], seed: int
) -> npt.NDArray[Any]:
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
        Decides which rows make a fold.

    Returns
    -------
    (rows,) array
        Codes of the target's classes, or numbers.
    """
    assert table.target is not None
    n_folds: Any = table.n_rows if isinstance(k, str) and k == LEAVE_ONE_OUT else k
    places = LevelIndex(table.target.levels)
    # New row numbers: the index of each held-out row's prediction.
    marked = replace(table, row_numbers=np.arange(table.n_rows))
    predictions: npt.NDArray[Any] = np.empty(
        table.n_rows, np.float64 if table.is_regression else np.intp
    )
    for training, held_out in each_fold(marked, n_folds, seed):
        tree = grower(training)
        predicted = classes_of(tree, held_out)
        if not table.is_regression:
            predicted = np.array([places.of(class_) for class_ in tree.classes])[predicted]
        assert held_out.row_numbers is not None
        predictions[held_out.row_numbers] = predicted
    return predictions


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
