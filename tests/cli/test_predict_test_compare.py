"""`penjing test`, `compare` and `predict`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import penjing
from penjing.api.tree import Tree
from penjing.cli import Exit

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_test_tells_right_and_wrong_in_chinese(run, melon):
    lines = run("test", melon, TEST, "--lang", "zh").out.splitlines()
    assert lines[-1] == "      完全拟合 train1 的决策树，在这个文件上的精度不会超过 7/10。"
    assert lines[-2] == "原因：它们与训练集的 编号 16、6 和 7 相同，只是类别标记不同。"


def test_test_is_silent_about_rows_it_cannot_see(run, melon):
    Path(TRAIN).write_text("changed,class\n1,2\n")
    text = run("test", melon, TEST).out
    assert "why:" not in text
    assert "编号 7 否→是 (纹理 = 稍糊, 色泽 = 乌黑, 敲声 = 浊响)" in text
    assert "->" in run("test", melon, TEST, "--ascii").out


def test_test_says_which_wrong_rows_equal_training_rows(run, melon):
    rows = "编号,色泽,根蒂,敲声,纹理,好瓜\n1,青绿,蜷缩,沉闷,稍糊,是\n2,青绿,蜷缩,浊响,模糊,是\n"
    Path("new.csv").write_text(rows, "utf-8")
    told = run("test", melon, "new.csv").out
    assert "reason: 编号 1 is identical to 编号 16 of the training set but" in told
    Path("new.csv").write_text(rows.rsplit("\n", 2)[0] + "\n", "utf-8")
    told = run("test", melon, "new.csv").out
    assert "reason: 编号 1 is identical to 编号 16 of the training set but" in told
    lines = [line.partition(",")[2] for line in rows.splitlines()]  # without ids
    Path("new.csv").write_text("\n".join(lines) + "\n", "utf-8")
    told = run("test", melon, "new.csv").out
    assert "reason: row 1 is identical to 编号 16 of the training set but" in told


def test_test_prints_everything_on_request(run, melon):
    lines = run("test", melon, TEST, "--full").out.splitlines()
    assert lines[:3] == [
        "accuracy 70% (7 of 10), 95% confidence interval 40% to 89%",
        "baseline 50% (always 是); first split alone 80% (纹理)",
        "ROC AUC 0.700 (0.390 to 1.000), PR AUC 0.633 (是), log loss 10.813, Brier score 0.300",
    ]
    assert lines[7] == "class             precision  recall     F1  ROC AUC  PR AUC  rows"
    assert lines[8] == "是                    0.667   0.800  0.727    0.700   0.633     5"
    assert lines[12] == "balanced accuracy 0.700"
    told = run("test", melon, TEST, "--json").data
    assert (told["correct"], told["weight"]) == (7, 10)
    assert told["ceiling"]["best"] == 7
    assert told["ceiling"]["clashes"][0] == {"row": 4, "equals": [16]}


def test_an_accuracy_below_what_is_demanded_exits_with_3(run, melon):
    assert run("test", melon, TEST, "--min-accuracy", "0.7").code == 0
    done = run("test", melon, TEST, "--min-accuracy", "0.8")
    assert done.code == Exit.BELOW_REQUIRED
    assert done.err.endswith("error: accuracy 0.7 is below 0.8.\n")
    assert done.out.startswith("accuracy 70% (7 of 10)")


def test_test_needs_what_is_predicted(run, melon):
    Path("bare.csv").write_text("色泽,根蒂,敲声,纹理\n青绿,蜷缩,浊响,清晰\n", "utf-8")
    assert "has no column '好瓜'" in run("test", melon, "bare.csv").err
    assert run("predict", melon, "bare.csv").out.endswith("1,青绿,蜷缩,浊响,清晰,是\n")


def test_compare_says_that_two_trees_differ_in_one_tie(run):
    penjing.fit(penjing.example("basketball"), trace=True).save("ours.tree")
    source = {
        "temperature": {
            "high": {"weather": {"sun": 0, "cloud": 1, "rain": 1}},
            "low": 0,
            "middle": {"humidity": {"middle": 1, "high": 0}},
        }
    }
    Tree.from_dict(source, target="play").save("theirs.tree")
    done = run("compare", "ours.tree", "theirs.tree")
    told = (
        "The trees differ only in one tie:"
        " at temperature = middle, weather and humidity tie (1.0000)."
    )
    assert done.out.splitlines()[-1] == told
    assert "只差一处并列" in run("compare", "ours.tree", "theirs.tree", "--lang", "zh").out
    same = run("compare", "ours.tree", "ours.tree").out.splitlines()[-1]
    assert same == "The trees have the same splits and the same predictions."


def test_compare_says_where_trees_part(run, melon):
    run("fit", "Watermelon-train2.csv", "--recipe", "c4.5-textbook", "-o", "b.tree")
    done = run("compare", melon, "b.tree", "--test", "Watermelon-test2.csv")
    assert done.out.splitlines()[-1] == (
        "The trees differ at one node: at the root, melon splits on 纹理 and b splits on 密度."
        " The subtrees below differ too."
    )
    Tree.from_dict({"x": {"<= 1.5": "a", "> 1.5": "b"}}).save("p.tree")
    Tree.from_dict({"x": {"<= 2.5": "a", "> 2.5": {"y": {"u": "a", "v": "b"}}}}).save("q.tree")
    assert "p splits on x ≤ 1.5 and q splits on x ≤ 2.5" in run("compare", "p.tree", "q.tree").out
    Tree.from_dict({"x": {"<= 1.5": "b", "> 1.5": {"y": {"u": "a", "v": "b"}}}}).save("r.tree")
    text = run("compare", "p.tree", "r.tree").out
    assert "The trees differ at 2 nodes: at x ≤ 1.5, p predicts a and r predicts b;" in text
    assert "at x > 1.5, p predicts b and r splits on y." in text


def test_compare_is_sure_where_chance_is_not_enough(run):
    Tree.from_dict({"x": {"p": "yes", "q": "no"}}).save("good.tree")
    Tree.from_dict({"x": {"p": "no", "q": "yes"}}).save("bad.tree")
    Path("rows.csv").write_text("x,class\n" + "p,yes\nq,no\n" * 4)
    text = run("compare", "bad.tree", "good.tree", "--test", "rows.csv").out
    assert (
        "good is correct for 8 of the 8 rows that only one of the trees predicts correctly:"
        " p = 0.0078." in text
    )
    assert (
        "The predictions are the same for every row of the test set."
        in run("compare", "bad.tree", "bad.tree", "--test", "rows.csv").out
    )


def test_compare_leaves_leave_one_out_out_where_it_takes_too_long(run):
    Path("rows.csv").write_text(
        "x,y,class\n" + "".join(f"{'pq'[i % 2]},{i % 7}z,{i % 3 % 2}\n" for i in range(210))
    )
    run("fit", "rows.csv", "-o", "a.tree")
    done = run("compare", "a.tree", "a.tree", "--train", "rows.csv")
    assert "210 rows, more than 200" in done.err
    assert "leave-one-out" not in done.out
    assert (
        "leave-one-out"
        in run("compare", "a.tree", "a.tree", "--train", "rows.csv", "--leave-one-out").out
    )


def test_compare_says_which_tree_cannot_be_grown_again(run, melon):
    run("prune", melon, "--validate", TEST, "-o", "small.tree")
    done = run("compare", melon, "small.tree", "--train", TRAIN, "--test", TEST)
    assert (
        "leave-one-out is not available for small: this tree was pruned on a validation set"
        in done.err
    )
    assert done.out.splitlines()[2].endswith("-")


def test_predict_keeps_the_columns_that_came_in(run, melon):
    done = run("predict", melon, TEST)
    lines = done.out.splitlines()
    assert lines[0] == "row,编号,色泽,根蒂,敲声,纹理,好瓜,predicted"
    assert lines[4] == "4,4,青绿,蜷缩,沉闷,稍糊,是,否"
    assert run("predict", melon, TEST, "--proba").out.splitlines()[0].endswith("p(是),p(否)")
    told = run("predict", melon, TEST, "--json", "--proba").data
    assert told["rows"][3] == {"row": 4, "predicted": "否", "shares": [0.0, 1.0]}
    lines = run("predict", melon, TEST, "--json", "--lines").out.splitlines()
    assert json.loads(lines[3]) == {"row": 4, "predicted": "否"}


def test_predictions_can_be_predicted_again(run, melon):
    run("predict", melon, TEST, "-o", "once.csv")
    header = run("predict", melon, "once.csv").out.splitlines()[0]
    assert header == "row,编号,色泽,根蒂,敲声,纹理,好瓜,predicted,predicted_"


def test_predict_writes_for_excel_and_in_gbk(run, melon):
    done = run("predict", melon, TEST, "-o", "out.csv", "--excel")
    assert done.out == ""
    assert "saved to out.csv" in done.err
    data = Path("out.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfrow,")
    assert b"\r\n" in data
    run("predict", melon, TEST, "-o", "out.csv", "--output-encoding", "gbk")
    assert "好瓜,predicted\n" in Path("out.csv").read_bytes().decode("gbk")
    before = Path("out.csv").read_bytes()
    done = run("predict", melon, TEST, "-o", "out.csv", "--output-encoding", "ascii")
    assert done.code == Exit.INVALID
    assert "cannot be encoded as ascii, which has no character '编'" in done.err
    assert (
        run("predict", melon, TEST, "-o", "out.csv", "--output-encoding", "klingon").code
        == Exit.INVALID
    )
    assert Path("out.csv").read_bytes() == before


def test_predict_stops_or_refuses_at_a_level_that_training_never_saw(run, melon):
    Path("odd.csv").write_text("色泽,根蒂,敲声,纹理\n青绿,蜷缩,浊响,透明\n", "utf-8")
    assert run("predict", melon, "odd.csv").out.endswith(",透明,是\n")
    done = run("predict", melon, "odd.csv", "--unseen", "error")
    assert done.code == Exit.INVALID
    assert "--unseen stop" in done.err


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-textbook", "c4.5"])
def test_compare_leaves_one_out_with_every_column(run, recipe):
    run("fit", TRAIN, "-r", recipe, "-o", "one.tree")
    run("fit", TRAIN, "-r", recipe, "--max-depth", "1", "-o", "two.tree")
    alone = run("cross-validate", TRAIN, "-r", recipe, "--leave-one-out", "--json").data
    done = run("compare", "one.tree", "two.tree", "--train", TRAIN, "--json")
    assert done.data["leave_one_out"][0]["correct"] == alone["correct"]
    assert "missing" not in done.err


def test_compare_leaves_one_out_with_the_columns_of_each_tree(run):
    first = Path(TRAIN).read_text("gb18030").splitlines()[0].split(",")[1]
    run("fit", TRAIN, "-o", "all.tree")
    run("fit", TRAIN, "--ignore", first, "-o", "less.tree")
    alone = [
        run("cross-validate", TRAIN, "--leave-one-out", "--json", *more).data["correct"]
        for more in ((), ("--ignore", first))
    ]
    told = run("compare", "all.tree", "less.tree", "--train", TRAIN, "--json").data
    assert [each["correct"] for each in told["leave_one_out"]] == alone


def test_compare_says_where_the_training_file_lacks_a_column(run):
    run("fit", TRAIN, "--max-depth", "1", "-o", "melon.tree")
    melon = "melon.tree"
    lines = [line.split(",") for line in Path(TRAIN).read_text("gb18030").splitlines()]
    asked = {penjing.load(melon).schema[c].name for c in penjing.load(melon).nodes.column if c >= 0}
    spare = next(i for i, n in enumerate(lines[0]) if n not in {*asked, "好瓜", "编号"})
    Path("less.csv").write_text(
        "\n".join(",".join(c for i, c in enumerate(cells) if i != spare) for cells in lines)
    )
    done = run("compare", melon, melon, "--train", "less.csv")
    assert done.code == 0
    assert lines[0][spare] in done.err


def resaved(name: str, *, rows: slice = slice(None)) -> str:
    """Return another file of the same rows: other order, other encoding."""
    head, *lines = Path(name).read_text("gb18030").splitlines()
    Path(f"of-{rows.stop}.csv").write_text("\n".join([head, *lines[::-1][rows]]), "utf-8")
    return f"of-{rows.stop}.csv"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_verb_that_tests_says_that_rows_were_seen(run, melon, lang):
    run("prune", melon, "--validate", TEST, "-o", "small.tree")
    grown = {"en": "the training set of this tree", "zh": "这棵树的训练集"}[lang]
    pruned = {"en": "was the validation set", "zh": "这棵树剪枝时的验证集"}[lang]
    for model, file, words in (
        (melon, TRAIN, grown),
        (melon, resaved(TRAIN), grown),
        ("small.tree", TEST, pruned),
        (melon, TEST, None),
        (melon, resaved(TRAIN, rows=slice(5)), None),
    ):
        verbs = (
            ("test", model, file),
            ("compare", "small.tree", melon, "--test", file),
            ("compare", melon, "small.tree", "--test", file),
            ("report", model, "--test", file, "-o", "page.html"),
        )
        for verb in verbs:
            if words is None and verb[0] == "compare":
                continue
            said = run(*verb, "--lang", lang).err
            if words is None:
                assert grown not in said, verb
                assert pruned not in said, verb
            else:
                assert said.count(words) == 1, verb
        page = Path("page.html").read_text("utf-8")
        assert (words is not None) == ("<p class=warn>" in page), file


def test_several_trees_and_recipes_are_compared(run, melon):
    run("prune", melon, "--method", "pessimistic", "-o", "small.tree")
    run("fit", TRAIN, "-r", "cart-binary", "-o", "cart.tree")
    done = run("compare", melon, "small.tree", "cart.tree", "--train", TRAIN, "--folds", "4")
    assert done.code == 0, done.err
    assert re.search(r"leaves +depth +training +4-fold", done.out)
    assert done.out.count("melon, ") == 2
    told = run("compare", melon, "small.tree", "cart.tree", "--train", TRAIN, "--json").data
    assert [tree["name"] for tree in told["trees"]] == ["melon", "small", "cart"]
    assert len(told["pairs"]) == 3
    chinese = run("compare", melon, "small.tree", "cart.tree", "--lang", "zh").out
    assert "最先不同之处" in chinese
    names = "id3,c4.5-textbook,cart-textbook"
    done = run("compare", "--recipes", names, TRAIN, "--test", "Watermelon-test1.csv")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == names.split(",")
    assert "test1" in lines[0]
    told = run("compare", "--recipes", names, TRAIN, "--leave-one-out", "--json").data
    expected = run("cross-validate", TRAIN, "-r", "id3", "--leave-one-out", "--json").data
    assert told["trees"][0]["cross_validation"]["correct"] == expected["correct"]
    assert run("compare", melon).code == 1
    assert run("compare", "--recipes", "id3", TRAIN).code == 1
    assert run("compare", "--recipes", names, TRAIN, TRAIN).code == 1
    assert "--train" in run("compare", melon, "small.tree", "--folds", "4").err
    assert "unknown recipe" in run("compare", "--recipes", "id3,nope", TRAIN).err
