"""Errors speak by key, in every language, and survive the way between processes."""

from __future__ import annotations

import pickle

import pytest

from penjing.errors import (
    CapabilityError,
    ChoiceError,
    DataError,
    closest_match,
    unknown_name_error,
)


@pytest.mark.parametrize("kind", [DataError, ChoiceError, CapabilityError])
def test_an_error_is_a_value_error_with_a_sentence(kind):
    error = kind("no_rows", source="melons.csv")
    assert isinstance(error, ValueError)
    assert str(error).startswith("melons.csv has a header but no rows.")
    assert error.say("zh").startswith("melons.csv 只有表头")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), again.key, again.values) == (kind, error.key, error.values)


def test_a_near_miss_is_proposed_and_a_far_one_is_not():
    assert closest_match("colour", ["color", "root"]) == "color"
    assert closest_match("xyz", ["color", "root"]) is None
    assert closest_match(5, []) is None
    assert "Did you mean 'gain'" in str(
        unknown_name_error("unknown_choice", "gian", ["gain", "x"], kind="criterion")
    )
    assert (
        unknown_name_error("unknown_choice", "q", ["gain"], kind="criterion").key
        == "unknown_criterion"
    )


def test_one_is_said_in_the_singular():
    one = ChoiceError("missing_refused", column="a", n=1, recipe="id3")
    many = ChoiceError("missing_refused", column="a", n=2, recipe="id3")
    assert "1 missing value," in str(one)
    assert "2 missing values," in str(many)
    assert one.say("zh") != many.say("zh")


def test_a_sentence_does_not_repeat_a_text_of_pages():
    error = CapabilityError("export_text", kind="pmml", text="x" * 100_000)
    assert len(str(error)) < 1500
    assert "xxx…" in str(error)
    assert len(error.say("zh")) < 1500
