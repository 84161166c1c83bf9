"""The lines below a drawn tree: its size, its ties, and where gain and gain ratio disagree."""

from __future__ import annotations

from typing import Any

from penjing.formatting.text_table import last_steps
from penjing.i18n import say
from penjing.text.formula import decimals, tie_score_text
from penjing.text.labels import (
    answer_text,
    branch_text,
    condition_text,
    quoted,
    split_text,
    weight_text,
)
from penjing.text.phrases import join_names
from penjing.tree.forced import forbidden_columns, forced_nodes
from penjing.tree.tree_data import TreeData

MAX_TIES = 5
"""Number of ties that are listed."""
MAX_COLUMNS = 5
"""Number of columns of a tie that are named."""
MAX_STEPS = 3
"""Number of steps shown of the path to a tie: the last ones."""


def size_line(tree: TreeData, lang: str = "en") -> str:
    """Return the number of leaves, the depth, and the number of correct training rows.

    Examples
    --------
    >>> import penjing
    >>> size_line(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    '2 leaves, depth 1'
    """
    values = {
        "leaves": say("leaves", lang, n=tree.n_leaves),
        "depth": say("depth", lang, n=tree.depth),
    }
    training = correct_counts(tree.about.get("training"))
    if training is None:
        return say("summary", lang, **values)
    correct, total = training
    return say(
        "summary_training",
        lang,
        training=say("n_training", lang, right=correct, of=total),
        **values,
    )


def correct_counts(counts: Any) -> tuple[str, str] | None:  # noqa: ANN401 - read from a model file
    """Return the number of correct rows and of all rows as texts; None if not recorded."""
    try:
        return weight_text(float(counts["correct"])), weight_text(float(counts["of"]))
    except (TypeError, KeyError, ValueError):
        return None


def ties_line(tree: TreeData, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return the line that lists the ties; empty if there were none."""
    ties = [tie for tie in tree.about.get("ties", ()) if not tree.is_leaf[tie["node"]]]
    if not ties:
        return ""
    n = max(int(tree.about.get("n_ties", 0)), len(ties)) if len(ties) > MAX_TIES else len(ties)
    texts = [_tie(tree, tie, lang, ascii_only=ascii_only) for tie in ties[:MAX_TIES]]
    listing = (", " if lang == "en" else "；").join(texts)
    if n > MAX_TIES:
        listing = say("ties_more", lang, ties=listing, n=n - MAX_TIES)
    return say("ties", lang, n=n, ties=listing)


def steering_lines(tree: TreeData, lang: str = "en", *, ascii_only: bool = False) -> list[str]:
    """Return the lines that tell which splits were forced, and which columns are forbidden.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> steering_lines(penjing.fit(fish, force_splits={"": "flippers"}))
    ['forced: flippers at the root']
    """
    lines = []
    texts = [
        _forced(tree, node, lang, ascii_only=ascii_only) for node in sorted(forced_nodes(tree))
    ]
    stops = tree.about.get("stops", {})
    texts += [
        say(
            "forced_leaf",
            lang,
            place=_place(tree, node, lang, ascii_only=ascii_only) or say("root", lang),
        )
        for node in (stops.get("forced", ()) if isinstance(stops, dict) else ())
    ]
    if texts:
        shown = (", " if lang == "en" else "；").join(texts)
        lines.append(say("forced_splits", lang, splits=shown))
    if names := forbidden_columns(tree):
        columns = join_names([quoted(name) for name in names], lang)
        lines.append(say("forbidden_columns", lang, columns=columns))
    return lines


def _forced(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    text = condition_text(
        split_text(tree, node, ascii_only=ascii_only), lang, ascii_only=ascii_only
    )
    if node == 0:
        return say("forced_at_root", lang, split=text)
    return say(
        "forced_under", lang, split=text, place=_place(tree, node, lang, ascii_only=ascii_only)
    )


def _place(tree: TreeData, node: int, lang: str, *, ascii_only: bool) -> str:
    steps = [
        condition_text(branch_text(tree, at, ascii_only=ascii_only), lang, ascii_only=ascii_only)
        for at in tree.path(node)[1:]
    ]
    return ", ".join(last_steps(steps, MAX_STEPS, ascii_only=ascii_only))


def _tie(tree: TreeData, tie: dict[str, Any], lang: str, *, ascii_only: bool) -> str:
    names = " = ".join(quoted(tree.schema[c].name) for c in tie["columns"][:MAX_COLUMNS])
    if (n := len(tie["columns"])) > MAX_COLUMNS:
        names = say("tie_columns", lang, columns=names, n=n)
    if tie["node"] == 0:
        return say("tie_at_root", lang, columns=names, score=tie_score_text(tie["score"]))
    steps = []
    for node in tree.path(tie["node"])[1:][-MAX_STEPS - 1 :]:  # one more, to see that there is
        label = answer_text(tree, *tree.parent_of(node))
        # A category is clear without the name of its column, a threshold is not.
        is_clear = label.startswith("= ")
        branch = branch_text(tree, node, ascii_only=ascii_only)
        condition = condition_text(branch, lang, ascii_only=ascii_only)
        steps.append(label[2:] if is_clear else condition)
    location = ", ".join(last_steps(steps, MAX_STEPS, ascii_only=ascii_only))
    return say("tie_under", lang, columns=names, score=tie_score_text(tie["score"]), place=location)


def gain_ratio_note(explanation: dict[str, Any], lang: str = "en") -> str:
    """Return the note that gain and gain ratio choose different columns; empty if they agree.

    Parameters
    ----------
    explanation : dict
        The result of :func:`penjing.explain.node.explain` for the root.
    lang : str
        ``en`` or ``zh``.
    """
    candidates = [c for c in explanation["candidates"] if c["gain"] is not None]
    if explanation["criterion"] != "gain_ratio" or not candidates or not candidates[0]["is_chosen"]:
        return ""
    chosen = candidates[0]
    highest_gain = max(candidates, key=lambda c: float(c["gain"]))
    if highest_gain["gain"] <= chosen["gain"] or highest_gain["gain_ratio"] >= chosen["gain_ratio"]:
        return ""
    return say(
        "gain_and_ratio",
        lang,
        gainer=quoted(highest_gain["column"]),
        chosen=quoted(chosen["column"]),
        more=decimals(highest_gain["gain"]),
        less=decimals(chosen["gain"]),
        better=decimals(chosen["gain_ratio"]),
        worse=decimals(highest_gain["gain_ratio"]),
    )
