"""How a table was read: stored in a model, and applied to the rows that are read for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from penjing.data.read.missing_markers import serializable_markers
from penjing.data.read.numbers import ANY_STYLE, DecimalMark, NumberStyle
from penjing.data.read.raw_columns import RawTable


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """How the cells of one column become values.

    Parameters
    ----------
    number : NumberStyle
        How numbers are written.
    date_order : str or None
        Which part comes first in a date: ``year``, ``month`` or ``day``.
    date_parts : tuple of str
        The columns that were made from a date.
    fold_case : bool
        Whether categories that differ in case and blanks only are one.
    missing : tuple of str
        Words of this column that were taken as missing.
    trained_decimal : "." or ",", optional
        The decimal mark of the training table, if the user names another one for this table. A
        column that does not have the named mark is read with it. Not stored.
    """

    number: NumberStyle = ANY_STYLE
    date_order: str | None = None
    date_parts: tuple[str, ...] = ()
    fold_case: bool = False
    missing: tuple[str, ...] = ()
    trained_decimal: DecimalMark | None = None

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ColumnReading:
        """Return what a model file says about a column."""
        number, date = record.get("number") or {}, record.get("date") or {}
        return cls(
            NumberStyle(number.get("decimal"), tuple(number.get("units", ()))),
            date.get("order"),
            tuple(date.get("parts", ())),
            bool(record.get("fold_case", False)),
            tuple(record.get("missing", ())),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record of a model file; parts with nothing to say are absent."""
        number = {"decimal": self.number.decimal, "units": [*self.number.units]}
        date = {"order": self.date_order, "parts": [*self.date_parts]}
        record = {
            "number": _without_empty(number),
            "date": _without_empty(date) if self.date_parts else {},
            "fold_case": self.fold_case,
            "missing": [*self.missing],
        }
        return _without_empty(record)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table was read, or is to be read.

    Parameters
    ----------
    missing : list or dict, optional
        The missing markers that were named, as in :func:`penjing.read`.
    encoding : str, optional
        The encoding that was named.
    is_encoding_certain : bool
        Whether the encoding applies to text that is valid UTF-8, too.
    separator : str, optional
        The separator of cells.
    names : tuple of str
        The names of the columns of a source without a header.
    sheet : str, optional
        The sheet of a workbook that was named.
    decimal : str, optional
        The decimal mark that was named.
    dates : tuple of str
        The parts of dates that were asked for.
    fold_case : bool or tuple of str
        Whether case was folded in all columns, or in which.
    weight : str, optional
        The column with the weight of each row.
    columns : dict
        How the cells of columns become values, by the name of the column in the source.
    """

    missing: Any = None
    encoding: str | None = None
    is_encoding_certain: bool = False
    separator: str | None = None
    names: tuple[str, ...] = ()
    sheet: str | None = None
    decimal: DecimalMark | None = None
    dates: tuple[str, ...] = ()
    fold_case: bool | tuple[str, ...] = False
    weight: str | None = None
    columns: Mapping[str, ColumnReading] = field(default_factory=dict)

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Reading:
        """Return what a model file says.

        Examples
        --------
        >>> record = {"missing": ["-"], "columns": {"price": {"number": {"decimal": ","}}}}
        >>> Reading.from_json(record).columns["price"].number.decimal
        ','
        >>> Reading.from_json(record).to_json() == record
        True
        """
        if not record:
            return NOTHING_KNOWN
        fold_case = record.get("fold_case", False)
        return cls(
            record.get("missing"),
            record.get("encoding"),
            bool(record.get("encoding_certain", False)),
            record.get("separator"),
            tuple(record.get("names", ())),
            record.get("sheet"),
            record.get("decimal"),
            tuple(record.get("dates", ())),
            fold_case if isinstance(fold_case, bool) else tuple(fold_case),
            record.get("weight"),
            {
                name: ColumnReading.from_json(column)
                for name, column in record.get("columns", {}).items()
            },
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record of a model file; parts with nothing to say are absent."""
        if self == NOTHING_KNOWN:
            return {}
        columns = {name: column.to_json() for name, column in self.columns.items()}
        fold_case = self.fold_case if isinstance(self.fold_case, bool) else [*self.fold_case]
        record = {
            "encoding": self.encoding,
            "encoding_certain": self.is_encoding_certain,
            "separator": self.separator,
            "names": [*self.names],
            "sheet": self.sheet,
            "decimal": self.decimal,
            "dates": [*self.dates],
            "fold_case": fold_case,
            "weight": self.weight,
            "columns": _without_empty(columns),
        }
        missing = {} if self.missing is None else {"missing": serializable_markers(self.missing)}
        return missing | _without_empty(record)

    def column(self, name: str) -> ColumnReading:
        """Return how the cells of a column become values."""
        return self.columns.get(name, _NO_COLUMN)

    def known_decimal(self, name: str) -> DecimalMark | None:
        """Return the decimal mark of a column, as far as it or other columns tell.

        Examples
        --------
        >>> columns = {"price": {"number": {"decimal": ","}}}
        >>> Reading.from_json({"columns": columns}).known_decimal("pieces")
        ','
        """
        marks = {column.number.decimal for column in self.columns.values()} - {None}
        common = marks.pop() if len(marks) == 1 else None
        return self.column(name).number.decimal or self.decimal or common

    def number_style(self, name: str) -> NumberStyle:
        """Return how the numbers of a column are written in rows for a model.

        Nothing of it depends on the rows, so that a cell means the same alone and in a table.
        Only a decimal mark that contradicts the model's column is tried on the whole column.
        """
        column = self.column(name)
        return replace(
            column.number,
            decimal=self.known_decimal(name) or ".",
            is_fixed=column.trained_decimal is None,
            is_unit_known=True,
        )

    def with_decimal(self, decimal: DecimalMark | None) -> Reading:
        """Return the reading for a table with a decimal mark that the user names.

        The mark that was named in training changes nothing: then each column has its own mark.

        Examples
        --------
        >>> told = Reading.from_json({"columns": {"price": {"number": {"decimal": ","}}}})
        >>> told.with_decimal(".").number_style("price").decimal
        '.'
        """
        if decimal is None or decimal == self.decimal:
            return self
        columns = {
            name: replace(
                column,
                number=replace(column.number, decimal=decimal),
                trained_decimal=column.number.decimal,
            )
            if column.number.decimal not in (None, decimal)
            else column
            for name, column in self.columns.items()
        }
        return replace(self, decimal=decimal, columns=columns)

    def with_trained_decimals(self, names: Collection[str]) -> Reading:
        """Return the reading for the later batches of a table, after its first batch was read.

        The columns of these names turned out to have the decimal mark of training.
        """
        columns = {
            name: replace(
                column,
                number=replace(column.number, decimal=column.trained_decimal)
                if name in names and column.trained_decimal is not None
                else column.number,
                trained_decimal=None,
            )
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns)

    def folds_case(self, name: str) -> bool:
        """Return whether case is folded in a column."""
        told = self.fold_case
        return self.column(name).fold_case or (told if isinstance(told, bool) else name in told)


_NO_COLUMN, NOTHING_KNOWN = ColumnReading(), Reading()


def _without_empty(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value not in (None, False, [], {}, ())}


@dataclass(frozen=True, slots=True)
class FileLayout:
    """What a model remembers about the layout of its file, for other files.

    Another file may have another layout; then its own is detected, and that is noted.

    Parameters
    ----------
    reading : Reading
        How the table of the model was read.
    columns : frozenset of str
        The columns that the model knows, the target included.
    target : str or None
        The target, which a file to predict may lack.
    """

    reading: Reading
    columns: frozenset[str] = frozenset()
    target: str | None = None

    def n_known(self, header: Iterable[str]) -> int:
        """Return how many cells of a header are names of the model's columns."""
        return len({cell.strip() for cell in header} & {*self.columns, *self.reading.names})

    def is_header(self, cells: Sequence[str]) -> bool:
        """Return whether the first row of a file names columns, although the model's did not."""
        return 2 * self.n_known(cells) >= max(len(cells), 1)

    def names_for(self, n_cells: int) -> list[str]:
        """Return the names of the columns of a file without a header; it may lack the target."""
        names = [*self.reading.names]
        if n_cells == len(names) - 1 and self.target in names:
            names.remove(self.target)
        return names


def with_layout(
    reading: Reading,
    raw_table: RawTable,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | int | None = None,
) -> Reading:
    """Return a reading with the layout of a file, as far as other files may have it, too.

    Parameters
    ----------
    reading : Reading
        What is known otherwise.
    raw_table : RawTable
        The columns of the file, and what its reader says about it.
    encoding, separator, sheet
        What the user named.
    """
    source = raw_table.source
    if source.get("form") in ("array", "frame"):
        return reading
    own_separator = source.get("separator")
    return replace(
        reading,
        encoding=encoding if "encoding" in source else None,
        is_encoding_certain=bool(encoding) and bool(source.get("is_beyond_ascii_utf8")),
        separator=own_separator if separator or own_separator != "," else None,
        names=tuple(raw_table.names) if source.get("has_header") is False else (),
        sheet=None if sheet is None else source.get("sheet"),
    )


def fold_key(text: str) -> str:
    """Return the text by which categories are compared without regard to case and blanks.

    Examples
    --------
    >>> fold_key(" New  YORK") == fold_key("new york")
    True
    """
    return " ".join(text.lower().split())


def merge_readings(
    readings: Sequence[Reading], known: Sequence[Collection[str]] | None = None
) -> Reading:
    """Return the reading of a table that several trees are to use.

    What the trees have in common is applied while reading. Markers and folded case that only some
    have are left to these trees, which apply their own. ``known`` are the columns of each tree.
    """
    first = readings[0]
    if all(reading == first for reading in readings):
        return first
    columns: dict[str, ColumnReading] = {}
    for position, reading in enumerate(readings):
        for name, column in reading.columns.items():
            others = [
                other.column(name)
                for place, other in enumerate(readings)
                if place != position and (known is None or name in known[place])
            ]
            is_common = all(other.fold_case for other in others)
            shared = column if is_common else replace(column, fold_case=False)
            columns.setdefault(name, shared)
    is_folded = all(reading.fold_case == first.fold_case for reading in readings)
    return replace(
        first,
        missing=_common_markers([reading.missing for reading in readings]),
        fold_case=first.fold_case if is_folded else False,
        columns=columns,
    )


def _common_markers(markers: Sequence[Any]) -> Any:  # noqa: ANN401 - as in `read`
    if all(one == markers[0] for one in markers):
        return markers[0]
    if not all(isinstance(one, list) for one in markers):
        return None
    return [word for word in markers[0] if all(word in one for one in markers)]
