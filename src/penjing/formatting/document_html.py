"""A document as one HTML file: formulas are MathML, colours light or dark, paper is A4.

The file loads nothing from the network and contains no scripts.
"""

from __future__ import annotations

from html import escape

from penjing.formatting.document import (
    Blank,
    Block,
    Document,
    Figure,
    FormulaLine,
    Grid,
    Heading,
    Items,
    Line,
    Paragraph,
    Strong,
    pieces,
)
from penjing.formatting.latex_text import printable
from penjing.formatting.math_formula import Formula

_LANGUAGES = {"en": "en", "zh": "zh-CN"}
_LIGHT = "--ink:#1a1d21;--paper:#fff;--faint:#50575e;--line:#9aa3ab;--head:#eef1f4"
_DARK = "--ink:#f0f2f4;--paper:#16191d;--faint:#b6bdc4;--line:#59626b;--head:#242a30"
_STYLE = f"""
:root{{color-scheme:light dark;{_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}
body{{font:15px/1.5 'DejaVu Sans','Segoe UI',Helvetica,Arial,'Noto Sans CJK SC','Microsoft YaHei',
sans-serif;color:var(--ink);background:var(--paper);max-width:56rem;margin:2rem auto;
padding:0 1rem}}
h1{{font-size:1.5rem}}h2{{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid var(--line)}}
h3{{font-size:1rem;margin:1.2rem 0 .3rem}}h1,h2,h3,p,li{{overflow-wrap:anywhere}}
.wide{{overflow-x:auto}}table{{border-collapse:collapse;margin:.5rem 0}}
th,td{{padding:.25rem .6rem;border:1px solid var(--line);text-align:left;max-width:24rem;
overflow-wrap:break-word}}thead th{{background:var(--head)}}
.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.blank{{display:inline-block;border-bottom:1px solid var(--ink);height:1.5em;max-width:100%}}
td .blank{{border-bottom-color:transparent}}
.formula{{margin:.6rem 0;line-height:2.1}}math{{font-size:1.05em}}
figure{{margin:.5rem 0;overflow-x:auto}}figure svg{{max-width:100%;height:auto}}
@page{{size:A4;margin:15mm}}
@media print{{:root{{color-scheme:light;{_LIGHT}}}
body{{max-width:none;margin:0;padding:0;font-size:11pt}}
.wide,figure{{overflow:visible}}.short,tr,figure,li,.formula{{break-inside:avoid}}
h1,h2,h3,p:has(+.wide),p:has(+ul){{break-after:avoid}}
thead{{display:table-header-group}}
thead th{{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
th,td{{padding:.15rem .4rem}}.dense{{font-size:8pt}}.dense th,.dense td{{padding:.05rem .15rem}}}}
"""
DENSE_COLUMNS = 12
"""A table with more columns is printed in small type."""
SHORT_ROWS = 16
"""A table with at most as many rows is printed on one page."""


def write(document: Document) -> str:
    """Return a document as the text of an HTML file.

    Examples
    --------
    >>> page = write(Document("a < b", [Paragraph("x & y")]))
    >>> page.startswith("<!doctype html>"), "<p>x &amp; y</p>" in page, "<h1>a &lt; b</h1>" in page
    (True, True, True)
    """
    title = _text(document.title)
    body = "\n".join(_block(block) for block in document.blocks)
    return (
        f'<!doctype html>\n<html lang="{_LANGUAGES.get(document.lang, document.lang)}">\n<head>\n'
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"<h{block.level + 1}>{_line(block.line)}</h{block.level + 1}>"
        case Paragraph():
            return f"<p>{_line(block.line)}</p>"
        case Items():
            return f"<ul>{''.join(f'<li>{_line(line)}</li>' for line in block.lines)}</ul>"
        case FormulaLine():
            return f'<p class="formula">{block.formula.mathml(is_large=True)}</p>'
        case Grid():
            return _table(block)
        case Figure():
            return f'<figure tabindex="0">{block.svg}</figure>'


def _table(table: Grid) -> str:
    def cell(tag: str, column: int, line: Line, scope: str = "") -> str:
        side = "" if table.is_left(column) else ' class="n"'
        return f"<{tag}{scope}{side}>{_line(line)}</{tag}>"

    head = "".join(cell("th", i, line, ' scope="col"') for i, line in enumerate(table.head))
    rows = "".join(
        f"<tr>{''.join(cell('td', i, line) for i, line in enumerate(row))}</tr>\n"
        for row in table.rows
    )
    names = ["dense"] * (len(table.head) > DENSE_COLUMNS) + ["short"] * (
        len(table.rows) <= SHORT_ROWS
    )
    style = f' class="{" ".join(names)}"' if names else ""
    return (
        f'<div class="wide" tabindex="0"><table{style}>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>"
    )


def _line(line: Line) -> str:
    return "".join(_piece(piece) for piece in pieces(line))


def _piece(piece: str | Strong | Blank | Formula) -> str:
    match piece:
        case Strong():
            return f"<strong>{_text(piece.text)}</strong>"
        case Blank():
            key = escape(printable(piece.key), quote=True)
            style = f"width:{piece.size * 0.62:.1f}em"
            return f'<span class="blank" data-blank="{key}" style="{style}"></span>'
        case Formula():
            return piece.mathml()
        case _:
            return _text(piece)


def _text(text: str) -> str:
    return escape(printable(text))
