"""Keyword options of methods whose choices depend on a kind: listed, and open to plug-ins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from penjing.errors import WrongTypeError

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
            kwargs["other_options"] = _options_of_plugin(kwargs.get("other_options")) | others
        return method(*args, **kwargs)

    return call


def given_options(
    parameters: Mapping[str, object], *others: str, is_none_given: bool = False
) -> dict[str, object]:
    """Return the options among the parameters of a method, and those of a plug-in.

    Parameters
    ----------
    parameters : mapping
        The values by name: the ``locals()`` of the method, before it has other variables.
    *others : str
        Parameters that are not options.
    is_none_given : bool
        Whether None is a value; otherwise it means that the option is required.
    """
    no_options = {"self", "other_options", *others}
    given = {
        name: value
        for name, value in parameters.items()
        if name not in no_options and (is_none_given or value is not None)
    }
    return given | _options_of_plugin(parameters["other_options"])


def _options_of_plugin(other_options: object) -> dict[str, object]:
    if other_options is None:
        return {}
    if not isinstance(other_options, Mapping):
        raise WrongTypeError("not_mapping", name="other_options", value=other_options)
    return {str(name): value for name, value in other_options.items()}
