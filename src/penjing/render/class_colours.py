"""The colour of each class: up to eight have their own; of more, all but seven share grey."""

from __future__ import annotations

from penjing.i18n import say
from penjing.text.labels import weight_text
from penjing.tree.tree_data import TreeData

OWN_COLOURS = 7
"""The number of classes with a colour of their own when there are more than ``MAX_COLOURS``."""
MAX_COLOURS = OWN_COLOURS + 1
OTHER_CLASSES = OWN_COLOURS
"""The palette index that all other classes share."""


def colour_indices(tree: TreeData) -> list[int]:
    """Return the palette index of each class.

    Of more than eight classes, the seven largest have an index of their own.

    Examples
    --------
    >>> import penjing
    >>> colour_indices(penjing.Tree.from_dict({"a": {i: f"c{i}" for i in range(9)}}))
    [0, 1, 2, 3, 4, 5, 6, 7, 7]
    """
    weight = [] if tree.is_regression else tree.nodes.total[0].tolist()
    classes = range(len(weight))
    if len(weight) <= MAX_COLOURS:
        return list(classes)
    largest = sorted(sorted(classes, key=lambda k: -weight[k])[:OWN_COLOURS])
    own_index = {class_: index for index, class_ in enumerate(largest)}
    return [own_index.get(class_, OTHER_CLASSES) for class_ in classes]


def stacked_bar(shares: list[float], indices: list[int]) -> tuple[tuple[int, float], ...]:
    """Return the segments (colour index, share) of a bar: classes in their order, grey ones last.

    Neighbouring segments of one colour are different classes: draw a line between them.
    """
    segments = [(index, share) for index, share in zip(indices, shares, strict=True) if share > 0]
    return tuple(
        sorted(
            segments,
            key=lambda segment: len(indices) > MAX_COLOURS and segment[0] == OTHER_CLASSES,
        )
    )


def legend_entries(tree: TreeData, lang: str) -> tuple[tuple[str, str], ...]:
    """Return (class name, number of rows) of each colour; grey may stand for several classes."""
    if tree.is_regression:
        return ()
    indices, weight = colour_indices(tree), tree.nodes.total[0].tolist()
    counts = [weight_text(w) if tree.has_counts else "" for w in weight]
    own = [(str(tree.classes[k]), counts[k]) for k, i in enumerate(indices) if i != OTHER_CLASSES]
    others = [k for k, index in enumerate(indices) if index == OTHER_CLASSES]
    if len(others) > 1:
        count = weight_text(sum(weight[k] for k in others)) if tree.has_counts else ""
        return (*own, (say("legend_others", lang, n=len(others)), count))
    return (*own, *((str(tree.classes[k]), counts[k]) for k in others))
