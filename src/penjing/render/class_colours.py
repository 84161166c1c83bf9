"""Which colour a class has: eight are told apart; of more the largest seven, the rest grey."""

from __future__ import annotations

from penjing.i18n import say
from penjing.text.labels import weight_text
from penjing.tree.tree_data import TreeData

COLOURED = 7
"""So many classes have a colour of their own where there are more than ``MOST``."""
MOST = COLOURED + 1
REST = COLOURED
"""The place in the palette that all other classes share."""


def shades_of(tree: TreeData) -> list[int]:
    """Return the place in the palette of each class; of more than eight the rest share the last.

    Examples
    --------
    >>> import penjing
    >>> shades_of(penjing.Tree.from_dict({"a": {i: f"c{i}" for i in range(9)}}))
    [0, 1, 2, 3, 4, 5, 6, 7, 7]
    """
    weight = [] if tree.is_regression else tree.nodes.total[0].tolist()
    every = range(len(weight))
    if len(weight) <= MOST:
        return list(every)
    largest = sorted(sorted(every, key=lambda k: -weight[k])[:COLOURED])
    place = {class_: shade for shade, class_ in enumerate(largest)}
    return [place.get(class_, REST) for class_ in every]


def bar_of(shares: list[float], shades: list[int]) -> tuple[tuple[int, float], ...]:
    """Return the parts of a bar, (colour, share): classes in their order, the grey ones last.

    Two neighbours of one colour are different classes: a line must stand between them.
    """
    parts = [(shade, share) for shade, share in zip(shades, shares, strict=True) if share > 0]
    return tuple(sorted(parts, key=lambda part: len(shades) > MOST and part[0] == REST))


def legend_of(tree: TreeData, lang: str) -> tuple[tuple[str, str], ...]:
    """Return each colour of the palette that is used: its class, or how many, and its rows."""
    if tree.is_regression:
        return ()
    shades, weight = shades_of(tree), tree.nodes.total[0].tolist()
    counts = [weight_text(w) if tree.has_counts else "" for w in weight]
    named = [(str(tree.classes[k]), counts[k]) for k, s in enumerate(shades) if s != REST]
    rest = [k for k, shade in enumerate(shades) if shade == REST]
    if len(rest) > 1:
        others = weight_text(sum(weight[k] for k in rest)) if tree.has_counts else ""
        return (*named, (say("legend_others", lang, n=len(rest)), others))
    return (*named, *((str(tree.classes[k]), counts[k]) for k in rest))
