"""A workbook as a file: the data's fingerprint, the division, the recipe and the journal."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from penjing.data.read import read
from penjing.data.table import Table
from penjing.errors import DataError, PenjingError
from penjing.progress import ProgressCallback
from penjing.tree.tree_data import TreeData
from penjing.webapp.division import DividedRows, shares_of
from penjing.webapp.fingerprint import table_fingerprint
from penjing.webapp.lab_workbook import Growing, Workbook
from penjing.webapp.table_source import TableSource

Plain = dict[str, Any]

FORMAT = "penjing-workbook"
VERSION = 1
MAX_LOOKS = 2**31
"""The largest number of measured trees that a file may state."""
READING_OPTIONS = {*inspect.signature(read).parameters} - {
    "source", "labels", "like", "keeps_weight", "memory_limit", "name",
}  # fmt: skip
"""What a workbook file may say about how its table is read."""


def workbook_record(workbook: Workbook) -> Plain:
    """Return a workbook as plain data, from which `replay` makes it again."""
    from penjing import __version__  # noqa: PLC0415 - the package itself

    source, growing = workbook.source, workbook.growing
    # Other tabs may make steps meanwhile: what is named by later parts is in the history.
    finished, looked = workbook.finished, workbook.looked
    history = workbook.history.state()
    assert workbook.table.target is not None
    return {
        "format": FORMAT,
        "version": VERSION,
        "penjing": __version__,
        "data": {
            "name": source.name,
            "source": {
                key: workbook.table.source[key]
                for key in ("name", "sha256")
                if key in workbook.table.source
            }
            | {"locator": source.locator},
            "rows": workbook.table.n_rows,
            "fingerprint": workbook.fingerprint,
            "target": workbook.table.target.name,
            "reading": {**source.options, "target": workbook.table.target.name},
        },
        "division": dict(workbook.division),
        "recipe": growing.recipe,
        "settings": dict(growing.settings),
        "forbid": list(growing.forbid),
        "model": None if growing.model is None else growing.model.to_json(),
        "steps": [
            {key: entry.to_json()[key] for key in ("tree", "parent", "step")}
            for entry in history.entries
        ],
        "current": history.current,
        "validation_looks": len(looked) + workbook.earlier_looks,
        "looked": sorted(looked),
        "finished": None if finished is None else finished.tree,
    }


def workbook_text(workbook: Workbook) -> str:
    """Return a workbook as JSON."""
    record = workbook_record(workbook)
    return json.dumps(record, ensure_ascii=False, indent=1, default=str) + "\n"


def parse_workbook(text: str | bytes, name: str) -> Plain:
    """Return the plain data of a workbook file.

    Parameters
    ----------
    text : str or bytes
        The content of the file.
    name : str
        Its name, for messages.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("lab_not_workbook", source=name) from None
    return checked_workbook(plain, name)


def checked_workbook(plain: object, name: str | None = None) -> Plain:
    """Return the plain data of a workbook after checking its form; name its file if it has one."""
    if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
        raise _workbook_error("not_workbook", name)
    if plain.get("version") != VERSION:
        raise _workbook_error("workbook_version", name, version=plain.get("version"))
    for key, kind in _KINDS.items():
        if not isinstance(plain.get(key), kind):
            raise broken_workbook_error(name, key)
    steps, looked = plain["steps"], plain.get("looked", [])
    if not steps or not all(_is_step(entry) for entry in steps):
        raise broken_workbook_error(name, "steps")
    if not isinstance(plain.get("finished"), str | None):
        raise broken_workbook_error(name, "finished")
    if not isinstance(looked, list) or not all(isinstance(tree, str) for tree in looked):
        raise broken_workbook_error(name, "looked")
    if not len(set(looked)) <= plain["validation_looks"] <= MAX_LOOKS:
        raise broken_workbook_error(name, "validation_looks")
    reading = plain["data"].get("reading")
    if not isinstance(reading, Mapping) or not isinstance(plain["data"].get("fingerprint"), str):
        raise broken_workbook_error(name, "data")
    return dict(plain)


def broken_workbook_error(name: str | None, key: str) -> DataError:
    """Return the error for a workbook with a part that is missing or of the wrong type."""
    return _workbook_error("workbook_broken", name, key=key)


def _workbook_error(error: str, name: str | None, **values: object) -> DataError:
    """Return an error about a workbook, which the page sends without the name of its file."""
    if name is None:
        return DataError(f"lab_given_{error}", **values)
    return DataError(f"lab_{error}", source=name, **values)


def _is_step(entry: object) -> bool:
    """Return whether a step names its tree, and the tree before it unless it is the first."""
    return (
        isinstance(entry, Mapping)
        and isinstance(entry.get("tree"), str)
        and isinstance(entry.get("parent"), str | None)
    )


_KINDS: dict[str, type | tuple[type, ...]] = {
    "data": Mapping,
    "division": Mapping,
    "recipe": str,
    "settings": Mapping,
    "forbid": list,
    "steps": list,
    "current": str,
    "validation_looks": int,
}


def table_of_workbook(
    plain: Plain, source: TableSource, model: TreeData | None = None
) -> tuple[TableSource, Table]:
    """Return the table of a workbook, read from its source as it was read before.

    Parameters
    ----------
    plain : dict
        A workbook by `parse_workbook`.
    source : TableSource
        The file, or another source of the same rows.
    model : TreeData, optional
        The tree that the workbook began with, which tells how its training rows were read.
    """
    reading = plain["data"]["reading"]
    if not set(reading) <= READING_OPTIONS:
        raise broken_workbook_error(None, "reading")
    wanted = plain["data"]["fingerprint"]
    if model is not None:
        with suppress(PenjingError):
            table = source.read_like(model)
            if table_fingerprint(table) == wanted:
                return TableSource(source.name, source.locator, table), table
    source = TableSource(source.name, source.locator, source.data, reading)
    table = source.read()
    if table_fingerprint(table) != wanted:
        raise DataError("lab_other_data", source=source.name, name=plain["data"].get("name"))
    return source, table


def replay(
    plain: Plain,
    source: TableSource,
    table: Table,
    others: Mapping[str, Table] | None = None,
    *,
    growing: Growing | None = None,
    progress: ProgressCallback | None = None,
) -> Workbook:
    """Return the workbook of a file: the same steps, the same trees, the same identifiers.

    Parameters
    ----------
    plain : dict
        A workbook by `parse_workbook`.
    source, table
        Its data, by `table_of_workbook`.
    others : dict, optional
        The tables of the validation and test rows, if these were tables of their own.
    growing : Growing, optional
        The model that the workbook began with; by default the recipe of the file.
    progress : function, optional
        Called with a `Progress` from time to time.
    """
    division = plain["division"]
    if division.get("kind") == "shares":
        rows = shares_of(division).divide(table)
    else:
        rows = DividedRows(table, **_other_tables(division, others or {}))
    if growing is None:
        growing = Growing(plain["recipe"], plain["settings"], tuple(map(str, plain["forbid"])))
    workbook = Workbook(source, table, rows, division, growing, progress=progress)
    known = {plain["steps"][0].get("tree"): workbook.current}
    for entry in plain["steps"][1:]:
        step, parent = entry.get("step"), known.get(entry.get("parent"))
        if not isinstance(step, Mapping) or parent is None:
            raise broken_workbook_error(None, "steps")
        moved = workbook.step({**step, "tree": parent}, progress)
        known[entry.get("tree")] = moved.after
    if known != {tree: tree for tree in known} or plain["current"] not in known:
        raise DataError("lab_replay_differs", source=source.name)
    workbook.go(plain["current"])
    workbook.look(*plain.get("looked", ()))
    workbook.earlier_looks = plain["validation_looks"] - len(workbook.looked)
    if plain.get("finished") in known:
        workbook.go(plain["finished"])
        workbook.finish()
        workbook.go(plain["current"])
    return workbook


def _other_tables(
    division: Mapping[str, Any], others: Mapping[str, Table]
) -> dict[str, Table | None]:
    found: dict[str, Table | None] = {}
    for part in ("validation", "test"):
        wanted = division.get(part)
        table = others.get(part)
        if wanted is None:
            found[part] = None
            continue
        if not isinstance(wanted, Mapping) or table is None:
            name = wanted.get("name") if isinstance(wanted, Mapping) else wanted
            key = f"lab_needs_table_{part}"
            raise DataError(key, name=name)
        if table_fingerprint(table) != wanted.get("fingerprint"):
            raise DataError("lab_other_data", source=part, name=wanted.get("name"))
        found[part] = table
    return found


def tables_division(others: Mapping[str, tuple[str, Table] | None]) -> Plain:
    """Return a division by tables of their own as plain data: their names and fingerprints."""
    return {
        "kind": "tables",
        **{
            part: None
            if (other := others.get(part)) is None
            else {"name": other[0], "fingerprint": table_fingerprint(other[1])}
            for part in ("validation", "test")
        },
    }
