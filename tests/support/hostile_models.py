"""Model files damaged on purpose, and the methods that are called on those that load."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from export_trees import TREES, rows_of
from penjing import Tree, fit
from penjing.errors import PenjingError
from penjing.explain.node import explain
from penjing.registry import BUILT_IN
from penjing.tree.serialize import to_bytes

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**63, -(2**63), 10**9, 10**30, 10**400,
    0.5, -0.0, 1e308, -1e308, 5e-324, 1e-300, "", "x", "nan", "\x00", "\ud800", "\u0301" * 50,
    "<script>", "'" * 9, "𝕏" * 300, [], {}, [[]], {"": {}}, [0] * 50, [1e9] * 3, ["a", "a"],
    {"node": 0}, [None], "y" * 5000,
]  # fmt: skip
"""What is put where something else belongs."""


@cache
def models() -> tuple[dict[str, Any], ...]:
    """Return models of every kind, as plain data."""
    grown = [TREES[name]() for name in ("fraction", "c4.5", "stay", "direction", "regression")]
    grown.append(fit(rows_of(60, 1), recipe="id3", max_depth=2, trace=True))
    grown.append(fit(rows_of(90, 2), recipe="cart-binary", max_depth=3).prune("pessimistic"))
    grown.append(
        Tree.from_dict({"legs": {0: "fish", 2: {"x": {"<= 1.5": "bird", "> 1.5": "cat"}}}})
    )
    plain = [json.loads(json.dumps(tree.to_json())) for tree in grown]
    return (*plain, json.loads(to_bytes(fit(rows_of(400, 3), recipe="c5.0"))))  # has columns


def damaged(seed: int) -> bytes:
    """Return the bytes of a model with one to four wounds."""
    rng = random.Random(seed)
    plain = copy.deepcopy(rng.choice(models()))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        rng.choice(WOUNDS)(plain, rng)
    data = json.dumps(plain, indent=1 if rng.random() < 0.2 else None).encode()
    if rng.random() < 0.1:
        data = _bytes(data, rng)
    return data


def _bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return rng.choice(
        [
            data[:at],
            data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
            data[:at] + data[at + rng.randrange(40) :],
            data[:at] + b"[" * 100_000 + data[at:],
            data + data,
            b'{"format": ' + b"9" * 100_000 + b"}",
            b"[" * 200_000,
            b'{"a":' * 50_000,
        ]
    )


def _places(plain: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [plain]
    while waiting:
        part = waiting.pop()
        for key in list(part) if isinstance(part, dict) else range(len(part)):
            yield part, key
            if isinstance(part[key], dict | list):
                waiting.append(part[key])


def _replaced(plain: Any, rng: random.Random) -> None:
    part, key = rng.choice(list(_places(plain)))
    part[key] = copy.deepcopy(rng.choice(NASTY))


def _node_replaced(plain: Any, rng: random.Random) -> None:
    if isinstance(plain.get("nodes"), list) and plain["nodes"]:
        node = rng.choice(plain["nodes"])
        if isinstance(node, dict) and node:
            node[rng.choice(list(node))] = copy.deepcopy(rng.choice(NASTY))


def _removed(plain: Any, rng: random.Random) -> None:
    part, key = rng.choice(list(_places(plain)))
    del part[key]


def _added(plain: Any, rng: random.Random) -> None:
    part, key = rng.choice(list(_places(plain)))
    if isinstance(part, dict):
        names = ["missing", "answer", "surrogates", "levels", "cut", "gap", "extra", key]
        part[rng.choice(names)] = copy.deepcopy(rng.choice(NASTY))
    else:
        part.insert(rng.randrange(len(part) + 1), copy.deepcopy(part[key]))


def _number_changed(plain: Any, rng: random.Random) -> None:
    places = [
        (part, key)
        for part, key in _places(plain)
        if isinstance(part[key], int | float) and not isinstance(part[key], bool)
    ]
    if places:
        part, key = rng.choice(places)
        old = part[key]
        options: list[Callable[[], Any]] = [
            lambda: 0, lambda: -old, lambda: old + 1, lambda: old * 1e9, lambda: 10**9,
            lambda: 1e308, lambda: 5e-324, lambda: rng.randrange(-5, 50), lambda: old / 3,
        ]  # fmt: skip
        part[key] = rng.choice(options)()


def _cycle(plain: Any, rng: random.Random) -> None:
    nodes = plain.get("nodes")
    if isinstance(nodes, list) and len(nodes) > 2:
        node = rng.randrange(len(nodes))
        if isinstance(nodes[node], dict):
            nodes[node]["parent"] = rng.choice([node, len(nodes) - 1, 0, -1, node + 1])


def _nodes_mixed(plain: Any, rng: random.Random) -> None:
    nodes = plain.get("nodes")
    if isinstance(nodes, list) and len(nodes) > 2:
        start = rng.randrange(len(nodes))
        choice = rng.randrange(4)
        if choice == 0:
            del nodes[start : start + rng.randrange(1, 4)]
        elif choice == 1:
            nodes.append(copy.deepcopy(nodes[start]))
        elif choice == 2:
            nodes[start:] = nodes[start:][::-1]
        else:
            nodes *= 3


def _deep(plain: Any, rng: random.Random) -> None:
    part, key = rng.choice(list(_places(plain)))
    value: Any = 0
    for _ in range(rng.choice([13, 100, 200])):
        value = [value] if rng.random() < 0.5 else {"a": value}
    part[key] = value


WOUNDS = (
    _replaced, _node_replaced, _node_replaced, _removed, _added, _number_changed, _number_changed,
    _number_changed, _cycle, _nodes_mixed, _deep,
)  # fmt: skip


def used(tree: Tree) -> None:
    """Do with a tree what people do; whatever is refused must be refused in a sentence."""
    rows = [{field.name: value for field in tree.schema} for value in (None, 1, "x", 1e300)]
    acts: list[Callable[[], Any]] = [
        tree.draw,
        lambda: tree.predict(rows),
        lambda: tree.predict_proba(rows),
        lambda: tree.apply(rows),
        lambda: explain(tree, 0, None),
        lambda: json.dumps(tree.to_json(), allow_nan=False),
        lambda: repr(tree),
        lambda: tree == tree,  # noqa: PLR0124
        *(lambda kind=kind: tree.write(kind) for kind in BUILT_IN["renderer"]),
        *(lambda kind=kind: tree.export(kind) for kind in BUILT_IN["export"]),
    ]
    for act in acts:
        try:
            act()
        except PenjingError as problem:
            assert 0 < len(str(problem)) < 4000  # noqa: PT017
