"""Verbs that make trees: fit and prune."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import sources
from penjing.cli.command import verb
from penjing.cli.console import Voice
from penjing.cli.large_tables import Large
from penjing.cli.parameters import (
    Alpha,
    By,
    Confidence,
    Cp,
    Criterion,
    Data,
    Folds,
    MaxDepth,
    MaxLeaves,
    Method,
    MethodSetting,
    MinBranch,
    MinGain,
    MinWeight,
    MissingPolicy,
    Model,
    OneSe,
    Output,
    Raise,
    RecipeName,
    Seed,
    Setting,
    ShapeName,
    Test,
    TiesRule,
    Train,
    UnseenPolicy,
    Validate,
    ValidateShare,
)
from penjing.cli.program_options import takes_own_options
from penjing.cli.progress_bar import growing
from penjing.cli.prune_options import Pruning, measured, tell
from penjing.cli.reading_options import takes_reading
from penjing.cli.show import size_of
from penjing.errors import ChoiceError, PenjingError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table


_RELATED_RECIPES = {"c4.5-textbook": "c4.5"}
"""Recipes that go by the same name in books and programs."""
_ROWS_FOR_SECOND_TREE = 10_000
"""With more rows a second tree takes too long for a remark."""


def add_to(app: typer.Typer) -> None:
    """Give the command these verbs."""
    for command in (fit, prune):
        app.command(command.__name__)(command)


@verb
@takes_own_options
@takes_reading
def fit(
    voice: Voice,
    *,
    own: dict[str, Any],
    reading: sources.Reading,
    data: Data,
    recipe: RecipeName = "id3",
    output: Output = None,
    validate: Validate = None,
    validate_share: ValidateShare = None,
    seed: Seed = 0,
    method: Method = None,
    ties: TiesRule = None,
    engine: Annotated[str, typer.Option(help="Who counts; see `penjing plugins`.")] = "auto",
    memory_limit: Annotated[
        str | None, typer.Option(help="How much memory may be used, e.g. 2GB.")
    ] = None,
    work: Annotated[
        str | None, typer.Option(help="Folder for the coded rows of engine disk; resumes there.")
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="SQL, or a table's name, for duckdb:FILE or postgresql://…")
    ] = None,
    trace: Annotated[
        bool | None,
        typer.Option(
            "--trace/--no-trace",
            help="Keep how the tree grew, for `why` and `trace`. Default: if that is quick.",
        ),
    ] = None,
    criterion: Criterion = None,
    shape: ShapeName = None,
    missing: MissingPolicy = None,
    unseen: UnseenPolicy = None,
    max_depth: MaxDepth = None,
    max_leaves: MaxLeaves = None,
    min_weight: MinWeight = None,
    min_branch: MinBranch = None,
    min_gain: MinGain = None,
    setting: Setting = None,
) -> None:
    """Grow a tree from a table."""
    changes = {
        "criterion": criterion,
        "shape": shape,
        "missing": missing,
        "unseen": unseen,
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "min_weight": min_weight,
        "min_branch": min_branch,
        "min_gain": min_gain,
    }
    given = {key: value for key, value in changes.items() if value is not None}
    pruning = Pruning(method, validate, validate_share, seed, ties)
    if _is_remote(data, engine):
        asked = {"query": query, "engine": engine, "recipe": recipe, "trace": bool(trace)}
        asked |= {**own, **settings_of(setting)}
        tree = _sourced(_fit_remote(voice, data, reading, pruning, asked | given), data)
        _show(voice, tree, tree, None, (None, None, output))
        return
    large = Large(engine, memory_limit, work, query)
    with large.table(voice, data, reading, recipe, method) as table:
        voice.notes(table.notes)
        train, judges = pruning.divided(voice, table, reading)
        how = {
            "recipe": recipe,
            "engine": large.engine,
            "memory_limit": memory_limit,
            "trace": "auto" if trace is None else trace,
            **given,
            **own,
            **settings_of(setting),
        }
        grown = pruning.grown(voice, train, judges, how)
        tree, whole = (large.told(_sourced(made, data)) for made in grown)
        if trace is None and whole.kept_trace is None:
            voice.note("note_no_trace_disk" if large.is_on_disk else "note_no_trace")
        _show(voice, tree, whole, train, (method, judges, output))


def _show(
    voice: Voice,
    tree: Tree,
    whole: Tree,
    train: Table | None,
    asked: tuple[str | None, Table | None, str | None],
) -> None:
    """Write the model where it is wanted, and print the tree with what should be known of it."""
    method, judges, output = asked
    sources.save(voice, tree, output)
    if output == sources.STDIN:  # the model went there
        return
    if voice.as_json:
        voice.data(tree.to_json())
        return
    voice.out(tree.draw(ascii_only=voice.ascii_only))
    size_of(voice, tree)
    _remark(voice, whole, train if method is None and judges is None else None)
    if method is not None or judges is not None:
        tell(voice, whole, tree, judges)


def settings_of(words: list[str] | None, **options: object) -> dict[str, Any]:
    """Return the settings of NAME=VALUE; values are JSON where they look so, else text.

    Yes, no and none are what `recipes` prints them for. What it says counts before ``options``.

    Examples
    --------
    >>> settings_of(["collapse=no", "max_depth=none", "pruning=none", "cut_at=value", "gap=0.1"])
    {'collapse': False, 'max_depth': None, 'pruning': 'none', 'cut_at': 'value', 'gap': 0.1}
    """
    found: dict[str, Any] = {}
    for word in words or ():
        name, sign, value = word.partition("=")
        if not sign:
            raise ChoiceError("bad_set", word=word)
        name, said = name.replace("-", "_"), value.lower()
        if said in _SAID and not (said == "none" and name == "pruning"):  # there it is a word
            found[name] = _SAID[said]
            continue
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return {name: value for name, value in options.items() if value is not None} | found


_SAID = {"yes": True, "true": True, "no": False, "false": False, "none": None}


def _sourced(tree: Tree, path: str) -> Tree:
    """Return the tree with the place of its training rows, so that they can be found again."""
    source = dict(tree.about.get("source", {})) | ({} if path == sources.STDIN else {"path": path})
    return replace(tree, about={**tree.about, "source": source})


def _remark(voice: Voice, tree: Tree, train: Table | None) -> None:
    """Print what a learner should know of this tree: where gain and ratio, or siblings, part."""
    from penjing.explain.node import explain  # noqa: PLC0415 - heavy
    from penjing.render import summary  # noqa: PLC0415

    if not tree.is_regression and sum(weight > 0 for weight in tree.nodes.total[0].tolist()) == 1:
        voice.note("note_one_class", class_=tree.answer(0))
    n_rows = int(tree.about.get("n_rows", 0))
    if tree.recipe.get("missing") == "fraction" and tree.n_leaves > n_rows > 0:
        voice.note("note_shared_out", leaves=tree.n_leaves, n=n_rows)
    steps = tree.kept_trace["steps"] if tree.kept_trace is not None else []
    if tree.kept_trace is not None and not tree.kept_trace["is_whole"]:
        voice.note("trace_large")
    is_told = any(step["node"] == 0 for step in steps)  # not where a branch replaced the root
    told = summary.gain_ratio_note(explain(tree), voice.lang) if is_told else ""
    lines = [told, "" if train is None else _related_recipe(voice, tree, train)]
    if text := ("\n" + " " * 6).join(line for line in lines if line):
        voice.out(voice.say("word_note") + text)


def _is_remote(data: str, engine: str) -> bool:
    """Whether the rows are to be counted where they are."""
    from penjing.training.remote import engine_for  # noqa: PLC0415 - heavy

    return engine_for(data, engine) is not None


def _fit_remote(
    voice: Voice, data: str, reading: sources.Reading, pruning: Pruning, how: dict[str, Any]
) -> Tree:
    """Return the tree of a table or query of a database."""
    from penjing.api.fit import fit as fit_tree  # noqa: PLC0415 - heavy
    from penjing.training import remote  # noqa: PLC0415 - heavy

    engine = remote.engine_for(data, how["engine"]) or ""
    validation = pruning.validate if pruning.validate is not None else pruning.share
    rest = {"validation": validation, "prune": pruning.method, "weight": reading.weight, **how}
    if remote.needs_reading(data, engine, how["query"], how.get("table")):
        table = reading.table(voice, data)
        voice.notes(table.notes)
        with growing(voice) as watcher:
            return fit_tree(table, progress=watcher, **rest)
    unread = {
        "--missing-marker": reading.markers,
        "--encoding": reading.encoding,
        "--separator": reading.separator,
        "--names": reading.names,
        "--keep": reading.keep,
        "--dates": reading.dates,
    }
    remote.refuse_local_settings(engine, **{k: v or None for k, v in unread.items()})
    with remote.collect_notes() as notes, growing(voice) as watcher:
        tree = fit_tree(data, reading.target, schema=reading.wishes(), progress=watcher, **rest)
    voice.notes(notes)
    if reading.target is None:  # nothing but a name tells it there
        voice.note("note_target_named", column=tree.target.name)
    return tree


def _related_recipe(voice: Voice, tree: Tree, train: Table) -> str:
    """Return the sentence about the sibling's tree; empty if it is the same tree."""
    from penjing.api.fit import fit as fit_tree  # noqa: PLC0415 - heavy
    from penjing.evaluate.compare import differences  # noqa: PLC0415 - heavy
    from penjing.render import summary  # noqa: PLC0415

    name = _RELATED_RECIPES.get(str(tree.recipe.get("name")))
    if name is None or tree.is_regression or train.n_rows > _ROWS_FOR_SECOND_TREE:
        return ""
    try:
        other = fit_tree(train, recipe=name)
    except PenjingError:
        return ""
    right = summary.correct_counts(other.about.get("training"))
    if next(differences(tree, other), None) is None or right is None:
        return ""
    told = {"recipe": name, "leaves": voice.say("leaves", n=other.n_leaves)}
    told |= {"right": right[0], "of": right[1]}
    ours, theirs = (_root_column(t) for t in (tree, other))
    if ours is None or theirs is None or ours == theirs or not tree.schema[ours].is_numeric:
        return voice.say("sibling", **told)
    from penjing.text.labels import quoted  # noqa: PLC0415 - heavy

    return voice.say("sibling_penalty", column=quoted(other.schema[theirs].name), **told)


def _root_column(tree: Tree) -> int | None:
    return None if tree.is_leaf[0] else int(tree.nodes.column[0])


@verb
@takes_reading
def prune(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    method: Annotated[
        str, typer.Option("--method", "-m", help="How to prune; see `penjing plugins`.")
    ] = "reduced-error",
    output: Output = None,
    validate: Validate = None,
    validate_share: ValidateShare = None,
    seed: Seed = 0,
    ties: TiesRule = None,
    confidence: Confidence = None,
    cp: Cp = None,
    alpha: Alpha = None,
    by: By = None,
    one_se: OneSe = None,
    folds: Folds = None,
    raise_branches: Raise = None,
    setting: MethodSetting = None,
    test: Test = None,
    train: Train = None,
    same_file: Annotated[
        bool, typer.Option("--same-file", help="Let one file decide and report all the same.")
    ] = False,
) -> None:
    """Make a tree smaller: every question is weighed, bottom up."""
    if sources.are_same(validate, test):
        if not same_file:
            raise ChoiceError("same_file")
        voice.note("note_same_file")
    tree = sources.model(model)
    rows = sources.training(voice, tree, model, train, reading)
    options = {
        "confidence": confidence,
        "cp": cp,
        "alpha": alpha,
        "by": by,
        "one_se": one_se,
        "raise_branches": raise_branches,
        **settings_of(setting),
    }
    pruning = Pruning(method, validate, validate_share, seed, ties, options, folds)
    tree, judges = pruning.regrown(voice, tree, rows, reading)
    smaller = pruning.pruned(tree, judges, rows)
    tested = None if test is None else reading.rows_for(voice, tree, test)
    told = measured(voice, tree, smaller, rows, tested)
    sources.save(voice, smaller, output)
    tell(voice, tree, smaller, judges, told, to_stdout=output != sources.STDIN)
