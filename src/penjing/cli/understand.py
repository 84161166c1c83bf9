"""Verbs that think about a tree: a short list of rules, which columns matter, how steady it is."""

from __future__ import annotations

from typing import Annotated

import typer

from penjing.cli import sources
from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.fit import settings_of
from penjing.cli.parameters import Data, MissingPolicy, Model, RecipeName, Setting, Train
from penjing.cli.reading_options import takes_reading
from penjing.errors import ChoiceError


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (ruleset, importance, bootstrap):
        app.command(command.__name__)(command)


@verb
@takes_reading
def ruleset(
    voice: Voice,
    *,
    reading: sources.Reading,
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
    tree = sources.model(model)
    rows = sources.training(voice, tree, model, train, reading)
    if rows is None:
        raise ChoiceError("ruleset_needs_rows")
    made = tree.ruleset(rows, votes=True) if votes else tree.ruleset(rows, max_loss=max_loss)
    if voice.as_json:
        voice.data(made.to_json())
    else:
        voice.out(made.text(voice.lang, ascii_only=voice.ascii_only))


@verb
@takes_reading
def importance(
    voice: Voice,
    *,
    reading: sources.Reading,
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
    from penjing.text.formula import decimals  # noqa: PLC0415
    from penjing.text.labels import quoted  # noqa: PLC0415
    from penjing.text.text_table import align_left, max_width  # noqa: PLC0415 - heavy

    tree = sources.model(model)
    if data is None:
        found = tree.importances(surrogates=surrogates)
    else:
        rows = reading.rows_for(voice, tree, data)
        found = tree.importances("permutation", rows, seed=seed)
    if voice.as_json:
        voice.data(found)
        return
    room = max_width([quoted(name) for name in found], 6)
    for name, value in found.items():
        number = f"-{decimals(-value)}" if value < 0 and float(decimals(value)) else decimals(value)
        voice.out(f"{align_left(quoted(name), room)}  {number:>7}")


@verb
@takes_reading
def bootstrap(
    voice: Voice,
    *,
    reading: sources.Reading,
    data: Data,
    recipe: RecipeName = "id3",
    missing: MissingPolicy = None,
    trees: Annotated[int, typer.Option(help="How many trees to grow.", min=1)] = 100,
    seed: Annotated[int, typer.Option(help="Decides which rows are drawn.")] = 0,
    setting: Setting = None,
) -> None:
    """Grow a tree again and again from rows drawn anew, and count how often it asks the same."""
    from penjing.evaluate.stability import bootstrap as grown  # noqa: PLC0415 - heavy

    table = reading.table(voice, data)
    voice.notes(table.notes)
    asked = settings_of(setting, missing=missing)
    found = grown(table, recipe=recipe, n=trees, seed=seed, **asked)
    if voice.as_json:
        voice.data(found.to_json())
    else:
        voice.out(found.text(voice.lang))
