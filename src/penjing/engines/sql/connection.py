"""Where the rows of a database are, and how names, values and columns read in SQL.

Text is written once, in DuckDB's dialect, and put into the database's own by sqlglot.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from penjing.data.read.infer_remote import MAX_LISTED_NUMBERS, ColumnSummary, sort_key
from penjing.errors import CapabilityError, DataError

ROWS = '"penjing:rows"'
"""Where the source stands in our texts; no column is likely to have such a name."""
QUOTED = re.compile("'[^']*'" + '|"[^"]*"')
"""A text or a name: what stands inside a text is never taken for one of our names."""
MOST = np.iinfo(np.int64).max
NUMBERS = ("whole", "number", "decimal")
Kind = Literal["whole", "number", "decimal", "truth", "text", "other"]
"""A decimal is one that the database itself does not turn into the nearest double."""


class Link(Protocol):
    """A connection to a database."""

    dialect: str
    name: str

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""

    def by_column(self, text: str) -> list[list[Any]]:
        """Return the columns of what a query finds; None where there is no value."""

    def make(self, text: str) -> bool:
        """Make a TEMP table; False where that is not allowed."""

    def close(self) -> None:
        """Let go."""


def quoted(name: str) -> str:
    """Return a name as SQL quotes it."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return exp.to_identifier(name, quoted=True).sql("duckdb")


def literal(value: object) -> str:
    """Return a value as SQL writes it; a float by its shortest text, so that no bit is lost."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | np.floating):
        return f"CAST('{float(value)!r}' AS DOUBLE)"
    if isinstance(value, int | np.integer):
        return str(int(value))
    return "'" + str(value).replace("'", "''") + "'"


class Source:
    """A table or a query of a database, and how its columns read in SQL."""

    def __init__(self, link: Link, table: str | None, query: str | None) -> None:
        self.link = link
        if query is not None and len(query.strip().rstrip(";").split()) == 1:  # a table's name
            table, query = query.strip().rstrip(";"), None
        if query is not None:
            text = f"({query.strip().rstrip(';')}\n) AS penjing_rows"  # a comment may be last
        else:
            assert table is not None
            from sqlglot import exp  # noqa: PLC0415 - heavy

            parts = exp.to_table(table, dialect=link.dialect)
            for part in parts.find_all(exp.Identifier):
                part.set("quoted", True)
            text = f"{parts.sql(link.dialect)} AS penjing_rows"
        self._from = text
        self.named: dict[str, str] = {}
        self._short: dict[str, str] = {}
        self.kinds = dict(link.columns(text))
        self._column_of: dict[str, str] = {}

    def call(self, names: Sequence[str]) -> None:
        """Call the columns by these names from now on, whatever they are called in the database."""
        self._column_of = dict(zip(names, self.kinds, strict=True))
        self.kinds = dict(zip(names, self.kinds.values(), strict=True))

    def column(self, name: str) -> str:
        """Return how SQL has the name of a column."""
        return quoted(self._column_of.get(name, name))

    def text(self, text: str) -> str:
        """Return a statement in the database's own dialect, with the source in its place."""
        import sqlglot  # noqa: PLC0415 - heavy

        try:
            (said,) = sqlglot.transpile(text, read="duckdb", write=self.link.dialect)
        except RecursionError:  # a CASE in a CASE for each node above one
            raise CapabilityError("sql_too_deep", source=self.link.name) from None
        return QUOTED.sub(self._meant, said)

    def _meant(self, found: re.Match[str]) -> str:
        """Return what one of our names stands for; anything else as it is."""
        name = found.group()
        return self._from if name == ROWS else self.named.get(name, name)

    def name(self, name: str, long: str) -> str:
        """Return a name that stands for a long expression, which is put into the dialect once."""
        import sqlglot  # noqa: PLC0415 - heavy

        if name not in self.named:
            (self.named[name],) = sqlglot.transpile(long, read="duckdb", write=self.link.dialect)
        return name

    def short(self, long: str) -> str:
        """Return a name that stands for this expression until all such names are forgotten."""
        if long not in self._short:
            self._short[long] = self.name(f'"penjing:short_{len(self._short)}"', long)
        return self._short[long]

    def forget(self) -> None:
        """Forget the short names."""
        for name in self._short.values():
            del self.named[name]
        self._short = {}

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.link.run(self.text(text))

    def by_column(self, text: str) -> list[list[Any]]:
        """Return the columns of what a query finds."""
        return self.link.by_column(self.text(text))

    def raw(self, name: str) -> str:
        """Return a column as it is listed: numbers, truth or text, NULL for what is missing."""
        column, kind = self.column(name), self.kinds[name]
        if kind in ("number", "decimal"):
            return self.number(name)
        return column if kind in ("whole", "truth", "text") else f"CAST({column} AS TEXT)"

    def number(self, name: str) -> str:
        """Return a column as a double; NaN is missing, and there is one zero only."""
        column = self.column(name)
        if self.kinds[name] == "decimal":
            column = f"CAST({column} AS TEXT)"
        return f"NULLIF(CAST({column} AS DOUBLE) + 0, CAST('NaN' AS DOUBLE))"

    def seen(self, name: str, where: str) -> ColumnSummary:
        """Look at the distinct values of a column."""
        raw, kind = self.raw(name), self.kinds[name]
        if kind in NUMBERS:
            limit = MAX_LISTED_NUMBERS + 2
            some = self.run(f"SELECT DISTINCT {raw} AS v FROM {ROWS} WHERE {where} LIMIT {limit}")
            if len(some) > MAX_LISTED_NUMBERS + 1:
                return self._many(name, where)
        told = self.run(f"SELECT {raw} AS v, COUNT(*) AS n FROM {ROWS} WHERE {where} GROUP BY 1")
        known = sorted(
            ((v, n) for v, n in told if v is not None), key=lambda pair: sort_key(pair[0])
        )
        n_missing = sum(n for v, n in told if v is None)
        counts = np.array([n for _, n in known], np.int64)
        values: Any = [v for v, _ in known]
        is_wide = kind == "whole" and any(abs(v) > MOST for v in values)
        if kind in NUMBERS and not is_wide:
            values = np.array(values, np.int64 if kind == "whole" else np.float64)
        return ColumnSummary(name, values, counts, n_missing)

    def _many(self, name: str, where: str) -> ColumnSummary:
        v, is_whole = self.number(name), self.kinds[name] == "whole"
        ends = self.column(name) if is_whole else v  # to the last digit
        asked = f"COUNT(*), COUNT({v}), MIN({ends}), MAX({ends})"
        asked += f", COUNT(DISTINCT {ends})" if is_whole else ""
        ((n, known, low, high, *distinct),) = self.run(f"SELECT {asked} FROM {ROWS} WHERE {where}")
        is_distinct = bool(distinct) and distinct[0] == known
        return ColumnSummary(
            name,
            None,
            n_missing=n - known,
            span=(low, high),
            is_whole=is_whole,
            is_distinct=is_distinct,
        )


def failed(link: Link, error: Exception) -> DataError:
    """Make the error for what a database refused, in its own first line."""
    return DataError("sql_failed", source=link.name, said=_first_line(error))


def _first_line(error: Exception) -> str:
    """Return what a database said, without where in our text."""
    return str(error).strip().split("\n", 1)[0]
