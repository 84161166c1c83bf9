"""What a pruner decided, question by question, in a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from penjing.i18n import say
from penjing.prune.decisions import OWN_MEASURES
from penjing.text.labels import branch_text, quoted, value_text, weight_text
from penjing.text.text_table import align_left, align_right, clip, max_width
from penjing.tree.tree_data import TreeData

STEP, ROWS, SUBTREE = 4, 4, 9
"""The least widths of the first columns."""
MEASURES = ("training", "validation", "test", "leave_one_out")
"""What trees are measured by, in the order of telling."""
_MEASURES = ("correct", "squares", "errors", "bits", "costs")
_ESTIMATES = ("errors", "bits", "costs")
"""What is estimated, not counted: shown with decimals."""
_DECIDED = ("cut", "keep", "raise")
ANSWERS = 6
"""How many answers of a path are told."""
PATH = 60
"""A longer path is cut at its beginning."""


def write(
    tree: TreeData, record: Mapping[str, Any], lang: str = "en", *, ascii_only: bool = False
) -> str:
    """Return every decision that a pruner made.

    Parameters
    ----------
    tree : TreeData
        The tree as it was before.
    record : dict
        What the pruned tree says of it: one entry of ``about["pruning"]``.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    heads = [
        say(key, lang)
        for key in (
            "prune_step", "prune_subtree", "prune_rows", f"prune_{measure_of(record)}",
            "prune_leaf", "prune_decision",
        )
    ]  # fmt: skip
    rows = [
        _row(tree, place, decision, measure_of(record), lang, ascii_only=ascii_only)
        for place, decision in enumerate(record["decisions"], start=1)
    ]
    down = list(zip(heads, *rows, strict=True))
    first = max(max_width([down[0][0]], STEP), max_width(down[0][1:]) + 1)
    second = max(max_width(down[1][:1]) + 2, max_width(down[1][1:]), SUBTREE)
    # Rows stand close to the subtree, whose own heading is short.
    third = max(max_width(down[2][:1], ROWS), max_width(down[2][1:]) + 2)
    fourth, fifth = max_width(down[3]) + 2, max_width(down[4]) + 2
    lines: list[str] = []
    for step, subtree, n, kept, as_leaf, decision in zip(*down, strict=True):
        number = (
            align_left(step, first + 2)
            if not lines
            else align_left(align_right(step, first - 1), first + 2)
        )
        cells = align_right(n, third) + align_right(kept, fourth) + align_right(as_leaf, fifth)
        lines.append(f"{number}{align_left(subtree, second)}{cells}  {decision}".rstrip())
    return "\n".join(lines)


def measure_of(record: Mapping[str, Any]) -> str:
    """Return what the numbers of a pruner are; early models called all of them errors."""
    return OWN_MEASURES.get(str(record.get("method")), str(record.get("measure")))


def _row(
    tree: TreeData,
    place: int,
    decision: Mapping[str, Any],
    measure: str,
    lang: str,
    *,
    ascii_only: bool,
) -> tuple[str, ...]:
    node = int(decision["node"])
    number = (lambda v: f"{v:.3f}") if measure in _ESTIMATES else weight_text
    if decision["decision"] == "cut":
        arrow = "->" if ascii_only else "→"
        decided = say("prune_cut", lang, arrow=arrow, answer=value_text(tree, node))
    else:
        decided = say("prune_keep", lang)
    if measure not in _ESTIMATES:  # two numbers that may be equal: say what that was taken for
        comma = ", " if lang == "en" else "，"
        decided += comma + say(f"prune_why_{decision['why']}", lang)
    subtree = _path(tree, node, lang, ascii_only=ascii_only)
    if not tree.is_leaf[node]:  # a division that was taken back while growing left no question
        subtree += f" ({quoted(tree.schema[int(tree.nodes.column[node])].name)})"
    return (
        str(place),
        subtree,
        weight_text(decision["rows"]),
        number(decision["kept"]),
        number(decision["as_leaf"]),
        decided,
    )


def _path(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    """Return 'texture=clear, colour=dark': a path without blanks around its signs."""
    steps = [
        re.sub(" (=|≤|<=|<|>|>=|≥) ", r"\1", branch_text(tree, step, ascii_only=ascii_only))
        for step in tree.path(node)[1:]
    ]
    text = ", ".join(steps) or say("root", lang)
    return text if len(text) <= PATH else clip(text[::-1], PATH, dots="...")[::-1]


def steps(
    tree: TreeData,
    record: Mapping[str, Any],
    lang: str = "en",
    *,
    ascii_only: bool = False,
    limit: int | None = None,
) -> str:
    """Return what a pruner decided, a line a question, as the pruned tree keeps it.

    Parameters
    ----------
    tree : TreeData
        The pruned tree.
    record : dict
        One entry of ``about["pruning"]``.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    limit : int, optional
        Tell only so many decisions.
    """
    decisions = record.get("decisions", ())
    n = len(decisions)
    lines = [say("pruned_head", lang, method=record.get("method", "?"), n=n)]
    for place, decision in enumerate(decisions[:limit], start=1):
        text = step(tree, record, decision, lang, ascii_only=ascii_only)
        lines.append(f"  {place}. {text}")
    if limit is not None and limit < n:
        lines.append(say("story_more", lang, n=n - limit))
    return "\n".join(lines)


def step(
    tree: TreeData,
    record: Mapping[str, Any],
    decision: Mapping[str, Any],
    lang: str = "en",
    *,
    ascii_only: bool = False,
) -> str:
    """Return one decision: which node, both estimates, what was decided."""
    now, node = decision.get("now"), decision.get("node")
    if isinstance(now, int) and 0 <= now < tree.n_nodes:
        path = _short_path(tree, now, lang, ascii_only=ascii_only)
        key = "pruned_gone" if decision.get("is_gone") else "pruned_here"
        place = say(key, lang, node=node, now=now, path=path)
    else:
        place = say("pruned_node", lang, node=node)
    measure, decided = measure_of(record), decision.get("decision")
    measure = say(f"prune_{measure}", lang) if measure in _MEASURES else ""
    decided = say(f"pruned_{decided}", lang) if decided in _DECIDED else str(decided)
    told = {key: _estimate(decision.get(key)) for key in ("kept", "as_leaf")}
    return say("pruned_step", lang, place=place, measure=measure, decided=decided, **told)


def _estimate(value: Any) -> str:  # noqa: ANN401 - what a model file says
    return "–" if value is None else f"{value:.6g}"


def _short_path(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    """Return the last answers that lead to a node; the rest of a deep tree is not walked."""
    last: list[str] = []
    while node > 0 and len(last) < ANSWERS:
        last.append(branch_text(tree, node, ascii_only=ascii_only))
        node = int(tree.nodes.parent[node])
    if node > 0:
        last.append("..." if ascii_only else "…")
    return ", ".join(last[::-1]) or say("root", lang)


def numbers(told: Mapping[str, Any], lang: str = "en") -> str:
    """Return the numbers of a tree in one line: leaves, and rows answered rightly."""
    texts = [say("leaves", lang, n=told["leaves"][0])]
    for key in MEASURES:
        if key in told:
            align_right, of = _right(told[key][0])
            texts.append(say(f"n_{key}", lang, right=align_right, of=of))
    return (", " if lang == "en" else "，").join(texts)


def before_after(told: Mapping[str, Any], lang: str = "en") -> str:
    """Return the numbers of a tree before and after it was pruned."""
    n_before, n_after = told["leaves"]
    texts = [say("prune_leaves", lang, before=n_before, after=n_after)]
    for key in MEASURES:
        if key in told:
            pairs = ["/".join(_right(part)) for part in told[key]]
            texts.append(
                say("prune_before_after", lang, name=say(f"name_{key}", lang),
                    before=pairs[0], after=pairs[1])
            )  # fmt: skip
    return ("; " if lang == "en" else "；").join(texts)


def _right(told: Mapping[str, Any]) -> tuple[str, str]:
    return weight_text(float(told["correct"])), weight_text(float(told["of"]))
