"""A tree as a SQL query of nested CASEs; sqlglot writes quoted names and literals.

Comparisons with NULL are neither true nor false, and CASE treats them as false, as the conditions
require. NaN is missing; several databases sort it above all numbers, so ``>`` also excludes NaN.
With fractional cases, the probability of each class is a sum of products: the fraction of the row
that takes a branch, times the probability below it.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from penjing.errors import CapabilityError, ChoiceError, unknown_name_error
from penjing.export import conditions
from penjing.export.plan import FRACTION, Plan, build_plan, refuse_characters, refuse_unseen_error
from penjing.predict.inputs import text_of
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

DIALECTS = {
    "duckdb": "isnan({v})",
    "postgres": "{v} = CAST('NaN' AS DOUBLE PRECISION)",
    "sqlite": None,  # NaN is stored as NULL
    "mysql": None,  # there is no NaN
    "bigquery": "IS_NAN({v})",
    "snowflake": "{v} = CAST('NaN' AS FLOAT)",
    "spark": "isnan({v})",
}
"""The test for NaN in each dialect."""
DIALECT_ALIASES = {"postgresql": "postgres", "databricks": "spark"}
MAX_DEPTH = 300
"""Maximum depth of nested CASEs; DuckDB and SQLite allow expressions of depth 1,000."""
MAX_DEPTH_FRACTIONS = 100
"""The same for sums of products, in which a split takes three levels."""
MAX_TESTS = 50
SQLITE = {"flat": 8, "deepest": 100, "shared": 14, "tests": 8}
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
) -> str:
    """Return a tree as a query that adds the prediction to each row of a table.

    Parameters
    ----------
    tree : TreeData
        The tree.
    dialect : str
        ``duckdb``, ``postgres``, ``sqlite``, ``mysql``, ``bigquery``, ``snowflake``, ``spark``.
    table : str
        The table's name.
    proba : bool
        Whether to add the probability of each class; always true with fractional cases.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

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
    dialect = DIALECT_ALIASES.get(dialect.lower(), dialect.lower())
    if dialect not in DIALECTS:
        raise unknown_name_error("unknown_plug", dialect, DIALECTS, socket="dialect")
    plan = build_plan(tree, "sql", missing=missing, unseen=unseen)
    refuse_unseen_error(plan, "sql")
    refuse_characters(plan, "sql", lambda character: character == "\0")
    _refuse_deep_tree(plan, dialect)
    if "\0" in table or not table:
        raise ChoiceError("export_table", value=table)
    names = {c: plan.name(c).casefold() for c in plan.columns}
    if "" in names.values():
        raise CapabilityError("export_text", kind="sql", text="''")
    if len(set(names.values())) < len(names):
        raise CapabilityError("export_names", kind="sql")
    writer = _SqlWriter(plan, dialect)
    if plan.has_fractions:
        return _fractional_query(plan, writer, table)
    prediction = writer.nested(writer.prediction, writer.no_case, indent=1)
    output_name, *shares = map(writer.name, plan.output_names)
    lines = [f"{prediction} AS {output_name}"]
    for k, output_name in enumerate(shares if proba else ()):
        share = writer.nested(partial(writer.share, k), writer.no_case)
        lines.append(f"{share} AS {output_name}")
    return f"SELECT *,\n  {f',{chr(10)}  '.join(lines)}\nFROM {writer.name(table)}"


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


def _fractional_query(plan: Plan, writer: _SqlWriter, table: str) -> str:
    """Return the query with fractional cases: a subquery computes the probabilities."""
    predicted, *class_names = map(writer.name, plan.output_names)
    if plan.tree.is_regression:
        return f"SELECT *,\n  {writer.fractional_sum(0)} AS {predicted}\nFROM {writer.name(table)}"
    if plan.costs is not None:
        raise CapabilityError("export_costs", kind="sql")
    inner = [
        f"{writer.fractional_sum(k)} AS {output_name}" for k, output_name in enumerate(class_names)
    ]
    probabilities = np.asarray(plan.tree.shares)
    best = (probabilities >= probabilities.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    largest = writer.greatest(class_names)
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
        single_node = writer.nested(
            writer.prediction, lambda test: f"{test} THEN NULL", single_node_only=True
        )
        inner.append(f"{single_node} AS {stop}")
        prediction = f"COALESCE({stop}, {prediction})"
    body = ",\n    ".join(inner)
    return (
        f"SELECT *,\n  {prediction} AS {predicted}\n"
        f"FROM (\n  SELECT *,\n    {body}\n  FROM {writer.name(table)}\n) AS shares"
    )


class _SqlWriter:
    """Writes the expressions of a plan in one dialect."""

    def __init__(self, plan: Plan, dialect: str) -> None:
        try:
            from sqlglot import exp  # noqa: PLC0415 - an extra
        except ImportError:
            raise CapabilityError("export_needs", kind="sql", package="sqlglot") from None
        self._exp: Any = exp
        self._plan = plan
        self._dialect = dialect
        self._names = {c: self.name(plan.name(c)) for c in plan.columns}
        self._levels = {
            c: self._literals(plan.levels(c)) for c in plan.columns if not plan.is_numeric(c)
        }
        self._classes = self._literals(plan.tree.classes)[1]

    def name(self, text: str) -> str:
        """Return a quoted identifier."""
        return str(self._exp.to_identifier(text, quoted=True).sql(self._dialect))

    def text(self, text: str) -> str:
        """Return a string literal."""
        return str(self._exp.Literal.string(text).sql(self._dialect))

    def greatest(self, names: list[str]) -> str:
        """Return the call for the greatest of several numbers."""
        if len(names) == 1:
            return names[0]
        word = "MAX" if self._dialect == "sqlite" else "GREATEST"
        return f"{word}({', '.join(names)})"

    def number(self, value: float, *, is_cut: bool = False) -> str:
        """Return a double; without an exponent, databases would read a decimal number."""
        value = float(value)
        if math.isinf(value):
            return _infinity(value, self._dialect)
        decimal = repr(value)
        if self._dialect == "sqlite" and sum(c.isdigit() for c in decimal.split("e")[0]) > 15:
            return _exact_double(value)
        decimal = decimal if "e" in decimal else f"{decimal}e0"
        if self._dialect == "postgres" and not is_cut:
            return f"CAST({decimal} AS DOUBLE PRECISION)"
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

    def no_case(self, _: str) -> str:
        """Return an empty text; only fractional cases need another."""
        return ""

    def nested(
        self,
        prediction: Callable[[int], str],
        fraction_case: Callable[[str], str],
        *,
        indent: int = 1,
        single_node_only: bool = False,
    ) -> str:
        """Return a tree as nested CASEs, built from the leaves upwards without recursion."""
        plan = self._plan
        if self._dialect == "sqlite" and plan.tree.depth > SQLITE["flat"]:
            return self._path_list(prediction, fraction_case if single_node_only else None)
        expressions: dict[int, str] = {}
        depths = plan.tree.depths.tolist()
        for node in range(len(plan.splits) - 1, -1, -1):
            split = plan.splits[node]
            if split is None:
                expressions[node] = prediction(node)
                continue
            pad = "  " * (indent + 1 + 2 * min(depths[node], MAX_INDENT))
            cases = []
            if single_node_only and split.fallback == FRACTION:
                cases.append(
                    "WHEN "
                    + fraction_case(self.condition(conditions.fraction_condition(plan, split)))
                )
            for child, test in conditions.branches(plan, split):
                below = expressions.pop(child)
                if test != conditions.NEVER:
                    cases.append(f"WHEN {self.condition(test)} THEN {below}")
            cases.append(f"ELSE {prediction(node)}")
            lines = "".join(f"\n{pad}{case}" for case in cases)
            expressions[node] = (
                f"CASE{lines}\n{pad[:-2]}END" if len(cases) > 1 else prediction(node)
            )
        return expressions[0]

    def _path_list(
        self, prediction: Callable[[int], str], fraction_case: Callable[[str], str] | None
    ) -> str:
        """Return a tree as one CASE with a line for each path; children come before parents."""
        plan = self._plan
        cases: list[str] = []
        stack: list[tuple[int, str, bool]] = [(0, "", False)]
        while stack:
            node, path, is_done = stack.pop()
            split = plan.splits[node]
            if split is None or is_done:
                cases.append(
                    f"WHEN {path} THEN {prediction(node)}" if path else f"ELSE {prediction(node)}"
                )
                continue
            stack.append((node, path, True))
            prefix = f"{path} AND " if path else ""
            if fraction_case is not None and split.fallback == FRACTION:
                cases.append(
                    "WHEN "
                    + fraction_case(
                        prefix + self.condition(conditions.fraction_condition(plan, split))
                    )
                )
            for child, test in conditions.branches(plan, split):
                if test != conditions.NEVER:
                    stack.append((child, prefix + self.condition(test), False))
        return "CASE" + "".join(f"\n    {case}" for case in cases) + "\n  END"

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
            return f"{v} <= {self.number(test.cut, is_cut=True)}"
        if isinstance(test, conditions.MoreThan):
            above = f"{v} > {self.number(test.cut, is_cut=True)}"
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
        among = f"{comparable} IN ({', '.join(levels)})"
        if isinstance(test, conditions.NoneOf):
            return f"({v} IS NULL OR NOT {among})"
        return f"{comparable} = {levels[0]}" if len(levels) == 1 else among

    def _is_nan(self, v: str) -> str | None:
        form = DIALECTS[self._dialect]
        test = None if form is None else form.format(v=v)
        return f"({test})" if test and "=" in test else test

    def _comparable(self, v: str, kind: str) -> str:
        if kind == "mixed":
            word = {"mysql": "CHAR", "bigquery": "STRING", "spark": "STRING"}
            return f"CAST({v} AS {word.get(self._dialect, 'VARCHAR')})"
        # MySQL ignores case unless bytes are compared.
        return f"CAST({v} AS BINARY)" if kind == "text" and self._dialect == "mysql" else v

    def _literals(self, levels: tuple[Any, ...]) -> tuple[str, list[str]]:
        """Return the type of the categories, and each of them as a literal."""
        if levels and all(isinstance(v, bool) for v in levels):
            return "truth", ["TRUE" if v else "FALSE" for v in levels]
        if levels and all(isinstance(v, int | float) and not isinstance(v, bool) for v in levels):
            return "number", [
                str(v) if isinstance(v, int) else self.number(v, is_cut=True) for v in levels
            ]
        kind = "text" if all(isinstance(v, str) for v in levels) else "mixed"
        return kind, [self.text(v if isinstance(v, str) else text_of(v)) for v in levels]


def _infinity(value: float, dialect: str) -> str:
    sign = "-" if value < 0 else ""
    if dialect in ("sqlite", "mysql"):
        return f"{sign}9e999"
    kind = {"bigquery": "FLOAT64", "snowflake": "FLOAT", "postgres": "DOUBLE PRECISION"}
    return f"CAST('{sign}Infinity' AS {kind.get(dialect, 'DOUBLE')})"


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
