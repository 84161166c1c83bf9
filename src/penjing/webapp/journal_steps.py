"""The steps of a journal: a split, a leaf, a subtree that grows again, or pruning of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penjing import arguments
from penjing.errors import ChoiceError
from penjing.grow.force_syntax import SplitRequest, known_column, split_request
from penjing.i18n import Word, say
from penjing.text.labels import figure_text
from penjing.text.node_path import node_path
from penjing.tree.forced import node_of_steps, steps_to
from penjing.tree.tree_data import TreeData
from penjing.webapp.failures import NotFoundError
from penjing.webapp.texts import Text, in_all, pruner_label

Plain = dict[str, Any]
ACTS = ("split", "leaf", "regrow", "prune")


@dataclass(frozen=True)
class Step:
    """One step; what its act does not need is empty.

    Parameters
    ----------
    act : str
        ``split``, ``leaf``, ``regrow`` or ``prune``.
    path : tuple of dict
        The branches from the root to the node, as in `penjing.tree.forced`; not for ``prune``.
    column, threshold, groups
        Of ``split``: as in :meth:`penjing.Tree.replace_split`.
    settings : dict
        Of ``regrow``: settings of the recipe that differ for the subtree.
    method, options
        Of ``prune``: as in :meth:`penjing.Tree.prune`.
    """

    act: str
    path: tuple[Mapping[str, Any], ...] = ()
    column: str | None = None
    threshold: float | str | None = None
    groups: tuple[tuple[Any, ...], ...] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> Plain:
        """Return the step as plain data.

        Examples
        --------
        >>> Step("split", ({"column": "a", "level": "x"},), "b", 2.5).to_json()
        {'act': 'split', 'path': [{'column': 'a', 'level': 'x'}], 'column': 'b', 'threshold': 2.5}
        """
        plain: Plain = {"act": self.act}
        if self.act == "prune":
            plain["method"] = self.method
            return plain | ({"options": dict(self.options)} if self.options else {})
        plain["path"] = [dict(branch) for branch in self.path]
        if self.act == "split":
            plain["column"] = self.column
            if self.threshold is not None:
                plain["threshold"] = self.threshold
            if self.groups is not None:
                plain["groups"] = [list(group) for group in self.groups]
        if self.settings:
            plain["settings"] = dict(self.settings)
        return plain

    def request(self, tree: TreeData) -> SplitRequest:
        """Return the split that a node is to have."""
        return split_request(tree.schema, self.column, self.threshold, self.groups)

    def text(self, tree: TreeData) -> Text:
        """Return the step in words; ``tree`` is the one before it."""
        if self.act == "prune":
            options = ", ".join(_option_text(*option) for option in self.options.items())
            key = "lab_step_prune_options" if options else "lab_step_prune"
            name = str(self.method)
            return in_all(
                lambda lang: say(key, lang, method=pruner_label(name, lang), options=options)
            )
        at = self.node(tree)
        split = self.request(tree).split_text() if self.act == "split" else ""

        def write(lang: str) -> str:
            place = node_path(tree, at) or say("root", lang)
            return say(f"lab_step_{self.act}", lang, node=place, split=split)

        return in_all(write)

    def node(self, tree: TreeData) -> int:
        """Return the number of the node in a tree."""
        at = node_of_steps(tree, [dict(branch) for branch in self.path])
        if at is None:
            words = [str(b.get("level", b.get("side"))) for b in self.path]
            raise NotFoundError("lab_no_node", node=", ".join(words) or Word("root"))
        return at


def _option_text(name: str, value: object) -> str:
    number = figure_text(value) if isinstance(value, float) else str(value)
    return f"{'α' if name == 'alpha' else name} = {number}"


def parse_step(plain: object, tree: TreeData) -> Step:
    """Return the step that plain data means, with the path of its node in a tree.

    Parameters
    ----------
    plain : dict
        A step as `Step.to_json` returns it; ``node``, a number, may stand instead of ``path``.
    tree : TreeData
        The tree that the step changes.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> parse_step({"act": "leaf", "node": 1}, tree).path
    ({'column': 'no surfacing', 'level': '1'},)
    """
    if not isinstance(plain, Mapping):
        raise ChoiceError("lab_not_object", name="step")
    act = arguments.one_of("act", plain.get("act"), ACTS)
    allowed = {"act", "tree", *_FIELDS[act]}
    for key in plain:
        if key not in allowed:
            raise ChoiceError("lab_unknown_field", name=key, act=act)
    if act == "prune":
        method = arguments.text("method", plain.get("method"))
        options = _object("options", plain.get("options"))
        for key in options:
            if key in _NOT_OPTIONS:
                raise ChoiceError("lab_unknown_field", name=key, act=act)
        return Step(act, method=method, options=options)
    path = tuple(steps_to(tree, _node_number(plain, tree)))
    if act == "split":
        column = known_column(plain.get("column"), tree.schema)
        split = split_request(tree.schema, column, plain.get("threshold"), plain.get("groups"))
        return Step(act, path, column, split.threshold, split.groups)
    return Step(act, path, settings=_object("settings", plain.get("settings")))


_NOT_OPTIONS = ("self", "method", "validation", "training", "other_options")
"""The workbook gives the rows that a pruning method needs; others are arguments, not options."""
_FIELDS = {
    "split": ("node", "path", "column", "threshold", "groups"),
    "leaf": ("node", "path"),
    "regrow": ("node", "path", "settings"),
    "prune": ("method", "options"),
}


def _node_number(plain: Mapping[str, Any], tree: TreeData) -> int:
    if plain.get("path") is None:
        return checked_node(tree, plain.get("node", 0))
    return Step("leaf", _path(plain["path"])).node(tree)


def checked_node(tree: TreeData, node: object) -> int:
    """Return the number of a node that a tree has."""
    if isinstance(node, bool) or not isinstance(node, int) or not 0 <= node < tree.n_nodes:
        raise NotFoundError("no_such_node", node=node, last=tree.n_nodes - 1)
    return node


def _path(value: object) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ChoiceError("lab_bad_path", value=value)
    for branch in value:
        if not isinstance(branch, Mapping) or not isinstance(branch.get("column"), str):
            raise ChoiceError("lab_bad_path", value=value)
    return tuple(value)


def _object(name: str, value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ChoiceError("lab_not_object", name=name)
    return dict(value)
