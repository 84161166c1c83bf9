"""Sphinx configuration of both languages; `build.py` calls Sphinx once for each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import penjing  # noqa: E402 - after the path of the extensions below

LANGUAGE = os.environ.get("PENJING_DOCS_LANGUAGE", "en")
OTHER = {"en": "zh", "zh": "en"}[LANGUAGE]

project = "penjing"
author = "The penjing authors"
copyright = author  # noqa: A001 - the name that Sphinx reads
version = release = penjing.__version__
language = {"en": "en", "zh": "zh_CN"}[LANGUAGE]

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "chinese_search",
]
source_suffix = {".md": "markdown"}
nitpicky = False
smartquotes = False  # --output stays --output
templates_path = ["templates"]
exclude_patterns: list[str] = []

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_block", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_typehints = "none"  # numpydoc's "Parameters" have the types
autodoc_member_order = "bysource"
autosummary_generate = False  # numpydoc loads it; pages list their names themselves
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
html_title = "penjing" if LANGUAGE == "en" else "penjing 盆景"
html_static_path = ["static"]
html_css_files = ["penjing.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": ["view"]}  # our template: the language switch
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_show_search_summary = False  # excerpts are fetched, which browsers refuse for files on disk
html_search_language = LANGUAGE
pygments_style = "default"
pygments_dark_style = "github-dark"


def _other_language(
    _app: Any, pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    up = "../" * (pagename.count("/") + 1)
    context["other_language_url"] = f"{up}{OTHER}/{pagename}.html"
    context["other_language_name"] = {"en": "English", "zh": "中文"}[OTHER]
    context["other_language_code"] = {"en": "en", "zh": "zh-CN"}[OTHER]


def setup(app: Any) -> None:
    """Give every page the address of the same page in the other language."""
    app.connect("html-page-context", _other_language)
