"""What explanations cost: default `penjing fit`, sketches on both engines, whole traces, bytes.

    python bench/explain.py [--rows 1000,10000,100000,1000000] [--recipes id3,c4.5] [--rounds 3]

CPU seconds of a process of its own (user and system), the best of the rounds. Tables have 10
columns, half of them numeric, and a class; 5 % of the values are missing where the recipe takes
them (c4.5-textbook: up to 100,000 rows).
The figures go to bench/results/explain.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from results_file import save

import penjing
from penjing.explain.trace import compute_trace
from penjing.tree.serialize import to_bytes

RECIPES = ("id3", "c4.5-textbook", "c4.5", "j48", "c5.0", "cart", "sklearn")
WITHOUT_MISSING = ("id3",)
MOST_WITH_MISSING = {"c4.5-textbook": 100_000}
"""Above these rows a table has no missing values: each of them goes to all branches, and a tree
that is not pruned has 51 thousand nodes for 10,000 rows, 1.3 million for 100,000."""
CATEGORIES = (3, 5, 8, 12)


def write_table(path: Path, n: int, n_columns: int, missing: float) -> None:
    """Write a CSV of numbers and categories, of which three tell about the class."""
    random = np.random.default_rng(0)
    columns, texts = [], []
    for c in range(n_columns):
        if c % 2 == 0:
            values = np.round(random.normal(size=n), 2 if c % 4 == 0 else 3)
            texts.append([f"{v:g}" for v in values])
        else:
            values = random.integers(0, CATEGORIES[c // 2 % 4], n)
            texts.append([f"v{v}" for v in values])
        columns.append(values)
    z = columns[0] + 0.7 * columns[2] * (columns[1] == 1) + 0.4 * (columns[3] > 2)
    y = np.digitize(z + 0.5 * random.normal(size=n), [-0.5, 0.6])
    for column in texts if missing else ():
        for i in np.flatnonzero(random.random(n) < missing):
            column[i] = ""
    with path.open("w") as file:
        file.write(",".join([*(f"c{i}" for i in range(n_columns)), "y"]) + "\n")
        rows = zip(*texts, ["abc"[v] for v in y], strict=True)
        file.writelines(",".join(row) + "\n" for row in rows)


def cpu_of(command: list[str], rounds: int) -> float:
    """Return the least CPU seconds of a command in a process of its own."""
    best = float("inf")
    for _ in range(rounds):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        if run.returncode:
            sys.exit(f"{' '.join(command)} ended with {run.returncode}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def table_of(folder: Path, recipe: str, n: int, n_columns: int) -> Path:
    """Return the path of a table for a recipe, written when it is first asked for."""
    is_full = recipe in WITHOUT_MISSING or n > MOST_WITH_MISSING.get(recipe, n)
    share = 0.0 if is_full else 0.05
    path = folder / f"{n}-{n_columns}-{share}.csv"
    if not path.exists():
        write_table(path, n, n_columns, share)
    return path


def fit_command(path: Path, recipe: str, model: Path) -> list[str]:
    """Return the command that grows a tree."""
    fit = [sys.executable, "-m", "penjing", "fit", str(path), "-t", "y", "-r", recipe]
    return [*fit, "-o", str(model)]


def commands(folder: Path, rows: list[int], recipes: list[str], rounds: int) -> list[dict]:
    """Return the CPU seconds of `penjing fit` with and without its trace."""
    found = []
    print(f"{'recipe':14}{'rows':>9}{'--no-trace':>12}{'default':>9}{'ratio':>7}{'kept':>6}")
    for n in rows:
        for recipe in recipes:
            model = folder / "m.tree"
            fit = fit_command(table_of(folder, recipe, n, 10), recipe, model)
            plain, default = cpu_of([*fit, "--no-trace"], rounds), cpu_of(fit, rounds)
            kept = penjing.load(model).kept_trace is not None
            row = {"recipe": recipe, "rows": n, "no_trace": plain, "default": default}
            found.append(row | {"ratio": default / plain, "kept": kept})
            print(
                f"{recipe:14}{n:9,}{plain:12.2f}{default:9.2f}{default / plain:7.2f}"
                f"{'yes' if kept else 'no':>6}",
                flush=True,
            )
    return found


def sketches(folder: Path, rows: list[int], recipes: list[str], rounds: int) -> list[dict]:
    """Return the CPU seconds of `penjing fit` with and without sketches, in memory and on disk."""
    found = []
    print(f"\n{'recipe':14}{'rows':>9}{'engine':>8}{'--no-sketch':>13}{'--sketch':>10}{'cost':>8}")
    for n in rows:
        for recipe in recipes:
            path = table_of(folder, recipe, n, 10)
            for engine in ("native", "disk"):
                fit = fit_command(path, recipe, folder / "m.tree")
                fit += ["--engine", engine, "--no-trace"]
                cpu = dict.fromkeys(("--no-sketch", "--sketch"), float("inf"))
                for _ in range(rounds):
                    for option in cpu:
                        cpu[option] = min(cpu[option], cpu_of([*fit, option], 1))
                plain, sketched = cpu.values()
                row = {"recipe": recipe, "rows": n, "engine": engine, "no_sketch": plain}
                found.append(row | {"sketch": sketched, "cost": sketched / plain - 1})
                print(
                    f"{recipe:14}{n:9,}{engine:>8}{plain:13.2f}{sketched:10.2f}"
                    f"{sketched / plain - 1:8.1%}",
                    flush=True,
                )
    return found


def whole_traces(folder: Path, recipes: list[str], rounds: int, n: int) -> list[dict]:
    """Return the CPU seconds of `penjing fit` with its whole trace written to the model."""
    found = []
    print(f"\n{n:,} rows, 20 columns, the trace in the model")
    print(f"{'recipe':14}{'--no-trace':>12}{'--trace':>9}{'ratio':>7}{'MB':>7}")
    for recipe in recipes:
        model = folder / "m.tree"
        fit = fit_command(table_of(folder, recipe, n, 20), recipe, model)
        plain, traced = cpu_of([*fit, "--no-trace"], rounds), cpu_of([*fit, "--trace"], rounds)
        size = model.stat().st_size / 1e6
        found.append({"recipe": recipe, "rows": n, "no_trace": plain, "trace": traced, "mb": size})
        print(f"{recipe:14}{plain:12.2f}{traced:9.2f}{traced / plain:7.2f}{size:7.1f}", flush=True)
    return found


def models(folder: Path, recipes: list[str], rounds: int, n: int) -> list[dict]:
    """Return what a whole trace and sketches cost, and how many bytes a node of a model takes."""
    found = []
    print(f"\n{n:,} rows, 20 columns")
    print(
        f"{'recipe':14}{'fit':>7}{'trace':>8}{'ratio':>7}{'sketch':>8}{'nodes':>9}{'bytes/node':>12}"
    )
    for recipe in recipes:
        path = table_of(folder, recipe, n, 20)
        fits = dict.fromkeys((False, True), float("inf"))
        for _ in range(rounds):
            for sketch in fits:
                table = penjing.read(path, "y")  # a table that was fitted before is faster
                start = time.process_time()
                penjing.fit(table, recipe=recipe, sketch=sketch)
                fits[sketch] = min(fits[sketch], time.process_time() - start)
        tree = penjing.fit(table, recipe=recipe, sketch=True)
        traced = float("inf")
        for _ in range(rounds):
            start = time.process_time()
            compute_trace(tree, table)
            traced = min(traced, time.process_time() - start)
        sketches = len(json.dumps(tree.sketch, separators=(",", ":")))
        bytes_a_node = (len(to_bytes(tree)) - sketches) / tree.n_nodes
        row = {"recipe": recipe, "rows": n, "fit": fits[False], "trace": traced}
        row |= {"ratio": traced / fits[False], "sketch": fits[True] / fits[False] - 1}
        found.append(row | {"nodes": tree.n_nodes, "bytes_a_node": bytes_a_node})
        print(
            f"{recipe:14}{fits[False]:7.2f}{traced:8.2f}{row['ratio']:7.2f}{row['sketch']:8.1%}"
            f"{tree.n_nodes:9,}{bytes_a_node:12.0f}",
            flush=True,
        )
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1000,10000,100000,1000000")
    parser.add_argument("--recipes", default=",".join(RECIPES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model-rows", type=int, default=100_000, help="rows of the second table")
    asked = parser.parse_args()
    chosen = asked.recipes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        sizes = [int(n) for n in asked.rows.split(",") if n]
        figures = {"commands": commands(Path(folder), sizes, chosen, asked.rounds)}
        figures["sketches"] = sketches(Path(folder), sizes, chosen, asked.rounds)
        figures["traces"] = whole_traces(Path(folder), chosen, asked.rounds, asked.model_rows)
        figures["models"] = models(Path(folder), chosen, asked.rounds, asked.model_rows)
    print(save("explain", figures))
