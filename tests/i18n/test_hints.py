"""Hints name what the reader can type: arguments in Python, options at the command line."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

import penjing
from penjing.api.settings import PruneOptions, Settings
from penjing.i18n import LANGUAGES

SOURCES = Path(penjing.__file__).parent
CATALOGUES = {
    lang: runpy.run_path(str(SOURCES / "i18n" / f"{lang}.py"))["MESSAGES"] for lang in LANGUAGES
}
OPTION = re.compile(r"(?<![-\w])--[a-z][a-z-]*")
ARGUMENT = re.compile(r"(?<![-\w{])([a-z_]+)=(?![=\s])")
CALL = re.compile(r"(?<!\w)((?:penjing|tree|trace)\.)?([a-z_.]+)\(((?:[^()]|\([^()]*\))*)\)")
SETTINGS = {**Settings.__annotations__, **PruneOptions.__annotations__}

NOT_ARGUMENTS = {
    "folded_leaves": "n of a picture",
    "gathered_leaves": "n of a picture",
    "picture_test_number": "n of a picture",
    "picture_test_all_number": "n of a picture",
    "explain_wants_row": "column=value is what --row takes",
    "explain_not_row": "column=value is what --row takes",
    "bad_pairs": "name=number is what the option takes",
    "bad_set": "what --set takes",
    "explain_data_row_or_id": "column=value is what --row takes",
    "force_bad_path": "column=category is a branch of a path",
}
PYTHON_ONLY = {
    "missing_feature": "estimators",
    "options_without_prune": "cross_validate takes recipes as objects",
    "folds_are_k": "the command has --folds",
    "other_target": "a Table that was read before",
    "share_needs_rows": "the command has the file of the training rows",
    "no_trace_steps": "tree.trace",
    "no_node": "the command finds nodes by their paths",
    "names_not_used": "the command gives names to files only",
    "table_is_read": "the command reads files",
    "bad_cost": "the value is shown with its name",
    "no_row": "the value is shown with its name",
    "weight_values": "weights as arrays",
    "bad_class_names": "the command has no names of classes",
}
"""Sentences that only Python says, and why."""


def without_values(text: str) -> str:
    """Return a text with a word in place of each placeholder."""
    return re.sub(r"\{[a-z_]+[^{}]*\}", "x", text.replace("{{", "(").replace("}}", ")"))


@cache
def said_by_command_only() -> frozenset[str]:
    """Return the keys that stand in the sources of the command and nowhere else."""
    keys: dict[bool, set[str]] = {True: set(), False: set()}
    for path in SOURCES.rglob("*.py"):
        if path.parent.name != "i18n":
            texts = [n.value for n in ast.walk(ast.parse(path.read_text("utf-8")))
                     if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
            keys[path.parent.name == "cli"] |= set(texts)
    return frozenset(keys[True] - keys[False])


def is_for_command(key: str) -> bool:
    stem = key.removesuffix("_one").removesuffix("_near")
    return stem.endswith("_cli") or stem in said_by_command_only() or stem == "recipes_foot"


def stem(key: str) -> str:
    return key.removesuffix("_one").removesuffix("_near")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_for_python_name_no_options(lang):
    """A sentence with an option and no ``_cli`` form would be printed in Python, too."""
    wrong = [
        key for key, text in CATALOGUES[lang].items()
        if not is_for_command(key) and not key.startswith("note_no_trace")
        and OPTION.search(re.sub(r"`penjing [^`]*`", "", text))
    ]  # fmt: skip
    assert wrong == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_for_the_command_name_no_arguments(lang):
    messages = CATALOGUES[lang]
    wrong = {}
    for key, text in messages.items():
        has_other_form = f"{stem(key)}_cli" in messages
        if has_other_form or stem(key) in NOT_ARGUMENTS or stem(key) in PYTHON_ONLY:
            continue
        plain = re.sub(r"--(set|row|prior|loss|cost|class-weight)\s+\S+", "", without_values(text))
        if is_for_command(key):
            plain = re.sub(r"\bsums=cases\b", "", plain)  # as --set takes it
        if found := ARGUMENT.findall(plain):
            wrong[key] = found
    assert wrong == {}


@cache
def functions() -> dict[str, inspect.Signature]:
    """Return the public functions and the methods that hints may call."""
    named = {name: getattr(penjing, name) for name in penjing.__all__}
    found = {name: value for name, value in named.items() if inspect.isfunction(value)}
    for owner in (penjing.Tree, type(penjing.fit(penjing.example("fish")).trace)):
        found |= {n: v for n, v in vars(owner).items() if inspect.isfunction(v) and n[0] != "_"}
    return {name: inspect.signature(value) for name, value in found.items()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_call_in_a_hint_can_be_typed(lang):
    seen = 0
    for key, text in CATALOGUES[lang].items():
        for _, dotted, arguments in CALL.findall(without_values(text)):
            name = dotted.rpartition(".")[2]
            if name not in functions() or is_for_command(key):
                continue
            parameters = functions()[name].parameters
            takes_settings = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
            for argument in ARGUMENT.findall(arguments):
                seen += 1
                is_setting = takes_settings and argument in SETTINGS
                assert argument in parameters or is_setting, (key, name, argument)
    assert seen > 25
