"""`penjing predict` in constant memory: batches give what one reading gives, row for row."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys

import numpy as np
import pytest

from penjing import fit, load
from penjing.data.read import stream as streams
from penjing.data.read.dispatch import read_source
from penjing.data.read.stream import TableSource, normalize_columns, read_batches
from run_command import CODE

HEADER = "x,word,class\n"


def table_text(n: int, *, quotes: bool = False, seed: int = 0) -> str:
    rng = np.random.RandomState(seed)
    words = ["a", "b b", "c", ""] if not quotes else ["a", '"b, ""b"""', '"two\nlines"', ""]
    lines = [
        f"{x:.4f},{words[w]},{'yes' if x + w > 2 else 'no'}\n"
        for x, w in zip(3 * rng.rand(n), rng.randint(0, 4, n), strict=True)
    ]
    return HEADER + "".join(lines)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "train.csv").write_text(table_text(300))
    fit(tmp_path / "train.csv", "class", recipe="c4.5").save(tmp_path / "m.tree")
    return tmp_path / "m.tree"


@pytest.fixture
def small(monkeypatch):
    """Make batches so small that every test has many."""
    monkeypatch.setattr(streams, "WHOLE_BYTES", 900)
    monkeypatch.setattr(streams, "PIECE_CHARACTERS", 300)


def joined(sheets) -> list[list[str]]:
    rows: list[list[str]] = []
    for sheet in sheets:
        columns = []
        for cells in sheet.columns:
            levels = [*cells.plain_levels(), ""]
            columns.append([levels[code] for code in cells.codes.tolist()])
        rows += [list(row) for row in zip(*columns, strict=True)]
    return rows


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("quotes", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_batches_are_the_table(tmp_path, quotes, end, encoding):
    text = table_text(200, quotes=quotes).replace("word", "词语 清晰 颜色").replace("\n", end)
    data = text.encode(encoding)
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    found = list(read_batches(TableSource(str(path))))
    assert len(found) > 5
    assert joined(found) == joined([read_source(data, keep_line_ends="\n" in end)])
    alike = [normalize_columns(sheet, sheet.names) for sheet in found]  # as a tree is given them
    assert joined(alike) == joined([read_source(data)])
    assert [s.names for s in found] == [read_source(data).names] * len(found)
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(data))
    assert joined(read_batches(TableSource(str(tmp_path / "rows.csv.gz")))) == joined(found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("named", ["nowhere", "for prediction", "in training"])
def test_large_files_of_wide_characters(tmp_path, run, encoding, named):
    if named == "nowhere" and encoding.endswith(("le", "be")):
        pytest.skip("without a mark at its start the encoding of a file must be named")
    text = table_text(200).replace("b b", "\U0001f600瓜")
    (tmp_path / "wide.csv").write_bytes(text.encode(encoding))
    (tmp_path / "plain.csv").write_text(text, "utf-8")
    option = ["--encoding", encoding]
    training = ["wide.csv", *option] if named == "in training" else ["plain.csv"]
    assert run("fit", *training, "-r", "c4.5", "-o", "w.tree").code == 0
    done = run("predict", "w.tree", "wide.csv", *(option if named == "for prediction" else []))
    assert done.code == 0, done.err
    rows = csv.DictReader(io.StringIO(done.out))
    expected = load(tmp_path / "w.tree").predict(tmp_path / "plain.csv")
    assert [row["predicted"] for row in rows] == expected.tolist()


@pytest.mark.usefixtures("small")
def test_a_row_that_is_ragged_is_named_by_its_number_in_the_file(tmp_path, model, run):
    text = table_text(200) + "1,2\n"
    (tmp_path / "rows.csv").write_text(text)
    done = run("predict", model, "rows.csv", "-o", "out.csv")
    assert (done.code, (tmp_path / "out.csv").exists()) == (1, False)
    assert "row 201" in done.err


@pytest.mark.usefixtures("small")
def test_answers_of_batches_are_those_of_the_tree(tmp_path, model, run):
    (tmp_path / "rows.csv").write_text(table_text(250, seed=1))
    done = run("predict", model, "rows.csv", "--proba", "--rule", "--path")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    tree = load(model)
    assert [row["predicted"] for row in rows] == tree.predict(tmp_path / "rows.csv").tolist()
    assert [row["row"] for row in rows] == [str(i) for i in range(1, 251)]
    shares = [[float(row[f"p({c})"]) for c in tree.classes] for row in rows]
    assert shares == tree.predict_proba(tmp_path / "rows.csv").tolist()
    assert sum(row["rule"] != "" for row in rows) > 100
    assert len({row["path"] for row in rows}) > len({row["rule"] for row in rows})
    told = run("predict", model, "rows.csv", "--json", "--rule").data["rows"]
    assert [row["rule"] for row in told] == [row["rule"] for row in rows]
    lines = run("predict", model, "rows.csv", "--json", "--lines").out.splitlines()
    assert len(lines) == 250


def test_parquet_goes_in_and_out(tmp_path, model, run):
    import duckdb  # noqa: PLC0415

    (tmp_path / "rows.csv").write_text(table_text(250, quotes=True, seed=2))
    plain = run("predict", model, "rows.csv", "--proba").out
    assert run("predict", model, "rows.csv", "--proba", "-o", "out.parquet").code == 0
    found = duckdb.read_parquet(str(tmp_path / "out.parquet"))
    assert dict(zip(found.columns, map(str, found.types), strict=True))["p(yes)"] == "DOUBLE"
    wanted = [row["predicted"] for row in csv.DictReader(io.StringIO(plain))]
    assert [row[-3] for row in found.fetchall()] == wanted
    again = run("predict", model, "out.parquet").out
    assert [row["predicted_"] for row in csv.DictReader(io.StringIO(again))] == wanted


def test_no_rows_are_no_mistake(tmp_path, model, run):
    (tmp_path / "rows.csv").write_text(HEADER)
    assert run("predict", model, "rows.csv").out == "row,x,word,class,predicted\n"
    assert run("predict", model, "rows.csv", "--json").data["rows"] == []
    assert run("predict", model, "rows.csv", "-o", "none.parquet").code == 0
    assert run("predict", model, "none.parquet").out.startswith("row,x,word,class,predicted")
    (tmp_path / "odd.csv").write_text("a,b\n")
    assert "there is no column" in run("predict", model, "odd.csv").err
    assert load(model).predict([]).tolist() == []


def test_excel_in_china_gets_its_encoding(tmp_path, run):
    done = run("fit", "Watermelon-train1.csv", "-o", "melon.tree")
    assert done.code == 0
    assert run(
        "predict", "melon.tree", "Watermelon-test1.csv", "--output-encoding", "gbk", "-o", "o.csv"
    )
    assert "predicted" in (tmp_path / "o.csv").read_bytes().decode("gbk")
    assert (
        run("predict", "melon.tree", "Watermelon-test1.csv", "--output-encoding", "klingon").code
        == 1
    )


HEADS = ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝", "－", "", "a", "'", "1", "-1", "+.5e"]
TAILS = ["", "1+1", "cmd|'/c calc'!A0", 'HYPERLINK("x")', "2", "3%", "e5", "文", "1,000", "a;=b"]


def _runs(cell: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula."""
    try:
        float(cell.strip().removesuffix("%"))
    except ValueError:
        return cell.strip(" ")[:1] in {*"=+-@\t\r\n＝＋－＠"} - {""}
    return False


def test_excel_runs_no_cell_and_numbers_stay_numbers(tmp_path, run):
    cells = [head + tail for head in HEADS for tail in TAILS]
    names = ["=1+1", "@x", "plain", "-n"]
    rows = [[cell, cells[-1 - i], str(-i), ["=a", "-b"][i % 2]] for i, cell in enumerate(cells)]
    with (tmp_path / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    keep = ("--keep", "=1+1", "--keep", "@x")
    done = run("fit", "rows.csv", "--target=-n", "-r", "c4.5-textbook", *keep, "-o", "m.tree")
    assert done.code == 0, done.err
    more = ("--proba", "--rule", "--path")
    assert run("predict", "m.tree", "rows.csv", *more, "-o", "plain.csv").code == 0
    assert run("predict", "m.tree", "rows.csv", *more, "--excel", "-o", "o.csv").code == 0
    told = (tmp_path / "o.csv").read_bytes()
    assert told.startswith(b"\xef\xbb\xbf")
    found = list(csv.reader(io.StringIO(told.decode("utf-8-sig"), newline="")))
    with (tmp_path / "plain.csv").open(encoding="utf-8", newline="") as file:
        plain = list(csv.reader(file))
    assert len(found) == len(plain) == len(cells) + 1
    for line, source in zip(found, plain, strict=True):
        for cell, as_it_is in zip(line, source, strict=True):
            assert not _runs(cell)
            assert cell == ("'" + as_it_is if _runs(as_it_is) else as_it_is)
    assert [line[3] for line in found[1:]] == [str(-i) for i in range(len(cells))]
    gbk = ("--excel", "--output-encoding", "gbk", "-o", "g.csv")
    assert run("predict", "m.tree", "rows.csv", *gbk).code == 0
    assert "'=1+1" in (tmp_path / "g.csv").read_bytes().decode("gbk")


@pytest.mark.slow
def test_millions_of_rows_take_no_more_memory_than_fewer(tmp_path, model):
    text = table_text(100_000, seed=3)
    body = text.removeprefix(HEADER)
    sizes = {}
    for times in (5, 25):
        with (tmp_path / "rows.csv").open("w") as file:
            file.write(HEADER)
            for _ in range(times):
                file.write(body)
        watch = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [sys.executable, "-c", CODE, "predict", model, "rows.csv", "-o", "out.csv"]
        told = subprocess.run(
            [sys.executable, "-c", watch, *command], cwd=tmp_path, capture_output=True, check=True
        )
        sizes[times] = int(told.stdout) * 1024 if sys.platform != "darwin" else int(told.stdout)
    assert sizes[25] < 300e6
    assert sizes[25] < 1.1 * sizes[5]


def test_surrogates_on_columns_without_a_split_are_used(run, tmp_path):
    rng = np.random.RandomState(3)
    x = 10 * rng.rand(200)
    lines = [
        f"{a:.3f},{a + b:.3f},{b:.3f},{'yes' if a > 5 else 'no'}\n"
        for a, b in zip(x, rng.rand(200), strict=True)
    ]
    (tmp_path / "train.csv").write_text("x,near,other,y\n" + "".join(lines))
    (tmp_path / "new.csv").write_text("x,near,other,y\n,1,0.5,no\n,9,0.5,yes\n")
    assert run("fit", "train.csv", "-r", "rpart", "-o", "s.tree").code == 0
    tree = load("s.tree")
    assert [tree.schema[c].name for c in set(tree.nodes.column[~tree.is_leaf].tolist())] == ["x"]
    rows = csv.DictReader(run("predict", "s.tree", "new.csv").out.splitlines())
    assert [row["predicted"] for row in rows] == ["no", "yes"] == list(tree.predict("new.csv"))
    assert run("test", "s.tree", "new.csv", "--json").data["accuracy"] == 1.0
    assert "surrogate near" in run("explain", "s.tree", "--data", "new.csv", "--row", "1").out
    rows = csv.DictReader(
        run(
            "predict", "s.tree", "new.csv", "--ignore", "near", "--ignore", "other"
        ).out.splitlines()
    )
    assert len({row["predicted"] for row in rows}) == 1  # no surrogate is left


def test_an_encoding_that_the_columns_of_the_model_confirm_is_not_noted_again(run, tmp_path):
    text = "色泽,含糖率,好瓜\n青绿,0.4,是\n浅白,0.1,否\n乌黑,0.5,是\n浅白,0.2,否\n"
    (tmp_path / "train.csv").write_bytes(text.encode("gbk"))
    assert "GB18030" in run("fit", "train.csv", "-r", "id3", "-o", "m.tree").err
    assert "GB18030" not in run("test", "m.tree", "train.csv").err
    assert "was read as" not in run("predict", "m.tree", "train.csv").err
    plain = text.replace("色泽", "a").replace("含糖率", "b").replace("好瓜", "y")
    (tmp_path / "ascii.csv").write_bytes(plain.encode("gbk"))
    assert run("fit", "ascii.csv", "-r", "id3", "-o", "a.tree").code == 0
    assert "GB18030" in run("test", "a.tree", "ascii.csv").err  # only values are beyond ASCII


def test_help_speaks_of_markers_of_a_model_only_where_there_is_one(run):
    for verb, has_model in (("fit", False), ("check", False), ("test", True), ("predict", True)):
        assert ("the model's markers" in " ".join(run(verb, "--help").out.split())) is has_model
