"""The verb that turns a tree into a program: export."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import verb
from penjing.cli.console import Voice, put_bytes
from penjing.cli.parameters import Model, Output
from penjing.errors import ChoiceError


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    app.command("export")(export)


@verb
def export(
    voice: Voice,
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
    tree = sources.model(model)
    given: dict[str, Any] = {
        "dialect": dialect,
        "table": table,
        "proba": proba or None,
        "name": name,
        "cells": dict(_cell(word) for word in cell) if cell else None,
        "missing": missing,
        "unseen": unseen,
    }
    found: Any = tree.export(kind, **{key: v for key, v in given.items() if v is not None})
    if kind == "excel" and not cell:
        _say_cells(voice, tree)
    if kind == "dict":
        from penjing.export.nested_text import nested_dict_text  # noqa: PLC0415 - only here

        found = nested_dict_text(found)
    _put(voice, kind, found, output)


def _put(voice: Voice, kind: str, found: str | bytes, output: str | None) -> None:
    if output not in (None, sources.STDIN):
        from penjing.tree.serialize import write_atomically  # noqa: PLC0415 - heavy

        assert output is not None
        data = found if isinstance(found, bytes) else found.rstrip("\n").encode("utf-8") + b"\n"
        write_atomically(output, data)
        voice.note("saved", path=output)
    elif isinstance(found, bytes):
        if output is None and sys.stdout.isatty():
            raise ChoiceError("export_bytes", kind=kind)
        put_bytes(found)
    elif voice.as_json:
        voice.data({"kind": kind, "text": found})
    else:
        put_bytes(found.rstrip("\n").encode("utf-8") + b"\n")


def _cell(word: str) -> tuple[str, str]:
    column, _, place = word.rpartition("=")
    return column, place


def _say_cells(voice: Voice, tree: Any) -> None:  # noqa: ANN401 - a Tree
    from penjing.export.excel import column_cells  # noqa: PLC0415 - heavy

    places = column_cells(tree).items()
    voice.note("export_cells", cells=", ".join(f"{c} {tree.schema[i].name}" for i, c in places))
