"""How the dialects of SQL differ: names, literals, types, and how text is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penjing.errors import unknown_name_error


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """One dialect; the defaults are those of standard SQL.

    Parameters
    ----------
    name : str
        The name, as sqlglot knows it.
    nan_test : str, optional
        The test for NaN of a value ``{v}``; None if there is no NaN.
    double_type, text_type : str
        The types of 64-bit numbers and of text.
    infinity : str, optional
        An infinite number with a sign ``{sign}``; None if there is none.
    casts_doubles, casts_thresholds : bool
        Whether a literal with an exponent is not a double, so that it needs a cast.
    exact_text : str
        An expression for a text ``{v}`` that is equal to another only if all characters are.
        Some databases ignore case, or blanks at the end; then a mark is added at the end.
    text_end : str
        The mark that literals need, too.
    text_prefix : str
        What stands before a literal with any characters.
    true, false : str
        Truth values, where columns have them.
    greatest : str
        The greatest of the numbers ``{names}``, or of ``{rows}`` in parentheses.
    all_columns : str
        All columns of the table, beside which others are selected.
    alias : str
        What names a subquery, and the table if all columns are taken from that name.
    max_in_list : int, optional
        The largest number of values in a list.
    has_quotes_in_names : bool
        Whether a name may hold a double quote.
    max_name : int, optional
        The largest number of bytes of a name.
    has_empty_text : bool
        Whether the empty text is not NULL.
    flat_depth : int, optional
        Deeper trees are written as a list of paths, since CASEs cannot be nested so deep.
    """

    name: str
    nan_test: str | None = None
    double_type: str = "DOUBLE"
    text_type: str = "VARCHAR"
    infinity: str | None = "CAST('{sign}Infinity' AS {double})"
    casts_doubles: bool = False
    casts_thresholds: bool = False
    exact_text: str = "{v}"
    text_end: str = ""
    text_prefix: str = ""
    true: str = "TRUE"
    false: str = "FALSE"
    greatest: str = "GREATEST({names})"
    all_columns: str = "*"
    alias: str = " AS {name}"
    max_in_list: int | None = None
    has_quotes_in_names: bool = True
    max_name: int | None = None
    has_empty_text: bool = True
    flat_depth: int | None = None

    def greatest_of(self, names: Sequence[str]) -> str:
        """Return the call for the greatest of several numbers.

        Examples
        --------
        >>> DIALECTS["sqlite"].greatest_of(["a", "b"])
        'MAX(a, b)'
        """
        if len(names) == 1:
            return names[0]
        rows = ", ".join(f"({name})" for name in names)
        return self.greatest.format(names=", ".join(names), rows=rows)


_ALL = (
    SqlDialect("duckdb", "isnan({v})"),
    SqlDialect(
        "postgres", "({v} = CAST('NaN' AS DOUBLE PRECISION))", "DOUBLE PRECISION",
        casts_doubles=True,
    ),
    SqlDialect(  # NaN is stored as NULL
        "sqlite", infinity="{sign}9e999", greatest="MAX({names})", flat_depth=8
    ),
    SqlDialect(  # there is no NaN; text is compared without case unless bytes are
        "mysql", text_type="CHAR", infinity="{sign}9e999", exact_text="CAST({v} AS BINARY)"
    ),
    SqlDialect("bigquery", "IS_NAN({v})", "FLOAT64", "STRING"),
    SqlDialect("snowflake", "({v} = CAST('NaN' AS FLOAT))", "FLOAT"),
    SqlDialect("spark", "isnan({v})", text_type="STRING"),
    SqlDialect(  # truth values are bits; comparisons ignore blanks at the end, and usually case
        "tsql", None, "FLOAT", "NVARCHAR(MAX)", None,
        exact_text="(CAST({v} AS NVARCHAR(MAX)) + N'|') COLLATE Latin1_General_100_BIN2",
        text_end="|", text_prefix="N", true="CAST(1 AS BIT)", false="CAST(0 AS BIT)",
        greatest="(SELECT MAX(v) FROM (VALUES {rows}) AS shares_of_classes(v))", flat_depth=8,
        max_name=128,
    ),
    SqlDialect(  # literals are decimal numbers, and truth values 1 and 0
        "oracle", "{v} IS NAN", "BINARY_DOUBLE", "VARCHAR2(4000)", None,
        casts_doubles=True, casts_thresholds=True, true="1", false="0",
        all_columns="t.*", alias=" {name}", max_in_list=1000, has_quotes_in_names=False,
        max_name=128, has_empty_text=False,
    ),
    SqlDialect(  # comparisons ignore blanks at the end
        "redshift", "({v} = CAST('NaN' AS DOUBLE PRECISION))", "DOUBLE PRECISION",
        "VARCHAR(65535)", casts_doubles=True, exact_text="{v} || '|'", text_end="|",
        max_name=127,
    ),
)  # fmt: skip
DIALECTS = {dialect.name: dialect for dialect in _ALL}
"""The dialects by name."""
ALIASES = {
    "postgresql": "postgres", "databricks": "spark", "sqlserver": "tsql", "mssql": "tsql",
}  # fmt: skip


def find_dialect(name: str) -> SqlDialect:
    """Return a dialect by its name, in any case, or by another name of it.

    Examples
    --------
    >>> find_dialect("PostgreSQL").name
    'postgres'
    """
    known = ALIASES.get(name.lower(), name.lower())
    if known not in DIALECTS:
        raise unknown_name_error("unknown_choice", known, DIALECTS, kind="dialect")
    return DIALECTS[known]
