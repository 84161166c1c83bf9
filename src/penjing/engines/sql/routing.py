"""In which node a row of a database is: a CASE while few nodes are open, then a TEMP table."""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.engines.sql.columns import CODED, Columns
from penjing.engines.sql.connection import NUMBERS, Link, literal
from penjing.grow.engine import TreeStructure
from penjing.tree.split import Split

CASES = 30
"""With more open nodes than this, the node of each row is kept in a TEMP table."""

LONG = 20
"""A list of more levels is put into the database's dialect once, not with every question."""
WORK = '"penjing_work'


class Places(Columns):
    """Rows of a table or query, and in which node each of them is; made as `Columns` are."""

    def __init__(self, link: Link, **where: Any) -> None:  # noqa: ANN401 - those of `Columns`
        super().__init__(link, **where)
        self.is_allowed = True
        """Whether a TEMP table can be made; found out when one is."""
        self._n_made = 0
        self._base: tuple[int, ...] = ()
        self._tree: TreeStructure | None = None
        self._nodes: Sequence[int] = ()
        self._node = "0"

    def forget(self) -> None:
        """Start anew: nodes are now those of another tree."""
        self._drop()
        self._source.forget()
        self._tree, self._nodes, self._node, self._base = None, (), "0", ()

    def _drop(self) -> None:
        if self._work is not None:
            self.link.make(f"DROP TABLE {self._work}")
        self._work, self._base = None, ()

    def place(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Ask about these nodes from now on."""
        if tree is self._tree and list(nodes) == list(self._nodes):
            return
        if self._work is not None and not all(self._is_kept(tree, node) for node in nodes):
            self._drop()
        self._tree, self._nodes = tree, tuple(nodes)
        self._node = self._node_of(tree, nodes)

    def _is_kept(self, tree: TreeStructure, node: int) -> bool:
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

    def _node_of(self, tree: TreeStructure, nodes: Sequence[int]) -> str:
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
        self, tree: TreeStructure, parent: int, wanted: list[int], said: Mapping[int, str]
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
        if not listed:
            return "FALSE"
        text = f"{self._value(c)} IN ({', '.join(listed)})"
        return self._source.short(text) if len(listed) > LONG else text

    def _class(self, by: Sequence[Split] | None = None) -> str:
        """Return the class of a row, as code; or the branch that a test sends it to."""
        if by is not None:
            whens = []
            for place, split in enumerate(by):
                answers = [str(branch) for branch in range(split.n_branches)]
                asked = self._asked(split, answers, otherwise=str(split.n_branches))
                whens.append(f"WHEN {place} THEN {asked}")
            return f"CASE {self._node} {' '.join(whens)} END"
        return self._target()
