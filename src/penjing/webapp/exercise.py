"""An exercise: a worksheet that is filled in blank by blank, and judged here, never on the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from penjing.api.worksheet import worksheet
from penjing.data.table import Column, Kind, Table, nominal, numeric
from penjing.errors import ChoiceError, DataError, PenjingError
from penjing.render.worksheets.sheet_and_solution import Worksheet
from penjing.render.worksheets.slots import MEASURES, slots_of
from penjing.webapp.blank_labels import blank_label
from penjing.webapp.failures import NotFoundError
from penjing.webapp.fingerprint import table_fingerprint
from penjing.webapp.hints import GRADES, Hints
from penjing.webapp.judging import NEAR_FACTOR, RIGHT, UNREADABLE, judge
from penjing.webapp.texts import Text, in_all, message

Plain = dict[str, Any]

GIVEN_UP = "given up"
MAX_TEXT = 1_000
"""The longest answer of a student, and the longest name."""
FORMAT = "penjing-exercise-result"
VERSION = 1


@dataclass
class AnswerState:
    """What a student did with one blank."""

    id: str
    attempts: int = 0
    n_hints: int = 0
    verdict: str = ""
    value: str = ""
    seconds: float = 0.0

    @property
    def is_closed(self) -> bool:
        """Whether the student knows the answer."""
        return self.verdict in (RIGHT, GIVEN_UP)

    def to_json(self, answer: str) -> Plain:
        """Return the state as plain data, with the answer if the student knows it."""
        return {
            "id": self.id,
            "attempts": self.attempts,
            "hints": self.n_hints,
            "verdict": self.verdict,
            "value": self.value,
            "answer": answer if self.is_closed else None,
        }


@dataclass
class Exercise:
    """A worksheet that one student fills in.

    Parameters
    ----------
    worksheet : Worksheet
        The worksheet with its solution.
    student : str
        The name that the result file has.

    Examples
    --------
    >>> import penjing
    >>> exercise = Exercise(penjing.worksheet("example:play_tennis"))
    >>> checked = exercise.check("1.impurity", "0.94")
    >>> checked["state"]["verdict"], checked["state"]["answer"]
    ('right', '0.940')
    >>> exercise.check("1.chosen", "wind")["state"]["answer"] is None
    True
    """

    worksheet: Worksheet
    student: str = ""
    states: dict[str, AnswerState] = field(init=False)

    def __post_init__(self) -> None:
        sheet = self.worksheet.sheet
        self.states = {blank["id"]: AnswerState(blank["id"]) for blank in sheet["blanks"]}
        self._blanks: dict[str, Plain] = {blank["id"]: blank for blank in sheet["blanks"]}
        self._answers = {a["id"]: a for a in self.worksheet.solution["answers"]}
        self._hints = Hints(self.worksheet)
        self._lock = threading.Lock()
        self._started = time.time()

    def check(self, blank: object, value: object) -> Plain:
        """Judge an answer; once it is right or given up, nothing changes any more.

        Parameters
        ----------
        blank : str
            The id of the blank.
        value : str or number
            What the student wrote.
        """
        with self._lock:
            state = self._state(blank)
            text = _text(value)
            if state.is_closed:
                return self._checked(state)
            id_ = state.id
            about = self._blanks[id_], self._answers[id_]
            verdict = judge(*about, text, self._scores(id_), self._names(about[0]))
            if verdict != UNREADABLE:
                state.attempts += 1
            state.verdict, state.value = verdict, text
            state.seconds = round(time.time() - self._started, 1)
            return self._checked(state)

    def hint(self, blank: object) -> Plain:
        """Return the next hint of a blank, the third again after that.

        A hint that only says what to fill in first does not count.
        """
        with self._lock:
            state = self._state(blank)
            grade = min(state.n_hints + 1, len(GRADES))
            filled = {id_ for id_, each in self.states.items() if each.is_closed}
            about = self._blanks[state.id]
            text = in_all(lambda lang: self._hints.hint(about, grade, filled, lang))
            if not self._hints.missing(about, grade, filled):
                state.n_hints = grade
            return {**self._state_and_score(state), "grade": grade, "text": text}

    def give_up(self, blank: object) -> Plain:
        """Show the answer of a blank, which then counts as given up."""
        with self._lock:
            state = self._state(blank)
            if not state.is_closed:
                state.verdict = GIVEN_UP
                state.seconds = round(time.time() - self._started, 1)
            return self._checked(state)

    def to_json(self, id_: str) -> Plain:
        """Return the exercise as the page shows it: nothing of its solution that is still open."""
        with self._lock:
            return {
                "exercise": id_,
                "student": self.student,
                "sheet": dict(self.worksheet.sheet),
                "labels": self._labels(),
                "rules": self.rules(),
                "answers": [state.to_json(self._answer(state)) for state in self.states.values()],
                "score": self.score(),
            }

    def _labels(self) -> dict[str, Text]:
        """Return what each blank, and each place that is given, is called."""
        sheet = self.worksheet.sheet
        return {slot["id"]: in_all(partial(blank_label, sheet, slot)) for slot in slots_of(sheet)}

    def rules(self) -> Plain:
        """Return how answers are judged."""
        sheet = self.worksheet.sheet
        tolerance = sheet["tolerance"]
        near = NEAR_FACTOR * tolerance
        values = {"n": sheet["digits"], "tolerance": tolerance, "near": near}
        return {
            "digits": sheet["digits"],
            "tolerance": tolerance,
            "near": near,
            "hints": len(GRADES),
            "text": message("lab_judging", **values),
        }

    def score(self) -> Plain:
        """Return how many blanks are right, at the first attempt and without a hint, given up."""
        states = list(self.states.values())
        right = [state for state in states if state.verdict == RIGHT]
        return {
            "blanks": len(states),
            "right": len(right),
            "first_try": sum(s.attempts == 1 and s.n_hints == 0 for s in right),
            "given_up": sum(state.verdict == GIVEN_UP for state in states),
            "hints": sum(state.n_hints for state in states),
        }

    def result(self) -> Plain:
        """Return the result file for teachers, as plain data."""
        from penjing import __version__  # noqa: PLC0415 - the package itself

        sheet = self.worksheet.sheet
        about = {key: sheet[key] for key in ("lang", "recipe", "max_depth", "level", "seed")}
        with self._lock:
            return {
                "format": FORMAT,
                "version": VERSION,
                "penjing": __version__,
                "student": self.student,
                "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started)),
                "saved": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "sheet": {
                    **about,
                    "target": sheet["target"],
                    "rows": len(sheet["rows"]),
                    "fingerprint": table_fingerprint(self.worksheet.table),
                },
                "rules": {k: v for k, v in self.rules().items() if k != "text"},
                "score": self.score(),
                "answers": [
                    {
                        **state.to_json(self._answer(state)),
                        "node": self._blanks[state.id]["node"],
                        "kind": self._blanks[state.id]["kind"],
                        "seconds": state.seconds,
                    }
                    for state in self.states.values()
                ],
            }

    def _state(self, blank: object) -> AnswerState:
        if not isinstance(blank, str) or blank not in self.states:
            raise NotFoundError("lab_no_blank", id=blank)
        return self.states[blank]

    def _answer(self, state: AnswerState) -> str:
        return str(self._answers[state.id]["text"])

    def _scores(self, id_: str) -> dict[str, float]:
        """Return the deciding measure of each column in the node of a blank."""
        step = self.worksheet.steps[self._blanks[id_]["node"] - 1]
        measure = MEASURES[str(self.worksheet.sheet["criterion"])][-1]
        return {
            c["column"]: float(c[measure]) for c in step["candidates"] if c.get(measure) is not None
        }

    def _names(self, blank: Plain) -> set[str]:
        """Return the classes or categories that the answer of a blank may be."""
        sheet = self.worksheet.sheet
        if blank["kind"] == "result":
            return {str(name) for name in sheet["classes"]}
        if blank["kind"] != "condition":
            return set()
        name = blank.get("column") or self.worksheet.steps[blank["node"] - 1]["question"]
        split = next((column for column in sheet["columns"] if column["name"] == name), None)
        return set() if split is None else {str(name) for name in split["categories"]}

    def _state_and_score(self, state: AnswerState) -> Plain:
        return {"state": state.to_json(self._answer(state)), "score": self.score()}

    def _checked(self, state: AnswerState) -> Plain:
        key = state.verdict.replace(" ", "_") or "open"
        text: Text = message(f"lab_verdict_{key}", answer=self._answer(state))
        return {**self._state_and_score(state), "text": text}


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ChoiceError("lab_bad_answer", most=MAX_TEXT)
    text = str(value)
    if len(text) > MAX_TEXT:
        raise ChoiceError("lab_bad_answer", most=MAX_TEXT)
    return text


def new_exercise(plain: Mapping[str, Any], table: Table | None) -> Exercise:
    """Return the exercise that a request asks for.

    Parameters
    ----------
    plain : dict
        ``sheet`` (the record of a worksheet), or ``seed``, ``recipe``, ``depth``, ``rows``,
        ``blanks`` and ``lang`` as in :func:`penjing.worksheet`; ``student``.
    table : Table or None
        The rows, if they are given.
    """
    student = plain.get("student") or ""
    if not isinstance(student, str) or len(student) > MAX_TEXT:
        raise ChoiceError("lab_bad_answer", most=MAX_TEXT)
    if plain.get("sheet") is not None:
        return Exercise(worksheet_of_record(plain["sheet"]), student)
    options = {
        key: plain[key]
        for key in ("recipe", "seed", "depth", "rows", "blanks", "lang")
        if plain.get(key) is not None
    }
    return Exercise(worksheet(table, quiet=True, **options), student)


def worksheet_of_record(record: object) -> Worksheet:
    """Return the worksheet of a file that `penjing worksheet -o sheet.json` wrote.

    Its solution is computed again from its rows.

    Examples
    --------
    >>> import penjing
    >>> sheet = penjing.worksheet(seed=3, recipe="cart-binary", lang="zh")
    >>> worksheet_of_record(sheet.sheet).solution["answers"] == sheet.solution["answers"]
    True
    """
    if not isinstance(record, Mapping) or record.get("format") != "penjing-worksheet":
        raise DataError("lab_not_worksheet")
    try:
        made = worksheet(
            _table_of(record),
            recipe=record["recipe"],
            depth=record["max_depth"],
            blanks=record["level"],
            lang=record["lang"],
            quiet=True,
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, PenjingError):
            raise
        raise DataError("lab_not_worksheet") from None
    same = ("rows", "columns", "classes", "n_nodes", "blanks", "target", "criterion")
    if any(made.sheet[key] != record.get(key) for key in same):
        raise DataError("lab_not_worksheet")
    sheet = {**made.sheet, "seed": record.get("seed")}
    return Worksheet(sheet, made.solution, made.table, made.tree, made.steps)


def _table_of(record: Mapping[str, Any]) -> Table:
    """Return the rows of a worksheet's record as a table."""
    rows = [list(row) for row in record["rows"]]
    columns: list[Column] = []
    for i, about in enumerate(record["columns"]):
        values = [row[i] for row in rows]
        if about["kind"] == "numeric":
            columns.append(numeric(about["name"], [float(value) for value in values]))
            continue
        by_text = {str(value): value for value in values}
        levels = tuple(by_text.get(text, text) for text in about["categories"])
        codes = np.array([about["categories"].index(str(value)) for value in values], np.int32)
        kind: Kind = "ordered" if about["kind"] == "ordinal" else "nominal"
        columns.append(Column(about["name"], kind, levels, codes))
    target = nominal(record["target"], [row[-1] for row in rows], record["classes"])
    return Table(tuple(columns), target, len(rows))
