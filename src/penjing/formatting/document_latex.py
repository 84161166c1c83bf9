"""A document as LaTeX, for pdfLaTeX or XeLaTeX; Chinese needs XeLaTeX or the package ctex."""

from __future__ import annotations

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
from penjing.formatting.latex_text import escape_latex, printable
from penjing.formatting.math_formula import Formula
from penjing.formatting.text_table import width

ROWS_OF_A_PAGE = 35
"""A table with more rows than this is divided among pages."""

_PREAMBLE = r"""\documentclass[a4paper,11pt]{article}
\usepackage{iftex}
\usepackage[margin=20mm]{geometry}
\usepackage{amsmath}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage{array}
%(fonts)s
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt plus 2pt}
\renewcommand{\arraystretch}{1.4}
\newcommand{\blank}[1]{\underline{\hspace{#1}}}
\newsavebox{\widetable}
\begin{document}
\section*{%(title)s}
"""
_FONTS = r"""\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\else
  \usepackage{fontspec}
\fi"""
# Without ctex, XeLaTeX takes the first of these fonts that is installed.
_CHINESE_FONTS = r"""\IfFileExists{ctex.sty}{\usepackage{ctex}}{%
  \usepackage{fontspec}
  \XeTeXlinebreaklocale "zh"
  \XeTeXlinebreakskip = 0pt plus 1pt
  \IfFontExistsTF{Noto Serif CJK SC}{\setmainfont{Noto Serif CJK SC}}{%
    \IfFontExistsTF{Source Han Serif SC}{\setmainfont{Source Han Serif SC}}{%
      \IfFontExistsTF{Songti SC}{\setmainfont{Songti SC}}{\setmainfont{SimSun}}}}%
  \IfFontExistsTF{Noto Sans Mono CJK SC}{\setmonofont{Noto Sans Mono CJK SC}}{}%
}"""


def write(document: Document) -> str:
    r"""Return a document as the text of a LaTeX file.

    Examples
    --------
    >>> print(write(Document("a_b", [Paragraph("50%")])).splitlines()[-3])
    50\%
    """
    parts = [_block(block) for block in document.blocks]
    text = "\n\n".join(part for part in parts if part)
    is_wide = any(width(c) > 1 for c in document.title + text)
    fonts = _CHINESE_FONTS if is_wide else _FONTS
    preamble = _PREAMBLE % {"fonts": fonts, "title": escape_latex(document.title)}
    return f"{preamble}\n{text}\n\n\\end{{document}}\n"


def _block(block: Block) -> str:
    match block:
        case Heading():
            command = ("subsection", "subsubsection", "paragraph")[min(block.level, 3) - 1]
            return f"\\{command}*{{{_line(block.line)}}}"
        case Paragraph():
            return _line(block.line)
        case Items():
            lines = "\n".join(f"  \\item {{}}{_line(line)}" for line in block.lines)
            return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"
        case FormulaLine():  # inline, since a displayed formula is not broken at the margin
            return f"$\\displaystyle {block.formula.latex()}$"
        case Grid():
            return _table(block)
        case Figure():
            return _verbatim(block.text)


def _table(table: Grid) -> str:
    columns = "".join("l" if table.is_left(i) else "r" for i in range(len(table.head)))
    rows = [f"{' & '.join(_line(cell) for cell in row)} \\\\" for row in (table.head, *table.rows)]
    lines = ["\\hline", rows[0], "\\hline", *rows[1:], "\\hline"]
    if len(table.rows) > ROWS_OF_A_PAGE:
        lines = ["\\hline", rows[0], "\\hline\\endhead", *rows[1:], "\\hline"]
        return "\n".join([f"\\begin{{longtable}}[l]{{{columns}}}", *lines, "\\end{longtable}"])
    # A table that is wider than the page is made smaller.
    inside = "\n".join([f"\\begin{{tabular}}{{{columns}}}", *lines, "\\end{tabular}"])
    return (
        f"\\sbox{{\\widetable}}{{%\n{inside}}}\n"
        "\\ifdim\\wd\\widetable>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox{\\widetable}}"
        "\\else\\usebox{\\widetable}\\fi"
    )


def _line(line: Line) -> str:
    return "".join(_piece(piece) for piece in pieces(line))


def _piece(piece: str | Strong | Blank | Formula) -> str:
    match piece:
        case Strong():
            return f"\\textbf{{{escape_latex(piece.text)}}}"
        case Blank():
            return f"\\blank{{{piece.size * 2.2:.0f}mm}}"
        case Formula():
            return f"${piece.latex()}$"
        case _:
            return escape_latex(piece)


def _verbatim(text: str) -> str:
    lines = [printable(line).replace("\\end{verbatim}", "") for line in text.splitlines()]
    return "\n".join(["\\begin{verbatim}", *lines, "\\end{verbatim}"])
