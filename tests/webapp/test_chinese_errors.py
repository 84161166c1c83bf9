"""Errors of the lab in Chinese: the only Latin words are those of the request."""

from __future__ import annotations

import json
import re

import pytest

from lab_rows import csv_rows
from penjing.i18n import say
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import answer

LATIN = re.compile(r"[A-Za-z]{2,}")
TYPED = {
    "penjing", "json", "JSON", "csv", "application", "training", "validation", "test", "column",
    "side", "level", "lab", "worksheet", "None", "alpha", "cp",
}  # fmt: skip
"""Words that are the same in every language, or that a request has to contain."""

WRONG = (
    ("GET", "nowhere", None),
    ("DELETE", "examples", None),
    ("GET", "table/none", None),
    ("POST", "table/{table}/columns", {"target": "zz"}),
    ("POST", "table/{table}/columns", {"schema": {"a": "zz"}}),
    ("POST", "table/{table}/columns", {"zz": 1}),
    ("POST", "table/{table}/columns", {"keep": 3}),
    ("POST", "workbook", {"table": "none"}),
    ("POST", "workbook", {"table": "{table}", "recipe": "zz"}),
    ("POST", "workbook", {"table": "{table}", "settings": {"zz": 1}}),
    ("POST", "workbook", {"table": "{table}", "settings": {"max_depth": -1}}),
    ("POST", "workbook", {"table": "{table}", "division": {"kind": "shares", "training": 2}}),
    ("POST", "workbook", {"table": "{table}", "division": 3}),
    ("POST", "workbook/none/step", {"act": "leaf", "node": 0}),
    ("POST", "workbook/{workbook}/step", {"act": "leaf", "node": 999}),
    ("POST", "workbook/{workbook}/step", {"act": "zz"}),
    ("POST", "workbook/{workbook}/step", {"act": "split", "node": 0, "column": "zz"}),
    (
        "POST",
        "workbook/{workbook}/step",
        {"act": "split", "node": 0, "column": "a", "threshold": 1e9},
    ),
    ("POST", "workbook/{workbook}/step", {"act": "leaf", "node": 0, "zz": 1}),
    ("POST", "workbook/{workbook}/step", {"act": "prune", "method": "zz"}),
    ("POST", "workbook/{workbook}/step", {"act": "prune", "method": "cost-complexity"}),
    ("POST", "workbook/{workbook}/undo", {}),
    ("POST", "workbook/{workbook}/redo", {}),
    ("GET", "workbook/{workbook}/tree/none", None),
    ("GET", "workbook/{workbook}/tree/{tree}/export/zz", None),
    ("POST", "exercise", {"seed": "zz"}),
    ("POST", "exercise", {"seed": 1, "recipe": "zz"}),
    ("POST", "exercise", {"seed": 1, "blanks": "zz"}),
    ("POST", "exercise", {"seed": 1, "depth": 99}),
    ("POST", "exercise", {"sheet": {"a": 1}}),
    ("POST", "replay", {"file": {"a": 1}}),
)  # fmt: skip


@pytest.fixture(scope="module")
def opened():
    lab = Lab()
    _, info = answer(lab, "POST", "table?name=r.csv", None, csv_rows(1))
    _, book = answer(lab, "POST", "workbook", {"table": info["table"], "recipe": "cart-binary"})
    return lab, {
        "table": info["table"],
        "workbook": book["workbook"],
        "tree": book["first"],
    }


@pytest.mark.parametrize(("method", "path", "body"), WRONG)
def test_an_error_has_no_english_words_in_chinese(opened, method, path, body):
    lab, names = opened
    text = json.dumps(body)
    for key, value in names.items():
        path, text = path.replace(f"{{{key}}}", value), text.replace(f"{{{key}}}", value)
    status, plain = answer(lab, method, path, json.loads(text))
    assert 400 <= status < 500, plain
    told = plain["error"]["message"]
    assert set(told) == {"en", "zh"}
    sentence = re.sub(r"`[^`]*`|可选[^。]*。|以下之一[^，]*，|现有的[^。]*。", "", told["zh"])
    known = TYPED | set(LATIN.findall(f"{path} {text}")) | {method}
    assert set(LATIN.findall(sentence)) <= known, told["zh"]
    assert re.search("[\u4e00-\u9fff]", told["zh"])
    assert told["zh"].endswith(("。", "？", "`"))
    assert not re.search("[\u4e00-\u9fff]", told["en"])


def test_what_only_the_server_says_is_chinese_too():
    for key in ("lab_no_token", "lab_refused_host", "lab_refused_origin", "lab_body_json"):
        assert set(LATIN.findall(say(key, "zh"))) <= TYPED, key


def test_no_format_is_listed_twice(opened):
    lab, names = opened
    path = f"workbook/{names['workbook']}/tree/{names['tree']}/export/zz"
    _, plain = answer(lab, "GET", path, None)
    listed = plain["error"]["message"]["en"].split(": ")[1].rstrip(".").split(", ")
    assert len(listed) == len(set(listed)) > 10
