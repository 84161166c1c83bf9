"""Why a node has its split, as text: a table of candidates, and the formulas with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from penjing.formatting.math_formula import Formula
from penjing.formatting.text_table import (
    align_left,
    align_right,
    clip,
    dots,
    headings,
    last_steps,
    max_width,
)
from penjing.i18n import Names, say
from penjing.text import formula
from penjing.text.formula import decimals, node_variance_text, variance_text
from penjing.text.labels import (
    MAX_GROUP_WIDTH,
    ascii_signs,
    condition_text,
    cut_label,
    quoted,
    value_text_between,
)
from penjing.text.phrases import class_counts, join_names, rows_of
from penjing.tree.dialect import dialect_of

Plain = Mapping[str, Any]

MAX_BAR = 12
"""Length of the longest bar."""
NUMBER_WIDTH = 9
"""Width of a number with the blanks before it."""
MAX_PATH = 6
"""Number of steps of a path that are shown."""

_SHOWN_MEASURES = {"gain": "gain", "gain_ratio": "gain_ratio", "gini": "gini_after"}

_STOPS_OF_NUMBERS = {"stop_pure": "stop_pure_number", "stop_empty": "stop_empty_number"}
"""What is said of values and means instead of classes."""


def write(
    explanation: Plain,
    lang: str = "en",
    *,
    all_candidates: bool = False,
    ascii_only: bool = False,
    width: int = 100,
) -> str:
    """Return the table of a node's candidates, and the calculation of the best one's score.

    Parameters
    ----------
    explanation : dict
        The result of :func:`penjing.explain.node.explain`.
    lang : str
        ``en`` or ``zh``.
    all_candidates : bool
        Show the formulas of all candidates, not only of the chosen one, and the split information.
    ascii_only : bool
        Use ASCII characters only.
    width : int
        Maximum width of a line; names of columns are clipped to fit.
    """
    lines = [heading(explanation, lang, ascii_only=ascii_only)]
    if explanation["stop"] is not None:
        lines.append(stop_sentence(explanation, lang))
    with_gain = [c for c in explanation["candidates"] if c["gain"] is not None]
    if with_gain:
        lines += _table(
            explanation,
            with_gain,
            lang,
            all_candidates=all_candidates,
            ascii_only=ascii_only,
            width=width,
        )
        shown = with_gain if all_candidates else with_gain[:1]
        for candidate in shown:
            steps = formulas(explanation, candidate, all_candidates=all_candidates)
            lines += [step.text(ascii_only=ascii_only) for step in steps]
    return "\n".join([*lines, *closing_sentences(explanation, lang, ascii_only=ascii_only)])


def closing_sentences(explanation: Plain, lang: str, *, ascii_only: bool = False) -> list[str]:
    """Return what is said below the candidates: the score, columns without a split, ties."""
    sentences = []
    with_gain = [c for c in explanation["candidates"] if c["gain"] is not None]
    message = dialect_of(explanation["rules"]).scoring_message
    if with_gain and message is not None:
        sentences.append(say(message, lang))
    sentences += refused_candidates(explanation, lang)
    forbidden = explanation.get("forbidden", ())
    without_gain = [
        quoted(c["column"])
        for c in explanation["candidates"]
        if c["gain"] is None and c["column"] not in forbidden and "refused" not in c
    ]
    if without_gain and with_gain:
        sentences.append(
            say("why_silent", lang, n=len(without_gain), columns=join_names(without_gain, lang))
        )
    if forced := explanation.get("forced"):
        sentences.append(forced_sentence(explanation, forced, lang, ascii_only=ascii_only))
    if forbidden:
        names = join_names([quoted(name) for name in forbidden], lang)
        sentences.append(say("why_forbidden", lang, columns=names))
    if explanation["question"] is not None and len(explanation["tied"]) > 1 and not forced:
        names = join_names([quoted(name) for name in explanation["tied"]], lang)
        sentences.append(
            say("why_tied", lang, columns=names, chosen=quoted(explanation["question"]))
        )
    return sentences


def forced_sentence(
    explanation: Plain, forced: Plain, lang: str, *, ascii_only: bool = False
) -> str:
    """Return the sentence that says that a split was forced, and what the recipe prefers."""
    split = condition_text(forced["split"], lang, ascii_only=ascii_only)
    split = ascii_signs(split) if ascii_only else split
    gain = forced["gain"]
    variance = explanation.get("variance")
    text = decimals(gain) if variance is None else variance_text(gain, variance)
    values = {"split": split, "gain": text}
    if forced["own"] == explanation["question"]:
        return say("why_forced_same", lang, **values)
    own = say("why_no_split", lang) if forced["own"] is None else quoted(forced["own"])
    return say("why_forced_split", lang, own=own, **values)


def refused_candidates(explanation: Plain, lang: str) -> list[str]:
    """Return the line that names the candidates that constraints refuse, if there are any."""
    refused = [
        say("why_refused_column", lang, column=quoted(c["column"]), n=c["refused"])
        for c in explanation["candidates"]
        if "refused" in c
    ]
    return [say("why_refused", lang, columns=Names(refused))] if refused else []


def heading(explanation: Plain, lang: str, *, ascii_only: bool = False) -> str:
    """Return the line with the path of a node, its rows, and their impurity."""
    location = node_location(explanation, lang, ascii_only=ascii_only)
    rows = rows_of(explanation["rows"], lang, is_weight="is_weight" in explanation)
    if not explanation["rows"]:
        return say("why_head_empty", lang, place=location, rows=rows)
    if "variance" in explanation:
        mean, variance = prediction_text(explanation), node_variance_text(explanation)
        return say("why_head_number", lang, place=location, rows=rows, mean=mean, variance=variance)
    mixed = class_counts(explanation["classes"], explanation["total"])
    measure = formula.impurity(explanation).text()
    return say("why_head", lang, place=location, rows=rows, mixed=mixed, measure=measure)


def node_location(explanation: Plain, lang: str, *, ascii_only: bool = False) -> str:
    """Return the path to a node; of a long path only the last steps."""
    style: dict[str, Any] = {"ascii_only": ascii_only, "most": MAX_GROUP_WIDTH}
    path = [condition_text(step, lang, **style) for step in explanation["path"]]
    steps = last_steps(path, MAX_PATH, ascii_only=ascii_only)
    location = ", ".join(steps) or say("root", lang)
    return ascii_signs(location) if ascii_only else location


def stop_sentence(explanation: Plain, lang: str) -> str:
    """Return the sentence that says why a node is a leaf."""
    key = f"stop_{explanation['stop']}"
    if "variance" in explanation:
        key = _STOPS_OF_NUMBERS.get(key, key)
    return say(key, lang, answer=prediction_text(explanation))


def prediction_text(explanation: Plain) -> str:
    """Return the prediction of a node, as printed."""
    prediction = explanation["answer"]
    if "variance" not in explanation:
        return quoted(prediction)
    return value_text_between(prediction, explanation["value_range"])


def formulas(explanation: Plain, candidate: Plain, *, all_candidates: bool) -> list[Formula]:
    """Return the calculation of a candidate's score, one formula for each step."""
    criterion = explanation["criterion"]
    if "variance" in explanation:
        return [formula.variance_gain(candidate, explanation["variance"])]
    steps = []
    if all_candidates or criterion != "gini":
        steps.append(formula.gain(candidate))
    if all_candidates or criterion == "gain_ratio":
        steps += [formula.split_information(candidate), formula.gain_ratio(candidate)]
    if all_candidates or criterion == "gini":
        steps.append(formula.gini_index(candidate))
    return steps


def heading_key(key: str, of: Plain) -> str:
    """Return the key of a heading; the gain of a node or candidate of numbers is of variance."""
    is_of_numbers = "variance" in of or "variance_after" in of
    return "why_gain_variance" if key == "gain" and is_of_numbers else f"why_{key}"


def threshold_table(candidate: Plain, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return every threshold of a numeric or ordinal column with its gain; the best is marked."""
    shown = list(zip(candidate["cuts"], candidate["gains"], strict=True))
    texts = [cut_label(cut, candidate["cuts"]) for cut, _ in shown]
    cut_width = max_width([*texts, say("why_cut", lang)])
    gains = [gain for _, gain in shown if gain is not None]
    largest = max(gains, default=0.0)
    write: Callable[[float], str] = decimals
    if "variance_after" in candidate:
        write = partial(variance_text, scale=candidate["gain"] + candidate["variance_after"])
    lines = [
        headings(
            [
                align_left(say("why_cut", lang), cut_width),
                say(heading_key("gain", candidate), lang),
            ],
            [cut_width, cut_width + NUMBER_WIDTH],
        )
    ]
    for text, (cut, gain) in zip(texts, shown, strict=True):
        number = "-" if gain is None else write(gain)
        bar = _bar(gain or 0.0, largest, ascii_only=ascii_only)
        best = say("why_best", lang) if cut == candidate["cut"] else ""
        line = f"{align_left(text, cut_width)}{align_right(number, NUMBER_WIDTH)}  {bar} {best}"
        lines.append(line.rstrip())
    hidden = candidate["n_cuts"] - len(shown)
    if hidden:
        lines.append(say("why_cuts_hidden", lang, n=hidden))
    return "\n".join(lines)


def _table(
    explanation: Plain,
    with_gain: list[Plain],
    lang: str,
    *,
    all_candidates: bool,
    ascii_only: bool,
    width: int,
) -> list[str]:
    shown = number_columns(explanation, with_gain, all_candidates=all_candidates)
    number_headings = [say(heading_key(key, explanation), lang) for key, _ in shown]
    names = [
        condition_text(
            quoted(c["column"]) + condition_suffix(c, ascii_only=ascii_only),
            lang,
            ascii_only=ascii_only,
        )
        for c in with_gain
    ]
    max_name = max(width - len(shown) * NUMBER_WIDTH - MAX_BAR - 12, 12)
    names = [clip(name, max_name, dots=dots(ascii_only=ascii_only)) for name in names]
    column_heading = say("why_column", lang)
    first_width = max_width([*names, column_heading], 6)
    ends, end = [], first_width
    for i, heading_ in enumerate(number_headings):
        # The first heading is wider than its numbers; two blanks before it are enough.
        widest = max_width(shown[i][1](candidate) for candidate in with_gain) + 1
        end += max(NUMBER_WIDTH, widest, max_width([heading_]) + (2 if i == 0 else 3))
        ends.append(end)
    lines = [
        headings([align_left(column_heading, first_width), *number_headings], [first_width, *ends])
    ]
    largest = max((c["score"] or 0.0 for c in with_gain), default=0.0)
    for name, candidate in zip(names, with_gain, strict=True):
        line = align_left(name, first_width)
        for (_, number), end in zip(shown, ends, strict=True):
            line += align_right(number(candidate), end - max_width([line]))
        bar = _bar(candidate["score"] or 0.0, largest, ascii_only=ascii_only)
        lines.append(f"{line}  {bar} {remark(explanation, candidate, lang)}".rstrip())
    return lines


def number_columns(
    explanation: Plain, with_gain: list[Plain], *, all_candidates: bool
) -> list[tuple[str, Callable[[Plain], str]]]:
    """Return the columns of numbers: the key of each heading, and the text of a candidate."""
    if "variance" in explanation:
        keys = [("var_after", "variance_after"), ("gain", "gain")]
    else:
        keys = [("ent_after", "entropy_after"), ("gain", "gain")]
        if all_candidates or explanation["criterion"] == "gain_ratio":
            keys.append(("split_information", "split_information"))
        keys += [("ratio", "gain_ratio"), ("gini", "gini_after")]
        if explanation["criterion"] not in _SHOWN_MEASURES:
            keys.append(("own", "criterion_gain"))
    write: Callable[[float], str] = decimals
    if "variance" in explanation:
        write = partial(variance_text, scale=explanation["variance"])
    columns: list[tuple[str, Callable[[Plain], str]]] = [
        (heading, partial(_number, key, write)) for heading, key in keys
    ]
    if not dialect_of(explanation["rules"]).ranks_by_criterion:
        columns.append(("score", partial(_score, score_writer(explanation))))
    if any(c["missing"] for c in with_gain):
        columns.append(("missing", _missing_share))
    return columns


def _number(key: str, write: Callable[[float], str], candidate: Plain) -> str:
    return write(candidate[key])


def score_writer(explanation: Plain) -> Callable[[float], str]:
    """Return what writes scores; those of numbers may have the unit of a variance."""
    if "variance" not in explanation:
        return decimals
    scores = [c["score"] for c in explanation["candidates"] if c["score"] is not None]
    return partial(variance_text, scale=max(map(abs, scores), default=0.0))


def _score(write: Callable[[float], str], candidate: Plain) -> str:
    return "-" if candidate["score"] is None else write(candidate["score"])


def _missing_share(candidate: Plain) -> str:
    return f"{100 * candidate['missing'] / (candidate['missing'] + candidate['known']):.0f}%"


def condition_suffix(candidate: Plain, *, ascii_only: bool) -> str:
    """Return the condition of the first branch: a threshold, or a group of categories."""
    label: str = candidate["branches"][0]["answer"]
    if "cut" not in candidate:
        is_grouped = any(", " in branch["answer"] for branch in candidate["branches"])
        return f" in {{{label}}}" if is_grouped else ""
    return f" {label.replace('≤', '<=') if ascii_only else label}"


def remark(explanation: Plain, candidate: Plain, lang: str) -> str:
    """Return the remark behind a candidate: chosen, a tie, or why it was not compared."""
    if candidate["is_chosen"]:
        return say("why_chosen" if explanation.get("forced") is None else "why_forced", lang)
    if candidate["column"] in explanation["tied"]:
        return say("why_equal", lang)
    if candidate["score"] is not None:
        return ""
    return say(f"why_{exclusion_reason(explanation, candidate)}", lang)


def exclusion_reason(explanation: Plain, candidate: Plain) -> str:
    """Return the reason why a candidate has no score, as part of a message key."""
    return dialect_of(explanation["rules"]).exclusion_reason(explanation, candidate)


def _bar(value: float, largest: float, *, ascii_only: bool) -> str:
    length = int(MAX_BAR * value / largest + 1e-9) if largest > 0 and value > 0 else 0
    return ("#" if ascii_only else "█") * length
