"""The formats of documents by their names, which are the extensions of their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from penjing.errors import unknown_name_error
from penjing.formatting import document_html, document_latex, document_markdown
from penjing.formatting.document import Document

FORMATS: dict[str, Callable[[Document], str]] = {
    "md": document_markdown.write,
    "tex": document_latex.write,
    "html": document_html.write,
}
_OTHER_ENDINGS = {"markdown": "md", "latex": "tex", "htm": "html"}


def write_document(document: Document, name: str) -> str:
    """Return a document in a format: ``md``, ``tex`` or ``html``.

    Examples
    --------
    >>> print(write_document(Document("Trees"), "md"), end="")
    # Trees
    """
    if name not in FORMATS:
        raise unknown_name_error("unknown_choice", name, FORMATS, kind="format")
    return FORMATS[name](document)


def format_of_file(path: str) -> str | None:
    """Return the format that the extension of a file stands for; None if it is another.

    Examples
    --------
    >>> format_of_file("sheet.tex"), format_of_file("sheet.HTM"), format_of_file("sheet")
    ('tex', 'html', None)
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    ending = _OTHER_ENDINGS.get(ending, ending)
    return ending if ending in FORMATS else None
