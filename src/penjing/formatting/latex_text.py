"""Text for LaTeX: characters that it would interpret are escaped."""

from __future__ import annotations

import re
import unicodedata


def escape_latex(text: str) -> str:
    r"""Return a text on one line, as LaTeX prints it, in text and in ``\text``.

    Examples
    --------
    >>> print(escape_latex("50% of a_b & {c} ≤ $5"))
    50\% of a\_b \& \{c\} $\le$ \$5
    """
    return re.sub(r"\s+", " ", printable(text)).translate(_ESCAPES)


def printable(text: str) -> str:
    r"""Return a text in which blanks, and signs for others, replace control characters.

    Examples
    --------
    >>> printable("a\tb\x00c")
    'a b\ufffdc'
    """
    return "".join(
        c if unicodedata.category(c) not in _UNPRINTABLE else " " if c.isspace() else _UNKNOWN
        for c in text
    )


_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_UNPRINTABLE = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "{}$&#_%"}
    | {
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "<": "\\textless{}",
        ">": "\\textgreater{}",
        "|": "\\textbar{}",
        '"': "\\textquotedbl{}",
        "`": "\\textasciigrave{}",
        "'": "\\textquotesingle{}",
        "≤": "$\\le$",
        "≥": "$\\ge$",
        "≠": "$\\ne$",
        "×": "$\\times$",
        "→": "$\\to$",
        "−": "$-$",
        "…": "\\dots{}",
        "-": "-{}",
        _UNKNOWN: "?",
    }
)
"""An empty group after a hyphen keeps two of them from becoming a dash."""
