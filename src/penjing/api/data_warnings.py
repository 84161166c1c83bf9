"""Notes about data as warnings that point to the user's own line."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from penjing import arguments
from penjing.data.notes import Note, collect_notes
from penjing.errors import DataWarning

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
R = TypeVar("R")
P = ParamSpec("P")


def warn_of(notes: Iterable[Note]) -> None:
    """Warn once for each note, at the innermost line that is not penjing's own."""
    for note in notes:
        warnings.warn(str(note), DataWarning, stacklevel=_user_level())


def _distinct(notes: Iterable[Note]) -> Iterable[Note]:
    """Return each note once: a validation set is read when a tree grows and when it is pruned."""
    return {str(note): note for note in notes}.values()


def warn_of_text(sentence: str) -> None:
    """Warn with a sentence, at the innermost line that is not penjing's own."""
    warnings.warn(sentence, DataWarning, stacklevel=_user_level())


def _user_level() -> int:
    """Return the stack level of the user's line, as `warnings.warn` counts in its caller."""
    level, frame = 1, sys._getframe(1)  # noqa: SLF001 - as the warnings module does
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


def with_warnings(work: Callable[[], R], *, quiet: bool) -> R:
    """Return what a function returns; notes about data that it reads become warnings."""
    if arguments.boolean("quiet", quiet):
        return work()
    with collect_notes() as notes:
        try:
            return work()
        finally:  # also if growing fails: the notes may say why
            if notes:
                warn_of(_distinct(notes))


def warns_of_rows(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method warn if the rows that it is given are read otherwise than those of training."""

    @wraps(method)
    def warning(*args: P.args, **kwargs: P.kwargs) -> R:
        with collect_notes() as notes:
            result = method(*args, **kwargs)
        if notes:
            warn_of(_distinct(notes))
        return result

    return warning
