"""What a sibling of a recipe makes of the same rows: two programs share a name, not a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penjing.cli.say import Voice
from penjing.errors import Problem

if TYPE_CHECKING:
    from penjing.table import Table
    from penjing.tree import Tree

SIBLINGS = {"c4.5-textbook": "c4.5"}
"""Recipes that go by the same name in books and programs."""
ROWS = 10_000
"""With more rows a second tree takes too long for a remark."""


def sibling(voice: Voice, tree: Tree, train: Table) -> str:
    """Return the sentence about the sibling's tree; empty if it is the same tree."""
    from penjing.compare import differences  # noqa: PLC0415 - heavy
    from penjing.fit import fit  # noqa: PLC0415
    from penjing.write import summary  # noqa: PLC0415

    name = SIBLINGS.get(str(tree.recipe.get("name")))
    if name is None or tree.is_regression or train.n_rows > ROWS:
        return ""
    try:
        other = fit(train, recipe=name)
    except Problem:
        return ""
    right = summary.right_of(other.about.get("training"))
    if next(differences(tree, other), None) is None or right is None:
        return ""
    told = {"recipe": name, "leaves": voice.say("leaves", n=other.n_leaves)}
    told |= {"right": right[0], "of": right[1]}
    ours, theirs = (_asked(t) for t in (tree, other))
    if ours is None or theirs is None or ours == theirs or not tree.schema[ours].is_numeric:
        return voice.say("sibling", **told)
    from penjing.write.labels import quoted  # noqa: PLC0415 - heavy

    return voice.say("sibling_penalty", column=quoted(other.schema[theirs].name), **told)


def _asked(tree: Tree) -> int | None:
    return None if tree.is_leaf[0] else int(tree.nodes.column[0])
