"""Times with a time zone are local times, from a frame, a Parquet file, and on disk."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import penjing
from penjing.data.encode.coded import Wants, coded

ZONES = ("Asia/Shanghai", "America/New_York", "+05:30", "-03:00", "UTC", "Etc/GMT+3", None)


def times(zone, unit, n=60):
    """Return an Arrow array of times around a change of summer time, one of them missing."""
    start = dt.datetime(2024, 3, 9, 20, 15)  # noqa: DTZ001
    moments = [start + dt.timedelta(hours=7 * i) for i in range(n)]
    utc = [None if i == 5 else moment for i, moment in enumerate(moments)]
    return pa.array(utc, pa.timestamp(unit, zone))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ZONES)
def test_a_file_has_the_local_times_of_the_frame(tmp_path, zone, unit):
    table = pa.table({"when": times(zone, unit), "y": ["a", "b"] * 30})
    pq.write_table(table, tmp_path / "rows.parquet")
    frame = table.to_pandas()
    parts = {"target": "y", "dates": ["hour", "day"], "quiet": True}
    expected = [column.values() for column in penjing.read(frame, **parts).columns]
    clock = frame["when"].dropna().dt.hour.tolist()
    assert [hour for hour in expected[0] if hour is not None] == clock
    for source in (tmp_path / "rows.parquet", table):
        found = penjing.read(source, **parts)
        assert [column.values() for column in found.columns] == expected


@pytest.mark.parametrize("zone", ZONES)
def test_a_tree_of_a_frame_predicts_its_file_and_grows_on_disk(tmp_path, zone):
    when = times(zone, "us")
    early = [hour is not None and hour < 12 for hour in when.to_pandas().dt.hour]
    table = pa.table({"when": when, "y": ["early" if is_early else "late" for is_early in early]})
    file = tmp_path / "rows.parquet"
    pq.write_table(table, file)
    rows = penjing.read(table.to_pandas(), "y", dates="hour", quiet=True)
    tree = penjing.fit(rows, recipe="c4.5", quiet=True)
    assert tree.predict(file).tolist() == tree.predict(table.to_pandas()).tolist()
    stored, space = coded(str(file), Wants("y", dates="hour"))
    try:
        for column, in_memory in zip(stored.columns, rows.columns, strict=True):
            assert column.take(slice(0, 60)).values() == in_memory.values()
    finally:
        space.close()


def test_an_unknown_zone_leaves_times_in_utc(tmp_path):
    field = pa.field("when", pa.timestamp("us", "Mars/Olympus"))
    when = times("UTC", "us").cast(pa.int64()).cast(field.type)
    table = pa.table([when, ["a", "b"] * 30], pa.schema([field, ("y", pa.string())]))
    pq.write_table(table, tmp_path / "rows.parquet")
    hours = penjing.read(tmp_path / "rows.parquet", "y", dates="hour", quiet=True).columns[0]
    assert hours.values()[:3] == [20.0, 3.0, 10.0]
