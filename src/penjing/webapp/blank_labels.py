"""What the blanks of a worksheet are called, on the page and in hints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.i18n import say
from penjing.render.worksheets import slots

Plain = Mapping[str, Any]


def blank_label(sheet: Plain, slot: Plain, lang: str) -> str:
    """Return what is to be filled in, without its node.

    Parameters
    ----------
    sheet : dict
        The record of the worksheet.
    slot : dict
        A blank, or a place that is given.
    lang : str
        ``en`` or ``zh``.

    Examples
    --------
    >>> import penjing
    >>> sheet = penjing.worksheet("example:fish", recipe="id3", quiet=True).sheet
    >>> [blank_label(sheet, blank, "en") for blank in sheet["blanks"][1:6:2]]
    ['rows of class yes', 'entropy', 'no surfacing: information gain']
    """
    if slot["kind"] == "path":
        return say("lab_blank_path", lang, n=slot["node"])
    if slot["kind"] == "column":
        return say("sheet_chosen", lang)
    if "branch" in slot:
        what = slot["id"].rpartition(".")[2]
        return say(f"lab_blank_branch_{what}", lang, i=slot["branch"])
    if "class" in slot:
        text = say("lab_blank_class", lang, **{"class": slot["class"]})
    elif slot["kind"] == "condition":
        text = say("sheet_split", lang)
    else:
        text = say(f"lab_measure_{slot['measure']}", lang)
    if "column" not in slot:
        return text
    return say("lab_blank_column", lang, column=_part_label(sheet, slot, lang), what=text)


def _part_label(sheet: Plain, slot: Plain, lang: str) -> str:
    name = str(slot["column"])
    if "part" not in slot:
        return name
    column = next(column for column in sheet["columns"] if column["name"] == name)
    if slots.is_two_way(sheet, column):
        return f"{name} {say('sheet_side', lang, n=slot['part'])}"
    return f"{name} = {column['categories'][slot['part'] - 1]}"
