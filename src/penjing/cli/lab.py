"""The command that serves the lab: trees grown and pruned by hand in a browser."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import with_reading_options
from penjing.cli.parameters import INPUT, OUTPUT, Train, argument, option
from penjing.errors import CapabilityError, ChoiceError

if TYPE_CHECKING:
    from penjing.webapp.lab_state import Lab
    from penjing.webapp.table_source import TableSource

MAX_IDLE = 525_600
"""The longest time without a request, in minutes: a year."""


def add_to(app: typer.Typer) -> None:
    """Register this command."""
    app.command("lab")(lab)


@command
@with_reading_options
def lab(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    data: Annotated[str | None, argument("lab_data", "DATA|MODEL")] = None,
    replay: Annotated[str | None, option("lab_replay", panel=INPUT, metavar="FILE")] = None,
    train: Train = None,
    port: Annotated[
        int,
        option(
            "lab_port", panel=OUTPUT, metavar="INT", min=0, max=65535, default="default_free_port"
        ),
    ] = 0,
    no_open: Annotated[bool, option("lab_no_open", "--no-open", panel=OUTPUT)] = False,
    idle: Annotated[
        float, option("lab_idle", panel=OUTPUT, metavar="NUMBER", min=0, max=MAX_IDLE)
    ] = 60,
) -> None:
    """Grow, prune and explain trees by hand in a browser."""
    server_module = _server()
    from penjing.webapp.lab_state import Lab, Start  # noqa: PLC0415 - heavy

    state = Lab(idle * 60 if idle else None, Start(lang=console.lang))
    _open(console, state, data, reading, replay=replay, train=train)
    server = server_module.LabServer(state, port)

    def ready() -> None:
        address = server.address  # one line in both forms, so that programs can read it
        console.print(json.dumps({"address": address}) if console.as_json else address)
        sys.stdout.flush()
        console.print_note("note_lab_serving")
        if not no_open:
            webbrowser.open(server.address)

    with suppress(KeyboardInterrupt):
        server.run(ready)
    console.print_note("note_lab_stopped")
    if server.is_answering:
        # Reading a large file cannot be cancelled, and Python would wait for it; it writes nothing.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _server() -> Any:  # noqa: ANN401 - the module, if it can be imported
    try:
        from penjing.webapp import server  # noqa: PLC0415 - heavy, and an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise CapabilityError("lab_needs_extra") from None
    return server


def _open(
    console: Console,
    state: Lab,
    data: str | None,
    reading: sources.ReadingOptions,
    *,
    replay: str | None,
    train: str | None,
) -> None:
    """Open what the command line names; without anything the page shows its start screen."""
    from penjing.webapp.open_file import file_content, read_workbook_file  # noqa: PLC0415 - heavy

    if train is not None and (data is None or replay is not None):
        raise ChoiceError("lab_train_without_model")
    if replay is not None:
        _replay(state, read_workbook_file(replay), replay, data, reading)
        return
    if data is None:
        return
    content = file_content(data)
    if train is not None and content.kind != "model":
        raise ChoiceError("lab_train_without_model")
    if content.kind == "worksheet":
        from penjing.webapp.exercise import Exercise, worksheet_of_record  # noqa: PLC0415

        state.start.exercise = state.add_exercise(Exercise(worksheet_of_record(content.plain)))
    elif content.kind == "workbook":
        _replay(state, read_workbook_file(data), data, None, reading)
    elif content.kind == "model":
        _open_model(console, state, data, train, reading)
    else:
        source = _table_source(data, reading)
        state.start.table = state.add_table(source)
        console.print_notes(state.table(state.start.table).table.notes)


def _replay(
    state: Lab, plain: dict[str, Any], path: str, data: str | None, reading: sources.ReadingOptions
) -> None:
    from penjing.webapp.open_file import other_sources, source_of_workbook  # noqa: PLC0415 - heavy

    source = source_of_workbook(plain, path) if data is None else _table_source(data, reading)
    state.start.workbook = state.replay_record(plain, source, other_sources(plain, path))


def _open_model(
    console: Console, state: Lab, path: str, train: str | None, reading: sources.ReadingOptions
) -> None:
    from penjing.data.read.example_files import is_example  # noqa: PLC0415 - heavy
    from penjing.webapp.lab_workbook import Growing  # noqa: PLC0415
    from penjing.webapp.table_source import TableSource  # noqa: PLC0415

    tree = sources.load_model(path)
    rows = sources.find_training_rows(console, tree, path, train, reading)
    if rows is None:
        raise ChoiceError("lab_model_needs_rows", model=path)
    locator = train or sources.training_locator(tree, path)
    is_named = locator is not None and is_example(locator)
    name = str(locator if is_named else rows.source.get("name", train or "rows"))
    table = state.add_table(TableSource(name, locator, rows))
    growing = Growing(model=tree, model_name=path)
    whole = {"kind": "shares", "training": 1.0, "validation": 0.0, "test": 0.0, "seed": 0}
    state.start.workbook = state.open_workbook(table, growing, whole)


def _table_source(path: str, reading: sources.ReadingOptions) -> TableSource:
    """Return a file of the command line with its options, as the page may read it again."""
    from penjing.data.read.example_files import is_example  # noqa: PLC0415 - heavy
    from penjing.webapp.table_source import TableSource, example_source  # noqa: PLC0415

    options = {
        "target": reading.target,
        "schema": reading.column_schema() or None,
        "missing": list(reading.markers) if reading.markers else None,
        "encoding": reading.encoding,
        "names": reading.column_names(),
        "separator": reading.separator_character(),
        "weight": reading.weight,
        "keep": list(reading.keep) if reading.keep else None,
        "dates": reading.dates,
        "decimal": reading.decimal,
        "fold_case": reading.fold_case or None,
        "sheet": reading.sheet,
    }
    given = {key: value for key, value in options.items() if value is not None}
    if is_example(path):
        example = example_source(path.removeprefix("example:"))
        return replace(example, options={**example.options, **given})
    file = sources.SourceFile(path)
    name = file.name or Path(path).name
    return TableSource(
        name, None if path == sources.STANDARD_STREAM else path, file.source(), given
    )
