"""Workbooks: sheets, types of cells, headers, and what cannot be read."""

from __future__ import annotations

import builtins
import datetime as dt
import zipfile
from pathlib import Path

import pytest

from penjing.data.read import read
from penjing.errors import CapabilityError, ChoiceError, DataError
from workbook import write_workbook

DAY = dt.datetime(2024, 3, 1, 6)  # noqa: DTZ001 - Excel has no zones
ROWS = [
    ["plan", "calls", "rate", "since", "open", "y"],
    ["basic", 3, 0.5, DAY, True, "no"],
    ["pro", 4, None, DAY + dt.timedelta(days=1), False, "yes"],
    ["pro", None, 2.25, DAY + dt.timedelta(days=2), True, "yes"],
    ["basic", 5, "#DIV/0!", DAY + dt.timedelta(days=40), True, "no"],
]


@pytest.fixture
def book(tmp_path):
    return write_workbook(tmp_path / "shop.xlsx", {"rows": ROWS, "notes": [["remark"], ["none"]]})


def test_cells_have_their_types(book):
    table = read(book, "y", dates="month,hour")
    values = {column.name: column.values() for column in table.columns}
    assert values["plan"] == ["basic", "pro", "pro", "basic"]
    assert values["calls"][:2] == [3, 4]
    assert table.columns[1].n_missing == 1
    assert table.columns[2].n_missing == 2  # an empty cell, and a formula without a result
    assert values["since.month"] == [3, 3, 3, 4]
    assert values["since.hour"] == [6, 6, 6, 6]
    assert set(values["open"]) == {True, False}


def test_a_workbook_is_read_as_the_csv_of_its_cells(tmp_path):
    rows = [["id", "a", "b", "y"], *([i, i % 7, f"k{i % 3}", "yn"[i % 2]] for i in range(1, 40))]
    book = write_workbook(tmp_path / "t.xlsx", {"t": rows})
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    from_book, from_text = read(book), read(text.encode())
    assert from_book.names == from_text.names == ("a", "b")
    assert [c.values() for c in from_book.columns] == [c.values() for c in from_text.columns]
    assert from_book.left_out == from_text.left_out


def test_a_sheet_is_chosen_by_name_or_number(book):
    assert read(book, "y").n_rows == 4
    assert read(book, False, sheet="notes", keep="remark").names == ("remark",)
    assert read(book, False, sheet=2, keep="remark").names == ("remark",)
    assert read(book, "y", sheet="1").n_rows == 4
    notes = [note.key for note in read(book, "y").notes]
    assert "note_first_sheet" in notes
    assert "note_first_sheet" not in [note.key for note in read(book, "y", sheet="rows").notes]


@pytest.mark.parametrize(
    ("sheet", "key"), [("note", "unknown_sheet_near"), ("x", "unknown_sheet"), (9, "no_such_sheet")]
)
def test_a_sheet_that_is_not_there_is_refused(book, sheet, key):
    with pytest.raises(ChoiceError) as caught:
        read(book, "y", sheet=sheet)
    assert caught.value.key == key


def test_a_sheet_of_a_text_file_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,n\n")
    with pytest.raises(ChoiceError) as caught:
        read(path, sheet="x")
    assert caught.value.key == "sheet_not_used"


def test_bytes_and_open_files_are_recognised(book):
    with Path(book).open("rb") as file:
        assert read(file, "y").n_rows == 4
    assert read(Path(book).read_bytes(), "y").n_rows == 4


def test_a_sheet_without_a_header_gets_names(tmp_path):
    book = write_workbook(tmp_path / "t.xlsx", {"t": [["p", 1.5, "n"], ["q", 2.5, "y"]]})
    assert read(book, names=["a", "b", "y"]).names == ("a", "b")


def test_empty_rows_and_nameless_columns(tmp_path):
    rows = [["a", None, "y", None], ["p", 1.5, "n"], [None, None, None], ["q", 2.5, "y", None]]
    table = read(write_workbook(tmp_path / "t.xlsx", {"t": rows}), "y")
    assert table.names == ("a", "#2")
    assert table.n_rows == 2


@pytest.mark.parametrize("content", [b"PK\x03\x04" + bytes(200), b"nothing", b""])
def test_a_file_that_is_no_workbook_is_refused(tmp_path, content):
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert caught.value.key in ("not_a_workbook", "empty_file")


def test_any_damage_is_refused_in_a_sentence(book):
    content = Path(book).read_bytes()
    for at in range(0, len(content), 97):
        damaged = content[:at] + b"\xff" + content[at + 1 :]
        try:
            read(damaged, "y", name="book.xlsx")
        except (DataError, ChoiceError):
            continue


def test_a_workbook_that_expands_beyond_the_limit_is_refused(tmp_path):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(60_000_000))
    with pytest.raises(DataError) as caught:
        read(path, memory_limit="100MB")
    assert caught.value.key == "too_much_to_read"


def test_without_the_extra_it_is_named(book, monkeypatch):
    real = builtins.__import__

    def fail(name, *args, **kwargs):
        if name == "python_calamine":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(CapabilityError, match=r"penjing\[excel\]"):
        read(book, "y")
