"""Commands name validation classes that the tree does not know."""

from __future__ import annotations

import csv
import json

import pytest

import penjing

ROWS = [{"x": i % 7, "z": i % 3, "y": "uv"[i % 7 > 3]} for i in range(60)]
UNKNOWN = [{**row, "y": row["y"].upper()} for row in ROWS[:30]]
SOME = [*ROWS[:20], *UNKNOWN[20:]]
ERROR = "its classes are U, V, those of the training set u, v"


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_commands_name_them_too(run, tmp_path, lang):
    train = write(tmp_path / "train.csv", ROWS)
    some, unknown = write(tmp_path / "v.csv", SOME), write(tmp_path / "u.csv", UNKNOWN)
    model = str(tmp_path / "m.tree")
    penjing.fit(train, "y", "c4.5-textbook", quiet=True).save(model)
    note = (
        "（30 个中的 10 个）总是判错" if lang == "zh" else "(10 of 30) are always predicted wrongly"
    )
    error = "训练集中的类别是 u、v" if lang == "zh" else ERROR
    fit = ["fit", train, "--target", "y", "--recipe", "c4.5-textbook", "--lang", lang]
    for command in (
        ["prune", model, "--method", "reduced-error", "--lang", lang],
        [*fit, "--prune", "reduced-error"],
        [*fit, "--prune", "prepruned"],
    ):
        result = run(*command, "--validate", some)
        assert result.code == 0, result.err
        assert result.err.count(note) == 1
        result = run(*command, "--validate", unknown)
        assert result.code != 0
        assert error in result.err
    result = run(*fit, "--prune", "reduced-error", "--validate", some, "--json")
    assert json.loads(result.out)
