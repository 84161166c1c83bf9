"""Texts of a large Parquet file come as codes; what is read is what Python's texts would be."""

import numpy as np
import pytest

from penjing.data.read import parquet as parquet_reader

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

WORDS = ["b", 'a"x', "ç", "z z", "q'r", "", "?", "NA", "1", *(f"w{i}" for i in range(300))]


def read(path, monkeypatch, many_rows):
    monkeypatch.setattr(parquet_reader, "MIN_ENUM_ROWS", many_rows)
    return parquet_reader.from_parquet(path.read_bytes(), "t", 1 << 40).columns


@pytest.mark.parametrize("seed", range(5))
def test_codes_are_those_of_texts(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    n, columns = 2_000, {}
    for name, few in [('te"xt', 5), ("o'ne", len(WORDS)), ("with gaps", 40), ("class", 2)]:
        texts = [WORDS[i] for i in rng.integers(0, few, n)]
        if name == "with gaps":
            texts = [None if rng.random() < 0.2 else text for text in texts]
        columns[name] = pa.array(texts, pa.string())
    columns |= {"none": pa.nulls(n, pa.string()), "x": pa.array(rng.normal(size=n))}
    columns["each"] = pa.array([f"row {i}" for i in range(n)])
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    monkeypatch.setattr(parquet_reader, "MAX_ENUM_TEXTS", 1_000)  # not those of "each"
    for coded, plain in zip(
        read(path, monkeypatch, 0), read(path, monkeypatch, n + 1), strict=True
    ):
        assert coded.name == plain.name
        assert coded.plain_levels() == plain.plain_levels()
        np.testing.assert_array_equal(coded.codes, plain.codes)
