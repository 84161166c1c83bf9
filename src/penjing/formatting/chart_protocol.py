"""What results hand out when they are drawn: a chart that shows and saves itself.

The charts are made by :mod:`penjing.render.charts`, a layer above the results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class AnyChart(Protocol):
    """A chart; notebooks show it.

    Examples
    --------
    >>> import penjing
    >>> chart: AnyChart = penjing.fit(penjing.example("fish")).importances().chart()
    >>> chart.kind
    'importance'
    """

    @property
    def kind(self) -> str:
        """What it shows, such as ``confusion`` or ``roc``.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).why().chart().kind
        'candidates'
        """

    @property
    def title(self) -> str:
        """The heading.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().chart(lang="zh").title
        '各属性的重要性'
        """

    @property
    def description(self) -> str:
        """One sentence with what it shows.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().chart().description
        'largest: flippers, 0.5675'
        """

    def svg(self) -> str:
        """Return the chart as the text of an SVG file.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().chart().svg()[:4]
        '<svg'
        """

    def save(self, path: str | Path, *, dpi: int = 200) -> None:
        """Write the chart to a file: ``.svg``, ``.png`` or ``.pdf``.

        Parameters
        ----------
        path : str or Path
            The file; PNG and PDF need ``penjing[plot]``.
        dpi : int
            Resolution of a PNG; at 100 it is as large as the SVG.

        Examples
        --------
        >>> import penjing, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "importance.svg")
        >>> penjing.fit(penjing.example("fish")).importances().chart().save(path)
        >>> path.exists()
        True
        """
