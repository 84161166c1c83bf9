"""Bytes to text: BOM, strict UTF-8, GB18030, Big5, cp1252, in this order, and why.

A strict decode is not proof: western accents and most Big5 text are legal GB18030 too. So the
two Chinese steps must also yield mostly common characters: those of the first level of GB 2312
(3,755 characters, rows 16 to 55) and of Big5 (5,401, A440 to C67E). Both sets are read off the
codecs themselves.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from functools import cache

from penjing.errors import ChoiceError, DataError

SAMPLE = 200_000
"""So many characters are enough to judge how common they are."""

PLAUSIBLE = 0.7
"""The share of common characters that makes a Chinese decode believable."""

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
            return _strict(data[len(mark) :], source, codec, name), name, "bom"
    if b"\0" in data[:SAMPLE]:
        raise DataError("binary_file", source=source)
    try:
        return data.decode("utf-8"), "UTF-8", "valid_utf8"
    except UnicodeDecodeError as error:
        damage = error
    _refuse_damaged_utf8(data, source, damage)
    text = _plausible(data, "gb18030")
    big5 = _plausible(data, "big5")
    if text is not None and (big5 is None or text[1] >= big5[1]):
        return text[0], "GB18030", "not_utf8_common_hanzi"
    if big5 is not None:
        return big5[0], "Big5", "not_utf8_common_hanzi"
    try:
        text_1252 = data.decode("cp1252")
    except UnicodeDecodeError:
        raise DataError("binary_file", source=source) from None
    if _n_controls(text_1252):
        raise DataError("binary_file", source=source)
    return text_1252, "cp1252", "not_utf8_not_chinese"


def _as_told(data: bytes, source: str, encoding: str) -> tuple[str, str, str]:
    try:
        codec = codecs.lookup(encoding)
        text = _strict(data, source, encoding, encoding)
    except LookupError:
        raise ChoiceError("unknown_encoding", encoding=encoding) from None
    name = {"gbk": "GBK", "gb18030": "GB18030", "big5": "Big5", "utf-8": "UTF-8"}.get(
        codec.name, codec.name
    )
    return text.removeprefix("\ufeff"), name, "told"


def _strict(data: bytes, source: str, codec: str, name: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("not_decodable", source=source, encoding=name, line=line) from None


def _refuse_damaged_utf8(data: bytes, source: str, damage: UnicodeDecodeError) -> None:
    """Refuse UTF-8 with a few wrong bytes: any other reading of it would be gibberish."""
    sample = data[: 4 * SAMPLE]
    whole = len(re.findall(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}", sample))
    high = len(re.findall(rb"[\x80-\xff]", sample))
    in_utf8 = len(sample.decode("utf-8", "ignore").encode("utf-8")) - len(
        re.sub(rb"[\x80-\xff]+", b"", sample)
    )
    if whole >= 20 and in_utf8 >= 0.9 * high:
        line = data.count(b"\n", 0, damage.start) + 1
        raise DataError("not_decodable", source=source, encoding="UTF-8", line=line)


def _plausible(data: bytes, codec: str) -> tuple[str, float] | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    if _n_controls(text):
        return None
    share = commonness(text, codec)
    return (text, share) if share >= PLAUSIBLE else None


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


def _n_controls(text: str) -> int:
    return len(re.findall(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", text[:SAMPLE]))


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
    return first | _decodable("big5", (0xA1,), trail), _decodable(
        "big5", range(0xC9, 0xFA), trail
    )


def _decodable(codec: str, lead: object, trail: object) -> frozenset[str]:
    pairs = (bytes((a, b)) for a in lead for b in trail)  # type: ignore[attr-defined]
    return frozenset(pair.decode(codec, "ignore") for pair in pairs) - {""}
