"""The command `export`: a tree as a program for other software."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console, print_bytes
from penjing.cli.parameters import FORMAT, Model, Output, option
from penjing.errors import ChoiceError
from penjing.i18n import Names

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
        option("to", "--to", panel=FORMAT, metavar="FORMAT"),
    ],
    output: Output = None,
    dialect: Annotated[
        str | None, option("export_dialect", panel=FORMAT, metavar="NAME", default="duckdb")
    ] = None,
    table: Annotated[
        str | None, option("export_table", panel=FORMAT, metavar="NAME", default="rows")
    ] = None,
    proba: Annotated[bool, option("export_proba", "--proba", panel=FORMAT)] = False,
    clean: Annotated[bool, option("export_clean", "--clean", panel=FORMAT)] = False,
    name: Annotated[
        str | None, option("export_name", panel=FORMAT, metavar="NAME", default="PenjingTree")
    ] = None,
    cell: Annotated[
        list[str] | None, option("export_cell", panel=FORMAT, metavar="COLUMN=CELL")
    ] = None,
    missing: Annotated[
        str | None, option("export_missing", panel=FORMAT, metavar="NAME", default="default_model")
    ] = None,
    unseen: Annotated[
        str | None, option("unseen", panel=FORMAT, metavar="NAME", default="default_model")
    ] = None,
) -> None:
    """Convert a tree to a program or document that gives the same predictions."""
    tree = sources.load_model(model)
    options: dict[str, Any] = {
        "dialect": dialect,
        "table": table,
        "proba": proba or None,
        "clean": clean or None,
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
    console.print_note("export_cells", cells=Names(f"{c} {tree.schema[i].name}" for i, c in places))
