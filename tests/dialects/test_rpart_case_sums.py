"""Sums in rpart's order: its trees and tables even where rounding decides, judged by R itself."""

from __future__ import annotations

import csv
import random
import subprocess
from itertools import pairwise

import numpy as np
import pytest

import penjing
from penjing.data.table import Column, numeric
from penjing.dialects.rpart.cp_table import lower_first
from penjing.dialects.rpart.sorted_rows import ranks, sorted_rows
from penjing.errors import ChoiceError
from reference.live_rpart import NO_R, has_rpart

SCRIPT = """
suppressMessages(library(rpart))
d <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = FALSE, na.strings = "")
d$g <- factor(d$g, levels = c("a", "b", "c", "d", "e"))
d$h <- factor(d$h, levels = c("u", "v", "w"))
groups <- (seq_len(nrow(d)) - 1) %% 4 + 1
control <- rpart.control(cp = 0.002, minsplit = 4, minbucket = 1, xval = groups)
f <- rpart(y ~ ., d, method = "anova", control = control)
cat(paste(f$frame$var, f$frame$n), sep = "\\n")
cat("--\\n")
cat(apply(f$cptable, 1, function(r) paste(sprintf("%.12f", r), collapse = " ")), sep = "\\n")
"""


def full_of_ties(path, seed):
    """Write a table of few values, in which many divisions gain the same."""
    r = random.Random(seed)
    whole, missing = r.random() < 0.5, r.random() < 0.5
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["y", "x", "z", "t", "g", "h"])
        for _ in range(r.choice([30, 60, 120])):
            row = [r.randrange(-8, 8), r.randrange(30) / 10, r.randrange(4)]
            row += [r.choice("abcde"), r.choice("uvw")]
            row = ["" if missing and r.random() < 0.1 else value for value in row]
            y = r.randrange(12)
            out.writerow([y + 0.5 if whole else y / 10, *row])


def told(tree):
    """Return what rpart tells of its nodes, depth first: the column and how many rows."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        sons = lower_first(tree, node)
        name = "<leaf>" if sons is None else tree.schema[tree.nodes.column[node]].name
        found.append(f"{name} {tree.weight[node]:.0f}")
        waiting += [] if sons is None else [sons[1], sons[0]]
    return found


@pytest.mark.skipif(not has_rpart(), reason=NO_R)
@pytest.mark.parametrize("seed", range(12))
def test_trees_and_tables_are_those_of_r(tmp_path, seed):
    full_of_ties(tmp_path / "ties.csv", seed)
    (tmp_path / "grow.R").write_text(SCRIPT)
    r = subprocess.run(
        ["Rscript", "grow.R", "ties.csv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    nodes, table = r.stdout.split("--\n")
    for engine in ("memory", "native"):
        tree = penjing.fit(
            tmp_path / "ties.csv", target="y", recipe="rpart", cp=0.002, minsplit=4, minbucket=1,
            xval=4, sums="cases", engine=engine,
        )  # fmt: skip
        assert told(tree) == nodes.split("\n")[:-1]
        expected = [[float(word) for word in line.split()] for line in table.strip().split("\n")]
        np.testing.assert_allclose(tree.about["cp_table"], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 11, 12, 13, 100, 3000])
@pytest.mark.parametrize("n_values", [1, 2, 7, 10_000])
def test_rows_are_sorted(n, n_values):
    rng = np.random.default_rng(n)
    values = rng.integers(-n_values, n_values, n) / 3
    values[rng.random(n) < 0.1] = np.nan
    column = numeric("x", values)
    rows = sorted_rows(column)
    assert sorted(rows.tolist()) == list(range(n))
    # A missing value lies where 0 would.
    assert all(a <= b for a, b in pairwise(np.nan_to_num(values)[rows].tolist()))
    assert (rows[ranks(column)[rows]] == rows).all()


def test_nominal_columns_are_not_sorted():
    column = Column("g", "nominal", ("a", "b"), np.array([1, 0, 1], np.int32))
    assert sorted_rows(column) is None
    assert ranks(column) is None


def test_sums_are_one_of_two_words():
    with pytest.raises(ChoiceError, match="cases"):
        penjing.fit(penjing.example("fish"), recipe="rpart", sums="all")
