"""Free memory, memory limits, and estimates of the memory that a table needs."""

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
"""Any machine may start at least this many threads."""
FREE_MEMORY_SHARE = 0.5
"""The share of the free memory that is used by default."""
NUMERIC_CELL_BYTES, CATEGORY_CELL_BYTES, ROW_BYTES = 30, 14, 40
"""Bytes per row of the native engine: for a numeric column, for another one, and in general."""
KERNEL_ROW_BYTES, LOOP_ROW_BYTES = 60, 160
"""Bytes per row if columns are mapped from files: for a C++ kernel, for the Python loop."""
KERNEL_LEVEL_BYTES, LOOP_LEVEL_BYTES = 80, 200
"""Bytes per distinct number of the largest column, for both."""
_UNITS = {"": 1, "B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def free_memory() -> int:
    """Return the free memory in bytes, as far as it is known."""
    limits_in_bytes = []
    try:
        text = Path("/proc/meminfo").read_text("ascii")
        limits_in_bytes.append(int(text.split("MemAvailable:")[1].split()[0]) * 1024)
    except (OSError, IndexError, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            limits_in_bytes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        import resource  # noqa: PLC0415 - not on Windows

        kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        limits_in_bytes += [n for n in (resource.getrlimit(kind)[0] for kind in kinds) if n > 0]
    except ImportError:
        pass
    return min(limits_in_bytes, default=4 * 10**9)


def memory_bytes(limit: float | str | None) -> int:
    """Return a limit in bytes, given as a number or a text such as "2GB".

    None means half of the free memory.

    Examples
    --------
    >>> memory_bytes("2GB"), memory_bytes("1.5 MiB"), memory_bytes(100)
    (2000000000, 1572864, 100)
    """
    if limit is None:
        return int(free_memory() * FREE_MEMORY_SHARE)
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", limit, re.IGNORECASE)
        if match is not None and match[2].upper() in _UNITS:
            limit = float(match[1]) * _UNITS[match[2].upper()]
    if not is_number(limit) or not 1 <= float(limit) < math.inf:
        raise bad_value_error("bad_memory_limit", "memory_limit", limit, (int, float, str))
    return int(limit)


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else (os.cpu_count() or 1)


def max_threads() -> int:
    """Return the largest number of threads that is started.

    More than a few per processor only cost time and memory, since each has its own stack.
    """
    return max(MIN_THREAD_LIMIT, 8 * n_processors())


def n_threads(requested: int | None) -> int:
    """Return the number of threads to start: as requested, up to a limit, or one per processor.

    Examples
    --------
    >>> n_threads(3), n_threads(10**9) == max_threads()
    (3, True)
    """
    return n_processors() if requested is None else min(requested, max_threads())


def estimate_bytes(n_rows: int, n_numeric: int, n_others: int) -> int:
    """Return about how many bytes the native engine needs for a table of this size.

    Examples
    --------
    >>> estimate_bytes(1_000_000, 8, 12)
    448000000
    """
    return n_rows * (n_numeric * NUMERIC_CELL_BYTES + n_others * CATEGORY_CELL_BYTES + ROW_BYTES)


def native_engine_bytes(table: Table) -> int:
    """Return about how many bytes the native engine needs for this table."""
    n_numeric = sum(
        isinstance(c.part, BinnedNumbers) if isinstance(c, StoredColumn) else c.is_numeric
        for c in table.columns
    )
    return estimate_bytes(table.n_rows, n_numeric, len(table.columns) - n_numeric)


def mapped_table_bytes(table: Table, *, is_kernel: bool) -> int:
    """Return about how many bytes growing needs if the columns are mapped from files.

    That is for the rows and for one column; columns that are not mapped are in memory already.
    """
    levels = max((len(c.levels) for c in table.columns if c.is_numeric), default=0)
    row, level = (
        (KERNEL_ROW_BYTES, KERNEL_LEVEL_BYTES) if is_kernel else (LOOP_ROW_BYTES, LOOP_LEVEL_BYTES)
    )
    return table.n_rows * row + levels * level


def group_by_size(
    items: Iterable[Item], size: Callable[[Item], float], limit: float
) -> Iterator[list[Item]]:
    """Yield items in groups of at most this total size; a larger item is a group of its own.

    Examples
    --------
    >>> list(group_by_size([3, 3, 9, 1], size=float, limit=6))
    [[3, 3], [9], [1]]
    """
    group: list[Item] = []
    group_size = 0.0
    for item in items:
        item_size = size(item)
        if group and group_size + item_size > limit:
            yield group
            group, group_size = [], 0.0
        group.append(item)
        group_size += item_size
    if group:
        yield group
