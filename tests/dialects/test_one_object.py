"""A dialect is one object: no source outside its folder knows its name, class or module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import penjing
from penjing.grow.dialect import Dialect
from penjing.registry import BUILT_IN, load, plugins
from penjing.tree.dialect import TreeDialect, dialect_of

SOURCES = Path(penjing.__file__).parent
DIALECT_NAMES = sorted(BUILT_IN["dialect"])
NAMES = {*DIALECT_NAMES, *penjing.RECIPES}
"""The names of dialects and of their recipes."""
OUTSIDE = sorted(
    path
    for path in SOURCES.rglob("*.py")
    if "dialects" not in path.relative_to(SOURCES).parts and path != SOURCES / "registry.py"
)
CLASSES = {
    node.name
    for path in (SOURCES / "dialects").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.ClassDef)
}
ASKED = {"engine", "counter", "judge", "dialect", "options", "best_splits"}
"""Variables that hold an engine or a part of a dialect: their attributes are declared."""
SAYS_SKLEARN = {"__init__.py"}
"""Compares the name of an absent package."""


def violations(tree: ast.AST) -> Iterator[str]:
    """Yield what a module must not know of a dialect."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            words = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
            yield from (f"compares with {word!r}" for word in sorted(words & NAMES, key=str))
        elif isinstance(node, ast.Dict):
            keys = {k.value for k in node.keys if isinstance(k, ast.Constant)}
            yield from (f"a dict by {word!r}" for word in sorted(keys & NAMES, key=str))
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            yield from (f"matches {word!r}" for word in {node.value.value} & NAMES)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from called(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(DIALECTS):
            if node.module != f"{DIALECTS}.recipes" and {a.name for a in node.names} != {"recipes"}:
                yield f"imports {node.module}"
        elif isinstance(node, ast.Import):
            yield from (f"imports {a.name}" for a in node.names if a.name.startswith(DIALECTS))


DIALECTS = "penjing.dialects"


def called(node: ast.Call) -> Iterator[str]:
    """Yield checks of a dialect's classes, and attributes that are asked for by a text."""
    assert isinstance(node.func, ast.Name)
    if node.func.id in ("isinstance", "issubclass"):
        names = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
        names |= {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
        yield from (f"isinstance of {name}" for name in sorted(names & CLASSES))
    if node.func.id in ("getattr", "hasattr") and isinstance(node.args[1], ast.Constant):
        asked = node.args[0]
        name = asked.attr if isinstance(asked, ast.Attribute) else getattr(asked, "id", "")
        if name in ASKED:
            yield f"{node.func.id} of {name}"


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda p: str(p.relative_to(SOURCES)))
def test_no_source_outside_knows_a_dialect(path):
    if str(path.relative_to(SOURCES)) in SAYS_SKLEARN:
        return
    assert not list(violations(ast.parse(path.read_text("utf-8"))))


@pytest.mark.parametrize(
    "source",
    [
        'recipe.rules == "rpart"',
        'recipe.rules in ("quinlan", "c50")',
        'recipe["rules"] not in {"textbook"}',
        '{"rpart": 1}.get(rules)',
        'match rules:\n    case "sklearn": pass',
        'recipe.name == "c4.5"',
        '{"cart-binary": 1}.get(name)',
        "isinstance(recipe.options, options.RpartOptions)",
        "isinstance(recipe.options, RpartOptions)",
        "isinstance(options, (int, C45Options))",
        "from penjing.dialects.rpart.cp_table import cp_table",
        "from penjing.dialects import rpart",
        "import penjing.dialects.c45",
        'getattr(engine, "grow", None)',
        'getattr(recipe.options, "xval", 0)',
        'hasattr(dialect, "importance")',
    ],
)
def test_the_walk_sees(source):
    assert list(violations(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "from penjing.dialects.recipes import recipe_of",
        "from penjing.dialects import recipes",
        'recipe_of("rpart")',
        "getattr(options, field.name)",
        "isinstance(s, Classes)",
    ],
)
def test_the_walk_allows(source):
    assert not list(violations(ast.parse(source)))


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_the_registry_has_one_object_of_each_dialect(name):
    dialect = load("dialect", name)
    assert isinstance(dialect, Dialect)
    assert dialect.name == name
    assert dialect.recipes
    for recipe in dialect.recipes:
        assert recipe.dialect is dialect
        assert type(recipe.options) is dialect.options
        assert penjing.RECIPES[recipe.name] is recipe
    for alias, of in dialect.aliases.items():
        assert penjing.RECIPES[alias] is penjing.RECIPES[of]


def test_a_tree_of_a_dialect_that_is_not_installed_is_shown_as_one_of_the_textbook():
    unknown = dialect_of({"rules": "chaid"})
    assert type(unknown) is TreeDialect
    assert unknown.ranks_by_criterion
    tree = penjing.fit(penjing.example("fish"), recipe="cart-binary")
    other = replace(tree, recipe={**tree.recipe, "rules": "chaid"})
    assert other.write("svg", show="counts") == tree.write("svg", show="counts")
    assert (
        other.predict(penjing.example("fish")).tolist()
        == tree.predict(penjing.example("fish")).tolist()
    )


def test_a_plug_in_that_is_no_dialect_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(BUILT_IN["dialect"], "mine", "penjing.errors")
    plugins.cache_clear()
    try:
        with pytest.raises(penjing.ChoiceError, match="mine is not a dialect"):
            penjing.fit(penjing.example("fish"), recipe=penjing.Recipe("mine", rules="mine"))
    finally:
        plugins.cache_clear()
