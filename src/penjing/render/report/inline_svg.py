"""SVG pictures inside a page: one picture for light and dark, with names of its own.

A picture is drawn in both themes. Where they differ in a colour, the page gets a CSS variable with
both, so the browser changes colours without a second picture. Ids and CSS rules are limited to
the picture, since several are on one page.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b")
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_RULE = re.compile(r"([^{}]+)(\{[^{}]*\})")
_ID = re.compile(r'\bid="([^"]+)"')


class Pictures:
    """The pictures of one page, and the colours that they need."""

    def __init__(self) -> None:
        self._variables: dict[tuple[str, str], str] = {}
        self._n = 0

    def add(self, draw: Callable[[str], str], *, adapts: bool) -> str:
        """Return a picture as an element of the page.

        Parameters
        ----------
        draw : callable
            Returns the SVG in a theme.
        adapts : bool
            Whether the page may be dark.

        Examples
        --------
        >>> colours = {"light": "#ffffff", "dark": "#000000"}
        >>> pictures = Pictures()
        >>> pictures.add(lambda theme: f'<svg fill="{colours[theme]}"></svg>', adapts=True)
        '<svg id="picture1" fill="var(--c-ffffff-000000)"></svg>'
        >>> pictures.declarations("dark")
        '--c-ffffff-000000:#000000'
        """
        self._n += 1
        return _scoped(self.adapt(draw, adapts=adapts).strip(), f"picture{self._n}")

    def adapt(self, write: Callable[[str], str], *, adapts: bool) -> str:
        """Return what is written in the light theme, with variables for colours that differ."""
        light = write("light")
        return self._adapted(light, write("dark")) if adapts else light

    def declarations(self, theme: str) -> str:
        """Return the CSS variables of a theme, ``light`` or ``dark``."""
        place = 0 if theme == "light" else 1
        return ";".join(f"{name}:{pair[place]}" for pair, name in self._variables.items())

    def _adapted(self, light: str, dark: str) -> str:
        """Return the light picture with variables where the dark one has another colour."""
        if _COLOUR.sub("", light) != _COLOUR.sub("", dark):
            return light  # they differ in more than colours
        dark_colours = iter(_COLOUR.findall(dark))
        return _COLOUR.sub(lambda match: self._variable(match[0], next(dark_colours)), light)

    def _variable(self, light: str, dark: str) -> str:
        if light == dark:
            return light
        name = f"--c-{light[1:]}-{dark[1:]}".lower()
        return f"var({self._variables.setdefault((light, dark), name)})"


def _scoped(picture: str, name: str) -> str:
    """Return a picture whose ids and CSS rules concern nothing else on the page."""
    picture = _STYLE.sub(lambda match: f"<style>{_scoped_rules(match[1], name)}</style>", picture)
    ids = _ID.findall(picture)
    picture = _ID.sub(lambda match: f'id="{name}-{match[1]}"', picture)
    for old in dict.fromkeys(ids):
        picture = picture.replace(f"url(#{old})", f"url(#{name}-{old})")
        picture = picture.replace(f'href="#{old}"', f'href="#{name}-{old}"')
    return picture.replace("<svg", f'<svg id="{name}"', 1)


def _scoped_rules(css: str, name: str) -> str:
    def scoped(match: re.Match[str]) -> str:
        if match[1].lstrip().startswith("@"):
            return match[0]
        selectors = ",".join(f"#{name} {part.strip()}" for part in match[1].split(","))
        return f"{selectors}{match[2]}"

    return _RULE.sub(scoped, css)
