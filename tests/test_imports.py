"""Imports: by name in three places only, downwards only, and no name means two things."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "penjing"
MODULES = sorted(SOURCES.rglob("*.py"))
BY_NAME = {"__init__.py", "registry.py", "cli/app.py"}
"""Where modules may be imported by a text: the public names, plug-ins, the commands."""
IMPORTERS = {"import_module", "__import__", "find_spec", "spec_from_file_location", "exec_module"}
TOP_LEVEL_MODULES = 6
SAME_MEANING = {
    "__init__", "__main__",
    "dialect", "options", "native_kernel", "native_best_splits", "explanation", "estimator",
    # of each dialect
    "engine",  # the protocol, and those that implement it
    "export", "fit", "predict", "report", "worksheet",  # a command, and what it calls
    "tree",  # the package of plain trees, and the class of the API
    "sql", "sklearn", "rpart", "json", "trace",
}  # fmt: skip
"""Names of several modules that mean the same thing in each place."""


def layers() -> list[set[str]]:
    """Return the import contract, from the top."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (contract,) = [c for c in contracts["contracts"] if c["type"] == "layers"]
    assert contract["exhaustive"]
    assert "ignore_imports" not in contract
    return [
        {name.strip(" ()") for name in layer.replace("|", ":").split(":")}
        for layer in contract["layers"]
    ]


def calls(tree: ast.AST) -> Iterator[str]:
    """Yield the names of everything that a module calls or passes on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCES)))
def test_no_module_is_imported_by_name_elsewhere(path):
    if str(path.relative_to(SOURCES)) in BY_NAME:
        return
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }
    assert not IMPORTERS & imported
    assert not IMPORTERS & set(calls(tree))
    assert "modules" not in {  # sys.modules["penjing.…"]
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "sys"
    }


def test_the_walk_sees_imports_by_name():
    assert all(IMPORTERS & set(calls(ast.parse((SOURCES / p).read_text()))) or p == "__init__.py"
               for p in BY_NAME)  # fmt: skip


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCES)))
def test_imports_for_type_checkers_point_downwards_too(path):
    """The linter does not look at them; penjing/__init__ alone names everything."""
    rank = {name: i for i, layer in enumerate(layers()) for name in layer}
    parts = path.relative_to(SOURCES).with_suffix("").parts
    if parts == ("__init__",):
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("penjing."):
            there = node.module.split(".")[1]
            if there == parts[0] or there == "_core":
                continue
            assert rank[there] >= rank[parts[0]], f"line {node.lineno}: {node.module}"


def test_there_are_few_layers_and_few_modules_beside_the_packages():
    assert len(layers()) <= 13
    modules = [p.stem for p in SOURCES.glob("*.py") if not p.stem.startswith("__")]
    assert len(modules) <= TOP_LEVEL_MODULES


def test_no_module_name_has_two_meanings():
    places = defaultdict(list)
    for path in MODULES:
        folder = path.parent.relative_to(SOURCES)
        places[path.stem].append(str(folder))
        if path.stem == "__init__" and folder.parts:
            places[folder.name].append(str(folder.parent))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert not set(twice) - SAME_MEANING, {n: f for n, f in twice.items() if n not in SAME_MEANING}


def test_every_module_says_its_idea_in_its_first_line():
    silent = [str(p) for p in MODULES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    assert not silent
