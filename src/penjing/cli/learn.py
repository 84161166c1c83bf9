"""Verbs that make trees: fit and prune."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penjing.cli import afar, sources
from penjing.cli.large import Large
from penjing.cli.look import size_of
from penjing.cli.options import (
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
from penjing.cli.programs import takes_own_options
from penjing.cli.pruned import Pruning, measured, tell
from penjing.cli.reading import takes_reading
from penjing.cli.say import Voice
from penjing.cli.siblings import sibling
from penjing.cli.verb import verb
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.table import Table
    from penjing.tree import Tree


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
    engine: Annotated[str, typer.Option(help="Who counts; see `penjing plugs`.")] = "auto",
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
    if afar.is_afar(data, engine):
        asked = {"query": query, "engine": engine, "recipe": recipe, "trace": bool(trace)}
        asked |= {**own, **settings_of(setting)}
        tree = _sourced(afar.grown(voice, data, reading, pruning, asked | given), data)
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
    from penjing.explain import explain  # noqa: PLC0415 - heavy
    from penjing.write import summary  # noqa: PLC0415

    if not tree.is_regression and sum(weight > 0 for weight in tree.nodes.total[0].tolist()) == 1:
        voice.note("note_one_class", class_=tree.answer(0))
    n_rows = int(tree.about.get("n_rows", 0))
    if tree.recipe.get("missing") == "fraction" and tree.n_leaves > n_rows > 0:
        voice.note("note_shared_out", leaves=tree.n_leaves, n=n_rows)
    steps = tree.kept_trace["steps"] if tree.kept_trace is not None else []
    if tree.kept_trace is not None and not tree.kept_trace["is_whole"]:
        voice.note("trace_large")
    is_told = any(step["node"] == 0 for step in steps)  # not where a branch replaced the root
    told = summary.gain_and_ratio(explain(tree), voice.lang) if is_told else ""
    lines = [told, "" if train is None else sibling(voice, tree, train)]
    if text := ("\n" + " " * 6).join(line for line in lines if line):
        voice.out(voice.say("word_note") + text)


@verb
@takes_reading
def prune(
    voice: Voice,
    *,
    reading: sources.Reading,
    model: Model,
    method: Annotated[
        str, typer.Option("--method", "-m", help="How to prune; see `penjing plugs`.")
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
