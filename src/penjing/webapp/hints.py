"""Hints of three grades for the blanks of a worksheet.

The first says what is asked for, the second where to look, the third gives the whole calculation
without its result. A hint never holds the answer of a blank that is still open: if the third needs
such answers, it says which blanks to fill in first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from penjing.i18n import say
from penjing.predict.predict import apply
from penjing.render.worksheets import slots
from penjing.render.worksheets.sheet_and_solution import Worksheet
from penjing.render.worksheets.sheet_record import split_nodes
from penjing.text.formula import definitions
from penjing.text.formula import entropy as entropy_formula
from penjing.text.formula import gini as gini_formula
from penjing.text.labels import quoted, weight_text
from penjing.text.phrases import join_clauses, join_names
from penjing.webapp.blank_labels import blank_label

Plain = Mapping[str, Any]

GRADES = (1, 2, 3)


class Hints:
    """Writes the hints of one worksheet.

    Parameters
    ----------
    worksheet : Worksheet
        The worksheet with its solution.
    """

    def __init__(self, worksheet: Worksheet) -> None:
        self._worksheet = worksheet
        self._sheet: Plain = worksheet.sheet
        self._columns = {c["name"]: i for i, c in enumerate(self._sheet["columns"], start=1)}
        self._blanks: dict[str, Plain] = {blank["id"]: blank for blank in self._sheet["blanks"]}
        self._rows = _row_numbers(worksheet)

    def hint(self, blank: Plain, grade: int, filled: Collection[str], lang: str) -> str:
        """Return a hint.

        Parameters
        ----------
        blank : dict
            The blank.
        grade : int
            1, 2 or 3.
        filled : collection of str
            The ids of blanks whose answers the student knows.
        lang : str
            ``en`` or ``zh``.
        """
        node, kind = blank["node"], self._kind(blank)
        if grade == 1:
            return self._first(blank, kind, lang)
        if grade == 2:
            return self._second(blank, kind, lang)
        missing = self.missing(blank, grade, filled)
        if missing:
            return say("lab_hint_first", lang, blanks=self._few(missing, lang))
        rows = self._third(blank, kind, lang)
        return rows or say("lab_hint_rows", lang, n=node, rows=self._row_list(node, lang))

    def missing(self, blank: Plain, grade: int, filled: Collection[str]) -> list[str]:
        """Return the blanks that are to be filled in before a hint can be given; see `hint`."""
        if grade < GRADES[-1]:
            return []
        needed = self._needed(blank, self._kind(blank))
        return [id_ for id_ in needed if id_ in self._blanks and id_ not in filled]

    def _few(self, ids: Sequence[str], lang: str) -> str:
        before, after = "''" if lang == "en" else "“”"
        names = [blank_label(self._sheet, self._blanks[id_], lang) for id_ in ids]
        return join_names([f"{before}{name}{after}" for name in names], lang, shown=6)

    @staticmethod
    def _kind(blank: Plain) -> str:
        """Return what a blank asks for: a measure, or its kind."""
        if blank["kind"] == "number":
            return str(blank["measure"])
        if "branch" in blank:
            return _BRANCH_HINTS[blank["id"].rpartition(".")[2]]
        return str(blank["kind"])

    def _first(self, blank: Plain, kind: str, lang: str) -> str:
        if kind == "column":
            return say(f"sheet_choose_{self._sheet['criterion']}", lang)
        formulas = definitions(str(self._sheet["criterion"]))
        shown = {
            "entropy": formulas[:1], "gini": formulas[:1], "gain": formulas[1:2],
            "gini_after": formulas[1:2], "split_information": formulas[2:3],
            "gain_ratio": formulas[3:4],
        }.get(kind, [])  # fmt: skip
        if shown:
            return say("lab_hint_formula", lang, formula=_with_sums(shown[0].text()))
        column = quoted(str(blank.get("column", "")))
        depth = self._sheet["max_depth"]
        if kind == "branch_result" and depth is not None:
            return say("lab_hint_branch_result_depth", lang, depth=depth)
        return say(f"lab_hint_{kind}", lang, n=blank["node"], column=column)

    def _second(self, blank: Plain, kind: str, lang: str) -> str:
        node = blank["node"]
        if kind in ("column", "average_gain"):
            key = "lab_hint_compare" if kind == "column" else "lab_hint_gains"
            return say(key, lang, n=node, columns=join_names(list(self._columns), lang))
        if kind == "count" and "column" not in blank:
            return say("lab_hint_mark_root" if node == 1 else "lab_hint_mark", lang, n=node)
        if kind == "branch_value":
            return say("lab_hint_branch_chosen", lang, n=node)
        if "column" in blank and kind != "condition":
            parts = self._part_names(blank["column"])
            key = "lab_hint_parts" if parts else "lab_hint_two_parts"
            column = quoted(blank["column"])
            listed = join_names(parts, lang) if parts else ""
            return say(key, lang, n=node, column=column, parts=listed)
        return say("lab_hint_rows", lang, n=node, rows=self._row_list(node, lang))

    def _part_names(self, column: str) -> list[str]:
        about = self._sheet["columns"][self._columns[column] - 1]
        if slots.is_two_way(self._sheet, about):
            return []
        return [quoted(category) for category in about["categories"]]

    def _needed(self, blank: Plain, kind: str) -> list[str]:
        """Return the blanks whose answers the whole calculation shows."""
        node = blank["node"]
        if kind in ("count", "path", "condition"):
            return []
        if kind.startswith("branch_"):
            return [f"{node}.chosen"]
        places = [f"{node}.class.{k}" for k, _ in enumerate(self._sheet["classes"], start=1)]
        columns = (
            [self._columns[blank["column"]]] if "column" in blank else list(self._columns.values())
        )
        if "column" not in blank and kind in ("entropy", "gini"):
            return places
        if kind in ("column", "average_gain"):
            measure = "gain" if kind == "average_gain" else slots.measures_of(self._sheet)[-1]
            return [f"{node}.{measure}.{i}" for i in columns]
        for i in columns:
            places.append(f"{node}.split.{i}")
            about = self._sheet["columns"][i - 1]
            places += [
                f"{node}.part.{i}.{part}.class.{k}"
                for part in range(1, slots.n_parts(self._sheet, about) + 1)
                for k, _ in enumerate(self._sheet["classes"], start=1)
            ]
        return places

    def _third(self, blank: Plain, kind: str, lang: str) -> str | None:
        step = self._worksheet.steps[blank["node"] - 1]
        if kind in ("entropy", "gini"):
            total = step["total"] if "part" not in blank else self._part_total(step, blank)
            return None if total is None else self._calculation(_impurity(kind, total), lang)
        if kind == "column":
            candidates = [c["column"] for c in step["candidates"] if c["score"] is not None]
            shown = [name for name in self._columns if name in candidates[:2]]
            return say("lab_hint_two", lang, columns=join_names(shown, lang))
        if kind == "average_gain":
            n = sum(c["gain"] is not None for c in step["candidates"])
            return say("lab_hint_average", lang, n=n)
        if kind.startswith("branch_"):
            return self._third_of_branch(step, blank, kind, lang)
        if kind == "path":
            return self._parent(blank["node"], lang)
        if kind == "condition":
            return self._values(blank, lang)
        if "column" not in blank or kind == "count":
            return None
        candidate = next((c for c in step["candidates"] if c["column"] == blank["column"]), None)
        if candidate is None or candidate["gain"] is None:
            return say("lab_hint_cannot", lang, column=quoted(blank["column"]))
        return self._calculation(_calculation_text(kind, step, candidate), lang)

    def _third_of_branch(self, step: Plain, blank: Plain, kind: str, lang: str) -> str | None:
        if kind == "branch_result":
            return self._branch_counts(step, blank, lang)
        if kind == "branch_value":
            return self._branch_order(step, lang)
        node = blank["node"]
        return say("lab_hint_branch_sum", lang, n=node, rows=self._row_list(node, lang))

    @staticmethod
    def _calculation(text: str, lang: str) -> str:
        return say("lab_hint_calculation", lang, formula=text)

    def _part_total(self, step: Plain, blank: Plain) -> Sequence[float] | None:
        found = (c for c in step["candidates"] if c["column"] == blank["column"])
        candidate: Plain = next(found, {})
        branches = candidate.get("branches", [])
        names = self._part_names(blank["column"])
        if not names:
            return branches[blank["part"] - 1]["total"] if branches else None
        wanted = names[blank["part"] - 1]
        return next((b["total"] for b in branches if b["answer"] == wanted), None)

    def _branch_counts(self, step: Plain, blank: Plain, lang: str) -> str | None:
        chosen = next((c for c in step["candidates"] if c["column"] == step["question"]), None)
        if chosen is None:
            return None
        if blank["branch"] > len(chosen["branches"]):
            return say("lab_hint_no_branch", lang, n=len(chosen["branches"]))
        parts = [
            f"{branch['answer']}: "
            + join_clauses(
                (
                    f"{class_} {weight_text(n)}"
                    for class_, n in zip(self._sheet["classes"], branch["total"], strict=True)
                ),
                lang,
            )
            for branch in chosen["branches"]
        ]
        return say("lab_hint_counts", lang, counts=_lines(parts, lang))

    def _branch_order(self, step: Plain, lang: str) -> str:
        """Return the order of the branches of the chosen column, which the student knows."""
        parts = self._part_names(step["question"])
        if not parts:
            return say("lab_hint_branch_two", lang)
        return say("lab_hint_branch_parts", lang, parts=join_names(parts, lang))

    def _parent(self, node: int, lang: str) -> str:
        tree, nodes = self._worksheet.tree, split_nodes(self._worksheet.tree)
        parent = nodes.index(int(tree.nodes.parent[nodes[node - 1]])) + 1
        return say("lab_hint_parent", lang, n=node, parent=parent)

    def _values(self, blank: Plain, lang: str) -> str:
        """Return the values of a column in a node, in their order, with the classes of the rows."""
        position = self._columns[blank["column"]] - 1
        about = self._sheet["columns"][position]
        rows = [self._sheet["rows"][row - 1] for row in self._rows[blank["node"] - 1]]
        classes: dict[Any, list[str]] = {}
        for row in rows:
            classes.setdefault(row[position], []).append(str(row[-1]))
        if about["kind"] == "numeric":
            order = sorted(classes)
        else:
            order = sorted(classes, key=lambda value: about["categories"].index(str(value)))
        colon = say("label_colon", lang)
        listed = [f"{value}{colon}{join_clauses(classes[value], lang)}" for value in order]
        values = {"column": quoted(about["name"]), "values": _lines(listed, lang)}
        return say("lab_hint_values", lang, n=blank["node"], **values)

    def _row_list(self, node: int, lang: str) -> str:
        rows = [str(row) for row in self._rows[node - 1]]
        return join_names(rows, lang, shown=len(rows))


_BRANCH_HINTS = {"value": "branch_value", "rows": "branch_rows", "result": "branch_result"}


def _row_numbers(worksheet: Worksheet) -> list[list[int]]:
    """Return the rows of each node that is split, numbered as the worksheet numbers them."""
    tree = worksheet.tree
    stops = apply(tree, worksheet.table).tolist()
    return [
        [row for row, stop in enumerate(stops, start=1) if node in tree.path(stop)]
        for node in split_nodes(tree)
    ]


def _lines(parts: Iterable[str], lang: str) -> str:
    colon = ": " if lang == "en" else "："
    return join_clauses((part.replace(": ", colon, 1) for part in parts), lang, semicolon=True)


def _impurity(kind: str, total: Sequence[float]) -> str:
    return (gini_formula if kind == "gini" else entropy_formula)(total).text()


def _calculation_text(kind: str, step: Plain, candidate: Plain) -> str:
    """Return a calculation by counts alone, with nothing that another blank asks for."""
    branches = candidate["branches"]
    whole = weight_text(sum(branch["rows"] for branch in branches))
    word = "Gini" if kind == "gini_after" else "Ent"
    parts = " + ".join(
        f"{weight_text(b['rows'])}/{whole} × {word}({', '.join(map(weight_text, b['total']))})"
        for b in branches
    )
    gain = f"Ent({', '.join(map(weight_text, step['total']))}) - ({parts})"
    sizes = [branch["rows"] for branch in branches]
    information = entropy_formula(sizes).text()
    texts = {
        "entropy_after": parts,
        "gini_after": parts,
        "gain": gain,
        "split_information": information,
        "gain_ratio": f"({gain}) / ({information})",
    }
    return texts[kind]


def _with_sums(formula: str) -> str:
    """Return a formula with the sign of a sum instead of English words.

    Examples
    --------
    >>> _with_sums("Ent(D) = -sum over k of p_k log2 p_k")
    'Ent(D) = -Σ_k p_k log2 p_k'
    """
    return re.sub(r"sum over (\w+) of ", r"Σ_\1 ", formula)
