"""What a cell means to a model: the same alone, in a table and in any form of the rows."""

from __future__ import annotations

import datetime as dt
import json
import math
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penjing
from penjing.errors import DataError
from penjing.predict.inputs import align_all

STYLES = {
    "plain": lambda i: f"{i}.25",
    "integers": lambda i: str(3 * i),
    "comma": lambda i: f"{1000 + i},5",
    "dollars": lambda i: f"${i + 1},000.50",
    "percent": lambda i: f"{i} %",
}
"""How the numbers of the training table are written."""
CELLS = [
    *("7", "7.5", "7,5", "1,700", "1.700", "1,700.25", "1.700,25", "1 700", "(3)"),
    *("$7", "€7", "¥1,700", "$1,700.50", "7 %", "0.07 %", "7‰"),
    *("None", "none", "NIL", "无", "NA", "", "?", "soon"),
]


def model_of(style, others=False):
    """Return a tree whose column 'n' has numbers written in a style."""
    rows = [{"n": STYLES[style](i), "y": "yn"[i > 11]} for i in range(24)]
    if others:
        rows = [{**row, "m": f"{i},25"} for i, row in enumerate(rows)]
    lines = [";".join(rows[0]), *(";".join(row.values()) for row in rows)]
    table = penjing.read("\n".join(lines).encode(), "y")
    return penjing.fit(table, recipe="cart-binary", quiet=True)


MODELS = {style: model_of(style) for style in STYLES}


def outcome(tree, cells):
    """Return the numbers of cells as the tree reads them, or the key of the refusal."""
    try:
        table = align_all(tree, [{"n": cell} for cell in cells])
    except DataError as error:
        return error.key
    return [None if math.isnan(value) else value for value in table.columns[0].numbers().tolist()]


@pytest.mark.parametrize("style", STYLES)
@given(cells=st.lists(st.sampled_from(CELLS), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_cell_means_the_same_alone_and_in_a_table(style, cells):
    tree = MODELS[style]
    alone = [outcome(tree, [cell]) for cell in cells]
    together = outcome(tree, cells)
    if together == "not_one_unit":  # dollars and euros cannot be compared
        assert len({c.strip("0123456789.,") for c in cells if c[:1] in "$€¥" and c}) > 1
        return
    if any(isinstance(one, str) for one in alone):
        assert together in alone
    else:
        assert together == [one[0] for one in alone]


def test_the_marks_of_other_columns_are_those_of_a_column_without():
    tree = model_of("integers", others=True)
    assert align_all(tree, [{"n": "1.700", "m": "2"}]).columns[0].numbers().tolist() == [1700]
    assert align_all(tree, [{"n": "1,700", "m": "2"}]).columns[0].numbers().tolist() == [1.7]


@pytest.mark.parametrize("word", ["None", "nil", "无"])
def test_words_for_nothing_are_missing_in_a_numeric_column_of_a_model(word, run):
    tree = MODELS["plain"]
    tree.save("m.tree")
    Path("new.csv").write_text(f"n\n{word}\n", "utf-8")
    assert tree.predict({"n": word}, missing="stop").tolist() == ["y"]
    assert tree.predict("new.csv", missing="stop").tolist() == ["y"]
    assert tree.predict(penjing.read("new.csv", target=False), missing="stop").tolist() == ["y"]
    done = run("explain", "m.tree", "--row", f"n={word}")
    assert done.code == 0, done.err


def percentages():
    share = [{"share": f"{i / 40:.3f}", "y": "yn"[i > 19]} for i in range(40)]
    with_sign = [{**row, "share": f"{100 * float(row['share']):g} %"} for row in share]
    return share, with_sign


def write_csv(path, rows):
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path.name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_percentages_are_refused_by_a_model_without_them(run, lang):
    share, with_sign = percentages()
    table = write_csv(Path("share.csv"), share)
    assert run("fit", table, "-o", "m.tree").code == 0
    new = write_csv(Path("new.csv"), with_sign)
    both = write_csv(Path("both.csv"), [*share[:3], *with_sign[3:]])
    one = write_csv(Path("one.csv"), with_sign[1:2])
    rows = [["explain", "m.tree", "--row", "share=13 %"]]
    for line in (["test"], ["predict"], ["predict", "--summary"], ["drift"]):
        rows += [[line[0], "m.tree", name, *line[1:]] for name in (new, both, one)]
    for line in rows:
        done = run(*line, "--lang", lang)
        assert done.code == 1, (line, done.out)
        assert "%" in done.err
        assert "()" not in done.err
        assert "（）" not in done.err
    tree = penjing.load("m.tree")
    for rows in (with_sign[5], with_sign, "new.csv", penjing.read("new.csv", "y")):
        with pytest.raises(DataError):
            tree.predict(rows)


def test_a_unit_that_the_model_does_not_have_is_noted(run):
    MODELS["comma"].save("m.tree")
    Path("new.csv").write_text('n\n"¥1,700"\n', "utf-8")
    done = run("predict", "m.tree", "new.csv")
    assert done.code == 0, done.err
    assert "'¥1,700' as 1.7" in done.err


def dated(order):
    days = [dt.date(2021, 1, 1) + dt.timedelta(days=11 * i) for i in range(30)]
    return [{"day": order(day), "y": "yn"[day.month > 6]} for day in days]


ORDERS = {
    "day": lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    "month": lambda d: f"{d.month}/{d.day}/{d.year}",
    "year": lambda d: d.isoformat(),
    "typed": lambda d: d,
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_date_with_the_year_first_is_accepted_by_every_model(order):
    rows = dated(ORDERS[order])
    tree = penjing.fit(penjing.read(rows, "y", dates="month,number"), quiet=True)
    iso = dated(ORDERS["year"])
    classes = [row["y"] for row in iso]
    assert tree.predict(iso).tolist() == classes
    assert [tree.predict({"day": row["day"]}).tolist()[0] for row in iso] == classes
    mixed = [*rows[:15], *iso[15:]]
    assert tree.predict(mixed).tolist() == classes
    swapped = {"day": "month", "month": "day"}.get(order, "day")
    with pytest.raises(DataError, match="2021"):
        tree.predict(dated(ORDERS[swapped]))


@pytest.mark.parametrize("order", ["day", "month"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql_accepts_a_date_with_the_year_first(order, dialect):
    tree = penjing.fit(penjing.read(dated(ORDERS[order]), "y", dates="month"), quiet=True)
    new = [*dated(ORDERS["year"])[:20], *dated(ORDERS[order])[20:]]
    query = tree.export("sql", dialect=dialect, clean=True, table="rows")
    if dialect == "sqlite":
        link = sqlite3.connect(":memory:")
    else:
        duckdb = pytest.importorskip("duckdb")
        link = duckdb.connect()
    link.execute("CREATE TABLE rows (day TEXT, y TEXT)")
    link.executemany("INSERT INTO rows VALUES (?, ?)", [(r["day"], r["y"]) for r in new])
    found = [row[-1] for row in link.execute(query).fetchall()]
    assert found == tree.predict(new).tolist(), json.dumps(found)
