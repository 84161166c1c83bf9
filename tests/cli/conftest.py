"""The command run in a folder that holds the course's files."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from penjing.cli import main
from watermelon_files import put_melons

TRAIN = "Watermelon-train1.csv"


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command in a folder with the course's files."""
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    put_melons(tmp_path)

    def made(*args: str) -> Done:
        code = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return made


@pytest.fixture
def melon(run):
    """Return the name of a model grown from the first training file."""
    assert run("fit", TRAIN, "-o", "melon.tree").code == 0
    return "melon.tree"
