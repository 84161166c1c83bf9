"""Commands that apply trees to rows: predict, test, compare."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import Exit, sources
from penjing.cli.chart_output import ChartOptions, check_kind
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.evaluation_output import EvaluationOptions
from penjing.cli.option_groups import (
    with_chart_options,
    with_evaluation_options,
    with_reading_options,
)
from penjing.cli.parameters import (
    EVALUATION,
    GROWING,
    INPUT,
    OUTPUT,
    ChartName,
    Data,
    Missing,
    Model,
    Output,
    Seed,
    Test,
    Train,
    Unseen,
    argument,
    option,
)
from penjing.cli.prune_options import LEAVE_ONE_OUT, leave_one_out
from penjing.errors import CapabilityError, ChoiceError, PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.repeated_rows import AccuracyBound
    from penjing.data.table import Table
    from penjing.evaluate.prediction_summary import SummaryCounter


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for name, function in {"predict": predict, "test": evaluate, "compare": compare}.items():
        app.command(name)(function)


@command
@with_reading_options
def predict(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    data: Data,
    output: Output = None,
    proba: Annotated[bool, option("proba", "--proba", panel=OUTPUT)] = False,
    rule: Annotated[bool, option("rule", "--rule", panel=OUTPUT)] = False,
    path: Annotated[bool, option("path", "--path", panel=OUTPUT)] = False,
    excel: Annotated[bool, option("excel", "--excel", panel=OUTPUT)] = False,
    output_encoding: Annotated[
        str, option("output_encoding", panel=OUTPUT, metavar="NAME")
    ] = "utf-8",
    input_encoding: Annotated[
        str | None, option("encoding", panel=INPUT, metavar="NAME", hidden=True)
    ] = None,
    unseen: Unseen = None,
    missing: Missing = None,
    lines: Annotated[bool, option("lines", "--lines", panel=OUTPUT)] = False,
    summary: Annotated[bool, option("summary", "--summary", panel=OUTPUT)] = False,
) -> None:
    """Predict the target of each row of a table, in constant memory."""
    from penjing.cli import prediction_output  # noqa: PLC0415 - heavy
    from penjing.data.read.stream import TableSource, read_batches  # noqa: PLC0415

    if input_encoding is not None:  # the old name of --encoding
        console.print_note("note_option_renamed", old="--input-encoding", new="--encoding")
        reading = replace(reading, encoding=reading.encoding or input_encoding)
    is_json = console.as_json and not summary  # else the summary is printed as JSON
    known = (".json", ".jsonl", ".ndjson") if is_json else (".csv", ".parquet", ".pq")
    sources.check_extension("predict --json" if is_json else "predict", output, *known)
    tree = sources.load_model(model)
    columns = prediction_output.OutputColumns(proba, rule, path, unseen, missing)
    if proba and tree.is_regression:
        raise CapabilityError("shares_need_classes", target=tree.target.name)
    batches = read_batches(
        TableSource(
            data,
            reading.encoding,
            reading.separator_character(),
            reading.column_names(),
            reading.sheet,
            reading.layout_for(tree),
        )
    )
    encodings: set[str] = set()
    aligned = prediction_output.align_batches(
        console, tree, prediction_output.note_encodings(batches, encodings), reading
    )
    counter = None
    if summary:
        counter = prediction_output.summary_counter(tree, columns)
        aligned = prediction_output.count_batches(aligned, counter)
    is_written = output not in (None, sources.STANDARD_STREAM)
    if counter is not None and not is_written:
        for _ in aligned:
            pass  # the rows are counted only
        _print_summary(console, counter)
        return
    if console.as_json and counter is None:
        prediction_output.write_json(console, tree, aligned, columns, output, lines=lines)
    elif output is not None and output.endswith((".parquet", ".pq")):
        prediction_output.write_parquet(tree, aligned, columns, output, str(data))
    else:
        encoding = "utf-8-sig" if excel and output_encoding == "utf-8" else output_encoding
        prediction_output.write_csv(tree, aligned, columns, output, encoding, excel=excel)
        _note_other_encodings(console, encodings, data, output if encoding == "utf-8" else None)
    if is_written:
        console.print_note("saved", path=output)
    if counter is not None:
        _print_summary(console, counter)


def _note_other_encodings(
    console: Console, encodings: Collection[str], data: str, output: str | None
) -> None:
    """Say that Excel may misread a file in UTF-8, if the input was in another encoding."""
    others = sorted(name for name in encodings if not name.lower().startswith(("utf", "ascii")))
    if others and output not in (None, sources.STANDARD_STREAM):
        names = {"source": Path(data).name, "encoding": others[0], "path": output}
        console.print_note("note_not_for_excel", **names)


def _print_summary(console: Console, counter: SummaryCounter) -> None:
    result = counter.result()
    if console.as_json:
        console.print_json(result.to_json())
    else:
        console.print(result.text(console.lang))


@command
@with_reading_options
@with_evaluation_options
@with_chart_options
def evaluate(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    evaluation: EvaluationOptions,
    charts: ChartOptions,
    model: Model,
    data: Data,
    train: Train = None,
    min_accuracy: Annotated[
        float | None,
        option("min_accuracy", panel=EVALUATION, metavar="SHARE", min=0.0, max=1.0),
    ] = None,
    full: Annotated[bool, option("full", "--full", panel=OUTPUT)] = False,
    unseen: Unseen = None,
    missing: Missing = None,
    chart: ChartName = None,
) -> Exit:
    """Report the accuracy of a tree on rows whose class is known."""
    charts.check()
    tree = sources.load_model(model)
    check_kind(chart, is_regression=tree.is_regression, target=tree.target.name)
    evaluation.check(is_regression=tree.is_regression, target=tree.target.name)
    if min_accuracy is not None and tree.is_regression:
        raise ChoiceError("test_no_accuracy", target=tree.target.name)
    rows = reading.read_rows_for(console, tree, data)
    sources.warn_if_not_held_out(console, reading, {model: tree}, data, rows)
    policy: Any = {"unseen": unseen, "missing": missing}  # checked by `score`
    report = _score(console, tree, rows, positive=evaluation.positive, **policy)
    # Before anything is printed or saved: a wrong value of an option is an error without results.
    evaluation_lines = evaluation.lines(report, console.lang, full=full)
    charts.save_report(console, report, chart)
    bound = training = None
    if not tree.is_regression:
        training = sources.find_training_rows(console, tree, model, train, reading)
        bound = None if training is None else _accuracy_bound(training, rows)
    if console.as_json:
        console.print_json(report.to_json() | evaluation.to_json(report) | _bound_json(bound))
    elif tree.is_regression:
        console.print(report.text(console.lang))
    else:
        tables = (training, rows)
        _print_report(console, tree, tables, report, bound, full=full, names=(train, data))
        for line in evaluation_lines:
            console.print(line)
    return _check_accuracy(console, report, min_accuracy)


def _score(console: Console, tree: Tree, rows: Table, **options: Any) -> Any:  # noqa: ANN401
    """Return the report of a tree, with notes about a tree that was written by hand."""
    from penjing.evaluate.validation import score  # noqa: PLC0415 - heavy

    if not tree.has_counts and rows.target is not None:
        from penjing.training.count_rows import notes_of  # noqa: PLC0415 - heavy
        from penjing.training.pruning import validation_rows  # noqa: PLC0415

        console.print_notes(notes_of(tree, validation_rows(tree, rows)))
    return score(tree, rows, **options)


def _accuracy_bound(training: Table, rows: Table) -> AccuracyBound:
    from penjing.data.repeated_rows import accuracy_bound  # noqa: PLC0415 - heavy

    return accuracy_bound(training, rows)


def _bound_json(bound: AccuracyBound | None) -> dict[str, Any]:
    if bound is None:
        return {}
    clashes = [{"row": c.row, "equals": list(c.equals)} for c in bound.clashes]
    return {"ceiling": {"best": bound.best, "of": bound.n_rows, "clashes": clashes}}


def _print_report(
    console: Console,
    tree: Tree,
    tables: tuple[Table | None, Table],
    report: Any,  # noqa: ANN401 - a Report
    bound: AccuracyBound | None,
    *,
    full: bool,
    names: tuple[str | None, str],
) -> None:
    from penjing.render import wrong_predictions  # noqa: PLC0415 - heavy

    training, rows = tables
    console.print("\n".join([report.headline(console.lang), *report.score_lines(console.lang)]))
    if full or len(report.wrong) > 1:  # a single wrong row is listed below
        console.print("\n".join(report.table(console.lang)))
        console.print("\n".join(report.class_table(console.lang, full=full)))
    if full and report.balanced_accuracy is not None:
        balanced = f"{report.balanced_accuracy:.3f}"
        console.print(console.message("report_balanced", balanced=balanced))
    for note in report.notes(console.lang):
        console.print(note)
    wrong = [row.row for row in report.wrong]
    clashing = {clash.row for clash in bound.clashes} if bound else set()
    if wrong:
        paths = _paths(console, tree, rows, [row for row in wrong if row not in clashing])
        console.print(
            wrong_predictions.wrong_rows_line(
                report, paths, console.lang, ascii_only=console.ascii_only
            )
        )
    if bound and training is not None:
        path = names[0] or str(tree.about.get("source", {}).get("name", "train"))
        train, _ = sources.short_names(path, names[1])
        lines = wrong_predictions.ceiling_lines(bound, wrong, train, console.lang, (training, rows))
        for line in lines:
            console.print(line)


def _paths(console: Console, tree: Tree, rows: Table, wrong: list[int]) -> dict[int, str]:
    """Return the paths of the wrongly predicted rows by row number, if they are few."""
    from penjing.render import wrong_predictions  # noqa: PLC0415 - heavy

    if len(wrong) > wrong_predictions.MAX_PATHS:
        return {}
    leaves = tree.apply(rows).tolist()
    row_by_number = {rows.row_number(row): row for row in range(rows.n_rows)}
    paths = {}
    for number in wrong:
        row = row_by_number[number]
        paths[number] = wrong_predictions.path_text(
            tree, rows, row, leaves[row], ascii_only=console.ascii_only, lang=console.lang
        )
    return {number: path for number, path in paths.items() if path}


def _check_accuracy(console: Console, report: Any, required: float | None) -> Exit:  # noqa: ANN401 - a Report
    if required is None:
        return Exit.OK
    if report.accuracy >= required:
        return Exit.OK
    console.print_error(
        console.message("test_below", accuracy=f"{report.accuracy:.4g}", demanded=required)
    )
    return Exit.BELOW_REQUIRED


@command
@with_reading_options
@with_chart_options
def compare(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    charts: ChartOptions,
    models: Annotated[list[str], argument("models", "MODEL...")],
    recipes: Annotated[
        str | None, option("compared_recipes", panel=GROWING, metavar="A,B,…")
    ] = None,
    test: Test = None,
    train: Train = None,
    folds: Annotated[
        int | None, option("compare_folds", panel=EVALUATION, metavar="INT", min=2)
    ] = None,
    seed: Seed = 0,
    leave_out: Annotated[
        bool,
        option("compare_leave_one_out", "--leave-one-out", panel=EVALUATION),
    ] = False,
) -> None:
    """Compare trees: sizes, accuracies, splits, and rows with different predictions."""
    charts.check()
    how: Any = "leave-one-out" if leave_out else folds
    if charts.output is not None and (recipes is not None or len(models) != 2):
        raise ChoiceError("compare_chart_two")
    if recipes is not None:
        _compare_recipes(console, reading, models, recipes.split(","), (test, how, seed))
        return
    if len(models) < 2:
        raise ChoiceError("compare_needs_two", n=len(models))
    trees = [sources.load_model(path) for path in models]
    tables = {}
    if train is not None:
        tables["training"] = reading.read_rows_for_all(console, trees, train)
    if test is not None:
        tables["test"] = reading.read_rows_for_all(console, trees, test)
        tree_by_path = dict(zip(models, trees, strict=True))
        sources.warn_if_not_held_out(console, reading, tree_by_path, test, tables["test"])
    if charts.output is not None:
        from penjing.evaluate.compare import compare as compare_trees  # noqa: PLC0415 - heavy

        names = _distinct_names(models)
        pair = compare_trees(trees[0], trees[1], names=(names[0], names[1]))
        charts.save(console, pair.chart)
    if len(trees) == 2 and folds is None:
        _compare_two(console, reading, (models, trees, tables), (train, test), leave_out=leave_out)
        return
    if how is not None and train is None:
        raise ChoiceError("compare_folds_need_rows", folds=how)
    if how is not None and train is not None:  # trees grow from columns that none splits on, too
        quiet = replace(console, is_quiet=True)
        tables["training"] = reading.read_rows_for_all(quiet, trees, train, all_columns=True)
    from penjing.evaluate.compare_several import compare_several  # noqa: PLC0415 - heavy

    comparison = compare_several(trees, tables, _distinct_names(models), folds=how, seed=seed)
    _print_several(console, comparison.to_dict(), test, train)


def _distinct_names(paths: list[str]) -> list[str]:
    """Return the names of model files without extension; whole paths if two are the same."""
    stems = [Path(path).stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    return [f"{path} ({i})" if paths.count(path) > 1 else path for i, path in enumerate(paths, 1)]


def _print_several(
    console: Console, comparison: dict[str, Any], test: str | None, train: str | None
) -> None:
    from penjing.evaluate import several_text  # noqa: PLC0415 - heavy

    comparison["test"] = None if test is None else sources.short_names(test, train or test)[0]
    if console.as_json:
        console.print_json(comparison)
    else:
        console.print(several_text.write(comparison, console.lang))


def _compare_recipes(
    console: Console,
    reading: sources.ReadingOptions,
    files: list[str],
    recipes: list[str],
    evaluation: tuple[str | None, Any, int],
) -> None:
    """Grow a tree by each recipe from one table, and compare them."""
    from penjing.api.comparison import trees_by_recipe  # noqa: PLC0415 - heavy
    from penjing.evaluate.compare_several import compare_several  # noqa: PLC0415

    test, folds, seed = evaluation
    if len(files) != 1:
        raise ChoiceError("compare_one_table", n=len(files))
    names = list(dict.fromkeys(name.strip() for name in recipes if name.strip()))
    if len(names) < 2:
        raise ChoiceError("compare_needs_two", n=len(names))
    table = reading.read_table(console, files[0])
    console.print_notes(table.notes)
    trees, notes = trees_by_recipe(table, names, {})
    console.print_notes(notes)
    tables = {"training": table}
    if test is not None:
        rows_only = replace(reading, schema=None, ignore=None, keep=None, dates=None)
        tables["test"] = rows_only.read_rows_for_all(console, list(trees.values()), test)
        if sources.are_same_file(test, files[0]):
            console.print_note("note_training_rows_tested", source=test)
    comparison = compare_several(list(trees.values()), tables, list(trees), folds=folds, seed=seed)
    _print_several(console, comparison.to_dict(), test, files[0])


def _compare_two(
    console: Console,
    reading: sources.ReadingOptions,
    compared_trees: tuple[list[str], list[Tree], dict[str, Table]],
    paths: tuple[str | None, str | None],
    *,
    leave_out: bool,
) -> None:
    """Print the comparison of two trees."""
    from penjing.evaluate import comparison_text  # noqa: PLC0415
    from penjing.evaluate.compare import compare as compare_trees  # noqa: PLC0415 - heavy

    models, trees, tables = compared_trees
    train, test = paths
    names = (Path(models[0]).stem, Path(models[1]).stem)
    compared = compare_trees(trees[0], trees[1], tables, names=names)
    comparison: dict[str, Any] = compared.to_dict() | {"is_pruned": compared.is_pruned}
    if compared.verdict is not None:
        comparison["verdict"] = compared.verdict
    if train is not None and _can_leave_one_out(
        console, trees, tables["training"], is_forced=leave_out
    ):
        comparison["leave_one_out"] = [
            _leave_one_out_counts(console, reading, tree, train, figures["name"])
            for tree, figures in zip(trees, comparison["trees"], strict=True)
        ]
    comparison["test"] = None if test is None else sources.short_names(test, train or test)[0]
    if console.as_json:
        console.print_json(comparison)
    else:
        console.print(comparison_text.write(comparison, console.lang))


def _can_leave_one_out(
    console: Console, trees: Sequence[Tree], rows: Table, *, is_forced: bool
) -> bool:
    """Return whether leave-one-out is possible and quick enough, or forced."""
    if trees[0].is_regression or rows.target is None:
        return False
    if rows.n_rows > LEAVE_ONE_OUT and not is_forced:
        console.print_note("note_no_leave_one_out", of=rows.n_rows, limit=LEAVE_ONE_OUT)
        return False
    return True


def _leave_one_out_counts(
    console: Console, reading: sources.ReadingOptions, tree: Tree, train: str, name: str
) -> dict[str, float] | None:
    """Return how many rows leave-one-out predicts correctly.

    Its trees grow from exactly the columns that this tree could have split on, including those
    that neither tree uses.
    """
    try:
        rows = sources.find_training_rows(replace(console, is_quiet=True), tree, "", train, reading)
    except PenjingError as problem:
        console.print_note(
            "note_no_regrow", name=name, why=console.message(problem.key, **problem.values)
        )
        return None
    return None if rows is None else leave_one_out(console, tree, rows, name)
