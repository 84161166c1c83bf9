"""Wrong values of every option of every command: one sentence and exit code 1 or 2, no trace."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import typer.main

from penjing.cli import Exit, main
from penjing.cli.app import build_app
from watermelon_files import put_melons

TRAIN, TEST, MODEL = "Watermelon-train1.csv", "Watermelon-test1.csv", "melon.tree"
HAND = "hand.txt"
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": (TRAIN,),
    "fit": (TRAIN, "-o", "new.tree"),
    "show": (MODEL,),
    "draw": (MODEL, "-o", "new.svg"),
    "why": (MODEL,),
    "explain": (MODEL, "--row", "纹理=清晰"),
    "trace": (MODEL,),
    "prune": (MODEL, "-o", "new.tree"),
    "predict": (MODEL, TEST),
    "test": (MODEL, TEST),
    "compare": (MODEL, MODEL),
    "ruleset": (MODEL, "--train", TRAIN),
    "importance": (MODEL,),
    "bootstrap": (TRAIN, "--trees", "2"),
    "cross-validate": (TRAIN, "--folds", "2", "--recipe", "id3"),
    "export": (MODEL, "--to", "python"),
    "edit": (MODEL, "--prune", "root", "-o", "new.tree"),
    "import": (HAND, "--data", TRAIN, "-o", "new.tree"),
    "worksheet": (TRAIN, "-o", "new.md"),
    "lab": (TRAIN, "--no-open"),
    "report": (MODEL, "-o", "new.html", "--folds", "2"),
    "drift": (MODEL, TEST),
    "examples": (),
    "recipes": (),
    "plugins": (),
    "plugs": (),
    "completion": ("bash",),
}
WRONG = ("", "zzz", "-1", "9" * 40, "zyx" * 50)
FREE = {
    *("--output", "-o", "--title", "--missing-marker", "--name", "--table", "--cell", "--work"),
    *("--names", "--width", "--seed", "--max-leaves", "--max-psi"),
    *("--memory-limit", "--min-weight", "--min-branch", "--min-gain"),
    *("-m", "-M", "--cp", "--ccp-alpha", "--min-samples-split", "--min-samples-leaf"),
}
"""Options that take any text, or some of the numbers among the wrong values."""
SHARED = ("--lang", "--color", "--width")
"""Options of all commands, tried with one of them."""
ALLOWED = {Exit.INVALID, Exit.USAGE}
LONGEST = 600


@cache
def options(command: str) -> tuple[str, ...]:
    """Return the options of a command that take a value, by their long names."""
    app = typer.main.get_command(build_app())
    params = app.commands[command].params  # type: ignore[attr-defined]
    every = [p.opts[0] for p in params if p.opts[0][0] == "-" and not p.is_flag]
    shared = () if command == "check" else SHARED
    return tuple(option for option in every if option not in shared)


def test_every_command_is_tried():
    app = typer.main.get_command(build_app())
    assert set(app.commands) == set(COMMANDS)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def melons(tmp_path_factory):
    """Return a folder with the course's files and a model."""
    folder = tmp_path_factory.mktemp("melons")
    put_melons(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["fit", TRAIN, "-o", MODEL]) == Exit.OK
        Path(HAND).write_text("纹理 = 清晰: 是\n纹理 = 稍糊: 否\n纹理 = 模糊: 否\n", "utf-8")
    return folder


def fault(code: int, err: str, value: str, *, may_be_right: bool) -> str | None:
    """Return what is wrong with the end of a command; None if nothing is."""
    if "Traceback" in err or code not in {Exit.OK, *ALLOWED}:
        return f"exit code {code}: {err[:200]}"
    if code == Exit.OK:
        return None if may_be_right else "taken"
    errors = re.findall(r"^(?:error|Error): .*", err, re.MULTILINE)
    sentence = re.sub(r"^note: .*\n", "", err, flags=re.MULTILINE)  # notes come before the error
    if len(errors) != 1 or len(sentence) > LONGEST:
        return f"not one sentence ({len(sentence)}): {err[:200]}"
    from_python = r"object at 0x|std::|\bNoneType\b|Error, |---"
    inside = re.search(from_python, err.replace(value or "·", ""))
    return f"from inside: {err[:200]}" if inside else None


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_value_of_an_option_is_refused_in_one_sentence(
    command, melons, monkeypatch, capsys
):
    monkeypatch.chdir(melons)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setattr("penjing.webapp.server.LabServer.run", lambda server, _: server.close())
    found = {}
    for option in options(command):
        for value in WRONG:
            code = main([command, *COMMANDS[command], option, value])
            err = capsys.readouterr().err
            # others take what they do not need: a target where none is read, an idle marker
            is_free = command != "fit" or option in FREE
            said = fault(code, err, value, may_be_right=is_free)
            if said is not None:
                found[f"{option} {value[:20]!r}"] = said
    assert "\n".join(f"{call}: {said}" for call, said in found.items()) == ""
    assert Path(MODEL).exists()
