"""The six sockets and the list of what is plugged in.

A new criterion, set of rules, pruner, engine, writer or export is one file and one line here.
Strangers' packages plug in through entry points of the groups ``penjing.criteria``,
``penjing.rules``, ``penjing.prune``, ``penjing.engines``, ``penjing.write`` and ``penjing.export``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from penjing.errors import unknown

PLUGS: dict[str, dict[str, str]] = {
    "criterion": {
        "gain": "penjing.criteria.entropy:Entropy",
        "gain_ratio": "penjing.criteria.entropy:GainRatio",
        "gini": "penjing.criteria.gini:Gini",
        "variance": "penjing.criteria.variance:Variance",
    },
    "rules": {
        "textbook": "penjing.rules.textbook",
        "quinlan": "penjing.rules.quinlan",
        "c50": "penjing.rules.c50",
        "rpart": "penjing.rules.rpart",
        "sklearn": "penjing.rules.sklearn",
    },
    "prune": {
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
        "disk": "penjing.engines.disk:Engine",
        "duckdb": "penjing.engines.duckdb:Engine",
        "postgres": "penjing.engines.postgres:Engine",
        "spark": "penjing.engines.spark:Engine",
    },
    "write": {
        "text": "penjing.write.text:write",
        "rules": "penjing.write.rules:write",
        "markdown": "penjing.write.markdown:write",
        "svg": "penjing.write.svg:write",
        "html": "penjing.page:write",
        "icicle": "penjing.write.icicle:write",
        "dot": "penjing.write.dot:write",
        "dict": "penjing.write.nested_dict:write",
        "nested": "penjing.write.nested:write",
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
        "nested": "penjing.write.nested:write",
        "dict": "penjing.write.nested_dict:write",
    },
}

_GROUPS = {
    "criterion": "penjing.criteria",
    "rules": "penjing.rules",
    "prune": "penjing.prune",
    "engine": "penjing.engines",
    "write": "penjing.write",
    "export": "penjing.export",
}


@cache
def plugged(socket: str) -> dict[str, str]:
    """Return what is plugged into a socket: names, and where each one lives.

    Examples
    --------
    >>> list(plugged("criterion"))
    ['gain', 'gain_ratio', 'gini', 'variance']
    """
    strangers = {p.name: p.value for p in entry_points(group=_GROUPS[socket])}
    return strangers | PLUGS[socket]


def load(socket: str, name: str) -> Any:  # noqa: ANN401 - a class or a function, by socket
    """Return what a name stands for, imported on first use."""
    if not isinstance(name, str):
        raise unknown("unknown_plug", name, plugged(socket), socket=socket)
    return _loaded(socket, name)


@cache
def _loaded(socket: str, name: str) -> Any:  # noqa: ANN401 - as above
    known = plugged(socket)
    if name not in known:
        raise unknown("unknown_plug", name, known, socket=socket)
    module, _, attribute = known[name].partition(":")
    room = import_module(module)
    return getattr(room, attribute) if attribute else room
