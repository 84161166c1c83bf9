"""Random requests: whatever comes, the answer is plain data and never an internal error."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab_rows import csv_rows
from penjing.api.settings import PruneOptions, Settings
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import ROUTES, answer, encoded

NAMES = (
    "act", "node", "path", "column", "threshold", "groups", "settings", "method", "options", "tree",
    "table", "recipe", "division", "forbid", "kind", "training", "validation", "test", "seed",
    "target", "schema", "keep", "row", "id", "value", "example", "sheet", "depth", "rows", "blanks",
    "lang", "student", "file", "job", "side", "level", "max_depth", "alpha", "a", "b", "c", "d",
    "format", "version", "data", "steps", "current", "reading", "fingerprint", "criterion",
    "min_weight", "confidence", "rules", "shape", "missing", "monotonic_cst", "prior", "loss",
)  # fmt: skip
WORDS = (
    "split", "leaf", "regrow", "prune", "shares", "tables", "cost-complexity", "reduced-error",
    "error-based", "pessimistic", "mdl", "id3", "c4.5", "rpart", "sklearn", "cart-binary", "x",
    "yes", "", "1.chosen", "1.impurity", "numeric", "categorical", "ignore", "date", "weight",
    "fish", "en", "zh", "measures", "penjing-workbook", "penjing-worksheet", "../x", "gain", "gini",
    *NAMES,
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(allow_nan=False, width=32)
    | st.sampled_from(WORDS) | st.text(max_size=6)
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6)


@pytest.fixture(scope="module")
def opened():
    lab = Lab()
    _, info = answer(lab, "POST", "table?name=r.csv", None, csv_rows(1))
    division = {"kind": "shares", "training": 0.6, "validation": 0.4, "test": 0}
    body = {"table": info["table"], "recipe": "cart-binary", "division": division}
    _, book = answer(lab, "POST", "workbook", body)
    _, exercise = answer(lab, "POST", "exercise", {"seed": 1})
    names = {"table": info["table"], "workbook": book["workbook"], "tree": book["first"],
             "other": book["first"], "exercise": exercise["exercise"]}  # fmt: skip
    return lab, names


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([route for route in ROUTES if route.method != "DELETE"]),
    BODIES,
    st.dictionaries(
        st.sampled_from(
            ["column", "part", "start", "count", "lang", "theme", "validation", "name"]
        ),
        st.sampled_from(WORDS) | st.text(max_size=5) | st.integers(-2, 600).map(str),
        max_size=3,
    ),
    st.integers(-1, 30) | st.text(max_size=4),
    st.sampled_from(["text", "svg", "python", "model", "onnx", "sql", "nothing", "html"]),
    st.binary(max_size=40) | st.just(csv_rows(2)),
)
def test_no_request_is_an_internal_error(  # noqa: PLR0917 - hypothesis passes them by position
    opened, route, body, query, node, kind, content
):
    lab, names = opened
    if "table" in body and route.path in ("workbook", "replay", "exercise"):
        body["table"] = names["table"]
    path = route.path.format(**names, node=quote(str(node), safe=""), kind=kind)
    path += "?" + "&".join(f"{key}={quote(value)}" for key, value in query.items())
    status, plain = answer(lab, route.method, path, body, content)
    assert status != 500, (route.path, body, plain)
    assert encoded(plain)
    assert (status == 200) == ("error" not in plain)


SETTINGS = st.dictionaries(
    st.sampled_from(sorted({*Settings.__annotations__, *PruneOptions.__annotations__})),
    JSON,
    max_size=2,
)
STEPS = st.fixed_dictionaries(
    {"act": st.sampled_from(["split", "leaf", "regrow", "prune"])},
    optional={
        "node": st.integers(0, 12),
        "column": st.sampled_from(["a", "b", "c", "d"]),
        "threshold": LEAVES,
        "groups": st.lists(st.lists(LEAVES | st.sampled_from(["x", "y", "= 1"]), max_size=3)),
        "settings": SETTINGS,
        "method": st.sampled_from([*WORDS[6:11], "collapse", "simplify", "minimum-error"]),
        "options": SETTINGS,
    },
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS, SETTINGS, st.sampled_from(["step", "preview", "workbook", "columns"]), BODIES)
def test_no_step_or_setting_is_an_internal_error(opened, step, chosen, what, spec):
    lab, names = opened
    allowed = {"split": ("node", "column", "threshold", "groups"), "leaf": ("node",),
               "regrow": ("node", "settings"), "prune": ("method", "options")}  # fmt: skip
    keys = ("act", *allowed[step["act"]])
    path, body = (
        f"workbook/{names['workbook']}/{what}",
        {k: v for k, v in step.items() if k in keys},
    )
    if what == "workbook":
        path, body = "workbook", {"table": names["table"], "recipe": "auto", "settings": chosen}
    if what == "columns":
        path, body = f"table/{names['table']}/columns", {"schema": spec}
    status, plain = answer(lab, "POST", path, body)
    assert status != 500, (path, body, plain)
    assert encoded(plain)
