"""Keyword options of methods whose choices depend on a kind: listed, and open to plug-ins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from penjing import arguments

P = ParamSpec("P")
R = TypeVar("R")


def accepts_other_options(method: Callable[P, R]) -> Callable[P, R]:
    """Pass keywords that a method does not list on to it, as its ``other_options``.

    The signature stays the one that is written down, so that editors and type checkers know each
    option. A plug-in may have options of its own, and a misspelt one gets the sentence that
    names the option it resembles.
    """
    listed = frozenset(inspect.signature(method).parameters)

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not listed.issuperset(kwargs):
            others = {name: kwargs.pop(name) for name in list(kwargs) if name not in listed}
            # All of them, also those that are None: the kind decides whether it has such an option.
            given = given_options({}, kwargs.get("other_options"))  # type: ignore[arg-type]
            kwargs["other_options"] = given | others
        return method(*args, **kwargs)

    return call


def given_options(
    listed: Mapping[str, object], other_options: Mapping[str, object] | None
) -> dict[str, object]:
    """Return the options that were given: all that are not None, and those of a plug-in."""
    given = {name: value for name, value in listed.items() if value is not None}
    if other_options is None:
        return given
    arguments.check_instance("other_options", other_options, Mapping, "not_mapping")
    return given | {str(name): value for name, value in other_options.items()}
