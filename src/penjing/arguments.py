"""Checks of arguments that users pass, with one error message per kind of argument.

Checks look at types first, so that no code of unknown objects runs (comparing an array that
contains itself ends the process), and they are cheap enough for every call.
"""

from __future__ import annotations

import inspect
import math
import operator
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error

MAX_WHOLE_NUMBER = 2**31 - 1
"""The largest integer that depths and sizes may have."""

MAX_REPETITIONS = 1_000_000
"""The largest number of repetitions; more would never finish."""

_FINITE = sys.float_info.max
_NUMBERS = (int, float, np.integer, np.floating)
_WORD_ANNOTATIONS = ("Literal[", "By", "Ties", "Empty", "Shape", "Missing", "Unseen")
"""Beginnings of annotations that stand for one of a few words."""


def is_number(value: object) -> bool:
    """Return whether a value is a number that fits in a double; booleans are not numbers.

    Examples
    --------
    >>> is_number(2), is_number(math.inf), is_number(True), is_number("2"), is_number(10**400)
    (True, True, False, False, False)
    """
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_whole(value: object) -> bool:
    """Return whether a value is an integer; booleans are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def bad_value_error(
    key: str,
    name: str,
    value: object,
    types: Any,  # noqa: ANN401 - a type, or types
    **values: object,
) -> ChoiceError:
    """Return the error for an invalid value; it is also a TypeError if the type is wrong."""
    has_type = isinstance(value, types) and not isinstance(value, bool)
    return (ChoiceError if has_type else WrongTypeError)(key, name=name, value=value, **values)


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return an integer between ``least`` and ``most``; raise an error for other values.

    Examples
    --------
    >>> whole_number("n", 3, 1)
    3
    """
    try:
        number = -math.inf if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -math.inf
    if number < least:
        raise bad_value_error("bad_whole", name, value, _NUMBERS, least=least)
    if most is not None and number > most:
        raise bad_value_error("bad_whole_between", name, value, _NUMBERS, least=least, most=most)
    return int(number)


def optional_whole_number(
    name: str, value: object, least: int, most: int | None = None
) -> int | None:
    """Return an integer as `whole_number` does, or None."""
    if value is None:
        return None
    try:
        return whole_number(name, value, least, most)
    except ChoiceError as error:
        if error.key != "bad_whole":
            raise
        raise bad_value_error("bad_whole_number", name, value, _NUMBERS, least=least) from None


def number(name: str, value: object, *, infinite: bool = False) -> float:
    """Return a number of at least 0, finite unless ``infinite`` is true."""
    if not is_number(value) or not 0 <= value <= (math.inf if infinite else _FINITE):  # type: ignore[operator]
        raise bad_value_error("bad_number", name, value, _NUMBERS)
    return float(value)  # type: ignore[arg-type]


def confidence(value: object) -> float:
    """Return the confidence of a pruning method, between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:  # type: ignore[operator]
        raise bad_value_error("bad_confidence", "confidence", value, _NUMBERS)
    return float(value)  # type: ignore[arg-type]


def text(name: str, value: object) -> str:
    """Return a text; raise an error for other types."""
    if not isinstance(value, str):
        raise WrongTypeError("not_text", name=name, value=value)
    return value


def optional_text(name: str, value: object) -> str | None:
    """Return a text or None; raise an error for other types."""
    if value is not None and not isinstance(value, str):
        raise WrongTypeError("not_text_or_none", name=name, value=value)
    return value


def as_list(value: object) -> list[Any] | None:
    """Return the items of a list-like value; None for other values.

    Texts, dicts, frames and two-dimensional arrays are iterable, but not list-like.
    """
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        return None
    return list(value) if len(getattr(value, "shape", (0,))) == 1 else None


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return a tuple of texts, given as a list or as a single text."""
    if type(value) is tuple and not value:  # the usual default, without further checks
        return ()
    parts = [value] if isinstance(value, str) else as_list(value)
    if parts is None or not all(isinstance(part, str) for part in parts):
        raise WrongTypeError("not_texts", name=name, value=value)
    return tuple(parts)


def boolean(name: str, value: object) -> bool:
    """Return a boolean; raise an error for other types."""
    if not isinstance(value, bool | np.bool_):
        raise WrongTypeError("not_switch", name=name, value=value)
    return bool(value)


def one_of(name: str, value: Any, allowed: Collection[str]) -> Any:  # noqa: ANN401 - a Literal, often
    """Return one of the allowed words; raise an error that lists them for others."""
    if not isinstance(value, str) or value not in allowed:
        raise unknown_name_error("unknown_choice", value, allowed, kind=name)
    return value


def check_function(name: str, value: object) -> None:
    """Raise an error for a value that is neither a function nor None."""
    if value is not None and not callable(value):
        raise WrongTypeError("not_function", name=name, value=value)


def path(name: str, value: object) -> str:
    """Return the path of a file or folder as text; raise an error for other values."""
    try:
        text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    except Exception:  # noqa: BLE001 - whatever a user-defined path raises
        text = None
    if not isinstance(text, str):
        raise WrongTypeError("not_path", name=name, value=value)
    if not text or "\0" in text:
        raise ChoiceError("not_path", name=name, value=value)
    return text


def check_instance(name: str, value: object, kind: type, key: str) -> None:
    """Raise the error of this key if a value is not of a type."""
    if not isinstance(value, kind):
        raise WrongTypeError(key, name=name, value=value)


# -- checks against signatures --------------------------------------------------------------------


def check_options(
    function: Callable[..., Any], given: Mapping[str, Any], key: str, **details: object
) -> None:
    """Raise an error for options that a function lacks and for values of a wrong type.

    Parameters
    ----------
    function : function
        The function whose keyword-only parameters are the options.
    given : dict
        The options that were passed.
    key : str
        The key of the message about an unknown option.
    **about
        Further values of that message.
    """
    known = known_options(function)
    for name, value in given.items():
        if name not in known:
            raise unknown_name_error(key, name, known, **details)
        # The function itself checks numbers.
        if _NUMERIC.isdisjoint(_simple_types(known[name]) or ()):
            check_type(name, value, known[name])


@lru_cache(maxsize=128)
def known_options(function: Callable[..., Any]) -> dict[str, str]:
    """Return the keyword-only parameters of a function, each with its annotation."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: str(p.annotation) for p in parameters if p.kind is p.KEYWORD_ONLY}


def check_type(name: str, value: object, annotation: str) -> None:
    """Raise an error if a value does not match an annotation of simple types.

    Examples
    --------
    >>> check_type("n", 3, "int | None")
    >>> check_type("n", "3", "int | None")
    Traceback (most recent call last):
    penjing.errors.WrongTypeError: n must be an integer or None, got '3'.
    """
    types = _simple_types(annotation)
    if types is None or any(_CHECKS[kind](value) for kind in types):
        return
    main_type = next((kind for kind in ("bool", "str", "int", "float") if kind in types), "str")
    key = _MESSAGE_KEYS[main_type]
    raise WrongTypeError(f"{key}_or_none" if "None" in types else key, name=name, value=value)


@lru_cache(maxsize=256)
def _simple_types(annotation: str) -> tuple[str, ...] | None:
    """Return the simple types of an annotation; None if one of its types is not simple."""
    parts = [part.strip() for part in annotation.split("|")]
    types = ["str" if part.startswith(_WORD_ANNOTATIONS) else part for part in parts]
    return tuple(types) if all(part in _CHECKS for part in types) else None


_CHECKS: dict[str, Callable[[object], bool]] = {
    "None": lambda value: value is None,
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "int": is_whole,
    "float": is_number,
}
_NUMERIC = {"int", "float"}
_MESSAGE_KEYS = {"str": "not_text", "bool": "not_switch", "int": "not_whole", "float": "not_number"}
