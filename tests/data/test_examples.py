"""The textbooks' tables are the textbooks' tables."""

from __future__ import annotations

import pytest

from penjing.data.examples import EXAMPLES, example
from penjing.data.read import read
from penjing.errors import ChoiceError
from shared import shared

ROWS = {
    "watermelon2.0": (17, 6, "是否"),
    "watermelon2.0alpha": (17, 6, "是否"),
    "watermelon3.0": (17, 8, "是否"),
    "fish": (5, 2, ("yes", "no")),
    "buys_computer": (14, 4, ("no", "yes")),
    "basketball": (7, 4, (0, 1)),
    "golf": (14, 4, ("Don't Play", "Play")),
    "play_tennis": (14, 4, ("no", "yes")),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_shapes(name):
    table = example(name)
    n_rows, n_columns, classes = ROWS[name]
    assert table.n_rows == n_rows
    assert len(table.columns) == n_columns
    assert table.target.levels == tuple(classes)


def test_values_are_of_the_types_of_the_source():
    assert example("fish").columns[0].levels == (1, 0)
    assert list(example("basketball").rows())[4] == {
        "weather": "rain", "temperature": "low", "humidity": "high", "windy": "no", "play": 0,
    }  # fmt: skip
    assert example("buys_computer").left_out == (("RID", "id"),)
    assert list(example("buys_computer").rows())[13]["income"] == "medium"
    assert sum(int((c.codes < 0).sum()) for c in example("watermelon2.0alpha").columns) == 13


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("watermelon2.0", "watermelon-book/watermelon2.0.csv"),
        ("watermelon2.0alpha", "watermelon-book/watermelon2.0alpha.csv"),
        ("watermelon3.0", "watermelon-book/watermelon3.0.csv"),
        ("golf", "golf/golf.csv"),
        ("play_tennis", "weather-nominal/weather-nominal.csv"),
    ],
)
def test_they_agree_with_the_shared_copies(name, file):
    assert list(example(name).rows()) == list(
        read(shared(f"data/{file}"), EXAMPLES[name][1]).rows()
    )


def test_an_unknown_example():
    with pytest.raises(
        ChoiceError, match=r"no built-in table 'melon'. Did you mean 'watermelon2.0'\?"
    ):
        example("melon")
