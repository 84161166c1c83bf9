"""``python -m penjing`` and the program `penjing`; handles Ctrl-C from the first moment.

Whatever takes time is imported after that, so that an interruption never shows a stack trace.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` without what it imports
import os
import sys

INTERRUPTED = 130


def run() -> int:
    """Run the command and return its exit code."""
    # A shell starts a background job with the signal ignored, and that stays so.
    if _signal.getsignal(_signal.SIGINT) is not _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _end)
        sys.unraisablehook = _unraisable
    from penjing.cli import main  # noqa: PLC0415 - only now

    return main()


def _end(*_: object) -> None:
    """End at once: while modules are imported nothing has been written that could be half done."""
    os._exit(INTERRUPTED)


def _unraisable(problem: sys.UnraisableHookArgs) -> None:
    """End where an interruption would be swallowed, as in the last words of an object."""
    if isinstance(problem.exc_value, KeyboardInterrupt):
        _end()
    sys.__unraisablehook__(problem)


if __name__ == "__main__":
    sys.exit(run())
