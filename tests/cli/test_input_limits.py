"""What is read has an end: packed files, devices, pipes and long rows; and errors name the thing.

The command runs in a process of its own with little memory, so that what it should not take would
end it.
"""

from __future__ import annotations

import csv
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import penjing
from penjing.data.read.files import decompressed_size, is_gzip
from penjing.errors import DataError
from penjing.training.select_engine import select_engine

LITTLE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000,) * 2)
from penjing.cli import main
sys.exit(main(sys.argv[1:]))
"""
needs_devices = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="has no devices")


def little(*args, stdin=subprocess.DEVNULL, folder=None):
    """Run the command with 3 GB of addresses, of which Python and its libraries take a part."""
    line = [sys.executable, "-c", LITTLE, *map(str, args)]
    done = subprocess.run(
        line, stdin=stdin, capture_output=True, cwd=folder, timeout=300, check=False
    )
    return done.returncode, done.stderr.decode()


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """A small file of gzip that unpacks to 6 GB of rows."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.csv.gz"
    piece = gzip.compress(b"1,2,yes\n" * 8_000_000, 9, mtime=0)
    with path.open("wb") as file:
        file.write(gzip.compress(b"a,b,y\n", mtime=0))
        for _ in range(94):  # members of one file: no tool needs to unpack them to make it
            file.write(piece)
    return path


def test_a_packed_file_counts_as_what_it_unpacks_to(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,yes\n2,no\n" * 100_000))
    assert is_gzip(str(path))
    assert decompressed_size(str(path), 10**9) == 1_100_004
    assert decompressed_size(str(path), 1000) > 1000
    assert select_engine(str(path), memory_limit="8MB").engine == "disk"
    assert select_engine(str(path), memory_limit="10MB").engine == "native"
    renamed = path.rename(tmp_path / "t.csv")  # by its content, whatever it is called
    assert select_engine(str(renamed), memory_limit="8MB").engine == "disk"
    with pytest.raises(DataError) as caught:
        penjing.read(renamed, memory_limit="1MB")
    assert caught.value.key == "too_much_to_read"
    assert penjing.read(renamed, memory_limit="100MB").n_rows == 200_000
    with pytest.raises(DataError, match="is larger than"):
        penjing.read(renamed.read_bytes(), memory_limit="1MB")
    with pytest.raises(DataError, match="is larger than"), renamed.open("rb") as file:
        penjing.read(file, memory_limit="100KB")


def test_six_gigabytes_in_a_small_file_end_in_a_sentence(bomb, tmp_path):
    for line in (("check", bomb), ("cross-validate", bomb)):
        code, said = little(*line, folder=tmp_path)
        assert code == 1, said
        assert "bomb.csv.gz is larger than" in said


def test_a_packed_model_is_bounded_before_it_is_in_memory(tmp_path):
    path = tmp_path / "bomb.tree.gz"
    piece = gzip.compress(b" " * 64_000_000, 9, mtime=0)
    path.write_bytes(gzip.compress(b"{", mtime=0) + piece * 94)
    code, said = little("show", path)
    assert code == 1, said
    assert "the limit for a model file" in said
    path.write_bytes(path.read_bytes()[:1000])
    code, said = little("show", path)
    assert (code, "is truncated" in said) == (1, True), said


def test_a_parquet_file_counts_as_what_it_unpacks_to(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "equal.parquet"
    with duckdb.connect() as link:
        rows = "select 1 as a, 2 as b, 'yes' as y from range(20_000_000)"
        link.execute(f"copy ({rows}) to '{path}' (compression zstd)")
    assert path.stat().st_size < 700_000
    assert select_engine(str(path), memory_limit="500MB").engine == "disk"
    with pytest.raises(DataError, match="is larger than"):
        penjing.read(path, memory_limit="200MB")


@needs_devices
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_devices_are_refused_as_data_as_model_and_as_standard_input(device, tmp_path):
    penjing.fit({"a": ["u", "v"], "y": ["yes", "no"]}, "y").save(tmp_path / "m.tree")
    lines = [
        ("check", device),
        ("fit", device),
        ("predict", "m.tree", device),
        ("test", "m.tree", device),
        ("show", device),
        ("predict", device, "x.csv"),
    ]
    for line in lines:
        code, said = little(*line, folder=tmp_path)
        assert (code, said) == (1, f"error: {device} is a device, not a file.\n"), line
    for line in (("check", "-"), ("fit", "-"), ("predict", "m.tree", "-"), ("show", "-")):
        with Path(device).open("rb") as endless:
            code, said = little(*line, stdin=endless, folder=tmp_path)
        assert (code, said) == (1, "error: standard input is a device, not a file.\n"), line


@needs_devices
def test_an_empty_device_is_an_empty_file():
    with pytest.raises(DataError) as caught:
        penjing.read(os.devnull)
    assert caught.value.key == "empty_file"


@pytest.mark.parametrize("kind", ["fifo", "stdin"])
def test_a_stream_without_an_end_is_bounded(kind, tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("has no pipes by name")
    path = tmp_path / "rows"
    stop = threading.Event()
    if kind == "fifo":
        os.mkfifo(path)
        reader = None
    else:
        reader, writer = os.pipe()

    def write():
        target = os.open(path, os.O_WRONLY) if kind == "fifo" else writer
        try:
            os.write(target, b"a,y\n")
            while not stop.is_set():
                os.write(target, b"1,yes\n2,no\n" * 5000)
        except BrokenPipeError:
            pass
        finally:
            os.close(target)

    thread = threading.Thread(target=write)
    thread.start()
    source = path if kind == "fifo" else "-"
    try:
        for_it = {} if reader is None else {"stdin": reader}
        code, said = little("fit", source, "--memory-limit", "100MB", **for_it)
    finally:
        stop.set()
        if reader is not None:
            os.close(reader)
        thread.join()
    assert code == 1, said
    assert "is larger than 47.7 MB" in said


def test_a_pipe_by_name_is_read_once_and_used_twice(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("has no pipes by name")
    path = tmp_path / "rows"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_text("a,y\n1,yes\n2,no\n" * 1, "utf-8"))
    thread.start()
    code, said = little("check", path)
    thread.join()
    assert code == 0, said


# -- long things, and errors that name what failed --------------------------------------------


def test_a_name_that_is_too_long_is_named_with_the_systems_phrase(run, melon):
    long = "x" * 300
    lines = [
        ("check", long),
        ("fit", long),
        ("fit", f"{long}.csv"),
        ("fit", f"{long}.parquet"),
        ("fit", f"{long}*.csv"),
        ("predict", melon, long),
        ("predict", melon, f"{long}.parquet"),
        ("test", melon, long),
        ("show", long),
        ("fit", "Watermelon-train1.csv", "-o", long),
        ("predict", melon, "Watermelon-test1.csv", "-o", long),
        ("draw", melon, "-o", f"{long}.svg"),
        ("report", melon, "-o", long),
        ("prune", melon, "--validate", long),
        ("fit", "Watermelon-train1.csv", "--schema", long),
        ("fit", "Watermelon-train1.csv", "--engine", "disk", "--work", long),
    ]
    for line in lines:
        done = run(*line)
        assert done.code == 1, (line, done.err)
        assert "stdout" not in done.err, line
        assert long[:60] in done.err, line
        if line[-1] != f"{long}*.csv" and "--schema" not in line:
            assert "File name too long" in done.err, (line, done.err)


def test_stdout_is_named_only_if_it_is_stdout(melon):
    if not Path("/dev/full").exists():
        pytest.skip("has no device that is full")
    line = [sys.executable, "-m", "penjing", "show", melon]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"stdout cannot be written: No space left on device" in done.stderr


def test_a_first_row_of_more_than_four_megabytes_is_predicted(run, melon):
    train = Path("Watermelon-train1.csv").read_bytes().decode("gb18030").splitlines()
    header, row = train[0], train[1]
    Path("long.csv").write_text(f"{header},more\n{row},{'x' * 5_000_000}\n{row},y\n", "utf-8")
    done = run("predict", melon, "long.csv", "--json")
    assert done.code == 0, done.err
    assert [r["row"] for r in done.data["rows"]] == [1, 2]
    Path("wide.csv").write_text(
        f"{header},{'h' * 5_000_000}\n{row},1\n{row},2\n" + f"{row},3\n" * 3, "utf-8"
    )
    assert len(run("predict", melon, "wide.csv", "--json").data["rows"]) == 5


def test_a_path_with_a_line_end_is_opened_by_the_command(run, melon):
    name = "two\nlines.csv"
    Path(name).write_bytes(Path("Watermelon-train1.csv").read_bytes())
    for line in (("check", name), ("fit", name), ("predict", melon, name), ("test", melon, name)):
        assert run(*line).code == 0, line
    Path("two\nlines.tree").write_bytes(Path(melon).read_bytes())
    assert run("show", "two\nlines.tree").code == 0
    done = run("check", "no\nsuch.csv")
    assert done.code == 1
    assert "text.encode" not in done.err


@pytest.mark.parametrize("name", ["a[1].parquet", "a*.parquet", "a?.parquet"])
def test_a_parquet_file_whose_name_looks_like_a_pattern_is_that_file(run, name):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as link:
        link.execute("copy (select i % 2 as a, i % 2 = 0 as y from range(10) t(i)) to 'p.parquet'")
    Path(name).write_bytes(Path("p.parquet").read_bytes())
    Path("ab.parquet").write_bytes(b"no Parquet")
    assert run("fit", name, "-t", "y", "-o", "p.tree").code == 0
    assert len(run("predict", "p.tree", name, "--json").data["rows"]) == 10


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("rows_end", ["\n", "\r\n"])
@pytest.mark.parametrize("n", [6, 40_000], ids=["whole", "streamed"])
def test_line_ends_inside_cells_come_out_as_they_came_in(run, end, rows_end, n):
    cells = [f'"one{end}two",{"u" * 60},p', f'"one{end}three","v{end}w",q'] * (n // 2)
    text = rows_end.join(["a,b,y", *cells, ""])
    Path("t.csv").write_bytes(text.encode())
    assert run("fit", "t.csv", "-t", "y", "--ignore", "b", "-o", "t.tree").code == 0
    assert run("predict", "t.tree", "t.csv", "-o", "out.csv").code == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert {row[1] for row in rows[1:]} == {f"one{end}two", f"one{end}three"}
    assert {row[2] for row in rows[1:]} == {"u" * 60, f"v{end}w"}
    assert [row[4] for row in rows[1:]] == [row[3] for row in rows[1:]]
    assert len(rows) == n + 1


# -- tables without rows ------------------------------------------------------------------------


def _without_rows():
    yield "e.csv", b"a,b\n"
    yield "e.csv", b"a,b"
    yield "e.csv", b'"a","b"\r\n'
    yield "e.csv", b"a,b\r"
    yield "e.csv", b"sep=;\na;b\n"
    yield "e.csv", "\ufeffa,b\n".encode()
    yield "e.csv", "a,b,色\n".encode("gb18030")
    yield "e.csv", "a,b\n".encode("utf-16")
    yield "e.tsv", b"a\tb\n"
    yield "e.csv.gz", gzip.compress(b"a,b\n", mtime=0)
    yield "e.arff", b"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n"
    yield "e.arff", b"@relation r\n@attribute a {1, 2}\n@attribute b numeric\n@data\n% none\n\n"
    yield "e.json", b"[]"
    yield "e.json", b'{"a": [], "b": []}'
    yield "e.jsonl", b""
    yield "e.jsonl", b"\n\n"


@pytest.mark.parametrize(("name", "data"), [*_without_rows()])
def test_a_table_without_rows_gives_a_table_without_rows(run, name, data):
    rows = "a,b,y\n" + "1,2,p\n2,1,q\n" * 5
    Path("t.csv").write_text(rows, "utf-8")
    assert run("fit", "t.csv", "-r", "cart-textbook", "-o", "t.tree").code == 0
    Path(name).write_bytes(data)
    done = run("predict", "t.tree", name)
    assert done.code == 0, done.err
    head = done.out.splitlines()
    assert len(head) == 1, done.out
    assert head[0].startswith("row,")
    assert head[0].endswith(",predicted")
    assert run("predict", "t.tree", name, "--json").data["rows"] == []
    assert penjing.load("t.tree").predict(name).tolist() == []


def test_parquet_and_names_without_rows_too(run):
    duckdb = pytest.importorskip("duckdb")
    Path("t.csv").write_text("a,b,y\n" + "1,2,p\n2,1,q\n" * 5, "utf-8")
    assert run("fit", "t.csv", "-r", "cart-textbook", "-o", "t.tree").code == 0
    with duckdb.connect() as link:
        link.execute("copy (select 1 as a, 2 as b limit 0) to 'e.parquet'")
    Path("e.names").write_text("p, q.\na: continuous.\nb: continuous.\n", "utf-8")
    Path("e.data").write_text("", "utf-8")
    for name in ("e.parquet", "e.data"):
        done = run("predict", "t.tree", name)
        assert (done.code, done.out.count("\n")) == (0, 1), (name, done.err)
        assert penjing.load("t.tree").predict(name).tolist() == []


def test_numbers_of_an_array_without_rows():
    tree = penjing.fit(np.array([[1.0], [2.0]]), ["p", "q"], "cart-textbook")
    assert tree.predict(np.empty((0, 1))).tolist() == []


def test_a_table_that_is_not_there_is_named_not_the_output(run, melon):
    done = run("predict", melon, "nowhere.csv", "-o", "out.csv")
    assert done.code == 1
    assert "No such file: nowhere.csv" in done.err
    assert not Path("out.csv").exists()
