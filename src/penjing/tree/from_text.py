"""Read a tree as it is printed: one branch a line, indented below the branch that it divides."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from penjing import arguments
from penjing.data.notes import Note, record_notes
from penjing.data.read.schema import ColumnSpec
from penjing.errors import DataError
from penjing.i18n import LANGUAGES, say
from penjing.tree.from_dict import CountedLeaf, Schema, declared_types, from_dict
from penjing.tree.split_syntax import MISSING, plain_text
from penjing.tree.tree_data import TreeData

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_WORD = rf"""(?:{_QUOTED}|[^\s,:'"{{}}()\[\]|│]+)"""
_COUNT = r"[0-9][0-9.eE+-]*"
_PRINTED = re.compile(
    rf"(?P<name>{_WORD}) (?P<sign>=|≤|<=|<|>=|≥|>|≠|!=|in|∈|属于) "
    rf"(?P<value>{_WORD}|\{{{_WORD}(?:, {_WORD})*\}})(?:: (?P<rest>.+))?"
)
"""A branch as it is printed; names with blanks or signs of their own are in quotes."""
_PRINTED_LEAF = re.compile(rf"({_WORD})(?: \(({_COUNT})(?:/({_COUNT}))?\))?")
_LEAF = re.compile(rf"(.*?)(?:\s*[(（]\s*({_COUNT})\s*(?:/\s*({_COUNT})\s*)?[)）])?", re.DOTALL)
_SIGN = re.compile(r"<=|>=|=<|=>|!=|==|[≤≥≠≦≧⩽⩾<>=＝＜＞∈]|属于|(?<=\s)in(?=\s*\{)")
_BESIDE = r"\s,，、:：=<>≤≥≠∈"
_MASKED = re.compile(rf"(?:(?<=^)|(?<=[{{{_BESIDE}]))(?:{_QUOTED})(?=$|[}}(（{_BESIDE}])")
_BARS = re.compile(r"[│|\s]*")
_SUBTREE = re.compile(r"\[(S[0-9]+)\]")
_SUMMARY = re.compile(r"[0-9][0-9,]* (?:leaf|leaves), |[0-9]+ 个叶结点，")
_SIGNS = {
    "≤": "<=", "≥": ">=", "≦": "<=", "≧": ">=", "⩽": "<=", "⩾": ">=", "≠": "!=", "=<": "<=",
    "=>": ">=", "==": "=", "＝": "=", "＜": "<", "＞": ">", "∈": "in", "属于": "in",
}  # fmt: skip
_LEFT_OUT = re.compile(r"\s*(…|\.\.\.)\s.*")
"""The end of a group of categories that was abbreviated: '… 9 more'."""
_IN = ("in", "∈", "属于")
_OPPOSITES = {"<=": ">", "<": ">="}


class _Line(NamedTuple):
    """A line of the tree: its number, indentation and text."""

    number: int
    indent: int
    text: str


@dataclass(slots=True)
class _Branch:
    """One branch: the condition, and the leaf, subtree or branches that it leads to."""

    line: int
    text: str
    column: str
    sign: str
    values: tuple[str, ...]
    is_quoted: bool
    leaf: CountedLeaf | None = None
    subtree: str | None = None
    below: list[_Branch] = field(default_factory=list)


def from_text(text: str, target: str = "class", schema: Schema = None) -> TreeData:
    r"""Return the tree of a text as `print` writes it, and as people write it.

    Parameters
    ----------
    text : str
        One branch a line: ``column = category``, ``column in {a, b}``, ``column <= 2.5`` and
        ``column > 2.5``, ``column < 2.5`` and ``column >= 2.5``, ``column ≠ ?`` and ``column =
        ?``; after a colon the prediction, and in parentheses the number of rows and of errors, if
        they are known. Branches below another one are indented, by ``│`` or by blanks. ``≤ ≥ ∈``
        mean the same as ``<= >= in``; names with blanks, commas or signs may be in quotes. The
        lines below a printed tree that tell its size and ties are not part of it.
    target : str
        The name of the target, which the text does not tell.
    schema : dict, or fields
        Types of columns and of the target, as in :func:`penjing.read`. The order of an ordinal
        column must be given, since a printed tree does not tell it; a target of the type
        ``numeric`` means that leaves are numbers.

    Raises
    ------
    DataError
        If a line cannot be read, or does not fit the lines around it. The message names the line.

    Examples
    --------
    >>> tree = from_text("density <= 0.38: no\ndensity > 0.38\n  dry = 0: no\n  dry = 1: yes")
    >>> tree.depth, tree.n_leaves, tree.nodes.cut[0].item()
    (2, 3, 0.38)
    """
    arguments.text("target", target)
    arguments.text("text", text)
    specs = declared_types(schema)
    roots, subtrees = _parts(list(_lines(text)))
    if isinstance(roots, CountedLeaf):
        plain: Any = roots
        leaves = [roots]
    else:
        branches = _check_subtrees(roots, subtrees)
        leaves = [branch.leaf for branch in branches if branch.leaf is not None]
        plain = _nested(roots, subtrees, specs)
    spec = specs.get(target)
    has_numbers = _are_numbers(leaves, spec)
    tree = from_dict(_with_numbers(plain) if has_numbers else plain, target, schema)
    notes = []
    if has_numbers and spec is None:
        notes.append(Note("note_leaves_are_numbers", {"target": target}))
    if not tree.is_regression and not tree.has_counts and any(leaf.errors for leaf in leaves):
        notes.append(Note("note_errors_by_class"))
    record_notes(notes)
    return tree


def looks_like_tree_text(text: str) -> bool:
    """Whether the first line of a text reads as a branch of a printed tree.

    Examples
    --------
    >>> looks_like_tree_text("texture = clear"), looks_like_tree_text("a,b")
    (True, False)
    """
    first = next(_lines(text), None)
    try:
        return first is not None and _branch(first).column != ""
    except DataError:
        return False


# -- lines ---------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines that are not empty."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        bars = _BARS.match(line)
        assert bars is not None
        rest = line[bars.end() :].rstrip()
        if rest:
            yield _Line(number, len(bars.group().expandtabs(8)), rest)


def _parts(
    lines: Sequence[_Line],
) -> tuple[list[_Branch] | CountedLeaf, dict[str, list[_Branch]]]:
    """Return the branches of the root (or the only leaf), and those of each subtree by name."""
    if not lines:
        raise DataError("text_without_tree")
    parts: dict[str, list[_Line]] = {"": []}
    name = ""
    for position, line in enumerate(lines):
        heading = _SUBTREE.fullmatch(line.text)
        if heading:
            name = heading[1]
            if name in parts:
                raise DataError("text_subtree_twice", line=line.number, name=name)
            parts[name] = []
        elif parts[""] and _is_summary(line):
            _check_summary(lines[:position], line)
            break
        else:
            parts[name].append(line)
    first = parts.pop("")
    if len(first) == 1 and not parts and (leaf := _only_leaf(first[0])) is not None:
        return leaf, {}
    return _stack(first), {name: _stack(part) for name, part in parts.items()}


def _is_summary(line: _Line) -> bool:
    return line.indent == 0 and _SUMMARY.match(line.text) is not None and ":" not in line.text


def _check_summary(lines: Sequence[_Line], summary: _Line) -> None:
    """Check that the tree above the line with its size has that size."""
    first = next((line for line in lines if _SUBTREE.fullmatch(line.text) is None), None)
    if first is None or len(lines) == 1:
        return
    leaves = [
        branch.leaf
        for branch in (_branch(line) for line in lines if not _SUBTREE.fullmatch(line.text))
        if branch.leaf is not None
    ]
    n_drawn = sum(leaf.rows != 0 for leaf in leaves)  # branches without rows may be listed too
    said = {say("leaves", lang, n=n) for lang in LANGUAGES for n in range(n_drawn, len(leaves) + 1)}
    if not summary.text.startswith(tuple(said)):
        raise DataError("text_other_size", line=summary.number, text=summary.text, n=len(leaves))


def _only_leaf(line: _Line) -> CountedLeaf | None:
    """Return the leaf that a tree of one line is; None if the line is a branch."""
    if _PRINTED_LEAF.fullmatch(line.text) is None and _SIGN.search(_masked(line.text)):
        return None
    return _leaf(line, line.text)


def _stack(lines: Sequence[_Line]) -> list[_Branch]:
    """Return the branches of the first indentation, each with those below it."""
    if not lines:
        raise DataError("text_without_tree")
    top: list[_Branch] = []
    levels: list[tuple[int, list[_Branch]]] = [(lines[0].indent, top)]
    for line in lines:
        branch = _branch(line)
        if line.indent > levels[-1][0]:
            above = levels[-1][1][-1]
            if above.leaf is not None or above.subtree is not None:
                raise DataError("text_below_leaf", line=line.number, text=branch.text)
            levels.append((line.indent, above.below))
        while line.indent < levels[-1][0]:
            levels.pop()
            if not levels or line.indent > levels[-1][0]:
                raise DataError("text_bad_indent", line=line.number, text=branch.text)
        levels[-1][1].append(branch)
    return top


# -- one line ------------------------------------------------------------------------------------


def _branch(line: _Line) -> _Branch:
    """Return the branch that a line is."""
    match = _PRINTED.fullmatch(line.text)
    words = [] if match is None else re.findall(_WORD, match["value"])
    is_group = match is not None and match["value"].startswith("{")
    # A group that we print has several categories; other commas may be between those of one.
    if match is not None and is_group == (match["sign"] in _IN) and is_group == (len(words) > 1):
        name, sign, rest = match["name"], match["sign"], match["rest"]
    else:
        name, sign, words, rest = _loose_parts(line)
    if words and _LEFT_OUT.fullmatch(words[-1]):
        raise DataError("text_abbreviated", line=line.number, text=line.text)
    branch = _Branch(
        line.number,
        line.text if rest is None else line.text[: -len(rest)].rstrip().rstrip(":："),
        _unquoted(line, name),
        _SIGNS.get(sign, sign),
        tuple(_unquoted(line, word) for word in words),
        is_quoted=any(word[:1] in ("'", '"') for word in words),
    )
    if rest is not None:
        subtree = _SUBTREE.fullmatch(rest)
        branch.subtree = subtree[1] if subtree else None
        branch.leaf = None if subtree else _leaf(line, rest)
    return branch


def _loose_parts(line: _Line) -> tuple[str, str, list[str], str | None]:
    """Return name, sign, values and prediction of a line that is not as we print it.

    There must be one sign and at most one colon outside quotes, so that nothing can be taken for
    something else.
    """
    masked = _masked(line.text)
    colons = [at for at, character in enumerate(masked) if character in ":："]
    end = colons[0] if colons else len(masked)
    signs = list(_SIGN.finditer(masked[:end]))
    if len(colons) > 1 or len(signs) != 1:
        raise _bad_line(line)
    start, stop = signs[0].span()
    name, value = line.text[:start].strip(), line.text[stop:end].strip()
    sign = signs[0].group()
    rest = line.text[end + 1 :].strip() if colons else None
    if not name or not value or rest == "":
        raise _bad_line(line)
    plain_value = masked[stop:end].strip()
    if sign in _IN:
        if not (value.startswith("{") and value.endswith("}")):
            raise _bad_line(line)
        words = _split_words(value[1:-1], plain_value[1:-1])
        plain_value = "".join(_split_words(plain_value[1:-1], plain_value[1:-1]))
    else:
        words = [value]
    if not all(words) or any(character in ",，{}()[]|│（）" for character in plain_value):
        raise _bad_line(line)
    return name, sign, words, rest


def _split_words(text: str, masked: str) -> list[str]:
    """Return the words between commas that are not in quotes."""
    words, start = [], 0
    for at, character in enumerate(masked):
        if character in ",，、":
            words.append(text[start:at].strip())
            start = at + 1
    return [*words, text[start:].strip()]


def _masked(text: str) -> str:
    """Return a text with letters in the place of what is in quotes."""
    return _MASKED.sub(lambda match: "x" * len(match.group()), text)


def _leaf(line: _Line, text: str) -> CountedLeaf:
    """Return the prediction of a leaf, with its numbers of rows and errors."""
    match = _PRINTED_LEAF.fullmatch(text)
    if match is None:
        match = _LEAF.fullmatch(text)
        assert match is not None
        masked = _masked(match[1])
        if not match[1] or any(c in ",:：{}()[]|│（）" for c in masked) or _SIGN.search(masked):
            raise _bad_line(line)
    rows, errors = (0.0 if part is None else _count(line, part) for part in match.groups()[1:])
    if errors > rows:
        raise _bad_line(line)
    is_number = match[1][:1] not in ("'", '"')
    answer = _unquoted(line, match[1])
    return CountedLeaf(
        answer if is_number else _Quoted(answer), rows if match[2] else math.nan, errors
    )


class _Quoted(str):
    """A class in quotes, which is not a number whatever it looks like."""

    __slots__ = ()


def _count(line: _Line, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _bad_line(line) from None


def _unquoted(line: _Line, word: str) -> str:
    """Return a name without its quotes; quotes that do not match are refused."""
    if word[:1] not in ("'", '"'):
        return word
    try:
        name = ast.literal_eval(word)
    except (ValueError, SyntaxError):
        raise _bad_line(line) from None
    if not isinstance(name, str) or re.fullmatch(_QUOTED, word, re.DOTALL) is None:
        raise _bad_line(line)
    return name


def _bad_line(line: _Line) -> DataError:
    return DataError("text_bad_line", line=line.number, text=line.text)


# -- the whole -----------------------------------------------------------------------------------


def _check_subtrees(
    roots: Sequence[_Branch], subtrees: Mapping[str, Sequence[_Branch]]
) -> list[_Branch]:
    """Return every branch that the root leads to; each subtree must be used once."""
    found: list[_Branch] = []
    used: set[str] = set()
    stack = list(roots)
    while stack:
        branch = stack.pop()
        found.append(branch)
        if branch.subtree is not None:
            if branch.subtree not in subtrees or branch.subtree in used:
                raise DataError("text_no_subtree", line=branch.line, name=branch.subtree)
            used.add(branch.subtree)
            stack += subtrees[branch.subtree]
        elif branch.leaf is None and not branch.below:
            raise DataError("text_no_prediction", line=branch.line, text=branch.text)
        stack += branch.below
    for name, branches in subtrees.items():
        if name not in used:
            raise DataError("text_no_subtree", line=branches[0].line, name=name)
    return found


def _nested(
    roots: list[_Branch], subtrees: Mapping[str, list[_Branch]], specs: Mapping[str, ColumnSpec]
) -> dict[Any, Any]:
    """Return the nested dict of a tree; every key is a threshold or a tuple of categories."""
    top: dict[Any, Any] = {}
    kinds: dict[str, str] = {}
    stack: list[tuple[list[_Branch], dict[Any, Any]]] = [(roots, top)]
    while stack:
        branches, into = stack.pop()
        keys = _keys(branches, specs)
        column = branches[0].column
        if (kind := _kind(keys)) is not None and kinds.setdefault(column, kind) != kind:
            raise DataError("text_mixed_column", line=branches[0].line, column=column)
        below: dict[Any, Any] = {}
        into[column] = below
        for key, branch in zip(keys, branches, strict=True):
            if branch.leaf is not None:
                below[key] = branch.leaf
                continue
            below[key] = {}
            stack.append((branch.below or subtrees[str(branch.subtree)], below[key]))
    return top


def _kind(keys: Sequence[Any]) -> str | None:
    """Return whether keys are thresholds or categories; None for known and missing values."""
    if isinstance(keys[0], tuple):
        return "categories"
    return None if keys[0].endswith(MISSING) else "threshold"


def _keys(branches: list[_Branch], specs: Mapping[str, ColumnSpec]) -> list[Any]:
    """Return the key of each branch of a node in a nested dict."""
    first = branches[0]
    _check_column(branches)
    signs = [branch.sign for branch in branches]
    is_unknown = [branch.values == (MISSING,) and not branch.is_quoted for branch in branches]
    if "!=" in signs:
        if sorted(signs) != ["!=", "="] or not all(is_unknown):
            raise _bad_pair(branches)
        return [f"{sign} {MISSING}" for sign in signs]
    if set(signs) <= {"=", "in"}:
        _check_categories(branches)
        return [branch.values for branch in branches]
    if len(branches) != 2 or (signs[0], signs[1]) not in _PAIRS:
        raise _bad_pair(branches)
    spec = specs.get(first.column)
    if spec is not None and spec.kind == "ordered" and spec.levels is not None:
        return _ordered_keys(branches, spec.levels)
    numbers = [_number(branch) for branch in branches]
    if numbers[0] != numbers[1]:
        raise _bad_pair(branches)
    return [f"{sign} {numbers[0]!r}" for sign in signs]


def _check_column(branches: Sequence[_Branch]) -> None:
    """Raise an error unless all branches of a node have one column."""
    for branch in branches[1:]:
        if branch.column != branches[0].column:
            values = {"line": branch.line, "column": branch.column, "other": branches[0].column}
            raise DataError("text_other_column", **values)


def _check_categories(branches: Sequence[_Branch]) -> None:
    """Raise an error for a category that leads to two branches."""
    seen: set[str] = set()
    for branch in branches:
        for value in branch.values:
            if value in seen:
                values = {"line": branch.line, "column": branch.column, "level": value}
                raise DataError("text_level_twice", **values)
            seen.add(value)


_PAIRS = {pair for low, high in _OPPOSITES.items() for pair in ((low, high), (high, low))}


def _bad_pair(branches: Sequence[_Branch]) -> DataError:
    """Return the error for branches that do not divide the values of a column."""
    if len(branches) == 1:
        return DataError("text_one_side", line=branches[0].line, text=branches[0].text)
    other = branches[1]
    values = {"line": other.line, "one": branches[0].text, "other": other.text}
    return DataError("text_bad_cut", **values)


def _number(branch: _Branch) -> float:
    """Return the threshold of a branch."""
    try:
        number = float(plain_text(branch.values[0]))
    except ValueError:
        number = math.nan
    if branch.is_quoted or not math.isfinite(number) or "_" in branch.values[0]:
        values = {"line": branch.line, "column": branch.column, "text": branch.text}
        raise DataError("text_no_order", **values)
    return number + 0.0


def _ordered_keys(branches: Sequence[_Branch], levels: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the categories on both sides of a threshold of an ordinal column."""
    texts = [str(level) for level in levels]
    keys = []
    for branch in branches:
        word = branch.values[0]
        if word not in texts:
            values = {"line": branch.line, "column": branch.column, "level": word}
            raise DataError("text_level_not_ordered", **values, known=", ".join(texts))
        position = texts.index(word) + (branch.sign in ("<=", ">"))
        keys.append(tuple(levels[:position] if branch.sign[0] == "<" else levels[position:]))
    if not all(keys) or len(keys[0]) + len(keys[1]) != len(levels):
        raise _bad_pair(branches)
    return keys


# -- numbers at the leaves -----------------------------------------------------------------------


def _are_numbers(leaves: Sequence[CountedLeaf], spec: ColumnSpec | None) -> bool:
    """Whether the leaves are numbers of a regression tree, and not classes."""
    if spec is not None:
        return spec.kind == "numeric"
    if any(leaf.errors or isinstance(leaf.answer, _Quoted) for leaf in leaves):
        return False
    numbers = [_as_number(leaf.answer) for leaf in leaves]
    if any(number is None for number in numbers):
        return False
    return any(re.search(r"[.eE]", str(leaf.answer)) for leaf in leaves)


def _as_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _with_numbers(plain: Any) -> Any:  # noqa: ANN401 - a nested dict, or a leaf
    """Return a nested dict whose leaves are numbers where they can be."""
    top: dict[Any, Any] = {"": plain}
    stack = [top]
    while stack:
        part = stack.pop()
        for key, value in part.items():
            if isinstance(value, dict):
                stack.append(value)
            elif (number := _as_number(str(value.answer))) is not None:
                part[key] = value._replace(answer=number)
    return top[""]
