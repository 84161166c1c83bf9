"""Requests that can be watched and cancelled: their progress goes to everybody who listens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from penjing.errors import ChoiceError
from penjing.progress import Progress
from penjing.webapp.failures import CancelledError, ConflictError

Event = dict[str, Any]
Listener = Callable[[Event], None]

SECONDS_BETWEEN_EVENTS = 0.1
MAX_NAME = 64


class Job:
    """One request while it runs.

    Parameters
    ----------
    name : str
        Its name, chosen by the page.
    tell : function
        Takes its events.
    """

    def __init__(self, name: str, tell: Listener) -> None:
        self.name = name
        self._tell = tell
        self._started = time.monotonic()
        self._told = 0.0
        self._is_cancelled = threading.Event()
        self._n_leaves = 0

    def cancel(self) -> None:
        """Let the job fail the next time it reports progress."""
        self._is_cancelled.set()

    def check(self) -> None:
        """Raise an error if the job was cancelled."""
        if self._is_cancelled.is_set():
            raise CancelledError("lab_cancelled")

    def report(self, progress: Progress) -> None:
        """Take a report of growing; raise an error if the job was cancelled."""
        self.check()
        now = time.monotonic()
        if now - self._told >= SECONDS_BETWEEN_EVENTS:
            self._told, self._n_leaves = now, progress.n_leaves
            self.tell("running", None if progress.is_reading else progress.share)

    def tell(self, state: str, share: float | None) -> None:
        """Send an event."""
        seconds = round(time.monotonic() - self._started, 3)
        self._tell(
            {
                "job": self.name,
                "state": state,
                "share": share,
                "leaves": self._n_leaves,
                "seconds": seconds,
            }
        )


class Jobs:
    """All jobs that run, and who listens to their events.

    Examples
    --------
    >>> jobs, events = Jobs(), []
    >>> with jobs.listening(events.append), jobs.running("fit"):
    ...     jobs.cancel("fit"), jobs.cancel("other")
    (True, False)
    >>> [event["state"] for event in events]
    ['running', 'done']
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def n_running(self) -> int:
        """The number of jobs that run."""
        return len(self._jobs)

    @contextmanager
    def running(self, name: object) -> Iterator[Job]:
        """Run a block as a job."""
        job = Job(_checked_name(name), self._tell)
        with self._lock:
            if job.name in self._jobs:
                raise ConflictError("lab_job_taken", job=job.name)
            self._jobs[job.name] = job
        job.tell("running", None)
        state = "failed"
        try:
            yield job
            state = "done"
        finally:
            with self._lock:
                del self._jobs[job.name]
            job.tell(state, 1.0 if state == "done" else None)

    def check_open(self, _: Progress | None = None) -> None:
        """Raise an error if the lab is being closed; the progress callback of other requests."""
        if self._is_closed:
            raise CancelledError("lab_cancelled")

    def close(self) -> None:
        """Cancel everything that runs."""
        self._is_closed = True
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel()

    def cancel(self, name: object) -> bool:
        """Cancel a job; return whether it was running."""
        with self._lock:
            job = self._jobs.get(_checked_name(name))
        if job is not None:
            job.cancel()
        return job is not None

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Send all events to a function during a block; it is called from any thread."""
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)

    def _tell(self, event: Event) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(event)


def _checked_name(name: object) -> str:
    is_name = isinstance(name, str) and 0 < len(name) <= MAX_NAME
    if not is_name or not all(c.isascii() and (c.isalnum() or c in "-_") for c in str(name)):
        raise ChoiceError("lab_bad_job", job=name)
    return str(name)
