"""Validate the parts of a model file other than its nodes: recipe, facts about the tree, trace.

A shape is a type (float: any number; int: a whole one), a range of whole numbers, a set of words,
a list with the shape of its items, a dict with the shapes of its keys (``"key?"`` may be absent;
other keys may hold any plain data), a tuple of alternative shapes, or None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_NESTING = 12
"""How deep lists and dicts may be nested in data without a shape."""

STOP_REASONS = frozenset(
    {
        "alike",
        "by_hand",
        "complexity",
        "constraints",
        "forced",
        "max_depth",
        "max_leaves",
        "min_gain",
        "min_weight",
        "no_gain",
        "pruned",
        "pure",
        "validation",
    }
)
"""The reasons why a node is a leaf."""

PRESENT = "present"
"""Expected of a field that is missing."""
LIMIT_SETTINGS = ("min_weight", "min_branch", "min_gain", "minsplit", "min_samples_split")
"""Settings of a recipe that are lower limits."""


def first_misfit(
    model: Mapping[str, Any], n_nodes: int, n_columns: int, n_classes: int
) -> tuple[str, str] | None:
    """Return the JSON path of the first invalid part of a model, and what was expected there."""
    for key, shape in shapes(n_nodes, n_columns).items():
        if key in model and (found := misfit(model[key], shape, key)):
            return found
    costs = model["about"].get("costs")
    if costs is not None:
        rows = [costs["factor"], costs["altered"], costs["loss"], *costs["loss"]]
        if {len(row) for row in rows} != {n_classes}:
            return "about.costs", f"for {n_classes} classes"
    directions = model["recipe"].get("monotonic_cst")
    if directions is not None:
        is_known = all(d in (-1, 0, 1) and not isinstance(d, bool) for d in directions.values())
        if not is_known or n_classes > 2:
            return "recipe.monotonic_cst", "1, -1 or 0 for each column, and at most two classes"
    for i, step in enumerate(model["trace"]["steps"] if model["trace"] else ()):
        candidates = [c for c in step.get("candidates", ()) if "after" in c]
        split_columns = {c["column"] for c in candidates if (c.get("split_information") or 0.0) > 0}
        if "candidates" in step and step.get("chosen") not in {None, *split_columns}:
            return f"trace.steps[{i}].chosen", "a column that offered a division"
    return None


def shapes(n_nodes: int, n_columns: int) -> dict[str, Any]:
    """Return the shape of each part of a model other than its nodes."""
    node, column, number = range(n_nodes), range(n_columns), (float, None)
    sums = [float]
    candidate = {
        "column": column,
        "missing": sums,
        "score": number,
        "gain": number,
        "known?": sums,
        "after?": [sums],
        "split_information?": number,
        "entropy_before?": number,
        "entropy_after?": number,
        "gini_after?": number,
        "cut?": number,
        "n_cuts?": int,
        "refused?": int,
        "cuts?": [float],
        "gains?": [number],
        "codes?": [int],
        "sides?": [int],
    }
    step = {
        "node": node,
        "stop?": STOP_REASONS,
        "average_gain?": number,
        "candidates?": [candidate],
        "chosen?": (column, None),
        "tied?": [column],
    }
    decision = {
        "node": int,
        "now?": node,
        "is_gone?": bool,
        "kept?": number,
        "as_leaf?": number,
    }
    costs = {"factor": [float], "loss": [[float]], "altered": [float]}
    recipe: dict[str, Any] = dict.fromkeys(
        ("name?", "rules?", "criterion?", "shape?", "missing?"), str
    )
    recipe |= dict.fromkeys(("max_depth?", "max_leaves?"), (int, None))
    recipe |= dict.fromkeys((f"{name}?" for name in LIMIT_SETTINGS), number)
    recipe |= {"monotonic_cst?": ({}, None), "interaction_cst?": ([[str]], str, None)}
    return {
        "recipe": recipe | {"unseen?": frozenset({"stop", "error", "missing"})},
        "about": {
            "counted?": bool,
            "n_ties?": int,
            "ties?": [{"node": node, "columns": [column], "score": float}],
            "stops?": {f"{reason}?": [node] for reason in STOP_REASONS},
            "steering?": {
                "acts?": [{"act": str, "path?": str, "steps": [{}], "column?": str}],
                "forbid?": [str],
            },
            "n_rows?": int,
            "missing?": {},
            "source?": {"name?": str, "sha256?": str, "weight?": str},
            "left_out?": [[str]],
            "training?": ({"correct": float, "of": float}, {"squares": float, "of": float}),
            "pruning?": [
                {
                    "method": str,
                    "validation?": {},
                    "decisions?": [decision],
                    "n_decisions?": int,
                }
            ],
            "costs?": (costs, None),
            "cp_table?": [[number]],
            "columns?": [
                {
                    "column": column,
                    "counts": [float],
                    "bounds?": [float],
                    "codes?": [int],
                    "missing?": float,
                }
            ],
        },
        "trace": ({"steps": [step], "is_whole": bool}, None),
        "reading": _reading_shape(),
        "sketch": [
            {
                "node": node,
                "column": column,
                "counts": [sums],
                "classes?": [int],
                "codes?": [int],
                "bounds?": sums,
                "range?": sums,
                "missing?": sums,
                "runner_up?": column,
            }
        ],
        "skeleton": {"n_nodes": int, "nodes": [{"parent": int, "total": sums}]},
    }


def _reading_shape() -> dict[str, Any]:
    """Return the shape of the record of how the training table was read."""
    marks = [(str, float)]
    column = {
        "number?": {"decimal?": frozenset({".", ","}), "units?": [str]},
        "date?": {"order?": frozenset({"year", "month", "day"}), "parts?": [str]},
        "fold_case?": bool,
        "missing?": [str],
    }
    texts = ("encoding?", "separator?", "sheet?", "weight?")
    return dict.fromkeys(texts, str) | {
        "missing?": (marks, {"only": marks}),
        "encoding_certain?": bool,
        "names?": [str],
        "decimal?": frozenset({".", ","}),
        "dates?": [str],
        "fold_case?": (bool, [str]),
        "columns?": EachValue(column),
    }


def misfit(value: Any, shape: Any, at: str) -> tuple[str, str] | None:  # noqa: ANN401
    """Return the path of the first part that does not fit a shape and what was expected, or None.

    Examples
    --------
    >>> misfit({"steps": [{"node": 7}]}, {"steps": [{"node": range(3)}]}, "trace")
    ('trace.steps[0].node', 'a whole number from 0 to 2')
    """
    if isinstance(shape, tuple):
        found = [misfit(value, each, at) for each in shape]
        return None if None in found else found[0]
    if isinstance(shape, EachValue):
        return _misfit_of_values(value, shape, at)
    if isinstance(shape, dict):
        return _misfit_of_dict(value, shape, at)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return at, "a list"
        below = (misfit(part, shape[0], f"{at}[{i}]") for i, part in enumerate(value))
        return next((found for found in below if found), None)
    return None if _fits(value, shape) else (at, _TYPE_NAMES.get(shape, _shape_text(shape)))


@dataclass(frozen=True)
class EachValue:
    """The shape of an object with any keys, whose values all have one shape."""

    shape: Any


def _misfit_of_values(value: Any, each: EachValue, at: str) -> tuple[str, str] | None:  # noqa: ANN401
    if not isinstance(value, dict):
        return at, "an object"
    below = (misfit(part, each.shape, f"{at}.{name}") for name, part in value.items())
    return next((found for found in below if found), None)


def _misfit_of_dict(value: Any, shape: Mapping[str, Any], at: str) -> tuple[str, str] | None:  # noqa: ANN401
    if not isinstance(value, dict):
        return at, "an object"
    known = {key.removesuffix("?"): key for key in shape}
    for name, key in known.items():
        if name not in value:
            if key == name:
                return f"{at}.{name}", PRESENT
        elif found := misfit(value[name], shape[key], f"{at}.{name}"):
            return found
    others = (name for name in value if name not in known and not _is_plain(value[name]))
    return next(((f"{at}.{name}", "plain and not nested so deep") for name in others), None)


def _fits(value: Any, shape: Any) -> bool:  # noqa: ANN401
    if isinstance(shape, frozenset):
        return isinstance(value, str) and value in shape
    if shape is None or shape is bool or shape is str:
        return value is None if shape is None else isinstance(value, shape)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if shape is float:
        return abs(value) < math.inf
    return isinstance(value, int) and (shape is int or value in shape)


def _is_plain(value: Any) -> bool:  # noqa: ANN401
    """Whether a value can be written as JSON: all numbers finite, not nested too deep."""
    stack = [(value, 0)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, list | dict):
            if depth == MAX_NESTING:
                return False
            parts = part.values() if isinstance(part, dict) else part
            stack += [(below, depth + 1) for below in parts]
        elif isinstance(part, float) and not math.isfinite(part):
            return False
    return True


_TYPE_NAMES: dict[Any, str] = {
    None: "null",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


def _shape_text(shape: Any) -> str:  # noqa: ANN401
    if isinstance(shape, frozenset):
        return f"one of {', '.join(sorted(shape))}"
    return f"a whole number from 0 to {len(shape) - 1}" if isinstance(shape, range) else ""
