"""Common parts of the exports to programming languages: if and else, lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from penjing.export import conditions
from penjing.export.plan import Plan

MAX_DEPTH = 20
"""Deeper trees are written as tables."""
MAX_NODES = 600
"""Trees with more nodes are written as tables: Java limits the size of a method."""
MAX_TESTS = 12
"""Trees with more tests (split and surrogates) in a node are written as tables."""
WIDTH = 96


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax of conditions and blocks in a language; ``{v}`` stands for the variable."""

    and_: str
    or_: str
    true: str
    false: str
    number: Callable[[float], str]
    text: Callable[[str], str]
    missing_number: str
    known_number: str
    missing_text: str
    known_text: str
    equals: str
    if_: str
    elif_: str
    close: str
    return_node: Callable[[int, str], str]
    raise_unseen: Callable[[str], str]
    is_in: tuple[str, str] | None = None  # text before and after a list of categories
    not_: str = "!"


def fits_nested_if(plan: Plan) -> bool:
    """Return whether a tree is small enough for nested if and else."""
    return (
        not plan.has_fractions
        and len(plan.splits) <= MAX_NODES
        and plan.tree.depth <= MAX_DEPTH
        and all(len(split.tests) <= MAX_TESTS for split in plan.splits if split)
    )


def if_else_lines(plan: Plan, names: dict[int, str], syntax: Syntax, indent: int = 1) -> list[str]:
    """Return the lines of nested if and else that return the node where a row stops."""
    lines: list[str] = []
    stack: list[tuple[int, int, str]] = [(indent, 0, "")]  # indent, and a node or a line
    while stack:
        depth, node, line = stack.pop()
        if line:
            lines.append("    " * depth + line)
            continue
        split = plan.splits[node]
        following: list[tuple[int, int, str]] = []
        keyword = syntax.if_
        if split is not None and plan.unseen == "error":
            unseen = conditions.unseen_condition(plan, split)
            if unseen != conditions.NEVER:
                c = split.tests[0].column
                condition = condition_text(plan, unseen, names, syntax)
                lines.append("    " * depth + syntax.if_.format(condition))
                lines.append("    " * (depth + 1) + syntax.raise_unseen(plan.name(c)))
                if syntax.close:
                    lines.append("    " * depth + syntax.close)
        for child, test in (
            zip(split.children, conditions.branch_conditions(plan, split), strict=True)
            if split
            else ()
        ):
            if test == conditions.NEVER:
                continue
            following.append((depth, 0, keyword.format(condition_text(plan, test, names, syntax))))
            following.append((depth + 1, child, ""))
            keyword = syntax.elif_
        if following and syntax.close:
            following.append((depth, 0, syntax.close))
        following.append((depth, 0, syntax.return_node(node, prediction_text(plan, node))))
        stack += reversed(following)
    return lines


def condition_text(plan: Plan, test: conditions.Condition, names: dict[int, str], s: Syntax) -> str:
    """Return a condition as text; the recursion is at most as deep as a node has tests."""
    if isinstance(test, conditions.All | conditions.Any):
        if not test.parts:
            return s.true if isinstance(test, conditions.All) else s.false
        parts = [condition_text(plan, part, names, s) for part in test.parts]
        return "(" + (s.and_ if isinstance(test, conditions.All) else s.or_).join(parts) + ")"
    v = names[test.column]
    if isinstance(test, conditions.AtMost):
        return f"{v} <= {s.number(test.cut)}"
    if isinstance(test, conditions.MoreThan):
        return f"{v} > {s.number(test.cut)}"
    is_number = plan.is_numeric(test.column)
    if isinstance(test, conditions.Missing):
        return (s.missing_number if is_number else s.missing_text).format(v=v)
    if isinstance(test, conditions.Known):
        return (s.known_number if is_number else s.known_text).format(v=v)
    texts = plan.texts(test.column)
    levels = [s.text(texts[code]) for code in test.codes]
    if len(levels) == 1 or s.is_in is None:
        membership = s.or_.join(s.equals.format(v=v, level=level) for level in levels)
    else:
        membership = s.is_in[0].format(v=v) + ", ".join(levels) + s.is_in[1]
    if isinstance(test, conditions.NoneOf):
        return f"{s.not_}({membership})"
    return membership if len(levels) == 1 or s.is_in else f"({membership})"


def prediction_text(plan: Plan, node: int) -> str:
    """Return the prediction of a node, for a comment."""
    if plan.tree.is_regression:
        return repr(float(plan.tree.values[node]))
    return plan.classes[int(plan.tree.values[node])]


def comment_safe(text: str) -> str:
    """Return a text, shortened, that is safe in a comment of any language."""
    safe = "".join(c if c.isprintable() and c not in "\\*`" else "·" for c in text)
    return safe if len(safe) <= 60 else safe[:59] + "…"


def wrap_items(items: Iterable[object], indent: str = "    ") -> str:
    """Return items separated by commas, in lines of limited length."""
    lines, line = [], ""
    for item in items:
        piece = f"{item}, "
        if line and len(line) + len(piece) > WIDTH - len(indent):
            lines.append(indent + line.rstrip())
            line = ""
        line += piece
    return "\n".join([*lines, indent + line.rstrip()] if line else lines)


def header_sentence(plan: Plan) -> str:
    """Return the sentence at the top of a program."""
    from penjing import __version__  # noqa: PLC0415 - the top package imports this one

    tree = plan.tree
    recipe = str(tree.recipe.get("name", "by hand"))
    source = tree.about.get("source", {}).get("name")
    rows = f" from {source}" if source else ""
    sentence = f"The tree of {tree.target.name!r}{rows} ({recipe}, penjing {__version__})"
    # A development version must not make the line too long that a release would print.
    length = len(sentence) - len(__version__) + len(__version__.partition(".dev")[0])
    return comment_safe(sentence if length <= 60 else f"The tree of {tree.target.name!r}")
