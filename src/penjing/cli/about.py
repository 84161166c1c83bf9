"""Verbs that tell about penjing itself: recipes, plugs, completion."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from penjing.cli.options import Shell
from penjing.cli.say import Voice
from penjing.cli.verb import verb


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (recipes, plugs, completion):
        app.command(command.__name__)(command)


@verb
def recipes(voice: Voice) -> None:
    """List the recipes and their settings."""
    from penjing.recipe import RECIPES  # noqa: PLC0415 - heavy
    from penjing.write.columns import left, widest  # noqa: PLC0415

    settings = {name: recipe.settings() for name, recipe in RECIPES.items()}
    if voice.as_json:
        voice.data(settings)
        return
    places = widest(settings)
    for name, chosen in settings.items():
        told = {k: v for k, v in chosen.items() if k not in ("name", "rules") and _says(v)}
        voice.out(f"{left(name, places)}   " + "  ".join(f"{k}={v}" for k, v in told.items()))


def _says(value: Any) -> bool:  # noqa: ANN401 - any setting
    return value is not None and value is not False and value != 0


@verb
def plugs(voice: Voice) -> None:
    """List what is plugged in: criteria, pruners, engines, writers."""
    from penjing.plugs import PLUGS, plugged  # noqa: PLC0415

    found = {socket: plugged(socket) for socket in PLUGS}
    if voice.as_json:
        voice.data(found)
        return
    for socket, names in found.items():
        voice.out(f"{voice.say(f'socket_{socket}')}: {', '.join(names)}")


@verb
def completion(
    voice: Voice,  # noqa: ARG001 - every verb has one
    *,
    shell: Annotated[Shell, typer.Argument(help="Which shell is to complete command lines.")],
) -> None:
    """Print what makes a shell complete command lines: `penjing completion bash >> ~/.bashrc`."""
    from penjing.cli.app import built  # noqa: PLC0415 - the app holds this verb

    os.environ["_PENJING_COMPLETE"] = f"source_{shell}"
    try:
        built(completes=True)(args=[], prog_name="penjing", standalone_mode=False)
    except SystemExit:
        pass
    finally:
        del os.environ["_PENJING_COMPLETE"]
