"""What people pass to a function, checked before it is used: a check and a sentence for each kind.

Checks look at types first, so that nothing of a stranger's object runs (comparing an array that
holds itself ends the process), and they are cheap enough for every call.
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
"""The largest whole number that depths and sizes may have."""

MAX_REPETITIONS = 1_000_000
"""The largest number of repetitions: of more, nobody would see the end."""

_FINITE = sys.float_info.max
_NUMBERS = (int, float, np.integer, np.floating)
_WORD_ANNOTATIONS = ("Literal[", "By", "Ties", "Empty", "Shape", "Missing", "Unseen")
"""How annotations begin that stand for one of a few words."""


def is_number(value: object) -> bool:
    """Say whether a value is a number that 64 bits can hold; True and False are none.

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
    """Say whether a value is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def bad_value_error(
    key: str,
    name: str,
    value: object,
    kinds: Any,  # noqa: ANN401 - a type, or types
    **values: object,
) -> ChoiceError:
    """Make the error for a value that cannot be used; a TypeError too if it is of no such kind."""
    is_kind = isinstance(value, kinds) and not isinstance(value, bool)
    return (ChoiceError if is_kind else WrongTypeError)(key, name=name, value=value, **values)


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number that is large enough, or say what it must be.

    Examples
    --------
    >>> whole_number("n", 3, 1)
    3
    """
    try:
        found = -math.inf if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        found = -math.inf
    if found < least:
        raise bad_value_error("bad_whole", name, value, _NUMBERS, least=least)
    if most is not None and found > most:
        raise bad_value_error("bad_whole_between", name, value, _NUMBERS, least=least, most=most)
    return int(found)


def optional_whole_number(
    name: str, value: object, least: int, most: int | None = None
) -> int | None:
    """Return a whole number as above, or None."""
    if value is None:
        return None
    try:
        return whole_number(name, value, least, most)
    except ChoiceError as error:
        if error.key != "bad_whole":
            raise
        raise bad_value_error("bad_whole_number", name, value, _NUMBERS, least=least) from None


def number(name: str, value: object, *, infinite: bool = False) -> float:
    """Return a number of at least 0, finite unless it may be otherwise, or say what it must be."""
    if not is_number(value) or not 0 <= value <= (math.inf if infinite else _FINITE):  # type: ignore[operator]
        raise bad_value_error("bad_number", name, value, _NUMBERS)
    return float(value)  # type: ignore[arg-type]


def confidence(value: object) -> float:
    """Return the confidence of a pruning, or say between what it must lie."""
    if not is_number(value) or not 0 < value < 1:  # type: ignore[operator]
        raise bad_value_error("bad_confidence", "confidence", value, _NUMBERS)
    return float(value)  # type: ignore[arg-type]


def text(name: str, value: object) -> str:
    """Return a text, or say that it must be one."""
    if not isinstance(value, str):
        raise WrongTypeError("not_text", name=name, value=value)
    return value


def optional_text(name: str, value: object) -> str | None:
    """Return a text or None, or say that it must be one of them."""
    if value is not None and not isinstance(value, str):
        raise WrongTypeError("not_text_or_none", name=name, value=value)
    return value


def as_list(value: object) -> list[Any] | None:
    """Return things one by one; None where they do not stand in a line.

    A text would yield its letters, a dict its keys, a frame its names, an array of two axes rows.
    """
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        return None
    return list(value) if len(getattr(value, "shape", (0,))) == 1 else None


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return several texts; one alone stands for itself."""
    if type(value) is tuple and not value:  # the usual default, told without looking further
        return ()
    found = [value] if isinstance(value, str) else as_list(value)
    if found is None or not all(isinstance(part, str) for part in found):
        raise WrongTypeError("not_texts", name=name, value=value)
    return tuple(found)


def boolean(name: str, value: object) -> bool:
    """Return True or False, or say that it must be one of them."""
    if not isinstance(value, bool | np.bool_):
        raise WrongTypeError("not_switch", name=name, value=value)
    return bool(value)


def one_of(name: str, value: Any, allowed: Collection[str]) -> Any:  # noqa: ANN401 - a Literal, often
    """Return one of a few words, or say which they are."""
    if not isinstance(value, str) or value not in allowed:
        raise unknown_name_error("unknown_plug", value, allowed, socket=name)
    return value


def check_function(name: str, value: object) -> None:
    """Refuse what is neither a function nor None."""
    if value is not None and not callable(value):
        raise WrongTypeError("not_function", name=name, value=value)


def path(name: str, value: object) -> str:
    """Return the path of a file or folder as text, or say that it must be one."""
    try:
        found = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    except Exception:  # noqa: BLE001 - whatever a stranger's path raises
        found = None
    if not isinstance(found, str):
        raise WrongTypeError("not_path", name=name, value=value)
    if not found or "\0" in found:
        raise ChoiceError("not_path", name=name, value=value)
    return found


def check_instance(name: str, value: object, kind: type, key: str) -> None:
    """Refuse what is not of a kind, by a sentence that says where one comes from."""
    if not isinstance(value, kind):
        raise WrongTypeError(key, name=name, value=value)


# -- what a signature says --------------------------------------------------------------------


def check_options(
    of: Callable[..., Any], given: Mapping[str, Any], key: str, **about: object
) -> None:
    """Refuse options that a function does not have, and values of another type than it says.

    Parameters
    ----------
    of : function
        Its keyword-only parameters are the options.
    given : dict
        What was passed.
    key : str
        The sentence about a word that is no option.
    **about
        What that sentence mentions besides.
    """
    known = known_options(of)
    for name, value in given.items():
        if name not in known:
            raise unknown_name_error(key, name, known, **about)
        if _NUMERIC.isdisjoint(
            _simple_types(known[name]) or ()
        ):  # of numbers the function says more
            check_type(name, value, known[name])


@lru_cache(maxsize=128)
def known_options(of: Callable[..., Any]) -> dict[str, str]:
    """Return the keyword-only parameters of a function, each with its annotation."""
    told = inspect.signature(of).parameters.values()
    return {p.name: str(p.annotation) for p in told if p.kind is p.KEYWORD_ONLY}


def check_type(name: str, value: object, annotation: str) -> None:
    """Refuse a value of another type than an annotation says, where that is a simple one.

    Examples
    --------
    >>> check_type("n", 3, "int | None")
    >>> check_type("n", "3", "int | None")
    Traceback (most recent call last):
    penjing.errors.WrongTypeError: n='3' cannot be used: it must be a whole number, or None.
    """
    kinds = _simple_types(annotation)
    if kinds is None or any(_CHECKS[kind](value) for kind in kinds):
        return
    plain = next((kind for kind in ("bool", "str", "int", "float") if kind in kinds), "str")
    key = _MESSAGE_KEYS[plain]
    raise WrongTypeError(f"{key}_or_none" if "None" in kinds else key, name=name, value=value)


@lru_cache(maxsize=256)
def _simple_types(annotation: str) -> tuple[str, ...] | None:
    """Return the simple types that an annotation names; None if one of them is not simple."""
    parts = [part.strip() for part in annotation.split("|")]
    found = ["str" if part.startswith(_WORD_ANNOTATIONS) else part for part in parts]
    return tuple(found) if all(part in _CHECKS for part in found) else None


_CHECKS: dict[str, Callable[[object], bool]] = {
    "None": lambda value: value is None,
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "int": is_whole,
    "float": is_number,
}
_NUMERIC = {"int", "float"}
_MESSAGE_KEYS = {"str": "not_text", "bool": "not_switch", "int": "not_whole", "float": "not_number"}
