"""A mapping that keeps the entries that were used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

KEPT = 4
"""So many entries are kept, however large they are."""


class RecentlyUsed(Generic[K, V]):
    """Keeps at most so many entries; several threads may use it.

    Parameters
    ----------
    size : int
        The largest number of entries.
    weigh : function, optional
        Returns how large an entry is.
    most : int, optional
        Entries that are larger together are dropped, too, but for the last `KEPT`.

    Examples
    --------
    >>> recent = RecentlyUsed(2)
    >>> recent.put("a", 1); recent.put("b", 2); recent.get("a"); recent.put("c", 3)
    1
    >>> recent.get("b") is None, len(recent)
    (True, 2)
    """

    def __init__(self, size: int, weigh: Callable[[V], int] | None = None, most: int = 0) -> None:
        self._size, self._weigh, self._most = size, weigh, most
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return an entry, which is then the one used last; None if there is none."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: K, value: V) -> None:
        """Add an entry, and drop those that were used longest ago."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size or self._is_too_large():
                self._entries.popitem(last=False)

    def _is_too_large(self) -> bool:
        if self._weigh is None or len(self._entries) <= KEPT:
            return False
        return sum(map(self._weigh, self._entries.values())) > self._most

    def remove(self, key: K) -> bool:
        """Remove an entry; return whether there was one."""
        with self._lock:
            return self._entries.pop(key, None) is not None

    def items(self) -> list[tuple[K, V]]:
        """Return all entries, the one used last first."""
        with self._lock:
            return list(reversed(self._entries.items()))

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return an entry; one that does not exist is made and added."""
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def __len__(self) -> int:
        return len(self._entries)
