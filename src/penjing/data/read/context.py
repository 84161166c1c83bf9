"""One reading: the sheet, the words for missing, and what was noted and left out so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import RawColumn, RawTable, truncate_text
from penjing.data.table import Note
from penjing.errors import DataError


@dataclass(slots=True)
class ReadContext:
    """What the judges of a sheet share.

    Parameters
    ----------
    raw_table : RawTable
        The columns as found.
    markers : Markers
        The words for missing.
    parts : tuple of str
        What to make of dates.
    """

    raw_table: RawTable
    markers: Markers
    parts: tuple[str, ...] = ()
    notes: list[Note] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)

    def note(self, key: str, **values: object) -> None:
        """Note a decision."""
        said = {name: truncate_text(value) for name, value in values.items()}
        self.notes.append(Note(f"note_{key}", {"source": self.raw_table.name, **said}))

    def error(self, key: str, cells: RawColumn, level: int, **values: object) -> DataError:
        """Make the error about one value of a column, told with its first row."""
        return DataError(
            key,
            source=self.raw_table.name,
            row=cells.first_row_number(level),
            column=cells.name,
            value=truncate_text(cells.levels[level]),
            **values,
        )
