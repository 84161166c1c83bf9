"""Arguments and options of the commands, with their help: each is declared once, here.

An option that a command names in its signature is a type; options that are passed on together are
a group, from which :mod:`penjing.cli.option_groups` makes one parameter of the command.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

Group = dict[str, tuple[Any, Any]]
"""The type for typer and the default of each option, by the keyword that it becomes."""

OUTPUT = "Output"
READING = "Reading"
GROWING = "Recipe"
METHOD = "Options of a method"


class Lang(StrEnum):
    """The languages."""

    en = "en"
    zh = "zh"


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


class Ties(StrEnum):
    """Whether a split that changes no error count is cut or kept."""

    cut = "cut"
    keep = "keep"


class Order(StrEnum):
    """The order in which branches are drawn."""

    rows = "rows"
    levels = "levels"


class Shell(StrEnum):
    """Shells that can complete a command line."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


Data = Annotated[str, typer.Argument(metavar="DATA", help="A table: CSV, TSV, …; - is stdin.")]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A saved tree; - is stdin.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is stdout.")
]


def _option(
    kind: Any,  # noqa: ANN401 - a type
    help_: str,
    *words: str,
    panel: str | None = None,
    metavar: str | None = None,
) -> tuple[Any, Any]:
    """Return an option of a group: the type for typer, and the default None."""
    option = typer.Option(*words, metavar=metavar, help=help_, rich_help_panel=panel)
    return Annotated[kind | None, option], None


def _switch(help_: str, *words: str, panel: str) -> tuple[Any, Any]:
    """Return an option of a group without a value."""
    return Annotated[bool, typer.Option(*words, help=help_, rich_help_panel=panel)], False


COMMON_OPTIONS: Group = {
    "lang": _option(Lang, "Language of the output; else the locale's.", "--lang", panel=OUTPUT),
    "as_json": _switch("Print plain data.", "--json", panel=OUTPUT),
    "ascii_only": _switch("Draw with plain characters.", "--ascii", panel=OUTPUT),
    "width": _option(int, "Length of a line; else the terminal's.", "--width", panel=OUTPUT),
    "color": (
        Annotated[Color, typer.Option(help="When to use colour.", rich_help_panel=OUTPUT)],
        Color.auto,
    ),
    "debug": _switch("Show the traceback of an error.", "--debug", panel=OUTPUT),
}
"""The options of every command."""


def _reading(kind: Any, metavar: str, help_: str, *words: str) -> tuple[Any, Any]:  # noqa: ANN401
    return _option(kind, help_, *words, panel=READING, metavar=metavar)


READING_OPTIONS: Group = {
    "target": _reading(str, "COLUMN", "The column to predict.", "--target", "-t"),
    "schema": _reading(
        str,
        "JSON|FILE",
        'What columns are: \'{"size": {"ordered": ["S", "M", "L"]}}\', or a file of it.',
        "--schema",
    ),
    "markers": _reading(
        list[str],
        "WORD",
        "A word that means missing; else the model's, and the usual ones.",
        "--missing-marker",
    ),
    "encoding": _reading(
        str, "NAME", "The encoding of the table, where guessing errs.", "--encoding"
    ),
    "separator": _reading(
        str, "CHAR", "What divides cells, where guessing errs; \\t is a tab.", "--separator"
    ),
    "names": _reading(str, "A,B,…", "The names of the columns, if there is no header.", "--names"),
    "keep": _reading(
        list[str], "COLUMN", "Keep a column that looks like an id or a date.", "--keep"
    ),
    "ignore": _reading(list[str], "COLUMN", "Leave a column out.", "--ignore"),
    "weight": _reading(str, "COLUMN", "The column that says how much a row weighs.", "--weight"),
    "dates": _reading(
        str, "PARTS", "What to make of dates: year,month,day,weekday,hour,number.", "--dates"
    ),
}
"""The options of every command that reads a table, by the fields of `ReadingOptions`."""

RecipeName = Annotated[
    str, typer.Option("--recipe", "-r", help="How to grow; see `penjing recipes`.")
]
MissingPolicy = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="Missing values: refuse, fraction, branch, surrogate, direction.",
        rich_help_panel=GROWING,
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; see `penjing recipes`.",
                 rich_help_panel=GROWING),
]  # fmt: skip


def _growing(kind: Any, help_: str, word: str) -> tuple[Any, Any]:  # noqa: ANN401 - a type
    return _option(kind, help_, word, panel=GROWING)


RECIPE_OPTIONS: Group = {
    "criterion": _growing(str, "gain, gain_ratio, gini, variance.", "--criterion"),
    "shape": _growing(str, "multiway or binary.", "--shape"),
    "missing": (MissingPolicy, None),
    "unseen": _growing(str, "Unseen levels: stop, missing or error.", "--unseen"),
    "max_depth": _growing(int, "Most questions on a path.", "--max-depth"),
    "max_leaves": _growing(int, "Most leaves.", "--max-leaves"),
    "min_weight": _growing(float, "Least weight of a node to divide.", "--min-weight"),
    "min_branch": _growing(float, "Least weight that two branches must have.", "--min-branch"),
    "min_gain": _growing(float, "Least gain of a division.", "--min-gain"),
    "setting": (Setting, None),
}
"""The settings of every recipe, and any other."""

Seed = Annotated[int, typer.Option("--seed", help="Decides which rows a share takes.")]
Method = Annotated[
    str | None,
    typer.Option("--prune", metavar="METHOD", help="How to prune; see `penjing plugins`."),
]

VALIDATION_OPTIONS: Group = {
    "validate": _option(str, "Rows that decide the pruning.", "--validate", metavar="FILE"),
    "share": _option(
        float,
        "Hold out a share of the training rows to decide.",
        "--validate-share",
        metavar="SHARE",
    ),
    "seed": (Seed, 0),
}
TIES = _option(Ties, "A question that makes no difference: cut it or keep it.", "--ties")
FIT_PRUNING: Group = VALIDATION_OPTIONS | {"method": (Method, None), "ties": TIES}
"""The pruning of `fit`, by the fields of `Pruning`."""


def _of_method(kind: Any, help_: str, word: str) -> tuple[Any, Any]:  # noqa: ANN401 - a type
    return _option(kind, help_, word, panel=METHOD)


PRUNE_PRUNING: Group = VALIDATION_OPTIONS | {
    "ties": TIES,
    "confidence": _option(float, "CF of pessimistic pruning; smaller cuts more.", "--confidence"),
    "cp": _of_method(
        float, "cost-complexity: what a leaf costs, as a share of the root's risk.", "--cp"
    ),
    "alpha": _of_method(float, "cost-complexity: the same as such.", "--alpha"),
    "by": _of_method(str, "cost-complexity: errors or impurity.", "--by"),
    "one_se": _of_method(
        bool,
        "cost-complexity: the smallest tree within one standard error, or the least "
        "cross-validated error itself.",
        "--one-se/--smallest",
    ),
    "folds": _of_method(
        int, "cost-complexity: cross-validate in so many parts of the training rows.", "--folds"
    ),
    "raise_branches": _of_method(
        bool, "error-based: the largest branch may replace its parent.", "--raise/--no-raise"
    ),
    "setting": _option(
        list[str],
        "Any other option of the method.",
        "--set",
        panel=METHOD,
        metavar="NAME=VALUE",
    ),
}
"""The pruning of `prune`: the fields of `Pruning`, then the options of the methods."""

Test = Annotated[
    str | None, typer.Option(metavar="FILE", help="Rows that report; not those that decide.")
]
Train = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The training rows; else the file that the model names."),
]


def _program_options() -> Group:
    options: Group = {}

    def add(name: str, kind: Any, panel: str, help_: str, word: str) -> None:  # noqa: ANN401
        options[name] = _option(kind, help_, word, panel=panel)

    def switch(name: str, panel: str, help_: str, *words: str) -> None:
        options[name] = _switch(help_, f"-{name}", *words, panel=panel)

    j48, c45 = "J48's own options", "C4.5's own options"
    add("C", float, j48, "Confidence of pruning, 0.25.", "-C")
    add("M", float, j48, "Least weight of two branches, 2.", "-M")
    switch("R", j48, "Reduced-error pruning, by validation rows.")
    switch("B", j48, "Nominal columns: one level against the rest.")
    switch("U", j48, "No pruning.")
    switch("S", j48, "No branch is raised.")
    switch("A", j48, "Laplace probabilities (any recipe).", "--laplace")
    switch("O", j48, "Do not collapse.")
    switch("J", j48, "Cuts cost nothing.")
    add("m", float, c45, "Least weight of two branches, 2.", "-m")
    add("c", float, c45, "Confidence of pruning in per cent, 25.", "-c")
    switch("g", c45, "Gain instead of gain ratio (C5.0: no global pruning).")
    switch("s", c45, "Levels are merged into groups.")
    rpart, sklearn = "rpart's own options", "scikit-learn's own options"
    add("cp", float, rpart, "Least decrease of risk per leaf, 0.01.", "--cp")
    for name, help_ in {
        "minsplit": "Least rows of a node to divide, 20.",
        "minbucket": "Least rows of each side; a third of minsplit.",
        "maxdepth": "Most questions on a path, 30.",
        "usesurrogate": "0, 1 or 2.",
        "maxsurrogate": "Most surrogates of a question, 5.",
        "xval": "Groups of the cross-validated cp table, 0.",
    }.items():
        add(name, int, rpart, help_, f"--{name}")
    add("split", str, rpart, "gini or information.", "--split")
    add("prior", str, rpart, "How likely classes are: yes=0.3,no=0.7.", "--prior")
    add("loss", str, rpart, 'Costs of errors: {"true": {"answered": 5}}, or a matrix.', "--loss")
    add("cost", str, rpart, "What asking about columns costs: age=2,sex=1.", "--cost")
    add("ccp_alpha", float, sklearn, "Impurity that a leaf costs, 0.", "--ccp-alpha")
    for name in ("min_samples_split", "min_samples_leaf", "max_leaf_nodes", "random_state"):
        add(name, int, sklearn, "As there.", f"--{name.replace('_', '-')}")
    add("class_weight", str, sklearn, "balanced, or yes=2,no=1.", "--class-weight")
    return options


PROGRAM_OPTIONS = _program_options()
"""Options with the names of other programs, by their keyword in `penjing.fit`."""
