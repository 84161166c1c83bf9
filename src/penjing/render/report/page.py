"""The page that a report is written on: heading, contents, sections, and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from penjing.i18n import say
from penjing.render.report.inline_svg import Pictures
from penjing.render.report.style import style_sheet
from penjing.render.svg import to_printable
from penjing.text.direction import with_isolated_names

LONG, NUMBER, PLAIN = "long", "n", ""
"""The kinds of columns of a table: long texts, numbers, and short texts."""
SMALLEST_SCALE = 0.72
"""Pictures are not reduced more than this on a screen."""
HALF_PAGE = 400.0
"""Two pictures that are not wider stand side by side on paper."""
_TABLES = re.compile(r"((?:^.*\S {2,}\S.*(?:\n|\Z)){2,})", re.MULTILINE)
"""Two lines or more with blanks between columns."""
_WIDE = re.compile("[\u1100-\uffdc]")
"""Chinese characters are as wide as two Latin ones in fonts that have both, not in others."""
_LONG_WORD, _PIECE = re.compile(r"(?:&#?\w+;|[^\s<>&]){25,}"), re.compile(r"(?:&#?\w+;|.){1,20}")
_WIDTH = re.compile(r'width="([\d.]+)"')


class Page:
    """Collects the sections of a page in their order."""

    def __init__(self, lang: str, theme: str) -> None:
        self.lang, self.theme = lang, theme
        self.title = ""
        self._heading = ""
        self._sections: list[tuple[str, str, str]] = []
        self._pictures = Pictures()

    def say(self, key: str, **values: object) -> str:
        """Return a message, escaped for HTML."""
        return text(say(key, self.lang, **values))

    def set_heading(self, title: str, line: str) -> None:
        """Set the title and the line below it."""
        self.title = to_printable(title)
        self._heading = f"<h1>{escape(self.title)}</h1><p class=f>{text(line)}</p>"

    def add_section(self, name: str, heading: str, body: str) -> None:
        """Add a section; its name is the anchor of the contents."""
        self._sections.append((name, heading, body))

    def figure(
        self, draw: Callable[[str], str], description: str, start: float | None = None
    ) -> str:
        """Return a picture; it is reduced a little to fit the page, else it can be scrolled.

        ``draw`` returns the SVG in a theme. ``start`` is the part of its width, 0 to 1, that is
        seen first where it has to be scrolled.
        """
        picture = self._pictures.add(draw, adapts=self.theme != "light")
        found = _WIDTH.search(picture)
        width = 0.0 if found is None else float(found[1])
        least = f"--least:{SMALLEST_SCALE * width:.0f}px"
        half = " class=half" if width <= HALF_PAGE else ""
        attributes = f'role=group tabindex=0 aria-label="{text(description)}" style="{least}"'
        mark = "" if start is None else f'<span class=start style="--start:{start:.3f}"></span>'
        return f"<figure{half} {attributes}>{picture}{mark}</figure>"

    def adaptive(self, write: Callable[[str], str]) -> str:
        """Return HTML whose colours follow the theme; `write` returns it in a theme."""
        return self._pictures.adapt(write, adapts=self.theme != "light")

    def table(
        self,
        caption: str,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        kinds: Sequence[str],
        *,
        row_heads: bool = False,
    ) -> str:
        """Return a table of texts; ``kinds`` says what each column holds."""
        classes = [f" class={kind}" if kind else "" for kind in kinds]
        head = "".join(
            f"<th scope=col{c if c != ' class=long' else ''}>{text(word)}</th>"
            for c, word in zip(classes, heads, strict=True)
        )
        lines = []
        for row in rows:
            cells = [f"<td{c}>{cell(value)}</td>" for c, value in zip(classes, row, strict=True)]
            if row_heads:
                cells[0] = f"<th scope=row>{cell(row[0])}</th>"
            lines.append(f"<tr>{''.join(cells)}</tr>")
        body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
        return scrolled(text(caption), f"<table>{body}</table>")

    def html(self) -> str:
        """Return the whole page."""
        entries = "".join(
            f'<li><a href="#{name}">{escape(heading)}</a></li>'
            for name, heading, _ in self._sections[1:]
        )
        sections = "\n".join(
            f'<section id="{name}" aria-labelledby="{name}-head">'
            f'<h2 id="{name}-head">{escape(heading)}</h2>{body}</section>'
            for name, heading, body in self._sections
        )
        first, _, others = sections.partition("</section>")
        contents = f'<nav aria-label="{self.say("document_contents")}"><ul>{entries}</ul></nav>'
        variables = [self._pictures.declarations(theme) for theme in ("light", "dark")]
        css_class = ' class="dark"' if self.theme == "dark" else ""
        lang = "zh-CN" if self.lang == "zh" else "en"
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "style-src 'unsafe-inline'\">"
            f"<title>{escape(self.title)}</title>"
            f"<style>{style_sheet(self.theme, variables[0], variables[1])}</style>"
        )
        main = f"<main>{first}</section>{contents if entries else ''}{others}</main>"
        return (
            f'<!doctype html>\n<html lang="{lang}"{css_class}><head>{head}</head>\n<body>\n'
            f"<header>{self._heading}</header>\n{main}\n</body></html>\n"
        )


def scrolled(label: str, table: str) -> str:
    """Return a table that can be scrolled if it is wider than the page; the label is escaped."""
    return f'<div class=wide role=group tabindex=0 aria-label="{label}">{table}</div>'


def text(value: object) -> str:
    """Return a value as text, escaped for HTML; figures stay beside names of any script.

    Examples
    --------
    >>> text("a < b")
    'a &lt; b'
    """
    return escape(with_isolated_names(to_printable(str(value))))


def cell(value: object) -> str:
    """Return the text of a cell; words that are longer than a line may be broken.

    Examples
    --------
    >>> cell("short"), cell("x" * 50).count("<wbr>")
    ('short', 2)
    """
    return _LONG_WORD.sub(_with_breaks, text(value))


def _with_breaks(word: re.Match[str]) -> str:
    return "".join(f"{piece}<wbr>" for piece in _PIECE.findall(word[0])).removesuffix("<wbr>")


def preformatted(value: str) -> str:
    """Return a text of several lines: its tables keep their columns, its sentences wrap."""
    parts = _TABLES.split(value.rstrip("\n"))
    for i, part in enumerate(parts):
        lines = "\n".join(text(line) for line in part.splitlines())
        if i % 2:
            css_class = '"table wide"' if _WIDE.search(part) else "table"
            lines = f"<span class={css_class} tabindex=0>{lines}</span>"
        parts[i] = lines
    return f"<pre>{''.join(parts)}</pre>"


def joined_lines(lines: Sequence[str]) -> str:
    """Return lines of text one below the other."""
    return "<br>".join(text(line) for line in lines)
