"""Numbers in sentences keep their digits: no count or setting becomes 2e+06."""

import pytest

import penjing
from penjing.i18n import LANGUAGES, number_text, say


@pytest.mark.parametrize("lang", LANGUAGES)
def test_bounds_of_a_column_are_printed_in_full(lang):
    values = {"split": "day <= 5", "place": "", "column": "day"}
    sentence = say("force_outside", lang, low=20240101.0, high=20251231.5, **values)
    assert "20240101" in sentence
    assert "20251231.5" in sentence


def test_settings_are_printed_as_they_were_given():
    recipe = penjing.RECIPES["id3"].but(min_gain=0.123456789, min_weight=2_000_001)
    assert recipe.table()["min_gain"] == "0.123456789"
    assert recipe.table()["min_weight"] == "2000001"


def test_weights_of_other_rows_are_printed_in_full():
    rows = [{"x": i, "y": "uv"[i > 2]} for i in range(6)]
    tree = penjing.fit(rows, "y", "cart-binary", weight=[2e6] * 5 + [1.0], quiet=True)
    with pytest.raises(penjing.PenjingError, match=r"10000001\b.*|.*\b10000002\b") as failed:
        tree.regrow_at(0, data=penjing.read(rows, "y", weight=[2e6] * 5 + [2.0], quiet=True))
    assert "e+0" not in str(failed.value)


def test_rounding_errors_are_not_printed():
    assert number_text(0.1 + 0.2) == "0.3"
    assert number_text(-0.0) == "0"
    assert number_text(1e300) == "1e+300"


def test_whole_numbers_of_a_preview_are_printed_in_full():
    preview = str(penjing.read([{"day": 20240101.0, "y": "a"}, {"day": 20240102.5, "y": "b"}], "y"))
    assert "20240101" in preview


def test_huge_classes_are_printed_as_they_were_written():
    rows = [{"x": 1, "y": 1e300}, {"x": 2, "y": -1e300}]
    tree = penjing.fit(rows, "y", "cart-binary", quiet=True)
    assert tree.classes == (1e300, -1e300)
    assert "1e+300 (1)" in tree.draw()
    assert len(tree.draw()) < 100
