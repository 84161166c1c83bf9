"""A tree as a SQL query of nested CASEs; sqlglot writes quoted names and literals.

Comparisons with NULL are neither true nor false, and CASE treats them as false, as the conditions
require. NaN is missing; several databases sort it above all numbers, so ``>`` also excludes NaN.
With fractional cases, the probability of each class is a sum of products: the fraction of the row
that takes a branch, times the probability below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from penjing.data.read.level_index import text_of
from penjing.errors import CapabilityError, ChoiceError
from penjing.export import conditions
from penjing.export.plan import FRACTION, Plan, build_plan, refuse_characters, refuse_unseen_error
from penjing.export.sql_cleaning import Cleaner
from penjing.export.sql_dialects import SqlDialect, find_dialect
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

MAX_DEPTH = 300
"""Maximum depth of nested CASEs; DuckDB and SQLite allow expressions of depth 1,000."""
MAX_DEPTH_FRACTIONS = 100
"""The same for sums of products, in which a split takes three levels."""
MAX_TESTS = 50
SQLITE = {"deepest": 100, "shared": 14, "tests": 8}
"""The parser stack of SQLite has 100 entries: deeper trees are written as a list of paths."""
MAX_INDENT = 12
"""Maximum number of indented levels."""


def write(
    tree: TreeData,
    *,
    dialect: str = "duckdb",
    table: str = "rows",
    proba: bool = False,
    missing: str | None = None,
    unseen: str | None = None,
    clean: bool = False,
) -> str:
    """Return a tree as a query that adds the prediction to each row of a table.

    Parameters
    ----------
    tree : TreeData
        The tree.
    dialect : str
        ``duckdb``, ``postgres``, ``sqlite``, ``mysql``, ``bigquery``, ``snowflake``, ``spark``,
        ``tsql``, ``oracle``, ``redshift``.
    table : str
        The table's name.
    proba : bool
        Whether to add the probability of each class; always true with fractional cases.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.
    clean : bool
        Whether the table is raw text, to which the query applies the model's reading; it then
        has a column ``clean(x)`` for each column ``x`` that the tree uses. ``duckdb``,
        ``postgres`` and ``sqlite`` only.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}}), table="animals"))
    SELECT *,
      CASE
        WHEN "legs" = 0 THEN 'fish'
        WHEN "legs" = 2 THEN 'bird'
        ELSE 'fish'
      END AS "predicted"
    FROM "animals"
    """
    known = find_dialect(dialect)
    plan = build_plan(tree, "sql", missing=missing, unseen=unseen)
    refuse_unseen_error(plan, "sql")
    refuse_characters(plan, "sql", lambda character: character == "\0")
    _refuse_deep_tree(plan, known.name)
    _refuse_texts(plan, known)
    if "\0" in table or not table:
        raise ChoiceError("export_table", value=table)
    names = {c: plan.name(c).casefold() for c in plan.columns}
    if "" in names.values():
        raise CapabilityError("export_text", kind="sql", text="''")
    if len(set(names.values())) < len(names):
        raise CapabilityError("export_names", kind="sql")
    writer = _SqlWriter(plan, known)
    source = writer.name(table)
    if clean:
        source = writer.clean(source)
    if plan.has_fractions:
        return _fractional_query(plan, writer, source)
    prediction = writer.nested(writer.prediction)
    predicted, *shares = plan.output_names
    lines = [f"{prediction} AS {writer.name(predicted)}"]
    for k, share_name in enumerate(shares if proba else ()):
        share = writer.nested(partial(writer.share, k))
        lines.append(f"{share} AS {writer.name(share_name)}")
    return writer.query(lines, source)


def _refuse_deep_tree(plan: Plan, dialect: str) -> None:
    limit = MAX_DEPTH_FRACTIONS if plan.has_fractions else MAX_DEPTH
    max_tests = MAX_TESTS
    if dialect == "sqlite":
        limit = SQLITE["shared" if plan.has_fractions else "deepest"]
        max_tests = SQLITE["tests"]
    for n, maximum in ((plan.tree.depth, limit), (plan.n_tests, max_tests)):
        if n > maximum:
            raise CapabilityError(
                "export_too_deep", kind=f"sql ({dialect})", depth=n, limit=maximum
            )


def _refuse_texts(plan: Plan, dialect: SqlDialect) -> None:
    """Refuse categories that a dialect cannot have."""
    if not dialect.has_empty_text:
        texts = [plan.classes, *(plan.texts(c) for c in plan.columns if not plan.is_numeric(c))]
        if any("" in some for some in texts):
            raise CapabilityError("export_text", kind=f"sql ({dialect.name})", text="''")


def _fractional_query(plan: Plan, writer: _SqlWriter, table: str) -> str:
    """Return the query with fractional cases: a subquery computes the probabilities."""
    predicted, *class_names = map(writer.name, plan.output_names)
    if plan.tree.is_regression:
        return writer.query([f"{writer.fractional_sum(0)} AS {predicted}"], table)
    if plan.costs is not None:
        raise CapabilityError("export_costs", kind="sql")
    inner = [
        f"{writer.fractional_sum(k)} AS {output_name}" for k, output_name in enumerate(class_names)
    ]
    probabilities = np.asarray(plan.tree.shares)
    best = (probabilities >= probabilities.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    largest = writer.dialect.greatest_of(class_names)
    tie = f"{largest} - {writer.number(TIE)}"
    cases = [
        f"WHEN {output_name} >= {tie} THEN {writer.class_(k)}"
        for k, output_name in enumerate(class_names[:-1])
    ]
    last = writer.class_(len(class_names) - 1)
    prediction = f"CASE {' '.join(cases)} ELSE {last} END" if cases else last
    if (best != plan.tree.values).any():
        # The prediction of a node that receives the whole row need not be the most probable class.
        stop = writer.name(*plan.unused_names("penjing_alone"))
        single_node = writer.nested(writer.prediction, single_node_only=True)
        inner.append(f"{single_node} AS {stop}")
        prediction = f"COALESCE({stop}, {prediction})"
    shares = writer.query(inner, table, pad="  ")
    return writer.query([f"{prediction} AS {predicted}"], f"(\n  {shares}\n)", "shares")


class _SqlWriter:
    """Writes the expressions of a plan in one dialect."""

    def __init__(self, plan: Plan, dialect: SqlDialect) -> None:
        try:
            from sqlglot import exp  # noqa: PLC0415 - an extra
        except ImportError:
            raise CapabilityError("export_needs", kind="sql", package="sqlglot") from None
        self._exp: Any = exp
        self._plan = plan
        self.dialect = dialect
        self._names = {c: self.name(plan.name(c)) for c in plan.columns}
        self._levels = {
            c: self._literals(plan.levels(c), dialect.text_end)
            for c in plan.columns
            if not plan.is_numeric(c)
        }
        self._classes = self._literals(plan.tree.classes)[1]

    def name(self, text: str) -> str:
        """Return a quoted identifier; refuse one that the dialect cannot have."""
        dialect = self.dialect
        is_long = dialect.max_name is not None and len(text.encode()) > dialect.max_name
        if is_long or ('"' in text and not dialect.has_quotes_in_names):
            raise CapabilityError("export_text", kind=f"sql ({dialect.name})", text=text)
        return str(self._exp.to_identifier(text, quoted=True).sql(self.dialect.name))

    def clean(self, table: str) -> str:
        """Return the subquery with the cleaned columns of a raw table, and use these from now."""
        plan, columns = self._plan, self._plan.columns
        cleaner = Cleaner(plan.tree, self.dialect.name, self.name, self.text, table)
        names = plan.unused_names(*(f"clean({plan.name(c)})" for c in columns))
        expressions = []
        for c, name in zip(columns, map(self.name, names), strict=True):
            cleaned = cleaner.column(plan.tree.schema[c])
            expressions.append(f"{cleaned.expression} AS {name}")
            self._names[c] = name
            self._levels[c] = "text", [self.text(text) for text in cleaned.texts]
        if not columns:
            return table
        return f"(\n  {self.query(expressions, table, pad='  ')}{cleaner.fence}\n)"

    def text(self, text: str) -> str:
        """Return a string literal."""
        literal = self._exp.Literal.string(text).sql(self.dialect.name)
        return f"{self.dialect.text_prefix}{literal}"

    def query(self, columns: list[str], source: str, name: str = "t", *, pad: str = "") -> str:
        """Return the query that adds columns to all columns of a table or subquery."""
        every, alias = self.dialect.all_columns, self.dialect.alias
        if every != "*" or source.startswith("("):
            source += alias.format(name=name)
        every = every.replace("t.", f"{name}.")
        lines = f",\n{pad}  ".join([every, *columns])
        return f"SELECT {lines}\n{pad}FROM {source}"

    def number(self, value: float, *, is_cut: bool = False) -> str:
        """Return a double; without an exponent, databases would read a decimal number."""
        value, dialect = float(value), self.dialect
        if math.isinf(value) and dialect.infinity is not None:
            sign = "-" if value < 0 else ""
            return dialect.infinity.format(sign=sign, double=dialect.double_type)
        decimal = repr(value)
        if dialect.name == "sqlite" and sum(c.isdigit() for c in decimal.split("e")[0]) > 15:
            return _exact_double(value)
        decimal = decimal if "e" in decimal else f"{decimal}e0"
        if dialect.casts_thresholds if is_cut else dialect.casts_doubles:
            return f"CAST({decimal} AS {dialect.double_type})"
        return decimal

    def class_(self, code: int) -> str:
        """Return a class as a literal."""
        return self._classes[code]

    def prediction(self, node: int) -> str:
        """Return the prediction of a node as a literal."""
        value = self._plan.tree.values[node]
        return self.number(value) if self._plan.tree.is_regression else self.class_(int(value))

    def share(self, k: int, node: int) -> str:
        """Return the probability of a class in a node as a literal."""
        return self.number(float(self._plan.probabilities[node, k]))

    def nested(self, prediction: Callable[[int], str], *, single_node_only: bool = False) -> str:
        """Return a tree as nested CASEs, built from the leaves upwards without recursion.

        With ``single_node_only`` a row of which fractions go down several branches gives NULL.
        """
        plan = self._plan
        if self.dialect.flat_depth is not None and plan.tree.depth > self.dialect.flat_depth:
            return self._path_list(prediction, single_node_only=single_node_only)
        expressions: dict[int, str] = {}
        depths = plan.tree.depths.tolist()
        for node in range(len(plan.splits) - 1, -1, -1):
            split = plan.splits[node]
            if split is None:
                expressions[node] = prediction(node)
                continue
            cases: list[tuple[str, str]] = []
            if single_node_only and split.fallback == FRACTION:
                test = conditions.fraction_condition(plan, split)
                cases.append((self.condition(test), "NULL"))
            for child, test in conditions.branches(plan, split):
                below = expressions.pop(child)
                if test != conditions.NEVER:
                    cases.append((self.condition(test), below))
            pad = "  " * (2 + 2 * min(depths[node], MAX_INDENT))
            expressions[node] = _case(cases, prediction(node), pad)
        return expressions[0]

    def _path_list(self, prediction: Callable[[int], str], *, single_node_only: bool) -> str:
        """Return a tree as one CASE with a line for each path; children come before parents."""
        plan = self._plan
        cases: list[tuple[str, str]] = []
        stack: list[tuple[int, str, bool]] = [(0, "", False)]
        while stack:
            node, path, is_done = stack.pop()
            split = plan.splits[node]
            if split is None or is_done:
                cases.append((path, prediction(node)))
                continue
            stack.append((node, path, True))
            prefix = f"{path} AND " if path else ""
            if single_node_only and split.fallback == FRACTION:
                test = conditions.fraction_condition(plan, split)
                cases.append((prefix + self.condition(test), "NULL"))
            for child, test in conditions.branches(plan, split):
                if test != conditions.NEVER:
                    stack.append((child, prefix + self.condition(test), False))
        return _case(cases[:-1], cases[-1][1], "    ")  # the root comes last

    def fractional_sum(self, k: int) -> str:
        """Return the probability of a class (or the predicted number) as a sum of products."""
        plan = self._plan
        expressions: dict[int, str] = {}
        for node in range(len(plan.splits) - 1, -1, -1):
            own_share = self.share(k, node)
            split = plan.splits[node]
            if split is None:
                expressions[node] = own_share
                continue
            cases, stop_cases = [], []
            is_missing = (
                self.condition(conditions.fraction_condition(plan, split))
                if split.fallback == FRACTION
                else ""
            )
            for child, test in conditions.branches(plan, split):
                below, condition = expressions.pop(child), self.condition(test)
                part = (
                    f" WHEN {is_missing} THEN {self.number(plan.fractions[child])}"
                    if is_missing
                    else ""
                )
                cases.append(f"CASE WHEN {condition} THEN 1e0{part} ELSE 0e0 END * {below}")
                stop_cases.append(f"WHEN {condition} THEN 0e0")
            stop_cases += [f"WHEN {is_missing} THEN 0e0"] if is_missing else []
            expressions[node] = (
                f"({' + '.join(cases)} + CASE {' '.join(stop_cases)} ELSE 1e0 END * {own_share})"
            )
        return expressions[0]

    def condition(self, test: conditions.Condition) -> str:
        """Return a condition; the recursion is at most as deep as a node has tests."""
        if isinstance(test, conditions.All | conditions.Any):
            if not test.parts:
                return "1 = 1" if isinstance(test, conditions.All) else "1 = 0"
            word = " AND " if isinstance(test, conditions.All) else " OR "
            return "(" + word.join(map(self.condition, test.parts)) + ")"
        v = self._names[test.column]
        if isinstance(test, conditions.AtMost):
            return self._compared(v, test.cut, "<=", "<")
        if isinstance(test, conditions.MoreThan):
            above = self._compared(v, test.cut, ">", ">=")
            return f"({above} AND NOT {self._is_nan(v)})" if self._is_nan(v) else above
        if isinstance(test, conditions.Missing):
            nan = self._is_nan(v) if self._plan.is_numeric(test.column) else None
            return f"({v} IS NULL OR {nan})" if nan else f"{v} IS NULL"
        if isinstance(test, conditions.Known):
            nan = self._is_nan(v) if self._plan.is_numeric(test.column) else None
            return f"({v} IS NOT NULL AND NOT {nan})" if nan else f"{v} IS NOT NULL"
        kind, literals = self._levels[test.column]
        comparable = self._comparable(v, kind)
        levels = [literals[code] for code in test.codes]
        among = self._among(comparable, levels)
        if isinstance(test, conditions.NoneOf):
            return f"({v} IS NULL OR NOT {among})"
        return f"{comparable} = {levels[0]}" if len(levels) == 1 else among

    def _compared(self, v: str, cut: float, operator: str, next_operator: str) -> str:
        """Return a comparison with a threshold, or with the next double if that is shorter.

        No double lies between the two, so ``x <= 2.4999999999999996`` is ``x < 2.5``.
        """
        if math.isinf(cut) and self.dialect.infinity is None:
            return f"{v} IS NOT NULL" if (cut > 0) == (operator == "<=") else "1 = 0"
        after = math.nextafter(cut, math.inf)
        if len(repr(after)) < len(repr(cut)) and not math.isinf(after):
            cut, operator = after, next_operator
        return f"{v} {operator} {self.number(cut, is_cut=True)}"

    def _among(self, v: str, levels: list[str]) -> str:
        """Return the condition that a value is one of a list."""
        n = self.dialect.max_in_list or len(levels) or 1
        lists = [levels[start : start + n] for start in range(0, len(levels), n)]
        parts = [f"{v} IN ({', '.join(some)})" for some in lists]
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"

    def _is_nan(self, v: str) -> str | None:
        return None if self.dialect.nan_test is None else self.dialect.nan_test.format(v=v)

    def _comparable(self, v: str, kind: str) -> str:
        if kind == "mixed":
            v = f"CAST({v} AS {self.dialect.text_type})"
        is_text = kind == "text" or (kind == "mixed" and self.dialect.text_end)
        return self.dialect.exact_text.format(v=v) if is_text else v

    def _literals(self, levels: tuple[Any, ...], end: str = "") -> tuple[str, list[str]]:
        """Return the type of the categories, and each as a literal, texts with an end mark."""
        if levels and all(isinstance(v, bool) for v in levels):
            return "truth", [self.dialect.true if v else self.dialect.false for v in levels]
        if levels and all(isinstance(v, int | float) and not isinstance(v, bool) for v in levels):
            return "number", [
                str(v) if isinstance(v, int) else self.number(v, is_cut=True) for v in levels
            ]
        kind = "text" if all(isinstance(v, str) for v in levels) else "mixed"
        texts = [v if isinstance(v, str) else text_of(v) for v in levels]
        return kind, [self.text(text + end) for text in texts]


def _case(cases: list[tuple[str, str]], default: str, pad: str) -> str:
    """Return a CASE of conditions and results, without last ones that result in the default."""
    n = len(cases)
    while n and cases[n - 1][1] == default:
        n -= 1
    if not n:
        return default
    lines = [f"WHEN {condition} THEN {result}" for condition, result in cases[:n]]
    body = "".join(f"\n{pad}{line}" for line in [*lines, f"ELSE {default}"])
    return f"CASE{body}\n{pad[:-2]}END"


def _exact_double(value: float) -> str:
    """Return a double as a whole number multiplied or divided by powers of two.

    SQLite reads only fifteen digits of a decimal exactly, but all whole numbers below 2^53.
    """
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(mantissa * 2**53), exponent - 53
    while whole % 2 == 0 and exponent < 0:
        whole, exponent = whole // 2, exponent + 1
    text = f"{whole}.0"
    while exponent:
        step = min(abs(exponent), 52)
        text += f" {'*' if exponent > 0 else '/'} {2**step}.0"
        exponent -= step if exponent > 0 else -step
    return f"({text})"
