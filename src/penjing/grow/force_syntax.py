"""Read what a node is forced to: a column, a threshold, groups of categories, or a leaf.

Texts are written as branches are printed: ``density``, ``density<=0.38``, ``texture in {a, b}``,
``texture=a``. A column may contain any sign: its whole name is looked for first, then the longest
name that the text begins with.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.source import Label
from penjing.data.table import Codes, Field
from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error
from penjing.text.labels import number_text
from penjing.tree.split import level_text
from penjing.tree.split_syntax import parse_levels, parse_number, parse_side

ARROW = "=>"
"""Separates path and split on the command line: ``PATH => COLUMN<=VALUE``."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The split that a node is to have.

    Parameters
    ----------
    column : str or None
        The name of the column; None for a leaf.
    threshold : float, str or None
        The threshold of an ordered column: a number, or a level; None for the best one.
    is_open : bool
        Whether the threshold itself takes the upper branch (``<``).
    groups : tuple of tuples, or None
        The categories of each branch; None for the best ones.
    """

    column: str | None
    threshold: float | str | None = None
    is_open: bool = False
    groups: tuple[tuple[Label, ...], ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the request as plain data, for the record of a tree."""
        if self.column is None:
            return {"act": "leaf"}
        plain: dict[str, Any] = {"act": "split", "column": self.column}
        if self.threshold is not None:
            plain |= {"threshold": self.threshold, "is_open": self.is_open}
        if self.groups is not None:
            plain["groups"] = [list(group) for group in self.groups]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> SplitRequest:
        """Return the request of a record."""
        groups = plain.get("groups")
        return cls(
            plain.get("column"),
            plain.get("threshold"),
            bool(plain.get("is_open", False)),
            None if groups is None else tuple(map(tuple, groups)),
        )

    def split_text(self) -> str:
        """Return the request in words of the printed tree, for messages."""
        if self.threshold is not None:
            at = self.threshold if isinstance(self.threshold, str) else number_text(self.threshold)
            return f"{self.column} {'<' if self.is_open else '<='} {at}"
        if self.groups is not None:
            groups = (f"{{{', '.join(map(str, group))}}}" for group in self.groups)
            return f"{self.column} in {' | '.join(groups)}"
        return str(self.column)


def parse_request(value: object, schema: Sequence[Field]) -> SplitRequest:
    """Return what a value of ``force_splits`` means.

    Parameters
    ----------
    value : str, dict, list or None
        ``"column"``, ``"column<=value"``, ``"column in {a, b}"``; ``{"column": name,
        "threshold": value}`` or ``{"column": name, "groups": [[…], […]]}``, or shorter
        ``{name: value}`` and ``{name: [[…], […]]}``; ``[name, [a, b], [c]]``. None is a leaf.
    schema : sequence of Field
        The columns of the table.

    Examples
    --------
    >>> schema = (Field("a<=b", "numeric"), Field("t", "nominal", ("x", "y")))
    >>> parse_request("a<=b<=3", schema).threshold, parse_request("a<=b", schema).column
    (3.0, 'a<=b')
    >>> parse_request({"t": [["x"], ["y"]]}, schema).groups, parse_request("t=x", schema).groups
    ((('x',), ('y',)), (('x',),))
    """
    if value is None:
        return SplitRequest(None)
    if isinstance(value, str):
        return _parse_text(value, schema)
    if isinstance(value, Mapping):
        return _parse_mapping(value, schema)
    if isinstance(value, list | tuple) and value:
        column = known_column(value[0], schema)
        if len(value) == 1:
            return SplitRequest(column)
        if len(value) == 2 and not isinstance(value[1], list | tuple | set):
            return split_request(schema, column, threshold=value[1])
        return split_request(schema, column, groups=value[1:])
    raise WrongTypeError("force_bad_split", value=value)


def known_column(name: object, schema: Sequence[Field]) -> str:
    """Return the name of a column; an unknown one is refused."""
    if not isinstance(name, str):
        raise WrongTypeError("force_bad_split", value=name)
    names = [field.name for field in schema]
    if name not in names:
        raise unknown_name_error("unknown_column", name, names)
    return name


def split_request(
    schema: Sequence[Field],
    column: object,
    threshold: object = None,
    groups: object = None,
) -> SplitRequest:
    """Return the request of a column with its threshold or its groups, after checking them."""
    name = known_column(column, schema)
    if threshold is not None and groups is not None:
        raise ChoiceError("force_cut_and_groups", column=name)
    if groups is not None:
        return SplitRequest(name, groups=_groups(name, groups))
    if isinstance(threshold, np.generic):
        threshold = threshold.item()
    if threshold is not None and not isinstance(threshold, str):
        if not arguments.is_number(threshold):
            raise WrongTypeError("force_bad_threshold", column=name, value=threshold)
        threshold = float(threshold)  # type: ignore[arg-type]
    return SplitRequest(name, threshold)


def _groups(column: str, groups: object) -> tuple[tuple[Label, ...], ...]:
    parts = arguments.as_list(groups) if not isinstance(groups, str) else None
    if not parts:
        raise WrongTypeError("force_bad_groups", column=column, value=groups)
    found = []
    for part in parts:
        levels = [part] if isinstance(part, str) else arguments.as_list(part)
        if levels is None:
            levels = [part]
        if not levels:
            raise WrongTypeError("force_bad_groups", column=column, value=groups)
        found.append(tuple(levels))
    return tuple(found)


def _parse_mapping(value: Mapping[Any, Any], schema: Sequence[Field]) -> SplitRequest:
    names = {field.name for field in schema}
    if len(value) == 1 and (name := next(iter(value))) in names:
        part = value[name]
        if part is None or not isinstance(part, list | tuple | set):
            return split_request(schema, name, threshold=part)
        return split_request(schema, name, groups=part)
    known = ("column", "threshold", "groups")
    for key in value:
        if key not in known:
            raise unknown_name_error("force_unknown_key", key, known)
    if "column" not in value:
        raise WrongTypeError("force_bad_split", value=value)
    return split_request(schema, value["column"], value.get("threshold"), value.get("groups"))


def _parse_text(text: str, schema: Sequence[Field]) -> SplitRequest:
    plain = text.strip()
    names = [field.name for field in schema]
    for name in names:
        if plain in (name, repr(name)):
            return SplitRequest(name)
    spellings = [(spelling, name) for name in names for spelling in (name, repr(name))]
    for spelling, name in sorted(spellings, key=lambda pair: -len(pair[0])):
        if plain.startswith(spelling):
            request = _parse_branch(name, plain[len(spelling) :].strip())
            if request is not None:
                return request
    raise unknown_name_error("unknown_column", _column_in(plain), names)


def _parse_branch(column: str, rest: str) -> SplitRequest | None:
    """Return the split of a branch such as '<= 3' or 'in {a, b}'; None for another text."""
    side = parse_side(rest)
    if side is not None and side.sign in ("<=", ">", "<", ">="):
        number = parse_number(side)
        is_open = side.sign in ("<", ">=")
        return SplitRequest(column, side.rest if number is None else number, is_open)
    levels = parse_levels(rest)
    return None if levels is None else SplitRequest(column, groups=(levels,))


def _column_in(text: str) -> str:
    """Return the part of a text that was meant as a column: up to its first sign."""
    for position, sign in enumerate(text):
        if position and sign in "<>=≤≥＝＜＞":
            return text[:position].strip()
    return text


@dataclass(frozen=True, slots=True)
class ResolvedSplit:
    """A request in the codes of a table; neither a threshold nor groups: the best ones."""

    column: int
    cut: float | None = None
    groups: tuple[Codes, ...] | None = None

    @property
    def is_explicit(self) -> bool:
        """Whether the branches are given, not only the column."""
        return self.cut is not None or self.groups is not None


def resolve(
    request: SplitRequest, schema: Sequence[Field], *, orders_categories: bool
) -> ResolvedSplit:
    """Return a request in the codes of a table, or raise an error if it does not fit a column.

    Parameters
    ----------
    request : SplitRequest
        The request; not that of a leaf.
    schema : sequence of Field
        The columns.
    orders_categories : bool
        Whether the dialect compares categories by their position.
    """
    assert request.column is not None
    column = [field.name for field in schema].index(request.column)
    field = schema[column]
    has_order = field.has_order or orders_categories
    if request.threshold is not None:
        if not has_order:
            raise ChoiceError("force_threshold_categorical", column=field.name)
        return ResolvedSplit(column, _cut(request, field))
    if request.groups is not None:
        if has_order:
            raise ChoiceError("force_groups_ordered", column=field.name)
        return ResolvedSplit(column, groups=_codes(request.groups, field))
    return ResolvedSplit(column)


def _cut(request: SplitRequest, field: Field) -> float:
    value = request.threshold
    if field.is_numeric:
        try:
            number = float(value)  # type: ignore[arg-type]
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ChoiceError("force_bad_threshold", column=field.name, value=value)
        return math.nextafter(number, -math.inf) if request.is_open else number
    (code,) = _level_codes([value], field)
    return float(code) - (1.0 if request.is_open else 0.0)


def _codes(groups: Iterable[Sequence[Label]], field: Field) -> tuple[Codes, ...]:
    found, taken = [], set()
    for group in groups:
        codes = _level_codes(group, field)
        for code in codes:
            if code in taken:
                raise ChoiceError(
                    "force_level_twice", column=field.name, level=level_text(field, code)
                )
            taken.add(code)
        found.append(np.array(sorted(codes), np.int32))
    return tuple(found)


def _level_codes(levels: Iterable[object], field: Field) -> list[int]:
    by_value = {level: code for code, level in enumerate(field.levels)}
    by_text = {level_text(field, code): code for code in range(len(field.levels))}
    codes = []
    for level in levels:
        code = by_value.get(level) if isinstance(level, Hashable) else None
        code = by_text.get(str(level)) if code is None else code
        if code is None:
            raise unknown_name_error(
                "force_unknown_level", str(level), list(by_text), column=field.name
            )
        codes.append(code)
    return codes


def parse_forced_text(text: str, schema: Sequence[Field]) -> tuple[str, SplitRequest]:
    """Return path and split of ``PATH => COLUMN<=VALUE``.

    The first arrow separates them that has a split of a known column behind it, so that names may
    contain arrows. Nothing behind it is a leaf. A text without an arrow is a split of the root.

    Examples
    --------
    >>> schema = (Field("root", "nominal", ("curled",)), Field("a=>b", "numeric"))
    >>> path, split = parse_forced_text("texture=x => a=>b <= 2", schema)
    >>> path, split.column, split.threshold
    ('texture=x', 'a=>b', 2.0)
    >>> parse_forced_text("texture=x =>", schema)[1].column, parse_forced_text("root", schema)[0]
    (None, '')
    """
    at = text.find(ARROW)
    first_error: ChoiceError | None = None
    while at >= 0:
        path, rest = text[:at].strip(), text[at + len(ARROW) :].strip()
        if not rest:
            return path, SplitRequest(None)
        try:
            return path, parse_request(rest, schema)
        except ChoiceError as error:
            first_error = first_error or error
        at = text.find(ARROW, at + 1)
    try:
        request = parse_request(text, schema)
    except ChoiceError as error:
        raise first_error or error from None
    if first_error is not None and not _has_categories(request, schema):
        raise first_error
    return "", request


def _has_categories(request: SplitRequest, schema: Sequence[Field]) -> bool:
    """Whether the categories of a request are those of its column."""
    levels = {str(level) for f in schema if f.name == request.column for level in f.levels}
    return all(str(level) in levels for group in request.groups or () for level in group)
