"""What is compared of rpart's trees: one form for R's, ours and the reimplementation's."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from penjing.api.tree import Tree
from penjing.data.table import Column, Table
from penjing.dialects.rpart.cp_table import complexities
from penjing.tree.split import NO_BRANCH, branch_by_cut, branch_by_group

LEFT, RIGHT = -1, 1
NEAR = 1e-9
"""How far numbers may be apart, as a share of the larger one (or of 1)."""


@dataclass(frozen=True)
class Test:
    """A split or a surrogate: where it sends values, and what it is worth.

    ``cut`` is that of numbers, values below it go to ``sides[0]``, others to ``sides[1]``.
    Of categories ``sides`` has one for each: left, right, or 0 for neither; ``at`` is where the
    positions of an order are cut, from 1.
    """

    column: str
    cut: float | None
    sides: tuple[int, ...]
    worth: float
    adjusted: float = 0.0
    at: float | None = None

    @property
    def turned(self) -> Test:
        """The same with left for right."""
        return replace(self, sides=tuple(-side for side in self.sides))

    def sends_as(self, other: Test) -> bool:
        """Whether two tests send every value to the same side."""
        same_cut = (self.cut is None) == (other.cut is None)
        if self.cut is not None and other.cut is not None:
            same_cut = near(self.cut, other.cut)
        return self.column == other.column and same_cut and self.sides == other.sides


@dataclass
class Node:
    """A row of rpart's frame, its split and surrogates."""

    n: float
    weight: float
    risk: float
    value: float
    complexity: float | None
    test: Test | None = None
    surrogates: list[Test] = field(default_factory=list)


@dataclass
class Told:
    """A tree, its table of complexities, and what it predicts."""

    nodes: dict[int, Node]
    cp: list[list[float]]
    predicted: list[list[float]]
    probabilities: list[list[list[float]]] | None
    refusal: str | None = None


def near(a: float, b: float, share: float = NEAR) -> bool:
    """Whether two numbers are equal but for rounding; R's NaN is any number."""
    return math.isnan(a) or math.isnan(b) or abs(a - b) <= share * max(1.0, abs(a), abs(b))


# -- R's -------------------------------------------------------------------------------------


def from_r(text: str, columns: dict[str, Column]) -> Told:
    """Return the tree that R printed for one case."""
    lines = [line.split("\t") for line in text.splitlines()]
    kinds: dict[str, list[list[str]]] = {}
    for kind, *words in lines:
        kinds.setdefault(kind, []).append(words)
    if "refuses" in kinds:
        return Told({}, [], [], None, kinds["refuses"][0][0])
    splits = iter([_test_of(words, columns) for words in kinds.get("split", [])])
    nodes = {}
    for number, var, *rest in kinds["node"]:
        n, weight, risk, value, complexity, n_compete, n_surrogates = map(float, rest)
        node = nodes[int(number)] = Node(n, weight, risk, value, complexity)
        if var != "<leaf>":
            node.test = next(splits)
            for _ in range(int(n_compete)):
                next(splits)
            node.surrogates = [next(splits) for _ in range(int(n_surrogates))]
    probability = [_floats(words[0]) for words in kinds.get("probability", [])]
    half = len(probability) // 2
    return Told(
        nodes,
        [[float(word) for word in words] for words in kinds["cp"]],
        [_floats(words[0]) for words in kinds["predicted"]],
        [probability[:half], probability[half:]] if probability else None,
    )


def _floats(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def _test_of(words: list[str], columns: dict[str, Column]) -> Test:
    name, n_levels, improve, index, adjusted, levels = words
    worth = float(improve), float(adjusted)
    if columns[name].is_numeric:
        below = int(n_levels)
        return Test(name, float(index), (below, -below), *worth)
    return Test(name, None, tuple(int(code) - 2 for code in levels.split()), *worth)


# -- ours ------------------------------------------------------------------------------------


def ours(tree: Tree, grown: Any, table: Table, new: Table, like: Told) -> Told:
    """Return a tree of penjing as R would print it, left and right as in ``like``.

    ``grown`` are the numbers of rows of the nodes while the tree grew, and their risks.
    """
    rows, risks = grown
    root = float(risks[0])
    alpha = float(tree.recipe["cp"]) * root
    found = complexities(tree, alpha, risks).of / root if root else np.zeros(len(tree.nodes))
    if tree.is_leaf[0]:
        found[0] = tree.about["cp_table"][0][0]
    told: dict[int, Node] = {}
    waiting = [(1, 0)]
    while waiting:
        number, i = waiting.pop()
        value = float(tree.values[i]) + (0 if tree.is_regression else 1)
        rate = float(found[i]) if i == 0 or not tree.is_leaf[i] else None
        numbers = float(rows[i]), float(tree.weight[i]), float(risks[i])
        node = told[number] = Node(*numbers, value, rate)
        if tree.is_leaf[i]:
            continue
        test, surrogates = _tests(tree, i)
        there = like.nodes.get(number)
        turned = there is not None and there.test is not None and _is_turned(test, there.test)
        node.test = test.turned if turned else test
        node.surrogates = [s.turned if turned else s for s in surrogates]
        first, second = tree.children(i)
        waiting += [(2 * number + turned, first), (2 * number + 1 - turned, second)]
    known = [table, new]
    predicted = [_codes(tree, each) for each in known]
    shares = None if tree.is_regression else [tree.predict_proba(t).T.tolist() for t in known]
    return Told(told, [list(map(float, row)) for row in tree.about["cp_table"]], predicted, shares)


def _codes(tree: Tree, table: Table) -> list[float]:
    answers = tree.predict(table)
    if tree.is_regression:
        return [float(a) for a in answers]
    place = {level: i + 1.0 for i, level in enumerate(tree.classes)}
    return [place[a] for a in answers]


def _tests(tree: Tree, node: int) -> tuple[Test, list[Test]]:
    """Return the split of a node and its surrogates, the first branch on the left."""
    split = tree.split(node)
    assert split is not None
    test = _sided(tree, split, 0, (split.score, 0.0))
    return test, [_sided(tree, s, s.below, (s.agreement, s.adjusted)) for s in split.surrogates]


def _sided(tree: Tree, of: Any, below: int, worth: tuple[float, float]) -> Test:
    asked, cut = tree.schema[of.column], of.cut
    side = (LEFT, RIGHT)
    if asked.is_numeric:
        assert cut is not None
        above = math.nextafter(cut, math.inf)
        return Test(asked.name, above, (side[below], side[1 - below]), *worth)
    codes = np.arange(len(asked.levels), dtype=np.int32)
    levels = Column(asked.name, asked.kind, tuple(asked.levels), codes)
    found = branch_by_group(levels, of.groups) if cut is None else branch_by_cut(levels, cut)
    if below:
        found = 1 - found
    sides = tuple(0 if branch == NO_BRANCH else side[branch] for branch in found.tolist())
    return Test(asked.name, None, sides, *worth, None if cut is None else cut + 1)


def _is_turned(test: Test, there: Test) -> bool:
    return test.turned.sends_as(there)


# -- both ------------------------------------------------------------------------------------


def differences(one: Told, other: Told) -> list[str]:
    """Return what differs between two trees, in sentences; the tree itself first."""
    found = []
    for number in sorted({*one.nodes, *other.nodes}):
        if number in one.nodes and number in other.nodes:
            found += [f"node {number}: {text}" for text in _of_node(one, other, number)]
        elif number // 2 in one.nodes and number // 2 in other.nodes:
            found.append(f"node {number} is in one tree only")
    if found:
        return found
    if not same_table(one.cp, other.cp):
        found.append(f"cp table: {one.cp} and {other.cp}")
    for i, rows in enumerate(("training", "new")):
        off = [
            k
            for k, pair in enumerate(zip(one.predicted[i], other.predicted[i], strict=True))
            if not near(*pair)
        ]
        if off:
            pair = one.predicted[i][off[0]], other.predicted[i][off[0]]
            found.append(f"{rows} row {off[0] + 1} is predicted as {pair}")
        if one.probabilities and other.probabilities:
            a, b = (np.asarray(t.probabilities[i]) for t in (one, other))
            if not all(near(*pair) for pair in zip(a.flat, b[: len(a)].flat, strict=True)):
                found.append(f"probabilities of {rows} rows differ")
    return found


def _of_node(one: Told, other: Told, number: int) -> list[str]:
    a, b = one.nodes[number], other.nodes[number]
    found = [
        f"{name} {getattr(a, name)} and {getattr(b, name)}"
        for name in ("n", "weight", "risk", "value")
        if not near(getattr(a, name), getattr(b, name))
    ]
    if (a.test is None) != (b.test is None):
        return [*found, f"split {a.test} and {b.test}"]
    if None not in (a.complexity, b.complexity) and not near(a.complexity, b.complexity):
        found.append(f"complexity {a.complexity} and {b.complexity}")
    if a.test is None or b.test is None:
        return found
    if not a.test.sends_as(b.test) or not near(a.test.worth, b.test.worth):
        return [*found, f"split {a.test} and {b.test}"]
    found += [
        f"surrogate {s} and {t}"
        for s, t in zip_longest(a.surrogates, b.surrogates)
        if s is None
        or t is None
        or not s.sends_as(t)
        or not near(s.worth, t.worth)
        or not near(s.adjusted, t.adjusted)
    ]
    return found


def same_table(one: list[list[float]], other: list[list[float]]) -> bool:
    """Whether two tables of complexities have the same rows."""
    return len(one) == len(other) and all(
        near(a, b)
        for row, there in zip(one, other, strict=True)
        for a, b in zip(row, there, strict=True)
    )
