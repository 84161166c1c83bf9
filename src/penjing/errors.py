"""The exceptions of penjing, with messages in several languages and hints for typing errors."""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable
from pathlib import Path

from penjing.i18n import LANGUAGES, Names, catalogue, say, set_unknown_language_error

MAX_TEXT_LENGTH = 160
"""Messages show longer texts only by their beginning and end."""
MAX_OBJECT_LENGTH = 80
"""Messages show other objects by their type if their text is longer than this."""


class PenjingError(ValueError):
    """An error that the user can correct, with a message of one to three lines.

    Parameters
    ----------
    key : str
        A key of the message catalogues in :mod:`penjing.i18n`.
    **values
        The values that the message mentions.

    Examples
    --------
    >>> error = DataError("no_rows", source="melons.csv")
    >>> print(error)
    melons.csv has a header but no rows. Give a table with at least one row.
    >>> print(error.say("zh"))
    melons.csv 只有表头，没有数据行。请给出至少有一行数据的表。
    """

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = {name: _printable_value(value) for name, value in values.items()}
        super().__init__(say(key, **self.values))

    def say(self, lang: str) -> str:
        """Return the message in another language.

        Examples
        --------
        >>> import penjing
        >>> penjing.DataError("no_rows", source="melons.csv").say("zh")
        'melons.csv 只有表头，没有数据行。请给出至少有一行数据的表。'
        """
        return say(self.key, lang, **self.values)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.key, self.values)


class _ShownValue(str):
    """A value as messages show it, on one line: as text, and quoted."""

    __slots__ = ("quoted",)
    quoted: str

    def __repr__(self) -> str:
        return self.quoted

    def __reduce__(self) -> tuple[object, ...]:
        return _show_value, (str(self), self.quoted)


def _show_value(plain: str, quoted: str) -> _ShownValue:
    shown = _ShownValue(plain)
    shown.quoted = quoted
    return shown


def _printable_value(value: object) -> object:
    """Return a value for a message: short, on one line, and printed without errors."""
    if value is None or isinstance(value, bool | float | numbers.Integral):
        return (
            value
            if not isinstance(value, int) or abs(value) < 10**MAX_OBJECT_LENGTH
            else _type_name(value)
        )
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, Names):
        return _short_list(value)
    if isinstance(value, bytes) and len(value) > MAX_TEXT_LENGTH:
        value = value[:MAX_TEXT_LENGTH]
    if not isinstance(value, str):
        return _printable_object(value)
    if len(value) > MAX_TEXT_LENGTH:
        value = f"{value[: MAX_TEXT_LENGTH // 2]}…{value[-MAX_TEXT_LENGTH // 2 :]}"
    lines = value.splitlines()
    return value if len(lines) < 2 else _show_value(" ".join(lines), repr(value))


def _short_list(names: Names) -> Names:
    """Return names that fit into a message; of many the first ones, and an ellipsis."""
    if len(names) <= MAX_TEXT_LENGTH * 2:
        return names
    shown: list[str] = []
    while len(", ".join(shown)) < MAX_TEXT_LENGTH and len(shown) < len(names.names):
        name = names.names[len(shown)]
        shown.append(name if len(name) <= MAX_TEXT_LENGTH else f"{name[:MAX_TEXT_LENGTH]}…")
    return Names([*shown, "…"]) if len(shown) < len(names.names) else Names(shown)


def _printable_object(value: object) -> object:
    """Return a short text of an object, or its type if the text is long."""
    try:
        plain = reprlib.repr(value) if isinstance(value, _BUILT_IN) else str(value)
        quoted = plain if isinstance(value, _BUILT_IN) else repr(value)
    except Exception:  # noqa: BLE001 - whatever a user-defined object raises
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
    """The data are not what was expected.

    Examples
    --------
    >>> import penjing
    >>> try:
    ...     penjing.read("no_such_file.csv")
    ... except penjing.DataError as error:
    ...     print(str(error).split(".csv")[0])
    No such file: no_such_file
    """


class NoRowsError(DataError):
    """A table has no rows; ``names`` are the names of its columns."""

    def __init__(self, key: str, /, *, names: Iterable[str] = (), **values: object) -> None:
        self.names = tuple(map(str, names))
        super().__init__(key, **values)


class ChoiceError(PenjingError):
    """A parameter, name or combination is not allowed.

    Examples
    --------
    >>> import penjing
    >>> try:
    ...     penjing.fit(penjing.example("fish"), max_depth=-1)
    ... except penjing.ChoiceError as error:
    ...     print(error)
    max_depth must be an integer of at least 0, or None, got -1.
    """


class CapabilityError(PenjingError):
    """An engine, format or method does not support the request, though another one may.

    Examples
    --------
    >>> import penjing
    >>> try:
    ...     penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}}).importances()
    ... except penjing.CapabilityError as error:
    ...     print(str(error).split(",")[0])
    importance by impurity needs the counts of the training rows
    """


class WrongTypeError(ChoiceError, TypeError):
    """A parameter has a type that cannot be used; also a TypeError."""


class WrongSourceError(DataError, TypeError):
    """The data have a type that cannot be read; also a TypeError."""


class NoFileError(DataError, FileNotFoundError):
    """There is no such file; also a FileNotFoundError."""


class DataWarning(UserWarning):
    """A decision made while reading data: a column left out, rows dropped, a type inferred.

    :func:`penjing.read`, :func:`penjing.fit` and other functions that read data warn once for
    each note of the table. ``quiet=True`` silences them, and so do the filters of
    :mod:`warnings`.

    Examples
    --------
    >>> import warnings, penjing
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     table = penjing.read({"id": [1, 2], "a": ["x", "y"], "class": ["n", "y"]}, "class")
    >>> found[0].category.__name__, table.left_out
    ('DataWarning', (('id', 'id'),))
    """


def _rebuild(kind: type[PenjingError], key: str, values: dict[str, object]) -> PenjingError:
    return kind(key, **values)


MAX_EDITS = 0.4
"""The share of letters in which a mistyped word may differ from a known one."""
MIN_PART = 3
"""So many letters are enough to mean a word that contains them."""
MOST_WHOLE = 5
"""How many times as long that word may be: a whole line of a file is no name."""


def closest_match(word: object, known: Iterable[object]) -> str | None:
    """Return the known word that a mistyped one is near to, or None.

    Words are near if at most two fifths of the letters of the longer one (at least one) have to be
    inserted, deleted, replaced or swapped with their neighbour, whatever their case; or if three
    letters or more are a part of a known word that is at most five times as long.

    Examples
    --------
    >>> closest_match("color", ["colour", "root"])
    'colour'
    >>> closest_match("好挂", ["好瓜", "纹理"])
    '好瓜'
    >>> closest_match("cart", ["c4.5", "cart-binary"])
    'cart-binary'
    >>> closest_match("xyz", ["colour", "root"])
    """
    if not isinstance(word, str | int | float):
        return None
    typed = str(word).casefold()
    if not typed or len(typed) > MAX_TEXT_LENGTH:
        return None
    best, least = None, math.inf
    for name in (str(k) for k in known):
        longest = max(len(typed), len(name))
        most = max(int(longest * MAX_EDITS), 1 if longest > 1 else 0)
        edits = _edits(typed, name.casefold(), most)
        is_part = len(typed) >= MIN_PART and len(name) <= MOST_WHOLE * len(typed)
        if edits is None and is_part and typed in name.casefold():
            edits = longest
        if edits is not None and edits < least:
            best, least = name, edits
    return best


def _edits(one: str, other: str, most: int) -> int | None:
    """Return how many edits make one word the other; None if there are more than ``most``."""
    if abs(len(one) - len(other)) > most:
        return None
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        following = [i]
        for j, wanted in enumerate(other, 1):
            edits = min(row[j] + 1, following[-1] + 1, row[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                edits = min(edits, before[j - 2] + 1)
            following.append(edits)
        if min(following) > most:
            return None
        before, row = row, following
    return row[-1] if row[-1] <= most else None


def unknown_name_error(
    key: str, word: object, known: Iterable[object], **values: object
) -> ChoiceError:
    """Return the error for an unknown name; it proposes the most similar known name.

    What users call by a name (a recipe, an engine) has a message of its own; other values are those
    of a parameter.
    """
    own_key = f"unknown_{values.get('kind')}"
    if key == "unknown_choice" and own_key in catalogue("en"):
        key = own_key
    names = [str(k) for k in known]
    similar = closest_match(word, names) if isinstance(word, str) else None
    values |= {"word": word, "known": Names(names)}
    kind = ChoiceError if isinstance(word, str) else WrongTypeError
    return kind(key + "_near", near=similar, **values) if similar else kind(key, **values)


def _unknown_language(lang: object) -> ChoiceError:
    return unknown_name_error("unknown_choice", lang, LANGUAGES, kind="language")


set_unknown_language_error(_unknown_language)
