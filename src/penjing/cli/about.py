"""Commands about penjing itself: examples, recipes, plugins, completion."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.parameters import Shell, argument
from penjing.i18n import Names


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for function in (examples, recipes, plugins, completion):
        app.command(function.__name__)(function)
    app.command("plugs", hidden=True)(plugs)


@command
def examples(console: Console) -> None:
    """Print the built-in tables: name, rows, columns, target and description."""
    from penjing.data.examples import EXAMPLES, example  # noqa: PLC0415 - heavy
    from penjing.formatting.text_table import align_left, align_right, max_width  # noqa: PLC0415 - heavy
    from penjing.i18n import help_catalogue  # noqa: PLC0415

    texts = help_catalogue(console.lang)
    listed: list[dict[str, Any]] = []
    for name, (_, target) in EXAMPLES.items():
        table = example(name)
        listed.append(
            {
                "name": name,
                "rows": table.n_rows,
                "columns": len(table.columns),
                "target": target,
                "description": texts[f"example_{name}"],
            }
        )
    if console.as_json:
        console.print_json(listed)
        return
    head = {key: texts[f"examples_{key}"] for key in listed[0]}
    widths = {key: max_width([str(row[key]) for row in (head, *listed)]) for key in head}
    for row in (head, *listed):
        cells = [
            (align_right if key in ("rows", "columns") else align_left)(str(row[key]), widths[key])
            for key in head
        ]
        console.print("  ".join(cells).rstrip())


@command
def recipes(
    console: Console,
    *,
    name: Annotated[str | None, argument("recipe_name", "RECIPE")] = None,
) -> None:
    """Print the recipes with their settings, or one recipe with the meaning of its settings."""
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
    """Print the names of all built-in components and plug-ins, by kind."""
    _list_plugins(console)


@command
def plugs(console: Console) -> None:
    """Print what `penjing plugins` prints; the name of 0.1.0."""
    console.print_note("note_command_renamed", old="plugs", new="plugins")
    _list_plugins(console)


def _list_plugins(console: Console) -> None:
    from penjing.registry import BUILT_IN, plugins  # noqa: PLC0415 - heavy

    registered = {kind: plugins(kind) for kind in BUILT_IN}
    if console.as_json:
        console.print_json(registered)
        return
    for kind, names in registered.items():
        title = console.message(f"plugins_{kind}")
        console.print(console.message("plugins_line", kind=title, names=Names(names)))


@command
def completion(
    console: Console,  # noqa: ARG001 - every command has one
    *,
    shell: Annotated[Shell, argument("shell", "SHELL")],
) -> None:
    """Print a script for shell completion."""
    from penjing.cli.app import build_app  # noqa: PLC0415 - app imports this module

    os.environ["_PENJING_COMPLETE"] = f"source_{shell}"
    try:
        build_app(with_completion=True)(args=[], prog_name="penjing", standalone_mode=False)
    except SystemExit:
        pass
    finally:
        del os.environ["_PENJING_COMPLETE"]
