"""The command that makes worksheets."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import with_reading_options
from penjing.cli.parameters import GROWING, OUTPUT, argument, choices, option
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.render.worksheets.sheet_and_solution import Worksheet


class Blanks(StrEnum):
    """How much is left blank."""

    choice = "choice"
    measures = "measures"
    all = "all"


class SheetFormat(StrEnum):
    """The formats of a worksheet on stdout."""

    md = "md"
    tex = "tex"
    html = "html"


def add_to(app: typer.Typer) -> None:
    """Register this command."""
    app.command("worksheet")(worksheet)


@command
@with_reading_options
def worksheet(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    data: Annotated[str | None, argument("sheet_data", "DATA")] = None,
    recipe: Annotated[
        str, option("sheet_recipe", "--recipe", "-r", panel=GROWING, metavar="NAME")
    ] = "id3",
    depth: Annotated[
        int | None,
        option("sheet_depth", panel=GROWING, metavar="INT", min=1, default="default_depth"),
    ] = None,
    seed: Annotated[int | None, option("sheet_seed", panel=GROWING, metavar="INT", min=0)] = None,
    rows: Annotated[
        int | None,
        option("sheet_rows", panel=GROWING, metavar="INT", min=4, default="default_rows"),
    ] = None,
    blanks: Annotated[
        Blanks, option("blanks", panel=OUTPUT, metavar=choices(Blanks))
    ] = Blanks.measures,
    text_format: Annotated[
        SheetFormat,
        option("sheet_format", "--format", panel=OUTPUT, metavar=choices(SheetFormat)),
    ] = SheetFormat.md,
    output: Annotated[
        str | None,
        option(
            "sheet_output", "--output", "-o", panel=OUTPUT, metavar="FILE", default="default_stdout"
        ),
    ] = None,
    solution: Annotated[
        str | None,
        option("sheet_solution", panel=OUTPUT, metavar="FILE", default="default_solution"),
    ] = None,
    save_table: Annotated[str | None, option("save_table", panel=OUTPUT, metavar="FILE")] = None,
) -> None:
    """Make a worksheet with blanks to fill in, and its solution."""
    from penjing.api.worksheet import worksheet as make_worksheet  # noqa: PLC0415 - heavy
    from penjing.text.phrases import join_names  # noqa: PLC0415

    files = _files(data, output, solution, save_table)
    table = None if data is None else reading.read_table(console, data)
    if table is not None:
        console.print_notes(table.notes)
    sheet = make_worksheet(
        table,
        recipe=recipe,
        seed=seed,
        depth=depth,
        rows=rows,
        blanks=str(blanks),  # type: ignore[arg-type]
        lang=console.lang,
        quiet=True,
    )
    for node, columns in sheet.ties:
        console.print_note("note_worksheet_tie", n=node, columns=join_names(columns, console.lang))
    texts = {
        path: sheet.to_csv()
        if part == "table"
        else sheet.text_for(path, solution=part == "solution")
        for part, path in files.items()
    }
    for path, text in texts.items():
        sources.save_output(console, path, text.encode)
    if console.as_json:
        console.print_json(sheet.to_dict())
    elif "sheet" not in files:
        console.print(_text(sheet, text_format).removesuffix("\n"))
        if "solution" not in files:
            console.print_note("note_worksheet_no_solution")


def _text(sheet: Worksheet, text_format: str) -> str:
    write = {"md": sheet.to_markdown, "tex": sheet.to_latex, "html": sheet.to_html}
    return write[str(text_format)]()


def _files(
    data: str | None, output: str | None, solution: str | None, save_table: str | None
) -> dict[str, str]:
    """Return the files to be written, none of which is another one or the input."""
    from penjing import arguments  # noqa: PLC0415 - heavy
    from penjing.render.worksheets.sheet_and_solution import solution_path  # noqa: PLC0415

    for path in (output, solution, save_table):
        if path is not None:
            arguments.path("output", path)
    files: dict[str, str] = {}
    if output is not None and output != sources.STANDARD_STREAM:
        files["sheet"] = output
        files["solution"] = solution_path(output)
    if solution is not None:
        files["solution"] = solution
    if save_table is not None:
        files["table"] = save_table
    taken = {} if data is None else {os.path.realpath(data): data}
    for path in files.values():
        if os.path.realpath(path) in taken:
            is_input = data is not None and os.path.realpath(path) == os.path.realpath(data)
            raise ChoiceError("output_is_input" if is_input else "worksheet_one_file", path=path)
        taken[os.path.realpath(path)] = path
    return files
