"""Speed of two builds of penjing, side by side: alternating fresh processes, least CPU of each.

    python bench/compare_builds.py OLD_SRC NEW_SRC [--rounds 9] [--only WORDS] [--json FILE]

OLD_SRC and NEW_SRC are `src` folders with a built extension; they are put on PYTHONPATH, and
every process says whether penjing really came from there. Only what users call is called, so that
one script serves builds whose modules differ. Every row of the table is one process per build and
round; old and new take turns in going first. Within a process short work is repeated for a
moment, and the least CPU time counts, all threads included. Tables are made from seeds, once, by
this script.

A restructuring passes if the geometric mean of new / old is at most 1.03, and no row is above
1.15 in two such runs.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MEAN, MOST = 1.03, 1.15
"""What the mean of all ratios, and each ratio, may be."""
MOMENT = 0.2
"""Seconds of CPU for which short work is repeated."""
LONG = 0.9
"""Work of more seconds is done once a process; it has been tried on few rows before."""
BATCH = 0.01
"""Work is timed in batches that take at least so long."""
SPAWNED = {"import penjing": 5, "import every name": 2, "penjing --help": 3}
"""How many processes a row has in a round, if not one: what a process can do only once."""


# -- tables, made once by the parent --------------------------------------------------------


def make_tables(folder):
    """Write every table to a folder, as arrays and files."""
    rng = np.random.default_rng(0)

    def keep(name, **arrays):
        for key, values in arrays.items():
            np.save(folder / f"{name}-{key}.npy", values)

    x, y = numbers(rng, 200_000, 20)
    keep("numeric", x=x, y=y)
    keep("many", x=np.ascontiguousarray(np.resize(x, (1_000_000, 20))))
    n_levels = rng.integers(5, 51, 20)
    codes = np.column_stack([rng.integers(0, k, 200_000) for k in n_levels]).astype(np.int32)
    score = sum(rng.normal(size=n_levels[j])[codes[:, j]] for j in range(8))
    keep("codes", x=codes, n=n_levels, y=(score + rng.normal(size=200_000) > 0).astype(np.int32))
    x = rng.normal(size=(200_000, 10))
    y = np.sin(2 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 + np.abs(x[:, 3])
    keep("regression", x=x, y=y + rng.normal(size=200_000) * 0.3)
    y = rng.integers(0, 26, 100_000).astype(np.int32)
    centres = rng.integers(2, 14, (26, 16))
    keep("letters", x=np.clip(rng.normal(centres[y], 2.5).round(), 0, 15), y=y)
    y = np.repeat(np.arange(3, dtype=np.int32), 50)
    keep("small", x=rng.normal(size=(150, 4)) + y[:, None] * 1.5, y=y)
    keep("noise", x=rng.normal(size=(40_000, 5)), y=rng.integers(0, 2, 40_000).astype(np.int32))
    make_mixed(folder, rng)


def numbers(rng, n, width):
    """Return numbers, half of which tell of one of two classes, and the classes; 10 % flipped."""
    cluster = rng.integers(0, 4, n)
    x = rng.normal(size=(n, width))
    x[:, : width // 2] += (rng.normal(size=(4, width // 2)) * 1.5)[cluster]
    return x, ((cluster % 2) ^ (rng.random(n) < 0.1)).astype(np.int32)


def make_mixed(folder, rng):
    """Write numbers and names, 5 % missing, as Parquet and as CSV files of several lengths."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = 200_000
    z = rng.normal(size=(n, 6))
    pull = z @ rng.normal(size=(6, 3)) + rng.gumbel(size=(n, 3))
    whole, gaps = {}, {}
    for j in range(10):
        whole[f"x{j}"] = (z[:, j % 6] + rng.normal(size=n) * 0.5).round((1, 2, 3, 6, 6)[j % 5])
        k = int(rng.integers(2, 13))
        level = (z[:, :4] @ rng.normal(size=(4, k)) * 0.6 + rng.gumbel(size=(n, k))).argmax(1)
        whole[f"c{j}"] = np.array([f"v{i}" for i in range(k)])[level]
    for name, values in whole.items():
        gaps[name] = pa.array(values[:100_000], mask=rng.random(100_000) < 0.05)
    classes = np.array(["a", "b", "c"])[pull.argmax(1)]
    table = pa.table(whole | {"class": classes})
    pq.write_table(table, folder / "whole.parquet")
    pq.write_table(table.slice(0, 500), folder / "short.parquet")
    pq.write_table(pa.table(gaps | {"class": classes[:100_000]}), folder / "gaps.parquet")
    for name, rows, width in (("large", 50_000, 10), ("short", 500, 6)):
        columns = [*list(whole.values())[:width], classes]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*list(whole)[:width], "class"])
            writer.writerows(zip(*(c[:rows].tolist() for c in columns), strict=True))


# -- the work, in a process of its own ------------------------------------------------------
# Each function below makes its table and returns what is timed; that returns what it made, of
# which a size is kept, so that nobody compares two different works.


def arrays(name, n=None, width=None):
    """Return rows and classes of a table in the current folder."""
    x, y = (np.load(f"{name}-{key}.npy") for key in ("x", "y"))
    return np.ascontiguousarray(x[:n, :width]), y[:n]


def fits(name, recipe, n=None, width=None, **settings):
    """Return what fits a table of numbers by a recipe."""

    def start():
        import penjing

        x, y = arrays(name, n, width)
        settings.setdefault("threads", 1)
        penjing.fit(x[:100], y[:100], recipe, **settings)  # imports what it needs
        return lambda: penjing.fit(x, y, recipe, **settings)

    return start


def fits_names(recipe, n, width, *, as_text, **settings):
    """Return what fits a frame of categories, or of the same as strings."""

    def start():
        import pandas as pd

        import penjing

        codes, y = arrays("codes", n, width)
        levels = [
            [f"c{j} level {v}" for v in range(k)] for j, k in enumerate(np.load("codes-n.npy"))
        ]
        columns = {
            f"c{j}": pd.Categorical.from_codes(codes[:, j], levels[j])
            for j in range(codes.shape[1])
        }
        frame = pd.DataFrame(columns)
        if as_text:
            frame = frame.astype(object)
        return lambda: penjing.fit(frame, y, recipe, threads=1, **settings)

    return start


def fits_gaps(recipe, n=None, **settings):
    """Return what fits the mixed table with missing values; reading it is not timed."""

    def start():
        import pyarrow.parquet as pq

        import penjing

        rows = pq.read_table("gaps.parquet")
        penjing.fit(penjing.read(rows.slice(0, 100), "class"), recipe=recipe, **settings)
        table = penjing.read(rows.slice(0, n), "class")
        return lambda: penjing.fit(table, recipe=recipe, threads=1, **settings)

    return start


def on_one_core():
    """Let DuckDB have one thread: what its threads spend on waiting is different each time."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def fits_file(engine, **settings):
    """Return what fits the Parquet file by an engine."""

    def start():
        import penjing

        on_one_core()
        settings.update(engine=engine, recipe="cart-binary")
        penjing.fit("short.parquet", "class", **settings)  # imports what it needs
        return lambda: penjing.fit("whole.parquet", "class", **settings)

    return start


def fits_in_duckdb():
    import duckdb

    import penjing

    on_one_core()
    path = f"rows-{os.getpid()}.db"
    with duckdb.connect(path) as link:
        link.execute("CREATE TABLE rows AS SELECT * FROM 'short.csv'")
    return lambda: penjing.fit(f"duckdb:{path}", "class", "id3", engine="duckdb", query="rows")


def predicts_many():
    import penjing

    tree = penjing.fit(*arrays("numeric", 50_000), "cart-textbook", max_depth=16)
    rows = np.load("many-x.npy")
    return lambda: tree.predict(rows)


def predicts_one(kind):
    """Return what asks a tree about one row."""

    def start():
        import penjing

        x, y = arrays("small")
        tree = penjing.fit(x, y, "cart-textbook")
        row = x[:1]
        if kind == "dict":
            row = dict(zip([field.name for field in tree.schema], x[0].tolist(), strict=True))
        return lambda: tree.predict(row)

    return start


def reads():
    import penjing

    on_one_core()
    return lambda: penjing.read("large.csv", "class")


def prunes(method, **options):
    """Return what prunes a fully grown tree."""

    def start():
        import penjing

        tree = penjing.fit(*arrays("numeric", 30_000, 10), "cart-textbook")
        return lambda: tree.prune(method, **options)

    return start


def saves_and_loads():
    import penjing

    tree = penjing.fit(*arrays("noise"), "cart-binary")
    path = f"model-{os.getpid()}.json"

    def work():
        tree.save(path)
        return penjing.load(path)

    return work


def of_200_leaves(call):
    """Return what makes a text of a tree of about 200 leaves."""

    def start():
        import penjing

        tree = penjing.fit(*arrays("noise", 640), "cart-binary")
        return lambda: call(tree)

    return start


def of_a_loaded_model(call):
    """Return what makes a text of such a tree without its training rows, so without their data."""

    def start():
        import penjing

        path = f"loaded-{os.getpid()}.json"
        penjing.fit(*arrays("noise", 640), "cart-binary").save(path)
        tree = penjing.load(path)
        return lambda: call(tree)

    return start


def imports(code):
    """Return the code that is run and timed as it is, by a process that has done nothing yet."""
    return lambda: code


EVERY_NAME = "import penjing; [getattr(penjing, name) for name in penjing.__all__]"

ROWS = {
    "import penjing": imports("import penjing"),
    "import every name": imports(EVERY_NAME),
    "fit 150 x 4": fits("small", "cart-textbook"),
    "fit 150 x 4, c4.5": fits("small", "c4.5"),
    "fit 150 x 4, engine memory": fits("small", "cart-textbook", engine="memory"),
    "numeric 200k x 20, depth 8": fits("numeric", "cart-textbook", max_depth=8),
    "the same, 2 threads": fits("numeric", "cart-textbook", max_depth=8, threads=2),
    "numeric 100k x 20, full": fits("numeric", "cart-textbook", 100_000),
    "gain ratio 100k x 20": fits("numeric", "c4.5-textbook", 100_000, max_depth=10),
    "categories 200k x 20": fits_names("cart-textbook", 200_000, 20, as_text=False),
    "categories 200k x 20, binary": fits_names(
        "cart-binary", 200_000, 20, as_text=False, max_depth=10
    ),
    "strings 100k x 10": fits_names("cart-textbook", 100_000, 10, as_text=True),
    "5 % missing 100k x 20, c4.5": fits_gaps("c4.5"),
    "5 % missing 100k x 20, j48": fits_gaps("j48"),
    "5 % missing 100k x 20, c4.5-textbook": fits_gaps("c4.5-textbook", max_depth=6),
    "5 % missing 1k x 20, c5.0": fits_gaps("c5.0", 1_000),
    "rpart 50k x 10": fits("numeric", "rpart", 50_000, 10),
    "sklearn 50k x 10": fits("numeric", "sklearn", 50_000, 10),
    "regression 200k x 10": fits("regression", "cart-textbook", max_depth=8),
    "26 classes 100k x 16": fits("letters", "cart-textbook", max_depth=10),
    "best first, 50 leaves, 5k x 8": fits("numeric", "cart-binary", 5_000, 8, max_leaves=50),
    "engine disk, Parquet 200k x 20": fits_file("disk", max_depth=8, threads=1),
    "engine duckdb, 500 x 6": fits_in_duckdb,
    "predict 1M rows": predicts_many,
    "predict one row, a dict": predicts_one("dict"),
    "predict one row, an array": predicts_one("array"),
    "read CSV 50k x 10": reads,
    "trace 2,000 x 8": fits("numeric", "cart-textbook", 2_000, 8, trace=True),
    "prune pessimistic": prunes("pessimistic"),
    "prune error-based": prunes("error-based", raise_branches=False),
    "prune cost-complexity": prunes("cost-complexity", cp=0.001),
    "save and load 20k nodes": saves_and_loads,
    "export sql": of_200_leaves(lambda tree: tree.export("sql")),
    "export c": of_200_leaves(lambda tree: tree.export("c")),
    "draw text": of_200_leaves(lambda tree: tree.draw()),
    "draw svg": of_200_leaves(lambda tree: tree.write("svg")),
    "draw html": of_200_leaves(lambda tree: tree.write("html")),
    "draw svg of a loaded model": of_a_loaded_model(lambda tree: tree.write("svg")),
    "draw html of a loaded model": of_a_loaded_model(lambda tree: tree.write("html")),
}
COMMANDS = {
    "penjing --help": ["--help"],
    "penjing fit 500 x 6": ["fit", "short.csv", "-t", "class", "-r", "id3"],
}
"""Commands are timed from outside: a whole process, the system's time included."""


def size_of(made):
    """Return a number that is the same where the same was made."""
    for name in ("n_nodes", "n_rows"):
        if hasattr(made, name):
            return int(getattr(made, name))
    return len(made) if hasattr(made, "__len__") and not isinstance(made, str) else None


def timed(work, n):
    """Return the CPU seconds of doing some work n times, for each time."""
    start = time.process_time()
    for _ in range(n):
        work()
    return (time.process_time() - start) / n


def least(work):
    """Return the least CPU seconds of some work, and the size of what it made."""
    gc.collect()
    gc.freeze()  # what was there before is not looked through again and again
    start = time.process_time()
    made = work()
    first = time.process_time() - start
    size = size_of(made)
    del made
    if first > LONG:
        return first, size
    warm = timed(work, 1)  # the first time may have imported something
    n = math.ceil(BATCH / max(warm, 1e-9))
    times, spent = [warm] if n == 1 else [], warm
    while not times or spent < MOMENT:
        times.append(timed(work, n))
        spent += times[-1] * n
    return min(times), size


def child(row, source):
    """Do one row in this process and print what it took."""
    started = ROWS[row]()
    if isinstance(started, str):
        start = time.process_time()
        exec(started, {})  # noqa: S102 - it is written above
        seconds, size = time.process_time() - start, None
    else:
        seconds, size = least(started)
    import penjing

    where = Path(penjing.__file__).resolve()
    assert where.is_relative_to(Path(source).resolve()), f"{where} is not in {source}"
    print(json.dumps({"seconds": seconds, "size": size}))


# -- the parent -----------------------------------------------------------------------------


def environment(source):
    """Return the environment in which penjing comes from a folder, and from nowhere else.

    Modules are compiled once, as on a user's machine: their bytecode goes to the current folder.
    Freed memory stays with the process: otherwise the C library returns it after one fit and not
    after the next, as the rest of the heap happens to lie, and the work takes up to 1.4 times as
    long for the same build.
    """
    ours = {"PYTHONPATH": str(source), "PYTHONSAFEPATH": "1", "COLUMNS": "100", "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8", "PYTHONPYCACHEPREFIX": "bytecode",
            "MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**32)}  # fmt: skip
    theirs = ("PYTHONSTARTUP", "PYTHONDONTWRITEBYTECODE")
    return {key: value for key, value in os.environ.items() if key not in theirs} | ours


def run_row(row, source, folder):
    """Return the CPU seconds of a row by a build, and the size of what it made."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", row, str(source)]
    best = (math.inf, None)
    for _ in range(SPAWNED.get(row, 1)):
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=folder,
            env=environment(source),
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{row}, {source}:\n{done.stderr}")
        told = json.loads(done.stdout.splitlines()[-1])
        best = min(best, (told["seconds"], told["size"]), key=lambda pair: pair[0])
    return best


def run_command(row, source, folder):
    """Return the CPU seconds of a whole process, and how much it printed."""
    best = (math.inf, None)
    for _ in range(SPAWNED.get(row, 1)):
        process = subprocess.Popen(
            [sys.executable, "-m", "penjing", *COMMANDS[row]],
            cwd=folder, env=environment(source), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        text = process.stdout.read()
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{row}, {source}:\n{text.decode()}")
        best = min(best, (used.ru_utime + used.ru_stime, None), key=lambda pair: pair[0])
    return best


def measure(sources, rows, n_rounds, folder):
    """Return the least seconds of every row and build, and rows whose work is not the same."""
    seconds = {row: dict.fromkeys(sources, math.inf) for row in rows}
    sizes = {row: {} for row in rows}
    for i in range(n_rounds):
        began = time.perf_counter()
        for j, row in enumerate(rows):
            run = run_command if row in COMMANDS else run_row
            order = list(sources) if (i + j) % 2 == 0 else list(sources)[::-1]
            for build in order:
                took, size = run(row, sources[build], folder)
                seconds[row][build] = min(seconds[row][build], took)
                sizes[row][build] = size
        took = time.perf_counter() - began
        print(f"round {i + 1} of {n_rounds}: {took:.0f} s", file=sys.stderr, flush=True)
    return seconds, [row for row in rows if len(set(sizes[row].values())) > 1]


def readable(seconds):
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.3f} s "


def report(seconds, unlike):
    """Print the table; return the mean and the largest of the ratios."""
    wide = max(map(len, seconds))
    print(f"{'least CPU time':<{wide}} {'old':>12} {'new':>12}  new / old")
    ratios = {}
    for row, took in seconds.items():
        ratios[row] = took["new"] / took["old"]
        mark = "  above" if ratios[row] > MOST else ""
        mark += "  (not the same work)" if row in unlike else ""
        print(
            f"{row:<{wide}} {readable(took['old']):>12} {readable(took['new']):>12}"
            f"  {ratios[row]:9.3f}{mark}"
        )
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worst = max(ratios, key=ratios.get)
    print(f"\ngeometric mean {mean:.3f} (at most {MEAN})")
    print(f"largest {ratios[worst]:.3f}: {worst} (at most {MOST} in two runs)")
    return mean, ratios


def main():
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="the src folder of the build before")
    parser.add_argument("new", type=Path, help="the src folder of the build after")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="rows whose name holds this; a|b for several")
    parser.add_argument("--json", type=Path, help="where to keep the numbers")
    asked = parser.parse_args()
    sources = {"old": asked.old.resolve(), "new": asked.new.resolve()}
    for source in sources.values():
        if not (source / "penjing" / "__init__.py").exists():
            parser.error(f"{source} is no folder with penjing in it")
    words = asked.only.split("|")
    rows = [row for row in (*ROWS, *COMMANDS) if any(word in row for word in words)]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="compare-builds-") as folder:
        make_tables(Path(folder))
        for row in [row for row in rows if row in COMMANDS]:
            for source in sources.values():  # so that every module is compiled
                run_command(row, source, folder)
        seconds, unlike = measure(sources, rows, asked.rounds, folder)
    mean, ratios = report(seconds, unlike)
    print(f"{asked.rounds} rounds, {time.perf_counter() - began:.0f} s")
    if asked.json:
        kept = {"rounds": asked.rounds, "old": str(sources["old"]), "new": str(sources["new"]),
                "mean": mean, "seconds": seconds, "ratios": ratios, "unlike": unlike}  # fmt: skip
        asked.json.write_text(json.dumps(kept, indent=1), "utf-8")
    return 0 if mean <= MEAN and max(ratios.values()) <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
