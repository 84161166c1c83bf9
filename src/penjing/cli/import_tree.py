"""The command that reads trees written by hand: import."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import with_reading_options
from penjing.cli.parameters import GROWING, INPUT, ModelOutput, argument, option
from penjing.cli.show import drawing_style, print_size
from penjing.errors import ChoiceError, DataError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("import")(import_tree)


@command
@with_reading_options
def import_tree(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    source: Annotated[str, argument("tree_file", "TREE")],
    data: Annotated[
        str | None, option("counted_data", "--data", panel=INPUT, metavar="FILE")
    ] = None,
    missing: Annotated[
        str | None,
        option("counted_missing", "--missing", panel=GROWING, metavar="stop|fraction"),
    ] = None,
    output: ModelOutput = None,
) -> None:
    """Read a tree written by hand, and save it as a model."""
    from penjing.data.notes import collect_notes  # noqa: PLC0415 - heavy

    if missing is not None and data is None:
        raise ChoiceError("missing_needs_data")
    rows_file = None if data is None else sources.SourceFile(data)
    tree = None if source == sources.STANDARD_STREAM else _find_model(source)
    table = None
    if data is not None and (tree is None or not tree.has_counts):
        named = reading if tree is None else replace(reading, target=_target_name(tree, reading))
        table = named.read_table(console, data, rows_file)
        console.print_notes(table.notes)
    if tree is None:
        with collect_notes() as notes:
            tree = _read_tree(source, table, reading)
        console.print_notes(notes)
    if data is not None:
        tree = _count_rows(console, tree, (data, rows_file, table), missing, reading)
    sources.save_model(console, tree, output)
    if output == sources.STANDARD_STREAM:  # stdout holds the model
        return
    if console.as_json:
        console.print_json(tree.to_json())
        return
    console.print(tree.draw(**drawing_style(console)))
    print_size(console, tree)


def _target_name(tree: Tree, reading: sources.ReadingOptions) -> str | None:
    """Return the column that has the target of a model, which a schema may name, too."""
    is_named = reading.target is not None or "target" in reading.column_schema().values()
    return reading.target if is_named else tree.target.name


def _read_tree(path: str, table: Table | None, reading: sources.ReadingOptions) -> Tree:
    """Return the tree of a file written by hand."""
    from penjing.api.tree import Tree  # noqa: PLC0415 - heavy
    from penjing.data.read.files import read_file, read_stdin  # noqa: PLC0415
    from penjing.tree.from_file import tree_of_file  # noqa: PLC0415

    is_stream = path == sources.STANDARD_STREAM
    content = read_stdin() if is_stream else read_file(path)
    name = "standard input" if is_stream else path
    target, schema = reading.target, dict(reading.column_schema())
    if table is not None and table.target is not None:
        ordered = [column.field for column in table.columns if column.kind == "ordered"]
        target = table.target.name
        schema = {field.name: field for field in (*ordered, table.target.field)} | {
            name: spec for name, spec in schema.items() if spec not in ("ignore", "target")
        }
    chosen = target or next((name for name, kind in schema.items() if kind == "target"), "class")
    schema = {name: kind for name, kind in schema.items() if kind != "target"}
    encoding = reading.encoding if table is None else None  # that of the table
    return Tree.from_data(tree_of_file(content, name, chosen, schema, encoding))


def _find_model(path: str) -> Tree | None:
    """Return the model of a file, None if it is none; a model that is damaged is an error."""
    from penjing.tree.serialize import load  # noqa: PLC0415 - heavy

    try:
        load(path)
    except DataError as error:
        if error.key in ("model_broken", "model_newer", "model_too_large"):
            raise
        return None
    return sources.load_model(path)


def _count_rows(
    console: Console,
    tree: Tree,
    data: tuple[str, sources.SourceFile | None, Table | None],
    missing: str | None,
    reading: sources.ReadingOptions,
) -> Tree:
    """Return the tree with the counts of the rows of a file.

    A model that has counts knows its columns and how its table was read. To any other tree the
    table tells both.
    """
    from penjing.data.notes import collect_notes  # noqa: PLC0415 - heavy
    from penjing.training.count_rows import with_counts  # noqa: PLC0415 - heavy

    path, rows_file, table = data
    if table is None:
        rows = reading.read_rows_for(console, tree, path, rows_file)
        tree = replace(tree, reading=reading.layout_for(tree).reading.to_json() or None)
    else:
        tree = replace(tree, reading=table.source.get("reading"))
        rows_only = replace(reading, schema=None, ignore=None, keep=None, dates=None)
        rows = rows_only.read_rows_for(replace(console, is_quiet=True), tree, path, rows_file)
    policy: Any = missing
    with collect_notes() as notes:
        others = () if table is None else table.schema
        counted = type(tree).from_data(with_counts(tree, rows, policy, others))
    console.print_notes(notes)
    source = dict(counted.about["source"])
    if path != sources.STANDARD_STREAM:
        source["path"] = path
    if reading.weight is not None:
        source["weight"] = reading.weight
    return replace(counted, about={**counted.about, "source": source})
