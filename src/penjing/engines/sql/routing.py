"""The node of each row of a database: a CASE while few nodes are open, then a TEMP table."""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.engines.sql.columns import MAX_CODED_VALUES, Columns
from penjing.engines.sql.connection import NUMBERS, Connection, literal
from penjing.grow.engine import TreeStructure
from penjing.tree.split import Split

MAX_CASE_NODES = 30
"""With more open nodes than this, a TEMP table stores the node of each row."""

LONG_LIST = 20
"""A longer list of levels gets an alias, so that it is translated once, not for every query."""
TEMP_PREFIX = '"penjing_work'


class RoutedRows(Columns):
    """Rows of a table or query, and the node of each row; parameters as in `Columns`."""

    def __init__(self, connection: Connection, **where: Any) -> None:  # noqa: ANN401 - as `Columns`
        super().__init__(connection, **where)
        self.may_use_temp = True
        """Whether a TEMP table can be created; False once the database has refused one."""
        self._n_temp_tables = 0
        self._temp_nodes: tuple[int, ...] = ()
        self._tree: TreeStructure | None = None
        self._nodes: Sequence[int] = ()
        self._node_sql = "0"

    def reset(self) -> None:
        """Forget the nodes: the next ones belong to another tree."""
        self._drop_temp_table()
        self._source.drop_temporary_aliases()
        self._tree, self._nodes, self._node_sql, self._temp_nodes = None, (), "0", ()

    def _drop_temp_table(self) -> None:
        if self._temp_table is not None:
            self.connection.alter_temp(f"DROP TABLE {self._temp_table}")
        self._temp_table, self._temp_nodes = None, ()

    def set_nodes(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Set the nodes that are counted from now on."""
        if tree is self._tree and list(nodes) == list(self._nodes):
            return
        if self._temp_table is not None and not all(self._is_in_temp(tree, node) for node in nodes):
            self._drop_temp_table()
        self._tree, self._nodes = tree, tuple(nodes)
        self._node_sql = self._case_sql(tree, nodes)

    def _is_in_temp(self, tree: TreeStructure, node: int) -> bool:
        """Return whether the TEMP table holds the rows of a node."""
        while node not in self._temp_nodes:
            if node == 0:
                return False
            node = tree.parent_of(node)[0]
        return True

    def store_nodes(self, max_case_nodes: int | None = None) -> None:
        """Store the node of each row in a TEMP table, if that is worthwhile and allowed."""
        limit = MAX_CASE_NODES if max_case_nodes is None else max_case_nodes
        if len(self._nodes) <= limit or not self.may_use_temp or self._nodes == self._temp_nodes:
            return
        parts = [f"{self._node_sql} AS node", f"{self._class_sql()} AS y"]
        for c, judged in enumerate(self.survey.columns):
            value = self._value_sql(c)
            if (
                self._temp_table is None
                and judged.values is not None
                and len(judged.values) <= MAX_CODED_VALUES
            ):
                value = self._code_sql(judged, value)
            parts.append(f"{value} AS c{c}")
            if not judged.is_listed:
                parts.append(f"{self._bucket_sql(c)} AS b{c}")
        self._n_temp_tables += 1
        name = f'{TEMP_PREFIX}_{self._n_temp_tables}"'
        body = f"SELECT {', '.join(parts)} FROM {self._from_sql()}"
        text = f"SELECT * FROM ({body}) AS placed WHERE node IS NOT NULL"
        statement = self._source.to_dialect(text)
        if not self.connection.alter_temp(f"CREATE TEMPORARY TABLE {name} AS {statement}"):
            self.may_use_temp = False
            return
        temp_nodes = tuple(self._nodes)
        self._drop_temp_table()
        self._temp_table, self._temp_nodes = name, temp_nodes
        assert self._tree is not None
        self._node_sql = self._case_sql(self._tree, self._nodes)

    def _case_sql(self, tree: TreeStructure, nodes: Sequence[int]) -> str:
        """Return the CASE for the slot of the node that a row is in, NULL for none of these."""
        start_nodes = set(self._temp_nodes) if self._temp_table is not None else {0}
        sql_of = {node: str(slot) for slot, node in enumerate(nodes)}
        children_on_path: dict[int, list[int]] = {}
        depth: dict[int, int] = {}
        for node in nodes:
            path = [node]
            while path[-1] not in start_nodes and path[-1] != 0:
                path.append(tree.parent_of(path[-1])[0])
            depth |= {node_id: step for step, node_id in enumerate(reversed(path))}
            for child, parent in pairwise(path):
                children = children_on_path.setdefault(parent, [])
                if child not in children:
                    children.append(child)
        for parent in sorted(children_on_path, key=lambda n: -depth[n]):
            sql_of[parent] = self._split_sql(tree, parent, children_on_path[parent], sql_of)
        if self._temp_table is None:
            return sql_of[0]
        if list(nodes) == list(self._temp_nodes):
            return "node"
        starts = [node for node in self._temp_nodes if node in sql_of]
        slot = {node: i for i, node in enumerate(self._temp_nodes)}
        whens = " ".join(f"WHEN {slot[node]} THEN {sql_of[node]}" for node in starts)
        return f"CASE node {whens} END"

    def _split_sql(
        self, tree: TreeStructure, parent: int, wanted: list[int], sql_of: Mapping[int, str]
    ) -> str:
        """Return the CASE of a node's split, with the SQL of its wanted children as results."""
        split = tree.split(parent)
        assert split is not None
        children = list(tree.children(parent))
        results = [sql_of[child] if child in wanted else "NULL" for child in children]
        if split.missing < 0 and not split.surrogates:
            return self._test_sql(split, results)
        # Several tests may lead to the same branch: this writes the SQL below it only once.
        branch = self._test_sql(split, [str(b) for b in range(len(results))])
        whens = [f"WHEN {branch} = {b} THEN {a}" for b, a in enumerate(results) if a != "NULL"]
        return f"CASE {' '.join(whens)} END"

    def _test_sql(self, split: Split, results: Sequence[str], otherwise: str | None = None) -> str:
        """Return the CASE of a split with a result for each branch.

        ``otherwise`` is the result for rows that the split itself sends nowhere; without it
        they follow the surrogates, then the branch for missing values.
        """
        whens = [
            f"WHEN {self._branch_condition(split, b)} THEN {result}"
            for b, result in enumerate(results)
        ]
        for surrogate in split.surrogates if otherwise is None else ():
            if surrogate.is_used:
                for side in (0, 1):
                    if surrogate.cut is None:
                        test = self._group_condition(surrogate.column, surrogate.groups[side])
                    else:
                        test = self._cut_condition(
                            surrogate.column, surrogate.cut, above=side != surrogate.below
                        )
                    whens.append(f"WHEN {test} THEN {results[side]}")
        last = otherwise
        if last is None:
            last = results[split.missing] if split.missing >= 0 else "NULL"
        return f"CASE {' '.join(whens)} ELSE {last} END"

    def _branch_condition(self, split: Split, branch: int) -> str:
        if split.cut is not None:
            return self._cut_condition(split.column, split.cut, above=branch == 1)
        return self._group_condition(split.column, split.groups[branch])

    def _cut_condition(self, c: int, cut: float, *, above: bool) -> str:
        judged, sign = self.survey.columns[c], ">" if above else "<="
        is_number = judged.column.is_numeric
        numbers = judged.numbers() if is_number else np.arange(len(judged.column.levels)) * 1.0
        if self._is_coded(c):
            last = int(np.searchsorted(numbers, cut, "right")) - 1
            return f"{self._value_sql(c)} {sign} {last}"
        if is_number and self._source.kinds[judged.column.name] in NUMBERS:
            return f"{self._value_sql(c)} {sign} {literal(float(cut))}"
        return self._group_condition(c, np.flatnonzero((numbers > cut) == above))

    def _group_condition(self, c: int, codes: Iterable[int]) -> str:
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
        text = f"{self._value_sql(c)} IN ({', '.join(listed)})"
        return self._source.temporary_alias(text) if len(listed) > LONG_LIST else text

    def _class_sql(self, by: Sequence[Split] | None = None) -> str:
        """Return the SQL for the class of a row, as code; with ``by``, for its branch instead."""
        if by is not None:
            whens = []
            for slot, split in enumerate(by):
                branches = [str(branch) for branch in range(split.n_branches)]
                test = self._test_sql(split, branches, otherwise=str(split.n_branches))
                whens.append(f"WHEN {slot} THEN {test}")
            return f"CASE {self._node_sql} {' '.join(whens)} END"
        return self._target_sql()
