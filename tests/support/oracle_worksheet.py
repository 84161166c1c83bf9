"""The textbook's trees by definition, in fractions and from rows: what a worksheet must ask for."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

Row = dict[str, Any]


def entropy(classes: list[Any]) -> float:
    shares = [Fraction(n, len(classes)) for n in Counter(classes).values()]
    return -sum(float(share) * math.log2(share) for share in shares) + 0.0


def gini(classes: list[Any]) -> Fraction:
    return 1 - sum((Fraction(n, len(classes)) ** 2 for n in Counter(classes).values()), Fraction(0))


def divisions(rows: list[Row], column: str, *, binary: bool) -> list[list[list[Row]]]:
    """Return every way in which a column can divide rows."""
    values = sorted({row[column] for row in rows}, key=str)
    if len(values) < 2:
        return []
    if isinstance(values[0], float):
        ordered = sorted(values)
        return [
            [[r for r in rows if r[column] <= v], [r for r in rows if r[column] > v]]
            for v in ordered[:-1]
        ]
    if not binary:
        return [[[r for r in rows if r[column] == v] for v in values]]
    found = []
    for size in range(1, len(values)):
        for group in combinations(values, size):
            if values[0] in group:
                inside = [r for r in rows if r[column] in group]
                found.append([inside, [r for r in rows if r[column] not in group]])
    return found


def scores(rows: list[Row], column: str, target: str, criterion: str, *, binary: bool) -> list[Any]:
    """Return (score, measures, parts) of each division, the best first; a Gini index is negated."""
    found = []
    for parts in divisions(rows, column, binary=binary):
        weights = [Fraction(len(part), len(rows)) for part in parts]
        labels = [[r[target] for r in part] for part in parts]
        after = sum(float(w) * entropy(c) for w, c in zip(weights, labels, strict=True))
        gain = entropy([r[target] for r in rows]) - after
        information = -sum(float(w) * math.log2(w) for w in weights)
        index = float(sum(w * gini(c) for w, c in zip(weights, labels, strict=True)))
        measures = {
            "entropy_after": after, "gain": gain, "split_information": information,
            "gain_ratio": gain / information, "gini_after": index,
        }  # fmt: skip
        # the textbook's C4.5 takes the threshold of the best gain, then compares ratios
        found.append((-index if criterion == "gini" else gain, measures, parts))
    return sorted(found, key=lambda one: -one[0])


def grow(
    rows: list[Row], columns: list[str], target: str, criterion: str, *, binary: bool, depth: int
) -> list[dict[str, Any]]:
    """Return the nodes that are split, level by level, with their measures and best columns."""
    nodes, level = [], [rows]
    for _ in range(depth):
        below = []
        for part in level:
            node = _node(part, columns, target, criterion, binary=binary)
            if node is not None:
                nodes.append(node)
                below += node["parts"]
        level = below
    return nodes


def _node(
    rows: list[Row], columns: list[str], target: str, criterion: str, *, binary: bool
) -> dict[str, Any] | None:
    if len({r[target] for r in rows}) < 2:
        return None
    ranked = {c: scores(rows, c, target, criterion, binary=binary) for c in columns}
    measures = {c: divided[0][1] for c, divided in ranked.items() if divided}
    if not measures:
        return None
    key = "gini_after" if criterion == "gini" else criterion
    sign = -1 if criterion == "gini" else 1
    average = sum(m["gain"] for m in measures.values()) / len(measures)
    allowed = [
        c for c, m in measures.items() if criterion != "gain_ratio" or m["gain"] >= average - 1e-12
    ]
    order = sorted(allowed, key=lambda c: -sign * measures[c][key])
    best = order[0]
    others = [sign * measures[c][key] for c in order[1:]]
    own = [d[0] for d in ranked[best][1:]]
    return {
        "rows": rows,
        "measures": measures,
        "average": average,
        "best": best,
        "lead": sign * measures[best][key] - max(others, default=-math.inf),
        "own_lead": ranked[best][0][0] - max(own, default=-math.inf),
        "parts": ranked[best][0][2],
        "ratio_gap": min(abs(m["gain"] - average) for m in measures.values())
        if criterion == "gain_ratio" and len(measures) > 1
        else math.inf,
    }
