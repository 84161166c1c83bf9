"""Names in right-to-left scripts do not move the figures beside them."""

from __future__ import annotations

import unicodedata

_START, _END = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate: a text between them has its own direction."""
ISOLATES = frozenset({_START, _END})
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def isolated(name: str) -> str:
    """Return a name that other text follows, marked as a unit if it is written from the right.

    Without the marks, ``(3)`` after a Hebrew name is drawn at its left, or within it.

    Examples
    --------
    >>> isolated("oak"), [f"{ord(c):04x}" for c in isolated(chr(0x5D0) + "2")]
    ('oak', ['2068', '05d0', '0032', '2069'])
    """
    if name.isascii() or not any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in name):
        return name
    return f"{_START}{''.join(c for c in name if c not in ISOLATES)}{_END}"
