"""A text column of more categories than two bytes tell apart: every engine keeps it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import penjing
from penjing.data.encode import coding
from penjing.errors import DataError
from remote_tables import plain

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N = 110_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """66,000 shops, each seen once or twice; names that are seen once; three classes."""
    rng = np.random.default_rng(7)
    shop = rng.permutation(N) % 66_000
    x = np.round(rng.normal(size=N), 2)
    y = np.digitize(x + (shop % 7 == 0) + rng.normal(size=N) / 4, [0.2, 1.1])
    table = pa.table(
        {
            "shop": [f"shop {i}" for i in shop],
            "x": x,
            "who": [f"row {i}" for i in range(N)],
            "number": [f"{i % 65_900}.5" for i in range(N)],
            "y": np.array(["no", "so", "yes"])[y],
        }
    )
    file = tmp_path_factory.mktemp("many") / "t.parquet"
    pq.write_table(table, file, row_group_size=40_000)
    return file


@pytest.mark.parametrize("recipe", ["id3", pytest.param("c4.5-textbook", marks=pytest.mark.slow)])
def test_disk_keeps_it_as_native_does(path, recipe):
    how = {"recipe": recipe, "max_depth": 1}
    one, two = (penjing.fit(path, "y", engine=e, **how) for e in ("native", "disk"))
    assert [(f.name, f.kind) for f in one.schema] == [
        ("shop", "nominal"), ("x", "numeric"), ("number", "numeric"),
    ]  # fmt: skip
    assert len(one.schema[0].levels) > 65_535
    assert one.about["left_out"] == [["who", "id"]]
    assert plain(one) == plain(two)


@pytest.mark.parametrize("engine", ["disk", "duckdb"])
def test_so_it_is_with_text(tmp_path, engine):
    lines = [f"shop {i * 7 % 66_000},row {i},{i % 97 / 8},{'yes' if i % 97 > 40 else 'no'}"
             for i in range(80_000)]  # fmt: skip
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["shop,who,x,y", *lines]), "utf-8")
    how = {"recipe": "c4.5-textbook", "max_depth": 1}
    one, two = (penjing.fit(file, "y", engine=e, **how) for e in ("native", engine))
    assert len(one.schema[0].levels) == 66_000
    assert plain(one) == plain(two)
    assert one.about["left_out"] == two.about["left_out"] == [["who", "id"]]


@pytest.mark.slow
def test_mapped_columns_may_have_as_many(path, monkeypatch):
    """Where the table does not fit memory, its columns are mapped."""
    train = sys.modules["penjing.training.train"]
    monkeypatch.setattr(train, "native_engine_bytes", lambda _: 1 << 60)
    how = {"schema": {"number": "ignore"}, "max_depth": 1, "recipe": "c4.5-textbook"}
    one, two = (penjing.fit(path, "y", engine=e, **how) for e in ("native", "disk"))
    assert plain(one) == plain(two)


def test_so_many_texts_that_memory_could_not_hold_them_are_refused(path, monkeypatch):
    monkeypatch.setattr(coding, "MOST_TEXTS", 30_000)
    with pytest.raises(DataError, match=r"'shop' has more than 30,000 categories.*ignore"):
        penjing.fit(path, "y", engine="disk")
    rest = {"shop": "ignore", "number": "ignore"}
    assert penjing.fit(path, "y", engine="disk", schema=rest, max_depth=1).n_leaves == 2
