"""Text by the disk engine: the table of `penjing.read`, cell for cell, or the same refusal."""

from __future__ import annotations

import gzip
import json
import random

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penjing
from penjing.data.encode import coded_text, text_batches, text_column
from penjing.errors import ChoiceError
from table_values import in_memory, on_disk, told

pytest.importorskip("pyarrow")


@pytest.fixture(params=["whole", "pieces", "small blocks", "by Python"])
def way(request, monkeypatch):
    """Read small files as large ones are, in several ways."""
    if request.param == "whole":
        return
    monkeypatch.setattr(coded_text, "SMALL", 0)
    if request.param == "small blocks":
        monkeypatch.setattr(text_batches, "BLOCK", 300)
        monkeypatch.setattr(text_batches, "LINES", 7)
    if request.param == "by Python":
        monkeypatch.setattr(text_batches, "LONGEST", -1)


@pytest.fixture
def in_pieces(monkeypatch):
    """Read small files as large ones are."""
    monkeypatch.setattr(coded_text, "SMALL", 0)


def column(*cells, n=30):
    """Return a file with one column of these cells in turn, another, and a class."""
    rows = [f"{cells[i % len(cells)]},{i % 7},{'pq'[i % 2]}" for i in range(n)]
    return "\n".join(["a,b,y", *rows]) + "\n"


def nineties():
    name = {10: "'90s", 1900: "dogs'"}
    rows = [f"{name.get(i, 'abc'[i % 3])},{i % 97},{i % 97 > 40}" for i in range(2000)]
    return "\n".join(["name,x,y", *rows]) + "\n"


TEXTS = {
    "apostrophes": nineties(),
    "a marker first": column("?", *[f"c{i}" for i in range(20)], n=200),
    "NA first": column("NA", *[f"c{i}" for i in range(20)], n=200),
    "no name": column("u", "v").replace("a,b,y", ",b,y"),
    "no name and nothing at the end": "a,b,y,\n1,2,p,\n3,4,q,\n",
    "no name at the end": "a,b,y,\n1,2,p,\n3,4,q,z\n",
    "twins": column("u", "v").replace("a,b,y", "a,a,y"),
    "twins but for case": column("u", "v").replace("a,b,y", "a,A,y"),
    "a name like DuckDB's": column("u", "v").replace("a,b,y", "a,a_1,y"),
    "a comment first": "# made by x\n" + column("u", "v"),
    "NUL": column("u", "v\0w"),
    "twenty digits": column("12345678901234567890", "12345678901234567891"),
    "minus zero": column("-0", "0"),
    "hexadecimal": column("0x10", "16", "17"),
    "whole numbers of two kinds": column("1", "0"),
    "whole numbers as classes": "a,y\n" + "".join(f"{i % 5},{i % 2 + 1}\n" for i in range(20)),
    "an id": "id,x,y\n" + "".join(f"{i * 7 % 31},{i % 5},{'pq'[i % 2]}\n" for i in range(30)),
    "an id that repeats": "id,x,y\n" + "".join(f"{i % 29},{i % 5},p\n" for i in range(30)),
    "a count": "k,x,y\n" + "".join(f"{i},{i % 5},{'pq'[i % 2]}\n" for i in range(30)),
    "a count alone": "k,y\n" + "".join(f"{i},{'pq'[i // 15]}\n" for i in range(30)),
    "names of rows": "n,x,y\n" + "".join(f"n{i},{i % 5},{'pq'[i % 2]}\n" for i in range(30)),
    "dates": column("2024-01-01", "2024-02-03"),
    "dates either way": column("1/2/2024", "3/4/2024"),
    "money": column("$1,920.39", "$15"),
    "quoted money": column('"$1,920.39"', "$15"),
    "percent": column("25%", "3%"),
    "comma for a point": column('"0,5"', '"1,25"', "1"),
    "points for thousands": column('"1.234,5"', '"99,9"', "1.234"),
    "a point or thousands": column("1.234", "2.500", "7"),
    "a comma or thousands": column('"1,234"', '"2,500"', "7"),
    "blanks for thousands": column("1 000", "2\u00a0500", "3\u202f000.5"),
    "parentheses": column("(5)", "7", "(1200)"),
    "parentheses alone": column("(5)", "(7)"),
    "currencies": column("USD 5", "$7", "9 USD"),
    "two currencies": column("$5", "€7"),
    "spellings": column("Basic", "BASIC", "basic ", "pro", "Pro"),
    "infinite": column("1", "1e400", "2"),
    "infinite in words": column("1", "inf", "2"),
    "not a number in words": column("1", "nan", "2"),
    "none among numbers": column("1", "none", "2"),
    "none among names": column("u", "none"),
    "nothing": column("无", "好", "坏"),
    "nothing and something": column("无", "有"),
    "blanks around": column(" u", "u ", "v"),
    "blanks around, and quotes": column(" u", "u ", '"v"'),
    "blanks before quotes": column("u", ' "v"', '  ""'),
    "blanks in quotes": column('" u"', "v"),
    "stray quotes": column('5"', 'x"y', '"a"b', 'u""v', '""w'),
    "quotes in quotes": column('"say ""hi"""', '"a,b"'),
    "an open quote": column("u") + '"v,1,p\n',
    "an open quote at the end": column("u") + 'v,1,"p\n',
    "line ends in cells": column('"two\nlines"', '"two\r\nlines"', '"x\r"'),
    "CR LF": column("u", "v").replace("\n", "\r\n"),
    "CR": column("u", "v").replace("\n", "\r"),
    "all line ends": "a,y\n1,p\r\n2,q\r3,p\n4,q\n",
    "blank lines": "\n\n" + column("u", "v").replace("\n", "\n\n"),
    "a line of blanks": column("u") + " \n" + "v,1,p\n",
    "ragged": column("u") + "v,1,p,r\n" + "w,2,q\n",
    "ragged by a separator": column("u") + "v,1,p,\n",
    "too short": column("u") + "v,1\n",
    "nothing after the header": "a,b,y\n",
    "an empty file": "",
    "only blanks": " \n\t\n",
    "sep=": "sep=;\n" + column("u", "v").replace(",", ";"),
    "semicolons": column("0,5", "1,25").replace(",", ";", 0).replace(",", ";"),
    "a full-width comma": column("u", "v").replace(",", "，"),
    "a header of numbers": "1,2,y\n1,2,p\n3,4,q\n",
    "an odd cell late": column("1", "2", "3", n=999) + "late,1,p\n",
    "mostly numbers": column("1.5", "2.5", "3", n=500) + "ten,1,p\n",
    "one column": "y\np\nq\n",
    "no class": "a,y\n1,\n2,?\n",
    "some without a class": "a,y\n" + "1,p\n2,q\n3,NA\n4,\n5,p\n" * 9,
    "an empty column": column("", "?"),
    "numbers of a target": "a,y\n" + "".join(f"{i % 5},{i}\n" for i in range(60)),
    "fractions of a target": "a,y\n" + "".join(f"{i % 5},{i / 8}\n" for i in range(60)),
    "too many classes": "a,y\n" + "".join(f"{i % 5},c{i}\n" for i in range(1500)),
    "ARFF in a csv": "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n1,p\n2,q\n",
    "a long cell": column("u" * 200_000, "v"),
    "a long cell in quotes": column('"' + "u" * 200_000 + '"', "v"),
    "odd characters": column("b\u2028c", "d\x85e", "f\x0cg", "\x1e"),
    "combining": column("e\u0301", "é", "🎉"),
}  # fmt: skip
LARGE = ("apostrophes", "a long cell", "a long cell in quotes", "mostly numbers")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.usefixtures("way")
def test_a_csv_is_one_table(name, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    assert on_disk(path, "y") == in_memory(path, "y")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.usefixtures("in_pieces")
def test_a_csv_whose_target_is_not_told(name, tmp_path):
    path = tmp_path / "t.txt.gz"
    path.write_bytes(gzip.compress(TEXTS[name].encode()))
    assert on_disk(path) == in_memory(path)


HANZI = "色泽,根蒂,好瓜\n" + "青绿,蜷缩,是\n乌黑,稍蜷,否\n浅白,硬挺,是\n" * 30
TAIWAN = "顏色,根部,好瓜\n" + "青綠,捲曲,是\n烏黑,稍捲,否\n淺白,直挺,是\n" * 30
ACCENTS = "café,naïve,y\n" + "à,é,p\nü,ñ,q\n" * 30


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(HANZI, "gb18030"), (HANZI, "utf-8"), (HANZI, "utf-8-sig"), (HANZI, "utf-16"),
     (TAIWAN, "big5"), (ACCENTS, "cp1252"), (ACCENTS, "utf-16-le"),
     (HANZI, "utf-32")],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.usefixtures("way")
def test_encodings(text, encoding, end, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.replace("\n", end).encode(encoding))
    assert on_disk(path) == in_memory(path)
    path.write_bytes(path.read_bytes() + b"\xff\xfe\xff,1,2\n")
    assert on_disk(path) == in_memory(path)


@pytest.mark.usefixtures("in_pieces")
def test_a_late_cell_in_another_encoding_is_refused_by_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(("名,y\n" + "青,p\n黑,q\n" * 500_000).encode() + b"\xe9\xff,p\n")
    found = on_disk(path, "y")
    assert found == in_memory(path, "y")
    assert "1000002" in found


@pytest.mark.parametrize(
    "wants",
    [
        {"missing": ["u"]}, {"missing": {"only": ["-"]}}, {"missing": [-999, 3]},
        {"schema": {"a": "nominal"}}, {"schema": {"a": "ordered"}}, {"schema": {"a": "numeric"}},
        {"schema": {"a": "ignore"}}, {"schema": {"a": ["u", "v", "1"]}}, {"schema": {"zz": "date"}},
        {"schema": {"a": "date"}}, {"weight": "b"}, {"weight": "a"}, {"weight": "zz"},
        {"keep": ["a"]}, {"dates": "month,weekday"}, {"separator": ";"}, {"separator": "\t"},
        {"encoding": "latin-1"}, {"encoding": "utf-16"}, {"encoding": "nonsense"},
        {"names": ["a", "b", "y"]}, {"names": ["a", "b"]}, {"decimal": ","}, {"decimal": "."},
        {"decimal": ";"}, {"fold_case": True}, {"decimal": ",", "missing": ["-999", "V"]},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(
    "cells",
    [("u", "v", "w"), ("1", "2.5", "-999"), ("2024-01-01", "2024-05-06"), ("01", "1", "u"),
     ("0", "1", "2"), ("1,5", "2"), ("1.234", "999", "2.500"), ("U", "u", " u ", "V v", "v  V")],
    ids=str,
)  # fmt: skip
@pytest.mark.usefixtures("in_pieces")
def test_wishes(cells, wants, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(column(*cells), "utf-8")
    assert on_disk(path, "y", **wants) == in_memory(path, "y", **wants)


def values(*cells, n=30):
    rows = [{"a": cells[i % len(cells)], "b": i % 7, "y": "pq"[i % 2]} for i in range(n)]
    return "\n".join(map(json.dumps, rows)) + "\n"


LINES = {
    "times": values("10:00:00", "11:00:00"),
    "numbers and texts": values(1, "b", 2),
    "a number and its text": values(1, "1"),
    "whole and not": values(1, 2.5, 3),
    "a float that is whole": values(1.0, 2.0, 3.0),
    "a float beside a whole number": values(1.0, 1, 2),
    "truth": values(True, False),
    "truth and numbers": values(True, 1, 0),
    "UUIDs": values("0b5c2a1e-9c3f-4a38-8d41-2f6a1b6c7d8e", "1b5c2a1e-9c3f-4a38-8d41-2f6a1b6c7d8e"),
    "from 2**63": values(2**63, 5),
    "from 2**64": values(2**64, 2**64 + 1),
    "thirty digits": values(10**30, 10**30 + 1, 7),
    "more than a float": values(10**400, 1, 2),
    "nested": values("a", {"a": 1}),
    "nested late": values("a", "b", n=100) + '{"a": [1], "b": 1, "y": "p"}\n',
    "empty": values(None),
    "NaN": values(1.5, float("nan"), 2.5),
    "infinite": values(1.5, float("inf"), 2.5),
    "minus zero": values(-0.0, 0.0, 1.5),
    "markers": values("?", "x", "z"),
    "markers among numbers": values("NA", 1, 2),
    "dates": values("2024-01-01", "2024-02-03"),
    "surrogates": values("\ud800", "a"),
    "NUL": values("\0x", "a"),
    "a late key": values("a", "b", n=100) + '{"a": "a", "b": 1, "y": "p", "new": 3}\n',
    "absent keys": '{"a": 1, "y": "p"}\n{"y": "q"}\n{"b": 2, "y": "p"}\n' * 9,
    "twins but for case": '{"a": 1, "A": "x", "y": "p"}\n{"a": 2, "A": "z", "y": "q"}\n' * 9,
    "one key twice": '{"a": 1, "a": 2, "y": "p"}\n{"a": 3, "y": "q"}\n' * 9,
    "blank lines": values("a", "b").replace("\n", "\n\n"),
    "CR LF": values("a", "b").replace("\n", "\r\n"),
    "CR": values("a", "b").replace("\n", "\r"),
    "a broken line": values("a", "b") + '{"a": \n' + values("a"),
    "two in a line": values("a", "b") + '{"a": 1}, {"a": 2}\n',
    "a line that is no object": values("a", "b") + "[1]\n",
    "an array": json.dumps([json.loads(line) for line in values("a", "b").splitlines()]),
    "an array in lines": json.dumps([json.loads(x) for x in values(1, "b").splitlines()], indent=1),
    "an array that is broken": json.dumps([{"a": 1}] * 5)[:-1],
    "an array of arrays": "[[1, 2], [3, 4]]",
    "an array and more": json.dumps([{"a": 1, "y": "p"}] * 5) + "x",
    "columns": json.dumps({"a": [1, 2, 3], "y": ["p", "q", "p"]}),
    "one object": '{"a": 1, "y": "p"}',
    "one object in lines": json.dumps({"a": 1, "y": "p"}, indent=1),
    "an empty object": "{}\n{}\n",
    "a number": "5\n",
    "an empty file": "",
    "whole numbers as classes": values("a").replace('"p"', "1").replace('"q"', "2"),
    "a count": values(*range(30)),
    "an id": values(*(i * 7 % 31 for i in range(30))).replace('"a"', '"id"'),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("ending", [".jsonl", ".json"])
@pytest.mark.usefixtures("way")
def test_json_is_one_table(name, ending, tmp_path):
    path = tmp_path / f"t{ending}"
    path.write_bytes(LINES[name].encode("utf-8", "surrogatepass"))
    assert on_disk(path, "y") == in_memory(path, "y")


# -- columns with more texts than are held ---------------------------------------------------------

N = 3_000
RNG = random.Random(5)
MANY = {
    "fractions": lambda _: f"{RNG.gauss(0, 1):.9f}",
    "whole numbers": lambda _: f"{RNG.randrange(10**7)}",
    "whole with a point": lambda _: f"{RNG.randrange(10**7)}.0",
    "with gaps": lambda _: RNG.choice(["", "NA", f"{RNG.random()}", f"{RNG.random()}"]),
    "a fraction late": lambda i: "0.5" if i == N - 1 else f"{RNG.randrange(10**7)}",
    "a word late": lambda i: "late" if i == N - 5 else f"{RNG.random()}",
    "a word late among whole numbers": lambda i: "late" if i == N - 5 else f"{i * 3}",
    "infinite late": lambda i: "1e999" if i == N - 5 else f"{RNG.random()}",
    "tiny late": lambda i: "1e-400" if i == N - 5 else f"{RNG.random()}",
    "signs and zeros": lambda _: RNG.choice(["+", "-", "0", ""]) + str(RNG.randrange(10**7)),
    "exponents": lambda _: f"{RNG.random():e}",
    "minus zero": lambda _: RNG.choice(["-0", "0", f"{RNG.random()}"]),
    "zeros first": lambda i: f"{i * 13 % 9973:08d}",
    "money": lambda i: f"${i * 7919 % 10007:,}.{i % 100:02d}".replace(",", ""),
    "percent": lambda _: f"{RNG.random():.7f}%",
    "percent and not": lambda _: f"{RNG.random():.7f}" + RNG.choice(["%", ""]),
    "units late": lambda i: f"${RNG.random():.7f}" if i < N - 3 else f"€{i}",
    "comma for a point": lambda i: f'"{i},{i * 31 % 997}"',
    "groups of thousands": lambda i: f'"{i * 7919 % 999_983:,}"',
    "wide figures": lambda i: f"{i * 31 % 9973}".translate({48 + d: 0xFF10 + d for d in range(10)}),
    "dates": lambda i: f"20{i % 90 + 10}-{i % 12 + 1:02d}-{i % 28 + 1:02d} {i % 24}:{i % 60:02d}",
    "dates day first": lambda i: f"{i % 28 + 1}/{i % 12 + 1}/{1000 + i}",
    "a date that is none late": lambda i: "soon" if i == N - 2 else f"{i % 28 + 1}/3/{1000 + i}",
    "each once": lambda i: f"n{i}",
    "each once, with gaps": lambda i: "" if i % 9 == 0 else f"n{i}",
    "none among numbers": lambda i: "none" if i % 50 == 3 else f"{RNG.random()}",
    "blanks around numbers": lambda _: f" {RNG.random()} ",
    "hexadecimal late": lambda i: "0x1F" if i == N - 2 else f"{i * 5}",
    "twenty digits": lambda i: f"1234567890123{i * 7919 % 1_000_003:07d}",
    "points for thousands": lambda i: f'"{i % 9 + 1}.{i * 31 % 1000:03d},{i % 97}"',
    "points for thousands, one comma late": lambda i: (
        '"99,90"' if i == N - 3 else f"{i % 900 + 1}.{i * 31 % 1000:03d}"
    ),
    "a point or thousands": lambda i: f"{i % 900 + 1}.{i * 31 % 1000:03d}",
    "blanks for thousands": lambda i: f"{i % 900 + 1} {i * 31 % 1000:03d}",
    "parentheses": lambda i: f"({i * 31 % 9973})" if i % 2 else f"{i * 31 % 9973}",
    "currencies": lambda i: f"USD {i * 31 % 9973}" if i % 2 else f"${i * 31 % 9973}",
}  # fmt: skip


@pytest.fixture(params=["many", "few"])
def few_held(request, monkeypatch):
    """Hold few texts of a column, as if the others were more than memory can."""
    monkeypatch.setattr(coded_text, "SMALL", 0)
    monkeypatch.setattr(text_batches, "BLOCK", 3_000)
    monkeypatch.setattr(text_column, "EARLY", 100)
    monkeypatch.setattr(text_column, "SOME", 60)
    monkeypatch.setattr(text_column, "MOST_TEXTS", 500 if request.param == "few" else 50_000)


def many_rows(name, title):
    RNG.seed(7)
    rows = [f"{MANY[name](i)},{i % 7},{'pqr'[i * i % 3]}" for i in range(N)]
    return "\n".join([f"{title},b,y", *rows]) + "\n"


@pytest.mark.parametrize("title", ["a", "id"])
@pytest.mark.parametrize("name", MANY)
@pytest.mark.usefixtures("few_held")
def test_a_column_of_many_texts(name, title, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(many_rows(name, title), "utf-8")
    assert on_disk(path, "y") == in_memory(path, "y")


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize(
    "name", ["points for thousands", "a point or thousands", "fractions", "whole numbers"]
)
@pytest.mark.usefixtures("few_held")
def test_a_column_of_many_texts_with_a_decimal_mark(name, decimal, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(many_rows(name, "a"), "utf-8")
    assert on_disk(path, "y", decimal=decimal) == in_memory(path, "y", decimal=decimal)


@pytest.mark.parametrize("name", ["dates", "dates day first", "fractions", "money"])
@pytest.mark.parametrize(
    "wants", [{"dates": "month,number,hour"}, {"schema": {"a": "numeric"}}, {"weight": "a"},
              {"schema": {"a": "date"}}, {"schema": {"a": "weight"}}, {"keep": ["a"]},
              {"missing": ["$0.00"]}],
    ids=str,
)  # fmt: skip
@pytest.mark.usefixtures("few_held")
def test_wishes_for_a_column_of_many_texts(name, wants, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(many_rows(name, "a"), "utf-8")
    assert on_disk(path, "y", **wants) == in_memory(path, "y", **wants)


@pytest.mark.parametrize(
    "name", ["fractions", "whole numbers", "a fraction late", "money", "each once"]
)
@pytest.mark.usefixtures("few_held")
def test_a_target_of_many_values(name, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(many_rows(name, "a"), "utf-8")
    assert on_disk(path, "a") == in_memory(path, "a")


@pytest.mark.parametrize(
    "make",
    [lambda i: i * 7 % 9973, lambda i: i / 8, lambda i: i / 8 if i % 3 else i,
     lambda i: f"t{i}", lambda i: "x" if i == N - 1 else i, lambda i: 2**63 + i,
     lambda i: None if i % 5 == 0 else i * 3.5, lambda i: i],
)  # fmt: skip
@pytest.mark.parametrize("title", ["a", "id"])
@pytest.mark.usefixtures("few_held")
def test_json_of_many_values(make, title, tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{title: make(i), "b": i % 7, "y": "pqr"[i * i % 3]} for i in range(N)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert on_disk(path, "y") == in_memory(path, "y")


# -- several files, databases, models --------------------------------------------------------------


@pytest.mark.usefixtures("in_pieces")
def test_a_folder_of_texts_is_one_table(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    rows = column("1", "u", "?", n=90).splitlines()
    for i in range(3):
        part = [rows[0], *rows[1 + 30 * i : 31 + 30 * i]]
        (folder / f"{i}.csv").write_text(
            "\n".join(part) + "\n", ["utf-8", "utf-16", "utf-8-sig"][i]
        )
    whole = tmp_path / "all.csv"
    whole.write_text("\n".join(rows), "utf-8")
    mine, other = on_disk(folder, "y"), in_memory(whole, "y")
    for key in ("names", "kinds", "levels", "cells", "left out", "rows"):
        assert mine[key] == other[key]
    (folder / "3.csv").write_text("b,a,y\n1,2,p\n", "utf-8")
    assert "must have the same columns" in on_disk(folder, "y")


@pytest.mark.parametrize("name", ["apostrophes", "a marker first", "line ends in cells", "no name"])
@pytest.mark.parametrize("small", [0, 16_000_000])
def test_the_same_model_and_the_same_answers(name, small, monkeypatch, tmp_path):
    monkeypatch.setattr(coded_text, "SMALL", small)
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    how = {"target": "y", "recipe": "cart-binary", "missing": "branch"}
    one, two = (penjing.fit(str(path), engine=engine, **how) for engine in ("native", "disk"))
    plain = [tree.to_json() for tree in (one, two)]
    for told_of in plain:
        told_of["about"].pop("engine", None)
    plain[1]["about"]["source"].pop("bytes_per_row", None)
    assert plain[0] == plain[1]
    assert one.predict(str(path)).tolist() == two.predict(str(path)).tolist()


@pytest.mark.parametrize(
    "query",
    ["copy t to 'stolen.csv'", "attach 'other.db'", "select 1; copy t to 'stolen.csv'",
     "select * from t) ; copy t to 'stolen.csv'; select * from (select 1",
     "create table u as select 1", "insert into t values (1, 2)", "drop table t",
     "copy(select(1))to'stolen.csv'"],
)  # fmt: skip
def test_a_query_is_one_select(query, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("rows.db") as link:
        link.execute("create table t as select range as a, range % 2 as y from range(20)")
    with pytest.raises(penjing.errors.PenjingError):
        penjing.fit("duckdb:rows.db", "y", engine="disk", query=query)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.db"]


@pytest.mark.parametrize("query", ["t", "from t", "select * from t -- all", "select a, y from t;",
                                   "with u as (from t) select * from u"])  # fmt: skip
def test_queries_that_are_answered(query, tmp_path):
    with duckdb.connect(str(tmp_path / "rows.db")) as link:
        link.execute("create table t as select range / 3 as a, range % 2 as y from range(20)")
    tree = penjing.fit(f"duckdb:{tmp_path / 'rows.db'}", "y", "id3", engine="disk", query=query)
    assert tree.about["n_rows"] == 20


def test_what_is_no_select_is_said(tmp_path):
    with duckdb.connect(str(tmp_path / "rows.db")) as link:
        link.execute("create table t as select 1 as a")
    with pytest.raises(ChoiceError, match="not a single SELECT"):
        penjing.fit(f"duckdb:{tmp_path / 'rows.db'}", engine="disk", query="drop table t")


# -- random texts ----------------------------------------------------------------------------------

CELLS = st.sampled_from(
    ["", "a", "b", "1", "2.5", "-0", "007", "1e400", '"', '""', '"a"', ' "a"', "'", "a\n", '"\n"',
     "?", "NA", " ", "\t", "\0", "x,y", "é", "色", "\r", "\r\n", "2024-01-01", "1,5", "5%", "none",
     "#", "\ufeff", "\x85", "nan", "0x1", "true"]
)  # fmt: skip
CSV = st.lists(
    st.lists(CELLS, min_size=3, max_size=3).map(",".join)
    | st.lists(CELLS, max_size=4).map(",".join),
    max_size=12,
).map("\n".join)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=CSV, head=st.sampled_from(["a,b,y\n", "y,a,b\r\n", "", '"a",b,y\n']), end=st.booleans())
def test_random_csv(rows, head, end, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_text, "SMALL", 0)
        path = tmp_path_factory.mktemp("csv") / "t.csv"
        path.write_bytes((head + rows + "\n" * end).encode())
        assert on_disk(path, "y") == in_memory(path, "y")


VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just([1])
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "A", "b", "y", ""]), VALUES, max_size=4)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(OBJECTS | VALUES, max_size=6) | st.lists(OBJECTS, max_size=9),
    as_array=st.booleans(),
)
def test_random_json(rows, as_array, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_text, "SMALL", 0)
        path = tmp_path_factory.mktemp("json") / "t.json"
        text = json.dumps(rows) if as_array else "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert on_disk(path, "y") == in_memory(path, "y")


def test_told_tells_tables_apart():
    one = told(penjing.read([[1, "a"], [2, "b"]], names=["x", "y"]))
    assert one != told(penjing.read([["1", "a"], ["2", "b"]], names=["x", "y"]))


@pytest.fixture
def as_many(monkeypatch):
    """Read small files as large ones are, and take some numbers for very many."""
    monkeypatch.setattr(coded_text, "SMALL", 0)
    monkeypatch.setattr(text_column, "EARLY", 10)
    monkeypatch.setattr(text_column, "SOME", 5)


@pytest.mark.usefixtures("as_many")
@pytest.mark.parametrize(
    "missing", [["-999"], ["-999.0"], [-999], {"only": ["-999", "7"]}], ids=str
)
@pytest.mark.parametrize("name", ["a", "id"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_markers_among_very_many_numbers(ending, name, missing, tmp_path):
    cells = ["-999" if i % 7 == 3 else "-999.0" if i == 90 else str(i * 3) for i in range(100)]
    rows = [(cell, i % 5, "pq"[i % 2]) for i, cell in enumerate(cells)]
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        text = "".join(f"{a},{b},{y}\n" for a, b, y in rows)
        path.write_text(f"{name},b,y\n" + text)
    else:
        objects = [{name: json.loads(a), "b": b, "y": y} for a, b, y in rows]
        path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    found = in_memory(path, "y", missing=missing, keep=(name,))
    assert found["cells"][0].count(None) >= 14
    assert on_disk(path, "y", missing=missing, keep=(name,)) == found
    assert on_disk(path, "y", missing=missing) == in_memory(path, "y", missing=missing)
    by_name = {"missing": missing, "weight": "b"}
    assert on_disk(path, name, **by_name) == in_memory(path, name, **by_name)


@pytest.mark.usefixtures("as_many")
@pytest.mark.parametrize("odd", [1.5, 3, True, "x"], ids=str)
@pytest.mark.parametrize("first", [str, float])
def test_texts_among_very_many_numbers_of_json(first, odd, tmp_path):
    rows = [{"a": first(i / 8), "y": "pq"[i % 2]} for i in range(60)]
    rows[50]["a"] = odd if first is str else str(odd)
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert on_disk(path, "y") == in_memory(path, "y")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("role", ["target", "weight"])
def test_a_column_that_is_ignored_and_needed(role, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(column("u", "v", "w"))
    needed = {"target": ("y", {}), "weight": ("y", {"weight": "b"})}[role]
    wants = {**needed[1], "schema": {needed[1].get("weight", "y"): "ignore"}}
    assert on_disk(path, needed[0], **wants) == in_memory(path, needed[0], **wants)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "text", ['"a" b y\n1  "2" p\n3 4 q\n', '"a" b y\n1 "2" p\n3 4 q\n', "a b y\n1  p\n3 4 q\n"]
)
def test_blanks_that_part_cells(text, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text)
    wants = {"separator": " "}
    assert on_disk(path, "y", **wants) == in_memory(path, "y", **wants)


@pytest.mark.usefixtures("way")
def test_a_header_of_one_column_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n")
    found = in_memory(path, "y", separator=";")
    assert found.startswith("NoRowsError")
    assert on_disk(path, "y", separator=";") == found


@pytest.mark.usefixtures("in_pieces")
def test_a_marker_with_blanks_is_trimmed(monkeypatch, tmp_path):
    monkeypatch.setattr(text_column, "MOST_TEXTS", 20)
    monkeypatch.setattr(text_column, "EARLY", 10)
    cells = ["$1,000", "NA", *(f"${i}" for i in range(40)), " NA"]
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f'"{a}",{"pq"[i % 2]}\n' for i, a in enumerate(cells)))
    assert on_disk(path, "y") == in_memory(path, "y")
