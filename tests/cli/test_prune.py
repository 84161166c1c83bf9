"""`penjing prune`: who decides, who reports, and what was decided."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import penjing
from penjing.cli import Exit

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_pruning_and_reporting_need_two_files(run, melon):
    same = ("--validate", TEST, "--test", TEST)
    done = run("prune", melon, *same, "-o", "small.tree")
    assert done.code == Exit.INVALID
    assert done.err.startswith("error: the validation set and the test set are the same file")
    assert not Path("small.tree").exists()
    Path("copy.csv").write_bytes(Path(TEST).read_bytes())
    assert run("prune", melon, "--validate", TEST, "--test", "copy.csv").code == Exit.INVALID
    assert run("prune", melon, "--validate", TEST, "--test", f"./{TEST}").code == Exit.INVALID
    assert "验证集和测试集是同一个文件" in run("prune", melon, *same, "--lang", "zh").err
    done = run("prune", melon, *same, "--same-file", "-o", "small.tree")
    assert done.code == 0
    assert "this accuracy is too optimistic" in done.err
    assert Path("small.tree").exists()


def test_a_file_that_was_used_before_is_no_test(run, melon):
    assert "the training set of this tree" in run("test", melon, TRAIN).err
    assert "it should not be used as the validation" in run("prune", melon, "--validate", TRAIN).err
    run("prune", melon, "--validate", TEST, "-o", "small.tree")
    assert "was the validation set for pruning this tree" in run("test", "small.tree", TEST).err
    assert "it should not be used as the validation" in run("fit", TRAIN, "--validate", TRAIN).err


def test_reduced_error_pruning_tells_every_decision(run, melon):
    done = run("prune", melon, "--validate", TEST, "-o", "small.tree")
    lines = done.out.splitlines()
    headings = ["step", "subtree", "rows", "correct if kept", "correct as a leaf"]
    headings += ["tree accuracy if kept", "tree accuracy as a leaf", "decision"]
    assert re.split("  +", lines[0]) == headings
    shares = [re.findall(r"([\d.]+)%", line) for line in lines[1:]]
    told = run("prune", melon, "--validate", TEST, "--json").data["decisions"]
    assert shares == [
        [f"{10 * decision[key]:.1f}" for key in ("tree_kept", "tree_as_leaf")] for decision in told
    ]
    assert shares[0][0] == "70.0"  # before the first decision, as the unpruned tree
    assert [line.split("  ")[-1] for line in lines[1:]] == [
        "keep, a leaf is worse",
        "prune → 是, a leaf is as good",
        "prune → 否, a leaf is better",
        "keep, a leaf is worse",
    ]
    assert "validation accuracy 7/10 before, 8/10 after" in done.err
    told = run("prune", melon, "--validate", TEST, "--json").data
    assert [d["decision"] for d in told["decisions"]].count("cut") >= 1
    assert told["measured"]["validation"][0] == {"correct": 7, "of": 10}
    assert told["paths"]["1"] == [{"column": "纹理", "levels": ["清晰"]}]
    zh = run("prune", melon, "--validate", TEST, "--lang", "zh", "--ascii")
    assert "错误率降低剪枝：" in zh.err
    assert "剪枝 -> " in zh.out
    assert "整树精度（保留）  整树精度（剪枝）" in zh.out


def test_a_share_of_the_training_rows_decides_about_a_tree_that_has_not_seen_them(run, melon):
    done = run("prune", melon, "--validate-share", "0.3", "--test", TEST, "-o", "small.tree")
    assert done.code == 0
    assert "grown from 11 of 16 rows; the other 5 are the validation set." in done.err
    Path(TRAIN).rename("moved.csv")
    done = run("prune", melon, "--validate-share", "0.3")
    assert "Give it with --train FILE." in done.err
    assert run("prune", melon, "--validate-share", "0.3", "--train", "moved.csv").code == 0
    both = ("--validate", TEST, "--validate-share", "0.3")
    assert "cannot be used together" in run("prune", melon, *both, "--train", "moved.csv").err
    assert "cannot be used together" in run("fit", "moved.csv", *both).err


def test_fit_prunes_while_and_after_growing(run):
    done = run("fit", TRAIN, "--validate", TEST, "-o", "a.tree")
    assert re.search(r"pre-pruning: \d leaves, from a single leaf; validation", done.err)
    assert "as a single leaf" in done.err
    assert "before pruning" not in done.err
    zh = run("fit", TRAIN, "--validate", TEST, "--lang", "zh").err
    assert "预剪枝：从只有根结点开始，得到 " in zh
    assert "变为" not in zh
    assert "keep, a leaf is worse" in done.out
    done = run("fit", TRAIN, "--validate-share", "0.3", "--prune", "reduced-error", "-o", "b.tree")
    assert "reduced-error pruning: " in done.err
    assert penjing.load("b.tree").about["pruning"][0]["method"] == "reduced-error"
    done = run("fit", TRAIN, "--prune", "pessimistic")
    assert (
        done.out.splitlines()[-1]
        == "  4   root (纹理)                  16           5.803             9.797  keep"
    )


def test_pruning_needs_rows_that_decide(run, melon):
    for args in (("fit", TRAIN, "--prune"), ("prune", melon, "--method")):
        done = run(*args, "reduced-error", "-o", "x.tree")
        assert done.code == Exit.INVALID
        assert "Give --validate FILE, or --validate-share 0.3." in done.err
    assert not Path("x.tree").exists()
    assert (
        "Leave --validate out"
        in run("prune", melon, "--method", "pessimistic", "--validate", TEST).err
    )
    assert "Did you mean 'pessimistic" in run("prune", melon, "--method", "pesimistic").err
    assert "Did you mean 'pessimistic" in run("fit", TRAIN, "--prune", "pesimistic").err
    assert "ties" in run("prune", melon, "--method", "pessimistic", "--ties", "keep").err
    assert run("prune", melon, "--method", "pessimistic", "--confidence", "2").code == Exit.INVALID


def pruned(run, model, *words):
    done = run("prune", model, *words, "-o", "pruned.tree")
    assert done.code == 0, done.err
    return penjing.load("pruned.tree")


def test_methods_have_their_options(run, melon):
    tree = penjing.load(melon)
    table = penjing.read(TRAIN)
    by_cp = pruned(run, melon, "-m", "cost-complexity", "--cp", "0.2")
    assert str(by_cp) == str(tree.prune("cost-complexity", cp=0.2))
    assert by_cp.n_leaves < tree.n_leaves
    by_alpha = pruned(run, melon, "-m", "cost-complexity", "--alpha", "0.1", "--by", "impurity")
    assert str(by_alpha) == str(tree.prune("cost-complexity", alpha=0.1, by="impurity"))
    for one_se in (True, False):
        word = "--one-se" if one_se else "--smallest"
        chosen = pruned(run, melon, "-m", "cost-complexity", "--folds", "5", word)
        own = tree.prune("cost-complexity", training=table, folds=5, one_se=one_se)
        assert str(chosen) == str(own)
    collapsed = pruned(run, melon, "-m", "collapse", "--set", "slack=2")
    assert str(collapsed) == str(tree.prune("collapse", slack=2))


def test_branches_are_raised_where_the_training_rows_are_at_hand(run):
    run("fit", TRAIN, "--recipe", "j48", "-U", "-O", "-M", "1", "-o", "whole.tree")
    whole, table = penjing.load("whole.tree"), penjing.read(TRAIN)
    raised = pruned(run, "whole.tree", "-m", "error-based")
    own = penjing.fit(table, recipe="j48", M=1, O=True)
    assert str(raised) == str(own) == str(whole.prune("error-based", training=table))
    low = pruned(run, "whole.tree", "-m", "error-based", "--no-raise", "--confidence", "0.05")
    assert str(low) == str(penjing.fit(table, recipe="j48", M=1, O=True, S=True, C=0.05))
    Path(TRAIN).rename("elsewhere.csv")
    done = run("prune", "whole.tree", "-m", "error-based")
    assert done.code == Exit.INVALID
    assert "--train FILE" in done.err
    assert run("prune", "whole.tree", "-m", "error-based", "--train", "elsewhere.csv").code == 0
    assert run("prune", "whole.tree", "-m", "error-based", "--no-raise").code == 0


def test_folds_need_rows_and_complexities(run, melon):
    done = run("prune", melon, "-m", "pessimistic", "--folds", "5")
    assert done.code == Exit.INVALID
    assert "does not use folds" in done.err
    Path(TRAIN).unlink()
    done = run("prune", melon, "-m", "cost-complexity", "--folds", "5")
    assert done.code == Exit.INVALID
    assert "--train FILE" in done.err


def test_what_needs_no_rows_prunes_a_loaded_tree(run, melon):
    Path(TRAIN).unlink()
    tree = penjing.load(melon)
    for method in ("pessimistic", "collapse", "simplify", "minimum-error", "mdl"):
        assert tree.prune(method).n_leaves <= tree.n_leaves
        assert run("prune", melon, "-m", method).code == 0
    assert tree.prune("error-based", raise_branches=False).n_leaves <= tree.n_leaves
    assert tree.prune("cost-complexity", cp=0.5).n_leaves < tree.n_leaves


def test_comparing_a_tree_with_itself_pruned_says_what_went(run, melon):
    pruned(run, melon, "-m", "cost-complexity", "--cp", "0.2")
    assert "The trees differ at" in run("compare", melon, "pruned.tree").out


@pytest.mark.parametrize(
    ("method", "en", "zh"),
    [
        (("mdl",), "bits if kept", "保留子树时的比特数"),
        (("cost-complexity", "--alpha", "2"), "cost if kept", "保留子树时的代价"),
        (("pessimistic",), "errors if kept", "保留子树时判错"),
        (("minimum-error",), "errors if kept", "保留子树时判错"),
    ],
)
def test_the_numbers_of_a_method_are_called_what_they_are(run, melon, method, en, zh):
    for lang, words in (("en", en), ("zh", zh)):
        done = run("prune", melon, "-m", *method, "--lang", lang, "-o", f"{lang}.tree")
        assert words in done.out, (method, lang)
        assert words in run("trace", f"{lang}.tree", "--lang", lang).out
