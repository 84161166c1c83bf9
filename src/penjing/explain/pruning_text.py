"""The decisions of a pruner as text: a table, or one line for each decision."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from penjing.formatting.text_table import align_left, align_right, clip, dots, max_width
from penjing.i18n import number_text, say, say_for
from penjing.prune.decisions import OWN_MEASURES
from penjing.text.labels import (
    MAX_GROUP_WIDTH,
    branch_text,
    condition_text,
    quoted,
    value_text,
    weight_text,
)
from penjing.text.phrases import join_clauses, method_name
from penjing.text.row_amounts import amount_heading
from penjing.tree.tree_data import TreeData

MIN_STEP_WIDTH, MIN_ROWS_WIDTH, MIN_SUBTREE_WIDTH = 4, 4, 9
"""Minimum widths of the first columns."""
MEASURES = ("training", "validation", "test", "leave_one_out")
"""The tables on which trees are measured, in the order of output."""
_MEASURES = ("correct", "squares", "errors", "bits", "costs")
_ESTIMATES = ("errors", "bits", "costs")
"""Measures that are estimated, not counted: shown with decimals."""
_DECISIONS = ("cut", "keep", "raise")
MAX_STEPS = 6
"""Number of steps of a path that are shown."""
MAX_PATH_WIDTH = 60
"""Wider paths are clipped at their beginning."""


def write(
    tree: TreeData, record: Mapping[str, Any], lang: str = "en", *, ascii_only: bool = False
) -> str:
    """Return a table of all decisions of a pruner.

    Parameters
    ----------
    tree : TreeData
        The tree before pruning.
    record : dict
        One entry of ``about["pruning"]`` of the pruned tree.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    """
    total = _validation_weight(record)
    keys = ["prune_step", "prune_subtree", "prune_rows"]
    keys += [f"prune_{measure_of(record)}", f"prune_leaf_{measure_of(record)}"]
    keys += ["prune_tree_kept", "prune_tree_leaf"] if total else []
    headings = [say(key, lang) for key in (*keys, "prune_decision")]
    headings[2] = amount_heading(tree, "prune_rows", lang)
    rows = [
        _row(tree, index, decision, measure_of(record), lang, total=total, ascii_only=ascii_only)
        for index, decision in enumerate(record["decisions"], start=1)
    ]
    columns = list(zip(headings, *rows, strict=True))
    first = max(max_width([columns[0][0]], MIN_STEP_WIDTH), max_width(columns[0][1:]) + 1)
    second = max(max_width(columns[1][:1]) + 2, max_width(columns[1][1:]), MIN_SUBTREE_WIDTH)
    # The numbers of rows may begin under the heading of the subtree, which is short.
    third = max(max_width(columns[2][:1], MIN_ROWS_WIDTH), max_width(columns[2][1:]) + 2)
    widths = [max_width(column) + 2 for column in columns[3:-1]]
    lines: list[str] = []
    for step, subtree, n, *figures, decision in zip(*columns, strict=True):
        number = align_left(step if not lines else align_right(step, first - 1), first + 2)
        cells = align_right(n, third) + "".join(map(align_right, figures, widths))
        lines.append(f"{number}{align_left(subtree, second)}{cells}  {decision}".rstrip())
    return "\n".join(lines)


def measure_of(record: Mapping[str, Any]) -> str:
    """Return the measure of a pruner; early model files called all measures ``errors``."""
    return OWN_MEASURES.get(str(record.get("method")), str(record.get("measure")))


def _row(
    tree: TreeData,
    index: int,
    decision: Mapping[str, Any],
    measure: str,
    lang: str,
    *,
    total: float,
    ascii_only: bool,
) -> tuple[str, ...]:
    node = int(decision["node"])
    number = (lambda v: f"{v:.3f}") if measure in _ESTIMATES else weight_text
    if decision["decision"] == "cut":
        arrow = "->" if ascii_only else "→"
        outcome = say("prune_cut", lang, arrow=arrow, answer=value_text(tree, node))
    else:
        outcome = say("prune_keep", lang)
    if measure not in _ESTIMATES:  # counts may be equal: say how the tie was decided
        outcome = join_clauses([outcome, say(f"prune_why_{decision['why']}", lang)], lang)
    subtree = _path(tree, node, lang, ascii_only=ascii_only)
    if not tree.is_leaf[node]:  # a split rejected by pre-pruning has left a leaf
        subtree += f" ({quoted(tree.schema[int(tree.nodes.column[node])].name)})"
    figures = [number(decision["kept"]), number(decision["as_leaf"])]
    if total:
        shares = (decision[key] / total for key in ("tree_kept", "tree_as_leaf"))
        figures += [f"{100 * share:.1f}%" for share in shares]
    return str(index), subtree, weight_text(decision["rows"]), *figures, outcome


def _validation_weight(record: Mapping[str, Any]) -> float:
    """Return the weight of the validation set; 0 if nothing was counted on one.

    The root has all its rows, and is always decided.
    """
    decisions = record["decisions"]
    if measure_of(record) != "correct" or not all("tree_kept" in each for each in decisions):
        return 0.0
    return float(max((each["rows"] for each in decisions), default=0.0))


def _path(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    """Return a path without blanks around its operators: 'texture=clear, colour=dark'."""
    steps = [
        re.sub(
            " (=|≤|<=|<|>|>=|≥) ",
            r"\1",
            condition_text(
                branch_text(tree, child, ascii_only=ascii_only),
                lang,
                ascii_only=ascii_only,
                most=MAX_GROUP_WIDTH,
            ),
        )
        for child in tree.path(node)[1:]
    ]
    text = ", ".join(steps) or say("root", lang)
    return (
        text if len(text) <= MAX_PATH_WIDTH else clip(text[::-1], MAX_PATH_WIDTH, dots="...")[::-1]
    )


def decision_list(
    tree: TreeData,
    record: Mapping[str, Any],
    lang: str = "en",
    *,
    ascii_only: bool = False,
    limit: int | None = None,
    for_command: bool | None = False,
) -> str:
    """Return one line for each decision of a pruner.

    Parameters
    ----------
    tree : TreeData
        The pruned tree.
    record : dict
        One entry of ``about["pruning"]``.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    limit : int, optional
        Maximum number of decisions.
    for_command : bool
        Name options of the command instead of methods; None: name neither.
    """
    decisions = record.get("decisions", ())
    n = int(record.get("n_decisions", len(decisions)))
    method = method_name(str(record.get("method", "?")), lang)
    lines = [say("pruned_head", lang, method=method, n=n)]
    for index, decision in enumerate(decisions[:limit], start=1):
        text = decision_text(tree, record, decision, lang, ascii_only=ascii_only)
        lines.append(f"  {index}. {text}")
    if limit is not None and limit < len(decisions):
        lines.append(more_steps(len(decisions) - limit, lang, for_command=for_command))
    return "\n".join(lines)


def more_steps(n: int, lang: str, *, for_command: bool | None = False) -> str:
    """Return the sentence on steps that are not listed, and how to list them.

    Examples
    --------
    >>> more_steps(8, "en"), more_steps(8, "en", for_command=None)
    ('8 more steps; trace.text(steps=None) shows all.', '8 more steps.')
    """
    if for_command is None:
        return say("story_more_report", lang, n=n)
    return say_for(for_command, "story_more", lang, n=n)


def decision_text(
    tree: TreeData,
    record: Mapping[str, Any],
    decision: Mapping[str, Any],
    lang: str = "en",
    *,
    ascii_only: bool = False,
) -> str:
    """Return one decision as a line: the node, both estimates, and the decision."""
    now, node = decision.get("now"), decision.get("node")
    if isinstance(now, int) and 0 <= now < tree.n_nodes:
        path = _short_path(tree, now, lang, ascii_only=ascii_only)
        key = "pruned_gone" if decision.get("is_gone") else "pruned_here"
        if now == node and key == "pruned_here":
            key = "pruned_same"
        location = say(key, lang, node=node, now=now, path=path)
    else:
        location = say("pruned_node", lang, node=node)
    measure, outcome = measure_of(record), decision.get("decision")
    is_known = measure in _MEASURES
    names = {
        "measure": say(f"prune_{measure}", lang) if is_known else "",
        "leaf_measure": say(f"prune_leaf_{measure}", lang) if is_known else "",
    }
    outcome = say(f"pruned_{outcome}", lang) if outcome in _DECISIONS else str(outcome)
    estimates = {key: _estimate(decision.get(key)) for key in ("kept", "as_leaf")}
    return say("pruned_step", lang, place=location, decided=outcome, **names, **estimates)


LARGE = 100_000
"""Estimates from this number on are printed without decimals, others with six digits."""


def _estimate(value: Any) -> str:  # noqa: ANN401 - read from a model file
    if value is None:
        return "–"
    return f"{value:.6g}" if abs(value) < LARGE else number_text(round(value))


def _short_path(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    """Return the last steps of the path to a node, in constant time for deep trees."""
    last: list[str] = []
    while node > 0 and len(last) < MAX_STEPS:
        branch = branch_text(tree, node, ascii_only=ascii_only)
        style: dict[str, Any] = {"ascii_only": ascii_only, "most": MAX_GROUP_WIDTH}
        last.append(condition_text(branch, lang, **style))
        node = int(tree.nodes.parent[node])
    if node > 0:
        last.append(dots(ascii_only=ascii_only))
    return ", ".join(last[::-1]) or say("root", lang)


def measures_line(measures: Mapping[str, Any], lang: str = "en") -> str:
    """Return the measures of a tree on one line: leaves, and correctly predicted rows."""
    texts = [say("leaves", lang, n=measures["leaves"][0])]
    for key in MEASURES:
        if key in measures:
            correct, total = _correct_and_total(measures[key][0])
            texts.append(say(f"n_{key}", lang, right=correct, of=total))
    return join_clauses(texts, lang)


def before_after_line(measures: Mapping[str, Any], lang: str = "en") -> str:
    """Return the measures of a tree before and after pruning on one line."""
    n_before, n_after = measures["leaves"]
    if measures.get("is_grown"):  # pre-pruning starts from a single leaf
        texts = [say("prune_leaves_grown", lang, n=n_after, after=n_after)]
        for key in (key for key in MEASURES if key in measures):
            before, after = ("/".join(_correct_and_total(part)) for part in measures[key])
            name = say(f"name_{key}", lang)
            texts.append(say("prune_grown", lang, name=name, before=before, after=after))
        return join_clauses(texts, lang, semicolon=True)
    texts = [say("prune_leaves", lang, before=n_before, after=n_after)]
    for key in MEASURES:
        if key in measures:
            pairs = ["/".join(_correct_and_total(part)) for part in measures[key]]
            texts.append(
                say("prune_before_after", lang, name=say(f"name_{key}", lang),
                    before=pairs[0], after=pairs[1])
            )  # fmt: skip
    return join_clauses(texts, lang, semicolon=True)


def _correct_and_total(measures: Mapping[str, Any]) -> tuple[str, str]:
    return weight_text(float(measures["correct"])), weight_text(float(measures["of"]))
