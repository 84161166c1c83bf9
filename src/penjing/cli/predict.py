"""Commands that apply trees to rows: predict, test, compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import Exit, sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import with_reading_options
from penjing.cli.parameters import (
    EVALUATION,
    INPUT,
    OUTPUT,
    Data,
    Missing,
    Model,
    Output,
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
) -> None:
    """Predict the target of each row of a table, in constant memory."""
    from penjing.cli import prediction_output  # noqa: PLC0415 - heavy
    from penjing.data.read.stream import TableSource, read_batches  # noqa: PLC0415

    if input_encoding is not None:  # the old name of --encoding
        console.print_note("note_option_renamed", old="--input-encoding", new="--encoding")
        reading = replace(reading, encoding=reading.encoding or input_encoding)
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
    if console.as_json:
        prediction_output.write_json(console, tree, aligned, columns, lines=lines)
        return
    if output is not None and output.endswith((".parquet", ".pq")):
        prediction_output.write_parquet(tree, aligned, columns, output)
    else:
        encoding = "utf-8-sig" if excel and output_encoding == "utf-8" else output_encoding
        prediction_output.write_csv(tree, aligned, columns, output, encoding, excel=excel)
        is_file = output not in (None, sources.STANDARD_STREAM)
        others = sorted(name for name in encodings if not name.lower().startswith(("utf", "ascii")))
        if is_file and others and encoding == "utf-8":
            names = {"source": Path(data).name, "encoding": others[0], "path": output}
            console.print_note("note_not_for_excel", **names)
    if output not in (None, sources.STANDARD_STREAM):
        console.print_note("saved", path=output)


@command
@with_reading_options
def evaluate(
    console: Console,
    *,
    reading: sources.ReadingOptions,
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
) -> Exit:
    """Report the accuracy of a tree on rows whose class is known."""
    tree = sources.load_model(model)
    rows = reading.read_rows_for(console, tree, data)
    sources.warn_if_not_held_out(console, reading, {model: tree}, data, rows)
    policy: Any = {"unseen": unseen, "missing": missing}  # checked by `score`
    report = tree.score(rows, **policy)
    bound = None
    if not tree.is_regression:
        training = sources.find_training_rows(console, tree, model, train, reading)
        bound = None if training is None else _accuracy_bound(training, rows)
    if console.as_json:
        console.print_json(report.to_json() | _bound_json(bound))
    elif tree.is_regression:
        console.print(report.text(console.lang))
    else:
        _print_report(console, tree, rows, report, bound, full=full, names=(train, data))
    return _check_accuracy(console, report, min_accuracy)


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
    rows: Table,
    report: Any,  # noqa: ANN401 - a Report
    bound: AccuracyBound | None,
    *,
    full: bool,
    names: tuple[str | None, str],
) -> None:
    from penjing.render import wrong_predictions  # noqa: PLC0415 - heavy

    console.print(report.headline(console.lang))
    if full or len(report.wrong) > 1:  # a single wrong row is listed below
        console.print("\n".join(report.table(console.lang)))
    if full:
        console.print("\n".join(wrong_predictions.class_table(report, console.lang)))
    wrong = [row.row for row in report.wrong]
    clashing = {clash.row for clash in bound.clashes} if bound else set()
    if wrong:
        paths = _paths(console, tree, rows, [row for row in wrong if row not in clashing])
        console.print(
            wrong_predictions.wrong_rows_line(
                report, paths, console.lang, ascii_only=console.ascii_only
            )
        )
    if bound:
        path = names[0] or str(tree.about.get("source", {}).get("name", "train"))
        train, _ = sources.short_names(path, names[1])
        for line in wrong_predictions.ceiling_lines(bound, wrong, train, console.lang):
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
            tree, rows, row, leaves[row], ascii_only=console.ascii_only
        )
    return {number: path for number, path in paths.items() if path}


def _check_accuracy(console: Console, report: Any, required: float | None) -> Exit:  # noqa: ANN401 - a Report
    if required is None:
        return Exit.OK
    if not hasattr(report, "accuracy"):
        raise ChoiceError("test_no_accuracy", target=report.target)
    if report.accuracy >= required:
        return Exit.OK
    console.print_error(
        console.message("test_below", accuracy=f"{report.accuracy:.4g}", demanded=required)
    )
    return Exit.BELOW_REQUIRED


@command
@with_reading_options
def compare(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    first: Annotated[str, argument("first_model", "MODEL")],
    second: Annotated[str, argument("second_model", "MODEL")],
    test: Test = None,
    train: Train = None,
    leave_out: Annotated[
        bool,
        option("compare_leave_one_out", "--leave-one-out", panel=EVALUATION),
    ] = False,
) -> None:
    """Compare two trees: sizes, accuracies, splits, and rows with different predictions."""
    from penjing.evaluate import comparison_text  # noqa: PLC0415
    from penjing.evaluate.compare import compare as compare_trees  # noqa: PLC0415 - heavy

    trees = (sources.load_model(first), sources.load_model(second))
    tables = {}
    if train is not None:
        tables["training"] = reading.read_rows_for_all(console, trees, train)
    if test is not None:
        tables["test"] = reading.read_rows_for_all(console, trees, test)
        tree_by_path = dict(zip((first, second), trees, strict=True))
        sources.warn_if_not_held_out(console, reading, tree_by_path, test, tables["test"])
    names = (Path(first).stem, Path(second).stem)
    compared = compare_trees(*trees, tables, names=names)
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
    console: Console, trees: tuple[Tree, Tree], rows: Table, *, is_forced: bool
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
