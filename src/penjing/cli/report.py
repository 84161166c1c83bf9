"""Commands that evaluate: cross-validate, report, drift."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import Exit, sources
from penjing.cli.chart_output import ChartOptions, check_kind
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.evaluation_output import EvaluationOptions
from penjing.cli.option_groups import (
    RecipeSettings,
    with_chart_options,
    with_evaluation_options,
    with_program_options,
    with_reading_options,
    with_recipe_options,
)
from penjing.cli.parameters import (
    EVALUATION,
    OUTPUT,
    ChartName,
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
from penjing.errors import ChoiceError, PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table
    from penjing.evaluate.curves import Curve
    from penjing.training.auto_recipe import RecipeChoice

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
@with_chart_options
def cross_validate(
    console: Console,
    *,
    charts: ChartOptions,
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
    chart: ChartName = None,
) -> None:
    """Estimate the accuracy of a recipe by cross-validation."""
    from penjing.evaluate import validation  # noqa: PLC0415 - heavy
    from penjing.training.auto_recipe import choose_recipe  # noqa: PLC0415

    charts.check()
    if curve is not None and chart is not None:
        raise ChoiceError("setting_twice", one="--curve", other="--chart")
    table = reading.read_table(console, data)
    console.print_notes(table.notes)
    if table.target is not None:
        check_kind(chart, is_regression=table.is_regression, target=table.target.name)
        evaluation.check(is_regression=table.is_regression, target=table.target.name)
    changed = {**settings.named, **program_options, **settings.words}
    choice = choose_recipe(recipe, table, changed, method)
    print_recipe_choice(console, choice.record)
    chosen, method, options = choice.recipe, choice.prune, choice.pruning_options
    if folds > table.n_rows > 1 and not leave_one_out:
        console.print_note("note_fewer_folds", n=table.n_rows, folds=folds)
    if curve is None:
        k: Any = "leave-one-out" if leave_one_out else min(folds, table.n_rows)
        result = validation.cross_validate(
            table, chosen, k, seed=seed, prune=method, positive=evaluation.positive, **options
        )
        # Before anything is printed or saved: a wrong value of an option is an error.
        evaluation_lines = evaluation.lines(result, console.lang, full=False)
        charts.save_report(console, result, chart)
        if console.as_json:
            folds_used = {"folds": table.n_rows if leave_one_out else k, "seed": seed}
            console.print_json(folds_used | result.to_json() | evaluation.to_json(result))
            return
        console.print(result.text(console.lang))
        for line in evaluation_lines:
            console.print(line)
        return
    points = _curve_of(table, choice, curve, folds=folds, seed=seed)
    charts.save(console, points.chart)
    if console.as_json:
        console.print_json(points)
    else:
        from penjing.render import curve_text  # noqa: PLC0415 - heavy

        console.print(curve_text.text(points, console.lang))


def _curve_of(
    table: Table, choice: RecipeChoice, kind: CurveName, *, folds: int, seed: int
) -> Curve:
    """Return the learning or the pruning curve of a recipe."""
    from penjing.api.fit import fit  # noqa: PLC0415 - heavy
    from penjing.evaluate.curves import learning_curve, pruning_curve  # noqa: PLC0415

    def grow(rows: Table) -> Tree:
        tree = fit(rows, recipe=choice.recipe, quiet=True)
        if choice.prune is None:
            return tree
        options: dict[str, Any] = dict(choice.pruning_options)
        return tree.prune(choice.prune, **options)

    if kind is CurveName.learning:
        return learning_curve(table, grow, k=min(folds, table.n_rows), seed=seed)
    tree = fit(table, recipe=choice.recipe, quiet=True)
    return pruning_curve(tree, table, k=folds, seed=seed)


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
        str | None, option("title", panel=OUTPUT, metavar="TEXT", default="default_title")
    ] = None,
    folds: Folds = 10,
    seed: Seed = 0,
    crossed: Annotated[
        bool | None,
        option("cross", "--cross/--no-cross", panel=EVALUATION, default="default_cross"),
    ] = None,
    positive: Annotated[
        str | None, option("positive", panel=EVALUATION, metavar="CLASS", default="default_rarer")
    ] = None,
    trace: Annotated[bool, option("report_trace", "--trace", panel=OUTPUT)] = False,
) -> None:
    """Write a report on a tree as one HTML file."""
    from penjing.api.class_names import KEY, NamedRows, shown  # noqa: PLC0415 - heavy
    from penjing.explain.split_data import with_sketches  # noqa: PLC0415 - heavy
    from penjing.render.report import write  # noqa: PLC0415 - heavy

    sources.check_extension("report", output, ".html", ".htm")
    tree = sources.load_model(model)
    training = sources.find_training_rows(console, tree, model, train, reading)
    test_rows: Table | None = None if test is None else reading.read_rows_for(console, tree, test)
    warnings = []
    if test is not None and test_rows is not None:
        warnings = sources.warn_if_not_held_out(console, reading, {model: tree}, test, test_rows)
    if KEY in tree.about:
        named, tree = NamedRows(tree), shown(with_sketches(tree))
        training, test_rows = named.table(training), named.table(test_rows)
    page = write(
        tree, training, test_rows, lang=console.lang, theme=str(theme), title=title, folds=folds,
        seed=seed, cross_validation=crossed, warnings=warnings, positive=positive,
        trace=trace,
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
