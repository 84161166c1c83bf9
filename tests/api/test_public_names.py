"""The public names: what they say they are, whatever was imported before."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest

import penjing

EVERYTHING = """
import importlib, pkgutil, types
import penjing
for found in pkgutil.walk_packages(penjing.__path__, "penjing."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
hidden = [n for n in penjing.__all__ if isinstance(getattr(penjing, n), types.ModuleType)]
assert not hidden, hidden
assert callable(penjing.read) and callable(penjing.fit) and callable(penjing.compare)
from penjing.api.fit import fit
assert fit is penjing.fit
"""


def run(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_no_module_hides_the_function_of_its_name():
    run(EVERYTHING)
    run("import penjing; penjing.example('fish'); penjing.read([{'a': 1, 'b': 2}] * 2, 'b')")


def test_importing_the_package_brings_in_nothing_heavy():
    heavy = {"pandas", "polars", "pyarrow", "sklearn", "duckdb", "narwhals", "typer", "rich"}
    run(f"import sys, penjing; assert not {heavy} & set(sys.modules)")


@pytest.mark.parametrize("name", penjing.__all__)
def test_every_public_name_is_there_and_explained(name):
    value = getattr(penjing, name)
    assert name in dir(penjing)
    assert value.__doc__


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'Fit'"):
        _ = penjing.Fit


@pytest.mark.parametrize("name", ["nodes", "values", "weight", "is_leaf", "predict", "anything"])
def test_trees_are_immutable(name):
    tree = penjing.fit(penjing.example("fish"))
    with pytest.raises(FrozenInstanceError):
        setattr(tree, name, None)


def test_options_of_a_wrong_type_get_a_sentence():
    tree = penjing.fit(penjing.example("fish"))
    with pytest.raises(penjing.ChoiceError, match="other_options must be"):
        tree.prune("pessimistic", other_options=5, nosuch=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda tree: tree.write("svg", colour=None),
        lambda tree: tree.prune("pessimistic", colour=None),
        lambda tree: tree.export("sql", colour=None),
        lambda tree: tree.draw(colour=None),
    ],
)
def test_an_unknown_option_is_refused_whatever_its_value(call):
    with pytest.raises(penjing.ChoiceError, match="colour"):
        call(penjing.fit(penjing.example("fish")))
