"""python -m tests.reference.live_rpart: random tables, grown by R's rpart and by penjing.

usage: python -m tests.reference.live_rpart [--tables 400] [--seed 0] [-v]

One process of R grows all trees. Compared are frame (variable, n, wt, dev, yval, complexity),
splits, surrogates, the table of complexities, and the predictions of the training rows and of
50 new ones. Each table is counted as one of:

identical    nothing differs
slip         all is as rpart would have it without slips of its own that are not repeated here
             (docs/en/explanation/fidelity.md); which ones, is said
tie          where they part, both choices are worth the same in 120 digits; with our choice
             there, rpart by the letter gives all that we give
NaN          the same but for numbers of which R has none: those of a root without risk
refuses      R grows no tree
DIFFERENT    anything else

The exit status is 0 if nothing is different, 1 if something is, 2 if R or rpart is not there.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # `reference`, as the tests call it
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np

import penjing
from penjing.api.tree import Tree
from penjing.dialects.rpart import RPART_RECIPE as RPART
from penjing.dialects.rpart.dialect import case_risk, risks_of
from penjing.engines.memory import Engine
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import reader_of
from reference.rpart_comparison import Told, differences, from_r, ours
from reference.rpart_reimplementation import SLIPS, Letter
from reference.rpart_tables import Case, case_of, in_r
from reference.rpart_ties import settled
from user_trees import grow

SCRIPT = Path(__file__).with_name("rpart_live.R")
KINDS = ("identical", "slip", "tie", "NaN", "refuses", "DIFFERENT")
NO_R = "R and its package rpart are not installed"


@cache
def has_rpart() -> bool:
    """Whether R and its package rpart are installed."""
    r = shutil.which("Rscript")
    return r is not None and not subprocess.run(
        [r, "-e", "library(rpart)"], capture_output=True, check=False
    ).returncode  # fmt: skip


def told_by_r(cases: list[Case]) -> list[Told]:
    """Return R's trees; one process grows them all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.R")
        path.write_text("\n".join(in_r(case) for case in cases), encoding="utf-8")
        done = subprocess.run(["Rscript", SCRIPT, path], capture_output=True, text=True, check=True)
    parts = done.stdout.split("case\t")[1:]
    return [
        from_r(part.split("\n", 1)[1], {c.name: c for c in case.table.columns})
        for case, part in zip(cases, parts, strict=True)
    ]


class Ours:
    """The tree of a case that penjing grows, the same by both engines."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.tree: Tree = self._grown("memory")
        self.is_same = self.tree.to_json() == self._grown("native").to_json()
        self._grew = while_growing(case)

    def _grown(self, engine: str) -> Tree:
        return penjing.fit(self.case.table, recipe="rpart", engine=engine, **self.case.settings)

    def told(self, like: Told) -> Told:
        """Return it as R would print it."""
        return ours(self.tree, self._grew, self.case.table, self.case.new, like)


def while_growing(case: Case) -> tuple[np.ndarray, list[float]]:
    """Return how many rows each node of our tree had while it grew, and its risk."""
    recipe = RPART.but(**case.settings)
    table = recipe.prepared(case.table)
    recipe = recipe.fits(table)
    reader = reader_of(table, recipe.options.costs(table), centred=recipe.options.centred)
    engine = Engine(table, recipe.missing, reader=reader)
    growth = TreeBuilder(reader)
    if case.settings.get("sums") == "cases":
        root = case_risk(engine, growth, 0)
    else:
        root = float(reader.loss(engine.totals(growth, [0]).cells[0]))
    options = replace(recipe.options, alpha=recipe.options.cp * root)
    tree = grow(engine, replace(recipe, options=options))
    found = engine.totals(tree, range(len(tree.nodes)))
    risks = risks_of(tree, engine, recipe) or tree.losses.tolist()
    return (tree.weight if found.rows is None else found.rows), risks


def verdict(case: Case, there: Told) -> tuple[str, str]:
    """Return what a case is counted as, and why."""
    if there.refusal is not None:
        return "refuses", there.refusal
    mine = Ours(case)
    if not mine.is_same:
        return "DIFFERENT", "the engines memory and native grow different trees"
    found = differences(mine.told(there), there)
    if not found:
        return ("NaN", "the root has no risk") if has_nan(there) else ("identical", "")
    letter = differences(Letter(case).told(), there)
    if letter:
        return "DIFFERENT", f"rpart by the letter is not R's: {letter[0]}"
    for slips in fewer(SLIPS):
        left_out = ", ".join(sorted(SLIPS - slips))
        ties = settled(case, slips, mine.told)
        if ties is not None:
            kind = "slip" if left_out else "tie"
            return kind, "; ".join([left_out, *ties] if left_out else ties)
    return "DIFFERENT", found[0]


def fewer(slips: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield all of these, then all but one, and so on."""
    for n in range(len(slips) + 1):
        for gone in combinations(sorted(slips), n):
            yield slips - set(gone)


def has_nan(told: Told) -> bool:
    return any(math.isnan(v) for row in told.cp for v in row)


def main(argv: list[str] | None = None) -> int:
    words = argparse.ArgumentParser(
        prog="python -m tests.reference.live_rpart", description=__doc__.split("\n")[0]
    )
    words.add_argument("--tables", type=int, default=400, help="how many (400)")
    words.add_argument("--seed", type=int, default=0, help="the first table's seed (0)")
    words.add_argument("-v", "--verbose", action="store_true", help="a line for every table")
    asked = words.parse_args(argv)
    if not has_rpart():
        sys.stderr.write(f"{NO_R}\n")
        return 2
    cases = [case_of(asked.seed + i) for i in range(asked.tables)]
    counts: Counter[str] = Counter()
    for case, there in zip(cases, told_by_r(cases), strict=True):
        kind, why = verdict(case, there)
        counts[kind] += 1
        if asked.verbose or kind not in ("identical", "NaN"):
            sys.stdout.write(f"{case.seed} {kind}{': ' if why else ''}{why}\n")
            sys.stdout.flush()
    sys.stdout.write(", ".join(f"{kind} {counts[kind]}" for kind in KINDS) + "\n")
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
