"""The colour of each class, and the order of classes in bars and legends.

The rule: classes are sorted by name (numbers by value, the levels of an ordinal target in their
order), and take the colours of the palette in this order. So a class has the same colour in every
picture of a target with these classes, in whatever order the rows come. Of more than seven classes,
the seven largest have a colour; the others are grey, come last, and the legend names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from penjing.data.read.level_index import text_of
from penjing.i18n import say
from penjing.text.direction import isolated
from penjing.text.labels import weight_text
from penjing.tree.tree_data import TreeData

OWN_COLOURS = 7
"""The maximum number of classes with a colour; smaller classes are grey."""
MAX_COLOURS = OWN_COLOURS + 1
"""Up to so many classes look different: at most one of them is grey."""
OTHER_CLASSES = OWN_COLOURS
"""The palette index that all other classes share."""
MAX_NAMED = 60
"""The legend names at most so many grey classes."""


def class_order(tree: TreeData) -> list[int]:
    """Return the classes of a tree in the order of legends and bars, grey ones last.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"a": {"x": "type 10", "y": "type 9", "z": "Type 1"}})
    >>> [tree.classes[k] for k in class_order(tree)]
    ['Type 1', 'type 9', 'type 10']
    """
    indices = colour_indices(tree)
    return sorted(_natural_order(tree), key=lambda k: indices[k] == OTHER_CLASSES)


def _natural_order(tree: TreeData) -> list[int]:
    """Return the classes of a tree in the order of their names, or of an ordinal target."""
    if tree.target.has_order:
        return list(range(len(tree.classes)))
    return order_by_name(tree.classes)


def order_by_name(labels: Sequence[object]) -> list[int]:
    """Return the positions of labels in the order of their names.

    Examples
    --------
    >>> order_by_name(["type 10", "type 9"])
    [1, 0]
    """
    return sorted(range(len(labels)), key=lambda k: (_name_key(labels[k]), k))


def _name_key(label: object) -> tuple[tuple[int, float, str], ...]:
    """Return the key by which names are sorted: numbers, also within names, by their value."""
    if isinstance(label, int | float):
        return ((0, float(label), ""),)
    text = str(label)
    parts = re.findall(r"\d+|\D+", text.casefold())
    natural = [(0, float(p), "") if p.isdecimal() else (1, 0.0, p) for p in parts]
    return (*natural, (2, 0.0, text))  # names that differ only in case keep one order


def colour_indices(tree: TreeData) -> list[int]:
    """Return the palette index of each class.

    Of more than seven classes, the seven largest have an index of their own. Of equally large
    ones, the first by name has.

    Examples
    --------
    >>> import penjing
    >>> colour_indices(penjing.Tree.from_dict({"a": {i: f"c{i}" for i in range(9)}}))
    [0, 1, 2, 3, 4, 5, 6, 7, 7]
    """
    if tree.is_regression:
        return []
    return palette_indices(_natural_order(tree), tree.nodes.total[0].tolist())


def palette_indices(order: Sequence[int], weight: Sequence[float]) -> list[int]:
    """Return the palette index of each class, from the order of the classes and their rows.

    Examples
    --------
    >>> palette_indices([1, 0], [5.0, 3.0])
    [1, 0]
    >>> palette_indices(range(8), [5.0, 5.0, 1.0, 5.0, 5.0, 5.0, 5.0, 5.0])
    [0, 1, 7, 2, 3, 4, 5, 6]
    """
    order = _largest(order, weight)
    own_index = {class_: index for index, class_ in enumerate(order)}
    return [own_index.get(class_, OTHER_CLASSES) for class_ in range(len(weight))]


def _largest(order: Sequence[int], weight: Sequence[float]) -> list[int]:
    """Return the classes that have a colour, in the same order."""
    # Sums of weights that should be equal may differ in their last digits.
    rounded = [float(f"{w:.9g}") for w in weight]
    largest = set(sorted(order, key=lambda k: -rounded[k])[:OWN_COLOURS])
    return [k for k in order if k in largest]


def shared_indices(
    trees: Sequence[TreeData], lang: str
) -> tuple[list[list[int]], list[tuple[int, str]]]:
    """Return the palette index of each class of several trees, and (index, class) of the legend.

    A class has one index in all trees. Of more than seven classes, the seven with the largest
    shares have an index of their own.

    Examples
    --------
    >>> import penjing
    >>> a = penjing.Tree.from_dict({"x": {"u": "yes", "v": "yes"}})
    >>> b = penjing.Tree.from_dict({"x": {"u": "yes", "v": "no"}})
    >>> [[str(c) for c in tree.classes] for tree in (a, b)]
    [['yes'], ['yes', 'no']]
    >>> shared_indices((a, b), "en")
    ([[1], [1, 0]], [(0, 'no'), (1, 'yes')])
    """
    if any(tree.is_regression for tree in trees):
        return [[] for _ in trees], []
    labels: dict[str, object] = {}
    share: dict[str, float] = {}
    for tree in trees:
        total = tree.nodes.total[0]
        weight = float(total.sum()) or 1.0
        for k in _natural_order(tree):
            name = text_of(tree.classes[k])
            labels.setdefault(name, tree.classes[k])
            share[name] = share.get(name, 0.0) + float(total[k]) / weight
    names = list(labels)
    if not all(tree.target.has_order for tree in trees):
        names.sort(key=lambda name: _name_key(labels[name]))
    own = _largest(range(len(names)), [share[name] for name in names])
    index = {names[place]: i for i, place in enumerate(own)}
    entries = [(i, str(labels[name])) for name, i in index.items()]
    others = [str(labels[name]) for name in names if name not in index]
    if others:
        text = others[0] if len(others) == 1 else say("legend_others", lang, n=len(others))
        entries.append((OTHER_CLASSES, text))
    indices = [[index.get(text_of(c), OTHER_CLASSES) for c in tree.classes] for tree in trees]
    return indices, entries


def stacked_bar(
    shares: list[float], indices: list[int], order: list[int]
) -> tuple[tuple[int, float], ...]:
    """Return the segments (colour index, share) of a bar: classes in their order, grey ones last.

    Neighbouring segments of one colour are different classes: draw a line between them.
    """
    segments = [(indices[k], shares[k]) for k in order if shares[k] > 0]
    return tuple(sorted(segments, key=lambda segment: segment[0] == OTHER_CLASSES))


def legend_entries(tree: TreeData, lang: str) -> tuple[tuple[str, str], ...]:
    """Return (class name, number of rows) of each colour; grey may stand for several classes."""
    if tree.is_regression:
        return ()
    indices, weight = colour_indices(tree), tree.nodes.total[0].tolist()
    counts = [weight_text(w) if tree.has_counts else "" for w in weight]
    own = [k for k in class_order(tree) if indices[k] != OTHER_CLASSES]
    entries = tuple((str(tree.classes[k]), counts[k]) for k in own)
    others = [k for k in class_order(tree) if indices[k] == OTHER_CLASSES]
    if len(others) > 1:
        count = weight_text(sum(weight[k] for k in others)) if tree.has_counts else ""
        return (*entries, (say("legend_others", lang, n=len(others)), count))
    return (*entries, *((str(tree.classes[k]), counts[k]) for k in others))


def grey_names(tree: TreeData, lang: str) -> tuple[str, ...]:
    """Return the names of the classes that share grey, with their rows; none of eight classes."""
    if tree.is_regression or len(tree.classes) <= MAX_COLOURS:
        return ()
    indices, weight = colour_indices(tree), tree.nodes.total[0].tolist()
    others = [k for k in class_order(tree) if indices[k] == OTHER_CLASSES]
    names = tuple(
        f"{isolated(str(tree.classes[k]))} ({weight_text(weight[k])})"
        if tree.has_counts
        else isolated(str(tree.classes[k]))
        for k in others[:MAX_NAMED]
    )
    n_more = len(others) - len(names)
    return (*names, say("check_more", lang, n=n_more)) if n_more else names
