"""Every engine x recipe x missing policy x weights: the tree of memory, or a refusal in a sentence.

What is grown and what is refused is declared by the engines (`Engine.capabilities`) and stands in
docs/en/reference/engines.md; this file reads that table, so that it cannot say anything else
than what engines do.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
import remote_tables
from databases import Put, duckdb_file, postgres_of_our_own
from penjing.data import store as data_store
from penjing.data import store_mapped
from penjing.data.memory_limit import mapped_table_bytes, native_engine_bytes
from penjing.data.table import Column, Table, numeric
from penjing.dialects.recipes import recipe_of
from penjing.engines.out_of_core import engine as disk_engine
from penjing.engines.sql import columns as sql_columns
from penjing.engines.sql import connection as sql_connection
from penjing.engines.sql import routing as sql_routing
from penjing.errors import CapabilityError
from penjing.registry import load
from shared import SHARED

SCALE = Path(__file__).parents[2] / "docs/en/reference/engines.md"
HERE = ("memory", "native", "disk")
DATABASES = ("duckdb", "postgres")
RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "cart",
           "sklearn")  # fmt: skip
POLICIES = {"cart": ("surrogate",), "sklearn": ("direction",), "c4.5": ("fraction",),
            "j48": ("fraction",), "c5.0": ("fraction",)}  # fmt: skip
NUMBERS = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "cart", "sklearn")
LESS = 1 if settings.default.max_examples >= 1000 else 25


@dataclass(frozen=True)
class Case:
    """What is asked of an engine."""

    recipe: str
    target: str
    missing: str
    weights: str

    def __str__(self):
        return f"{self.recipe}-{self.target}-{self.missing}-{self.weights}"

    @property
    def settings(self) -> dict[str, Any]:
        """What `fit` is told; nothing is missing under the policy `none`."""
        return {} if self.missing == "none" else {"missing": self.missing}


CASES = [
    Case(recipe, target, missing, weights)
    for recipe in RECIPES
    for missing in ("none", *POLICIES.get(recipe, ("fraction", "branch")))
    for target, weights in product(("classes", "number"), ("no", "yes"))
    if target == "classes" or recipe in NUMBERS
]


def promised() -> dict[tuple[str, Case], bool]:
    """Return what docs/en/reference/engines.md says of every engine and case."""
    lines = SCALE.read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| recipes | target |"))
    engines = [name.strip(" `") for name in lines[start].split("|")[5:-1]]
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        parts = [part.strip() for part in line.split("|")[1:-1]]
        told = [[word.strip(" `") for word in re.split(", ", part)] for part in parts[:4]]
        for case in (Case(*words) for words in product(*told)):
            for engine, word in zip(engines, parts[4:], strict=True):
                found[engine, case] = {"yes": True, "no": False}[word]
    return found


PROMISED = promised()
BY_SPARK = [r for r in RECIPES if PROMISED["spark", Case(r, "classes", "none", "no")]]


def random_table(case: Case, rng: np.random.Generator, n: int = 160) -> Table:
    """Return numbers of many, some and few values, an order and names."""
    z = rng.normal(size=(n, 3))
    codes = rng.integers(0, 4, n).astype(np.int32)
    third = np.digitize(z[:, 2], [-0.5, 0.7]).astype(np.int32)
    few = np.round(z[:, 1], 1)
    score = z[:, 0] + few * (codes == 1) + third + rng.normal(size=n) * 0.4
    if case.missing != "none":
        z[rng.random(n) < 0.1, 0] = np.nan
        few[rng.random(n) < 0.1] = np.nan
        codes[rng.random(n) < 0.1] = -1
        z[:3, 0], few[:3], codes[:3] = np.nan, np.nan, -1
    lost = np.isnan(z[:, 0]) & (codes < 0)  # of some rows nothing is known
    columns = (
        numeric("many", z[:, 0]),
        Column("name", "nominal", ("a", "b", "c'", "é"), codes),
        numeric("few", few),
        numeric("noise", np.where(lost, np.nan, rng.integers(0, 40, n) / 8)),
        Column("third", "nominal", ("low", "mid", "top"), np.where(lost, np.int32(-1), third)),
    )
    if case.target == "number":
        target = numeric("y", score)
    else:
        classes = np.digitize(score, [0.3, 1.9]).astype(np.int32)
        target = Column("y", "nominal", ("no", "so", "yes"), classes)
    weight = rng.choice([0.3, 1.0, 2.0, 3.7], n) if case.weights == "yes" else None
    return Table(columns, target, n, weight)


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Few cells, small lots, few rows at a time: large tables' ways for small ones."""
    for where, name, value in (
        (disk_engine, "SMALL", 20), (data_store, "MAX_SINGLE_VALUE_CELLS", 30),
        (data_store, "N_CELLS", 60), (store_mapped, "CHUNK_ROWS", 64),
        (sql_connection, "MAX_LISTED_NUMBERS", 30), (sql_routing, "MAX_CASE_NODES", 4),
        (sql_columns, "BUCKETS", 16),
    ):  # fmt: skip
        monkeypatch.setattr(where, name, value)
    monkeypatch.setattr("penjing.engines.remote_counts.FETCH_LIMIT", 30)
    monkeypatch.setattr("penjing.predict.flat.BLOCK_ROWS", 50)


@pytest.fixture(scope="module")
def put(tmp_path_factory):
    """Return a function that starts a database, once, and says how tables are put into it."""
    with ExitStack() as stack:

        @cache
        def start(engine: str) -> Put:
            if engine == "duckdb":
                return stack.enter_context(duckdb_file(tmp_path_factory.mktemp("db")))
            return stack.enter_context(postgres_of_our_own())

        yield start


def tight(table: Table, case: Case) -> int:
    """Return a limit that holds the rows only; refused is what needs the columns too."""
    recipe = recipe_of(case.recipe, **case.settings)
    return mapped_table_bytes(table, is_kernel=recipe.dialect.is_native(recipe))


def grown(engine: str, table: Table, case: Case, put: Any = None, limit: int | None = None) -> str:
    """Return the tree of an engine, as its file has it."""
    how: dict[str, Any] = {"recipe": case.recipe, **case.settings}
    if engine not in HERE:
        source, where = put(replace(table, weight=None))
        if table.weight is not None:
            how["weight"] = "w"
        schema = remote_tables.schema_of(table)
        where["engine"] = engine
        tree = penjing.fit(source, table.target.name, schema=schema, **where, **how)
    else:
        if engine == "disk":
            how["memory_limit"] = limit or tight(table, case)
        tree = penjing.fit(table, engine=engine, **how)
    return json.dumps(remote_tables.plain(tree), sort_keys=True)


def declared(engine: str, case: Case) -> bool:
    """Return whether the capabilities of an engine say that it grows such a tree."""
    capabilities = load("engine", engine).capabilities
    recipe = recipe_of(case.recipe, **case.settings)
    missing = None if case.missing == "none" else case.missing
    return capabilities.grows(recipe, case.target, missing, weights=case.weights == "yes")


def check(engine: str, case: Case, table: Table, put: Any = None) -> None:
    """The body of all tests: the tree of memory, or the refusal that is promised."""
    if engine not in HERE:
        table = replace(remote_tables.trimmed(table), weight=table.weight)
    if declared(engine, case):
        assert grown(engine, table, case, put) == grown("memory", table, case)
        return
    with pytest.raises(CapabilityError) as told:
        grown(engine, table, case, put)
    assert str(told.value).count("\n") == 0


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("engine", [pytest.param("native", marks=pytest.mark.slow), "disk"])
def test_here(engine, case):
    check(engine, case, random_table(case, np.random.default_rng(1), 100))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
@settings(max_examples=500 // LESS, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_here_on_any_table(case, seed):
    rng = np.random.default_rng(seed)
    table = random_table(case, rng, int(rng.integers(10, 400)))
    for engine in ("native", "disk"):
        check(engine, case, table)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("engine", ["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def test_in_a_database(engine, case, put):
    check(engine, case, random_table(case, np.random.default_rng(1), 80), put(engine))


@pytest.fixture(scope="module")
def spark_session():
    """A Spark of our own, in this process."""
    pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from engines.test_spark import session  # noqa: PLC0415 - needs PySpark

    there = session("local[2]")
    yield there
    there.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.usefixtures("spark_session")
@pytest.mark.parametrize("case", [case for case in CASES if case.weights == "no"], ids=str)
def test_by_spark(case, tmp_path):
    put = parquet_in(tmp_path)
    check("spark", case, random_table(case, np.random.default_rng(1), 80), put)


def parquet_in(folder: Path) -> Any:
    """Return what writes a table to a file for Spark."""

    def put(table: Table) -> tuple[str, dict[str, Any]]:
        pq.write_table(pa.table(remote_tables.columns_of(table)), folder / "rows.parquet")
        return str(folder / "rows.parquet"), {}

    return put


# -- on the shared data sets -----------------------------------------------------------------

LARGE = 20_000
"""Cells from which on the readable engine takes its time."""
MOST_SUBSETS = 12
"""More levels than these, with more than two classes, are beyond grouping one by one."""


def index() -> dict[str, dict[str, Any]]:
    path = SHARED / "data/index.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def cells(name: str) -> int:
    return INDEX[name]["rows"] * len(INDEX[name]["attributes"])


INDEX = index()
SETS = [
    pytest.param(name, marks=[pytest.mark.slow] if cells(name) > LARGE else []) for name in INDEX
]


@cache
def table_of(name: str) -> Table:
    told = INDEX[name]
    schema: dict[str, Any] = {}
    for column in told["attributes"]:
        kind = column["type"]
        if kind in {"identifier", "string"}:
            schema[column["name"]] = "ignore"
        elif kind == "ordered":
            schema[column["name"]] = {"ordered": column["values"]}
        else:
            schema[column["name"]] = column.get("values") or kind
    missing = None if told["missing"] is None else [told["missing"]]
    path = SHARED / "data" / told["file"]
    return penjing.read(path, told["target"], schema, missing=missing, encoding=told["encoding"])


def case_of(table: Table, recipe: str, missing: str | None = None, weights: str = "no") -> Case:
    """Return what a data set asks of a recipe; skip what the recipe itself refuses."""
    target = "number" if table.is_regression else "classes"
    if table.is_regression and recipe not in NUMBERS:
        pytest.skip(f"{recipe} knows classes only")
    n_classes = 0 if table.is_regression else len(table.target.levels)
    most = max((len(c.levels) for c in table.columns if c.kind == "nominal"), default=0)
    if recipe in {"cart-binary", "cart"} and n_classes > 2 and most > MOST_SUBSETS:
        pytest.skip("2^levels groupings")
    policy = missing or POLICIES.get(recipe, ("fraction",))[0]
    return Case(recipe, target, policy, weights)


THREADS = {"threads": 1}, {"threads": 2}, {"threads": 7}


@pytest.mark.parametrize("recipe", [r for r in RECIPES if r != "c5.0"])
@pytest.mark.parametrize("name", SETS)
def test_data_sets(name, recipe):
    table = table_of(name)
    case = case_of(table, recipe)
    oracle = grown("memory", table, case)
    limit = None if PROMISED["disk", case] else native_engine_bytes(table)
    assert grown("disk", table, case, limit=limit) == oracle
    for threads in THREADS:
        tree = penjing.fit(table, engine="native", recipe=recipe, **case.settings, **threads)
        assert json.dumps(remote_tables.plain(tree), sort_keys=True) == oracle


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", SETS)
def test_data_sets_by_other_policies_and_with_weights(name, recipe):
    table = table_of(name)
    weight = np.random.default_rng(1).choice([0.3, 1.0, 2.0, 3.7], table.n_rows)
    for policy in POLICIES.get(recipe, ("fraction", "branch")):
        for weights in ("no", "yes"):
            case = case_of(table, recipe, policy, weights)
            asked = replace(table, weight=weight if weights == "yes" else None)
            oracle = grown("memory", asked, case)
            for engine in ("native", "disk"):
                limit = None if PROMISED["disk", case] else native_engine_bytes(table)
                assert grown(engine, asked, case, limit=limit) == oracle


@pytest.mark.slow
@pytest.mark.parametrize("engine", DATABASES)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", [name for name in INDEX if cells(name) <= LARGE])
def test_data_sets_in_a_database(name, recipe, engine, put):
    table = table_of(name)
    has_missing = any(column.has_missing for column in table.columns)
    policies = POLICIES.get(recipe, ("fraction", "branch")) if has_missing else ("none",)
    for policy in policies:
        case = case_of(table, recipe, policy)
        if (engine, case) in PROMISED:
            check(engine, case, table, put(engine))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.usefixtures("spark_session")
@pytest.mark.parametrize("recipe", BY_SPARK)
@pytest.mark.parametrize("name", [name for name in INDEX if cells(name) <= LARGE])
def test_data_sets_by_spark(name, recipe, tmp_path):
    table = table_of(name)
    has_missing = any(column.has_missing for column in table.columns)
    policies = POLICIES.get(recipe, ("fraction", "branch")) if has_missing else ("none",)
    for policy in policies:
        case = case_of(table, recipe, policy)
        if ("spark", case) in PROMISED:
            check("spark", case, table, parquet_in(tmp_path))


# -- before any row is read ------------------------------------------------------------------


REFUSED = [
    (engine, case)
    for engine, case in product((*DATABASES, "spark"), CASES)
    if not PROMISED[engine, case] and case.missing in {"none", "surrogate", "direction"}
]
"""What no rows have to be asked for; whether values are missing they have to."""


@pytest.mark.parametrize(("engine", "case"), REFUSED, ids=str)
def test_what_is_refused_is_refused_before_anything_is_opened(engine, case):
    where = {
        "duckdb": "duckdb:/not/there.db",
        "postgres": "postgresql://nobody@/nowhere?host=/not/there",
        "spark": "/not/there.parquet",
    }[engine]
    how: dict[str, Any] = {} if engine == "spark" else {"query": "t"}
    how |= {"weight": "w"} if case.weights == "yes" else {}
    schema = {"y": "numeric"} if case.target == "number" else None
    with pytest.raises(CapabilityError):
        penjing.fit(where, "y", case.recipe, engine=engine, schema=schema, **how)


def test_disk_refuses_what_does_not_fit_before_a_row_is_read(tmp_path):
    path = tmp_path / "rows.parquet"
    rows = pa.table({"x": np.arange(4000) / 3, "y": np.arange(4000) % 2})
    with duckdb.connect() as link:
        link.from_arrow(rows).write_parquet(str(path))
    with path.open("r+b") as file:  # rows are unreadable: nobody may look at them
        file.seek(4)
        file.write(b"\0" * 2000)
    for recipe in ("c4.5", "cart", "c5.0", "sklearn"):
        with pytest.raises(CapabilityError):
            penjing.fit(str(path), "y", recipe, engine="disk", memory_limit=1000)


def test_the_table_in_the_docs_says_what_the_engines_declare():
    engines = (*HERE, *DATABASES, "spark")
    assert {key: declared(*key) for key in product(engines, CASES)} == PROMISED


def test_the_data_sets_are_there():
    if not INDEX:
        pytest.skip(f"{SHARED} is not there; PENJING_SHARED names the folder")
    assert len(INDEX) > 50
