"""Files that the page saves: model, picture, program, report, script and workbook."""

from __future__ import annotations

import base64
import inspect
from typing import Any, cast

from penjing.api.tree import Tree
from penjing.errors import unknown_name_error
from penjing.registry import load, plugins
from penjing.tree.serialize import to_bytes
from penjing.webapp.lab_workbook import Workbook
from penjing.webapp.script import script_text
from penjing.webapp.workbook_file import workbook_text

Plain = dict[str, Any]

_TYPES = {
    "svg": "image/svg+xml", "html": "text/html", "icicle": "image/svg+xml",
    "markdown": "text/markdown", "pmml": "application/xml", "nested": "application/json",
    "onnx": "application/octet-stream", "model": "application/json",
}  # fmt: skip
_ENDINGS = {
    "text": "txt", "rules": "txt", "markdown": "md", "icicle": "svg", "python": "py",
    "javascript": "js", "excel": "txt", "nested": "json", "dict": "txt", "model": "tree",
}  # fmt: skip


def file_answer(name: str, type_: str, content: str | bytes) -> Plain:
    """Return a file to save as plain data.

    Examples
    --------
    >>> file_answer("a.txt", "text/plain", "b")
    {'name': 'a.txt', 'type': 'text/plain', 'encoding': 'text', 'content': 'b'}
    """
    if isinstance(content, bytes):
        text, encoding = base64.b64encode(content).decode(), "base64"
    else:
        text, encoding = content, "text"
    return {"name": name, "type": type_, "encoding": encoding, "content": text}


def file_stem(workbook: Workbook) -> str:
    """Return the beginning of the names of a workbook's files."""
    stem = workbook.source.name.removeprefix("example:")
    for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".json", ".arff"):
        stem = stem.removesuffix(ending)
    return name_part(stem) or "tree"


def name_part(text: str) -> str:
    """Return a text as a part of a file's name: letters and digits, others become ``-``.

    Examples
    --------
    >>> name_part("小明 <b>")
    '小明--b-'
    """
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text)[:80]


def export_file(workbook: Workbook, tree_id: str, kind: str, lang: str) -> Plain:
    """Return a tree as a text, a picture, a program or a model file."""
    tree: Tree = workbook.tree(tree_id)
    content: Any
    if kind == "model":
        content = to_bytes(tree).decode("utf-8")
    elif kind in plugins("renderer"):
        has_language = "lang" in inspect.signature(load("renderer", kind)).parameters
        content = tree.write(kind, **({"lang": cast("Any", lang)} if has_language else {}))
    elif kind in plugins("export"):
        content = tree.export(kind)
    else:
        known = dict.fromkeys(["model", *plugins("renderer"), *plugins("export")])
        raise unknown_name_error("unknown_choice", kind, known, kind="export")
    if not isinstance(content, str | bytes):
        content = f"{content!r}\n"  # a nested dict, whose keys need not be texts
    name = f"{file_stem(workbook)}.{_ENDINGS.get(kind, kind)}"
    return file_answer(name, _TYPES.get(kind, "text/plain"), content)


def report_file(workbook: Workbook, tree_id: str, lang: str, theme: str) -> Plain:
    """Return the report of a tree; of the test rows only if they have been opened for it."""
    finished = workbook.finished
    test = None
    if finished is not None and finished.tree == tree_id:
        test = workbook.given("test")
    page = workbook.tree(tree_id).report(
        training=workbook.training_table(),
        test=test,
        lang=cast("Any", lang),
        theme=cast("Any", theme),
        cross_validation=False,
    )
    return file_answer(f"{file_stem(workbook)}-report.html", "text/html", page)


def script_file(workbook: Workbook, lang: str) -> Plain:
    """Return the script of a workbook."""
    name = f"{file_stem(workbook)}.py"
    return file_answer(name, "text/x-python", script_text(workbook, lang))


def journal_file(workbook: Workbook) -> Plain:
    """Return the file of a workbook, which replays."""
    name = f"{file_stem(workbook)}-workbook.json"
    return file_answer(name, "application/json", workbook_text(workbook))
