"""A chart as an object: shapes with a size, which writes itself as SVG, PNG or PDF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from penjing import arguments
from penjing.errors import unknown_name_error
from penjing.render.charts.shapes import Shape
from penjing.render.theme import find_theme
from penjing.tree.serialize import write_atomically

ENDINGS = (".svg", ".png", ".pdf")
"""The formats of charts."""


@dataclass(frozen=True, repr=False)
class Chart:
    """A chart; notebooks show it, and `save` writes it to a file.

    Parameters
    ----------
    kind : str
        What it shows: ``confusion``, ``roc`` …
    title : str
        The heading.
    description : str
        One sentence with what it shows, for readers who cannot see it.
    width, height : float
        The size in pixels.
    shapes : tuple
        Everything that is drawn, in order.
    theme, lang : str
        The theme and the language.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> chart = penjing.fit(fish).score(fish).chart("confusion")
    >>> chart.kind, chart.svg().startswith("<svg")
    ('confusion', True)
    """

    kind: str
    title: str
    description: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    theme: str = "light"
    lang: str = "en"

    def __post_init__(self) -> None:
        find_theme(self.theme)

    def svg(self) -> str:
        """Return the chart as the text of an SVG file.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).importances().chart().svg().startswith("<svg")
        True
        """
        from penjing.render.charts.chart_svg import write  # noqa: PLC0415 - it imports this module

        return write(self)

    def save(self, path: str | Path, *, dpi: int = 200) -> None:
        """Write the chart to a file; an incomplete file is never left behind.

        Parameters
        ----------
        path : str or Path
            The file; ``.svg``, ``.png`` or ``.pdf`` (the last two need ``penjing[plot]``).
        dpi : int
            Resolution of a PNG; at 100 it is as large as the SVG.

        Examples
        --------
        >>> import penjing, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "importance.svg")
        >>> penjing.fit(penjing.example("fish")).importances().chart().save(path)
        >>> path.read_text("utf-8").startswith("<svg")
        True
        """
        write_atomically(path, self.encode(check_ending(path), dpi=dpi))

    def encode(self, ending: str, *, dpi: int = 200) -> bytes:
        """Return the bytes of a file with this ending.

        Parameters
        ----------
        ending : str
            ``.svg``, ``.png`` or ``.pdf``.
        dpi : int
            Resolution of a PNG.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().chart().encode(".svg")[:4]
        b'<svg'
        """
        if ending == ".svg":
            return self.svg().encode("utf-8")
        from penjing.render.charts.matplotlib_file import write  # noqa: PLC0415 - an extra

        return write(self, ending[1:], dpi=arguments.whole_number("dpi", dpi, 1, 2400))

    def __repr__(self) -> str:
        return f"<Chart {self.kind}: {self.title!r}, {self.width:.0f} × {self.height:.0f}>"

    def _repr_html_(self) -> str:
        return self.svg()


def check_ending(path: str | Path) -> str:
    """Return the ending of a chart's file; raise an error for a format that charts do not have.

    Examples
    --------
    >>> check_ending("roc.SVG")
    '.svg'
    """
    ending = Path(arguments.path("path", path)).suffix.lower()
    if ending not in ENDINGS:
        raise unknown_name_error("unknown_picture", ending or str(path), ENDINGS)
    return ending
