"""Every engine with every kind of source: a tree, or one sentence; never a traceback."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import os
import re
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

import penjing
from penjing.cli import Exit, main
from penjing.errors import PenjingError
from penjing.i18n import catalogue
from penjing.registry import BUILT_IN

pandas = pytest.importorskip("pandas")
duckdb = pytest.importorskip("duckdb")

IS_SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
WITHOUT_SANITIZER = pytest.mark.skipif(IS_SANITIZED, reason="Java hangs below a sanitizer")
ENGINES = [
    pytest.param(name, marks=WITHOUT_SANITIZER if name == "spark" else ())
    for name in sorted(BUILT_IN["engine"])
]
ROWS = [{"a": "uvw"[i % 3], "b": i / 2, "class": "yynnyn"[i % 6], "n": i % 4} for i in range(24)]
HEADER = "a,b,class,n"
LINES = [f"{r['a']},{r['b']},{r['class']},{r['n']}" for r in ROWS]


def write_files(folder: Path) -> dict[str, str]:
    """Write a small table in every format; return the sources that the command takes."""
    frame = pandas.DataFrame(ROWS)
    text = "\n".join([HEADER, *LINES]) + "\n"
    (folder / "t.csv").write_text(text, "utf-8")
    (folder / "t.tsv").write_text(text.replace(",", "\t"), "utf-8")
    (folder / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "t.json").write_text(json.dumps(ROWS), "utf-8")
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    (folder / "wrong.parquet").write_text(text, "utf-8")
    (folder / "empty.csv").write_text("", "utf-8")
    (folder / "binary.dat").write_bytes(bytes(range(256)))
    attributes = "@attribute a {u,v,w}\n@attribute b numeric\n@attribute class {y,n}\n"
    arff = f"@relation t\n{attributes}@attribute n numeric\n@data\n"
    (folder / "t.arff").write_text(arff + "\n".join(LINES), "utf-8")
    (folder / "t.names").write_text("y,n.\na: u,v,w.\nb: continuous.\n", "utf-8")
    data = [f"{r['a']},{r['b']},{r['class']}" for r in ROWS]
    (folder / "t.data").write_text("\n".join(data), "utf-8")
    for name in ("csvs", "nothing"):
        (folder / name).mkdir()
    (folder / "csvs" / "1.csv").write_text(text, "utf-8")
    database = duckdb.connect(str(folder / "t.duckdb"))
    database.register("frame", frame)
    database.execute("create table t as select * from frame")
    database.close()
    sqlite3.connect(folder / "t.sqlite").close()
    names = ["t.csv", "t.tsv", "t.csv.gz", "t.json", "t.jsonl", "t.arff", "t.names", "empty.csv",
             "wrong.parquet", "binary.dat", "csvs", "nothing", "t.duckdb", "t.sqlite",
             "no-such.csv"]  # fmt: skip
    sources = {name: str(folder / name) for name in names}
    others = (f"duckdb:{folder / 't.duckdb'}", "duckdb:no-such.db", "example:golf", "example:x",
              "postgresql://localhost:1/none", "", "-")  # fmt: skip
    return sources | {word.split("/")[0]: word for word in others}


SOURCES = (
    "t.csv", "t.tsv", "t.csv.gz", "t.json", "t.jsonl", "t.arff", "t.names", "empty.csv",
    "wrong.parquet", "binary.dat", "csvs", "nothing", "t.duckdb", "t.sqlite", "no-such.csv",
    "duckdb:", "duckdb:no-such.db", "example:golf", "example:x", "postgresql:", "", "-",
)  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("sources"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("query", [None, "t"])
def test_the_command_grows_a_tree_or_says_one_sentence(files, engine, source, query, request):
    capsys, monkeypatch = map(request.getfixturevalue, ("capsys", "monkeypatch"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,class\nu,y\nv,n\n")))
    options = [] if query is None else ["--query", query]
    code = main(["fit", files[source], "--engine", engine, "--target", "class",
                 "--recipe", "c4.5-textbook", *options])  # fmt: skip
    err = capsys.readouterr().err
    assert code in (Exit.OK, Exit.INVALID, Exit.USAGE), err
    assert "Traceback" not in err
    if code != Exit.OK:
        (sentence,) = re.findall(r"^error: (.*)$", err, re.MULTILINE)
        assert len(sentence) > 20


OBJECTS = {
    "frame": lambda: pandas.DataFrame(ROWS),
    "rows": lambda: [dict(row) for row in ROWS],
    "columns": lambda: {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "bytes": lambda: "\n".join([HEADER, *LINES]).encode(),
    "file": lambda: io.StringIO("\n".join([HEADER, *LINES])),
    "records": lambda: pandas.DataFrame(ROWS).to_records(index=False),
    "table": lambda: penjing.read(ROWS, "class"),
    "number": lambda: 3,
    "none": lambda: None,
    "series": lambda: pandas.Series([1, 2]),
    "array": lambda: np.zeros((3, 2)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", OBJECTS)
def test_python_grows_a_tree_or_raises_an_error_of_penjing(engine, kind):
    try:
        tree = penjing.fit(OBJECTS[kind](), "class", "c4.5-textbook", engine=engine, quiet=True)
    except PenjingError:
        assert kind in ("number", "none", "series", "array") or engine in ("spark", "postgres")
    else:
        assert tree.n_leaves > 1


@WITHOUT_SANITIZER
def test_spark_and_postgres_say_what_they_read(files):
    with pytest.raises(PenjingError, match="reads Parquet files and Spark DataFrames"):
        penjing.fit(files["t.csv"], "class", engine="spark")
    with pytest.raises(PenjingError, match="postgresql://user@host/database"):
        penjing.fit(files["t.csv"], "class", engine="postgres")


def test_databases_without_sqlglot_say_what_to_install(files, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    code = main(["fit", files["t.csv"], "--engine", "duckdb", "--recipe", "id3"])
    assert code == Exit.INVALID
    assert "pip install 'penjing[sql]'" in capsys.readouterr().err


def test_every_extra_that_a_sentence_or_an_engine_names_exists():
    import tomllib  # noqa: PLC0415 - only here

    root = Path(__file__).parents[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    known = set(extras["optional-dependencies"])
    named = {e for t in catalogue("en").values() for e in re.findall(r"penjing\[([a-z]+)\]", t)}
    for path in (root / "src" / "penjing").rglob("*.py"):
        named |= set(re.findall(r'extra="([a-z]+)"', path.read_text("utf-8")))
    assert {"sql", "spark", "postgres", "disk"} <= named <= known


@WITHOUT_SANITIZER
def test_spark_is_not_started_for_what_it_cannot_read():
    """The sentence above comes from looking at the source: no session, no Java."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("no pyspark")
    from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy

    before = SparkSession.getActiveSession()
    with pytest.raises(PenjingError):
        penjing.fit([dict(row) for row in ROWS], "class", engine="spark")
    assert SparkSession.getActiveSession() is before
