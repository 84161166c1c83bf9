"""What is said below a drawn tree: its size, ties, and where gain and ratio disagree."""

from __future__ import annotations

from typing import Any

from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import answer_text, branch_text, quoted, weight_text
from penjing.tree.tree_data import TreeData

TIES = 5
"""How many ties are told of."""
COLUMNS = 5
"""How many columns of a tie are named."""
STEPS = 3
"""How many answers say where a tie was; the last ones."""


def size(tree: TreeData, lang: str = "en") -> str:
    """Return leaves, depth, and how many training rows are answered rightly.

    Examples
    --------
    >>> import penjing
    >>> size(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    '2 leaves, depth 1'
    """
    told = {
        "leaves": say("leaves", lang, n=tree.n_leaves),
        "depth": say("depth", lang, n=tree.depth),
    }
    training = right_of(tree.about.get("training"))
    if training is None:
        return say("summary", lang, **told)
    right, of = training
    return say(
        "summary_training", lang, training=say("n_training", lang, right=right, of=of), **told
    )


def right_of(told: Any) -> tuple[str, str] | None:  # noqa: ANN401 - what a model file holds
    """Return how many rows are right, of how many; None where that is not told."""
    try:
        return weight_text(float(told["correct"])), weight_text(float(told["of"]))
    except (TypeError, KeyError, ValueError):
        return None


def ties(tree: TreeData, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return the line that says which ties were settled, and how; empty if there were none."""
    kept = [tie for tie in tree.about.get("ties", ()) if not tree.is_leaf[tie["node"]]]
    if not kept:
        return ""
    n = max(int(tree.about.get("n_ties", 0)), len(kept)) if len(kept) > TIES else len(kept)
    texts = [_tie(tree, tie, lang, ascii_only=ascii_only) for tie in kept[:TIES]]
    told = (", " if lang == "en" else "；").join(texts)
    if n > TIES:
        told = say("ties_more", lang, ties=told, n=n - TIES)
    return say("ties", lang, n=n, ties=told)


def _tie(tree: TreeData, tie: dict[str, Any], lang: str, *, ascii_only: bool) -> str:
    names = " = ".join(quoted(tree.schema[c].name) for c in tie["columns"][:COLUMNS])
    if (n := len(tie["columns"])) > COLUMNS:
        names = say("tie_columns", lang, columns=names, n=n)
    if tie["node"] == 0:
        return say("tie_at_root", lang, columns=names, score=decimals(tie["score"]))
    road = tree.path(tie["node"])[1:]
    steps = ["..." if ascii_only else "…"] if len(road) > STEPS else []
    for node in road[-STEPS:]:
        text = branch_text(tree, node, ascii_only=ascii_only)
        level = answer_text(tree, *tree.parent_of(node))
        # A level says enough by itself, a number does not.
        steps.append(level.removeprefix("= ") if level.startswith("= ") else text)
    place = ", ".join(steps)
    return say("tie_under", lang, columns=names, score=decimals(tie["score"]), place=place)


def gain_and_ratio(told: dict[str, Any], lang: str = "en") -> str:
    """Return where gain and gain ratio choose differently in a node; empty if they agree.

    Parameters
    ----------
    told : dict
        What :func:`penjing.explain.node.explain` says of the root.
    lang : str
        ``en`` or ``zh``.
    """
    offered = [c for c in told["candidates"] if c["gain"] is not None]
    if told["criterion"] != "gain_ratio" or not offered or not offered[0]["is_chosen"]:
        return ""
    chosen = offered[0]
    gainer = max(offered, key=lambda c: float(c["gain"]))
    if gainer["gain"] <= chosen["gain"] or gainer["gain_ratio"] >= chosen["gain_ratio"]:
        return ""
    return say(
        "gain_and_ratio",
        lang,
        gainer=quoted(gainer["column"]),
        chosen=quoted(chosen["column"]),
        more=decimals(gainer["gain"]),
        less=decimals(chosen["gain"]),
        better=decimals(chosen["gain_ratio"]),
        worse=decimals(gainer["gain_ratio"]),
    )
