"""Commands that analyse trees: ruleset, importance, bootstrap."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.chart_output import ChartOptions
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import (
    RecipeSettings,
    with_chart_options,
    with_program_options,
    with_reading_options,
    with_recipe_options,
)
from penjing.cli.parameters import (
    EVALUATION,
    GROWING,
    INPUT,
    Data,
    Method,
    Model,
    RecipeName,
    Train,
    option,
)
from penjing.cli.recipe_choice import print_recipe_choice
from penjing.errors import ChoiceError


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for function in (ruleset, importance, bootstrap):
        app.command(function.__name__)(function)


@command
@with_reading_options
def ruleset(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    train: Train = None,
    max_loss: Annotated[float, option("max_loss", panel=GROWING, metavar="SHARE")] = 0.02,
    votes: Annotated[bool, option("votes", "--votes", panel=GROWING)] = False,
) -> None:
    """Derive a short list of rules from a tree and its training rows."""
    tree = sources.load_model(model)
    rows = sources.find_training_rows(console, tree, model, train, reading)
    if rows is None:
        raise ChoiceError("ruleset_needs_rows")
    rules = tree.ruleset(rows, votes=True) if votes else tree.ruleset(rows, max_loss=max_loss)
    if console.as_json:
        console.print_json(rules.to_json())
    else:
        console.print(rules.text(console.lang, ascii_only=console.ascii_only))


@command
@with_reading_options
@with_chart_options
def importance(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    charts: ChartOptions,
    model: Model,
    data: Annotated[str | None, option("permutation_data", panel=INPUT, metavar="FILE")] = None,
    surrogates: Annotated[
        bool, option("importance_surrogates", "--surrogates", panel=EVALUATION)
    ] = False,
    seed: Annotated[int, option("seed_permutation", panel=EVALUATION, metavar="INT")] = 0,
) -> None:
    """Rank the columns by importance: by impurity, or with --data by permutation."""
    charts.check()
    tree = sources.load_model(model)
    if data is None:
        importances = tree.importances(surrogates=surrogates)
    else:
        rows = reading.read_rows_for(console, tree, data)
        importances = tree.importances("permutation", rows, seed=seed)
    charts.save(console, importances.chart)
    if console.as_json:
        console.print_json(importances)
        return
    console.print(importances.text(console.lang))


@command
@with_program_options
@with_recipe_options
@with_reading_options
def bootstrap(
    console: Console,
    *,
    program_options: dict[str, Any],
    reading: sources.ReadingOptions,
    data: Data,
    recipe: RecipeName = "auto",
    settings: RecipeSettings,
    method: Method = None,
    trees: Annotated[int, option("trees", panel=EVALUATION, metavar="INT", min=1)] = 100,
    seed: Annotated[int, option("seed_bootstrap", panel=EVALUATION, metavar="INT")] = 0,
) -> None:
    """Refit on bootstrap samples and report how often each column is used."""
    from penjing.evaluate.stability import bootstrap as bootstrap_trees  # noqa: PLC0415 - heavy
    from penjing.training.auto_recipe import choose_recipe  # noqa: PLC0415

    table = reading.read_table(console, data)
    console.print_notes(table.notes)
    changed = {**settings.named, **program_options, **settings.words}
    print_recipe_choice(console, choose_recipe(recipe, table, changed, method).record)
    stability = bootstrap_trees(table, recipe=recipe, n=trees, seed=seed, prune=method, **changed)
    if console.as_json:
        console.print_json(stability.to_json())
    else:
        console.print(stability.text(console.lang))
