"""Killed at any moment, or on a full disk: the next run works, and nothing is left behind."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import penjing
from penjing.data.encode import coding
from penjing.data.encode.coded import Wants, coded
from penjing.data.encode.groups import Group
from penjing.data.scratch import LOCK, PREFIX, ScratchFolder
from penjing.errors import DataError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SCRIPT = Path(__file__).parents[1] / "support" / "disk_fit_script.py"
N = 60_000


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A Parquet file of many row groups, and what it hashes to."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(N, 6))
    words = np.array(["a", "b", "c", "d"])[rng.integers(0, 4, N)]
    classes = np.where(x[:, 0] + (words == "b") + rng.normal(size=N) > 0.4, "yes", "no")
    table = {f"x{i}": x[:, i] for i in range(6)} | {"word": words, "class": classes}
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(pa.table(table), path, row_group_size=2000)
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def stores(folder):
    return list(Path(folder).glob(PREFIX + "*"))


def run(rows, work, model, recipe="cart-textbook"):
    here = str(Path(penjing.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": here, "TMPDIR": str(work)}
    words = [sys.executable, str(SCRIPT), str(rows), str(work), str(model), recipe]
    with (Path(model).parent / "said").open("wb") as said:
        return subprocess.Popen(words, env=env, stdout=said, stderr=said)


def plain(path):
    told = json.loads(Path(path).read_text("utf-8"))
    told["about"].pop("source", None)
    return told


def killed_often(rows, tmp_path, times):
    path, digest = rows
    work = tmp_path / "work"
    start = time.monotonic()
    assert run(path, work, tmp_path / "whole.tree").wait() == 0
    took = time.monotonic() - start
    assert stores(work) == []
    oracle = plain(tmp_path / "whole.tree")
    draw = random.Random(8)
    in_the_act = 0
    for i in range(times):
        victim = run(path, work, tmp_path / f"{i}.tree")
        time.sleep(draw.uniform(0.1, 1.0) * took)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim.pid, signal.SIGKILL)
        in_the_act += victim.wait() != 0
        if i % 5 == 4 or i == times - 1:  # others find what the killed one left, and go on
            again = run(path, work, tmp_path / "again.tree")
            assert again.wait() == 0, (tmp_path / "said").read_text()
            assert plain(tmp_path / "again.tree") == oracle
            assert stores(work) == []
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    return in_the_act


def test_killed_at_some_moments(rows, tmp_path):
    assert killed_often(rows, tmp_path, 4) > 0


def test_killed_once_columns_are_mapped(rows, tmp_path):
    """A second folder holds them; the next run finds both, and removes both."""
    path, work = rows[0], tmp_path / "work"
    victim = run(path, work, tmp_path / "first.tree", "c4.5")
    while len(stores(work)) < 2 and victim.poll() is None:
        time.sleep(0.001)
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim.pid, signal.SIGKILL)
    assert victim.wait() != 0
    assert len(stores(work)) == 2
    again = run(path, work, tmp_path / "again.tree", "c4.5")
    assert again.wait() == 0, (tmp_path / "said").read_text()
    assert stores(work) == []
    penjing.fit(str(path), "class", "c4.5", max_depth=4).save(tmp_path / "native.tree")
    assert plain(tmp_path / "again.tree") == plain(tmp_path / "native.tree")


@pytest.mark.slow
def test_killed_at_fifty_moments(rows, tmp_path):
    assert killed_often(rows, tmp_path, 50) > 25


def test_what_is_coded_is_not_coded_again(rows, tmp_path, monkeypatch):
    path, _ = rows
    read: list[Group] = []
    code = coding._Run._group

    def until(stop):
        def group(self, one):
            if len(read) == stop:
                raise KeyboardInterrupt
            read.append(one)
            code(self, one)

        return group

    monkeypatch.setattr(coding._Run, "_group", until(7))
    with pytest.raises(KeyboardInterrupt):
        coded(str(path), Wants("class"), work=str(tmp_path), threads=1)
    assert len(stores(tmp_path)) == 1
    first, read[:] = {g.start for g in read}, []
    monkeypatch.setattr(coding._Run, "_group", until(-1))
    table, space = coded(str(path), Wants("class"), work=str(tmp_path), threads=1)
    assert first.isdisjoint({g.start for g in read})
    assert len(first) + len(read) == N // 2000
    fresh, other = coded(str(path), Wants("class"))
    for one, two in zip(
        (*table.columns, table.target), (*fresh.columns, fresh.target), strict=True
    ):
        np.testing.assert_array_equal(one.codes, two.codes)
        assert list(one.levels) == list(two.levels)
    space.close()
    other.close()
    assert stores(tmp_path) == []


def test_another_file_begins_anew(rows, tmp_path):
    path = tmp_path / "rows.parquet"
    shutil.copy(rows[0], path)
    work = tmp_path / "work"
    _, space = coded(str(path), Wants("class"), work=str(work))
    before = space.folder.name
    space.release()
    os.utime(path, (1, 1))
    _, space = coded(str(path), Wants("class"), work=str(work))
    assert space.folder.name != before
    assert [p.name for p in stores(work)] == [space.folder.name]  # the old one was nobody's
    space.close()


def test_another_target_begins_anew(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"k": np.arange(90) % 3 / 1.0, "y": np.arange(90) % 2 / 1.0}), path)
    _, space = coded(str(path), Wants("y"), work=str(tmp_path / "work"))
    space.release()
    table, space = coded(str(path), Wants("k"), work=str(tmp_path / "work"))
    assert table.target.levels == (0, 1, 2)  # whole numbers of a target are classes
    space.close()
    assert stores(tmp_path / "work") == []


def test_a_column_of_many_texts_is_gone_on_with(tmp_path):
    path, n = tmp_path / "rows.parquet", 66_000
    texts = [f"t{i % n}" for i in range(n + 90)]
    rows = {"t": texts, "x": np.arange(n + 90) % 7, "y": ["a", "b", "c"] * ((n + 90) // 3)}
    pq.write_table(pa.table(rows), path)
    for _ in range(2):
        table, space = coded(str(path), Wants("y"), work=str(tmp_path / "work"))
        assert table.left_out == ()
        assert table.columns[0].take(np.arange(n + 90)).values() == texts
        space.release()


def test_ctrl_c_removes_the_folder(rows, tmp_path, monkeypatch):
    def group(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(coding._Run, "_group", group)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        penjing.fit(str(rows[0]), "class", engine="disk")
    assert stores(tmp_path) == []


def test_a_folder_in_use_is_left_alone(tmp_path):
    mine = ScratchFolder(str(tmp_path))
    (tmp_path / (PREFIX + "dead")).mkdir()
    (tmp_path / (PREFIX + "dead") / LOCK).touch()
    (tmp_path / (PREFIX + "dead") / "c0.raw").touch()
    (tmp_path / (PREFIX + "empty")).mkdir()
    other = ScratchFolder(str(tmp_path), "named")
    assert {p.name for p in stores(tmp_path)} == {mine.folder.name, other.folder.name}
    with pytest.raises(DataError, match="another process"):
        ScratchFolder(str(tmp_path), "named")
    mine.close()
    other.close()
    assert stores(tmp_path) == []


@pytest.fixture
def tiny_disk(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small tmpfs")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=False
    )
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_full_disk_is_told_and_cleaned_up(rows, tiny_disk, tmp_path, form):
    path = rows[0]
    if form == "csv":
        path = tmp_path / "rows.csv"
        pytest.importorskip("pyarrow.csv").write_csv(pq.read_table(rows[0]), path)
    with pytest.raises(DataError, match="No space left on device"):
        penjing.fit(str(path), "class", engine="disk", work=str(tiny_disk))
    assert stores(tiny_disk) == []
