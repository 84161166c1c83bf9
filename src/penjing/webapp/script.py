"""A workbook as a Python script that gives the same tree."""

from __future__ import annotations

import math
from typing import Any

from penjing.errors import PenjingError
from penjing.i18n import say
from penjing.text.node_path import find_node, node_path
from penjing.tree.tree_data import TreeData
from penjing.webapp.division import shares_of
from penjing.webapp.journal_steps import Step
from penjing.webapp.lab_workbook import Workbook

MODEL = "model.tree"
"""The file of a tree that the lab was given as an object."""


def script_text(workbook: Workbook, lang: str = "en") -> str:
    """Return a script that reads the table, divides it, and grows the tree that is shown.

    Parameters
    ----------
    workbook : Workbook
        The workbook.
    lang : str
        The language of the comments.
    """
    growing = workbook.growing
    lines = [
        f"# {_comment(say('lab_script_head', lang))}",
        "import penjing",
        "",
        *_data_lines(workbook, lang),
        *_division_lines(workbook),
        "",
    ]
    if growing.model is None:
        options: dict[str, Any] = {"recipe": growing.recipe, "sketch": True, "quiet": True}
        if growing.forbid:
            options["forbid"] = list(growing.forbid)
        lines.append(f"tree = penjing.fit(training, {_keywords(options | dict(growing.settings))})")
    else:
        if growing.model_name is None:
            lines.append(f"# {_comment(say('lab_script_model', lang))}")
        lines.append(f"tree = penjing.load({growing.model_name or MODEL!r})")
    tree: TreeData = workbook.tree(workbook.history.first)
    for entry in workbook.history.steps_to(workbook.current):
        assert entry.step is not None
        lines.append(f"# {_comment(entry.text[lang])}")
        lines.append(f"tree = tree.{_call(workbook, tree, entry.step)}")
        tree = workbook.tree(entry.id)
    lines += ["", "print(tree)"]
    lines += [
        f"print(tree.score({part}))"
        for part in ("validation", "test")
        if workbook.given(part) is not None
        and (part == "validation" or workbook.finished is not None)
    ]
    return "\n".join(lines) + "\n"


def _data_lines(workbook: Workbook, lang: str) -> list[str]:
    source = workbook.source
    digest = workbook.table.source.get("sha256")
    lines = []
    if source.locator is None:
        lines.append(f"# {_comment(say('lab_script_object', lang))}")
    elif digest and not source.locator.startswith("example:"):
        lines.append(f"# SHA-256 {digest}")
    lines.append(f"DATA = {source.locator!r}")
    assert workbook.table.target is not None
    if workbook.growing.model is not None:
        return lines  # a tree reads its training rows as they were read
    options = {**source.options}
    options.pop("target", None)
    arguments = ["DATA", repr(workbook.table.target.name)]
    if schema := options.pop("schema", None):
        arguments.append(repr(schema))
    keywords = _keywords({k: v for k, v in options.items() if v is not None} | {"quiet": True})
    lines.append(f"table = penjing.read({', '.join([*arguments, keywords])})")
    return lines


def _division_lines(workbook: Workbook) -> list[str]:
    division = workbook.division
    if workbook.growing.model is not None:
        return ["training = DATA"]
    if division["kind"] != "shares":
        # Not `penjing.read`: a tree reads a file as its training rows were read.
        lines = ["training = table"]
        for part in ("validation", "test"):
            rows = workbook.given(part)
            if rows is not None:
                digest = rows.source.get("sha256")
                lines += [f"# SHA-256 {digest}"] if digest else []
                lines.append(f"{part} = {division[part]['name']!r}")
        return lines
    shares = shares_of(division)
    if not shares.held_out:
        return ["training = table"]
    seed = f"seed={shares.seed}"
    if not shares.test or not shares.validation:
        part = "validation" if shares.validation else "test"
        return [f"training, {part} = penjing.hold_out(table, {shares.held_out!r}, {seed})"]
    return [
        f"training, held_out = penjing.hold_out(table, {shares.held_out!r}, {seed})",
        f"validation, test = penjing.hold_out(held_out, {shares.tested!r}, {seed})",
    ]


def _call(workbook: Workbook, tree: TreeData, step: Step) -> str:
    """Return the method call that makes a step."""
    has_model = workbook.growing.model is not None
    rows: dict[str, Any] = {"data": _Name("training")} if has_model else {}
    if step.act == "prune":
        names = {name: _Name(name) for name in workbook.pruning_rows(step)}
        return f"prune({step.method!r}, {_keywords(names | dict(step.options))})".replace(
            ", )", ")"
        )
    arguments = [repr(node_text(tree, step.node(tree)))]
    if step.act == "split":
        arguments.append(repr(step.column))
        if step.threshold is not None:
            rows = {"threshold": step.threshold, **rows}
        if step.groups is not None:
            rows = {"groups": [list(group) for group in step.groups], **rows}
    method = {"split": "replace_split", "leaf": "prune_at", "regrow": "regrow_at"}[step.act]
    keywords = _keywords({**rows, **step.settings})
    return f"{method}({', '.join([*arguments, *([keywords] if keywords else [])])})"


def node_text(tree: TreeData, node: int) -> int | str:
    """Return the path of a node as `find_node` reads it; its number if that is ambiguous.

    Examples
    --------
    >>> import penjing
    >>> node_text(penjing.fit(penjing.example("fish")), 1)
    "'no surfacing' = 1"
    """
    text = node_path(tree, node)
    try:
        found = find_node(tree, text)
    except PenjingError:
        return node
    return text if found == (node, None) else node


class _Name(str):
    """A name of the script, which is not quoted."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _keywords(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_literal(value)}" for name, value in options.items())


def _literal(value: object) -> str:
    """Return plain data as Python writes it; infinity has no literal.

    Examples
    --------
    >>> print(_literal([1, float("inf")]), _literal({"a": "b"}))
    [1, float('inf')] {'a': 'b'}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
    return repr(value)


def _comment(text: str) -> str:
    """Return a text on one line, as a comment."""
    return " ".join(text.split())
