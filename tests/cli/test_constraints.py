"""`--monotonic` and `--interaction`: what is typed reaches the tree, what is wrong is refused."""

from __future__ import annotations

import json

import pytest

from penjing.cli import main

ROWS = ["a,b,c,y", *(f"{i % 7},{i % 5},{i % 3},{'yes' if i % 7 > 3 else 'no'}" for i in range(60))]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(ROWS))
    return str(path)


def run(capsys, *words: str) -> tuple[int, str, str]:
    code = main([*words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_constraints_are_settings_of_the_model(capsys, data):
    words = ["--monotonic", "a=1", "--monotonic", "b=-1", "--interaction", "a,b", "--json"]
    code, out, _ = run(capsys, "fit", data, "--recipe", "cart-binary", *words)
    recipe = json.loads(out)["recipe"]
    assert code == 0
    assert recipe["monotonic_cst"] == {"a": 1, "b": -1}
    assert recipe["interaction_cst"] == [["a", "b"]]


@pytest.mark.parametrize(
    ("lang", "word"), [("en", "never decreases as a increases"), ("zh", "不会减小")]
)
def test_a_sentence_below_the_tree_names_the_class(capsys, data, lang, word):
    words = ["--monotonic", "a=1", "--interaction", "no_interactions", "--lang", lang]
    code, out, _ = run(capsys, "fit", data, "--recipe", "rpart", *words)
    assert code == 0
    assert word in out
    assert "yes" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--monotonic", "a"], "--monotonic needs COLUMN=1"),
        (["--monotonic", "a=2"], "--monotonic needs COLUMN=1"),
        (["--monotonic", "a=1", "--monotonic", "a=-1"], "names column 'a' twice"),
        (["--monotonic", "z=1"], "there is no column 'z'"),
        (["--interaction", "a,z"], "there is no column 'z'"),
        (["--monotonic", "a=1", "--shape", "multiway"], "needs binary splits"),
    ],
)
def test_wrong_words_are_refused_in_a_sentence(capsys, data, words, expected):
    code, _, err = run(capsys, "fit", data, "--recipe", "cart-binary", *words)
    assert code != 0
    assert expected in err
    assert "Traceback" not in err
