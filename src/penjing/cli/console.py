"""What the command says: results to stdout, talk to stderr; language, width and colour."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from penjing.i18n import LANGUAGES, catalogue, say

WIDTH = 100
"""The width of a line where no terminal says otherwise, so that files come out alike."""
SIGNS = "│≤≥█→×…"
"""What is drawn with; where one of them cannot be shown, plain characters are used."""

_PAINT = {"error": "31;1", "note": "36", "strong": "1"}


def language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the locale, English where it is none of ours.

    Examples
    --------
    >>> language({"LANG": "zh_CN.UTF-8"}), language({"LC_ALL": "C", "LANG": "zh_CN"}), language({})
    ('zh', 'en', 'en')
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            found = value.lower()[:2]
            return found if found in LANGUAGES else "en"
    return "en"


def prepare_streams() -> None:
    """Make stdout and stderr replace what they cannot show; one that is closed swallows all."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


STDOUT = "stdout"


@contextmanager
def to_stdout() -> Iterator[TextIO]:
    """Give stdout, whose errors bear its name; nothing else may go wrong meanwhile."""
    try:
        yield sys.stdout
    except OSError as error:
        error.filename = STDOUT
        raise


def put_bytes(data: bytes) -> None:
    """Print a result that is bytes, after all that was printed before."""
    with to_stdout() as stream:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def can_draw(stream: TextIO) -> bool:
    """Say whether a stream can show the characters that trees are drawn with."""
    try:
        SIGNS.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever JSON does not know
    """Return a NumPy number as a plain one; anything else has no place in a result."""
    return value.item()


@dataclass(frozen=True)
class Voice:
    """How one command speaks.

    Parameters
    ----------
    lang : str
        ``en`` or ``zh``; never applied to keys and numbers of JSON.
    as_json : bool
        Print plain data instead of text.
    ascii_only : bool
        Draw with plain characters.
    width : int
        How long a line may get where it can be shortened.
    color : str
        ``auto``, ``always`` or ``never``.
    debug : bool
        Show the traceback of an error.
    is_quiet : bool
        Say nothing on the way.
    """

    lang: str = "en"
    as_json: bool = False
    ascii_only: bool = False
    width: int = WIDTH
    color: str = "auto"
    debug: bool = False
    is_quiet: bool = False

    @staticmethod
    def of(
        *,
        lang: str | None,
        color: str,
        width: int | None,
        as_json: bool,
        ascii_only: bool,
        debug: bool,
    ) -> Voice:
        """Return the voice that the options and the surroundings ask for."""
        if width is None:
            width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        return Voice(
            lang or language(),
            as_json,
            ascii_only or not can_draw(sys.stdout),
            max(width, 40),
            color,
            debug,
        )

    # -- results -----------------------------------------------------------------------------

    def out(self, text: str) -> None:
        """Print a result."""
        with to_stdout() as stream:
            stream.write(text + "\n")

    def data(self, plain: object) -> None:
        """Print plain data as JSON."""
        as_ascii = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
        self.out(
            json.dumps(plain, ensure_ascii=as_ascii, indent=2, allow_nan=False, default=_plain)
        )

    def strong(self, text: str, word: str) -> str:
        """Return the text with a word made bold, where colour is shown."""
        return text.replace(word, self._painted(word, "strong", sys.stdout)) if word else text

    # -- talk --------------------------------------------------------------------------------

    def say(self, key: str, **values: object) -> str:
        """Return a sentence; one that speaks of options where the command has its own form."""
        own = f"{key}_cli"
        return say(own if own in catalogue(self.lang) else key, self.lang, **values)

    def note(self, key: str, **values: object) -> None:
        """Say something on the way."""
        self.talk("note", self.say(key, **values))

    def hint(self, key: str) -> None:
        """Say what else could be asked, to somebody who looks at a terminal."""
        if sys.stdout.isatty() and sys.stderr.isatty():
            self.note(key)

    def notes(self, notes: Iterable[Any]) -> None:
        """Say what was decided while a table was read."""
        for note in notes:
            self.talk("note", self.told(note))

    def told(self, note: Any) -> str:  # noqa: ANN401 - a Note
        """Return the sentence of a note; what it lists reads as a list."""
        from penjing.text.phrases import join_names  # noqa: PLC0415 - heavy

        values = {
            key: join_names(value, self.lang) if isinstance(value, tuple | list) else value
            for key, value in note.values.items()
        }
        return self.say(note.key, **values)

    def ask(self, key: str, **values: object) -> str:
        """Ask somebody at a terminal; stdout is for results, so the question goes to stderr."""
        sys.stderr.write(self.say(key, **values) + " ")
        sys.stderr.flush()
        return sys.stdin.readline().strip()

    def error(self, sentence: str) -> None:
        """Say what went wrong."""
        self.talk("error", sentence)

    def talk(self, kind: str, sentence: str) -> None:
        """Write a sentence to stderr, after its kind."""
        if self.is_quiet and kind == "note":
            return
        word = self._painted(say(f"word_{kind}", self.lang), kind, sys.stderr)
        sys.stderr.write(word + sentence + "\n")
        sys.stderr.flush()

    def _painted(self, text: str, style: str, stream: TextIO) -> str:
        if self.color == "always":
            shown = True
        elif self.color == "never" or os.environ.get("NO_COLOR"):
            shown = False
        else:
            shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        return f"\x1b[{_PAINT[style]}m{text}\x1b[0m" if shown else text
