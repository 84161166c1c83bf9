"""Pickles of older releases: dataclasses with slots whose later fields a pickle does not have."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any


def restore_fields(record: Any, state: list[Any]) -> None:  # noqa: ANN401 - any dataclass
    """Set the fields of a pickled dataclass; those that the pickle lacks get their defaults.

    Fields are pickled in their order, so that new ones are added at the end.
    """
    every = fields(record)
    for each, value in zip(every, state, strict=False):
        object.__setattr__(record, each.name, value)
    for each in every[len(state) :]:
        made = each.default if each.default_factory is MISSING else each.default_factory()
        object.__setattr__(record, each.name, made)
