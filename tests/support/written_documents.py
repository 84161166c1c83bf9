"""Documents read back by programs that know their formats: Markdown, HTML, LaTeX."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

VOID = {"meta", "br", "img", "input", "hr", "link"}
XELATEX = shutil.which("xelatex")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.cells: list[list[str]] = []
        self.blanks: list[str] = []
        self.texts: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")
        blank = dict(attrs).get("data-blank")
        if blank is not None:
            self.blanks.append(blank)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1][-1] += data


def read_html(page: str) -> _Reader:
    """Return the tables, texts and gaps of a page, every element of which is closed."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def read_markdown(text: str) -> _Reader:
    """Return the tables and texts of Markdown, as a reader of Markdown with formulas finds them."""
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    return read_html(parser.render(text))


def compile_latex(text: str, folder: Path) -> str:
    """Compile a file with XeLaTeX; return its log."""
    assert XELATEX is not None
    (folder / "file.tex").write_text(text, "utf-8")
    done = subprocess.run(
        [XELATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "file.tex"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    return (folder / "file.log").read_text("utf-8", "replace")
