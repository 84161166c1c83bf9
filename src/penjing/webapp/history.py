"""The history of a workbook: a tree of steps with a pointer; undo and redo move the pointer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from penjing.webapp.failures import ConflictError, NotFoundError
from penjing.webapp.fingerprint import canonical, short_hash
from penjing.webapp.journal_steps import Step
from penjing.webapp.texts import Text


@dataclass(frozen=True, slots=True)
class Entry:
    """A tree of the history: how it was made, and its size.

    Parameters
    ----------
    id : str
        The hash of the journal up to this tree.
    parent : str or None
        The tree that the step changed; None for the first tree.
    step : Step or None
        The step; None for the first tree.
    text : dict
        The step in words, in every language.
    n_leaves, depth : int
        The size of the tree.
    """

    id: str
    parent: str | None
    step: Step | None
    text: Text
    n_leaves: int
    depth: int

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        return {
            "tree": self.id,
            "parent": self.parent,
            "step": None if self.step is None else self.step.to_json(),
            "text": self.text,
            "leaves": self.n_leaves,
            "depth": self.depth,
        }


def next_id(parent: str, step: Step) -> str:
    """Return the identifier of the tree that a step makes.

    Examples
    --------
    >>> next_id("a", Step("leaf")) == next_id("a", Step("leaf")) != next_id("b", Step("leaf"))
    True
    """
    return short_hash(parent, canonical(step.to_json()))


@dataclass(frozen=True, slots=True)
class HistoryState:
    """A history at one moment: its trees, the one that is shown, and those beside it."""

    entries: list[Entry]
    current: str
    undo: str | None
    redo: str | None


@dataclass
class History:
    """All trees of a workbook, and the one that is shown; several threads may use it."""

    first: str
    entries: dict[str, Entry] = field(default_factory=dict)
    current: str = ""
    _last_child: dict[str, str] = field(default_factory=dict)
    """The branch that redo takes: the one that was shown last."""
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    @staticmethod
    def of(first: Entry) -> History:
        """Return the history of one tree."""
        return History(first.id, {first.id: first}, first.id)

    def add(self, entry: Entry) -> None:
        """Add a tree, unless the same steps made it before, and show it."""
        with self._lock:
            self.entries.setdefault(entry.id, entry)
            self.go(entry.id)

    def state(self) -> HistoryState:
        """Return the history as it is now; other threads may add trees meanwhile."""
        with self._lock:
            return HistoryState([*self.entries.values()], self.current, self.undo, self.redo)

    def entry(self, tree: str) -> Entry:
        """Return the entry of a tree."""
        if tree not in self.entries:
            raise NotFoundError("lab_no_tree", id=tree)
        return self.entries[tree]

    def go(self, tree: str) -> None:
        """Show a tree."""
        with self._lock:
            for above, below in zip(self.path(tree)[1:], self.path(tree), strict=False):
                self._last_child[above] = below
            self.current = tree

    def path(self, tree: str) -> list[str]:
        """Return a tree and all trees before it, the first one last."""
        return [entry.id for entry in self._upwards(tree)]

    def _upwards(self, tree: str) -> Iterator[Entry]:
        entry = self.entry(tree)
        yield entry
        while entry.parent is not None:
            entry = self.entries[entry.parent]
            yield entry

    def steps_to(self, tree: str) -> list[Entry]:
        """Return the entries that lead from the first tree to a tree, without the first."""
        return list(self._upwards(tree))[-2::-1]

    @property
    def undo(self) -> str | None:
        """The tree before the one that is shown."""
        return self.entries[self.current].parent

    @property
    def redo(self) -> str | None:
        """The tree after the one that is shown, on the branch that was shown last."""
        return self._last_child.get(self.current)

    def move(self, tree: str | None, key: str) -> None:
        """Show the tree that undo or redo leads to; an error with this key if there is none."""
        if tree is None:
            raise ConflictError(key)
        self.go(tree)
