"""scikit-learn's own tests of its trees, with our two classes in place of its own.

Run by hand: `python tests/estimators/sklearn_own_tests.py report.json` writes what became of every
test; `test_sklearn_own_tests.py` runs it so, in a process of its own, because it changes
scikit-learn's module.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from functools import wraps
from pathlib import Path

import pytest
import sklearn.tree

from penjing.estimators import DecisionTreeClassifier, DecisionTreeRegressor

GROWN: Counter[str] = Counter()
"""By whom trees were grown, since somebody last looked."""


def count(kind) -> None:
    """Let a class of ours count who grows."""
    fit = kind.fit

    @wraps(fit)
    def counting(self, *given, **named):
        found = fit(self, *given, **named)
        GROWN[self.grown_by_] += 1
        return found

    kind.fit = counting


class Report:
    """Keeps the outcome of each test, what ended it, and who grew its trees."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        text = str(call.excinfo.value) if call.excinfo else ""
        report.penjing = {"text": text, "grown": dict(GROWN)}
        GROWN.clear()
        return report

    def pytest_runtest_logreport(self, report) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.rpartition("::")[2]
            self.outcomes[name] = {"outcome": report.outcome} | report.penjing


def main(target: str) -> None:
    """Run the module and write the report."""
    warnings.simplefilter("ignore")
    sklearn.tree.DecisionTreeClassifier = DecisionTreeClassifier
    sklearn.tree.DecisionTreeRegressor = DecisionTreeRegressor
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        count(kind)
    report = Report()
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "-W", "ignore", "--tb=no"]
    pytest.main([*options, "--pyargs", "sklearn.tree.tests.test_tree"], plugins=[report])
    Path(target).write_text(json.dumps(report.outcomes, indent=1), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
