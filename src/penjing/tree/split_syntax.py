"""Parse branches as people write them: '<= 0.3815', '≥ 6.5', '≠ ?', '= clear', 'in {a, b}'."""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from typing import Any, NamedTuple

_ASCII_SIGNS = {
    "≦": "<=", "≧": ">=", "≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">=", "≠": "!=", "−": "-",
}  # fmt: skip
_SIDE = re.compile(r"(<=|>=|!=|=<|=>|<|>|=)\s*(\S.*)", re.DOTALL)
_GROUP = re.compile(r"(?:in|∈|属于)\s*\{(.*)\}", re.DOTALL)
_NAME = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]+)""")
MISSING = "?"
"""The sign for a missing value in a printed tree."""


class Side(NamedTuple):
    """An operator and the text after it: ``<=``, ``<``, ``>``, ``>=``, ``=`` or ``!=``."""

    sign: str
    rest: str


def parse_side(text: object) -> Side | None:
    """Return the operator at the start of a text, in ASCII, and the rest; None without one.

    Examples
    --------
    >>> parse_side("≤ 0.3815"), parse_side("＜６．５"), parse_side("clear")
    (Side(sign='<=', rest='0.3815'), Side(sign='<', rest='6.5'), None)
    """
    if not isinstance(text, str):
        return None
    match = _SIDE.fullmatch(plain_text(text))
    if match is None:
        return None
    return Side({"=<": "<=", "=>": ">="}.get(match[1], match[1]), match[2])


def plain_text(text: str) -> str:
    """Return a text with plain letters, digits and signs in the place of their variants.

    Examples
    --------
    >>> plain_text(" ＜６．５ "), plain_text("≥ 3")
    ('<6.5', '>= 3')
    """
    plain = unicodedata.normalize("NFKC", text.strip())
    # NFKC decomposes "≠" into "=" and a combining stroke; NFC composes it again.
    plain = unicodedata.normalize("NFC", plain)
    for sign, ascii_sign in _ASCII_SIGNS.items():
        plain = plain.replace(sign, ascii_sign)
    return plain


def parse_cut(one: object, other: object) -> tuple[float, bool] | None:
    """Return the threshold of two branches, and whether it belongs to the upper one (``<``).

    An infinite threshold separates known from missing values (``≠ ?``, ``= ?``). None is returned
    for texts that are not the lower and the upper branch of one threshold.

    Examples
    --------
    >>> (
    ...     parse_cut("<=5", "> 5.0"),
    ...     parse_cut("< 5", "≥ 5"),
    ...     parse_cut("≠ ?", "= ?"),
    ...     parse_cut("<= 5", "> 6"),
    ... )
    ((5.0, False), (5.0, True), (inf, False), None)
    """
    low, high = parse_side(one), parse_side(other)
    if low is None or high is None:
        return None
    if (low.sign, high.sign) == ("!=", "=") and low.rest == high.rest == MISSING:
        return math.inf, False
    if (low.sign, high.sign) not in (("<=", ">"), ("<", ">=")):
        return None
    below, above = parse_number(low), parse_number(high)
    return None if below is None or below != above else (below, low.sign == "<")


def are_two_sides(one: object, other: object) -> bool:
    """Whether two texts are the lower and the upper side of one threshold, whatever that is.

    Examples
    --------
    >>> are_two_sides("<= M", "> M"), are_two_sides("> 5", "<= 5.0"), are_two_sides("<= 5", "> 6")
    (True, False, False)
    """
    low, high = parse_side(one), parse_side(other)
    if low is None or high is None:
        return False
    if parse_cut(one, other) is not None:
        return True
    has_signs = (low.sign, high.sign) in (("<=", ">"), ("<", ">="))
    return has_signs and low.rest == high.rest


def parse_number(side: Side) -> float | None:
    """Return the finite number after an operator, None where there is none."""
    try:
        number = float(side.rest)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_levels(text: object) -> tuple[str, ...] | None:
    """Return the levels of '= clear' or 'in {a, b}', None for any other text.

    Examples
    --------
    >>> (
    ...     parse_levels("= clear"),
    ...     parse_levels("in {a, 'b, c'}"),
    ...     parse_levels("clear"),
    ...     parse_levels("=<30"),
    ... )
    (('clear',), ('a', 'b, c'), None, ('<30',))
    """
    if not isinstance(text, str):
        return None
    if match := _GROUP.fullmatch(text.strip()):
        return tuple(unquote(name) for name in _NAME.findall(match[1]) if name.strip())
    level, n_signs = re.subn(r"^\s*[=＝]\s*(?=\S)", "", text)
    return (unquote(level),) if n_signs else None


def strip_column_name(column: str, text: Any) -> Any:  # noqa: ANN401 - a text or another label
    """Return a printed branch without the name of its column; anything else unchanged.

    Examples
    --------
    >>> (
    ...     strip_column_name("density", "density <= 0.4"),
    ...     strip_column_name("density", "density"),
    ...     strip_column_name("a b", "'a b' = ?"),
    ... )
    ('<= 0.4', 'density', '= ?')
    """
    if isinstance(text, str) and not _is_threshold(text):
        for name in (column, repr(column)):
            rest = text.strip().removeprefix(name).strip()
            if rest != text.strip() and is_branch_text(rest):
                return rest
    return text


def _is_threshold(text: str) -> bool:
    """Whether a text is a side of a numeric threshold without the name of a column."""
    side = parse_side(text)
    return side is not None and side.sign[0] in "<>" and parse_number(side) is not None


def is_branch_text(text: object) -> bool:
    """Whether a text reads as one branch of a printed tree."""
    return parse_side(text) is not None or parse_levels(text) is not None


def unquote(name: str) -> str:
    """Return a name without its quotes.

    Examples
    --------
    >>> unquote("'a b'"), unquote(" clear "), unquote("'s-Gravenhage")
    ('a b', 'clear', "'s-Gravenhage")
    """
    name = name.strip()
    if name[:1] in ("'", '"'):
        try:
            return str(ast.literal_eval(name))
        except (ValueError, SyntaxError):
            return name
    return name
