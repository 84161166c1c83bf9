"""Speed of the recipes named after programs, beside the programs: fresh processes, best of three.

    python bench/program_recipes.py [--rows 100000] [--repeat 3]

One table (workloads.faithful) is written as ARFF and as CSV. Weka's J48 tells how long it took
to build its model; its CPU time is that of the whole process less that of a process that only
reads the file. C5.0 is timed if a program `c5.0` is on the path. Ours is timed around
`penjing.fit(table)`, and from the file with `read` included. Java comes from Debian:
`apt-get install weka`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from results_file import save

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
WEKA = Path("/usr/share/java/weka.jar")
JAVA = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", str(WEKA)]
PROGRAMS = {
    "j48": ["-C", "0.25", "-M", "2"],
    "j48 -U": ["-U", "-M", "2"],
}
OURS = {
    "j48": {"recipe": "j48"},
    "j48 -U": {"recipe": "j48", "U": True},
    "c4.5": {"recipe": "c4.5"},
    "c4.5 unpruned": {"recipe": "c4.5", "pruning": "none"},
    "c4.5 sums=cases": {"recipe": "c4.5", "sums": "cases"},
}


def written(folder: Path, n: int) -> tuple[Path, Path]:
    """Write the table as ARFF and as CSV (and as C5.0 wants it)."""
    from workloads import faithful

    names, columns, is_number, y = faithful(n)
    lines = ["@relation faithful"]
    told = ["class."]
    for name, cells, number in zip(names, columns, is_number, strict=True):
        levels = sorted({c for c in cells.tolist() if c != "?"}, key=lambda c: (len(c), c))
        kind = "numeric" if number else "{" + ",".join(levels) + "}"
        lines.append(f"@attribute {name} {kind}")
        told.append(f"{name}: {'continuous' if number else ','.join(levels)}.")
    lines += ["@attribute class {a,b,c}", "@data"]
    told.append("class: a,b,c.")
    rows = [",".join(row) for row in zip(*columns, y, strict=True)]
    arff, table = folder / "faithful.arff", folder / "faithful.csv"
    arff.write_text("\n".join(lines + rows) + "\n", "utf-8")
    table.write_text("\n".join([",".join([*names, "class"]), *rows]) + "\n", "utf-8")
    (folder / "faithful.names").write_text("\n".join(told) + "\n", "utf-8")
    (folder / "faithful.data").write_text("\n".join(rows) + "\n", "utf-8")
    return arff, table


def timed(command: list[str]) -> tuple[float, float, str]:
    """Run a program; return its wall time, its CPU time and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout


def weka(arff: Path, options: list[str], repeat: int) -> dict[str, float]:
    reads = min(timed([*JAVA, "weka.core.Instances", str(arff)])[1] for _ in range(repeat))
    command = [*JAVA, "weka.classifiers.trees.J48", *options, "-t", str(arff), "-no-cv"]
    found = []
    for _ in range(repeat):
        wall, cpu, text = timed(command)
        build = float(re.search(r"Time taken to build model: ([\d.]+)", text)[1])
        tree = {
            "leaves": int(re.search(r"Number of Leaves\s*:\s*(\d+)", text)[1]),
            "size": int(re.search(r"Size of the tree\s*:\s*(\d+)", text)[1]),
            "errors": int(re.search(r"Incorrectly Classified Instances\s+(\d+)", text)[1]),
        }
        found.append({"fit_wall": build, "fit_cpu": cpu - reads, "wall": wall, "cpu": cpu})
    return {key: min(f[key] for f in found) for key in found[0]} | tree


def c50(arff: Path, repeat: int) -> dict[str, float] | None:
    if shutil.which("c5.0") is None:
        return None
    runs = [timed(["c5.0", "-f", str(arff.with_suffix(""))])[:2] for _ in range(repeat)]
    return {"wall": min(r[0] for r in runs), "cpu": min(r[1] for r in runs)}


def ours(name: str, table: Path, threads: str) -> None:
    """Fit in this process; print what it took."""
    import penjing
    from penjing.render import nested_json

    how, fit = OURS[name], penjing.fit  # naming it loads it, as Weka is loaded before it builds
    if threads == "1":
        os.sched_setaffinity(0, {next(iter(os.sched_getaffinity(0)))})
    start, used = time.perf_counter(), time.process_time()
    rows = penjing.read(table, "class", missing=["?"])
    read_wall, read_cpu = time.perf_counter() - start, time.process_time() - used
    start, used = time.perf_counter(), time.process_time()
    tree = fit(rows, **how)
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    said = {"fit_wall": wall, "fit_cpu": cpu, "wall": wall + read_wall, "cpu": cpu + read_cpu}
    shape = json.loads(nested_json.write(tree))[
        "summary"
    ]  # branches without rows included, as in Weka
    told = {"leaves": shape["leaves"], "size": shape["size"], "errors": shape["train_errors"]}
    print(json.dumps(said | told))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--one", nargs=3)
    asked = parser.parse_args()
    if asked.one:
        ours(asked.one[0], Path(asked.one[1]), asked.one[2])
        return
    kept: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        arff, table = written(Path(folder), asked.rows)
        if WEKA.exists() and shutil.which("java"):
            for name, options in PROGRAMS.items():
                if asked.only in name:
                    show(kept, f"Weka {name}", weka(arff, options, asked.repeat))
        else:
            print("Weka: left out, it is not installed")
        if (found := c50(arff, asked.repeat)) is None:
            print("C5.0: left out, there is no program c5.0 here, nor in Debian")
        else:
            show(kept, "C5.0", found)
        for name in (name for name in OURS if asked.only in name):
            for threads in ("1", "all"):
                command = [sys.executable, __file__, "--one", name, str(table), threads]
                runs = [json.loads(timed(command)[2]) for _ in range(asked.repeat)]
                best = {key: min(run[key] for run in runs) for key in runs[0]}
                show(kept, f"penjing {name}, {threads} thread(s)", best)
    compared(kept)
    print(f"kept in {save('program_recipes', {'rows': asked.rows, 'found': kept})}")


def compared(kept):
    """Print how many times faster ours is than J48, for each measure."""
    against = kept.get("Weka j48")
    for name, found in kept.items():
        weka = kept.get(f"Weka {name.removeprefix('penjing ').partition(',')[0]}")
        if weka and name.startswith("penjing"):
            same = all(weka[k] == found[k] for k in ("leaves", "size", "errors"))
            print(name, "has" if same else "HAS NOT", "the size and the errors of Weka's tree")
        if against and name.startswith("penjing"):
            rates = {k: against[k] / found[k] for k in ("fit_wall", "fit_cpu", "wall", "cpu")}
            print(name, "is faster by", {k: round(v, 1) for k, v in rates.items()})


def show(kept, name, found):
    kept[name] = found
    numbers = "  ".join(
        f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items()
    )
    print(f"{name:34} {numbers}", flush=True)


if __name__ == "__main__":
    main()
