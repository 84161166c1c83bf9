"""scikit-learn's own tests of its trees, with our two classes in place of its own.

Run by hand: `python tests/estimators/swapped.py report.json` writes what became of every test;
`test_swapped.py` runs it so, in a process of its own, because it changes scikit-learn's module.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pytest
import sklearn.tree

from penjing.errors import Problem
from penjing.estimators import DecisionTreeClassifier, DecisionTreeRegressor


class Report:
    """Keeps the outcome of each test, and which of our sentences ended it."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        error = call.excinfo.value if call.excinfo else None
        seen = []
        while error is not None and len(seen) < 10:
            seen.append(error)
            error = error.__cause__ or error.__context__
        ours = [e.key for e in seen if isinstance(e, Problem)]
        report.penjing = {"why": ours[0] if ours else "", "text": str(seen[0]) if seen else ""}
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
    report = Report()
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "-W", "ignore", "--tb=no"]
    pytest.main([*options, "--pyargs", "sklearn.tree.tests.test_tree"], plugins=[report])
    Path(target).write_text(json.dumps(report.outcomes, indent=1), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
