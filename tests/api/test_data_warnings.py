"""In Python, notes about data are warnings with the sentence that the command prints."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import penjing
from penjing.data.notes import Note, Notes
from penjing.i18n import catalogue

MESSY = {
    "id": [1, 2, 3, 4, 5, 6, 7, 8],
    "day": [f"2024-01-0{i}" for i in range(1, 9)],
    "a": [" u", "v", "u", "v", "u", "v", "u", "v"],
    "b": ["1", "2", "n/a", "1", "2", "1", "2", "1"],
    "class": ["n", "y", "n", "y", "n", "y", "n", None],
}
CALLS: dict[str, Callable[..., Any]] = {
    "read": penjing.read,
    "fit": lambda data, **options: penjing.fit(data, recipe="c4.5", **options),
    "cross_validate": lambda data, **options: penjing.cross_validate(data, "c4.5", 2, **options),
    "bootstrap": lambda data, **options: penjing.bootstrap(data, None, "c4.5", 2, **options),
    "hold_out": lambda data, **options: penjing.hold_out(data, 0.5, **options),
    "folds": lambda data, **options: penjing.folds(data, 2, **options),
}
SOURCES: dict[str, Callable[[], Any]] = {
    "dict": lambda: MESSY,
    "rows": lambda: [
        dict(zip(MESSY, row, strict=True)) for row in zip(*MESSY.values(), strict=True)
    ],
    "frame": lambda: pd.DataFrame(MESSY),
}
NOTE_KEYS = [k for k in catalogue("zh") if k.startswith("note_")]


def heard(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", CALLS)
def test_every_note_is_a_warning_at_the_line_of_the_user(name, source):
    data = SOURCES[source]()
    expected = [str(note) for note in penjing.read(data, quiet=True).notes]
    found = heard(lambda: CALLS[name](data))
    assert [str(warning.message) for warning in found] == expected
    assert len(expected) >= 4
    assert {warning.category for warning in found} == {penjing.DataWarning}
    assert {warning.filename for warning in found} == {__file__}


@pytest.mark.parametrize("name", CALLS)
def test_quiet_calls_and_tables_do_not_warn(name):
    assert heard(lambda: CALLS[name](MESSY, quiet=True)) == []
    table = penjing.read(MESSY, quiet=True)
    assert heard(lambda: CALLS[name](table)) == []


def test_a_filter_silences_warnings():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", penjing.DataWarning)
        penjing.fit(MESSY, recipe="c4.5")
    assert found == []


def test_a_table_read_again_warns_of_new_decisions_only():
    table = penjing.read(MESSY, quiet=True)
    assert heard(lambda: penjing.read(table)) == []
    again = heard(lambda: penjing.read(table, "a"))
    assert not {str(w.message) for w in again} & {str(note) for note in table.notes}


def test_notes_are_heard_though_growing_fails():
    with pytest.warns(penjing.DataWarning), pytest.raises(penjing.ChoiceError):
        penjing.fit({**MESSY, "b": [None, *"1212121"]}, recipe="id3")


def estimators() -> Iterator[Any]:
    for name in ("ID3Classifier", "C45Classifier", "CARTClassifier", "TreeClassifier"):
        yield getattr(penjing, name)()
    yield penjing.DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda e: type(e).__name__)
def test_estimators_never_warn(estimator):
    frame = pd.DataFrame({"id": range(8), "b": np.arange(8) % 3})
    y = pd.Series(list("nynynyny"), name="id")
    assert heard(lambda: estimator.fit(frame, y).predict(frame)) == []


def test_the_command_prints_notes_and_does_not_warn(tmp_path):
    file = tmp_path / "messy.csv"
    pd.DataFrame(MESSY).to_csv(file, index=False)
    command = [sys.executable, "-W", "error", "-m", "penjing"]
    for arguments in (["fit", "-r", "c4.5"], ["check"], ["cross-validate", "-r", "c4.5"]):
        done = subprocess.run(
            [*command, *arguments, str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "'id' was left out" in done.stderr
        assert "Warning" not in done.stderr


def test_notes_print_as_sentences():
    notes = penjing.read(MESSY, quiet=True).notes
    assert isinstance(notes, Notes)
    assert str(notes).splitlines() == [str(note) for note in notes]
    assert "'id' was left out" in str(notes)
    assert "Note(" not in repr(notes)
    assert notes.text("zh") != notes.text("en")
    assert repr(Notes()) == "()"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("key", NOTE_KEYS)
def test_every_note_of_the_catalogue_can_be_printed(key, lang):
    fields = re.findall(r"{(\w+)", catalogue(lang)[key])
    assert Note(key, dict.fromkeys(fields, 7)).text(lang)


def test_a_table_prints_as_a_small_table():
    table = penjing.example("watermelon3.0")
    lines = str(table).splitlines()
    assert lines[0].split() == [*table.names, "好瓜"]
    assert lines[-1] == "17 rows × 8 columns, target '好瓜'"
    assert len(lines) < 12
    assert len(repr(table)) < 80
    wide = penjing.read({**{f"c{i}": ["u", "v"] for i in range(99)}, "y": ["n", "y"]}, "y")
    assert max(map(len, str(wide).splitlines())) < 120
    assert str(penjing.Table((), None, 0)) == "0 rows × 0 columns"


def test_a_day_of_a_frame_is_written_without_a_time():
    frame = pd.DataFrame({"d": pd.date_range("2020", periods=2), "a": ["u", "v"], "y": ["n", "p"]})
    with pytest.warns(penjing.DataWarning, match=r"contains dates \(2020-01-01\)"):
        penjing.read(frame, "y")
