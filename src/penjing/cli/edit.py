"""The command that changes a tree at single nodes: edit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.option_groups import parse_settings, with_reading_options
from penjing.cli.parameters import GROWING, PRUNING, Model, ModelOutput, Train, option
from penjing.cli.show import drawing_style, print_size
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    app.command("edit")(edit)


@command
@with_reading_options
def edit(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    replace: Annotated[
        list[str] | None, option("edit_replace", "--replace", panel=GROWING, metavar="TEXT")
    ] = None,
    prune: Annotated[
        list[str] | None, option("edit_prune", "--prune", panel=GROWING, metavar="NODE")
    ] = None,
    regrow: Annotated[
        list[str] | None, option("edit_regrow", "--regrow", panel=GROWING, metavar="NODE")
    ] = None,
    setting: Annotated[
        list[str] | None, option("edit_setting", "--set", panel=GROWING, metavar="NAME=VALUE")
    ] = None,
    train: Train = None,
    validate: Annotated[
        str | None, option("edit_validate", "--validate", panel=PRUNING, metavar="FILE")
    ] = None,
    output: ModelOutput = None,
) -> None:
    """Change a tree at single nodes, and report what that costs."""
    if not (replace or prune or regrow):
        raise ChoiceError("edit_nothing")
    if setting and not regrow:
        raise ChoiceError("edit_set_without_regrow")
    trees = [sources.load_model(model)]
    rows = sources.find_training_rows(console, trees[0], model, train, reading)
    changes = _changes(replace, prune, regrow, parse_settings(setting))
    for _, _, change in changes:
        trees.append(change(trees[-1], rows))
    held_out = None
    if validate is not None:  # each of the trees may use other columns
        from penjing.training.pruning import validation_rows  # noqa: PLC0415 - heavy

        held_out = validation_rows(trees[0], reading.read_rows_for_all(console, trees, validate))
    acts = [(name, node) for name, node, _ in changes]
    _print_edited(console, trees, acts, rows, held_out, output)


Change = Callable[["Tree", "Table | None"], "Tree"]


def _changes(
    replace: list[str] | None,
    prune: list[str] | None,
    regrow: list[str] | None,
    settings: dict[str, Any],
) -> list[tuple[str, str, Change]]:
    """Return the changes in the order in which they are made: name, text, and function."""
    changes: list[tuple[str, str, Change]] = []
    changes += [("replace", text, _replacing(text)) for text in replace or ()]
    changes += [("prune", text, _pruning(text)) for text in prune or ()]
    changes += [("regrow", text, _regrowing(text, settings)) for text in regrow or ()]
    return changes


def _replacing(text: str) -> Change:
    def change(tree: Tree, rows: Table | None) -> Tree:
        from penjing.api.edited_tree import replaced_by_text  # noqa: PLC0415 - heavy

        return replaced_by_text(tree, text, data=rows)

    return change


def _pruning(node: str) -> Change:
    return lambda tree, rows: tree.prune_at(node, data=rows)


def _regrowing(node: str, settings: dict[str, Any]) -> Change:
    return lambda tree, rows: tree.regrow_at(node, data=rows, **settings)


def _print_edited(  # noqa: PLR0917 - what is printed
    console: Console,
    trees: list[Tree],
    acts: list[tuple[str, str]],
    rows: Table | None,
    held_out: Table | None,
    output: str | None,
) -> None:
    """Save the model, and print the tree with what each change and all of them cost."""
    from penjing.evaluate.edit_cost import edit_cost  # noqa: PLC0415 - heavy

    tree = trees[-1]
    costs = [edit_cost(before, after, rows, held_out) for before, after in pairwise(trees)]
    total = edit_cost(trees[0], tree, rows, held_out) if len(acts) > 1 else costs[0]
    sources.save_model(console, tree, output)
    if output == sources.STANDARD_STREAM:  # stdout holds the model
        return
    if console.as_json:
        plain = [
            {"act": name, "node": node, "cost": cost.to_dict()}
            for (name, node), cost in zip(acts, costs, strict=True)
        ]
        console.print_json({"acts": plain, "cost": total.to_dict(), "tree": tree.to_json()})
        return
    console.print(tree.draw(**drawing_style(console)))
    print_size(console, tree)
    style: dict[str, Any] = {"ascii_only": console.ascii_only}
    for (name, node), cost in zip(acts, costs, strict=True):
        text = cost.text(console.lang, **style)
        console.print(console.message(f"edit_done_{name}", node=node, cost=text))
    if len(acts) > 1:
        text = total.text(console.lang, **style)
        console.print(console.message("edit_together", cost=text))
