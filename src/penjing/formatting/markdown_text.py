"""Text for Markdown: characters that it would interpret are escaped."""

from __future__ import annotations


def escape_markdown(text: str) -> str:
    r"""Return a text on one line, with the characters escaped that Markdown would interpret.

    Examples
    --------
    >>> print(escape_markdown("<b> *x* a_b [c] `d` & e $5"))
    &lt;b> \*x\* a\_b \[c\] \`d\` &amp; e \$5
    """
    return " ".join(text.translate(_ESCAPES).splitlines())


def escape_cell(text: str) -> str:
    r"""Return a text for a cell of a table.

    Examples
    --------
    >>> print(escape_cell("a|b_c"))
    a\|b\_c
    """
    return escape_markdown(text).replace("|", "\\|")


_ESCAPES = str.maketrans(
    {"<": "&lt;", "&": "&amp;"} | {character: f"\\{character}" for character in "\\*_[]`~$"}
)
