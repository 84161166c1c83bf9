"""Detect the encoding of text: byte-order mark, UTF-8, GB18030, Big5, cp1252, in this order.

That text can be decoded is no proof: Western accents and most Big5 text are valid GB18030, too.
So the two Chinese encodings must also give mostly common characters: those of the first level of
GB 2312 (3,755 characters, rows 16 to 55) and of Big5 (5,401, A440 to C67E). Both sets are derived
from Python's codecs. Characters of four bytes in GB18030 count as common: their second and fourth
bytes are digits, which text in another encoding hardly ever has in these places.
"""

from __future__ import annotations

import codecs
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Protocol, Self, TypeVar

from penjing.errors import ChoiceError, DataError

SAMPLE_CHARACTERS = 200_000
"""The number of characters from which the encoding is detected."""

FOUR_BYTES = 4
MAX_FOUR_BYTES = 0x4137F
"""The last character whose four bytes begin with a control code, not with a letter of cp1252."""

MIN_COMMON_SHARE = 0.7
"""The share of common characters that Chinese text must have."""

HIGH_BYTE = re.compile(rb"[\x80-\xff]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")

CONTROL_BYTE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
NON_ASCII_RUN = re.compile(r"[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?")
LETTERS = string.ascii_letters

DISPLAY_NAMES = {"gbk": "GBK", "gb18030": "GB18030", "big5": "Big5", "utf-8": "UTF-8"}

BOMS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


class ByteSource(Protocol):
    """The bytes of a text: in memory, or read piece by piece."""

    @property
    def head(self) -> bytes:
        """The first bytes, enough to detect the encoding."""

    def skip(self, n: int) -> Self:
        """Return the bytes without the first n."""

    def first_bad_line(self, codec: str) -> int | None:
        """Return the line of the first invalid bytes, None if all are valid."""

    def sample(self, codec: str) -> str:
        """Return the first characters; the bytes must be valid."""


class BytesInMemory:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._texts: dict[str, str] = {}

    @property
    def head(self) -> bytes:
        """The first bytes, enough to detect the encoding."""
        return self.data[: 4 * SAMPLE_CHARACTERS]

    def skip(self, n: int) -> Self:
        """Return the bytes without the first n."""
        return type(self)(self.data[n:])

    def text(self, codec: str) -> str:
        """Return the decoded text; the bytes must be valid."""
        return self._texts[codec] if codec in self._texts else self.data.decode(codec)

    def first_bad_line(self, codec: str) -> int | None:
        """Return the line of the first invalid bytes, None if all are valid."""
        try:
            self._texts = {codec: self.data.decode(codec)}
        except UnicodeDecodeError as error:
            return self.data[: error.start].decode(codec, "ignore").count("\n") + 1
        return None

    def sample(self, codec: str) -> str:
        """Return the first characters; the bytes must be valid."""
        return self.text(codec)[:SAMPLE_CHARACTERS]


B = TypeVar("B", bound=ByteSource)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A detected encoding: codec, displayed name, reason (a key), size of the byte-order mark."""

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
    chosen, content = detect_encoding(BytesInMemory(data), source, encoding)
    text = content.text(chosen.codec)
    return (
        text.removeprefix("\ufeff") if chosen.reason == "told" else text,
        chosen.name,
        chosen.reason,
    )


def fitting_encoding(data: bytes, encoding: str, *, is_certain: bool = False) -> str | None:
    """Return the encoding of an earlier file if these bytes may have it, too.

    None if a byte-order mark, valid UTF-8 with other characters than ASCII, or bytes that cannot
    be decoded speak against it. If ``is_certain``, valid UTF-8 does not.

    Examples
    --------
    >>> fitting_encoding("色泽".encode("gbk"), "gbk"), fitting_encoding("色泽".encode(), "gbk")
    ('gbk', None)
    """
    codec = codecs.lookup(encoding).name
    if codec.startswith(("utf-16", "utf-32")):
        return encoding if b"\0" in data[:SAMPLE_CHARACTERS] else None
    if any(data.startswith(mark) for mark, *_ in BOMS) and not codec.startswith("utf-8"):
        return None
    if not is_certain and is_beyond_ascii_utf8(data) and not codec.startswith("utf-8"):
        return None
    return encoding if _is_decodable(data, codec) else None


def is_beyond_ascii_utf8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8 and not only ASCII; they may end within a character."""
    return HIGH_BYTE.search(data) is not None and _is_decodable(data, "utf-8")


def _is_decodable(data: bytes, codec: str) -> bool:
    try:
        codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def detect_encoding(data: B, source: str, encoding: str | None = None) -> tuple[Encoding, B]:
    """Detect the encoding; return it with the bytes after the byte-order mark."""
    if encoding is not None:
        return _requested_encoding(data, source, encoding), data
    n_mark = 0
    for mark, codec, name in BOMS:
        if data.head.startswith(mark):
            n_mark, data = len(mark), data.skip(len(mark))
            line = data.first_bad_line(codec)
            if line is None:
                _check_is_text(data.sample(codec), source)
                return Encoding(codec, name, "bom", n_mark), data
            if codec != "utf-8":
                raise _not_decodable_error(source, name, line)
            break  # some editors put the mark before text in another encoding
    if b"\0" in data.head[:SAMPLE_CHARACTERS]:
        raise DataError("binary_file", source=source)
    bad_line = data.first_bad_line("utf-8")
    if bad_line is None:
        _check_is_text(data.sample("utf-8"), source)
        return Encoding("utf-8", "UTF-8", "valid_utf8", n_mark), data
    return _detect_by_characters(data, source, bad_line, n_mark), data


def _detect_by_characters(data: ByteSource, source: str, bad_line: int, n_mark: int) -> Encoding:
    """Detect the encoding of text that is not UTF-8 by the share of common characters."""
    candidates = [
        (common_share(text, codec), -rank, codec, name)
        for rank, (codec, name) in enumerate((("gb18030", "GB18030"), ("big5", "Big5")))
        if (text := _valid_sample(data, codec)) is not None
        and not (codec == "big5" and has_letters_around(text))
    ]
    share, _, codec, name = max(candidates, default=(0.0, 0, "", ""))
    if share >= MIN_COMMON_SHARE:
        return Encoding(codec, name, "not_utf8_common_hanzi", n_mark)
    if _is_damaged_utf8(data.head):
        raise _not_decodable_error(source, "UTF-8", bad_line)
    if _valid_sample(data, "cp1252") is None:
        is_binary = _has_control_characters(data.head.decode("latin-1"), CONTROL_BYTE)
        raise DataError("binary_file" if is_binary else "no_encoding", source=source)
    return Encoding("cp1252", "cp1252", "not_utf8_not_chinese", n_mark)


def check_encoding(encoding: str) -> codecs.CodecInfo:
    """Return the codec of an encoding; raise an error if there is no such text encoding."""
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):  # no such codec, or one that is not for text
        raise ChoiceError("unknown_encoding", encoding=encoding) from None
    return codec


def _requested_encoding(data: ByteSource, source: str, encoding: str) -> Encoding:
    codec = check_encoding(encoding)
    name = DISPLAY_NAMES.get(codec.name, codec.name)
    line = data.first_bad_line(encoding)
    if line is not None:
        raise _not_decodable_error(source, name, line)
    return Encoding(encoding, name, "told")


def _not_decodable_error(source: str, name: str, line: int) -> DataError:
    """Return the error for bytes that are not valid; it mentions their line."""
    return DataError("not_decodable", source=source, encoding=name, line=line)


def _is_damaged_utf8(sample: bytes) -> bool:
    """Return whether this is UTF-8 with a few wrong bytes, so that no other encoding fits."""
    n_high = len(HIGH_BYTE.findall(sample))
    n_valid = len(HIGH_BYTE.findall(sample.decode("utf-8", "ignore").encode("utf-8")))
    return n_high >= 20 and n_valid >= 0.9 * n_high


def _valid_sample(data: ByteSource, codec: str) -> str | None:
    """Return the first characters if all bytes are valid and few are control characters."""
    if data.first_bad_line(codec) is not None:
        return None
    text = data.sample(codec)
    return None if _has_control_characters(text) else text


def _check_is_text(text: str, source: str) -> None:
    if _has_control_characters(text):
        raise DataError("binary_file", source=source)


def _has_control_characters(text: str, control: re.Pattern[str] = CONTROL) -> bool:
    sample = text[:SAMPLE_CHARACTERS]
    return 200 * len(control.findall(sample)) > len(sample)


def common_share(text: str, codec: str) -> float:
    """Return the share of common characters beyond ASCII; less common ones count one half."""
    common, less_common = _character_sets(codec)
    counts = Counter(text[:SAMPLE_CHARACTERS])
    total = common_weight = 0.0
    for character, count in counts.items():
        if character > "\x7f":
            total += count
            is_common = character in common or (codec == "gb18030" and _has_four_bytes(character))
            common_weight += count * (1.0 if is_common else 0.5 * (character in less_common))
    return common_weight / total if total else 0.0


def _has_four_bytes(character: str) -> bool:
    """Return whether this is a known character that takes four bytes in GB18030."""
    is_known = unicodedata.category(character) not in ("Cn", "Co", "Cs", "Cc")
    return (
        is_known
        and ord(character) <= MAX_FOUR_BYTES
        and len(character.encode("gb18030", "replace")) == FOUR_BYTES
    )


def has_letters_around(text: str) -> bool:
    """Return whether half of the characters beyond ASCII are single ones next to a Latin letter.

    That is typical of accents: together with the following letter they decode to valid, even
    common Big5 characters. (GB 2312 has no character whose second byte is a letter.)

    Examples
    --------
    >>> has_letters_around("caf\u9920s, na\u96f2e"), has_letters_around("色泽, 好瓜")
    (True, False)
    """
    runs = NON_ASCII_RUN.findall(text[:SAMPLE_CHARACTERS])
    single = [run for run in runs if len(run) > 1 and len(run.strip(LETTERS)) == 1]
    return 0 < len(runs) <= 2 * len(single)


@cache
def _character_sets(codec: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the common and the less common characters of a Chinese encoding."""
    if codec == "gb18030":
        high = range(0xA1, 0xFF)
        marks = _decode_pairs("gb2312", (0xA1, 0xA3), high)
        first = _decode_pairs("gb2312", range(0xB0, 0xD8), high)
        return first | marks, _decode_pairs("gb2312", range(0xD8, 0xF8), high)
    trail = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
    first = _decode_pairs("big5", range(0xA4, 0xC7), trail)
    return first | _decode_pairs("big5", (0xA1,), trail), _decode_pairs(
        "big5", range(0xC9, 0xFA), trail
    )


def _decode_pairs(codec: str, lead: Iterable[int], trail: Iterable[int]) -> frozenset[str]:
    pairs = map(bytes, product(lead, trail))
    return frozenset(pair.decode(codec, "ignore") for pair in pairs) - {""}
