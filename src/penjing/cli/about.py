"""Commands about penjing itself: recipes, plugins, completion."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.parameters import Shell


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for function in (recipes, plugins, completion):
        app.command(function.__name__)(function)
    app.command("plugs", hidden=True)(plugs)


@command
def recipes(
    console: Console,
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
        settings = recipe.table()
        if console.as_json:
            console.print_json({name: recipe.settings()})
            return
        options = {setting: recipe.options.named(setting) for setting in settings}
        console.print(settings_sheet(name, settings, options, console.lang))
        return
    if console.as_json:
        console.print_json(
            {recipe_name: recipe.settings() for recipe_name, recipe in RECIPES.items()}
        )
        return
    settings_by_recipe = {
        recipe_name: recipe.table()
        for recipe_name, recipe in RECIPES.items()
        if recipe_name == recipe.name
    }
    console.print(recipes_table(settings_by_recipe, console.lang, console.width))


@command
def plugins(console: Console) -> None:
    """List criteria, dialects, pruners, engines, renderers and exports, plug-ins included."""
    _list_plugins(console)


@command
def plugs(console: Console) -> None:
    """List what `penjing plugins` lists; the name of 0.1.0."""
    console.print_note("note_command_renamed", old="plugs", new="plugins")
    _list_plugins(console)


def _list_plugins(console: Console) -> None:
    from penjing.registry import BUILT_IN, plugins  # noqa: PLC0415 - heavy

    registered = {kind: plugins(kind) for kind in BUILT_IN}
    if console.as_json:
        console.print_json(registered)
        return
    for kind, names in registered.items():
        console.print(f"{console.message(f'plugins_{kind}')}: {', '.join(names)}")


@command
def completion(
    console: Console,  # noqa: ARG001 - every command has one
    *,
    shell: Annotated[Shell, typer.Argument(help="Which shell is to complete command lines.")],
) -> None:
    """Print what makes a shell complete command lines: `penjing completion bash >> ~/.bashrc`."""
    from penjing.cli.app import build_app  # noqa: PLC0415 - app imports this module

    os.environ["_PENJING_COMPLETE"] = f"source_{shell}"
    try:
        build_app(with_completion=True)(args=[], prog_name="penjing", standalone_mode=False)
    except SystemExit:
        pass
    finally:
        del os.environ["_PENJING_COMPLETE"]
