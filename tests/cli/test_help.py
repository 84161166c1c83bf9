"""The help: every command and option, in panels, in two languages, with examples that run."""

from __future__ import annotations

import re
import shlex
import string
import subprocess
import sys
from functools import cache

import pytest
import typer

from penjing.cli import Exit, main
from penjing.cli.app import COMMANDS, build_app
from penjing.cli.help_examples import HELP_EXAMPLES
from penjing.cli.help_page import COMMAND_GROUPS, EXIT_CODES, HelpStyle, help_page, wrap
from penjing.cli.parameters import PANELS, PROGRAM_OPTIONS
from penjing.cli.reference import command_reference, exit_code_reference
from penjing.data.examples import EXAMPLES
from penjing.dialects.recipes import recipe_of
from penjing.formatting.text_table import width as terminal_columns
from penjing.i18n import LANGUAGES, help_catalogue
from run_command import spawn

EN, ZH = (help_catalogue(lang) for lang in LANGUAGES)
HAN = re.compile(r"[\u4e00-\u9fff]")


@cache
def group():
    return typer.main.get_command(build_app())


def parameters():
    return [(name, p) for name in COMMANDS for p in group().commands[name].params]


def page(name: str, lang: str, width: int = 80) -> str:
    """Return the help of a command; of the program without a name."""
    program = typer.main.get_command(build_app())
    ctx = program.make_context("penjing", [], resilient_parsing=True)
    if name:
        command = program.commands[name]
        ctx = command.make_context(name, [], parent=ctx, resilient_parsing=True)
    return help_page(ctx, HelpStyle(lang, width, "never"))


# -- the texts ---------------------------------------------------------------------------------


def test_every_command_and_option_has_a_text_in_both_languages_and_a_panel():
    for texts in (EN, ZH):
        for name, p in parameters():
            assert f"option_{p.help}" in texts, (name, p.name)
            assert p.rich_help_panel in PANELS, (name, p.name)
        for name in COMMANDS:
            assert texts[f"command_{name}"]
            assert texts[f"about_{name}"]
        assert all(texts[f"exit_{int(code)}"] for code in Exit)
        assert all(texts[f"example_{name}"] for name in EXAMPLES)
    assert sorted(int(code) for code in Exit) == sorted(EXIT_CODES)
    assert set(HELP_EXAMPLES) == {*COMMANDS, ""}


def test_every_value_has_a_name_in_both_languages():
    for _, p in parameters():
        takes_value = p.param_type_name == "argument" or not p.is_flag
        assert bool(p.metavar) == takes_value, p.name
        for word in re.findall(r"[A-Z]{3,}", p.metavar or ""):
            assert word in {"JSON", "SQL"} or f"metavar_{word}" in ZH, word


def test_both_catalogues_say_the_same_and_nothing_that_is_not_used():
    assert set(EN) == set(ZH)
    used = {f"option_{p.help}" for _, p in parameters()} | {"option_help", "option_version"}
    defaults = {str(p.show_default) for _, p in parameters()}
    metavars = {
        f"metavar_{w}" for _, p in parameters() for w in re.findall("[A-Z]+", p.metavar or "")
    }
    for key in EN:
        fields = [
            {name for _, name, _, _ in string.Formatter().parse(text[key]) if name}
            for text in (EN, ZH)
            if not key.startswith("option_")
        ]
        assert all(names == fields[0] for names in fields), key
        known = {"option": used, "default": defaults, "metavar": metavars}
        assert key in known.get(key.split("_")[0], EN), key


def test_the_default_of_an_option_is_a_value_or_the_key_of_a_text():
    for _, p in parameters():
        shown = str(p.show_default)
        assert shown in EN or not shown.startswith("default_"), p.name
    assert "[default: rows]" in " ".join(page("export", "en").split())


NO_WORDS = re.compile(
    r"`[^`]*`|'\{.*?\}'|\{.*?\}|--?[A-Za-z][\w-]*|example:|duckdb:|postgresql://|\\t|\.[a-z]+\b"
)
NAMES = set(
    re.findall(
        r"\S+",
        "CSV TSV JSON Lines ARFF Parquet SQL HTML Java Excel ASCII UTF Python C4 C5 C J48 "
        "rpart scikit learn ID3 CF NA nan utf gbk GB minsplit cp alpha PR "
        "AllElectronics Han Kamber Quinlan Markdown LaTeX penjing class label "
        "target bash zsh fish powershell",
    )
)
"""Names, units and words of data, which are the same in every language."""


def values() -> set[str]:
    """Return the words that options take as values: the English help lists them literally."""
    shown = [str(p.show_default) for _, p in parameters() if str(p.show_default) not in EN]
    listed = "|".join([*(f"{p.metavar} {p.default}" for _, p in parameters()), *shown])
    settings = (
        "categorical ordinal numeric date ignore target weight year month day weekday hour number "
        "id3 c4.5 cart-binary rpart gain gain_ratio gini variance multiway binary refuse fraction "
        "branch surrogate direction stop missing error auto native memory disk duckdb postgres "
        "spark cost-complexity reduced-error pessimistic error-based collapse minimum-error mdl "
        "simplify prepruned errors impurity text rules markdown svg html icicle dot dict nested "
        "python sql c javascript java pmml onnx excel sqlite mysql bigquery snowflake "
        "tsql oracle redshift balanced confusion roc precision_recall calibration predictions"
    )
    return set(re.findall(r"[A-Za-z]+\d*", f"{listed} {settings}"))


@pytest.mark.parametrize("key", ZH)
def test_a_chinese_text_has_no_english_words(key):
    text = NO_WORDS.sub(" ", ZH[key])
    text = re.sub(r"\{\w*\}", "", text)
    unknown = set(re.findall(r"[A-Za-z]+\d*", text)) - NAMES - values()
    assert not unknown, (key, unknown)
    half = r"[\u4e00-\u9fff][,;:?!]|[\u4e00-\u9fff]\.(\s|$)|[,;:?!][\u4e00-\u9fff]"
    plain = re.sub(r"'\{.*\}'|\{.*\}|example:|duckdb:|“.*?”|=[\d.]+,", "", ZH[key])
    assert not re.search(half, plain), key


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_chinese_help_is_chinese_in_every_line(name):
    text = page(name, "zh").split("示例：", 1)[0]
    for title in re.findall(r"^(\S.*)：$", text, re.MULTILINE):
        assert HAN.search(title), title
    rest = NO_WORDS.sub(" ", text.replace("\n", " "))
    commands = {word for command in COMMANDS for word in command.split("-")}
    unknown = set(re.findall(r"[A-Za-z]+\d*", rest)) - NAMES - values() - commands - {"A", "B"}
    assert not unknown


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["", *COMMANDS])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_are_not_longer_than_the_width(name, lang, width):
    head = page(name, lang, width).rsplit("\n\n", 1 if name else 2)[0]
    words = 40  # the longest name of an option with its values stands on a line of its own
    for line in head.splitlines():
        assert terminal_columns(line) <= max(width, words), line


def test_english_help_is_english_and_ends_its_sentences():
    for key, text in EN.items():
        assert not HAN.search(text), key
        if key.startswith(("option_", "command_", "about_")):
            assert text.endswith("."), key
            assert text[0].isupper() or ": " in text, key
            assert ZH[key].endswith("。"), key


def test_english_texts_are_in_the_imperative():
    verbs = {EN[key].split()[0] for key in EN if key.startswith("command_")}
    assert not {verb for verb in verbs if verb.endswith("s") and not verb.endswith("ss")}


# -- what it looks like ------------------------------------------------------------------------

LINES = (
    ("--help", "--lang", "zh"), ("--lang", "zh", "--help"), ("fit", "--help", "--lang", "zh"),
    ("--lang=zh", "fit", "--help"), ("fit", "-h", "--lang=zh"), ("--lang", "zh", "fit", "-h"),
)  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_the_language_may_stand_anywhere(run, line):
    done = run(*line)
    assert done.code == Exit.OK
    assert done.err == ""
    assert done.out.startswith("用法：penjing ")
    assert ("生成：" if "fit" in line else "生成与剪枝：") in done.out


def test_the_locale_sets_the_language_of_the_help(tmp_path):
    done = spawn(tmp_path, "fit", "--help", LANG="zh_CN.UTF-8")
    assert done.stdout.decode().startswith("用法：penjing fit [选项] 数据\n")
    done = spawn(tmp_path, "fit", "--help", "--lang", "en", LANG="zh_CN.UTF-8")
    assert done.stdout.decode().startswith("Usage: penjing fit [OPTIONS] DATA\n")


def test_the_width_is_that_of_the_option_or_of_the_terminal(run, monkeypatch):
    def longest(*args):
        return max(terminal_columns(line) for line in run(*args).out.splitlines()[:40])

    monkeypatch.setenv("COLUMNS", "70")
    assert 60 < longest("fit", "--help") <= 70
    assert 80 < longest("fit", "--help", "--width", "90") <= 90
    assert longest("--help", "--lang", "zh", "--width=50") <= 50


def test_panels_come_in_order_and_those_of_programs_last():
    titles = [EN[f"panel_{panel}"] for panel in PANELS]
    for name in COMMANDS:
        found = re.findall(r"^(\S.*):$", page(name, "en"), re.MULTILINE)[:-1]
        assert found == [title for title in titles if title in found]
    fit = re.findall(r"^(\S.*):$", page("fit", "en"), re.MULTILINE)
    assert fit[-5:-1] == [
        f"Options of {p}" for p in ("C4.5 and C5.0", "J48", "rpart", "scikit-learn")
    ]


def test_commands_are_grouped_and_not_cut():
    text = page("", "en")
    for key, names in COMMAND_GROUPS.items():
        part = text.split(f"{EN[f'group_{key}']}:\n", 1)[1].split("\n\n", 1)[0]
        listed = [name for name in names if not group().commands[name].hidden]
        assert re.findall(r"^  (\S+)", part, re.MULTILINE) == listed
    assert "..." not in text
    assert "plugs" not in text


def test_defaults_are_those_of_the_programs():
    recipes = {"c45": "c4.5", "j48": "j48", "rpart": "rpart", "sklearn": "sklearn"}
    settings = {"m": "min_branch", "c": "confidence", "C": "confidence", "M": "min_branch",
                "maxdepth": "max_depth", "split": "criterion"}  # fmt: skip
    checked = 0
    for _, p in parameters():
        name = (p.name or "").removeprefix("program_options_")
        if p.rich_help_panel not in recipes or not re.fullmatch(
            r"[\d.]+|gini", str(p.show_default)
        ):
            continue
        actual = recipe_of(recipes[p.rich_help_panel]).table().get(settings.get(name, name))
        expected = (
            float(p.show_default) / (100 if name == "c" else 1) if name != "split" else "gini"
        )
        if name not in ("loss", "cost", "class_weight"):  # no costs and weights: each counts once
            assert str(actual) in (f"{expected:g}" if name != "split" else "gini", str(expected)), (
                name
            )
            checked += 1
    assert checked > 12
    assert set(PROGRAM_OPTIONS) >= set(settings)


def test_help_is_plain_unless_colour_is_asked_for(run):
    assert "\x1b" not in run("fit", "--help").out
    assert "\x1b[1mInput:\x1b[0m" in run("fit", "--help", "--color", "always").out


def test_completions_carry_the_texts(tmp_path):
    words = {"COMP_WORDS": "penjing fit --max-l", "COMP_CWORD": "2"}
    asked = {
        **words,
        "_TYPER_COMPLETE_ARGS": "penjing fit --max-l",
        "_PENJING_COMPLETE": "complete_fish",
    }
    done = spawn(tmp_path, _TYPER_COMPLETE_FISH_ACTION="get-args", LANG="zh_CN.UTF-8", **asked)
    assert "限制叶结点的个数" in done.stdout.decode()


def test_wrapping_keeps_words_and_marks_together():
    lines = wrap("设置划分准则：gain（信息增益）、gain_ratio（增益率）。", 12)
    assert "".join(lines) == "设置划分准则：gain（信息增益）、gain_ratio（增益率）。"
    assert all(line[0] not in "，。、：）" and line[-1] != "（" for line in lines)
    assert wrap("", 10) == [""]


# -- examples ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_example_of_the_help_runs(tmp_path, monkeypatch, capsys, lang):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    monkeypatch.setattr(
        "penjing.webapp.server.LabServer.run", lambda server, ready: (ready(), server.close())
    )
    for name in ("fit", *(name for name in HELP_EXAMPLES if name != "fit")):
        for line in HELP_EXAMPLES[name]:
            program, *args = shlex.split(line)
            assert program == "penjing"
            assert name == "" or args[0] == name or name == "examples", line
            code = main([*args, "--lang", lang])
            told = capsys.readouterr()
            assert code == Exit.OK, (line, told.err)
            assert told.out or "-o" in args, line


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_line_of_an_example_fits_a_screen(lang):
    assert all(len(line) <= 88 for lines in HELP_EXAMPLES.values() for line in lines), lang


def test_the_built_in_tables_are_listed_and_read(run):
    listed = run("examples", "--json").data
    assert [row["name"] for row in listed] == list(EXAMPLES)
    text = run("examples", "--lang", "zh").out
    assert text.splitlines()[0].split() == ["名称", "行数", "列数", "类别标记", "说明"]
    for row in listed:
        checked = run("check", f"example:{row['name']}", "--json").data
        assert checked["rows"] == row["rows"]
        assert row["name"] in text


def test_only_a_near_example_is_proposed(run):
    done = run("fit", "example:watermelon2")
    assert done.code == Exit.INVALID
    assert "Did you mean 'watermelon2.0'?" in done.err
    done = run("fit", "example:iris", "--lang", "zh")
    assert "没有内置数据表“iris”" in done.err
    assert "watermelon" not in done.err
    assert "example:fish" in run("fit", "fish").err


def test_an_example_is_found_again_as_training_rows(run):
    assert run("fit", "example:watermelon2.0", "--no-trace", "-o", "m.tree").code == Exit.OK
    assert "17/17" in run("ruleset", "m.tree").out
    assert "the training set of this tree" in run("test", "m.tree", "example:watermelon2.0").err


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_reference_has_every_visible_command_and_option(lang):
    told = {entry["name"]: entry for entry in command_reference(lang)}
    visible = [name for name in COMMANDS if not group().commands[name].hidden]
    assert list(told) == visible
    for name, entry in told.items():
        options = [option for panel in entry["panels"] for option in panel["options"]]
        names = {word for option in options for part in option["names"] for word in part.split("/")}
        shown = [p for p in group().commands[name].params if not p.hidden]
        words = {w for p in shown for w in (*p.opts, *p.secondary_opts) if w[0] == "-"}
        assert names == words | {"--help", "-h"}
        assert sum(not option["names"] for option in options) == sum(
            p.param_type_name == "argument" for p in shown
        )
        assert entry["summary"] in page(name, lang)
    assert set(exit_code_reference(lang)) == {int(code) for code in Exit}


def test_help_imports_no_heavy_module(tmp_path):
    code = (
        "import sys; from penjing.cli import main; main(['fit', '--help', '--lang', 'zh']); "
        "print([m for m in ('numpy', 'duckdb', 'rich', 'penjing.i18n.zh') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
