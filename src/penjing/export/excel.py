"""A small tree as a formula of nested IFs for Excel and LibreOffice.

Texts are compared with EXACT because ``=`` ignores case. An empty cell is a missing value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from penjing.arguments import bad_value_error, check_instance
from penjing.errors import CapabilityError, ChoiceError, unknown_name_error
from penjing.export import conditions
from penjing.export.plan import (
    Plan,
    build_plan,
    refuse_characters,
    refuse_fractions,
    refuse_unseen_error,
)
from penjing.tree.tree_data import TreeData

MAX_DEPTH = 60
"""Excel allows 64 nested calls."""
MAX_LENGTH = 8_000
"""A formula has at most 8,192 characters."""
MAX_TEXT = 255
MAX_TESTS = 20
CELL = re.compile(r"(?:(?:'[^']+'|\w+)!)?\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}")


def write(
    tree: TreeData,
    *,
    cells: Mapping[str, str] | None = None,
    missing: str | None = None,
    unseen: str | None = None,
) -> str:
    """Return a tree as one formula.

    Parameters
    ----------
    tree : TreeData
        The tree.
    cells : dict, optional
        The cell of each column: ``{"texture": "B2"}``. Default: A2, B2, … for the columns that the
        tree uses, in the order of the training table.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "ripe", "faint": "not"}})
    >>> print(write(tree, cells={"texture": "C5"}))
    =IF(EXACT(C5,"clear"),"ripe",IF(EXACT(C5,"faint"),"not","ripe"))
    """
    plan = build_plan(tree, "excel", missing=missing, unseen=unseen)
    refuse_fractions(plan, "excel")
    refuse_unseen_error(plan, "excel")
    refuse_characters(plan, "excel", lambda character: character == "\0")
    cell_of_column = column_cells(plan.tree, cells)
    depth = _depth(plan)
    if depth > MAX_DEPTH or plan.n_tests > MAX_TESTS:
        raise CapabilityError("export_too_deep", kind="excel", depth=depth, limit=MAX_DEPTH)
    formulas: dict[int, str] = {}
    for node in range(len(plan.splits) - 1, -1, -1):
        formula, split = _prediction(plan, node), plan.splits[node]
        for child, test in reversed(conditions.branches(plan, split)):
            inner = formulas.pop(child)
            if test != conditions.NEVER:
                formula = f"IF({_condition_text(plan, test, cell_of_column)},{inner},{formula})"
        formulas[node] = formula
        if len(formula) > MAX_LENGTH:
            raise CapabilityError("export_too_long", kind="excel", limit=MAX_LENGTH)
    return f"={formulas[0]}"


def column_cells(tree: TreeData, cells: Mapping[str, str] | None = None) -> dict[int, str]:
    """Return the cell of each column that a tree uses."""
    from penjing.predict.inputs import used_columns  # noqa: PLC0415 - only here

    columns = used_columns(tree)
    if cells is None:
        return {c: f"{_letters(position)}2" for position, c in enumerate(columns)}
    check_instance("cells", cells, Mapping, "not_mapping")
    formula = {}
    names = [tree.schema[c].name for c in columns]
    for name in cells:
        if name not in names:
            raise unknown_name_error("export_cell_column", name, names)
    for c in columns:
        name = tree.schema[c].name
        if name not in cells:
            raise ChoiceError("export_cell_absent", column=name)
        cell = cells[name]
        if not isinstance(cell, str) or not CELL.fullmatch(cell):
            raise bad_value_error("export_cell", "cells", cell, str, column=name)
        formula[c] = cells[name]
    return formula


def _depth(plan: Plan) -> int:
    """Return the depth of nested IFs; later branches of a node are deeper."""
    depth = [0] * len(plan.splits)
    for node, split in enumerate(plan.splits):
        for position, child in enumerate(split.children if split else ()):
            depth[child] = depth[node] + position + 1
    return max(depth)


def _letters(position: int) -> str:
    text = ""
    position += 1
    while position:
        position, character = divmod(position - 1, 26)
        text = chr(65 + character) + text
    return text


def _prediction(plan: Plan, node: int) -> str:
    value = plan.tree.values[node]
    if plan.tree.is_regression:
        return _number(float(value))
    class_ = plan.tree.classes[int(value)]
    return _text(class_) if isinstance(class_, str) else _text(plan.classes[int(value)])


def _condition_text(plan: Plan, test: conditions.Condition, cells: Mapping[int, str]) -> str:
    if isinstance(test, conditions.All | conditions.Any):
        if not test.parts:
            return "TRUE" if isinstance(test, conditions.All) else "FALSE"
        parts = ",".join(_condition_text(plan, part, cells) for part in test.parts)
        return f"{'AND' if isinstance(test, conditions.All) else 'OR'}({parts})"
    cell = cells[test.column]
    if isinstance(test, conditions.AtMost):
        return f"AND(ISNUMBER({cell}),{cell}<={_number(test.cut)})"
    if isinstance(test, conditions.MoreThan):
        return f"AND(ISNUMBER({cell}),{cell}>{_number(test.cut)})"
    is_number = plan.is_numeric(test.column)
    if isinstance(test, conditions.Missing):
        return f"NOT(ISNUMBER({cell}))" if is_number else f"ISBLANK({cell})"
    if isinstance(test, conditions.Known):
        return f"ISNUMBER({cell})" if is_number else f"NOT(ISBLANK({cell}))"
    levels = zip(plan.levels(test.column), plan.texts(test.column), strict=True)
    texts = [text.upper() if isinstance(level, bool) else text for level, text in levels]
    formula = [f"EXACT({cell},{_text(texts[code])})" for code in test.codes]
    among = formula[0] if len(formula) == 1 else f"OR({','.join(formula)})"
    return among if isinstance(test, conditions.OneOf) else f"NOT({among})"


def _number(value: float) -> str:
    """Return a number; Excel reads fifteen digits, so others become products of powers of two."""
    if float(f"{value:.15g}") == value:
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    mantissa, exponent = math.frexp(abs(value))
    high, low = divmod(int(mantissa * 2**53), 2**27)
    text, exponent = f"({high}*{2**27}+{low})", exponent - 53
    while exponent:
        step = min(abs(exponent), 49)
        text += f"{'*' if exponent > 0 else '/'}{2**step}"
        exponent -= step if exponent > 0 else -step
    return f"(-{text})" if value < 0 else f"({text})"


def _text(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise CapabilityError("export_too_long", kind="excel", limit=MAX_TEXT)
    plain = '"' + text.replace('"', '""') + '"'
    for code in range(1, 32):  # Excel would not keep control characters in a formula
        plain = plain.replace(chr(code), f'"&CHAR({code})&"')
    return plain
