"""Notes about columns: leaks of the target, spellings of one category, a single value."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import penjing
from penjing.cli import main
from penjing.data.read.column_notes import COUNTED, find_leaks
from penjing.data.statistics import wilson
from penjing.data.table import Table, nominal, numeric
from shared import SHARED

SPELLINGS = (
    "note_spelling_categories", "note_spelling_categories_more",
    "note_spelling_classes", "note_spelling_classes_more",
)  # fmt: skip
INDEX = SHARED / "data" / "index.json"
DATA = json.loads(INDEX.read_text()) if INDEX.exists() else {}

EXPECTED = {
    "soybean": [("note_missing_is_class", "crop-hist, plant-growth, stem")],
    "ionosphere": [("note_constant", "a02")],
    "segment-train": [("note_constant", "region-pixel-count")],
    "segment-test": [("note_constant", "region-pixel-count")],
    "mushroom": [("note_constant", "veil-type")],
}
"""All notes of this kind in the shared data sets; each of them is true of its table."""


def notes_of(data, target="y", **options):
    """Return the key and the columns of the notes about columns."""
    notes = penjing.read(data, target, quiet=True, **options).notes
    return [
        (n.key, n.values["column"] if "column" in n.values else ", ".join(n.values["columns"]))
        for n in notes
        if n.key in (*COUNTED, *SPELLINGS)
    ]


def churn(n=1000, noise=0.0, seed=0, share=0.2):
    """Return a table with columns that leak the target, and honest ones."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    wrong = rng.random(n) < noise
    leak = y ^ wrong
    return {
        "age": rng.integers(18, 80, n).tolist(),
        "plan": rng.choice(["basic", "pro", "plus"], n).tolist(),
        "strong": (y * 2.0 + rng.normal(size=n)).round(3).tolist(),
        "leak": leak.tolist(),
        "y": np.where(y, "yes", "no").tolist(),
    }


@pytest.mark.skipif(not DATA, reason="the shared data are not there")
@pytest.mark.parametrize("name", DATA)
def test_no_false_alarm_in_the_shared_data_sets(name):
    about = DATA[name]
    path = SHARED / "data" / about["file"]
    if path.stat().st_size > 3_000_000:
        pytest.skip("large")
    assert notes_of(path, about["target"]) == EXPECTED.get(name, [])


@pytest.mark.parametrize("name", [
    "watermelon2.0", "watermelon2.0alpha", "watermelon3.0", "fish", "buys_computer", "basketball",
    "golf", "play_tennis",
])  # fmt: skip
def test_textbook_tables_have_no_notes(name):
    assert notes_of(f"example:{name}", None) == []


def test_honest_strong_predictors_of_iris_pass_in_any_pair_of_classes():
    path = SHARED / "data/iris/iris.csv"
    if not path.exists():
        pytest.skip("the shared data are not there")
    lines = path.read_text().splitlines()
    for left_out in ("setosa", "versicolor", "virginica"):
        rows = [line for line in lines if left_out not in line]
        assert notes_of("\n".join(rows).encode(), None) == []


def test_a_copy_of_the_target_is_noted():
    data = churn() | {"leak": ["churned" if y == "yes" else "stayed" for y in churn()["y"]]}
    assert notes_of(data) == [("note_target_copy", "leak")]


@pytest.mark.parametrize(("noise", "n", "expected"), [
    (0.0, 60, []), (0.0, 200, ["leak"]), (0.005, 1000, ["leak"]), (0.01, 50_000, ["leak"]),
    (0.1, 1000, []), (0.05, 1000, []),
])  # fmt: skip
def test_a_near_copy_is_noted_if_there_are_enough_rows(noise, n, expected):
    data = churn(n, noise)
    assert [column for _, column in notes_of(data)] == expected


@pytest.mark.parametrize("n", [300, 20_000])
def test_a_number_that_separates_the_classes_is_noted(n):
    data = churn(n)
    rng = np.random.default_rng(1)
    data["leak"] = [
        float(rng.uniform(5, 90)) if y == "yes" else float(rng.uniform(-3, 4)) for y in data["y"]
    ]
    assert notes_of(data) == [("note_predicts_alone", "leak")]


def test_categories_that_tell_the_class_are_noted_and_ids_are_not():
    data = churn(2000)
    data["leak"] = [f"{y}{i % 7}" for i, y in enumerate(data["y"])]
    data["name"] = [f"u{i // 2}" for i in range(2000)]  # each category has two rows
    found = notes_of(data)
    assert found == [("note_predicts_alone", "leak")]


def test_three_classes_in_intervals_of_a_number_are_noted():
    rng = np.random.default_rng(3)
    score = rng.uniform(0, 100, 1500)
    data = {
        "other": rng.normal(size=1500).tolist(), "score": score.tolist(),
        "y": np.array(["fail", "pass", "merit"])[np.digitize(score, [50, 80])].tolist(),
    }  # fmt: skip
    assert notes_of(data) == [("note_predicts_alone", "score")]


@pytest.mark.parametrize("dates", [None, "year,month"])
def test_a_date_that_only_one_class_has_is_noted_once(dates):
    data = churn(400)
    del data["leak"]
    data["cancel_date"] = [
        f"2024-{1 + i % 12:02}-{1 + i % 28:02}" if y == "yes" else ""
        for i, y in enumerate(data["y"])
    ]
    data["reason"] = ["price" if y == "yes" else "NA" for y in data["y"]]
    assert notes_of(data, dates=dates) == [("note_missing_is_class", "reason, cancel_date")]


def test_missing_values_that_are_not_the_target_pass():
    rng = np.random.default_rng(0)
    data = churn(2000)
    del data["leak"]
    data["gap"] = ["x" if rng.random() < (0.8 if y == "yes" else 0.3) else "" for y in data["y"]]
    assert notes_of(data) == []


def test_one_row_of_a_class_without_a_value_passes():
    data = churn(400)
    del data["leak"]
    data["y"] = ["rare" if i < 5 else "common" for i in range(400)]
    data["gap"] = ["" if i < 5 else "pq"[i % 2] for i in range(400)]
    assert notes_of(data) == []


def test_number_targets():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(800) < 0.3, 0.0, rng.gamma(2, 100, 800))
    data = {
        "rooms": (y / 100 + rng.normal(size=800)).tolist(),
        "euro": (y * 0.92 + rng.normal(size=800) * 0.5).tolist(),
        "square": (y**3).tolist(),
        "sold": ["" if v == 0 else "abc"[i % 3] for i, v in enumerate(y)],
        "y": y.tolist(),
    }
    assert notes_of(data) == [
        ("note_follows_target", "euro"), ("note_follows_target", "square"),
        ("note_missing_is_class", "sold"),
    ]  # fmt: skip
    few = {name: values[:30] for name, values in data.items()}
    assert [key for key, _ in notes_of(few)] == []


def test_spellings_and_constants():
    data = {
        "plan": ["Basic", "basic", "BASIC", "Pro", "PRO", "Plus"],
        "city": ["New York", "New  York", "Oslo", "Rome", "Bonn", "Bern"],
        "same": ["k"] * 6,
        "y": ["Yes", "no", "yes", "no", "no", "yes"],
    }
    assert notes_of(data) == [
        ("note_spelling_categories_more", "plan"), ("note_spelling_categories", "city"),
        ("note_spelling_classes", "y"), ("note_constant", "same"),
    ]  # fmt: skip
    text = str(penjing.read(data, "y", quiet=True).notes)
    assert "Basic, basic and BASIC, and 1 more group." in text


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 400), st.integers(2, 4), st.integers(1, 40))
def test_independent_columns_are_never_noted(seed, n, k, n_levels):
    rng = np.random.default_rng(seed)
    columns = (
        numeric("x", rng.normal(size=n)),
        numeric("few", rng.integers(0, n_levels, n)),
        nominal("c", rng.integers(0, n_levels + 1, n).tolist()),
        nominal("gap", [None if v else "u" for v in rng.random(n) < 0.5]),
    )
    table = Table(columns, nominal("y", rng.integers(0, k, n).tolist()), n)
    assert [note for note in find_leaks(table) if note.key != "note_constant"] == []


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(200, 9000), st.floats(0, 0.03))
@example(0, 8193, 0.02734375)  # a near-copy of so many rows that a sample is looked at first
@example(1, 40_000, 0.03)
def test_a_note_states_the_true_counts(seed, n, noise):
    """The counts of a note are those of the plain rule, and they reach the stated limits."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    x = (y ^ (rng.random(n) < noise)) * 1.5
    table = Table((numeric("x", x),), nominal("y", np.where(y, "b", "a").tolist()), n)
    right = sum(max(int((y[x == v]).sum()), int((~y[x == v]).sum())) for v in np.unique(x).tolist())
    found = find_leaks(table)
    assert bool(found) == (wilson(right, n)[0] >= 0.96)
    if found:
        assert (found[0].values["right"], found[0].values["of"]) == (right, n)


def test_columns_of_an_array_have_no_names_and_no_notes():
    numbers = np.random.default_rng(0).normal(size=(500, 3))
    numbers[:, 2] = 0.25
    assert not penjing.read(numbers, labels=(numbers[:, 0] > 0.3).astype(int), quiet=True).notes


@pytest.mark.parametrize("source", ["frame", "rows"])
def test_the_notes_do_not_depend_on_the_source(source):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(500, 3))
    numbers[:, 2] = 0.25
    y = (numbers[:, 0] > 0.3).astype(int)
    data = {
        "rows": numbers.tolist(),
        "frame": pd.DataFrame(numbers, columns=["column1", "column2", "column3"]),
    }[source]  # fmt: skip
    notes = penjing.read(data, labels=y, quiet=True).notes
    assert [note.key for note in notes if note.key in COUNTED] == [
        "note_constant", "note_predicts_alone",
    ]  # fmt: skip


def test_estimators_do_not_warn(recwarn):
    classifiers = pytest.importorskip("penjing.estimators")
    numbers = np.random.default_rng(0).normal(size=(500, 3))
    y = (numbers[:, 0] > 0).astype(int)
    for name in ("DecisionTreeClassifier", "C45Classifier"):
        getattr(classifiers, name)().fit(numbers, y)
    assert [w for w in recwarn if issubclass(w.category, penjing.DataWarning)] == []


def test_fit_and_read_warn_and_quiet_does_not(recwarn):
    data = churn(500)
    with pytest.warns(penjing.DataWarning, match="nearly a copy of 'y'"):
        penjing.fit(data, "y", "sklearn")
    with pytest.warns(penjing.DataWarning, match="leave it out: schema="):
        penjing.read(data, "y")
    recwarn.clear()
    penjing.fit(data, "y", "sklearn", quiet=True)
    assert len(recwarn) == 0


def test_the_command_names_its_options(tmp_path, capsys):
    data = churn(300) | {"plan": ["Basic", "basic", "Pro"] * 100}
    path = tmp_path / "t.csv"
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    for words in (["check", path], ["fit", path, "--recipe", "sklearn"]):
        assert main([*map(str, words)]) == 0
        messages = capsys.readouterr().err
        assert "--ignore 'leak'" in messages
        assert "--fold-case" in messages
    assert main(["check", str(path), "--lang", "zh"]) == 0
    assert "“leak”几乎是“y”的副本" in capsys.readouterr().err


def test_levels_of_reasonable_columns_get_no_note():
    n = 5000
    rng = np.random.default_rng(0)
    data = {
        "age": ["-" if i % 40 == 0 else str(18 + i % 68) for i in range(n)],
        "state": [f"s{i % 49}" for i in range(n)],
        "product": [f"p{i % 60}" for i in range(n)],
        "city": [f"c{i % 337}" for i in range(n)],
        "y": rng.choice(["a", "b"], n).tolist(),
    }
    notes = penjing.read(data, "y", quiet=True).notes
    assert [n.values["column"] for n in notes if n.key == "note_many_levels"] == ["product", "city"]
    assert [n.values["column"] for n in notes if n.key == "note_odd_number"] == ["age"]
