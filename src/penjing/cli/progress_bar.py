"""A progress bar on a terminal, for work that takes longer than half a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penjing.cli.console import Console

if TYPE_CHECKING:
    from rich import progress as rich_progress

    from penjing.progress import Progress, ProgressCallback

DELAY = 0.5
"""Seconds until the bar appears."""


@contextmanager
def progress_bar(console: Console) -> Iterator[ProgressCallback | None]:
    """Yield the progress callback for `fit`; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(console)
    timer = threading.Timer(DELAY, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.update
    finally:
        timer.cancel()
        bar.hide()


class _Bar:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._progress: rich_progress.Progress | None = None
        self._text = console.message("progress", n=1, rows=0)
        self._is_over = False

    def show(self) -> None:
        """Draw the bar."""
        from rich import progress as rich_progress  # noqa: PLC0415 - rarely needed, and slow
        from rich.console import Console as RichConsole  # noqa: PLC0415 - as above
        from rich.progress import (  # noqa: PLC0415 - as above
            BarColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if self._is_over:
                return
            times = TimeElapsedColumn(), TimeRemainingColumn()
            columns = (TextColumn("{task.description}"), BarColumn(), *times)
            rich_console = RichConsole(stderr=True, no_color=self._console.color == "never")
            self._progress = rich_progress.Progress(*columns, console=rich_console, transient=True)
            self._progress.add_task(self._text, total=None)
            self._progress.start()

    def update(self, progress: Progress) -> None:
        """Update the bar; this is the callback of `fit`."""
        self._text = self._describe(progress)
        is_reading = progress.is_reading
        with self._lock:
            if self._progress is not None:
                task = self._progress.task_ids[0]
                self._progress.update(
                    task,
                    description=self._text,
                    total=progress.n_rows,
                    completed=progress.row_levels if is_reading else progress.n_placed,
                )

    def _describe(self, progress: Progress) -> str:
        if progress.is_reading:
            return self._console.message("progress_reading", rows=progress.row_levels)
        if progress.generation:
            values = {"generation": progress.generation, "open": progress.n_open}
            return self._console.message("progress_generation", rows=progress.row_levels, **values)
        return self._console.message("progress", n=progress.n_leaves, rows=progress.n_placed)

    def hide(self) -> None:
        """Remove the bar."""
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()
