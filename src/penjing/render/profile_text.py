"""The profile of a table as text: one aligned line for each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.formatting import text_table
from penjing.formatting.text_table import align_left, clip, max_width, width
from penjing.i18n import say
from penjing.text.labels import digits_between, number_text, quoted, rounded_text
from penjing.text.phrases import rows_of, value_with_count

Plain = Mapping[str, Any]

MIN_KIND_WIDTH = 8
"""At least as wide as the longest English type of column."""
MAX_NAME_WIDTH = 30
"""Wider names of columns are clipped."""


def write(profile: Plain, lang: str = "en", *, ascii_only: bool = False, width: int = 100) -> str:
    """Return the profile of a table as text.

    Parameters
    ----------
    profile : dict
        The result of :func:`penjing.data.profile.profile_table`.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    width : int
        Maximum width of a line; lists of categories are cut to fit.
    """
    dots = text_table.dots(ascii_only=ascii_only)
    columns = profile["columns"]
    names = [clip(quoted(column["name"]), MAX_NAME_WIDTH, dots=dots) for column in columns]
    kinds = [kind_name(column, lang) for column in columns]
    name_width, kind_width = max_width(names), max_width(kinds, MIN_KIND_WIDTH)
    start = 2 + name_width + 3 + kind_width + 3
    remarks = [_remark(column, lang) for column in columns]
    max_values = max(width - start - max_width(remarks) - 2, 20)
    values = [_values(column, lang, max_values, dots) for column in columns]
    # Remarks are aligned after the widest list, with two blanks after any list on their line.
    remarked = [text for text, remark in zip(values, remarks, strict=True) if remark]
    end = max(max_width(values), max_width(remarked) + 2 if remarked else 0)
    lines = [head(profile, lang)]
    for name, kind, text, remark in zip(names, kinds, values, remarks, strict=True):
        line = f"  {align_left(name, name_width)}   {align_left(kind, kind_width)}   "
        lines.append((line + align_left(text, end) + remark if remark else line + text).rstrip())
    return "\n".join(lines)


def head(profile: Plain, lang: str) -> str:
    """Return the line with the name, the size and the encoding of the table."""
    source = profile["source"]
    encoding = source.get("encoding") or str(source.get("form", ""))
    if source.get("encoding_reason") == "told":
        encoding = say("check_told", lang, encoding=encoding)
    elif str(source.get("encoding_reason", "")).startswith("not_utf8"):
        encoding = say("check_not_utf8", lang, encoding=encoding)
    columns = say("check_columns", lang, n=len(profile["columns"]))
    rows, name = rows_of(profile["rows"], lang), source.get("name", "")
    line = say("check_head", lang, source=name, rows=rows, columns=columns, encoding=encoding)
    return line.removesuffix(", ")


def kind_name(column: Plain, lang: str) -> str:
    """Return the type of a column, such as 'categorical', or its role as the target."""
    known = ("nominal", "numeric", "ordered", "id", "date", "empty", "weight", "ignored")
    kind = str(column["kind"]) if column["kind"] in known else "other"
    if column["role"] == "target":
        return say("kind_target_numeric" if kind == "numeric" else "kind_target", lang)
    return say(f"kind_{kind}", lang)


def _values(column: Plain, lang: str, max_values: int, dots: str) -> str:
    if column["role"] == "left out":
        shown = " ".join(clip(_text(value), 12, dots=dots) for value in column["examples"][:3])
        return f"{shown} {dots}" if shown else ""
    if "low" in column:
        low, high = _ends(column["low"], column["high"])
        return say("check_range", lang, low=low, high=high, n=column["n_levels"])
    shown = ""
    levels = column.get("levels", ())
    for index, (level, count) in enumerate(levels):
        name = clip(str(level), 24, dots=dots)
        part = ("  " if shown else "") + value_with_count(name, str(count))
        rest = f"  {dots} {say('check_more', lang, n=len(levels) - index)}"
        last = index == len(levels) - 1
        if width(shown + part) + (0 if last else width(rest)) > max_values and shown:
            return shown + rest
        shown += part
    return shown


def _ends(low: float, high: float) -> tuple[str, str]:
    """Return the ends of a column's values: integers in full, others so that they differ."""
    if low.is_integer() and high.is_integer():
        return number_text(low), number_text(high)
    digits = digits_between(low, high, 6)
    return rounded_text(low, digits), rounded_text(high, digits)


def _text(value: object) -> str:
    return rounded_text(value) if isinstance(value, float) else quoted(value)


def _remark(column: Plain, lang: str) -> str:
    if column["role"] == "left out":
        return say("check_left_out", lang)
    return say("check_missing", lang, n=column["missing"]) if column["missing"] else ""
