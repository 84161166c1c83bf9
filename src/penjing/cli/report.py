"""Verbs that put a recipe to the test: cross-validate, report."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.fit import settings_of
from penjing.cli.parameters import (
    Data,
    Method,
    MissingPolicy,
    Model,
    Output,
    RecipeName,
    Seed,
    Setting,
    Test,
    Train,
)
from penjing.cli.reading_options import takes_reading

if TYPE_CHECKING:
    from penjing.data.table import Table

Folds = Annotated[int, typer.Option(metavar="K", min=2, help="The number of folds.")]


class CurveName(StrEnum):
    """The curves."""

    learning = "learning"
    pruning = "pruning"


class Theme(StrEnum):
    """The colours of a report."""

    auto = "auto"
    light = "light"
    dark = "dark"


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    app.command("cross-validate")(cross_validate)
    app.command("report")(report)


@verb
@takes_reading
def cross_validate(
    voice: Voice,
    *,
    reading: sources.Reading,
    data: Data,
    recipe: RecipeName = "id3",
    missing: MissingPolicy = None,
    folds: Folds = 10,
    leave_one_out: Annotated[
        bool, typer.Option("--leave-one-out", help="As many folds as rows.")
    ] = False,
    seed: Seed = 0,
    method: Method = None,
    curve: Annotated[
        CurveName | None, typer.Option(help="More rows (learning), or fewer leaves (pruning).")
    ] = None,
    output: Output = None,
    setting: Setting = None,
) -> None:
    """Grow trees on all folds but one and test each on the fold left out."""
    from penjing.api.fit import fit  # noqa: PLC0415
    from penjing.dialects.recipes import recipe_of  # noqa: PLC0415
    from penjing.evaluate import validation  # noqa: PLC0415 - heavy

    table = reading.table(voice, data)
    voice.notes(table.notes)
    how = recipe_of(recipe, **settings_of(setting, missing=missing))
    if curve is None:
        k: Any = "leave-one-out" if leave_one_out else min(folds, table.n_rows)
        found = validation.cross_validate(table, how, k, seed=seed, prune=method)
        told = {"folds": table.n_rows if leave_one_out else k, "seed": seed} | found.to_json()
        voice.data(told) if voice.as_json else voice.out(found.text(voice.lang))
        return
    from penjing.evaluate.curves import learning_curve, pruning_curve  # noqa: PLC0415

    if curve is CurveName.learning:
        drawn = learning_curve(table, how, k=min(folds, table.n_rows), seed=seed)
    else:
        drawn = pruning_curve(fit(table, recipe=how), table, k=folds, seed=seed)
    _put(voice, drawn, output)


def _put(voice: Voice, curve: dict[str, Any], output: str | None) -> None:
    from penjing.render import chart  # noqa: PLC0415
    from penjing.tree.serialize import write_atomically  # noqa: PLC0415 - heavy

    if output not in (None, sources.STDIN):
        assert output is not None
        write_atomically(output, chart.write(curve, lang=voice.lang).encode("utf-8"))
        voice.note("saved", path=output)
    elif voice.as_json:
        voice.data(curve)
    else:
        voice.out(chart.text(curve, voice.lang))


@verb
@takes_reading
def report(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    output: Output = None,
    train: Train = None,
    test: Test = None,
    theme: Annotated[Theme, typer.Option(help="auto: as the reader's system is.")] = Theme.auto,
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    folds: Folds = 10,
    seed: Seed = 0,
    crossed: Annotated[
        bool | None,
        typer.Option("--cross/--no-cross", help="Grow more trees, for folds and curves."),
    ] = None,
) -> None:
    """Write one HTML file: rows, tree, rules, right and wrong, curves, where it comes from."""
    from penjing.render.report import write  # noqa: PLC0415 - heavy
    from penjing.tree.serialize import write_atomically  # noqa: PLC0415

    tree = sources.model(model)
    taught = sources.training(voice, tree, model, train, reading)
    tested: Table | None = None if test is None else reading.rows_for(voice, tree, test)
    said = []
    if test is not None and tested is not None:
        said = sources.warn_of_test(voice, reading, {model: tree}, test, tested)
    page = write(
        tree, taught, tested, lang=voice.lang, theme=str(theme), title=title, folds=folds,
        seed=seed, cross_validation=crossed, warnings=said,
    )  # fmt: skip
    if output in (None, sources.STDIN):
        voice.out(page)
        return
    assert output is not None
    write_atomically(output, page.encode("utf-8"))
    voice.note("saved", path=output)
