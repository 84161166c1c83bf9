"""SQL that cleans a raw text table: equal to what the reader makes of the same cells."""

# ruff: noqa: S608, E501 - tables of cells, and queries of the test itself

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import export_programs as programs
from penjing import CapabilityError, Tree, fit, read
from penjing.cli import main
from penjing.data.read.numbers import parse_cell
from penjing.data.read.reading import ColumnReading, fold_key
from penjing.errors import PenjingError
from penjing.predict.inputs import align, used_columns

MANY = 50_000
DATABASES = ("duckdb", "sqlite", "postgres")
NUMBERS = {
    "plain": ["12", "-3.5", "0", "1e3"],
    "dollars": ["$1,920.39", "$5", "-$7.25", "($3)", "USD 12"],
    "percent": ["25 %", "3.5%", "0%", "100 %"],
    "comma": ["1.234,56", "0,5", "7", "-2,25"],
    "euro": ["1.234,56 €", "0,5 €", "7 €"],
    "apostrophe": ["1'234.5", "12.25", "7"],
}
CELLS = [
    "5", " 5 ", "\u00a05\u00a0", "+5", "-5", "- 5", "５", "１２．５", "1,920.39", "$1,920.39", "$ 5", "5 $",
    "US$ 5", "USD 5", "5 USD", "-$5", "$-5", "(5)", "($5)", "$(5)", "(5) $", "( 1,200 )", "(-5)",
    "25%", "25 %", "２５％", "25 ‰", "1.234,56", "1 234,56", "1\u00a0234.5", "1\u202f234", "1'234.5",
    "1’234.5", "0,5", "0.5", ".5", "5.", "1e3", "1E-3", "1,23", "1,2345", "12,345,678.9", "1234,567",
    "1.234.567,8", "−7", "－7", "7 €", "€7", "", " ", "\t", "\u3000", "NA", "n/a", "?", "none", "无", "-",
    "abc", "12 apples", "1 2", "--5", "+-5", "1-2", "5 5 5", "inf", "nan", "0x1A", "1_000", "é", "'",
    "1,000", "-999", "-999.0", "$", "%", "()", "(", ")", "1,", ",1", "1..2", "9" * 38, "$\t5", "5\t%", "(\t5\t)",
    "-\t5", "(5)\t$", "$\n5", "1\t234", "1e100", "1e-100", "1e308", "-1e308", "1.7976931348623157e308", "1.8e308", "-2e308",
    "1e400", "-1e400", "1e-400", "5e-324", "2e-324", "4e-310", "1e0003", "1E+0000012", "0e999", "0e99999", "1e99999", "-1e99999",
    "1e-99999", "1e9999999999", "$1e200", "1e200 %", "000001e307", "12345e305", "0.0001e312", "1e-0", "1e+", "e5", "1e5.5",
    "1,234 234", "1'234 234", "1.234 567", "$-1,234", "-$1,234.5", "$ +1,234", "-$-1,234", "€-1.234,5", "(-1,234)",
]  # fmt: skip


@pytest.fixture(scope="module")
def databases():
    with programs.postgres() as link:
        yield Databases(link)


class Databases:
    """The three databases, with a table of texts each."""

    def __init__(self, link):
        self.link = link

    def rows(self, kind, names, rows, query, **options):
        """Return the rows of a query over a table of texts; it has a column "row #"."""
        run = {"duckdb": _duckdb, "sqlite": _sqlite, "postgres": self._postgres}[kind]
        return run(names, rows, query, **options)

    def _postgres(self, names, rows, query, table="rows"):
        psycopg = pytest.importorskip("psycopg")
        owner = f"postgresql://penjing@/postgres?host={self.link[self.link.index('-h') + 1]}"
        with psycopg.connect(owner) as link, link.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {table}")
            cursor.execute(_created(names, table))
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for i, row in enumerate(rows):
                    copy.write_row([i, *row])
            cursor.execute(f'SELECT * FROM ({query}) AS q ORDER BY "row #"')
            return [d[0] for d in cursor.description], cursor.fetchall()


def _created(names, table="rows"):
    columns = ", ".join(f'"{name}" TEXT' for name in names)
    return f'CREATE TABLE {table} ("row #" INTEGER, {columns})'


def _duckdb(names, rows, query, table="rows"):
    import pyarrow as pa  # noqa: PLC0415

    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    arrays = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    with duckdb.connect() as link:
        link.register(table, pa.table({"row #": pa.array(range(len(rows))), **arrays}))
        found = link.execute(f'SELECT * FROM ({query}) ORDER BY "row #"')
        return [d[0] for d in found.description], found.fetchall()


def _sqlite(names, rows, query, table="rows"):
    link = sqlite3.connect(":memory:")
    try:
        link.execute(_created(names, table))
        marks = ", ".join("?" * (len(names) + 1))
        link.executemany(
            f"INSERT INTO {table} VALUES ({marks})", [[i, *row] for i, row in enumerate(rows)]
        )
        found = link.execute(f'SELECT * FROM ({query}) ORDER BY "row #"')
        return [d[0] for d in found.description], found.fetchall()
    finally:
        link.close()


def model(name: str, cells: list[str], **options) -> Tree:
    """Return a tree that splits on a column with such cells, read from text."""
    rows = [f'"{cell}";{"yn"[i % 2]}' for i, cell in enumerate(cells)]
    text = "\n".join([f"{name};y", *rows, *rows]) + "\n"
    table = read(text.encode(), "y", separator=";", quiet=True, **options)
    tree = fit(table, recipe="cart-binary", missing="branch", quiet=True)
    assert tree.n_leaves > 1
    return tree


def clean_cells(databases, kind, tree, cells):
    """Return what a query makes of the cells of the only column."""
    name = tree.schema[0].name
    raw = name.rpartition(".")[0] or name
    query = tree.export("sql", dialect=kind, clean=True)
    titles, rows = databases.rows(kind, [raw], [[cell] for cell in cells], query)
    at, predicted = titles.index(f"clean({name})"), titles.index("predicted")
    return [row[at] for row in rows], [row[predicted] for row in rows]


def read_cells(tree, cells):
    """Return what the reader makes of each cell alone: a value, None, or "refused"."""
    field = tree.schema[0]
    raw = field.name.rpartition(".")[0] or field.name
    found = []
    style = ColumnReading.from_json((tree.reading or {}).get("columns", {}).get(raw, {})).number
    for cell in cells:
        number = parse_cell((cell or "").strip(), style.decimal or ".")
        if field.is_numeric and number is not None and not {*number.units} <= {*style.units}:
            found.append("refused")  # the reader takes a new unit if all other cells have it
            continue
        try:
            column = align(tree, [{raw: cell}]).columns[0]
        except PenjingError:
            found.append("refused")
        else:
            found.append(column.values()[0])
    return found


def agree(databases, kind, tree, cells):
    """Compare values and predictions with those of the reader and of the tree."""
    values, predictions = clean_cells(databases, kind, tree, cells)
    expected = read_cells(tree, cells)
    field = tree.schema[0]
    raw = field.name.rpartition(".")[0] or field.name
    folds = (tree.reading or {}).get("fold_case")
    for cell, value, right in zip(cells, values, expected, strict=True):
        if right == "refused" or right is None:
            assert value is None, (cell, value)
        elif field.is_numeric:
            assert value == pytest.approx(right, rel=1e-15, abs=0), cell
        else:
            assert value == (fold_key(str(right)) if folds else str(right)), cell
    known = [i for i, right in enumerate(expected) if right != "refused"]
    predicted = tree.predict([{raw: cells[i]} for i in known]) if known else []
    assert [predictions[i] for i in known] == list(predicted)


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_read_as_the_reader_reads_them(databases, name, kind):
    agree(databases, kind, model("x", NUMBERS[name]), [*CELLS, *NUMBERS[name], None])


@pytest.mark.parametrize("kind", DATABASES)
def test_named_markers(databases, kind):
    tree = model("x", NUMBERS["plain"], missing=["-999", "gone", "1e3"])
    agree(databases, kind, tree, [*CELLS, "gone", "-999.00", "1000", None])
    assert (
        None not in clean_cells(databases, kind, model("x", NUMBERS["plain"]), ["-999", "1000"])[0]
    )


CATEGORIES = ["Basic", "Pro", "New York", "Élan", "none", "it's"]
WORDS = [
    "Basic", " Basic ", "\u00a0Basic\t", "basic", "BASIC", "Pro", "pRO", "New York", "new  york",
    "NEW\u00a0YORK", "New\tYork", "élan", "ÉLAN", "Other", "", " ", "NA", "n/A", "?", "？", "缺失", "null",
    "none", "None", "-", "it's", "IT'S", "无", "有", "a,b", "x" * 300, None,
]  # fmt: skip


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("options", [
    {}, {"fold_case": True}, {"missing": ["-", "Other"]}, {"missing": {"only": ["?"]}},
    {"fold_case": True, "missing": ["BASIC"]},
], ids=str)  # fmt: skip
def test_categories_are_read_as_the_reader_reads_them(databases, kind, options):
    agree(databases, kind, model("c", CATEGORIES, **options), WORDS)


LETTERS = [
    "Élan", "İstanbul", "straße", "ΟΔΟΣ", "οδοσ", "σσς", "Σ", "aΣ b", "ΌΣΟΣ Α", "Москва", "ｆｕｌｌ ｗｉｄｔｈ",
    "kelvin", "ångström", "ǆ", "ﬃ", "ŉ", "𐐀x", "Ꮿ", "ⅷ", "ⓐ",
]  # fmt: skip
SPELLINGS = [
    str.upper, str.lower, str.title, str.swapcase, str.casefold,
    lambda x: x.replace("k", "\u212a").replace("å", "\u212b"),
    lambda x: x.replace("ς", "Σ"), lambda x: x.replace("σ", "Σ"),
    lambda x: x.replace("ς", "σ"), lambda x: x.replace("σ", "ς"),
    lambda x: f"\t{x.upper()} ".replace(" ", "  \u3000"),
]  # fmt: skip


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("keys", [LETTERS, ["kelvin", "other"], ["ΟΔΟΣ", "x"]], ids=len)
def test_every_letter_is_folded_as_the_reader_folds_it(databases, kind, keys):
    cells = [*dict.fromkeys(spelling(key) for key in LETTERS for spelling in SPELLINGS)]
    tree = model("c", keys, fold_case=True)
    values, predictions = clean_cells(databases, kind, tree, cells)
    folded = {fold_key(str(level)) for level in tree.schema[0].levels}
    for cell, value in zip(cells, values, strict=True):
        key = fold_key(cell)
        assert value == key if key in folded else value not in folded, cell
    assert predictions == tree.predict([{"c": cell} for cell in cells]).tolist()


NAMES = ["t", "T", "s", "S0", "v", "y", "m", "d", "b", "p", "mark", "days", "rows", "select", "predicted"]  # fmt: skip


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_any_name_of_the_query(databases, kind, name):
    dates = DATES["year"]
    rows = [[f"{i}.5 %", ("Basic", " PRO")[i % 2], dates[i % 6], "yn"[i % 2]] for i in range(12)]
    for place in range(3):  # the number, the category or the date has the name
        names = ["number", "category", "date"]
        names[place] = name
        text = "\n".join(";".join(row) for row in [[*names, "class"], *rows])
        table = read(text.encode(), "class", separator=";", fold_case=True, dates="number")
        columns = [c for c in table.columns if c.name.removesuffix(".number") == name]
        tree = fit(replace(table, columns=tuple(columns)), recipe="cart-binary", quiet=True)
        assert tree.n_leaves > 1
        for table_name in ("rows", "t"):
            query = tree.export("sql", dialect=kind, clean=True, table=table_name)
            cells = [row[:3] for row in rows]
            titles, found = databases.rows(kind, names, cells, query, table=table_name)
            output = "predicted_" if name == "predicted" else "predicted"
            expected = tree.predict([dict(zip(names, row, strict=True)) for row in cells])
            assert [row[titles.index(output)] for row in found] == expected.tolist()


def test_a_category_that_looks_like_a_marker_stays_one():
    cells = ["NA", "EU", "AS"]
    data = {"area": cells * 4, "y": list("abc") * 4}
    table = read(data, "y", {"area": cells}, quiet=True)
    tree = fit(table, recipe="cart-binary", missing="branch", quiet=True)
    query = tree.export("sql", dialect="sqlite", clean=True)
    titles, rows = _sqlite(["area"], [[c] for c in [*cells, "na", "?"]], query)
    assert [row[titles.index("clean(area)")] for row in rows] == [*cells, None, None]


DATES = {
    "year": ["2024-03-01", "2023/12/31", "2024.2.29", "2024年3月1日", "2024-03-01 10:30", "2024-03-01T23:59:59Z"],
    "month": ["03/14/2024", "12/31/2023", "2/29/2024", "3/1/2024 7:05", "03-14-2024"],
    "day": ["14/03/2024", "31.12.2023", "29/2/2024", "1/3/2024 07:05:09"],
}  # fmt: skip
ODD_DATES = [
    "", "NA", "soon", "2024", "13/13/2024", "2024-13-01", "20240301", " ", "1/2", None,
    # Blanks, with the year first around every mark.
    "2024-03-01 T23:59:59", "2024-03-01  T 23:59", "2024 - 03 - 01", "2024  年 3  月 1  日", "2024 / 3/1 7:05",
    "2024-03-01 日", "2024\t-03-01", "2024-03-01\t10:30", "2024-03-01T\t10:30", "2024-03-01\n10:30",
    "2024. 3. 1", "3 / 14 / 2024", "03/14/2024\t7:05", "03/14/2024 T7:05", "03/14/2024 日",
    # Times of day.
    "2024-03-01 10:30 Z", "2024-03-01 10:30UTC", "2024-03-01T10:30 UTC", "2024-03-01 10:30+08:00", "2024-03-01 1:2 -0830",
    "2024年3月1日 12时30分", "2024年3月1日 12时30分15秒", "2024年3月1日 12时30分15", "2024年3月1日12时30分", "2024-03-01 日 10:30",
    "2024-03-01日T10:30", "2024-03-01日 T10:30", "2024-03-01 10:30:15.25", "2024-03-01 10:30xyz", "2024-03-01 10", "2024-03-01T",
    "2024-03-01 24:30", "2024-03-01 10:60", "2024-03-01 10:30:61", "2024-03-01 10:3015", "2024-03-01 10:30.5", "2024-03-01 10:30秒",
    "2024-03-01 1:2:3 秒", "2024-03-01 1:2:3.秒", "2024-03-01 1:2:", "2024-03-01 12: 30", "2024-03-01 :30", "2024-03-01 +1:30",
    # Days that do not exist, and marks that do not fit.
    "2024-02-29", "2024-02-30", "2023-02-29", "1900-02-29", "2000-02-29", "2024-04-31", "02/30/2024", "30.02.2024",
    "0000-01-01", "0001-01-01", "2024-03/01", "2024年3-1", "2024年3年1日", "2024-03月01", "03-14/2024", "14.03/2024",
    "12024-03-01", "2024-003-01", "2024-03-001", "2024--03-01", "2024-03-", "+2024-03-01", "2024 3 1",
]  # fmt: skip


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("part", ["year", "month", "day", "weekday", "hour", "number"])
@pytest.mark.parametrize("order", DATES)
def test_parts_of_dates(databases, kind, order, part):
    cells = DATES[order]
    text = "\n".join(["d;y", *(f"{c};{'yn'[i % 2]}" for i, c in enumerate(cells * 2))]) + "\n"
    table = read(text.encode(), "y", separator=";", dates=part, quiet=True)
    tree = fit(table, recipe="cart-binary", missing="branch", quiet=True)
    if tree.n_leaves == 1:  # the part is the same in all dates
        pytest.skip("nothing to split on")
    agree(databases, kind, tree, [*cells, *(f" {c}\u00a0" for c in cells), *ODD_DATES])


PIECES = [
    *"0123456789", "1", "12", "234", ".", ",", "'", " ", "\u00a0", "+", "-", "(", ")", "$", "US$", "USD",
    "%", "€", "５", "．", "％", "e", "E3", "−", "’", "x", "NA", "1,234", "0,5", "\t", "\n", "e307", "e+400",
    "E-0005", "e-320", "e99999", "e-99999",
]  # fmt: skip


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("name", ["plain", "dollars", "percent", "comma", "euro"])
@settings(
    max_examples=2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10**9))
def test_generated_cells(databases, name, kind, seed):
    rand = random.Random(seed)
    cells = ["".join(rand.choices(PIECES, k=rand.randint(0, 6))) for _ in range(60)]
    agree(databases, kind, model("x", NUMBERS[name]), cells)


def messy_rows(n, seed=0):
    """Return rows of texts as a spreadsheet has them, and their classes."""
    rng = np.random.default_rng(seed)
    amounts = rng.gamma(2, 300, n).round(2)
    percent, calls = rng.integers(0, 60, n), rng.poisson(2, n)
    plans = rng.choice(
        ["Basic", "basic", "BASIC", "Pro", " PRO", "Plus", "New  plan", "new plan"], n
    )
    years, months, days = (
        rng.integers(2018, 2025, n),
        rng.integers(1, 13, n),
        rng.integers(1, 29, n),
    )
    signal = amounts / 400 + percent / 20 - calls * 0.7 + months / 6 + rng.normal(size=n)
    y = np.where(signal > 1.5, "yes", "no")

    def money(v, i):
        style = i % 7
        if style == 0:
            return f"${v:,.2f}"
        if style == 1:
            return f" $ {v:,.2f} "
        if style == 2:
            return f"{v:.2f}"
        if style == 3:
            return f"(${v:,.2f})"
        if style == 4:
            return f"USD {v:,.2f}"
        return ("-", "", "NA", "\u00a0", "n/a")[i % 5] if style == 5 else f"\u00a0${v:,.2f}"

    rows = []
    for i in range(n):
        comma = f"{amounts[i] / 7:,.3f}".replace(",", "_").replace(".", ",").replace("_", ".")
        rows.append([
            f"C{i:06}", money(amounts[i], i), f"{percent[i]}{' ' if i % 2 else ''}%",
            comma if i % 11 else "?", str(calls[i]) if i % 13 else "none",
            plans[i] if i % 17 else "", f"{months[i]:02}/{days[i]:02}/{years[i]}" if i % 19 else "-",
        ])  # fmt: skip
    return ["customer_id", "spend", "discount", "ratio", "calls", "plan", "signup"], rows, y


@pytest.fixture(scope="module")
def messy_model():
    names, rows, y = messy_rows(3000)
    text = "\n".join(
        ["|".join([*names, "churn"]), *("|".join([*r, c]) for r, c in zip(rows, y, strict=True))]
    )
    table = read(
        text.encode(), "churn", separator="|", missing=["-"], fold_case=True,
        dates="month,weekday,number", quiet=True,
    )  # fmt: skip
    assert {column.name for column in table.columns} == {
        "spend", "discount", "ratio", "calls", "plan", "signup.month", "signup.weekday", "signup.number",
    }  # fmt: skip
    return table


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize(("recipe", "n"), [
    ("rpart", MANY), ("c4.5", 2000), ("cart-binary", 2000),
])  # fmt: skip
def test_a_messy_table_is_predicted_row_for_row(databases, messy_model, recipe, n, kind):
    options = {"rpart": {"cp": 0.001}, "cart-binary": {"missing": "branch", "max_depth": 7}}
    tree = fit(messy_model, recipe=recipe, quiet=True, **options.get(recipe, {"max_depth": 6}))
    assert len(used_columns(tree)) >= 5
    names, rows, _ = messy_rows(n, seed=1)
    for i in range(0, len(rows), 23):  # weird cells: unseen, NULL, blanks
        rows[i][5] = ("Gold", None, "\u3000", " pro\u00a0", "nEW   PLAN")[i % 5]
        rows[i][1 + i % 4] = (None, "", "\t", "缺失", " ")[i // 23 % 5]
    query = tree.export("sql", dialect=kind, clean=True, proba=True)
    titles, found = databases.rows(kind, names, rows, query)
    table = {
        name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    expected = tree.predict(table)
    at = titles.index("predicted")
    assert [row[at] for row in found] == expected.tolist()
    shares = tree.predict_proba(table)
    places = [titles.index(f"p({c})") for c in tree.classes]
    assert (
        np.abs(np.array([[row[i] for i in places] for row in found], float) - shares).max() < 1e-12
    )
    assert titles[1 : 1 + len(names)] == names


def test_other_dialects_are_refused():
    tree = model("x", NUMBERS["plain"])
    with pytest.raises(CapabilityError, match="mysql, only in duckdb, sqlite, postgres"):
        tree.export("sql", dialect="mysql", clean=True)


def test_the_command(tmp_path, capsys):
    path = tmp_path / "m.tree"
    model("x", NUMBERS["dollars"]).save(path)
    assert main(["export", str(path), "--to", "sql", "--clean", "--dialect", "sqlite"]) == 0
    query = capsys.readouterr().out
    _, rows = _sqlite(["x"], [["$1,920.39"], ["USD 12"]], query)
    assert [row[2] for row in rows] == [1920.39, 12.0]
    assert main(["export", str(path), "--to", "sql", "--clean", "--dialect", "oracle"]) == 1
    assert "--clean" in capsys.readouterr().err
