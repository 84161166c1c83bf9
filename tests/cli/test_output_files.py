"""A result is not written over an input, nor into a file whose extension names another format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from penjing.cli import Exit
from penjing.cli.app import COMMANDS, build_app
from penjing.cli.overwriting import FILES
from penjing.cli.parameters import OUTPUT

MELONS = "example:watermelon2.0"
ARGUMENTS = {
    "fit": ["own.csv"],
    "prune": ["m.tree", "--method", "pessimistic"],
    "import": ["m.json"],
    "edit": ["m.tree", "--regrow", "root"],
    "draw": ["m.tree"],
    "why": ["m.tree"],
    "trace": ["m.tree"],
    "importance": ["m.tree"],
    "compare": ["m.tree", "n.tree"],
    "test": ["m.tree", "own.csv"],
    "predict": ["m.tree", "own.csv"],
    "report": ["m.tree"],
    "export": ["m.tree", "--to", "python"],
    "cross-validate": ["own.csv", "--curve", "learning"],
    "worksheet": ["own.csv"],
}
"""What commands that write a file are given; every such command is listed."""
CHANGED_MODELS = {("prune", "m.tree"), ("edit", "m.tree")}


def is_file(parameter: object) -> bool:
    return parameter.metavar in FILES


def writing_commands() -> list[str]:
    made = typer.main.get_command(build_app()).commands
    return [
        name
        for name in COMMANDS
        if any(is_file(p) and p.rich_help_panel == OUTPUT for p in made[name].params
               if p.param_type_name == "option")
    ]  # fmt: skip


@pytest.fixture
def files(run):
    table = Path("own.csv")
    rows = ["纹理,触感,好瓜", *["清晰,硬滑,是", "模糊,软粘,否", "稍糊,硬滑,否", "清晰,软粘,是"] * 5]
    table.write_text("\n".join(rows), "utf-8")
    assert run("fit", "own.csv", "--recipe", "id3", "-o", "m.tree").code == Exit.OK
    Path("n.tree").write_bytes(Path("m.tree").read_bytes())
    Path("m.json").write_text(json.dumps({"纹理": {"清晰": "是", "模糊": "否"}}), "utf-8")
    return run


def test_every_command_that_writes_a_file_is_tried():
    assert set(writing_commands()) == set(ARGUMENTS)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_no_command_writes_over_its_input(files, name):
    inputs = [word for word in ARGUMENTS[name] if Path(word).is_file()]
    assert inputs
    for path in inputs:
        before = Path(path).read_bytes()
        for spelling in (path, f"./{path}"):
            done = files(name, *ARGUMENTS[name], "-o", spelling)
            if (name, path) in CHANGED_MODELS:
                assert done.code == Exit.OK, done.err
            else:
                assert done.code == Exit.INVALID, done.out
                assert "would be overwritten" in done.err
                assert Path(path).read_bytes() == before


def test_other_inputs_are_kept_too(files):
    Path("held.csv").write_bytes(Path("own.csv").read_bytes())
    before = Path("held.csv").read_bytes()
    done = files("fit", "own.csv", "--validate", "held.csv", "-o", "held.csv")
    assert "'held.csv' is the input" in done.err
    done = files("report", "m.tree", "--test", "held.csv", "-o", "held.csv")
    assert "'held.csv' is the input" in done.err
    assert Path("held.csv").read_bytes() == before


@pytest.mark.parametrize("extension", ["xlsx", "pdf", "html", "json", "tsv", "ods"])
def test_predictions_are_not_written_as_another_format(files, extension):
    done = files("predict", "m.tree", "own.csv", "-o", f"p.{extension}")
    assert done.code == Exit.INVALID
    assert done.err == (
        f"error: penjing predict does not write .{extension} files. "
        "Use one of these extensions: .csv, .parquet, .pq.\n"
    )
    assert not Path(f"p.{extension}").exists()


def test_a_report_is_html(files):
    done = files("report", "m.tree", "-o", "r.pdf", "--lang", "zh")
    assert "penjing report 不能写 .pdf 文件。可用的扩展名：.html、.htm。" in done.err


def test_predictions_as_json_are_written_to_the_output(files):
    printed = files("predict", "m.tree", "own.csv", "--json").out
    done = files("predict", "m.tree", "own.csv", "--json", "-o", "p.json")
    assert not done.out
    assert Path("p.json").read_text("utf-8") == printed
    lines = files("predict", "m.tree", "own.csv", "--json", "--lines").out
    assert files("predict", "m.tree", "own.csv", "--json", "--lines", "-o", "p.jsonl").out == ""
    assert Path("p.jsonl").read_text("utf-8") == lines
    assert len(lines.splitlines()) == 20


@pytest.mark.parametrize("command", ["why", "trace", "report"])
@pytest.mark.parametrize("extension", ["doc", "docx", "xlsx", "odt", "pptx", "jpg", "csv", "tree"])
def test_texts_are_not_written_as_another_format(files, command, extension):
    done = files(command, "m.tree", "-o", f"t.{extension}")
    assert done.code == Exit.INVALID
    assert done.err.startswith(f"error: penjing {command} does not write .{extension} files. ")
    assert not Path(f"t.{extension}").exists()


@pytest.mark.parametrize("command", ["why", "trace"])
def test_texts_are_written_by_their_extensions(files, command):
    for extension, start in (("html", "<!doctype html>"), ("tex", "\\"), ("json", "")):
        words = ["--json"] if extension == "json" else []
        assert files(command, "m.tree", *words, "-o", f"t.{extension}").code == 0
        assert Path(f"t.{extension}").read_text("utf-8").startswith(start)
    done = files(command, "m.tree", "--json", "-o", "t.html")
    assert "penjing " + command + " --json does not write .html files" in done.err
