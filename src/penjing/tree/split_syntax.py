"""One side of a split as people write it: '<= 0.3815', '≥ 6.5', '≠ ?', '= clear', 'in {a, b}'."""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from typing import Any, NamedTuple

_ALIKE = {"≦": "<=", "≧": ">=", "≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">=", "≠": "!=", "−": "-"}
_SIDE = re.compile(r"(<=|>=|!=|=<|=>|<|>|=)\s*(\S.*)", re.DOTALL)
_GROUP = re.compile(r"(?:in|∈|属于)\s*\{(.*)\}", re.DOTALL)
_NAMED = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]+)""")
MISSING = "?"
"""What stands for a missing value in a printed tree."""


class Side(NamedTuple):
    """A sign and what stands behind it: ``<=``, ``<``, ``>``, ``>=``, ``=`` or ``!=``."""

    sign: str
    rest: str


def parse_side(text: object) -> Side | None:
    """Return the sign that a text begins with, in its plain form, and the rest; None without one.

    Examples
    --------
    >>> parse_side("≤ 0.3815"), parse_side("＜６．５"), parse_side("clear")
    (Side(sign='<=', rest='0.3815'), Side(sign='<', rest='6.5'), None)
    """
    if not isinstance(text, str):
        return None
    plain = unicodedata.normalize("NFKC", text.strip())
    # Compatibility forms take "≠" apart into "=" and a stroke; it is put together again.
    plain = unicodedata.normalize("NFC", plain)
    for sign, same in _ALIKE.items():
        plain = plain.replace(sign, same)
    found = _SIDE.fullmatch(plain)
    if found is None:
        return None
    return Side({"=<": "<=", "=>": ">="}.get(found[1], found[1]), found[2])


def parse_cut(one: object, other: object) -> tuple[float, bool] | None:
    """Return the number between two sides, and whether it is above the lower one (``<``).

    An infinite number stands for the question whether a value is known (``≠ ?``, ``= ?``).
    None is returned for all that does not divide the numbers, or divides them otherwise.

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


def parse_number(side: Side) -> float | None:
    """Return the finite number behind a sign, None where there is none."""
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
    if found := _GROUP.fullmatch(text.strip()):
        return tuple(_unquoted(name) for name in _NAMED.findall(found[1]) if name.strip())
    level, n_signs = re.subn(r"^\s*[=＝]\s*(?=\S)", "", text)
    return (_unquoted(level),) if n_signs else None


def strip_column_name(column: str, text: Any) -> Any:  # noqa: ANN401 - a text, or a level of another kind
    """Return a printed branch without the name of its column; anything else as it is.

    Examples
    --------
    >>> (
    ...     strip_column_name("density", "density <= 0.4"),
    ...     strip_column_name("density", "density"),
    ...     strip_column_name("a b", "'a b' = ?"),
    ... )
    ('<= 0.4', 'density', '= ?')
    """
    if isinstance(text, str):
        for name in (column, repr(column)):
            rest = text.strip().removeprefix(name).strip()
            if rest != text.strip() and is_branch_text(rest):
                return rest
    return text


def is_branch_text(text: object) -> bool:
    """Say whether a text reads as one branch of a printed tree."""
    return parse_side(text) is not None or parse_levels(text) is not None


def _unquoted(name: str) -> str:
    """Return a name without the quotes that it has where it would read as several words."""
    name = name.strip()
    if name[:1] in ("'", '"'):
        try:
            return str(ast.literal_eval(name))
        except (ValueError, SyntaxError):
            return name
    return name
