"""The disk engine from files: the tree of the native engine, whatever form the rows come in."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pytest

import penjing
from penjing.data.encode import coding_plan
from penjing.data.encode.coded import Wants, coded
from penjing.data.scratch import PREFIX
from penjing.errors import CapabilityError, ChoiceError, DataError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N = 4_000


def frame(seed=0, n=N, *, missing=False, noise=False, by=None):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.integers(0, 40, n) / 4
    words = np.array(["清晰", "稍糊", "模糊", "a b", "x"])[rng.integers(0, 5, n)]
    whole, yes = rng.integers(-3, 200, n), rng.integers(0, 2, n)
    score = x + (y > 4) + (words == "稍糊") + (whole > 90) + rng.normal(size=n) * 0.3
    classes = np.array(["no", "yes", "maybe"])[
        rng.integers(0, 3, n) if noise else np.digitize(score, [0.7, 1.9])
    ]
    order = np.arange(n) if by is None else np.argsort({"x": x, "y": y}[by], kind="stable")
    lost = rng.random(n) < 0.05 if missing else np.zeros(n, bool)
    return pa.table(
        {
            "x": pa.array(np.where(lost, np.nan, x)[order], from_pandas=True),
            "y": y[order],
            "word": pa.array([None if lost[i - 1] else str(words[i]) for i in order]),
            "whole": whole[order],
            "yes": yes[order],
            "flag": (x > 0.5)[order],
            "class": classes[order],
        }
    )


@pytest.fixture
def parquet(tmp_path):
    def write(table, name="rows.parquet", size=700):
        pq.write_table(table, tmp_path / name, row_group_size=size)
        return str(tmp_path / name)

    return write


def plain(tree):
    told = tree.to_json()
    for key in ("source", "engine"):
        told["about"].pop(key, None)
    return json.dumps(told, sort_keys=True)


def left(tmp_path):
    return sorted(p.name for p in tmp_path.rglob(PREFIX + "*"))


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Stores go where they can be counted."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert left(folder) == []


RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "c4.5", "cart", "sklearn")


def test_cells_of_a_sorted_column_come_from_all_rows(parquet, monkeypatch):
    monkeypatch.setattr(coding_plan, "SAMPLED_ROWS", 180)
    for by, least in (("x", N // 2), (None, 1)):
        table, space = coded(parquet(frame(by=by)), Wants("class"))
        part = table.columns[0].part
        high, low = np.empty(N, np.uint8), np.empty(N, np.uint8)
        part.cells.coder().code(np.array(part.raw), high, low)
        assert (high == part.high).all()
        cells = np.unique(high * 256.0 + low)
        space.close()
        assert least <= len(cells) <= N
        assert (len(cells) > 180 * 2 + 1) == (by is not None)  # a number, and what follows it


@pytest.mark.parametrize("kind", ["plain", "missing", "noise", "sorted"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_parquet_gives_the_tree_of_native(parquet, recipe, kind, monkeypatch):
    monkeypatch.setattr("penjing.engines.out_of_core.engine.SMALL", 300)
    table = frame(
        missing=kind == "missing", noise=kind == "noise", by="x" if kind == "sorted" else None
    )
    path = parquet(table)
    how = {"recipe": recipe, "max_depth": 5}
    if kind == "missing" and recipe in {"id3", "cart-textbook"}:
        how["missing"] = "fraction"
    if recipe == "sklearn":
        path = parquet(table.drop_columns(["word", "flag"]))
    native = penjing.fit(path, "class", engine="native", **how)
    assert plain(penjing.fit(path, "class", engine="disk", **how)) == plain(native)


@pytest.mark.parametrize("recipe", ["cart-textbook", "cart", "sklearn"])
def test_a_number_as_target(parquet, recipe):
    table = frame().drop_columns(["class", "word", "flag"])
    path = parquet(table)
    trees = [penjing.fit(path, "x", recipe, engine=e, max_depth=4) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])


def test_weights_and_rows_without_a_class(parquet):
    table = frame()
    classes = [None if i % 50 == 3 else c for i, c in enumerate(table["class"].to_pylist())]
    table = table.set_column(6, "class", pa.array(classes))
    path = parquet(table)
    trees = [penjing.fit(path, "class", engine=e, max_depth=4) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])
    told = {"weight": "whole", "max_depth": 3}
    table = table.set_column(3, "whole", pa.array(np.abs(table["whole"].to_numpy())))
    path = parquet(table, "weighted.parquet")
    trees = [penjing.fit(path, "class", engine=e, **told) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])


@pytest.mark.parametrize("form", ["csv", "jsonl", "folder", "glob", "duckdb", "query"])
def test_other_forms(parquet, form, tmp_path):
    table = frame()
    path = parquet(table)
    oracle = plain(penjing.fit(path, "class", engine="native", max_depth=4))
    told = {}
    source = tmp_path / "other"
    if form in {"folder", "glob"}:
        source.mkdir()
        for i in range(3):
            pq.write_table(table.slice(i * 1500, 1500), source / f"part{i}.parquet")
        source = source / "*.parquet" if form == "glob" else source
    with duckdb.connect(str(tmp_path / "rows.db")) as link:
        if form == "csv":
            source = source.with_suffix(".csv")
            link.from_arrow(table).write_csv(str(source))
            oracle = plain(penjing.fit(str(source), "class", engine="native", max_depth=4))
        elif form == "jsonl":
            source = source.with_suffix(".jsonl")
            rows = (json.dumps(row) for row in table.to_pylist())
            source.write_text("\n".join(rows), "utf-8")
        elif form in {"duckdb", "query"}:
            link.from_arrow(table).create("melons")
            source = f"duckdb:{tmp_path / 'rows.db'}"
            told["query"] = "melons" if form == "duckdb" else "select * from melons"
    engines = ("disk", "auto") if form not in {"csv", "jsonl"} else ("disk",)
    for engine in engines:
        tree = penjing.fit(str(source), "class", engine=engine, max_depth=4, **told)
        assert plain(tree) == oracle


def test_texts_of_csv_stay_as_they_are(tmp_path):
    path = tmp_path / "it's.csv"
    rows = [
        (i % 7, i % 5 if i < 22_000 else "late", "yes" if i % 7 > 3 else "no")
        for i in range(22_005)
    ]
    days = [f"{1 + i % 28:02d}/03/2024" for i in range(len(rows))]
    lines = [f"{a},{b},{day},{c}" for (a, b, c), day in zip(rows, days, strict=True)]
    path.write_text("\n".join(["a,b,day,class", *lines]) + "\n", "utf-8")
    one, two = (
        penjing.fit(str(path), recipe="cart-binary", max_depth=2, engine=engine)
        for engine in ("native", "disk")
    )
    assert two.target.levels == ("no", "yes")
    assert plain(one) == plain(two)


def test_auto_tells_what_it_chose_and_why(parquet):
    path = parquet(frame())
    tree = penjing.fit(path, "class", recipe="id3", memory_limit=100_000, max_depth=3)
    assert tree.about["engine"]["name"] == "disk"
    assert tree.about["engine"]["reason"] == "too_large"
    roomy = penjing.fit(path, "class", recipe="id3", memory_limit="1GB", max_depth=3)
    assert roomy.about["engine"]["name"] == "native"
    assert plain(tree) == plain(roomy)


def test_what_it_lacks_is_refused_before_any_row_is_read(parquet):
    path = parquet(frame())
    with Path(path).open("r+b") as file:  # rows are unreadable: nobody may look at them
        file.seek(4)
        file.write(b"\0" * 2000)
    with pytest.raises(CapabilityError, match="of memory to grow a tree"):
        penjing.fit(path, "class", "c4.5", engine="disk", memory_limit=1000)
    with pytest.raises(DataError):
        penjing.fit(path, "class", "id3", engine="disk", memory_limit=1000)


def test_sentences(parquet, tmp_path):
    path = parquet(frame())
    with pytest.raises(ChoiceError, match="memory_limit"):
        penjing.fit(path, "class", memory_limit="much")
    with pytest.raises(ChoiceError, match="not a database"):
        penjing.fit(path, "class", query="select 1")
    with pytest.raises(DataError, match="No such file"):
        penjing.fit(str(tmp_path / "none*.parquet"), "class")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="contains no table"):
        penjing.fit(str(tmp_path / "empty"), "class")
    with pytest.raises(ChoiceError, match="missing"):
        penjing.fit(parquet(frame(missing=True)), "class", "id3", engine="disk")


def test_more_texts_than_the_sample_had(parquet, monkeypatch):
    """A column that grows from one byte to two begins again."""
    monkeypatch.setattr(coding_plan, "SAMPLED_ROWS", 50)
    rng = np.random.default_rng(1)
    n = 6000
    words = np.where(np.arange(n) % 1500 < 100, "few", [f"w{i}" for i in rng.integers(0, 400, n)])
    whole = np.where(np.arange(n) % 1500 < 100, 1, rng.integers(0, 10**7, n))
    table = pa.table(
        {"word": words.astype(str), "whole": whole, "class": np.array(["a", "b"])[whole % 2]}
    )
    path = parquet(table, size=1500)
    trees = [penjing.fit(path, "class", engine=e, max_depth=3) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])


@pytest.mark.parametrize("how", [{}, {"schema": {"row": "numeric"}}])
def test_columns_that_only_number_the_rows(parquet, how):
    table = frame()
    table = table.append_column("row", pa.array(np.arange(N)))
    table = table.append_column("name", pa.array([f"n{i}" for i in range(N)]))
    table = table.append_column("user_id", pa.array(np.random.default_rng(1).permutation(N)))
    path = parquet(table)
    trees = [penjing.fit(path, "class", engine=e, max_depth=3, **how) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])
    assert len(trees[0].about["left_out"]) == 3 - len(how)


@pytest.mark.parametrize(("name", "n_nodes"), [("step", 3), ("row", 1)])
def test_a_count_is_taken_back_where_nothing_else_is_left(parquet, name, n_nodes):
    table = pa.table({name: np.arange(N), "class": np.array(["a", "b"])[np.arange(N) // 2500]})
    path = parquet(table)
    trees = [penjing.fit(path, "class", engine=e) for e in ("disk", "native")]
    assert plain(trees[0]) == plain(trees[1])
    assert trees[0].n_nodes == n_nodes


def test_progress_tells_of_rows_and_generations(parquet):
    told = []
    penjing.fit(parquet(frame()), "class", engine="disk", max_depth=3, progress=told.append)
    assert told[0].row_levels in {700, N % 700}
    assert max(t.row_levels for t in told) >= N


def test_progress_while_columns_are_mapped(parquet):
    told = []
    how = {"recipe": "c4.5-textbook", "engine": "disk", "max_depth": 3}
    penjing.fit(parquet(frame(missing=True)), "class", progress=told.append, **how)
    read = [t.row_levels for t in told if t.is_reading]
    assert read.count(N) == 2  # coded, and mapped
    assert all(t.share <= 1 for t in told)


def alike(path):
    """Return the tree of a file, as plain data: the same from memory and from disk."""
    asked = {"target": "class", "recipe": "cart-textbook", "max_depth": 4}
    mine, other = (plain(penjing.fit(path, engine=e, **asked)) for e in ("disk", "memory"))
    assert mine == other
    return json.loads(mine)


def test_a_column_without_any_value_is_left_out(parquet):
    table = frame().append_column("none", pa.nulls(N, pa.float64()))
    told = alike(parquet(table.select(["x", "none", "word", "class"])))
    assert told["about"]["left_out"] == [["none", "empty"]]


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize(
    "values",
    [[2**53 + 3, 2**53 + 9], [-(2**53) - 3, -(2**53) - 5], [2**60 + 1, 2**60 + 100]],
)
def test_whole_numbers_beyond_those_of_a_float(values, statistics, tmp_path):
    path = tmp_path / "rows.parquet"
    whole = pa.array(values * 20, pa.int64())
    table = pa.table({"x": np.arange(40) / 7, "n": whole, "class": ["a", "b"] * 20})
    pq.write_table(table, path, write_statistics=statistics)
    assert alike(str(path))["schema"][1]["levels"] == values


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("late", [0, 2**40])
def test_few_whole_numbers_far_apart_are_names(kind, late, statistics, tmp_path, monkeypatch):
    monkeypatch.setattr(coding_plan, "SAMPLED_ROWS", 400)
    rng = np.random.default_rng(5)
    x, z = rng.choice([0, 100_000], 900), rng.normal(size=900)
    y = np.where(x + 9e4 * z > 3e4, 94_105, np.where(z > 0, 3, -(2**33)))
    y[-3:], x[:450] = (late, late, 3), 0
    table = pa.table({"x": pa.array(x, mask=z > 2), "z": z, "y": y.astype(kind)})
    path = str(tmp_path / "rows.parquet")
    pq.write_table(table, path, write_statistics=statistics)
    one, two = (
        penjing.fit(path, "y", "cart-binary", missing="branch", max_depth=4, engine=engine)
        for engine in ("native", "disk")
    )
    assert one.schema[0].kind == one.target.kind == "nominal"
    assert plain(one) == plain(two)


def test_a_whole_number_below_all_of_the_sample_is_not_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(coding_plan, "SAMPLED_ROWS", 50)
    whole = np.arange(100) % 5 - (np.arange(100) >= 60)
    table = pa.table({"n": whole, "class": np.where(whole % 3 == 2, "a", "b")})
    pq.write_table(table, tmp_path / "rows.parquet", write_statistics=False)
    assert alike(str(tmp_path / "rows.parquet"))["about"]["training"]["correct"] == 100


def test_rows_whose_class_is_nan_have_none(parquet):
    classes = np.where(np.arange(N) % 7 == 3, np.nan, np.arange(N) % 3)
    told = alike(parquet(pa.table({"x": np.arange(N) / 3 % 5, "class": classes})))
    assert told["target"]["levels"] == [0, 1, 2]
    assert told["about"]["n_rows"] == int((~np.isnan(classes)).sum())


@pytest.mark.parametrize("engine", ["auto", "disk"])
def test_folders_of_several_formats_are_refused(tmp_path, engine):
    table = pa.table({"x": np.arange(40) % 7, "class": ["a", "b"] * 20})
    folder = tmp_path / "rows"
    (folder / "_log").mkdir(parents=True)
    pq.write_table(table, folder / "1.parquet")
    (folder / "_log" / "0.json").write_text("{}")
    assert penjing.fit(str(folder), "class", engine=engine, quiet=True).about["n_rows"] == 40
    (folder / "other.csv").write_text("x,class\n1,a\n2,b\n")
    with pytest.raises(penjing.DataError) as caught:
        penjing.fit(str(folder), "class", engine=engine, quiet=True)
    assert caught.value.key == "folder_of_formats"
    assert "of different formats: 1.parquet, other.csv." in str(caught.value)
    assert "不同格式的文件：1.parquet、other.csv。" in caught.value.say("zh")
    pattern = caught.value.values["pattern"]
    assert penjing.fit(pattern, "class", engine=engine, quiet=True).about["n_rows"] == 40


def test_files_of_whole_numbers_and_of_fractions_are_one_table(tmp_path):
    rng, folder = np.random.default_rng(8), tmp_path / "days"
    folder.mkdir()
    whole, words = rng.integers(0, 9, 200), ["a", "b"] * 100
    parts = [(whole, pa.nulls(200)), (whole / 2, pa.array(words))]
    goal = np.where(whole > 4, "up", "down")
    tables = [pa.table({"n": n, "word": word, "class": goal}) for n, word in parts]
    for i, table in enumerate(tables):
        pq.write_table(table, folder / f"{i}.parquet")
    pq.write_table(pa.concat_tables(tables, promote_options="permissive"), tmp_path / "all.parquet")
    asked = {"target": "class", "recipe": "c4.5-textbook", "missing": "fraction"}
    mine = penjing.fit(str(folder), engine="disk", **asked)
    assert plain(mine) == plain(penjing.fit(tmp_path / "all.parquet", engine="memory", **asked))
