"""Typed sources: Parquet and frames are the same table in memory, on disk, and for `predict`."""

from __future__ import annotations

import base64
import io
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest

import penjing
from penjing.data.encode.coded import Wants, coded
from penjing.data.read.arrow_schema import duration_units
from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.features import frame_features
from penjing.data.read.stream import TableSource, read_batches
from penjing.errors import DataError, PenjingError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

THIRDS = [Decimal(3) / 7, Decimal("0.1234567890123456789012345678"), Decimal("-2.5"), None]
WIDE = [Decimal("1234567890123456789012345678901234567890.123"), Decimal("-0.001"), None]


def both(path, target="y"):
    """Return the table as memory has it, and as the disk engine has it."""
    table, space = coded(str(path), Wants(target))
    try:
        loaded = [(c.name, c.kind, list(c.levels), list(c.codes)) for c in table.columns]
        on_disk = loaded, [*table.left_out]
    finally:
        space.close()
    read = penjing.read(path, target)
    in_memory = [(c.name, c.kind, list(c.levels), list(c.codes)) for c in read.columns]
    return (in_memory, [*read.left_out]), on_disk


def test_a_column_whose_first_cell_is_missing_is_no_id(tmp_path):
    n = 401
    cities = ["?", *(f"c{i * 7 % 20}" for i in range(n - 1))]
    classes = ["a", *("ab"[i * 7 % 2] for i in range(n - 1))]
    pq.write_table(pa.table({"city": cities, "y": classes}), tmp_path / "t.parquet")
    one, two = both(tmp_path / "t.parquet")
    assert one == two
    assert one[1] == []


@pytest.mark.parametrize("again", [0, 1])
@pytest.mark.parametrize("first", ["?", "n0"])
def test_ids_are_judged_by_all_rows(tmp_path, first, again):
    names = [first, *(f"n{i}" for i in range(1, 300))]
    names[-1] = names[5] if again else names[-1]
    table = pa.table({"name": names, "x": np.arange(300) % 7, "y": ["a", "b"] * 150})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=50)
    one, two = both(tmp_path / "t.parquet")
    assert one == two
    assert one[1] == ([] if again else [("name", "id")])


@pytest.mark.parametrize("again", [0, 1])
@pytest.mark.parametrize(("name", "start"), [("row", 0), ("steps", 1), ("steps", 5)])
@pytest.mark.parametrize("n", [12, 3_000])
def test_numbers_that_count_are_judged_by_all_rows(tmp_path, name, start, again, n):
    whole = np.arange(start, start + n) * (10**6 if name == "row" else 1)
    whole[-1] = whole[2] if again else whole[-1]
    table = pa.table({name: whole, "x": np.arange(n) % 7, "y": ["a", "b"] * (n // 2)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=700)
    one, two = both(tmp_path / "t.parquet")
    assert one[1] == two[1]
    is_id = not again and (start < 5 or n > 20)
    assert one[1] == ([(name, "id")] if is_id else [])


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.decimal128(38, 28), THIRDS),
        (pa.decimal64(18, 9), [Decimal("123456789.123456789"), Decimal("0.000000001"), None]),
        (pa.decimal32(9, 4), [Decimal("12345.6789"), Decimal("-0.0001"), Decimal(7)]),
        (pa.decimal256(76, 30), THIRDS),
        (pa.decimal256(60, 3), WIDE),
        (pa.decimal128(38, 0), [Decimal(10**37 + 1), Decimal(3), None]),
    ],
)
def test_decimals_are_the_nearest_doubles(tmp_path, kind, values):
    table = pa.table(
        {
            "x": pa.array(values * 8, kind),
            "z": np.arange(8 * len(values)) % 5,
            "y": ["a", "b"] * (4 * len(values)),
        }
    )
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    meant = {None if v is None else float(v).hex() for v in table["x"].to_pylist()} - {None}
    one, two = both(path)
    assert one == two
    assert {float(v).hex() for v in one[0][0][2]} == meant
    (sheet,) = read_batches(TableSource(str(path)))
    assert {float(v).hex() for v in sheet.columns[0].plain_levels()} == meant
    for source in frames(table):
        found = penjing.read(source, "y").columns[0]
        assert {float(v).hex() for v in found.levels} == meant


def frames(table):
    yield table
    polars = pytest.importorskip("polars")
    if all(getattr(field.type, "precision", 0) <= 38 for field in table.schema):
        yield polars.from_arrow(table)


UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
LENGTHS = [0, 1_500_000_001, -7, None, 86_400, 3]


def duration_frames(table):
    yield from frames(table)
    pandas = pytest.importorskip("pandas")
    yield table.to_pandas()
    yield table.to_pandas(types_mapper=pandas.ArrowDtype)
    yield {name: column.to_numpy() for name, column in zip(table.column_names, table, strict=True)}


@pytest.mark.parametrize("unit", UNITS)
def test_durations_are_seconds_whatever_their_unit(tmp_path, unit):
    lengths = pa.array(LENGTHS * 8, pa.duration(unit))
    table = pa.table({"x": lengths, "z": np.arange(48) % 5, "y": ["a", "b"] * 24})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    meant = [None if v is None else v / UNITS[unit] for v in LENGTHS]
    one, two = both(path)
    assert one == two
    name, kind, levels, codes = one[0][0]
    assert (name, kind) == ("x", "numeric")
    assert [None if code < 0 else levels[code] for code in codes[:6]] == meant
    (sheet,) = read_batches(TableSource(str(path)))
    assert {*sheet.columns[0].plain_levels()} == {*meant} - {None}
    for source in duration_frames(table):
        assert penjing.read(source, "y").columns[0].values()[:6] == meant


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("unit", UNITS)
def test_a_tree_from_durations_of_a_file_predicts_those_of_a_frame(tmp_path, unit, engine):
    lengths = pa.array([i % 5 * UNITS[unit] * 3600 for i in range(40)], pa.duration(unit))
    table = pa.table({"x": lengths, "y": ["uv"[i % 5 > 2] for i in range(40)]})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    tree = penjing.fit(str(path), "y", "cart-binary", engine=engine)
    for rows in (table, str(path)):
        assert [*tree.predict(rows)] == table["y"].to_pylist()
    assert tree.score(str(path)).correct == 40
    # Durations as the target are numbers, too.
    trees = [penjing.fit(source, "x", "cart") for source in (str(path), table)]
    assert str(trees[0]) == str(trees[1])


@pytest.mark.parametrize("footer", [b"", b"?", b"QUJD", b"/////0AAAAA=", b"/////wAAAAD/////"])
def test_a_damaged_schema_of_arrow_states_no_durations(footer):
    assert duration_units(footer) == {}


def test_durations_are_found_among_columns_of_every_type():
    fields = {
        "text": pa.string(), "list": pa.list_(pa.struct({"wait": pa.duration("s")})),
        "盆景": pa.duration("ns"), "when": pa.timestamp("us", "Asia/Shanghai"),
        "d": pa.decimal128(9, 2), "s": pa.duration("s"), "m": pa.map_(pa.string(), pa.int8()),
        "ms": pa.duration("ms"), "code": pa.dictionary(pa.int8(), pa.string()),
    }  # fmt: skip
    schema = pa.schema(fields, metadata={"pandas": "{}"})
    encoded = base64.b64encode(schema.serialize().to_pybytes())
    assert duration_units(encoded) == {"盆景": 10**9, "s": 1, "ms": 1000}
    for size in range(0, len(encoded), 4):  # whatever is cut off, there is no other error
        duration_units(encoded[:size])


@pytest.mark.parametrize("kind", ["m8[ns]", "M8[ns]"])
def test_arrays_of_times_are_the_same_alone_and_in_a_dict(kind):
    values = np.array([0, 86_400 * 10**9 * 40, "NaT", 86_400 * 10**9 * 80], kind)
    one = penjing.read({"x": values, "y": [*"abab"]}, "y", dates="month")
    two = penjing.read({"x": [*values], "y": [*"abab"]}, "y", dates="month")
    assert [(c.name, c.values()) for c in one.columns] == [
        (c.name, c.values()) for c in two.columns
    ]
    assert one.columns[0].values()[2] is None
    assert len({*one.columns[0].levels}) == 3


def test_estimators_take_decimals_as_the_nearest_doubles():
    polars = pytest.importorskip("polars")
    x = [Decimal("0.1234567890123456789012345678"), Decimal("0.4285714285714285714285714286"), None]
    arrow = pa.table({"x": pa.array(x, pa.decimal128(38, 28))})
    for frame in (arrow, polars.from_arrow(arrow)):
        _, (found,) = frame_features(frame, "X")
        assert [v.hex() for v in found[:2]] == [float(v).hex() for v in x[:2]]
        assert np.isnan(found[2])


def test_small_integers_of_a_wide_range_are_themselves():
    levels, codes = encode_numbers(np.array([48, -93, -66], np.int8))
    assert levels.tolist() == [-93, -66, 48]
    assert levels[codes].tolist() == [48, -93, -66]


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint8, np.uint64, np.int64])
def test_integers_of_any_width_are_ranked(kind):
    info = np.iinfo(kind)
    values = np.random.default_rng(1).integers(info.min, info.max, 300, kind, endpoint=True)
    values[:3] = info.min, info.max, info.max - 1
    for some in (values, values[:3], np.sort(values)[-40:]):
        levels, codes = encode_numbers(some)
        assert levels.dtype == kind
        assert levels[codes].tolist() == some.tolist()


def test_columns_that_differ_in_case_keep_their_names(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3] * 4, "A": list("xyz") * 4, "y": list("pq") * 6}), path)
    one, two = both(path)
    assert one == two
    assert [column[0] for column in one[0]] == ["a", "A"]
    tree = penjing.fit(path, "y")
    assert [*tree.predict(path)] == [*tree.predict(penjing.read(path, "y"))]


def test_twins_are_refused_alike(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table([[1, 2], [3, 4], ["p", "q"]], ["a", "a", "y"])
    pq.write_table(table, path)
    said = set()
    for engine in ("memory", "disk"):
        with pytest.raises(DataError, match="both named 'a'") as caught:
            penjing.fit(path, "y", engine=engine)
        said.add(str(caught.value))
    assert len(said) == 1


def test_polars_integers_of_128_bits():
    polars = pytest.importorskip("polars")
    from penjing.estimators import CARTClassifier  # noqa: PLC0415

    for kind in (polars.Int128, polars.UInt128):
        whole = polars.Series("x", [2**100, 5, None, 7] * 9, dtype=kind)
        frame = polars.DataFrame({"x": whole, "y": ["a", "b", "b", "b"] * 9})
        table = penjing.read(frame, "y")
        assert table.columns[0].levels.tolist() == [5.0, 7.0, 2.0**100]
        two = penjing.read(frame.filter(polars.col("x") != 7), "y")
        assert two.columns[0].levels == (2**100, 5)
        model = CARTClassifier().fit(frame.select("x").fill_null(6), frame["y"].to_numpy())
        assert list(model.predict(frame.select("x").fill_null(6))) == frame["y"].to_list()


def test_bytes_that_are_no_text_stay_apart(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table(
        {"b": pa.array([b"\xff", b"\xfe", b"ok"] * 4, pa.binary()), "y": list("pqp") * 4}
    )
    pq.write_table(table, path)
    one, two = both(path)
    assert one == two
    assert one[0][0][2] == ["\\xff", "\\xfe", "ok"]


def test_classes_that_are_dates_can_be_kept(tmp_path):
    """Levels of a model are texts and numbers."""
    import datetime as dt  # noqa: PLC0415

    days = [dt.date(2024, 1, 1), dt.date(2024, 2, 29)] * 6
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.arange(12) % 2 * 1.5, "y": days}), path)
    trees = [penjing.fit(path, "y", engine=engine) for engine in ("memory", "native", "disk")]
    room = [tree.to_json()["target"] for tree in trees]
    assert room[0] == room[1] == room[2]
    trees[0].save(tmp_path / "t.tree")
    assert penjing.load(tmp_path / "t.tree").target.levels == trees[0].target.levels


def test_a_last_column_of_many_fractions_is_no_target(tmp_path):
    path = tmp_path / "t.parquet"
    for few, name in ((True, "few"), (False, "many")):
        last = np.arange(60) % 4 / 8 if few else np.arange(60) / 8
        pq.write_table(pa.table({"x": np.arange(60) % 7, name: last}), path)
        told = []
        for engine in ("memory", "disk"):
            try:
                told.append(penjing.fit(path, recipe="cart-textbook", engine=engine).target)
            except PenjingError as error:
                told.append(str(error))
        assert told[0] == told[1], few
        assert isinstance(told[0], str) == (not few)


def test_infinity_is_refused_alike(tmp_path):
    path = tmp_path / "t.parquet"
    x = np.arange(90) / 8
    x[[40, 60]] = np.inf
    pq.write_table(pa.table({"x": x, "y": ["a", "b"] * 45}), path, row_group_size=20)
    said = set()
    for engine in ("memory", "disk"):
        with pytest.raises(DataError, match="row 41") as caught:
            penjing.fit(path, "y", engine=engine)
        said.add(str(caught.value))
    assert len(said) == 1


def test_bytes_of_a_file_are_read_as_the_file():
    room = io.BytesIO()
    pq.write_table(pa.table({"A": [1, 2] * 6, "a": ["p", "q"] * 6, "y": ["p", "q"] * 6}), room)
    assert [c.name for c in penjing.read(room.getvalue(), "y").columns] == ["A", "a"]


def test_a_nested_column_without_values_does_not_shift_the_others(tmp_path):
    path = tmp_path / "t.parquet"
    nested = pa.nulls(60, pa.struct([("a", pa.string()), ("b", pa.list_(pa.int64()))]))
    table = pa.table({"n": nested, "x": np.arange(60) % 9 - 40, "z": ["p", "q", "r"] * 20,
                      "y": ["a", "b"] * 30})  # fmt: skip
    pq.write_table(table, path, row_group_size=7)
    one, two = both(path)
    assert one == two
    assert one[1] == [("n", "empty")]


def test_a_table_without_columns_is_a_leaf_in_every_engine(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"who": [f"n{i}" for i in range(20)], "y": ["a", "b"] * 10}), path)
    leaves = {
        penjing.fit(path, "y", engine=e).n_leaves for e in ("memory", "native", "disk", "duckdb")
    }
    assert leaves == {1}


def test_a_name_with_a_dot_is_no_other_column(tmp_path):
    path = tmp_path / "t.parquet"
    table = {"a.b": ["p", "q", "r"] * 20, "a": np.arange(60) % 2 * 10**12, "y": ["a", "b"] * 30}
    pq.write_table(pa.table(table), path)
    one, two = both(path)
    assert one == two
    assert one[0][1][2] == [0, 10**12]


WORDS = [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\1\0\0\0"]


@pytest.mark.parametrize("word", WORDS)
def test_damaged_schemas_are_decoded_in_bounded_memory(word):
    schema = pa.schema({"s": pa.duration("s"), "盆景": pa.duration("ns"), "whole": pa.int64()})
    whole = schema.serialize().to_pybytes()
    tracemalloc.start()
    try:
        for place in range(0, len(whole), 4):
            units = duration_units(base64.b64encode(whole[:place] + word + whole[place + 4 :]))
            assert {*units.values()} <= {1, 10**3, 10**6, 10**9}
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
