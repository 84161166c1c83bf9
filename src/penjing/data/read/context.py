"""The state of reading one table: raw columns, missing markers, notes, columns left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import RawColumn, RawTable, truncate_text
from penjing.data.table import Note
from penjing.errors import DataError


@dataclass(slots=True)
class ReadContext:
    """What the functions that infer columns share while one table is read.

    Parameters
    ----------
    raw_table : RawTable
        The raw columns of the source.
    markers : Markers
        The missing markers.
    parts : tuple of str
        The parts of dates that become columns.
    """

    raw_table: RawTable
    markers: Markers
    parts: tuple[str, ...] = ()
    notes: list[Note] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)

    def note(self, key: str, **values: object) -> None:
        """Add a note about a decision."""
        details = {name: truncate_text(value) for name, value in values.items()}
        self.notes.append(Note(f"note_{key}", {"source": self.raw_table.name, **details}))

    def error(self, key: str, raw: RawColumn, level: int, **values: object) -> DataError:
        """Return the error about one level of a column; it mentions the first row with it."""
        return DataError(
            key,
            source=self.raw_table.name,
            row=raw.first_row_number(level),
            column=raw.name,
            value=truncate_text(raw.levels[level]),
            **values,
        )
