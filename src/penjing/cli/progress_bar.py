"""A bar for long work: after half a second, on a terminal, never in a pipe."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penjing.cli.console import Voice

if TYPE_CHECKING:
    from rich import progress as rich_progress

    from penjing.progress import Progress, ProgressCallback

PATIENCE = 0.5
"""How many seconds of work need no bar."""


@contextmanager
def growing(voice: Voice) -> Iterator[ProgressCallback | None]:
    """Give `fit` somebody to tell how far it is; nobody where no one looks at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(voice)
    timer = threading.Timer(PATIENCE, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.told
    finally:
        timer.cancel()
        bar.hide()


class _Bar:
    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._lock = threading.Lock()
        self._progress: rich_progress.Progress | None = None
        self._text = voice.say("progress", leaves=1, rows=0)
        self._is_over = False

    def show(self) -> None:
        """Draw the bar."""
        from rich import progress as rich_progress  # noqa: PLC0415 - only for work that takes long
        from rich.console import Console  # noqa: PLC0415 - likewise
        from rich.progress import (  # noqa: PLC0415 - likewise
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
            console = Console(stderr=True, no_color=self._voice.color == "never")
            self._progress = rich_progress.Progress(*columns, console=console, transient=True)
            self._progress.add_task(self._text, total=None)
            self._progress.start()

    def told(self, so_far: Progress) -> None:
        """Say how far the tree has grown."""
        self._text = self._said(so_far)
        is_reading = so_far.is_reading
        with self._lock:
            if self._progress is not None:
                task = self._progress.task_ids[0]
                self._progress.update(
                    task,
                    description=self._text,
                    total=so_far.n_rows,
                    completed=so_far.row_levels if is_reading else so_far.n_placed,
                )

    def _said(self, so_far: Progress) -> str:
        if so_far.is_reading:
            return self._voice.say("progress_reading", rows=so_far.row_levels)
        if so_far.generation:
            told = {"generation": so_far.generation, "open": so_far.n_open}
            return self._voice.say("progress_generation", rows=so_far.row_levels, **told)
        return self._voice.say("progress", leaves=so_far.n_leaves, rows=so_far.n_placed)

    def hide(self) -> None:
        """Take the bar away."""
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()
