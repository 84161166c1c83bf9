"""Dialects of SQL that are checked for syntax: T-SQL, Oracle and Redshift; and plain conditions."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from export_trees import TREES
from penjing import CapabilityError, Table, Tree, fit
from penjing.data.table import nominal, numeric
from penjing.export.plan import build_plan
from penjing.export.sql import _SqlWriter
from penjing.export.sql_dialects import DIALECTS, find_dialect
from penjing.predict.inputs import used_columns

NEW = ("tsql", "oracle", "redshift")


def plain_rows(n=300, seed=0):
    """Return rows whose names and categories every dialect can have."""
    rng = np.random.default_rng(seed)
    x, c = rng.normal(size=n).round(2), rng.integers(0, 5, n)
    gone = rng.random(n) < 0.1
    columns = (
        numeric("x", np.where(gone, np.nan, x)),
        nominal("Trailing ", [("a", "A", "a ", "it's", "清")[k] for k in c]),
        nominal("flag", [bool(v) for v in rng.random(n) < 0.5]),
    )
    y = (x + (c % 2) + rng.normal(size=n) * 0.3 > 0.5).tolist()
    return Table(columns, nominal("good", y), n)


TREES_BY_NAME = {
    "stop": lambda: fit(plain_rows(), recipe="c4.5-textbook", max_depth=4),
    "deep": lambda: fit(plain_rows(), recipe="cart-binary", missing="branch"),
    "fraction": lambda: fit(plain_rows(), recipe="c4.5"),
    "direction": lambda: fit(plain_rows(), recipe="sklearn", max_depth=6),
}


@pytest.mark.parametrize("dialect", NEW)
@pytest.mark.parametrize("name", TREES_BY_NAME)
def test_a_query_is_read_by_the_parser_of_its_dialect(name, dialect):
    tree = TREES_BY_NAME[name]()
    query = tree.export("sql", dialect=dialect, proba=True, table="Some rows")
    found = sqlglot.parse_one(query, dialect=dialect)
    assert found.find(exp.Case)
    outer = [c.alias for c in found.expressions if c.alias]
    assert outer[0] == "predicted"
    columns = {column.name for column in found.find_all(exp.Column)}
    assert {"x", "Trailing ", "flag"} & columns
    assert "Some rows" in {table.name for table in found.find_all(exp.Table)}


@pytest.mark.parametrize("dialect", NEW)
@pytest.mark.parametrize("name", TREES)
def test_odd_names_are_quoted_or_refused(name, dialect):
    tree = TREES[name]()
    if dialect == "oracle":  # no quotes in names
        used = [tree.schema[c].name for c in used_columns(tree)]
        if any('"' in text for text in used):
            with pytest.raises(CapabilityError, match="oracle"):
                tree.export("sql", dialect=dialect)
            return
        if tree.recipe.get("missing") == "fraction":
            return  # the names of the probabilities have quotes
    query = tree.export("sql", dialect=dialect)
    found = sqlglot.parse_one(query, dialect=dialect)
    known = {field.name for field in tree.schema}
    used = {c.name for c in found.find_all(exp.Column) if not c.name.startswith("p(")}
    assert used - {"v", "penjing_alone", ""} - {"*"} <= known


def test_tsql_has_no_truth_values_and_compares_all_characters():
    query = TREES_BY_NAME["deep"]().export("sql", dialect="tsql")
    assert not re.search(r"\b(TRUE|FALSE)\b", query)
    assert "CAST(1 AS BIT)" in query
    assert "N'a |'" in query
    assert "N'清|'" in query
    assert "COLLATE Latin1_General_100_BIN2" in query
    assert "[Trailing ]" in query


def test_tsql_nests_no_more_than_ten_cases():
    query = TREES_BY_NAME["deep"]().export("sql", dialect="tsql")
    tree = sqlglot.parse_one(query, dialect="tsql")
    deepest = 0
    for case in tree.find_all(exp.Case):
        depth, node = 0, case
        while node is not None:
            depth += isinstance(node, exp.Case)
            node = node.parent
        deepest = max(deepest, depth)
    assert TREES_BY_NAME["deep"]().depth > 10
    assert deepest <= 10


def test_oracle_selects_by_alias_and_compares_doubles():
    query = TREES_BY_NAME["stop"]().export("sql", dialect="oracle", missing="stop")
    assert query.startswith("SELECT t.*,")
    assert query.endswith('FROM "rows" t')
    assert "AS BINARY_DOUBLE)" in query
    assert " IS NAN" in query
    assert not re.search(r"\b(TRUE|FALSE)\b", query)
    with_fractions = TREES_BY_NAME["fraction"]().export("sql", dialect="oracle")
    assert with_fractions.endswith(") shares")


def test_oracle_refuses_what_it_cannot_have():
    for plain in (
        {'a"b': {"u": "x", "v": "y"}},
        {"a": {"": "x", "v": "y"}},
        {"n" * 200: {"u": "x"}},
    ):
        tree = Tree.from_dict(plain | {}, target="y")
        with pytest.raises(CapabilityError, match="oracle"):
            tree.export("sql", dialect="oracle")


def test_oracle_lists_have_at_most_a_thousand_values():
    n = 2500
    table = Table(
        (nominal("c", [f"k{i % n}" for i in range(2 * n)]),),
        nominal("y", ["ab"[(i % n) % 2] for i in range(2 * n)]),
        2 * n,
    )
    query = fit(table, recipe="cart-binary").export("sql", dialect="oracle")
    found = sqlglot.parse_one(query, dialect="oracle")
    sizes = [len(part.expressions) for part in found.find_all(exp.In)]
    assert max(sizes) <= 1000
    assert sum(sizes) >= n / 2


def test_redshift_compares_blanks_at_the_end():
    query = TREES_BY_NAME["deep"]().export("sql", dialect="redshift")
    assert "\"Trailing \" || '|'" in query


def test_dialects_are_known_by_other_names():
    assert [find_dialect(name).name for name in ("MSSQL", "sqlserver", "Redshift")] == [
        "tsql", "tsql", "redshift",
    ]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False))
def test_a_threshold_is_written_shorter_only_if_nothing_lies_between(cut, other):
    tree = Tree.from_dict({"x": {f"<= {cut!r}": "a", f"> {cut!r}": "b"}}, target="y")
    writer = _SqlWriter(build_plan(tree, "sql"), DIALECTS["duckdb"])
    condition = writer._compared("v", cut, "<=", "<")
    operator, number = re.fullmatch(r"v (<=?) (.*)", condition).groups()
    bound = float(number)
    for value in (cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf), other):
        holds = value <= bound if operator == "<=" else value < bound
        assert holds == (value <= cut)


def test_thresholds_read_as_the_tree_prints_them():
    cut = math.nextafter(2.5, 0)
    tree = Tree.from_dict({"x": {f"<= {cut!r}": "no", f"> {cut!r}": "yes"}}, target="y")
    query = tree.export("sql")
    assert '"x" < 2.5e0' in query
    assert "2.4999" not in query


def test_no_last_case_repeats_the_default():
    for name in ("stop", "deep"):
        tree = TREES_BY_NAME[name]()
        for dialect in ("duckdb", "sqlite", "postgres"):
            query = tree.export("sql", dialect=dialect, missing="stop" if name == "stop" else None)
            assert not re.search(r"THEN (TRUE|FALSE)\s+ELSE \1\s", query)
            parsed = sqlglot.parse_one(query, dialect=dialect)
            for case in parsed.find_all(exp.Case):
                assert case.args["ifs"][-1].args["true"] != case.args["default"]
