"""How numbers are written: against an oracle that reads character by character."""

from __future__ import annotations

import math
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.encode import coded, coded_text
from penjing.data.encode.distinct_values import facts_of
from penjing.data.read import read
from penjing.data.read.numbers import (
    CURRENCIES,
    NumberStyle,
    number_parser,
    parse_cell,
    parse_number,
    parse_numbers,
)

UNITS = sorted({spelling for names in CURRENCIES.values() for spelling in names})


# ---------------------------------------------------------------- the oracle


def oracle(text, decimal):
    """Return the number of a text, or None: no regular expression, one character at a time."""
    text = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2019", "'").strip()
    text, before = without_unit(text, at_start=True)
    text, after = without_unit(text, at_start=False)
    if text.startswith("(") and text.endswith(")"):
        inside = text[1:-1].strip()
        if not inside or inside[0] in "+-" or "(" in inside or ")" in inside:
            return None
        if (before and not is_money(before)) or (inside[:1] in "%‰"):
            return None
        inner, b = without_unit(inside, at_start=True)
        inner, a = without_unit(inner, at_start=False)
        if inner[:1] in ("+", "-", "") or not one_currency([before, after, a, b]):
            return None
        value = digits_value(inner, decimal)
        return None if value is None else -value
    sign = 1.0
    if text[:1] in ("+", "-"):
        if before:
            if text[1:2] in ("+", "-", " "):
                return None
        else:
            rest, before = without_unit(text[1:].lstrip(), at_start=True)
            if before and rest[:1] in ("+", "-"):
                return None
            text = text[0] + rest
        sign, text = (-1.0 if text[0] == "-" else 1.0), text[1:]
    if not one_currency([before, after]):
        return None
    value = digits_value(text, decimal)
    return None if value is None else sign * value


def is_money(unit):
    return unit in UNITS


def without_unit(text, *, at_start):
    known = sorted([*UNITS, *(() if at_start else "%‰")], key=len, reverse=True)
    for unit in known:
        if at_start and text.startswith(unit):
            return text[len(unit) :].lstrip(), unit
        if not at_start and text.endswith(unit):
            return text[: -len(unit)].rstrip(), unit
    return text, ""


def one_currency(units):
    units = [unit for unit in units if unit]
    if len(units) < 2:
        return True
    return any(all(unit in names for unit in units) for names in CURRENCIES.values())


def digits_value(text, decimal):
    """Return the value of unsigned digits with separators."""
    text, has_exponent, exponent = text.replace("E", "e").partition("e")
    bare = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    if has_exponent and (decimal == "," or not is_digits(bare)):
        return None
    whole, mark, fraction = text.partition(decimal)
    if mark and not is_digits(fraction) and not (fraction == "" and decimal == "."):
        return None
    other = "," if decimal == "." else "."
    found = [c for c in (other, " ", "'") if c in whole]
    if len(found) > 1 or (found and exponent):
        return None
    if found:
        groups = whole.split(found[0])
        if not are_groups(groups) or (mark and not fraction):
            return None
        whole = "".join(groups)
    elif not is_digits(whole) and not (whole == "" and is_digits(fraction) and decimal == "."):
        return None
    return float(f"{whole or 0}.{fraction or 0}e{exponent or 0}")


def are_groups(groups):
    first, *others = groups
    if not (is_digits(first) and len(first) <= 3 and first[0] != "0"):
        return False
    return all(is_digits(group) and len(group) == 3 for group in others)


def is_digits(text):
    return text != "" and all(character in "0123456789" for character in text)


ALPHABET = "00123459.,'  ()+-%$€"
PIECES = st.sampled_from([*ALPHABET, "USD", "kr", "\u00a0", "\u202f", "\u2212", "000", "１", "e2"])


@given(st.lists(PIECES, min_size=1, max_size=9), st.sampled_from(".,"))
def test_any_text_is_parsed_as_the_oracle_parses_it(pieces, decimal):
    text = "".join(pieces).strip()
    if not text:
        return
    parsed, expected = parse_cell(text, decimal), oracle(text, decimal)
    assert (None if parsed is None else parsed.value) == expected, (text, decimal)


# ---------------------------------------------------------------- written numbers


@st.composite
def written(draw, decimal, separator):
    """Return a number, and a text of it with groups of three digits."""
    whole = draw(st.integers(0, 10**10))
    fraction = draw(st.text("0123456789", max_size=4))
    is_negative = draw(st.booleans())
    grouped = f"{whole:,}".replace(",", separator)
    text = grouped + (decimal + fraction if fraction else "")
    value = float(f"{whole}.{fraction or 0}")
    if is_negative:
        text = draw(st.sampled_from([f"-{text}", f"({text})", f"\u2212{text}"]))
    return (-value if is_negative else value), text


SEPARATORS = {".": [",", " ", "\u00a0", "\u202f", "'", "\u2019"], ",": [".", " ", "\u00a0", "'"]}


@given(st.data(), st.sampled_from(".,"))
def test_a_written_number_is_read_back(data, decimal):
    separator = data.draw(st.sampled_from(SEPARATORS[decimal]))
    value, text = data.draw(written(decimal, separator))
    assert parse_cell(text, decimal).value == value


@given(st.data(), st.sampled_from(".,"))
def test_a_column_of_written_numbers_is_numeric_with_its_style(data, decimal):
    separator = data.draw(st.sampled_from(SEPARATORS[decimal]))
    pairs = data.draw(st.lists(written(decimal, separator), min_size=1, max_size=6))
    sure = "12345" + decimal + "5"  # not thousands
    levels = list(dict.fromkeys([sure, *(text for _, text in pairs)]))
    parsed = parse_numbers(levels)
    assert parsed.all
    assert parsed.style.decimal == decimal
    values = dict(zip(levels, parsed.values, strict=True))
    assert all(values[text] == value for value, text in pairs)


@given(st.lists(PIECES, min_size=1, max_size=7), st.lists(st.lists(PIECES, max_size=5), max_size=6))
def test_a_column_is_parsed_alike_if_only_one_text_of_each_kind_is_known(first, others):
    """The reader of tables larger than memory holds one text of each kind."""
    levels = list(dict.fromkeys("".join(x).strip() for x in [first, *others]))
    levels = [level for level in levels if level]
    if not levels:
        return
    kinds = {facts_of(level): level for level in reversed(levels)}
    whole, sample = parse_numbers(levels), parse_numbers([x for x in levels if x in kinds.values()])
    assert whole.all == sample.all
    if whole.all:
        assert whole.style == sample.style
        parse = number_parser(list(kinds.values()))
        assert [parse(level) for level in levels] == whole.values.tolist()


# ---------------------------------------------------------------- cases


@pytest.mark.parametrize(
    ("levels", "values"),
    [
        (["1.234,56", "99,90"], [1234.56, 99.9]),
        (["1.234", "99,9"], [1234, 99.9]),
        (["1 000", "2"], [1000, 2]),
        (["1\u202f000", "1\u00a0000\u00a0000"], [1000, 1e6]),
        (["1'000", "2’500.5"], [1000, 2500.5]),
        (["(1,200)", "5"], [-1200, 5]),
        (["$(1,200)", "($5)", "$7"], [-1200, -5, 7]),
        (["USD 5", "7 USD", "$9"], [5, 7, 9]),
        (["5 €", "€ 7,50", "8"], [5, 7.5, 8]),
        (["¥1,000", "¥5"], [1000, 5]),
        (["25 %", "3%"], [25, 3]),
        (["-$5", "$-6", "7"], [-5, -6, 7]),
        (["1,234", "2,5"], [1.234, 2.5]),
        (["1,234,567", "1"], [1234567, 1]),
        (["1.234.567", "1"], [1234567, 1]),
    ],
)
def test_numbers_as_people_write_them(levels, values):
    parsed = parse_numbers(levels)
    assert parsed.all
    assert parsed.values.tolist() == values


@pytest.mark.parametrize(
    "levels",
    [
        ["$5", "€5"],
        ["5%", "5"],
        ["$5", "5%"],
        ["(1)", "(2)"],
        ["1.234,5", "1,234.5"],
        ["1,23,456", "x"],
        ["1 00", "2"],
        ["01 000", "2"],
        ["1.2.3", "2"],
        ["CAD 5", "USD 5"],
        ["5 apples", "3"],
        ["1-2", "3"],
    ],
)
def test_what_is_not_a_column_of_numbers(levels):
    assert not parse_numbers(levels).all


def test_an_ambiguous_mark_is_said_and_read_as_before():
    point = parse_numbers(["1.234", "999", "12.500"])
    assert point.values.tolist() == [1.234, 999, 12.5]
    assert point.first_ambiguous == 0
    comma = parse_numbers(["1,234", "999"])
    assert comma.values.tolist() == [1234, 999]
    assert comma.first_ambiguous == 0
    for levels in (["0.123", "1.234"], ["1.234", "1.5"], ["1.234", "12345"], ["1,234,567"], ["7"]):
        assert parse_numbers(levels).first_ambiguous == -1, levels
    told = parse_numbers(["1.234", "999"], NumberStyle(","))
    assert told.values.tolist() == [1234, 999]
    assert told.first_ambiguous == -1


def test_the_note_names_both_numbers():
    rows = "a;y\n1.234;n\n2.500;y\n7.100;n\n"
    (note,) = [n for n in read(rows.encode(), "y").notes if n.key == "note_ambiguous_decimal"]
    assert "1.234" in note.text()
    assert "1234" in note.text()
    assert "decimal=','" in note.text()
    assert "--decimal ," in note.text(command=True)
    table = read(rows.encode(), "y", decimal=",")
    assert table.columns[0].values() == [1234, 2500, 7100]
    assert "note_ambiguous_decimal" not in [n.key for n in table.notes]


def test_a_column_with_the_other_mark_than_the_named_one_is_read_and_said():
    rows = "a;b;y\n0.25;1,5;n\n0.75;2,5;y\n0.5;3,5;n\n"
    table = read(rows.encode(), "y", decimal=",")
    assert table.columns[0].values() == [0.25, 0.75, 0.5]
    assert table.columns[1].values() == [1.5, 2.5, 3.5]
    assert [n.values["column"] for n in table.notes if n.key == "note_other_decimal"] == ["a"]


AMBIGUOUS = {"comma": [f"{1 + i},{(37 * i) % 1000:03}" for i in range(30)]}
AMBIGUOUS["point"] = [text.replace(",", ".") for text in AMBIGUOUS["comma"]]
OTHERS = {
    "decimal comma": ([f"4.237,{10 + i} €" for i in range(30)], ","),
    "decimal point": ([f"{i}.5" for i in range(30)], "."),
    "integers": ([str(5 * i) for i in range(30)], None),
    "both": (["0,5" if i % 2 else "0,75" for i in range(30)], None),
}
"""A column beside an ambiguous one, and the mark that it proves."""


@pytest.mark.parametrize("is_on_disk", [False, True])
@pytest.mark.parametrize("separator", [";", "|"])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("written_with", AMBIGUOUS)
def test_an_ambiguous_column_follows_the_rest_of_its_table(  # noqa: PLR0917
    written_with, other, separator, is_on_disk, tmp_path, monkeypatch
):
    cells, (beside, proved) = AMBIGUOUS[written_with], OTHERS[other]
    more = [f"{i}.25" for i in range(30)] if other == "both" else ["k"] * 30
    rows = zip(cells, beside, more, ["ny"[i % 3 > 1] for i in range(30)], strict=True)
    path = tmp_path / "x.csv"
    path.write_text("\n".join(map(separator.join, [("a", "b", "c", "y"), *rows])), "utf-8")
    if is_on_disk:
        monkeypatch.setattr(coded_text, "SMALL", 0)
        table, space = coded.coded(str(path), coded.Wants("y"))
    else:
        table, space = read(path, "y"), None
    is_semicolon = other == "integers" and separator == ";" and written_with == "comma"
    mark = proved or ("," if is_semicolon else ".")
    assert table.columns[0].values() == [parse_number(cell, mark) for cell in cells]
    keys = [note.key for note in table.notes if note.values.get("column") == "a"]
    if mark == ",":
        assert f"note_followed_{'separator' if is_semicolon else 'columns'}" in keys
    else:
        assert "note_ambiguous_decimal" in keys
    assert read(path, "y", decimal=",").columns[0].values() == [
        parse_number(cell, ",") for cell in cells
    ]
    if space is not None:
        space.close()


@pytest.mark.parametrize(("text", "number"), [("$1,300", 1300), ("1.300 €", 1300)])
def test_an_amount_of_money_has_no_three_digits_after_its_decimal_mark(text, number):
    lines = [f"{text};{i},25;{'ny'[i % 3 > 1]}" for i in range(30)]
    table = read("\n".join(["a;b;y", *lines]).encode(), "y", keep="a")
    assert set(table.columns[0].values()) == {number}


def test_infinity_and_empty_columns():
    assert math.isinf(parse_numbers(["inf", "1"]).values[0])
    assert parse_numbers([]).values.dtype == np.float64


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["01234", "1234", "00501"], "01234"),
        (["7", "12", "007"], "007"),
        (["0", "1", "2"], None),
        (["0.5", "0.25", "1"], None),
        (["-01", "3", "4"], None),
        (["00", "1", "2"], "00"),
    ],
)
def test_numbers_that_begin_with_a_zero_are_noted(cells, found):
    rows = [{"zip": cell, "y": "ab"[i % 2]} for i, cell in enumerate(cells * 2)]
    notes = [note for note in read(rows, "y").notes if note.key == "note_leading_zeros"]
    assert [note.values["value"] for note in notes] == ([] if found is None else [found])
    told = read(rows, "y", {"zip": "categorical"})
    assert "note_leading_zeros" not in [note.key for note in told.notes]
    assert told.columns[0].kind == "nominal"


LONG = 2**63 - 3
LONG_INTEGERS = {
    "rounded": ([LONG + i % 3 - i % 2 * 5000 for i in range(9)], LONG, 2**63),
    "negative": ([-LONG + i * 5000 for i in (0, 2, 0, 1)], -LONG, -(2**63)),
    "one": ([7, 2**53 + 1, 8, 7], 2**53 + 1, 2**53),
    "exact": ([2**60 * i for i in (1, 3, 4, 7)], None, None),
    "short": ([2**53, 5, 2**53, -(2**53)], None, None),
    "fractions": ([1e300, 1.5e17, 3.25, 1e300], None, None),
}


@pytest.mark.parametrize("name", list(LONG_INTEGERS))
@pytest.mark.parametrize("form", ["rows", "texts", "csv", "pandas", "polars"])
def test_integers_that_are_rounded_are_noted(name, form, tmp_path):
    values, value, number = LONG_INTEGERS[name]
    rows = [{"a": x, "y": "ab"[i % 2]} for i, x in enumerate(values)]
    source = rows
    if form == "texts":
        source = [{**row, "a": str(row["a"])} for row in rows]
    elif form == "csv":
        source = tmp_path / "long.csv"
        source.write_text("a,y\n" + "".join(f"{row['a']},{row['y']}\n" for row in rows))
    elif form in ("pandas", "polars"):
        source = pytest.importorskip(form).DataFrame(rows)
    table = read(source, "y")
    notes = [note for note in table.notes if note.key == "note_rounded_integer"]
    expected = [] if value is None else [(str(value), str(number))]
    assert [(str(note.values["value"]), note.values["number"]) for note in notes] == expected
    assert table.columns[0].numbers().tolist() == [float(x) for x in values]


@pytest.mark.parametrize(("text", "decimal", "value"), [
    ("$-1,234", ".", -1234.0), ("$-1,234.5", ".", -1234.5), ("€ -1.234,5", ",", -1234.5),
    ("CHF -1'234", ".", -1234.0), ("$+1 234", ".", 1234.0),
    ("-$-1,234", ".", None), ("($-1,234)", ".", None),
])  # fmt: skip
def test_a_sign_may_stand_between_a_unit_and_thousands(text, decimal, value):
    assert parse_number(text, decimal) == value
