"""Rows are named by the values of their id column."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import penjing
from penjing.data.row_ids import MAX_ROWS
from penjing.explain.node import story

TEXT = "编号,a,b,y\n" + "".join(
    f"{3 * i + 2},{'uv'[i % 2]},{i % 3},{'mn'[i % 2]}\n" for i in range(6)
)
IDS = [2, 5, 8, 11, 14, 17]


def ids(table):
    return [table.row_id(row) for row in range(table.n_rows)]


def read(text, **options):
    return penjing.read(io.BytesIO(text.encode()), "y", quiet=True, **options)


def test_an_id_column_names_the_rows():
    table = read(TEXT)
    assert (table.row_ids.name, ids(table)) == ("编号", IDS)
    assert "编号" not in table.names
    assert ids(table.take([4, 1])) == [14, 5]
    assert table.take([4, 1]).row_number(0) == 5
    assert read(TEXT, keep="编号").row_ids is None
    assert read(TEXT, schema={"编号": "ignore"}).row_ids is None


def test_of_several_id_columns_the_first_with_an_id_name_is_taken():
    lines = TEXT.splitlines()
    heads = ["count,name," + lines[0] + ",other_id"]
    rows = [f"{i + 1},melon {i},{line},{90 - i}" for i, line in enumerate(lines[1:])]
    table = penjing.read(io.BytesIO("\n".join(heads + rows).encode()), "y", quiet=True)
    assert {name for name, why in table.left_out if why == "id"} >= {"count", "编号", "other_id"}
    assert table.row_ids.name == "编号"


def test_a_row_without_a_target_takes_its_id_along():
    table = read(TEXT.replace("5,v,1,n", "5,v,1,"))
    assert ids(table) == [2, 8, 11, 14, 17]
    assert [table.row_number(i) for i in range(5)] == [1, 3, 4, 5, 6]


def test_frames_have_ids_in_columns_and_in_a_named_index():
    frame = pd.read_csv(io.StringIO(TEXT))
    assert ids(penjing.read(frame, "y", quiet=True)) == IDS
    indexed = frame.set_index("编号")
    table = penjing.read(indexed, "y", quiet=True)
    assert (table.row_ids.name, ids(table)) == ("编号", IDS)
    indexed.index.name = None
    assert penjing.read(indexed, "y", quiet=True).row_ids is None
    indexed.index = pd.Index(list("aabcde"), name="letter")
    assert penjing.read(indexed, "y", quiet=True).row_ids is None
    named = frame.set_index(pd.Index(list("pqrstu"), name="letter"))
    assert penjing.read(named, "y", quiet=True).row_ids.name == "letter"


def test_ids_keep_their_text():
    table = read(TEXT.replace("\n2,", "\n02,"))
    assert ids(table)[0] == "02"


def test_rows_for_a_tree_are_named_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT, "utf-8")
    tree = penjing.fit(str(path), "y", recipe="id3", quiet=True)
    shifted = path.with_name("s.csv")
    shifted.write_text(TEXT.replace(",m\n", ",x\n").replace(",n\n", ",m\n").replace(",x\n", ",n\n"))
    report = tree.score(str(shifted))
    assert [w.id for w in report.wrong] == IDS
    assert report.row_id == "编号"
    assert "wrong predictions, by 编号: 2 n→m, 5 m→n" in report.text()
    assert "判错的样本（按编号）：2 n→m，5 m→n" in report.text("zh")
    few = tree.score(penjing.read(str(shifted), "y", quiet=True).take([1, 2]))
    assert "wrong predictions: 编号 5 m→n, 编号 8 n→m" in few.text()
    assert "判错的样本：编号 5 m→n，编号 8 n→m" in few.text("zh")
    assert report.to_json()["wrong"][0] == {"row": 1, "actual": "n", "predicted": "m", "id": 2}
    assert report.to_json()["row_id"] == "编号"
    plain = tree.score(penjing.read(str(shifted), "y", schema={"编号": "ignore"}, quiet=True))
    assert "row 1 n→m" in plain.text()
    assert "id" not in plain.to_json()["wrong"][0]
    other = penjing.Tree.from_dict({"a": {"u": "n", "v": "m"}}, target="y")
    comparison = penjing.compare(tree, other, {"test": str(path)})
    assert comparison.rows["test"][0]["id"] == 2
    assert comparison.rows["test"][0]["row"] == 1
    assert "for 编号 2, 5, 8, 11, 14 and 17 of the test set" in comparison.text()
    assert "编号 为 2、5、8、11、14 和 17 的样本" in comparison.text("zh")
    several = penjing.compare(tree, other, tree, tables={"test": str(path)})
    assert "6 (编号 2, 5, 8, 11, 14 and 17)" in several.text()


def test_a_trace_names_rows_by_their_ids():
    table = read(TEXT)
    trace = penjing.fit(table, recipe="id3").trace.with_rows(table)
    assert "6 (编号 2, 5, 8, 11, 14 and 17)" in trace.text()
    assert "6（编号 2、5、8、11、14 和 17）" in trace.text("zh")
    step = story(penjing.fit(table, recipe="id3"), table)[0]
    assert (step["row_numbers"], step["row_ids"]) == ([1, 2, 3, 4, 5, 6], IDS)
    assert step["row_id_column"] == "编号"


def test_many_rows_have_no_ids(monkeypatch):
    monkeypatch.setattr("penjing.data.read.find_row_ids.MAX_ROWS", 5)
    assert read(TEXT).row_ids is None
    assert MAX_ROWS == 100_000


def test_a_missing_id_falls_back_to_the_number():
    table = read(TEXT.replace("\n5,v", "\n,v"))
    assert ids(table)[:3] == [2, None, 8]
    tree = penjing.Tree.from_dict({"a": {"u": "n", "v": "m"}}, target="y")
    assert "编号 2 m→n, row 2 n→m, 编号 8 m→n" in tree.score(table).text()
    assert "编号 2 m→n, row 2 n→m" in tree.score(table.take([0, 1])).text()


@pytest.mark.parametrize("n", [12])
def test_texts_that_name_rows_are_ids(n):
    rows = "".join(f"melon {i},{i % 2},{'mn'[i % 2]}\n" for i in range(n))
    table = penjing.read(io.BytesIO(f"fruit,a,y\n{rows}".encode()), "y", quiet=True)
    assert table.row_id(3) == "melon 3"
    tree = penjing.fit(table, recipe="id3")
    again = tree.score(io.BytesIO(f"fruit,a,y\n{rows}".replace(",m\n", ",n\n").encode()))
    assert again.wrong[0].id == "melon 0"
    assert np.all([w.id.startswith("melon") for w in again.wrong])


@pytest.mark.parametrize("name", ["customer_id", "Kunden-Nr.", "Order No.", "invoice_no"])
def test_rows_of_a_large_file_are_named_by_a_column_with_the_name_of_an_id(tmp_path, name):
    path = tmp_path / "large.csv"
    rows = [f"C{i},{i % 3},{'pq'[i % 2]}" for i in range(5000)]
    path.write_text("\n".join([f"{name},a,y", *rows]) + "\n", "utf-8")
    tree = penjing.fit(str(path), "y", "cart-binary", quiet=True)
    report = tree.score(str(path))
    assert report.wrong[0].id is not None
    assert f"({name} C" in report.text()
