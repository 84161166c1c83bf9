"""Command lines that cannot be read: one sentence, in the reader's language and no other."""

from __future__ import annotations

import re
import shlex
from functools import cache

import pytest
import typer

from penjing.cli import Exit, usage_errors
from penjing.cli.app import COMMANDS, build_app
from penjing.cli.help_page import HelpStyle
from penjing.i18n import LANGUAGES, catalogue

WRONG = (
    "fitt", "qqqqqq", "fit", "draw m.tree", "compare a b c", "compare a b c d", "fit x --zzz",
    "fit x -Q", "fit x --max-depth a", "fit x --max-depth 1.5", "fit x --lang fr", "fit x --json=1",
    "fit x --max-leaves", "test a b --min-accuracy 3", "test a b --min-accuracy -1",
    "test a b --min-accuracy x", "cross-validate x --folds 1", "show m --order z", "why",
    "predict m",
    "draw m -o x --max-leaves 0", "report m --theme neon", "fit x --recipe", "why m root more",
    "fit x --trace=yes", "explain", "prune m --folds x", "bootstrap x --trees 0", "-x", "--zzz",
)  # fmt: skip
"""Every way to be wrong that the parser knows."""
LATIN = re.compile(r"[A-Za-z]{2,}")


def said_by_us() -> set[str]:
    """Return the words that are the same in every language: verbs, options, values, file names."""
    return {"penjing", "json", "utf", "en", "zh", *" ".join(COMMANDS).replace("-", " ").split()}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_told_in_chinese_only(run, line):
    done = run("--lang", "zh", *shlex.split(line)) if line[:1] == "-" else None
    words = shlex.split(line)
    done = run(*words, "--lang", "zh") if words and words[0] in COMMANDS else done
    if done is None:
        done = run_in_chinese(run, words)
    assert done.code in (Exit.USAGE, Exit.INVALID)
    assert_chinese_only(done, line)


WRONG_WORK = (
    "lab none.csv --no-open", "lab {table} --train {table} --no-open", "lab --replay {table}",
    "drift {model} none.csv", "drift {model} {other}", "edit {model}", "edit {model} --prune 99",
    "edit {model} --prune outlook=fog", "edit {model} --replace 'outlook=sunny => fog'",
    "edit {model} --regrow 1 --set fog=1", "edit {model} --prune 1 --train {other}", "worksheet",
    "worksheet {table} -r rpart", "worksheet --seed 1 --depth 9", "worksheet {table} --rows 9",
    "worksheet {table} -o x.doc", "import none.txt", "import {model} --missing stop",
    "test {model} {table} --chart fog -o x.svg", "test {model} {table} --chart roc",
    "test {model} {table} --cost 1", "test {model} {table} --precision 2",
    "test {model} {table} --positive fog", "draw {model} --plane outlook -o x.svg",
    "draw {model} --plane outlook,fog -o x.svg", "draw {model} -o x.bmp", "compare {model}",
    "compare --recipes id3,fog {table}", "why {model} 99", "why {model} --cuts fog",
    "fit {table} --monotonic windy=up", "fit {table} --root fog", "fit {table} --sheet 2",
    "fit {table} --decimal x", "fit {table} --force 'outlook=fog => windy'",
    "fit {table} --dates x",
    "explain {model} --row outlook", "explain {model} --row 'outlook=sunny; windy=TRUE'",
    "prune {model} -m fog", "report {model} -o x.docx", "export {model} --to fog",
    "export {model} --to sql --dialect fog", "recipes fog", "predict {model} {other}",
)  # fmt: skip
"""Command lines that can be read, and ask for what cannot be done."""


@pytest.mark.parametrize("line", WRONG_WORK)
def test_wrong_work_is_told_in_chinese_only(run, tmp_path, line):
    (tmp_path / "other.csv").write_text("aa,bb\n1,u\n2,v\n3,u\n")
    table = "example:play_tennis"
    assert run("fit", table, "-r", "id3", "-o", "m.tree").code == Exit.OK
    given = line.format(model="m.tree", table=table, other="other.csv")
    done = run(*shlex.split(given), "--lang", "zh")
    assert done.code == Exit.INVALID, done
    sentence = done.err.split("错误：", 1)[1].strip()
    # Lists of what is allowed are names, which are the same in every language.
    rest = re.sub(
        r"(?:可选|支持的|现有的|可用的|扩展名|配方：|以下之一|划分为)[^。；]*[。；]", "", sentence
    )
    rest = re.sub(r"--?[a-z][a-z-]*|`[^`]*`|“[^”]*”|\.[a-z]+\b", "", rest)
    typed = set(re.findall(LATIN, given)) | said_by_us() | {"PDF", "PNG", "SVG", "JSON", "None"}
    assert set(re.findall(LATIN, rest)) <= typed, sentence
    assert sentence.endswith(("。", "？", "`"))


def assert_chinese_only(done, line):
    assert done.out == ""
    assert "错误：" in done.err
    known = (
        said_by_us() | set(re.findall(LATIN, line)) | {"rows", "levels", "auto", "light", "dark"}
    )
    sentence = done.err.split("错误：", 1)[1]
    rest = re.sub(r"--?[a-z][a-z-]*|`[^`]*`", "", sentence)
    assert set(re.findall(LATIN, rest)) <= known, sentence
    assert not re.search(r"[，。；：]\s*$", sentence.strip()[:-1])


def every_wrong_line() -> list[str]:
    """Return for every command every kind of mistake with each of its options."""
    group = typer.main.get_command(build_app())
    lines = []
    for name, made in group.commands.items():
        arguments = [p for p in made.params if p.param_type_name == "argument"]
        options = [p for p in made.params if p.param_type_name == "option" and not p.hidden]
        full = " ".join([name, *("x" for _ in arguments)])
        required = "".join(f" {p.opts[0]} x" for p in options if p.required)
        if any(p.required for p in arguments):
            lines.append(name)
        if all(p.nargs == 1 for p in arguments):  # no argument takes any number of words
            lines.append(f"{full} more{required}")
        lines.append(f"{full}{required} --no-such-option")
        if required:
            lines.append(full)
        for p in options:
            if p.is_flag:
                lines.append(f"{full}{required} {p.opts[0]}=1" if p.opts[0][1] == "-" else name)
                continue
            lines.append(f"{full}{required} {p.opts[0]}")
            if p.metavar in ("INT", "NUMBER", "SHARE") or "|" in (p.metavar or ""):
                lines.append(f"{full}{required} {p.opts[0]} 9x")
            if p.min is not None:
                lines.append(f"{full}{required} {p.opts[0]} -5")
    return lines


def test_every_mistake_with_every_option_is_told_in_each_language(run):
    lines = every_wrong_line()
    assert len(lines) > 500
    refused = 0
    for line in lines:
        done = run_in_chinese(run, shlex.split(line))
        if done.code == Exit.INVALID and line.endswith(" 9x"):
            continue  # the parser takes any text, and the command refuses it
        assert done.code == Exit.USAGE, line
        refused += 1
        known = " ".join([line, *VALUES])
        assert_chinese_only(done, known)
        english = run(*shlex.split(line))
        assert english.code == Exit.USAGE
        sentence = english.err.split("error: ", 1)[1]
        assert not re.search(r"Input should|Value error|Got unexpected|Missing|No such", sentence)
        assert not re.search(r"[\u4e00-\u9fff]", sentence)
    assert refused > 400


VALUES = (
    "auto", "always", "never", "en", "zh", "cut", "keep", "rows", "levels", "light", "dark", "data",
    "counts", "none", "top", "down", "left", "to", "right", "top-down", "left-to-right",
    "print", "learning", "pruning", "gini", "information", "bash", "zsh", "fish", "powershell",
    "text", "md", "tex", "html", "choice", "measures", "all", "stop", "fraction",
)  # fmt: skip
"""Values of options that are listed to choose from."""


def test_without_a_command_the_help_is_printed(run):
    done = run()
    assert done.code == Exit.USAGE
    assert done.out == ""
    assert "Grow and prune:" in done.err
    assert "生成与剪枝：" in run("--lang", "zh").err
    assert "生成与剪枝：" in run_in_chinese(run, []).err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fitt", "没有命令“fitt”，是不是“fit”？"),
        ("plug", "没有命令“plug”，是不是“plugins”？"),
        ("qqqq", "没有命令“qqqq”。运行 `penjing --help` 查看全部命令。"),
        ("fit x --max-deph 3", "没有选项 --max-deph，是不是 --max-depth？"),
        ("fit x --max-depth --json", "选项 --max-depth 需要一个值。"),
    ],
)
def test_only_near_and_visible_names_are_proposed(run, line, said):
    assert f"错误：{said}\n" in run_in_chinese(run, shlex.split(line)).err


def run_in_chinese(run, words):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LANG", "zh_CN.UTF-8")
        return run(*words)


def errors_of_the_parser() -> list[type[Exception]]:
    """Return every class of error that the parser raises, whatever its version calls it."""
    base = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "UsageError")
    found, waiting = [], [base]
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].__subclasses__()
    return found


def test_every_error_of_the_parser_has_a_chinese_sentence():
    names = {c.__name__ for c in errors_of_the_parser()}
    assert {"BadParameter", "MissingParameter", "NoSuchOption", "BadOptionUsage"} <= names
    for error in errors_of_the_parser():
        made = error.__new__(error)
        made.message, made.ctx, made.param, made.option_name = "Something new.", None, None, "--x"
        made.possibilities, made.param_hint, made.cmd, made.param_type = None, None, None, None
        made.format_message = lambda: "Something new."
        sentence = usage_errors.usage_error_text(made, [], HelpStyle("zh"))
        assert "Something" not in sentence
        assert re.search(r"[\u4e00-\u9fff]", sentence)


@cache
def commands() -> dict[str, set[str]]:
    """Return the options of every verb."""
    group = typer.main.get_command(build_app())
    return {
        name: {word for p in made.params for word in (*p.opts, *p.secondary_opts)} | {"--help"}
        for name, made in group.commands.items()
    }


QUOTED = re.compile(
    r"(?:`|: |：)penjing (?P<verb>[a-z][a-z-]*)(?P<rest>(?: (?:[A-Z]+|--[a-z-]+|[a-z.]+))*)"
)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_command_line_that_a_sentence_quotes_can_be_read(lang):
    found = 0
    for key, text in catalogue(lang).items():
        for line in QUOTED.finditer(text):
            assert line["verb"] in commands(), (key, line[0])
            found += 1
            options = set(re.findall(r"--[a-z-]+", line["rest"]))
            assert options <= commands()[line["verb"]], (key, line[0])
            group = typer.main.get_command(build_app())
            arguments = [
                p for p in group.commands[line["verb"]].params if p.param_type_name == "argument"
            ]
            without_values = re.sub(r"(?<!\S)--?[a-z-]+ [A-Z]{2,}\b", "", line["rest"])
            given = re.findall(r"\b[A-Z]{2,}\b", without_values)
            assert len(given) <= len(arguments), (key, line[0])
    assert found > 5


EVERYWHERE = {"--help", "--lang", "--json", "--ascii", "--width", "--color", "--debug"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_option_that_a_sentence_names_exists(lang):
    every = set().union(*commands().values()) | {"--version"}
    for key, text in catalogue(lang).items():
        for option in re.findall(r"(?<![-\w])--[a-z][a-z-]*", text):
            assert option in every, (key, option)


SAID_BY = {
    "why": ("no_trace_cli", "no_trace_here_cli", "why_hint"),
    "trace": ("no_trace_cli", "no_trace_here_cli", "story_more"),
    "fit": (
        "note_no_trace", "note_no_trace_disk", "needs_validation_cli", "validation_not_used_cli",
        "missing_refused_cli", "note_fractional_leaves", "two_validations", "no_target_cli",
        "bad_set",
        "not_a_number_cli", "infinite_number_cli", "not_decodable_cli", "sibling",
        "sibling_penalty",
        "work_folder", "work_taken", "disk_full", "needs_query", "not_json_schema",
    ),
    "prune": (
        "same_file", "needs_validation_cli", "validation_not_used_cli", "share_needs_training",
        "two_validations", "raising_needs_rows", "folds_need_rows", "not_a_number_cli",
    ),
    "predict": ("unseen_level_cli", "not_a_number_cli", "infinite_number_cli", "cannot_encode"),
    "test": ("test_no_accuracy", "not_a_number_cli", "infinite_number_cli"),
    "compare": ("note_no_leave_one_out", "not_a_number_cli"),
    "ruleset": ("ruleset_needs_rows", "not_a_number_cli"),
    "importance": ("permutation_needs_data", "not_a_number_cli"),
    "explain": ("explain_wants_row", "explain_not_row", "not_a_number_cli"),
    "export": ("export_no_shares_cli", "export_no_error_cli"),
    "check": ("not_a_number_cli", "infinite_number_cli", "not_decodable_cli", "no_target_cli"),
}  # fmt: skip
"""What verbs say of options; several verbs may say the same."""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("verb", SAID_BY)
def test_a_verb_names_only_options_that_it_has(verb, lang):
    for key in SAID_BY[verb]:
        text = re.sub(
            r"`?penjing [a-z]+( --[a-z-]+)+`?|`[a-z]+ --[a-z-]+`", "", catalogue(lang)[key]
        )
        named = set(re.findall(r"(?<![-\w])--[a-z][a-z-]*", text))
        assert named <= commands()[verb], (verb, key)


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_usage_line_of_every_verb_has_no_english_word(run, verb):
    done = run(verb, "--no-such-option", "--lang", "zh")
    usage = done.err.split("\n", 1)[0].removeprefix(f"用法：penjing {verb}")
    assert "[选项]" in usage
    assert not re.findall(LATIN, usage), usage


def test_the_dashes_of_options_do_not_make_them_alike(run):
    assert run("fit", "x.csv", "--nope", "1").err.count("Did you mean") == 0
    for typed, near in (
        ("--targt", "--target"),
        ("--max-dept", "--max-depth"),
        ("--recipes", "--recipe"),
    ):
        assert f"Did you mean {near}?" in run("fit", "x.csv", typed, "1").err
