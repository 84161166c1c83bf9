"""The command `export`: a tree as a program for other software."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console, print_bytes
from penjing.cli.parameters import Model, Output
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.api.tree import Tree


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    app.command("export")(export)


@command
def export(
    console: Console,
    *,
    model: Model,
    kind: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="KIND",
            help="python, sql, c, javascript, java, pmml, onnx, excel, nested or dict.",
        ),
    ],
    output: Output = None,
    dialect: Annotated[
        str | None,
        typer.Option(help="Of sql: duckdb, postgres, sqlite, mysql, bigquery, snowflake or spark."),
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Of sql: the table.")] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Of sql: add the share of each class.")
    ] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of java: the class.")] = None,
    cell: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=CELL", help="Of excel: where a column stands."),
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="Missing values: stop or fraction; else as grown.")
    ] = None,
    unseen: Annotated[
        str | None, typer.Option(help="Levels that training never saw: stop, missing or error.")
    ] = None,
) -> None:
    """Turn a tree into a program or document that answers as it does."""
    tree = sources.load_model(model)
    options: dict[str, Any] = {
        "dialect": dialect,
        "table": table,
        "proba": proba or None,
        "name": name,
        "cells": dict(_parse_cell(word) for word in cell) if cell else None,
        "missing": missing,
        "unseen": unseen,
    }
    exported: Any = tree.export(kind, **{key: v for key, v in options.items() if v is not None})
    if kind == "excel" and not cell:
        _print_cell_addresses(console, tree)
    if kind == "dict":
        from penjing.export.nested_text import nested_dict_text  # noqa: PLC0415 - only here

        exported = nested_dict_text(exported)
    _write_export(console, kind, exported, output)


def _write_export(console: Console, kind: str, exported: str | bytes, output: str | None) -> None:
    data = (
        exported if isinstance(exported, bytes) else exported.rstrip("\n").encode("utf-8") + b"\n"
    )
    if sources.save_output(console, output, lambda: data):
        return
    if isinstance(exported, bytes) and output is None and sys.stdout.isatty():
        raise ChoiceError("export_bytes", kind=kind)
    if isinstance(exported, str) and console.as_json:
        console.print_json({"kind": kind, "text": exported})
    else:
        print_bytes(data)


def _parse_cell(word: str) -> tuple[str, str]:
    column, _, place = word.rpartition("=")
    return column, place


def _print_cell_addresses(console: Console, tree: Tree) -> None:
    from penjing.export.excel import column_cells  # noqa: PLC0415 - heavy

    places = column_cells(tree).items()
    console.print_note(
        "export_cells", cells=", ".join(f"{c} {tree.schema[i].name}" for i, c in places)
    )
