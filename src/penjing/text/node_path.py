"""Find a node by its number, ``root``, or the branches that lead to it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from penjing.data.table import Field
from penjing.errors import ChoiceError, closest_match
from penjing.i18n import Names
from penjing.text.labels import branch_text, cut_text, number_text, quoted
from penjing.tree.split import Split, level_text
from penjing.tree.tree_data import TreeData

ROOTS = ("", "root", "根结点", "根")
_SEPARATORS = ",，;；/"
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "＝": "=", "＞": ">", "＜": "<", "∈": "in"}
_ENDS = re.escape(f"{_SEPARATORS}{''.join(_SIGNS)}<>=!{{}}")
_QUOTED = re.compile(rf"""(?<![^\s{_ENDS}])('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?![^\s{_ENDS}])""")
"""A quoted name: quotes within a word are part of it."""
_PRIVATE, _MEANINGFUL = 0xF0000, f"{_SEPARATORS}{''.join(_SIGNS)}'\"{{}}<>=!"
"""Characters with a meaning in paths are moved up to the first number where they are quoted."""
_Found = TypeVar("_Found")
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
    best = _longest(rest, _branch_spellings(field, split, between))
    if best is None and split.cut is not None and field.is_numeric:
        best = _match_cut(rest, field.name, between)
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
) -> Iterator[tuple[str, bool, int]]:
    """Yield texts of the branches, whether they are as printed, and the branch."""
    if split.cut is None:
        for branch, group in enumerate(split.groups):
            levels = [level_text(field, code) for code in group.tolist()]
            for level in levels:
                for text, is_printed in _level_spellings(field.name, level):
                    yield text, is_printed, branch
            for name in _written(field.name):
                yield f"{name} in {{{', '.join(map(quoted, levels))}}}", True, branch
                yield f"{name} in {{{', '.join(levels)}}}", False, branch
    else:
        yield from _threshold_spellings(field, split.cut, between)


def _threshold_spellings(
    field: Field, cut: float, between: tuple[float, float]
) -> Iterator[tuple[str, bool, int]]:
    ends, ats = ("≠ ?", "= ?"), [""]
    if not math.isinf(cut):
        ends, ats = ("<=", ">"), [repr(float(cut))]
        if not field.is_numeric:
            codes = {int(cut), *_positions(between, len(field.levels))}
            ats = [at for code in codes for at in _written(level_text(field, code))]
    for name in (*_written(field.name), ""):
        for branch, end in enumerate(ends):
            for at in ats:
                yield f"{name} {end} {at}", at == quoted(at), branch


def _written(name: str) -> dict[str, None]:
    """Return how a name may be written: as it is printed, and as it is."""
    return dict.fromkeys((quoted(name), name))


def _level_spellings(column: str, level: str) -> Iterator[tuple[str, bool]]:
    for text in _written(level):
        is_printed = text == quoted(level)
        for name in _written(column):
            yield f"{name} = {text}", is_printed
            yield f"{name} == {text}", False
        yield text, is_printed


def _longest(rest: str, spellings: Iterable[tuple[str, bool, _Found]]) -> tuple[_Found, int] | None:
    """Return what the longest text at the start of a path stands for, and its length.

    Of equally long ones it is the first that is printed so: ``ab`` is rather ab than 'a b'. A path
    has no separators at its start.
    """
    best: tuple[_Found, int] | None = None
    rank = (-1, False)
    for text, is_printed, found in spellings:
        normal = _normalize(text)
        for spelling in {normal, normal.lstrip(_SEPARATORS)}:
            after = rest[len(spelling) :]
            fits = rest.startswith(spelling) and (not after or after[0] in _SEPARATORS)
            if fits and (len(spelling), is_printed) > rank:
                best, rank = (found, len(spelling)), (len(spelling), is_printed)
    return best


def _positions(between: tuple[float, float], n: int) -> range:
    """Return the positions of ordered levels that are the same threshold."""
    low, high = between
    if math.isnan(low):
        return range(0)
    return range(int(max(low, 0)), int(min(high, n)))


def _match_cut(rest: str, column: str, between: tuple[float, float]) -> tuple[int, int] | None:
    """Return the side of a numeric threshold, and the length of its text."""
    low, high = between
    for start in (*map(_normalize, _written(column)), ""):
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
    """Return a text for comparison: no blanks, no quotes, ASCII signs.

    Blanks, separators and signs of names in quotes become other characters.

    Examples
    --------
    >>> _normalize("no surfacing ≤ 'it'"), _normalize("it's")
    ('nosurfacing<=it', 'its')
    >>> _normalize("'a b'") == _normalize("ab"), _normalize("'a b'") == _normalize('"a b"')
    (False, True)
    """
    text = _QUOTED.sub(_unquoted, text)
    result = "".join(c for c in text if not c.isspace() and c not in "'\"")
    for sign, plain in _SIGNS.items():
        result = result.replace(sign, plain)
    return result


def _unquoted(match: re.Match[str]) -> str:
    try:
        name = str(ast.literal_eval(match[0]))
    except (ValueError, SyntaxError):
        name = match[0][1:-1]
    return "".join(chr(_PRIVATE + ord(c)) if c.isspace() or c in _MEANINGFUL else c for c in name)


def readable(path: str) -> str:
    """Return the rest of a path for a message."""
    return "".join(chr(ord(c) - _PRIVATE) if ord(c) >= _PRIVATE else c for c in path)


def _matching_branch(tree: TreeData, node: int, rest: str) -> tuple[int, int | None, int] | None:
    """Return the branch with the longest spelling at the start of the rest of a path."""
    best = _longest(rest, _spellings(tree, node))
    return None if best is None else (*best[0], best[1])


def _spellings(tree: TreeData, node: int) -> Iterator[tuple[str, bool, tuple[int, int | None]]]:
    """Yield texts of the branches, whether they are as printed, and the child or empty level."""
    field = tree.schema[int(tree.nodes.column[node])]
    if field.has_order:
        printed = cut_text(tree, node)
        cuts = {printed.number, repr(float(tree.nodes.cut[node]))}
        for branch, child in enumerate(tree.children(node)):
            for sign in {printed.sign(branch, ascii_only=True), ("<=", ">")[branch]}:
                for cut in cuts:
                    for name in (*_written(field.name), ""):
                        yield f"{name} {sign} {cut}", True, (child, None)
    else:
        yield from _level_branches(tree, node)
    for child in tree.children(node):
        yield branch_text(tree, child), True, (child, None)


def _level_branches(
    tree: TreeData, node: int
) -> Iterator[tuple[str, bool, tuple[int, int | None]]]:
    field = tree.schema[int(tree.nodes.column[node])]
    levels = [
        (code, c, None) for c in tree.children(node) for code in tree.nodes.levels(c).tolist()
    ]
    for code, child, empty in [*levels, *((code, node, code) for code in tree.empty_levels(node))]:
        for text, is_printed in _level_spellings(field.name, level_text(field, code)):
            yield text, is_printed, (child, empty)


def _no_branch(tree: TreeData, node: int, text: str, rest: str) -> ChoiceError:
    column = tree.schema[int(tree.nodes.column[node])].name
    branches = [branch_text(tree, child) for child in tree.children(node)]
    values = {
        "column": column,
        "word": rest if rest in text else text,
        "known": Names(branches),
    }
    texts = dict.fromkeys(readable(_normalize(text)) for text, _, _ in _spellings(tree, node))
    close = closest_match(readable(rest), texts)
    if close is None:
        return ChoiceError("no_such_branch", **values)
    return ChoiceError("no_such_branch_near", near=close, **values)
