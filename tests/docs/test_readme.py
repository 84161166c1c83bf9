"""README.md and README.zh.md: what they show is what a reader gets, and both say the same."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import penjing
from docs_site import DOCS, blocks, readme

ROOT = DOCS.parent
READMES = {language: ROOT / name for name, language in readme.READMES.items()}
TEXTS = {language: path.read_text("utf-8") for language, path in READMES.items()}
PROSE = {
    language: re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for language, text in TEXTS.items()
}
FOLLOW = """
import pathlib, sys
language, name = sys.argv[1:]
sys.path.insert(0, "docs/site")
from blocks import run_page
text = pathlib.Path(name).read_text("utf-8")
now = run_page(text, pathlib.Path.cwd(), language, fresh_clone=True)
import penjing
assert pathlib.Path(penjing.__file__).is_relative_to(sys.prefix), penjing.__file__
assert pathlib.Path("demo/watermelon.svg").exists()
if now != text:
    import difflib
    sys.exit("\\n".join(difflib.unified_diff(text.splitlines(), now.splitlines(), lineterm="")))
"""
both = pytest.mark.parametrize("language", READMES)


def section(language: str, number: int) -> str:
    """Return a section by its number: headings differ between languages."""
    return TEXTS[language].split("\n## ")[number]


@both
def test_code_prints_what_is_shown_and_draws_the_picture(language: str, tmp_path: Path):
    now = blocks.run_page(TEXTS[language], tmp_path, language)
    assert now == TEXTS[language], f"run: python docs/site/update_output.py {READMES[language]}"
    (drawn,) = tmp_path.glob("*.svg")
    shown = DOCS / "pictures" / f"readme-{language}-light.svg"
    assert drawn.read_text("utf-8") == shown.read_text("utf-8")


@both
def test_python_code_gives_no_warning(language: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks.blocks_of(TEXTS[language]):
            if block.language == "python":
                for example in doctest.DocTestParser().get_examples(block.body):
                    exec(example.source, names)  # noqa: S102 - the README's code
    assert isinstance(names["tree"], penjing.Tree)


@pytest.mark.slow
@pytest.mark.parametrize("language", READMES)
def test_every_line_works_in_a_fresh_clone(language: str, fresh: tuple[Path, Path]):
    """Each line is run as it stands, also the build; both languages share a clone."""
    clone, python = fresh
    unset = ("PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    ended = subprocess.run(
        [python, "-c", FOLLOW, language, READMES[language].name],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a clone of this checkout's last commit, and the Python of a new environment."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone of the repository")
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run(["git", "clone", "-q", ROOT, folder / "penjing"], check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    return folder / "penjing", folder / "venv" / "bin" / "python"


def test_both_languages_have_the_same_structure():
    found = {}
    for language, text in TEXTS.items():
        code = blocks.blocks_of(text)
        found[language] = {
            "headings": [h.count("#") for h in re.findall(r"^#+ ", PROSE[language], re.MULTILINE)],
            "blocks": [(block.language, block.notes) for block in code],
            "commands": [
                re.sub(r"example:\S+", "", line).split()[:2]
                for block in code
                for line in block.body.splitlines()
                if line.startswith("$ ")
            ],
            "examples": [block.body.count(">>> ") for block in code],
            "tables": [t.count("\n") for t in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)],
            "items": len(re.findall(r"^\d\. ", text, re.MULTILINE)),
            "named": sorted(set(re.findall(r"`(make [a-z-]+)`", text))),
        }
    assert found["en"] == found["zh"]


def test_both_languages_link_to_the_same_pages():
    """Links go to the pages of the language, in the same order."""
    to = {
        language: [
            re.sub(r"README(\.zh)?\.md|docs/zh/project/|docs/(en|zh)/", "", link).lower()
            for link in re.findall(r"\]\(([^)#\s]+)", PROSE[language])
        ]
        for language in TEXTS
    }
    assert to["en"] == to["zh"]
    assert "docs/zh" not in TEXTS["en"]
    assert "docs/en" not in TEXTS["zh"]


@both
def test_links_lead_to_files_and_headings(language: str):
    text = PROSE[language]
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    links += re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    headings = {
        h.strip().lower().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    assert len(links) > 20
    for link in links:
        path, _, anchor = link.partition("#")
        assert link.startswith("https://") or (ROOT / path).exists(), link
        assert path or anchor in headings, link


@both
def test_the_first_screen(language: str):
    """One sentence, a picture, how to install, five lines of Python, three commands, reasons."""
    start, install, python, shell, reasons = (section(language, i) for i in range(5))
    other = READMES[{"en": "zh", "zh": "en"}[language]].name
    assert f"]({other})" in start.splitlines()[2]
    assert "<picture>" in start
    assert "$ pip install .\n" in install
    assert python.count(">>> ") == 5
    assert len(re.findall(r"^\$ penjing ", shell, re.MULTILINE)) == 3
    items = re.split(r"^\d\. ", reasons, flags=re.MULTILINE)[1:]
    assert len(items) == 5
    assert all(f"](docs/{language}/" in item for item in items)


@both
def test_commands_of_make_exist(language: str):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)\b", TEXTS[language]))
    assert {"demo", "test", "wheel", "docs"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_pictures_are_those_that_penjing_draws():
    for path, text in readme.pictures().items():
        assert path.read_text("utf-8") == text, "run: make docs-output"


@both
def test_exit_codes_are_those_of_the_help(language: str, tmp_path: Path):
    page = f"```console\n$ penjing --help --lang {language}\n```\n"
    lines = blocks.run_page(page, tmp_path, language).splitlines()
    printed = dict(m.groups() for line in lines if (m := re.match(r"  (\d+) {3,}(.*)", line)))
    shown = dict(
        re.findall(r"^\| (\d+) \| (.*) \|$", TEXTS[language].replace("`", ""), re.MULTILINE)
    )
    assert shown == printed
    assert len(shown) == 7


@both
def test_figures_of_speed_are_in_the_results(language: str):
    rows = json.loads((ROOT / "bench/results/fit.json").read_text("utf-8"))["rows"]
    tools = ("penjing", "sklearn", "hist", "lightgbm", "xgboost")
    runs: dict[tuple, dict[str, float]] = {}
    for row in rows:
        if "wall" in row and row["threads"] == 1:
            key = (row["run"], row["table"], row["task"], row["max_depth"])
            runs.setdefault(key, {})[row["tool"]] = row["wall"]
    measured = {tuple(_shown(run, tool, tools) for tool in tools) for run in runs.values()}
    lines = [line for line in TEXTS[language].splitlines() if "× |" in line]
    assert len(lines) == 5
    units = {" 秒": " s", " 毫秒": " ms"}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")[1:]]
        for chinese, unit in units.items():
            cells[0] = re.sub(rf"(?<=\d){chinese}$", unit, cells[0])
        assert tuple(cells) in measured, line


def _shown(run: dict[str, float], tool: str, tools: tuple[str, ...]) -> str:
    """Return a figure with two digits, three for large ones; other tools as multiples."""
    if tool not in run or "penjing" not in run:
        return "–"
    if tool == tools[0]:
        took = run[tool]
        return f"{took:.2g} s" if took > 0.01 else f"{took * 1000:.2g} ms"
    times = run[tool] / run["penjing"]
    return f"{times:.0f}×" if times >= 10 else f"{times:.1f}×"
