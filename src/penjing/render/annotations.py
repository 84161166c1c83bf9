"""What a card says besides its counts: ties, branches without rows, surrogates, missing values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from penjing.i18n import say
from penjing.text import surrogate_labels
from penjing.text.labels import cut_text, quoted
from penjing.text.phrases import join_names
from penjing.tree.split import NO_BRANCH, level_text
from penjing.tree.tree_data import TreeData


def ties_of(tree: TreeData) -> dict[int, list[str]]:
    """Return, for each question that was a tie, the columns that scored the same.

    Examples
    --------
    >>> import penjing
    >>> ties_of(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    {}
    """
    found: dict[int, list[str]] = {}
    for tie in tree.about.get("ties", ()):
        if isinstance(tie, Mapping) and isinstance(tie.get("columns"), Sequence):
            places = [c for c in tie["columns"] if isinstance(c, int) and 0 <= c < len(tree.schema)]
            found[int(tie["node"])] = [tree.schema[c].name for c in places]
    return found


def short(tree: TreeData, node: int, lang: str) -> str:
    """Return what stands on a card: ' +1 empty +2 surrogates'; nothing for most."""
    said = []
    if tree.has_counts and (n := len(tree.empty_levels(node))):
        said.append(say("mark_empty", lang, n=n))
    if n := len(tree.nodes.surrogates.get(node, ())):
        said.append(say("mark_surrogates", lang, n=n))
    return "".join(f" {text}" for text in said)


def takes_missing(tree: TreeData, node: int) -> bool:
    """Say whether rows whose value is missing, and which no surrogate sends, go to this node.

    Not so where every training row had a value: the tooltip of the question tells of it then.
    """
    if node == 0 or tree.nodes.missing is None:
        return False
    parent, branch = tree.parent_of(node)
    lacking = tree.about.get("missing", {} if "n_rows" in tree.about else None)
    if lacking is not None and tree.schema[int(tree.nodes.column[parent])].name not in lacking:
        return False
    last = int(tree.nodes.missing[parent])
    return last != NO_BRANCH and last == branch


def long(tree: TreeData, node: int, lang: str, tied: Sequence[str] = ()) -> list[str]:
    """Return what the tooltip of a question says: every tie, empty branch and surrogate."""
    if tree.is_leaf[node]:
        return []
    said = []
    cut = float(tree.nodes.cut[node])
    is_number = math.isfinite(cut) and tree.schema[int(tree.nodes.column[node])].is_numeric
    if is_number and float(cut_text(tree, node).number) != cut:  # shorter than the model's own
        said.append(say("tip_cut", lang, cut=repr(cut)))
    if len(tied) > 1:
        said.append(say("tip_tie", lang, columns=join_names([quoted(name) for name in tied], lang)))
    if tree.has_counts and (codes := tree.empty_levels(node)):
        field = tree.schema[int(tree.nodes.column[node])]
        levels = join_names([quoted(level_text(field, code)) for code in codes], lang)
        said.append(say("tip_empty", lang, levels=levels))
    return said + surrogate_labels.surrogate_lines(tree, node)
