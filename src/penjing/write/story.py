"""The story of induction, one step a node: rows, stop conditions, candidates, choice, branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.words import say
from penjing.write.columns import left, widest
from penjing.write.formula import places
from penjing.write.labels import amount, quoted
from penjing.write.phrases import listed, mixture
from penjing.write.why import answer_of, place_of

Plain = Mapping[str, Any]

ROWS = 20
"""How many rows of a node are named."""

# In the order in which growing asks them; limits are told of only where the recipe sets them.
_LIMITS = {"max_depth": None, "min_weight": 0.0}
_LATE = ("min_gain", "validation", "max_leaves", "pruned", "by_hand")


def write(
    steps: Sequence[Plain], about: Plain, lang: str = "en", *, ascii_only: bool = False
) -> str:
    """Return the story of a tree's growth.

    Parameters
    ----------
    steps : list of dict
        What :func:`penjing.explain.story` returns, or the first of them.
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
    rows = amount(about["rows"])
    lines = [say("story_head", lang, target=target, rows=rows, recipe=name, n=n)]
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
            names = listed([quoted(level) for level in step["empty"]], lang)
            parts.append(("empty", say("story_empty", lang, levels=names, answer=answer_of(step))))
    else:
        parts.append(("leaf", say("story_leaf", lang, answer=answer_of(step))))
    labels = {key: say(f"story_label_{key}", lang) for key, _ in parts}
    places_of_label = widest(labels.values()) + 2
    title = say("story_step", lang, i=i, n=n, place=place)
    return [title, *(f"  {left(labels[key], places_of_label)}{text}" for key, text in parts)]


def _rows(step: Plain, lang: str) -> str:
    if "variance" in step:
        mixed = say("story_mean", lang, mean=answer_of(step), variance=places(step["variance"]))
    else:
        mixed = mixture(step["classes"], step["total"])
    numbers = step.get("row_numbers")
    if not numbers:
        return say("story_rows", lang, n=amount(step["rows"]), mixed=mixed)
    which = listed(numbers, lang, ROWS)
    return say("story_which_rows", lang, n=amount(step["rows"]), which=which, mixed=mixed)


def _stops(step: Plain, recipe: Plain, lang: str) -> str:
    """Return each stop condition with its answer, up to the one that says yes."""
    asked = ["pure"]
    asked += [key for key, none in _LIMITS.items() if recipe.get(key, none) != none]
    asked.append("alike")
    if step["stop"] in _LATE:
        asked.append(step["stop"])
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
    return amount(value) if isinstance(value, int | float) else ""


def _weighed(step: Plain, offered: list[Plain], lang: str, *, ascii_only: bool) -> str:
    texts = []
    for c in offered:
        if c["score"] is not None:
            cut = f" {c['branches'][0]['answer']}" if "cut" in c else ""
            cut = cut.replace("≤", "<=") if ascii_only else cut
            texts.append(f"{quoted(c['column'])}{cut} {places(_shown(step, c))}")
    measure = step["criterion"]
    known = measure in ("gain", "gain_ratio", "gini", "variance")
    word = say(f"story_by_{measure}", lang) if known else measure
    below = [quoted(c["column"]) for c in offered if c["score"] is None]
    told = {"all": ", ".join(texts), "measure": word}
    if below:
        return say("story_weighed_some", lang, below=listed(below, lang), **told)
    return say("story_weighed", lang, **told)


def _shown(step: Plain, candidate: Plain) -> float:
    """Return the number by which the book ranks a column: for CART the index, not the gain."""
    shown: float = candidate["gini_after" if step["criterion"] == "gini" else "score"]
    return shown


def _choice(step: Plain, offered: list[Plain], lang: str) -> str:
    chosen = quoted(step["question"])
    others = [name for name in step["tied"] if name != step["question"]]
    score = places(offered[0]["score"] or 0.0)
    if others:
        names = listed([quoted(name) for name in others], lang)
        return say("story_tie", lang, chosen=chosen, columns=names)
    rivals = [c for c in offered[1:] if c["score"] is not None]
    if not rivals:
        return say("story_alone", lang, chosen=chosen, score=score)
    ahead = places((offered[0]["score"] or 0.0) - rivals[0]["score"])
    rival = quoted(rivals[0]["column"])
    return say("story_chosen", lang, chosen=chosen, ahead=ahead, rival=rival)


def _branches(step: Plain, *, ascii_only: bool) -> str:
    chosen = next(c for c in step["candidates"] if c["is_chosen"])
    text = ", ".join(f"{b['answer']} {amount(b['rows'])}" for b in chosen["branches"])
    return text.replace("≤", "<=") if ascii_only else text
