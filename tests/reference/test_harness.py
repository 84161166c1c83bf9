"""The harness finds what is wrong: each kind of number in a golden, falsified by a little."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reference.check import check, comparer
from reference.golden import Golden
from shared import SHARED

REFERENCE, DATA = SHARED / "reference", SHARED / "data"
pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason=f"{REFERENCE} is not there")
Plain = dict[str, Any]


def inner(plain: Plain) -> Iterator[Plain]:
    """Yield the nodes that ask."""
    waiting = [plain["tree"]]
    for node in waiting:
        if node.get("branches"):
            yield node
            waiting += [branch["child"] for branch in node["branches"]]


def first(plain: Plain, key: str) -> Plain:
    return next(node for node in inner(plain) if node.get(key) not in (None, [], 0))


def raised(place: Any, key: Any, by: float) -> None:
    place[key] += by * max(1.0, abs(place[key]))


def surrogate(plain: Plain) -> Plain:
    return first(plain, "surrogates")["surrogates"][0]


LITTLE, LESS = 3e-6, 3e-9
RPART, SKLEARN = "rpart/kyphosis-default", "sklearn/diabetes-gini-leaf5"
FALSIFIED: list[tuple[str, str, Callable[[Plain], Any]]] = [
    ("cp", RPART, lambda g: raised(g["cptable"]["rows"][0], 0, LITTLE)),
    ("relative error", RPART, lambda g: raised(g["cptable"]["rows"][-1], 2, LITTLE)),
    ("xerror", RPART, lambda g: raised(g["cptable"]["rows"][1], 3, LITTLE)),
    ("xstd", RPART, lambda g: raised(g["cptable"]["rows"][1], 4, LITTLE)),
    ("importance", RPART,
     lambda g: raised(g["variable_importance"], next(iter(g["variable_importance"])), LITTLE)),
    ("agreement", RPART, lambda g: raised(surrogate(g), "agree", LITTLE)),
    ("adjusted agreement", RPART, lambda g: raised(surrogate(g), "adj", LITTLE)),
    ("cut", RPART, lambda g: raised(first(g, "threshold"), "threshold", 1e-3)),
    ("cut of J48", "weka-j48/iris-default",
     lambda g: raised(first(g, "threshold"), "threshold", 1e-5)),
    ("cut of C4.5", "c4.5/iris-default-pruned",
     lambda g: raised(first(g, "threshold"), "threshold", 1e-3)),
    ("surrogate's cut", RPART, lambda g: raised(surrogate(g), "threshold", 1e-3)),
    ("a surrogate less", RPART, lambda g: first(g, "surrogates")["surrogates"].pop()),
    ("complexity", RPART, lambda g: raised(first(g, "complexity"), "complexity", LITTLE)),
    ("improvement", RPART, lambda g: raised(first(g, "improve"), "improve", LITTLE)),
    ("training errors", RPART, lambda g: raised(g["summary"], "train_errors", 1)),
    ("squares", "rpart/auto-mpg-default", lambda g: raised(g["summary"], "train_sse", LITTLE)),
    ("ccp alpha", "", lambda g: raised(g["ccp_path"]["alphas"], -1, LESS)),
    ("ccp cost", "", lambda g: raised(g["ccp_path"]["impurities"], -1, LESS)),
    ("share of importance", "",
     lambda g: raised(g["feature_importances"], next(iter(g["feature_importances"])), LESS)),
    ("impurity", "", lambda g: raised(first(g, "impurity"), "impurity", LESS)),
    ("test errors", "c4.5/vote-c45-default-pruned",
     lambda g: raised(g["summary"], "test_errors", 1)),
    ("estimated errors", "c4.5/vote-c45-default-pruned",
     lambda g: raised(g["tree"], "estimated_errors", 1e-3)),
    ("confusion", "weka-j48/vote-default",
     lambda g: raised(g["summary"]["train_confusion"][0], 0, 1)),
    ("probabilities", "weka-j48/iris-laplace",
     lambda g: raised(g["predictions"]["probabilities"][7], 0, LITTLE)),
    ("test errors of Id3", "weka-id3/monks-1-default",
     lambda g: raised(g["summary"], "test_errors", 1)),
    ("test confusion of Id3", "weka-id3/monks-1-default",
     lambda g: raised(g["summary"]["test_confusion"][1], 0, 1)),
]  # fmt: skip


def with_path() -> str:
    """Return the smallest golden of scikit-learn that lists a path of complexities."""
    sizes = {
        path: json.loads(path.read_text("utf-8"))["summary"]["size"]
        for path in sorted((REFERENCE / "sklearn").glob("*.json"))
        if "ccp_path" in path.read_text("utf-8")
    }
    return f"sklearn/{min(sizes, key=lambda path: sizes[path]).stem}"


@pytest.mark.parametrize(
    ("name", "falsify"),
    [pytest.param(n, f, id=what.replace(" ", "_")) for what, n, f in FALSIFIED],
)
def test_a_number_that_is_a_little_off_is_found(name, falsify):
    path = REFERENCE / f"{name or with_path()}.json"
    plain = json.loads(path.read_text("utf-8"))
    compare = comparer(REFERENCE)
    assert check(Golden(path.stem, plain), DATA, compare).verdict == "identical"
    wrong = copy.deepcopy(plain)
    falsify(wrong)
    assert wrong != plain
    assert check(Golden(path.stem, wrong), DATA, compare).verdict == "different"
