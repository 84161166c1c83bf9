"""Sketches of trees that the disk engine counts from its store equal those of the native engine."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.cli import main
from penjing.data.store import StoredColumn
from penjing.data.table import Column, Table, nominal, numeric
from penjing.dialects.recipes import recipe_of
from penjing.engines import native, whole_rows
from penjing.engines.out_of_core import engine as disk
from penjing.grow.engine import Engine
from penjing.predict.flat import FlatPredictor
from penjing.training import sketches as rules

RECIPES = ("id3", "c4.5-textbook", "cart-binary", "cart-textbook")


def a_table(seed: int, n: int, classes: int) -> Table:
    """Return numbers, categories and an order, all of which tell about the class."""
    random = np.random.default_rng(seed)
    plain = random.normal(size=n)
    few = np.round(random.normal(size=n), 1)
    skewed = random.lognormal(sigma=4, size=n) * random.choice([-1, 1], n)
    mostly_zero = np.where(random.random(n) < 0.7, 0.0, random.normal(size=n) * 1e9)
    kind, size = random.integers(0, 40, n), random.integers(0, 5, n)
    parts = (plain > 0.3), (few > 0.5), (skewed > 1), (mostly_zero > 0), kind % 3 == 0, size > 2
    y = (sum(part.astype(int) << i for i, part in enumerate(parts)) + size) % classes
    y = np.where(random.random(n) < 0.2, random.integers(0, classes, n), y)
    return Table(
        (
            numeric("plain", plain),
            numeric("few", few),
            numeric("skewed", skewed),
            numeric("mostly zero", mostly_zero),
            nominal("kind", kind.tolist()),
            Column("size", "ordered", ("XS", "S", "M", "L", "XL"), size.astype(np.int32)),
        ),
        nominal("y", y.tolist(), list(range(classes))),
        n,
    )


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.tuples(st.sampled_from([6, 40, 300, 3_000]), st.sampled_from([2, 12])),
    block=st.sampled_from([64, 1_000, 1 << 16]),
    small=st.sampled_from([0, 200]),
)
def test_the_disk_engine_makes_the_sketches_of_the_native_engine(recipe, seed, size, block, small):
    table = a_table(seed, *size)
    with pytest.MonkeyPatch.context() as patch:
        expected = penjing.fit(table, recipe=recipe, max_depth=8, sketch=True)
        patch.setattr(whole_rows, "BLOCK_ROWS", block)
        patch.setattr(disk, "SMALL", small)
        found = penjing.fit(table, recipe=recipe, max_depth=8, sketch=True, engine="disk")
    assert found.n_nodes == expected.n_nodes
    assert found.sketch == expected.sketch


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("classes", [2, 12])
@pytest.mark.parametrize("few_codes", [0, 50, 1_000])
def test_counting_whole_rows_equals_counting_each_node(recipe, classes, few_codes, monkeypatch):
    """Compare with the sketches from tallies, one node at a time."""
    monkeypatch.setattr(whole_rows, "FEW_CODES", few_codes)
    monkeypatch.setattr(whole_rows, "BLOCK_ROWS", 700)
    table = a_table(1, 5_000, classes)
    chosen = recipe_of(recipe).fits(table)
    counter = native.Engine(table, missing=chosen.missing)
    tree = counter.grow(chosen)
    found = rules.sketches(tree, counter, chosen)
    assert any(len(sketch.get("bounds", ())) > 2 for sketch in found)
    monkeypatch.setattr(native.Engine, "split_counts", Engine.split_counts)
    assert found == rules.sketches(tree, native.Engine(table, missing=chosen.missing), chosen)


@pytest.mark.parametrize("memory", [1, 10_000, 1 << 30])
def test_lots_that_fit_memory_hold_every_node_once(memory):
    table = a_table(2, 2_000, 3)
    tree = penjing.fit(table, recipe="id3")
    nodes = np.flatnonzero(~tree.is_leaf)[:40].tolist()
    lots = list(whole_rows.whole_row_counts(tree, table, nodes, tree.reader, memory))
    assert [node for lot in lots for node in lot.first()] == nodes
    assert (len(lots) == 1) == (memory > 1e6)
    for lot in lots:
        for node, bins in lot.first().items():
            np.testing.assert_array_equal(bins.cells.sum(axis=0), tree.nodes.total[node])


def test_rows_that_are_divided_or_weighted_are_not_counted_whole():
    table = a_table(3, 500, 3)
    tree = penjing.fit(table, recipe="id3")
    weighted = Table(table.columns, table.target, 500, np.full(500, 2.0))
    assert whole_rows.whole_row_counts(tree, weighted, [0], tree.reader, 1e6) is None
    column = int(tree.nodes.column[0])
    gaps = list(table.columns)
    codes = np.array(gaps[column].codes)
    codes[:7] = -1
    gaps[column] = Column(gaps[column].name, gaps[column].kind, gaps[column].levels, codes)
    with_gaps = Table(tuple(gaps), table.target, 500)
    assert whole_rows.whole_row_counts(tree, with_gaps, [0], tree.reader, 1e6) is None


def test_no_column_is_read_whole(monkeypatch):
    """The store's columns are larger than what counting them takes."""
    table = a_table(4, 400_000, 3)
    tree = penjing.fit(table, recipe="cart-binary", max_depth=6)
    engine = disk.Engine(table)
    stored = engine._table.columns
    assert all(isinstance(column, StoredColumn) for column in stored)

    def refuse(self: StoredColumn) -> None:
        raise AssertionError(self.name)

    monkeypatch.setattr(StoredColumn, "_encode", refuse)
    monkeypatch.setattr(StoredColumn, "numbers", refuse)
    nodes = np.flatnonzero(~tree.is_leaf).tolist()
    tracemalloc.start()
    try:
        for lot in engine.split_counts(tree, nodes):
            lot.within(
                {node: np.zeros(1) for node, bins in lot.first().items() if bins.codes is None}
            )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 400_000 * 8


def test_the_command_makes_sketches_on_disk(tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "m.tree"
    random = np.random.default_rng(0)
    x, z = random.normal(size=3_000), random.integers(0, 4, 3_000)
    y = np.where(x + z > 1.5, "yes", "no")
    lines = [f"{a!r},v{b},{c}" for a, b, c in zip(x.tolist(), z.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["x,z,y", *lines]) + "\n", "utf-8")
    found = {}
    for engine in ("native", "disk"):
        words = ["-t", "y", "-r", "cart-binary", "--engine", engine, "-o", str(model)]
        assert main(["fit", str(path), *words]) == 0
        found[engine] = penjing.load(model).sketch
    assert found["disk"]
    assert found["disk"] == found["native"]


def test_counting_bins_checks_its_arrays():
    tree = penjing.fit(a_table(5, 50, 2), recipe="id3", max_depth=1)
    flat = FlatPredictor(tree).flat
    columns = [np.zeros(3, np.int32)] * len(tree.schema)
    n = flat.n_nodes
    good = {
        "columns": columns,
        "classes": np.zeros(3, np.int32),
        "n_classes": 2,
        "bin_start": np.append(0, np.full(n, 4)),
        "bound_start": np.zeros(n + 1, np.int64),
        "bounds": np.empty(0),
        "counts": np.zeros(8, np.int64),
        "low": np.full(n, np.nan),
        "high": np.full(n, np.nan),
    }
    flat.count_bins(**good)
    assert good["counts"].sum() == 3
    for wrong in (
        {"classes": np.full(3, 2, np.int32)},
        {"classes": np.full(3, -1, np.int32)},
        {"classes": np.zeros(4, np.int32)},
        {"n_classes": 0},
        {"counts": np.zeros(7, np.int64)},
        {"bin_start": np.zeros(n, np.int64)},
        {"bin_start": np.append(0, np.full(n, 5))},
        {"bound_start": np.ones(n + 1, np.int64)},
        {"low": np.zeros(n + 1)},
    ):
        with pytest.raises(ValueError, match=r"class|every|ascend"):
            flat.count_bins(**(good | wrong))
