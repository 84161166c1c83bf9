"""Verbs that put trees to use and to the test: predict, test, compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import Exit, sources
from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.parameters import Data, Model, Output, Test, Train
from penjing.cli.prune_options import LEAVE_ONE_OUT, leave_one_out
from penjing.cli.reading_options import takes_reading
from penjing.errors import CapabilityError, ChoiceError, PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for name, command in {"predict": predict, "test": examine, "compare": compare}.items():
        app.command(name)(command)


@verb
@takes_reading
def predict(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    data: Data,
    output: Output = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of each class.")] = False,
    rule: Annotated[
        bool, typer.Option("--rule", help="Add the rule of the leaf that answers.")
    ] = False,
    path: Annotated[
        bool, typer.Option("--path", help="Add how the row came there, with its values.")
    ] = False,
    excel: Annotated[
        bool,
        typer.Option(
            "--excel",
            help="Write CSV for Excel: UTF-8 with a mark (or --output-encoding); text that Excel"
            " would run as a formula (it begins with =, +, -, @, tab or line end)"
            " gets a ' in front.",
        ),
    ] = False,
    output_encoding: Annotated[
        str, typer.Option(metavar="NAME", help="The encoding of the output: utf-8, gbk, …")
    ] = "utf-8",
    input_encoding: Annotated[str | None, typer.Option(hidden=True)] = None,
    unseen: Annotated[
        str | None, typer.Option(help="Levels that training never saw: stop, missing or error.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="With --json: one object a line.")] = False,
) -> None:
    """Answer for each row of a table, as rows come in: its columns, and what the tree says."""
    from penjing.cli import prediction_output  # noqa: PLC0415 - heavy
    from penjing.data.read.stream import TableSource, read_batches  # noqa: PLC0415

    if input_encoding is not None:  # what --encoding was called once
        voice.note("note_option_renamed", old="--input-encoding", new="--encoding")
        reading = replace(reading, encoding=reading.encoding or input_encoding)
    tree = sources.model(model)
    wanted = prediction_output.Wanted(proba, rule, path, unseen)
    if proba and tree.is_regression:
        raise CapabilityError("shares_need_classes", target=tree.target.name)
    sheets = read_batches(
        TableSource(data, reading.encoding, reading.divider(), reading.column_names())
    )
    rows = prediction_output.rows_for(voice, tree, sheets, reading)
    if voice.as_json:
        prediction_output.as_json(voice, tree, rows, wanted, lines=lines)
        return
    if output is not None and output.endswith((".parquet", ".pq")):
        prediction_output.as_parquet(tree, rows, wanted, output)
    else:
        code = "utf-8-sig" if excel and output_encoding == "utf-8" else output_encoding
        prediction_output.as_csv(tree, rows, wanted, output, code, excel=excel)
    if output not in (None, sources.STDIN):
        voice.note("saved", path=output)


@verb
@takes_reading
def examine(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    data: Data,
    train: Train = None,
    min_accuracy: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", min=0.0, max=1.0, help="Exit with 3 if the accuracy is less, 0 to 1."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Always print the confusion table, and each class.")
    ] = False,
) -> Exit:
    """Count right and wrong answers on rows whose class is known."""
    tree = sources.model(model)
    rows = reading.rows_for(voice, tree, data)
    sources.warn_of_test(voice, reading, {model: tree}, data, rows)
    report = tree.score(rows)
    taught = None if tree.is_regression else sources.training(voice, tree, model, train, reading)
    found = None if taught is None else _ceiling(taught, rows)
    if voice.as_json:
        voice.data(report.to_json() | _ceiling_json(found))
    elif tree.is_regression:
        voice.out(report.text(voice.lang))
    else:
        _told(voice, tree, rows, report, found, full=full, names=(train, data))
    return _demanded(voice, report, min_accuracy)


def _ceiling(taught: Table, rows: Table) -> Any:  # noqa: ANN401 - a Ceiling
    from penjing.data.repeated_rows import accuracy_bound  # noqa: PLC0415 - heavy

    return accuracy_bound(taught, rows)


def _ceiling_json(found: Any) -> dict[str, Any]:  # noqa: ANN401 - a Ceiling
    if found is None:
        return {}
    clashes = [{"row": c.row, "equals": list(c.equals)} for c in found.clashes]
    return {"ceiling": {"best": found.best, "of": found.n_rows, "clashes": clashes}}


def _told(
    voice: Voice,
    tree: Tree,
    rows: Table,
    report: Any,  # noqa: ANN401 - a Report
    found: Any,  # noqa: ANN401 - a Ceiling
    *,
    full: bool,
    names: tuple[str | None, str],
) -> None:
    from penjing.render import wrong_predictions  # noqa: PLC0415 - heavy

    voice.out(report.headline(voice.lang))
    if full or len(report.wrong) > 1:  # one wrong row says it all by itself
        voice.out("\n".join(report.table(voice.lang)))
    if full:
        voice.out("\n".join(wrong_predictions.class_table(report, voice.lang)))
    wrong = [row.row for row in report.wrong]
    clashing = {clash.row for clash in found.clashes} if found else set()
    if wrong:
        paths = _paths(voice, tree, rows, [row for row in wrong if row not in clashing])
        voice.out(
            wrong_predictions.wrong_rows_line(
                report, paths, voice.lang, ascii_only=voice.ascii_only
            )
        )
    if found:
        path = names[0] or str(tree.about.get("source", {}).get("name", "train"))
        train, _ = sources.short_names(path, names[1])
        for line in wrong_predictions.ceiling_lines(found, wrong, train, voice.lang):
            voice.out(line)


def _paths(voice: Voice, tree: Tree, rows: Table, wrong: list[int]) -> dict[int, str]:
    """Return how the wrong rows came to their answers, where they are few."""
    from penjing.render import wrong_predictions  # noqa: PLC0415 - heavy

    if len(wrong) > wrong_predictions.MAX_PATHS:
        return {}
    stops = tree.apply(rows).tolist()
    places = {rows.row_number(row): row for row in range(rows.n_rows)}
    found = {
        number: wrong_predictions.path_text(
            tree, rows, places[number], stops[places[number]], ascii_only=voice.ascii_only
        )
        for number in wrong
    }
    return {number: path for number, path in found.items() if path}


def _demanded(voice: Voice, report: Any, least: float | None) -> Exit:  # noqa: ANN401 - a Report
    if least is None:
        return Exit.FINE
    if not hasattr(report, "accuracy"):
        raise ChoiceError("test_no_accuracy", target=report.target)
    if report.accuracy >= least:
        return Exit.FINE
    voice.error(voice.say("test_below", accuracy=f"{report.accuracy:.4g}", demanded=least))
    return Exit.BELOW


@verb
@takes_reading
def compare(
    voice: Voice,
    *,
    reading: sources.Reading,
    first: Annotated[str, typer.Argument(metavar="MODEL", help="A saved tree.")],
    second: Annotated[str, typer.Argument(metavar="MODEL", help="Another one.")],
    test: Test = None,
    train: Train = None,
    leave_out: Annotated[
        bool,
        typer.Option("--leave-one-out", help=f"Do it for more than {LEAVE_ONE_OUT} rows, too."),
    ] = False,
) -> None:
    """Put two trees side by side: numbers, rows on which they differ, questions they ask."""
    from penjing.evaluate.compare import compare as compared  # noqa: PLC0415 - heavy
    from penjing.render import comparison_text  # noqa: PLC0415

    trees = (sources.model(first), sources.model(second))
    tables = {}
    if train is not None:
        tables["training"] = reading.rows_for_both(voice, trees, train)
    if test is not None:
        tables["test"] = reading.rows_for_both(voice, trees, test)
        named = dict(zip((first, second), trees, strict=True))
        sources.warn_of_test(voice, reading, named, test, tables["test"])
    names = (Path(first).stem, Path(second).stem)
    told: dict[str, Any] = {**compared(*trees, tables, names=names)}
    told |= _beside(trees, tables)
    if train is not None and _is_to_be_left_out(voice, trees, tables["training"], more=leave_out):
        told["leave_one_out"] = [
            _left_out(voice, reading, tree, train, named["name"])
            for tree, named in zip(trees, told["trees"], strict=True)
        ]
    told["test"] = None if test is None else sources.short_names(test, train or test)[0]
    voice.data(told) if voice.as_json else voice.out(comparison_text.write(told, voice.lang))


def _beside(trees: tuple[Tree, Tree], tables: dict[str, Table]) -> dict[str, Any]:
    """Return what a comparison needs besides: the verdict of the test."""
    from penjing.evaluate.verdict import verdict  # noqa: PLC0415 - heavy

    found: dict[str, Any] = {"is_pruned": is_pruned(*trees)}
    if trees[0].is_regression:
        return found
    test = tables.get("test")
    if test is not None and test.target is not None:
        found["verdict"] = verdict(*trees, test)
    return found


def _is_to_be_left_out(voice: Voice, trees: tuple[Tree, Tree], rows: Table, *, more: bool) -> bool:
    """Say whether leaving one out is possible, and not too much."""
    if trees[0].is_regression or rows.target is None:
        return False
    if rows.n_rows > LEAVE_ONE_OUT and not more:
        voice.note("note_no_leave_one_out", of=rows.n_rows, limit=LEAVE_ONE_OUT)
        return False
    return True


def _left_out(
    voice: Voice, reading: sources.Reading, tree: Tree, train: str, name: str
) -> dict[str, float] | None:
    """Return how many rows are right if each is left out once.

    The trees for it grow from all columns that this tree could have split on, also from those
    that neither tree asks about, and from no others.
    """
    try:
        rows = sources.training(replace(voice, is_quiet=True), tree, "", train, reading)
    except PenjingError as problem:
        voice.note("note_no_regrow", name=name, why=voice.say(problem.key, **problem.values))
        return None
    return None if rows is None else leave_one_out(voice, tree, rows, name)


def is_pruned(one: Tree, other: Tree) -> bool:
    """Say whether the second tree is the first one, pruned."""
    before, after = one.about.get("pruning", ()), other.about.get("pruning", ())
    mine, its = one.about.get("source", {}), other.about.get("source", {})
    is_same_growth = mine.get("sha256") == its.get("sha256") and one.recipe == other.recipe
    return (
        is_same_growth and len(after) > len(before) and list(after[: len(before)]) == list(before)
    )
