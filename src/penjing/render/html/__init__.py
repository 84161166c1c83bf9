"""A tree as one interactive HTML page that works from disk, without server or network."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from penjing.arguments import one_of, whole_number
from penjing.errors import unknown_name_error
from penjing.i18n import LANGUAGES
from penjing.render.box_texts import SHOW
from penjing.render.html.page_data import page_data
from penjing.render.html.replay import MAX_STEPS
from penjing.tree.tree_data import TreeData

__all__ = ["MAX_STEPS", "THEMES", "VIEWS", "page_data", "write"]

THEMES = ("auto", "light", "dark")
VIEWS = ("tree", "icicle", "list")


def write(
    tree: TreeData,
    *,
    lang: str = "en",
    theme: str = "auto",
    title: str | None = None,
    view: str = "tree",
    max_leaves: int | None = None,
    show: str | None = None,
) -> str:
    """Return a tree as one self-contained page.

    Readers can fold, move, zoom and search the tree, switch to an icicle plot or a list, enter a
    row to see its path and the changes that would alter its prediction, replay how the tree was
    grown and pruned, copy rules, and save the picture. The page works with the keyboard alone and
    with screen readers. Its address holds what is shown.

    Parameters
    ----------
    tree : TreeData
        The tree to show.
    lang : str
        The language to start in, ``en`` or ``zh``; the page can switch.
    theme : str
        The theme to start in, ``light`` or ``dark``; ``auto`` follows the reader's system. The page
        can switch.
    title : str, optional
        The heading; default: the target's name.
    view : str
        The view to start in, ``tree``, ``icicle`` or ``list``; the page can switch.
    max_leaves : int, optional
        The number of leaves to show at first; default: as many as the window has room for. The
        subtrees with fewest rows are folded.
    show : str, optional
        What the cards of splits show: ``data``, the rows of the split column; ``counts``; or
        ``none``. Default: the data, if the tree has sketches and at most 24 leaves are shown at
        first, else the counts. The page can switch.
    """
    if theme not in THEMES:
        raise unknown_name_error("unknown_choice", theme, THEMES, kind="theme")
    if lang not in LANGUAGES:
        raise unknown_name_error("unknown_choice", lang, LANGUAGES, kind="lang")
    if view not in VIEWS:
        raise unknown_name_error("unknown_choice", view, VIEWS, kind="view")
    if show is not None:
        one_of("show", show, SHOW)
    if max_leaves is not None:
        # More than all leaves means all; a page holds no number of thousands of digits.
        max_leaves = min(whole_number("max_leaves", max_leaves, 1), tree.n_nodes)
    data = page_data(tree, lang, theme, title)
    data |= {"view": view, "max_leaves": max_leaves, "show": show}
    # In a script element, "</" and "<!--" would end the data early.
    json_text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    folder = files("penjing.render.html")
    script = (folder / "page.js").read_text(encoding="utf-8")
    style = (folder / "page.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(data['title'])}</title>\n"
        '<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n<body>\n"
        f'<div class="penjing whole" data-penjing data-theme="{theme}"></div>\n'
        f'<script type="application/json">{json_text}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def _policy(script: str, style: str) -> str:
    """Return a content security policy under which only the page's own script and style run."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
