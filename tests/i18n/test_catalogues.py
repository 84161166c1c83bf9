"""Every sentence exists in both languages, says the same, and is said by somebody."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import re
import runpy
import string
from functools import cache
from pathlib import Path

import pytest

import penjing
from penjing.i18n import LANGUAGES, Names, catalogue, say
from penjing.i18n.zh import SYSTEM_REASONS

SOURCES = Path(penjing.__file__).parent
EN, ZH = (  # as the files have them: plug-ins of other tests add messages to the catalogues
    runpy.run_path(str(SOURCES / "i18n" / f"{lang}.py"))["MESSAGES"] for lang in LANGUAGES
)

SINGULAR = "_one"
"""English has a singular where Chinese needs none."""


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_catalogues_have_the_same_keys():
    assert {key for key in EN if not key.endswith(SINGULAR)} == {
        key for key in ZH if not key.endswith(SINGULAR)
    }
    assert all(key in EN for key in ZH)


ENGLISH_DETAILS = {"model_broken": {"expected"}, "tree_file_not_json": {"problem"}}
"""Values that are English words, of use to developers: Chinese sentences do without them."""


def test_a_sentence_mentions_the_same_in_both_languages():
    odd = {key: fields(EN[key]) ^ fields(ZH[key]) for key in ZH}
    assert {key: names for key, names in odd.items() if names} == ENGLISH_DETAILS


def test_a_singular_mentions_nothing_that_the_plural_does_not():
    pairs = {key: key.removesuffix(SINGULAR) for key in EN if key.endswith(SINGULAR)}
    odd = [
        one for one, many in pairs.items() if not fields(EN[one]) <= fields(EN.get(many, EN[one]))
    ]
    assert odd == []


def test_counts_of_the_lab_have_a_singular():
    never_one = {"points", "rules_cut", "shown_depth", "split_groups"}
    counts = re.compile(r"\{\w+(:,)?\} (test )?\w+s\b")
    verbs = re.compile(r"\} (is|was|has|needs|gives|divides|cannot)\b")
    plain = {k: v for k, v in EN.items() if k.startswith(("lab_page_", "lab_hint_"))}
    found = {k for k, v in plain.items() if counts.search(verbs.sub("", v))}
    found = {k for k in found if not k.endswith(SINGULAR) and f"{k}{SINGULAR}" not in EN}
    assert found == {f"lab_page_{key}" for key in never_one}


def test_chinese_prose_has_full_width_punctuation():
    half = re.compile(r"[\u4e00-\u9fff][,;:?!]|[\u4e00-\u9fff]\.(\s|$)|[,;:?!][\u4e00-\u9fff]")
    prose = {key: re.sub(r"`[^`]*`|\{[^}]*\}", "", text) for key, text in ZH.items()}
    assert [key for key, text in prose.items() if half.search(text)] == []


def test_a_value_in_a_chinese_sentence_is_followed_by_full_width_punctuation():
    half = re.compile(r"\}[,;]|\{[^}]*\}(?:[^\x00-\x7f][^{]*)?, ")
    prose = {key: re.sub(r"`[^`]*`", "", text) for key, text in ZH.items()}
    assert [key for key, text in prose.items() if half.search(text)] == []


def test_each_language_puts_its_own_comma_between_names():
    names = Names(["色泽", "根蒂", 3])
    assert say("unknown_column", word="x", known=names).count("色泽, 根蒂, 3.") == 1
    assert say("unknown_column", "zh", word="x", known=names).count("色泽、根蒂、3。") == 1
    for copied in (copy.copy(names), copy.deepcopy(names), pickle.loads(pickle.dumps(names))):  # noqa: S301
        assert (copied, copied.names) == ("色泽, 根蒂, 3", ("色泽", "根蒂", "3"))


@pytest.mark.parametrize("number", sorted(SYSTEM_REASONS))
def test_a_reason_of_the_system_is_said_in_chinese(number):
    told = say("cannot_write", "zh", path="树", reason=os.strerror(number))
    assert SYSTEM_REASONS[number] in told
    assert not re.search("[A-Za-z]", told)
    assert os.strerror(number) in say("cannot_write", path="x", reason=os.strerror(number))


def test_english_has_no_full_width_punctuation():
    assert [key for key, text in EN.items() if re.search(r"[，。：；？！（）“”、]", text)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_can_be_said(lang):
    for key, text in catalogue(lang).items():
        assert say(key, lang, **dict.fromkeys(fields(text), 2)), key


@cache
def spoken() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Return every text that stands in the sources, and the form of every text made there."""
    texts, forms = set(), set()
    for path in SOURCES.rglob("*.py"):
        if path.parent.name == "i18n":
            continue
        parts_of_forms: set[int] = set()
        tree = ast.parse(path.read_text("utf-8"))
        for part in ast.walk(tree):
            if isinstance(part, ast.JoinedStr):
                pieces = [p.value if isinstance(p, ast.Constant) else None for p in part.values]
                parts_of_forms |= {id(p) for p in part.values}
                plain = "".join(str(p) for p in pieces if p is not None)
                if re.fullmatch(r"[a-z0-9_]{2,}", plain):
                    forms.add("".join("(.+)" if p is None else re.escape(str(p)) for p in pieces))
            elif isinstance(part, ast.Constant) and id(part) not in parts_of_forms:
                texts.add(str(part.value))
    return frozenset(texts), tuple(re.compile(form) for form in forms)


PAGE = "lab_page_"
"""Messages of the lab's page, which TypeScript says without this prefix."""


@cache
def said_by_the_page() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the texts of the page's sources, and how those begin that are made there."""
    folder = SOURCES.parent.parent / "web" / "src" / "lab"
    source = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.ts*")))
    texts = frozenset(re.findall(r'"([a-z_]+)"', source))
    return texts, tuple(re.findall(r"say\(`([a-z_]+_)\$\{", source))


def is_said(key: str) -> bool:
    if key.startswith(PAGE):
        word = key.removeprefix(PAGE)
        texts, beginnings = said_by_the_page()
        return word.removesuffix(SINGULAR) in texts or word.startswith(beginnings)
    texts, forms = spoken()
    stem = key.removesuffix(SINGULAR).removesuffix("_near").removesuffix("_cli")
    stem = stem.removesuffix("_lab")
    if texts & {key, key.removesuffix(SINGULAR), stem, stem.removeprefix("note_")}:
        return True
    stems = (stem, stem.removeprefix("note_"))
    made = [found.groups() for form in forms for s in stems if (found := form.fullmatch(s))]
    prefixes = tuple(text for text in texts if re.fullmatch(r"[a-z]+_", text))
    spelt = [{"".join(parts), "-".join("".join(parts).split("_"))} for parts in made]
    if any(names & texts for names in spelt):
        return True
    return any(all(p in texts for p in parts) for parts in made) or stem.startswith(prefixes)


def test_every_sentence_is_said_by_somebody():
    assert [key for key in EN if not is_said(key)] == []


def test_a_sentence_that_nobody_says_is_found():
    assert not is_said("nobody_says_this")
    assert not is_said(f"{PAGE}nobody_says_this")


def test_the_page_says_nothing_that_is_no_message():
    folder = SOURCES.parent.parent / "web" / "src" / "lab"
    source = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.ts*")))
    said = set(re.findall(r'(?<!page\.say\.value)(?:\bsay|say\.value|inBoth)\("([a-z_]+)"', source))
    own = {word for word in said if not word.startswith("sheet_")}
    # The language itself is no message.
    of_trees = {"lang", "root", "rule_and", "view_node", "view_number", "view_rows"}
    assert [word for word in sorted(own - of_trees) if PAGE + word not in EN] == []
    assert [word for word in sorted(said - own) if word not in EN] == []


# -- how errors and notes begin and end ------------------------------------------------------------

SYSTEM_PHRASES = ("No such file", "Is a directory", "Permission denied", "No space left on device")
"""Phrases of the operating system, which begin with a capital."""
PROPER_NAMES = ("X", "Spark", "C4.5", "C5.0")
"""Beginnings that are names."""
OTHER_PROGRAMS = {"other_features": "scikit-learn's own sentence, which its checks look for"}


@cache
def raised_or_noted() -> frozenset[str]:
    """Return the keys of errors and notes."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for part in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(part, ast.Call) and part.args):
                continue
            function = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            function = part.func.id if isinstance(part.func, ast.Name) else function
            first = part.args[0]
            is_message = function.endswith(("Error", "_error", "print_note", "Note"))
            if is_message and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
    return frozenset(found)


def is_error_or_note(key: str) -> bool:
    stem = key.removesuffix(SINGULAR).removesuffix("_cli").removesuffix("_near")
    stem = stem.removesuffix("_cli").removesuffix("_lab")
    return stem in raised_or_noted() or key.startswith("note_")


def test_errors_and_notes_begin_in_lower_case():
    keys = [key for key in EN if is_error_or_note(key) and key not in OTHER_PROGRAMS]
    assert len(keys) > 250
    allowed = (*SYSTEM_PHRASES, *PROPER_NAMES)
    assert [k for k in keys if EN[k][0].isupper() and not EN[k].startswith(allowed)] == []


def test_errors_and_notes_are_whole_sentences():
    """They end with a full stop, or with a value or a command that is typed as it is."""
    ends = {"en": (".", "?", "…", "}", " --votes"), "zh": ("。", "？", "}", "`", "…")}
    for lang, messages in (("en", EN), ("zh", ZH)):
        keys = [key for key in messages if is_error_or_note(key)]
        assert [key for key in keys if not messages[key].endswith(ends[lang])] == []
