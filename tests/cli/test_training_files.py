"""`why` and `trace` of a model without a trace: which rows are used, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def write(path: str, seed: int, n: int = 60) -> None:
    random = np.random.default_rng(seed)
    lines = ["a,k,w,y"]
    for i in range(n):
        a, k = random.normal(), random.choice(list("uv"))
        # as many of each class, whatever the seed
        lines.append(f"{a:.2f},{k},{i % 3 + 1},{'yes' if i % 2 else 'no'}")
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def files(run):  # noqa: ARG001 - it changes to a folder of its own
    write("one.csv", 1)
    write("two.csv", 2)


def candidates(text: str) -> list[str]:
    return text.splitlines()[1:4]


def test_a_column_of_weights_is_used_again(run):
    options = ("one.csv", "-t", "y", "-r", "c4.5-textbook", "--weight", "w")
    run("fit", *options, "--trace", "-o", "kept.tree")
    run("fit", *options, "--no-trace", "-o", "later.tree")
    assert run("why", "later.tree").out == run("why", "kept.tree").out
    assert run("trace", "later.tree").out == run("trace", "kept.tree").out


def test_rows_that_did_not_grow_the_tree_are_not_counted(run):
    share = ("--validate-share", "0.3", "--prune", "reduced-error")
    run("fit", "one.csv", "-t", "y", "-r", "c4.5-textbook", *share, "--no-trace", "-o", "m.tree")
    done = run("why", "m.tree")
    assert "Give the training rows" in done.err
    assert not done.out


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "its content differs"), ("zh", "不是这棵树的训练集文件")]
)
def test_another_file_with_as_many_rows_is_said_to_be_one(run, lang, words):
    run("fit", "one.csv", "-t", "y", "-r", "c4.5-textbook", "--no-trace", "-o", "m.tree")
    Path("copy.csv").write_bytes(Path("one.csv").read_bytes())
    own = run("why", "m.tree", "--lang", lang)
    same = run("why", "m.tree", "--train", "copy.csv", "--lang", lang)
    assert (own.out, words in own.err) == (same.out, False)
    assert words not in same.err
    assert words in run("why", "m.tree", "--train", "two.csv", "--lang", lang).err
    other_classes = Path("one.csv").read_text().replace("no\n", "yes\n", 3)
    Path("three.csv").write_text(other_classes)
    done = run("why", "m.tree", "--train", "three.csv", "--lang", lang)
    assert words not in done.err
    assert "three.csv" in done.err
