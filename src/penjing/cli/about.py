"""Verbs that tell about penjing itself: recipes, plugins, completion."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.parameters import Shell


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (recipes, plugins, completion):
        app.command(command.__name__)(command)
    app.command("plugs", hidden=True)(plugs)


@verb
def recipes(
    voice: Voice,
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="RECIPE", help="Only this one, settings explained.")
    ] = None,
) -> None:
    """List the recipes and all their settings, side by side; or one with what they mean."""
    from penjing.dialects.recipes import RECIPES, recipe_of  # noqa: PLC0415 - heavy
    from penjing.render.recipe_table import recipes_table, settings_sheet  # noqa: PLC0415

    if name is not None:
        recipe = recipe_of(name)
        told = recipe.table()
        if voice.as_json:
            voice.data({name: recipe.settings()})
            return
        options = {setting: recipe.options.named(setting) for setting in told}
        voice.out(settings_sheet(name, told, options, voice.lang))
        return
    if voice.as_json:
        voice.data({each: recipe.settings() for each, recipe in RECIPES.items()})
        return
    found = {each: recipe.table() for each, recipe in RECIPES.items() if each == recipe.name}
    voice.out(recipes_table(found, voice.lang, voice.width))


@verb
def plugins(voice: Voice) -> None:
    """List criteria, dialects, pruners, engines, renderers and exports, plug-ins included."""
    _list_plugins(voice)


@verb
def plugs(voice: Voice) -> None:
    """List what `penjing plugins` lists; the name of 0.1.0."""
    voice.note("note_command_renamed", old="plugs", new="plugins")
    _list_plugins(voice)


def _list_plugins(voice: Voice) -> None:
    from penjing.registry import BUILT_IN, plugins  # noqa: PLC0415 - heavy

    registered = {kind: plugins(kind) for kind in BUILT_IN}
    if voice.as_json:
        voice.data(registered)
        return
    for kind, names in registered.items():
        voice.out(f"{voice.say(f'plugins_{kind}')}: {', '.join(names)}")


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
