"""Verbs that tell about penjing itself: recipes, plugs, completion."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from penjing.cli.options import Shell
from penjing.cli.say import Voice
from penjing.cli.verb import verb


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (recipes, plugs, completion):
        app.command(command.__name__)(command)


@verb
def recipes(
    voice: Voice,
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="RECIPE", help="Only this one, settings explained.")
    ] = None,
) -> None:
    """List the recipes and all their settings, side by side; or one with what they mean."""
    from penjing.recipe import RECIPES, recipe_of  # noqa: PLC0415 - heavy
    from penjing.write.recipes import sheet, table  # noqa: PLC0415

    if name is not None:
        recipe = recipe_of(name)
        told = recipe.table()
        if voice.as_json:
            voice.data({name: recipe.settings()})
            return
        options = {setting: recipe.options.named(setting) for setting in told}
        voice.out(sheet(name, told, options, voice.lang))
        return
    if voice.as_json:
        voice.data({each: recipe.settings() for each, recipe in RECIPES.items()})
        return
    found = {each: recipe.table() for each, recipe in RECIPES.items() if each == recipe.name}
    voice.out(table(found, voice.lang, voice.width))


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
