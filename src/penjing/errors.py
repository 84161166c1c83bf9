"""Three exceptions, and how a sentence with a hint is made."""

from __future__ import annotations

import difflib
import numbers
import reprlib
from collections.abc import Iterable
from pathlib import Path

from penjing.i18n import LANGUAGES, say, set_unknown_language_error

MAX_TEXT_LENGTH = 160
"""A sentence mentions no longer text than this; of a longer one, how it begins and ends."""
MAX_OBJECT_LENGTH = 80
"""What is no text and no number is shown by at most so many letters, else by its type."""


class PenjingError(ValueError):
    """Something the user can put right, told in one to three lines.

    Parameters
    ----------
    key : str
        A key of the catalogues in :mod:`penjing.i18n`; every sentence exists in each language.
    **values
        What the sentence mentions.

    Examples
    --------
    >>> error = DataError("no_rows", source="melons.csv")
    >>> print(error)
    melons.csv has a header but no rows. A tree needs at least one row of data.
    >>> print(error.say("zh"))
    melons.csv 只有表头，没有数据行。生成决策树至少需要一行数据。
    """

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = {name: _printable_value(value) for name, value in values.items()}
        super().__init__(say(key, **self.values))

    def say(self, lang: str) -> str:
        """Return the sentence in another language."""
        return say(self.key, lang, **self.values)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.key, self.values)


class _ShownValue(str):
    """A value as a sentence shows it: in one line, plain and in quotes."""

    __slots__ = ("quoted",)
    quoted: str

    def __repr__(self) -> str:
        return self.quoted

    def __reduce__(self) -> tuple[object, ...]:
        return _show_value, (str(self), self.quoted)


def _show_value(plain: str, quoted: str) -> _ShownValue:
    made = _ShownValue(plain)
    made.quoted = quoted
    return made


def _printable_value(value: object) -> object:
    """Return a value as a sentence can bear it: never pages, lines, or an error of its own."""
    if value is None or isinstance(value, bool | float | numbers.Integral):
        return (
            value
            if not isinstance(value, int) or abs(value) < 10**MAX_OBJECT_LENGTH
            else _type_name(value)
        )
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, bytes) and len(value) > MAX_TEXT_LENGTH:
        value = value[:MAX_TEXT_LENGTH]
    if not isinstance(value, str):
        return _printable_object(value)
    if len(value) > MAX_TEXT_LENGTH:
        value = f"{value[: MAX_TEXT_LENGTH // 2]}…{value[-MAX_TEXT_LENGTH // 2 :]}"
    lines = value.splitlines()
    return value if len(lines) < 2 else _show_value(" ".join(lines), repr(value))


def _printable_object(value: object) -> object:
    """Return a list, an array, a stranger's object in a few letters, or its type."""
    try:
        plain = reprlib.repr(value) if isinstance(value, _BUILT_IN) else str(value)
        quoted = plain if isinstance(value, _BUILT_IN) else repr(value)
    except Exception:  # noqa: BLE001 - whatever a stranger's object raises
        return _type_name(value)
    if (
        max(len(plain), len(quoted)) > MAX_OBJECT_LENGTH
        or "\n" in plain + quoted
        or " at 0x" in quoted
    ):
        return _type_name(value)
    return _show_value(plain, quoted)


def _type_name(value: object) -> _ShownValue:
    name = f"<{type(value).__name__}>"
    return _show_value(name, name)


_BUILT_IN = (list, tuple, dict, set, frozenset)


class DataError(PenjingError):
    """The data is not what was expected."""


class NoRowsError(DataError):
    """A table has no rows; the columns that it has are its ``names``."""

    def __init__(self, key: str, /, *, names: Iterable[str] = (), **values: object) -> None:
        self.names = tuple(map(str, names))
        super().__init__(key, **values)


class ChoiceError(PenjingError):
    """A parameter, name or combination is not one of the possible ones."""


class CapabilityError(PenjingError):
    """A part cannot do what was asked of it, though another part can."""


class WrongTypeError(ChoiceError, TypeError):
    """A parameter is of a type that cannot be used; to Python a TypeError as well."""


class WrongSourceError(DataError, TypeError):
    """What should be data is of a type that cannot be read; to Python a TypeError as well."""


class NoFileError(DataError, FileNotFoundError):
    """There is no such file; to Python a FileNotFoundError as well."""


def _rebuild(kind: type[PenjingError], key: str, values: dict[str, object]) -> PenjingError:
    return kind(key, **values)


def closest_match(word: object, known: Iterable[object]) -> str | None:
    """Return the known word closest to a mistyped one, or None.

    Examples
    --------
    >>> closest_match("color", ["colour", "root"])
    'colour'
    >>> closest_match("好挂", ["好瓜", "纹理"])
    '好瓜'
    >>> closest_match("xyz", ["colour", "root"])
    """
    if not isinstance(word, str | int | float) or (
        isinstance(word, str) and len(word) > MAX_TEXT_LENGTH
    ):
        return None
    found = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0.5)
    return found[0] if found else None


def unknown_name_error(
    key: str, word: object, known: Iterable[object], **values: object
) -> ChoiceError:
    """Make the error for a name that is not one of the known ones, with the near miss proposed."""
    names = [str(k) for k in known]
    close = closest_match(word, names) if isinstance(word, str) else None
    values |= {"word": word, "known": ", ".join(names)}
    kind = ChoiceError if isinstance(word, str) else WrongTypeError
    return kind(key + "_near", near=close, **values) if close else kind(key, **values)


def _unknown_language(lang: object) -> ChoiceError:
    return unknown_name_error("unknown_plug", lang, LANGUAGES, socket="language")


set_unknown_language_error(_unknown_language)
