"""Two trees side by side: where they ask differently, and on which rows they answer differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.statistics import plain
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.predict.inputs import Places, align_to, asked_by, markers_of, text_of
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData

SAME = "same"


def compare(
    a: TreeData,
    b: TreeData,
    tables: Mapping[str, Any] | None = None,
    names: tuple[str, str] = ("a", "b"),
) -> dict[str, Any]:
    """Compare two trees, as plain data.

    Parameters
    ----------
    a, b : TreeData
        The trees.
    tables : dict from name to Table or source, optional
        Rows to try both on.
    names : pair of str
        What the trees are called.

    Returns
    -------
    dict
        ``trees``: per tree its name, leaves, depth, and on each table how many rows are right
        (``correct`` of ``weight``) or how far off (``squares``). ``same``: whether both ask the
        same questions and give the same answers. ``differences``: each place where they part,
        from the root down, see :func:`differences`. ``rows``: per table the rows that are
        answered differently, each with both answers.

    Examples
    --------
    >>> import penjing
    >>> a = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})
    >>> b = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "yes"}})
    >>> compare(a, b)["differences"]
    [{'path': [{'column': 'texture', 'levels': ['faint']}], 'nodes': [2, 2],
      'kind': 'answer', 'a': 'no', 'b': 'yes', 'tie': None}]
    """
    for name, tree in (("a", a), ("b", b)):
        arguments.instance(name, tree, TreeData, "not_tree")
    names = _two(names)
    if tables is not None:
        arguments.instance("tables", tables, Mapping, "not_mapping")
    if a.is_regression != b.is_regression:
        raise ChoiceError("compare_kinds", a=a.target.name, b=b.target.name)
    told: dict[str, Any] = {
        "trees": [
            {"name": name, "leaves": tree.n_leaves, "depth": tree.depth, "tables": {}}
            for name, tree in zip(names, (a, b), strict=True)
        ],
        "rows": {},
    }
    for name, source in (tables or {}).items():
        table = _read_once(a, b, source)
        for place, tree in zip(told["trees"], (a, b), strict=True):
            place["tables"][name] = _counted(tree, table)
        told["rows"][name] = list(_differing_rows(a, b, table))
    found = list(differences(a, b))
    return told | {"same": not found, "differences": found}


def _two(names: object) -> tuple[str, str]:
    """Return what two trees are called, or say that it must be two names."""
    found: tuple[str, ...] = () if isinstance(names, str) else arguments.texts("names", names)
    if len(found) != 2:
        raise ChoiceError("not_two_names", value=names)
    return found[0], found[1]


def differences(a: TreeData, b: TreeData) -> Iterator[dict[str, Any]]:
    """Yield every place where two trees part, from the root down.

    Below a place where they part they are not compared. A level without a branch is answered by
    the node that asks, so it is the same as a branch that is a leaf with that answer.

    Yields
    ------
    dict
        ``path``: how the place is reached in the first tree. ``nodes``: the node in each tree.
        ``kind``: ``column`` (they ask about different ones), ``cut``, ``groups`` (levels are
        grouped differently), ``leaf`` (one asks, the other answers) or ``answer``. ``a``, ``b``:
        what each of them does there. ``tie``: for ``column``, the score that both columns had
        when one of the trees was grown, or None if it was no tie.
    """
    waiting: list[tuple[_Place, _Place]] = [(_Place(a, 0), _Place(b, 0))]
    while waiting:
        here, there = waiting.pop()
        kind, tie = _parting(here, there)
        if kind != SAME:
            yield {
                "path": path_of(a, here.node) + here.beyond,
                "nodes": [here.node, there.node],
                "kind": kind,
                "a": here.told(),
                "b": there.told(),
                "tie": tie,
            }
        elif here.asks:
            waiting.extend(reversed(list(_below(here, there))))


def path_of(tree: TreeData, node: int) -> list[dict[str, Any]]:
    """Return how a node is reached: a column with its levels, or with its cut and the side."""
    steps: list[dict[str, Any]] = []
    road = tree.path(node)
    for parent, child in pairwise(road):
        place = _Place(tree, parent)
        if place.has_cut:
            side = "<=" if child == tree.first_child[parent] else ">"
            steps.append({"column": place.column, "cut": place.cut, "side": side})
        else:
            led = zip(place.levels, place.children(), strict=True)
            levels = [level for level, to in led if to == child]
            steps.append({"column": place.column, "levels": levels})
    return steps


class _Place:
    """A node, or what a node answers for a level that it has no branch for."""

    def __init__(self, tree: TreeData, node: int, level: Any = None) -> None:  # noqa: ANN401
        self.tree, self.node = tree, node
        self.asks = level is None and not bool(tree.is_leaf[node])
        asked = int(tree.nodes.column[node])
        field = tree.schema[asked] if asked >= 0 else None
        self.column = None if field is None else field.name
        self.levels = () if field is None or field.is_numeric else tuple(field.levels)
        self.cut = float(tree.nodes.cut[node])
        # The cut of an order of levels divides levels, as groups do.
        self.has_cut = field is not None and field.is_numeric
        self.beyond = [] if level is None else [{"column": self.column, "levels": [level]}]

    def told(self) -> Any:  # noqa: ANN401 - a question, or an answer
        """Return what is done here: the question as plain data, or the answer."""
        if not self.asks:
            return self.tree.answer(self.node)
        if self.has_cut:
            return {"column": self.column, "cut": self.cut}
        groups = [path_of(self.tree, c)[-1]["levels"] for c in self.tree.children(self.node)]
        return {"column": self.column, "groups": groups}

    def children(self) -> list[int | None]:
        """Return the child that each level leads to, None where it has no branch."""
        found: list[int | None] = [None] * len(self.levels)
        below = self.tree.children(self.node)
        if not np.isnan(self.cut):
            return [below[0] if code <= self.cut else below[1] for code in range(len(found))]
        for child in below:
            for code in self.tree.nodes.levels(child).tolist():
                found[code] = child
        return found

    def at(self, child: int | None, level: Any) -> _Place:  # noqa: ANN401 - a plain value
        """Return a child, or this node as it answers for a level without a branch."""
        return _Place(self.tree, self.node, level) if child is None else _Place(self.tree, child)


class _Way(NamedTuple):
    """Where a level leads in each of two trees, and whether both have heard of it."""

    level: Any
    ours: int | None
    theirs: int | None
    is_known: bool


def _ways(here: _Place, there: _Place) -> list[_Way]:
    """Return where each level of the column that both ask about leads in both."""
    ours, theirs = here.children(), there.children()
    places = Places(here.levels)
    partner: dict[int, int] = {}
    only_theirs = []
    for code, level in enumerate(there.levels):
        place = places.of(level)
        if place >= 0 and place not in partner:
            partner[place] = code
        else:
            only_theirs.append(_Way(level, None, theirs[code], is_known=False))
    both = [
        _Way(level, ours[code], theirs[partner[code]], is_known=True)
        if code in partner
        else _Way(level, ours[code], None, is_known=False)
        for code, level in enumerate(here.levels)
    ]
    return both + only_theirs


def _parting(here: _Place, there: _Place) -> tuple[str, float | None]:
    """Return in what two places differ, and the score if that was a tie."""
    if not (here.asks or there.asks):
        one, other = here.tree.answer(here.node), there.tree.answer(there.node)
        return (SAME if one == other or text_of(one) == text_of(other) else "answer"), None
    if here.asks != there.asks:
        return "leaf", None
    if here.column != there.column:
        return "column", _tie(here, there.column, there, here.column)
    if here.has_cut != there.has_cut:
        return "groups", None
    if here.has_cut:
        return (SAME if here.cut == there.cut else "cut"), None
    return (SAME if _same_groups(here, there) else "groups"), None


def _tie(here: _Place, that: str | None, there: _Place, this: str | None) -> float | None:
    """Return the score of a recorded tie between what one asks and what the other does."""
    for place, other in ((here, that), (there, this)):
        for tie in place.tree.about.get("ties", ()):
            names = [place.tree.schema[c].name for c in tie["columns"]]
            if tie["node"] == place.node and other in names:
                return float(tie["score"])
    return None


def _same_groups(here: _Place, there: _Place) -> bool:
    """Whether both trees send the levels that both know the same way."""
    ways = _ways(here, there)
    into = {(w.ours, w.theirs) for w in ways if w.ours is not None and w.theirs is not None}
    ours, theirs = {pair[0] for pair in into}, {pair[1] for pair in into}
    if not len(ours) == len(theirs) == len(into):
        return False
    # A level that only one of them has a branch for is parted from its group by the other.
    return not any(
        w.is_known
        and ((w.theirs is None and w.ours in ours) or (w.ours is None and w.theirs in theirs))
        for w in ways
    )


def _below(here: _Place, there: _Place) -> Iterator[tuple[_Place, _Place]]:
    """Yield the pairs of places that the branches of one and the same question lead to."""
    if here.has_cut:
        ours, theirs = here.tree.children(here.node), there.tree.children(there.node)
        for pair in zip(ours, theirs, strict=True):
            yield _Place(here.tree, pair[0]), _Place(there.tree, pair[1])
        return
    pairs: dict[tuple[int | None, int | None], Any] = {}
    for way in _ways(here, there):
        pairs.setdefault((way.ours, way.theirs), way.level)
    met = {node for pair in pairs if None not in pair for node in enumerate(pair)}
    for (one, other), level in pairs.items():
        is_half = (one is None) != (other is None)
        if None not in (one, other) or (is_half and not {(0, one), (1, other)} & met):
            yield here.at(one, level), there.at(other, level)


def _read_once(a: TreeData, b: TreeData, source: Any) -> Table:  # noqa: ANN401 - what `align` takes
    """Return a source with all columns that either tree asks about."""
    if isinstance(source, Table):
        return source
    schema = [*a.schema, *(f for f in b.schema if f.name not in {g.name for g in a.schema})]
    asked = {tree.schema[c].name for tree in (a, b) for c in asked_by(tree)}
    shared = markers_of(a, b)
    table = align_to(schema, a.target, source, asked, missing=shared)
    if markers_of(a) == markers_of(b):
        return table
    return replace(table, source={k: v for k, v in table.source.items() if k != "reading"})


def _counted(tree: TreeData, table: Table) -> dict[str, Any]:
    """Return how many rows of a table are answered rightly, or the sum of squared errors."""
    if table.target is None:
        return {"n": table.n_rows}
    rows = table.take(table.target.codes >= 0)
    assert rows.target is not None
    found, weight = classes_of(tree, rows), rows.weights
    told: dict[str, Any] = {"n": rows.n_rows, "weight": plain(weight.sum())}
    if tree.is_regression:
        return told | {"squares": float(weight @ (found - rows.target.numbers()) ** 2)}
    right = _as(tree.classes, rows.target.levels)[found] == rows.target.codes
    return told | {"correct": plain(weight[right].sum())}


def _differing_rows(a: TreeData, b: TreeData, table: Table) -> Iterator[dict[str, Any]]:
    ours, theirs = classes_of(a, table), classes_of(b, table)
    same = ours == (theirs if b.is_regression else _as(b.classes, a.classes)[theirs])
    for row in np.flatnonzero(~same).tolist():
        answers = [_answer(a, ours[row]), _answer(b, theirs[row])]
        yield {"row": table.row_number(row), "answers": answers}


def _as(classes: Iterable[Any], others: Iterable[Any]) -> npt.NDArray[np.intp]:
    """Return the place of each class among others, -1 where it has none."""
    places = Places(others)
    return np.array([places.of(class_) for class_ in classes], np.intp)


def _answer(tree: TreeData, value: Any) -> Any:  # noqa: ANN401 - a class may be any plain value
    return float(value) if tree.is_regression else tree.classes[int(value)]
