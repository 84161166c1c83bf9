"""Notes about reading a table: a column left out, rows dropped, how values were understood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from penjing.formatting.lists import join_names
from penjing.i18n import say_for


@dataclass(frozen=True, slots=True)
class Note:
    """A message about reading: a key of the message catalogue and its values.

    Examples
    --------
    >>> print(Note("note_left_out_empty", {"column": "remark"}))
    'remark' was left out: it has no values.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, lang: str = "en", *, command: bool = False) -> str:
        """Return the sentence.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        command : bool
            Name options of the command instead of parameters of Python, where they differ.

        Examples
        --------
        >>> Note("note_left_out_empty", {"column": "remark"}).text()
        "'remark' was left out: it has no values."
        """
        values = {
            name: _value_text(value, lang, command=command) for name, value in self.values.items()
        }
        return say_for(command, self.key, lang, **values)

    def __str__(self) -> str:
        return self.text()


def _value_text(value: Any, lang: str, *, command: bool) -> Any:  # noqa: ANN401 - any value
    """Return a value as a sentence has it: names are listed, a note within it is translated."""
    if isinstance(value, Note):
        return value.text(lang, command=command)
    if not isinstance(value, tuple | list):
        return value
    return join_names([_value_text(part, lang, command=command) for part in value], lang)


QUOTED = "quoted_value"
"""The key of a value in the quotation marks of a language; it is part of a sentence."""


def quoted(value: Any) -> Note | list[Note]:  # noqa: ANN401 - any value
    """Return a value, or each of several, as a sentence quotes it: such as a comma.

    Examples
    --------
    >>> print(quoted(","))
    ','
    """
    if isinstance(value, tuple | list):
        return [Note(QUOTED, {"value": part}) for part in value]
    return Note(QUOTED, {"value": value})


class Notes(tuple[Note, ...]):
    """All notes about a table; they print as one sentence per line.

    Examples
    --------
    >>> print(Notes([Note("note_left_out_empty", {"column": "remark"})]))
    'remark' was left out: it has no values.
    """

    __slots__ = ()

    def text(self, lang: str = "en") -> str:
        """Return the sentences, one per line.

        Examples
        --------
        >>> Notes([Note("note_left_out_empty", {"column": "remark"})]).text()
        "'remark' was left out: it has no values."
        """
        return "\n".join(note.text(lang) for note in self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Notes: {[str(note) for note in self]}>" if self else "()"


_COLLECTED: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


class NoteCollector:
    """Collects notes while its context is open; a class, since every prediction opens one."""

    __slots__ = ("_token",)

    def __enter__(self) -> list[Note]:
        notes: list[Note] = []
        self._token = _COLLECTED.set(notes)
        return notes

    def __exit__(self, *error: object) -> None:
        _COLLECTED.reset(self._token)


def collect_notes() -> NoteCollector:
    """Collect the notes about tables that training reads while the context is open.

    Examples
    --------
    >>> with collect_notes() as notes:
    ...     record_notes([Note("note_left_out_empty", {"column": "remark"})])
    >>> print(notes[0])
    'remark' was left out: it has no values.
    """
    return NoteCollector()


def record_notes(notes: Iterable[Note]) -> None:
    """Add notes to those that are collected, if any are."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += notes
