"""A tree saved as a picture; the ending of the name says which kind."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from penjing import arguments
from penjing.errors import ChoiceError, unknown_name_error
from penjing.registry import load
from penjing.render import plot
from penjing.tree.serialize import write_atomically
from penjing.tree.tree_data import TreeData

WRITERS = {
    ".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text", ".md": "markdown",
    ".dot": "dot", ".gv": "dot",
}  # fmt: skip
PLOTTED = (".png", ".pdf")
"""Kinds that need matplotlib (``penjing[plot]``)."""

ICICLES = (".svg", ".html", ".htm", ".png", ".pdf")
"""Kinds that can be an icicle."""


def save_picture(tree: TreeData, path: str | Path, **style: Any) -> None:  # noqa: ANN401
    """Write a tree to a picture file, whole or not at all.

    Parameters
    ----------
    tree : TreeData
        What to draw.
    path : str or Path
        Where; ``.svg``, ``.html``, ``.png``, ``.pdf``, ``.txt``, ``.md`` or ``.dot``.
    **style
        ``lang``, ``theme``, ``title``, ``max_leaves``, ``icicle`` (a bool; not for texts),
        ``dpi`` (for PNG): what the kind of picture does not know is left out.
    """
    ending = Path(arguments.path("path", path)).suffix.lower()
    if ending not in (*WRITERS, *PLOTTED):
        raise unknown_name_error("unknown_picture", ending or str(path), (*WRITERS, *PLOTTED))
    wants_icicle = arguments.boolean("icicle", style.pop("icicle", False))
    _check_style(style)
    if wants_icicle and ending not in ICICLES:
        raise ChoiceError("no_icicle", ending=ending, known=", ".join(ICICLES))
    if ending in PLOTTED:
        known = {"lang", "theme", "title", "max_leaves", "dpi"}
        kept = {key: value for key, value in style.items() if key in known}
        write_atomically(path, plot.write(tree, kind=ending[1:], icicle=wants_icicle, **kept))
        return
    name = "icicle" if wants_icicle and ending == ".svg" else WRITERS[ending]
    if wants_icicle:
        style["view"] = "icicle"  # a page has it as one of its views
    write = load("renderer", name)
    wants = inspect.signature(write).parameters
    text = str(write(tree, **{key: value for key, value in style.items() if key in wants}))
    write_atomically(path, (text if text.endswith("\n") else text + "\n").encode("utf-8"))


def _check_style(style: Mapping[str, Any]) -> None:
    """Refuse words that no kind of picture knows, and values of another type than they say."""
    writers = [load("renderer", name) for name in {*WRITERS.values(), "icicle"}]
    known = {"dpi": "float"}
    for write in (*writers, plot.plot):
        known |= arguments.known_options(write)
    for name, value in style.items():
        if name not in known:
            raise unknown_name_error("write_option", name, known, kind="save_picture")
        arguments.check_type(name, value, known[name])
