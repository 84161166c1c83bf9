"""Every export, run by what it was made for, answers as the tree does."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import export_programs as programs
from export_rows import as_table, made_rows
from export_trees import TREES, chain
from penjing import CapabilityError, ChoiceError, Tree

KINDS = {
    "python": programs.by_python,
    "c": programs.by_c,
    "javascript": programs.by_javascript,
    "java": programs.by_java,
    "duckdb": programs.by_duckdb,
    "sqlite": programs.by_sqlite,
    "postgres": programs.by_postgres,
    "onnx": programs.by_onnx,
    "pmml": programs.by_pmml,
}
FEW, MANY = 400, 10_000
"""How many rows are tried by default, and in the long run."""
QUICK = ("id3", "fraction", "branch", "stay", "direction", "regression")
"""The trees that are tried by default."""
SHARES = 1e-12
"""Sums of products in another order differ by their rounding."""


@cache
def tree_of(name: str) -> Tree:
    return TREES[name]()


@cache
def rows_for(name: str, n: int) -> list:
    return made_rows(tree_of(name), n)


@pytest.fixture(scope="session")
def link():
    with programs.postgres() as found:
        yield found


def agree(name, kind, n, folder, request, **options):
    """Compare the answers of an export with those of the tree, row by row."""
    tree, rows = tree_of(name), rows_for(name, n)
    assert len(rows) == (n if tree.n_leaves > 1 else 1)
    if kind == "onnx":  # has no missing text but the empty one
        rows = [row for row in rows_for(name, 2 * n) if "" not in row.values()][:n]
    if kind == "pmml" and tree.recipe.get("missing") == "fraction":
        with pytest.raises(CapabilityError, match="fractional cases"):
            tree.export("pmml")
        options.setdefault("missing", "stop")
    given = {"link": request.getfixturevalue("link")} if kind == "postgres" else {}
    answers, shares = KINDS[kind](tree, rows, folder, **options, **given)
    table = as_table(tree, rows)
    wanted = tree.predict(table, **options).tolist()
    assert len(answers) == len(wanted)
    wrong = [(row, w, a) for row, w, a in zip(rows, wanted, answers, strict=True) if not same(w, a)]
    assert wrong == []
    if not tree.is_regression:
        right = tree.predict_proba(table, **options)
        assert np.abs(np.asarray(shares) - right).max() <= SHARES


def same(wanted, found) -> bool:
    if isinstance(wanted, float):
        return math.isclose(wanted, found, rel_tol=SHARES)
    return wanted == found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", QUICK)
def test_an_export_answers_as_the_tree_does(name, kind, tmp_path, request):
    agree(name, kind, FEW, tmp_path, request)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TREES)
def test_an_export_answers_as_the_tree_does_on_ten_thousand_rows(name, kind, tmp_path, request):
    agree(name, kind, MANY, tmp_path, request)


@pytest.mark.parametrize("kind", ["python", "c", "javascript", "java", "duckdb", "sqlite", "onnx"])
@pytest.mark.parametrize("missing", ["stop", "fraction"])
@pytest.mark.parametrize("unseen", ["stop", "missing"])
def test_missing_and_unseen_may_be_told(kind, missing, unseen, tmp_path, request):
    agree("surrogates", kind, 200, tmp_path, request, missing=missing, unseen=unseen)


@pytest.mark.parametrize("kind", ["python", "c", "javascript", "java"])
@pytest.mark.parametrize("name", ["id3", "fraction", "branch", "direction"])
def test_a_level_that_is_refused_is_refused_by_the_program(kind, name, tmp_path):
    tree = tree_of(name)
    rows = made_rows(tree, 60)
    fine = []
    for row in rows:
        try:
            tree.predict(as_table(tree, [row]), unseen="error")
            fine.append(True)
        except ValueError:
            fine.append(False)
    assert 0 < sum(fine) < len(fine)
    good = [row for row, is_fine in zip(rows, fine, strict=True) if is_fine]
    answers, _ = KINDS[kind](tree, good, tmp_path, unseen="error")
    assert answers == tree.predict(as_table(tree, good), unseen="error").tolist()
    bad = [row for row, is_fine in zip(rows, fine, strict=True) if not is_fine]
    for row in bad if kind == "python" else ():
        with pytest.raises(ValueError, match="not seen in training"):
            KINDS[kind](tree, [row], tmp_path, unseen="error")
    if kind != "python":
        answers, _ = KINDS[kind](tree, bad, tmp_path, unseen="error")
        assert answers == [None] * len(bad)


def known_or_not(depth):
    """Return a tree that asks only whether columns have a value; few training rows have one."""
    plain = {"a": {"≠ ?": "k", "= ?": {"b": {"u": "m", "v": "m"}}}}
    for i in range(depth):
        plain = {"abc"[i % 3]: {"≠ ?": plain, "= ?": {"b": {"u": "mk"[i % 2], "v": "m"}}}}
    return Tree.from_dict(plain, target="y")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [0, 60])
def test_a_value_that_only_has_to_be_known_goes_that_way(kind, depth, tmp_path, request):
    tree = known_or_not(depth)
    cells = ("u", "new", None)
    rows = [{"a": a, "b": b, "c": c} for a in cells for b in cells for c in cells]
    rows = [{name: row[name] for name in programs.names_of(tree)} for row in rows]
    given = {"link": request.getfixturevalue("link")} if kind == "postgres" else {}
    answers, _ = KINDS[kind](tree, rows, tmp_path, **given)
    assert answers == tree.predict(rows).tolist()
    assert answers[0] == answers[rows.index(dict.fromkeys(rows[0], "new"))] == "k"


@pytest.mark.parametrize("kind", ["sql", "pmml", "onnx", "excel"])
def test_a_target_that_cannot_refuse_a_row_is_refused_itself(kind):
    with pytest.raises(CapabilityError, match="cannot raise errors"):
        tree_of("stay").export(kind, unseen="error")


@pytest.mark.parametrize("kind", ["python", "c", "javascript", "java", "onnx"])
def test_a_tree_of_fifty_thousand_questions_is_walked(kind, tmp_path):
    tree = deep()
    rows = [{"x": x} for x in (-1.0, 0.0, 0.06, 700.0, 6249.9, 1e9, math.nan)]
    if kind == "onnx":  # a step of its loop takes all rows along
        rows = rows[:3]
    answers, _ = KINDS[kind](tree, rows, tmp_path)
    assert answers == tree.predict(as_table(tree, rows)).tolist()


@cache
def deep() -> Tree:
    return chain(50_000)


@pytest.mark.parametrize("kind", ["sql", "pmml", "excel"])
def test_what_a_target_cannot_nest_is_refused(kind):
    with pytest.raises(CapabilityError, match="more than the"):
        deep().export(kind)


@pytest.mark.parametrize("kind", ["nested", "dict"])
def test_documents_are_as_deep_as_the_tree(kind):
    assert chain(50_000).export(kind)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("missing", ["stop", "fraction"])
def test_the_deepest_query_runs(kind, missing, tmp_path, request):
    from penjing.export import sql  # noqa: PLC0415

    limit = {"stop": sql.MAX_DEPTH, "fraction": sql.MAX_DEPTH_FRACTIONS}[missing]
    if kind == "sqlite":
        limit = sql.SQLITE[{"stop": "deepest", "fraction": "shared"}[missing]]
    tree = chain(limit)
    rows = [{"x": x} for x in (-1.0, 0.0, 1.06, limit / 8, 1e9, None)]
    given = {"link": request.getfixturevalue("link")} if kind == "postgres" else {}
    answers, _ = KINDS[kind](tree, rows, tmp_path, missing=missing, **given)
    assert answers == tree.predict(as_table(tree, rows), missing=missing).tolist()
    with pytest.raises(CapabilityError, match="nested splits, more than the"):
        chain(limit + 1).export("sql", dialect=kind, missing=missing)


@pytest.mark.parametrize("dialect", [
    "mysql", "bigquery", "snowflake", "spark", "postgresql", "tsql", "mssql", "redshift",
])  # fmt: skip
@pytest.mark.parametrize(
    "names",
    [
        ("stay", "fraction", "classes", "branch", "regression", "surrogates"),
        pytest.param(("large",), marks=pytest.mark.slow),
    ],
    ids=["small", "large"],
)
def test_every_dialect_is_read_back_by_its_own_parser(dialect, names):
    import sqlglot  # noqa: PLC0415

    known = {"postgresql": "postgres", "mssql": "tsql"}.get(dialect, dialect)
    for name in names:
        text = tree_of(name).export("sql", dialect=dialect, proba=True)
        found = sqlglot.parse_one(text, dialect=known)
        levels = {str(v) for v in found.find_all(sqlglot.exp.Literal) if v.is_string}
        levels |= {str(v) for v in found.find_all(sqlglot.exp.National)}
        assert found.find(sqlglot.exp.Case)
        assert levels


def test_words_are_checked():
    tree = tree_of("id3")
    with pytest.raises(ChoiceError, match="Did you mean 'python"):
        tree.export("pyton")
    with pytest.raises(ChoiceError, match="Did you mean 'dialect'"):
        tree.export("sql", dialct="duckdb")
    with pytest.raises(ChoiceError, match="dialect"):
        tree.export("sql", dialect="sybase")
    with pytest.raises(ChoiceError, match="table"):
        tree.export("sql", table="")
    with pytest.raises(ChoiceError, match="Java"):
        tree.export("java", name="1 2")
    with pytest.raises(ChoiceError, match="B2"):
        tree.export("excel", cells={"number": "what"})
    with pytest.raises(CapabilityError, match="raise an error for missing values"):
        tree.export("c", missing="error")


def test_texts_that_a_target_cannot_hold_are_refused():
    lone = Tree.from_dict({"a": {"\ud800": "x", "b": "y"}})
    ends = Tree.from_dict({"a": {"a\0b": "x", "b": "y"}})
    alike = Tree.from_dict({"a": {1: "x", "1": "y"}})
    for kind in ("python", "sql", "c", "javascript", "java", "pmml", "onnx", "excel"):
        with pytest.raises(CapabilityError, match="cannot represent"):
            lone.export(kind)
        with pytest.raises(CapabilityError, match="two categories with the same text '1'"):
            alike.export(kind)
    for kind in ("sql", "c", "pmml", "excel"):
        with pytest.raises(CapabilityError, match="cannot represent"):
            ends.export(kind)
    with pytest.raises(CapabilityError, match="empty string"):
        Tree.from_dict({"a": {"": "x", "b": "y"}}).export("onnx")
    with pytest.raises(CapabilityError, match="differ only in case"):
        Tree.from_dict({"a": {"x": "y", "z": {"A": {"x": "y", "z": "n"}}}}).export("sql")
