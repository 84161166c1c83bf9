"""Files without a name: they can be read by a path, and nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from penjing.data import scratch


@pytest.mark.parametrize("has_open_files", [True, False])
def test_a_file_without_a_name_can_be_read_and_leaves_nothing(
    tmp_path, monkeypatch, has_open_files
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if not has_open_files:
        monkeypatch.setattr(scratch, "_OPEN_FILES", str(tmp_path / "nothing"))
    with scratch.unnamed_file(b"a,b\n1,2\n") as path:
        assert Path(path).read_bytes() == b"a,b\n1,2\n"
        assert bool(list(tmp_path.iterdir())) != has_open_files
    assert not list(tmp_path.iterdir())


WRITES = """
import os, sys
made = []

def note(event, given):
    if event == "open" and str(given[0]).startswith(os.environ["TMPDIR"]):
        made.append(given[0])

from penjing.data import scratch
sys.addaudithook(note)
with scratch.unnamed_file(b"a,b") as path:
    print(os.stat(path).st_size, os.stat(path).st_nlink)
print(*made)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files")
@pytest.mark.parametrize("folder", ["", "missing"])
def test_no_file_has_a_name_even_for_a_moment(tmp_path, folder):
    wanted = str(tmp_path / folder).rstrip("/")
    env = os.environ | {"TMPDIR": wanted, "TEMP": wanted, "TMP": wanted}
    run = subprocess.run([sys.executable, "-c", WRITES], env=env, check=True,
                         capture_output=True, text=True)  # fmt: skip
    size, *opened = run.stdout.splitlines()
    assert size == "3 0"
    assert set(" ".join(opened).split()) == {wanted}  # the folder itself, no name in it


def test_without_a_folder_for_it_the_file_is_in_memory(tmp_path, monkeypatch):
    if not hasattr(os, "memfd_create"):
        pytest.skip("a system with named files only")
    real = os.open

    def refuse(path, flags, *given, **named):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return real(path, flags, *given, **named)

    monkeypatch.setattr(scratch.os, "open", refuse)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch.unnamed_file(b"a,b\n1,2\n") as path:
        assert Path(path).read_bytes() == b"a,b\n1,2\n"
        assert "memfd" in str(Path(path).readlink())
    assert not list(tmp_path.iterdir())
