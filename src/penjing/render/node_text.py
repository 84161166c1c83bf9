"""Why a node asks what it asks: its candidates in a table, and the formula filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from penjing.i18n import say
from penjing.text import formula
from penjing.text.formula import decimals
from penjing.text.labels import ascii_signs, cut_label, number_text, quoted
from penjing.text.phrases import class_counts, join_names, rows_of
from penjing.text.text_table import align_left, align_right, clip, headings, max_width

Plain = Mapping[str, Any]

BAR = 12
"""The length of the longest bar."""
NUMBER = 9
"""The width of a number with the blanks before it."""

PATH = 6
"""How many answers of a path are told."""

_MEASURES = {"gain": "gain", "gain_ratio": "gain_ratio", "gini": "gini_after"}


def write(
    told: Plain,
    lang: str = "en",
    *,
    every: bool = False,
    ascii_only: bool = False,
    width: int = 100,
) -> str:
    """Return the table of a node's candidates, and how the winner's number came about.

    Parameters
    ----------
    told : dict
        What :func:`penjing.explain.node.explain` says of a node.
    lang : str
        ``en`` or ``zh``.
    every : bool
        Fill in the formulas of every candidate, not only of the one that was chosen, and show
        the split information.
    ascii_only : bool
        Draw with plain characters.
    width : int
        Names of columns are cut so that a line fits.
    """
    lines = [head(told, lang, ascii_only=ascii_only)]
    if told["stop"] is not None:
        lines.append(stop(told, lang))
    offered = [c for c in told["candidates"] if c["gain"] is not None]
    if offered:
        lines += _table(told, offered, lang, every=every, ascii_only=ascii_only, width=width)
        shown = offered if every else offered[:1]
        for candidate in shown:
            lines += formulas(told, candidate, every=every, ascii_only=ascii_only)
        if told["rules"] != "textbook":
            lines.append(say(f"why_rules_{told['rules']}", lang))
    silent = [quoted(c["column"]) for c in told["candidates"] if c["gain"] is None]
    if silent and offered:
        lines.append(say("why_silent", lang, n=len(silent), columns=join_names(silent, lang)))
    if told["question"] is not None and len(told["tied"]) > 1:
        names = join_names([quoted(name) for name in told["tied"]], lang)
        lines.append(say("why_tied", lang, columns=names, chosen=quoted(told["question"])))
    return "\n".join(lines)


def head(told: Plain, lang: str, *, ascii_only: bool = False) -> str:
    """Return the line that says which node this is and how mixed its rows are."""
    place = place_of(told, lang, ascii_only=ascii_only)
    rows = rows_of(told["rows"], lang)
    if not told["rows"]:
        return say("why_head_empty", lang, place=place, rows=rows)
    if "variance" in told:
        answer, variance = number_text(float(f"{told['answer']:.6g}")), decimals(told["variance"])
        return say("why_head_number", lang, place=place, rows=rows, mean=answer, variance=variance)
    mixed = class_counts(told["classes"], told["total"])
    if told["criterion"] == "gini":
        measure = f"Gini(D) = {formula.gini(told['total'])} = {decimals(told['gini'])}"
    else:
        measure = f"Ent(D) = {formula.entropy(told['total'])} = {decimals(told['entropy'])}"
    return say("why_head", lang, place=place, rows=rows, mixed=mixed, measure=measure)


def place_of(told: Plain, lang: str, *, ascii_only: bool = False) -> str:
    """Return how a node is reached; of a long path the last answers."""
    path = told["path"]
    dots = ["..." if ascii_only else "…"] if len(path) > PATH else []
    place = ", ".join([*dots, *path[-PATH:]]) or say("root", lang)
    return ascii_signs(place) if ascii_only else place


def stop(told: Plain, lang: str) -> str:
    """Return the sentence that says why a node is a leaf."""
    return say(f"stop_{told['stop']}", lang, answer=answer_of(told))


def answer_of(told: Plain) -> str:
    """Return what a node answers, as it is printed."""
    answer = told["answer"]
    return f"{answer:.6g}" if "variance" in told else quoted(answer)


def formulas(told: Plain, candidate: Plain, *, every: bool, ascii_only: bool) -> list[str]:
    """Return how the number by which a column was judged came about, step by step."""
    criterion = told["criterion"]
    if "variance" in told:
        return [formula.variance_gain(candidate, told["variance"], ascii_only=ascii_only)]
    lines = []
    if every or criterion != "gini":
        lines.append(formula.gain(candidate, ascii_only=ascii_only))
    if every or criterion == "gain_ratio":
        lines += [formula.split_information(candidate), formula.gain_ratio(candidate)]
    if every or criterion == "gini":
        lines.append(formula.gini_index(candidate, ascii_only=ascii_only))
    return lines


def cuts(candidate: Plain, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return every cut of an ordered column with its gain, best one marked."""
    kept = list(zip(candidate["cuts"], candidate["gains"], strict=True))
    texts = [cut_label(cut, candidate["cuts"]) for cut, _ in kept]
    places_of_cut = max_width([*texts, say("why_cut", lang)])
    gains = [gain for _, gain in kept if gain is not None]
    top = max(gains, default=0.0)
    lines = [
        headings(
            [align_left(say("why_cut", lang), places_of_cut), say("why_gain", lang)],
            [places_of_cut, places_of_cut + NUMBER],
        )
    ]
    for text, (cut, gain) in zip(texts, kept, strict=True):
        number = "-" if gain is None else decimals(gain)
        bar = _bar(gain or 0.0, top, ascii_only=ascii_only)
        best = say("why_best", lang) if cut == candidate["cut"] else ""
        line = f"{align_left(text, places_of_cut)}{align_right(number, NUMBER)}  {bar} {best}"
        lines.append(line.rstrip())
    hidden = candidate["n_cuts"] - len(kept)
    if hidden:
        lines.append(say("why_cuts_hidden", lang, n=hidden))
    return "\n".join(lines)


def _table(
    told: Plain, offered: list[Plain], lang: str, *, every: bool, ascii_only: bool, width: int
) -> list[str]:
    shown = _columns(told, offered, every=every)
    words = [say(f"why_{key}", lang) for key, _ in shown]
    names = [quoted(c["column"]) + _cut_of(c, ascii_only=ascii_only) for c in offered]
    room = max(width - len(shown) * NUMBER - BAR - 12, 12)
    names = [clip(name, room, dots="..." if ascii_only else "…") for name in names]
    first = say("why_column", lang)
    place = max_width([*names, first], 6)
    ends, end = [], place
    for i, word in enumerate(words):
        # The first heading is longer than its numbers; two blanks before it are enough.
        end += max(NUMBER, max_width([word]) + (2 if i == 0 else 3))
        ends.append(end)
    lines = [headings([align_left(first, place), *words], [place, *ends])]
    top = max((c["score"] or 0.0 for c in offered), default=0.0)
    for name, candidate in zip(names, offered, strict=True):
        line = align_left(name, place)
        for (_, number), end in zip(shown, ends, strict=True):
            line += align_right(number(candidate), end - max_width([line]))
        bar = _bar(candidate["score"] or 0.0, top, ascii_only=ascii_only)
        lines.append(f"{line}  {bar} {_remark(told, candidate, lang)}".rstrip())
    return lines


def _columns(
    told: Plain, offered: list[Plain], *, every: bool
) -> list[tuple[str, Callable[[Plain], str]]]:
    """Return which numbers are shown: the key of each heading, and the number of a candidate."""
    if "variance" in told:
        keys = [("var_after", "variance_after"), ("gain", "gain")]
    else:
        keys = [("ent_after", "entropy_after"), ("gain", "gain")]
        if every or told["criterion"] == "gain_ratio":
            keys.append(("split_information", "split_information"))
        keys += [("ratio", "gain_ratio"), ("gini", "gini_after")]
        if told["criterion"] not in _MEASURES:
            keys.append(("own", "criterion_gain"))
    columns: list[tuple[str, Callable[[Plain], str]]] = [
        (heading, partial(_number, key)) for heading, key in keys
    ]
    if told["rules"] != "textbook":
        columns.append(("score", _score))
    if any(c["missing"] for c in offered):
        columns.append(("missing", _missing))
    return columns


def _number(key: str, candidate: Plain) -> str:
    return decimals(candidate[key])


def _score(candidate: Plain) -> str:
    return "-" if candidate["score"] is None else decimals(candidate["score"])


def _missing(candidate: Plain) -> str:
    return f"{100 * candidate['missing'] / (candidate['missing'] + candidate['known']):.0f} %"


def _cut_of(candidate: Plain, *, ascii_only: bool) -> str:
    """Return what is asked of a column besides its name: the cut, or the first of two groups."""
    answer: str = candidate["branches"][0]["answer"]
    if "cut" not in candidate:
        is_grouped = any(", " in branch["answer"] for branch in candidate["branches"])
        return f" in {{{answer}}}" if is_grouped else ""
    return f" {answer.replace('≤', '<=') if ascii_only else answer}"


def _remark(told: Plain, candidate: Plain, lang: str) -> str:
    if candidate["is_chosen"]:
        return say("why_chosen", lang)
    if candidate["column"] in told["tied"]:
        return say("why_equal", lang)
    return say(f"why_{left_out(told, candidate)}", lang) if candidate["score"] is None else ""


def left_out(told: Plain, candidate: Plain) -> str:
    """Return why a column that could divide the rows was not compared: the key of a word.

    C4.5 compares only columns of at least average gain. Columns of very many levels do not count
    for the average; where no other column gains, there is none, and nothing is compared.
    """
    if told["rules"] == "textbook":
        return "below"
    gain, average = candidate.get("criterion_gain"), told["average_gain"]
    if told["rules"] in ("quinlan", "c50") and "cut" in candidate and (gain is None or gain <= 0):
        return "costly"
    if gain is None:
        return "not_allowed"
    if gain <= 0:
        return "no_gain"
    if told["rules"] == "c50" and not candidate.get("in_average", True):
        return "many_levels"
    if told["rules"] == "quinlan" and told["criterion"] == "gain_ratio" and average is None:
        return "no_average"
    return "below" if average is not None and gain < average else "screened"


def _bar(value: float, top: float, *, ascii_only: bool) -> str:
    length = int(BAR * value / top + 1e-9) if top > 0 and value > 0 else 0
    return ("#" if ascii_only else "█") * length
