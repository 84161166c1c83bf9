"""ARFF, C4.5's .names, JSON and Parquet."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from penjing.data.read import json as json_reader
from penjing.data.read import read
from penjing.data.read.c45_files import parse_case
from penjing.errors import DataError
from shared import shared

ARFF = r"""% golf, a comment
@RELATION 'golf days'

@attribute 'the outlook' {sunny, 'partly \'cloudy\'', "rain"}
@ATTRIBUTE temperature REAL
@attribute humidity integer [0,100]
@attribute "note" string
@attribute day date "yyyy-MM-dd"
@attribute windy{TRUE,FALSE}
@attribute Class {'Don\'t Play', Play}
% more
@DATA
sunny, 85, 85, 'dry, hot', 2024-01-01, FALSE, 'Don\'t Play'
% inside
'partly \'cloudy\'', ?, 78, 'x', 2024-01-02, TRUE, Play
?,70,?,'y',?,?,Play

"""


def test_arff():
    table = read(ARFF.encode())
    assert table.target.name == "Class"
    assert table.target.levels == ("Don't Play", "Play")
    assert table.target.codes.tolist() == [0, 1, 1]
    outlook = table.column("the outlook")
    assert outlook.levels == ("sunny", "partly 'cloudy'", "rain")
    assert outlook.codes.tolist() == [0, 1, -1]
    assert table.column("temperature").values() == [85.0, None, 70.0]
    assert table.column("humidity").values() == [85.0, 78.0, None]
    assert table.column("note").levels == ("dry, hot", "x", "y")
    assert table.column("windy").codes.tolist() == [1, 0, -1]
    assert table.left_out == (("day", "date"),)
    assert read(ARFF.encode(), dates="day").column("day.day").values() == [1.0, 2.0, None]


def test_arff_where_only_the_question_mark_is_missing():
    data = (
        b"@relation r\n@attribute a {none,NA,half}\n@attribute b {p,q}\n@data\nNA,p\nnone,q\n?,p\n"
    )
    table = read(data)
    assert table.columns[0].values() == ["NA", "none", None]
    assert table.target.name == "b"  # the last one, where none is called class
    assert table.notes == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("@relation r\n@attribute a numeric\n@data\n{0 1}\n", "sparse_arff"),
        ("@relation r\n@attribute a numeric\n@attribute b {p}\n@data\n1\n", "ragged_row_one"),
        ("@relation r\n@attribute a relational\n@data\n1\n", "arff_kind"),
        ("@relation r\n@attribute a {}\n@data\n1\n", "bad_arff"),
        ("@relation r\n@attribute\n@data\n1\n", "bad_arff"),
        ("@relation r\n@atribute a numeric\n@data\n1\n", "bad_arff"),
        ("@relation r\n@attribute a numeric\n", "bad_arff_data"),
        ("@relation r\n@data\n1\n", "bad_arff_data"),
        ("@relation r\n@attribute a numeric\n@data\n", "no_rows"),
        ("@relation r\n@attribute a {x,y}\n@attribute b {p}\n@data\nz,p\n", "unknown_category"),
        (
            "@relation r\n@attribute a {red,blue}\n@attribute b {p}\n@data\nblu,p\n",
            "unknown_category_near",
        ),
        ("@relation r\n@attribute a numeric\n@attribute b {p}\n@data\nsoft,p\n", "not_a_number"),
        ("@relation r\n@attribute a date\n@attribute b {p}\n@data\nsoft,p\n", "not_a_date"),
    ],
)
def test_mistakes_in_arff(text, key):
    with pytest.raises(DataError) as caught:
        read(text.encode(), name="x.arff")
    assert caught.value.key == key.removesuffix("_one")


def test_text_of_arff_stays_text():
    rows = "\n".join(f"'{n}',{'pq'[n % 2]}" for n in range(8))
    text = f"@relation r\n@attribute a string\n@attribute b {{p,q}}\n@data\n{rows}\n"
    assert read(text.encode()).column("a").kind == "nominal"


def test_arff_lists_may_go_over_lines_and_cells_be_divided_by_blanks():
    text = (
        "@relation r\n@attribute a {x,\n  y,\n z}\n@attribute b {p, 'q r'}\n@data\nx p\ny\t'q r'\n"
    )
    table = read(text.encode())
    assert table.columns[0].levels == ("x", "y", "z")
    assert table.target.values() == ["p", "q r"]


# ---------------------------------------------------------------- C4.5


@pytest.fixture
def golf(tmp_path):
    (tmp_path / "golf.names").write_text(
        "| the golf example\nPlay, Don't Play.\n\noutlook:\tsunny, over  cast,\n   rain.\n"
        "temperature: continuous.\nkind\\: of\\.day: discrete 5.\nname: ignore.\n"
        "price: 1.5, 2.0.\nsize: [ordered] small, medium, large\n"
    )
    (tmp_path / "golf.data").write_text(
        "sunny, 85, a, x1, 1.5, small, Don't Play\n"
        "over cast, ?, b, x2, 2.0, large, Play.\n"
        "| a comment\n\n?, 70, a, x3, ?, medium, Play.  | rainy?\n"
    )
    (tmp_path / "golf.test").write_text("rain, 64.5, c, x4, 1.5, small, Play\n")
    return tmp_path / "golf"


@pytest.mark.parametrize("suffix", ["", ".names", ".data"])
def test_names_and_data(golf, suffix):
    table = read(str(golf) + suffix)
    assert table.n_rows == 3
    assert table.target.levels == ("Play", "Don't Play")
    assert table.target.codes.tolist() == [1, 0, 0]
    assert table.column("outlook").levels == ("sunny", "over cast", "rain")
    assert table.column("outlook").codes.tolist() == [0, 1, -1]
    assert table.column("temperature").values() == [85.0, None, 70.0]
    assert table.column("kind: of.day").levels == ("a", "b")
    assert table.column("price").levels == ("1.5", "2.0")
    assert table.column("size").kind == "ordered"
    assert table.left_out == (("name", "ignored"),)
    assert table.source["name"] == "golf.data"


def test_the_test_cases(golf):
    table = read(str(golf) + ".test")
    assert next(iter(table.rows()))["temperature"] == 64.5
    assert table.column("outlook").codes.tolist() == [2]


def test_data_without_names_is_delimited_text(tmp_path):
    path = tmp_path / "iris.data"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,2.2,virginica\n")
    assert read(path, names=["a", "b", "class"]).n_rows == 3


def test_c5_may_name_the_target(tmp_path):
    (tmp_path / "x.names").write_text("b.\na: continuous.\nb: p, q.\nc: label.\n")
    (tmp_path / "x.data").write_text("1.5,p,one\n2.5,q,two\n3.5,p,three\n")
    table = read(tmp_path / "x")
    assert table.target.name == "b"
    assert table.names == ("a",)


@pytest.mark.parametrize(
    ("names", "data", "key"),
    [
        ("", "1,p\n", "bad_names"),
        ("p, q.\na continuous.\n", "1,p\n", "bad_names_entry"),
        ("p, q.\na: continuous.\n", "1,p\n1\n", "ragged_row"),
        ("p, q.\na: continuous.\n", "1,z\n", "unknown_category"),
        ("p, q.\na: continuous.\n", "soft,p\n", "not_a_number"),
        ("p, q.\na: continuous.\n", "| nothing\n\n", "no_rows"),
        ("p, q.\na: x, y.\na: x, y.\n", "x,x,p\n", "duplicate_column"),
    ],
)
def test_mistakes_in_names(tmp_path, names, data, key):
    (tmp_path / "x.names").write_text(names)
    (tmp_path / "x.data").write_text(data)
    with pytest.raises(DataError) as caught:
        read(tmp_path / "x.data")
    assert caught.value.key == key


def test_names_without_data(tmp_path):
    (tmp_path / "x.names").write_text("p, q.\na: continuous.\n")
    with pytest.raises(DataError, match=r"No such file: .*x.data"):
        read(tmp_path / "x")


def test_escapes_in_cases():
    assert parse_case(r"a\, b, c\|d, e\.") == ["a, b", "c|d", "e."]
    assert parse_case("a:b, 12:30, 1.5.") == ["a:b", "12:30", "1.5"]
    assert parse_case("  | only a comment") == []
    assert parse_case("a,,b") == ["a", "", "b"]
    assert parse_case("a,,b | x") == ["a", "", "b"]


@pytest.mark.parametrize(
    ("stem", "csv", "n_data", "n_test"),
    [
        ("vote/vote", "vote/vote.csv", 300, 135),
        ("labor/labor-neg", "labor/labor.csv", 40, 17),
        ("credit-a/crx", "credit-a/credit-a.csv", 490, 200),
    ],
)
def test_the_shared_cases_are_the_rows_of_the_table(stem, csv, n_data, n_test):
    whole = read(shared(f"data/{csv}"))
    data, test = (read(shared(f"data/{stem}.{end}")) for end in ("data", "test"))
    assert (data.n_rows, test.n_rows) == (n_data, n_test)
    assert len(data.columns) == len(whole.columns)

    def rows(table):
        cells = (column.values() for column in (*table.columns, table.target))
        return [tuple(str(x).replace("_", " ") for x in row) for row in zip(*cells, strict=True)]

    assert sorted(rows(data) + rows(test)) == sorted(rows(whole))


# ---------------------------------------------------------------- JSON


ROWS = [
    {"legs": 4, "name": "cat", "tame": True, "weight": 4.5, "class": "mammal"},
    {"legs": 2, "name": None, "tame": False, "weight": None, "class": "bird"},
    {"legs": 4, "tame": True, "class": "mammal"},
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, ROWS)),
        "\n\n".join(map(json.dumps, ROWS)) + "\n",
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        json.dumps({name: [row.get(name) for row in ROWS] for name in ROWS[0]}, indent=1),
    ],
)
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".ndjson", ""])
def test_json(tmp_path, text, suffix):
    path = tmp_path / f"zoo{suffix}"
    path.write_text(text)
    table = read(path)
    assert table.column("legs").levels == (4, 2)
    assert table.column("tame").levels == (True, False)
    assert table.column("weight").values() == [4.5, None, None]
    assert table.column("name").values() == ["cat", None, None]
    assert table.target.name == "class"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a": 1}\n{"a": \n', "bad_json"),
        ('[{"a": 1},\n{"a": ]', "bad_json"),
        ("[" * 100_000, "bad_json"),
        ("9" * 400, "bad_json"),
        ("[" + "9" * 5000 + "]", "bad_json"),
        ("0", "bad_json"),
        ('"a"', "bad_json"),
        ('{"a": 1}\n3\n', "not_a_row"),
        ('[{"a": 1}, 3]', "not_a_row"),
        ("[]", "empty_table"),
        ("  \n", "empty_table"),
        ('{"a": [1, 2]}\n{"a": [1]}\n', "nested_cell"),
        ('{"a": [1, 2], "b": [1]}', "uneven_column"),
    ],
)
def test_mistakes_in_json(tmp_path, text, key):
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read(path, False)
    assert caught.value.key == key


def test_the_line_of_broken_json_is_told():
    with pytest.raises(DataError, match="line 3: invalid JSON"):
        read(b'{"a": 1, "class": 1}\n{"a": 2, "class": 0}\n{"a": 3 "class": 1}\n')


def test_many_lines_are_read_the_same_way(monkeypatch):
    rows = [
        {"i": n * 7 % 50, "f": n / 3, "t": n % 2 == 0, "s": f"w{n % 5}", "gap": [None, 5][n % 2]}
        for n in range(300)
    ]
    for extra in ({}, {"day": "2024-03-01"}, {"mixed": 1}, {"nested": [1]}):
        lines = [json.dumps(row | extra) for row in rows]
        lines[7] = json.dumps(rows[7] | {"mixed": "x"} if "mixed" in extra else rows[7])
        data = "\n".join(lines).encode()
        monkeypatch.setattr(json_reader, "MIN_CHARACTERS", 10**9)
        ask = {"target": "s", "keep": ["day"] if "day" in extra else []}
        if "nested" in extra:
            with pytest.raises(DataError, match="row 1: 'nested' holds"):
                read(data, **ask)
            continue
        small = read(data, **ask)
        monkeypatch.setattr(json_reader, "MIN_CHARACTERS", 1)
        large = read(data, **ask)
        assert list(large.rows()) == list(small.rows())
        assert [c.field for c in large.columns] == [c.field for c in small.columns]
    with pytest.raises(DataError, match="line 2: invalid JSON"):
        read(b'{"a": 1}\n{"a": \n')


# ---------------------------------------------------------------- Parquet


def test_parquet(tmp_path):
    frame = pa.table(
        {
            "whole": [3, None, 5, 9],
            "two": [1, 0, None, 1],
            "real": [0.5, 1.5, None, 2.5],
            "truth": [True, None, False, True],
            "word": ["a", None, "b", "a"],
            "day": [dt.date(2024, 1, 1), None, dt.date(2024, 2, 1), dt.date(2024, 3, 1)],
            "moment": [dt.datetime(2024, 1, 1, 5), dt.datetime(2024, 1, 2), None, None],  # noqa: DTZ001
            "class": ["p", "q", "p", "q"],
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(frame, path)
    table = read(path, dates="month,hour")
    assert table.column("whole").values() == [3.0, None, 5.0, 9.0]
    assert table.column("two").levels == (1, 0)
    assert table.column("two").codes.tolist() == [0, 1, -1, 0]
    assert table.column("real").values() == [0.5, 1.5, None, 2.5]
    assert table.column("truth").values() == [True, None, False, True]
    assert table.column("word").values() == ["a", None, "b", "a"]
    assert table.column("day.month").values() == [1.0, None, 2.0, 3.0]
    assert table.column("moment.hour").values() == [5.0, 0.0, None, None]
    assert table.source["form"] == "parquet"
    assert list(read(path.read_bytes()).rows()) == list(read(path).rows())


def test_mistakes_in_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"x.parquet is not a Parquet file, or it is damaged"):
        read(path)
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(DataError, match="has a header but no rows"):
        read(path)
    pq.write_table(pa.table({"a": [[1], [2]], "class": ["p", "q"]}), path)
    with pytest.raises(DataError, match="row 1: 'a' holds"):
        read(path)
