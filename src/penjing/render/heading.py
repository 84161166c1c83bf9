"""The heading of a picture: title, facts and legend, wrapped to the width of the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from penjing.data.statistics import percent
from penjing.i18n import say
from penjing.render.class_colours import grey_names, legend_entries
from penjing.render.value_scale import ValueScale, short_number, squares_of
from penjing.text.direction import isolated
from penjing.text.font_metrics import clip_middle
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import quoted, weight_text
from penjing.text.phrases import recipe_name
from penjing.text.row_amounts import training_rows_text
from penjing.tree.tree_data import TreeData

MARGIN = 16.0
TITLE, LINE = 18.0, 12.0
"""Font sizes: of the title, and of facts and legend."""
LINE_HEIGHT, ROW_HEIGHT = 16.0, 20.0
"""Heights of a line of facts, and of a row of the legend."""
SWATCH = 12.0
ENTRY_GAP = 16.0
"""Between two entries of the legend."""
MAX_ENTRY = 300.0
"""Wider entries of the legend are clipped."""
LEAST_WIDTH, MOST_TITLE = 520.0, 900.0
"""A heading is at least so wide, and a title makes it at most so wide."""
BETWEEN = " | "
"""Stands between two facts."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What the heading says.

    ``legend`` has (class, rows) of each colour, ``grey`` the names of the classes that share grey;
    ``scale`` is that of a regression tree, and ``scale_note`` explains its axis.
    """

    title: str
    facts: str
    legend: tuple[tuple[str, str], ...] = ()
    grey: tuple[str, ...] = ()
    scale: ValueScale | None = None
    scale_note: str = ""


@dataclass(frozen=True, slots=True)
class HeadingText:
    """A text of the heading: its place, and how it looks."""

    x: float
    y: float
    text: str
    look: Literal["title", "facts", "legend"]


@dataclass(frozen=True, slots=True)
class Swatch:
    """A square of the legend: of a colour index, or of a value between 0 and 1 of the scale."""

    x: float
    y: float
    colour_index: int = -1
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class HeadingLayout:
    """Where the parts of a heading stand, and its height."""

    texts: tuple[HeadingText, ...]
    swatches: tuple[Swatch, ...]
    height: float


def make_heading(
    tree: TreeData, lang: str, title: str | None, facts: Sequence[str] = ()
) -> Heading:
    """Return the heading of a tree; `facts` are added to those of the tree."""
    own = tree_facts(tree, lang)
    name = title or tree.target.name
    return Heading(
        name,
        BETWEEN.join(filter(None, (*own, *facts))),
        legend_entries(tree, lang),
        grey_names(tree, lang),
    )


def heading(tree: TreeData, lang: str, title: str | None) -> dict[str, Any]:
    """Return the heading of a diagram: ``title``, ``facts`` (one line) and ``legend``."""
    made = make_heading(tree, lang, title)
    return {"title": made.title, "facts": made.facts, "legend": made.legend}


def tree_facts(tree: TreeData, lang: str) -> list[str]:
    """Return the facts about a tree: recipe, rows, size, and how it fits its training rows."""
    recipe = recipe_name(tree.recipe, lang)
    facts = [recipe] if recipe else []
    if tree.has_counts:
        facts.append(training_rows_text(tree, lang))
    facts += [say("leaves", lang, n=tree.n_leaves), say("depth", lang, n=tree.depth)]
    if not tree.has_counts:
        facts.append(say("picture_no_counts", lang))
    training = tree.about.get("training")
    if training:
        correct, of = weight_text(training["correct"]), weight_text(training["of"])
        facts.append(say("training_share", lang, right=correct, of=of))
    if tree.is_regression and tree.has_counts:
        facts += _fit_of_numbers(tree, lang)
    if isinstance(n_missing := tree.about.get("missing"), dict) and n_missing:
        columns = ", ".join(f"{isolated(quoted(name))} {n}" for name, n in n_missing.items())
        facts.append(say("mark_missing_in", lang, columns=columns))
    return facts


def _fit_of_numbers(tree: TreeData, lang: str) -> list[str]:
    """Return the root mean square error of the leaves in training, and R²."""
    fit = training_fit(tree)
    if fit is None:
        return []
    rmse, r2 = fit
    facts = [say("training_rmse", lang, rmse=short_number(rmse))]
    if r2 is not None:
        facts.append(say("training_r2", lang, r2=short_number(r2)))
    return facts


def training_fit(tree: TreeData) -> tuple[float, float | None] | None:
    """Return the root mean square error of a regression tree in training, and R² if it is defined.

    None if the tree has no weight, or the sums are not finite.
    """
    weight = float(tree.weight[0])
    losses = squares_of(tree)
    for node in tree.nodes.answers:  # predictions that are not the mean
        losses[node] = tree.losses[node]
    loss, whole = float(losses[tree.is_leaf].sum()), float(losses[0])
    if not weight > 0 or not math.isfinite(loss):
        return None
    return math.sqrt(loss / weight), 1 - loss / whole if whole > 0 else None


def share_text(part: float, whole: float, lang: str, *, is_weight: bool = False) -> str:
    """Return the share of all rows, or of their weight, in a leaf."""
    key = "picture_share_weight" if is_weight else "picture_share"
    return say(key, lang, share=percent(part, whole)) if whole > 0 else ""


def heading_width(head: Heading, least: float) -> float:
    """Return the width of a picture whose content is so wide."""
    title = text_width(head.title, TITLE, bold=True) + 2 * MARGIN
    return max(least, LEAST_WIDTH, min(title, MOST_TITLE))


def heading_layout(head: Heading, width: float) -> HeadingLayout:
    """Return where the parts of a heading stand in a picture of this width; nothing is wider."""
    room = width - 2 * MARGIN
    texts = [
        HeadingText(MARGIN, 30, isolated(clip_middle(head.title, TITLE, room, bold=True)), "title"),
    ]
    y = 50.0
    for line in wrap(head.facts, LINE, room):
        texts.append(HeadingText(MARGIN, y, line, "facts"))
        y += LINE_HEIGHT
    swatches: list[Swatch] = []
    entries = list(heading_entries(head))
    if entries:
        y += 6
        shown = [(clip_middle(t, LINE, min(MAX_ENTRY, room - SWATCH - 6)), s) for t, s in entries]
        for (x, row), (text, swatch) in zip(
            _places([t for t, _ in shown], room), shown, strict=True
        ):
            top = y + row * ROW_HEIGHT
            swatches.append(Swatch(x, top - SWATCH + 2, swatch.colour_index, swatch.value))
            texts.append(HeadingText(x + SWATCH + 6, top, text, "legend"))
            last = top
        y = last + ROW_HEIGHT
    names = wrap(", ".join(head.grey), LINE, room, between=", ")
    for line in [*names, *wrap(head.scale_note, LINE, room)]:
        texts.append(HeadingText(MARGIN, y, line, "facts"))
        y += LINE_HEIGHT
    return HeadingLayout(tuple(texts), tuple(swatches), y)


def heading_entries(head: Heading) -> Iterator[tuple[str, Swatch]]:
    """Yield the text and the swatch of each entry of the legend, at no place yet."""
    for index, (name, count) in enumerate(head.legend):
        yield (f"{isolated(name)} ({count})" if count else name), Swatch(0, 0, index)
    if head.scale is not None:
        for value in head.scale.legend_values():
            yield head.scale.text(value), Swatch(0, 0, -1, head.scale.relative(value))


def _places(texts: list[str], room: float) -> Iterator[tuple[float, int]]:
    """Yield the left end and the row of each entry: in one row, or in columns of equal width."""
    widths = [SWATCH + 6 + text_width(text, LINE) + ENTRY_GAP for text in texts]
    x = MARGIN
    if sum(widths) - ENTRY_GAP <= room:
        for width in widths:
            yield x, 0
            x += width
        return
    widest = max(widths)
    n_columns = max(1, int((room + ENTRY_GAP) // widest))
    for i in range(len(texts)):
        yield MARGIN + (i % n_columns) * widest, i // n_columns


def wrap(text: str, size: float, room: float, between: str = BETWEEN) -> list[str]:
    """Return the lines of a text: broken between facts, else at blanks, else within words.

    Examples
    --------
    >>> wrap("id3 | 16 rows | 8 leaves", 12, 100)
    ['id3 | 16 rows', '8 leaves']
    >>> wrap("B (201), C (224), D (223)", 12, 120, between=", ")
    ['B (201), C (224),', 'D (223)']
    """
    lines: list[str] = []
    line = ""
    parts = [part for part in text.split(between) if part]
    for i, part in enumerate(parts):
        # A comma stays at the end of its line, a bar is left out there.
        comma = "," if between == ", " and i < len(parts) - 1 else ""
        fact = part + comma
        longer = f"{line}{' ' if between == ', ' else between}{fact}" if line else fact
        if text_width(longer, size) <= room:
            line = longer
            continue
        lines += [line] if line else []
        line = ""
        for word in fact.split(" "):
            longer = f"{line} {word}" if line else word
            if text_width(longer, size) <= room:
                line = longer
                continue
            lines += [line] if line else []
            line = word
            while text_width(line, size) > room:
                cut = _fitting(line, size, room)
                lines.append(line[:cut])
                line = line[cut:]
    return [*lines, line] if line else lines


def _fitting(text: str, size: float, room: float) -> int:
    """Return how many characters of a text fit, at least one."""
    used = 0.0
    for i, character in enumerate(text):
        used += text_width(character, size)
        if used > room:
            return max(i, 1)
    return len(text)
