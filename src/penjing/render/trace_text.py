"""The story of induction, one step a node: rows, stop conditions, candidates, choice, branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.i18n import say
from penjing.render.node_text import answer_of, left_out, place_of
from penjing.text.formula import decimals
from penjing.text.labels import ascii_signs, quoted, weight_text
from penjing.text.phrases import class_counts, join_names
from penjing.text.text_table import align_left, max_width

Plain = Mapping[str, Any]

OUT = ("below", "no_average", "many_levels", "screened", "no_gain", "costly", "not_allowed")
"""Why columns that could divide the rows were not compared, as `left_out` has it."""
ROWS = 20
"""How many rows of a node are named."""

# In the order in which growing asks them; limits are told of only where the recipe sets them.
_LIMITS = {"max_depth": None, "min_weight": 0.0}
_BEFORE = ("pure", "max_depth", "min_weight", "alike")


def write(
    steps: Sequence[Plain], about: Plain, lang: str = "en", *, ascii_only: bool = False
) -> str:
    """Return the story of a tree's growth.

    Parameters
    ----------
    steps : list of dict
        What :func:`penjing.explain.node.story` returns, or the first of them.
    about : dict
        ``target``, ``recipe`` (its settings), ``rows``, ``steps`` (how many there are) and
        ``is_whole`` (whether the trace has every one).
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    n = about["steps"]
    name, target = about["recipe"].get("name", "?"), quoted(about["target"])
    rows = weight_text(about["rows"])
    head = "story_head_by_hand" if name == "by hand" else "story_head"
    lines = [say(head, lang, target=target, rows=rows, recipe=name, n=n)]
    for i, step in enumerate(steps, start=1):
        lines += ["", *told_step(step, i, n, about["recipe"], lang, ascii_only=ascii_only)]
    if len(steps) < n:
        lines += ["", say("story_more", lang, n=n - len(steps))]
    if not about["is_whole"]:
        lines += ["", say("story_cut_short", lang)]
    return "\n".join(lines)


def told_step(
    step: Plain, i: int, n: int, recipe: Plain, lang: str, *, ascii_only: bool
) -> list[str]:
    """Return the lines that tell one step, number i of n."""
    place = place_of(step, lang, ascii_only=ascii_only)
    parts = [("rows", _rows(step, lang)), ("stop", _stops(step, recipe, lang))]
    offered = [c for c in step["candidates"] if c["gain"] is not None]
    if offered:
        parts.append(("weigh", _weighed(step, offered, lang, ascii_only=ascii_only)))
    if step["question"] is not None and offered:
        parts += [
            ("choose", _choice(step, offered, lang)),
            ("branches", _branches(step, ascii_only=ascii_only)),
        ]
        if step["empty"]:
            names = join_names([quoted(level) for level in step["empty"]], lang)
            parts.append(("empty", say("story_empty", lang, levels=names, answer=answer_of(step))))
    else:
        parts.append(("leaf", say("story_leaf", lang, answer=answer_of(step))))
    labels = {key: say(f"story_label_{key}", lang) for key, _ in parts}
    places_of_label = max_width(labels.values()) + 2
    title = say("story_step", lang, i=i, n=n, place=place)
    return [title, *(f"  {align_left(labels[key], places_of_label)}{text}" for key, text in parts)]


def _rows(step: Plain, lang: str) -> str:
    if "variance" in step:
        mixed = say("story_mean", lang, mean=answer_of(step), variance=decimals(step["variance"]))
    else:
        mixed = class_counts(step["classes"], step["total"])
    numbers = step.get("row_numbers")
    if not numbers:
        return say("story_rows", lang, n=weight_text(step["rows"]), mixed=mixed)
    which = join_names(numbers, lang, ROWS)
    return say("story_which_rows", lang, n=weight_text(step["rows"]), which=which, mixed=mixed)


def _stops(step: Plain, recipe: Plain, lang: str) -> str:
    """Return each stop condition with its answer, up to the one that says yes."""
    stop = step["stop"]
    asked = ["pure"]
    asked += [k for k, none in _LIMITS.items() if k == stop or recipe.get(k, none) != none]
    asked.append("alike")
    if stop is not None and stop not in _BEFORE:
        asked.append(stop)
    elif recipe.get("min_gain"):
        asked.append("min_gain")
    said = []
    for key in asked:
        word = "pure_number" if key == "pure" and "variance" in step else key
        question = say(f"story_is_{word}", lang, limit=_limit(recipe, key))
        is_met = key == step["stop"]
        said.append(f"{question}{say('story_yes' if is_met else 'story_no', lang)}")
        if is_met:
            break
    return say("story_semicolon", lang).join(said)


def _limit(recipe: Plain, key: str) -> str:
    value = recipe.get(key)
    if key == "complexity":
        value = recipe.get("cp", recipe.get("ccp_alpha"))
    if key == "min_weight":  # each program has its own name for it
        value = max(
            value or 0,
            recipe.get("minsplit", 0),
            recipe.get("min_samples_split", 0),
            2 * recipe.get("min_branch", 0) if recipe.get("rules") in ("quinlan", "c50") else 0,
        )
    return weight_text(value) if isinstance(value, int | float) else ""


def _weighed(step: Plain, offered: list[Plain], lang: str, *, ascii_only: bool) -> str:
    texts = []
    for c in offered:
        if c["score"] is not None:
            cut = f" {c['branches'][0]['answer']}" if "cut" in c else ""
            cut = ascii_signs(cut) if ascii_only else cut
            texts.append(f"{quoted(c['column'])}{cut} {decimals(_shown(step, c))}")
    told = {"all": ", ".join(texts) or "–", "measure": _measure(step, lang)}
    said = say("story_weighed", lang, **told)
    for why in OUT:
        out = [c for c in offered if c["score"] is None and left_out(step, c) == why]
        if out:
            names = join_names([quoted(c["column"]) for c in out], lang)
            said += say("story_semicolon", lang) + say(f"story_out_{why}", lang, columns=names)
    return said


def _measure(step: Plain, lang: str) -> str:
    """Return the name of the number that is shown."""
    measure, rules = step["criterion"], step["rules"]
    if rules in ("quinlan", "c50") and measure in ("gain", "gain_ratio"):
        return say(f"story_by_quinlan_{measure}", lang)
    if rules in ("rpart", "sklearn"):
        return say(f"story_by_{rules}", lang)
    if measure == "gini" and not _is_by_index(step):
        return say("story_by_gini_gain", lang)
    known = measure in ("gain", "gain_ratio", "gini", "variance")
    return say(f"story_by_{measure}", lang) if known else str(measure)


def _is_by_index(step: Plain) -> bool:
    """Say whether the book's Gini index ranks the columns as their scores do.

    A program's own rules rank by something else, and a column that is missing in some rows is
    ranked by its gain times the share of the others.
    """
    is_complete = not any(c["missing"] for c in step["candidates"])
    return step["criterion"] == "gini" and step["rules"] == "textbook" and is_complete


def _shown(step: Plain, candidate: Plain) -> float:
    """Return the number by which columns are ranked: for CART the index, not the gain."""
    shown: float = candidate["gini_after" if _is_by_index(step) else "score"]
    return shown


def _choice(step: Plain, offered: list[Plain], lang: str) -> str:
    chosen = quoted(step["question"])
    others = [name for name in step["tied"] if name != step["question"]]
    score = decimals(offered[0]["score"] or 0.0)
    if others:
        names = join_names([quoted(name) for name in others], lang)
        return say("story_tie", lang, chosen=chosen, columns=names)
    rivals = [c for c in offered[1:] if c["score"] is not None]
    if not rivals:
        return say("story_alone", lang, chosen=chosen, score=score)
    ahead = decimals((offered[0]["score"] or 0.0) - rivals[0]["score"])
    rival = quoted(rivals[0]["column"])
    key = "story_chosen_less" if _is_by_index(step) else "story_chosen"
    return say(key, lang, chosen=chosen, ahead=ahead, rival=rival)


def _branches(step: Plain, *, ascii_only: bool) -> str:
    chosen = next(c for c in step["candidates"] if c["is_chosen"])
    text = ", ".join(f"{b['answer']} {weight_text(b['rows'])}" for b in chosen.get("branches", ()))
    return ascii_signs(text) if ascii_only else text
