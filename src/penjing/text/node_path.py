"""Find a node by its number, ``root``, or the branches that lead to it."""

from __future__ import annotations

import math
import re

from penjing.data.table import Field
from penjing.errors import ChoiceError, closest_match
from penjing.i18n import Names
from penjing.text.labels import branch_text, cut_text, number_text, quoted
from penjing.tree.split import Split, level_text
from penjing.tree.tree_data import TreeData

ROOTS = ("", "root", "根结点", "根")
_SEPARATORS = ",，;；/"
_SIGNS = {"≤": "<=", "≥": ">=", "＝": "=", "＞": ">", "＜": "<", "==": "=", "∈": "in"}
_CUT = re.compile(r"(<=|>=|<|>)([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE)


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


def node_path(tree: TreeData, node: int) -> str:
    """Return the path to a node as `find_node` reads it: ``texture = clear, root = curled``.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})
    >>> node_path(tree, 2), node_path(tree, 0)
    ('texture = faint', '')
    """
    return ", ".join(branch_text(tree, step) for step in tree.path(node)[1:])


def is_root(path: str) -> bool:
    """Whether a path names the root."""
    return path.strip().lower() in ROOTS


def normalize_path(path: str) -> str:
    """Return a path for `match_branch`; that of the root is empty."""
    return "" if is_root(path) else _normalize(path)


def match_branch(
    rest: str, field: Field, split: Split, between: tuple[float, float]
) -> tuple[int, str] | None:
    """Return the branch of a split at the start of a path, and the rest of the path after it.

    Unlike `find_node` this needs no finished tree: paths are followed while a tree grows.

    Parameters
    ----------
    rest : str
        A path, by `normalize_path`, without the branches above the split.
    field : Field
        The column of the split.
    split : Split
        The split.
    between : (float, float)
        The training values on both sides of a threshold, positions of ordered levels: any value
        between them is the same threshold.

    Examples
    --------
    >>> split = Split(0, 0.3815, (), 0.1, 0.1)
    >>> match_branch("density>0.38,root=curled", Field("density", "numeric"), split, (0.36, 0.4))
    (1, 'root=curled')
    """
    best: tuple[int, int] | None = None
    for spelling, branch in _branch_spellings(field, split, between):
        after = rest[len(spelling) :]
        fits = rest.startswith(spelling) and (not after or after[0] in _SEPARATORS)
        if fits and (best is None or len(spelling) > best[1]):
            best = branch, len(spelling)
    if best is None and split.cut is not None and field.is_numeric:
        best = _match_cut(rest, _normalize(field.name), between)
    return None if best is None else (best[0], rest[best[1] :].lstrip(_SEPARATORS))


def branch_names(field: Field, split: Split) -> list[str]:
    """Return the branches of a split as messages list them."""
    name = quoted(field.name)
    if split.cut is None:
        groups = [[quoted(level_text(field, code)) for code in g.tolist()] for g in split.groups]
        return [
            f"{name} = {group[0]}" if len(group) == 1 else f"{name} in {{{', '.join(group)}}}"
            for group in groups
        ]
    if math.isinf(split.cut):
        return [f"{name} ≠ ?", f"{name} = ?"]
    is_number = field.is_numeric
    at = number_text(split.cut) if is_number else quoted(level_text(field, int(split.cut)))
    return [f"{name} ≤ {at}", f"{name} > {at}"]


def _branch_spellings(
    field: Field, split: Split, between: tuple[float, float]
) -> list[tuple[str, int]]:
    name = _normalize(field.name)
    if split.cut is None:
        spellings = []
        for branch, group in enumerate(split.groups):
            levels = [_normalize(level_text(field, code)) for code in group.tolist()]
            for level in levels:
                spellings += [(f"{name}={level}", branch), (level, branch)]
            spellings.append((f"{name}in{{{','.join(levels)}}}", branch))
        return spellings
    if math.isinf(split.cut):
        return [(f"{name}≠?", 0), (f"{name}!=?", 0), (f"{name}=?", 1), ("≠?", 0), ("=?", 1)]
    ats = [repr(float(split.cut))]
    if not field.is_numeric:
        codes = {int(split.cut), *_positions(between, len(field.levels))}
        ats = [_normalize(level_text(field, code)) for code in codes]
    return [
        (f"{start}{sign}{at}", branch)
        for start in (name, "")
        for branch, sign in enumerate(("<=", ">"))
        for at in ats
    ]


def _positions(between: tuple[float, float], n: int) -> range:
    """Return the positions of ordered levels that are the same threshold."""
    low, high = between
    if math.isnan(low):
        return range(0)
    return range(int(max(low, 0)), int(min(high, n)))


def _match_cut(rest: str, name: str, between: tuple[float, float]) -> tuple[int, int] | None:
    """Return the side of a numeric threshold, and the length of its text."""
    low, high = between
    for start in (name, ""):
        found = _CUT.match(rest, len(start)) if rest.startswith(start) else None
        if found is None or (rest[found.end() :] and rest[found.end()] not in _SEPARATORS):
            continue
        sign, number = found[1], float(found[2])
        is_same = low <= number < high if sign in ("<=", ">") else low < number <= high
        if is_same:
            return int(sign[0] == ">"), found.end()
    return None


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
