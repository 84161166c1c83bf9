"""What may be shared between threads: trees, tables and recipes (docs/en/reference/threads.md)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import penjing

THREADS = 8


def together(work: Callable[[int], object]) -> list[object]:
    """Return what every thread returns when all of them begin at once."""
    barrier = threading.Barrier(THREADS)

    def begin(i: int) -> object:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.fixture(scope="module")
def table() -> penjing.Table:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(3_000, 4))
    kinds = np.array(["a", "b", "c"])[rng.integers(0, 3, 3_000)]
    rows = [
        {"p": p, "q": q, "r": r, "s": s, "kind": k, "y": "yes" if p * q + r > 0 else "no"}
        for (p, q, r, s), k in zip(x.tolist(), kinds.tolist(), strict=True)
    ]
    return penjing.read(rows, "y")


ROW = {"p": 0.1, "q": 0.2, "r": 0.3, "s": 0, "kind": "a"}
WORK: dict[str, Callable[[penjing.Tree, penjing.Table], object]] = {
    "predict": lambda tree, table: tree.predict(table).tolist(),
    "predict_proba": lambda tree, table: tree.predict_proba(table).tolist(),
    "apply": lambda tree, table: tree.apply(table).tolist(),
    "score": lambda tree, table: str(tree.score(table)),
    "explain": lambda tree, _: str(tree.explain(ROW)),
    "prune": lambda tree, _: tree.prune("pessimistic").to_json(),
    "text": lambda tree, _: tree.draw(),
    "svg": lambda tree, _: tree.write("svg"),
    "sql": lambda tree, _: tree.export("sql"),
    "json": lambda tree, _: tree.to_json(),
    "importances": lambda tree, _: tree.importances(),
}  # fmt: skip


@pytest.mark.parametrize("name", WORK)
def test_a_new_tree_is_shared_by_threads(table, name):
    expected = WORK[name](penjing.fit(table, recipe="cart-textbook", max_depth=6), table)
    shared = penjing.fit(table, recipe="cart-textbook", max_depth=6)  # nothing is cached yet
    assert all(result == expected for result in together(lambda _: WORK[name](shared, table)))


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "rpart", "sklearn"])
@pytest.mark.parametrize("engine", ["native", "memory"])
def test_a_table_is_shared_by_threads_that_grow_trees(table, recipe, engine):
    part = table.take(np.arange(600))
    expected = penjing.fit(part, recipe=recipe, engine=engine, max_depth=4)
    shared = table.take(np.arange(600))
    grown = together(lambda _: penjing.fit(shared, recipe=recipe, engine=engine, max_depth=4))
    assert all(tree == expected for tree in grown)


def test_threads_read_save_and_load_at_once(tmp_path):
    path = tmp_path / "fish.tree"
    tree = penjing.fit(penjing.example("fish"))

    def write_and_read(_: int) -> penjing.Tree:
        tree.save(path)
        return penjing.load(path)  # another thread's file, or this one's: always a whole one

    assert all(found == tree for found in together(write_and_read))


def test_progress_is_reported_on_the_thread_that_fits(table):
    seen: set[int] = set()

    def report(_: object) -> None:
        seen.add(threading.get_ident())

    penjing.fit(table, recipe="cart-textbook", progress=report, threads=2)
    assert seen <= {threading.get_ident()}
