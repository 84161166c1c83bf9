"""The lab in a notebook: messages of the widget have the answers of the routes."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pytest

import penjing
from lab_rows import csv_rows


def replies_of(widget, monkeypatch):
    """Return the messages that a widget sends from now on."""
    sent = []
    monkeypatch.setattr(type(widget), "send", lambda _, content, *__: sent.append(content))
    return sent


def wait_for(sent, number):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = [message for message in sent if message.get("ask") == number]
        if found:
            return found[0]
        time.sleep(0.005)
    raise TimeoutError


def test_a_step_comes_back_to_python_as_a_new_tree(monkeypatch):
    melons = penjing.example("watermelon2.0")
    tree = penjing.fit(melons)
    widget = tree.lab(lang="zh")
    assert widget.lang == "zh"
    assert widget.tree == tree
    sent = replies_of(widget, monkeypatch)
    before = widget.current
    step = {"act": "split", "node": 0, "column": "脐部"}
    message = {"ask": 7, "method": "POST", "path": f"workbook/{widget.workbook}/step?job=a",
               "body": step}  # fmt: skip
    widget._receive(widget, message, [])
    reply = wait_for(sent, 7)
    assert reply["status"] == 200
    assert reply["answer"]["changed"]
    assert widget.current == reply["answer"]["tree"]["tree"] != before
    assert widget.tree == tree.replace_split(0, "脐部")
    assert [m["event"]["state"] for m in sent if "event" in m][-1] == "done"
    widget.close()


def test_files_failures_and_nonsense_are_answered(monkeypatch):
    widget = penjing.lab(csv_rows(1), "target", "cart-binary", quiet=True, shares=(0.5, 0.5, 0))
    assert widget.ask("GET", f"workbook/{widget.workbook}")["division"]["rows"]["validation"] == 30
    sent = replies_of(widget, monkeypatch)
    upload = {"ask": 1, "method": "POST", "path": "table?name=x.csv", "body": None}
    widget._receive(widget, upload, [memoryview(csv_rows(2))])
    assert wait_for(sent, 1)["answer"]["rows"] == 60
    widget._receive(widget, {"ask": 2, "method": "GET", "path": "nothing"}, None)
    assert wait_for(sent, 2)["status"] == 404
    widget._receive(widget, {"ask": 3, "method": "POST", "path": "workbook", "body": 5}, None)
    assert wait_for(sent, 3)["status"] == 400
    for nonsense in (None, [], {}, "x"):
        widget._receive(widget, nonsense, None)
    widget.close()


def test_what_a_tree_has_already_is_refused():
    tree = penjing.fit(penjing.example("fish"))
    for options in ({"recipe": "id3"}, {"target": "fish"}, {"shares": (1, 0, 0)}):
        with pytest.raises(penjing.ChoiceError):
            penjing.lab(tree, **options)
    with pytest.raises(penjing.ChoiceError):
        penjing.lab(penjing.example("fish"), lang="fr")
    with pytest.raises(penjing.ChoiceError):
        penjing.lab(csv_rows(1), "target", shares=(0.5, 0.1, 0.1), quiet=True)


def test_without_the_extra_there_is_one_clear_sentence(monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == "anywidget"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "penjing.webapp.notebook_widget", raising=False)
    monkeypatch.delattr("penjing.webapp.notebook_widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(penjing.CapabilityError, match=r"penjing\[notebook\]"):
        penjing.lab(penjing.example("fish"))


def test_the_tree_that_is_opened_keeps_its_own_training_rows():
    rows = penjing.example("watermelon2.0")
    tree = penjing.fit(rows, recipe="id3")
    tree.lab(training=rows.take(range(rows.n_rows)))
    assert tree.training_table() is rows
    assert tree.why(0).candidates


@pytest.mark.parametrize(
    "settings",
    [
        {"cp": np.float64(0.02), "max_depth": np.int64(2)},
        {"prior": np.array([0.4, 0.6])},
        {"loss": ((np.int64(0), 1), (2, 0))},
        {"cp": float("inf")},
    ],
)
def test_settings_of_numpy_are_saved_and_written(settings):
    table = penjing.example("watermelon3.0")
    widget = penjing.lab(table, recipe="rpart", quiet=True, **settings)
    base = f"workbook/{widget.workbook}"
    state = widget.ask("GET", base)
    file = json.loads(widget.ask("GET", f"{base}/file")["content"])
    again = widget.ask("POST", "replay", {"file": file, "table": state["table"]})
    assert again["current"] == state["current"]
    script = widget.ask("GET", f"{base}/script")["content"]
    namespace: dict = {}
    exec(script.replace("DATA = None", "DATA = 'example:watermelon3.0'"), namespace)  # noqa: S102
    assert namespace["tree"] == widget.tree


def test_the_script_of_a_tree_says_which_file_it_loads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    widget = tree.lab()
    widget.ask("POST", f"workbook/{widget.workbook}/step", {"act": "leaf", "node": 1})
    script = widget.ask("GET", f"workbook/{widget.workbook}/script?lang=zh")["content"]
    assert "tree.save('model.tree')" in script
    tree.save("model.tree")
    namespace: dict = {}
    exec(script.replace("DATA = None", "DATA = 'example:watermelon2.0'"), namespace)  # noqa: S102
    assert namespace["tree"] == widget.tree


def test_a_closed_workbook_leaves_the_widget_answering():
    widget = penjing.lab(penjing.example("fish"))
    assert widget.ask("DELETE", f"workbook/{widget.workbook}") == {}
    assert widget.ask("GET", "lab")["protocol"] == 1
    with pytest.raises(penjing.PenjingError, match="no workbook"):
        _ = widget.tree
