"""The options of `test`, `cross-validate`, `predict` and `drift` that show evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import penjing
from penjing.cli import Exit


@pytest.fixture
def model(run):
    rows = ["x,colour,y"]
    rows += [
        f"{i % 10},{'red' if i % 3 else 'blue'},{'yes' if i % 10 > 6 else 'no'}" for i in range(60)
    ]
    Path("train.csv").write_text("\n".join(rows) + "\n", "utf-8")
    assert run("fit", "train.csv", "-r", "cart-binary", "-o", "m.tree").code == 0
    test = [
        "x,colour,y",
        "9,red,yes",
        "1,red,yes",
        "2,blue,no",
        "8,blue,no",
        "3,red,no",
        "5,red,no",
    ]
    Path("test.csv").write_text("\n".join(test) + "\n", "utf-8")
    return "m.tree"


def test_the_names_are_those_of_scikit_learn(run, model):
    found = run("test", model, "test.csv", "--json").data
    metrics = pytest.importorskip("sklearn.metrics")
    tree = penjing.load(model)
    rows = penjing.read("test.csv", "y")
    share = tree.predict_proba(rows)[:, list(tree.classes).index("yes")]
    actual = [y == "yes" for y in rows.target.values()]
    predicted = [y == "yes" for y in tree.predict(rows)]
    assert found["positive"] == "yes"
    assert found["roc_auc_score"] == pytest.approx(metrics.roc_auc_score(actual, share))
    expected = metrics.average_precision_score(actual, share)
    assert found["average_precision_score"] == pytest.approx(expected)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(actual, share))
    assert found["brier_score_loss"] == pytest.approx(metrics.brier_score_loss(actual, share))
    for name in ("accuracy_score", "balanced_accuracy_score"):
        assert found[name] == pytest.approx(getattr(metrics, name)(actual, predicted))
    assert found["baseline"]["class"] == "no"
    assert found["baseline"]["accuracy_score"] == pytest.approx(4 / 6)
    assert found["baseline"]["best_column"]["column"] == "x"
    assert found["intervals"]["accuracy"] == found["interval"]
    assert len(found["lift"]) >= 2
    assert found["calibration"]
    assert found["notes"] == []


def test_cutoffs_profit_leaves_and_calibration(run, model):
    done = run(
        "test", model, "test.csv", "--cost", "1:5", "--precision", "0.5", "--recall", "1",
        "--profit", '{"yes": {"yes": 10}, "no": {"yes": -3}}', "--leaves", "--calibration",
    )  # fmt: skip
    assert done.code == 0
    assert "cut-off by cost 1:5: predict yes if its probability is at least" in done.out
    assert "cut-off by precision of at least 0.5: " in done.out
    assert "cut-off by recall of at least 1: " in done.out
    assert "chosen on these rows" in done.out
    assert "\nprofit 7 (" in done.out
    assert "\nLift and gain by leaf\n" in done.out
    assert "\nCalibration\n" in done.out
    Path("profit.json").write_text('{"yes": {"yes": 10}, "no": {"yes": -3}}')
    found = run(
        "test", model, "test.csv", "--cost", "1:5", "--profit", "profit.json", "--json"
    ).data
    assert found["cutoffs"][0]["cost"] == 5.0 or found["cutoffs"][0]["cost"] < 5
    assert found["profit"]["total"] == 7
    folds = run("cross-validate", "train.csv", "-r", "cart-binary", "--folds", "3", "--cost", "1:1")
    assert "baseline 70% (always no)" in folds.out
    assert "cut-off by cost 1:1" in folds.out
    folds = run("cross-validate", "train.csv", "-r", "cart-binary", "--folds", "3", "--json").data
    assert folds["roc_auc_score"] == 1.0
    assert folds["baseline"]["accuracy_score"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--cost", "1"], "--cost '1' is not valid"),
        (["--cost", "0:0"], "--cost '0:0' is not valid"),
        (["--cost", "1:inf"], "--cost '1:inf' is not valid"),
        (["--precision", "2"], "--precision 2 is not valid"),
        (["--recall", "0"], "--recall 0 is not valid"),
        (["--profit", "{"], "--profit is not valid"),
        (["--profit", "nowhere.json"], "--profit is not valid"),
        (["--profit", "[1]"], "--profit is not valid"),
        (["--profit", '{"maybe": {"yes": 1}}'], "there is no class 'maybe'"),
        (["--positive", "maybe"], "there is no class 'maybe'. Classes: no, yes."),
    ],
)
def test_bad_options_are_one_sentence(run, model, options, sentence):
    validated = ["cross-validate", "train.csv", "-r", "cart-binary"]
    for words in (["test", model, "test.csv"], validated):
        done = run(*words, *options)
        assert done.code == Exit.INVALID
        assert sentence in done.err
        assert "Traceback" not in done.err
        assert done.out == ""


def test_an_accuracy_is_not_demanded_of_numbers(run):
    rows = "\n".join(f"{i},{i / 3:.3f}" for i in range(40))
    Path("n.csv").write_text("x,y\n" + rows + "\n")
    assert run("fit", "n.csv", "-t", "y", "-r", "cart-binary", "-o", "n.tree").code == 0
    done = run("test", "n.tree", "n.csv", "--min-accuracy", "0.5")
    assert (done.code, done.out) == (Exit.INVALID, "")


def test_options_for_classes_are_refused_for_numbers(run):
    rows = "\n".join(f"{i},{i / 3:.3f}" for i in range(40))
    Path("n.csv").write_text("x,y\n" + rows + "\n")
    assert run("fit", "n.csv", "-t", "y", "-r", "cart-binary", "-o", "n.tree").code == 0
    done = run("test", "n.tree", "n.csv", "--leaves")
    assert (done.code, "--leaves needs a categorical target" in done.err) == (1, True)
    found = run("test", "n.tree", "n.csv", "--json").data
    assert found["root_mean_squared_error"] == found["rmse"]
    assert found["median_absolute_error"] == 0
    assert found["baseline"]["mean"] == pytest.approx(6.5)
    assert "baseline: root mean squared error" in run("test", "n.tree", "n.csv").out


def test_undefined_figures_are_null_and_a_sentence(run, model):
    Path("one.csv").write_text("x,colour,y\n9,red,yes\n8,red,yes\n", "utf-8")
    done = run("test", model, "one.csv", "--full", "--cost", "1:1")
    assert done.code == 0
    assert "These rows have only the class yes, so ROC AUC is undefined." in done.out
    assert run("test", model, "one.csv", "--json").data["roc_auc_score"] is None
    Path("new.csv").write_text("x,colour,y\n9,red,yes\n8,red,maybe\n1,red,no\n", "utf-8")
    done = run("test", model, "new.csv", "--lang", "zh")
    assert done.code == 0
    assert "决策树的训练集中没有类别 maybe" in done.out
    assert run("test", model, "new.csv", "--json").data["roc_auc_score"] is not None
    Path("none.csv").write_text("x,colour,y\n", "utf-8")
    done = run("test", model, "none.csv")
    assert (done.code, done.err.count("\n"), "Traceback" in done.err) == (1, 1, False)


def test_the_summary_of_predictions(run, model):
    Path("new.csv").write_text("x,colour\n9,red\n,pink\n1,\n", "utf-8")
    done = run("predict", model, "new.csv", "--summary")
    assert done.out.startswith("3 rows\nprediction  rows  share\n")
    found = run("predict", model, "new.csv", "--summary", "--json").data
    assert found["n"] == 3
    assert sum(each["rows"] for each in found["predictions"]) == 3
    assert {c["name"]: c["missing"] for c in found["columns"]}["x"] == 1
    assert found == penjing.load(model).summarize("new.csv").to_json()
    done = run("predict", model, "new.csv", "--summary", "-o", "out.csv", "--lang", "zh")
    assert done.out.startswith("3 行\n")
    assert len(Path("out.csv").read_text("utf-8").splitlines()) == 4
    done = run("predict", model, "new.csv", "--summary", "-o", "out.csv", "--json")
    assert done.data == found


def test_drift_exits_with_4_above_the_limit(run, model):
    done = run("drift", model, "train.csv", "--max-psi", "0.25")
    assert (done.code, "PSI of leaves 0.000 (little change)" in done.out) == (0, True)
    Path("new.csv").write_text("x,colour\n" + "9,red\n" * 50, "utf-8")
    done = run("drift", model, "new.csv", "--max-psi", "0.25")
    assert done.code == Exit.DRIFTED == 4
    assert "is above 0.25." in done.err
    assert run("drift", model, "new.csv").code == 0
    found = run("drift", model, "new.csv", "--json").data
    assert found["max_psi"] > 0.25
    assert found["thresholds"] == {"moderate": 0.1, "large": 0.25}
    assert {c["name"] for c in found["columns"]} == {"x", "colour"}
    Path("train.csv").rename("moved.csv")
    kept = run("drift", model, "new.csv", "--json").data
    by_name = {c["name"]: c for c in found["columns"]}
    assert [c for c in kept["columns"] if c != by_name[c["name"]]] == []
    given = run("drift", model, "new.csv", "--train", "moved.csv", "--json").data
    assert given == found
    Path("less.csv").write_text("x\n9\n1\n", "utf-8")  # without a column that no split needs
    less = run("drift", model, "less.csv", "--train", "moved.csv", "--json").data
    assert [c["name"] for c in less["columns"]] == ["x"]
    assert "叶结点的群体稳定性指标" in run("drift", model, "new.csv", "--lang", "zh").out


@pytest.mark.usefixtures("model")
def test_a_model_without_sketches_says_what_to_pass(run):
    done = run("fit", "train.csv", "-r", "cart-binary", "--no-sketch", "-o", "bare.tree")
    assert done.code == 0
    assert "columns" not in json.loads(Path("bare.tree").read_text("utf-8"))["about"]
    Path("train.csv").rename("moved.csv")
    done = run("drift", "bare.tree", "test.csv")
    assert done.code == 0
    assert "--train FILE" in done.out
    assert "--train FILE" not in run("drift", "bare.tree", "test.csv", "--train", "moved.csv").out


def test_the_report_shows_scores_and_lift(run, model):
    assert run("report", model, "--test", "test.csv", "--no-cross", "-o", "r.html").code == 0
    page = Path("r.html").read_text("utf-8")
    for words in ("baseline 66.7% (always no)", "ROC AUC 0", "Lift and gain by leaf", "PR AUC"):
        assert words in page
    done = run(
        "report", model, "--test", "test.csv", "--no-cross", "--positive", "no", "-o", "r.html"
    )
    assert done.code == 0
    assert "p(no)" in Path("r.html").read_text("utf-8")
