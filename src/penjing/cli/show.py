"""Verbs that look: check a table, show a tree, why it asks what it asks, how it grew."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.parameters import Data, Model, Order, Train
from penjing.cli.reading_options import takes_reading

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (check, show, draw, why, explain, trace):
        app.command(command.__name__)(command)


@verb
@takes_reading
def check(voice: Voice, *, reading: sources.Reading, data: Data) -> None:
    """Look at a table before fitting: columns, classes, and what is odd about the rows."""
    from penjing.data.profile import find_oddities  # noqa: PLC0415 - heavy
    from penjing.render import profile_text  # noqa: PLC0415

    table, told = reading.overview(voice, data)
    notes = [*table.notes, *find_oddities(table)]
    if voice.as_json:
        voice.data(told | {"notes": [{"key": n.key, "values": dict(n.values)} for n in notes]})
        return
    voice.notes(table.notes)
    voice.out(profile_text.write(told, voice.lang, ascii_only=voice.ascii_only, width=voice.width))
    for note in notes[len(table.notes) :]:
        voice.out(voice.say("word_note") + voice.told(note))


@verb
def show(
    voice: Voice,
    *,
    model: Model,
    empty: Annotated[
        bool, typer.Option("--empty", help="Draw branches that no training row took.")
    ] = False,
    order: Annotated[Order, typer.Option(help="Order of nominal branches.")] = Order.rows,
    node: Annotated[
        str, typer.Option(help="Draw only what is below a node: its number or path.")
    ] = "root",
    exact: Annotated[
        bool, typer.Option("--exact", help="Print cuts with every digit that they have.")
    ] = False,
    surrogates: Annotated[
        bool, typer.Option("--surrogates", help="Say where rows go whose value is missing.")
    ] = False,
    writer: Annotated[
        str, typer.Option("--as", help="Another form; see the writers of `penjing plugins`.")
    ] = "text",
) -> None:
    """Draw a saved tree."""
    from penjing.text.node_path import find_node  # noqa: PLC0415 - heavy

    tree = sources.model(model)
    if voice.as_json:
        voice.data(tree.to_json())
        return
    tree = tree.exact() if exact else tree
    if writer != "text":
        voice.out(_written(voice, tree, writer))
        return
    top, _ = find_node(tree, node)
    style: dict[str, Any] = {"empty": empty, "order": str(order), "surrogates": surrogates}
    voice.out(tree.draw(node=top, ascii_only=voice.ascii_only, **style))
    size_of(voice, tree, empty=empty)


def _written(voice: Voice, tree: Tree, writer: str) -> str:
    """Return a tree in the form of any writer that is plugged in."""
    import inspect  # noqa: PLC0415 - only here

    from penjing.registry import load  # noqa: PLC0415

    write = load("renderer", writer)
    wants = inspect.signature(write).parameters
    style = {"lang": voice.lang, "ascii_only": voice.ascii_only}
    return str(write(tree, **{key: style[key] for key in style if key in wants}))


@verb
def draw(
    voice: Voice,
    *,
    model: Model,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where: .svg, .html, .png, .pdf, .txt, .md, .dot.",
        ),
    ],
    theme: Annotated[str, typer.Option(help="light, dark or print.")] = "light",
    title: Annotated[str | None, typer.Option(help="The heading; else the target.")] = None,
    max_leaves: Annotated[
        int, typer.Option(help="How many leaves to draw before subtrees are folded.", min=1)
    ] = 64,
    icicle: Annotated[
        bool, typer.Option("--icicle", help="Every node a rectangle; for thousands of leaves.")
    ] = False,
) -> None:
    """Save a picture of a tree; the ending of the file says which kind."""
    from penjing.render.save import save_picture  # noqa: PLC0415 - heavy

    tree = sources.model(model)
    style = {"theme": theme, "title": title, "max_leaves": max_leaves, "icicle": icicle}
    save_picture(tree, output, lang=voice.lang, **style)
    voice.note("saved", path=output)


def size_of(voice: Voice, tree: Tree, *, empty: bool = False) -> None:
    """Print what stands below a drawn tree."""
    from penjing.render import summary  # noqa: PLC0415 - heavy

    voice.out(summary.size_line(tree, voice.lang))
    if ties := summary.ties_line(tree, voice.lang, ascii_only=voice.ascii_only):
        voice.out(ties)
    if tree.has_counts and tree.n_empty and not empty:
        voice.note("note_empty_branches", n=tree.n_empty)


@verb
@takes_reading
def why(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    node: Annotated[
        str, typer.Argument(help="A node: its number, or a path such as 'texture=clear'.")
    ] = "root",
    every: Annotated[
        bool, typer.Option("--all", help="Fill in the formulas of every column.")
    ] = False,
    cuts: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="List all cuts of a numeric column.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--train", "--data", metavar="FILE", help="Training rows, to weigh the columns anew."
        ),
    ] = None,
) -> None:
    """Say why a node asks what it asks: every candidate, with the formula filled in."""
    from penjing.render import node_text as writer  # noqa: PLC0415
    from penjing.render import pruning_text  # noqa: PLC0415 - heavy

    tree = sources.model(model)

    def taught() -> Table | None:
        return _taught(voice, tree, model, data, reading)

    told = _explained(tree, node, taught, has_data=data is not None)
    if cuts is not None:
        _cuts(voice, told, cuts)
    elif voice.as_json:
        voice.data(told)
    else:
        text = writer.write(
            told, voice.lang, all_candidates=every, ascii_only=voice.ascii_only, width=voice.width
        )
        voice.out(voice.strong(text, f" {voice.say('why_chosen')}"))
        for record in tree.about.get("pruning", ()):
            for decision in record.get("decisions", ()):
                if decision.get("now") == told["node"] and not decision.get("is_gone"):
                    decided = pruning_text.decision_text(
                        tree, record, decision, voice.lang, ascii_only=voice.ascii_only
                    )
                    voice.out(decided)
        if told["candidates"] and not every:
            voice.hint("why_hint")


def _taught(
    voice: Voice, tree: Tree, model: str, path: str | None, reading: sources.Reading
) -> Table | None:
    """Return the training rows; where others are given, say whose counts are told."""
    rows = sources.training(voice, tree, model, path, reading)
    if path is not None and rows is not None and tree.has_counts:
        grown, given = tree.weight_of(0), rows.total_weight
        if not math.isclose(grown, given):
            voice.note("note_other_rows", source=path, n=f"{given:g}", grown=f"{grown:g}")
    return rows


def _explained(
    tree: Tree, node: str, taught: Callable[[], Table | None], *, has_data: bool
) -> dict[str, Any]:
    """Return why a node asks what it asks; the training rows are read only if they are needed."""
    from penjing.explain.node import about_empty, explain  # noqa: PLC0415 - heavy
    from penjing.text.node_path import find_node  # noqa: PLC0415

    at, empty = find_node(tree, node)
    if empty is not None:
        return about_empty(tree, at, empty)
    is_kept = tree.kept_trace is not None and any(
        isinstance(step, dict) and step.get("node") == at
        for step in tree.kept_trace.get("steps", ())
    )
    return explain(tree, at, None if is_kept and not has_data else taught())


def _cuts(voice: Voice, told: dict[str, Any], column: str) -> None:
    from penjing.explain.node import cuts_of  # noqa: PLC0415 - heavy
    from penjing.render import node_text as writer  # noqa: PLC0415

    candidate = cuts_of(told, column)
    if voice.as_json:
        voice.data(candidate)
    else:
        voice.out(writer.threshold_table(candidate, voice.lang, ascii_only=voice.ascii_only))


@verb
@takes_reading
def explain(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    row: Annotated[
        str | None,
        typer.Option(
            metavar="ROW",
            help="The row: 'column=value, column=value', JSON, or its number in --data.",
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="A table; --row is the number of a row.")
    ] = None,
) -> None:
    """Say why a row is answered as it is, and what would flip the answer."""
    from penjing.explain.row import explain_row  # noqa: PLC0415 - heavy

    tree = sources.model(model)
    told = explain_row(tree, sources.one_row(voice, tree, row, data, reading))
    if voice.as_json:
        voice.data(told.to_json())
    else:
        voice.out(told.text(voice.lang, ascii_only=voice.ascii_only))


@verb
@takes_reading
def trace(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    steps: Annotated[int, typer.Option(help="How many steps to tell; 0 for all.")] = 200,
    train: Train = None,
) -> None:
    """Tell step by step how a tree grew: rows, stop conditions, candidates, choice."""
    from penjing.explain.node import story  # noqa: PLC0415 - heavy
    from penjing.render import pruning_text  # noqa: PLC0415
    from penjing.render import trace_text as writer  # noqa: PLC0415

    tree = sources.model(model)
    limit = steps or None
    rows = _taught(voice, tree, model, train, reading)
    records = [r for r in tree.about.get("pruning", ()) if r.get("decisions")]
    if records and tree.kept_trace is None and rows is None:
        voice.note("no_trace_pruned")
        told: list[dict[str, Any]] = []
    else:
        told = story(tree, rows, limit)
    if voice.as_json:
        voice.data([*told, *itertools.islice(_decided(records), limit)])
        return
    about = {
        "target": tree.target.name,
        "recipe": dict(tree.recipe),
        "rows": told[0]["rows"] if told and not tree.has_counts else tree.weight_of(0),
        "steps": tree.n_nodes if tree.kept_trace is None else len(tree.kept_trace["steps"]),
        "is_whole": tree.kept_trace is None or bool(tree.kept_trace.get("is_whole", True)),
    }
    if told:
        voice.out(writer.write(told, about, voice.lang, ascii_only=voice.ascii_only))
    for record in records:
        text = pruning_text.decision_list(
            tree, record, voice.lang, ascii_only=voice.ascii_only, limit=limit
        )
        voice.out(f"\n{text}" if told else text)


def _decided(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for record in records:
        for decision in record["decisions"]:
            yield {"kind": "prune", "method": record["method"], **decision}
