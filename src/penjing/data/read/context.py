"""The state of reading one table: raw columns, missing markers, notes, columns left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from penjing.data.read.missing_markers import Markers
from penjing.data.read.numbers import NumberStyle
from penjing.data.read.raw_columns import RawColumn, RawTable, truncate_text
from penjing.data.read.reading import ColumnReading, Reading
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
    reading : Reading
        What is known beforehand about how the table is to be read.
    is_conforming : bool
        Whether the rows are read with given columns, whose types are known.
    has_model : bool
        Whether these are a model's, so that its styles of numbers and dates are binding.
    """

    raw_table: RawTable
    markers: Markers
    parts: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    is_conforming: bool = False
    has_model: bool = False
    columns: dict[str, ColumnReading] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    ambiguous: dict[str, str] = field(default_factory=dict)
    """The columns whose decimal mark is a guess, and a text of each."""
    followed: dict[str, str] = field(default_factory=dict)
    """The columns whose mark is that of the rest of the table, and the note that says why."""
    trimmed: list[str] = field(default_factory=list)

    def note(self, key: str, **values: object) -> None:
        """Add a note about a decision."""
        details = {name: truncate_text(value) for name, value in values.items()}
        self.notes.append(Note(f"note_{key}", {"source": self.raw_table.name, **details}))

    @property
    def is_from_text(self) -> bool:
        """Whether the source is text, so that its numbers were written in some style."""
        return self.raw_table.source.get("form") == "delimited"

    def number_style(self, name: str) -> NumberStyle:
        """Return what is known about how the numbers of a column are written."""
        if self.has_model:
            return self.reading.number_style(name)
        style = self.reading.column(name).number
        decimal = self.reading.decimal or style.decimal
        return replace(style, decimal=decimal, is_fixed=self.is_conforming and decimal is not None)

    def record(self, name: str, **what: Any) -> None:  # noqa: ANN401 - fields of ColumnReading
        """Record how the cells of a column become values."""
        self.columns[name] = replace(self.columns.get(name, ColumnReading()), **what)

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
