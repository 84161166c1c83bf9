"""The same trees before and after a change: every shared data set, recipe and engine, in a file.

    python bench/same_trees.py write OUT.jsonl.gz [--engines native,disk] [--data iris,vote]
    python bench/same_trees.py compare OLD.jsonl.gz NEW.jsonl.gz [--ignore KEY] [--part]

Only what users call is called, so that one script serves builds whose modules differ. `write`
keeps a line for each fit: the model as `save` writes it, hashes of its answers for the training
rows, or the class of the error. `compare` says what differs and where; fields that a newer format
adds are left out (IGNORED), and so are the texts and keys of errors, but not their classes.
PYTHONPATH=…/src says which build is run, PENJING_SHARED the folder with data/index.json.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

import penjing

SHARED = Path(os.environ.get("PENJING_SHARED", "/work/shared"))
RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart",
           "sklearn")  # fmt: skip
HERE = ("memory", "native", "disk")
"""Engines that take a table; the others count where the rows are."""
ENGINES = (*HERE, "duckdb", "postgres", "spark")
IGNORED = ("format", "version", "format_version", "penjing", "reading", "sketch", "skeleton")
"""Keys of a model, its nodes and what it is about that a newer format may write otherwise."""

MOST = {"memory": 200_000, "duckdb": 20_000, "postgres": 20_000, "spark": 20_000}
"""Cells of the largest data set that is grown by an engine; no limit where none is said."""
MOST_BY_SETTINGS = {"memory": 5_000, "native": 20_000, "disk": 20_000, "duckdb": 2_000,
                    "postgres": 2_000, "spark": 200}  # fmt: skip
"""The same, for settings besides a recipe's own."""
MOST_TRACED = 2_000
MOST_FOLDED = 2_000
MOST_LEVELS = 12
"""More levels, with more than two classes, are 2^levels groupings to a binary recipe."""

SETTINGS = [
    {"max_leaves": 8},
    {"max_depth": 3},
    {"min_weight": 10},
    {"min_branch": 5},
    {"min_gain": 0.02},
    {"criterion": "gain"},
    {"criterion": "gini"},
    {"shape": "binary"},
    {"laplace": True, "max_depth": 2},
]
OWN_SETTINGS = {
    "c4.5": [{"confidence": 0.1, "raise_branches": False}, {"collapse": False, "cut_cost": False}],
    "j48": [{"confidence": 0.1, "raise_branches": False}, {"collapse": False, "cut_cost": False}],
    "c5.0": [{"confidence": 0.1}, {"global_pruning": False}, {"pool": False}],
    "rpart": [
        {"cp": 0.001, "minsplit": 4},
        {"maxsurrogate": 1, "usesurrogate": 1, "cp": 0.001},
        {"xval": 4},
    ],
    "sklearn": [
        {"max_features": "sqrt", "random_state": 7},
        {"ccp_alpha": 0.005},
        {"class_weight": "balanced"},
        {"min_samples_leaf": 5},
    ],
}
POLICIES = ("refuse", "fraction", "branch", "surrogate", "direction")
PRUNERS = [
    ("pessimistic", {}),
    ("pessimistic", {"confidence": 0.05}),
    ("cost-complexity", {"cp": 0.02}),
    ("cost-complexity", {"alpha": 0.01, "by": "impurity"}),
    ("error-based", {"raise_branches": False}),
    ("error-based", {"training": True}),
    ("collapse", {}),
    ("minimum-error", {}),
    ("mdl", {}),
    ("simplify", {}),
]
FOLDED = ("cost-complexity", {"folds": 4, "training": True})
VALIDATED = [
    {"validation": 0.3},
    {"validation": 0.3, "prune": "reduced-error"},
    {"validation": 0.3, "prune": "reduced-error", "ties": "keep"},
]


# -- data sets ------------------------------------------------------------------------------


class DataSet:
    """A table of the shared folder, as a file, as a table, and as typed columns for a database."""

    def __init__(self, name, entry, folder):
        self.name, self.entry, self.folder = name, entry, folder
        self.target = entry["target"]
        self.path = SHARED / "data" / entry["file"]

    @property
    def n_cells(self):
        """Rows times columns, those that are left out too."""
        return self.entry["rows"] * len(self.entry["attributes"])

    @property
    def has_missing(self):
        """Whether the index tells of missing cells."""
        return self.entry["missing_cells"] > 0

    @property
    def schema(self):
        """What columns are, as the index says it: nothing is left to be guessed."""
        wanted = {}
        for column in self.entry["attributes"]:
            kind = column["type"]
            if kind in {"identifier", "string"}:
                wanted[column["name"]] = "ignore"
            elif kind == "ordered":
                wanted[column["name"]] = {"ordered": column["values"]}
            else:
                wanted[column["name"]] = column.get("values") or kind
        return wanted

    def read(self, path, encoding, schema, **options):
        """Read a file of these rows."""
        missing = None if self.entry["missing"] is None else [self.entry["missing"]]
        return penjing.read(
            path, self.target, schema, missing=missing, encoding=encoding, **options
        )

    @cached_property
    def table(self):
        """The table as penjing reads it."""
        return self.read(self.path, self.entry["encoding"], self.schema)

    @cached_property
    def rows(self):
        """The cells as text, names first."""
        opened = gzip.open if self.path.suffix == ".gz" else open
        with opened(self.path, "rt", encoding=self.entry["encoding"], newline="") as file:
            return [row for row in csv.reader(file) if row]

    @cached_property
    def weighted_table(self):
        """The table with a column of weights: of whole and broken numbers, by a seed."""
        names, *rows = self.rows
        weights = np.random.default_rng(1).choice([0.3, 1.0, 2.0, 3.7], len(rows)).tolist()
        path = self.folder / f"{self.name}-weighted.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*names, "weight of row"])
            writer.writerows([*row, weight] for row, weight in zip(rows, weights, strict=True))
        schema = self.schema | {"weight of row": "weight"}
        return self.read(path, "utf-8", schema, weight="weight of row")

    @cached_property
    def columns(self):
        """Numbers and texts by name, without the columns that are left out; None is missing."""
        names, *rows = self.rows
        marks = {"", self.entry["missing"]}
        typed = {}
        for column, values in zip(names, zip(*rows, strict=True), strict=True):
            kind = self.kinds.get(column)
            if kind is not None:
                to = float if kind == "numeric" else str
                typed[column] = [None if v.strip() in marks else to(v.strip()) for v in values]
        return typed

    @cached_property
    def kinds(self):
        """The kind of each column that is not left out: numeric or nominal."""
        left_out = {"identifier", "string"}
        return {
            column["name"]: "numeric" if column["type"] == "numeric" else "nominal"
            for column in self.entry["attributes"]
            if column["type"] not in left_out
        }

    def is_beyond(self, recipe):
        """Say whether a binary recipe would have to try 2^levels groupings."""
        if recipe not in {"cart-binary", "rpart"}:
            return False
        levels = {c["name"]: len(c.get("values") or ()) for c in self.entry["attributes"]}
        n_classes = levels.pop(self.target)
        return n_classes > 2 and max(levels.values(), default=0) > MOST_LEVELS


class MadeSet(DataSet):
    """A table from a seed, so large that engines have to count in the database or on disk.

    Nodes of few rows are fetched and finished in memory; by the shared sets alone nothing else
    would be seen of these engines.
    """

    def __init__(self, folder, n, name, *, missing):
        rng = np.random.default_rng(5)
        z = rng.normal(size=(n, 3))
        level = rng.integers(0, 6, n)
        few = rng.integers(0, 12, n) / 4
        score = z[:, 0] + few * (level == 2) + (z[:, 1] > 0.4) + rng.normal(size=n) * 0.3
        columns = {
            "many": z[:, 0].round(5),
            "some": z[:, 1].round(2),
            "noise": z[:, 2].round(3),
            "few": few,
            "name": np.array(["a", "b", "c'", "d", "é", "f g"])[level],
            "class": np.array(["no", "so", "yes"])[np.digitize(score, [0.3, 1.9])],
        }
        cells = {key: values.astype(str) for key, values in columns.items()}
        if missing:
            for key in ("some", "name"):
                cells[key] = np.where(rng.random(n) < 0.05, "", cells[key])
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*cells.values(), strict=True))
        attributes = [
            {"name": key, "type": "nominal", "values": sorted(set(values.tolist()))}
            if values.dtype.kind == "U"
            else {"name": key, "type": "numeric"}
            for key, values in columns.items()
        ]
        entry = {"rows": n, "attributes": attributes, "target": "class", "file": str(path),
                 "encoding": "utf-8", "missing": None, "missing_cells": int(missing)}  # fmt: skip
        super().__init__(name, entry, folder)


def data_sets(folder, names):
    """Yield the data sets, small ones first."""
    index = json.loads((SHARED / "data/index.json").read_text("utf-8"))
    found = [DataSet(name, entry, folder) for name, entry in index.items()]
    found.sort(key=lambda data: (data.n_cells, data.name))
    yield from (data for data in found if not names or data.name in names)
    for name, missing in (("made-120k", False), ("made-120k-missing", True)):
        if not names or name in names:
            yield MadeSet(folder, 120_000, name, missing=missing)
    if not names or "made-450k" in names:
        yield MadeSet(folder, 450_000, "made-450k", missing=False)


# -- databases ------------------------------------------------------------------------------


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def created(data, name):
    """Return the statement that makes a table for the rows of a data set."""
    types = {"numeric": "DOUBLE PRECISION", "nominal": "VARCHAR"}
    columns = ", ".join(f"{quoted(c)} {types[data.kinds[c]]}" for c in data.columns)
    return f"CREATE TABLE {quoted(name)} ({columns})"


@contextmanager
def duckdb_file(folder):
    """Yield what puts a data set into a file of DuckDB."""
    import duckdb
    import pyarrow as pa

    path = folder / "rows.db"

    def put(data):
        with duckdb.connect(path) as link:
            link.execute(created(data, data.name))
            rows = pa.table(data.columns)  # noqa: F841 - DuckDB finds it by name
            link.execute(f"INSERT INTO {quoted(data.name)} SELECT * FROM rows")  # noqa: S608
        return f"duckdb:{path}", {"query": quoted(data.name)}

    yield put


@contextmanager
def postgres_server(folder):
    """Start a PostgreSQL of our own; yield what puts a data set into it."""
    import psycopg

    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    where = next(place for place in places if (place / "initdb").exists())
    home = Path(tempfile.mkdtemp(prefix="penjing-pg-"))
    plain = {"cwd": home, "capture_output": True}
    if os.geteuid() == 0:  # it refuses to run as root
        os.chown(home, pwd.getpwnam("postgres").pw_uid, -1)
        plain |= {"user": "postgres", "extra_groups": []}
    made = ["-A", "trust", "-U", "penjing", "--locale=C.UTF-8", "-E", "UTF8"]
    control = [where / "pg_ctl", "-D", home / "data"]
    owner = f"postgresql://penjing@/postgres?host={home}"

    def put(data):
        with psycopg.connect(owner) as link, link.cursor() as cursor:
            cursor.execute(created(data, data.name))
            with cursor.copy(f"COPY {quoted(data.name)} FROM STDIN") as copy:
                for row in zip(*data.columns.values(), strict=True):
                    copy.write_row(row)
        return owner, {"query": quoted(data.name)}

    try:
        subprocess.run([where / "initdb", "-D", home / "data", *made], check=True, **plain)
        options = ["-w", "-o", f"-k {home} -h '' -F", "-l", home / "log"]
        subprocess.run([*control, *options, "start"], check=True, **plain)
        try:
            yield put
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, **plain)
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def spark_session(folder):
    """Start Spark in this process; yield what writes a data set to a Parquet file for it."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    maker = SparkSession.builder.master("local[2]").appName("same_trees")
    for name, value in (
        ("spark.ui.showConsoleProgress", "false"), ("spark.ui.enabled", "false"),
        ("spark.sql.shuffle.partitions", "2"), ("spark.driver.host", "127.0.0.1"),
        ("spark.log.level", "ERROR"),
    ):  # fmt: skip
        maker = maker.config(name, value)
    session = maker.getOrCreate()

    def put(data):
        return str(parquet(data, folder)), {}

    try:
        yield put
    finally:
        session.stop()


def parquet(data, folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"{data.name}.parquet"
    types = {"numeric": pa.float64(), "nominal": pa.string()}
    columns = {key: pa.array(v, types[data.kinds[key]]) for key, v in data.columns.items()}
    pq.write_table(pa.table(columns), path)
    return path


PLACES = {"duckdb": duckdb_file, "postgres": postgres_server, "spark": spark_session}


# -- what is grown --------------------------------------------------------------------------


def cases(data, engine, recipe):
    """Yield the cases of a data set, an engine and a recipe: what it is called, and the fit.

    A fit is a dict of arguments; `weighted`, `from_file` and `pruners` are read by `grown`.
    """
    is_made = isinstance(data, MadeSet)
    yield from plain_cases(data, engine, {"max_depth": 8} if is_made else {})
    if is_made:
        return
    if data.n_cells <= (MOST_TRACED if engine != "spark" else MOST_BY_SETTINGS["spark"]):
        yield "trace", {"trace": True}
    if data.n_cells > MOST_BY_SETTINGS[engine]:
        return
    own = OWN_SETTINGS.get(recipe, ())
    validated = VALIDATED if engine in {"memory", "native"} else ()
    for settings in (*SETTINGS, *own, *validated):
        yield ", ".join(f"{key}={value}" for key, value in settings.items()), settings
    yield "weights", {"weighted": True}
    yield from missing_cases(data, engine)
    if engine in {"memory", "native"}:
        yield "pruned", {"pruners": PRUNERS}
        if data.n_cells <= MOST_FOLDED:
            yield "pruned", {"pruners": [FOLDED]}


def plain_cases(data, engine, usual):
    """Yield the ways to grow the tree of a recipe's own settings."""
    if engine == "native":
        yield "plain, 1 thread", {"threads": 1, **usual}
        yield "plain, 2 threads", {"threads": 2, **usual}
    else:
        yield "plain", usual
    if engine == "disk":
        # Enough for the rows and too little for the columns, so that these stay in files.
        yield "tight memory", {"memory_limit": 150 * data.entry["rows"], **usual}
        if data.n_cells <= MOST_BY_SETTINGS["disk"] or isinstance(data, MadeSet):
            yield "from a file", {"from_file": True, **usual}
    if isinstance(data, MadeSet) and data.has_missing:
        yield "missing=branch", {"missing": "branch", **usual}


def missing_cases(data, engine):
    """Yield every policy for missing values, where there are any; most recipes refuse most."""
    for policy in POLICIES if data.has_missing else ():
        yield f"missing={policy}", {"missing": policy}
        if engine in HERE:
            yield f"missing={policy}, weights", {"missing": policy, "weighted": True}


class Grower:
    """Grows the cases of one engine and says what came out."""

    def __init__(self, engine, folder, place, seen):
        self.engine, self.folder, self.place = engine, folder, place
        self.seen = seen
        self.where = {}

    def fit(self, data, recipe, arguments):
        """Return the tree of a case."""
        arguments = dict(arguments)
        is_weighted = arguments.pop("weighted", False)
        if arguments.pop("from_file", False):
            path = parquet(data, self.folder)
            return penjing.fit(
                str(path), data.target, recipe, engine=self.engine, schema=data.kinds, **arguments
            )
        if self.engine in HERE:
            table = data.weighted_table if is_weighted else data.table
            return penjing.fit(table, recipe=recipe, engine=self.engine, **arguments)
        if is_weighted:
            arguments["weight"] = "weight of row"  # refused before a row is looked at
        if data.name not in self.where:
            self.where[data.name] = self.place(data)
        source, how = self.where[data.name]
        return penjing.fit(
            source, data.target, recipe, engine=self.engine, schema=data.kinds, **how, **arguments
        )

    def lines(self, data, recipe):
        """Yield a line for each case of a data set and a recipe."""
        for case, arguments in cases(data, self.engine, recipe):
            arguments = dict(arguments)  # noqa: PLW2901 - `pruners` is no argument of `fit`
            pruners = arguments.pop("pruners", None)
            key = {"data": data.name, "recipe": recipe, "engine": self.engine, "case": case}
            start = time.perf_counter()
            tree, error = attempt(self.fit, data, recipe, arguments)
            if pruners is None:
                line = key | (error or self.described(tree, data))
                yield line | {"seconds": round(time.perf_counter() - start, 3)}
            elif error is None:
                yield from self.pruned(tree, data, key, pruners)

    def pruned(self, tree, data, key, pruners):
        """Yield a line for each way of pruning a tree."""
        for method, options in pruners:
            named = ", ".join(f"{name}={value}" for name, value in options.items())
            told = options | ({"training": data.table} if options.get("training") else {})
            start = time.perf_counter()
            smaller, error = attempt(tree.prune, method, **told)
            line = key | {"case": f"pruned by {method}" + (f", {named}" if named else "")}
            line |= error or self.described(smaller, data)
            yield line | {"seconds": round(time.perf_counter() - start, 3)}

    def described(self, tree, data):
        """Return the model and what it answers; a model that was written before by its hash."""
        path = self.folder / "model.json"
        tree.save(path)
        model = json.loads(path.read_text("utf-8"))
        plain = canonical(model)
        line = {"sha": hashlib.sha256(plain.encode()).hexdigest()[:24]}
        if line["sha"] not in self.seen:
            self.seen.add(line["sha"])
            line["model"] = model
        if data.n_cells <= MOST["memory"]:
            again, error = attempt(self.reloaded, path)
            line["reloaded"] = f"error: {error['error']}" if error else again
        for answer in ("predict", "predict_proba"):
            values, error = attempt(getattr(tree, answer), data.table)
            line[answer] = f"error: {error['error']}" if error else hashed(values)
        return line

    def reloaded(self, path):
        """Say whether a model that is read and written again is the same."""
        copy = self.folder / "again.json"
        penjing.load(path).save(copy)
        return "same" if copy.read_bytes() == path.read_bytes() else "different"


def attempt(function, *arguments, **options):
    """Return what a function returns and None, or None and its error as a line has it."""
    try:
        return function(*arguments, **options), None
    except Exception as error:  # noqa: BLE001 - whatever is raised is to be compared
        return None, {"error": type(error).__name__, "key": getattr(error, "key", None)}


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def hashed(values):
    """Return a short hash of an array of answers."""
    values = np.asarray(values)
    if values.dtype.kind == "f":  # -0.0 and 0.0 are one number
        plain = np.ascontiguousarray(values + 0.0).tobytes()
    else:
        plain = canonical([str(value) for value in values.ravel().tolist()]).encode()
    return f"{'x'.join(map(str, values.shape))} {hashlib.sha256(plain).hexdigest()[:16]}"


def is_grown(data, engine, recipe, most):
    """Say whether a data set is not too large for an engine, and can be grown by a recipe."""
    if data.is_beyond(recipe):
        return False
    if isinstance(data, MadeSet):
        large = {"made-120k": ("native", "disk", "duckdb", "postgres", "spark"),
                 "made-120k-missing": ("native", "disk", "duckdb"),
                 "made-450k": ("native", "disk")}  # fmt: skip
        return most is None and engine in large[data.name]
    limit = MOST.get(engine) if most is None else most
    return limit is None or data.n_cells <= limit


def write(path, engines, names, most):
    """Grow everything and write it down."""
    warnings.simplefilter("ignore")
    counts, began = Counter(), time.perf_counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="same-trees-")))
        file = stack.enter_context(gzip.open(path, "wt", encoding="utf-8", compresslevel=5))
        growers, seen = [], set()
        for engine in engines:
            place = PLACES.get(engine)
            put = None if place is None else stack.enter_context(place(folder))
            growers.append(Grower(engine, folder, put, seen))
        for data in data_sets(folder, names):
            start, n_before = time.perf_counter(), counts.total()
            for grower in growers:
                for recipe in RECIPES:
                    if not is_grown(data, grower.engine, recipe, most):
                        continue
                    for line in grower.lines(data, recipe):
                        counts["refused" if "error" in line else "grown"] += 1
                        file.write(canonical(line) + "\n")
            if counts.total() > n_before:
                seconds = time.perf_counter() - start
                said = f"{data.name}: {counts.total() - n_before} fits, {seconds:.1f} s"
                print(said, file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    print(
        f"{path}: penjing {penjing.__version__} of {Path(penjing.__file__).parent}, "
        f"{counts['grown']} trees, {counts['refused']} refused, {seconds:.0f} s"
    )


# -- two files side by side -----------------------------------------------------------------


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def key_of(line):
    return " · ".join(line[part] for part in ("data", "recipe", "engine", "case"))


def stripped(model, ignored):
    """Return a model without the keys that may differ: its own, of its nodes, of `about`."""

    def less(record):
        return {key: value for key, value in record.items() if key not in ignored}

    model = less(model)
    for part in ("about", "recipe"):
        if isinstance(model.get(part), dict):
            model[part] = less(model[part])
    if isinstance(model.get("nodes"), list):
        model["nodes"] = [less(n) if isinstance(n, dict) else n for n in model["nodes"]]
    return model


def outcomes(path, ignored, *, with_keys):
    """Return what is compared of each line, and the hash by which its model is found."""
    by_sha, found = {}, {}
    for line in lines_of(path):
        told = {name: line.get(name) for name in ("error", "reloaded", "predict", "predict_proba")}
        told["key"] = line.get("key") if with_keys else None
        if "model" in line:
            plain = canonical(stripped(line["model"], ignored))
            by_sha[line["sha"]] = hashlib.sha256(plain.encode()).hexdigest()
        told["model"] = by_sha.get(line.get("sha"))
        found[key_of(line)] = (told, line.get("sha"), line.get("key"))
    return found


def models_of(path, shas):
    """Return some models of a file by their hashes."""
    return {line["sha"]: line["model"] for line in lines_of(path)
            if "model" in line and line["sha"] in shas}  # fmt: skip


def differences(one, other, where=""):
    """Yield where two plain values differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if key not in one or key not in other:
                side = "old" if key in one else "new"
                yield f"{where}.{key}: only in the {side} model"
            else:
                yield from differences(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{where}: {len(one)} entries, then {len(other)}"
        for i, (a, b) in enumerate(zip(one, other, strict=False)):
            yield from differences(a, b, f"{where}[{i}]")
    elif canonical(one) != canonical(other):
        yield f"{where}: {str(one)[:80]} -> {str(other)[:80]}"


def show(old, new, pairs, ignored):
    """Print how some lines of two files differ."""
    old_models = models_of(old, {one[1] for one, _ in pairs.values()})
    new_models = models_of(new, {other[1] for _, other in pairs.values()})
    for key, ((one, one_sha, _), (other, other_sha, _)) in pairs.items():
        print(f"\n{key}")
        for field in one:
            if field != "model" and one[field] != other[field]:
                print(f"  {field}: {one[field]} -> {other[field]}")
        if one_sha in old_models and other_sha in new_models:
            a = stripped(old_models[one_sha], ignored)
            b = stripped(new_models[other_sha], ignored)
            for told in islice(differences(a, b), 5):
                print(f"  model{told}")


def compare(old, new, extra, n_shown, *, with_keys, is_part):
    """Print what two files have in common and what not; return whether they are the same."""
    ignored = {*IGNORED, *extra}
    olds = outcomes(old, ignored, with_keys=with_keys)
    news = outcomes(new, ignored, with_keys=with_keys)
    both = [key for key in olds if key in news]
    unequal = [key for key in both if olds[key][0] != news[key][0]]
    missing = [] if is_part else [key for key in olds if key not in news]
    added = [key for key in news if key not in olds]
    print(
        f"{len(both) - len(unequal)} equal, {len(unequal)} different, "
        f"{len(missing)} only in {old}, {len(added)} only in {new}"
    )
    fields = Counter(
        field for key in unequal for field in olds[key][0]
        if olds[key][0][field] != news[key][0][field]
    )  # fmt: skip
    if fields:
        print("different in", ", ".join(f"{name} ({n})" for name, n in fields.most_common()))
    renamed = Counter(
        (olds[key][2], news[key][2]) for key in both
        if olds[key][0]["error"] and news[key][0]["error"] and olds[key][2] != news[key][2]
    )  # fmt: skip
    if renamed and not with_keys:
        print("keys of errors that changed (not counted):",
              ", ".join(f"{a} -> {b} ({n})" for (a, b), n in renamed.most_common()))  # fmt: skip
    for part, keys in (("only in the old", missing), ("only in the new", added)):
        for key in keys[:n_shown]:
            print(f"{part}: {key}")
    show(old, new, {key: (olds[key], news[key]) for key in unequal[:n_shown]}, ignored)
    return not (unequal or missing or added)


# -- the command ----------------------------------------------------------------------------


def some_of(text):
    return tuple(word for word in text.split(",") if word)


def main():
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, "utf-8", line_buffering=True)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("write", help="grow every tree and write it down")
    writing.add_argument("out", type=Path)
    writing.add_argument("--engines", type=some_of, default=ENGINES, help=",".join(ENGINES))
    writing.add_argument("--data", type=some_of, default=(), help="names of data sets")
    writing.add_argument("--most", type=int, help="cells of the largest set, instead of the usual")
    comparing = verbs.add_parser("compare", help="say what differs; exit code 1 if anything does")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--ignore", action="append", default=[], metavar="KEY")
    comparing.add_argument("--show", type=int, default=10, help="how many differences in detail")
    comparing.add_argument("--error-keys", action="store_true", help="keys of errors count too")
    comparing.add_argument("--part", action="store_true", help="NEW holds a part of OLD only")
    asked = parser.parse_args()
    if asked.verb == "write":
        write(asked.out, asked.engines, asked.data, asked.most)
        return 0
    is_same = compare(
        asked.old,
        asked.new,
        asked.ignore,
        asked.show,
        with_keys=asked.error_keys,
        is_part=asked.part,
    )
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
