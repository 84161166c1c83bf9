"""Ctrl-C at any moment shows no stack trace; what a killed run left is removed by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import penjing
from penjing.tree.serialize import TEMPORARY_PREFIX, open_atomically
from run_command import HEARS_SIGNALS

ROOT = Path(__file__).parents[2]
MOMENTS = [0.0, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.55, 0.75, 1.0]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals as Unix has them")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("interrupted")
    rows = "".join(f"{i % 977},{i % 89}.5,{'pqr'[i * i % 3]}\n" for i in range(60_000))
    (made / "t.csv").write_text("a,b,y\n" + rows, "utf-8")
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, function = entry["penjing"].partition(":")
    # As installers write it.
    (made / "penjing").write_text(
        f"import re\nimport sys\nfrom {module} import {function}\n"
        f"if __name__ == '__main__':\n    sys.exit({function}())\n",
        "utf-8",
    )
    return made


def interrupted(folder, how, moment, *line):
    began = [sys.executable, *how, *line]
    with subprocess.Popen(
        began, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as run:
        time.sleep(moment)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    return run.returncode, said.decode()


def judge(code, said, what):
    """Judge an end; before the first line of ours has run, it is Python's and the installer's."""
    if "Traceback" in said or "Fatal Python error" in said:
        assert f'File "{ROOT / "src"}' not in said, (what, said)
        return
    assert code in (0, 130, -signal.SIGINT), (what, code, said)
    assert "internal error" not in said, (what, said)


@HEARS_SIGNALS
@pytest.mark.parametrize("how", [("-m", "penjing"), ("penjing",)], ids=["module", "script"])
def test_no_moment_shows_a_stack_trace(folder, how):
    ends = set()
    for moment in MOMENTS:
        line = ("fit", "t.csv", "-r", "c4.5", "--no-trace", "-o", "t.tree")
        code, said = interrupted(folder, how, moment, *line)
        judge(code, said, (how, moment))
        ends.add(code)
    assert 130 in ends


@HEARS_SIGNALS
@pytest.mark.slow
@pytest.mark.parametrize("how", [("-m", "penjing"), ("penjing",)], ids=["module", "script"])
def test_no_verb_shows_a_stack_trace_at_any_of_many_moments(folder, how):
    penjing.fit(folder / "t.csv", "y", "cart-textbook", max_depth=4).save(folder / "m.tree")
    lines = [("check", "t.csv"), ("predict", "m.tree", "t.csv"), ("test", "m.tree", "t.csv"),
             ("show", "m.tree"), ("--help",)]  # fmt: skip
    for number in range(100):
        line = lines[number % len(lines)]
        judge(*interrupted(folder, how, number / 100, *line), (how, line, number))


@HEARS_SIGNALS
def test_the_handler_is_there_before_anything_else_is_imported():
    told = (
        "import sys, signal; import penjing.__main__ as m\n"
        "sys.modules['penjing.cli'] = None\n"
        "try: m.run()\n"
        "except ImportError: pass\n"
        "print(signal.getsignal(signal.SIGINT) is m._end, 'typing' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", told], capture_output=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT / "src")})  # fmt: skip
    assert done.stdout == b"True False\n", done.stderr


def test_a_background_job_stays_deaf_to_the_signal(folder):
    began = [sys.executable, "-m", "penjing", "check", "t.csv"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with subprocess.Popen(began, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as run:  # fmt: skip
            time.sleep(0.3)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=120)
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.returncode == 0


# -- what a killed run leaves --------------------------------------------------------------------

HOLDS = """
import sys, time
from penjing.tree.serialize import open_atomically
with open_atomically(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("there", flush=True)
    time.sleep(120)
"""


def holding(path):
    run = subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.readline() == b"there\n"
    return run


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_of_a_live_one(tmp_path):
    dead, alive = holding(tmp_path / "a.tree"), holding(tmp_path / "b.tree")
    try:
        dead.kill()
        dead.wait()
        left = {path.name for path in tmp_path.iterdir()}
        assert len(left) == 2
        stranger = tmp_path / f"{TEMPORARY_PREFIX}x-notes"
        stranger.write_text("not ours", "utf-8")
        foreign = tmp_path / f".penjing-00000000-{dead.pid}-abc"  # of another machine
        foreign.write_text("perhaps alive there", "utf-8")
        with open_atomically(tmp_path / "c.tree") as file:
            file.write(b"whole")
        found = {path.name for path in tmp_path.iterdir()}
        assert not any(name.startswith(f"{TEMPORARY_PREFIX}{dead.pid}-") for name in found)
        assert any(name.startswith(f"{TEMPORARY_PREFIX}{alive.pid}-") for name in found)
        assert {stranger.name, foreign.name, "c.tree"} <= found
    finally:
        for run in (dead, alive):
            run.kill()
            run.wait()
            run.stdout.close()


def test_a_locked_file_stays_even_if_its_process_cannot_be_seen(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path = tmp_path / f"{TEMPORARY_PREFIX}{gone.pid}-abc"
    with path.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with open_atomically(tmp_path / "c.tree") as file:
            file.write(b"whole")
        assert path.exists()
    with open_atomically(tmp_path / "c.tree") as file:
        file.write(b"whole")
    assert not path.exists()
