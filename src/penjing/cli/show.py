"""Commands that show tables, trees and explanations: check, show, draw, why, explain, trace."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.chart_output import ChartOptions
from penjing.cli.command import command
from penjing.cli.console import Console, json_text
from penjing.cli.option_groups import with_chart_style, with_reading_options
from penjing.cli.parameters import (
    INPUT,
    OUTPUT,
    Data,
    Format,
    Layout,
    Model,
    Order,
    Output,
    Show,
    Train,
    argument,
    choices,
    option,
)
from penjing.errors import ChoiceError
from penjing.i18n import Names, number_text

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table

CHART_ENDINGS = (".svg", ".png", ".pdf")
"""Files of `why` that are charts."""


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for function in (check, show, draw, why, explain, trace):
        app.command(function.__name__)(function)


@command
@with_reading_options
def check(console: Console, *, reading: sources.ReadingOptions, data: Data) -> None:
    """Describe the columns, classes and problems of a table before fitting."""
    from penjing.data.profile import find_oddities  # noqa: PLC0415 - heavy
    from penjing.render import profile_text  # noqa: PLC0415

    table, profile = reading.read_profile(console, data)
    notes = [*table.notes, *find_oddities(table)]
    if console.as_json:
        console.print_json(
            profile | {"notes": [{"key": n.key, "values": dict(n.values)} for n in notes]}
        )
        return
    console.print_notes(table.notes)
    console.print(
        profile_text.write(
            profile, console.lang, ascii_only=console.ascii_only, width=console.width
        )
    )
    for note in notes[len(table.notes) :]:
        console.print(console.message("word_note") + console.note_text(note))


@command
def show(
    console: Console,
    *,
    model: Model,
    empty: Annotated[bool, option("empty", "--empty", panel=OUTPUT)] = False,
    order: Annotated[Order, option("order", panel=OUTPUT, metavar=choices(Order))] = Order.rows,
    node: Annotated[str, option("node_below", panel=OUTPUT, metavar="NODE")] = "root",
    exact: Annotated[bool, option("exact", "--exact", panel=OUTPUT)] = False,
    surrogates: Annotated[bool, option("surrogates", "--surrogates", panel=OUTPUT)] = False,
    writer: Annotated[str, option("as", "--as", panel=OUTPUT, metavar="FORMAT")] = "text",
) -> None:
    """Print a saved tree."""
    from penjing.text.node_path import find_node  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)
    if console.as_json:
        console.print_json(tree.to_json())
        return
    tree = tree.exact() if exact else tree
    if writer != "text":
        console.print(_render(console, tree, writer))
        return
    top, _ = find_node(tree, node)
    style: dict[str, Any] = {"empty": empty, "order": str(order), "surrogates": surrogates}
    style |= drawing_style(console)
    console.print(tree.draw(node=top, **style))
    print_size(console, tree, empty=empty)


def _render(console: Console, tree: Tree, writer: str) -> str:
    """Return the tree as written by a renderer, built-in or plug-in."""
    import inspect  # noqa: PLC0415 - only here

    from penjing.registry import load  # noqa: PLC0415

    write = load("renderer", writer)
    parameters = inspect.signature(write).parameters
    style = drawing_style(console)
    return str(write(tree, **{key: style[key] for key in style if key in parameters}))


@command
@with_reading_options
def draw(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    output: Annotated[
        str,
        option("output_picture", "--output", "-o", panel=OUTPUT, metavar="FILE"),
    ],
    theme: Annotated[
        str | None,
        option(
            "theme_picture",
            panel=OUTPUT,
            metavar="auto|light|dark|print",
            default="default_picture_theme",
        ),
    ] = None,
    title: Annotated[
        str | None, option("title", panel=OUTPUT, metavar="TEXT", default="default_title")
    ] = None,
    max_leaves: Annotated[
        int | None,
        option(
            "drawn_leaves", panel=OUTPUT, metavar="INT", min=1, default="default_picture_leaves"
        ),
    ] = None,
    icicle: Annotated[bool, option("icicle", "--icicle", panel=OUTPUT)] = False,
    show: Annotated[
        Show | None,
        option("show", "--show", panel=OUTPUT, metavar=choices(Show), default="default_show"),
    ] = None,
    layout: Annotated[
        Layout | None,
        option(
            "layout", "--layout", panel=OUTPUT, metavar=choices(Layout), default="default_layout"
        ),
    ] = None,
    align_leaves: Annotated[bool, option("align_leaves", "--align-leaves", panel=OUTPUT)] = False,
    test: Annotated[str | None, option("test_drawn", "--test", panel=INPUT, metavar="FILE")] = None,
    plane: Annotated[str | None, option("plane", panel=OUTPUT, metavar="X,Y")] = None,
    points: Annotated[str | None, option("points", panel=INPUT, metavar="FILE")] = None,
) -> None:
    """Save a picture of a tree; the extension of the file selects the format."""
    from penjing.data.notes import collect_notes  # noqa: PLC0415 - heavy
    from penjing.render.save import save_picture, unsupported_options  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)
    if points is not None and plane is None:
        raise ChoiceError("points_without_plane")
    style: dict[str, Any] = {"title": title}
    chosen: dict[str, Any] = {
        "theme": theme,  # each format has defaults of its own
        "max_leaves": max_leaves,
        "show": show and str(show),
        "layout": layout and str(layout),
        "align_leaves": align_leaves or None,
        "test": test,
    }
    chosen = {key: value for key, value in chosen.items() if value is not None}
    if plane is not None:
        charts = ChartOptions(output, theme or "light", title)
        _draw_plane(console, tree, (plane, points), charts, reading)
        ignored = [key for key in chosen if key != "theme"] + ["icicle"] * icicle
        _note_ignored(console, ignored, output)
        return
    ignored = unsupported_options(output, chosen, icicle=icicle)
    if test is not None and "test" not in ignored:
        rows = reading.read_rows_for(console, tree, test)
        sources.warn_if_not_held_out(console, reading, {model: tree}, test, rows)
        chosen["test"] = rows
    if output.endswith(".html") and tree.kept_trace is None:
        tree = _with_trace(console, tree, model)
    style |= {key: value for key, value in chosen.items() if key not in ignored}
    with collect_notes() as notes:
        save_picture(tree, output, lang=console.lang, icicle=icicle, **style)
    console.print_notes(notes)
    _note_ignored(console, ignored, output)
    console.print_note("saved", path=output)


def _note_ignored(console: Console, ignored: Sequence[str], output: str) -> None:
    """Note which options have no effect on a picture."""
    if ignored:
        names = Names([f"--{key.replace('_', '-')}" for key in ignored])
        console.print_note("draw_ignored", names=names, path=output, n=len(ignored))


def _draw_plane(
    console: Console,
    tree: Tree,
    asked: tuple[str, str | None],
    charts: ChartOptions,
    reading: sources.ReadingOptions,
) -> None:
    """Save the regions of a tree over two columns, with the rows of a file as points."""
    charts.check()
    plane, points = asked
    names = next(csv.reader([plane], skipinitialspace=True), [])
    if len(names) != 2:
        raise ChoiceError("bad_plane", value=plane)
    x, y = (name.strip() for name in names)
    rows = None
    if points is not None:
        rows = reading.read_rows_for(console, tree, points)
    charts.save(console, partial(tree.plane, x, y, rows))


def _with_trace(console: Console, tree: Tree, model: str) -> Tree:
    """Return the tree with the first steps of its trace, if its training file is there."""
    from penjing.explain.node import with_trace  # noqa: PLC0415 - heavy
    from penjing.render.html import MAX_STEPS  # noqa: PLC0415 - heavy

    rows = _training_rows(console, tree, model, None, sources.ReadingOptions())
    if rows is None:
        return tree
    return type(tree).from_data(with_trace(tree, rows, MAX_STEPS))


def drawing_style(console: Console) -> dict[str, Any]:
    """Return the options of a console that texts of trees take."""
    return {"ascii_only": console.ascii_only, "lang": console.lang, "width": console.width}


def print_size(console: Console, tree: Tree, *, empty: bool = False) -> None:
    """Print the lines below a drawn tree: its size, ties and empty branches."""
    from penjing.render import summary  # noqa: PLC0415 - heavy

    console.print(summary.size_line(tree, console.lang))
    if ties := summary.ties_line(tree, console.lang, ascii_only=console.ascii_only):
        console.print(ties)
    for line in summary.steering_lines(tree, console.lang, ascii_only=console.ascii_only):
        console.print(line)
    if tree.has_counts and tree.n_empty and not empty:
        console.print_note("note_empty_branches", n=tree.n_empty)


@command
@with_reading_options
@with_chart_style
def why(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    charts: ChartOptions,
    model: Model,
    node: Annotated[str, argument("node", "NODE")] = "root",
    every: Annotated[bool, option("all", "--all", panel=OUTPUT)] = False,
    cuts: Annotated[str | None, option("cuts", panel=OUTPUT, metavar="COLUMN")] = None,
    data: Annotated[
        str | None,
        option("train", "--train", "--data", panel=INPUT, metavar="FILE", default="default_train"),
    ] = None,
    text_format: Format = None,
    output: Output = None,
) -> None:
    """Explain why a node splits as it does, with the formulas of the candidates."""
    from penjing.explain.node_explanation import NodeExplanation  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)

    @cache
    def read_training_rows() -> Table | None:
        return _training_rows(console, tree, model, data, reading)

    charts.check()
    if output is not None and text_format is None and output.lower().endswith(CHART_ENDINGS):
        with _training_file_noted(console, tree):
            explanation = _explain_node(tree, node, read_training_rows, has_data=data is not None)
        rows = read_training_rows() if _hides_cuts(explanation, cuts) else None
        result = NodeExplanation(explanation, tree, rows)
        replace(charts, output=output).save(console, partial(result.chart, cuts))
        return
    kind = _format_of(console, "why", text_format, output, CHART_ENDINGS)
    if cuts is not None and (kind != "text" or output is not None):
        raise ChoiceError("cuts_are_text")
    with _training_file_noted(console, tree):
        explanation = _explain_node(tree, node, read_training_rows, has_data=data is not None)
    if cuts is not None:
        rows = read_training_rows() if _hides_cuts(explanation, cuts) else None
        _print_cuts(console, NodeExplanation(explanation, tree, rows).cuts(cuts))
    elif console.as_json:
        _print_or_save_json(console, explanation, output)
    elif kind != "text":
        result = NodeExplanation(explanation, tree)
        write = {"md": result.to_markdown, "tex": result.to_latex, "html": result.to_html}[kind]
        _print_or_save(console, write(console.lang, all_candidates=every), output)
    else:
        text = NodeExplanation(explanation, tree).text(
            console.lang,
            all_candidates=every,
            ascii_only=console.ascii_only,
            width=console.width,
        )
        emphasized = console.emphasize(text, f" {console.message('why_chosen')}")
        _print_or_save(console, text if output is not None else emphasized, output)
        if explanation["candidates"] and not every:
            console.print_hint("why_hint")


def _format_of(
    console: Console,
    command: str,
    text_format: str | None,
    output: str | None,
    charted: Sequence[str] = (),
) -> str:
    """Return the format that is asked for, by default that of the file's extension."""
    from penjing.formatting.document_formats import format_of_file  # noqa: PLC0415 - heavy

    if console.as_json:
        sources.check_extension(f"{command} --json", output, ".json")
        return "text"
    if text_format is not None:
        return str(text_format)
    sources.check_extension(command, output, ".txt", ".md", ".tex", ".html", ".htm", *charted)
    return (format_of_file(output) if output is not None else None) or "text"


def _print_or_save(console: Console, text: str, output: str | None) -> None:
    """Write a text to a file, if there is one, else to stdout."""
    text = text.removesuffix("\n")
    if not sources.save_output(console, output, (text + "\n").encode):
        console.print(text)


def _print_or_save_json(console: Console, data: object, output: str | None) -> None:
    """Write a result as JSON to a file, if there is one, else to stdout."""
    if not sources.save_output(console, output, f"{json_text(data)}\n".encode):
        console.print_json(data)


def _training_rows(
    console: Console, tree: Tree, model: str, path: str | None, reading: sources.ReadingOptions
) -> Table | None:
    """Return the training rows; note if a given file has other rows.

    The file that the model names is not used if some of its rows did not grow the tree.
    """
    from penjing.explain.node import has_training_counts  # noqa: PLC0415 - heavy

    rows = sources.find_training_rows(console, tree, model, path, reading)
    if rows is None or rows.target is None:
        return rows
    is_same = has_training_counts(tree, rows)
    if path is None:
        return rows if is_same else None
    if not is_same:
        grown, given = tree.weight_of(0), rows.total_weight
        key = "note_other_classes" if math.isclose(grown, given) else "note_other_rows"
        console.print_note(key, source=path, n=number_text(given), grown=number_text(grown))
    elif sources.is_other_file(tree, path):
        console.print_note("note_other_file", source=path)
    return rows


@contextmanager
def _training_file_noted(console: Console, tree: Tree) -> Iterator[None]:
    """Where training rows are missing, note why those that the model names cannot be used."""
    try:
        yield
    except ChoiceError as error:
        source = tree.about.get("source")
        path = source.get("path") if isinstance(source, Mapping) else None
        if error.key in ("no_trace", "no_trace_here") and isinstance(path, str):
            is_checked = "sha256" in tree.about["source"]
            key = "note_training_file" if is_checked else "note_training_rows_unchecked"
            console.print_note(key, source=path)
        raise


def _explain_node(
    tree: Tree, node: str, read_training_rows: Callable[[], Table | None], *, has_data: bool
) -> dict[str, Any]:
    """Return the explanation of a node's split; reads the training rows only if needed."""
    from penjing.explain.node import about_empty, explain, step_of  # noqa: PLC0415 - heavy
    from penjing.text.node_path import find_node  # noqa: PLC0415

    at, empty_branch = find_node(tree, node)
    if empty_branch is not None:
        return about_empty(tree, at, empty_branch)
    is_traced = (
        tree.kept_trace is not None and step_of(tree.kept_trace.get("steps"), at) is not None
    )
    return explain(tree, at, None if is_traced and not has_data else read_training_rows())


def _hides_cuts(explanation: dict[str, Any], column: str | None) -> bool:
    """Return whether only the training rows have all thresholds of a column."""
    from penjing.explain.node import has_hidden_cuts  # noqa: PLC0415 - heavy

    return column is not None and has_hidden_cuts(explanation, column)


def _print_cuts(console: Console, candidate: dict[str, Any]) -> None:
    from penjing.explain import node_text as writer  # noqa: PLC0415

    if console.as_json:
        console.print_json(candidate)
    else:
        console.print(
            writer.threshold_table(candidate, console.lang, ascii_only=console.ascii_only)
        )


@command
@with_reading_options
def explain(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    row: Annotated[
        str | None,
        option("row", panel=INPUT, metavar="ROW", default="default_row"),
    ] = None,
    data: Annotated[str | None, option("row_data", panel=INPUT, metavar="FILE")] = None,
) -> None:
    """Explain the prediction for one row, and which changes would alter it."""
    from penjing.explain.row import explain_row  # noqa: PLC0415 - heavy

    tree = sources.load_model(model)
    given = sources.parse_row(console, tree, row, data, reading)
    explanation = explain_row(tree, given)
    number, ids = (given.row_number(0), given.row_ids) if data is not None else (None, None)
    if console.as_json:
        named = {} if ids is None else {"id": ids.of(0), "row_id": ids.name}
        position = {} if number is None else {"row_number": number}
        console.print_json(explanation.to_json() | position | named)
    else:
        if ids is not None and number is not None:
            where = console.message("rows_named", n=1, rows=number)
            console.print(
                console.message("explain_which_row", row=where, column=ids.name, id=ids.of(0))
            )
        console.print(explanation.text(console.lang, ascii_only=console.ascii_only))


@command
@with_reading_options
def trace(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    steps: Annotated[int, option("steps", panel=OUTPUT, metavar="INT", min=0)] = 200,
    train: Train = None,
    formulas: Annotated[
        bool | None,
        option("formulas", "--formulas/--no-formulas", panel=OUTPUT, default="default_formulas"),
    ] = None,
    text_format: Format = None,
    output: Output = None,
) -> None:
    """Print step by step how a tree was grown and pruned."""
    from penjing.explain import trace_text as writer  # noqa: PLC0415 - heavy
    from penjing.explain.node import number_of_steps, story, with_class_names  # noqa: PLC0415

    tree = sources.load_model(model)
    limit = steps or None
    kind = _format_of(console, "trace", text_format, output)
    rows = _training_rows(console, tree, model, train, reading)
    records = [r for r in tree.about.get("pruning", ()) if r.get("decisions")]
    if records and tree.kept_trace is None and rows is None:
        console.print_note("no_trace")
        events: list[dict[str, Any]] = []
    else:
        with _training_file_noted(console, tree):
            events = story(tree, rows, limit)
    if console.as_json:
        all_steps = [*events, *itertools.islice(_pruning_steps(records), limit)]
        _print_or_save_json(console, all_steps, output)
        return
    n_steps = number_of_steps(tree, rows) if events else 0
    options: dict[str, Any] = {"n_steps": n_steps, "limit": limit, "for_command": True}
    if kind == "text":
        style = {"ascii_only": console.ascii_only, "formulas": bool(formulas)}
        text = writer.write_all(tree, events, console.lang, **options, **style)
    else:
        from penjing.explain.trace_document import trace_document  # noqa: PLC0415
        from penjing.formatting.document_formats import write_document  # noqa: PLC0415

        events = [with_class_names(tree, event) for event in events]
        options["formulas"] = formulas is None or formulas
        text = write_document(trace_document(tree, events, console.lang, **options), kind)
    if text:
        _print_or_save(console, text, output)


def _pruning_steps(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for record in records:
        for decision in record["decisions"]:
            yield {"kind": "prune", "method": record["method"], **decision}
