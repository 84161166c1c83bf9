"""The explanation of a prediction as text: the prediction, the path, and changes that flip it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.formatting.text_table import align_left, max_width
from penjing.i18n import say
from penjing.text.labels import (
    MAX_GROUP_WIDTH,
    ascii_signs,
    condition_text,
    number_text,
    percent_ends,
    quoted,
    rounded_text,
    value_text_between,
    weight_text,
)
from penjing.text.row_amounts import size_of

Plain = Mapping[str, Any]
MAX_COUNTS = 7
"""Of more classes, only the largest ones of a node are listed."""
N_NAMED = 3
"""How many they are."""
_UNSEEN = {"shared": "because_unseen_shared", "missing": "because_unseen_missing"}
"""Where a missing value ends a path: the sentence for a category that is not in the tree."""


def write(explanation: Plain, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return an explanation as text.

    Parameters
    ----------
    explanation : dict
        The result of :meth:`penjing.explain.row.Explanation.to_json`.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    lines = [_answer(explanation, lang)]
    style: dict[str, Any] = {"ascii_only": ascii_only, "most": MAX_GROUP_WIDTH}
    path = [
        {**node, "branch": condition_text(node["branch"], lang, **style)}
        for node in explanation["path"]
        if node["branch"] is not None
    ]
    next_nodes = explanation["path"][1:]
    branch_width = max_width([node["branch"] for node in path], 0) + 2 if path else 0
    for node, next_node in zip(path, next_nodes, strict=True):
        evidence = _evidence(explanation, node, next_node, lang)
        lines.append(f"  {align_left(node['branch'], max(branch_width, 20))}{evidence}".rstrip())
    if explanation["stopped"] is not None:
        last = explanation["path"][-1]
        stopped = explanation["stopped"]
        key = f"because_{stopped}"
        if last["value"] is not None:
            key = _UNSEEN.get(stopped, key)
        names = {"column": quoted(last["question"]), "value": _text(last["value"])}
        lines.append("  " + say(key, lang, **names))
    if explanation["flips"]:
        lines.append(say("because_flips", lang))
        tests = [_tests(flip, lang) for flip in explanation["flips"]]
        test_width = max(max_width(tests, 0) + 2, 22)
        lines += [
            f"  {align_left(test, test_width)}{_prediction(explanation, flip['answer'])}"
            for test, flip in zip(tests, explanation["flips"], strict=True)
        ]
    else:
        lines.append(say("because_no_flip", lang))
    text = "\n".join(lines)
    return ascii_signs(text).replace("→", "->") if ascii_only else text


def _answer(explanation: Plain, lang: str) -> str:
    answer = _prediction(explanation, explanation["answer"])
    interval = explanation.get("interval")
    share = explanation.get("shares", {}).get(str(explanation["answer"]), 0.0)
    if interval is None:
        if explanation["stopped"] != "shared" or "shares" not in explanation:
            return say("because_answer", lang, answer=answer)
        return say("because_answer_mixed", lang, answer=answer, share=f"{100 * share:.0f}")
    low, high = percent_ends(interval)
    share_text = f"{100 * share:.0f}"
    return say("because_answer_share", lang, answer=answer, share=share_text, low=low, high=high)


def _evidence(explanation: Plain, node: Plain, next_node: Plain, lang: str) -> str:
    """Return the value of the row at a split, and the counts of the next node."""
    value = f"({_text(node['value'])})" if node["value"] is not None else "(?)"
    parts = [value]
    by = str(node["by"])
    if by.startswith("surrogate: "):
        key = "because_surrogate" if node["value"] is None else "because_unseen_surrogate"
        test = condition_text(by.removeprefix("surrogate: "), lang, most=MAX_GROUP_WIDTH)
        parts.append(say(key, lang, test=test))
    elif by in ("missing", "unseen"):
        parts.append(say(f"because_{by}_way", lang))
    if "total" in next_node:
        counts = _counts(next_node["total"], list(explanation.get("shares", ())), lang)
        parts.append(f"{counts} → {_prediction(explanation, next_node['answer'])}")
    elif next_node["rows"] is not None:
        size = size_of(next_node["rows"], lang, is_weight="is_weight" in next_node)
        parts.append(f"{size} → {_prediction(explanation, next_node['answer'])}")
    return "  ".join(parts)


def _counts(total: Sequence[float], classes: Sequence[str], lang: str) -> str:
    """Return the counts of the classes; of many classes the largest ones by name, and the rest."""
    if len(total) <= MAX_COUNTS or len(classes) != len(total):
        return " : ".join(weight_text(v) for v in total)
    present = [k for k, weight in enumerate(total) if weight > 0]
    largest = sorted(present, key=lambda k: -total[k])
    named = largest if len(present) <= N_NAMED + 1 else largest[:N_NAMED]
    parts = [f"{quoted(classes[k])} {weight_text(total[k])}" for k in named]
    if rest := largest[len(named) :]:
        weight = weight_text(sum(total[k] for k in rest))
        parts.append(say("because_other_classes", lang, n=len(rest), weight=weight))
    return say("list_comma", lang).join(parts)


def _tests(flip: Plain, lang: str) -> str:
    return say("rule_and", lang).join(
        condition_text(change["test"], lang, most=MAX_GROUP_WIDTH) for change in flip["changes"]
    )


def _prediction(explanation: Plain, value: Any) -> str:  # noqa: ANN401 - as below
    """Return the text of a prediction; a number as the tree is printed."""
    if "value_range" in explanation:
        return value_text_between(float(value), explanation["value_range"])
    return _text(value)


def _text(value: Any) -> str:  # noqa: ANN401 - a class may be any plain value
    if isinstance(value, float):
        return number_text(value) if value.is_integer() else rounded_text(value)
    return quoted(value)
