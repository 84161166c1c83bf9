"""Trees apply how their table was read to file names, frames, dicts, rows and tables."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import penjing
from penjing.data.read import read
from workbook import write_workbook

HEADER = ["spend", "plan", "price", "share", "since", "w", "y"]
ROWS = [
    [
        ("$1,920.39", "-", "($5.50)", "7", "USD 1 200")[i % 5],
        ("Basic", "BASIC", " basic", "Pro", "PRO  ")[i % 5],
        f"{1 + i}.{(37 * i) % 1000:03},5",
        f"{i % 9} %",
        f"{1 + i % 28}/{1 + i % 12}/2024",
        str(1 + i % 3),
        ("yes", "no")[(i % 5 > 2) != (i > 30)],
    ]
    for i in range(60)
]
OPTIONS = {"missing": ["-"], "fold_case": True, "dates": "month,day", "weight": "w"}


def text_of(rows, separator=";"):
    return "".join(separator.join(row) + "\n" for row in [HEADER, *rows])


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(text_of(ROWS), "utf-8")
    table = penjing.read("x.csv", "y", **OPTIONS, quiet=True)
    return penjing.fit(table, recipe="cart-binary", missing="branch", quiet=True)


@pytest.fixture
def expected(tree):
    return tree.predict(penjing.read("x.csv", "y", **OPTIONS, quiet=True)).tolist()


def frame(rows=ROWS):
    return pd.DataFrame(rows, columns=HEADER)


def comma_file():
    rows = [[f'"{cell}"' for cell in row] for row in ROWS]
    Path("c.csv").write_text(text_of(rows, ","), "utf-8")
    return "c.csv"


SOURCES = {
    "file": lambda: "x.csv",
    "path": lambda: Path("x.csv"),
    "bytes": lambda: Path("x.csv").read_bytes(),
    "pandas": frame,
    "polars": lambda: pl.DataFrame(ROWS, schema=HEADER, orient="row"),
    "dicts": lambda: frame().to_dict("records"),
    "columns": lambda: frame().to_dict("list"),
    "workbook": lambda: write_workbook("x.xlsx", {"t": [HEADER, *ROWS]}),
    "comma": comma_file,
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_is_read_as_the_training_table(tree, expected, name):
    source = SOURCES[name]()
    assert tree.predict(source).tolist() == expected
    assert tree.score(source).correct == tree.score("x.csv").correct
    saved = Path("m.tree")
    tree.save(saved)
    assert penjing.load(saved).predict(source).tolist() == expected


def test_a_row_alone_is_read_as_in_its_table(tree, expected):
    for row, prediction in zip(frame().to_dict("records"), expected, strict=True):
        del row["y"]
        assert tree.predict(row).tolist() == [prediction]
        assert tree.predict(pd.Series(row)).tolist() == [prediction]
        assert tree.explain(row).to_json()["answer"] == prediction


def test_numbers_of_a_typed_frame_are_taken_as_they_are(tree, expected):
    typed = frame()
    typed["price"] = [float(x.replace(".", "").replace(",", ".")) for x in typed["price"]]
    typed["since"] = pd.to_datetime(typed["since"], dayfirst=True)
    assert tree.predict(typed).tolist() == expected


def test_texts_and_numbers_may_be_mixed_in_a_column(tree, expected):
    mixed = frame()
    numbers = [float(x.replace(".", "").replace(",", ".")) for x in mixed["price"]]
    mixed["price"] = [x if i % 2 else n for i, (x, n) in enumerate(zip(mixed["price"], numbers))]  # noqa: B905
    assert tree.predict(mixed).tolist() == expected


def test_every_method_applies_it(tree, expected):
    table = penjing.read("x.csv", "y", **OPTIONS, quiet=True)
    assert tree.score("x.csv").to_dict() == tree.score(table).to_dict()
    assert tree.apply("x.csv").tolist() == tree.apply(table).tolist()
    assert tree.predict_proba("x.csv").tolist() == tree.predict_proba(table).tolist()
    assert tree.why(0, "x.csv").text() == tree.why(0, table).text()
    assert tree.importances("permutation", "x.csv") == tree.importances("permutation", table)
    by_name, by_table = tree.prune("reduced-error", validation="x.csv"), tree.prune(
        "reduced-error", validation=table
    )  # fmt: skip
    assert str(by_name) == str(by_table)
    assert tree.ruleset("x.csv").text() == tree.ruleset(table).text()
    assert len(expected) == 60


def test_a_file_without_header_may_lack_the_target(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("".join(";".join(row) + "\n" for row in ROWS), "utf-8")
    table = penjing.read("x.csv", "y", names=HEADER, **OPTIONS, quiet=True)
    tree = penjing.fit(table, recipe="cart-binary", missing="branch", quiet=True)
    expected = tree.predict("x.csv").tolist()
    assert expected == tree.predict(table).tolist()
    Path("new.csv").write_text("".join(";".join(row[:-1]) + "\n" for row in ROWS), "utf-8")
    assert tree.predict("new.csv").tolist() == expected
    Path("header.csv").write_text(text_of(ROWS), "utf-8")
    with pytest.warns(penjing.DataWarning, match="header"):
        assert tree.predict("header.csv").tolist() == expected


def test_two_trees_apply_their_own(tree):
    other = penjing.fit(
        penjing.read("x.csv", "y", missing=["-", "7"], schema={"w": "ignore"}, quiet=True),
        recipe="cart-binary", missing="branch", quiet=True,
    )  # fmt: skip
    for one, two in ((tree, other), (other, tree)):
        rows = penjing.compare(one, two, {"test": "x.csv"}).to_dict()["rows"]["test"]
        pairs = zip(one.predict("x.csv"), two.predict("x.csv"), strict=True)
        differing = [i for i, (a, b) in enumerate(pairs, 1) if a != b]
        assert [row["row"] for row in rows] == differing


def test_markers_of_a_table_win_and_that_is_a_warning(tree):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tree.predict(penjing.read("x.csv", False, tree.schema, missing=["7", "-"], dates="day"))
    texts = [str(w.message) for w in caught if issubclass(w.category, penjing.DataWarning)]
    assert any("the model was trained with '-'" in text for text in texts)


def test_what_the_style_of_training_forbids_is_refused(tree):
    for row, key in (
        ({"price": "12.5"}, "not_a_number_comma"),
        ({"spend": "€5"}, "not_the_unit"),
        ({"spend": "5%"}, "not_the_unit"),
        ({"since": "2/13/2024"}, "date_order"),
        ({"since": "soon"}, "not_a_date"),
    ):
        whole = {**frame().to_dict("records")[0], **row}
        with pytest.raises(penjing.DataError) as caught:
            read([whole], False, tree.schema, like=tree.reading)
        assert caught.value.key == key


CATEGORY_FRAMES = {
    "pandas": lambda rows: frame(rows).astype("category"),
    "pandas with unused categories": lambda rows: frame(rows).apply(
        lambda column: pd.Categorical(column, ["soon", *dict.fromkeys(column)])
    ),
    "polars": lambda rows: pl.DataFrame(frame(rows)).cast(pl.Categorical),
    "polars enum": lambda rows: pl.DataFrame(
        {name: pl.Series(column, dtype=pl.Enum(["soon", *dict.fromkeys(column)]))
         for name, column in frame(rows).items()}
    ),
    "pyarrow": lambda rows: pa.table(
        {name: pa.array(column).dictionary_encode() for name, column in frame(rows).items()}
    ),
}  # fmt: skip


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("kind", CATEGORY_FRAMES)
@pytest.mark.parametrize("name", ["spend", "plan", "price", "share", "since"])
def test_declared_categories_are_read_as_texts_are(kind, name):
    columns = [c for c in read("x.csv", "y", **OPTIONS).columns if c.name.partition(".")[0] == name]
    table = replace(read("x.csv", "y", **OPTIONS), columns=tuple(columns))
    one = penjing.fit(table, recipe="cart-binary", missing="branch", quiet=True)
    assert one.n_leaves > 1
    rows = [[*row] for row in ROWS]
    for i in range(0, 60, 7):
        rows[i][:5] = [("NA", "", " ", "n/a", "- ")[i % 5]] * 5
    rows[3][1], rows[4][1], rows[5][6] = "Gold", " NEW", " yes "
    plain, declared = frame(rows), CATEGORY_FRAMES[kind](rows)
    assert one.predict(declared).tolist() == one.predict(plain).tolist()
    assert (one.predict_proba(declared) == one.predict_proba(plain)).all()
    assert one.score(declared).confusion == one.score(plain).confusion
    assert one.summarize(declared).to_dict() == one.summarize(plain).to_dict()
    if name != "since":  # dates as categories are no dates to a table without a model
        table = penjing.read(declared, "y", quiet=True)
        assert one.predict(table).tolist() == one.predict(plain).tolist()
