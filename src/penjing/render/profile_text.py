"""A table at a glance as text: one line a column, aligned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.i18n import say
from penjing.text.labels import number_text, quoted
from penjing.text.phrases import rows_of, value_with_count
from penjing.text.text_table import align_left, clip, max_width, width

Plain = Mapping[str, Any]

KIND = 8
"""The kinds stand in a column at least as wide as the longest English one."""
NAME = 30
"""A longer name of a column is cut."""


def write(told: Plain, lang: str = "en", *, ascii_only: bool = False, width: int = 100) -> str:
    """Return what a table holds.

    Parameters
    ----------
    told : dict
        What :func:`penjing.data.profile.overview` returns.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    width : int
        How long a line may get; lists of levels are cut to it.
    """
    dots = "..." if ascii_only else "…"
    columns = told["columns"]
    names = [clip(quoted(column["name"]), NAME, dots=dots) for column in columns]
    kinds = [say(f"kind_{_kind(column)}", lang) for column in columns]
    name_places, kind_places = max_width(names), max_width(kinds, KIND)
    start = 2 + name_places + 3 + kind_places + 3
    remarks = [_remark(column, lang) for column in columns]
    room = max(width - start - max_width(remarks) - 2, 20)
    values = [_values(column, lang, room, dots) for column in columns]
    # Remarks stand where the lists of values end, or two blanks after the list on their line.
    beside = [text for text, remark in zip(values, remarks, strict=True) if remark]
    end = max(max_width(values), max_width(beside) + 2 if beside else 0)
    lines = [head(told, lang)]
    for name, kind, text, remark in zip(names, kinds, values, remarks, strict=True):
        line = f"  {align_left(name, name_places)}   {align_left(kind, kind_places)}   "
        lines.append((line + align_left(text, end) + remark if remark else line + text).rstrip())
    return "\n".join(lines)


def head(told: Plain, lang: str) -> str:
    """Return the line that says which table this is and how large."""
    source = told["source"]
    encoding = source.get("encoding") or str(source.get("form", ""))
    if source.get("encoding_reason") == "told":
        encoding = say("check_told", lang, encoding=encoding)
    elif str(source.get("encoding_reason", "")).startswith("not_utf8"):
        encoding = say("check_not_utf8", lang, encoding=encoding)
    columns = say("check_columns", lang, n=len(told["columns"]))
    rows, name = rows_of(told["rows"], lang), source.get("name", "")
    line = say("check_head", lang, source=name, rows=rows, columns=columns, encoding=encoding)
    return line.removesuffix(", ")


def _kind(column: Plain) -> str:
    if column["role"] == "target":
        return "target"
    known = ("nominal", "numeric", "ordered", "id", "date", "empty", "weight", "ignored")
    return str(column["kind"]) if column["kind"] in known else "other"


def _values(column: Plain, lang: str, room: int, dots: str) -> str:
    if column["role"] == "left out":
        shown = " ".join(clip(_text(value), 12, dots=dots) for value in column["examples"][:3])
        return f"{shown} {dots}" if shown else ""
    if "low" in column:
        low, high = _text(column["low"]), _text(column["high"])
        return say("check_range", lang, low=low, high=high, n=column["n_levels"])
    shown = ""
    levels = column.get("levels", ())
    for place, (level, count) in enumerate(levels):
        name = clip(str(level), 24, dots=dots)
        part = ("  " if shown else "") + value_with_count(name, str(count))
        more = f"  {dots} {say('check_more', lang, n=len(levels) - place)}"
        last = place == len(levels) - 1
        if width(shown + part) + (0 if last else width(more)) > room and shown:
            return shown + more
        shown += part
    return shown


def _text(value: object) -> str:
    return number_text(float(f"{value:.6g}")) if isinstance(value, float) else quoted(value)


def _remark(column: Plain, lang: str) -> str:
    if column["role"] == "left out":
        return say("check_left_out", lang)
    return say("check_missing", lang, n=column["missing"]) if column["missing"] else ""
