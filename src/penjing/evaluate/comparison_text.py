"""The comparison of two trees as text: measures, rows that differ, statistical evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from penjing.formatting.lists import numbered_rows
from penjing.formatting.text_table import table_lines
from penjing.i18n import say
from penjing.text.formula import tie_score_text
from penjing.text.labels import figure_text, number_text, quoted, rounded_text, weight_text
from penjing.text.phrases import join_clauses, join_names, number_word

Plain = Mapping[str, Any]

MIN_NAME_WIDTH = 13
"""Minimum width of the column with the names of the trees."""
SIGNIFICANCE = 0.05
"""Differences with a smaller p value count as evidence."""
MAX_DIFFERENCES = 3
"""Number of structural differences that are listed."""


def write(comparison: Plain, lang: str = "en") -> str:
    """Return the comparison of two trees.

    Parameters
    ----------
    comparison : dict
        The result of :func:`penjing.compare` for the tables ``training`` and ``test``. Optional
        entries: ``verdict`` (on the test rows), ``test`` (the name of their file),
        ``leave_one_out`` (``correct`` and ``of`` of each tree) and ``is_pruned`` (whether the
        second tree is the first one pruned).
    lang : str
        ``en`` or ``zh``.
    """
    lines = measures_table(comparison, lang)
    sentence = verdict_sentence(comparison, lang)
    if sentence:
        lines.append(sentence)
    # For a tree and its pruned form, the structure matters only if there are no test rows.
    if not (comparison.get("is_pruned") and sentence):
        lines.append(structure_sentence(comparison, lang))
    return "\n".join(lines)


def measures_table(comparison: Plain, lang: str) -> list[str]:
    """Return the lines with the measures of both trees."""
    trees = comparison["trees"]
    names = [tree["name"] for tree in trees]
    columns = [["", *names], [say("compare_leaves", lang), *(str(t["leaves"]) for t in trees)]]
    for name in trees[0]["tables"]:
        head = comparison.get("test") or name
        if name in ("training", "validation"):
            head = say(f"compare_{name}", lang)
        if any("squares" in tree["tables"][name] for tree in trees):
            head = say("compare_rmse", lang, name=head)
        columns.append([head, *(_measure(tree["tables"][name]) for tree in trees)])
    gaps = [2] * (len(columns) - 1)
    if any(comparison.get("leave_one_out", ())):
        correct = [_measure(part or {}) for part in comparison["leave_one_out"]]
        columns.append([say("compare_leave_one_out", lang), *correct])
        gaps.append(3)
    return table_lines(list(zip(*columns, strict=True)), gaps, least_name=MIN_NAME_WIDTH)


def _measure(part: Plain) -> str:
    if "squares" in part:
        return figure_text(math.sqrt(part["squares"] / part["weight"]))
    total = part.get("of", part.get("weight"))
    return "-" if total is None else f"{weight_text(part['correct'])}/{weight_text(total)}"


def verdict_sentence(comparison: Plain, lang: str) -> str:
    """Return the test rows on which the trees differ, and whether that is evidence."""
    if "test" not in comparison["rows"]:
        return ""
    rows = [row["row"] for row in comparison["rows"]["test"]]
    table_name = say("test_name", lang)
    if not rows:
        return say("compare_agree", lang, name=table_name)
    ids = [row.get("id") for row in comparison["rows"]["test"]]
    if None not in ids:
        key = "compare_differ_one_ids" if len(ids) == 1 else "compare_differ_ids"
        column = comparison["rows"]["test"][0]["id_column"]
        sentence = say(key, lang, name=table_name, column=column, rows=join_names(ids, lang))
    elif len(rows) == 1:
        sentence = say("compare_differ_one", lang, name=table_name, rows=rows[0])
    else:
        sentence = say("compare_differ", lang, name=table_name, rows=numbered_rows(rows, lang))
    test_verdict = comparison.get("verdict")
    if test_verdict is None:
        return sentence
    return (
        sentence
        + (" " if lang == "en" else "")
        + _evidence(comparison, test_verdict, len(rows), lang)
    )


def _evidence(comparison: Plain, test_verdict: Plain, n: int, lang: str) -> str:
    total = int(comparison["trees"][0]["tables"]["test"]["n"])
    if test_verdict["p"] > SIGNIFICANCE:
        claim = say(
            "compare_claim_pruning" if comparison.get("is_pruned") else "compare_claim", lang
        )
        key = "compare_evidence_one" if n == 1 else "compare_evidence"
        text = say(
            key,
            lang,
            number=number_word(n, lang).capitalize(),
            of=number_word(total, lang),
            claim=claim,
        )
    else:
        is_first = test_verdict["only_a"] > test_verdict["only_b"]
        better = comparison["trees"][0 if is_first else 1]["name"]
        n_better = max(test_verdict["only_a"], test_verdict["only_b"])
        n_differing = test_verdict["only_a"] + test_verdict["only_b"]
        text = say(
            "compare_clear",
            lang,
            better=better,
            n=n_better,
            of=n_differing,
            p=f"{test_verdict['p']:.2g}",
        )
    return text + say(f"compare_loo_{_leave_one_out_key(comparison, test_verdict)}", lang)


def _leave_one_out_key(comparison: Plain, test_verdict: Plain) -> str:
    """Return whether leave-one-out agrees with the test rows on the better tree."""
    left_out: Sequence[Plain | None] = comparison.get("leave_one_out", (None, None))
    test_difference = test_verdict["only_b"] - test_verdict["only_a"]
    if left_out[0] is None or left_out[1] is None or test_difference == 0:
        return "none"
    left_out_difference = left_out[1]["correct"] - left_out[0]["correct"]
    if left_out_difference == 0:
        return "equal"
    return "agrees" if (left_out_difference > 0) == (test_difference > 0) else "disagrees"


def structure_sentence(comparison: Plain, lang: str) -> str:
    """Return where the splits of the trees differ."""
    parts = comparison["differences"]
    if comparison["same"]:
        return say("compare_same", lang)
    names = [str(tree["name"]) for tree in comparison["trees"]]
    texts = [difference_text(part, names, lang) for part in parts[:MAX_DIFFERENCES]]
    if len(parts) == 1 and parts[0]["tie"] is not None:
        key = "compare_tie_below" if parts[0]["below"] else "compare_one_tie"
        return say(key, lang, what=texts[0])
    if len(parts) > MAX_DIFFERENCES:
        texts.append("…")
    what = join_clauses(texts, lang, semicolon=True)
    sentence = say("compare_differences", lang, n=len(parts), what=what)
    if any(part["below"] for part in parts):
        sentence += (" " if lang == "en" else "") + say("compare_below", lang)
    return sentence


def difference_text(part: Plain, names: Sequence[str], lang: str) -> str:
    """Return one place where two trees differ, and what each of them does there."""
    steps = [_step(step) for step in part["path"]]
    location = (
        say("compare_at", lang, place=", ".join(steps)) if steps else say("compare_at_root", lang)
    )
    if part["tie"] is not None:
        columns = {"a": quoted(part["a"]["column"]), "b": quoted(part["b"]["column"])}
        score = tie_score_text(part["tie"])
        return say("compare_tie", lang, place=location, score=score, **columns)
    if part["kind"] == "groups":
        return say("compare_groups", lang, place=location, a=quoted(part["a"]["column"]))
    thresholds = _threshold_texts(part) if part["kind"] == "cut" else ("", "")
    answers = _prediction_texts(part)
    sides = {
        side: _side_text(part[side], name, threshold, answer, lang)
        for side, name, threshold, answer in zip(
            ("a", "b"), names, thresholds, answers, strict=True
        )
    }
    return say(f"compare_{part['kind']}", lang, place=location, **sides)


def _step(step: Plain) -> str:
    if "cut" in step:
        return f"{quoted(step['column'])} {step['text']}"
    return f"{quoted(step['column'])} = {', '.join(quoted(level) for level in step['levels'])}"


def _threshold_texts(part: Plain) -> tuple[str, str]:
    """Return the thresholds of both trees as printed; with all digits if they look the same."""
    a, b = part["a"], part["b"]
    if a["text"] != b["text"]:
        return f" {a['text']}", f" {b['text']}"
    return f" ≤ {number_text(float(a['cut']))}", f" ≤ {number_text(float(b['cut']))}"


def _prediction_texts(part: Plain) -> tuple[str, str]:
    """Return the predictions of both leaves; numbers with all digits if they look the same."""
    a, b = part["a"], part["b"]
    texts = [rounded_text(v) if isinstance(v, float) else quoted(v) for v in (a, b)]
    if texts[0] == texts[1] and isinstance(a, float) and isinstance(b, float):
        return number_text(a), number_text(b)
    return texts[0], texts[1]


def _side_text(side: Any, name: str, threshold: str, answer: str, lang: str) -> str:  # noqa: ANN401 - a split or a class
    if not isinstance(side, Mapping):
        return say("compare_the_answer", lang, name=name, answer=answer)
    return say("compare_question", lang, name=name, column=quoted(side["column"]) + threshold)
