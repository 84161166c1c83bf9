"""The public API is the one that is written down: a change is deliberate, and nothing is lost.

After a deliberate change: ``pytest tests/api/test_public_api.py --update-golden``, with a line in
CHANGELOG.md; a name is removed only by the deprecation policy (CONTRIBUTING.md).
"""

from __future__ import annotations

import doctest
import inspect
import io
import re
from pathlib import Path

import pytest

import penjing
from public_api import class_lines, lines, results

HERE = Path(__file__).parent
SNAPSHOT = HERE / "public_api.txt"
FIRST = HERE / "public_api_0.1.0.txt"
RENAMED_RESULTS = {"Induction": "Trace"}
"""Classes that users never import, by their names in 0.1.0."""


def names(text: str) -> set[str]:
    """Return the names of a snapshot, without signatures."""
    return {re.split(r"[(:]", line.removeprefix("class "))[0] for line in text.splitlines()}


def test_the_public_api_is_the_one_written_down(request):
    now = "\n".join(lines()) + "\n"
    if request.config.getoption("--update-golden"):
        SNAPSHOT.write_text(now, "utf-8")
    assert now == SNAPSHOT.read_text("utf-8")


def test_every_public_name_of_0_1_0_is_there():
    first = {
        ".".join(RENAMED_RESULTS.get(part, part) for part in name.split("."))
        for name in names(FIRST.read_text("utf-8"))
    }
    assert len(first) > 200
    assert not first - names("\n".join(lines()))


def public_functions():
    """Yield every function of the API with its name: functions, methods, properties."""
    classes = {name: getattr(penjing, name) for name in sorted({*penjing.__all__, *dir(penjing)})}
    for name, value in (classes | results()).items():
        if isinstance(value, type):
            for line in class_lines(name, value):
                member = re.split(r"[(:]", line)[0].partition(".")[2]
                found = inspect.getattr_static(value, member) if member else value
                found = getattr(found, "__func__", getattr(found, "fget", found))
                found = getattr(found, "func", found)  # of a cached property
                if inspect.isfunction(found) and found.__module__.startswith("penjing"):
                    yield f"{name}.{member}", found
        elif inspect.isfunction(value):
            yield f"penjing.{name}", value


FUNCTIONS = dict(public_functions())
CLASSES = {
    name: value
    for name in sorted({*penjing.__all__, *dir(penjing)})
    if isinstance(value := getattr(penjing, name), type)
} | results()


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_is_explained_with_an_example(name):
    """A result has its example in the function that returns it, if it has none itself."""
    text = inspect.getdoc(CLASSES[name]) or ""
    assert text
    assert ">>> " in text or name in results()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_says_what_it_takes_and_returns(name):
    signature = inspect.signature(FUNCTIONS[name])
    assert signature.return_annotation not in (inspect.Signature.empty, "Any")
    for parameter in signature.parameters.values():
        if parameter.name not in ("self", "cls"):
            assert parameter.annotation is not inspect.Parameter.empty, parameter
            assert parameter.annotation != "Any", parameter


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_explained_with_an_example(name):
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert ">>> " in text


EXAMPLES = doctest.DocTestFinder().find(penjing.Tree, "Tree", module=False, globs={})
"""Those of trees: pytest collects the examples of the module that a class names as its own, and
`Tree` names the package instead, for pickles."""


def test_the_examples_of_trees_are_found():
    assert penjing.Tree.__module__ == "penjing"
    assert len([example for example in EXAMPLES if example.examples]) > 30


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_of_trees_prints_what_is_written(example):
    told = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example, out=told.write).failed == 0, told.getvalue()


def test_help_of_the_recipes_explains_them_with_an_example():
    assert ">>> penjing.RECIPES" in (penjing.RECIPES.__doc__ or "")
