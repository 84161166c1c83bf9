"""Why a row is answered as it is, as text: the answer, the path with its evidence, the flips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.i18n import say
from penjing.text.labels import ascii_signs, number_text, quoted, weight_text
from penjing.text.text_table import align_left, max_width

Plain = Mapping[str, Any]


def write(told: Plain, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return an explanation as text.

    Parameters
    ----------
    told : dict
        What :meth:`penjing.explain.row.Explanation.to_json` returns.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    lines = [_answer(told, lang)]
    path = [node for node in told["path"] if node["branch"] is not None]
    ends = told["path"][1:]
    room = max_width([node["branch"] for node in path], 0) + 2 if path else 0
    for node, end in zip(path, ends, strict=True):
        said = _evidence(node, end, lang)
        lines.append(f"  {align_left(node['branch'], max(room, 20))}{said}".rstrip())
    if told["stopped"] is not None:
        column = quoted(told["path"][-1]["question"])
        value = _text(told["path"][-1]["value"])
        lines.append("  " + say(f"because_{told['stopped']}", lang, column=column, value=value))
    if told["flips"]:
        lines.append(say("because_flips", lang))
        tests = [_tests(flip, lang) for flip in told["flips"]]
        place = max(max_width(tests, 0) + 2, 22)
        lines += [
            f"  {align_left(test, place)}{_text(flip['answer'])}"
            for test, flip in zip(tests, told["flips"], strict=True)
        ]
    else:
        lines.append(say("because_no_flip", lang))
    text = "\n".join(lines)
    return ascii_signs(text).replace("→", "->") if ascii_only else text


def _answer(told: Plain, lang: str) -> str:
    answer = _text(told["answer"])
    interval = told.get("interval")
    share = told.get("shares", {}).get(str(told["answer"]), 0.0)
    if interval is None:
        if told["stopped"] != "shared" or "shares" not in told:
            return say("because_answer", lang, answer=answer)
        return say("because_answer_mixed", lang, answer=answer, share=f"{100 * share:.0f}")
    low, high = (f"{100 * end:.0f}" for end in interval)
    share_text = f"{100 * share:.0f}"
    return say("because_answer_share", lang, answer=answer, share=share_text, low=low, high=high)


def _evidence(node: Plain, end: Plain, lang: str) -> str:
    """Return the value that decided and what the node behind it holds."""
    value = f"({_text(node['value'])})" if node["value"] is not None else "(?)"
    said = [value]
    by = str(node["by"])
    if by.startswith("surrogate: "):
        key = "because_surrogate" if node["value"] is None else "because_unseen_surrogate"
        said.append(say(key, lang, test=by.removeprefix("surrogate: ")))
    elif by in ("missing", "unseen"):
        said.append(say(f"because_{by}_way", lang))
    if "total" in end:
        counts = " : ".join(weight_text(v) for v in end["total"])
        said.append(f"{counts} → {_text(end['answer'])}")
    elif end["rows"] is not None:
        said.append(f"n={weight_text(end['rows'])} → {_text(end['answer'])}")
    return "  ".join(said)


def _tests(flip: Plain, lang: str) -> str:
    return say("rule_and", lang).join(change["test"] for change in flip["changes"])


def _text(value: Any) -> str:  # noqa: ANN401 - a class may be any plain value
    if isinstance(value, float):
        return (
            number_text(float(f"{value:.6g}"))
            if value.is_integer() is False
            else number_text(value)
        )
    return quoted(value)
