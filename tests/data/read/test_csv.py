"""Separators, quotes, line ends, ragged rows; the large road agrees with the careful one."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing.data.read import csv_duckdb, read
from penjing.data.read.csv import detect_separator, from_delimited
from penjing.errors import DataError

CELL = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), max_size=6)
ODD_CELL = st.one_of(CELL, st.sampled_from(['a"b', '"', "x,y", "x;y", "x\ny", "x\ty", "a|b", "''"]))


def values(sheet):
    return [
        [None if code < 0 else cells.levels[code] for code in cells.codes]
        for cells in sheet.columns
    ]


def written(rows, separator=",", quoting=csv.QUOTE_MINIMAL, ends="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=ends).writerows(rows)
    return out.getvalue()


@st.composite
def grids(draw, cell=ODD_CELL):
    width = draw(st.integers(2, 5))
    row = st.lists(cell, min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return [[f"name{place}" for place in range(width)], *rows]


@given(
    grids(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_written_is_read(grid, separator, quoting, ends):
    text = written(grid, separator, quoting, ends)
    sheet = from_delimited(text, "x", separator)
    assert [list(row) for row in zip(*values(sheet), strict=True)] == grid[1:]


@given(grids(CELL), st.sampled_from([",", ";", "\t", "|"]))
def test_the_separator_is_sniffed(grid, separator):
    others = set(",;\t|，") - {separator}
    clean = [["".join(c for c in cell if c not in others) or "-" for cell in row] for row in grid]
    assert detect_separator(written(clean, separator)) == separator


@pytest.mark.slow
@settings(max_examples=100)  # a database each
@given(grids(), st.sampled_from([",", ";", "\t", "|"]), st.booleans())
def test_the_large_road_agrees_with_the_careful_one(grid, separator, quoted):
    text = written(grid, separator, csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    careful = values(from_delimited(text, "x", separator))
    header, hints = grid[0], csv_duckdb.ColumnHints(frozenset(), frozenset(grid[0]))
    columns = csv_duckdb.read_with_duckdb(text, header, separator, hints, has_header=True)
    if columns is None:
        return
    quick = [["" if code < 0 else cells.levels[code] for code in cells.codes] for cells in columns]
    assert quick == careful
    for cells in columns:  # in order of first appearance
        known = cells.codes[cells.codes >= 0]
        assert list(dict.fromkeys(known.tolist())) == list(range(len(cells.levels)))


def everything_is_large(monkeypatch):
    monkeypatch.setattr(csv_duckdb, "MIN_CHARACTERS", 1)
    monkeypatch.setattr(csv_duckdb, "MIN_CHARACTERS_PER_COLUMN", 0)


def test_what_is_large():
    assert csv_duckdb.is_large("x" * csv_duckdb.MIN_CHARACTERS, ["a", "b"])
    assert not csv_duckdb.is_large("x" * (csv_duckdb.MIN_CHARACTERS - 1), ["a", "b"])
    assert not csv_duckdb.is_large("x" * csv_duckdb.MIN_CHARACTERS, [f"c{n}" for n in range(1000)])


def test_large_files_are_read_the_same_way(monkeypatch):
    rng = np.random.RandomState(0)
    rows = [["id", "word", "real", "whole", "gaps", "dressed", "class"]]
    for row in range(9_000):
        gap = rng.choice(["NA", "", "?"]) if row % 7 == 0 else str(rng.randint(10**6))
        rows.append(
            [
                str(row + 1),
                f"w{rng.randint(8000)}",
                repr(float(rng.normal())),
                f"{rng.randint(10**6):07}",
                gap,
                f"{rng.randint(10**6):,}",
                rng.choice(["a", "b"]),
            ]
        )
    data = written(rows).encode()
    small = read(data)
    everything_is_large(monkeypatch)
    large = read(data)
    assert large.left_out == small.left_out == (("id", "id"),)
    assert [note.key for note in large.notes] == [note.key for note in small.notes]
    for one, other in zip(
        (*small.columns, small.target), (*large.columns, large.target), strict=True
    ):
        assert one.field == other.field
        assert np.array_equal(one.levels, other.levels)
        assert np.array_equal(one.codes, other.codes)
    text = read(data, schema={"whole": "nominal"})
    assert text.column("whole").levels[0] == rows[1][3]  # as written, zeros in front and all


def test_large_files_tell_ragged_rows_too(monkeypatch):
    everything_is_large(monkeypatch)
    with pytest.raises(DataError, match="row 3: found 3 cells, expected 2"):
        read(b"a,b\n1,x\n2,y\n3,y,z\n")
    for row in (b"3,y,\n", b"3,,\n", b'"3",y,\n', b'3,y,""\n'):
        with pytest.raises(DataError, match="row 3: found 3 cells, expected 2"):
            read(b"a,b\n1,x\n2,y\n" + row + b"4,x\n")
    with pytest.raises(DataError, match="row 2: a quotation mark is never closed"):
        read(b'a,b\n1,x\n"2,y\n3,z\n')


def test_blank_lines_are_passed_over():
    table = read(b"\n\na,class\n\n1,x\n\n\n2,y\n3,x\n\n")
    assert table.n_rows == 3
    assert table.columns[0].values() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends(ends):
    text = ends.join(["a,class", "u,x", "v,y", ""])
    assert list(read(text.encode()).rows()) == [
        {"a": "u", "class": "x"},
        {"a": "v", "class": "y"},
    ]


def test_quotes_hold_separators_and_line_ends():
    table = read(b'a,class\n"x, or ""y""\nand z",p\n"x",q\n')
    assert table.columns[0].levels == ('x, or "y"\nand z', "x")


def test_a_full_width_comma_divides_too():
    table = read("色泽，好瓜\n青绿，是\n乌黑，否\n".encode())
    assert table.names == ("色泽",)
    assert table.source["separator"] == "，"


def test_excel_tells_the_separator():
    table = read(b"sep=;\na;class\n1,5;x\n2,5;y\n3,25;x\n")
    assert table.columns[0].values() == [1.5, 2.5, 3.25]


def test_a_separator_may_be_told():
    table = read(b"a class\n1 x\n2 y\n3 x\n", separator=" ")
    assert table.names == ("a",)


def test_the_separator_of_a_tsv_is_known(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("a,b\tclass\n1,2\tx\n3,4\ty\n")
    assert read(path).names == ("a,b",)


def test_gzip_is_undone(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a,class\n1,x\n2,y\n3,x\n"))
    assert read(path).n_rows == 3
    path.write_bytes(gzip.compress(b"a,class\n1,x\n")[:-9])
    with pytest.raises(DataError, match="damaged gzip"):
        read(path)


@pytest.mark.parametrize(
    ("text", "row", "n"),
    [
        ("a,b,c\n1,2,3\n1,2\n", 2, 2),
        ("a,b,c\n1,2,3\n\n1,2,3\n1,2,3,4\n", 3, 4),
        ('a,b,c\n1,2,3\n"1,2",3\n', 2, 2),
        ("a,b,c\n1\n", 1, 1),
    ],
)
def test_ragged_rows_are_told_with_their_number(text, row, n):
    with pytest.raises(DataError) as caught:
        read(text.encode(), name="melons.csv")
    assert caught.value.key == "ragged_row"
    assert caught.value.values["row"] == row
    assert caught.value.values["n"] == n
    assert caught.value.values["expected"] == 3
    assert str(caught.value).startswith(f"melons.csv, row {row}: found {n} cell")


def test_a_ragged_row_far_down_is_found():
    text = "a,b\n" + "1,2\n" * 120_000 + "1\n" + "1,2\n" * 10
    with pytest.raises(DataError, match="row 120001: found 1 cell, expected 2"):
        from_delimited(text, "x")


@pytest.mark.parametrize("text", ['a,b\n1,"2\n3,4\n', 'a,b\n1,2\n3,"4', '"a,b\n1,2\n'])
def test_an_open_quote_is_told(text):
    with pytest.raises(DataError) as caught:
        read(text.encode())
    assert caught.value.key == ("open_quote_header" if text.startswith('"') else "open_quote")


def test_duplicate_names_are_refused():
    with pytest.raises(DataError, match="columns 1 and 3 are both named 'a'"):
        read(b"a,b,a\n1,2,3\n")
    with pytest.raises(DataError, match="both named 'a'"):
        read(b"a, a ,class\n1,2,3\n")
    with pytest.raises(DataError, match=r"both named '0'. If the file has no header: .*names="):
        read(b"0,0,a\n1,2,b\n")


def test_a_nameless_column_gets_a_name_and_a_note():
    table = read(b",a,class\n0,u,x\n1,v,y\n2,u,x\n3,v,y\n4,u,x\n")
    assert table.left_out == (("#1", "id"),)
    keys = [note.key for note in table.notes]
    assert "note_nameless_column" in keys
    assert read(b"column 2,,class\na,b,c\nd,e,f\n").names == ("column 2", "#2")


def test_a_separator_at_the_end_of_every_line_is_nothing():
    table = read(b"a,class,\nu,x,\nv,y,\n")
    assert table.names == ("a",)
    assert table.target.name == "class"


def test_a_file_without_header_is_suspected_and_read_with_names():
    data = b"5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n"
    assert "note_header_is_data" in [note.key for note in read(data).notes]
    table = read(data, "class", names=["length", "width", "class"])
    assert table.n_rows == 3
    assert table.names == ("length", "width")
    assert table.notes == ()
    with pytest.raises(DataError, match="row 1: found 3 cells, expected 2"):
        read(data, names=["length", "class"])


@pytest.mark.parametrize("data", [b"", b"\n\n  \n", b"\xef\xbb\xbf", b"sep=,\n"])
def test_empty_files(data):
    with pytest.raises(DataError, match=r"x\.csv is empty"):
        read(data, name="x.csv")


@pytest.mark.parametrize("data", [b"a,b,class", b"a,b,class\n", b"a\n", b'"a",b\n\n'])
def test_header_only(data):
    with pytest.raises(DataError, match=r"x\.csv has a header but no rows"):
        read(data, name="x.csv")


def test_a_very_long_cell():
    long = b"x" * 200_000
    assert read(b"a,class\n" + long + b",p\ny,q\n").columns[0].levels == (long.decode(), "y")
    with pytest.raises(DataError, match="row 2: a cell has more than 131,072"):
        read(b'a,class\nu,p\n"' + long + b'",y\n')


def test_a_blank_before_a_quote_is_nothing():
    table = read(b'a, "b, c", class\n1, "x, y", p\n2, "z", q\n')
    assert table.names == ("a", "b, c")
    assert table.column("b, c").levels == ("x, y", "z")
