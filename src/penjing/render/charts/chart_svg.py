"""A chart as SVG, written as text without any other library."""

from __future__ import annotations

from html import escape

from penjing.i18n import say
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Rect, Shape, Text, Values, colour_of
from penjing.render.svg import FONTS, NAMESPACE, escaped, to_printable
from penjing.render.theme import Theme, find_theme


def write(chart: Chart) -> str:
    """Return a chart as the text of an SVG file."""
    theme = find_theme(chart.theme)
    width, height = _fmt(chart.width), _fmt(chart.height)
    area = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    font = f'font-family="{escape(FONTS)}" font-size="12" fill="{theme.text}"'
    texts = [text for text in (chart.title, chart.description) if text]
    about = say("label_colon", chart.lang).join(texts)
    parts = [
        f'<svg xmlns="{NAMESPACE}" {area} role="img" xml:lang="{chart.lang}" {font}>',
        f"<title>{escaped(about)}</title>",
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        *(_element(shape, theme) for shape in chart.shapes),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _element(shape: Shape, theme: Theme) -> str:
    if isinstance(shape, Text):
        return _text(shape, theme)
    if isinstance(shape, Line):
        return _line(shape, theme)
    if isinstance(shape, Rect):
        return _rect(shape, theme)
    return _mark(shape, theme)


def _text(shape: Text, theme: Theme) -> str:
    if not shape.text:
        return ""
    place = f'x="{_fmt(shape.x)}" y="{_fmt(shape.y)}"'
    if shape.is_turned:
        place += f' transform="rotate(-90 {_fmt(shape.x)} {_fmt(shape.y)})"'
    style = "" if shape.size == 12 else f' font-size="{_fmt(shape.size)}"'
    style += "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
    style += ' font-weight="bold"' if shape.is_bold else ""
    if shape.colour != "text":
        style += f' fill="{_colour(shape.colour, theme)}"'
    return f"<text {place}{style}>{escaped(shape.text)}</text>"


def _line(shape: Line, theme: Theme) -> str:
    if len(shape.points) < 2:
        return ""
    d = "M" + "L".join(f"{_fmt(x)} {_fmt(y)}" for x, y in shape.points)
    style = f'stroke="{_colour(shape.colour, theme)}"'
    style += "" if shape.width == 1 else f' stroke-width="{_fmt(shape.width)}"'
    style += f' stroke-dasharray="{shape.dashes}"' if shape.dashes else ""
    style += "" if shape.opacity == 1 else f' stroke-opacity="{shape.opacity:g}"'
    return f'<path d="{d}" fill="none" {style}/>'


def _rect(shape: Rect, theme: Theme) -> str:
    area = f'x="{_fmt(shape.x)}" y="{_fmt(shape.y)}" width="{_fmt(shape.width)}"'
    area += f' height="{_fmt(shape.height)}"'
    area += f' rx="{_fmt(shape.radius)}"' if shape.radius else ""
    style = f'fill="{_colour(shape.fill, theme)}"'
    if shape.stroke != "none":
        style += (
            f' stroke="{_colour(shape.stroke, theme)}" stroke-width="{_fmt(shape.stroke_width)}"'
        )
    return _with_tooltip("rect", f"{area} {style}{_data(shape.values)}", shape.tooltip)


def _mark(shape: Mark, theme: Theme) -> str:
    x, y, r = shape.x, shape.y, shape.radius
    fill, stroke = _colour(shape.fill, theme), _colour(shape.stroke, theme)
    style = f'fill="{fill}"' + ("" if stroke == "none" else f' stroke="{stroke}"')
    values = _data(shape.values)
    if shape.shape == "ring":
        style = f'fill="none" stroke="{fill}" stroke-width="2"'
    if shape.shape in ("circle", "ring"):
        place = f'cx="{_fmt(x)}" cy="{_fmt(y)}" r="{_fmt(r)}"'
        return _with_tooltip("circle", f"{place} {style}{values}", shape.tooltip)
    if shape.shape == "square":
        place = f'x="{_fmt(x - r)}" y="{_fmt(y - r)}" width="{_fmt(2 * r)}" height="{_fmt(2 * r)}"'
        return _with_tooltip("rect", f"{place} {style}{values}", shape.tooltip)
    d = f"M{_fmt(x)} {_fmt(y - r)}L{_fmt(x + r)} {_fmt(y)}L{_fmt(x)} {_fmt(y + r)}"
    d += f"L{_fmt(x - r)} {_fmt(y)}z"
    return _with_tooltip("path", f'd="{d}" {style}{values}', shape.tooltip)


def _with_tooltip(name: str, attributes: str, tooltip: str) -> str:
    if not tooltip:
        return f"<{name} {attributes}/>"
    return f"<{name} {attributes}><title>{escaped(tooltip)}</title></{name}>"


def _data(values: Values) -> str:
    """Return the figures of a shape as attributes."""
    return "".join(f' data-{name}="{escape(to_printable(str(value)))}"' for name, value in values)


def _colour(role: str, theme: Theme) -> str:
    return role if role.startswith("#") else colour_of(role, theme)


def _fmt(number: float) -> str:
    """Return a number with at most two decimals."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
