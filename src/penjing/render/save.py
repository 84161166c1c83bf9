"""Saving a tree as a picture file; the ending of the file name selects the format."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from penjing import arguments
from penjing.errors import ChoiceError, unknown_name_error
from penjing.i18n import Names
from penjing.registry import load
from penjing.render import plot
from penjing.tree.serialize import write_atomically
from penjing.tree.tree_data import TreeData

RENDERERS = {
    ".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text", ".md": "markdown",
    ".dot": "dot", ".gv": "dot",
}  # fmt: skip
MATPLOTLIB_ENDINGS = (".png", ".pdf")
"""Formats that need matplotlib (``penjing[plot]``)."""

ICICLE_ENDINGS = (".svg", ".html", ".htm", ".png", ".pdf")
"""Formats that support icicle plots."""


def save_picture(tree: TreeData, path: str | Path, **style: Any) -> None:  # noqa: ANN401
    """Write a tree to a picture file; an incomplete file is never left behind.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    path : str or Path
        The file; ``.svg``, ``.html``, ``.png``, ``.pdf``, ``.txt``, ``.md`` or ``.dot``.
    **style
        ``lang``, ``theme``, ``title``, ``max_leaves``, ``show``, ``layout``, ``align_leaves``,
        ``test``, ``icicle`` (a bool; not for texts), ``dpi`` (for PNG). Options that the format
        does not support are ignored.
    """
    ending = Path(arguments.path("path", path)).suffix.lower()
    if ending not in (*RENDERERS, *MATPLOTLIB_ENDINGS):
        raise unknown_name_error(
            "unknown_picture", ending or str(path), (*RENDERERS, *MATPLOTLIB_ENDINGS)
        )
    as_icicle = arguments.boolean("icicle", style.pop("icicle", False))
    _check_style(style)
    if as_icicle and ending not in ICICLE_ENDINGS:
        raise ChoiceError("no_icicle", ending=ending, known=Names(ICICLE_ENDINGS))
    if ending in MATPLOTLIB_ENDINGS:
        known = {"dpi", *arguments.known_options(plot.plot)}
        supported = {key: value for key, value in style.items() if key in known}
        write_atomically(path, plot.write(tree, kind=ending[1:], icicle=as_icicle, **supported))
        return
    name = "icicle" if as_icicle and ending == ".svg" else RENDERERS[ending]
    if as_icicle:
        style["view"] = "icicle"  # one of the views of the HTML page
    render = load("renderer", name)
    parameters = inspect.signature(render).parameters
    text = str(render(tree, **{key: value for key, value in style.items() if key in parameters}))
    write_atomically(path, (text if text.endswith("\n") else text + "\n").encode("utf-8"))


def unsupported_options(
    path: str | Path, style: Mapping[str, Any], *, icicle: bool = False
) -> list[str]:
    """Return the names of options that the format of a file does not have.

    Examples
    --------
    >>> unsupported_options("tree.md", {"show": "data", "title": "A tree"})
    ['show']
    """
    ending = Path(path).suffix.lower()
    if ending in MATPLOTLIB_ENDINGS:
        known = {"dpi", "lang", "theme", "title"}
        known |= set() if icicle else set(arguments.known_options(plot.plot))
    elif ending in RENDERERS:
        name = "icicle" if icicle and ending == ".svg" else RENDERERS[ending]
        known = set(arguments.known_options(load("renderer", name)))
    else:
        return []
    return [name for name in style if name not in known]


def _check_style(style: Mapping[str, Any]) -> None:
    """Raise an error for options that no format has, and for values of the wrong type."""
    writers = [load("renderer", name) for name in {*RENDERERS.values(), "icicle"}]
    known = {"dpi": "float"}
    for render in (*writers, plot.plot):
        known |= arguments.known_options(render)
    for name, value in style.items():
        if name not in known:
            raise unknown_name_error("write_option", name, known, kind="save_picture")
        arguments.check_type(name, value, known[name])
