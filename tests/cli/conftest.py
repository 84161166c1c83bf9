"""The command run in a folder that holds the course's files."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

import pytest
import typer

from penjing.cli import main
from penjing.cli.app import COMMANDS, build_app
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


@cache
def options_of(verb: str) -> frozenset[str]:
    """Return the options of a command."""
    made = typer.main.get_command(build_app()).commands[verb]
    return frozenset(word for p in made.params for word in (*p.opts, *p.secondary_opts))


def assert_names_its_own_options(words: list[str], messages: str) -> None:
    """Check that notes and errors name options which the command has, and nothing of Python.

    This holds for every command that any test runs. What users typed and whole command lines
    (``penjing why --cuts``) may name others.
    """
    verb = next((word for word in words if word in COMMANDS), None)
    if verb is None or "--debug" in words:
        return
    plain = re.sub(r"penjing [a-z-]+( (--?[a-z-]+|[\w./=]+))*", "", messages)
    typed = " ".join(words)
    for option in re.findall(r"(?<![-\w])--[a-z][a-z-]*", plain):
        assert option in options_of(verb) or option in typed, (verb, messages)
    assert "penjing.read(" not in messages, messages


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command in a folder with the course's files."""
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    put_melons(tmp_path)

    def made(*args: str) -> Done:
        words = [str(arg) for arg in args]
        code = main(words)
        captured = capsys.readouterr()
        assert_names_its_own_options(words, captured.err)
        return Done(code, captured.out, captured.err)

    return made


@pytest.fixture
def melon(run):
    """Return the name of a model grown from the first training file."""
    assert run("fit", TRAIN, "-o", "melon.tree").code == 0
    return "melon.tree"
