"""What the programming languages share: if and else, lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from penjing.export import conditions as when
from penjing.export.plan import Plan

DEEPEST = 20
"""Trees of more questions are written as tables."""
MOST_NODES = 600
"""So are trees of more nodes: a method of Java may not be long."""
MOST_TESTS = 12
"""And so are nodes with more tests."""
WIDTH = 96


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes conditions and blocks; ``{v}`` stands for the variable."""

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
    one: str
    if_: str
    elif_: str
    close: str
    stop: Callable[[int, str], str]
    fail: Callable[[str], str]
    many: tuple[str, str] | None = None  # before and after the levels that one is among
    not_: str = "!"


def is_small(plan: Plan) -> bool:
    """Say whether a tree is written as if and else."""
    return (
        not plan.is_shared
        and len(plan.asks) <= MOST_NODES
        and plan.tree.depth <= DEEPEST
        and all(len(ask.tests) <= MOST_TESTS for ask in plan.asks if ask)
    )


def blocks(plan: Plan, names: dict[int, str], syntax: Syntax, indent: int = 1) -> list[str]:
    """Return a tree as if and else, line by line; each end gives the node where a row stops."""
    lines: list[str] = []
    waiting: list[tuple[int, int, str]] = [(indent, 0, "")]  # a node, or a line
    while waiting:
        depth, node, line = waiting.pop()
        if line:
            lines.append("    " * depth + line)
            continue
        ask = plan.asks[node]
        after: list[tuple[int, int, str]] = []
        word = syntax.if_
        if ask is not None and plan.unseen == "error":
            odd = when.unseen(plan, ask)
            if odd != when.NEVER:
                c = ask.tests[0].column
                refused = written(plan, odd, names, syntax)
                lines.append("    " * depth + syntax.if_.format(refused))
                lines.append("    " * (depth + 1) + syntax.fail(plan.name(c)))
                if syntax.close:
                    lines.append("    " * depth + syntax.close)
        for child, test in zip(ask.children, when.branches(plan, ask), strict=True) if ask else ():
            if test == when.NEVER:
                continue
            after.append((depth, 0, word.format(written(plan, test, names, syntax))))
            after.append((depth + 1, child, ""))
            word = syntax.elif_
        if after and syntax.close:
            after.append((depth, 0, syntax.close))
        after.append((depth, 0, syntax.stop(node, answer_text(plan, node))))
        waiting += reversed(after)
    return lines


def written(plan: Plan, test: when.Condition, names: dict[int, str], s: Syntax) -> str:
    """Return a condition as text; it is never deeper than a node has tests."""
    if isinstance(test, when.All | when.Any):
        if not test.parts:
            return s.true if isinstance(test, when.All) else s.false
        parts = [written(plan, part, names, s) for part in test.parts]
        return "(" + (s.and_ if isinstance(test, when.All) else s.or_).join(parts) + ")"
    v = names[test.column]
    if isinstance(test, when.AtMost):
        return f"{v} <= {s.number(test.cut)}"
    if isinstance(test, when.MoreThan):
        return f"{v} > {s.number(test.cut)}"
    is_number = plan.is_numeric(test.column)
    if isinstance(test, when.Missing):
        return (s.missing_number if is_number else s.missing_text).format(v=v)
    if isinstance(test, when.Known):
        return (s.known_number if is_number else s.known_text).format(v=v)
    texts = plan.texts(test.column)
    levels = [s.text(texts[code]) for code in test.codes]
    if len(levels) == 1 or s.many is None:
        found = s.or_.join(s.one.format(v=v, level=level) for level in levels)
    else:
        found = s.many[0].format(v=v) + ", ".join(levels) + s.many[1]
    if isinstance(test, when.NoneOf):
        return f"{s.not_}({found})"
    return found if len(levels) == 1 or s.many else f"({found})"


def answer_text(plan: Plan, node: int) -> str:
    """Return what a node answers, for a comment."""
    if plan.tree.is_regression:
        return repr(float(plan.tree.values[node]))
    return plan.classes[int(plan.tree.values[node])]


def harmless(text: str) -> str:
    """Return a text that ends no comment and starts no escape, in any language."""
    kept = "".join(c if c.isprintable() and c not in "\\*`" else "·" for c in text)
    return kept if len(kept) <= 60 else kept[:59] + "…"


def wrapped(items: Iterable[object], indent: str = "    ") -> str:
    """Return items divided by commas, in lines that are not too long."""
    lines, line = [], ""
    for item in items:
        piece = f"{item}, "
        if line and len(line) + len(piece) > WIDTH - len(indent):
            lines.append(indent + line.rstrip())
            line = ""
        line += piece
    return "\n".join([*lines, indent + line.rstrip()] if line else lines)


def origin(plan: Plan) -> str:
    """Return the sentence that heads a program."""
    from penjing import __version__  # noqa: PLC0415 - the package's own name, set above all rooms

    tree = plan.tree
    how = str(tree.recipe.get("name", "by hand"))
    source = tree.about.get("source", {}).get("name")
    rows = f" from {source}" if source else ""
    told = f"The tree of {tree.target.name!r}{rows} ({how}, penjing {__version__})"
    return harmless(told) if len(told) <= 60 else harmless(f"The tree of {tree.target.name!r}")
