"""Find a node by its number, ``root``, or the branches that lead to it."""

from __future__ import annotations

from penjing.errors import ChoiceError, closest_match
from penjing.i18n import Names
from penjing.text.labels import branch_text, cut_text
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

ROOTS = ("", "root", "根结点", "根")
_SEPARATORS = ",，;；/"
_SIGNS = {"≤": "<=", "≥": ">=", "＝": "=", "＞": ">", "＜": "<", "==": "="}


def find_node(tree: TreeData, text: str) -> tuple[int, int | None]:
    """Return the node that a text describes.

    Parameters
    ----------
    tree : TreeData
        The tree.
    text : str
        A number, ``root``, or branches from the root on: ``"texture=clear, root=curled"``,
        ``"density<=0.3815"``; the columns may be left out: ``"clear, curled"``.

    Returns
    -------
    (int, int or None)
        The node; and, where the last branch is a level that no training row in the node had, the
        code of the level (the node is then the one with the split).

    Raises
    ------
    ChoiceError
        If there is no such node or branch.

    Examples
    --------
    >>> import penjing
    >>> root = {"root": {"curled": "yes", "stiff": "no"}}
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": root, "faint": "no"}})
    >>> find_node(tree, "texture = clear, stiff"), find_node(tree, "2"), find_node(tree, "root")
    ((4, None), (2, None), (0, None))
    """
    text = text.strip()
    if text.lower() in ROOTS:
        return 0, None
    if text.isascii() and text.removeprefix("-").isdigit():
        return _check_number(tree, int(text)), None
    node, rest = 0, _normalize(text)
    while rest:
        if tree.is_leaf[node]:
            raise ChoiceError("no_branch_of_leaf", word=text)
        match = _matching_branch(tree, node, rest)
        if match is None:
            raise _no_branch(tree, node, text, rest)
        node, empty, length = match
        rest = rest[length:].lstrip(_SEPARATORS)
        if empty is not None:
            if rest:
                raise ChoiceError("no_branch_of_leaf", word=text)
            return node, empty
    return node, None


def _check_number(tree: TreeData, node: int) -> int:
    if not 0 <= node < tree.n_nodes:
        raise ChoiceError("no_such_node", node=node, last=tree.n_nodes - 1)
    return node


def _normalize(text: str) -> str:
    """Return a text for comparison: no blanks, no quotes, ASCII signs."""
    result = "".join(c for c in text if not c.isspace() and c not in "'\"")
    for sign, plain in _SIGNS.items():
        result = result.replace(sign, plain)
    return result


def _matching_branch(tree: TreeData, node: int, rest: str) -> tuple[int, int | None, int] | None:
    """Return the branch with the longest spelling at the start of the rest of a path."""
    best: tuple[int, int | None, int] | None = None
    for spelling, child, empty in _spellings(tree, node):
        after = rest[len(spelling) :]
        fits = rest.startswith(spelling) and (not after or after[0] in _SEPARATORS)
        if fits and (best is None or len(spelling) > best[2]):
            best = (child, empty, len(spelling))
    return best


def _spellings(tree: TreeData, node: int) -> list[tuple[str, int, int | None]]:
    field = tree.schema[int(tree.nodes.column[node])]
    name = _normalize(field.name)
    spellings: list[tuple[str, int, int | None]] = []
    if field.has_order:
        printed = cut_text(tree, node)
        cuts = {_normalize(printed.number), repr(float(tree.nodes.cut[node]))}
        for branch, child in enumerate(tree.children(node)):
            for sign in {printed.sign(branch, ascii_only=True), ("<=", ">")[branch]}:
                for cut in cuts:
                    spellings += [
                        (f"{name}{sign}{cut}", child, None),
                        (f"{sign}{cut}", child, None),
                    ]
        return spellings
    levels = [
        (code, c, None) for c in tree.children(node) for code in tree.nodes.levels(c).tolist()
    ]
    for code, child, empty in [*levels, *((code, node, code) for code in tree.empty_levels(node))]:
        level = _normalize(level_text(field, code))
        spellings += [(f"{name}={level}", child, empty), (level, child, empty)]
    for child in tree.children(node):
        spellings.append((_normalize(branch_text(tree, child)), child, None))
    return spellings


def _no_branch(tree: TreeData, node: int, text: str, rest: str) -> ChoiceError:
    column = tree.schema[int(tree.nodes.column[node])].name
    branches = [branch_text(tree, child) for child in tree.children(node)]
    values = {
        "column": column,
        "word": rest if rest in text else text,
        "known": Names(branches),
    }
    close = closest_match(rest, [spelling for spelling, _, _ in _spellings(tree, node)])
    if close is None:
        return ChoiceError("no_such_branch", **values)
    return ChoiceError("no_such_branch_near", near=close, **values)
