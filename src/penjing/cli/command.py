"""What all verbs have in common: the options of the voice, and an end for every error."""

from __future__ import annotations

import inspect
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any

import typer

from penjing.cli import Exit
from penjing.cli.console import STDOUT, Voice, to_stdout
from penjing.errors import PenjingError


class Lang(StrEnum):
    """The languages."""

    en = "en"
    zh = "zh"


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


PANEL = "Output"
COMMON = {
    "lang": (
        Annotated[
            Lang | None,
            typer.Option(help="Language of the output; else the locale's.", rich_help_panel=PANEL),
        ],
        None,
    ),
    "as_json": (
        Annotated[bool, typer.Option("--json", help="Print plain data.", rich_help_panel=PANEL)],
        False,
    ),
    "ascii_only": (
        Annotated[
            bool,
            typer.Option("--ascii", help="Draw with plain characters.", rich_help_panel=PANEL),
        ],
        False,
    ),
    "width": (
        Annotated[
            int | None,
            typer.Option(help="Length of a line; else the terminal's.", rich_help_panel=PANEL),
        ],
        None,
    ),
    "color": (
        Annotated[Color, typer.Option(help="When to use colour.", rich_help_panel=PANEL)],
        Color.auto,
    ),
    "debug": (
        Annotated[
            bool,
            typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=PANEL),
        ],
        False,
    ),
}
"""The options that every verb has: name, what it is, default."""

Command = Callable[..., Exit | None]


def verb(function: Command) -> Command:
    """Make a verb of a function whose first parameter is the voice.

    The verb has the options of the voice besides its own, and whatever the function raises ends
    as a sentence and an exit code.
    """
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    mine = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    shared = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for key, (kind, default) in COMMON.items()
    ]

    @wraps(function)
    def run(**given: Any) -> None:  # noqa: ANN401 - what typer parsed
        voice = Voice.of(**{key: given.pop(key) for key in COMMON})
        with Interruption():
            code = ended(voice, lambda: function(voice, **given))
        raise typer.Exit(code)

    run.__signature__ = inspect.Signature([*mine, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*mine, *shared]}
    return run


def gathering(
    function: Callable[..., Any],
    name: str,
    options: Mapping[str, tuple[Any, Any]],
    made: Callable[[dict[str, Any]], Any],
) -> Callable[..., Any]:
    """Give a command a group of options, which arrive together as one parameter.

    Parameters
    ----------
    function : callable
        The command; the parameter of this name stands where its options shall.
    name : str
        The name of the parameter.
    options : dict
        How typer reads each option, and what it is if it is not given.
    made : callable
        Makes the parameter of what typer parsed.
    """
    signature: list[inspect.Parameter] = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.name != name:
            signature.append(parameter)
            continue
        for key, (kind, default) in options.items():
            told = {"annotation": kind, "default": default}
            as_word = inspect.Parameter.KEYWORD_ONLY
            signature.append(inspect.Parameter(f"{name}_{key}", as_word, **told))

    @wraps(function)
    def run(voice: Voice, **given: Any) -> Any:  # noqa: ANN401 - what typer parsed
        asked = {key: given.pop(f"{name}_{key}", None) for key in options}
        return function(voice, **{name: made(asked)}, **given)

    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return run


class Interruption:
    """Remembers that somebody pressed Ctrl-C, while it watches."""

    happened = False

    def __enter__(self) -> None:
        Interruption.happened = False
        self._before = None
        is_main = threading.current_thread() is threading.main_thread()
        # A shell starts a background job with the signal ignored, and that stays so.
        if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @staticmethod
    def _interrupt(*_: object) -> None:
        Interruption.happened = True
        raise KeyboardInterrupt


def ended(voice: Voice, command: Callable[[], Exit | None]) -> Exit:
    """Run a command to its end and say how it ended."""
    try:
        code = command()
        with to_stdout() as stream:
            stream.flush()
    except PenjingError as problem:
        if voice.debug:
            traceback.print_exc()
        voice.error(voice.say(problem.key, **problem.values))
        return Exit.USAGE if problem.key in USAGE else Exit.WRONG
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain once more on its way
        # out, when it flushes what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FINE
    except (OSError, MemoryError) as error:
        _tell_refusal(voice, error)
        return Exit.WRONG
    except (KeyboardInterrupt, EOFError, typer.Abort):
        voice.error(voice.say("interrupted"))
        return Exit.INTERRUPTED
    except (typer.Exit, typer.BadParameter):
        raise
    except Exception as error:  # noqa: BLE001 - the last stop of every fault of ours
        if Interruption.happened:  # a library turned it into an error of its own
            voice.error(voice.say("interrupted"))
            return Exit.INTERRUPTED
        if voice.debug:
            traceback.print_exc()
        voice.error(voice.say("our_fault", kind=type(error).__name__, what=error))
        return Exit.OURS
    return Exit.FINE if code is None else code


def _tell_refusal(voice: Voice, error: OSError | MemoryError) -> None:
    """Say what the system refuses, and of which thing; of stdout only if it is stdout."""
    if isinstance(error, MemoryError):
        voice.error(voice.say("no_memory"))
        return
    told = {"path": error.filename, "reason": error.strerror or error}
    if error.filename == STDOUT:  # the disk behind it is full, or its reader gone otherwise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    key = {STDOUT: "cannot_write", None: "system_failed"}.get(error.filename, "system_refuses")
    voice.error(voice.say(key, **told))


USAGE = ("no_target",)
"""The problems that are a word missing on the command line rather than wrong data."""
