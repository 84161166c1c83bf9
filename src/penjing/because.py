"""Why a row is answered as it is: its path, the evidence on it, and what would flip the answer."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np

from penjing.align import align, asked_by
from penjing.errors import ChoiceError
from penjing.predict import apply, predict, predict_proba
from penjing.report import wilson
from penjing.split import NO_BRANCH, level_text
from penjing.table import Table
from penjing.tree import Tree
from penjing.write import because as writer
from penjing.write import stand_ins
from penjing.write.labels import branch_text, cut_text, quoted

Plain = dict[str, Any]
Row = dict[int, float]
"""Values by column: a number, or the place of a level; a column without one is missing."""

FLIPS = 3
"""How many changes are told."""
STEPS = 20_000
"""How many nodes the search for changes visits at most."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is to be said of one answer; prints as text, in each language."""

    told: Mapping[str, Any]

    def to_json(self) -> Plain:
        """Return all of it as plain data."""
        return dict(self.told)

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the explanation as text."""
        return writer.write(self.told, lang, ascii_only=ascii_only)

    def __str__(self) -> str:
        return self.text()


def explain_row(tree: Tree, row: Any, *, flips: int = FLIPS) -> Explanation:  # noqa: ANN401
    """Return why a row is answered as it is.

    Parameters
    ----------
    tree : Tree
        Who answers.
    row : dict, or a table of one row
        The row; columns that are never asked may be left out, others are missing then.
    flips : int
        How many changes to look for that would flip the answer.

    Returns
    -------
    Explanation
        ``answer``, ``shares`` and ``interval`` (Wilson's, 95 %) of the answer; ``path``, with the
        rows and the answer of each node and how the row went on; ``flips``, nearest first: fewest
        columns changed, then the smallest change (in parts of the column's range, 1 for a
        level), then what parts latest. Each was tried: `predict` gives its answer.

    Examples
    --------
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> tree = Tree.from_dict({"legs": {"<= 2.5": "bird", "> 2.5": barks}})
    >>> print(explain_row(tree, {"legs": 4, "barks": 1}))
    the answer is dog
      legs > 2.5          (4)
      barks = 1           (1)
    it would flip:
      barks = 0             cat
      legs ≤ 2.5            bird
    """
    table = align(tree, _complete(tree, row))
    if table.n_rows != 1:
        raise ChoiceError("explain_one_row", n=table.n_rows)
    answer = _plain(predict(tree, table)[0])
    stop = int(apply(tree, table)[0])
    path = tree.path(stop)
    told: Plain = {
        "answer": answer,
        "row": {tree.schema[c].name: _value(table, c) for c in _asked(tree)},
        "path": [_node(tree, table, node, below) for node, below in _pairs(path)],
        "stopped": None if tree.is_leaf[stop] else _stopped(tree, table, stop),
    }
    if not tree.is_regression:
        shares = predict_proba(tree, table)[0].tolist()
        told["shares"] = {str(c): share for c, share in zip(tree.classes, shares, strict=True)}
        told["interval"] = _interval(tree, stop)
    told["flips"] = _flips(tree, table, answer, flips) if flips > 0 else []
    return Explanation(told)


def _complete(tree: Tree, row: Any) -> Any:  # noqa: ANN401 - a row, or what `align` takes
    """Return a row with None for what it does not say of columns that are asked."""
    if not isinstance(row, Mapping):
        return row
    return {tree.schema[c].name: None for c in asked_by(tree)} | dict(row)


def _asked(tree: Tree) -> list[int]:
    """Return the columns a tree asks about, in the order in which it does."""
    return list(dict.fromkeys(int(c) for c in tree.nodes.column.tolist() if c >= 0))


def _pairs(path: list[int]) -> Iterator[tuple[int, int | None]]:
    yield from pairwise(path)
    yield path[-1], None


def _node(tree: Tree, table: Table, node: int, below: int | None) -> Plain:
    total = tree.nodes.total[node]
    told: Plain = {
        "node": node,
        "rows": _number(tree.weight_of(node)) if tree.has_counts else None,
        "answer": _plain(tree.answer(node)),
        "question": None,
        "value": None,
        "branch": None,
        "by": None,
    }
    if not tree.is_regression and tree.has_counts:
        told["total"] = [_number(v) for v in total.tolist()]
    if not tree.is_leaf[node]:
        c = int(tree.nodes.column[node])
        told |= {"question": tree.schema[c].name, "value": _value(table, c)}
    if below is not None:
        told |= {"branch": branch_text(tree, below), "by": _by(tree, table, node)}
    return told


def _by(tree: Tree, table: Table, node: int) -> str:
    """Return what sent the row on: its value, a surrogate, or the way of missing values."""
    split = tree.split(node)
    assert split is not None
    if split.branches(table.columns[split.column])[0] != NO_BRANCH:
        return "value"
    used = [s for s in split.surrogates if s.is_used]
    for surrogate in used:
        if surrogate.branches(table.columns[surrogate.column])[0] != NO_BRANCH:
            return f"surrogate: {stand_ins.told(tree, surrogate)}"
    return "missing"


def _stopped(tree: Tree, table: Table, node: int) -> str:
    """Return why a row stops at a question: no value, or one without a branch."""
    c = int(tree.nodes.column[node])
    if table.columns[c].codes[0] >= 0:
        return "no_branch"
    return "shared" if tree.recipe.get("missing") == "fraction" else "missing"


def _interval(tree: Tree, node: int) -> list[float] | None:
    weight = tree.weight_of(node)
    if not tree.has_counts or weight <= 0:
        return None
    right = min(float(tree.nodes.total[node, tree.values[node]]), weight)
    return list(wilson(right, weight))


# -- what would flip the answer ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Need:
    """What a branch wants of a column: above ``low``, at most ``high``, one of ``levels``."""

    low: float = -math.inf
    high: float = math.inf
    low_text: str = ""
    high_text: str = ""
    levels: tuple[int, ...] | None = None

    def nearest(self, value: float | None, *, single: bool, is_place: bool) -> float | None:
        """Return the value nearest to this one that is wanted; None if it is itself."""
        if self.levels is not None:
            return None if value in self.levels else float(self.levels[0])
        if value is not None and self.low < value <= self.high:
            return None
        if math.isinf(self.low) and math.isinf(self.high):
            return 0.0 if value is None else None
        if (value is None and math.isfinite(self.high)) or (
            value is not None and value > self.high
        ):
            return math.floor(self.high) if is_place else self.high
        if is_place:
            return math.floor(self.low) + 1.0
        kind = np.float32 if single else np.float64
        return float(np.nextafter(kind(self.low), kind(np.inf)))


def _flips(tree: Tree, table: Table, answer: Any, n: int) -> list[Plain]:  # noqa: ANN401
    """Return the nearest changes that give another answer, each of them tried.

    From the root on, what lies nearest is looked at first; what a branch wants costs at least
    what its node does, so the first leaf of another answer is a nearest one.
    """
    search = _Search(tree, table)
    found = search.single(answer) if len(search.row) < len(search.asked) else []
    seen = [{flip.pop("at")} for flip in found]
    if len(found) >= n:
        return found[:n]
    for node, needs in search.nearest():
        if tree.answer(node) == answer:
            continue
        changed = search.changes(needs)
        columns = set(changed)
        if not columns or any(fewer <= columns for fewer in seen):
            continue
        after = search.tried(changed)
        if after == answer:  # sent elsewhere by a surrogate, or shared out
            continue
        seen.append(columns)
        found.append(
            {
                "changes": [search.told(c, needs[c], changed[c]) for c in changed],
                "answer": after,
                "distance": search.distance(changed),
            }
        )
        if len(found) >= n:
            break
    return found


class _Search:
    """The nearest leaves to a row, nearest first."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.table = table
        self.is_single = tree.recipe.get("precision") == "single"
        self.asked = _asked(tree)
        self.row: Row = {}
        for c in self.asked:
            column, field = table.columns[c], tree.schema[c]
            code = int(column.codes[0])
            if field.is_numeric:
                if code >= 0:
                    self.row[c] = float(column.levels[code])
            elif 0 <= code < len(field.levels):
                self.row[c] = float(code)
        self.spread = {c: _spread(tree, c) for c in self.asked}

    def nearest(self) -> Iterator[tuple[int, dict[int, _Need]]]:
        """Yield leaves with what they want: nearest first, then those that part latest."""
        number = count()
        waiting: list[tuple[tuple[int, float, int], int, int, dict[int, _Need]]] = []
        heapq.heappush(waiting, ((0, 0.0, 0), next(number), 0, {}))
        for _ in range(STEPS):
            if not waiting:
                return
            (n_before, _, parted), _, node, needs = heapq.heappop(waiting)
            if self.tree.is_leaf[node]:
                yield node, needs
                continue
            c = int(self.tree.nodes.column[node])
            for child in self.tree.children(node):
                wants = needs | {c: self._need(node, child, needs.get(c, _Need()))}
                changed = self.changes(wants)
                here = parted if n_before else -int(self.tree.depths[node]) if changed else 0
                cost = (len(changed), self.distance(changed), here)
                heapq.heappush(waiting, (cost, next(number), child, wants))

    def _need(self, node: int, child: int, before: _Need) -> _Need:
        cut = float(self.tree.nodes.cut[node])
        if math.isnan(cut):
            return _Need(levels=tuple(self.tree.nodes.levels(child).tolist()))
        if math.isinf(cut):
            return before
        text = cut_text(self.tree, node)
        if child == self.tree.first_child[node]:
            return _Need(before.low, cut, before.low_text, text)
        return _Need(cut, before.high, text, before.high_text)

    def changes(self, needs: Mapping[int, _Need]) -> Row:
        """Return the columns whose value is not as wanted, with the nearest that is."""
        found = {}
        for c, need in needs.items():
            is_place = not self.tree.schema[c].is_numeric
            to = need.nearest(self.row.get(c), single=self.is_single, is_place=is_place)
            if to is not None:
                found[c] = to
        return found

    def distance(self, changed: Row) -> float:
        """Return how far the changes go: parts of a column's range, 1 for a level."""
        total = 0.0
        for c, to in changed.items():
            if c in self.row and self.tree.schema[c].is_numeric:
                total += abs(to / self.spread[c] - self.row[c] / self.spread[c])
            else:
                total += 1.0
        return total

    def tried(self, changed: Row) -> Any:  # noqa: ANN401 - a class may be any plain value
        """Return what the tree answers to the changed row."""
        return _plain(predict(self.tree, self._values_of(changed))[0])

    def _values_of(self, changed: Row) -> Plain:
        """Return the changed row; values of columns that only surrogates ask stay."""
        values = {column.name: _value(self.table, c) for c, column in enumerate(self.table.columns)}
        return values | {self.tree.schema[c].name: self._plain(c, to) for c, to in changed.items()}

    def single(self, answer: Any) -> list[Plain]:  # noqa: ANN401 - a class may be any plain value
        """Return for each column its smallest change that alone flips the answer.

        Where values are missing, surrogates and shares decide too, so everything is tried.
        """
        tries: list[tuple[int, float, _Need]] = []
        for c in self.asked:
            tries += [(c, to, need) for to, need in self._values(c) if to != self.row.get(c)]
        if not tries or len(tries) > STEPS:
            return []
        rows = [self._values_of({c: to}) for c, to, _ in tries]
        answers = [_plain(a) for a in predict(self.tree, rows)]
        best: dict[int, Plain] = {}
        for (c, to, need), after in zip(tries, answers, strict=True):
            far = self.distance({c: to})
            if after != answer and far < best.get(c, {"distance": math.inf})["distance"]:
                change = self.told(c, need, to)
                best[c] = {"changes": [change], "answer": after, "distance": far, "at": c}
        stop = int(apply(self.tree, self.table)[0])
        late = {int(self.tree.nodes.column[node]): i for i, node in enumerate(self.tree.path(stop))}
        return sorted(best.values(), key=lambda flip: (flip["distance"], -late.get(flip["at"], -1)))

    def _values(self, c: int) -> Iterator[tuple[float, _Need]]:
        """Yield a value for every way that questions about a column can be answered."""
        field = self.tree.schema[c]
        if not field.has_order:
            for code in range(len(field.levels)):
                yield float(code), _Need(levels=(code,))
            return
        seen: set[float] = set()
        for node in np.flatnonzero(self.tree.nodes.column == c).tolist():
            cut = float(self.tree.nodes.cut[node])
            if math.isfinite(cut) and cut not in seen:
                seen.add(cut)
                text = cut_text(self.tree, node)
                for need in (_Need(high=cut, high_text=text), _Need(low=cut, low_text=text)):
                    is_place = not field.is_numeric
                    to = need.nearest(None, single=self.is_single, is_place=is_place)
                    if to is not None:
                        yield to, need

    def told(self, c: int, need: _Need, to: float) -> Plain:
        """Return one change as plain data."""
        field = self.tree.schema[c]
        name = quoted(field.name)
        if need.levels is not None:
            test = f"{name} = {quoted(level_text(field, int(to)))}"
        elif math.isfinite(need.high) and to <= need.high and self.row.get(c, math.inf) > need.high:
            test = f"{name} ≤ {need.high_text}"
        elif need.low_text:
            test = f"{name} > {need.low_text}"
        else:
            test = f"{name} ≤ {need.high_text}"
        value = self.row.get(c)
        return {
            "column": field.name,
            "from": None if value is None else self._plain(c, value),
            "to": self._plain(c, to),
            "test": test,
        }

    def _plain(self, c: int, value: float | None) -> Any:  # noqa: ANN401 - a level or a number
        if value is None:
            return None
        field = self.tree.schema[c]
        return value if field.is_numeric else field.levels[int(value)]


def _spread(tree: Tree, c: int) -> float:
    """Return how far apart the cuts of a column and their neighbours are; 1 for a single one."""
    here = (tree.nodes.column == c) & np.isfinite(tree.nodes.cut)
    places = [tree.nodes.cut[here]]
    if tree.nodes.gap is not None:
        places.append(tree.nodes.gap[here].ravel())
    every = np.concatenate(places)
    every = every[np.isfinite(every)]
    if not every.size:
        return 1.0
    wide = float(every.max() / 2 - every.min() / 2)  # halves: the ends may be as far as floats go
    return max(wide, float(np.abs(every).max()) * 1e-3, 1e-300) if every.size > 1 else 1.0


def _value(table: Table, c: int) -> Any:  # noqa: ANN401 - a level may be any plain value
    column = table.columns[c]
    code = int(column.codes[0])
    return None if code < 0 else _plain(column.levels[code])


def _plain(value: Any) -> Any:  # noqa: ANN401 - a class may be any plain value
    return value.item() if isinstance(value, np.generic) else value


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
