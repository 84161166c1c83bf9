"""Every route: its answer has the fields of protocol.d.ts, and the numbers of the Python API."""

from __future__ import annotations

import ast
import base64
import gzip
import json
import math
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

import penjing
from lab_rows import csv_rows
from penjing.evaluate.curves import pruning_curve
from penjing.i18n import LANGUAGES, catalogue
from penjing.render.html.page_data import page_data
from penjing.webapp import routes
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import ROUTES, answer, encoded

PROTOCOL = Path(routes.__file__).with_name("protocol.d.ts").read_text("utf-8")
README = Path(routes.__file__).with_name("README.md").read_text("utf-8")


def interfaces():
    """Return the fields of each interface of the protocol."""
    plain = re.sub(r"/\*\*.*?\*/|//[^\n]*", "", PROTOCOL, flags=re.DOTALL)
    found = {}
    for match in re.finditer(r"interface (\w+) \{", plain):
        depth, at, flat = 1, match.end(), ""
        while depth:
            depth += {"{": 1, "}": -1}.get(plain[at], 0)
            flat += plain[at] if depth == 1 else ""
            at += 1
        found[match[1]] = {name.rstrip("?") for name in re.findall(r"(\w+\??)\s*:", flat)}
    return found


FIELDS = interfaces()


class Direct:
    """Asks the routes without HTTP, and notes which were asked."""

    def __init__(self):
        self.lab, self.asked = Lab(), set()

    def __call__(self, method, path, body=None, content=None, *, of=None):
        status, plain = answer(self.lab, method, path, body, content)
        assert status == 200, plain
        self.asked.add(routes.find_route(method, path)[0])
        plain = json.loads(encoded(plain), parse_constant=pytest.fail)
        if of is not None:
            assert set(plain) == FIELDS[of], of
        return plain


@pytest.fixture(scope="module", params=["classes", "numbers"])
def opened(request):
    """A lab with a divided table of classes or numbers, and the same rows in Python."""
    ask = Direct()
    content = csv_rows(11, 300, request.param == "numbers")
    info = ask("POST", "table?name=rows.csv", content=content, of="TableInfo")
    settings = {"max_depth": 4}
    division = {"kind": "shares", "training": 0.6, "validation": 0.2, "test": 0.2, "seed": 3}
    body = {"table": info["table"], "recipe": "cart-binary", "settings": settings,
            "division": division}  # fmt: skip
    book = ask("POST", "workbook", body, of="Workbook")
    table = penjing.read(content, "target", quiet=True, name="rows.csv")
    training, rest = penjing.hold_out(table, 0.4, 3)
    validation, test = penjing.hold_out(rest, 0.5, 3)
    tree = penjing.fit(training, recipe="cart-binary", sketch=True, **settings)
    parts = {"training": training, "validation": validation, "test": test}
    return ask, info, book, tree, parts


def json_of(plain):
    return json.loads(encoded(plain))


def test_the_table_is_described(opened):
    ask, info, book, _, parts = opened
    assert info == ask("GET", f"table/{info['table']}", of="TableInfo")
    assert info["rows"] == sum(book["division"]["rows"].values()) == 300
    assert book["division"]["rows"] == {k: v.n_rows for k, v in parts.items()}
    for column in info["columns"]:
        assert set(column) == FIELDS["ColumnInfo"]
        assert set(column["histogram"]) == FIELDS["Histogram"]
        assert sum(column["histogram"]["counts"]) + column["histogram"]["others"] == 300
    assert {c["name"]: c["type"] for c in info["columns"]}["c"] == "categorical"
    page = ask("GET", f"table/{info['table']}/rows?start=290&count=50", of="RowsPage")
    assert (page["total"], len(page["rows"]), page["numbers"][-1]) == (300, 10, 300)
    other = ask("POST", f"table/{info['table']}/columns", {"schema": {"a": "categorical"}})
    assert {c["name"]: c["type"] for c in other["columns"]}["a"] == "categorical"
    assert other["table"] != info["table"]
    assert ask("DELETE", f"table/{other['table']}") == {}


def test_trees_and_steps_have_the_numbers_of_python(opened):
    ask, _, book, tree, parts = opened
    base = f"workbook/{book['workbook']}"
    view = ask("GET", f"{base}/tree/{book['current']}", of="TreeView")
    assert (view["leaves"], view["depth"]) == (tree.n_leaves, tree.depth)
    kind = "NumberScore" if tree.is_regression else "ClassScore"
    assert set(view["training"]) == set(view["validation"]) == FIELDS[kind]
    assert view["page"]["parent"] == tree.nodes.parent.tolist()
    preview = ask("POST", f"{base}/preview", {"act": "split", "node": 1, "column": "d"},
                  of="Preview")  # fmt: skip
    assert set(preview["branches"][0]) == FIELDS["PreviewBranch"]
    looks = ask("GET", base)["validation_looks"]
    assert looks == 1
    changed = tree.replace_split(1, "d", validation=parts["validation"])
    result = ask("POST", f"{base}/step", {"act": "split", "node": 1, "column": "d"},
                 of="StepResult")  # fmt: skip
    assert set(result["workbook"]) == FIELDS["Workbook"]
    assert all(set(entry) == FIELDS["HistoryEntry"] for entry in result["workbook"]["history"])
    assert result["tree"]["leaves"] == preview["leaves"] == changed.n_leaves
    assert result["tree"]["training"] == preview["training"]
    assert result["tree"]["forced"] == [1]
    assert result["workbook"]["validation_looks"] == 2
    cost = changed.edit_cost
    for part in ("training", "validation"):
        change = result["changes"][part]
        assert set(change) == FIELDS["PartChange"]
        assert all(set(row) == FIELDS["ChangedRow"] for row in change["rows"])
        assert change["n_changed"] == getattr(cost, part).changed
    assert preview["n_changed"] == result["changes"]["training"]["n_changed"]
    undone = ask("POST", f"{base}/undo", of="StepResult")
    assert undone["workbook"]["current"] == book["current"]
    assert undone["changes"]["training"]["change"] == -result["changes"]["training"]["change"]
    redone = ask("POST", f"{base}/redo", of="StepResult")
    assert redone["tree"]["tree"] == result["tree"]["tree"]
    assert (
        ask("POST", f"{base}/go", {"tree": book["first"]})["workbook"]["current"] == book["first"]
    )


def assert_is_searched(tree, node, told, training):
    """Check the candidates of a leaf: each is the split that one can choose there."""
    assert told["stop"]["en"] in told["text"]["en"]
    assert all(not candidate["is_chosen"] for candidate in told["why"]["candidates"])
    for candidate in told["why"]["candidates"]:
        if candidate["score"] is not None:
            changed = tree.replace_split(node, candidate["column"], data=training)
            assert changed.nodes.score[node] == pytest.approx(candidate["score"])


def test_the_picture_is_that_of_the_exported_page_without_its_replay(opened):
    ask, _, book, tree, _ = opened
    view = ask("GET", f"workbook/{book['workbook']}/tree/{book['first']}?lang=zh")
    exported = page_data(tree, "zh", "light", None)
    assert exported["replay"] is not None
    assert view["page"] == json_of({**exported, "replay": None})


def test_candidates_and_curves_are_those_of_why(opened):
    ask, _, book, tree, parts = opened
    base = f"workbook/{book['workbook']}/tree/{book['first']}"
    for node in range(tree.n_nodes):
        told = ask("GET", f"{base}/why/{node}", of="Why")
        own = tree.why(node, parts["training"])
        if told["why"]["candidates"] and not own.candidates:  # a leaf that was not searched
            assert_is_searched(tree, node, told, parts["training"])
        else:
            assert told["why"] == json_of(own.to_dict())
            assert told["text"] == {"en": own.text(), "zh": own.text("zh")}
        assert (told["stop"] is None) == (own.to_dict()["stop"] is None)
        for candidate in told["why"]["candidates"]:
            if "cuts" not in candidate or not candidate["cuts"]:
                continue
            column = quote(candidate["column"])
            curve = ask("GET", f"{base}/thresholds/{node}?column={column}", of="Thresholds")
            assert curve["n_cuts"] == candidate["n_cuts"] == len(curve["cuts"])
            assert curve["best"] == candidate["cut"] or candidate["is_chosen"]
            pairs = dict(zip(curve["cuts"], curve["gains"], strict=True))
            for cut, gain in zip(candidate["cuts"], candidate["gains"], strict=True):
                assert pairs[cut] == gain
    counts = ask("GET", f"{base}/categories/0?column=c", of="Categories")
    column = parts["training"].column("c")
    sizes = dict(zip(column.levels, np.bincount(column.codes).tolist(), strict=True))
    assert {c["category"]: c["rows"] for c in counts["categories"]} == sizes
    assert {level for group in counts["groups"] for level in group} <= set(column.levels)
    status, failure = answer(ask.lab, "GET", f"{base}/thresholds/0?column=c")
    assert (status, failure["error"]["key"]) == (400, "force_threshold_categorical")


def test_all_thresholds_of_many_values_are_on_the_curve():
    ask = Direct()
    random = np.random.RandomState(0)
    x = random.permutation(900).tolist()
    text = "x,class\n" + "".join(f"{v}.5,{'a' if v % 7 else 'b'}\n" for v in x)
    for recipe in ("cart-binary", "c4.5", "rpart", "sklearn"):
        table = ask("POST", "table?name=x.csv", content=text.encode())["table"]
        whole = {"kind": "shares", "training": 1, "validation": 0, "test": 0}
        body = {"table": table, "recipe": recipe, "division": whole}
        book = ask("POST", "workbook", body)
        base = f"workbook/{book['workbook']}/tree/{book['first']}"
        curve = ask("GET", f"{base}/thresholds/0?column=x")
        assert len(curve["cuts"]) == curve["n_cuts"] == 899
        shown = ask("GET", f"{base}/why/0")["why"]["candidates"][0]
        assert len(shown["cuts"]) == 200
        pairs = dict(zip(curve["cuts"], curve["gains"], strict=True))
        assert [pairs[cut] for cut in shown["cuts"]] == shown["gains"]


def test_rows_of_a_node_are_those_that_reach_it(opened):
    ask, _, book, tree, parts = opened
    base = f"workbook/{book['workbook']}/tree/{book['first']}"
    for part in ("training", "validation"):
        rows = parts[part]
        stops = tree.apply(rows)
        predictions = tree.predict(rows)
        for node in (0, 1, tree.n_nodes - 1):
            reaching = [row for row, stop in enumerate(stops) if node in tree.path(int(stop))]
            page = ask("GET", f"{base}/rows/{node}?part={part}&start=2&count=5", of="RowsPage")
            assert page["total"] == len(reaching)
            assert page["numbers"] == [rows.row_number(row) for row in reaching[2:7]]
            assert page["predictions"] == [predictions[row] for row in reaching[2:7]]
    for query, status in (("part=test", 409), ("count=501", 400), ("start=-1", 400),
                          ("count=x", 400)):  # fmt: skip
        assert answer(ask.lab, "GET", f"{base}/rows/0?{query}")[0] == status
    for node in ("-1", "99999", "x", "1e3", ""):
        assert answer(ask.lab, "GET", f"{base}/rows/{node}")[0] == 404


def test_the_pruning_path_has_error_bars_and_each_point_can_be_taken(opened):
    ask, _, book, tree, parts = opened
    base = f"workbook/{book['workbook']}"
    path = ask("GET", f"{base}/tree/{book['first']}/pruning", of="PruningPath")
    own = pruning_curve(tree, parts["training"], parts["validation"])
    for point, same in zip(path["points"], own["points"], strict=True):
        assert set(point) == FIELDS["PruningPoint"]
        assert [point[k] for k in ("alpha", "leaves", "training", "validation")] == [
            same[k] for k in ("alpha", "leaves", "train", "test")
        ]
        if not tree.is_regression:
            value, n = point["validation"], parts["validation"].n_rows
            assert point["error"] == math.sqrt(value * (1 - value) / n)
    for point in path["points"][1:]:
        step = {"act": "prune", "method": "cost-complexity", "options": {"alpha": point["alpha"]},
                "tree": book["first"]}  # fmt: skip
        taken = ask("POST", f"{base}/step", step)
        assert taken["tree"]["leaves"] == point["leaves"]
        measure = "rmse" if tree.is_regression else "accuracy"
        assert taken["tree"]["validation"][measure] == point["validation"]
    blind = ask("GET", f"{base}/tree/{book['first']}/pruning?validation=0")
    assert all(point["validation"] is None for point in blind["points"])
    ask("POST", f"{base}/go", {"tree": book["first"]})


def test_texts_rules_scores_and_files_are_those_of_the_tree(opened):
    ask, _, book, tree, parts = opened
    base = f"workbook/{book['workbook']}/tree/{book['first']}"
    rules = ask("GET", f"{base}/rules?lang=zh", of="Rules")
    assert rules["text"] == tree.write("rules", lang="zh")
    assert len(rules["rules"]) == tree.n_leaves
    for part in ("training", "validation"):
        report = tree.score(parts[part])
        told = ask("GET", f"{base}/score?part={part}", of="ScoreReport")
        assert told["report"] == json_of(report.to_json())
        assert told["text"] == {"en": report.text(), "zh": report.text("zh")}
    assert answer(ask.lab, "GET", f"{base}/score?part=test")[0] == 409
    importances = ask("GET", f"{base}/importances", of="Importances")["importances"]
    assert importances == json_of(tree.importances().to_dict())
    row = {"a": 3, "b": 0.5, "c": "x"}
    told = ask("POST", f"{base}/explain", {"row": row}, of="Explained")
    assert told["explanation"] == json_of(tree.explain(row).to_json())
    for kind in ("text", "svg", "html", "markdown", "dot", "rules", "nested", "dict", "icicle"):
        file = ask("GET", f"{base}/export/{kind}?lang=zh", of="FileAnswer")
        style = {} if kind in ("nested", "dict") else {"lang": "zh"}
        own = tree.write(kind, **style)
        assert (ast.literal_eval(file["content"]) if kind == "dict" else file["content"]) == own
    for kind in ("python", "sql", "c", "pmml"):
        assert ask("GET", f"{base}/export/{kind}")["content"] == tree.export(kind)
    file = ask("GET", f"{base}/export/onnx")
    assert base64.b64decode(file["content"]) == tree.export("onnx")
    model = ask("GET", f"{base}/export/model")
    assert json.loads(model["content"])["target"] == json_of(tree.to_json())["target"]
    report = ask("GET", f"{base}/report?lang=zh&theme=dark", of="FileAnswer")
    assert report["content"].startswith("<!doctype html>")
    for path in ("export/nothing", "export/..%2F..%2Fetc", "report?theme=pink", "rules?lang=fr"):
        assert answer(ask.lab, "GET", f"{base}/{path}")[0] in (400, 404)


def test_of_many_rules_the_first_are_listed(opened, monkeypatch):
    ask, _, book, tree, _ = opened
    path = f"workbook/{book['workbook']}/tree/{book['first']}/rules"
    whole = ask("GET", path, of="Rules")
    assert whole["total"] == tree.n_leaves > 3
    monkeypatch.setattr("penjing.webapp.questions.MAX_RULES", 3)
    assert ask("GET", path) == {**whole, "rules": whole["rules"][:3], "text": None}


def test_comparison_copy_replay_and_finish(opened):
    ask, info, book, tree, parts = opened
    base = f"workbook/{book['workbook']}"
    leaf = ask("POST", f"{base}/step", {"act": "leaf", "node": 1, "tree": book["first"]})
    other = leaf["tree"]["tree"]
    told = ask("GET", f"{base}/compare/{book['first']}/{other}", of="Compared")
    tables = {part: parts[part] for part in ("training", "validation")}
    own = penjing.compare(tree, tree.prune_at(1), tables)
    assert told["comparison"] == json_of(own.to_dict())
    assert told["text"]["zh"] == own.text("zh")
    copy = ask("POST", f"{base}/copy", of="Workbook")
    assert copy["workbook"] != book["workbook"]
    assert copy["current"] == other
    file = json.loads(ask("GET", f"{base}/file", of="FileAnswer")["content"])
    assert set(file) == FIELDS["WorkbookFile"]
    again = ask("POST", "replay", {"file": file, "table": info["table"]}, of="Workbook")
    assert again["history"] == ask("GET", base)["history"]
    assert "penjing.hold_out" in ask("GET", f"{base}/script?lang=zh", of="FileAnswer")["content"]
    finished = ask("POST", f"{base}/finish", of="Finish")
    assert finished["report"] == json_of(tree.prune_at(1).score(parts["test"]).to_json())
    assert ask("GET", base)["finished"] == finished
    ask("POST", f"{base}/undo")
    status, failure = answer(ask.lab, "POST", f"{base}/finish")
    assert (status, failure["error"]["key"]) == (409, "lab_test_opened")
    assert ask("DELETE", f"workbook/{copy['workbook']}") == {}
    assert answer(ask.lab, "GET", f"workbook/{copy['workbook']}")[0] == 404


def test_classes_that_javascript_would_round_are_texts():
    ask, long = Direct(), 2**53 + 1
    rows = "".join(f"{i % 9},{'pq'[i % 9 > 4]},{long + 2 * (i % 9 > 4)}\n" for i in range(90))
    content = b"a,b,class\n" + rows.encode()
    table = ask("POST", "table?name=a.csv", content=content)["table"]
    table = ask("POST", f"table/{table}/columns", {"schema": {"class": "categorical"}})["table"]
    book = ask("POST", "workbook", {"table": table, "recipe": "cart-binary"})
    path = f"workbook/{book['workbook']}"
    shown = ask("GET", f"{path}/tree/{book['current']}/rows/0")
    assert shown["predictions"] == [row[-1] for row in shown["rows"]]
    assert {*shown["predictions"]} <= {str(long), str(long + 2)}
    changes = ask("POST", f"{path}/step", {"act": "leaf", "node": 0})["changes"]["training"]
    row = changes["rows"][0]
    assert {row["before"], row["after"]} == {str(long), str(long + 2)}
    assert row["before"] == row["actual"]


def test_test_rows_that_a_workbook_file_has_opened_are_not_new():
    content, shares = csv_rows(4, 100), {"training": 0.6, "validation": 0.2, "test": 0.2}
    division = {"kind": "shares", "seed": 0, **shares}
    files = []
    for _ in range(2):
        ask = Direct()
        table = ask("POST", "table?name=a.csv", content=content)["table"]
        for file in files:
            ask("POST", "replay", {"file": file, "table": table})
        body = {"table": table, "recipe": "cart-binary", "division": division}
        path = f"workbook/{ask('POST', 'workbook', body)['workbook']}"
        text = ask("POST", f"{path}/finish")["text"]["en"]
        assert ("have been used before" in text) == bool(files), text
        files.append(json.loads(ask("GET", f"{path}/file")["content"]))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_errors_of_a_workbook_do_not_blame_its_table(lang):
    ask = Direct()
    table = ask("POST", "table/example", {"example": "fish"})["table"]
    book = ask("POST", "workbook", {"table": table})
    file = json.loads(ask("GET", f"workbook/{book['workbook']}/file")["content"])
    odd_step = {"tree": "a", "parent": "none of them", "step": {"act": "leaf", "path": []}}
    changes = [
        {"steps": []}, {"steps": [*file["steps"], odd_step]}, {"version": 2}, {"format": "x"},
        {"data": {**file["data"], "reading": {"source": "/etc/passwd"}}},
    ]  # fmt: skip
    for change in changes:
        body = {"file": {**file, **change}, "table": table}
        status, failure = answer(ask.lab, "POST", "replay", body)
        text = failure["error"]["message"][lang]
        assert status == 400
        assert "fish" not in text, text
        assert "file " not in text.replace("the file ", ""), text


def test_other_tables_are_validation_and_test_rows():
    ask = Direct()
    ids = [ask("POST", f"table?name={n}.csv", content=csv_rows(seed, 100))["table"]
           for n, seed in (("a", 1), ("b", 2), ("c", 3))]  # fmt: skip
    division = {"kind": "tables", "validation": ids[1], "test": ids[2]}
    body = {"table": ids[0], "recipe": "cart-binary", "division": division}
    book = ask("POST", "workbook", body)
    assert book["division"]["rows"] == {"training": 100, "validation": 100, "test": 100}
    base = f"workbook/{book['workbook']}"
    tree = penjing.fit(csv_rows(1, 100), "target", "cart-binary", quiet=True)
    view = ask("GET", f"{base}/tree/{book['first']}")
    assert view["validation"]["correct"] == tree.score(csv_rows(2, 100)).correct
    file = json.loads(ask("GET", f"{base}/file")["content"])
    replayed = {"file": file, "table": ids[0], "validation": ids[1], "test": ids[2]}
    assert ask("POST", "replay", replayed)["first"] == book["first"]
    status, failure = answer(ask.lab, "POST", "replay", {"file": file, "table": ids[0]})
    assert (status, failure["error"]["key"]) == (400, "lab_needs_table_validation")


@pytest.mark.parametrize(
    "division",
    [
        5, {}, {"kind": "other"}, {"kind": "shares", "training": 2, "validation": 0, "test": -1},
        {"kind": "shares", "training": 0, "validation": 1, "test": 0},
        {"kind": "shares", "training": "a", "validation": 0, "test": 0},
        {"kind": "shares", "training": 0.5, "validation": 0.1, "test": 0.1},
        {"kind": "shares", "training": 1, "validation": 0, "test": 0, "seed": -1},
        {"kind": "shares", "training": 1, "validation": 0, "test": 0, "path": "x"},
    ],
)  # fmt: skip
def test_divisions_that_mean_nothing_are_refused(division):
    ask = Direct()
    table = ask("POST", "table/example", {"example": "golf"})["table"]
    status, _ = answer(ask.lab, "POST", "workbook", {"table": table, "division": division})
    assert status == 400


WRITTEN = re.compile(r"penjing\.|[a-z_]+=\S|schema|\w\(…|`|--[a-z]")
"""What is written in Python or on a command line."""


def test_messages_of_the_lab_say_what_to_click():
    forms = [
        key for lang in LANGUAGES for key in catalogue(lang) if key.endswith(("_lab", "_lab_one"))
    ]
    assert len(forms) > 40
    for lang in LANGUAGES:
        texts = {k: v for k, v in catalogue(lang).items() if k in forms}
        assert not [key for key, text in texts.items() if WRITTEN.search(text)]
    # A note that names an option of the command is one that a table of the lab may have.
    named = [k.removesuffix("_cli") for k in catalogue("en") if re.fullmatch("note_.*_cli", k)]
    others = {"note_leaves_are_numbers", "note_errors_by_class"}  # of trees written by hand
    assert [k for k in named if f"{k}_lab" not in catalogue("en") and k not in others] == []


def test_notes_of_a_table_speak_of_the_page():
    lines = [
        f"{i * 7 % 13},2024-0{i % 9 + 1}-1{i % 9},{'yes' if i % 3 else 'no'},"
        f"{['Oslo', 'oslo', 'Rome'][i % 3]},00{i % 40},{'n/a?' if i == 5 else i % 11},"
        f"{'xy'[i % 3 > 0]}"
        for i in range(600)
    ]
    content = "\n".join(["age,when,refund,city,code,score,bought", *lines]).encode()
    ask = Direct()
    info = ask("POST", "table?name=notes.csv", content=content)
    info = ask("POST", f"table/{info['table']}/columns", {"target": "bought"})
    keys = {note["key"] for note in info["notes"]}
    assert keys >= {"note_left_out_date", "note_target_copy", "note_spelling_categories",
                    "note_leading_zeros", "note_odd_number"}  # fmt: skip
    for note in info["notes"]:
        for text in note["text"].values():
            assert not WRITTEN.search(text), text
    leak = next(note["text"] for note in info["notes"] if note["key"] == "note_target_copy")
    assert leak["en"].endswith("choose 'left out' as its type below.")
    assert leak["zh"].endswith("请在下表中将它的类型改为“不使用”。")
    # What is to be clicked has these words.
    for lang, word in (("en", "left out"), ("zh", "不使用")):
        assert catalogue(lang)["lab_page_type_ignore"] == word
        assert word in leak[lang]


def test_an_export_that_is_impossible_says_to_choose_another_format():
    ask = Direct()
    rows = "".join(f"{i % 9 if i % 7 else ''},{'pq'[i % 3 > 0]}\n" for i in range(90))
    table = ask("POST", "table?name=a.csv", content=f"a,class\n{rows}".encode())["table"]
    book = ask("POST", "workbook", {"table": table, "recipe": "c4.5"})
    path = f"workbook/{book['workbook']}/tree/{book['current']}/export"
    for kind in ("pmml", "excel"):
        status, failed = answer(ask.lab, "GET", f"{path}/{kind}")
        assert (status, failed["error"]["key"]) == (400, "export_no_shares")
        for text in failed["error"]["message"].values():
            assert not WRITTEN.search(text), text
            assert "Python" in text
    ask("GET", f"{path}/python")
    ask("GET", f"{path}/sql")


def test_a_file_that_expands_too_far_says_what_to_open(monkeypatch):
    monkeypatch.setattr("penjing.webapp.table_source.UPLOAD_BYTES", 2**20)
    content = gzip.compress(b"a,y\n" + b"1,p\n" * 2**20)
    status, failed = answer(Lab(), "POST", "table?name=a.csv.gz", None, content)
    assert (status, failed["error"]["key"]) == (400, "too_much_to_read")
    for text in failed["error"]["message"].values():
        assert not WRITTEN.search(text), text


def test_tables_with_many_cells_are_dropped_but_for_the_last_four(monkeypatch):
    monkeypatch.setattr("penjing.webapp.lab_state.MAX_CELLS", 500 * 5)
    ask = Direct()
    first = ask("POST", "table?name=a.csv", content=csv_rows(1, 300))["table"]
    book = ask("POST", "workbook", {"table": first, "recipe": "cart-binary"})["workbook"]
    tables = [first]
    for name in "abcda":
        path = f"table/{tables[-1]}/columns"
        tables.append(ask("POST", path, {"schema": {name: "categorical"}})["table"])
    kept = [answer(ask.lab, "GET", f"table/{table}")[0] == 200 for table in tables]
    assert kept == [False, False, True, True, True, True]
    ask("POST", f"workbook/{book}/step", {"act": "split", "node": 0, "column": "d"})
    small = [ask("POST", "table/example", {"example": "fish"})["table"] for _ in range(9)]
    assert {answer(ask.lab, "GET", f"table/{table}")[0] for table in small} == {200}


def test_errors_of_the_lab_speak_of_the_page():
    ask = Direct()
    content = "x,y\n" + "".join(f"{i},{'ab'[i % 2] if i else '?!'}\n" for i in range(60))
    info = ask("POST", "table?name=xy.csv", content=content.encode())
    body = {"target": "x", "schema": {"y": "numeric"}}
    status, failed = answer(ask.lab, "POST", f"table/{info['table']}/columns", body)
    assert (status, failed["error"]["key"]) == (400, "not_a_number")
    for text in failed["error"]["message"].values():
        assert not WRITTEN.search(text), text


def test_a_table_without_a_target_waits_for_one():
    ask = Direct()
    content = "x,y\n" + "".join(f"{i},{i * 1.25}\n" for i in range(60))
    info = ask("POST", "table?name=xy.csv", content=content.encode())
    assert info["target"] is None
    status, failure = answer(ask.lab, "POST", "workbook", {"table": info["table"]})
    assert (status, failure["error"]["key"]) == (400, "no_target_in_table")
    chosen = ask("POST", f"table/{info['table']}/columns", {"target": "y"})
    assert (chosen["target"], chosen["is_regression"]) == ("y", True)
    assert ask("POST", "workbook", {"table": chosen["table"]})["target"] == "y"


def test_many_classes_many_levels_and_hostile_names_are_plain_data():
    ask = Direct()
    random = np.random.RandomState(1)
    names = ["</script><b>", "a,b=c", "=1+1", "x\u202ey"]
    header = ",".join(f'"{name}"' for name in names) + ",class\n"
    levels = [f"<{i}>" for i in range(200)]
    rows = "".join(
        f'"{random.choice(levels)}",{random.randint(9)},"{random.choice(levels[:5])}",'
        f"{random.randint(3)},k{random.randint(26)}\n" for _ in range(900)
    )  # fmt: skip
    info = ask("POST", "table?name=%3Cb%3E.csv", content=(header + rows).encode())
    assert [c["name"] for c in info["columns"]][:3] == names[:3]
    for recipe in ("id3", "c4.5", "sklearn"):
        book = ask("POST", "workbook", {"table": info["table"], "recipe": recipe})
        base = f"workbook/{book['workbook']}"
        tree = ask("GET", f"{base}/tree/{book['first']}")
        assert len(tree["page"]["classes"]) == 26
        ask("GET", f"{base}/tree/{book['first']}/why/0")
        column = quote(names[0])
        ask("POST", f"{base}/step", {"act": "split", "node": 0, "column": names[0]})
        if recipe != "sklearn":
            ask("GET", f"{base}/tree/{book['first']}/categories/0?column={column}")
        ask("GET", f"{base}/script")


def test_a_large_tree_is_drawn_down_to_a_depth_with_the_same_numbers(opened, monkeypatch):
    ask, _, book, tree, _ = opened
    monkeypatch.setattr("penjing.webapp.questions.MAX_PAGE_NODES", 8)
    path = f"workbook/{book['workbook']}/tree/{book['first']}?lang=zh"
    view = ask("GET", path, of="TreeView")
    depth, page = view["shown_depth"], view["page"]
    n = int((tree.depths <= depth).sum())
    assert n <= 8 < (tree.depths <= depth + 1).sum()
    assert page["parent"] == tree.nodes.parent[:n].tolist()
    assert page["total"] == [[int(v) if v == int(v) else v for v in row]
                             for row in tree.nodes.total[:n].tolist()]  # fmt: skip
    assert view["leaves"] == tree.n_leaves


def test_the_lab_tells_what_it_has():
    ask = Direct()
    info = ask("GET", "lab", of="LabInfo")
    assert set(info["limits"]) == FIELDS["Limits"]
    assert set(info["start"]) == FIELDS["StartPoint"]
    assert all(set(example) == FIELDS["ExampleInfo"] for example in info["examples"])
    assert all(set(recipe) == FIELDS["RecipeInfo"] for recipe in info["recipes"])
    assert "cart-binary" in info["worksheet_recipes"]
    assert "rpart" not in info["worksheet_recipes"]
    assert set(info["words"]) == {"en", "zh"}
    words = {lang: set(info["words"][lang]) for lang in ("en", "zh")}
    assert {key for key in words["en"] if not key.endswith("_one")} == words["zh"]


def test_the_readme_lists_every_route():
    listed = set(re.findall(r"^\| `(GET|POST|DELETE) ([^`?]+)", README, re.MULTILINE))
    listed |= {("POST", "workbook/{w}/redo")}
    renamed = {"{workbook}": "{w}", "{tree}": "{t}", "{node}": "{n}", "{other}": "{t2}",
               "{exercise}": "{e}"}  # fmt: skip
    for route in ROUTES:
        path = route.path
        for name, short in renamed.items():
            path = path.replace(name, short)
        assert (route.method, path) in listed, path
    assert len(listed) == len(ROUTES) + 1  # events are a stream


def test_internal_errors_are_answers_without_details(monkeypatch, caplog):
    lab = Lab()
    monkeypatch.setattr(Lab, "table_info", lambda *_: 1 / 0)
    status, plain = answer(lab, "POST", "table/example", {"example": "fish"})
    assert status == 500
    assert plain["error"]["key"] == "lab_internal_error"
    assert "division by zero" not in json.dumps(plain)
    assert "ZeroDivisionError" in caplog.text
