"""The nested dict as text: a Python literal, written without recursion."""

from __future__ import annotations

from typing import Any


def literal(value: Any) -> str:  # noqa: ANN401 - a nested dict, or a class alone
    """Return the text of a nested dict, however deep it is.

    Examples
    --------
    >>> literal({"legs": {0: "fish", (1, 2): {"barks": {True: "dog"}}}})
    "{'legs': {0: 'fish', (1, 2): {'barks': {True: 'dog'}}}}"
    """
    parts: list[str] = []
    waiting: list[tuple[bool, Any]] = [(False, value)]  # a text as it is, or a value
    while waiting:
        is_text, part = waiting.pop()
        if is_text:
            parts.append(part)
        elif isinstance(part, dict):
            waiting.append((True, "}"))
            for i, (key, below) in reversed(list(enumerate(part.items()))):
                waiting.append((False, below))
                waiting.append((True, f"{', ' if i else ''}{key!r}: "))
            waiting.append((True, "{"))
        else:
            parts.append(repr(part))
    return "".join(parts)
