"""What recipe `auto` chooses on every shared data set, and how well, beside the best recipe.

    python bench/auto.py [--data iris,vote] [--folds 10] [--most-cells 400000]

Accuracy (or R² of a numeric target) by stratified cross-validation, one seed, the same folds for
every recipe. A recipe that refuses a table is left out; of larger tables the first rows are taken.
Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from pathlib import Path

import penjing
from penjing.errors import PenjingError

SHARED = Path(os.environ.get("PENJING_SHARED", Path(__file__).resolve().parents[2] / "shared"))
RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart",
           "sklearn")  # fmt: skip
MOST_LEVELS = 12
"""More levels, with more than two classes, are 2^levels groupings to a binary recipe."""


def table_of(name, entry, most_cells):
    """Return a data set as a table, with the kinds of columns that its index gives."""
    schema = {}
    for column in entry["attributes"]:
        if column["type"] in ("numeric", "nominal"):
            schema[column["name"]] = column["type"]
    markers = {"missing": [entry["missing"]]} if entry.get("missing") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = penjing.read(
            SHARED / "data" / entry["file"], entry["target"], schema=schema, **markers
        )
    n = max(most_cells // max(len(table.columns), 1), 1)
    return table if table.n_rows <= n else table.take(range(n))


def measure(table, recipe, folds):
    """Return accuracy or R² by cross-validation, None if the recipe refuses the table."""
    try:
        report = penjing.cross_validate(table, recipe, min(folds, table.n_rows))
    except PenjingError:
        return None
    return report.r2 if table.is_regression else report.correct / report.n


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", default="")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--most-cells", type=int, default=400_000)
    options = parser.parse_args()
    index = json.loads((SHARED / "data/index.json").read_text("utf-8"))
    wanted = options.data.split(",") if options.data else list(index)
    print("| data set | rows | measure | auto chose | auto | best recipe | best |")
    print("|---|---|---|---|---|---|---|")
    for name in wanted:
        try:
            table = table_of(name, index[name], options.most_cells)
            choice = penjing.fit(table).about["auto"]["recipe"]
        except PenjingError as error:
            print(f"| {name} | | | not grown: {str(error).splitlines()[0]} | | | |", flush=True)
            continue
        many = max((len(c.levels) for c in table.columns if not c.is_numeric), default=0)
        binary_is_slow = many > MOST_LEVELS and not table.is_regression
        figures = {"auto": measure(table, "auto", options.folds)}
        for recipe in RECIPES:
            if not (binary_is_slow and recipe in ("cart-binary", "rpart")):
                figures[recipe] = measure(table, recipe, options.folds)
        known = {recipe: value for recipe, value in figures.items() if value is not None}
        best = max((r for r in known if r != "auto"), key=known.get)
        kind = "R²" if table.is_regression else "accuracy"
        print(
            f"| {name} | {table.n_rows:,} | {kind} | {choice} | {figures['auto']:.3f} "
            f"| {best} | {known[best]:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
