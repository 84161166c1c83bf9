"""The shapes that charts consist of, in pixels; colours are roles that a theme resolves.

A role is ``text``, ``muted``, ``edge``, ``outline``, ``card`` or ``background`` (of the theme),
``k0`` to ``k7`` (the fill of a class), ``line0`` to ``line7`` (a line of that colour with enough
contrast), ``accent`` (what is marked), ``heat:S`` (a shade between the background and full colour,
S from 0 to 1), ``tint:I:S`` (the same for the colour of class I), ``value:S`` (the tint of a
predicted number on its scale), or ``none``.
"""

from __future__ import annotations

from dataclasses import dataclass

from penjing.render.theme import PALETTE, THEMES, Theme, blend, contrast, outline_colour
from penjing.render.value_scale import value_tints

ACCENT = 5
"""The palette index of what is marked."""
_PRINT_LINES = ("#000000", "#777777", "#444444", "#999999")
_PRINT_FILLS = (
    "#333333", "#dddddd", "#888888", "#f4f4f4", "#5a5a5a", "#bbbbbb", "#a2a2a2", "#ffffff",
)  # fmt: skip
Values = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; ``y`` is its baseline. A turned text reads upwards."""

    x: float
    y: float
    text: str
    size: float = 12.0
    anchor: str = "start"
    colour: str = "text"
    is_bold: bool = False
    is_turned: bool = False


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle; ``values`` are the figures that it stands for, ``tooltip`` says them."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = "none"
    stroke_width: float = 1.0
    radius: float = 0.0
    values: Values = ()
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0
    dashes: str = ""
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a point: ``circle``, ``square``, ``diamond`` or ``ring``."""

    x: float
    y: float
    radius: float
    fill: str
    shape: str = "circle"
    stroke: str = "none"
    values: Values = ()
    tooltip: str = ""


Shape = Text | Rect | Line | Mark


def colour_of(role: str, theme: Theme) -> str:
    """Return the colour of a role in a theme.

    Examples
    --------
    >>> colour_of("text", THEMES["print"]), colour_of("heat:0", THEMES["light"])
    ('#000000', '#ffffff')
    """
    name, _, rest = role.partition(":")
    if name == "none":
        return "none"
    if name == "heat":
        full = "#000000" if theme is THEMES["print"] else PALETTE[0]
        return blend(full, theme.background, 0.85 * float(rest))
    if name == "tint":
        place, share = rest.split(":")
        return blend(_class_fill(int(place), theme), theme.background, float(share))
    if name == "value":
        tints = value_tints(theme)
        return tints[round(float(rest) * (len(tints) - 1))]
    if name == "accent":
        is_print = theme is THEMES["print"]
        return theme.text if is_print else outline_colour(PALETTE[ACCENT], theme)
    if name.startswith("line"):
        index = int(name[4:])
        if theme is THEMES["print"]:
            return _PRINT_LINES[index % len(_PRINT_LINES)]
        return outline_colour(PALETTE[index % len(PALETTE)], theme)
    if name[0] == "k" and name[1:].isdigit():
        return _class_fill(int(name[1:]), theme)
    colour: str = getattr(theme, name)
    return colour


def text_on(role: str, theme: Theme) -> str:
    """Return black or white, whichever can be read better on a colour.

    Examples
    --------
    >>> text_on("heat:1", THEMES["print"]), text_on("heat:0", THEMES["print"])
    ('#ffffff', '#000000')
    """
    colour = colour_of(role, theme)
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def _class_fill(index: int, theme: Theme) -> str:
    """Return the colour of a class, on paper a grey; the greys of the first classes differ most."""
    colours = _PRINT_FILLS if theme is THEMES["print"] else PALETTE
    return colours[index % len(colours)]
