"""Whatever is passed to whichever parameter: a right answer, or one sentence of ours."""

from __future__ import annotations

import inspect
import pickle
import signal
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.errors import (
    ChoiceError,
    DataError,
    NoFileError,
    PenjingError,
    WrongSourceError,
    WrongTypeError,
)
from penjing.i18n import catalogue
from wrong_calls import CSV, ESTIMATORS, ROWS, Call, X, Y, every_call, table, tree
from wrong_values import VALUES, holding_itself

SECONDS = 10
"""Nothing wrong takes so long to find; what never ends does."""
LONGEST = 500
CALLS = every_call()
STRANGE = ("1j", "lambda", "object", "class", "module", "...", "mute", "wordy")
"""Values that are of no type which any parameter takes, functions apart."""
OWN = {("cross_validate", "how", "lambda"), ("cross_validate", "how", "class")}
"""A function of the user's own that fails: what it raises is the user's."""


class TooLongError(BaseException):
    """Not even a handler of all errors catches it."""


@contextmanager
def soon(seconds: float = SECONDS) -> Iterator[None]:
    """Stop what does not end by itself."""

    def late(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def may_be(value: Any, annotation: str) -> bool:
    """Say whether a value is of a type that an annotation names."""
    types: dict[str, Any] = {
        "None": type(None), "bool": bool, "int": int, "float": int | float, "str": str,
        "Mapping": Mapping, "tuple": Sequence, "Recipe": penjing.Recipe,
        "Monotonic": Mapping | Iterable, "Interaction": Iterable,
    }  # fmt: skip
    for part in annotation.split("|"):
        name = part.strip().split("[")[0]
        if name in {"Any", "Measure"} and callable(value):
            return True
        is_switch = isinstance(value, bool) and name in {"int", "float"}
        if name in types and isinstance(value, types[name]) and not is_switch:
            return True
    return False


def is_right(kind: str, name: str, value: Any) -> bool:
    if kind.startswith("type "):
        return may_be(value, kind.removeprefix("type "))
    return name in kind.split("|")


def fault(error: PenjingError, *, is_strange: bool) -> str | None:
    """Return what is wrong with a refusal; None for a good one."""
    text = str(error)
    template = catalogue("en").get(error.key)
    if template is None:
        return f"no sentence of the catalogue: {error.key}"
    if len(text) > LONGEST:
        return f"{len(text)} letters"
    if text.count("\n") > template.count("\n"):
        return f"lines of the value's own: {text!r}"
    if "object at 0x" in text or not error.say("zh"):
        return f"shown as it is inside: {text}"
    if is_strange and not isinstance(error, TypeError) and "{value" in template:
        return f"no TypeError: {text}"
    return None


def outcome(call: Call, parameter: str, name: str) -> str | None:
    """Call a function with a wrong value, and return what was wrong with the outcome."""
    value = VALUES[name]()
    right = is_right(call.kinds[parameter], name, value)
    typed = call.kinds[parameter].startswith("type ")
    try:
        with soon():
            call.function(**{**call.given, parameter: value})
    except PenjingError as error:
        if right and not typed:
            return f"refused: {error}"
        return fault(error, is_strange=name in STRANGE)
    except TooLongError:
        return "does not end"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        if (call.name, parameter, name) in OWN or is_of_sklearn(call, parameter, error):
            return None
        return f"{type(error).__name__}: {str(error)[:80]}"
    return None if right else "taken"


def is_of_sklearn(call: Call, parameter: str, error: Exception) -> bool:
    """Say whether scikit-learn's own sentence about classes without a weight was said."""
    named = call.name in ESTIMATORS and parameter == "class_weight"
    return named and isinstance(error, ValueError) and "not in class_weight" in str(error)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Go to a folder of its own that holds a model."""
    monkeypatch.chdir(tmp_path)
    tree().save("model.tree")
    (tmp_path / "hand.txt").write_text("a = u: n\na = v: y\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_wrong_value_is_refused_in_a_sentence(call):
    found = {}
    for parameter in call.kinds:
        for name in VALUES:
            if (said := outcome(call, parameter, name)) is not None:
                found[f"{parameter}={name}"] = said
    assert found == {}


def test_there_are_many_wrong_calls():
    assert sum(len(call.kinds) for call in CALLS) * len(VALUES) > 5000


NOT_CALLED = {
    "Table", "Tree",  # records, and errors
    "CapabilityError", "ChoiceError", "DataError", "DataWarning", "PenjingError",
    "Tree.walk", "Tree.exact", "Tree.to_json", "Tree.spark_udf", "Table.rows",  # nothing to pass
    "Table.to_pandas",
    "Tree.from_data",  # for the packages below the API
}  # fmt: skip


def public() -> dict[str, Any]:
    """Return every public function and method by name."""
    found = {name: getattr(penjing, name) for name in penjing.__all__}
    for kind in (penjing.Tree, penjing.Table):
        found |= {f"{kind.__name__}.{n}": getattr(kind, n) for n in dir(kind) if n[0] != "_"}
    return {n: f for n, f in found.items() if callable(f) and n not in NOT_CALLED}


@pytest.mark.parametrize("name", public())
def test_every_parameter_of_every_public_function_is_tried(name):
    if name == "Tree.checked":
        return
    told = inspect.signature(public()[name]).parameters.values()
    named = {p.name for p in told if p.kind not in {p.VAR_KEYWORD, p.VAR_POSITIONAL}}
    named -= {"self", "other_options"}  # those of each plug-in are tried by name
    tried = {p for call in CALLS if call.name == name or call.name.startswith(f"{name} ")
             for p in call.kinds}  # fmt: skip
    assert named <= tried


# -- the ones that were found ------------------------------------------------------------------

SELF = holding_itself({})
FOUND = {
    "a number for labels": lambda: penjing.fit(ROWS, 3),
    "no recipe": lambda: penjing.fit(ROWS, "y", None),
    "recipe 3": lambda: penjing.fit(ROWS, "y", 3),
    "a depth beyond all": lambda: penjing.fit(ROWS, "y", max_depth=10**30),
    "one thread and a half": lambda: penjing.fit(ROWS, "y", threads=1.5),
    "threads as text": lambda: penjing.fit(ROWS, "y", threads="2"),
    "no threads": lambda: penjing.fit(ROWS, "y", threads=0),
    "fewer threads": lambda: penjing.fit(ROWS, "y", threads=-1),
    "threads=True": lambda: penjing.fit(ROWS, "y", threads=True),
    "schema 5": lambda: penjing.fit(ROWS, "y", schema=5),
    "a seed as text": lambda: penjing.fit(ROWS, "y", seed="x"),
    "ties": lambda: penjing.fit(ROWS, "y", ties="x"),
    "work": lambda: penjing.fit(ROWS, "y", work=5),
    "progress": lambda: penjing.fit(ROWS, "y", progress=5),
    "weights in a list": lambda: penjing.fit(ROWS, "y", weight=[1.0] * 7),
    "separator ,,": lambda: penjing.read(CSV, separator=",,"),
    "no separator": lambda: penjing.read(CSV, separator=""),
    "missing 5": lambda: penjing.read(CSV, missing=5),
    "schema of itself": lambda: penjing.read(CSV, schema=SELF),
    "levels of itself": lambda: penjing.read(CSV, schema={"a": SELF}),
    "table 5": lambda: tree().export("sql", table=5),
    "node 99": lambda: tree().answer(99),
    "a row of another table": lambda: tree().explain({"zzz": 1}),
    "compared with 5": lambda: penjing.compare(tree(), 5),
    "a dict of itself": lambda: penjing.Tree.from_dict(SELF),
    "a branch of itself": lambda: penjing.Tree.from_dict({"a": holding_itself({})}),
    "rows of themselves": lambda: penjing.read(holding_itself([])),
    "labels beside a table": lambda: penjing.fit(table(), Y),
    "a query of rows": lambda: penjing.fit(ROWS, "y", query="select 1"),
    "a query of a table": lambda: penjing.fit(table(), query="select 1"),
    "texts for a regressor": lambda: penjing.CARTRegressor().fit(X, Y),
    "own criterion of rpart": lambda: penjing.fit(ROWS, "y", "rpart", criterion=max),
    "gain ratio of rpart": lambda: penjing.fit(ROWS, "y", "rpart", criterion="gain_ratio"),
    "own criterion of sklearn": lambda: penjing.fit(ROWS, "y", "sklearn", criterion=max),
    "a cut above both values": lambda: penjing.fit(ROWS, "y", "c4.5", cut_tolerance=3),
    "names beside names": lambda: penjing.read(ROWS, "y", names=["p", "q", "r", "s"]),
    "an option that a writer has not": lambda: tree().write("text", theme="dark"),
    "an option that no picture has": lambda: tree().save_picture("x.svg", colour="red"),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_wrong_call_that_was_found_is_refused(name):
    with soon(), pytest.raises(PenjingError) as caught:
        FOUND[name]()
    assert fault(caught.value, is_strange=False) is None


def test_a_frame_is_not_printed():
    frame = VALUES["frame"]()
    with pytest.raises(ChoiceError) as caught:
        penjing.fit(frame, "y", query="select 1")
    assert str(caught.value).startswith("a DataFrame is not a database")


def test_a_dict_that_unfolds_without_end_is_refused_and_one_in_two_places_is_not():
    part: Any = "leaf"
    for _ in range(60):
        part = {"a": {"u": part, "v": part}}
    with soon(), pytest.raises(DataError, match="too many for a tree"):
        penjing.Tree.from_dict(part)
    barks = {"barks": {1: "dog", 0: "cat"}}
    assert penjing.Tree.from_dict({"legs": {3: barks, 4: barks}}).n_leaves == 4


# -- the right exception -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        (lambda: penjing.fit(5), (TypeError, ValueError, DataError)),
        (lambda: penjing.fit(ROWS, "y", max_depth="3"), (TypeError, ValueError, ChoiceError)),
        (lambda: penjing.fit(ROWS, "y", recipe=3), (TypeError, ValueError, ChoiceError)),
        (lambda: penjing.read("/nowhere/zzz.csv"), (FileNotFoundError, ValueError, DataError)),
        (lambda: penjing.load("/nowhere/zzz.tree"), (FileNotFoundError, ValueError, DataError)),
    ],
)
def test_an_error_is_what_python_calls_it_too(call, kinds):
    with pytest.raises(PenjingError) as caught:
        call()
    assert all(isinstance(caught.value, kind) for kind in kinds)


def test_a_value_of_the_right_type_is_no_type_error():
    with pytest.raises(ChoiceError) as caught:
        penjing.fit(ROWS, "y", max_depth=-1)
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("kind", [WrongTypeError, WrongSourceError, NoFileError])
def test_the_new_kinds_are_said_in_both_languages_and_survive_a_pool(kind):
    error = kind("not_text", name="a", value=VALUES["frame"]())
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is kind
    assert str(again) == str(error) == "a must be a string, got <DataFrame>."
    assert again.say("zh") == error.say("zh")
    assert "DataFrame" in error.say("zh")


@pytest.mark.parametrize("name", VALUES)
def test_any_value_is_shown_in_one_short_line(name):
    text = str(ChoiceError("not_text", name="a", value=VALUES[name]()))
    assert len(text) < 300
    assert "\n" not in text
    assert set(string.ascii_letters) & set(text)


# -- and what is right stays right -------------------------------------------------------------


@pytest.mark.parametrize("value", [2, np.int64(2), np.int8(2)])
def test_whole_numbers_may_be_numpys(value, tmp_path):
    grown = penjing.fit(ROWS, "y", max_depth=value, threads=value, seed=value)
    assert grown.to_dict() == penjing.fit(ROWS, "y", max_depth=2).to_dict()
    grown.save(tmp_path / "kept.tree")
    assert penjing.load(tmp_path / "kept.tree") == grown


def test_frames_may_be_folded_held_out_and_cross_validated():
    import pandas as pd  # noqa: PLC0415

    frame = pd.DataFrame(ROWS)
    parts = [held_out.target.values() for _, held_out in penjing.folds(frame, 3, target="y")]
    assert parts == [held_out.target.values() for _, held_out in penjing.folds(table(), 3)]
    assert penjing.hold_out(frame, 0.5)[1].target.values() == (
        penjing.hold_out(table(), 0.5)[1].target.values()
    )
    told = penjing.cross_validate(frame, "id3", 4, target="y").to_json()
    assert told["correct"] == penjing.cross_validate(table(), "id3", 4).to_json()["correct"]
    assert penjing.Fold(4, 1).of(frame)[1].n_rows == 2


def test_words_for_missing_may_come_one_by_one():
    found = penjing.read(b"a,y\n-,n\nu,y\nu,n\n", missing=(word for word in ["-"]))
    assert found.columns[0].n_missing == 1
