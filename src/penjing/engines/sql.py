"""Rows in a database, counted by its own GROUP BYs: one file for every dialect of SQL.

The user's tables are only read. While few nodes are open, a CASE says in which of them a row is;
beyond that a TEMP table holds the codes and the node of each row that is still in play.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.engines import Shape
from penjing.engines.afar import Heap, Ints
from penjing.engines.sql_source import NUMBERS, ROWS, Link, Source, literal
from penjing.errors import CapabilityError
from penjing.read.afar import (
    Judged,
    Survey,
    survey,
    surveyed_target,
    target_of,
)
from penjing.split import Split
from penjing.table import Column, Floats, Table, numeric

CASES = 30
"""With more open nodes than this, the node of each row is kept in a TEMP table."""
BUCKETS = 256
"""In how many buckets a column of many numbers is counted first."""
SAMPLED = 50_000
"""From about so many rows the borders of the buckets are taken."""
CODED = 256
"""Up to so many distinct values a TEMP table holds codes; beyond, the values themselves."""
SPANS = 200
"""So many spans of values are asked for in one query."""

WORK = '"penjing_work'


class Rows:
    """The rows of a table or query, counted by the database.

    Parameters
    ----------
    link : Link
        The connection.
    table, query : str
        Where the rows are; one of them.
    target : str or None
        The column to predict.
    schema : mapping, optional
        What columns are, as in :func:`penjing.read`.
    """

    def __init__(
        self,
        link: Link,
        *,
        table: str | None,
        query: str | None,
        target: str | None,
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        self.link = link
        self._source = source = Source(link, table, query)
        goal = target_of([*source.kinds], target, link.name)
        self.survey: Survey = surveyed_target(source.seen(goal, "TRUE"), schema, link.name)
        self._where = self._known(self.survey.target, goal)
        for name in source.kinds:
            if name != goal:
                survey(self.survey, source.seen(name, self._where), schema)
        if not self.survey.columns:
            raise CapabilityError("afar_nothing", source=link.name)
        self._edges: dict[int, Floats] = {}
        self.is_allowed = True
        """Whether a TEMP table can be made; found out when one is."""
        self._n_made = 0
        self._work: str | None = None
        self._base: tuple[int, ...] = ()
        self._tree: Shape | None = None
        self._nodes: Sequence[int] = ()
        self._node = "0"

    def _known(self, target: Judged, name: str) -> str:
        assert target.codes is not None
        assert target.values is not None
        raw = self._source.raw(name)
        lost = [literal(v) for v, c in zip(target.values, target.codes, strict=True) if c < 0]
        return f"{raw} IS NOT NULL" + (f" AND {raw} NOT IN ({', '.join(lost)})" if lost else "")

    def drop_unknown(self) -> None:
        """Leave out the rows of which nothing but the class is known, as rpart does."""
        found = self.survey
        if not all(judged.n_missing for judged in found.columns):
            return
        known = " OR ".join(self._is_known(judged) for judged in found.columns)
        lost = self._source.run(
            f"SELECT y, COUNT(*) FROM (SELECT {self._class()} AS y FROM {ROWS}"
            f" WHERE {self._where} AND NOT ({known})) AS unknown GROUP BY y"
        )
        if not lost:
            return
        self._where = f"{self._where} AND ({known})"
        for class_, n in lost:
            found.counts[class_] -= n
            found.n_rows -= n
        n_lost = sum(n for _, n in lost)
        found.columns = [replace(j, n_missing=j.n_missing - n_lost) for j in found.columns]

    def _is_known(self, judged: Judged) -> str:
        name = judged.column.name
        if judged.is_listed:
            return f"({self._known(judged, name)})"
        return f"{self._source.number(name)} IS NOT NULL"

    # -- where rows are ---------------------------------------------------------------------

    def forget(self) -> None:
        """Start anew: nodes are now those of another tree."""
        self._drop()
        self._tree, self._nodes, self._node, self._base = None, (), "0", ()

    def _drop(self) -> None:
        if self._work is not None:
            self.link.make(f"DROP TABLE {self._work}")
        self._work, self._base = None, ()

    def place(self, tree: Shape, nodes: Sequence[int]) -> None:
        """Ask about these nodes from now on."""
        if tree is self._tree and list(nodes) == list(self._nodes):
            return
        if self._work is not None and not all(self._is_kept(tree, node) for node in nodes):
            self._drop()
        self._tree, self._nodes = tree, tuple(nodes)
        self._node = self._node_of(tree, nodes)

    def _is_kept(self, tree: Shape, node: int) -> bool:
        """Whether the TEMP table holds the rows of a node."""
        while node not in self._base:
            if node == 0:
                return False
            node = tree.parent_of(node)[0]
        return True

    def settle(self, most: int | None = None) -> None:
        """Keep the node of each row in a TEMP table, if that pays and is allowed."""
        most = CASES if most is None else most
        if len(self._nodes) <= most or not self.is_allowed or self._nodes == self._base:
            return
        parts = [f"{self._node} AS node", f"{self._class()} AS y"]
        for c, judged in enumerate(self.survey.columns):
            value = self._value(c)
            if self._work is None and judged.values is not None and len(judged.values) <= CODED:
                value = self._coded(judged, value)
            parts.append(f"{value} AS c{c}")
            if not judged.is_listed:
                parts.append(f"{self._bucket(c)} AS b{c}")
        self._n_made += 1
        name = f'{WORK}_{self._n_made}"'
        body = f"SELECT {', '.join(parts)} FROM {self._from()}"
        text = f"SELECT * FROM ({body}) AS placed WHERE node IS NOT NULL"
        said = self._source.text(text)
        if not self.link.make(f"CREATE TEMPORARY TABLE {name} AS {said}"):
            self.is_allowed = False
            return
        kept = tuple(self._nodes)
        self._drop()
        self._work, self._base = name, kept
        assert self._tree is not None
        self._node = self._node_of(self._tree, self._nodes)

    def _node_of(self, tree: Shape, nodes: Sequence[int]) -> str:
        """Return the CASE that says in which of these nodes a row is, NULL for none."""
        bases = set(self._base) if self._work is not None else {0}
        said = {node: str(place) for place, node in enumerate(nodes)}
        above: dict[int, list[int]] = {}
        depth: dict[int, int] = {}
        for node in nodes:
            road = [node]
            while road[-1] not in bases and road[-1] != 0:
                road.append(tree.parent_of(road[-1])[0])
            depth |= {at: step for step, at in enumerate(reversed(road))}
            for child, parent in pairwise(road):
                kept = above.setdefault(parent, [])
                if child not in kept:
                    kept.append(child)
        for parent in sorted(above, key=lambda n: -depth[n]):
            said[parent] = self._branching(tree, parent, above[parent], said)
        if self._work is None:
            return said[0]
        if list(nodes) == list(self._base):
            return "node"
        tops = [node for node in self._base if node in said]
        place = {node: i for i, node in enumerate(self._base)}
        whens = " ".join(f"WHEN {place[node]} THEN {said[node]}" for node in tops)
        return f"CASE node {whens} END"

    def _branching(
        self, tree: Shape, parent: int, wanted: list[int], said: Mapping[int, str]
    ) -> str:
        split = tree.split(parent)
        assert split is not None
        children = list(tree.children(parent))
        answers = [said[child] if child in wanted else "NULL" for child in children]
        if split.missing < 0 and not split.surrogates:
            return self._asked(split, answers)
        # What stands below a branch is said once, though several tests may lead there.
        branch = self._asked(split, [str(b) for b in range(len(answers))])
        whens = [f"WHEN {branch} = {b} THEN {a}" for b, a in enumerate(answers) if a != "NULL"]
        return f"CASE {' '.join(whens)} END"

    def _asked(self, split: Split, answers: Sequence[str], otherwise: str | None = None) -> str:
        """Return the CASE of a test: what is answered for each of its branches."""
        whens = [f"WHEN {self._takes(split, b)} THEN {answer}" for b, answer in enumerate(answers)]
        for other in split.surrogates if otherwise is None else ():
            if other.is_used:
                for side in (0, 1):
                    if other.cut is None:
                        test = self._in_group(other.column, other.groups[side])
                    else:
                        test = self._by_cut(other.column, other.cut, above=side != other.below)
                    whens.append(f"WHEN {test} THEN {answers[side]}")
        last = otherwise
        if last is None:
            last = answers[split.missing] if split.missing >= 0 else "NULL"
        return f"CASE {' '.join(whens)} ELSE {last} END"

    def _takes(self, split: Split, branch: int) -> str:
        if split.cut is not None:
            return self._by_cut(split.column, split.cut, above=branch == 1)
        return self._in_group(split.column, split.groups[branch])

    def _by_cut(self, c: int, cut: float, *, above: bool) -> str:
        judged, sign = self.survey.columns[c], ">" if above else "<="
        is_number = judged.column.is_numeric
        numbers = judged.numbers() if is_number else np.arange(len(judged.column.levels)) * 1.0
        if self._is_coded(c):
            last = int(np.searchsorted(numbers, cut, "right")) - 1
            return f"{self._value(c)} {sign} {last}"
        if is_number and self._source.kinds[judged.column.name] in NUMBERS:
            return f"{self._value(c)} {sign} {literal(float(cut))}"
        return self._in_group(c, np.flatnonzero((numbers > cut) == above))

    def _in_group(self, c: int, codes: Iterable[int]) -> str:
        judged = self.survey.columns[c]
        wanted = {int(code) for code in codes}
        if self._is_coded(c):
            listed = [str(code) for code in sorted(wanted)]
        else:
            assert judged.codes is not None
            assert judged.values is not None
            pairs = zip(judged.values, judged.codes.tolist(), strict=True)
            listed = [literal(value) for value, code in pairs if code in wanted]
        return f"{self._value(c)} IN ({', '.join(listed)})" if listed else "FALSE"

    def _is_coded(self, c: int) -> bool:
        values = self.survey.columns[c].values
        return self._work is not None and values is not None and len(values) <= CODED

    # -- how columns read -------------------------------------------------------------------

    def _from(self) -> str:
        return f"{ROWS} WHERE {self._where}" if self._work is None else self._work

    def _value(self, c: int) -> str:
        judged = self.survey.columns[c]
        name = judged.column.name
        if self._work is not None:
            return f"c{c}"
        if not judged.is_listed:
            return self._source.number(name)
        return self._source.raw(name)

    def _coded(self, judged: Judged, raw: str) -> str:
        assert judged.values is not None
        assert judged.codes is not None
        pairs = zip(judged.values, judged.codes.tolist(), strict=True)
        whens = " ".join(f"WHEN {literal(v)} THEN {code}" for v, code in pairs if code >= 0)
        return f"CASE {raw} {whens} END" if whens else "NULL"

    def _class(self, by: Sequence[Split] | None = None) -> str:
        """Return the class of a row, as code; or the branch that a test sends it to."""
        if by is not None:
            whens = []
            for place, split in enumerate(by):
                answers = [str(branch) for branch in range(split.n_branches)]
                asked = self._asked(split, answers, otherwise=str(split.n_branches))
                whens.append(f"WHEN {place} THEN {asked}")
            return f"CASE {self._node} {' '.join(whens)} END"
        if self._work is not None:
            return "y"
        target = self.survey.target
        return self._coded(target, self._source.raw(target.column.name))

    def _bucket(self, c: int) -> str:
        """Return the bucket of a value: how many borders lie below it, by halving."""
        if self._work is not None:
            return f"b{c}"
        edges, v = self._borders(c), self._value(c)

        def between(low: int, high: int) -> str:
            if low == high:
                return str(low)
            middle = (low + high) // 2
            left, right = between(low, middle), between(middle + 1, high)
            return f"CASE WHEN {v} <= {literal(float(edges[middle]))} THEN {left} ELSE {right} END"

        whole = f"CASE WHEN {v} IS NOT NULL THEN {between(0, len(edges))} END"
        return self._source.name(f'"penjing_bucket_{c}"', whole)

    def _borders(self, c: int) -> Floats:
        """Return the borders of the buckets: quantiles of some rows; any will do."""
        if not self._edges:
            many = [i for i, judged in enumerate(self.survey.columns) if not judged.is_listed]
            listed = ", ".join(
                self._source.number(self.survey.columns[i].column.name) for i in many
            )
            share = min(1.0, SAMPLED / self.survey.n_rows)
            rows = self._source.run(
                f"SELECT {listed} FROM {ROWS} WHERE {self._where} AND RANDOM() <= {share!r}"
            )
            for i, column in zip(many, zip(*rows, strict=True) if rows else [()] * len(many),
                                 strict=True):  # fmt: skip
                values = np.sort(np.array([v for v in column if v is not None], np.float64))
                at = (np.arange(1, BUCKETS) * len(values)) // BUCKETS
                self._edges[i] = np.unique(values[at]) if len(values) else np.empty(0)
        return self._edges[c]

    # -- questions --------------------------------------------------------------------------

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        self.settle()
        found = np.zeros((len(self._nodes), len(self.survey.counts)), np.int64)
        for place, class_, n in self._grouped(["y"], f"{self._class()} AS y"):
            found[place, class_] = n
        return found

    def _grouped(
        self, keys: Sequence[str], columns: str, where: str = "", more: str = ""
    ) -> list[tuple[Any, ...]]:
        inner = f"SELECT {self._node} AS node, {columns} FROM {self._from()}"
        listed = ", ".join(keys)
        return self._source.run(
            f"SELECT node, {listed}, COUNT(*) AS n{more} FROM ({inner}) AS placed"
            f" WHERE node IS NOT NULL{where} GROUP BY node, {listed}"
        )

    def _at(self, places: Sequence[int]) -> str:
        if len(places) == len(self._nodes):
            return ""
        return f" AND node IN ({', '.join(map(str, places))})"

    def listed(self, c: int, places: Sequence[int], by: Sequence[Split] | None) -> Heap:
        """Count by level."""
        if by is not None:  # a CASE on a CASE would be repeated for each of its WHENs
            self.settle(1)
        columns = f"{self._value(c)} AS v, {self._class(by)} AS y"
        told = self._grouped(["v", "y"], columns, self._at(places))
        place, value, class_, n = _columns(told, 4)
        key = self._codes(c, value)
        return Heap(_ints(place), key, _ints(class_), _ints(n))

    def _codes(self, c: int, values: Sequence[Any]) -> Ints:
        if self._is_coded(c):
            return np.array([-1 if v is None else v for v in values], np.int64)
        judged = self.survey.columns[c]
        assert judged.codes is not None
        assert judged.values is not None
        code = dict(zip(np.asarray(judged.values, object), judged.codes.tolist(), strict=True))
        return np.array([-1 if v is None else code[v] for v in values], np.int64)

    def buckets(self, c: int, places: Sequence[int]) -> Heap:
        """Count by bucket, with the least and the greatest value of each."""
        columns = f"{self._value(c)} AS v, {self._bucket(c)} AS b, {self._class()} AS y"
        more = ", MIN(v) AS low, MAX(v) AS high"
        told = self._grouped(["b", "y"], columns, self._at(places), more)
        place, key, class_, n, low, high = _columns(told, 6)
        buckets = np.array([-1 if b is None else b for b in key], np.int64)
        ends = (np.array([math.nan if v is None else v for v in end]) for end in (low, high))
        return Heap(_ints(place), buckets, _ints(class_), _ints(n), *ends)

    def values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> Heap:
        """Count by value, within spans of values of some nodes."""
        told: list[tuple[Any, ...]] = []
        if by is not None:
            self.settle(1)
        columns = f"{self._value(c)} AS v, {self._class(by)} AS y"
        if spans[0][1] == -math.inf:  # all that these nodes have
            told = self._grouped(["v", "y"], columns, self._at([place for place, *_ in spans]))
            spans = []
        for start in range(0, len(spans), SPANS):
            tests = [
                f"(node = {place} AND v >= {literal(low)} AND v <= {literal(high)})"
                for place, low, high in spans[start : start + SPANS]
            ]
            told += self._grouped(["v", "y"], columns, f" AND ({' OR '.join(tests)})")
        place, value, class_, n = _columns(told, 4)
        numbers = np.array([math.nan if v is None else v for v in value], np.float64)
        return Heap(_ints(place), numbers, _ints(class_), _ints(n))

    def look(self, wanted: Mapping[int, Sequence[tuple[int, float, float]]]) -> dict[int, Heap]:
        """Count by value, within spans of several columns."""
        return {c: self.values(c, spans, None) for c, spans in wanted.items()}

    def distinct(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        v = self._source.number(self.survey.columns[c].column.name)
        told = self._source.run(f"SELECT DISTINCT {v} AS v FROM {ROWS} WHERE {self._where}")
        return np.sort(np.array([v for (v,) in told if v is not None], np.float64))

    def fetch(self, places: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of some nodes, as codes."""
        columns = self.survey.columns
        parts = [f"{self._node} AS node", f"{self._class()} AS y"]
        parts += [f"{self._value(c)} AS c{c}" for c in range(len(columns))]
        told = self._source.run(
            f"SELECT * FROM (SELECT {', '.join(parts)} FROM {self._from()}) AS placed"
            f" WHERE node IN ({', '.join(map(str, places))})"
        )
        place, class_, *cells = _columns(told, 2 + len(columns))
        at, classes = _ints(place), _ints(class_).astype(np.int32)
        made = [self._made(c, values) for c, values in enumerate(cells)]
        target = self.survey.target.column
        whole = Column(target.name, "nominal", target.levels, classes)
        for node in places:
            rows = np.flatnonzero(at == node)
            yield (
                node,
                Table(tuple(column.take(rows) for column in made), whole.take(rows), len(rows)),
            )

    def _made(self, c: int, values: Sequence[Any]) -> Column:
        field = self.survey.columns[c].column
        if not self.survey.columns[c].is_listed:
            return numeric(field.name, [math.nan if v is None else v for v in values])
        return Column(field.name, field.kind, field.levels, self._codes(c, values).astype(np.int32))


def _columns(told: Sequence[tuple[Any, ...]], n: int) -> list[Sequence[Any]]:
    return list(zip(*told, strict=True)) if told else [() for _ in range(n)]


def _ints(values: Sequence[Any]) -> Ints:
    return np.array(values, np.int64)
