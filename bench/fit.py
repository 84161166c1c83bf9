"""Speed of growing one tree, ours and others', in one run: fresh processes, ratios, JSON kept.

    python bench/fit.py                      every case
    python bench/fit.py "numeric 1M" --depth 8 --tools penjing,sklearn

Peers are what bench/requirements.txt names; a peer that is not installed is left out. Ours is
timed from the NumPy array to the tree, coding included; theirs from the array (or the ordinal
codes) to the fitted model.
"""

# ruff: noqa: ANN001, ANN201, ANN202, ARG001, D103, PLC0415, PLR0917, S603, SLF001, TID251 - a script that talks to many libraries
from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

CASES = [
    ("numeric 1M x 20", "gini", None),
    ("numeric 1M x 20", "gini", 8),
    ("numeric 1M x 20", "gain_ratio", None),
    ("numeric 100k x 20", "gini", None),
    ("mixed 581k x 54", "gini", None),
    ("nominal 1M x 20", "gini", None),
    ("nominal 1M x 20", "gini", 10),
    ("small 150 x 4", "gini", None),
]


def penjing(x, y, criterion, depth, threads):
    from penjing.engines.uncoded import Uncoded

    from penjing.engines.native import Engine
    from penjing.recipe import Recipe
    from penjing.table import Column, Table

    def column(j):
        if x.dtype.kind == "f":
            return Uncoded(f"c{j}", x[:, j])
        return Column(f"c{j}", "nominal", tuple(range(int(x[:, j].max()) + 1)), x[:, j].copy())

    def fit():
        columns = tuple(column(j) for j in range(x.shape[1]))
        target = Column("y", "nominal", tuple(range(int(y.max()) + 1)), y)
        recipe = Recipe("bench", criterion=criterion, max_depth=depth)
        return Engine(Table(columns, target, len(y)), threads=threads).grow(recipe)

    return fit, lambda tree: (tree.n_leaves, tree.depth)


def sklearn(x, y, criterion, depth, threads):
    from sklearn.tree import DecisionTreeClassifier

    named = "gini" if criterion == "gini" else "entropy"
    model = DecisionTreeClassifier(criterion=named, max_depth=depth, random_state=0)
    return lambda: model.fit(x, y), lambda m: (m.get_n_leaves(), m.get_depth())


def hist(x, y, criterion, depth, threads):
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=1,
        max_depth=depth,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        early_stopping=False,
    )
    return lambda: model.fit(x, y), lambda m: (m._predictors[0][0].get_n_leaf_nodes(), None)


def lightgbm(x, y, criterion, depth, threads):
    import lightgbm as lgb

    leaves = 2**depth if depth else 131_072
    settings = {
        "objective": "binary" if y.max() == 1 else "multiclass",
        "num_leaves": leaves,
        "max_depth": depth or -1,
        "min_data_in_leaf": 1,
        "num_threads": threads,
        "verbose": -1,
    }
    if y.max() > 1:
        settings["num_class"] = int(y.max()) + 1
    nominal = list(range(x.shape[1])) if x.dtype.kind == "i" else "auto"

    def fit():
        data = lgb.Dataset(x, y, categorical_feature=nominal)
        return lgb.train(settings, data, num_boost_round=1)

    return fit, lambda m: (m.dump_model()["tree_info"][0]["num_leaves"], None)


def xgboost(x, y, criterion, depth, threads):
    import xgboost as xgb

    settings = {
        "objective": "binary:logistic" if y.max() == 1 else "multi:softprob",
        "max_depth": depth or 0,
        "tree_method": "hist",
        "min_child_weight": 0,
        "lambda": 0,
        "nthread": threads,
    }
    if y.max() > 1:
        settings["num_class"] = int(y.max()) + 1
    return lambda: xgb.train(settings, xgb.QuantileDMatrix(x, y, nthread=threads), 1), lambda _: (
        None,
        None,
    )


TOOLS = {
    "penjing": penjing,
    "sklearn": sklearn,
    "hist": hist,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
}


def one(tool, table, criterion, depth, threads, repeat):
    """Run one case in this process; print what it took."""
    from workloads import TABLES

    x, y = TABLES[table]()
    fit, shape = TOOLS[tool](x, y, criterion, depth, threads)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu, model = [], [], None
    for _ in range(repeat):
        start, used = time.perf_counter(), time.process_time()
        model = fit()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    leaves, deep = shape(model)
    said = {"wall": min(wall), "cpu": min(cpu), "leaves": leaves, "depth": deep}
    print(json.dumps(said | {"extra_mb": (peak - before) / 1024}, default=int))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="?", default="")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--depth", type=int)
    parser.add_argument("--criterion")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--one", nargs=6)
    asked = parser.parse_args()
    if asked.one:
        tool, table, criterion, depth, threads, repeat = asked.one
        one(tool, table, criterion, int(depth) or None, int(threads), int(repeat))
        return
    kept = []
    for table, criterion, depth in CASES:
        if asked.case not in table or asked.depth not in (None, depth):
            continue
        if asked.criterion not in (None, criterion):
            continue
        for threads in asked.threads.split(","):
            for tool in asked.tools.split(","):
                if tool == "sklearn" and threads != "1":
                    continue
                repeat = 1 if tool == "sklearn" and "1M" in table else asked.repeat
                repeat = 200 if "150" in table else repeat
                command = [sys.executable, __file__, "--one", tool, table, criterion]
                command += [str(depth or 0), threads, str(repeat)]
                limits = {"OMP_NUM_THREADS": threads, "LOKY_MAX_CPU_COUNT": threads}
                done = subprocess.run(
                    command, capture_output=True, text=True, env=os.environ | limits, check=False
                )
                if done.returncode:
                    print(f"{tool}: left out ({done.stderr.strip().splitlines()[-1]})")
                    continue
                said = json.loads(done.stdout.strip().splitlines()[-1])
                row = {"table": table, "criterion": criterion, "max_depth": depth}
                kept.append(row | {"tool": tool, "threads": int(threads)} | said)
                print(
                    f"{table:18} {criterion:10} depth {depth or '-'!s:3} {tool:9} "
                    f"{threads} thread(s): {said['wall']:9.4f} s wall {said['cpu']:9.4f} s cpu, "
                    f"{said['leaves']} leaves, {said['extra_mb']:.0f} MB",
                    flush=True,
                )
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    name = results / f"fit-{time.strftime('%Y%m%d-%H%M%S')}.json"
    name.write_text(json.dumps({"numpy": np.__version__, "rows": kept}, indent=1), "utf-8")
    print(f"kept in {name}")


if __name__ == "__main__":
    main()
