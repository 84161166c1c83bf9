"""Arguments and options of the commands: each is declared once, here, with its panel and key.

An option that a command names in its signature is a type; options that are passed on together are
a group, from which :mod:`penjing.cli.option_groups` makes one parameter of the command. What typer
takes for the help is the key of the text, which :mod:`penjing.cli.help_page` looks up in the
language of the output.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

Group = dict[str, tuple[Any, Any]]
"""The type for typer and the default of each option, by the keyword that it becomes."""

INPUT, COLUMNS, GROWING, PRUNING = "input", "columns", "growing", "pruning"
EVALUATION, OUTPUT, FORMAT = "evaluation", "output", "format"
C45, J48, RPART, SKLEARN = "c45", "j48", "rpart", "sklearn"
PANELS = (
    INPUT, COLUMNS, GROWING, PRUNING, EVALUATION, FORMAT, OUTPUT, C45, J48, RPART, SKLEARN,
)  # fmt: skip
"""The panels of the help in their order; those of other programs come last."""

_METAVARS = {int: "INT", float: "NUMBER", str: "NAME", bool: None}


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


class Show(StrEnum):
    """What the boxes of pictures show."""

    data = "data"
    counts = "counts"
    none = "none"


class Layout(StrEnum):
    """The directions in which pictures grow."""

    top_down = "top-down"
    left_to_right = "left-to-right"


class TextFormat(StrEnum):
    """The formats of explanations."""

    text = "text"
    md = "md"
    tex = "tex"
    html = "html"


class Shell(StrEnum):
    """Shells that can complete a command line."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def choices(names: type[StrEnum]) -> str:
    """Return the metavar of an option whose values are listed.

    Examples
    --------
    >>> choices(Ties)
    'cut|keep'
    """
    return "|".join(names)


CHOICES = {"SHELL": choices(Shell)}
"""The values of arguments that have a name of their own."""


def option(
    key: str,
    *words: str,
    panel: str,
    metavar: str | None = None,
    default: str | None = None,
    **more: Any,  # noqa: ANN401 - limits of numbers
) -> Any:  # noqa: ANN401 - as typer has it
    """Declare an option.

    Parameters
    ----------
    key : str
        The key of its help.
    *words : str
        Its names; by default that of the parameter.
    panel : str
        The panel of the help that lists it.
    metavar : str
        What stands for its value in the help; None for a switch.
    default : str
        The default that the help shows, where it is not that of the parameter: a value, or the key
        of a text, which begins with ``default_``.
    """
    shown: Any = default if default is not None else True
    return typer.Option(
        *words, help=key, rich_help_panel=panel, metavar=metavar, show_default=shown, **more
    )


def argument(key: str, metavar: str) -> Any:  # noqa: ANN401 - as typer has it
    """Declare an argument: the key of its help, and what stands for it."""
    return typer.Argument(help=key, rich_help_panel=INPUT, metavar=metavar)


def _option(
    kind: Any,  # noqa: ANN401 - a type
    key: str,
    *words: str,
    panel: str,
    metavar: str | None = None,
    default: str | None = None,
) -> tuple[Any, Any]:
    """Return an option of a group: the type for typer, and the default None."""
    metavar = metavar or _METAVARS[kind]
    made = option(key, *words, panel=panel, metavar=metavar, default=default)
    return Annotated[kind | None, made], None


def _switch(key: str, *words: str, panel: str) -> tuple[Any, Any]:
    """Return an option of a group without a value."""
    return Annotated[bool, option(key, *words, panel=panel)], False


Data = Annotated[str, argument("data", "DATA")]
Model = Annotated[str, argument("model", "MODEL")]
Output = Annotated[
    str | None,
    option("output", "--output", "-o", panel=OUTPUT, metavar="FILE", default="default_stdout"),
]
Format = Annotated[
    TextFormat | None,
    option(
        "format", "--format", panel=OUTPUT, metavar=choices(TextFormat), default="default_format"
    ),
]
ModelOutput = Annotated[
    str | None, option("output_model", "--output", "-o", panel=OUTPUT, metavar="FILE")
]

COMMON_OPTIONS: Group = {
    "lang": _option(
        Lang, "lang", "--lang", panel=OUTPUT, metavar=choices(Lang), default="default_locale"
    ),
    "as_json": _switch("json", "--json", panel=OUTPUT),
    "ascii_only": _switch("ascii", "--ascii", panel=OUTPUT),
    "width": _option(int, "width", "--width", panel=OUTPUT, default="default_terminal"),
    "color": (
        Annotated[Color, option("color", panel=OUTPUT, metavar=choices(Color))],
        Color.auto,
    ),
    "debug": _switch("debug", "--debug", panel=OUTPUT),
}
"""The options of every command."""

READING_OPTIONS: Group = {
    "target": _option(
        str, "target", "--target", "-t", panel=COLUMNS, metavar="COLUMN", default="default_target"
    ),
    "schema": _option(str, "schema", "--schema", panel=COLUMNS, metavar="JSON|FILE"),
    "encoding": _option(str, "encoding", "--encoding", panel=INPUT, default="default_detected"),
    "separator": _option(
        str, "separator", "--separator", panel=INPUT, metavar="CHAR", default="default_detected"
    ),
    "names": _option(str, "names", "--names", panel=INPUT, metavar="A,B,…"),
    "decimal": _option(
        str, "decimal", "--decimal", panel=INPUT, metavar=".|,", default="default_detected"
    ),
    "sheet": _option(
        str, "sheet", "--sheet", panel=INPUT, metavar="NAME", default="default_first_sheet"
    ),
    "markers": _option(
        list[str],
        "markers",
        "--missing-marker",
        panel=INPUT,
        metavar="WORD",
        default="default_markers",
    ),
    "keep": _option(list[str], "keep", "--keep", panel=COLUMNS, metavar="COLUMN"),
    "ignore": _option(list[str], "ignore", "--ignore", panel=COLUMNS, metavar="COLUMN"),
    "weight": _option(str, "weight", "--weight", panel=COLUMNS, metavar="COLUMN"),
    "dates": _option(str, "dates", "--dates", panel=COLUMNS, metavar="PARTS"),
    "fold_case": _switch("fold_case", "--fold-case", panel=COLUMNS),
}
"""The options of every command that reads a table, by the fields of `ReadingOptions`."""


def _settled(kind: Any, name: str, metavar: str) -> tuple[Any, Any]:  # noqa: ANN401 - a type
    """Return an option that a model leaves nothing to decide for; help does not list it."""
    made = option(name, f"--{name}", panel=COLUMNS, metavar=metavar, hidden=True)
    return Annotated[kind | None, made], None


MODEL_READING_OPTIONS: Group = READING_OPTIONS | {
    "target": _option(
        str,
        "model_target",
        "--target",
        "-t",
        panel=COLUMNS,
        metavar="COLUMN",
        default="default_model_target",
    ),
    "schema": _option(str, "model_schema", "--schema", panel=COLUMNS, metavar="JSON|FILE"),
    "encoding": _option(str, "encoding", "--encoding", panel=INPUT, default="default_as_trained"),
    "separator": _option(
        str, "separator", "--separator", panel=INPUT, metavar="CHAR", default="default_as_trained"
    ),
    "names": _option(
        str,
        "names",
        "--names",
        panel=INPUT,
        metavar="A,B,…",
        default="default_as_trained_or_header",
    ),
    "decimal": _option(
        str, "decimal", "--decimal", panel=INPUT, metavar=".|,", default="default_as_trained"
    ),
    "sheet": _option(
        str, "sheet", "--sheet", panel=INPUT, metavar="NAME", default="default_as_trained_or_first"
    ),
    "weight": _option(
        str,
        "weight",
        "--weight",
        panel=COLUMNS,
        metavar="COLUMN",
        default="default_as_trained_if_there",
    ),
    "markers": _option(
        list[str],
        "markers",
        "--missing-marker",
        panel=INPUT,
        metavar="WORD",
        default="default_model_markers",
    ),
    "keep": _settled(list[str], "keep", "COLUMN"),
    "dates": _settled(str, "dates", "PARTS"),
}
"""The same for commands with a model: the types of the columns are those of the model."""

RecipeName = Annotated[str, option("recipe", "--recipe", "-r", panel=GROWING, metavar="NAME")]
MissingPolicy = Annotated[
    str | None,
    option("missing", "--missing", panel=GROWING, metavar="NAME", default="default_recipe"),
]
Setting = Annotated[
    list[str] | None, option("setting", "--set", panel=GROWING, metavar="NAME=VALUE")
]


def _growing(kind: Any, name: str) -> tuple[Any, Any]:  # noqa: ANN401 - a type
    return _option(
        kind, name, f"--{name.replace('_', '-')}", panel=GROWING, default="default_recipe"
    )


RECIPE_OPTIONS: Group = {
    "criterion": _growing(str, "criterion"),
    "shape": _growing(str, "shape"),
    "missing": (MissingPolicy, None),
    "unseen": _growing(str, "unseen"),
    "max_depth": _growing(int, "max_depth"),
    "max_leaves": _growing(int, "max_leaves"),
    "min_weight": _growing(float, "min_weight"),
    "min_branch": _growing(float, "min_branch"),
    "min_gain": _growing(float, "min_gain"),
    "monotonic": _option(
        list[str], "monotonic", "--monotonic", panel=GROWING, metavar="COLUMN=1|-1"
    ),
    "interaction": _option(
        list[str],
        "interaction",
        "--interaction",
        panel=GROWING,
        metavar="COLUMN,…|pairwise|no_interactions",
    ),
    "setting": (Setting, None),
}
"""The settings of every recipe, and any other."""

Unseen = Annotated[
    str | None, option("unseen", "--unseen", panel=INPUT, metavar="NAME", default="default_model")
]
Missing = Annotated[
    str | None,
    option("predict_missing", "--missing", panel=INPUT, metavar="NAME", default="default_model"),
]
Seed = Annotated[int, option("seed_folds", "--seed", panel=EVALUATION, metavar="INT")]
ValidationSeed = Annotated[int, option("seed_share", "--seed", panel=PRUNING, metavar="INT")]
Method = Annotated[
    str | None,
    option("prune", "--prune", panel=PRUNING, metavar="METHOD", default="default_recipe"),
]

VALIDATION_OPTIONS: Group = {
    "validate": _option(str, "validate", "--validate", panel=PRUNING, metavar="FILE"),
    "share": _option(float, "share", "--validate-share", panel=PRUNING, metavar="SHARE"),
    "seed": (ValidationSeed, 0),
}
TIES = _option(Ties, "ties", "--ties", panel=PRUNING, metavar=choices(Ties), default="cut")
FIT_PRUNING: Group = {
    "method": (Method, None),
    **VALIDATION_OPTIONS,
    "validate": _option(str, "validate_fit", "--validate", panel=PRUNING, metavar="FILE"),
    "ties": TIES,
}
"""The pruning of `fit`, by the fields of `Pruning`."""


def _of_method(
    kind: Any,  # noqa: ANN401 - a type
    key: str,
    word: str,
    default: str | None = None,
) -> tuple[Any, Any]:
    return _option(kind, f"prune_{key}", word, panel=PRUNING, default=default)


PRUNE_PRUNING: Group = VALIDATION_OPTIONS | {
    "ties": TIES,
    "confidence": _of_method(float, "confidence", "--confidence", "0.25"),
    "cp": _of_method(float, "cp", "--cp"),
    "alpha": _of_method(float, "alpha", "--alpha"),
    "by": _of_method(str, "by", "--by", "errors"),
    "one_se": _of_method(bool, "one_se", "--one-se/--smallest", "--one-se"),
    "folds": _of_method(int, "folds", "--folds"),
    "raise_branches": _of_method(bool, "raise", "--raise/--no-raise", "recipe"),
    "setting": _option(list[str], "prune_setting", "--set", panel=PRUNING, metavar="NAME=VALUE"),
}
"""The pruning of `prune`: the fields of `Pruning`, then the options of the methods."""

EVALUATION_OPTIONS: Group = {
    "positive": _option(
        str, "positive", "--positive", panel=EVALUATION, metavar="CLASS", default="default_rarer"
    ),
    "cost": _option(str, "false_costs", "--cost", panel=EVALUATION, metavar="NUMBER:NUMBER"),
    "precision": _option(
        float, "wanted_precision", "--precision", panel=EVALUATION, metavar="SHARE"
    ),
    "recall": _option(float, "wanted_recall", "--recall", panel=EVALUATION, metavar="SHARE"),
    "profit": _option(str, "profit", "--profit", panel=EVALUATION, metavar="JSON|FILE"),
    "leaves": _switch("lift_leaves", "--leaves", panel=OUTPUT),
    "calibration": _switch("calibration", "--calibration", panel=OUTPUT),
}
"""What a report on predictions contains, by the fields of `EvaluationOptions`."""

CHART_OPTIONS: Group = {
    "output": _option(str, "output_chart", "--output", "-o", panel=OUTPUT, metavar="FILE"),
    "theme": _option(
        str, "theme_picture", "--theme", panel=OUTPUT, metavar="light|dark|print", default="light"
    ),
    "title": _option(
        str, "title", "--title", panel=OUTPUT, metavar="TEXT", default="default_chart_title"
    ),
}
"""The file and the look of a chart, by the fields of `ChartOptions`."""
STYLE_OPTIONS: Group = {name: CHART_OPTIONS[name] for name in ("theme", "title")}
"""The same for a command that has an output of its own."""
ChartName = Annotated[
    str | None,
    option(
        "chart",
        "--chart",
        panel=OUTPUT,
        metavar="NAME",
        default="default_chart",
    ),
]

Test = Annotated[str | None, option("test", "--test", panel=INPUT, metavar="FILE")]
Train = Annotated[
    str | None, option("train", "--train", panel=INPUT, metavar="FILE", default="default_train")
]


def _program_options() -> Group:
    options: Group = {}

    def add(
        panel: str,
        name: str,
        kind: Any,  # noqa: ANN401 - a type
        default: str | None = None,
        metavar: str | None = None,
    ) -> None:
        word = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
        # The keys of texts are in lower case; letters mean different things in C4.5 and J48.
        key = f"{panel}_{name.lower()}"
        options[name] = _option(kind, key, word, panel=panel, default=default, metavar=metavar)

    def switch(panel: str, name: str, *words: str) -> None:
        options[name] = _switch(f"{panel}_{name.lower()}", f"-{name}", *words, panel=panel)

    add(C45, "m", float, "2")
    add(C45, "c", float, "25")
    switch(C45, "g")
    switch(C45, "s")
    add(J48, "C", float, "0.25")
    add(J48, "M", float, "2")
    for name in ("R", "B", "U", "S"):
        switch(J48, name)
    switch(J48, "A", "--laplace")
    for name in ("O", "J"):
        switch(J48, name)
    add(RPART, "cp", float, "0.01")
    add(RPART, "minsplit", int, "20")
    add(RPART, "minbucket", int, "default_third")
    add(RPART, "maxdepth", int, "30")
    add(RPART, "usesurrogate", int, "2", "0|1|2")
    add(RPART, "maxsurrogate", int, "5")
    add(RPART, "xval", int, "0")
    add(RPART, "split", str, "gini", "gini|information")
    add(RPART, "prior", str, "default_frequency", "CLASS=NUMBER,…")
    add(RPART, "loss", str, "1", "JSON")
    add(RPART, "cost", str, "1", "COLUMN=NUMBER,…")
    add(SKLEARN, "ccp_alpha", float, "0")
    add(SKLEARN, "min_samples_split", int, "2")
    add(SKLEARN, "min_samples_leaf", int, "1")
    add(SKLEARN, "max_leaf_nodes", int, "default_none")
    add(SKLEARN, "class_weight", str, "1", "balanced|CLASS=NUMBER,…")
    add(SKLEARN, "random_state", int, "default_first")
    return options


PROGRAM_OPTIONS = _program_options()
"""Options with the names of other programs, by their keyword in `penjing.fit`."""
