"""Notes about reading a table: a column left out, rows dropped, how values were understood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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
            name: join_names(value, lang) if isinstance(value, tuple | list) else value
            for name, value in self.values.items()
        }
        return say_for(command, self.key, lang, **values)

    def __str__(self) -> str:
        return self.text()


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


@contextmanager
def collect_notes() -> Iterator[list[Note]]:
    """Collect the notes about tables that training reads while the context is open.

    Examples
    --------
    >>> with collect_notes() as notes:
    ...     record_notes([Note("note_left_out_empty", {"column": "remark"})])
    >>> print(notes[0])
    'remark' was left out: it has no values.
    """
    notes: list[Note] = []
    token = _COLLECTED.set(notes)
    try:
        yield notes
    finally:
        _COLLECTED.reset(token)


def record_notes(notes: Iterable[Note]) -> None:
    """Add notes to those that are collected, if any are."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += notes
