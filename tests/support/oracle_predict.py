"""Oracle of prediction in C++: one row, one node and one dict at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

STOP, SHARE, AS_MISSING, REPORT = -1, -2, -2, -3
UNSEEN = -2  # a code below -1


@dataclass
class PlainNode:
    column: int = -1
    cut: float = float("nan")
    first_child: int = 0
    levels: list[list[int]] = field(default_factory=list)  # of each child; empty for a cut
    n_children: int = 0
    missing: int = STOP
    weight: float = 1.0


@dataclass
class PlainTree:
    nodes: list[PlainNode]
    unseen: int = STOP

    def arrays(self) -> dict[str, Any]:
        """Return what penjing._core.FlatTree is built from."""
        into: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for branch, codes in enumerate(node.levels):
                into[node.first_child + branch] = codes
        lengths = [len(codes) for codes in into]
        return {
            "column": np.array([n.column for n in self.nodes], np.int32),
            "cut": np.array([n.cut for n in self.nodes], np.float64),
            "first_child": np.array([n.first_child for n in self.nodes], np.int32),
            "n_children": np.array([n.n_children for n in self.nodes], np.int32),
            "level_start": np.cumsum([0, *lengths]).astype(np.int64),
            "level_codes": np.array([c for codes in into for c in codes], np.int32),
            "missing_mode": np.array([n.missing for n in self.nodes], np.int32),
            "weight": np.array([n.weight for n in self.nodes], np.float64),
            "unseen_mode": self.unseen,
        }

    def branch(self, node: PlainNode, value: float) -> int | str:
        """Return the branch of a value, or what happens instead: 'stop', 'share', 'unseen'."""
        is_missing = value == -1 if isinstance(value, int) else np.isnan(value)
        if not is_missing:
            known = not isinstance(value, int) or value >= 0
            if known and not np.isnan(node.cut):
                return 0 if value <= node.cut else 1
            found = [b for b, codes in enumerate(node.levels) if value in codes]
            if found:
                return found[0]
            if self.unseen != AS_MISSING:
                return "unseen" if self.unseen == REPORT else "stop"
        if node.missing == SHARE:
            children = self.nodes[node.first_child : node.first_child + node.n_children]
            return "share" if sum(c.weight for c in children) > 0 else "stop"
        return "stop" if node.missing == STOP else node.missing

    def reached(self, row: list[Any]) -> tuple[list[tuple[int, float]], list[int]]:
        """Return the nodes a row reaches with its parts, and the nodes where it is unseen."""
        parts: list[tuple[int, float]] = []
        unseen: list[int] = []
        waiting = [(0, 1.0)]
        while waiting:
            place, fraction = waiting.pop()
            node = self.nodes[place]
            way = "stop" if node.column < 0 else self.branch(node, row[node.column])
            if way == "share":
                ids = range(node.first_child, node.first_child + node.n_children)
                total = 0.0
                for child in ids:
                    total += self.nodes[child].weight
                waiting += [
                    (child, fraction * (self.nodes[child].weight / total))
                    for child in reversed(ids)
                    if self.nodes[child].weight > 0
                ]
            elif isinstance(way, int):
                waiting.append((node.first_child + way, fraction))
            else:
                parts.append((place, fraction))
                if way == "unseen":
                    unseen.append(place)
        return parts, unseen

    def stop(self, row: list[Any]) -> int:
        """Return the node where a row stops or would be shared out."""
        place = 0
        while self.nodes[place].column >= 0:
            node = self.nodes[place]
            way = self.branch(node, row[node.column])
            if not isinstance(way, int):
                break
            place = node.first_child + way
        return place

    def branch_is_unseen(self, row: list[Any]) -> bool:
        """Return whether a row stops because its value was never seen."""
        node = self.nodes[self.stop(row)]
        return node.column >= 0 and self.branch(node, row[node.column]) == "unseen"

    def mixture(self, row: list[Any], values: np.ndarray) -> np.ndarray:
        """Return the values of the nodes a row reaches, by parts."""
        parts, _ = self.reached(row)
        if len(parts) == 1 and parts[0][1] == 1.0:
            return values[parts[0][0]]
        mixed = np.zeros(values.shape[1])
        for node, fraction in parts:
            mixed += fraction * values[node]
        return mixed
