"""Why a row is answered as it is: its path, the evidence on it, and what would flip the answer."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.statistics import wilson
from penjing.data.table import Table
from penjing.errors import ChoiceError, WrongSourceError, WrongTypeError, unknown_name_error
from penjing.predict.flat import comparison_cuts
from penjing.predict.inputs import align, used_columns
from penjing.predict.predict import apply, policies, predict, predict_proba
from penjing.text import row_explanation as writer
from penjing.text import surrogate_labels
from penjing.text.labels import branch_text, number_text, quoted
from penjing.tree.split import NO_BRANCH, Split, Surrogate, level_text
from penjing.tree.tree_data import TreeData

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


def explain_row(tree: TreeData, row: Any, *, flips: int = FLIPS) -> Explanation:  # noqa: ANN401
    """Return why a row is answered as it is.

    Parameters
    ----------
    tree : TreeData
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
        level), then what parts latest. Each was tried: `predict` gives its answer, for every
        value above ``above`` and at most ``at_most`` (None: no end), as the ``test`` says.

    Examples
    --------
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {"<= 2.5": "bird", "> 2.5": barks}})
    >>> print(explain_row(tree, {"legs": 4, "barks": 1}))
    the answer is dog
      legs > 2.5          (4)
      barks = 1           (1)
    it would flip:
      barks = 0             cat
      legs ≤ 2.5            bird
    """
    arguments.whole_number("flips", flips, 0)
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
        # Of a mixture of leaves there is no count of rows to make an interval from.
        told["interval"] = None if told["stopped"] == "shared" else _interval(tree, stop)
    told["flips"] = _flips(tree, table, answer, flips) if flips > 0 else []
    return Explanation(told)


def _complete(tree: TreeData, row: Any) -> Any:  # noqa: ANN401 - a row, or what `align` takes
    """Return a row with None for what it does not say of columns that are asked."""
    if not isinstance(row, Mapping):
        if isinstance(row, int | float | bytes | None) or (
            isinstance(row, str) and not _is_file(row)
        ):
            raise WrongTypeError("explain_no_row", found=row)
        return row
    known = [field.name for field in tree.schema]
    for name, value in row.items():
        if not isinstance(name, str):
            raise unknown_name_error("unknown_column", name, known)
        if isinstance(value, Iterable) and not isinstance(value, str):
            raise WrongSourceError("explain_odd_cell", column=name, value=value)
    if not tree.schema:
        return Table((), None, 1)
    if row and not any(name in known or name == tree.target.name for name in row):
        raise unknown_name_error(
            "unknown_column", next(iter(row)), known
        )  # a row of something else
    return [{field.name: row.get(field.name) for field in tree.schema}]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # a name that no file can have
        return False


def _asked(tree: TreeData) -> list[int]:
    """Return the columns a tree asks about, in the order in which it does."""
    return list(dict.fromkeys(int(c) for c in tree.nodes.column.tolist() if c >= 0))


def _pairs(path: list[int]) -> Iterator[tuple[int, int | None]]:
    yield from pairwise(path)
    yield path[-1], None


def _node(tree: TreeData, table: Table, node: int, below: int | None) -> Plain:
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


def _by(tree: TreeData, table: Table, node: int) -> str:
    """Return what sent the row on: its value, a surrogate, or the way of missing values.

    A level that training did not see there goes that way too: ``unseen``.
    """
    split = tree.split(node)
    assert split is not None
    if split.branches(table.columns[split.column])[0] != NO_BRANCH:
        return "value"
    used = [s for s in split.surrogates if s.is_used]
    for surrogate in used:
        if surrogate.branches(table.columns[surrogate.column])[0] != NO_BRANCH:
            return f"surrogate: {surrogate_labels.surrogate_text(tree, surrogate)}"
    return "missing" if table.columns[split.column].codes[0] < 0 else "unseen"


def _stopped(tree: TreeData, table: Table, node: int) -> str:
    """Return why a row stops at a question: no value, or one without a branch."""
    c = int(tree.nodes.column[node])
    code, (unseen, missing) = int(table.columns[c].codes[0]), policies(tree, None, None)
    is_missing = unseen == "missing" and code >= len(tree.schema[c].levels)
    if code >= 0 and (tree.schema[c].is_numeric or not is_missing):
        return "no_branch"
    return "shared" if missing == "fraction" else "missing"


def _interval(tree: TreeData, node: int) -> list[float] | None:
    weight = tree.weight_of(node)
    if not tree.has_counts or weight <= 0:
        return None
    right = min(float(tree.nodes.total[node, tree.values[node]]), weight)
    return list(wilson(right, weight))


# -- what would flip the answer ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Need:
    """What a branch wants of a column: above ``low``, at most ``high``, one of ``levels``.

    Between an end and its ``room`` lies no training row: so far may its reading be rounded.
    """

    low: float = -math.inf
    high: float = math.inf
    low_room: float = math.nan
    high_room: float = math.nan
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
            return self.high
        if is_place:
            return self.low + 1.0
        kind = np.float32 if single else np.float64
        near = kind(self.low)
        return float(near if float(near) > self.low else np.nextafter(near, kind(np.inf)))

    def narrowed(self, end: _End, *, is_below: bool) -> _Need:
        """Return what is left of it on one side of a cut."""
        if is_below:
            return (
                self
                if end.below >= self.high
                else replace(self, high=end.below, high_room=end.gap[0])
            )
        return self if end.above <= self.low else replace(self, low=end.above, low_room=end.gap[1])

    def ends(self) -> tuple[str, str]:
        """Return how its ends read: short, and nothing between them that it does not hold."""
        low = _inward(self.low, self.low_room, ROUND_CEILING)
        high = _inward(self.high, self.high_room, ROUND_FLOOR)
        return (
            (number_text(low), number_text(high))
            if low < high
            else (number_text(self.low), number_text(self.high))
        )


@dataclass(frozen=True, slots=True)
class _End:
    """A cut as values see it: up to ``below`` one way, beyond ``above`` the other."""

    below: float
    above: float
    gap: tuple[float, float] = (math.nan, math.nan)

    @staticmethod
    def of(cut: float, *, single: bool, is_place: bool, gap: tuple[float, float]) -> _End:
        """Return the ends of a cut; where 32 bits are compared, what surely rounds below, above."""
        if not math.isfinite(cut) or not (single or is_place):
            return _End(cut, cut, gap)
        if is_place:
            return _End(math.floor(cut), math.floor(cut))
        near = np.float32(cut)
        last = near if float(near) <= cut else np.nextafter(near, np.float32(-np.inf))
        first = float(np.nextafter(last, np.float32(np.inf)))
        return _End(float(last), float(last) / 2 + first / 2, gap)


def _inward(end: float, room: float, way: str) -> float:
    """Return an end in few digits, rounded towards what lies inside, as far as there is room."""
    if math.isinf(end) or math.isnan(room):
        return end
    exact = Decimal(end)
    for digits in range(4, 17):
        near = (
            float(exact.quantize(Decimal((0, (1,), exact.adjusted() + 1 - digits)), way))
            if end
            else end
        )
        if (near < room) if way == ROUND_CEILING else (near >= room):
            return near
    return end


def _flips(tree: TreeData, table: Table, answer: Any, n: int) -> list[Plain]:  # noqa: ANN401
    """Return the nearest changes that give another answer, each of them tried.

    From the root on, what lies nearest is looked at first; what a branch wants costs at least
    what its node does, so the first leaf of another answer is a nearest one.
    """
    search = _Search(tree, table)
    found = search.single(answer) if search.lacks else []
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
                "changes": search.told(changed),
                "answer": after,
                "distance": search.distance(changed),
            }
        )
        if len(found) >= n:
            break
    return found


class _Search:
    """The nearest leaves to a row, nearest first."""

    def __init__(self, tree: TreeData, table: Table) -> None:
        self.tree = tree
        self.table = table
        self.is_single = tree.recipe.get("precision") == "single"
        self.asked = _asked(tree)
        self.cuts = comparison_cuts(tree)
        self._ends: dict[int, _End] = {}
        self.row: Row = {}
        for c in used_columns(tree):
            column, field = table.columns[c], tree.schema[c]
            code = int(column.codes[0])
            if field.is_numeric:
                if code >= 0:
                    self.row[c] = float(column.levels[code])
            elif 0 <= code < len(field.levels):
                self.row[c] = float(code)
        self.spread = {c: _spread(tree, c) for c in self.asked}
        self.lacks = any(c not in self.row for c in self.asked)

    def _compared(self, c: int, value: float | None) -> float | None:
        """Return a value as it is compared with a cut."""
        if value is None or not self.is_single or not self.tree.schema[c].is_numeric:
            return value
        with np.errstate(over="ignore"):
            return float(np.float32(value))

    def nearest(self) -> Iterator[tuple[int, dict[int, _Need]]]:
        """Yield leaves with what they want: nearest first, then those that part latest."""
        number = count()
        waiting: list[tuple[tuple[int, float, int], int, int, dict[int, _Need]]] = []
        heapq.heappush(waiting, ((0, 0.0, 0), next(number), 0, {}))
        for _ in range(STEPS):
            if not waiting:
                return
            (n_before, _, parted), _, node, needs = heapq.heappop(waiting)
            if node < 0 or self.tree.is_leaf[node]:
                yield ~node if node < 0 else node, needs
                continue
            c = int(self.tree.nodes.column[node])
            # ~node: the row stops at the question, by a level that has no branch here.
            for child in (*self.tree.children(node), ~node):
                wants = needs | {c: self._need(node, child, needs.get(c, _Need()))}
                if wants[c].levels == () or (child < 0 and wants[c].levels is None):
                    continue
                changed = self.changes(wants)
                here = parted if n_before else -int(self.tree.depths[node]) if changed else 0
                cost = (len(changed), self.distance(changed), here)
                heapq.heappush(waiting, (cost, next(number), child, wants))

    def _need(self, node: int, child: int, before: _Need) -> _Need:
        cut = float(self.cuts[node])
        if math.isnan(cut):
            nodes = self.tree.nodes
            codes = nodes.levels(child).tolist() if child >= 0 else self.tree.empty_levels(node)
            return _Need(levels=tuple(k for k in codes if k in (before.levels or codes)))
        if math.isinf(cut):
            return before
        return before.narrowed(self._end(node), is_below=child == self.tree.first_child[node])

    def _end(self, node: int) -> _End:
        if node not in self._ends:
            gap = self.tree.nodes.gap
            low, high = (math.nan, math.nan) if gap is None else gap[node].tolist()
            c, cut = int(self.tree.nodes.column[node]), float(self.cuts[node])
            self._ends[node] = self._end_of(c, cut, (low, high))
        return self._ends[node]

    def _end_of(self, c: int, cut: float, gap: tuple[float, float] = (math.nan, math.nan)) -> _End:
        is_place = not self.tree.schema[c].is_numeric
        return _End.of(cut, single=self.is_single, is_place=is_place, gap=gap)

    def changes(self, needs: Mapping[int, _Need]) -> Row:
        """Return the columns whose value is not as wanted, with the nearest that is."""
        found = {}
        for c, need in needs.items():
            is_place = not self.tree.schema[c].is_numeric
            value = self._compared(c, self.row.get(c))
            to = need.nearest(value, single=self.is_single, is_place=is_place)
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
        tries: list[tuple[int, float]] = []
        for c in self.asked:
            tries += [(c, to) for to in self._values(c) if to != self.row.get(c)]
        if not tries or len(tries) > STEPS:
            return []
        rows = [self._values_of({c: to}) for c, to in tries]
        answers = [_plain(a) for a in predict(self.tree, rows)]
        best: dict[int, Plain] = {}
        for (c, to), after in zip(tries, answers, strict=True):
            far = self.distance({c: to})
            if after != answer and far < best.get(c, {"distance": math.inf})["distance"]:
                best[c] = {"to": to, "answer": after, "distance": far, "at": c}
        stop = int(apply(self.tree, self.table)[0])
        late = {int(self.tree.nodes.column[node]): i for i, node in enumerate(self.tree.path(stop))}
        found = sorted(
            best.values(), key=lambda flip: (flip["distance"], -late.get(flip["at"], -1))
        )
        return [{"changes": self.told({f["at"]: f.pop("to")})} | f for f in found]

    def _values(self, c: int) -> Iterator[float]:
        """Yield a value for every way that questions about a column can be answered."""
        field = self.tree.schema[c]
        if not field.has_order:
            yield from map(float, range(len(field.levels)))
            return
        seen: set[float] = set()
        for node in np.flatnonzero(self.tree.nodes.column == c).tolist():
            end = self._end(node)
            if math.isfinite(end.below) and end.below not in seen:
                seen.add(end.below)
                for need in (_Need(high=end.below), _Need(low=end.above)):
                    is_place = not field.is_numeric
                    to = need.nearest(None, single=self.is_single, is_place=is_place)
                    if to is not None and (not is_place or 0 <= to < len(field.levels)):
                        yield to

    def _reach(self, changed: Row) -> dict[int, _Need]:
        """Return how far changed values may go while every test on the row's way stays answered.

        A row that is shared out goes many ways; the tests of all of them count.
        """
        row = {c: self._compared(c, v) for c, v in (self.row | changed).items()}
        needs = {c: _Need() for c in changed if self.tree.schema[c].has_order}
        waiting = [0]
        while waiting:
            node = waiting.pop()
            split = self.tree.split(node)
            if split is None:
                continue
            branch = self._branch(split, row, needs, self._end(node))
            for test in (s for s in split.surrogates if s.is_used):
                if branch == NO_BRANCH:
                    end = self._end_of(test.column, test.cut or 0.0)
                    branch = self._branch(test, row, needs, end)
                    if test.cut is not None and test.below == 1 and branch != NO_BRANCH:
                        branch = 1 - branch
            branch = split.missing if branch == NO_BRANCH else branch
            ways = self.tree.children(node)
            waiting += ways if branch == NO_BRANCH else [ways[branch]]
        return needs

    def _branch(
        self,
        test: Split | Surrogate,
        row: Mapping[int, float | None],
        needs: dict[int, _Need],
        end: _End,
    ) -> int:
        """Return the way of a row by one test, and keep what the test wants of a changed value."""
        c, value = test.column, row.get(test.column)
        if value is None:
            return NO_BRANCH
        if test.cut is None:
            return next((i for i, codes in enumerate(test.groups) if value in codes), NO_BRANCH)
        is_below = value <= end.below
        if c in needs:
            needs[c] = needs[c].narrowed(end, is_below=is_below)
        return 0 if is_below else 1

    def told(self, changed: Row) -> list[Plain]:
        """Return changes as plain data: every value that passes the tests gives the answer."""
        reach = self._reach(changed)
        return [self._told(c, to, reach.get(c)) for c, to in changed.items()]

    def _told(self, c: int, to: float, need: _Need | None) -> Plain:
        field = self.tree.schema[c]
        value = self.row.get(c)
        told = {
            "column": field.name,
            "from": None if value is None else self._plain(c, value),
            "to": self._plain(c, to),
            "test": f"{quoted(field.name)} = {quoted(level_text(field, int(to)))}",
            "above": None,
            "at_most": None,
        }
        if need is None:
            return told
        low, high = need.ends()
        if not field.is_numeric:
            low, high = (
                quoted(level_text(field, int(end))) if math.isfinite(end) else ""
                for end in (need.low, need.high)
            )
        if math.isfinite(need.low):
            told["above"] = self._plain(c, need.low)
        if math.isfinite(need.high):
            told["at_most"] = self._plain(c, need.high)
        return told | {"test": _between(quoted(field.name), need, low, high)}

    def _plain(self, c: int, value: float | None) -> Any:  # noqa: ANN401 - a level or a number
        if value is None:
            return None
        field = self.tree.schema[c]
        return value if field.is_numeric else field.levels[int(value)]


def _between(name: str, need: _Need, low: str, high: str) -> str:
    """Return a test of one or two ends; of none where it is enough that the value is known."""
    if math.isinf(need.low):
        return f"{name} ≠ ?" if math.isinf(need.high) else f"{name} ≤ {high}"
    return f"{name} > {low}" if math.isinf(need.high) else f"{low} < {name} ≤ {high}"


def _spread(tree: TreeData, c: int) -> float:
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
