"""The record of a worksheet and that of its solution, as plain data with a version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.data.table import Column, Table
from penjing.i18n import say
from penjing.render.worksheets import slots
from penjing.text.branch_order import children_in_order
from penjing.text.formula import decimals
from penjing.text.labels import quoted, weight_text
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

Plain = dict[str, Any]

VERSION = 1
"""The version of both records; it changes if a field changes its meaning."""
DIGITS = 3
"""The number of decimals that students write."""
TOLERANCE = 2 * 10.0**-DIGITS
"""The difference that is accepted: intermediate results are rounded, too."""
_KINDS = {"nominal": "categorical", "ordered": "ordinal", "numeric": "numeric"}


def sheet_record(
    table: Table,
    recipe: Mapping[str, Any],
    n_nodes: int,
    *,
    level: str,
    lang: str,
    seed: int | None,
) -> Plain:
    """Return the record of a worksheet, without what its solution says.

    Parameters
    ----------
    table : Table
        The rows.
    recipe : dict
        The recipe as plain data: ``name``, ``criterion``, ``shape``, ``max_depth``.
    n_nodes : int
        How many nodes are split.
    level : str
        How much is left blank; see `penjing.render.worksheets.slots`.
    lang : str
        ``en`` or ``zh``.
    seed : int or None
        The seed of a random table.
    """
    assert table.target is not None
    columns = [
        {"name": column.name, "kind": _KINDS[column.kind], "categories": _categories(column)}
        for column in table.columns
    ]
    sheet: Plain = {
        "format": "penjing-worksheet",
        "version": VERSION,
        "lang": lang,
        "recipe": recipe["name"],
        "criterion": recipe["criterion"],
        "shape": recipe["shape"],
        "max_depth": recipe["max_depth"],
        "level": level,
        "seed": seed,
        "digits": DIGITS,
        "tolerance": TOLERANCE,
        "target": table.target.name,
        "classes": list(table.target.levels),
        "columns": columns,
        "rows": [list(row.values()) for row in table.rows()],
        "n_nodes": n_nodes,
    }
    places = list(slots.slots_of(sheet))
    sheet["blanks"] = [slot for slot in places if not slots.is_given(sheet, slot)]
    return sheet


def _categories(column: Column) -> list[str]:
    if column.is_numeric:
        return []
    return [level_text(column, code) for code in range(len(column.levels))]


def solution_record(
    sheet: Plain, tree: TreeData, explanations: Mapping[int, Plain]
) -> tuple[Plain, Plain]:
    """Return the worksheet with what is given, and its solution; all numbers are of explanations.

    Parameters
    ----------
    sheet : dict
        The record of the worksheet.
    tree : TreeData
        The tree.
    explanations : dict
        What `tree.why` says of each node, by its number.
    """
    order = split_nodes(tree)
    answers, given = [], []
    nodes = [_NodeAnswers(sheet, tree, explanations, order, node) for node in order]
    for slot in slots.slots_of(sheet):
        answer = nodes[slot["node"] - 1].answer(slot)
        if slots.is_given(sheet, slot):
            given.append({"id": slot["id"], "text": answer["text"]})
        else:
            answers.append({"id": slot["id"], "kind": slot["kind"], **answer})
    solution = {
        "format": "penjing-worksheet-solution",
        "version": VERSION,
        **{key: sheet[key] for key in ("lang", "recipe", "level", "seed")},
        "nodes": [
            {"node": k, "path": explanations[n]["path"], "tied": explanations[n]["tied"]}
            for k, n in enumerate(order, start=1)
        ],
        "answers": answers,
    }
    return sheet | {"given": given}, solution


def split_nodes(tree: TreeData) -> list[int]:
    """Return the nodes that are split, level by level, branches in the order of categories."""
    found, level = [], [0]
    while level:
        inner = [node for node in level if not tree.is_leaf[node]]
        found += inner
        level = [child for node in inner for child in tree.children(node)]
    return found


class _NodeAnswers:
    """What stands in the places of one node."""

    def __init__(
        self,
        sheet: Plain,
        tree: TreeData,
        explanations: Mapping[int, Plain],
        order: Sequence[int],
        node: int,
    ) -> None:
        self._sheet, self._tree, self._explanations = sheet, tree, explanations
        self._order, self._node = order, node
        self._told = explanations[node]
        self._candidates = {
            c["column"]: c for c in self._told["candidates"] if c["gain"] is not None
        }

    def answer(self, slot: Plain) -> Plain:
        """Return the value of a place, as text and for programs."""
        kind = slot["kind"]
        if kind == "path":
            return {"value": self._told["path"], "text": ", ".join(self._told["path"])}
        if kind == "column":
            chosen = self._told["question"]
            accepted = self._told["tied"] if len(self._told["tied"]) > 1 else [chosen]
            return {"value": chosen, "text": quoted(chosen), "accepted": accepted}
        if "branch" in slot:
            return self._branch(slot)
        if kind == "condition":
            branches = self._candidates.get(slot["column"], {}).get("branches", [])
            texts = [branch["answer"] for branch in branches]
            return {"value": texts[0], "text": texts[0], "accepted": texts} if texts else _NOTHING
        if kind == "count":
            return self._count(slot)
        return _number(self._measure(slot))

    def _count(self, slot: Plain) -> Plain:
        if "column" in slot:
            if slot["column"] not in self._candidates:
                return _NOTHING
            part = self._part(slot)
            total = [0] * len(self._sheet["classes"]) if part is None else part["total"]
            return _exact(total[self._sheet["classes"].index(slot["class"])])
        if "class" in slot:
            return _exact(self._told["total"][self._sheet["classes"].index(slot["class"])])
        return _exact(self._told["rows"])

    def _measure(self, slot: Plain) -> float | None:
        measure = slot["measure"]
        if "part" in slot:
            part = self._part(slot)
            return None if part is None else part[measure]
        source = self._candidates.get(slot["column"], {}) if "column" in slot else self._told
        value: float | None = source.get(measure)
        return value

    def _part(self, slot: Plain) -> Plain | None:
        """Return a branch of a candidate; None without rows, or if the column cannot split."""
        branches = self._candidates.get(slot["column"], {}).get("branches", [])
        column = next(c for c in self._sheet["columns"] if c["name"] == slot["column"])
        if slots.is_two_way(self._sheet, column):
            return branches[slot["part"] - 1] if branches else None
        wanted = quoted(column["categories"][slot["part"] - 1])
        return next((branch for branch in branches if branch["answer"] == wanted), None)

    def _branch(self, slot: Plain) -> Plain:
        lines = self._branch_lines()
        if slot["branch"] > len(lines):
            return _NOTHING
        answer: Plain = lines[slot["branch"] - 1][slot["id"].rpartition(".")[2]]
        return answer

    def _branch_lines(self) -> list[Plain]:
        tree, lines = self._tree, []
        chosen = self._candidates[self._told["question"]]
        drawn = (
            list(tree.children(self._node))
            if "cut" in chosen
            else children_in_order(tree, self._node)
        )
        for child, branch in sorted(
            zip(drawn, chosen["branches"], strict=True), key=lambda p: p[0]
        ):
            lines.append(self._line(branch["answer"], branch["rows"], self._result(child)))
        majority = self._leaf(self._told["answer"])
        empty = [self._line(quoted(name), 0, majority) for name in self._told["empty"]]
        return lines + empty

    @staticmethod
    def _line(text: str, rows: float, result: Plain) -> Plain:
        return {"value": {"value": text, "text": text}, "rows": _exact(rows), "result": result}

    def _result(self, child: int) -> Plain:
        if self._tree.is_leaf[child]:
            return self._leaf(self._explanations[child]["answer"])
        number = self._order.index(child) + 1
        text = say("sheet_node_number", self._sheet["lang"], n=number)
        return {"value": {"node": number}, "text": text}

    @staticmethod
    def _leaf(prediction: object) -> Plain:
        return {"value": {"class": prediction}, "text": quoted(prediction)}


_NOTHING: Plain = {"value": None, "text": "–"}
"""Of a column that cannot split the rows of a node, and of lines that are not needed."""


def _number(value: float | None) -> Plain:
    if value is None:
        return _NOTHING
    text = decimals(value, DIGITS)
    return {"value": value, "text": text, "digits": DIGITS, "tolerance": TOLERANCE}


def _exact(value: float) -> Plain:
    return {"value": value, "text": weight_text(value)}
