"""Large text in memory: what DuckDB divides and codes is the table that Python reads."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.read import csv_duckdb
from penjing.data.read import json as json_reader
from table_values import in_memory

N = 3_000
COLUMNS = {
    "fractions": lambda i: f"{i * 7919 % 9973 / 64}",
    "whole numbers": lambda i: f"{i * 7919 % 9973}",
    "zeros first": lambda i: f"{i * 13 % 9973:08d}",
    "a zero first, late": lambda i: "007" if i == N - 1 else f"{i * 13 % 9973}",
    "twenty digits": lambda i: f"1234567890123{i * 7919 % 1_000_003:07d}",
    "infinite": lambda i: "1e999" if i == N - 3 else f"{i / 7}",
    "gaps": lambda i: "" if i % 7 == 0 else "NA" if i % 7 == 1 else f"{i * 3}",
    "numbers that are missing": lambda i: "-999" if i % 5 == 0 else f"{i * 3}",
    "a word late": lambda i: "late" if i == N - 1 else f"{i * 3}",
    "a point or thousands": lambda i: f"{i % 900 + 1}.{i * 31 % 1000:03d}",
    "a fraction late": lambda i: "0.5" if i == N - 1 else f"{i % 900 + 1}.{i * 31 % 1000:03d}",
    "a comma late": lambda i: '"9,5"' if i == N - 1 else f"{i % 900 + 1}.{i * 31 % 1000:03d}",
    "points for thousands": lambda i: f'"{i % 9 + 1}.{i * 31 % 1000:03d},{i % 97}"',
    "exponents": lambda i: f"{i % 900 + 1}e2",
}


@pytest.fixture
def large(monkeypatch):
    """Take small texts for large ones."""

    def patch():
        for module, names in (
            (csv_duckdb, ("MIN_CHARACTERS", "MIN_CHARACTERS_PER_COLUMN")),
            (json_reader, ("MIN_CHARACTERS",)),
        ):
            for name in names:
                monkeypatch.setattr(module, name, 0)
        monkeypatch.setattr(csv_duckdb, "MAX_TEXT_LEVELS", 25)

    return patch


@pytest.mark.parametrize("missing", [None, ["-999"], [-999], {"only": ["-999", "3"]}], ids=str)
@pytest.mark.parametrize("title", ["a", "id"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_large_csv_is_one_table(name, title, missing, large, tmp_path):
    rows = [f"{COLUMNS[name](i)},{i % 7},{'pqr'[i * i % 3]}\n" for i in range(N)]
    path = tmp_path / "t.csv"
    path.write_text(f"{title},b,y\n" + "".join(rows), "utf-8")
    small = in_memory(path, "y", missing=missing)
    large()
    assert in_memory(path, "y", missing=missing) == small


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_large_csv_with_a_decimal_mark_is_one_table(name, decimal, large, tmp_path):
    rows = [f"{COLUMNS[name](i)},{i % 7},{'pqr'[i * i % 3]}\n" for i in range(N)]
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(rows), "utf-8")
    small = in_memory(path, "y", decimal=decimal)
    predict = None
    if isinstance(small, dict):  # not refused
        table = penjing.read(path, "y", decimal=decimal, quiet=True)
        predict = penjing.fit(table, recipe="cart-binary", missing="branch").predict
    predicted = None if predict is None else predict(str(path)).tolist()
    large()
    assert in_memory(path, "y", decimal=decimal) == small
    assert predict is None or predict(str(path)).tolist() == predicted


@pytest.mark.parametrize("line", ['{"a": %d, "A": "x", "y": "p"}', '{"a": %d, "a_1": 2, "y": "q"}'])
def test_keys_of_json_keep_their_names(line, large, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(line % (i % 3) + "\n" for i in range(20)), "utf-8")
    small = in_memory(path, "y")
    large()
    assert in_memory(path, "y") == small


def test_numbers_of_many_rows_stand_in_their_rows(tmp_path):
    """DuckDB may join the words for missing to the rows, which then come in any order."""
    numbers = np.random.default_rng(5).permutation(400_000) / 64
    path = tmp_path / "many.csv"
    path.write_text(
        "a,b,y\n" + "".join(f"{x!r},{2 * x!r},{'pq'[x > 3000]}\n" for x in numbers.tolist())
    )
    table = penjing.read(str(path), "y")
    assert (table.columns[0].numbers() == numbers).all()
    assert (table.columns[1].numbers() == 2 * numbers).all()
