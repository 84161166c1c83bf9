"""The keywords of the API are those of the recipes, pruners, renderers and exports behind it."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import penjing
from penjing import RECIPES, Recipe, Tree
from penjing.api.fit import _READING_OPTIONS
from penjing.api.settings import PruneOptions, Settings
from penjing.arguments import known_options
from penjing.errors import CapabilityError, PenjingError
from penjing.grow.dialect_options import DialectOptions
from penjing.registry import BUILT_IN, load

REMOTE = {"table", "checkpoint", "session"}
OPTIONS = {type(recipe.options): recipe.options for recipe in RECIPES.values()}
"""The options of every dialect, by their class."""
VALUES = (True, 0.5, "best", "gini", None)
"""Values for an option of a program: each option takes at least one of them."""


def option_fields() -> set[str]:
    return {field.name for options in OPTIONS for field in fields(options)}


def recipe_fields() -> set[str]:
    return {f.name for f in fields(Recipe) if f.init} - {"name", "options"}


def is_program_option(options: DialectOptions, name: str) -> bool:
    """Return whether a dialect translates an option of its program, or refuses it by name."""
    for value in VALUES:
        try:
            if options.setting(name, value)[0] != name:
                return True
        except CapabilityError:
            return True
        except PenjingError:
            continue
    return False


def program_options() -> Iterator[str]:
    """Yield the names that a dialect translates, of all texts in the module of its options."""
    for kind, options in OPTIONS.items():
        module = ast.parse(Path(str(sys.modules[kind.__module__].__file__)).read_text("utf-8"))
        texts = {
            node.value
            for node in ast.walk(module)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        yield from (text for text in texts if text and is_program_option(options, text))


def keywords(method: object) -> set[str]:
    return set(known_options(method)) - {"other_options"}


def options_of(kind: str) -> set[str]:
    return {name for built_in in BUILT_IN[kind] for name in known_options(load(kind, built_in))}


@pytest.mark.parametrize("name", sorted(_READING_OPTIONS))
def test_an_option_of_reading_is_given_to_read(name):
    assert name in inspect.signature(penjing.read).parameters
    assert name not in inspect.signature(penjing.fit).parameters
    with pytest.raises(penjing.ChoiceError, match=f"'{name}' is an option for reading"):
        penjing.fit("example:golf", quiet=True, **{name: "x"})


def test_every_dialect_with_options_has_a_recipe():
    folder = Path(str(sys.modules["penjing.dialects"].__file__)).parent
    modules = {
        f"penjing.dialects.{path.parent.name}.options" for path in folder.glob("*/options.py")
    }
    assert modules == {kind.__module__ for kind in OPTIONS} - {DialectOptions.__module__}


def test_the_settings_are_those_of_recipes_programs_and_remote_engines():
    known = recipe_fields() | option_fields() | set(program_options()) | REMOTE
    assert set(Settings.__annotations__) == known


@pytest.mark.parametrize("name", ["m", "C", "r", "split", "maxdepth", "max_leaf_nodes", "splitter"])
def test_program_options_are_found(name):
    assert name in set(program_options())


def test_the_options_of_pruning_are_those_of_the_pruners():
    pruners = options_of("pruner")
    assert set(PruneOptions.__annotations__) == pruners
    assert keywords(Tree.prune) == pruners | {"validation", "training", "folds"}


def test_the_options_of_writing_are_those_of_the_renderers():
    assert keywords(Tree.write) == options_of("renderer") | {"class_names"}


def test_the_options_of_exporting_are_those_of_the_exports():
    assert keywords(Tree.export) == options_of("export") | {"class_names"}


@pytest.mark.parametrize("method", [Tree.prune, Tree.write, Tree.export])
def test_every_option_is_explained(method):
    text = inspect.getdoc(method) or ""
    for name in keywords(method):
        assert re.search(rf"^(\w+, )*{name}(, \w+)* : ", text, re.MULTILINE), name
