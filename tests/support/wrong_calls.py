"""The public functions, valid arguments, and which of the wrong values a parameter accepts.

Wrong values stand in wrong_values.py by name. A parameter is listed with the names of those that
are right for it, divided by a bar; all others must be refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Any

import numpy as np

import penjing
from penjing.registry import BUILT_IN, load

ROWS = [
    {"a": a, "b": b, "c": c, "y": y}
    for a, b, c, y in [
        ("u", 1.0, "p", "n"), ("v", 2.0, "q", "y"), ("u", 3.0, "q", "n"), ("v", 4.5, "p", "y"),
        ("u", 0.5, "p", "y"), ("v", 2.5, "q", "n"), ("w", 3.5, "p", "y"), ("w", 1.5, "q", "n"),
    ]
]  # fmt: skip
CSV = b"a,b,y\nu,1,n\nv,2,y\nu,3,n\n"

NEVER = ""
NONE = "None"
TEXT = "''|'zzz'|long text|lines|NUL|half a letter"
FILE = "'zzz'|lines|half a letter"
SWITCH = "True|False"
STEERING = {"force_splits": "None|{}|[]|()|array[0]", "forbid": "None|[]|()|array[0]"}
LARGE = "10**9|10**30|10**5000"
FROM_0 = f"0|3|{LARGE}"
SIZE = "3|10**9"
NUMBER = "0|3|10**9|10**30|0.5|1.5"
UNUSED_NUMBER = f"{NONE}|{NUMBER}|-1|-0.5|inf|-inf|nan"
"""Only its type is checked: an SVG has no dpi."""
SOURCE = "frame|{'zzz': 1}|{1: 2}"
NO_ROWS = "b'zzz'|bytearray|[]|()"
LABELS = (
    "'zzz'|long text|lines|NUL|half a letter|[1, 2]|['zzz']|[None]|set|generator|series|array[2]"
)
TWO = "[1, 2]|series|array[2]|generator|half a letter"
NAMES = "None|{}"
MARKERS = f"{TEXT}|[]|()|[1, 2]|['zzz']|set|generator|array[2]|array[0]|series"

UNREAD = (
    f"{TEXT}|b'zzz'|bytearray|[]|()|[1, 2]|['zzz']|[None]|ragged|list of itself|dict of itself|"
    "{}|{'zzz': 1}|{1: 2}|array()|array[2]|array[0]|array[2, 2, 2]|array of itself|frame|path"
)
"""What might be rows, given to those who do not need them and do not look."""


@dataclass(frozen=True)
class Call:
    """A function, arguments that are right for it, and what is right for each parameter."""

    name: str
    function: Callable[..., Any]
    given: Mapping[str, Any]
    kinds: Mapping[str, str]

    def __str__(self) -> str:
        return self.name


@cache
def table() -> penjing.Table:
    return penjing.read(ROWS, "y")


@cache
def tree() -> penjing.Tree:
    return penjing.fit(table(), recipe="cart-binary", max_depth=2, trace=True)


@cache
def plane_tree() -> penjing.Tree:
    rows = [{"b": row["b"], "d": i % 3, "y": row["y"]} for i, row in enumerate(ROWS)]
    return penjing.fit(rows, "y", "cart-binary", quiet=True)


def of_rows() -> list[Call]:
    """Return the functions that take rows."""
    t, rows = table(), [dict(row) for row in ROWS]
    fit = {
        "data": SOURCE, "target": NONE, "recipe": NEVER, "validation": "None|0.5", "prune": NONE,
        "ties": NEVER, "engine": NEVER, "memory_limit": "None|3|1.5|10**9|10**30",
        "work": f"{NONE}|{FILE}|long text|path", "query": NONE, "threads": f"{NONE}|{SIZE}",
        "trace": SWITCH, "sketch": SWITCH, "schema": "None|{}", "weight": NONE, "seed": FROM_0,
        "progress": "None|lambda|class", "sample_weight": NONE, "class_names": NAMES,
        "quiet": SWITCH, **STEERING,
    }  # fmt: skip
    read = {
        "source": SOURCE, "target": "None|False", "schema": "None|{}|[]|()",
        "missing": f"{NONE}|{MARKERS}", "encoding": NONE, "weight": NONE, "keep": "[]|()|array[0]",
        "dates": "None|[]|()|array[0]", "name": f"{NONE}|{TEXT}", "names": NONE, "labels": NONE,
        "separator": NONE, "memory_limit": "None|3|1.5|10**9|10**30", "quiet": SWITCH,
        "decimal": NONE, "fold_case": f"{SWITCH}|[]|()|array[0]", "sheet": NONE,
    }  # fmt: skip
    cross = {
        "table": "frame", "how": NEVER, "recipe": NONE, "k": "3", "target": NONE, "seed": FROM_0,
        "prune": NONE, "validation": "None|0.5", "quiet": SWITCH, "positive": NONE,
    }  # fmt: skip
    boot = {
        "data": SOURCE, "target": NONE, "recipe": NEVER, "n": "3", "seed": FROM_0, "quiet": SWITCH,
        "prune": NONE,
    }  # fmt: skip
    several = {
        "data": SOURCE, "target": NONE, "recipes": NEVER, "test": NONE, "folds": f"None|3|{LARGE}",
        "seed": FROM_0, "quiet": SWITCH,
    }  # fmt: skip
    parts = {"table": "frame", "seed": FROM_0, "target": NONE, "quiet": SWITCH}
    sheet = {
        "data": NEVER, "target": NONE, "recipe": NEVER, "seed": f"{NONE}|{FROM_0}",
        "depth": f"{NONE}|{SIZE}", "rows": NONE, "blanks": NEVER, "lang": NEVER, "quiet": SWITCH,
    }  # fmt: skip
    lab = {
        "data": SOURCE, "target": NONE, "recipe": NEVER, "training": NONE, "shares": NONE,
        "seed": f"0|{SIZE}", "lang": NEVER, "quiet": SWITCH,
    }  # fmt: skip
    return [
        Call("lab", penjing.lab, {"data": rows, "target": "y", "recipe": "cart-binary"}, lab),
        Call("fit", penjing.fit, {"data": rows, "target": "y"}, fit),
        Call("fit a table", penjing.fit, {"data": t}, fit | {"schema": NONE}),
        Call("read", penjing.read, {"source": CSV, "target": "y"}, read),
        Call("read rows", penjing.read, {"source": rows, "target": "y"}, read),
        Call("cross_validate", penjing.cross_validate, {"table": t, "how": "id3", "k": 2}, cross),
        Call("bootstrap", penjing.bootstrap, {"data": t, "n": 2}, boot),
        Call("worksheet", penjing.worksheet, {"data": t, "recipe": "cart-binary"}, sheet),
        Call("compare_recipes", penjing.compare_recipes,
             {"data": t, "recipes": ["id3", "cart-binary"]}, several),
        Call("folds", penjing.folds, {"table": t, "k": 2}, parts | {"k": "3"}),
        Call("hold_out", penjing.hold_out, {"table": t, "share": 0.4}, parts | {"share": "0.5"}),
        Call("Fold", lambda **given: penjing.Fold(**given).of(t), {"k": 4, "which": 1},
             {"k": "3", "which": "0|3", "seed": FROM_0}),
        Call("example", penjing.example, {"name": "fish"}, {"name": NEVER}),
        Call("Table.column", t.column, {"name": "a"}, {"name": NEVER}),
        Call("Table.row_number", t.row_number, {"row": 1}, {"row": "0|3"}),
        Call("Table.row_id", t.row_id, {"row": 1}, {"row": "0|3"}),
        Call("Table.text", t.text, {}, {"lang": NEVER}),
        Call("Table.take", t.take, {"rows": [1]},
             {"rows": "[]|()|array[0]|[1, 2]|series"}),
    ]  # fmt: skip


def of_recipes() -> list[Call]:
    """Return the record of choices."""
    kinds = {
        "name": TEXT, "rules": NEVER, "criterion": NEVER, "shape": NEVER, "missing": NEVER,
        "unseen": NEVER, "max_depth": f"{NONE}|0|{SIZE}", "max_leaves": f"{NONE}|{SIZE}",
        "min_weight": NUMBER, "min_branch": NUMBER, "min_gain": NUMBER, "laplace": SWITCH,
        "options": NEVER, "monotonic_cst": NONE, "interaction_cst": NONE,
    }  # fmt: skip

    def grown(**given: Any) -> Any:
        return penjing.fit(table(), recipe=penjing.Recipe(**given))

    return [Call("Recipe", grown, {"name": "mine"}, kinds)]


def of_trees() -> list[Call]:
    """Return the methods of a tree."""
    made, rows = tree(), [dict(row) for row in ROWS]
    policy = {"unseen": NONE, "missing": NONE}
    asked = ("empty_levels", "children", "path", "split", "parent_of", "weight_of", "answer")
    calls = [Call(f"Tree.{n}", getattr(made, n), {"node": 0}, {"node": "0|3"}) for n in asked]
    for name in ("predict", "predict_proba", "apply", "summarize", "score"):
        kinds = {"source": NEVER if name in ("score", "summarize") else NO_ROWS, **policy}
        if name == "score":
            kinds |= {"y": NONE, "positive": NONE}
        calls.append(Call(f"Tree.{name}", getattr(made, name), {"source": rows}, kinds))
    plain = f"True|False|0|-1|3|10**9|10**30|0.5|1.5|-0.5|{TEXT}"
    drawn = {
        "class_names": NAMES,
        "lang": NEVER,
        "theme": NEVER,
        "title": f"{NONE}|{TEXT}",
        "max_leaves": f"3|{LARGE}",
        "show": NONE,
        "layout": NONE,
        "align_leaves": SWITCH,
        "test": NONE,
    }
    switches = ("ascii_only", "empty", "surrogates")
    edit = {"data": NONE, "validation": NONE}
    many = {"surrogates": SWITCH, "n": "3", "seed": FROM_0}
    return [
        *calls,
        Call("Tree.pruned", made.pruned, {"cut_back": [1]},
             {"cut_back": "[]|()|set|array[0]|[1, 2]|series", "why": f"{NONE}|{TEXT}"}),
        Call("Tree.explain", made.explain, {"row": rows[0]},
             {"row": "{}", "flips": FROM_0, "class_names": NAMES}),
        Call("Tree.why", made.why, {}, {"node": "''|0|3", "data": NONE}),
        Call("Tree.to_pandas", made.to_pandas, {}, {"what": NEVER}),
        Call("Tree.report", made.report, {"cross_validation": False},
             {"path": f"{NONE}|{FILE}", "training": NONE, "test": NONE, "lang": NEVER,
              "theme": NEVER, "title": f"{NONE}|{TEXT}", "folds": f"3|{LARGE}", "seed": FROM_0,
              "cross_validation": f"{NONE}|{SWITCH}", "positive": NONE, "trace": SWITCH}),
        Call("Tree.lab", made.lab, {}, {"training": NONE, "lang": NEVER}),
        Call("Tree.plane", plane_tree().plane, {"x": "b", "y": "d"},
             {"x": NEVER, "y": NEVER, "points": NONE, "lang": NEVER, "theme": NEVER,
              "title": f"{NONE}|{TEXT}"}),
        Call("Tree.prune", made.prune, {"method": "collapse"},
             {"method": NEVER, "validation": NONE, "training": f"{NONE}|{UNREAD}", "folds": NONE}),
        Call("Tree.drift", made.drift, {"source": rows}, {"source": NEVER, "training": NONE}),
        Call("Tree.prune_at", made.prune_at, {"node": 1, "data": rows}, {"node": "0|''", **edit}),
        Call("Tree.regrow_at", made.regrow_at, {"node": 0, "data": rows},
             {"node": "0|3|''", **edit}),
        Call("Tree.replace_split", made.replace_split, {"node": 0, "column": "b", "data": rows},
             {"node": "0|''", "column": NEVER, "threshold": "None|3|0.5|1.5",
              "groups": NONE, **edit}),
        Call("Tree.to_dict", made.to_dict, {}, {"empty": SWITCH}),
        Call("Tree.from_dict", made.from_dict, {"tree": {"a": {"u": "n", "v": "y"}}},
             {"tree": plain, "target": TEXT, "schema": "None|{}|[]|()"}),
        Call("Tree.from_text", made.from_text, {"text": "a = u: n\na = v: y"},
             {"text": "'zzz'|long text|NUL|half a letter", "target": TEXT,
              "schema": "None|{}|[]|()", "quiet": SWITCH}),
        Call("Tree.from_file", made.from_file, {"path": "hand.txt"},
             {"path": NEVER, "target": TEXT, "schema": "None|{}|[]|()", "encoding": NONE,
              "quiet": SWITCH}),
        Call("Tree.with_counts", made.with_counts, {"data": rows},
             {"data": NEVER, "missing": NONE, "quiet": SWITCH}),
        Call("Tree.save", made.save, {"path": "kept.tree"}, {"path": FILE}),
        Call("Tree.write", made.write, {"kind": "text"}, {"kind": NEVER, "class_names": NAMES}),
        Call("Tree.draw", made.draw, {},
             {"order": NEVER, "node": "0|3", "lang": NEVER, "class_names": NAMES,
              "width": f"{NONE}|3|{LARGE}",
              **dict.fromkeys(switches, SWITCH)}),
        Call("Tree.importances", made.importances, {},
             {"kind": NEVER, "data": f"{NONE}|{UNREAD}", **many}),
        Call("Tree.importances by permutation", made.importances,
             {"kind": "permutation", "data": rows, "n": 2}, {"data": NEVER, **many}),
        Call("Tree.ruleset", made.ruleset, {"data": rows},
             {"data": NEVER, "max_loss": "None|0|0.5", "votes": SWITCH}),
        Call("Tree.ruleset by votes", partial(made.ruleset, votes=True), {"data": rows},
             {"data": NEVER, "confidence": "None|0.5"}),
        Call("Tree.export", made.export, {"kind": "python"},
             {"kind": NEVER, "class_names": NAMES}),
        Call("Tree.save_picture", made.save_picture, {"path": "kept.svg"},
             {"path": NEVER, "icicle": SWITCH, "dpi": UNUSED_NUMBER,
              **{name: f"{NONE}|{kind}" for name, kind in drawn.items()}}),
        Call("Tree.plot", made.plot, {}, {"ax": NONE, **drawn}),
        Call("load", penjing.load, {"path": "model.tree"}, {"path": NEVER}),
        Call("compare", penjing.compare, {"a": made, "b": made},
             {"a": NEVER, "b": NEVER, "tables": "None|{}", "names": "None|generator",
              "folds": NONE, "seed": FROM_0}),
    ]  # fmt: skip


OPTIONS = {
    "lang": NEVER, "theme": NEVER, "title": f"{NONE}|{TEXT}", "max_leaves": f"3|{LARGE}",
    "view": NEVER, "ascii_only": SWITCH, "empty": SWITCH, "order": NEVER, "node": "0|3",
    "surrogates": SWITCH, "name": TEXT, "missing": NONE, "unseen": NONE, "dialect": NEVER,
    "table": "'zzz'|long text|lines|half a letter", "proba": SWITCH, "clean": SWITCH, "cells": NONE,
    "width": f"{NONE}|3|{LARGE}", "show": NEVER, "layout": NEVER, "align_leaves": SWITCH,
    "test": NEVER,
    "alpha": f"{NONE}|{NUMBER}", "cp": NUMBER, "by": NEVER, "one_se": SWITCH, "ties": NEVER,
    "confidence": "0.5", "raise_branches": f"{NONE}|{SWITCH}", "deviate": NONE,
    "last_errors": f"{NONE}|{NUMBER}", "tolerance": f"{NONE}|{NUMBER}", "precision": NONE,
    "slack": NUMBER, "share": NUMBER, "m": f"{NONE}|{NUMBER}",
}  # fmt: skip
"""What is right for the options of writers, exports and pruners …"""
ODD_OPTIONS = {
    ("write", "nested", "empty"): NEVER,
    ("export", "nested", "empty"): NEVER,
    ("export", "java", "name"): "'zzz'|long text",
    ("prune", "error-based", "confidence"): "None|0.5",
}
"""… and where it is something else."""
GIVEN: dict[str, Mapping[str, Any]] = {
    "cost-complexity": {"cp": 0.1},
    "reduced-error": {"validation": ROWS},
    "error-based": {"training": ROWS},
}


def of_plugins() -> list[Call]:
    """Return every renderer, export and pruner with its options."""
    calls = []
    for method, kind in (("write", "renderer"), ("export", "export"), ("prune", "pruner")):
        for name in BUILT_IN[kind]:
            told = inspect.signature(load(kind, name)).parameters.values()
            options = [p.name for p in told if p.kind is p.KEYWORD_ONLY]
            kinds = {o: ODD_OPTIONS.get((method, name, o), OPTIONS[o]) for o in options}
            # None takes the default; but cost-complexity has none for cp
            kinds = {o: k if o == "cp" else f"{NONE}|{k}" for o, k in kinds.items()}
            given = GIVEN.get(name, {})
            if name == "cost-complexity":  # one of the two must be there, and not both
                calls.append(
                    Call(f"Tree.{method} {name} alpha", _of(method, name), {}, {"alpha": NUMBER})
                )
                kinds.pop("alpha")
            calls.append(Call(f"Tree.{method} {name}", _of(method, name), given, kinds))
    return calls  # fmt: skip


def _of(method: str, name: str) -> Callable[..., Any]:
    return partial(getattr(tree(), method), name)


def of_formulas() -> list[Call]:
    """Return the functions for learners."""
    labels = {"labels": f"{LABELS}|{{'zzz': 1}}|{{1: 2}}"}
    cut = "None|0|-1|3|10**9|10**30|0.5|1.5|-0.5|inf|-inf"
    two = {"values": TWO, "labels": TWO, "cut": cut}
    found = [
        Call(name, getattr(penjing, name), {"labels": ["u", "v"]}, labels)
        for name in ("entropy", "gini", "majority")
    ]
    for name in ("entropy", "gini"):
        kinds = {"counts": "[1, 2]|array[2]|series"}
        found.append(Call(f"{name} of counts", getattr(penjing, name), {}, kinds))
    for name in ("gain", "gain_ratio", "gini_index"):
        given = {"values": [1, 2], "labels": ["u", "v"]}
        found.append(Call(name, getattr(penjing, name), given, two))
        found.append(Call(f"{name} of counts", getattr(penjing, name), {}, {"counts": NEVER}))
    one = {"values": LABELS.replace("|set", ""), "cut": cut}
    split = penjing.split_information
    found.append(Call("split_information", split, {"values": [1, 2]}, one))
    found.append(Call("split_information of counts", split, {}, {"counts": NEVER}))
    return found


def of_settings() -> list[Call]:
    """Return every setting of every recipe; of what is right there, types say enough."""
    calls = []
    for name in ("id3", "c4.5", "c5.0", "rpart", "sklearn"):  # of each program's options one
        recipe = penjing.RECIPES[name]
        every = (*(f for f in fields(recipe) if f.init), *fields(recipe.options))
        kinds = {f.name: f"type {f.type}" for f in every if f.name not in ("name", "options")}
        calls.append(Call(f"fit by {name}", partial(penjing.fit, table(), recipe=name), {}, kinds))
    return calls


X = np.array([[b, a] for a, b in enumerate([1.0, 2.0, 3.0, 4.5, 0.5, 2.5, 3.5, 1.5])])
Y = ["n", "y", "n", "y", "y", "n", "y", "n"]
ESTIMATORS = (
    "C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier", "TreeClassifier",
    "TreeRegressor",
)  # fmt: skip
"""Not the drop-ins: their messages are scikit-learn's."""


def of_estimators() -> list[Call]:
    """Return the parameters of the estimators, looked at when they are fitted."""
    calls = []
    for name in ESTIMATORS:
        kind = getattr(penjing, name)
        y = [1.0, 2.0] * 4 if name.endswith("Regressor") else Y

        def fitted(kind: Any = kind, y: Any = y, **given: Any) -> Any:
            return kind(**given).fit(X, y)

        told = inspect.signature(kind).parameters.values()
        # None leaves a setting to the recipe
        kinds = {p.name: f"type {p.annotation} | None" for p in told} | STEERING
        calls.append(Call(name, fitted, {}, kinds))
    return calls


def every_call() -> list[Call]:
    return [
        *(*of_rows(), *of_recipes(), *of_trees(), *of_plugins(), *of_formulas()),
        *(*of_settings(), *of_estimators()),
    ]
