"""Documents: every name is read back as it was, in Markdown, HTML and LaTeX."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.errors import ChoiceError
from penjing.formatting.document import (
    Blank,
    Document,
    Figure,
    FormulaLine,
    Grid,
    Heading,
    Items,
    Paragraph,
    Strong,
)
from penjing.formatting.document_formats import FORMATS, format_of_file, write_document
from penjing.formatting.latex_text import escape_latex
from penjing.formatting.math_formula import (
    brackets,
    function,
    joined,
    name,
    number,
    quotient,
    symbol,
)
from strategies import ODD_WORDS
from written_documents import XELATEX, compile_latex, read_html, read_markdown

ODD = ["a|b", "*x*", "a_b", "<b>&amp;", "$5", "50%", "#1", "~", "^", "\\", "`c`", "[d](e)", "-1",
       "1. x", "+ y", "> z", "{g}", "x--y", "</td>", "\x00", "a\tb", "~~h~~", "=",
       "||"]  # fmt: skip
names = st.sampled_from([*ODD, *ODD_WORDS]) | st.text(max_size=6)


def plain(text: str) -> str:
    """Return a text as documents show it: no control characters, single blanks."""
    shown = "".join(
        " "
        if c.isspace()
        else "\ufffd"
        if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn")
        else c
        for c in text
    )
    return " ".join(shown.split())


def document(words: list[str]) -> Document:
    formula = joined([function("Gain", symbol("D"), name(words[0])), number("0.5")], "=")
    ratio = quotient(number("1"), number("2"))
    return Document(
        f"t {words[0]}",
        [
            Heading(["h ", words[0]]),
            Paragraph([words[0], " ", Strong(f"s {words[-1]}"), " = ", Blank("k", 4)]),
            Paragraph(words[-1]),
            Items(words),
            FormulaLine(formula + brackets(ratio)),
            Grid(["x", "y"], [[f"c{w}c", w] for w in words]),
            Figure("<svg></svg>", words[0]),
        ],
    )


@given(st.lists(names, min_size=1, max_size=4))
def test_cells_of_html_are_the_names(words):
    page = read_html(write_document(document(words), "html"))
    assert [plain(row[0]) for row in page.cells[1:]] == [plain(f"c{w}c") for w in words]
    assert "script" not in page.tags
    assert page.blanks == ["k"]


@given(st.lists(names, min_size=1, max_size=4))
def test_cells_of_markdown_are_the_names(words):
    page = read_markdown(write_document(document(words), "md"))
    assert [plain(row[0]) for row in page.cells[1:]] == [plain(f"c{w}c") for w in words]
    assert {len(row) for row in page.cells} == {2}
    assert not page.tags & {"em", "a", "img", "h4", "ol", "blockquote", "hr", "b"}


@given(names)
def test_latex_has_no_character_of_its_own_in_names(word):
    escaped = escape_latex(word)
    without_commands = re.sub(r"\\[a-z]+(\{\})?|\$\\?[a-z-]+\$|\\[{}$&#_%]|-\{\}", "", escaped)
    assert not re.search(r"[{}$&#_%~^\\\n]", without_commands)


@pytest.mark.skipif(XELATEX is None, reason="XeLaTeX is not installed")
@pytest.mark.parametrize("words", [ODD, ODD_WORDS, ["plain", "a-b"]])
def test_latex_compiles_with_odd_names(words, tmp_path):
    text = write_document(document(words), "tex")
    assert "Output written on file.pdf" in compile_latex(text, tmp_path)


@pytest.mark.skipif(XELATEX is None, reason="XeLaTeX is not installed")
def test_a_wide_or_long_table_stays_on_the_page(tmp_path):
    wide = Grid([f"a long heading {i}" for i in range(14)], [["0.1234"] * 14] * 3)
    long = Grid(["x", "y"], [[str(i), "清晰"] for i in range(90)])
    log = compile_latex(write_document(Document("t", [wide, long]), "tex"), tmp_path)
    assert "Overfull" not in log


def test_a_format_that_is_not_there_is_refused():
    with pytest.raises(ChoiceError, match="md, tex, html"):
        write_document(Document("t"), "pdf")
    assert set(FORMATS) == {"md", "tex", "html"}
    assert format_of_file("a.pdf") is None
