"""A model applies the missing markers it was trained with, wherever rows are read for it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import penjing
from penjing.errors import DataError

TRAIN = "a,b,n,y\n" + "-,u,-,yes\np,u,1,no\nq,u,2,no\n" * 40
NEW = "a,b,n\n-,u,-\np,u,1\n"


@pytest.fixture
def marked(run):
    """A model whose first split is on whether `a` is missing; '-' was named as its marker."""
    Path("m.csv").write_text(TRAIN, "utf-8")
    Path("new.csv").write_text(NEW, "utf-8")
    how = ("-r", "cart-binary", "--missing", "branch", "--ignore", "n")
    assert run("fit", "m.csv", "--missing-marker", "-", *how, "-o", "m.tree").code == 0
    return "m.tree"


@pytest.fixture
def numbered(run):
    """A model that splits on a numeric column whose gaps are written as '-'."""
    Path("m.csv").write_text(TRAIN, "utf-8")
    Path("new.csv").write_text(NEW, "utf-8")
    how = ("-r", "cart-binary", "--missing", "branch", "--ignore", "a")
    assert run("fit", "m.csv", "--missing-marker", "-", *how, "-o", "n.tree").code == 0
    return "n.tree"


def test_the_model_keeps_its_markers_and_nothing_where_none_were_named(run, marked):
    assert json.loads(Path(marked).read_text("utf-8"))["reading"] == {"missing": ["-"]}
    run("fit", "Watermelon-train1.csv", "-o", "plain.tree")
    assert "reading" not in json.loads(Path("plain.tree").read_text("utf-8"))


@pytest.mark.parametrize("model", ["marked", "numbered"])
def test_predict_applies_them_whole_and_streamed(run, model, request):
    tree = request.getfixturevalue(model)
    done = run("predict", tree, "new.csv", "--json")
    assert [row["predicted"] for row in done.data["rows"]] == ["yes", "no"]
    body = NEW.replace("u", "u" * 40).splitlines()[1:]
    Path("large.csv").write_text("a,b,n\n" + "\n".join(body * 60_000) + "\n", "utf-8")
    assert Path("large.csv").stat().st_size > 4_000_000
    assert run("predict", tree, "large.csv", "-o", "out.csv").code == 0
    lines = Path("out.csv").read_text("utf-8").splitlines()[1:]
    assert {line.rsplit(",", 1)[1] for line in lines[::2]} == {"yes"}
    assert {line.rsplit(",", 1)[1] for line in lines[1::2]} == {"no"}


@pytest.mark.parametrize("model", ["marked", "numbered"])
def test_every_verb_that_reads_rows_for_a_model_applies_them(run, model, request):
    tree = request.getfixturevalue(model)
    assert run("test", tree, "m.csv", "--json").data["accuracy"] == 1
    assert run("explain", tree, "--data", "new.csv", "--row", "1", "--json").data["answer"] == "yes"
    row = {"marked": "a=-", "numbered": "n=-"}[model]
    assert run("explain", tree, "--row", row, "--json").data["answer"] == "yes"
    ruled = run("ruleset", tree, "--train", "m.csv", "--json").data
    assert ruled["training"]["tree"] == 120
    told = run("compare", tree, tree, "--train", "m.csv", "--test", "m.csv", "--json").data
    assert told["trees"][0]["tables"]["test"]["correct"] == 120
    shuffled = run("importance", tree, "--data", "m.csv", "--json").data
    assert max(shuffled.values()) > 0
    for verb in (("why", tree, "--data", "m.csv"), ("trace", tree, "--train", "m.csv")):
        assert run(*verb, "--json").code == 0, verb
    pruned = run("prune", tree, "--validate", "m.csv", "--json").data
    assert pruned["measured"]["validation"][1] == {"correct": 120, "of": 120}
    shared = run("prune", tree, "--validate-share", "0.3", "-o", "shared.tree")
    assert shared.code == 0, shared.err
    assert penjing.load("shared.tree").reading == {"missing": ["-"]}
    assert run("report", tree, "--test", "m.csv", "-o", "r.html").code == 0
    assert "100% (120 of 120)" in Path("r.html").read_text("utf-8")


def test_what_is_said_on_the_command_line_wins_and_is_noted(run, marked):
    Path("other.csv").write_text("a,b\nnix,u\n-,u\n", "utf-8")
    done = run("predict", marked, "other.csv", "--missing-marker", "nix", "--json")
    assert [row["predicted"] for row in done.data["rows"]] == ["yes", "no"]
    assert "nix" in done.err
    assert "the model was trained with '-'" in done.err
    assert "trained with" not in run("predict", marked, "new.csv", "--missing-marker", "-").err
    said = run("explain", marked, "--row", "a=-", "--missing-marker", "nix", "--json")
    assert said.data["answer"] == "no"


def test_python_applies_them_to_files_frames_rows_and_tables(marked, numbered):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for name, column in ((marked, "a"), (numbered, "n")):
        tree = penjing.load(name)
        other = {"a": "p", "n": "1"}[column]
        columns = {"a": ["-", "p"], "b": ["u", "u"], "n": ["-", "1"]}
        sources = [
            "new.csv",
            columns,
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
            pandas.DataFrame(columns),
            pandas.DataFrame(columns).astype("category"),
            polars.DataFrame(columns),
        ]
        for source in sources:
            assert tree.predict(source).tolist() == ["yes", "no"], (name, source)
        assert tree.predict({column: "-"}).tolist() == ["yes"]
        assert tree.predict({column: other}).tolist() == ["no"]
        assert tree.predict_proba("new.csv")[0].tolist() == [1, 0]
        assert tree.score("m.csv").accuracy == 1
        assert penjing.compare(tree, tree, {"t": "m.csv"}).trees[0]["tables"]["t"]["n"] == 120
    table = penjing.read("m.csv", "y")  # '-' is a level like another here
    assert penjing.load(marked).score(table).accuracy == 1
    said = penjing.read("m.csv", "y", missing={"only": []})
    assert penjing.load(marked).score(said).accuracy < 1


@pytest.mark.parametrize("marker", ["-999", -999, -999.0])
def test_a_marker_that_is_a_number_is_found_however_it_is_written(tmp_path, marker):
    pandas = pytest.importorskip("pandas")
    rows = "n,y\n" + "-999,yes\n1,no\n2.5,no\n" * 20
    path = tmp_path / "n.csv"
    path.write_text(rows, "utf-8")
    table = penjing.read(path, "y", missing=[marker])
    assert table.column("n").n_missing == 20
    tree = penjing.fit(table, recipe="cart-binary", missing="branch")
    assert tree.reading["missing"] == [marker]
    again = penjing.load(_saved(tree, tmp_path))
    new = [[-999], [1]]
    for source in (
        pandas.DataFrame({"n": [-999, 1]}),
        pandas.DataFrame({"n": [-999.0, 1.5]}),
        pandas.DataFrame({"n": ["-999.0", "1"]}),
        {"n": [-999, 1]},
        penjing.read({"n": [-999, 1]}, False),
        __import__("numpy").array(new, float),
    ):
        assert again.predict(source).tolist() == ["yes", "no"], source
    lines = tmp_path / "n.jsonl"
    lines.write_text('{"n": -999}\n{"n": 1}\n', "utf-8")
    assert again.predict(str(lines)).tolist() == ["yes", "no"]


def test_a_large_file_has_its_number_markers_too(tmp_path):
    path = tmp_path / "large.csv"
    body = "".join(f"{i}.5,{'yes' if i % 3 else 'no'}\n-999,yes\n" for i in range(300_000))
    path.write_text("n,y\n" + body, "utf-8")
    assert penjing.read(path, "y", missing=["-999"]).column("n").n_missing == 300_000


def test_two_models_with_different_markers_are_compared_each_by_its_own(run, marked):
    Path("c.csv").write_text(TRAIN.replace(",-,", ",3,"), "utf-8")
    run("fit", "c.csv", "-r", "cart-binary", "--ignore", "n", "-o", "c.tree")  # '-' is a level
    told = run("compare", marked, "c.tree", "--test", "c.csv", "--json").data
    assert [t["tables"]["test"]["correct"] for t in told["trees"]] == [120, 120]
    trees = penjing.load(marked), penjing.load("c.tree")
    both = penjing.compare(*trees, {"test": "c.csv"})
    assert [t["tables"]["test"]["correct"] for t in both.trees] == [120, 120]


@pytest.mark.parametrize(
    "reading", [[], {"missing": "x"}, {"missing": [None]}, {"missing": {"only": 3}},
                {"missing": {"any": []}}, {"missing": [["-"]]}]
)  # fmt: skip
def test_markers_of_another_form_are_refused_on_loading(run, marked, reading):
    model = json.loads(Path(marked).read_text("utf-8"))
    model["reading"] = reading
    Path("bad.tree").write_text(json.dumps(model), "utf-8")
    with pytest.raises(DataError, match="reading"):
        penjing.load("bad.tree")
    del model["reading"]
    Path("old.tree").write_text(json.dumps(model), "utf-8")
    assert run("predict", "old.tree", "new.csv").code == 0


def _saved(tree, folder):
    tree.save(folder / "kept.tree")
    return folder / "kept.tree"


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "jsonl"])
@pytest.mark.parametrize("marker", ["-", "-999"])
def test_the_disk_engine_applies_and_keeps_them_alike(run, form, marker):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    rows = "a,n,y\n" + "".join(
        f"{'-' if i % 4 == 0 else 'pq'[i % 2]},{-999 if i % 3 == 0 else i % 7},{'uv'[i % 12 > 5]}\n"
        for i in range(600)
    )
    Path("t.csv").write_text(rows, "utf-8")
    Path("t.csv.gz").write_bytes(gzip.compress(rows.encode()))
    with duckdb.connect() as link:
        link.execute("copy (from read_csv('t.csv', all_varchar = false)) to 't.parquet'")
        link.execute(
            "copy (from read_csv('t.csv', all_varchar = false)) to 't.jsonl' (format json)"
        )
    how = ("-t", "y", "-r", "cart-binary", "--missing", "fraction", "--missing-marker", marker)
    trees = {}
    for engine in ("native", "disk"):
        done = run("fit", f"t.{form}", *how, "--engine", engine, "--no-trace", "-o", "t.tree")
        assert done.code == 0, done.err
        trees[engine] = json.loads(Path("t.tree").read_text("utf-8"))
        assert trees[engine]["reading"] == {"missing": [marker]}
    assert trees["native"]["nodes"] == trees["disk"]["nodes"]
    assert trees["native"]["schema"] == trees["disk"]["schema"]


def test_a_packed_table_that_does_not_fit_is_grown_from_disk(run):
    pytest.importorskip("pyarrow")
    rows = "a,y\n" + "".join(f"{i % 50},{'uv'[i % 50 > 20]}\n" for i in range(40_000))
    Path("t.csv.gz").write_bytes(gzip.compress(rows.encode()))
    assert Path("t.csv.gz").stat().st_size * 8 < 1_000_000 < len(rows) * 8
    done = run("fit", "t.csv.gz", "--memory-limit", "1MB", "-r", "cart-textbook", "-o", "t.tree")
    assert done.code == 0, done.err
    assert "engine disk" in done.err
    assert penjing.load("t.tree").score("t.csv.gz").accuracy == 1
