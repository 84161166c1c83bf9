"""Charts that commands save: their options, and the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.cli.console import Console
    from penjing.evaluate.metrics import Report
    from penjing.evaluate.number_report import NumberReport
    from penjing.formatting.chart_protocol import AnyChart


@dataclass(frozen=True)
class ChartOptions:
    """The file of a chart, its theme and its title."""

    output: str | None = None
    theme: str | None = None
    title: str | None = None

    def check(self) -> None:
        """Raise an error for a file or a theme that charts do not have, before work is done."""
        from penjing.render.theme import find_theme  # noqa: PLC0415 - heavy

        find_theme(self.theme or "light")
        if self.output is not None:
            from penjing.render.charts.chart import check_ending  # noqa: PLC0415 - heavy

            check_ending(self.output)

    def save(self, console: Console, make: Callable[..., AnyChart]) -> None:
        """Save a chart, made with the options ``lang``, ``theme`` and ``title``."""
        if self.output is None:
            return
        style: dict[str, Any] = {
            "lang": console.lang,
            "theme": self.theme or "light",
            "title": self.title,
        }
        make(**style).save(self.output)
        console.print_note("saved", path=self.output)

    def save_report(
        self, console: Console, report: Report | NumberReport, kind: str | None
    ) -> None:
        """Save a chart of a report; by default the confusion matrix, or the predicted numbers."""
        if self.output is None:
            if kind is not None:
                raise ChoiceError("chart_needs_output")
            return
        make: Any = report.chart
        self.save(console, lambda **style: make(*([kind] if kind else []), **style))


def check_kind(kind: str | None, *, is_regression: bool, target: str) -> None:
    """Raise an error for a chart that does not exist, or not for this target."""
    from penjing import arguments  # noqa: PLC0415 - heavy
    from penjing.evaluate.metrics import CHARTS  # noqa: PLC0415

    if kind is None:
        return
    arguments.one_of("chart", kind, (*CHARTS, "predictions"))
    if is_regression != (kind == "predictions"):
        key = "chart_not_for_numbers" if is_regression else "chart_not_for_classes"
        raise ChoiceError(key, kind=kind, target=target)
