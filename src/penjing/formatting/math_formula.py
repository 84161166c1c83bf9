"""A formula that is written as plain text, LaTeX or MathML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from penjing.formatting.latex_text import escape_latex, printable


@dataclass(frozen=True)
class Part:
    """A part of a formula that no line break divides.

    Parameters
    ----------
    text, latex, mathml : str
        The part as plain text, LaTeX and presentation MathML.
    ascii_text : str, optional
        The part in ASCII characters, where that is another text.
    may_break : bool
        Whether a line may end after the part.
    """

    text: str
    latex: str
    mathml: str
    ascii_text: str | None = None
    may_break: bool = False


@dataclass(frozen=True)
class Formula:
    r"""Parts one after another.

    Examples
    --------
    >>> whole = share("7", "8") + operator("-") + number("0.5")
    >>> whole.text(), whole.latex()
    ('7/8 - 0.5', '\\frac{7}{8} - 0.5')
    """

    parts: tuple[Part, ...] = ()

    def __add__(self, other: Formula) -> Formula:
        return Formula(self.parts + other.parts)

    def text(self, *, ascii_only: bool = False) -> str:
        """Return the formula as plain text.

        Examples
        --------
        >>> times = number("2") + operator("×") + number("3")
        >>> times.text(), times.text(ascii_only=True)
        ('2 × 3', '2 * 3')
        """
        return "".join(
            part.ascii_text if ascii_only and part.ascii_text is not None else part.text
            for part in self.parts
        )

    def latex(self) -> str:
        r"""Return the formula as LaTeX, without the signs that begin and end it.

        Examples
        --------
        >>> print(function("Gain", symbol("D"), name("a_b")).latex())
        \mathrm{Gain} ( D , \text{a\_b} )
        """
        return " ".join(part.latex for part in self.parts)

    def mathml(self, *, is_large: bool = False) -> str:
        """Return the formula as MathML: one element for each piece of a line.

        Browsers break lines between elements, but not inside of one.

        Parameters
        ----------
        is_large : bool
            Whether fractions have numbers of full size, as on a line of their own.

        Examples
        --------
        >>> (number("1") + operator("+") + number("2")).mathml()
        '<math><mn>1</mn><mo>+</mo></math> <math><mn>2</mn></math>'
        """
        start = '<math displaystyle="true">' if is_large else "<math>"
        pieces: list[str] = [""]
        for part in self.parts:
            pieces[-1] += part.mathml
            if part.may_break:
                pieces.append("")
        return " ".join(f"{start}{piece}</math>" for piece in pieces if piece)


def joined(formulas: Iterable[Formula], sign: str) -> Formula:
    """Return formulas with an operator between them.

    Examples
    --------
    >>> joined([number("1"), number("2"), number("3")], "+").text()
    '1 + 2 + 3'
    """
    whole = Formula()
    for i, formula in enumerate(formulas):
        whole += operator(sign) + formula if i else formula
    return whole


def number(text: str) -> Formula:
    """Return a number, as it is to be printed."""
    return Formula((Part(text, text, f"<mn>{escape(text)}</mn>"),))


def symbol(letter: str, index: str = "") -> Formula:
    """Return a letter that stands for something, with an index.

    Examples
    --------
    >>> symbol("p", "k").text(), symbol("p", "k").latex()
    ('p_k', 'p_{k}')
    """
    if not index:
        return Formula((Part(letter, letter, f"<mi>{escape(letter)}</mi>"),))
    mathml = f"<msub><mi>{escape(letter)}</mi><mi>{escape(index)}</mi></msub>"
    return Formula((Part(f"{letter}_{index}", f"{letter}_{{{index}}}", mathml),))


def name(text: str) -> Formula:
    """Return a name from the data, such as that of a column."""
    latex = f"\\text{{{escape_latex(text)}}}"
    return Formula((Part(text, latex, f"<mtext>{escape(printable(text))}</mtext>"),))


def operator(sign: str) -> Formula:
    """Return an operator with blanks around it, after which a line may end."""
    latex = {"×": "\\times"}.get(sign, sign)
    mathml = f"<mo>{escape(sign.replace('-', '−'))}</mo>"
    ascii_text = f" {'*' if sign == '×' else sign} "
    return Formula((Part(f" {sign} ", latex, mathml, ascii_text, may_break=True),))


def negative() -> Formula:
    """Return the sign of a negative number."""
    return Formula((Part("-", "-", '<mo form="prefix">−</mo>'),))


def brackets(inner: Formula) -> Formula:
    """Return a formula in brackets; lines may end inside."""
    opening = Part("(", "(", '<mo stretchy="false" form="prefix">(</mo>')
    closing = Part(")", ")", '<mo stretchy="false" form="postfix">)</mo>')
    return Formula((opening, *inner.parts, closing))


def function(word: str, *arguments: Formula) -> Formula:
    """Return a function with its arguments: Gain(D, texture)."""
    mathml = f'<mi mathvariant="normal">{escape(word)}</mi>'
    head = Formula((Part(word, f"\\mathrm{{{escape_latex(word)}}}", mathml),))
    comma = Formula((Part(", ", ",", "<mo>,</mo>"),))
    inner = Formula()
    for i, argument in enumerate(arguments):
        inner += comma + argument if i else argument
    return head + brackets(inner)


def share(part: str, whole: str) -> Formula:
    """Return a share of a whole: 7/8."""
    return Formula(
        (Part(f"{part}/{whole}", _latex_share(part, whole), _mathml_share(part, whole)),)
    )


def share_log(part: str, whole: str) -> Formula:
    """Return a share times its logarithm: (7/8)log2(7/8)."""
    latex, mathml = _latex_share(part, whole), _mathml_share(part, whole)
    text = f"({part}/{whole})log2({part}/{whole})"
    log = '<msub><mi mathvariant="normal">log</mi><mn>2</mn></msub>'
    return Formula(
        (Part(text, f"{latex}\\log_2{latex}", f"<mrow>{mathml}{_THIN}{log}{_THIN}{mathml}</mrow>"),)
    )


def share_square(part: str, whole: str) -> Formula:
    """Return the square of a share: (7/8)^2."""
    latex = f"\\left({_latex_share(part, whole)}\\right)^2"
    inner = f"<mrow><mo>(</mo>{_mathml_share(part, whole)}<mo>)</mo></mrow>"
    return Formula((Part(f"({part}/{whole})^2", latex, f"<msup>{inner}<mn>2</mn></msup>"),))


def quotient(top: Formula, bottom: Formula) -> Formula:
    """Return one formula divided by another: 0.25 / 0.5."""
    latex = f"\\frac{{{top.latex()}}}{{{bottom.latex()}}}"
    above, below = ("".join(part.mathml for part in f.parts) for f in (top, bottom))
    mathml = f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"
    return Formula((Part(f"{top.text()} / {bottom.text()}", latex, mathml),))


def power(base: Formula, exponent: str) -> Formula:
    """Return a formula to a power: p_k^2."""
    inner = "".join(part.mathml for part in base.parts)
    mathml = f"<msup><mrow>{inner}</mrow><mn>{exponent}</mn></msup>"
    return Formula((Part(f"{base.text()}^{exponent}", f"{base.latex()}^{{{exponent}}}", mathml),))


def log2(inner: Formula) -> Formula:
    """Return the logarithm of a formula to base 2: log2 p_k."""
    mathml = '<msub><mi mathvariant="normal">log</mi><mn>2</mn></msub>'
    return Formula((Part("log2 ", "\\log_2", mathml), *inner.parts))


def sum_over(index: str) -> Formula:
    """Return the sign of a sum over an index."""
    mathml = f"<munder><mo>∑</mo><mi>{escape(index)}</mi></munder>"
    return Formula((Part(f"sum over {index} of ", f"\\sum_{{{index}}}", mathml),))


def size(inner: Formula) -> Formula:
    """Return the number of elements of a set: |D|."""
    mathml = "".join(part.mathml for part in inner.parts)
    bar = '<mo stretchy="false">|</mo>'
    mathml = f"<mrow>{bar}{mathml}{bar}</mrow>"
    return Formula((Part(f"|{inner.text()}|", f"\\lvert {inner.latex()} \\rvert", mathml),))


def space() -> Formula:
    """Return a small space between factors."""
    return Formula((Part(" ", "\\,", _THIN),))


_THIN = '<mspace width="0.17em"></mspace>'


def _latex_share(part: str, whole: str) -> str:
    return f"\\frac{{{part}}}{{{whole}}}"


def _mathml_share(part: str, whole: str) -> str:
    return f"<mfrac><mn>{escape(part)}</mn><mn>{escape(whole)}</mn></mfrac>"
