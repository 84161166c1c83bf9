"""Speed of growing one tree, ours and others', in one run: fresh processes, ratios, JSON kept.

    python bench/fit.py                            every case, 1 and 2 threads
    python bench/fit.py "numeric 1M" --depth 8     one case
    python bench/fit.py --tools penjing,sklearn    some programs only

Peers are what bench/requirements.txt names; one that is not installed, or cannot do a case, is
left out and said so. Every time is from the array or frame to the fitted model: our coding and
their encoding and binning included. Beside each time: leaves, depth, the share of its own rows
that the tree gets right (of a number: 1 - error / variance), and the memory that fitting took
beyond what was there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import numpy as np
from peers import NAMES, TOOLS, CannotError
from results_file import RESULTS, merge_rows, new_run, save

HERE = Path(__file__).resolve().parent

CASES = [
    ("numeric 1M x 20", "gini", None, TOOLS),
    ("numeric 1M x 20", "gini", 8, TOOLS),
    ("numeric 1M x 20", "ratio", None, ("penjing", "sklearn")),
    ("numeric 100k x 20", "gini", None, TOOLS),
    ("mixed 581k x 54", "gini", None, ("penjing", "sklearn", "hist", "ydf")),
    ("categories 1M x 20", "gini", None, ("penjing", "sklearn", "hist", "lightgbm")),
    ("categories 1M x 20", "gini", 10, TOOLS),
    ("categories 1M x 20", "binary", 10, TOOLS),
    ("strings 1M x 20", "gini", None, ("penjing", "sklearn")),
    ("10,000 levels 1M x 8", "binary", 8, TOOLS),
    ("26 classes 200k x 16", "gini", None, ("penjing", "sklearn", "hist", "ydf")),
    ("1,000 classes 100k x 20", "gini", 12, ("penjing", "sklearn", "ydf")),
    ("10 % missing 1M x 20", "missing", 8, TOOLS),
    ("regression 1M x 20", "number", 8, TOOLS),
    ("regression 1M x 20", "number", None, ("penjing", "sklearn", "ydf")),
    ("wide 5k x 5k", "gini", None, TOOLS),
    ("small 150 x 4", "gini", None, TOOLS),
]
SLOW = {"sklearn", "ydf"}
ENOUGH = 3.0
"""Seconds after which a program that was run often enough is not run again."""


def memory():
    """Return the resident memory and its peak, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    said = dict(line.split(":", 1) for line in lines if ":" in line)
    return tuple(int(said[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))


def one(tool, table, task, depth, threads, repeat):
    """Run one case in this process; print what it took."""
    from workloads import TABLES

    x, y = TABLES[table]()
    fit, size, answers = TOOLS[tool](x, y, task, depth, threads)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak starts here
    before, _ = memory()
    wall, cpu, model, peak = [], [], None, 0.0
    while len(wall) < repeat or (repeat > 1 and sum(wall) < ENOUGH and len(wall) < 10):
        start, used = time.perf_counter(), time.process_time()
        model = fit()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
        peak = peak or memory()[1] - before  # of the first, which starts from nothing
    leaves, deep = size(model)
    found = np.asarray(answers(model))
    if task == "number":
        right = 1 - float(((found - y) ** 2).mean() / y.var())
    else:
        right = float((found.astype(y.dtype) == y).mean())
    said = {"wall": min(wall), "cpu": min(cpu), "leaves": leaves, "depth": deep, "right": right}
    print(json.dumps(said | {"extra_mb": peak}, default=int))


def run(tool, table, task, depth, threads, repeat):
    command = [sys.executable, __file__, "--one", tool, table, task]
    command += [str(depth or 0), str(threads), str(repeat)]
    limits = {"OMP_NUM_THREADS": str(threads), "LOKY_MAX_CPU_COUNT": str(threads)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | limits, check=False
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return json.loads(done.stdout.strip().splitlines()[-1])


def repeats(tool, table, asked):
    if "150" in table:
        return 300
    return 1 if tool in SLOW and "1M" in table else asked


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="?", default="")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--depth", type=int)
    parser.add_argument("--task")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--table", help="print the table of ratios of a file in bench/results")
    parser.add_argument("--one", nargs=6)
    asked = parser.parse_args()
    if asked.one:
        tool, table, task, depth, threads, repeat = asked.one
        try:
            one(tool, table, task, int(depth) or None, int(threads), int(repeat))
        except CannotError as no:
            sys.exit(str(no))
        return
    if asked.table:
        print(ratios(json.loads(Path(asked.table).read_text("utf-8"))["rows"]))
        return
    measure(asked)


def measure(asked):
    """Run the cases that are asked for, one process after the other."""
    path = RESULTS / "fit.json"
    earlier = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    rows, run_name = [], new_run()
    for table, task, depth, tools in CASES:
        if asked.case not in table or asked.depth not in {None, depth}:
            continue
        if asked.task not in {None, task}:
            continue
        for threads in map(int, asked.threads.split(",")):
            for tool in tools:
                if tool not in asked.tools.split(",") or (tool == "sklearn" and threads > 1):
                    continue
                said = run(tool, table, task, depth, threads, repeats(tool, table, asked.repeat))
                row = {"table": table, "task": task, "max_depth": depth, "tool": tool}
                row |= {"threads": threads, "run": run_name}
                if isinstance(said, str):
                    row["left_out"] = said
                    print(f"{table}, {tool}, {threads} thread(s): left out ({said})", flush=True)
                else:
                    row |= said
                    print(
                        f"{table:24} {task:7} depth {depth or '-'!s:3} {tool:9} "
                        f"{threads} thread(s): {said['wall']:9.4f} s wall {said['cpu']:9.4f} s cpu "
                        f"{said['leaves']} leaves {said['right']:.4f} {said['extra_mb']:.0f} MB",
                        flush=True,
                    )
                rows.append(row)
                keep(merge_rows(earlier, rows))
    print(f"kept in {path.relative_to(HERE.parent)}\n")
    print(ratios(rows))


def keep(rows):
    """Write the figures so far as JSON."""
    about = {"python": platform.python_version(), "cpu": cpu_name(), "cores": os.cpu_count()}
    for package in ("numpy", "scikit-learn", "lightgbm", "xgboost", "ydf"):
        try:
            about[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            about[package] = None
    save("fit", {"about": about, "rows": rows})


def cpu_name():
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")


def ratios(rows):
    """Return how many times as long each peer takes as penjing with the same number of threads.

    scikit-learn has one thread: its time stands against ours with one and with two.
    """
    tools = [tool for tool in NAMES if tool != "penjing"]
    lines = [
        "| table | depth | threads | penjing | leaves | right | memory | "
        + " | ".join(NAMES[tool] for tool in tools)
        + " |",
        "|---" * (7 + len(tools)) + "|",
    ]
    done = {
        (r["run"], r["table"], r["task"], r["max_depth"], r["threads"], r["tool"]): r
        for r in rows
        if "wall" in r
    }
    for (run_name, table, task, depth, threads, tool), ours in done.items():
        if tool != "penjing":
            continue
        cells = []
        for peer in tools:
            at = 1 if peer == "sklearn" else threads
            theirs = done.get((run_name, table, task, depth, at, peer))  # of the same run only
            cells.append(
                f"{theirs['wall'] / ours['wall']:.1f}× ({theirs['right']:.3f}, "
                f"{theirs['extra_mb']:.0f} MB)"
                if theirs
                else "–"
            )
        what = {"ratio": ", gain ratio", "binary": ", two branches"}.get(task, "")
        took = f"{ours['wall'] * 1e3:.3g} ms" if ours["wall"] < 1 else f"{ours['wall']:.2f} s"
        lines.append(
            f"| {table}{what} | {depth or 'full'} | {threads} | {took} | {ours['leaves']:,} | "
            f"{ours['right']:.3f} | {ours['extra_mb']:.0f} MB | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
