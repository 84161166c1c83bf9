"""Bytes to text: BOM, strict UTF-8, GB18030, Big5, cp1252, in this order, and why.

A strict decode is not proof: western accents and most Big5 text are legal GB18030 too. So the
two Chinese steps must also yield mostly common characters: those of the first level of GB 2312
(3,755 characters, rows 16 to 55) and of Big5 (5,401, A440 to C67E). Both sets are read off the
codecs themselves.
"""

from __future__ import annotations

import codecs
import re
import string
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Protocol, Self, TypeVar

from penjing.errors import ChoiceError, DataError

SAMPLE = 200_000
"""So many characters are enough to judge how common they are."""

PLAUSIBLE = 0.7
"""The share of common characters that makes a Chinese decode believable."""

HIGH = re.compile(rb"[\x80-\xff]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")

CONTROL_BYTE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
RUN = re.compile(r"[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?")
LETTERS = string.ascii_letters

DISPLAYED = {"gbk": "GBK", "gb18030": "GB18030", "big5": "Big5", "utf-8": "UTF-8"}

BOMS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


class Bytes(Protocol):
    """The bytes of a text: whole in memory, or read piece by piece."""

    @property
    def head(self) -> bytes:
        """The first bytes, enough to judge by."""

    def after(self, n: int) -> Self:
        """Return the bytes without the first n."""

    def fault(self, codec: str) -> int | None:
        """Return the line of the first bytes that are not legal, None if all are."""

    def sample(self, codec: str) -> str:
        """Return the first characters of bytes that are legal."""


class Whole:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._texts: dict[str, str] = {}

    @property
    def head(self) -> bytes:
        """The first bytes, enough to judge by."""
        return self.data[: 4 * SAMPLE]

    def after(self, n: int) -> Self:
        """Return the bytes without the first n."""
        return type(self)(self.data[n:])

    def text(self, codec: str) -> str:
        """Return the text of bytes that are legal."""
        return self._texts[codec] if codec in self._texts else self.data.decode(codec)

    def fault(self, codec: str) -> int | None:
        """Return the line of the first bytes that are not legal, None if all are."""
        try:
            self._texts = {codec: self.data.decode(codec)}
        except UnicodeDecodeError as error:
            return self.data[: error.start].decode(codec, "ignore").count("\n") + 1
        return None

    def sample(self, codec: str) -> str:
        """Return the first characters of bytes that are legal."""
        return self.text(codec)[:SAMPLE]


B = TypeVar("B", bound=Bytes)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text: the codec, what it is called, why (a key), and the mark before it."""

    codec: str
    name: str
    reason: str
    n_mark: int = 0


def decode(data: bytes, source: str, encoding: str | None = None) -> tuple[str, str, str]:
    """Return the text, the encoding's name and the reason for it (a key).

    Examples
    --------
    >>> decode("色泽,根蒂,好瓜".encode("gbk"), "melons.csv")
    ('色泽,根蒂,好瓜', 'GB18030', 'not_utf8_common_hanzi')
    >>> decode("café,naïve".encode("cp1252"), "words.csv")
    ('café,naïve', 'cp1252', 'not_utf8_not_chinese')
    """
    found, whole = encoding_of(Whole(data), source, encoding)
    text = whole.text(found.codec)
    return text.removeprefix("\ufeff") if found.reason == "told" else text, found.name, found.reason


def encoding_of(data: B, source: str, encoding: str | None = None) -> tuple[Encoding, B]:
    """Find out how bytes become text; return it with the bytes after the mark."""
    if encoding is not None:
        return _as_told(data, source, encoding), data
    n_mark = 0
    for mark, codec, name in BOMS:
        if data.head.startswith(mark):
            n_mark, data = len(mark), data.after(len(mark))
            line = data.fault(codec)
            if line is None:
                _refuse_junk(data.sample(codec), source)
                return Encoding(codec, name, "bom", n_mark), data
            if codec != "utf-8":
                raise _not_decodable(source, name, line)
            break  # an editor put the mark before text in another encoding
    if b"\0" in data.head[:SAMPLE]:
        raise DataError("binary_file", source=source)
    damaged = data.fault("utf-8")
    if damaged is None:
        _refuse_junk(data.sample("utf-8"), source)
        return Encoding("utf-8", "UTF-8", "valid_utf8", n_mark), data
    return _by_characters(data, source, damaged, n_mark), data


def _by_characters(data: Bytes, source: str, damaged: int, n_mark: int) -> Encoding:
    """Find the encoding of what is not UTF-8 by how common its characters are."""
    chinese = [
        (commonness(text, codec), -rung, codec, name)
        for rung, (codec, name) in enumerate((("gb18030", "GB18030"), ("big5", "Big5")))
        if (text := _sound(data, codec)) is not None
        and not (codec == "big5" and has_letters_around(text))
    ]
    share, _, codec, name = max(chinese, default=(0.0, 0, "", ""))
    if share >= PLAUSIBLE:
        return Encoding(codec, name, "not_utf8_common_hanzi", n_mark)
    if _is_damaged_utf8(data.head):
        raise _not_decodable(source, "UTF-8", damaged)
    if _sound(data, "cp1252") is None:
        is_junk = _is_junk(data.head.decode("latin-1"), CONTROL_BYTE)
        raise DataError("binary_file" if is_junk else "no_encoding", source=source)
    return Encoding("cp1252", "cp1252", "not_utf8_not_chinese", n_mark)


def check_encoding(encoding: str) -> codecs.CodecInfo:
    """Return the codec of an encoding, or say that there is none for text."""
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):  # no such codec, or one that is not for text
        raise ChoiceError("unknown_encoding", encoding=encoding) from None
    return codec


def _as_told(data: Bytes, source: str, encoding: str) -> Encoding:
    codec = check_encoding(encoding)
    name = DISPLAYED.get(codec.name, codec.name)
    line = data.fault(encoding)
    if line is not None:
        raise _not_decodable(source, name, line)
    return Encoding(encoding, name, "told")


def _not_decodable(source: str, name: str, line: int) -> DataError:
    """Make the error for bytes that are not legal, told with their line."""
    return DataError("not_decodable", source=source, encoding=name, line=line)


def _is_damaged_utf8(sample: bytes) -> bool:
    """Say whether this is UTF-8 with a few wrong bytes: any other reading would be gibberish."""
    high = len(HIGH.findall(sample))
    sound = len(HIGH.findall(sample.decode("utf-8", "ignore").encode("utf-8")))
    return high >= 20 and sound >= 0.9 * high


def _sound(data: Bytes, codec: str) -> str | None:
    """Return the first characters if all bytes are legal, and hardly any are control characters."""
    if data.fault(codec) is not None:
        return None
    text = data.sample(codec)
    return None if _is_junk(text) else text


def _refuse_junk(text: str, source: str) -> None:
    if _is_junk(text):
        raise DataError("binary_file", source=source)


def _is_junk(text: str, control: re.Pattern[str] = CONTROL) -> bool:
    sample = text[:SAMPLE]
    return 200 * len(control.findall(sample)) > len(sample)


def commonness(text: str, codec: str) -> float:
    """Return how common the characters beyond ASCII are: 1 all of the first level, 0 none."""
    first, second = _levels(codec)
    seen = Counter(text[:SAMPLE])
    total = worth = 0.0
    for character, count in seen.items():
        if character > "\x7f":
            total += count
            worth += count * (1.0 if character in first else 0.5 * (character in second))
    return worth / total if total else 0.0


def has_letters_around(text: str) -> bool:
    """Say whether most characters beyond ASCII stand singly beside a letter.

    So accents do, and with the letter after them they make legal, even common Big5 characters.
    (GB 2312 has no character whose second byte is a letter.)

    Examples
    --------
    >>> has_letters_around("caf\u9920s, na\u96f2e"), has_letters_around("色泽, 好瓜")
    (True, False)
    """
    runs = RUN.findall(text[:SAMPLE])
    alone = [run for run in runs if len(run) > 1 and len(run.strip(LETTERS)) == 1]
    return 2 * len(alone) > len(runs)


@cache
def _levels(codec: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the common and the less common characters of a Chinese encoding."""
    if codec == "gb18030":
        high = range(0xA1, 0xFF)
        marks = _decodable("gb2312", (0xA1, 0xA3), high)
        first = _decodable("gb2312", range(0xB0, 0xD8), high)
        return first | marks, _decodable("gb2312", range(0xD8, 0xF8), high)
    trail = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
    first = _decodable("big5", range(0xA4, 0xC7), trail)
    return first | _decodable("big5", (0xA1,), trail), _decodable("big5", range(0xC9, 0xFA), trail)


def _decodable(codec: str, lead: Iterable[int], trail: Iterable[int]) -> frozenset[str]:
    pairs = map(bytes, product(lead, trail))
    return frozenset(pair.decode(codec, "ignore") for pair in pairs) - {""}
