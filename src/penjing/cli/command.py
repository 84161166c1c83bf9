"""The decorator of all commands: common options, and an exit code for every error."""

from __future__ import annotations

import inspect
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import typer
from typer.models import OptionInfo

from penjing.cli import Exit
from penjing.cli.console import STDOUT, Console, open_stdout
from penjing.cli.overwriting import refuse_overwriting
from penjing.cli.parameters import COMMON_OPTIONS
from penjing.errors import PenjingError
from penjing.i18n import Names

Command = Callable[..., Exit | None]


def command(function: Command) -> Command:
    """Make a command of a function whose first parameter is the console.

    The command has the common options besides its own. An exception of the function becomes a
    message and an exit code.
    """
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    shared = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for key, (kind, default) in COMMON_OPTIONS.items()
    ]

    options = option_names([*own, *shared])

    @wraps(function)
    def run(**parsed: Any) -> None:  # noqa: ANN401 - what typer parsed
        console = Console.from_options(**{key: parsed.pop(key) for key in COMMON_OPTIONS})

        def action() -> Exit | None:
            refuse_overwriting(own, parsed)
            return function(console, **parsed)

        with InterruptWatcher():
            code = run_to_exit_code(console, action, options)
        raise typer.Exit(code)

    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*own, *shared]}
    return run


def collect_options(
    function: Callable[..., Any],
    name: str,
    options: Mapping[str, tuple[Any, Any]],
    build: Callable[..., Any],
) -> Callable[..., Any]:
    """Give a command a group of options, passed to it as one parameter.

    Parameters
    ----------
    function : callable
        The command; the options take the place of its parameter ``name``.
    name : str
        The name of the parameter.
    options : dict
        The type for typer and the default of each option.
    build : callable
        Builds the parameter from the parsed options, its keywords.
    """
    signature: list[inspect.Parameter] = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.name != name:
            signature.append(parameter)
            continue
        for key, (kind, default) in options.items():
            attributes = {"annotation": kind, "default": default}
            keyword_only = inspect.Parameter.KEYWORD_ONLY
            signature.append(inspect.Parameter(f"{name}_{key}", keyword_only, **attributes))

    @wraps(function)
    def run(console: Console, **parsed: Any) -> Any:  # noqa: ANN401 - what typer parsed
        values = {key: parsed.pop(f"{name}_{key}", None) for key in options}
        return function(console, **{name: build(**values)}, **parsed)

    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return run


def option_names(parameters: Iterable[inspect.Parameter]) -> dict[str, str]:
    """Return the options of a command by the names that they have in Python.

    Examples
    --------
    >>> from penjing.cli.parameters import COMMON_OPTIONS
    >>> annotation = COMMON_OPTIONS["ascii_only"][0]
    >>> kind = inspect.Parameter.KEYWORD_ONLY
    >>> option_names([inspect.Parameter("ascii_only", kind, annotation=annotation)])
    {'ascii': '--ascii'}
    """
    names: dict[str, str] = {}
    for parameter in parameters:
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, OptionInfo):
                # In an annotation, typer has the first name of an option as its default.
                given = [*(info.param_decls or ()), info.default]
                words = [str(word).split("/")[0] for word in given if str(word).startswith("-")]
                for word in words or [f"--{parameter.name.replace('_', '-')}"]:
                    names[word.lstrip("-").replace("-", "_")] = word
    return names


_ABOUT_SETTINGS = ("bad_", "not_", "setting")
"""How the keys of errors begin whose values ``name``, ``one`` and ``other`` are settings."""
_SHORTER = {"n": "trees", "max_depth": "depth"}
"""Parameters whose options have other names."""


def _message(console: Console, problem: PenjingError, options: Mapping[str, str]) -> str:
    """Return the message of an error; settings are called as the command's options."""
    values = dict(problem.values)
    if problem.key.startswith(_ABOUT_SETTINGS):
        for key in {"name", "one", "other"} & values.keys():
            name = str(values[key])
            values[key] = options.get(name) or options.get(_SHORTER.get(name, name), values[key])
    if problem.key.startswith(("unknown_setting", "nearest_setting")):
        from penjing.grow.setting_names import NEAREST  # noqa: PLC0415 - seldom needed

        values["word"] = options.get(str(values["word"]), values["word"])
        if problem.key.startswith("nearest_setting"):
            alpha = {NEAREST["ccp_alpha"]: "`penjing prune -m cost-complexity`"}
            values["near"] = (alpha | dict(options)).get(str(values["near"]), values["near"])
    if problem.key.startswith("unknown_choice"):
        values["kind"] = options.get(str(values["kind"]), values["kind"])
    return console.message(problem.key, **values)


class InterruptWatcher:
    """Context manager that records whether Ctrl-C was pressed."""

    happened = False

    def __enter__(self) -> None:
        InterruptWatcher.happened = False
        self._before = None
        is_main = threading.current_thread() is threading.main_thread()
        # A shell starts background jobs with the signal ignored; it stays ignored.
        if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @staticmethod
    def _interrupt(*_: object) -> None:
        InterruptWatcher.happened = True
        raise KeyboardInterrupt


def run_to_exit_code(
    console: Console, action: Callable[[], Exit | None], options: Mapping[str, str]
) -> Exit:
    """Run a command, print the message of an error, and return the exit code.

    ``options`` are those of the command, by their names in Python.
    """
    try:
        code = action()
        with open_stdout() as stream:
            stream.flush()
    except PenjingError as problem:
        if console.debug:
            traceback.print_exc()
        console.print_error(_message(console, problem, options))
        return Exit.USAGE if problem.key in USAGE_ERRORS else Exit.INVALID
    except BrokenPipeError:
        # The reader of the output closed the pipe. Without this Python would report it again
        # when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except (OSError, MemoryError) as error:
        _print_system_error(console, error)
        return Exit.INVALID
    except (KeyboardInterrupt, EOFError, typer.Abort):
        console.print_error(console.message("interrupted"))
        return Exit.INTERRUPTED
    except (typer.Exit, typer.BadParameter):
        raise
    except Exception as error:  # noqa: BLE001 - an internal error
        if InterruptWatcher.happened:  # a library raised its own error for it
            console.print_error(console.message("interrupted"))
            return Exit.INTERRUPTED
        if console.debug:
            traceback.print_exc()
        return _print_failure(console, error)
    return Exit.OK if code is None else code


def _print_failure(console: Console, error: Exception) -> Exit:
    """Print an error of a plug-in, or of penjing itself, and return the exit code."""
    from penjing.registry import failed_plugin  # noqa: PLC0415 - heavy

    what = {"kind": type(error).__name__, "what": error}
    if (plugin := failed_plugin(error)) is None:
        console.print_error(console.message("internal_error", **what))
        return Exit.INTERNAL_ERROR
    name, place, kinds = plugin
    titles = Names([console.message(f"plugins_{kind}") for kind in kinds])
    values = {"name": name, "place": place, "titles": titles}
    console.print_error(console.message("plugin_failed", **values, **what))
    return Exit.INVALID


def _print_system_error(console: Console, error: OSError | MemoryError) -> None:
    """Print an error of the operating system with the path it is about."""
    if isinstance(error, MemoryError):
        console.print_error(console.message("no_memory"))
        return
    values = {"path": error.filename, "reason": error.strerror or error}
    if error.filename == STDOUT:  # for example a full disk; stdout cannot be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    key = {STDOUT: "cannot_write", None: "system_failed"}.get(error.filename, "system_refuses")
    console.print_error(console.message(key, **values))


USAGE_ERRORS = ("no_target",)
"""Errors that mean an incomplete command line rather than invalid data."""
