"""A small tree as a formula of Excel and LibreOffice: IF inside IF.

Texts are compared by EXACT, since ``=`` takes 'a' for 'A'. An empty cell is missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from penjing.arguments import bad_value_error, check_instance
from penjing.errors import CapabilityError
from penjing.export import conditions as when
from penjing.export.plan import Plan, plan_of, refuse_error, refuse_letters, refuse_shares
from penjing.tree.tree_data import TreeData

DEEPEST = 60
"""Excel nests 64 calls."""
LONGEST = 8_000
"""A formula has at most 8,192 characters."""
LONGEST_TEXT = 255
MOST_TESTS = 20
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
        The cell of each column: ``{"texture": "B2"}``. Where it is not given, the columns that
        the tree asks about stand in A2, B2, … in the order of the table it was grown from.
    missing, unseen : str, optional
        As `predict` takes them; else as the tree's recipe says.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "ripe", "faint": "not"}})
    >>> print(write(tree, cells={"texture": "C5"}))
    =IF(EXACT(C5,"clear"),"ripe",IF(EXACT(C5,"faint"),"not","ripe"))
    """
    plan = plan_of(tree, "excel", missing=missing, unseen=unseen)
    refuse_shares(plan, "excel")
    refuse_error(plan, "excel")
    refuse_letters(plan, "excel", lambda letter: letter == "\0")
    places = cells_of(plan.tree, cells)
    n_tests = max((len(ask.tests) for ask in plan.asks if ask), default=0)
    depth = _depth(plan)
    if depth > DEEPEST or n_tests > MOST_TESTS:
        raise CapabilityError("export_too_deep", kind="excel", depth=depth, limit=DEEPEST)
    made: dict[int, str] = {}
    for node in range(len(plan.asks) - 1, -1, -1):
        found, ask = _answer(plan, node), plan.asks[node]
        arms = list(zip(ask.children, when.branches(plan, ask), strict=True)) if ask else []
        for child, test in reversed(arms):
            below = made.pop(child)
            if test != when.NEVER:
                found = f"IF({_written(plan, test, places)},{below},{found})"
        made[node] = found
        if len(found) > LONGEST:
            raise CapabilityError("export_too_long", kind="excel", limit=LONGEST)
    return f"={made[0]}"


def cells_of(tree: TreeData, cells: Mapping[str, str] | None = None) -> dict[int, str]:
    """Return the cell of each column that a tree asks about."""
    from penjing.predict.inputs import used_columns  # noqa: PLC0415 - only here

    asked = used_columns(tree)
    if cells is None:
        return {c: f"{_letters(place)}2" for place, c in enumerate(asked)}
    check_instance("cells", cells, Mapping, "not_mapping")
    found = {}
    for c in asked:
        name = tree.schema[c].name
        cell = cells.get(name, "")
        if not isinstance(cell, str) or not CELL.fullmatch(cell):
            raise bad_value_error("export_cell", "cells", cells.get(name), str, column=name)
        found[c] = cells[name]
    return found


def _depth(plan: Plan) -> int:
    """Return how many IFs stand inside each other: a node's later branches are deeper."""
    depth = [0] * len(plan.asks)
    for node, ask in enumerate(plan.asks):
        for place, child in enumerate(ask.children if ask else ()):
            depth[child] = depth[node] + place + 1
    return max(depth)


def _letters(place: int) -> str:
    text = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        text = chr(65 + letter) + text
    return text


def _answer(plan: Plan, node: int) -> str:
    value = plan.tree.values[node]
    if plan.tree.is_regression:
        return _number(float(value))
    class_ = plan.tree.classes[int(value)]
    return _text(class_) if isinstance(class_, str) else _text(plan.classes[int(value)])


def _written(plan: Plan, test: when.Condition, cells: Mapping[int, str]) -> str:
    if isinstance(test, when.All | when.Any):
        if not test.parts:
            return "TRUE" if isinstance(test, when.All) else "FALSE"
        parts = ",".join(_written(plan, part, cells) for part in test.parts)
        return f"{'AND' if isinstance(test, when.All) else 'OR'}({parts})"
    cell = cells[test.column]
    if isinstance(test, when.AtMost):
        return f"AND(ISNUMBER({cell}),{cell}<={_number(test.cut)})"
    if isinstance(test, when.MoreThan):
        return f"AND(ISNUMBER({cell}),{cell}>{_number(test.cut)})"
    is_number = plan.is_numeric(test.column)
    if isinstance(test, when.Missing):
        return f"NOT(ISNUMBER({cell}))" if is_number else f"ISBLANK({cell})"
    if isinstance(test, when.Known):
        return f"ISNUMBER({cell})" if is_number else f"NOT(ISBLANK({cell}))"
    levels = zip(plan.levels(test.column), plan.texts(test.column), strict=True)
    texts = [text.upper() if isinstance(level, bool) else text for level, text in levels]
    found = [f"EXACT({cell},{_text(texts[code])})" for code in test.codes]
    among = found[0] if len(found) == 1 else f"OR({','.join(found)})"
    return among if isinstance(test, when.OneOf) else f"NOT({among})"


def _number(value: float) -> str:
    """Return a number; Excel reads fifteen digits, so one that needs more is put together."""
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
    if len(text) > LONGEST_TEXT:
        raise CapabilityError("export_too_long", kind="excel", limit=LONGEST_TEXT)
    plain = '"' + text.replace('"', '""') + '"'
    for code in range(1, 32):  # a line end inside a formula would be laid out, not kept
        plain = plain.replace(chr(code), f'"&CHAR({code})&"')
    return plain
