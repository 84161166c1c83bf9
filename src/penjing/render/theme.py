"""The themes of pictures and the colours of classes; contrasts are those of WCAG 2.2."""

from __future__ import annotations

from dataclasses import dataclass

from penjing.arguments import one_of

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""The colours of Okabe and Ito, which colour-blind readers can distinguish; the last is grey."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of everything but the classes."""

    background: str
    card: str
    text: str
    muted: str
    outline: str
    edge: str
    tint: float
    mean: str
    """Of the line of a branch's mean in a plot."""


THEMES = {
    "light": Theme(
        "#ffffff", "#ffffff", "#1a1d21", "#50575e", "#7d858c", "#9aa2a9", 0.32, "#b84a00"
    ),
    "dark": Theme(
        "#16191d", "#1f2328", "#f0f2f4", "#b6bdc4", "#868e96", "#6b737b", 0.32, "#ff9d5c"
    ),
    "print": Theme(
        "#ffffff", "#ffffff", "#000000", "#333333", "#000000", "#777777", 0.0, "#000000"
    ),
}


def find_theme(name: str) -> Theme:
    """Return the theme of this name."""
    return THEMES[one_of("theme", name, THEMES)]


def leaf_colours(index: int, theme: Theme) -> tuple[str, str]:
    """Return the fill and the outline of a leaf of the class with this colour; -1 has none."""
    colour = PALETTE[index] if index >= 0 else theme.outline
    fill = blend(colour, theme.card, theme.tint) if index >= 0 else theme.card
    return fill, theme.text if theme is THEMES["print"] else outline_colour(colour, theme)


def blend(colour: str, background: str, share: float) -> str:
    """Return a mixture of two colours; `share` is that of the first.

    Examples
    --------
    >>> blend("#000000", "#ffffff", 0.5)
    '#808080'
    """
    a, b = (_rgb(c) for c in (colour, background))
    return "#" + "".join(
        f"{round(p * share + q * (1 - share)):02x}" for p, q in zip(a, b, strict=True)
    )


def outline_colour(colour: str, theme: Theme) -> str:
    """Return a class colour adjusted for outlines: a contrast of at least 3:1 (WCAG 1.4.11)."""
    target = "#ffffff" if theme is THEMES["dark"] else "#000000"
    for step in range(11):
        candidate = blend(target, colour, step / 10)
        if contrast(candidate, theme.background) >= 3:
            return candidate
    return target


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2.2, from 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    luminances = sorted(_luminance(c) for c in (first, second))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
        for v in (c / 255 for c in _rgb(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
