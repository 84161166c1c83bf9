"""A database that counts grows the tree of memory; what it cannot do it refuses in a sentence."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import penjing
from databases import duckdb_file, postgres_of_our_own
from export_programs import postgres as postgres_server
from penjing.criteria.criterion import gains
from penjing.criteria.gini import Gini
from penjing.data.table import Column, Table, numeric
from penjing.engines.out_of_core import bucket_search
from penjing.engines.sql import columns as sql_columns
from penjing.engines.sql import connection as sql_connection
from penjing.engines.sql import postgres as postgres_engine
from penjing.engines.sql import routing as sql_routing
from penjing.tree.counts import Classes
from remote_tables import by_memory, created, plain, rows_of, schema_of, some_table, trimmed
from shared import shared

RECIPES = [
    ("id3", {}),
    ("c4.5-textbook", {}),
    ("cart-textbook", {"max_depth": 5}),
    ("cart-binary", {"max_depth": 6}),
    ("c4.5", {}),
    ("j48", {}),
    ("rpart", {}),
]
DATA = [
    "car/car.csv",
    "iris/iris.csv",
    pytest.param("diabetes/diabetes.csv", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def database(request, tmp_path_factory):
    """Return a function that puts a table into a database, and says where it is."""
    made = duckdb_file(tmp_path_factory.mktemp("db")) if request.param == "duckdb" else None
    with made or postgres_of_our_own() as put:
        yield put


@pytest.mark.parametrize(("recipe", "settings"), RECIPES)
def test_the_tree_of_memory_from_random_rows(database, recipe, settings, monkeypatch):
    monkeypatch.setattr(sql_connection, "MAX_LISTED_NUMBERS", 50)
    monkeypatch.setattr(sql_routing, "MAX_CASE_NODES", 4)
    monkeypatch.setattr(sql_columns, "BUCKETS", 16)
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 60)
    table = trimmed(some_table())
    source, where = database(table)
    engine = "duckdb" if source.startswith("duckdb") else "postgres"
    tree = penjing.fit(source, "y", recipe, schema=schema_of(table), **where, **settings)
    assert tree.about["engine"]["name"] == engine
    assert plain(tree) == by_memory(table, recipe, **settings)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("recipe", ["id3", "c4.5", "rpart"])
def test_the_tree_of_memory_from_data(database, name, recipe, monkeypatch):
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 100)
    table = trimmed(penjing.read(shared(f"data/{name}")))
    source, where = database(table)
    target = table.target.name
    tree = penjing.fit(source, target, recipe, schema=schema_of(table), **where)
    assert plain(tree) == by_memory(table, recipe)


def test_surrogates_for_missing_values(database, monkeypatch):
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 200)
    table = trimmed(some_table(missing=True))
    source, where = database(table)
    tree = penjing.fit(source, "y", "rpart", schema=schema_of(table), **where)
    expected = by_memory(table, "rpart")
    found = plain(tree)
    for model in (found, expected):
        for node in model["nodes"]:
            node.pop("gap", None)
    assert found == expected


def test_progress_tells_of_generations(database, monkeypatch):
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 60)
    table, told = trimmed(some_table()), []
    source, where = database(table)
    how = {"schema": schema_of(table), "max_depth": 3, "progress": told.append}
    tree = penjing.fit(source, "y", "cart-binary", **how, **where)
    assert [t.generation for t in told] == sorted(t.generation for t in told)
    assert (told[0].generation, told[0].n_open) == (1, 2)
    read = [t.row_levels for t in told]
    assert read == sorted(read)
    assert told[0].n_rows == table.n_rows
    assert told[-1].n_leaves == tree.n_leaves
    placed = [t.n_placed for t in told]
    assert placed == sorted(placed)
    assert placed[-1] == table.n_rows
    assert told[-1].n_open == 0


def test_a_query_is_a_table(tmp_path):
    with duckdb.connect(tmp_path / "rows.db") as link:
        link.execute("CREATE TABLE legs AS SELECT * FROM (VALUES (0, 'fish'), (2, 'bird')) t(n, c)")
    query = "SELECT n + 1 AS legs, c AS class FROM legs UNION ALL SELECT 5, 'cat';"
    source = f"duckdb:{tmp_path / 'rows.db'}"
    tree = penjing.fit(source, recipe="id3", query=query, engine="duckdb")
    assert tree.target.name == "class"
    assert tree.predict({"legs": 5}) == "cat"
    assert tree.n_leaves == 3


def test_a_query_may_end_in_a_comment_and_have_no_blanks(tmp_path):
    with duckdb.connect(tmp_path / "rows.db") as link:
        link.execute("CREATE TABLE legs AS SELECT i % 3 AS n, i % 3 = 1 AS c FROM range(9) t(i)")
    for query in ("select * from legs -- all of them", "select\n*\nfrom\nlegs"):
        tree = penjing.fit(f"duckdb:{tmp_path / 'rows.db'}", "c", query=query, engine="duckdb")
        assert tree.about["n_rows"] == 9


def test_names_of_our_own_are_no_trouble_in_names_and_levels(database, monkeypatch):
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 5)
    monkeypatch.setattr(sql_connection, "MAX_LISTED_NUMBERS", 50)
    monkeypatch.setattr(sql_routing, "MAX_CASE_NODES", 4)
    rng, n = np.random.default_rng(5), 600
    ours = ["rows", "bucket_0", "short_0", "short_1", "work_1"]
    words = [f'"penjing{mark}{name}"' for mark in ":_" for name in ours]
    words += [f"{word}'s" for word in words] + [f"'{word}" for word in words]
    levels = tuple(sorted(words))
    codes = rng.integers(0, len(levels), n).astype(np.int32)
    x = rng.normal(size=n)
    classes = (x + codes % 3 > 1).astype(np.int32)
    target = Column("penjing_short_0", "nominal", levels[:2], classes)
    columns = (Column("penjing_rows", "nominal", levels, codes), numeric("penjing_bucket_1", x))
    table = trimmed(Table(columns, target, n))
    source, where = database(table)
    tree = penjing.fit(source, target.name, "cart-binary", schema=schema_of(table), **where)
    assert plain(tree) == by_memory(table, "cart-binary")


def test_words_for_missing_and_ids_are_judged_as_in_files(tmp_path):
    rows = [(i, "a" if i % 3 else " b ", "?" if i % 5 == 0 else str(i % 4)) for i in range(40)]
    with duckdb.connect(tmp_path / "rows.db") as link:
        link.execute("CREATE TABLE t (id INTEGER, s VARCHAR, class VARCHAR)")
        link.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    tree = penjing.fit(f"duckdb:{tmp_path / 'rows.db'}", query="t", engine="duckdb")
    assert tree.about["left_out"] == [["id", "id"]]
    assert tree.about["n_rows"] == 32
    assert tree.schema[0].levels == ("a", "b")


def test_what_cannot_be_done_is_refused(tmp_path):
    path = f"duckdb:{tmp_path / 'rows.db'}"
    with duckdb.connect(tmp_path / "rows.db") as link:
        link.execute("CREATE TABLE t AS SELECT i AS x, i * 0.37 AS y FROM range(50) r(i)")
        link.execute("CREATE TABLE u AS SELECT NULLIF(i, 3) AS x, 'a' AS y FROM range(50) r(i)")
    refused = {
        "engine_lacks_recipe": {"table": "t", "recipe": "sklearn"},
        "engine_lacks_xval": {"table": "t", "recipe": "rpart", "xval": 5},
        "engine_lacks_numeric_target": {"table": "t"},
        "engine_lacks_missing": {"table": "u", "recipe": "c4.5-textbook"},
        "missing_refused": {"table": "u", "recipe": "id3"},
        "engine_lacks_setting": {"table": "u", "validation": 0.3},
        "table_or_query": {},
        "sql_failed": {"table": "nowhere"},
    }
    for key, asked in refused.items():
        with pytest.raises(ValueError, match=r".") as told:
            penjing.fit(path, "y", engine="duckdb", schema={"x": "numeric"}, **asked)
        assert told.value.key == key


def test_weights_of_a_table_are_refused():
    rows = [{"x": i, "y": "ab"[i == 2], "w": 1 + 9 * (i == 2)} for i in range(6)]
    table = penjing.read(rows, "y", weight="w")
    with pytest.raises(penjing.CapabilityError, match="does not support weight") as caught:
        penjing.fit(table, recipe="cart-binary", engine="duckdb")
    assert caught.value.key == "engine_lacks_setting"


def test_rules_are_refused_before_anything_is_opened():
    with pytest.raises(penjing.CapabilityError):
        penjing.fit("duckdb:/not/there.db", "y", "sklearn", query="t", engine="duckdb")
    with pytest.raises(penjing.DataError):
        penjing.fit("duckdb:/not/there.db", "y", "id3", query="t", engine="duckdb")


def test_a_role_that_may_only_read(monkeypatch):
    """With TEMP a table of codes is made; without it a CASE does; nothing is written."""
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setattr(sql_routing, "MAX_CASE_NODES", 2)
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 40)
    table = trimmed(some_table(600))
    expected = by_memory(table, "cart-binary", max_depth=5)
    with postgres_server() as psql:
        folder = psql[psql.index("-h") + 1]
        with psycopg.connect(f"postgresql://penjing@/postgres?host={folder}") as link:
            link.execute(created(table, "rows"))
            with link.cursor() as cursor, cursor.copy("COPY rows FROM STDIN") as copy:
                for row in rows_of(table):
                    copy.write_row(row)
            link.execute("CREATE ROLE looker LOGIN; GRANT SELECT ON rows TO looker")
            link.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC, looker")
            link.execute("GRANT USAGE ON SCHEMA public TO looker")
            before = link.execute(
                "SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM rows t"
            )
            kept = before.fetchone()
        made = []
        make = postgres_engine.Connection.alter_temp
        monkeypatch.setattr(
            postgres_engine.Connection,
            "alter_temp",
            lambda self, text: made.append(make(self, text)) or made[-1],
        )
        looker = f"postgresql://looker@/postgres?host={folder}"
        asked = {"table": "rows", "schema": schema_of(table), "max_depth": 5}
        found = plain(penjing.fit(looker, "y", "cart-binary", **asked))
        assert found == expected
        assert all(made)
        made.clear()
        with psycopg.connect(f"postgresql://penjing@/postgres?host={folder}") as link:
            link.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
        found = plain(penjing.fit(looker, "y", "cart-binary", **asked))
        assert found == expected
        assert made == [False]
        with psycopg.connect(f"postgresql://penjing@/postgres?host={folder}") as link:
            after = link.execute("SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM rows t")
            assert after.fetchone() == kept


def test_no_cut_inside_a_closed_bucket_is_better():
    """The bound holds for every order of the rows inside a bucket."""
    rng = np.random.default_rng(1)
    s = Classes(3)
    for _ in range(40):
        cells = rng.integers(0, 9, (6, 3)).astype(float)
        opened = bucket_search.may_hold_best_cut(Gini(), cells, np.zeros(6, bool), s, 1.0)
        known, left = cells.sum(axis=0), np.cumsum(cells, axis=0)
        border = np.stack([left[:-1], known - left[:-1]], axis=1)
        best = gains(Gini(), known, border, s).max()
        for b in np.flatnonzero(~opened):
            inside = left[b] - cells[b] + rng.integers(0, cells[b] + 1, (200, 3))
            after = np.stack([inside, known - inside], axis=1)
            assert gains(Gini(), known, after, s).max() < best


def test_numbers_beyond_single_precision_are_no_trouble(tmp_path):
    rows = [(float(i), "a" if i < 20 else "b") for i in range(39)] + [(1e308, "b")]
    with duckdb.connect(tmp_path / "rows.db") as link:
        link.execute("CREATE TABLE t (x DOUBLE, class VARCHAR)")
        link.executemany("INSERT INTO t VALUES (?, ?)", rows)
    tree = penjing.fit(f"duckdb:{tmp_path / 'rows.db'}", None, "c4.5", query="t", engine="duckdb")
    assert tree.nodes.gap[0].tolist() == [19.0, 20.0]
