"""Prints which recipe was chosen for a table, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.cli.console import Console


def print_recipe_choice(console: Console, record: Mapping[str, Any] | None) -> None:
    """Print the choice of the recipe ``auto``; nothing if a recipe was named."""
    from penjing.text.phrases import join_names  # noqa: PLC0415 - heavy

    if record is None:
        return
    reason = console.message(record["reason"])
    if settings := record.get("settings"):
        reason = console.message("auto_settings", settings=join_names(settings, console.lang))
    console.print_note("note_auto", recipe=record["recipe"], reason=reason)
