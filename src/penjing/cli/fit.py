"""Commands that make trees: fit and prune."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import command
from penjing.cli.console import Console
from penjing.cli.large_tables import LargeTableLoader
from penjing.cli.option_groups import (
    RecipeSettings,
    with_program_options,
    with_pruning,
    with_pruning_methods,
    with_reading_options,
    with_recipe_options,
)
from penjing.cli.parameters import (
    GROWING,
    INPUT,
    OUTPUT,
    PROGRAM_OPTIONS,
    PRUNING,
    RECIPE_OPTIONS,
    Data,
    Model,
    ModelOutput,
    RecipeName,
    Test,
    Train,
    option,
)
from penjing.cli.progress_bar import progress_bar
from penjing.cli.prune_options import Pruning, measure, print_pruning
from penjing.cli.recipe_choice import print_recipe_choice
from penjing.cli.show import drawing_style, print_size
from penjing.errors import ChoiceError, PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table
    from penjing.explain.one_leaf import OneLeaf
    from penjing.training.auto_recipe import RecipeChoice


_ROWS_FOR_SECOND_TREE = 10_000
"""With more rows, growing a second tree for a remark takes too long."""


def add_to(app: typer.Typer) -> None:
    """Register these commands."""
    for function in (fit, prune):
        app.command(function.__name__)(function)


@command
@with_program_options
@with_recipe_options
@with_pruning
@with_reading_options
def fit(
    console: Console,
    *,
    program_options: dict[str, Any],
    reading: sources.ReadingOptions,
    data: Data,
    recipe: RecipeName = "auto",
    settings: RecipeSettings,
    output: ModelOutput = None,
    pruning: Pruning,
    engine: Annotated[str, option("engine", panel=GROWING, metavar="NAME")] = "auto",
    memory_limit: Annotated[
        str | None, option("memory_limit", panel=INPUT, metavar="SIZE", default="default_half")
    ] = None,
    work: Annotated[str | None, option("work", panel=GROWING, metavar="FOLDER")] = None,
    query: Annotated[str | None, option("query", panel=INPUT, metavar="SQL")] = None,
    root: Annotated[str | None, option("root", panel=GROWING, metavar="COLUMN")] = None,
    force: Annotated[list[str] | None, option("force", panel=GROWING, metavar="TEXT")] = None,
    forbid: Annotated[list[str] | None, option("forbid", panel=GROWING, metavar="COLUMN")] = None,
    trace: Annotated[
        bool | None, option("trace", "--trace/--no-trace", panel=OUTPUT, default="default_small")
    ] = None,
    sketch: Annotated[bool, option("sketch", "--sketch/--no-sketch", panel=OUTPUT)] = True,
) -> None:
    """Grow a tree from a table."""
    from penjing.explain.one_leaf import GivenOptions, one_leaf  # noqa: PLC0415 - heavy
    from penjing.training.auto_recipe import choose_recipe  # noqa: PLC0415

    changed = {**settings.named, **program_options, **settings.words}
    steering = _steering(root, force, forbid)
    if _is_remote(data, engine):
        remote_settings = {"query": query, "engine": engine, "recipe": recipe, "trace": bool(trace)}
        tree = _with_source_path(
            _fit_remote(console, data, reading, pruning, remote_settings | changed | steering),
            data,
            None,
        )
        _print_tree(
            console,
            tree,
            tree,
            (None, None, output),
            why_one_leaf=lambda: _sentence(console, settings, one_leaf(tree, None)),
        )
        return
    loader = LargeTableLoader(engine, memory_limit, work, query)
    with loader.open_table(console, data, reading, recipe, pruning.method) as table:
        console.print_notes(table.notes)
        train, validation = pruning.divide(console, table, reading)

        def choose(
            given: Pruning,
            without: tuple[str, ...] = (),
            **changes: Any,  # noqa: ANN401 - settings
        ) -> tuple[RecipeChoice, Pruning]:
            kept = {name: value for name, value in changed.items() if name not in without}
            choice = choose_recipe(
                changes.pop("recipe", recipe),
                train,
                {**kept, **changes},
                given.method,
                lambda chosen: loader.refuse_recipe(chosen, given.method),
                is_validated=given.is_validated,
            )
            options = {**given.options, **choice.pruning_options}
            return choice, replace(given, method=choice.prune, options=options)

        def regrow(*, is_unpruned: bool = False, **changes: Any) -> Tree:  # noqa: ANN401 - settings, or another recipe
            given, rows, held_out = pruning, train, validation
            if is_unpruned:
                given, rows, held_out = pruning.omitted(), table, None
            other, other_pruning = choose(given, **changes)
            arguments = {"recipe": other.recipe, "engine": loader.engine, **steering}
            return other_pruning.grow(console, rows, held_out, arguments)[0]

        given_options = GivenOptions(
            pruning.given_options(), _typed_names(settings, program_options)
        )
        choice, chosen_pruning = choose(pruning)
        arguments = {
            "recipe": choice.recipe,
            "engine": loader.engine,
            "memory_limit": memory_limit,
            "trace": "auto" if trace is None else trace,
            "sketch": sketch,
            **steering,
        }
        trees = chosen_pruning.grow(console, train, validation, arguments)
        tree, unpruned = (
            loader.record_engine_choice(_with_source_path(fitted, data, reading.weight))
            for fitted in trees
        )
        tree = choice.record_in(tree)
        if trace is None and unpruned.kept_trace is None and unpruned.n_leaves > 1:
            console.print_note("note_no_trace_disk" if loader.is_on_disk else "note_no_trace")
        is_plain = (
            chosen_pruning.method is None and validation is None and not (changed or steering)
        )
        _print_tree(
            console,
            tree,
            unpruned,
            (chosen_pruning.method, validation, output),
            related=train if is_plain else None,
            why_one_leaf=lambda: _sentence(
                console, settings, one_leaf(tree, train, regrow, given_options)
            ),
        )


def _sentence(console: Console, settings: RecipeSettings, reason: OneLeaf | None) -> str:
    """Return why the tree is a single leaf, with the options that grow more; empty if it is not."""
    if reason is None:
        return ""
    names = {"recipe", *RECIPE_OPTIONS, *PROGRAM_OPTIONS} - settings.words.keys()
    return reason.text(console.lang, {name: _option_name(name) for name in names})


def _option_name(setting: str) -> str:
    """Return the option of a setting.

    Examples
    --------
    >>> _option_name("m"), _option_name("min_gain"), _option_name("monotonic_cst")
    ('-m', '--min-gain', '--monotonic')
    """
    name = setting.removesuffix("_cst").replace("_", "-")
    return f"-{name}" if len(name) == 1 else f"--{name}"


def _typed_names(settings: RecipeSettings, program_options: Iterable[str]) -> dict[str, str]:
    """Return the settings that were given, and how they are typed.

    Examples
    --------
    >>> _typed_names(RecipeSettings({"max_depth": 2}, {"gap": 0}), ["m", "cp"])
    {'max_depth': '--max-depth', 'm': '-m', 'cp': '--cp', 'gap': '--set gap'}
    """
    typed = {name: _option_name(name) for name in (*settings.named, *program_options)}
    return typed | {name: f"--set {name}" for name in settings.words}


def _steering(
    root: str | None, force: list[str] | None, forbid: list[str] | None
) -> dict[str, Any]:
    """Return the arguments of `penjing.fit` that force splits and forbid columns."""
    if root is not None and not root.strip():
        raise ChoiceError("force_bad_split", value=root)  # "=>" alone would force a leaf
    texts = [] if root is None else [f"=> {root}"]
    texts += force or []
    given = {"force_splits": texts or None, "forbid": forbid or None}
    return {name: value for name, value in given.items() if value is not None}


def _print_tree(
    console: Console,
    tree: Tree,
    unpruned: Tree,
    options: tuple[str | None, Table | None, str | None],
    *,
    why_one_leaf: Callable[[], str],
    related: Table | None = None,
) -> None:
    """Save the model, and print the tree with its size, remarks and pruning.

    A related recipe is tried on the rows ``related``, if there are any.
    """
    from penjing.text.constraint_sentences import constraint_sentences  # noqa: PLC0415 - heavy

    method, validation, output = options
    print_recipe_choice(console, tree.about.get("auto"))
    sources.save_model(console, tree, output)
    if output == sources.STANDARD_STREAM:  # stdout holds the model
        return
    if console.as_json:
        console.print_json(tree.to_json())
        return
    console.print(tree.draw(**drawing_style(console)))
    print_size(console, tree)
    for sentence in constraint_sentences(tree, console.lang):
        console.print(sentence)
    _print_remarks(console, unpruned, related)
    if method is not None or validation is not None:
        print_pruning(console, unpruned, tree, validation)
    if reason := why_one_leaf():
        console.print_note_text(reason)


def _with_source_path(tree: Tree, path: str, weight: str | None) -> Tree:
    """Return the tree with the path of its training file, and its column of weights."""
    source = dict(tree.about.get("source", {}))
    if weight is not None:
        source["weight"] = weight
    if path != sources.STANDARD_STREAM:
        source["path"] = path
    return replace(tree, about={**tree.about, "source": source})


def _print_remarks(console: Console, tree: Tree, train: Table | None) -> None:
    """Print remarks: gain against gain ratio at the root, and the tree of a related recipe."""
    from penjing.explain.node import explain  # noqa: PLC0415 - heavy
    from penjing.render import summary  # noqa: PLC0415

    n_rows = int(tree.about.get("n_rows", 0))
    if tree.recipe.get("missing") == "fraction" and tree.n_leaves > n_rows > 0:
        console.print_note("note_fractional_leaves", leaves=tree.n_leaves, n=n_rows)
    steps = tree.kept_trace["steps"] if tree.kept_trace is not None else []
    if tree.kept_trace is not None and not tree.kept_trace["is_whole"]:
        console.print_note("trace_large")
    has_root_step = any(step["node"] == 0 for step in steps)  # a raised branch has none
    gain_remark = summary.gain_ratio_note(explain(tree), console.lang) if has_root_step else ""
    lines = [gain_remark, "" if train is None else _namesake_remark(console, tree, train)]
    if text := ("\n" + " " * 6).join(line for line in lines if line):
        console.print(console.message("word_note") + text)


def _is_remote(data: str, engine: str) -> bool:
    """Return whether an engine of a database computes the counts."""
    from penjing.training.remote import engine_for  # noqa: PLC0415 - heavy

    return engine_for(data, engine) is not None


def _fit_remote(
    console: Console,
    data: str,
    reading: sources.ReadingOptions,
    pruning: Pruning,
    settings: dict[str, Any],
) -> Tree:
    """Return the tree of a table or query of a database."""
    from penjing.api.fit import fit as fit_tree  # noqa: PLC0415 - heavy
    from penjing.data.notes import collect_notes  # noqa: PLC0415 - heavy
    from penjing.training import remote  # noqa: PLC0415 - heavy

    engine = remote.engine_for(data, settings["engine"]) or ""
    validation = pruning.validate if pruning.validate is not None else pruning.share
    arguments = {
        "validation": validation,
        "prune": pruning.method,
        "weight": reading.weight,
        "quiet": True,  # the command prints notes itself
        **settings,
    }
    if remote.needs_reading(data, engine, settings["query"], settings.get("table")):
        table = reading.read_table(console, data)
        console.print_notes(table.notes)
        with progress_bar(console) as report_progress:
            return fit_tree(table, progress=report_progress, **arguments)
    unsupported = {
        "--missing-marker": reading.markers,
        "--encoding": reading.encoding,
        "--separator": reading.separator,
        "--names": reading.names,
        "--keep": reading.keep,
        "--dates": reading.dates,
        "--decimal": reading.decimal,
        "--fold-case": reading.fold_case or None,
        "--sheet": reading.sheet,
    }
    remote.refuse_local_settings(engine, **{k: v or None for k, v in unsupported.items()})
    with collect_notes() as notes, progress_bar(console) as report_progress:
        tree = fit_tree(
            data,
            reading.target,
            schema=reading.column_schema(),
            progress=report_progress,
            **arguments,
        )
    console.print_notes(notes)
    if reading.target is None:  # it was inferred from the column names
        console.print_note("note_target_named", column=tree.target.name)
    return tree


def _namesake_remark(console: Console, tree: Tree, train: Table) -> str:
    """Return the message about the tree of the recipe of the same name; empty if it is equal."""
    from penjing.api.fit import fit as fit_tree  # noqa: PLC0415 - heavy
    from penjing.evaluate.compare import differences  # noqa: PLC0415 - heavy
    from penjing.render import summary  # noqa: PLC0415
    from penjing.tree.dialect import dialect_of  # noqa: PLC0415

    name = dialect_of(tree).namesakes.get(str(tree.recipe.get("name")))
    if name is None or tree.is_regression or train.n_rows > _ROWS_FOR_SECOND_TREE:
        return ""
    try:
        other = fit_tree(train, recipe=name, quiet=True)
    except PenjingError:
        return ""
    correct = summary.correct_counts(other.about.get("training"))
    if next(differences(tree, other), None) is None or correct is None:
        return ""
    values = {"recipe": name, "leaves": console.message("leaves", n=other.n_leaves)}
    values |= {"right": correct[0], "of": correct[1]}
    root, other_root = (_root_column(t) for t in (tree, other))
    if root is None or other_root is None or root == other_root or not tree.schema[root].is_numeric:
        return console.message("sibling", **values)
    from penjing.text.labels import quoted  # noqa: PLC0415 - heavy

    return console.message(
        "sibling_penalty", column=quoted(other.schema[other_root].name), **values
    )


def _root_column(tree: Tree) -> int | None:
    return None if tree.is_leaf[0] else int(tree.nodes.column[0])


@command
@with_pruning_methods
@with_reading_options
def prune(
    console: Console,
    *,
    reading: sources.ReadingOptions,
    model: Model,
    method: Annotated[
        str, option("prune_method", "--method", "-m", panel=PRUNING, metavar="METHOD")
    ] = "reduced-error",
    output: ModelOutput = None,
    pruning: Pruning,
    test: Test = None,
    train: Train = None,
    same_file: Annotated[bool, option("same_file", "--same-file", panel=PRUNING)] = False,
) -> None:
    """Prune a tree and report every decision."""
    if sources.are_same_file(pruning.validate, test):
        if not same_file:
            raise ChoiceError("same_file")
        console.print_note("note_same_file")
    tree = sources.load_model(model)
    rows = sources.find_training_rows(console, tree, model, train, reading)
    pruning = replace(pruning, method=method)
    tree, validation = pruning.regrow(console, tree, rows, reading)
    pruned_tree = pruning.prune(tree, validation, rows)
    test_rows = None if test is None else reading.read_rows_for(console, tree, test)
    figures = measure(console, tree, pruned_tree, rows, test_rows)
    sources.save_model(console, pruned_tree, output)
    print_pruning(
        console, tree, pruned_tree, validation, figures, to_stdout=output != sources.STANDARD_STREAM
    )
