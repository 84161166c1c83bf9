"""Notes on the nodes of a diagram: ties, empty branches, surrogates and missing values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from penjing.i18n import say
from penjing.text import surrogate_labels
from penjing.text.labels import (
    CutText,
    branch_text,
    condition_text,
    cut_label,
    cut_text,
    quoted,
)
from penjing.text.phrases import join_names
from penjing.tree.empty_branches import absent_levels
from penjing.tree.split import NO_BRANCH, level_text
from penjing.tree.tree_data import TreeData


def tied_columns(tree: TreeData) -> dict[int, list[str]]:
    """Return the names of the tied columns of each node whose split was chosen from a tie.

    Examples
    --------
    >>> import penjing
    >>> tied_columns(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    {}
    """
    ties: dict[int, list[str]] = {}
    for tie in tree.about.get("ties", ()):
        if isinstance(tie, Mapping) and isinstance(tie.get("columns"), Sequence):
            columns = [
                c for c in tie["columns"] if isinstance(c, int) and 0 <= c < len(tree.schema)
            ]
            ties[int(tie["node"])] = [tree.schema[c].name for c in columns]
    return ties


def card_marks(tree: TreeData, node: int, lang: str) -> str:
    """Return the short note on a card, such as ' +1 empty +2 surrogates'; often empty."""
    marks = []
    if tree.has_counts and (n := len(absent_levels(tree, node))):
        marks.append(say("mark_empty", lang, n=n))
    n = len(tree.nodes.surrogates.get(node, ()))
    if n and has_missing_values(tree, node):
        marks.append(say("mark_surrogates", lang, n=n))
    return "".join(f" {text}" for text in marks)


def has_missing_values(tree: TreeData, node: int) -> bool:
    """Return whether training rows lack the value that a node splits on, or may lack it.

    False where every training row had a value: surrogates are then no news.
    """
    n_missing = tree.about.get("missing", {} if "n_rows" in tree.about else None)
    return n_missing is None or tree.schema[int(tree.nodes.column[node])].name in n_missing


def receives_missing(tree: TreeData, node: int) -> bool:
    """Return whether rows with a missing value go to this node when no surrogate sends them.

    False where every training row had a value: the tooltip of the split mentions it then.
    """
    if node == 0 or tree.nodes.missing is None:
        return False
    parent, branch = tree.parent_of(node)
    if not has_missing_values(tree, parent):
        return False
    missing_branch = int(tree.nodes.missing[parent])
    return missing_branch != NO_BRANCH and missing_branch == branch


def tooltip_notes(tree: TreeData, node: int, lang: str, tied: Sequence[str] = ()) -> list[str]:
    """Return the notes in the tooltip of a split; leaves have none."""
    if tree.is_leaf[node]:
        return []
    return split_notes(tree, node, lang, tied) + missing_notes(tree, node, lang)


def split_notes(
    tree: TreeData,
    node: int,
    lang: str,
    tied: Sequence[str] = (),
    threshold: CutText | None = None,
) -> list[str]:
    """Return the notes on a split: exact threshold, tie, empty branches.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        A node that is split.
    lang : str
        The language.
    tied : list of str
        The columns of a tie, by `tied_columns`.
    threshold : CutText, optional
        The text of the node's threshold, if it is known already.
    """
    notes = []
    cut = float(tree.nodes.cut[node])
    is_number = math.isfinite(cut) and tree.schema[int(tree.nodes.column[node])].is_numeric
    if is_number and (threshold or cut_text(tree, node)).number != cut_label(cut):  # rounded
        notes.append(say("tip_cut", lang, cut=repr(cut)))
    if len(tied) > 1:
        notes.append(
            say("tip_tie", lang, columns=join_names([quoted(name) for name in tied], lang))
        )
    if tree.has_counts and (codes := absent_levels(tree, node)):
        field = tree.schema[int(tree.nodes.column[node])]
        levels = join_names([quoted(level_text(field, code)) for code in codes], lang)
        notes.append(say("tip_empty", lang, levels=levels))
    return notes


def missing_notes(tree: TreeData, node: int, lang: str) -> list[str]:
    """Return a sentence for each surrogate of a node, best first, and one for all other rows."""
    used = [s for s in tree.nodes.surrogates.get(node, ()) if s.is_used]
    default = NO_BRANCH if tree.nodes.missing is None else int(tree.nodes.missing[node])
    if not used and default == NO_BRANCH:
        return []
    first = tree.children(node).start
    column = quoted(tree.schema[int(tree.nodes.column[node])].name)
    notes = [
        say(
            "tip_surrogate_weight" if tree.has_weights else "tip_surrogate",
            lang,
            column=column,
            test=condition_text(surrogate_labels.surrogate_text(tree, surrogate), lang),
            branch=condition_text(branch_text(tree, first), lang),
            share=f"{100 * surrogate.agreement:.3g}",
        )
        for surrogate in used
    ]
    if default != NO_BRANCH:
        key = "tip_missing_else" if used else "tip_missing"
        branch = condition_text(branch_text(tree, first + default), lang)
        notes.append(say(key, lang, column=column, branch=branch))
    return notes
