"""The registry: criteria, dialects, pruners, engines, renderers, charts and exports, by name.

A new one is one file (or folder) and one line here. Other packages register theirs through entry
points of the groups ``penjing.criteria``, ``penjing.dialects``, ``penjing.pruners``,
``penjing.engines``, ``penjing.renderers``, ``penjing.charts`` and ``penjing.exports``.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import Any

from penjing.errors import ChoiceError, PenjingError, unknown_name_error
from penjing.i18n import Names, say

BUILT_IN: dict[str, dict[str, str]] = {
    "criterion": {
        "gain": "penjing.criteria.entropy:Entropy",
        "gain_ratio": "penjing.criteria.entropy:GainRatio",
        "gini": "penjing.criteria.gini:Gini",
        "variance": "penjing.criteria.variance:Variance",
    },
    "dialect": {
        "textbook": "penjing.dialects.textbook:TEXTBOOK",
        "quinlan": "penjing.dialects.c45:QUINLAN",  # so called in model files
        "c50": "penjing.dialects.c50:C50",
        "rpart": "penjing.dialects.rpart:RPART",
        "sklearn": "penjing.dialects.sklearn:SKLEARN",
    },
    "pruner": {
        "cost-complexity": "penjing.prune.cost_complexity:prune",
        "reduced-error": "penjing.prune.reduced_error:prune",
        "pessimistic": "penjing.prune.pessimistic:prune",
        "error-based": "penjing.prune.error_based:prune",
        "collapse": "penjing.prune.collapse:prune",
        "minimum-error": "penjing.prune.minimum_error:prune",
        "mdl": "penjing.prune.mdl:prune",
        "simplify": "penjing.prune.simplify:prune",
    },
    "engine": {
        "native": "penjing.engines.native:Engine",
        "memory": "penjing.engines.memory:Engine",
        "disk": "penjing.engines.out_of_core.engine:Engine",
        "duckdb": "penjing.engines.sql.duckdb:Engine",
        "postgres": "penjing.engines.sql.postgres:Engine",
        "spark": "penjing.engines.spark.engine:Engine",
    },
    "renderer": {
        "text": "penjing.render.tree_text:write",
        "rules": "penjing.render.leaf_rules:write",
        "markdown": "penjing.render.markdown:write",
        "svg": "penjing.render.svg:write",
        "html": "penjing.render.html:write",
        "icicle": "penjing.render.icicle:write",
        "dot": "penjing.render.dot:write",
        "dict": "penjing.render.nested_dict:write",
        "nested": "penjing.render.nested_json:write",
    },
    "chart": {
        "learning": "penjing.render.charts.curve:draw",
        "pruning": "penjing.render.charts.curve:draw",
        "importance": "penjing.render.charts.importance_bars:draw",
        "candidates": "penjing.render.charts.candidates:draw",
        "thresholds": "penjing.render.charts.thresholds:draw",
        "confusion": "penjing.render.charts.confusion:draw",
        "roc": "penjing.render.charts.ranking:draw_roc",
        "precision_recall": "penjing.render.charts.ranking:draw_precision_recall",
        "calibration": "penjing.render.charts.calibration:draw",
        "predictions": "penjing.render.charts.predictions:draw",
        "compared_trees": "penjing.render.charts.compared_trees:draw",
        "plane": "penjing.render.charts.plane:draw",
    },
    "export": {
        "python": "penjing.export.python:write",
        "sql": "penjing.export.sql:write",
        "c": "penjing.export.c:write",
        "javascript": "penjing.export.javascript:write",
        "java": "penjing.export.java:write",
        "pmml": "penjing.export.pmml:write",
        "onnx": "penjing.export.onnx:write",
        "excel": "penjing.export.excel:write",
        "nested": "penjing.render.nested_json:write",
        "dict": "penjing.render.nested_dict:write",
    },
}

_GROUPS = {
    "criterion": "penjing.criteria",
    "dialect": "penjing.dialects",
    "pruner": "penjing.pruners",
    "engine": "penjing.engines",
    "renderer": "penjing.renderers",
    "chart": "penjing.charts",
    "export": "penjing.exports",
}
_OLD_GROUPS = {
    "dialect": "penjing.rules",
    "pruner": "penjing.prune",
    "renderer": "penjing.write",
    "export": "penjing.export",
}
"""Entry-point groups of 0.1.0; they are read until 0.3.0, with a warning."""


@cache
def plugins(kind: str) -> dict[str, str]:
    """Return what is registered of a kind: names, and where each one is.

    Examples
    --------
    >>> list(plugins("criterion"))
    ['gain', 'gain_ratio', 'gini', 'variance']
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import

    found: dict[str, str] = {}
    if kind in _OLD_GROUPS:
        old, new = _OLD_GROUPS[kind], _GROUPS[kind]
        for point in entry_points(group=old):
            message = say("old_entry_point", name=point.name, old=old, new=new)
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            found[point.name] = point.value
    found |= {point.name: point.value for point in entry_points(group=_GROUPS[kind])}
    return found | BUILT_IN[kind]


_OTHER_NAMES = {
    "pruner": {
        "ccp": "cost-complexity", "rep": "reduced-error", "pep": "pessimistic",
        "ebp": "error-based", "mep": "minimum-error",
    },
}  # fmt: skip
"""What is proposed for abbreviations that the literature uses."""
_NEAR_KEYS = {"pruner": "unknown_pruner_near"}
_PICTURE_FILES = ("pdf", "png")
"""Formats that are saved to a file, and are no text."""


def load(kind: str, name: str) -> Any:  # noqa: ANN401 - a class, a function or a module, by kind
    """Return what a name stands for, imported on first use."""
    if not isinstance(name, str):
        raise unknown_name_error("unknown_choice", name, plugins(kind), kind=kind)
    return _loaded(kind, name)


@cache
def _loaded(kind: str, name: str) -> Any:  # noqa: ANN401 - as above
    if name in BUILT_IN[kind]:  # found without a search for plug-ins
        return _imported(BUILT_IN[kind][name])
    known = plugins(kind)
    if name not in known:
        if near := _OTHER_NAMES.get(kind, {}).get(name.casefold()):
            names = Names(list(known))
            raise ChoiceError(_NEAR_KEYS[kind], word=name, known=names, near=near)
        if kind == "renderer" and name.casefold() in _PICTURE_FILES:
            raise ChoiceError("renderer_is_file", word=name, known=Names(list(known)))
        raise unknown_name_error("unknown_choice", name, known, kind=kind)
    try:
        plugin = _imported(known[name])
    except PenjingError:
        raise
    except Exception as error:
        values = {"name": name, "place": known[name], "kind": type(error).__name__, "what": error}
        raise ChoiceError("plugin_not_loaded", **values) from error
    if kind != "dialect" and not callable(plugin):
        raise ChoiceError("plugin_not_callable", name=name, place=known[name], value=plugin)
    return plugin


def failed_plugin(error: BaseException) -> tuple[str, str, list[str]] | None:
    """Return the plug-in in whose code an exception was raised: name, place and kinds.

    The plug-in is that of the first function that was called of a package with plug-ins; None if
    there was no such function.
    """
    registered = [
        (name, place, kind)
        for kind in BUILT_IN
        for name, place in plugins(kind).items()
        if name not in BUILT_IN[kind] and _package(place) != "penjing"
    ]
    traceback = error.__traceback__
    while traceback is not None and registered:
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__"))
        of_package = [one for one in registered if _package(one[1]) == _package(module)]
        if of_package:
            place = f"{module}:{frame.f_code.co_qualname}".split(".<locals>")[0]
            of_function = [one for one in of_package if f"{place}.".startswith(f"{one[1]}.")]
            name, place, _ = (of_function or of_package)[0]
            return name, place, [kind for *one, kind in registered if one == [name, place]]
        traceback = traceback.tb_next
    return None


def _package(module: str) -> str:
    return module.partition(":")[0].partition(".")[0]


def _imported(place: str) -> Any:  # noqa: ANN401 - as above
    module_name, _, attribute = place.partition(":")
    module = import_module(module_name)
    return getattr(module, attribute) if attribute else module
