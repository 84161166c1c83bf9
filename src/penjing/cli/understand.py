"""Commands that analyse trees: ruleset, importance, bootstrap."""

from __future__ import annotations

from typing import Annotated

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import parse_settings, with_reading_options
from penjing.cli.parameters import Data, MissingPolicy, Model, RecipeName, Setting, Train
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
    max_loss: Annotated[
        float, typer.Option(help="How much accuracy on the training rows may be lost.")
    ] = 0.02,
    votes: Annotated[
        bool, typer.Option("--votes", help="Rules that vote, as C5.0 -r makes them.")
    ] = False,
) -> None:
    """Make a short list of rules from a tree and its training rows."""
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
def importance(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="Rows to shuffle: importance by permutation.")
    ] = None,
    surrogates: Annotated[
        bool, typer.Option("--surrogates", help="Count surrogates, too.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Decides how rows are shuffled.")] = 0,
) -> None:
    """Say how much each column matters: by impurity, or with --data by permutation."""
    from penjing.formatting.text_table import align_left, max_width  # noqa: PLC0415 - heavy
    from penjing.text.formula import decimals  # noqa: PLC0415
    from penjing.text.labels import quoted  # noqa: PLC0415

    tree = sources.load_model(model)
    if data is None:
        importances = tree.importances(surrogates=surrogates)
    else:
        rows = reading.read_rows_for(console, tree, data)
        importances = tree.importances("permutation", rows, seed=seed)
    if console.as_json:
        console.print_json(importances)
        return
    name_width = max_width([quoted(name) for name in importances], 6)
    for name, value in importances.items():
        number = f"-{decimals(-value)}" if value < 0 and float(decimals(value)) else decimals(value)
        console.print(f"{align_left(quoted(name), name_width)}  {number:>7}")


@command
@with_reading_options
def bootstrap(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    data: Data,
    recipe: RecipeName = "id3",
    missing: MissingPolicy = None,
    trees: Annotated[int, typer.Option(help="How many trees to grow.", min=1)] = 100,
    seed: Annotated[int, typer.Option(help="Decides which rows are drawn.")] = 0,
    setting: Setting = None,
) -> None:
    """Grow a tree again and again from rows drawn anew, and count how often it asks the same."""
    from penjing.evaluate.stability import bootstrap as bootstrap_trees  # noqa: PLC0415 - heavy

    table = reading.read_table(console, data)
    console.print_notes(table.notes)
    settings = parse_settings(setting, missing=missing)
    stability = bootstrap_trees(table, recipe=recipe, n=trees, seed=seed, **settings)
    if console.as_json:
        console.print_json(stability.to_json())
    else:
        console.print(stability.text(console.lang))
