"""Random files that are easy to misread, each made from a seed.

Delimited text, JSON and Parquet, with what real files have been seen to hold: missing markers in
the first row, apostrophes, line ends inside cells, ids of twenty digits, late odd cells, columns
without a name, encodings other than UTF-8, types that no tree knows.
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

LATE = 20_600
"""In a file of so many rows an odd cell near the end lies beyond what DuckDB samples."""
TARGET = "y"
WIDE = Context(prec=200)

Rng = random.Random
Cells = list[Any]


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file: its name, its bytes, the column to learn, and what is special about it."""

    name: str
    data: bytes
    target: str | None
    form: str
    tricks: tuple[str, ...]


def hostile_file(seed: int, form: str | None = None) -> Hostile:
    """Return the file of a seed: six of ten are delimited text, two JSON, two Parquet."""
    rng = Rng(seed)
    chosen = form or ("text", "text", "text", "text", "text", "text", "json", "json", "parquet",
                      "parquet")[seed % 10]  # fmt: skip
    return {"text": _text, "json": _json, "parquet": _parquet}[chosen](rng)


def _size(rng: Rng, tricks: list[str]) -> int:
    if rng.random() < 0.01:
        tricks.append("late")
        return LATE
    return rng.choice([1, 3, 12, 12, 20, 20, 30, 30, 45, 60, 60, 120, 400])


def _classes(rng: Rng, columns: list[Cells], n: int, words: list[Any]) -> Cells:
    """Return classes that one or two columns tell, with some noise."""
    told = [rng.choice(columns) for _ in range(rng.choice([1, 2]))] if columns else [[0] * n]
    noise = rng.choice([0.0, 0.1])
    return [
        words[crc32(repr([_seen(c[i]) for c in told]).encode()) % len(words)]
        if rng.random() >= noise
        else rng.choice(words)
        for i in range(n)
    ]


def _seen(cell: object) -> str:
    return str(cell)[:12]


# -- cells of text ------------------------------------------------------------------------------


def _of(*words: str) -> Callable[[Rng, int], Cells]:
    return lambda rng, n: [rng.choice(words) for _ in range(n)]


def _numbers(rng: Rng, n: int) -> Cells:
    spread = rng.choice([1, 10, 1000, 1e-5, 1e9])
    digits = rng.choice([0, 1, 2, 6, 17])
    return [f"{rng.gauss(0, 1) * spread:.{digits}f}" for _ in range(n)]


def _few_numbers(rng: Rng, n: int) -> Cells:
    low, high = rng.choice([(0, 1), (1, 2), (-3, 5), (0, 40), (2000, 2024), (0, 100_000)])
    return [str(rng.randint(low, high)) for _ in range(n)]


def _far_apart(rng: Rng, n: int) -> Cells:
    ends = rng.choice([("0", "100000"), ("-1", "99999999999"), ("0", "9007199254740993")])
    return [rng.choice(ends) for _ in range(n)]


def _long_ids(rng: Rng, n: int) -> Cells:
    stem = rng.choice(["1234567890123456789", "9007199254740", "184467440737095516"])
    return [stem + str(rng.randrange(4)) for _ in range(n)]


def _counted(rng: Rng, n: int) -> Cells:
    start = rng.choice([0, 1, 5, 1000])
    return [str(start + i) for i in range(n)]


def _names(rng: Rng, n: int) -> Cells:
    """Texts of which most, or all, occur once."""
    again = rng.choice([0, 0, 1, 2])
    made = [f"{rng.choice('nmk')}{i}" for i in range(n)]
    for _ in range(min(again, n - 1)):
        made[rng.randrange(n)] = made[0]
    return made


def _many_names(rng: Rng, n: int) -> Cells:
    stem = rng.choice(["c", "city ", "'", "é", "猫"])
    return [f"{stem}{rng.randrange(rng.choice([11, 20, 300]))}" for _ in range(n)]


def _apostrophes(rng: Rng, n: int) -> Cells:
    return [
        rng.choice(["'90s", "dogs'", "it's", "'quoted'", "a", "b", "''", "'"]) for _ in range(n)
    ]


def _quotes(rng: Rng, n: int) -> Cells:
    words = ['5"', 'say "hi"', '"', '""', "a", "b", 'x"y', " z "]
    return [rng.choice(words) for _ in range(n)]


def _line_ends(rng: Rng, n: int) -> Cells:
    return [rng.choice(["two\nlines", "one", "a\r\nb", "\n", "x\n", "cr\rlf"]) for _ in range(n)]


def _separators(rng: Rng, n: int) -> Cells:
    return [rng.choice(["a,b", "a;b", "a\tb", "a|b", "plain", "，", ",", ";"]) for _ in range(n)]


def _dates(rng: Rng, n: int) -> Cells:
    form = rng.choice(["%Y-%m-%d", "%d/%m/%Y", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d", "%d.%m.%Y"])
    first = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - written, not compared
    return [(first + dt.timedelta(days=rng.randrange(900))).strftime(form) for _ in range(n)]


def _times(rng: Rng, n: int) -> Cells:
    return [rng.choice(["10:00:00", "11:00:00", "10:00", "23:59:59.5"]) for _ in range(n)]


def _uuids(rng: Rng, n: int) -> Cells:
    known = [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(rng.choice([2, 3, n + 1]))]
    return [rng.choice(known) for _ in range(n)]


def _long(rng: Rng, n: int) -> Cells:
    size = rng.choice([300, 5_000, 70_000])
    return [rng.choice("ab") * size for _ in range(n)]


def _json_like(rng: Rng, n: int) -> Cells:
    return [rng.choice(['{"a": 1}', "[1, 2]", "{}", "null", "[]"]) for _ in range(n)]


WORDS: list[tuple[str, ...]] = [
    ("a", "b", "c"), ("青绿", "乌黑", "浅白"), ("yes", "no"), ("0", "1"), ("1", "0"),
    ("True", "False"), ("true", "false"), ("T", "F"), ("Y", "N"), ("是", "否"), ("-0", "0"),
    ("-0.0", "0.0", "1.5"), ("0x10", "16", "17"), ("1e400", "1", "2"), ("inf", "1.5", "2"),
    ("nan", "1", "2.5"), ("-inf", "a"), ("Infinity", "2", "3"), ("$1,200", "$15", "$7.50"),
    ("5%", "7%", "12%"), ("1,5", "2,25", "3,5"), ("007", "008", "7"), ("00", "01"),
    ("1.0", "2.0"), ("1", "1.0", "2"), ("+1", "1"), ("1e3", "1000", "2"), ("1_000", "2"),
    (" 1", "2 "), (" a", "a ", "a", "b"), ("１", "２"), ("🎉", "🎊", "e\u0301", "é"),
    ("none", "1", "2"), ("none", "a"), ("无", "有"), ("无", "好", "坏"), ("", ""), ("?", "?"),
    ("x",), ("3",), ("1.5",), ("#1", "#2"), ("# a", "b"), ("\\", "a\\", "\\N"),
    ("NULL", "null", "a"), ("a", "A"), ("9223372036854775807", "9223372036854775808"),
    ("18446744073709551615", "5"), ("-9223372036854775808", "4"),
    ("9007199254740993", "9007199254740992", "1"), ("0.1", "0.10", "0.1000000000000000055"),
    ("1e-320", "5e-324", "0"), ("=1+1", "@x", "+y"), ("a", "b\u2028c", "d\x85e", "f\x0cg"),
    ("\ufeffa", "a"), ("\xa0a", "a"), ("\t", "a"),
]  # fmt: skip
"""Columns of a few words each."""
TEXTS: list[Callable[[Rng, int], Cells]] = [
    _numbers, _numbers, _few_numbers, _few_numbers, _far_apart, _long_ids, _counted, _names,
    _many_names, _apostrophes, _quotes, _line_ends, _separators, _dates, _times, _uuids, _long,
    _json_like, *(_of(*words) for words in WORDS),
]  # fmt: skip
MARKERS = ["", "", "?", "NA", "n/a", "-", "null", "NaN", "缺失", "N/A", " ", "nan"]
NAMES = ["a", "b", "x1", "色泽", "id", "customer_id", "名", "Größe", "a.b", "it's", 'say "x"',
         "class_", "select", "1", "a,b", "x y", "column 1", "column0", "🎉", "No.", "A", "B", "?",
         "date", " p "]  # fmt: skip
CLASSES = [["yes", "no"], ["a", "b", "c"], ["0", "1"], ["1", "2", "3"], ["true", "false"],
           ["是", "否"], ["'a", "b'"], ["<=50K", ">50K"], ["1.0", "2.0"], ["Yes ", "no"],
           ["0.5", "1.25", "7.75"], ["007", "08"], ["10:00:00", "11:00:00"]]  # fmt: skip
ENCODINGS = ["utf-8"] * 6 + ["utf-8-sig", "utf-16", "utf-16-le", "gb18030", "big5", "cp1252"]


def _with_markers(rng: Rng, cells: Cells, markers: list[Any]) -> Cells:
    """Put words for missing into a column: often into its first row."""
    how = rng.random()
    if how < 0.45:
        return cells
    marker = rng.choice(markers)
    made = list(cells)
    if how < 0.8:
        made[0] = marker
    if how > 0.65:
        share = rng.choice([0.02, 0.2, 0.9])
        made = [marker if rng.random() < share else cell for cell in made]
    return made


def _with_odd(rng: Rng, cells: Cells, odd: list[Any]) -> Cells:
    """Put something else into one of the last rows."""
    if rng.random() < 0.85:
        return cells
    made = list(cells)
    made[-rng.randint(1, min(3, len(made)))] = rng.choice(odd)
    return made


ODD = ["late", "1.5", "-1", "?", "1e400", "0x1F", "none", "3,5", "2024-01-01",
    "99999999999999999999",
       "'", "é", "true", "-0"]  # fmt: skip


def _columns(rng: Rng, n: int) -> tuple[list[str], list[Cells]]:
    k = rng.choice([1, 2, 2, 3, 3, 4, 6])
    makers = [rng.choice(TEXTS) for _ in range(k)]
    names = rng.sample(NAMES, k) if rng.random() < 0.5 else [f"c{i}" for i in range(k)]
    made = [_with_odd(rng, _with_markers(rng, make(rng, n), MARKERS), ODD) for make in makers]
    return names, made


def _text(rng: Rng) -> Hostile:
    tricks: list[str] = []
    n = _size(rng, tricks)
    names, columns = _columns(rng, n)
    classes = _classes(rng, columns, n, rng.choice(CLASSES))
    classes = _with_markers(rng, classes, MARKERS) if rng.random() < 0.3 else classes
    at = rng.choice([len(names), len(names), 0])
    names.insert(at, TARGET)
    columns.insert(at, classes)
    separator = rng.choice([",", ",", ",", ";", "\t", "|"])
    header = _header(rng, names, tricks)
    rows = [list(row) for row in zip(*columns, strict=True)]
    text = _lines(rng, header, rows, separator, tricks)
    name, data = _bytes(rng, text, separator, tricks)
    return Hostile(name, data, TARGET, "text", tuple(tricks))


def _header(rng: Rng, names: list[str], tricks: list[str]) -> list[str]:
    header, how = list(names), rng.random()
    others = [i for i, name in enumerate(header) if name != TARGET]
    at = rng.choice(others)
    if how < 0.06:
        tricks.append("unnamed")
        header[at] = rng.choice(["", " "])
    elif how < 0.09 and len(others) > 1:
        tricks.append("duplicate")
        header[at] = header[others[others.index(at) - 1]]
    elif how < 0.12 and len(others) > 1:
        tricks.append("case twins")
        header[others[0]], header[others[1]] = "twin", "TWIN"
    return header


def _lines(
    rng: Rng, header: list[str], rows: list[list[str]], separator: str, tricks: list[str]
) -> str:
    always = rng.random() < 0.15
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\r\n", "\r"])
    if end != "\n":
        tricks.append(repr(end))
    lines = [separator.join(_quoted(cell, separator, always=always) for cell in header)]
    lines += [
        separator.join(_quoted(cell, separator, always=always) for cell in row) for row in rows
    ]
    if rng.random() < 0.18:
        trick = rng.choice(list(MISCHIEF))
        tricks.append(trick)
        lines = MISCHIEF[trick](rng, lines, separator, len(header))
    return end.join(lines) + (end if rng.random() < 0.8 else "")


def _with_line(rng: Rng, lines: list[str], line: str) -> list[str]:
    at = rng.randrange(len(lines)) + 1
    return [*lines[:at], line, *lines[at:]]


def _blank(rng: Rng, lines: list[str], separator: str, width: int) -> list[str]:
    return _with_line(rng, lines, rng.choice(["", "", " ", separator * (width - 1)]))


def _ragged(rng: Rng, lines: list[str], separator: str, width: int) -> list[str]:
    return _with_line(rng, lines, separator.join("r" * rng.choice([1, width + 1, width + 3])))


def _comment(rng: Rng, lines: list[str], separator: str, _: int) -> list[str]:
    return [rng.choice(["# made by x", "# a, b", f"#{separator}"]), *lines]


MISCHIEF: dict[str, Callable[[Rng, list[str], str, int], list[str]]] = {
    "blank line": _blank,
    "ragged": _ragged,
    "comment": _comment,
    "sep=": lambda _, lines, separator, __: [f"sep={separator}", *lines],
    "NUL": lambda _, lines, *__: [*lines[:-1], lines[-1] + "\0"],
    "trailing separator": lambda _, lines, separator, __: [line + separator for line in lines],
    "open quote": lambda _, lines, *__: [*lines[:-1], '"' + lines[-1]],
    "blank lines first": lambda _, lines, *__: ["", "", *lines],
    "header only": lambda _, lines, *__: lines[:1],
}


def _quoted(cell: str, separator: str, *, always: bool) -> str:
    if always or any(mark in cell for mark in (separator, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _bytes(rng: Rng, text: str, separator: str, tricks: list[str]) -> tuple[str, bytes]:
    encoding = rng.choice(ENCODINGS)
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        encoding, data = "utf-8", text.encode()
    if encoding != "utf-8":
        tricks.append(encoding)
    name = "t.tsv" if separator == "\t" and rng.random() < 0.7 else rng.choice(["t.csv", "t.txt"])
    return _packed(rng, name, data, tricks)


def _packed(rng: Rng, name: str, data: bytes, tricks: list[str]) -> tuple[str, bytes]:
    if rng.random() < 0.08:
        tricks.append("gzip")
        return f"{name}.gz", gzip.compress(data, mtime=0)
    return name, data


# -- JSON ----------------------------------------------------------------------------------------


def _values(*values: Any) -> Callable[[Rng, int], Cells]:
    return lambda rng, n: [rng.choice(values) for _ in range(n)]


def _floats(rng: Rng, n: int) -> Cells:
    return [round(rng.gauss(0, 10), rng.choice([1, 3, 12])) for _ in range(n)]


def _whole(rng: Rng, n: int) -> Cells:
    low, high = rng.choice([(0, 1), (-3, 5), (0, 40), (0, 10**6), (2**53 - 2, 2**53 + 2)])
    return [rng.randint(low, high) for _ in range(n)]


def _keys(rng: Rng, n: int) -> Cells:
    start = rng.choice([0, 1, 70])
    return [start + i for i in range(n)]


VALUES: list[Callable[[Rng, int], Cells]] = [
    _floats, _floats, _whole, _whole, _keys, _names, _many_names, _times, _dates, _uuids,
    _apostrophes, _quotes, _line_ends, _long,
    _values("a", "b", "c"), _values(True, False), _values(True, False, None), _values(0, 1),
    _values(0, 1, None), _values(0.0, 1.0), _values(1, 2.5), _values(1, "b"), _values(1, "1"),
    _values(1.0, 1, 2), _values(True, 1, 0), _values(True, "true"), _values(2**63, 5),
    _values(2**64, 2**64 + 1), _values(-(2**63) - 1, 2), _values(10**30, 10**30 + 1),
    _values("1", "2", "3"), _values("1.5", "2"), _values("?", "x", "y"), _values("NA", 1, 2),
    _values("", "a"), _values(None), _values(-0.0, 0.0, 1.5), _values(1e308, -1e308),
    _values({"a": 1}, {"b": 2}), _values([1, 2], []), _values("a", {"a": 1}), _values("{}", "[]"),
    _values("🎉", "e\u0301", "\u2028", "\x00x"), _values("null", "true"), _values("\ud800", "a"),
    _values(12345678901234567890, 12345678901234567891),
]  # fmt: skip
GAPS = [None, None, "", "?", "NA"]
JSON_ODD = ["late", 1.5, -1, None, True, 2**70, "?", "10:00:00", 1e300]


def _json(rng: Rng) -> Hostile:
    tricks: list[str] = []
    n = _size(rng, tricks)
    k = rng.choice([1, 2, 3, 4])
    names = rng.sample(NAMES, k) if rng.random() < 0.5 else [f"c{i}" for i in range(k)]
    made = [rng.choice(VALUES)(rng, n) for _ in names]
    columns = [_with_odd(rng, _with_markers(rng, cells, GAPS), JSON_ODD) for cells in made]
    words = rng.choice([["yes", "no"], [0, 1], [1, 2, 3], [True, False], ["1", "2"], [1, "a"]])
    classes = _classes(rng, columns, n, words)
    if rng.random() < 0.2:
        classes = _with_markers(rng, classes, GAPS)
    rows = [
        dict(zip([*names, TARGET], [*cells, goal], strict=True))
        for cells, goal in zip(zip(*columns, strict=True), classes, strict=True)
    ]
    _without_keys(rng, rows, names, tricks)
    as_lines = rng.random() < 0.75
    plain = rng.random() < 0.5
    if as_lines:
        end = rng.choice(["\n", "\n", "\r\n"])
        lines = [json.dumps(row, ensure_ascii=not plain) for row in rows]
        if rng.random() < 0.06:
            tricks.append("broken line")
            lines.insert(rng.randrange(len(lines)), rng.choice(["", "{", "[1]", "null", "x"]))
        text = end.join(lines) + (end if rng.random() < 0.8 else "")
    elif rng.random() < 0.7:
        text = json.dumps(rows, ensure_ascii=not plain, indent=rng.choice([None, 1]))
    else:
        tricks.append("columns")
        text = json.dumps({name: [row.get(name) for row in rows] for name in [*names, TARGET]})
    encoding = rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "gb18030"])
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        encoding, data = "utf-8", text.encode("utf-8", "replace")
    tricks += [encoding] if encoding != "utf-8" else []
    name, data = _packed(rng, rng.choice(["t.jsonl", "t.ndjson", "t.json"]), data, tricks)
    return Hostile(name, data, TARGET, "json", tuple(tricks))


def _without_keys(
    rng: Rng, rows: list[dict[str, Any]], names: list[str], tricks: list[str]
) -> None:
    how = rng.random()
    if how < 0.1:
        tricks.append("late key")
        for row in rows[: -rng.randint(1, 3)]:
            row.pop(names[-1])
    elif how < 0.2:
        tricks.append("absent keys")
        for row in rows:
            if rng.random() < 0.3:
                row.pop(rng.choice(names), None)


# -- Parquet -------------------------------------------------------------------------------------


def _typed(kind: pa.DataType, *values: Any) -> Callable[[Rng, int], pa.Array]:
    return lambda rng, n: pa.array(_gaps(rng, [rng.choice(values) for _ in range(n)]), kind)


def _gaps(rng: Rng, cells: Cells) -> Cells:
    return _with_markers(rng, cells, [None])


def _as(kind: pa.DataType, make: Callable[[Rng, int], Cells]) -> Callable[[Rng, int], pa.Array]:
    return lambda rng, n: pa.array(_gaps(rng, make(rng, n)), kind)


def _text_as(kind: pa.DataType) -> Callable[[Rng, int], pa.Array]:
    def made(rng: Rng, n: int) -> pa.Array:
        cells = _with_markers(rng, rng.choice(TEXTS)(rng, n), [*MARKERS, None])
        return pa.array(cells, pa.string()).cast(kind)

    return made


def _decimals(rng: Rng, n: int) -> pa.Array:
    maker, most = rng.choice([(pa.decimal32, 9), (pa.decimal64, 18), (pa.decimal128, 38),
                              (pa.decimal256, 76)])  # fmt: skip
    precision = rng.randint(1, most)
    scale = rng.choice([0, precision, rng.randint(0, precision)])
    few = [rng.randrange(-(10**precision) + 1, 10**precision) for _ in range(rng.choice([2, 5, n]))]
    cells = [Decimal(rng.choice(few)).scaleb(-scale) for _ in range(n)]
    with_all = [cell.quantize(Decimal(1).scaleb(-scale), context=WIDE) for cell in cells]
    return pa.array(_gaps(rng, with_all), maker(precision, scale))


def _dictionary(rng: Rng, n: int) -> pa.Array:
    words = rng.choice([["b", "a", "c"], ["?", "x"], ["1", "2", "3"], ["never", "b"]])
    cells = _gaps(rng, [rng.choice(words) for _ in range(n)])
    return pa.array(cells, pa.string()).dictionary_encode()


def _numbers_as(kind: pa.DataType) -> Callable[[Rng, int], pa.Array]:
    def made(rng: Rng, n: int) -> pa.Array:
        cells = [rng.gauss(0, 3) if rng.random() < 0.8 else rng.choice(SPECIAL) for _ in range(n)]
        return pa.array(_gaps(rng, cells), pa.float64()).cast(kind)

    return made


SPECIAL = [0.0, -0.0, 1.5, 1e-7, float("nan"), 3.0]
ZERO_ONE = [pa.int8(), pa.int64(), pa.uint8(), pa.float32(), pa.float64(), pa.bool_()]
INTEGERS = [(pa.int8(), 127), (pa.int16(), 300), (pa.int32(), 70_000), (pa.int64(), 2**62),
            (pa.uint8(), 255), (pa.uint16(), 65_535), (pa.uint32(), 2**32 - 1),
            (pa.uint64(), 2**64 - 1)]  # fmt: skip


def _integers(rng: Rng, n: int) -> pa.Array:
    kind, most = rng.choice(INTEGERS)
    low = 0 if pa.types.is_unsigned_integer(kind) else -most
    few = [rng.randint(low, most) for _ in range(rng.choice([1, 2, 3, 30, n]))]
    close = [min(most, few[0] + i) for i in range(4)]
    chosen = rng.choice([few, few, close, [0, 1], [0, most], [most - 1, most, most - 2]])
    return pa.array(_gaps(rng, [rng.choice(chosen) for _ in range(n)]), kind)


def _zero_one(rng: Rng, n: int) -> pa.Array:
    cells = _gaps(rng, [rng.choice([0, 1]) for _ in range(n)])
    return pa.array(cells, pa.int64()).cast(rng.choice(ZERO_ONE))


DAYS = [dt.date(2024, 1, 1), dt.date(2024, 2, 29), dt.date(1969, 12, 31)]
MOMENTS = [dt.datetime(2024, 1, 1, 10), dt.datetime(2024, 1, 1, 11, 0, 0, 5)]  # noqa: DTZ001
HOURS = [dt.time(10), dt.time(11, 30), dt.time(23, 59, 59, 7)]
SPANS = [dt.timedelta(seconds=5), dt.timedelta(days=2), dt.timedelta(microseconds=7)]
ARRAYS: list[Callable[[Rng, int], pa.Array]] = [
    _integers, _integers, _integers, _zero_one, _zero_one, _decimals, _decimals, _dictionary,
    _numbers_as(pa.float64()), _numbers_as(pa.float64()), _numbers_as(pa.float32()),
    _numbers_as(pa.float16()), _text_as(pa.string()), _text_as(pa.string()),
    _text_as(pa.string()), _text_as(pa.large_string()), _text_as(pa.binary()),
    _as(pa.int64(), _keys), _as(pa.string(), _names), _as(pa.string(), _many_names),
    _typed(pa.bool_(), True, False), _typed(pa.date32(), *DAYS), _typed(pa.date64(), *DAYS),
    _typed(pa.timestamp("us"), *MOMENTS), _typed(pa.timestamp("ns"), *MOMENTS),
    _typed(pa.timestamp("ms", "UTC"), MOMENTS[0]), _typed(pa.time32("ms"), *HOURS[:2]),
    _typed(pa.time64("us"), *HOURS), _typed(pa.duration("us"), *SPANS),
    _typed(pa.binary(), b"a", b"b", b"\xff\x00"), _typed(pa.binary(3), b"abc", b"abd"),
    _typed(pa.list_(pa.int64()), [1], [2, 3]), _typed(pa.struct([("a", pa.int64())]), {"a": 1}),
    _typed(pa.null(), None), _typed(pa.map_(pa.string(), pa.int64()), [("k", 1)]),
    lambda rng, n: pa.array([bytes(rng.choice([b"\x01", b"\x02"])) * 16 for _ in range(n)],
                            pa.binary(16)).cast(pa.uuid()) if hasattr(pa, "uuid") else pa.nulls(n),
]  # fmt: skip
GOALS = [["yes", "no"], [0, 1], [1, 2, 3], [True, False], [0.0, 1.0], ["1", "2"], [2**53 + 1,
    2**53 + 3],
         [0.5, 1.25, 3.75]]  # fmt: skip


def _parquet(rng: Rng) -> Hostile:
    tricks: list[str] = []
    n = _size(rng, tricks)
    k = rng.choice([1, 2, 3, 4])
    names = rng.sample(NAMES, k) if rng.random() < 0.5 else [f"c{i}" for i in range(k)]
    arrays = [rng.choice(ARRAYS)(rng, n) for _ in names]
    plain = [[str(cell) for cell in array.to_pylist()] for array in arrays]
    goal = pa.array(_classes(rng, plain, n, rng.choice(GOALS)))
    if rng.random() < 0.2:
        goal = pa.array(_gaps(rng, goal.to_pylist()), goal.type)
    tricks += [str(array.type) for array in arrays]
    if k > 1 and rng.random() < 0.06:
        tricks.append("twins")
        names[:2] = rng.choice([("twin", "TWIN"), ("twin", "twin")])
    table = pa.table([*arrays, goal], [*names, TARGET])
    room = io.BytesIO()
    size = rng.choice([None, 7, 25])
    pq.write_table(table, room, row_group_size=size, write_statistics=rng.random() < 0.7,
                   use_dictionary=rng.random() < 0.7)  # fmt: skip
    return Hostile("t.parquet", room.getvalue(), TARGET, "parquet", tuple(tricks))
