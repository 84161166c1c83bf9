"""Every warning and error of a Python call names arguments that the named function accepts."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import penjing
from penjing.api.settings import PruneOptions, Settings
from penjing.errors import PenjingError

SETTINGS = {**Settings.__annotations__, **PruneOptions.__annotations__}
MELONS = penjing.example("watermelon2.0")
TREE = penjing.fit(MELONS)

N = 24
ODD_TABLES: dict[str, dict[str, list[Any]]] = {
    "dates": {"when": [f"2024-01-{i:02}" for i in range(1, N + 1)], "a": list("uv") * 12},
    "markers": {"a": ["1", "2", "none!"] * 8, "b": ["n/a", "x", "y"] * 8},
    "odd numbers": {"a": [*map(str, range(N - 1)), "-"], "b": list("uv") * 12},
    "infinite": {"a": [float("inf"), *map(float, range(N - 1))], "b": list("uv") * 12},
    "ids": {"id": list(range(N)), "a": list("uv") * 12},
    "numeric target": {"a": list("uv") * 12, "class": [*range(100, 100 + N)]},
    "no target": {"a": list("uv") * 12, "b": [i / 7 for i in range(N)]},
    "missing": {"a": ["u", None, "v"] * 8, "b": list("uv") * 12},
    "empty column": {"a": [None] * N, "b": list("uv") * 12},
}
CLASSES = list("yyn") * 8


def tables() -> dict[str, dict[str, list[Any]]]:
    """Return odd tables; those without a class get one."""
    return {
        name: {**table, **({} if name in ("numeric target", "no target") else {"class": CLASSES})}
        for name, table in ODD_TABLES.items()
    }


CALLS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "read": (penjing.read, penjing.read),
    "fit": (penjing.fit, penjing.fit),
    "fit id3": (penjing.fit, lambda d: penjing.fit(d, recipe="id3")),
    "fit gini": (penjing.fit, lambda d: penjing.fit(d, criterion="gini", recipe="cart-binary")),
    "fit sklearn": (penjing.fit, lambda d: penjing.fit(d, recipe="sklearn", nominal="refuse")),
    "fit reduced-error": (penjing.fit, lambda d: penjing.fit(d, prune="reduced-error")),
    "cross_validate": (penjing.cross_validate, lambda d: penjing.cross_validate(d, "id3", 2)),
    "bootstrap": (penjing.bootstrap, lambda d: penjing.bootstrap(d, None, "id3", 2)),
    "hold_out": (penjing.hold_out, lambda d: penjing.hold_out(d, 0.5)),
    "folds": (penjing.folds, lambda d: penjing.folds(d, 2)),
    "score": (penjing.Tree.score, TREE.score),
    "predict": (penjing.Tree.predict, lambda d: TREE.predict(d, missing="error")),
    "why": (penjing.Tree.why, lambda d: TREE.why(0, data=d)),
    "prune": (penjing.Tree.prune, lambda d: TREE.prune("reduced-error", validation=d)),
    "importances": (penjing.Tree.importances, lambda d: TREE.importances("permutation", d)),
}
SIGNATURES = {
    **{n: inspect.signature(getattr(penjing, n)) for n in ("read", "fit", "cross_validate")},
    **{n: inspect.signature(v) for n, v in vars(penjing.Tree).items() if inspect.isfunction(v)},
}
IN_A_CALL = re.compile(r"([a-z_]+)\(((?:[^()]|\([^()]*\))*)\)")
ARGUMENT = re.compile(r"(?<![-\w])([a-z_]+)=(?![=\s])")


def sentences(call: Callable[[Any], Any], data: object) -> list[str]:
    """Return the warnings and the error of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            call(data)
        except PenjingError as error:
            return [*(str(w.message) for w in found), str(error)]
    return [str(w.message) for w in found]


def accepts(signature: inspect.Signature, argument: str) -> bool:
    takes_settings = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    return argument in signature.parameters or (takes_settings and argument in SETTINGS)


def assert_can_be_typed(sentence: str, function: Callable[..., Any]) -> int:
    """Check the arguments that a sentence names; return how many there are."""
    assert not re.search(r"(?<![-\w])--[a-z]", sentence), sentence
    n = 0
    for name, inside in IN_A_CALL.findall(sentence):
        for argument in ARGUMENT.findall(inside):
            assert accepts(SIGNATURES[name], argument), sentence
            n += 1
    own = inspect.signature(function)
    takes_recipe = {"recipe", "how"} & set(own.parameters)
    for argument in ARGUMENT.findall(IN_A_CALL.sub("", sentence)):
        is_setting = takes_recipe and argument in SETTINGS
        assert accepts(own, argument) or is_setting, (function, sentence)
        n += 1
    return n


@pytest.mark.parametrize("name", CALLS)
def test_hints_name_arguments_that_are_accepted(name):
    function, call = CALLS[name]
    found = [sentence for table in tables().values() for sentence in sentences(call, table)]
    assert found
    named = sum(assert_can_be_typed(sentence, function) for sentence in found)
    assert named or name in ("score", "predict", "why", "prune", "importances"), found


def test_a_hint_that_cannot_be_typed_is_found():
    for sentence in ("use penjing.read(…, work='x').", "use --work", "use dates='month'"):
        with pytest.raises(AssertionError):
            assert_can_be_typed(sentence, penjing.fit)


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_the_hint_for_infinite_numbers_can_be_followed(value):
    rows = {"b": [value, 1.0, 2.0, 3.0, 4.0, 5.0], "class": list("ababab")}
    with pytest.raises(PenjingError) as caught:
        penjing.read(rows)
    (marker,) = re.findall(r"missing=\['(.*?)'\]", str(caught.value))
    assert penjing.read(rows, missing=[marker]).columns[0].n_missing == 1


def test_abbreviations_of_pruners_and_picture_files_have_a_hint():
    tree = penjing.fit(penjing.example("fish"), quiet=True)
    with pytest.raises(penjing.ChoiceError, match="Did you mean 'cost-complexity'"):
        tree.prune("CCP")
    with pytest.raises(penjing.ChoiceError, match=r"save_picture\('tree.pdf'\)"):
        tree.write("pdf")


def test_a_recipe_in_the_place_of_the_target_is_named():
    table = penjing.example("watermelon2.0")
    rows = list(table.rows())
    for call in (
        lambda: penjing.fit(table, "id3"),
        lambda: penjing.fit(rows, "ID3"),
        lambda: penjing.bootstrap(table, "c4.5", n=2),
        lambda: penjing.hold_out(rows, 0.3, target="auto"),
    ):
        with pytest.raises(penjing.ChoiceError, match="is a recipe, not a column"):
            call()
    with pytest.raises(penjing.ChoiceError, match="was read with target"):
        penjing.fit(table, "nothing")
