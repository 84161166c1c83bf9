"""Commands that evaluate: cross-validate, report, drift."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import Exit, sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.evaluation_output import EvaluationOptions
from penjing.cli.option_groups import (
    RecipeSettings,
    with_evaluation_options,
    with_program_options,
    with_reading_options,
    with_recipe_options,
)
from penjing.cli.parameters import (
    EVALUATION,
    OUTPUT,
    Data,
    Method,
    Model,
    Output,
    RecipeName,
    Seed,
    Test,
    Train,
    choices,
    option,
)
from penjing.cli.recipe_choice import print_recipe_choice
from penjing.errors import PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table

Folds = Annotated[int, option("folds", panel=EVALUATION, metavar="INT", min=2)]


class CurveName(StrEnum):
    """The curves that cross-validate can draw."""

    learning = "learning"
    pruning = "pruning"


class Theme(StrEnum):
    """The colours of a report."""

    auto = "auto"
    light = "light"
    dark = "dark"


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    app.command("cross-validate")(cross_validate)
    app.command("report")(report)
    app.command("drift")(drift)


@command
@with_program_options
@with_recipe_options
@with_reading_options
@with_evaluation_options
def cross_validate(
    console: Console,
    *,
    program_options: dict[str, Any],
    reading: sources.ReadingOptions,
    evaluation: EvaluationOptions,
    data: Data,
    recipe: RecipeName = "auto",
    settings: RecipeSettings,
    folds: Folds = 10,
    leave_one_out: Annotated[
        bool, option("leave_one_out", "--leave-one-out", panel=EVALUATION)
    ] = False,
    seed: Seed = 0,
    method: Method = None,
    curve: Annotated[
        CurveName | None, option("curve", panel=EVALUATION, metavar=choices(CurveName))
    ] = None,
    output: Output = None,
) -> None:
    """Estimate the accuracy of a recipe by cross-validation."""
    from penjing.api.fit import fit  # noqa: PLC0415
    from penjing.evaluate import validation  # noqa: PLC0415 - heavy
    from penjing.evaluate.metrics import Report  # noqa: PLC0415
    from penjing.training.auto_recipe import choose_recipe  # noqa: PLC0415

    table = reading.read_table(console, data)
    console.print_notes(table.notes)
    if table.target is not None:
        evaluation.check(is_regression=table.is_regression, target=table.target.name)
    changed = {**settings.named, **program_options, **settings.words}
    choice = choose_recipe(recipe, table, changed, method)
    print_recipe_choice(console, choice.record)
    chosen, method, options = choice.recipe, choice.prune, choice.pruning_options
    if folds > table.n_rows and not leave_one_out:
        console.print_note("note_fewer_folds", n=table.n_rows, folds=folds)
    if curve is None:
        k: Any = "leave-one-out" if leave_one_out else min(folds, table.n_rows)
        result = validation.cross_validate(
            table, chosen, k, seed=seed, prune=method, positive=evaluation.positive, **options
        )
        if console.as_json:
            folds_used = {"folds": table.n_rows if leave_one_out else k, "seed": seed}
            console.print_json(folds_used | result.to_json() | evaluation.to_json(result))
            return
        console.print(result.text(console.lang))
        for line in (
            evaluation.lines(result, console.lang, full=False) if isinstance(result, Report) else ()
        ):
            console.print(line)
        return
    from penjing.evaluate.curves import learning_curve, pruning_curve  # noqa: PLC0415

    if curve is CurveName.learning:

        def grow(rows: Table) -> Tree:
            tree = fit(rows, recipe=chosen, quiet=True)
            return tree if method is None else tree.prune(method, **options)

        points = learning_curve(table, grow, k=min(folds, table.n_rows), seed=seed)
    else:
        points = pruning_curve(fit(table, recipe=chosen, quiet=True), table, k=folds, seed=seed)
    _write_curve(console, points, output)


def _write_curve(console: Console, curve: dict[str, Any], output: str | None) -> None:
    from penjing.render import chart  # noqa: PLC0415 - heavy

    if sources.save_output(
        console, output, lambda: chart.write(curve, lang=console.lang).encode("utf-8")
    ):
        return
    if console.as_json:
        console.print_json(curve)
    else:
        console.print(chart.text(curve, console.lang))


@command
@with_reading_options
def report(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    output: Output = None,
    train: Train = None,
    test: Test = None,
    theme: Annotated[
        Theme, option("theme_report", panel=OUTPUT, metavar=choices(Theme))
    ] = Theme.auto,
    title: Annotated[
        str | None, option("title", panel=OUTPUT, metavar="TEXT", default="title")
    ] = None,
    folds: Folds = 10,
    seed: Seed = 0,
    crossed: Annotated[
        bool | None,
        option("cross", "--cross/--no-cross", panel=EVALUATION, default="cross"),
    ] = None,
    positive: Annotated[
        str | None, option("positive", panel=EVALUATION, metavar="CLASS", default="rarer")
    ] = None,
) -> None:
    """Write a report on a tree as one HTML file."""
    from penjing.render.report import write  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)
    training = sources.find_training_rows(console, tree, model, train, reading)
    test_rows: Table | None = None if test is None else reading.read_rows_for(console, tree, test)
    warnings = []
    if test is not None and test_rows is not None:
        warnings = sources.warn_if_not_held_out(console, reading, {model: tree}, test, test_rows)
    page = write(
        tree, training, test_rows, lang=console.lang, theme=str(theme), title=title, folds=folds,
        seed=seed, cross_validation=crossed, warnings=warnings, positive=positive,
    )  # fmt: skip
    if not sources.save_output(console, output, page.encode):
        console.print(page)


@command
@with_reading_options
def drift(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    data: Data,
    train: Train = None,
    max_psi: Annotated[
        float | None, option("max_psi", panel=EVALUATION, metavar="NUMBER", min=0.0)
    ] = None,
) -> Exit:
    """Compare new rows with the training rows of a tree."""
    from penjing.evaluate.drift import drift as compare_rows  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)
    training = sources.find_training_rows(console, tree, model, train, reading)
    rows = _rows_to_compare(console, tree, data, reading, all_columns=training is not None)
    result = compare_rows(tree, rows, training)
    if console.as_json:
        console.print_json(result.to_json())
    else:
        console.print(result.text(console.lang, command=True))
    if max_psi is None or result.max_psi <= max_psi:
        return Exit.OK
    console.print_error(
        console.message("drift_above", psi=f"{result.max_psi:.3f}", allowed=max_psi)
    )
    return Exit.DRIFTED


def _rows_to_compare(
    console: Console,
    tree: Tree,
    path: str,
    reading: sources.ReadingOptions,
    *,
    all_columns: bool,
) -> Table:
    """Return new rows with all columns of a tree, or with those of its splits if others lack."""
    data = sources.SourceFile(path)
    if all_columns:
        like = reading.reading_for(console, tree)
        reading.check_ignored_columns(tree)
        try:
            return reading.read_rows(
                console, path, tree.schema, None, data=data, like=like, keeps_weight=True
            )
        except PenjingError:  # a column that predictions do not need is absent or of another type
            pass
    return reading.read_rows_for(console, tree, path, data, with_target=False, keeps_weight=True)
