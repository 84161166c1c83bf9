"""Messages name settings as the command's options, and values as they are typed."""

from __future__ import annotations

import pytest

from penjing.cli import Exit

GOLF = "example:golf"
OF_SKLEARN = "a setting of recipe 'sklearn'. The nearest setting of"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--max-depth -1", "--max-depth must be an integer of at least 0, got -1."),
        ("--max-leaves 0", "--max-leaves must be an integer of at least 1, got 0."),
        ("--min-gain -1", "--min-gain must be a number of at least 0, got -1.0."),
        ("-r c4.5 -c 0", "-c must be a percentage above 0 and below 100, such as 25, got 0."),
        ("-r c5.0 -c 100", "-c must be a percentage above 0 and below 100, such as 25, got 100."),
        ("-r j48 -C 2", "-C must be a number between 0 and 1, such as 0.25, got 2.0."),
        ("-r j48 -M -1", "-M must be a number of at least 0, got -1.0."),
        ("-r rpart --cp -1", "--cp must be a number of at least 0, got -1.0."),
        ("-r rpart --minbucket -3", "--minbucket must be an integer of at least 1, got -3."),
        (
            "-r id3 --ccp-alpha 0.1",
            f"--ccp-alpha is {OF_SKLEARN} 'id3' is `penjing prune -m cost-complexity`.",
        ),
        (
            "-r c4.5 --min-samples-leaf 3",
            f"--min-samples-leaf is {OF_SKLEARN} 'c4.5' is --min-branch.",
        ),
    ],
)
def test_a_setting_is_called_as_the_option_that_was_typed(run, words, sentence):
    done = run("fit", GOLF, *words.split())
    assert (done.code, done.err.splitlines()[-1]) == (Exit.INVALID, f"error: {sentence}")


def test_a_setting_that_is_given_twice(run):
    run("fit", GOLF, "-r", "id3", "-o", "m.tree")
    done = run("prune", "m.tree", "--method", "cost-complexity", "--cp", "0.1", "--alpha", "3")
    assert "--cp and --alpha contradict each other" in done.err


def test_a_number_may_begin_with_its_decimal_point(run):
    done = run("fit", GOLF, "-r", "rpart", "--minsplit", "3", "--set", "cp=.5")
    assert (done.code, "(cp=0.5)" in done.err) == (Exit.OK, True)


def test_a_group_without_columns(run):
    for group in ("", ","):
        done = run("fit", GOLF, "-r", "cart-binary", "--interaction", group, "-o", "m.tree")
        assert (done.code, done.err.count("--interaction names no column")) == (Exit.INVALID, 1)


def test_the_rules_of_a_numeric_target(run, tmp_path):
    (tmp_path / "n.csv").write_text("x,y\n" + "".join(f"{i},{i * i}\n" for i in range(30)))
    run("fit", "n.csv", "-r", "sklearn", "-t", "y", "-o", "n.tree")
    assert "`penjing show --as rules MODEL`" in run("ruleset", "n.tree").err


def test_cells_are_those_of_the_columns_of_the_tree(run):
    run("fit", GOLF, "-r", "id3", "-o", "m.tree")
    done = run("export", "m.tree", "--to", "excel", "--cell", "density=B2")
    assert "the tree does not split on a column 'density'" in done.err
    done = run("export", "m.tree", "--to", "excel", "--cell", "outlook=B2")
    assert "no cell is given for column" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--precision 2", "--precision 2 is not valid: it must be above 0 and at most 1."),
        ("--recall 0", "--recall 0 is not valid: it must be above 0 and at most 1."),
        ("--chart pie -o x.svg", "unknown chart 'pie'."),
    ],
)
def test_wrong_values_of_an_evaluation(run, words, sentence):
    run("fit", GOLF, "-r", "id3", "-o", "m.tree")
    done = run("test", "m.tree", GOLF, *words.split())
    assert done.code == Exit.INVALID
    assert done.err.splitlines()[-1].startswith(f"error: {sentence}")


def test_a_choice_is_called_as_the_option_that_was_typed(run):
    done = run("fit", GOLF, "--dates", "moon", "--lang", "zh")
    assert done.err.splitlines()[-1].startswith("错误：--dates 应为以下之一：")
