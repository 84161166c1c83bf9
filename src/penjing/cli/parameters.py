"""Arguments and options that several commands share, with their help."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

READING = "Reading"
GROWING = "Recipe"


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


def _reading_option(kind: Any, word: str, metavar: str, text: str, *more: str) -> Any:  # noqa: ANN401
    """Return the type of a reading option, as typer expects it."""
    option = typer.Option(word, *more, metavar=metavar, help=text, rich_help_panel=READING)
    return Annotated[kind | None, option]


READING_OPTIONS: dict[str, Any] = {
    "target": _reading_option(str, "--target", "COLUMN", "The column to predict.", "-t"),
    "schema": _reading_option(
        str,
        "--schema",
        "JSON|FILE",
        'What columns are: \'{"size": {"ordered": ["S", "M", "L"]}}\', or a file of it.',
    ),
    "markers": _reading_option(
        list[str],
        "--missing-marker",
        "WORD",
        "A word that means missing; else the model's, and the usual ones.",
    ),
    "encoding": _reading_option(
        str, "--encoding", "NAME", "The encoding of the table, where guessing errs."
    ),
    "separator": _reading_option(
        str, "--separator", "CHAR", "What divides cells, where guessing errs; \\t is a tab."
    ),
    "names": _reading_option(
        str, "--names", "A,B,…", "The names of the columns, if there is no header."
    ),
    "keep": _reading_option(
        list[str], "--keep", "COLUMN", "Keep a column that looks like an id or a date."
    ),
    "ignore": _reading_option(list[str], "--ignore", "COLUMN", "Leave a column out."),
    "weight": _reading_option(
        str, "--weight", "COLUMN", "The column that says how much a row weighs."
    ),
    "dates": _reading_option(
        str, "--dates", "PARTS", "What to make of dates: year,month,day,weekday,hour,number."
    ),
}
"""The options of every command that reads a table, by the fields of `ReadingOptions`."""

RecipeName = Annotated[
    str, typer.Option("--recipe", "-r", help="How to grow; see `penjing recipes`.")
]
Criterion = Annotated[
    str | None,
    typer.Option(help="gain, gain_ratio, gini, variance.", rich_help_panel=GROWING),
]
ShapeName = Annotated[
    str | None,
    typer.Option("--shape", help="multiway or binary.", rich_help_panel=GROWING),
]
MissingPolicy = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="Missing values: refuse, fraction, branch, surrogate, direction.",
        rich_help_panel=GROWING,
    ),
]
UnseenPolicy = Annotated[
    str | None,
    typer.Option(
        "--unseen", help="Unseen levels: stop, missing or error.", rich_help_panel=GROWING
    ),
]
MaxDepth = Annotated[
    int | None, typer.Option(help="Most questions on a path.", rich_help_panel=GROWING)
]
MaxLeaves = Annotated[int | None, typer.Option(help="Most leaves.", rich_help_panel=GROWING)]
MinWeight = Annotated[
    float | None, typer.Option(help="Least weight of a node to divide.", rich_help_panel=GROWING)
]
MinBranch = Annotated[
    float | None,
    typer.Option(help="Least weight that two branches must have.", rich_help_panel=GROWING),
]
MinGain = Annotated[
    float | None, typer.Option(help="Least gain of a division.", rich_help_panel=GROWING)
]

Setting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; see `penjing recipes`.",
                 rich_help_panel=GROWING),
]  # fmt: skip

Validate = Annotated[str | None, typer.Option(metavar="FILE", help="Rows that decide the pruning.")]
ValidateShare = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Hold out a share of the training rows to decide."),
]
Seed = Annotated[int, typer.Option(help="Decides which rows a share takes.")]
Method = Annotated[
    str | None,
    typer.Option("--prune", metavar="METHOD", help="How to prune; see `penjing plugins`."),
]
TiesRule = Annotated[
    Ties | None,
    typer.Option("--ties", help="A question that makes no difference: cut it or keep it."),
]
Confidence = Annotated[
    float | None, typer.Option(help="CF of pessimistic pruning; smaller cuts more.")
]
Test = Annotated[
    str | None, typer.Option(metavar="FILE", help="Rows that report; not those that decide.")
]
Train = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The training rows; else the file that the model names."),
]

METHOD = "Options of a method"
Cp = Annotated[
    float | None,
    typer.Option("--cp", help="cost-complexity: what a leaf costs, as a share of the root's risk.",
                 rich_help_panel=METHOD),
]  # fmt: skip
Alpha = Annotated[
    float | None,
    typer.Option("--alpha", help="cost-complexity: the same as such.", rich_help_panel=METHOD),
]
By = Annotated[
    str | None,
    typer.Option("--by", help="cost-complexity: errors or impurity.", rich_help_panel=METHOD),
]
OneSe = Annotated[
    bool | None,
    typer.Option("--one-se/--smallest", rich_help_panel=METHOD,
                 help="cost-complexity: the smallest tree within one standard error, or the least "
                 "cross-validated error itself."),
]  # fmt: skip
Folds = Annotated[
    int | None,
    typer.Option("--folds", rich_help_panel=METHOD,
                 help="cost-complexity: cross-validate in so many parts of the training rows."),
]  # fmt: skip
Raise = Annotated[
    bool | None,
    typer.Option("--raise/--no-raise", rich_help_panel=METHOD,
                 help="error-based: the largest branch may replace its parent."),
]  # fmt: skip
MethodSetting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other option of the method.",
                 rich_help_panel=METHOD),
]  # fmt: skip
