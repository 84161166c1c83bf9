"""A worksheet as a document, with its blanks or with the answers of its solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.explain.node_text import formulas
from penjing.formatting.document import (
    Blank,
    Block,
    Document,
    Figure,
    FormulaLine,
    Grid,
    Heading,
    Inline,
    Items,
    Paragraph,
    Strong,
)
from penjing.i18n import say
from penjing.render.worksheets import slots
from penjing.text.formula import definitions, impurity
from penjing.text.labels import number_text, quoted
from penjing.text.phrases import join_names

Plain = Mapping[str, Any]

_HEADINGS = {
    "entropy_after": "why_ent_after",
    "gain": "why_gain",
    "split_information": "why_split_information",
    "gain_ratio": "why_ratio",
    "gini_after": "why_gini",
}
_SIZES = {"path": 40, "count": 4, "number": 7, "column": 18, "condition": 14, "result": 14}
"""The widths of blanks in characters."""


def sheet_document(sheet: Plain) -> Document:
    """Return a worksheet for students; nothing of its solution is known here."""
    return _Sheet(sheet, {}).document()


def solution_document(
    sheet: Plain, solution: Plain, steps: Sequence[Plain], figure: Figure
) -> Document:
    """Return the same worksheet with the answers, the formulas of every node, and the tree.

    Parameters
    ----------
    sheet, solution : dict
        The records.
    steps : sequence of dict
        The explanation of each node that is split, in the order of the worksheet.
    figure : Figure
        The tree.
    """
    answers = {answer["id"]: answer["text"] for answer in solution["answers"]}
    return _Sheet(sheet, answers).document(steps, figure)


class _Sheet:
    """Writes the blocks of a worksheet."""

    def __init__(self, sheet: Plain, answers: Mapping[str, str]) -> None:
        self._sheet, self._answers, self._lang = sheet, answers, sheet["lang"]
        self._given: dict[str, str] = {given["id"]: given["text"] for given in sheet["given"]}
        self._kinds = {blank["id"]: blank["kind"] for blank in sheet["blanks"]}

    def document(self, steps: Sequence[Plain] = (), figure: Figure | None = None) -> Document:
        """Return the document; with explanations and a picture it is the solution."""
        sheet = self._sheet
        key = "sheet_title" if figure is None else "sheet_title_solution"
        title = self._say(key, target=quoted(sheet["target"]), recipe=sheet["recipe"])
        blocks: list[Block] = []
        if figure is None:
            blocks += [Paragraph(self._say("sheet_name_line")), *self._task()]
        blocks += self._data()
        for node in range(1, sheet["n_nodes"] + 1):
            blocks += self._node(node)
            if steps:
                blocks += self._formulas(steps[node - 1])
        if figure is not None:
            blocks += [Heading(self._say("sheet_tree")), figure]
        return Document(title, blocks, self._lang)

    def _say(self, key: str, **values: object) -> str:
        return say(key, self._lang, **values)

    def _cell(self, place: str) -> Inline:
        """Return what stands in a place: a given number, an answer, or a blank."""
        if place in self._given:
            return self._given[place]
        if place in self._answers:
            return Strong(self._answers[place])
        return Blank(place, _SIZES[self._kinds[place]])

    # -- the task ------------------------------------------------------------------------------

    def _task(self) -> list[Block]:
        sheet = self._sheet
        rules = [self._say(f"sheet_choose_{sheet['criterion']}")]
        kinds = {column["kind"] for column in sheet["columns"]}
        if kinds != {"categorical"}:
            rules.append(self._say("sheet_thresholds"))
        if sheet["shape"] == "binary" and "categorical" in kinds:
            rules.append(self._say("sheet_groups"))
        rules.append(self._say("sheet_stop"))
        if sheet["max_depth"] is not None:
            rules.append(self._say("sheet_depth", n=sheet["max_depth"]))
        slack = number_text(sheet["tolerance"])
        rules += [
            self._say("sheet_numbering"),
            self._say("sheet_ties"),
            self._say("sheet_rounding", n=sheet["digits"], slack=slack),
        ]
        if sheet["level"] == "choice":
            rules.append(self._say("sheet_given"))
        target, recipe = quoted(sheet["target"]), sheet["recipe"]
        n = sheet["n_nodes"]
        return [
            Heading(self._say("sheet_task")),
            Paragraph(self._say("sheet_task_text", target=target, recipe=recipe, n=n)),
            Items(rules),
            *(FormulaLine(formula) for formula in definitions(sheet["criterion"])),
        ]

    def _data(self) -> list[Block]:
        sheet = self._sheet
        head = [self._say("sheet_row"), *(quoted(c["name"]) for c in sheet["columns"])]
        rows = [
            [str(i), *(_value(value) for value in row)]
            for i, row in enumerate(sheet["rows"], start=1)
        ]
        categories = [
            f"{quoted(c['name'])}{self._say('label_colon')}"
            f"{join_names([quoted(level) for level in c['categories']], self._lang)}"
            for c in sheet["columns"]
            if c["categories"]
        ]
        blocks: list[Block] = [
            Heading(self._say("sheet_data")),
            Grid([*head, Strong(quoted(sheet["target"]))], rows, n_left=len(head) + 1),
        ]
        if categories:
            blocks += [Paragraph(self._say("sheet_categories")), Items(categories)]
        return blocks

    # -- a node --------------------------------------------------------------------------------

    def _node(self, node: int) -> list[Block]:
        number = self._say("sheet_node", n=node)
        colon = self._say("label_colon")
        path = self._say("root") if node == 1 else self._cell(f"{node}.path")
        blocks: list[Block] = [Heading([number, colon, path])]
        if self._sheet["level"] != "choice":
            blocks.append(Paragraph(self._impurity_line(node)))
        if self._sheet["level"] == "all":
            blocks.append(self._parts(node))
        blocks.append(self._measures(node))
        if self._sheet["criterion"] == "gain_ratio":
            average = self._say("sheet_average")
            blocks.append(Paragraph([average, colon, self._cell(f"{node}.average")]))
        chosen = self._say("sheet_chosen")
        blocks.append(Paragraph([chosen, colon, self._cell(f"{node}.chosen")]))
        return [*blocks, self._branches(node)]

    def _impurity_line(self, node: int) -> list[Inline]:
        sheet, colon, gap = self._sheet, self._say("label_colon"), self._say("clause_semicolon")
        line: list[Inline] = [self._say("sheet_rows"), colon, self._cell(f"{node}.rows")]
        for k, class_ in enumerate(sheet["classes"], start=1):
            line += [gap, quoted(class_), colon, self._cell(f"{node}.class.{k}")]
        name = "Gini(D) = " if sheet["criterion"] == "gini" else "Ent(D) = "
        return [*line, gap, name, self._cell(f"{node}.impurity")]

    def _parts(self, node: int) -> Grid:
        """Return the table with the class counts and the impurity of every branch."""
        sheet = self._sheet
        impurity_name = "Gini" if sheet["criterion"] == "gini" else "Ent"
        head = [self._say("why_column"), self._say("sheet_branch")]
        head += [quoted(class_) for class_ in sheet["classes"]] + [impurity_name]
        rows: list[list[Inline]] = []
        for i, column in enumerate(sheet["columns"], start=1):
            for part in range(1, slots.n_parts(sheet, column) + 1):
                name = quoted(column["name"]) if part == 1 else ""
                if slots.is_two_way(sheet, column):
                    label = self._say("sheet_side", n=part)
                else:
                    label = quoted(column["categories"][part - 1])
                place = f"{node}.part.{i}.{part}"
                counts = [
                    self._cell(f"{place}.class.{k}") for k in range(1, len(sheet["classes"]) + 1)
                ]
                rows.append([name, label, *counts, self._cell(f"{place}.impurity")])
        return Grid(head, rows, n_left=2)

    def _measures(self, node: int) -> Grid:
        sheet = self._sheet
        measures = slots.measures_of(sheet)
        two_way = [slots.is_two_way(sheet, column) for column in sheet["columns"]]
        has_splits = any(two_way) and sheet["level"] != "choice"
        head = [self._say("why_column")]
        head += [self._say("sheet_split")] if has_splits else []
        head += [self._say(_HEADINGS[measure]) for measure in measures]
        rows: list[list[Inline]] = []
        for i, column in enumerate(sheet["columns"], start=1):
            row: list[Inline] = [quoted(column["name"])]
            if has_splits:
                row.append(self._cell(f"{node}.split.{i}") if two_way[i - 1] else "")
            rows.append([*row, *(self._cell(f"{node}.{measure}.{i}") for measure in measures)])
        return Grid(head, rows, n_left=2 if has_splits else 1)

    def _branches(self, node: int) -> Grid:
        head = [self._say(key) for key in ("sheet_branch", "sheet_rows", "sheet_result")]
        rows = [
            [self._cell(f"{node}.branch.{b}.{part}") for part in ("value", "rows", "result")]
            for b in range(1, slots.n_branches(self._sheet) + 1)
        ]
        return Grid(head, rows, last_left=True)

    @staticmethod
    def _formulas(step: Plain) -> list[Block]:
        candidates = [c for c in step["candidates"] if c["gain"] is not None]
        steps = [f for c in candidates for f in formulas(step, c, all_candidates=False)]
        return [FormulaLine(formula) for formula in (impurity(step), *steps)]


def _value(value: object) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
