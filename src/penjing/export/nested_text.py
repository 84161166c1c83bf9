"""The nested dict as text: a Python literal, written without recursion."""

from __future__ import annotations

from typing import Any


def nested_dict_text(value: Any) -> str:  # noqa: ANN401 - a nested dict, or a class alone
    """Return the text of a nested dict, however deep it is.

    Examples
    --------
    >>> nested_dict_text({"legs": {0: "fish", (1, 2): {"barks": {True: "dog"}}}})
    "{'legs': {0: 'fish', (1, 2): {'barks': {True: 'dog'}}}}"
    """
    parts: list[str] = []
    stack: list[tuple[bool, Any]] = [
        (False, value)
    ]  # whether it is a finished text, and the text or value
    while stack:
        is_text, part = stack.pop()
        if is_text:
            parts.append(part)
        elif isinstance(part, dict):
            stack.append((True, "}"))
            for i, (key, child) in reversed(list(enumerate(part.items()))):
                stack.append((False, child))
                stack.append((True, f"{', ' if i else ''}{key!r}: "))
            stack.append((True, "{"))
        else:
            parts.append(repr(part))
    return "".join(parts)
