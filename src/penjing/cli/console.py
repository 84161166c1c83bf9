"""Output of the command: results to stdout, messages to stderr; language, width, colour."""

from __future__ import annotations

import codecs
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from penjing.i18n import LANGUAGES, say, say_for

if TYPE_CHECKING:
    from penjing.data.table import Note

DEFAULT_WIDTH = 100
"""The line width without a terminal, so that files are the same everywhere."""
DRAWING_CHARACTERS = "│≤≥█→×…"
"""If a stream cannot encode one of these, trees are drawn with ASCII characters."""

_STYLES = {"error": "31;1", "note": "36", "strong": "1"}


def locale_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the locale, English if it is not available.

    Examples
    --------
    >>> locale_language({"LANG": "zh_CN.UTF-8"}), locale_language({})
    ('zh', 'en')
    >>> locale_language({"LC_ALL": "C", "LANG": "zh_CN"})
    'en'
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            code = value.lower()[:2]
            return code if code in LANGUAGES else "en"
    return "en"


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return the escapes of JSON for characters that cannot be encoded."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def prepare_streams() -> None:
    """Make stdout and stderr escape characters they cannot encode, and open closed ones.

    Escapes are those of JSON, so that a result remains valid and two names remain different.
    """
    codecs.register_error("penjing.escape", _escape)
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="penjing.escape")


STDOUT = "stdout"


@contextmanager
def open_stdout() -> Iterator[TextIO]:
    """Yield stdout; every OSError inside the block is marked as an error of stdout."""
    try:
        yield sys.stdout
    except OSError as error:
        error.filename = STDOUT
        raise


def print_bytes(data: bytes) -> None:
    """Write bytes to stdout, after the text printed before."""
    with open_stdout() as stream:
        stream.flush()
        if not hasattr(stream, "buffer"):  # a program that calls `main` takes the text
            stream.write(data.decode("utf-8"))
            return
        stream.buffer.write(data)
        stream.buffer.flush()


def can_encode_drawing(stream: TextIO) -> bool:
    """Return whether a stream can encode the characters that trees are drawn with."""
    try:
        DRAWING_CHARACTERS.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def json_text(data: object, *, ascii_only: bool = False) -> str:
    """Return a result as JSON."""
    style: dict[str, Any] = {"ensure_ascii": ascii_only, "indent": 2, "allow_nan": False}
    return json.dumps(data, default=_to_plain_number, **style)


def _to_plain_number(value: Any) -> Any:  # noqa: ANN401 - any object
    """Return a NumPy number as a Python number, for `json.dumps`."""
    return value.item()


@dataclass(frozen=True)
class Console:
    """Where and how one command prints.

    Parameters
    ----------
    lang : str
        ``en`` or ``zh``; does not affect keys and numbers of JSON.
    as_json : bool
        Print JSON instead of text.
    ascii_only : bool
        Draw trees with ASCII characters.
    width : int
        The largest line width.
    color : str
        ``auto``, ``always`` or ``never``.
    debug : bool
        Show the traceback of an error.
    is_quiet : bool
        Print no notes.
    """

    lang: str = "en"
    as_json: bool = False
    ascii_only: bool = False
    width: int = DEFAULT_WIDTH
    color: str = "auto"
    debug: bool = False
    is_quiet: bool = False

    @staticmethod
    def from_options(
        *,
        lang: str | None,
        color: str,
        width: int | None,
        as_json: bool,
        ascii_only: bool,
        debug: bool,
    ) -> Console:
        """Return the console for the common options; the environment gives the defaults."""
        if width is None:
            terminal = shutil.get_terminal_size((DEFAULT_WIDTH, 24))
            width = terminal.columns if sys.stdout.isatty() else DEFAULT_WIDTH
        return Console(
            lang or locale_language(),
            as_json,
            ascii_only or not can_encode_drawing(sys.stdout),
            max(width, 40),
            color,
            debug,
        )

    # -- results -----------------------------------------------------------------------------

    def print(self, text: str) -> None:
        """Print a result."""
        with open_stdout() as stream:
            stream.write(text + "\n")

    def print_json(self, data: object) -> None:
        """Print a result as JSON."""
        as_ascii = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
        self.print(json_text(data, ascii_only=as_ascii))

    def emphasize(self, text: str, part: str) -> str:
        """Return the text with one part in bold, if colour is used."""
        return text.replace(part, self._styled(part, "strong", sys.stdout)) if part else text

    # -- messages ----------------------------------------------------------------------------

    def message(self, key: str, **values: object) -> str:
        """Return a message, in the form that names command-line options if there is one."""
        return say_for(True, key, self.lang, **values)

    def print_note(self, key: str, **values: object) -> None:
        """Print a note to stderr."""
        self._print_message("note", self.message(key, **values))

    def print_note_text(self, sentence: str) -> None:
        """Print a note that has been put into words already."""
        self._print_message("note", sentence)

    def print_hint(self, key: str) -> None:
        """Print a note about a further option, on a terminal only."""
        if sys.stdout.isatty() and sys.stderr.isatty():
            self.print_note(key)

    def print_notes(self, notes: Iterable[Note]) -> None:
        """Print the notes about a table."""
        for note in notes:
            self._print_message("note", self.note_text(note))

    def note_text(self, note: Note) -> str:
        """Return the sentence of a note, with the options of the command."""
        return note.text(self.lang, command=True)

    def prompt(self, key: str, **values: object) -> str:
        """Print a question to stderr and return the line typed by the user."""
        sys.stderr.write(self.message(key, **values) + " ")
        sys.stderr.flush()
        return sys.stdin.readline().strip()

    def print_error(self, sentence: str) -> None:
        """Print an error message to stderr."""
        self._print_message("error", sentence)

    def _print_message(self, kind: str, sentence: str) -> None:
        """Write a message to stderr with the prefix of its kind."""
        if self.is_quiet and kind == "note":
            return
        prefix = self._styled(say(f"word_{kind}", self.lang), kind, sys.stderr)
        sys.stderr.write(prefix + sentence + "\n")
        sys.stderr.flush()

    def _styled(self, text: str, style: str, stream: TextIO) -> str:
        if self.color == "always":
            is_styled = True
        elif self.color == "never" or os.environ.get("NO_COLOR"):
            is_styled = False
        else:
            is_styled = stream.isatty() and os.environ.get("TERM") != "dumb"
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if is_styled else text
