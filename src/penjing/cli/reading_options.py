"""The options that every verb has which reads a table: one list, one meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penjing.cli.command import gathering
from penjing.cli.parameters import READING_OPTIONS
from penjing.cli.sources import Reading

Command = Callable[..., Any]

_OPTIONS = {name: (kind, None) for name, kind in READING_OPTIONS.items()}


def takes_reading(function: Command) -> Command:
    """Give a command the options of reading; they arrive together as ``reading``."""
    return gathering(function, "reading", _OPTIONS, lambda asked: Reading(**asked))
