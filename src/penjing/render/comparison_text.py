"""Two trees side by side as text: numbers, rows on which they differ, what that is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import number_text, quoted, weight_text
from penjing.text.phrases import join_names, number_word
from penjing.text.text_table import align_left, align_right, max_width

Plain = Mapping[str, Any]

NAME = 13
"""The least width of the names of trees."""
CHANCE = 0.05
"""A difference that chance brings about less often than this is one."""
PLACES = 3
"""How many places where trees part are told of."""


def write(told: Plain, lang: str = "en") -> str:
    """Return the comparison of two trees.

    Parameters
    ----------
    told : dict
        What :func:`penjing.compare` returns for the tables ``training`` and ``test``, and
        besides ``verdict`` (of the test rows), ``test`` (what their file is called),
        ``leave_one_out`` (per tree ``correct`` and ``of``) and ``is_pruned`` (whether the second
        tree is the first one pruned), as far as they are known.
    lang : str
        ``en`` or ``zh``.
    """
    lines = table(told, lang)
    sentence = verdict(told, lang)
    if sentence:
        lines.append(sentence)
    # Of a tree and itself pruned, test rows are what matters; without them, what was pruned is.
    if not (told.get("is_pruned") and sentence):
        lines.append(structure(told, lang))
    return "\n".join(lines)


def table(told: Plain, lang: str) -> list[str]:
    """Return the lines with the numbers of both trees."""
    trees = told["trees"]
    names = [tree["name"] for tree in trees]
    columns = [(say("compare_leaves", lang), [str(tree["leaves"]) for tree in trees], 2)]
    for name in trees[0]["tables"]:
        head = say("compare_training", lang) if name == "training" else told.get("test") or name
        columns.append((head, [_right(tree["tables"][name]) for tree in trees], 2))
    if any(told.get("leave_one_out", ())):
        found = [_right(part or {}) for part in told["leave_one_out"]]
        columns.append((say("compare_leave_one_out", lang), found, 3))
    first = max_width(names, NAME)
    wide = [max_width([head, *cells]) + gap for head, cells, gap in columns]
    lines = [
        " " * first + "".join(align_right(c[0], w) for c, w in zip(columns, wide, strict=True))
    ]
    for i, name in enumerate(names):
        cells = [align_right(column[1][i], w) for column, w in zip(columns, wide, strict=True)]
        lines.append(align_left(name, first) + "".join(cells))
    return lines


def _right(part: Plain) -> str:
    if "squares" in part:
        return number_text(float(f"{part['squares'] / part['weight']:.4g}"))
    of = part.get("of", part.get("weight"))
    return "-" if of is None else f"{weight_text(part['correct'])}/{weight_text(of)}"


def verdict(told: Plain, lang: str) -> str:
    """Return on which test rows the trees differ, and whether that means anything."""
    if "test" not in told["rows"]:
        return ""
    rows = [row["row"] for row in told["rows"]["test"]]
    word = say("test_name", lang)
    if not rows:
        return say("compare_agree", lang, name=word)
    if len(rows) == 1:
        first = say("compare_differ_one", lang, name=word, rows=rows[0])
    else:
        first = say("compare_differ", lang, name=word, rows=join_names(rows, lang))
    found = told.get("verdict")
    if found is None:
        return first
    return first + (" " if lang == "en" else "") + _worth(told, found, len(rows), lang)


def _worth(told: Plain, found: Plain, n: int, lang: str) -> str:
    of = int(told["trees"][0]["tables"]["test"]["n"])
    if found["p"] > CHANCE:
        claim = say("compare_claim_pruning" if told.get("is_pruned") else "compare_claim", lang)
        key = "compare_evidence_one" if n == 1 else "compare_evidence"
        text = say(
            key,
            lang,
            number=number_word(n, lang).capitalize(),
            of=number_word(of, lang),
            claim=claim,
        )
    else:
        is_first = found["only_a"] > found["only_b"]
        better = told["trees"][0 if is_first else 1]["name"]
        wins = max(found["only_a"], found["only_b"])
        both = found["only_a"] + found["only_b"]
        text = say("compare_clear", lang, better=better, n=wins, of=both, p=f"{found['p']:.2g}")
    return text + say(f"compare_loo_{_sign(told, found)}", lang)


def _sign(told: Plain, found: Plain) -> str:
    """Return whether leaving one out says the same of the two trees as the test rows do."""
    left_out: Sequence[Plain | None] = told.get("leave_one_out", (None, None))
    here = found["only_b"] - found["only_a"]
    if left_out[0] is None or left_out[1] is None or here == 0:
        return "none"
    there = left_out[1]["correct"] - left_out[0]["correct"]
    if there == 0:
        return "equal"
    return "agrees" if (there > 0) == (here > 0) else "disagrees"


def structure(told: Plain, lang: str) -> str:
    """Return where the trees ask differently."""
    parts = told["differences"]
    if told["same"]:
        return say("compare_same", lang)
    texts = [_place(part, lang) for part in parts[:PLACES]]
    if len(parts) == 1 and parts[0]["tie"] is not None:
        return say("compare_one_tie", lang, what=texts[0])
    what = ("; " if lang == "en" else "；").join(texts)
    if len(parts) > PLACES:
        what += "; …" if lang == "en" else "；…"
    return say("compare_differences", lang, n=len(parts), what=what)


def _place(part: Plain, lang: str) -> str:
    steps = [_step(step) for step in part["path"]]
    place = (
        say("compare_at", lang, place=", ".join(steps)) if steps else say("compare_at_root", lang)
    )
    if part["tie"] is not None:
        names = {"a": quoted(part["a"]["column"]), "b": quoted(part["b"]["column"])}
        return say("compare_tie", lang, place=place, score=decimals(part["tie"]), **names)
    if part["kind"] == "groups":
        return say("compare_groups", lang, place=place, a=quoted(part["a"]["column"]))
    sides = {side: _does(part[side], part["kind"], lang) for side in ("a", "b")}
    return say(f"compare_{part['kind']}", lang, place=place, **sides)


def _step(step: Plain) -> str:
    if "cut" in step:
        sign = "≤" if step["side"] == "<=" else ">"
        return f"{quoted(step['column'])} {sign} {number_text(float(step['cut']))}"
    return f"{quoted(step['column'])} = {', '.join(quoted(level) for level in step['levels'])}"


def _does(side: Any, kind: str, lang: str) -> str:  # noqa: ANN401 - a question or an answer
    if not isinstance(side, Mapping):
        return say("compare_the_answer", lang, answer=quoted(side))
    name = quoted(side["column"])
    if kind == "cut":
        name += f" ≤ {number_text(float(side['cut']))}"
    return say("compare_question", lang, column=name)
