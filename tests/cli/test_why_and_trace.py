"""`penjing why` and `penjing trace`: every number, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import penjing
from penjing.cli import Exit
from penjing.render.html import page_data

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_why_takes_nodes_by_number_path_and_answers(run, melon):
    texts = {run("why", melon, node).out for node in ("1", "纹理=清晰", "纹理 = 清晰", "清晰")}
    assert len(texts) == 1
    text = texts.pop()
    assert text.startswith(
        "纹理 = 清晰, 8 rows, 是 7 否 1, Ent(D) = -(7/8)log2(7/8) - (1/8)log2(1/8)"
    )
    assert "tie: 根蒂 and 敲声 have the same score; the first column, 根蒂, is chosen." in text


def test_why_tells_which_stop_condition_made_a_leaf(run, melon):
    assert "all rows have the same class (condition 1)" in run("why", melon, "清晰, 蜷缩").out
    done = run("why", melon, "稍糊, 乌黑, 清脆")
    assert done.out.splitlines() == [
        "纹理 = 稍糊, 色泽 = 乌黑, 敲声 = 清脆, 0 rows",
        (
            "leaf, predicts 是: no training row reaches it, so the majority class"
            " of its parent is predicted (condition 3)."
        ),
    ]
    assert "（条件 3）" in run("why", melon, "稍糊, 乌黑, 清脆", "--lang", "zh").out
    Path("alike.csv").write_text("a,class\nx,1\nx,0\ny,1\n")
    run("fit", "alike.csv", "-o", "alike.tree")
    assert "(condition 2)" in run("why", "alike.tree", "a=x").out


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (("--max-depth", "0"), "the maximum depth is reached"),
        (("--min-weight", "99"), "it has too few rows to be split"),
        (("--min-gain", "0.9"), "the gain of the best split is too small"),
        (("--max-leaves", "1"), "the maximum number of leaves is reached"),
        (("--validate", TRAIN, "--max-depth", "0"), "the maximum depth is reached"),
    ],
)
def test_why_tells_which_limit_made_a_leaf(run, setting, said):
    run("fit", TRAIN, "-o", "small.tree", *setting)
    assert said in run("why", "small.tree").out
    assert "yes" in run("trace", "small.tree").out


def test_why_says_what_pruning_took_back(run, melon):
    run("fit", TRAIN, "--validate", TEST, "-o", "gated.tree")
    assert "did not improve accuracy on the validation set" in run("why", "gated.tree", "稍糊").out
    run("prune", melon, "--method", "pessimistic", "-o", "small.tree")
    assert "its split was pruned" in run("why", "small.tree", "清晰").out


def test_why_needs_a_trace_or_the_rows(run, melon):
    run("fit", TRAIN, "--no-trace", "-o", "plain.tree")
    with_trace = run("why", melon, "清晰").out
    assert run("why", "plain.tree", "清晰").out == with_trace  # the file is where it was
    Path(TRAIN).rename("moved.csv")
    done = run("why", "plain.tree")
    assert done.code == Exit.INVALID
    assert "has no trace of how it was grown" in done.err
    assert f"note: the training file {TRAIN} was not found, or its content has changed" in done.err
    assert f"找不到训练集文件 {TRAIN}" in run("why", "plain.tree", "--lang", "zh").err
    assert run("why", "plain.tree", "清晰", "--data", "moved.csv").out == with_trace
    done = run("trace", "plain.tree")
    assert done.code == Exit.INVALID
    assert f"note: the training file {TRAIN} was not found" in done.err


def test_why_does_not_say_that_rows_are_gone_where_the_model_has_no_checksum(run):
    with duckdb.connect("melons.duckdb") as link:
        link.register("rows", penjing.read(TRAIN, quiet=True).to_pandas())
        link.execute("CREATE TABLE melons AS SELECT * FROM rows")
        link.execute("COPY melons TO 'melons.parquet'")
    table = "duckdb:melons.duckdb", "--query", "melons"
    for path, *options in (table, ("melons.parquet", "--engine", "disk")):
        run("fit", path, *options, "--target", "好瓜", "--no-trace", "-o", "m.tree")
        done = run("why", "m.tree")
        assert done.code == Exit.INVALID
        assert f"note: the tree was grown from {path}. The model has no checksum of th" in done.err
        assert "not found" not in done.err
        assert "没有它的校验和" in run("trace", "m.tree", "--lang", "zh").err
        assert "纹理" in run("why", "m.tree", "--train", TRAIN).out


def test_why_shows_every_measure_with_its_formula(run, melon):
    text = run("why", melon, "--all").out
    assert "column  Ent after    gain        IV    ratio    Gini" in text
    for line in (
        "Gain(D, 敲声) = 1.0000 - (9/16 × 0.9183 + 5/16 × 0.9710 + 2/16 × 0.0000) = 0.1800",
        "IV(敲声) = -(9/16)log2(9/16) - (5/16)log2(5/16) - (2/16)log2(2/16) = 1.3663",
        "Gain_ratio(D, 敲声) = 0.1800 / 1.3663 = 0.1318",
        "Gini_index(D, 敲声) = 9/16 × 0.4444 + 5/16 × 0.4800 + 2/16 × 0.0000 = 0.4000",
    ):
        assert line in text.splitlines()
    plain = run("why", melon, "--all", "--ascii").out
    assert "9/16 * 0.9183" in plain
    assert plain.count("############ chosen") == 1


def test_why_ranks_by_the_recipe_s_own_measure(run):
    run("fit", "Watermelon-train2.csv", "--recipe", "c4.5-textbook", "-o", "c.tree")
    lines = run("why", "c.tree").out.splitlines()
    assert lines[2].startswith("密度 ≤ 0.3815     0.7351   0.2624   0.7871   0.3334   0.3620")
    assert lines[4].endswith("gain below average")
    assert lines[-1] == "Gain_ratio(D, 密度) = 0.2624 / 0.7871 = 0.3334"
    run("fit", "Watermelon-train2.csv", "--recipe", "cart-binary", "-o", "g.tree")
    lines = run("why", "g.tree").out.splitlines()
    assert lines[0].endswith("Gini(D) = 1 - (8/17)^2 - (9/17)^2 = 0.4983")
    assert lines[2].startswith("纹理 in {清晰}")
    assert lines[-1].startswith("Gini_index(D, 纹理) = ")


def test_why_lists_the_cuts_of_a_numeric_column(run):
    run("fit", "Watermelon-train2.csv", "--recipe", "c4.5-textbook", "-o", "c.tree")
    lines = run("why", "c.tree", "--cuts", "密度").out.splitlines()
    assert lines[0] == "threshold    gain"
    assert len(lines) == 17
    assert lines[4] == "0.3815      0.2624  ████████████ best"
    assert len(run("why", "c.tree", "--cuts", "密度", "--json").data["cuts"]) == 16
    assert "Columns with thresholds: 密度" in run("why", "c.tree", "--cuts", "纹理").err


def test_why_lists_every_threshold_of_many_where_the_training_rows_are_found(run):
    rows = [f"{i},{'ab'[i * i % 7 % 2]}" for i in range(300)]
    Path("many.csv").write_text("\n".join(["x,y", *rows]))
    run("fit", "many.csv", "--recipe", "cart-binary", "--max-depth", "2", "--trace", "-o", "m.tree")
    lines = run("why", "m.tree", "--cuts", "x").out.splitlines()
    assert len(lines) == 300
    assert sum(line.endswith(" best") for line in lines) == 1
    assert len(run("why", "m.tree", "--cuts", "x", "--json").data["cuts"]) == 299
    Path("many.csv").unlink()
    left = run("why", "m.tree", "--cuts", "x").out.splitlines()
    assert left[-1] == "99 thresholds of lower gain were not saved."
    assert set(left[:-1]) < set(lines)
    assert len(left) == 202


def test_why_scales_the_gain_by_the_known_share(run):
    table = penjing.example("watermelon2.0alpha")
    lines = [",".join([*table.names, table.target.name])]
    lines += [",".join("" if v is None else str(v) for v in row.values()) for row in table.rows()]
    Path("alpha.csv").write_text("\n".join(lines) + "\n", "utf-8")
    run("fit", "alpha.csv", "--recipe", "c4.5-textbook", "--criterion", "gain", "-o", "a.tree")
    text = run("why", "a.tree", "--all").out
    assert "missing" in text.splitlines()[1]
    assert "Gain(D, 色泽) = 14/17 × (0.9852 - (" in text
    assert text[text.index("Gain(D, 色泽)") :].splitlines()[0].endswith(" = 0.2520")
    assert "18%" in text


def test_why_tells_of_numbers(run):
    rows = "".join(f"{'ab'[i % 2]},{i % 2 * 10 + i / 8}\n" for i in range(40))
    Path("number.csv").write_text("x,y\n" + rows)
    run("fit", "number.csv", "-t", "y", "--recipe", "id3", "-o", "n.tree")
    text = run("why", "n.tree").out
    assert text.splitlines()[1].split() == ["column", "Var", "after", "gain"]
    assert "Gain(D, x) = 27.7070 - (20/40 × 2.0781 + 20/40 × 2.0781) = 25.6289" in text
    assert "decrease in variance" in run("trace", "n.tree").out
    done = run("test", "n.tree", "number.csv")
    assert done.out.startswith("root mean squared error")
    assert run("test", "n.tree", "number.csv", "--min-accuracy", "0.5").code == Exit.INVALID
    assert run("compare", "n.tree", "n.tree", "--test", "number.csv").code == 0


def test_why_refuses_a_node_that_is_not_there(run, melon):
    assert "numbered from 0 (the root) to 11" in run("why", melon, "12").err
    done = run("why", melon, "纹理=清新")
    assert "Branches: 纹理 = 清晰, 纹理 = 稍糊, 纹理 = 模糊.\nDid you mean '纹理=清晰'?" in done.err
    assert "continues below a leaf" in run("why", melon, "模糊, 蜷缩").err
    assert "continues below" in run("why", melon, "稍糊, 乌黑, 清脆, 蜷缩").err


def test_why_as_json_has_the_numbers(run, melon):
    told = run("why", melon, "--json", "--lang", "zh").data
    assert told["question"] == "纹理"
    assert [c["column"] for c in told["candidates"]] == ["纹理", "敲声", "色泽", "根蒂"]
    best = told["candidates"][0]
    assert best["is_chosen"]
    assert best["gain"] == pytest.approx(0.5026152487479011)
    assert best["branches"][0] == {
        "answer": "清晰", "rows": 8, "total": [7, 1], "entropy": pytest.approx(0.5435644431995964),
        "gini": 0.21875,
    }  # fmt: skip


def test_a_broken_trace_is_told_as_such(run, melon):
    plain = json.loads(Path(melon).read_text("utf-8"))
    for steps in ([{"node": 0, "candidates": [{}]}], [{"node": 99}], ["x"]):
        plain["trace"]["steps"] = steps
        Path("broken.tree").write_text(json.dumps(plain), "utf-8")
        for verb in ("why", "trace"):
            done = run(verb, "broken.tree")
            assert done.code == Exit.INVALID
            assert "trace" in done.err


def test_trace_tells_the_basketball_story_in_both_languages(run):
    table = penjing.example("basketball")
    penjing.fit(table, trace=True).save("ball.tree")
    Path("ball.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.rows()))
    text = run("trace", "ball.tree", "--train", "ball.jsonl").out
    assert text.splitlines()[2:8] == [
        "step 1 of 9: root",
        "  rows      7 (1, 2, 3, 4, 5, 6 and 7): 0: 4, 1: 3",
        "  stop?     one class only: no; no column distinguishes them: no",
        (
            "  compare   temperature 0.1281, weather 0.0202, humidity 0.0202, windy 0.0202"
            " (information gain)"
        ),
        "  choose    temperature, ahead of weather by 0.1078",
        "  branches  high 4, middle 2, low 1",
    ]
    assert "  choose    weather; tie with humidity, resolved by column order" in text
    assert "-0.0" not in text
    told = run("trace", "ball.tree", "--lang", "zh").out
    assert "第 1 步，共 9 步：根结点" in told
    assert "  选择    weather；与 humidity 并列，取排在前面的列" in told
    assert "（信息增益）" in told


def test_trace_tells_as_many_steps_as_wanted(run, melon):
    assert run("trace", melon).out.count("step ") == 12
    short = run("trace", melon, "--steps", "2").out
    assert short.count("\nstep ") == 2
    assert "10 more steps; --steps 0 shows all." in short
    assert len(run("trace", melon, "--json").data) == 12
    assert run("trace", melon, "--json").data[0]["row_numbers"] == list(range(1, 17))


def test_a_row_is_explained_from_words_json_or_a_file(run, melon):
    by_words = run("explain", melon, "--row", "纹理=清晰，根蒂=硬挺").out
    assert by_words.startswith("prediction: 否")
    assert "changes that would alter the prediction:\n  根蒂 = 蜷缩" in by_words
    assert run("explain", melon, "--row", '{"纹理": "清晰", "根蒂": "硬挺"}').out == by_words
    told = run("explain", melon, "--row", "10", "--data", "Watermelon-train1.csv", "--json").data
    assert told["answer"] == "否"
    assert [node["branch"] for node in told["path"]][:2] == ["纹理 = 清晰", "根蒂 = 硬挺"]
    assert "以下改动会改变预测" in run("explain", melon, "--row", "纹理=清晰", "--lang", "zh").out
    for wrong in ("清晰", "{", "纹里=清晰"):
        assert run("explain", melon, "--row", wrong).code == Exit.INVALID
    done = run("explain", melon, "--row", "99", "--data", "Watermelon-train1.csv")
    assert "row 99 is out of range" in done.err


def test_the_command_draws_what_the_ending_says(run, melon):
    for kind, start in (("svg", b"<svg"), ("html", b"<!DOCTYPE"), ("md", b"## "), ("txt", b"\xe7")):
        assert run("draw", melon, "-o", f"melon.{kind}", "--lang", "zh").code == Exit.OK
        assert Path(f"melon.{kind}").read_bytes().startswith(start)
    assert run("draw", melon, "-o", "melon.jpg").code == Exit.INVALID
    assert run("draw", melon, "-o", "icicle.svg", "--icicle").code == Exit.OK


def test_rules_importance_and_steadiness_are_told(run, melon):
    train = "Watermelon-train1.csv"
    text = run("ruleset", melon).out
    assert "default: " in text
    assert run("ruleset", melon, "--json").data["training"]["of"] == 16
    lines = run("importance", melon).out.splitlines()
    assert lines[0].split() == ["column", "importance"]
    assert lines[1].startswith("纹理")
    assert run("importance", melon, "--lang", "zh").out.split()[:2] == ["属性", "重要性"]
    found = run("importance", melon, "--data", train, "--json").data
    assert set(found) == {"色泽", "根蒂", "敲声", "纹理"}
    told = run("bootstrap", train, "--trees", "10", "--json").data
    assert told["n"] == 10
    assert told["root"] == "纹理"
    assert "10 棵树" in run("bootstrap", train, "--trees", "10", "--lang", "zh").out
    Path(train).unlink()
    assert "--train" in run("ruleset", melon).err


def test_a_marker_that_an_error_advises_can_be_given(run, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n" + "".join(f"{i},{'a' if i < 5 else 'b'}\n" for i in range(10)), "utf-8")
    model = str(tmp_path / "m.tree")
    run("fit", str(rows), "--target", "y", "--recipe", "rpart", "--minsplit", "2", "-o", model)
    done = run("explain", model, "--row", "x=keine")
    assert done.code == Exit.INVALID
    assert "--missing-marker 'keine'" in done.err
    done = run("explain", model, "--row", "x=keine", "--missing-marker", "keine")
    assert done.code == Exit.OK
    assert "prediction:" in done.out


def test_a_row_is_asked_for_and_odd_cells_are_named(run, melon):
    done = run("explain", melon)
    assert done.code == Exit.INVALID
    assert "no row is given. Use --row" in done.err
    done = run("explain", melon, "--row", '{"纹理": [1]}')
    assert done.code == Exit.INVALID
    assert "column '纹理' of the row holds [1]" in done.err


def test_a_pruned_model_tells_its_growth_and_its_pruning_without_the_rows(run, tmp_path):
    tree = penjing.fit(penjing.example("watermelon2.0"), trace=True).prune("pessimistic")
    tree.save(tmp_path / "p.tree")
    told = run("trace", tmp_path / "p.tree").out
    assert told.count("\nstep ") == tree.n_nodes
    assert "纹理 = 清晰 (node 1): errors if kept 3.98165, errors as a leaf 3.51487: pruned" in told
    assert told.count("as a leaf") == len(tree.about["pruning"][0]["decisions"])
    plain = json.loads(run("trace", tmp_path / "p.tree", "--json").out)
    assert [step["kind"] for step in plain if "kind" in step] == ["prune"] * 5
    assert len(plain) == tree.n_nodes + 5
    assert "chosen" in run("why", tmp_path / "p.tree").out
    line = run("why", tmp_path / "p.tree", "1", "--lang", "zh").out.splitlines()[-1]
    assert line.startswith("悲观剪枝：纹理 = 清晰（结点 1）：保留子树时判错 3.98165，")
    assert line.endswith("：剪去")
    replay = page_data(tree, "en", "light", None)["replay"]
    cut = [step["node"] for step in replay["pruning"] if step["kind"] == "cut"]
    remaining = [node for node in cut if replay["grown"]["parent"][node] not in cut]
    assert len(replay["texts"]) == tree.n_nodes - len(remaining)  # these were splits then
    assert len(replay["pruning"]) == 5
    assert "as a leaf 3.51487: pruned" in replay["pruning"][2]["text"]["en"]


@pytest.mark.parametrize("verb", ["why", "trace"])
def test_rows_that_did_not_grow_the_tree_are_noted(run, melon, verb):
    own, other = Path("Watermelon-train1.csv"), Path("fewer.csv")
    other.write_bytes(b"\n".join(own.read_bytes().splitlines()[:-2]))
    assert "grown from" not in run(verb, melon, "--train", own, "--lang", "en").err
    found = run(verb, melon, "--train", other, "--lang", "en")
    assert found.code == 0
    assert "fewer.csv has 14 rows, but the tree was grown from 16." in " ".join(found.err.split())


def test_a_tree_made_by_hand_did_not_grow(run):
    Path("f.csv").write_text("a,y\nu,n\nv,y\n")
    penjing.Tree.from_dict({"a": {"u": "n", "v": "y"}}, target="y").save("h.tree")
    found = run("trace", "h.tree", "--train", "f.csv", "--lang", "en")
    head = found.out.splitlines()[0]
    assert head.startswith("How 2 rows pass through the tree for y, made by hand, with 3 nodes.")


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [("en", "Give the training rows with --train FILE"), ("zh", "请用 `--train 文件` 给出训练集")],
)
def test_a_model_without_its_file_says_what_to_pass(run, tmp_path, lang, sentence):
    path = tmp_path / "m.csv"
    path.write_bytes(Path(TRAIN).read_bytes())
    model = str(tmp_path / "m.tree")
    run("fit", str(path), "--no-trace", "-o", model)
    with_file = run("why", model, "--lang", lang).out
    run("draw", model, "-o", "with.html")
    assert "step 1 of" in Path("with.html").read_text("utf-8")
    path.rename(tmp_path / "moved.csv")
    for command in ("why", "trace"):
        done = run(command, model, "--lang", lang)
        assert done.code != 0
        assert sentence in done.err
    assert (
        run("why", model, "--train", str(tmp_path / "moved.csv"), "--lang", lang).out == with_file
    )
    assert run("draw", model, "-o", "without.html").code == 0
    assert "step 1 of" not in Path("without.html").read_text("utf-8")


@pytest.mark.parametrize("command", ["why", "trace"])
def test_explanations_are_written_in_the_format_of_the_option_or_the_file(
    run, melon, command, tmp_path
):
    beginnings = {"md": "# ", "tex": "\\documentclass", "html": "<!doctype html>"}
    for kind, beginning in beginnings.items():
        printed = run(command, melon, "--format", kind, "--lang", "zh")
        assert printed.out.startswith(beginning)
        saved = run(command, melon, "-o", f"x.{kind}", "--lang", "zh")
        assert (saved.code, saved.out) == (0, "")
        assert (tmp_path / f"x.{kind}").read_text("utf-8") == printed.out
    plain = run(command, melon)
    assert run(command, melon, "--format", "text", "-o", "x.md").out == ""
    assert (tmp_path / "x.md").read_text("utf-8") == plain.out
    as_json = run(command, melon, "--json")
    assert run(command, melon, "--json", "-o", "x.json").out == ""
    assert (tmp_path / "x.json").read_text("utf-8") == as_json.out
    assert run(command, melon, "--format", "pdf").code == 2


def test_formulas_of_a_trace_are_shown_or_omitted(run, melon):
    assert "Gain(D, " not in run("trace", melon).out
    assert run("trace", melon, "--formulas").out.count("Ent(D) = ") > 3
    assert "$$" in run("trace", melon, "--format", "md").out
    assert "$$" not in run("trace", melon, "--format", "md", "--no-formulas").out


def test_thresholds_have_no_other_format(run, melon):
    refused = run("why", melon, "--cuts", "x", "--format", "md")
    assert (refused.code, "--cuts" in refused.err) == (1, True)


def test_thresholds_of_all_candidates_have_the_digits_of_32_bits():
    rows = [{"a": i % 9 / 10, "b": i % 7 / 10 + 3, "y": "uv"[i % 9 > 4]} for i in range(63)]
    tree = penjing.fit(rows, "y", recipe="sklearn")
    numbers = [line.split()[2] for line in str(tree.why(0)).splitlines()[2:4]]
    assert len(numbers) == 2
    assert all(len(number) <= 4 for number in numbers), numbers


def test_the_number_of_steps_is_not_negative(run, melon):
    done = run("trace", melon, "--steps", "-1")
    assert done.code == Exit.USAGE
    assert "--steps" in done.err
    assert run("trace", melon, "--steps", "0").code == 0
