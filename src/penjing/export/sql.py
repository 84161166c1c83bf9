"""A tree as a SQL query: one CASE inside the other; quoting and literals by sqlglot.

Comparisons with NULL are neither true nor false, and CASE takes that for false, as the plan
wants it. NaN is missing; several databases hold that it is greater than all numbers, so ``>`` is
guarded. In a tree that shares rows out, the share of each class is a sum of products: the part
of the row that takes a branch, times what stands below.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from penjing.errors import CapabilityError, ChoiceError, unknown_name_error
from penjing.export import conditions as when
from penjing.export.plan import SHARE, Plan, plan_of, refuse_error, refuse_letters
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
"""The dialects, and how each asks whether a number is NaN."""
ALSO = {"postgresql": "postgres", "databricks": "spark"}
DEEPEST = 300
"""How many CASEs may stand inside each other; DuckDB and SQLite allow a depth of 1000."""
DEEPEST_SHARED = 100
"""The same for sums of products, where a question is three steps deep."""
MOST_TESTS = 50
SQLITE = {"flat": 8, "deepest": 100, "shared": 14, "tests": 8}
"""SQLite's parser holds a hundred things at a time: deeper trees become a list of paths."""
INDENTED = 12
"""How far lines are indented at most."""


def write(
    tree: TreeData,
    *,
    dialect: str = "duckdb",
    table: str = "rows",
    proba: bool = False,
    missing: str | None = None,
    unseen: str | None = None,
) -> str:
    """Return a tree as a query that adds its answer to each row of a table.

    Parameters
    ----------
    tree : TreeData
        The tree.
    dialect : str
        ``duckdb``, ``postgres``, ``sqlite``, ``mysql``, ``bigquery``, ``snowflake``, ``spark``.
    table : str
        The table's name.
    proba : bool
        Whether to add the share of each class; a tree that shares rows out always does.
    missing, unseen : str, optional
        As `predict` takes them; else as the tree's recipe says.

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
    dialect = ALSO.get(dialect.lower(), dialect.lower())
    if dialect not in DIALECTS:
        raise unknown_name_error("unknown_plug", dialect, DIALECTS, socket="dialect")
    plan = plan_of(tree, "sql", missing=missing, unseen=unseen)
    refuse_error(plan, "sql")
    refuse_letters(plan, "sql", lambda letter: letter == "\0")
    _refuse_deep(plan, dialect)
    if "\0" in table or not table:
        raise ChoiceError("export_table", value=table)
    names = {c: plan.name(c).casefold() for c in plan.columns}
    if "" in names.values():
        raise CapabilityError("export_text", kind="sql", text="''")
    if len(set(names.values())) < len(names):
        raise CapabilityError("export_names", kind="sql")
    words = _Words(plan, dialect)
    if plan.is_shared:
        return _shared(plan, words, table)
    answer = words.nested(words.answer, words.stop_text, indent=1)
    title, *shares = map(words.name, plan.answers)
    lines = [f"{answer} AS {title}"]
    for k, title in enumerate(shares if proba else ()):
        share = words.nested(partial(words.share, k), words.stop_text)
        lines.append(f"{share} AS {title}")
    return f"SELECT *,\n  {f',{chr(10)}  '.join(lines)}\nFROM {words.name(table)}"


def _refuse_deep(plan: Plan, dialect: str) -> None:
    limit = DEEPEST_SHARED if plan.is_shared else DEEPEST
    most = MOST_TESTS
    if dialect == "sqlite":
        limit = SQLITE["shared" if plan.is_shared else "deepest"]
        most = SQLITE["tests"]
    n_tests = max((len(ask.tests) for ask in plan.asks if ask), default=0)
    for n, at_most in ((plan.tree.depth, limit), (n_tests, most)):
        if n > at_most:
            raise CapabilityError(
                "export_too_deep", kind=f"sql ({dialect})", depth=n, limit=at_most
            )


def _shared(plan: Plan, words: _Words, table: str) -> str:
    """Return the query of a tree that shares rows out: shares inside, the class outside."""
    predicted, *titles = map(words.name, plan.answers)
    if plan.tree.is_regression:
        return f"SELECT *,\n  {words.mixed(0)} AS {predicted}\nFROM {words.name(table)}"
    if plan.costs is not None:
        raise CapabilityError("export_costs", kind="sql")
    inner = [f"{words.mixed(k)} AS {title}" for k, title in enumerate(titles)]
    found = np.asarray(plan.tree.shares)
    best = (found >= found.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    most = words.greatest(titles)
    tie = f"{most} - {words.number(TIE)}"
    picks = [f"WHEN {title} >= {tie} THEN {words.class_(k)}" for k, title in enumerate(titles[:-1])]
    last = words.class_(len(titles) - 1)
    answer = f"CASE {' '.join(picks)} ELSE {last} END" if picks else last
    if (best != plan.tree.values).any():
        # A node may answer otherwise than its shares say, as long as no other has a part.
        stop = words.name(*plan.titles("penjing_alone"))
        alone = words.nested(words.answer, lambda test: f"{test} THEN NULL", is_alone=True)
        inner.append(f"{alone} AS {stop}")
        answer = f"COALESCE({stop}, {answer})"
    body = ",\n    ".join(inner)
    return (
        f"SELECT *,\n  {answer} AS {predicted}\n"
        f"FROM (\n  SELECT *,\n    {body}\n  FROM {words.name(table)}\n) AS shares"
    )


class _Words:
    """The words of one dialect."""

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
        """Return a name in quotes."""
        return str(self._exp.to_identifier(text, quoted=True).sql(self._dialect))

    def text(self, text: str) -> str:
        """Return a literal."""
        return str(self._exp.Literal.string(text).sql(self._dialect))

    def greatest(self, names: list[str]) -> str:
        """Return the call for the greatest of several numbers."""
        if len(names) == 1:
            return names[0]
        word = "MAX" if self._dialect == "sqlite" else "GREATEST"
        return f"{word}({', '.join(names)})"

    def number(self, value: float, *, is_cut: bool = False) -> str:
        """Return a double; the exponent keeps it from being a decimal number."""
        value = float(value)
        if math.isinf(value):
            return _infinity(value, self._dialect)
        plain = repr(value)
        if self._dialect == "sqlite" and sum(c.isdigit() for c in plain.split("e")[0]) > 15:
            return _exact(value)
        plain = plain if "e" in plain else f"{plain}e0"
        if self._dialect == "postgres" and not is_cut:
            return f"CAST({plain} AS DOUBLE PRECISION)"
        return plain

    def class_(self, code: int) -> str:
        """Return a class."""
        return self._classes[code]

    def answer(self, node: int) -> str:
        """Return what a node answers."""
        value = self._plan.tree.values[node]
        return self.number(value) if self._plan.tree.is_regression else self.class_(int(value))

    def share(self, k: int, node: int) -> str:
        """Return the share of a class in a node."""
        return self.number(float(self._plan.shares[node, k]))

    def stop_text(self, _: str) -> str:
        """Return nothing: only trees that share rows out ask for it."""
        return ""

    def nested(
        self,
        answer: Callable[[int], str],
        shared: Callable[[str], str],
        *,
        indent: int = 1,
        is_alone: bool = False,
    ) -> str:
        """Return a tree as CASEs inside each other; children come first, so nothing recurs."""
        plan = self._plan
        if self._dialect == "sqlite" and plan.tree.depth > SQLITE["flat"]:
            return self._listed(answer, shared if is_alone else None)
        made: dict[int, str] = {}
        depths = plan.tree.depths.tolist()
        for node in range(len(plan.asks) - 1, -1, -1):
            ask = plan.asks[node]
            if ask is None:
                made[node] = answer(node)
                continue
            pad = "  " * (indent + 1 + 2 * min(depths[node], INDENTED))
            arms = []
            if is_alone and ask.last == SHARE:
                arms.append("WHEN " + shared(self.condition(when.shared(plan, ask))))
            for child, test in zip(ask.children, when.branches(plan, ask), strict=True):
                below = made.pop(child)
                if test != when.NEVER:
                    arms.append(f"WHEN {self.condition(test)} THEN {below}")
            arms.append(f"ELSE {answer(node)}")
            lines = "".join(f"\n{pad}{arm}" for arm in arms)
            made[node] = f"CASE{lines}\n{pad[:-2]}END" if len(arms) > 1 else answer(node)
        return made[0]

    def _listed(self, answer: Callable[[int], str], shared: Callable[[str], str] | None) -> str:
        """Return a tree as one CASE, a path a line; what stands below a node comes before it."""
        plan = self._plan
        arms: list[str] = []
        waiting: list[tuple[int, str, bool]] = [(0, "", False)]
        while waiting:
            node, path, is_done = waiting.pop()
            ask = plan.asks[node]
            if ask is None or is_done:
                arms.append(f"WHEN {path} THEN {answer(node)}" if path else f"ELSE {answer(node)}")
                continue
            waiting.append((node, path, True))
            ahead = f"{path} AND " if path else ""
            if shared is not None and ask.last == SHARE:
                arms.append("WHEN " + shared(ahead + self.condition(when.shared(plan, ask))))
            for child, test in zip(ask.children, when.branches(plan, ask), strict=True):
                if test != when.NEVER:
                    waiting.append((child, ahead + self.condition(test), False))
        return "CASE" + "".join(f"\n    {arm}" for arm in arms) + "\n  END"

    def mixed(self, k: int) -> str:
        """Return the share of a class (or the number) as a sum of products."""
        plan = self._plan
        made: dict[int, str] = {}
        for node in range(len(plan.asks) - 1, -1, -1):
            own = self.share(k, node)
            ask = plan.asks[node]
            if ask is None:
                made[node] = own
                continue
            arms, stays = [], []
            lost = self.condition(when.shared(plan, ask)) if ask.last == SHARE else ""
            for child, test in zip(ask.children, when.branches(plan, ask), strict=True):
                below, taken = made.pop(child), self.condition(test)
                part = f" WHEN {lost} THEN {self.number(plan.share[child])}" if lost else ""
                arms.append(f"CASE WHEN {taken} THEN 1e0{part} ELSE 0e0 END * {below}")
                stays.append(f"WHEN {taken} THEN 0e0")
            stays += [f"WHEN {lost} THEN 0e0"] if lost else []
            made[node] = f"({' + '.join(arms)} + CASE {' '.join(stays)} ELSE 1e0 END * {own})"
        return made[0]

    def condition(self, test: when.Condition) -> str:
        """Return a condition; it is never deeper than a node has tests."""
        if isinstance(test, when.All | when.Any):
            if not test.parts:
                return "1 = 1" if isinstance(test, when.All) else "1 = 0"
            word = " AND " if isinstance(test, when.All) else " OR "
            return "(" + word.join(map(self.condition, test.parts)) + ")"
        v = self._names[test.column]
        if isinstance(test, when.AtMost):
            return f"{v} <= {self.number(test.cut, is_cut=True)}"
        if isinstance(test, when.MoreThan):
            above = f"{v} > {self.number(test.cut, is_cut=True)}"
            return f"({above} AND NOT {self._nan(v)})" if self._nan(v) else above
        if isinstance(test, when.Missing):
            nan = self._nan(v) if self._plan.is_numeric(test.column) else None
            return f"({v} IS NULL OR {nan})" if nan else f"{v} IS NULL"
        if isinstance(test, when.Known):
            nan = self._nan(v) if self._plan.is_numeric(test.column) else None
            return f"({v} IS NOT NULL AND NOT {nan})" if nan else f"{v} IS NOT NULL"
        kind, literals = self._levels[test.column]
        compared = self._compared(v, kind)
        levels = [literals[code] for code in test.codes]
        among = f"{compared} IN ({', '.join(levels)})"
        if isinstance(test, when.NoneOf):
            return f"({v} IS NULL OR NOT {among})"
        return f"{compared} = {levels[0]}" if len(levels) == 1 else among

    def _nan(self, v: str) -> str | None:
        form = DIALECTS[self._dialect]
        found = None if form is None else form.format(v=v)
        return f"({found})" if found and "=" in found else found

    def _compared(self, v: str, kind: str) -> str:
        if kind == "mixed":
            word = {"mysql": "CHAR", "bigquery": "STRING", "spark": "STRING"}
            return f"CAST({v} AS {word.get(self._dialect, 'VARCHAR')})"
        # MySQL takes 'a' for 'A' unless it is told to compare bytes
        return f"CAST({v} AS BINARY)" if kind == "text" and self._dialect == "mysql" else v

    def _literals(self, levels: tuple[Any, ...]) -> tuple[str, list[str]]:
        """Return what levels are, and each as a literal: numbers, truths or texts."""
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


def _exact(value: float) -> str:
    """Return a double as a whole number times or by powers of two.

    SQLite promises fifteen digits of a decimal only; whole numbers below 2^53 and powers of two
    it holds as they are.
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
