"""The command line: subcommands of `penjing`; results go to stdout, messages to stderr.

Only this package imports typer and rich. A subcommand reads its files, calls the library and
prints. Slow imports happen inside the subcommand, so that ``penjing --help`` stays quick.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from enum import IntEnum

from penjing.errors import DataWarning

__all__ = ["Exit", "main"]


class Exit(IntEnum):
    """The exit codes of the command."""

    OK = 0
    INVALID = 1  # the data or a setting is not valid
    USAGE = 2  # the command line is not valid
    BELOW_REQUIRED = 3  # the accuracy is below --min-accuracy
    DRIFTED = 4  # a population stability index is above --max-psi
    INTERNAL_ERROR = 70  # a bug in penjing
    INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    from penjing.cli.app import build_app, is_completing, move_common_options  # noqa: PLC0415
    from penjing.cli.console import prepare_streams  # noqa: PLC0415
    from penjing.cli.help_page import HelpStyle  # noqa: PLC0415

    prepare_streams()
    args = move_common_options(list(sys.argv[1:] if argv is None else argv))
    style = HelpStyle.from_args(args)
    try:
        completes = is_completing()
        first_word = None if completes else args[0] if args else ""
        app = build_app(with_completion=completes, first_word=first_word)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the command prints notes itself
            code = app(args=args, prog_name="penjing", standalone_mode=False, obj=style)
    except SystemExit as system_exit:  # raised by typer when a shell requests completions
        code = system_exit.code
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as error:
        # Usage errors of typer are recognised by their attributes: the names of their classes
        # differ between versions.
        if not hasattr(error, "show") or not hasattr(error, "exit_code"):
            raise
        from penjing.cli.usage_errors import print_usage_error  # noqa: PLC0415 - only here

        print_usage_error(error, args)
        code = error.exit_code
    return int(code) if isinstance(code, int) else Exit.OK
