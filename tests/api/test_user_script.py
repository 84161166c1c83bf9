"""mypy finds types, not Any, in a user's script, and the script runs."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import penjing

SCRIPT = Path(__file__).with_name("user_script.py")


def test_mypy_reveals_types_in_a_users_script():
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir"]
    sources = str(Path(penjing.__file__).parents[1])
    done = subprocess.run(
        [*command, "/dev/null", "--config-file", "/dev/null", "--follow-imports=silent", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": sources, "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert len(revealed) == SCRIPT.read_text("utf-8").count("reveal_type(")
    assert not [text for text in revealed if re.search(r"^Any\b|\| Any( \||$)", text)]


def test_the_script_uses_every_public_name_and_every_method_of_a_tree():
    script = SCRIPT.read_text("utf-8")
    used = set(re.findall(r"(?:(?<=\bpenjing\.)|(?<=\b[Tt]ree\.))\w+", script))
    methods = {
        name
        for name in dir(penjing.Tree)
        if not name.startswith("_")
        and callable(found := getattr(penjing.Tree, name))
        and found.__module__.startswith("penjing.api")
    }
    assert len(methods) > 25
    assert (set(penjing.__all__) | methods) - used == set()


def test_the_script_runs():
    assert runpy.run_path(str(SCRIPT))["tree"].n_leaves > 1
