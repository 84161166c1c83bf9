"""The width of a text without a browser, from the advances of DejaVu Sans.

DejaVu Sans is the widest common typeface, so a text in any usual sans-serif typeface is not wider.
Wide and ambiguous East Asian characters take one em.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from penjing.text.direction import isolated

# Thousandths of an em for the characters from space to tilde.
_REGULAR = (
    *(318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337),
    *(636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531),
    *(1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787),
    *(603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500),
    *(500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612),
    *(635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838),
)
_BOLD = (
    *(348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365),
    *(696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580),
    *(1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850),
    *(733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500),
    *(500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687),
    *(716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838),
)
ADVANCES = (_REGULAR, _BOLD)
_OTHER = 1100
"""Any other character that is not East Asian: the widest Latin, Greek or Cyrillic one."""


@cache
def advance(character: str, *, bold: bool) -> int:
    """Return the advance width of a character, in thousandths of an em."""
    place = ord(character) - 32
    if 0 <= place < len(_REGULAR):
        return (_BOLD if bold else _REGULAR)[place]
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 1000 if unicodedata.east_asian_width(character) in "WFA" else _OTHER


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text of this type size, in pixels.

    Examples
    --------
    >>> width("纹理", 14)
    28.0
    >>> round(width("n=16", 11), 1)
    30.2
    """
    return sum(advance(c, bold=bold) for c in text) * size / 1000


def clip_middle(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return a text; where it is wider than ``room``, its middle is replaced by two dots.

    The end of a name distinguishes it from others as often as its beginning.

    Examples
    --------
    >>> clip_middle("Horizontal_Distance_To_Roadways", 11, 100)
    'Horizont..adways'
    """
    if width(text, size, bold=bold) <= room:
        return text
    left = (room - width("..", size, bold=bold)) * 1000 / size
    head, tail = 0, len(text)
    while head < tail:
        from_head = head <= 1.5 * (len(text) - tail)
        left -= advance(text[head] if from_head else text[tail - 1], bold=bold)
        if left < 0:
            break
        head, tail = (head + 1, tail) if from_head else (head, tail - 1)
    return f"{text[:head]}..{text[tail:]}"


def join_fitting(
    names: Sequence[str], size: float, room: float, *, bold: bool = False, most: int = 3
) -> str:
    """Return as many complete names as fit, and the number of the others.

    If not even one name fits, it is shortened; the result is empty if none of its letters fits.

    Examples
    --------
    >>> join_fitting(["october", "august", "september", "may"], 12, 120)
    'october, august +2'
    >>> join_fitting(["above-second-node", "above-soil"], 12, 100)
    'above..node +1'
    """
    for n in range(min(most, len(names)), 0, -1):
        text = ", ".join(map(isolated, names[:n])) + (
            f" +{len(names) - n}" if len(names) > n else ""
        )
        if width(text, size, bold=bold) <= room:
            return text
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    short = clip_middle(names[0], size, room - width(more, size, bold=bold), bold=bold)
    return "" if short.startswith("..") else isolated(short) + more
