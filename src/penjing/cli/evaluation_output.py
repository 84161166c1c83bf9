"""What `test` and `cross-validate` print of a report: scores, lift, calibration, cut-offs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penjing.evaluate.cutoff import Cutoff
    from penjing.evaluate.metrics import Report
    from penjing.evaluate.number_report import NumberReport

MAX_LEAVES = 40
"""The largest number of leaves that are listed; JSON has all of them."""


@dataclass(frozen=True)
class EvaluationOptions:
    """The options of the command line that say what a report contains."""

    positive: str | None = None
    cost: str | None = None
    precision: float | None = None
    recall: float | None = None
    profit: str | None = None
    leaves: bool = False
    calibration: bool = False

    def check(self, *, is_regression: bool, target: str) -> None:
        """Raise an error for options that need classes, if the target is a number."""
        given = {
            "--positive": self.positive, "--cost": self.cost, "--precision": self.precision,
            "--recall": self.recall, "--profit": self.profit, "--leaves": self.leaves or None,
            "--calibration": self.calibration or None,
        }  # fmt: skip
        for name, value in given.items():
            if value is not None and is_regression:
                raise ChoiceError("scores_need_classes", name=name, target=target)
        self._costs()
        self._profit_matrix()

    def _costs(self) -> tuple[float, float] | None:
        if self.cost is None:
            return None
        try:
            first, second = (float(part) for part in self.cost.split(":"))
        except ValueError:
            raise ChoiceError("bad_costs", value=self.cost) from None
        if not (0 <= first < float("inf") and 0 <= second < float("inf")) or first == second == 0:
            raise ChoiceError("bad_costs", value=self.cost)
        return first, second

    def _profit_matrix(self) -> Any:  # noqa: ANN401 - plain JSON
        if self.profit is None:
            return None
        text = self.profit
        try:
            if not text.lstrip().startswith("{"):
                text = Path(text).read_text("utf-8-sig")
            return json.loads(text)
        except (OSError, ValueError):
            raise ChoiceError("bad_profit", value=self.profit) from None

    def cutoffs(self, report: Report) -> Iterator[Cutoff]:
        """Yield the cut-offs that the options ask for."""
        costs = self._costs()
        if costs is not None:
            yield report.cutoff(cost=costs)
        if self.precision is not None:
            yield report.cutoff(precision=self.precision)
        if self.recall is not None:
            yield report.cutoff(recall=self.recall)

    def to_json(self, report: Report | NumberReport) -> dict[str, Any]:
        """Return what is added to the JSON of a report; lift needs a class that it is about."""
        from penjing.evaluate.metrics import Report  # noqa: PLC0415 - heavy

        if not isinstance(report, Report):
            return {}
        added: dict[str, Any] = {"calibration": report.calibration()["points"]}
        if report.positive is not None or self.leaves:
            added["lift"] = report.lift().to_json()["leaves"]
        if cutoffs := [cutoff.to_json() for cutoff in self.cutoffs(report)]:
            added["cutoffs"] = cutoffs
        if (matrix := self._profit_matrix()) is not None:
            added["profit"] = report.profit(matrix).to_json()
        return added

    def lines(self, report: Report | NumberReport, lang: str, *, full: bool) -> list[str]:
        """Return the lines of cut-offs, profit, lift and calibration; none for numbers."""
        from penjing.evaluate.metrics import Report  # noqa: PLC0415 - heavy
        from penjing.i18n import say  # noqa: PLC0415
        from penjing.render import curve_text  # noqa: PLC0415

        if not isinstance(report, Report):
            return []
        lines = [cutoff.text(lang) for cutoff in self.cutoffs(report)]
        if lines:
            lines.append(say("cutoff_chosen_here", lang))
        if (matrix := self._profit_matrix()) is not None:
            lines.append(report.profit(matrix).text(lang))
        if self.leaves or (full and report.positive is not None):
            lines += ["", say("lift_title", lang), report.lift().text(lang, MAX_LEAVES)]
        if self.calibration or full:
            lines += [
                "",
                say("curve_calibration", lang),
                curve_text.text(report.calibration(), lang),
            ]
        return lines
