"""Files of validation and test rows: read as the training rows were, as `Tree.score` does."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import runpy

import numpy as np
import pytest

import penjing
from penjing.webapp.lab_state import Lab
from penjing.webapp.lab_workbook import Growing
from penjing.webapp.open_file import other_sources, read_workbook_file
from penjing.webapp.routes import answer
from penjing.webapp.same_tree import have_same_nodes
from penjing.webapp.saved_files import journal_file, script_file
from penjing.webapp.table_source import TableSource, uploaded

OPTIONS = {
    "target": "类", "missing": ["?", "无"], "encoding": "gb18030", "weight": "w",
    "schema": {"code": "categorical"}, "decimal": ",", "keep": ["id"], "fold_case": ["town"],
}  # fmt: skip


def rows(seed, n, header="id;code;town;price;day;w;类"):
    """Return a file in which each option of reading makes a difference."""
    random = np.random.RandomState(seed)
    lines = [header]
    for i in range(n):
        code, town = random.randint(0, 4), random.choice(["Rome", "rome", "Bonn", "无"])
        price = random.choice(["?", f"1.{random.randint(100, 999)},5", f"{random.randint(9)},25"])
        day = f"{random.randint(1, 28):02}/{random.randint(1, 12):02}/2024"
        is_good = (code in (0, 3)) ^ (town == "Bonn") ^ (random.uniform() < 0.2)
        kind = random.choice(["好", "坏"]) if i % 9 == 0 else ("好" if is_good else "坏")
        cells = [i + 1000 * seed, f"0{code}", town, price, day, random.randint(1, 9), kind]
        named = dict(zip(["id", "code", "town", "price", "day", "w", "类"], cells, strict=True))
        lines.append(";".join(str(named[name]) for name in header.split(";")))
    return "\n".join(lines).encode("gb18030")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.csv").write_bytes(rows(1, 300))
    (tmp_path / "valid.csv").write_bytes(rows(2, 80, "类;w;day;price;town;code;id"))
    (tmp_path / "test.csv").write_bytes(rows(3, 90))
    return tmp_path


@pytest.fixture
def opened(folder):
    """A lab with a workbook of three files."""
    lab = Lab()
    source = TableSource("train.csv", "train.csv", (folder / "train.csv").read_bytes(), OPTIONS)
    table = lab.add_table(source)
    ids = {
        part: lab.add_table(uploaded(f"{name}.csv", (folder / f"{name}.csv").read_bytes()), table)
        for part, name in (("validation", "valid"), ("test", "test"))
    }
    workbook = lab.open_workbook(table, Growing("c4.5"), {"kind": "tables", **ids})
    return lab, table, ids, lab.workbook(workbook).workbook


def of_score(score):
    return {key: score[key] for key in ("correct", "n", "weight")}


def of_report(report):
    plain = report.to_json()
    return {key: plain[key] for key in ("correct", "n", "weight")}


def test_files_are_read_as_the_training_rows_were(opened):
    _, _, _, workbook = opened
    tree = penjing.fit(penjing.read("train.csv", quiet=True, **OPTIONS), recipe="c4.5", quiet=True)
    assert have_same_nodes(workbook.tree(workbook.current), tree)
    own = tree.score("valid.csv")
    assert of_score(workbook.score(workbook.current, "validation")) == of_report(own)
    assert own.to_json()["weight"] > 80
    price = workbook.given("validation").columns[[f.name for f in tree.schema].index("price")]
    assert 0 < np.isnan(price.numbers()).mean() < 1
    assert workbook.finish().report == tree.score("test.csv").to_json()


def test_the_script_and_the_replayed_workbook_have_the_same_figures(opened, folder):
    lab, table, ids, workbook = opened
    workbook.step({"act": "prune", "method": "reduced-error"})
    shown = workbook.score(workbook.current, "validation")
    file = journal_file(workbook)["content"]
    (folder / "book.json").write_text(file, encoding="utf-8")
    script = script_file(workbook, "en")["content"]
    (folder / "grow.py").write_text(script, encoding="utf-8")
    digest = hashlib.sha256((folder / "valid.csv").read_bytes()).hexdigest()
    assert f"# SHA-256 {digest}\nvalidation = 'valid.csv'" in script
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        tree = runpy.run_path("grow.py")["tree"]
    assert tree == workbook.tree(workbook.current)
    assert of_report(tree.score("valid.csv")) == of_score(shown)
    assert str(tree.score("valid.csv")) in printed.getvalue()

    plain = read_workbook_file("book.json")
    source = TableSource("train.csv", "train.csv", "train.csv")
    again = lab.replay_record(plain, source, other_sources(plain, "book.json"))
    assert lab.workbook(again).workbook.current == workbook.current
    copied = lab.workbook(lab.copy_workbook(again, None)).workbook
    assert copied.score(copied.current, "validation") == shown
    body = {"file": json.loads(file), "table": table, **ids}
    status, state = answer(lab, "POST", "replay", body)
    assert (status, state["current"]) == (200, workbook.current)


def test_a_kind_that_the_page_changed_applies_to_files_that_were_chosen_before():
    lab = Lab()
    training = lab.add_table(uploaded("a.csv", b"code,w,y\n" + b"1,2,n\n2,1,y\n3,1,n\n" * 9))
    held_out = lab.add_table(uploaded("b.csv", b"code,w,y\n1,5,n\n2,1,n\n"), training)
    changes = {"target": "y", "schema": {"code": "categorical", "w": "weight"}}
    status, info = answer(lab, "POST", f"table/{training}/columns", changes)
    assert status == 200
    division = {"kind": "tables", "validation": held_out, "test": None}
    body = {"table": info["table"], "recipe": "id3", "division": division}
    status, state = answer(lab, "POST", "workbook", body)
    assert status == 200
    base = f"workbook/{state['workbook']}/tree/{state['current']}"
    score = answer(lab, "GET", base)[1]["validation"]
    assert (score["correct"], score["weight"], score["n"]) == (5, 6, 2)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"code,w\n1,2\n", "test_needs_target"),
        (b"w,y\n1,n\n", "unknown_column"),
        (b"code,w,y\n1,-2,n\n", "bad_weight"),
        (b"code,w,y\nabc,2,n\n", "not_a_number"),
    ],
)
def test_files_that_do_not_fit_are_refused_before_a_tree_is_shown(content, key):
    lab = Lab()
    training = uploaded("a.csv", b"code,w,y\n" + b"1,2,n\n2,1,y\n3,1,n\n" * 9)
    table = lab.add_table(training.changed({"target": "y", "schema": {"w": "weight"}}))
    held_out = lab.add_table(uploaded("b.csv", content))
    division = {"kind": "tables", "validation": held_out, "test": None}
    status, failure = answer(lab, "POST", "workbook", {"table": table, "division": division})
    assert (status, failure["error"]["key"]) == (400, key)
    message = failure["error"]["message"]
    assert "b.csv" in message["en"] or re.search("'code'", message["en"]), message


def test_forbidden_columns_may_be_absent():
    lab = Lab()
    table = lab.add_table(uploaded("a.csv", b"a,b,y\n" + b"1,p,n\n2,q,y\n3,p,n\n" * 9))
    held_out = lab.add_table(uploaded("b.csv", b"a,y\n1,n\n"))
    division = {"kind": "tables", "validation": held_out, "test": None}
    body = {"table": table, "division": division, "forbid": ["b"]}
    assert answer(lab, "POST", "workbook", body)[0] == 200
