"""The decorator that gives a command the options of reading a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penjing.cli.command import collect_options
from penjing.cli.parameters import READING_OPTIONS
from penjing.cli.sources import ReadingOptions

Command = Callable[..., Any]

_OPTIONS = {name: (kind, None) for name, kind in READING_OPTIONS.items()}


def with_reading_options(function: Command) -> Command:
    """Give a command the reading options; it gets them as ``reading``."""
    return collect_options(function, "reading", _OPTIONS, lambda parsed: ReadingOptions(**parsed))
