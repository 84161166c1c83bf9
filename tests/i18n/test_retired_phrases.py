"""Phrases that were retired (retired_phrases.txt) are in nothing that people read."""

from __future__ import annotations

import inspect
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

import penjing
from public_api import results

ROOT = Path(__file__).parents[2]
I18N = Path(penjing.__file__).parent / "i18n"
CATALOGUES = {"en": ("en", "help_en"), "zh": ("zh", "help_zh")}


def retired() -> dict[str, str]:
    """Return the retired phrases, each with the better wording."""
    text = (Path(__file__).parent / "retired_phrases.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {old.strip(): new.strip() for old, new in (line.split("=>") for line in lines)}


def pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern for a phrase as whole words; Chinese has no blanks between words."""
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    return re.compile(words if not phrase.isascii() else rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def texts_of(value: object) -> list[str]:
    """Return every text inside a value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [text for part in parts for text in texts_of(part)] if _is_nested(value) else []


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list | tuple | set | frozenset)


@cache
def read_by_people() -> dict[str, str]:
    """Return what people read, by where it is.

    Catalogues (messages, the lab, hints, worksheets, pictures), help, READMEs, pages of the
    documentation, docstrings of public names, texts in the sources of pages, written examples.
    """
    found = {}
    for names in CATALOGUES.values():
        for name in names:
            module = runpy.run_path(str(I18N / f"{name}.py"))
            values = [v for k, v in module.items() if k.isupper()]
            found[f"i18n/{name}.py"] = "\n".join(texts_of(values))
    pages = [*ROOT.glob("README*.md"), ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
    pages += [ROOT / "CONTRIBUTING.md", I18N.parent / "webapp" / "README.md"]
    pages += ROOT.glob("examples/**/*.md")
    for page in pages:
        place = page.relative_to(ROOT).as_posix()
        if "decisions" not in place:
            found[place] = page.read_text("utf-8")
    found |= public_docstrings()
    found |= written_by_commands()
    for source in sorted(ROOT.glob("web/src/**/*.ts*")):
        texts = re.findall(r'"[^"\n]*"|`[^`]*`|>[^<>{}\n]+<', source.read_text("utf-8"))
        found[source.relative_to(ROOT).as_posix()] = "\n".join(texts)
    return found


def public_docstrings() -> dict[str, str]:
    """Return what `help()` prints of each public name and of each result."""
    values = {name: getattr(penjing, name) for name in {*penjing.__all__, *dir(penjing)}}
    found = {}
    for name, value in (values | results()).items():
        texts = [inspect.getdoc(value) or ""]
        if isinstance(value, type):
            own = (found for key, found in vars(value).items() if not key.startswith("_"))
            texts += [inspect.getdoc(member) or "" for member in own]
        found[f"help({name})"] = "\n".join(texts)
    return found


def written_by_commands() -> dict[str, str]:
    """Return worksheets, a report and a page, with all their texts, in both languages."""
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="c4.5-textbook", trace=True)
    sheet = {lang: penjing.worksheet(seed=1, recipe="id3", lang=lang) for lang in CATALOGUES}
    found = {}
    for lang in CATALOGUES:
        found[f"worksheet, {lang}"] = sheet[lang].to_markdown()
        found[f"solution, {lang}"] = sheet[lang].to_markdown(solution=True)
        found[f"report, {lang}"] = _without_scripts(tree.report(lang=lang))
        found[f"page, {lang}"] = _without_scripts(tree.write("html", lang=lang))
    return found


def _without_scripts(page: str) -> str:
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_the_texts_are_found():
    found = read_by_people()
    assert {"README.md", "README.zh.md", "CHANGELOG.md", "i18n/en.py", "i18n/help_zh.py"} <= set(
        found
    )
    assert all(len(text) > 200 for name, text in found.items() if name.startswith("i18n/"))
    pages = {"docs/en/tutorials/lab.md", "docs/zh/tutorials/lab.md", "web/src/lab/exercise.tsx"}
    assert pages | {"help(lab)", "help(Tree)", "help(Drift)", "report, zh"} <= set(found)
    assert "结点 1" in found["worksheet, zh"]
    assert "Node 1" in found["solution, en"]


@pytest.mark.parametrize("phrase", retired())
def test_a_retired_phrase_is_nowhere(phrase):
    found = [
        f"{place}: {match[0]!r}"
        for place, text in read_by_people().items()
        for match in pattern(phrase).finditer(text)
    ]
    assert found == [], f"better: {retired()[phrase]}"


def test_a_phrase_is_found_as_whole_words_in_any_case():
    assert pattern("our fault").search("It is Our\n fault.")
    assert not pattern("our fault").search("four faults")
    assert pattern("平局").search("两处平局，")


# -- no English words in Chinese sentences --------------------------------------------------------

NAMES = {
    "penjing", "ID3", "C4.5", "C5.0", "J48", "CART", "rpart", "scikit-learn", "sklearn", "Weka",
    "CSV", "TSV", "ARFF", "JSON", "Parquet", "Lines", "GBK", "GB18030", "UTF-8", "Big5", "cp1252",
    "utf-16", "SQL", "DuckDB", "Spark", "Excel", "PNG", "PDF", "SVG", "HTML", "PMML", "DataFrame",
    "NULL", "NaN", "None", "True", "False", "Python", "Java", "SHA-256", "matplotlib", "pyarrow",
    "gzip", "SELECT", "Table", "Wilson", "CARTClassifier", "SparseToNonSparse", "CONTRIBUTING.md",
    "CF", "alpha", "cp", "log2", "Var", "Ent", "IV", "X", "y", "D", "p", "n", "N", "c", "B2", "R",
    "pandas", "ROC", "PR", "F1", "MB", "Enter", "Escape", "Esc", "Delete", "Ctrl+Z",
    "Ctrl+Shift+Z", "Shift+Enter", "Shift", "G", "P",
}  # fmt: skip
"""Names that Chinese sentences may contain: programs, formats, symbols, keys."""


def english_words(text: str) -> set[str]:
    """Return the English words of a Chinese sentence, without placeholders, code and options."""
    plain = re.sub(r"`[^`]*`|\{[^{}]*\}|\{\{.*?\}\}", " ", text)
    plain = re.sub(
        r"(?<![\w-])--?[a-zA-Z][\w-]*|(?<![\w])\.[a-z]\w*", " ", plain
    )  # options, endings
    plain = re.sub(r"\b\w+=(?:'[^']*'|\"[^\"]*\"|[\w.]*)", " ", plain)  # name=value
    plain = re.sub(r"'[^']*'|“[A-Za-z0-9.=<> -]*”", " ", plain)
    words = re.findall(r"[A-Za-z][A-Za-z0-9_.+-]*", plain)
    return {word.rstrip(".-") for word in words if "_" not in word}


@cache
def typed_words() -> frozenset[str]:
    """Return the words that users type: settings, plug-ins, commands."""
    from penjing.registry import BUILT_IN  # noqa: PLC0415 - only here

    messages = runpy.run_path(str(I18N / "en.py"))["MESSAGES"]
    settings = {key.removeprefix("setting_") for key in messages if key.startswith("setting_")}
    plugins = {name for kind in BUILT_IN.values() for name in kind}
    recipes = {"id3", "c4.5", "c5.0", "j48", "cart", "textbook", "binary", "prepruned", "auto"}
    return frozenset(settings | plugins | recipes)


ZH = runpy.run_path(str(I18N / "zh.py"))["MESSAGES"]
TYPED = {
    "schema", "target", "labels", "names", "missing", "validation", "read", "predict", "criterion",
    "prior", "native", "ignore", "sqrt", "fit", "trace", "counts", "confidence", "c4.5-textbook",
    "cart-textbook", "cart-binary", "javascript", "work", "query", "memory", "disk", "gap", "folds",
    "xval", "compare", "attribute", "data", "spark.locality.wait", "pip", "install",
}  # fmt: skip
"""Parameters, values and files that Chinese sentences name as they are typed."""


@pytest.mark.parametrize("key", ZH)
def test_a_chinese_sentence_has_no_english_words(key):
    known = {word.casefold() for word in NAMES | TYPED | typed_words()}
    assert {word for word in english_words(ZH[key]) if word.casefold() not in known} == set()


def test_an_english_word_is_found():
    assert english_words("列“{column}”是 nominal，见 --schema 或 `read(x)`。") == {"nominal"}
