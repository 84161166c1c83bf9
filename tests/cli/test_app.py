"""The command itself: help, language, colour, streams, exit codes, the bar."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import penjing
from penjing.cli import Exit
from penjing.cli import main as penjing_main
from penjing.cli.command import InterruptWatcher, run_to_exit_code
from penjing.cli.console import Console, locale_language
from penjing.dialects.textbook import ID3
from run_command import CODE, HEARS_SIGNALS, spawn
from watermelon_files import put_melons

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"

VERBS = ("check", "fit", "show", "why", "trace", "prune", "predict", "test", "compare")


def test_help_lists_every_verb_and_says_what_exit_codes_mean(run):
    done = run("--help")
    assert done.code == 0
    assert all(f"\n  {verb} " in done.out for verb in (*VERBS, "recipes", "plugins", "completion"))
    codes = done.out.split("Exit codes:\n", 1)[1]
    assert all(f"\n  {int(code)} " in f"\n{codes}" for code in Exit)


def test_every_verb_has_the_common_options(run):
    for verb in VERBS:
        text = run(verb, "--help").out
        for option in ("--json", "--lang", "--color", "--ascii", "--width", "--debug"):
            assert option in text, (verb, option)


def test_every_setting_of_a_recipe_is_an_option_of_fit(run):
    text = run("fit", "--help").out
    settings = set(ID3.settings()) - {"name", "rules"}
    assert settings
    for name in settings:
        assert f"--{name.replace('_', '-')}" in text


def test_help_imports_nothing_heavy(tmp_path):
    code = (
        "import sys; from penjing.cli import main; main(['--help']); "
        "print([m for m in ('numpy', 'duckdb', 'narwhals', 'pandas', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(run):
    assert run("--version").out == f"penjing {penjing.__version__}\n"


def test_the_command_is_a_module_too():
    told = subprocess.run(
        [sys.executable, "-m", "penjing", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout == f"penjing {penjing.__version__}\n"


def test_mistakes_on_the_command_line_exit_with_2(run):
    for args in (
        ["nonsense"],
        ["fit"],
        ["fit", TRAIN, "--nonsense"],
        ["fit", TRAIN, "--seed", "x"],
    ):
        done = run(*args)
        assert done.code == Exit.USAGE, args
        assert done.out == ""
        assert "\nerror: " in f"\n{done.err}"


def test_common_options_may_stand_before_the_verb(run):
    done = run("--lang", "zh", "--json", "check", TRAIN)
    assert done.data["rows"] == 16
    assert "说明" in run("--lang=zh", "check", TRAIN).err


def test_the_locale_decides_the_language(run, monkeypatch):
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "16 行" in run("check", TRAIN).out
    assert "16 rows" in run("check", TRAIN, "--lang", "en").out
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert "16 rows" in run("check", TRAIN).out
    assert locale_language({"LC_MESSAGES": "zh_TW"}) == "zh"


def test_colour_only_where_it_is_asked_for(run, melon, monkeypatch):
    assert "\x1b" not in run("why", melon).out
    assert "\x1b[1m chosen\x1b[0m" in run("why", melon, "--color", "always").out
    assert "\x1b[31;1merror: \x1b[0m" in run("show", "none", "--color", "always").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("show", "none").err


def test_what_is_our_fault_asks_for_a_report(capsys):
    assert run_to_exit_code(Console(), lambda: 1 / 0, {}) == Exit.INTERNAL_ERROR
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert "--debug" in said
    assert "Traceback" not in said
    assert (
        run_to_exit_code(Console(lang="zh", debug=True), lambda: 1 / 0, {}) == Exit.INTERNAL_ERROR
    )
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "这是 penjing 的缺陷" in said


def test_an_interruption_exits_with_130(capsys):
    def interrupted():
        raise KeyboardInterrupt

    assert run_to_exit_code(Console(), interrupted, {}) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "error: interrupted.\n"


@HEARS_SIGNALS
def test_ctrl_c_ends_a_run_without_a_trace(tmp_path):
    """Reading standard input waits, so the signal finds the command at work."""
    put_melons(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, "fit", "-", "-o", "out.tree"],
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"a,class\n" + b"x,1\n" * 100_000)  # waits until somebody reads it
        while process.poll() is None:  # a signal between two reads is seen at the next one only
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
        said = process.stderr.read().decode()
    assert process.returncode == Exit.INTERRUPTED
    assert said == "error: interrupted.\n"
    assert [path.name for path in tmp_path.glob("*.tree")] == []


@HEARS_SIGNALS
def test_an_error_that_an_interruption_became_is_an_interruption(capsys):
    def library():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            message = "query interrupted"
            raise RuntimeError(message) from None

    with InterruptWatcher():
        assert run_to_exit_code(Console(), library, {}) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "error: interrupted.\n"


def test_debug_shows_where_a_sentence_came_from(run):
    assert "Traceback" in run("show", "none", "--debug").err
    assert "Traceback" not in run("show", "none").err


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path):
    lines = "".join(f"{i % 97}.5,{i % 89}.5,{i % 7}\n" for i in range(6000))
    (tmp_path / "large.csv").write_text("a,b,c\n" + lines)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, "fit", "large.csv", "--no-trace"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_what_cannot_be_shown_is_escaped(tmp_path):
    put_melons(tmp_path)
    done = spawn(tmp_path, "fit", TRAIN, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    line = done.stdout.decode("ascii").splitlines()[1]
    assert line == r"|  \u6839\u8482 = \u8737\u7f29: \u662f (5)"
    done = spawn(tmp_path, "fit", TRAIN, PYTHONUTF8="0", PYTHONIOENCODING="gbk")
    assert done.stdout.decode("gbk").splitlines()[1] == "│  根蒂 = 蜷缩: 是 (5)"


def test_json_survives_a_narrow_stream(tmp_path):
    put_melons(tmp_path)
    done = spawn(tmp_path, "check", TRAIN, "--json", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["columns"][1]["name"] == "色泽"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_predictions_as_json_keep_their_classes_in_a_narrow_stream(tmp_path, encoding):
    rows = "a,🌲 kind\nx,好\ny,坏🌲\n"
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    environment = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    spawn(tmp_path, "fit", "rows.csv", "--recipe", "id3", "-o", "a.tree", **environment)
    done = spawn(tmp_path, "predict", "a.tree", "rows.csv", "--json", **environment)
    assert done.returncode == 0
    text = done.stdout.decode(encoding)
    assert "?" not in text
    found = json.loads(text) if text.lstrip().startswith(("[", "{")) else None
    assert "坏🌲" in json.dumps(found, ensure_ascii=False)
    assert "🌲 kind" in json.dumps(found, ensure_ascii=False)


def test_completion_names_its_shell(run):
    for shell in ("bash", "zsh", "fish", "powershell"):
        assert "PENJING_COMPLETE" in run("completion", shell).out
    assert run("completion", "cmd").code == Exit.USAGE


def test_a_shell_is_told_the_verbs(tmp_path):
    environment = {
        "COMP_WORDS": "penjing pr",
        "COMP_CWORD": "1",
        "_PENJING_COMPLETE": "complete_bash",
    }
    done = spawn(tmp_path, **environment)
    assert set(done.stdout.decode().split()) == {"prune", "predict"}


def test_recipes_and_plugins_are_listed(run):
    assert run("recipes", "--json").data["cart-binary"]["shape"] == "binary"
    assert "criteria: gain, gain_ratio, gini, variance" in run("plugins").out
    assert "memory" in run("plugins", "--json").data["engine"]


def test_there_is_no_bar_in_a_pipe():
    from penjing.cli.progress_bar import progress_bar  # noqa: PLC0415

    with progress_bar(Console()) as watcher:
        assert watcher is None


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_there_is_a_bar_on_a_terminal(monkeypatch):
    import pty  # noqa: PLC0415 - not on every platform

    from penjing.cli import progress_bar  # noqa: PLC0415
    from penjing.progress import Progress  # noqa: PLC0415

    ours, theirs = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bar, "DELAY", 0.0)
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        shown = b""
        with progress_bar.progress_bar(Console()) as watcher:
            assert watcher is not None
            while b"growing" not in shown:
                watcher(Progress(7, 3, 10, 1))
                time.sleep(0.01)
                shown += os.read(ours, 10_000) if _has(ours) else b""
        terminal.flush()
        shown += os.read(ours, 10_000) if _has(ours) else b""
    os.close(ours)
    assert b"growing: 1 leaf, " in shown


def _has(handle: int) -> bool:
    import select  # noqa: PLC0415 - only here

    return bool(select.select([handle], [], [], 0.01)[0])


@pytest.mark.parametrize(
    ("how", "code"),
    [(">&-", 0), ("> /dev/full", 1)],
)
def test_a_stdout_that_takes_nothing_is_no_crash(tmp_path, how, code):
    model = tmp_path / "m.tree"
    penjing.fit(penjing.example("watermelon2.0")).save(model)
    line = f'"$0" -c "$1" show "$2" {how}'
    told = subprocess.run(
        ["sh", "-c", line, sys.executable, CODE, str(model)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == code
    assert "Traceback" not in told.stderr
    assert "internal error" not in told.stderr


def test_a_closed_stdin_gets_a_sentence():
    told = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" fit - <&-', sys.executable, CODE],
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 1
    assert "standard input is closed" in told.stderr


def test_a_program_may_call_main_with_streams_of_text(tmp_path, monkeypatch):
    model = tmp_path / "fish.tree"
    penjing.fit(penjing.example("fish")).save(model)
    rows = "no surfacing,flippers\n1,1\n0,1\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(rows))
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert penjing_main(["predict", str(model), "-"]) == 0
    header, *lines = sys.stdout.getvalue().splitlines()
    assert header == "row,no surfacing,flippers,predicted"
    assert lines == ["1,1,1,yes", "2,0,1,no"]
