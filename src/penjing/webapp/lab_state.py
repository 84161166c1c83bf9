"""The state of a lab: tables, workbooks and exercises of all tabs, and what was opened first."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError
from penjing.progress import ProgressCallback
from penjing.tree.serialize import from_json
from penjing.webapp.division import DividedRows, default_shares, shares_of
from penjing.webapp.exercise import Exercise
from penjing.webapp.failures import NotFoundError
from penjing.webapp.fingerprint import canonical
from penjing.webapp.lab_workbook import Finished, Growing, Workbook
from penjing.webapp.lru import RecentlyUsed
from penjing.webapp.table_info import table_info
from penjing.webapp.table_source import TableSource
from penjing.webapp.watched_jobs import Jobs
from penjing.webapp.workbook_file import (
    broken_workbook_error,
    checked_workbook,
    replay,
    table_of_workbook,
    tables_division,
    workbook_record,
)

Plain = dict[str, Any]

MAX_KEPT = 64
"""So many tables, workbooks and exercises are kept; the one used longest ago is dropped."""

MAX_CELLS = 200_000_000
"""Tables with more cells together are dropped, too, but for the last ones."""


@dataclass(frozen=True)
class OpenTable:
    """A table that was read, and where it comes from."""

    source: TableSource
    table: Table


@dataclass(frozen=True)
class OpenWorkbook:
    """A workbook, and the table that it was made with."""

    table_id: str
    workbook: Workbook


@dataclass
class Start:
    """What the page shows first; nothing means the start screen."""

    lang: str | None = None
    table: str | None = None
    workbook: str | None = None
    exercise: str | None = None

    def to_json(self) -> Plain:
        """Return it as plain data."""
        return dict(vars(self))


@dataclass
class Lab:
    """Everything that the tabs of one lab work with.

    Parameters
    ----------
    idle_seconds : float or None
        After how many seconds without a request the server stops; None for never.

    Examples
    --------
    >>> from penjing.webapp.table_source import example_source
    >>> lab = Lab()
    >>> table = lab.add_table(example_source("fish"))
    >>> lab.table(table).table.n_rows
    5
    """

    idle_seconds: float | None = None
    start: Start = field(default_factory=Start)
    jobs: Jobs = field(default_factory=Jobs)

    def __post_init__(self) -> None:
        # Each change of a column's type makes another table.
        self._tables: RecentlyUsed[str, OpenTable] = RecentlyUsed(MAX_KEPT, _n_cells, MAX_CELLS)
        self._workbooks: RecentlyUsed[str, OpenWorkbook] = RecentlyUsed(MAX_KEPT)
        self._exercises: RecentlyUsed[str, Exercise] = RecentlyUsed(MAX_KEPT)
        self._opened_tests: set[tuple[str, str]] = set()

    # -- tables --------------------------------------------------------------------------------

    def add_table(self, source: TableSource, like: str | None = None) -> str:
        """Read a table and return its identifier.

        Parameters
        ----------
        source : TableSource
            Its rows.
        like : str or None
            The table of the training rows, if these are validation or test rows.
        """
        table = source.read() if like is None else source.read_like(self.table(like).table)
        return self._add_open(OpenTable(source, table))

    def _add_open(self, opened: OpenTable) -> str:
        table_id = _new_id()
        self._tables.put(table_id, opened)
        return table_id

    def table(self, table_id: object) -> OpenTable:
        """Return a table."""
        found = self._tables.get(table_id) if isinstance(table_id, str) else None
        if found is None:
            raise NotFoundError("lab_no_table", id=table_id)
        return found

    def drop_table(self, table_id: str) -> None:
        """Forget a table; workbooks keep their rows."""
        if not self._tables.remove(table_id):
            raise NotFoundError("lab_no_table", id=table_id)

    def table_info(self, table_id: str) -> Plain:
        """Return a table as the page shows it."""
        opened = self.table(table_id)
        return table_info(table_id, opened.source.name, opened.table)

    # -- workbooks -----------------------------------------------------------------------------

    def add_workbook(self, plain: Mapping[str, Any], progress: ProgressCallback | None) -> str:
        """Grow the first tree of a workbook and return the workbook's identifier.

        Parameters
        ----------
        plain : dict
            ``table``, and if given ``recipe``, ``settings``, ``forbid`` and ``division``.
        progress : function or None
            Called with a `Progress` from time to time.
        """
        _check_keys(plain, ("table", "recipe", "settings", "forbid", "division"))
        settings, forbid = plain.get("settings") or {}, plain.get("forbid") or []
        recipe = plain.get("recipe") or "auto"
        if not isinstance(settings, Mapping):
            raise ChoiceError("lab_not_object", name="settings")
        if not isinstance(recipe, str):
            raise ChoiceError("lab_not_text", name="recipe")
        if not isinstance(forbid, list):
            raise ChoiceError("lab_not_list", name="forbid")
        growing = Growing(recipe, dict(settings), tuple(map(str, forbid)))
        return self.open_workbook(plain.get("table"), growing, plain.get("division"), progress)

    def open_workbook(
        self,
        table_id: object,
        growing: Growing,
        division: object = None,
        progress: ProgressCallback | None = None,
    ) -> str:
        """Make a workbook of a table and return its identifier."""
        opened = self.table(table_id)
        if opened.table.target is None:
            raise DataError("no_target_in_table")
        rows, record = self._divided(opened.table, division, growing.forbid)
        workbook = Workbook(opened.source, opened.table, rows, record, growing, progress=progress)
        return self.keep_workbook(str(table_id), workbook)

    def keep_workbook(self, table_id: str, workbook: Workbook) -> str:
        """Keep a workbook and return its identifier."""
        workbook_id = _new_id()
        self._workbooks.put(workbook_id, OpenWorkbook(table_id, workbook))
        return workbook_id

    def _divided(
        self, table: Table, division: object, forbid: Collection[str]
    ) -> tuple[DividedRows, Plain]:
        if division is None:
            shares = default_shares(table.n_rows)
            return shares.divide(table), shares.to_json()
        if not isinstance(division, Mapping) or division.get("kind") not in ("shares", "tables"):
            raise ChoiceError("lab_bad_division", value=division)
        if division["kind"] == "shares":
            shares = shares_of(division)
            return shares.divide(table), shares.to_json()
        sources = {
            part: self.table(division[part]).source
            for part in ("validation", "test")
            if division.get(part) is not None
        }
        rows = {part: source.read_like(table, forbid) for part, source in sources.items()}
        named = {part: (source.name, rows[part]) for part, source in sources.items()}
        return DividedRows(table, **rows), tables_division(named)

    def workbook(self, workbook_id: object) -> OpenWorkbook:
        """Return a workbook with its table."""
        found = self._workbooks.get(workbook_id) if isinstance(workbook_id, str) else None
        if found is None:
            raise NotFoundError("lab_no_workbook", id=workbook_id)
        return found

    def workbooks(self) -> list[tuple[str, Workbook]]:
        """Return all workbooks with their identifiers, the one used last first."""
        return [(key, opened.workbook) for key, opened in self._workbooks.items()]

    def drop_workbook(self, workbook_id: str) -> None:
        """Forget a workbook."""
        if not self._workbooks.remove(workbook_id):
            raise NotFoundError("lab_no_workbook", id=workbook_id)

    def finish(self, workbook: Workbook) -> Finished:
        """Open the test rows of a workbook; say so if another one has opened the same rows."""
        rows = _test_rows(workbook)
        is_first = rows not in self._opened_tests or workbook.finished is not None
        finished = workbook.finish(is_first=is_first)
        if finished.score is not None:
            self._opened_tests.add(rows)
        return finished

    def replay(self, plain: Mapping[str, Any], progress: ProgressCallback | None) -> str:
        """Replay a workbook file and return the workbook's identifier.

        Parameters
        ----------
        plain : dict
            ``file``, ``table``, and ``validation`` and ``test`` if these were tables.
        progress : function or None
            Called with a `Progress` from time to time.
        """
        _check_keys(plain, ("file", "table", "validation", "test"))
        record = checked_workbook(plain.get("file"))
        others = {
            part: self.table(plain[part]).source
            for part in ("validation", "test")
            if plain.get(part) is not None
        }
        return self.replay_record(record, self.table(plain.get("table")).source, others, progress)

    def replay_record(
        self,
        record: Plain,
        source: TableSource,
        others: Mapping[str, TableSource] | None = None,
        progress: ProgressCallback | None = None,
    ) -> str:
        """Replay a workbook with the rows of a source and return its identifier.

        ``others`` are its validation and test rows, if these were tables of their own.
        """
        model = None if record.get("model") is None else _tree_of(record["model"])
        source, table = table_of_workbook(record, source, model)
        unused = [*map(str, record["forbid"])]
        rows = {part: other.read_like(table, unused) for part, other in (others or {}).items()}
        growing = None if model is None else Growing(model=model)
        workbook = replay(record, source, table, rows, growing=growing, progress=progress)
        if workbook.finished is not None and workbook.finished.score is not None:
            self._opened_tests.add(_test_rows(workbook))
        return self.keep_workbook(self._add_open(OpenTable(source, table)), workbook)

    def copy_workbook(self, workbook_id: str, progress: ProgressCallback | None) -> str:
        """Return the identifier of a new workbook with the same trees, for another tab."""
        opened = self.workbook(workbook_id)
        workbook = opened.workbook
        others = {
            part: rows
            for part in ("validation", "test")
            if workbook.division["kind"] == "tables" and (rows := workbook.given(part)) is not None
        }
        record = workbook_record(workbook)
        copy = replay(
            record, workbook.source, workbook.table, others, growing=workbook.growing,
            progress=progress,
        )  # fmt: skip
        return self.keep_workbook(opened.table_id, copy)

    # -- exercises -----------------------------------------------------------------------------

    def add_exercise(self, exercise: Exercise) -> str:
        """Keep an exercise and return its identifier."""
        exercise_id = _new_id()
        self._exercises.put(exercise_id, exercise)
        return exercise_id

    def exercise(self, exercise_id: object) -> Exercise:
        """Return an exercise."""
        found = self._exercises.get(exercise_id) if isinstance(exercise_id, str) else None
        if found is None:
            raise NotFoundError("lab_no_exercise", id=exercise_id)
        return found


def _n_cells(opened: OpenTable) -> int:
    return opened.table.n_rows * (len(opened.table.columns) + 1)


def _test_rows(workbook: Workbook) -> tuple[str, str]:
    """Return what identifies the test rows of a workbook: its table and their division."""
    return workbook.fingerprint, canonical(dict(workbook.division))


def _check_keys(plain: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in plain:
        if key not in known:
            raise ChoiceError("lab_unknown_key", name=key)


def _new_id() -> str:
    return secrets.token_hex(16)


def _tree_of(plain: object) -> Tree:
    if not isinstance(plain, dict):
        raise broken_workbook_error(None, "model")
    return Tree.from_data(from_json(plain))
