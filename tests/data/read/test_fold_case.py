"""Categories that differ in case and blanks only: against counting them one by one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.data.read import read
from penjing.errors import ChoiceError, WrongTypeError

WORDS = st.sampled_from(["Pro", "pro", "PRO", " Pro plan", "pro  plan", "PRO PLAN ", "x", "X", "é"])


def oracle(cells):
    """Return the category of each cell."""
    trimmed = [cell.strip() for cell in cells]
    counts, first = Counter(trimmed), {}
    for place, cell in enumerate(trimmed):
        first.setdefault(cell, place)
    groups = {}
    for cell in trimmed:
        groups.setdefault(" ".join(cell.lower().split()), set()).add(cell)
    named = {
        key: min(spellings, key=lambda s: (-counts[s], first[s]))
        for key, spellings in groups.items()
    }
    return [named[" ".join(cell.lower().split())] for cell in trimmed]


@given(st.lists(WORDS, min_size=2, max_size=30))
def test_the_most_frequent_spelling_names_the_category(cells):
    rows = [[cell, "yn"[i % 2]] for i, cell in enumerate(cells)]
    table = read(rows, "y", {"a": "categorical"}, names=["a", "y"], fold_case=True)
    assert table.columns[0].values() == oracle(cells)


@given(st.lists(WORDS, min_size=2, max_size=30), st.lists(WORDS, min_size=1, max_size=9))
def test_new_rows_have_the_category_of_their_spelling(cells, new):
    rows = [[cell, "yn"[i % 2]] for i, cell in enumerate(cells)]
    table = read(rows, "y", {"a": "categorical"}, names=["a", "y"], fold_case=True)
    fields, record = [column.field for column in table.columns], table.source["reading"]
    found = read([{"a": cell} for cell in new], False, fields, like=record).columns[0]
    known = {" ".join(level.lower().split()): level for level in table.columns[0].levels}
    for cell, value in zip(new, found.values(), strict=True):
        assert value == known.get(" ".join(cell.lower().split()), cell.strip())


def test_the_target_is_folded_and_the_merge_is_noted():
    rows = [["u", "Yes"], ["v", "yes"], ["u", "YES"], ["v", "no"], ["u", "yes"]]
    table = read(rows, "y", names=["a", "y"], fold_case=True)
    assert table.target.levels == ("yes", "no")
    (note,) = [note for note in table.notes if note.key == "note_folded"]
    assert note.values["n"] == 2
    assert "'Yes' into 'yes'" in note.text()


def test_columns_may_be_named():
    rows = [["U", "K", "n"], ["u", "k", "y"], ["u", "k", "n"]]
    table = read(rows, "y", names=["a", "b", "y"], fold_case=["a"])
    assert [column.levels for column in table.columns] == [("u",), ("K", "k")]
    with pytest.raises(ChoiceError, match="'z'"):
        read(rows, "y", names=["a", "b", "y"], fold_case=["z"])
    with pytest.raises(WrongTypeError):
        read(rows, "y", names=["a", "b", "y"], fold_case=3)


def test_declared_categories_are_found_in_any_case():
    rows = [["BASIC", "n"], ["pro ", "y"], ["Basic", "n"]]
    schema = {"a": ["Basic", "Pro"]}
    table = penjing.read(rows, "y", schema, names=["a", "y"], fold_case=True, quiet=True)
    assert table.columns[0].values() == ["Basic", "Pro", "Basic"]
