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
from functools import cache
from itertools import product

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


def decode(data: bytes, source: str, encoding: str | None = None) -> tuple[str, str, str]:
    """Return the text, the encoding's name and the reason for it (a key).

    Examples
    --------
    >>> decode("色泽,根蒂,好瓜".encode("gbk"), "melons.csv")
    ('色泽,根蒂,好瓜', 'GB18030', 'not_utf8_common_hanzi')
    >>> decode("café,naïve".encode("cp1252"), "words.csv")
    ('café,naïve', 'cp1252', 'not_utf8_not_chinese')
    """
    if encoding is not None:
        return _as_told(data, source, encoding)
    for mark, codec, name in BOMS:
        if data.startswith(mark):
            data = data[len(mark) :]
            if codec != "utf-8" or _decodes(data, codec):
                return _text(_strict(data, source, codec, name), source), name, "bom"
            break  # an editor put the mark before text in another encoding
    if b"\0" in data[:SAMPLE]:
        raise DataError("binary_file", source=source)
    if _decodes(data, "utf-8"):
        return _text(data.decode("utf-8"), source), "UTF-8", "valid_utf8"
    chinese = [
        (commonness(text, codec), -rung, name, text)
        for rung, (codec, name) in enumerate((("gb18030", "GB18030"), ("big5", "Big5")))
        if (text := _decoded(data, codec)) is not None
        and not (codec == "big5" and has_letters_around(text))
    ]
    share, _, name, text = max(chinese, default=(0.0, 0, "", ""))
    if share >= PLAUSIBLE:
        return text, name, "not_utf8_common_hanzi"
    _refuse_damaged_utf8(data, source)
    western = _decoded(data, "cp1252")
    if western is None:
        key = "binary_file" if _is_junk(data.decode("latin-1"), CONTROL_BYTE) else "no_encoding"
        raise DataError(key, source=source)
    return western, "cp1252", "not_utf8_not_chinese"


def _as_told(data: bytes, source: str, encoding: str) -> tuple[str, str, str]:
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)
    except LookupError:  # no such codec, or one that is not for text
        raise ChoiceError("unknown_encoding", encoding=encoding) from None
    name = DISPLAYED.get(codec.name, codec.name)
    return _strict(data, source, encoding, name).removeprefix("\ufeff"), name, "told"


def _strict(data: bytes, source: str, codec: str, name: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        raise _refusal(data, source, codec, name) from None


def _refusal(data: bytes, source: str, codec: str, name: str) -> DataError:
    """Make the error for bytes that are not legal, told with their line."""
    line = 1
    try:
        data.decode(codec)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(codec, "ignore").count("\n") + 1
    return DataError("not_decodable", source=source, encoding=name, line=line)


def _refuse_damaged_utf8(data: bytes, source: str) -> None:
    """Refuse UTF-8 with a few wrong bytes: any other reading of it would be gibberish."""
    sample = data[: 4 * SAMPLE]
    high = len(HIGH.findall(sample))
    sound = len(HIGH.findall(sample.decode("utf-8", "ignore").encode("utf-8")))
    if high >= 20 and sound >= 0.9 * high:
        raise _refusal(data, source, "utf-8", "UTF-8")


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, codec: str) -> str | None:
    """Return the text if the bytes are legal and it has hardly any control characters."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if _is_junk(text) else text


def _text(text: str, source: str) -> str:
    if _is_junk(text):
        raise DataError("binary_file", source=source)
    return text


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
