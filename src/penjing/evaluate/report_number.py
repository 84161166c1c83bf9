"""Reports as numbers: comparisons and formats use the figure that scikit-learn's score returns."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable
from typing import Literal, SupportsFloat

AnyChartKind = Literal["predictions", "confusion", "roc", "precision_recall", "calibration"]
"""Charts of reports; users who do not know the kind of their target may ask for any."""


class ReportNumber:
    """Lets a report stand for its main figure: ``score(X, y) > 0.9``, ``f"{report:.3f}"``.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> report = penjing.fit(fish, max_depth=1).score(fish)
    >>> float(report), round(report, 1), report > 0.5, f"{report:.1%}"
    (0.8, 0.8, True, '80.0%')
    """

    __slots__ = ()

    @abstractmethod
    def __float__(self) -> float: ...

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, specification: str) -> str:
        return format(float(self), specification) if specification else str(self)

    def _compare(self, other: object, relation: Callable[[float, float], bool]) -> bool:
        if not isinstance(other, SupportsFloat):
            return NotImplemented  # type: ignore[no-any-return]
        return relation(float(self), float(other))

    def __lt__(self, other: object) -> bool:
        return self._compare(other, operator.lt)

    def __le__(self, other: object) -> bool:
        return self._compare(other, operator.le)

    def __gt__(self, other: object) -> bool:
        return self._compare(other, operator.gt)

    def __ge__(self, other: object) -> bool:
        return self._compare(other, operator.ge)
