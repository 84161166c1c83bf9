"""The command `penjing`: verbs on files, results on stdout, talk on stderr.

This package is the only place that knows typer and rich. A command reads, calls and prints;
whatever takes time to import is imported inside it, so that ``penjing --help`` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import IntEnum

__all__ = ["Exit", "main"]


class Exit(IntEnum):
    """What the exit code of the command means."""

    FINE = 0
    WRONG = 1  # the data or a choice is wrong
    USAGE = 2  # the command line is wrong
    BELOW = 3  # measured, but below what was demanded
    OURS = 70  # our fault
    INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    from penjing.cli.app import built, in_front, is_completing  # noqa: PLC0415
    from penjing.cli.console import prepare_streams  # noqa: PLC0415
    from penjing.cli.usage_errors import tell  # noqa: PLC0415

    prepare_streams()
    args = in_front(list(sys.argv[1:] if argv is None else argv))
    try:
        # The long help of a verb deserves boxes, where somebody looks at it.
        app = built(completes=is_completing(), is_rich=len(args) > 1 and sys.stdout.isatty())
        code = app(args=args, prog_name="penjing", standalone_mode=False)
    except SystemExit as leaving:  # typer leaves by itself where a shell asks for completions
        code = leaving.code
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as error:
        # A mistake on the command line; typer's own exceptions know how to tell it, under
        # different names in different versions.
        if not hasattr(error, "show") or not hasattr(error, "exit_code"):
            raise
        tell(error, args)
        code = error.exit_code
    return int(code) if isinstance(code, int) else Exit.FINE
