"""`engine="duckdb"` on what is no database: read as ever, then counted by DuckDB."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import penjing
from penjing.engines import remote_counts
from penjing.errors import CapabilityError, ChoiceError, DataError
from remote_tables import plain

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RECIPES = [("id3", "branch"), ("c4.5-textbook", "branch"), ("cart-binary", "branch"),
           ("cart", "surrogate")]  # fmt: skip


def rows(n=300):
    rng = np.random.default_rng(4)
    x, few = rng.normal(size=n), rng.integers(0, 7, n)
    words = np.array(["a", "it's", "A", '"q"'])[rng.integers(0, 4, n)]
    y = np.where(x + (words == "A") + few / 7 + rng.normal(size=n) / 3 > 0.9, "yes", "no")
    gaps = rng.random(n) < 0.1
    return {
        "x": [None if g else float(v) for g, v in zip(gaps, x, strict=True)],
        "X": few.tolist(),
        "it's": words.tolist(),
        "y": y.tolist(),
    }


@pytest.fixture
def source(tmp_path):
    table = pa.table(rows())

    def put(form):
        if form == "csv":
            path = tmp_path / "t.csv"
            lines = [",".join("" if c is None else f'"{c}"'.replace('""q""', '"""q"""')
                              for c in row.values()) for row in table.to_pylist()]  # fmt: skip
            path.write_text("\n".join([",".join(table.column_names), *lines]), "utf-8")
            return path
        if form == "jsonl":
            path = tmp_path / "t.jsonl"
            path.write_text("\n".join(map(json.dumps, table.to_pylist())), "utf-8")
            return str(path)
        if form in {"parquet", "folder", "pattern"}:
            (tmp_path / "parts").mkdir(exist_ok=True)
            for i in range(3):
                pq.write_table(table.slice(i * 100, 100), tmp_path / "parts" / f"{i}.parquet")
            pq.write_table(table, tmp_path / "t.parquet")
            ends = {"parquet": "t.parquet", "folder": "parts", "pattern": "parts/*.parquet"}
            return str(tmp_path / ends[form])
        return {"frame": table, "rows": table.to_pylist()}[form]

    return put


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "folder", "pattern", "frame", "rows"])
def test_the_tree_is_that_of_memory(source, form, monkeypatch):
    if form == "csv":
        monkeypatch.setattr(remote_counts, "FETCH_LIMIT", 40)
    for recipe, missing in RECIPES[: 4 if form == "csv" else 1]:
        how = {"missing": missing, "max_depth": 3}
        one, two = (
            penjing.fit(source(form), "y", recipe, engine=engine, **how)
            for engine in ("memory", "duckdb")
        )
        assert plain(one) == plain(two)
        assert two.about["engine"] == {"name": "duckdb"}


def test_a_table_and_classes_apart_from_rows():
    columns = rows()
    table = penjing.read(columns, "y")
    wanted = plain(penjing.fit(table, missing="branch", engine="memory"))
    assert plain(penjing.fit(table, missing="branch", engine="duckdb")) == wanted
    classes = columns.pop("y")
    found = penjing.fit(pa.table(columns), classes, missing="branch", engine="duckdb")
    assert found.target.levels == table.target.levels


def test_what_is_refused(source, tmp_path):
    path = source("parquet")
    with pytest.raises(CapabilityError, match="weight"):
        penjing.fit(path, "y", engine="duckdb", weight="X")
    with pytest.raises(CapabilityError, match="target 'x' is numeric"):
        penjing.fit(path, "x", "cart-textbook", engine="duckdb")
    with pytest.raises(ChoiceError, match="not a database"):
        penjing.fit(path, "y", engine="duckdb", query="select * from t")
    with pytest.raises(DataError, match="No such file"):
        penjing.fit(tmp_path / "none.csv", "y", engine="duckdb")
    with pytest.raises(ChoiceError, match="table="):
        penjing.fit(f"duckdb:{path}", "y", engine="duckdb")
    with pytest.raises(CapabilityError, match="missing"):
        penjing.fit(path, "y", "id3", engine="duckdb", missing="fraction")


@pytest.mark.slow
def test_a_tree_too_deep_for_sql_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(remote_counts, "FETCH_LIMIT", 3)
    rows = {"x": list(range(90)), "z": [0.5] * 90, "y": ["a", "b"] * 45}
    table = penjing.read(rows, "y", keep="x")
    with pytest.raises(CapabilityError, match="max_depth"):
        penjing.fit(table, recipe="c4.5-textbook", engine="duckdb")


def test_no_pandas_is_needed(source):
    words = f"""
import sys; sys.modules["pandas"] = None
import penjing
print(penjing.fit({str(source("csv"))!r}, "y", missing="branch", engine="duckdb").n_leaves)
"""
    told = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    wanted = penjing.fit(source("csv"), "y", missing="branch").n_leaves
    assert int(told.stdout) == wanted


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_a_file_that_is_no_database_is_called_that(tmp_path, engine):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,u\n2,v\n")
    with pytest.raises(DataError, match=r"table\.csv is not a DuckDB database\. Give a table"):
        penjing.fit(f"duckdb:{path}", "y", query="t", engine=engine)
