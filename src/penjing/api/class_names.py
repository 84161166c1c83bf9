"""Names of classes for texts and pictures; predictions stay the classes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from penjing import arguments
from penjing.data.read.level_index import LevelIndex
from penjing.data.source import ClassNames, Label
from penjing.data.table import Table
from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error
from penjing.tree.tree_data import TreeData

KEY = "class_names"
"""Where a tree keeps the names, in ``about``: a list in the order of its classes."""
T = TypeVar("T", bound=TreeData)


def names_of(classes: tuple[Label, ...], class_names: Any) -> list[str]:  # noqa: ANN401 - checked here
    """Return the name of each class, in the order of the classes.

    Parameters
    ----------
    classes : tuple
        The classes of a tree.
    class_names : list or dict
        Their names: by class, or in ascending order of the classes, as scikit-learn has them.

    Examples
    --------
    >>> names_of((1, 0), ["no", "yes"]), names_of((1, 0), {0: "no"})
    (['yes', 'no'], ['1', 'no'])
    """
    names = _given_names(classes, class_names)
    if len(set(names)) < len(names):
        raise ChoiceError("class_names_repeated", names=", ".join(names))
    return names


def _given_names(classes: tuple[Label, ...], class_names: ClassNames) -> list[str]:
    if isinstance(class_names, Mapping):
        return _names_by_class(classes, class_names)
    given = None if isinstance(class_names, str) else arguments.as_list(class_names)
    if given is None or not all(isinstance(name, str) for name in given):
        raise WrongTypeError("bad_class_names", value=class_names)
    if len(given) != len(classes):
        raise ChoiceError("class_names_count", n=len(given), expected=len(classes))
    try:
        order = sorted(range(len(classes)), key=lambda i: classes[i])
    except TypeError:  # such as texts and numbers: in the order of the tree
        order = list(range(len(classes)))
    names = [""] * len(classes)
    for name, i in zip(given, order, strict=True):
        names[i] = str(name)
    return names


def _names_by_class(classes: tuple[Label, ...], class_names: Mapping[Any, Any]) -> list[str]:
    index = LevelIndex(classes)
    names = [str(class_) for class_ in classes]
    for class_, name in class_names.items():
        if not isinstance(class_, str | int | float) or not isinstance(name, str):
            raise WrongTypeError("bad_class_names", value=dict(class_names))
        place = index.of(class_)
        if place < 0:
            raise unknown_name_error("class_names_unknown", str(class_), classes)
        names[place] = name
    return names


def keep_class_names(tree: T, class_names: ClassNames) -> T:
    """Return the tree with names of its classes, for all its texts and pictures."""
    _refuse_regression(tree)
    return replace(tree, about={**tree.about, KEY: names_of(tree.classes, class_names)})


def shown(tree: T, class_names: ClassNames | None = None) -> T:
    """Return the tree as texts and pictures show it: with the names of its classes."""
    if class_names is None:
        kept = tree.about.get(KEY)
        if not isinstance(kept, list) or len(kept) != len(tree.classes):
            return tree
        names = [str(name) for name in kept]
    else:
        _refuse_regression(tree)
        names = names_of(tree.classes, class_names)
    return replace(tree, target=replace(tree.target, levels=tuple(names)))


class NamedRows:
    """Gives rows, and a class, the names of classes that a tree keeps."""

    def __init__(self, tree: TreeData) -> None:
        self._index = LevelIndex(tree.classes)
        self._names = shown(tree).classes

    def name_of(self, label: Label) -> Label:
        """Return the name of a class; a class that the tree does not know stays as it is."""
        place = self._index.of(label)
        return self._names[place] if place >= 0 else label

    def table(self, table: Table | None) -> Table | None:
        """Return rows whose target has the names of the classes."""
        if table is None or table.target is None or table.target.is_numeric:
            return table
        levels = tuple(self.name_of(level) for level in table.target.levels)
        return replace(table, target=replace(table.target, levels=levels))


def _refuse_regression(tree: TreeData) -> None:
    if tree.is_regression:
        raise ChoiceError("no_class_names", target=tree.target.name)
