"""A bar for long work: after half a second, on a terminal, never in a pipe."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penjing.cli.say import Voice

if TYPE_CHECKING:
    from rich.progress import Progress

    from penjing.growth import Growth

PATIENCE = 0.5
"""How many seconds of work need no bar."""

Watcher = Callable[["Growth", int], None]


@contextmanager
def growing(voice: Voice) -> Iterator[Watcher | None]:
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
        self._progress: Progress | None = None
        self._text = voice.say("progress", leaves=1, open=1)
        self._is_over = False

    def show(self) -> None:
        """Draw the bar."""
        from rich.console import Console  # noqa: PLC0415 - only for work that takes long
        from rich.progress import (  # noqa: PLC0415 - likewise
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        with self._lock:
            if self._is_over:
                return
            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            console = Console(stderr=True, no_color=self._voice.color == "never")
            self._progress = Progress(*columns, console=console, transient=True)
            self._progress.add_task(self._text, total=None)
            self._progress.start()

    def told(self, growth: Growth, n_open: int) -> None:
        """Say how far the tree has grown."""
        self._text = self._voice.say("progress", leaves=growth.n_leaves, open=n_open)
        with self._lock:
            if self._progress is not None:
                self._progress.update(self._progress.task_ids[0], description=self._text)

    def hide(self) -> None:
        """Take the bar away."""
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()
