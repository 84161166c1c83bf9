"""Predictions for a Parquet file are a Parquet file whose other columns are as they were."""

import datetime as dt
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

import penjing

N = 12


def columns():
    when = [dt.datetime(2024, 1, 1, 5, 6, 7, i) for i in range(N - 1)]  # noqa: DTZ001
    return {
        "x": pa.array([*map(float, range(N))]),
        "y": pa.array(["u", "v"] * (N // 2)),
        "truth": pa.array([True, False, None] * 4),
        "time": pa.array([*when, None], pa.timestamp("us")),
        "day": pa.array([dt.date(2024, 1, i + 1) for i in range(N)]),
        "price": pa.array([decimal.Decimal("1.10") * i for i in range(N)], pa.decimal128(10, 2)),
        "small": pa.array(range(N), pa.int8()),
        "large": pa.array([2**60 + i for i in range(N)]),
        "unsigned": pa.array(range(N), pa.uint32()),
        "single": pa.array([i / 3 for i in range(N)], pa.float32()),
        'a "b", c': pa.array([None, "z", 'q"'] * 4),
    }


def test_columns_keep_their_types_and_values(tmp_path, run):
    table = pa.table(columns())
    pq.write_table(table, tmp_path / "rows.parquet")
    rows = [{"x": float(i), "y": "uv"[i % 2]} for i in range(N)]
    penjing.fit(rows, "y", "cart-binary", quiet=True).save(tmp_path / "tree.json")
    done = run("predict", "tree.json", "rows.parquet", "-o", "out.parquet")
    assert done.code == 0, done.err
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column_names == ["row", *table.column_names, "predicted"]
    for name in table.column_names:
        assert found[name].type == table[name].type, name
        assert found[name].to_pylist() == table[name].to_pylist(), name
    assert found["predicted"].to_pylist() == ["u", "v"] * (N // 2)


def test_times_with_a_zone_are_written_as_local_times(tmp_path, run):
    moments = [dt.datetime(2024, 7, 1, 22, i) for i in range(N)]  # noqa: DTZ001 - in UTC
    zoned = pa.array(moments, pa.timestamp("us", "Europe/Berlin"))
    pq.write_table(pa.table(columns() | {"zoned": zoned}), tmp_path / "rows.parquet")
    rows = [{"x": float(i), "y": "uv"[i % 2]} for i in range(N)]
    penjing.fit(rows, "y", "cart-binary", quiet=True).save(tmp_path / "tree.json")
    assert run("predict", "tree.json", "rows.parquet", "-o", "out.parquet").code == 0
    found = pq.read_table(tmp_path / "out.parquet")["zoned"].to_pylist()
    assert found == [moment + dt.timedelta(hours=2) for moment in moments]
