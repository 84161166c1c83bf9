"""How much memory there is, how much may be used, and how much a table needs."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from penjing.arguments import bad_value_error, is_number
from penjing.data.store import BinnedNumbers, StoredColumn
from penjing.data.table import Table

Item = TypeVar("Item")

MIN_THREAD_LIMIT = 64
"""So many threads may be asked for on any machine."""
FREE_MEMORY_SHARE = 0.5
"""The share of the free memory that is used where nothing else is said."""
NUMERIC_CELL_BYTES, CATEGORY_CELL_BYTES, ROW_BYTES = 30, 14, 40
"""Bytes a row that the native engine takes: for a numeric column, for another one, and besides."""
KERNEL_ROW_BYTES, LOOP_ROW_BYTES = 60, 160
"""Bytes a row where columns are mapped: for a kernel, and for the loop in Python."""
KERNEL_LEVEL_BYTES, LOOP_LEVEL_BYTES = 80, 200
"""And bytes for each distinct number of one column, for both."""
_UNITS = {"": 1, "B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def free_memory() -> int:
    """Return how many bytes of memory are free, as far as the system tells."""
    found = []
    try:
        text = Path("/proc/meminfo").read_text("ascii")
        found.append(int(text.split("MemAvailable:")[1].split()[0]) * 1024)
    except (OSError, IndexError, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        import resource  # noqa: PLC0415 - not on Windows

        limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        found += [n for n in (resource.getrlimit(kind)[0] for kind in limits) if n > 0]
    except ImportError:
        pass
    return min(found, default=4 * 10**9)


def memory_bytes(limit: float | str | None) -> int:
    """Return a limit in bytes: a number, a text such as "2GB", or half of what is free.

    Examples
    --------
    >>> memory_bytes("2GB"), memory_bytes("1.5 MiB"), memory_bytes(100)
    (2000000000, 1572864, 100)
    """
    if limit is None:
        return int(free_memory() * FREE_MEMORY_SHARE)
    if isinstance(limit, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", limit, re.IGNORECASE)
        if found is not None and found[2].upper() in _UNITS:
            limit = float(found[1]) * _UNITS[found[2].upper()]
    if not is_number(limit) or not 1 <= float(limit) < math.inf:
        raise bad_value_error("bad_memory_limit", "memory_limit", limit, (int, float, str))
    return int(limit)


def n_processors() -> int:
    """Return how many processors this process may use."""
    known = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if known else (os.cpu_count() or 1)


def max_threads() -> int:
    """Return how many threads are started at most, however many were asked for.

    More than a few for each processor only cost time and memory: each has a stack of its own.
    """
    return max(MIN_THREAD_LIMIT, 8 * n_processors())


def n_threads(asked: int | None) -> int:
    """Return how many threads to start: as many as asked for, within reason; else all there are.

    Examples
    --------
    >>> n_threads(3), n_threads(10**9) == max_threads()
    (3, True)
    """
    return n_processors() if asked is None else min(asked, max_threads())


def estimate_bytes(n_rows: int, n_numeric: int, n_others: int) -> int:
    """Return what the native engine takes for a table, about.

    Examples
    --------
    >>> estimate_bytes(1_000_000, 8, 12)
    448000000
    """
    return n_rows * (n_numeric * NUMERIC_CELL_BYTES + n_others * CATEGORY_CELL_BYTES + ROW_BYTES)


def native_engine_bytes(table: Table) -> int:
    """Return what the native engine takes for this table, about."""
    n = sum(
        isinstance(c.part, BinnedNumbers) if isinstance(c, StoredColumn) else c.is_numeric
        for c in table.columns
    )
    return estimate_bytes(table.n_rows, n, len(table.columns) - n)


def mapped_table_bytes(table: Table, *, is_kernel: bool) -> int:
    """Return what growing takes, about, where columns are mapped from files: rows, and one column.

    A column that is not mapped is in memory already.
    """
    levels = max((len(c.levels) for c in table.columns if c.is_numeric), default=0)
    row, level = (
        (KERNEL_ROW_BYTES, KERNEL_LEVEL_BYTES) if is_kernel else (LOOP_ROW_BYTES, LOOP_LEVEL_BYTES)
    )
    return table.n_rows * row + levels * level


def group_by_size(
    things: Iterable[Item], size: Callable[[Item], float], room: float
) -> Iterator[list[Item]]:
    """Yield things in lots that fit a room, in their order; one that does not has its own.

    Examples
    --------
    >>> list(group_by_size([3, 3, 9, 1], size=float, room=6))
    [[3, 3], [9], [1]]
    """
    lot: list[Item] = []
    filled = 0.0
    for thing in things:
        more = size(thing)
        if lot and filled + more > room:
            yield lot
            lot, filled = [], 0.0
        lot.append(thing)
        filled += more
    if lot:
        yield lot
