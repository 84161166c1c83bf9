"""What a programming language has to say for a program to be written in it.

A language is a class of literals, conditions and declarations, and a file of parts in the folder
``templates``; :mod:`penjing.export.program` decides what is written and in which order. In a part,
`fill` replaces the fields that it is given, so that the braces of the language stand as they are.
The parts that every language has, and their fields:

head
    origin, columns, levels, variables, answers, shares, width and those of `head_fields`
nested
    Nested if and else: variables, body and those of `nested_fields`
walk, stop
    The walk over tables: tables, unseen and those of `walk_fields`; the node where a row stops
predict_class, predict_number
    What that node predicts: a class and the probabilities, or a number
fractional, fractional_predict_class, fractional_predict_number
    The same with fractional cases, the mean of the nodes that a row reaches: costs, best
costs, most_probable, least_cost
    The costs of errors: factor, loss and both as lists; the best class: tie
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import ClassVar

from penjing.export import identifiers
from penjing.export.plan import Plan

WIDTH = 96
"""Maximum length of a line of numbers."""

Values = Sequence[int] | Sequence[float]
Fields = dict[str, str]


class Language(ABC):
    """The description of a language; the words of conditions are those of C unless it says others.

    ``{v}`` stands for the variable of a column, ``{name}`` for the name of the column as a
    literal, ``{level}`` for a category.
    """

    name: ClassVar[identifiers.Language]

    def part(self, name: str) -> str:
        """Return a part of the programs, as it stands in the file of the language."""
        return _parts(self.name)[name]

    # -- conditions and blocks -----------------------------------------------------------------

    and_: ClassVar[str] = " && "
    or_: ClassVar[str] = " || "
    not_: ClassVar[str] = "!"
    true: ClassVar[str] = "true"
    false: ClassVar[str] = "false"
    missing_number: ClassVar[str]
    missing_text: ClassVar[str]
    known_number: ClassVar[str]
    known_text: ClassVar[str]
    equals: ClassVar[str]
    is_in: ClassVar[tuple[str, str] | None] = None
    """The text before and after a list of categories."""
    if_: ClassVar[str] = "if ({}) {{"
    elif_: ClassVar[str] = "}} else if ({}) {{"
    close: ClassVar[str] = "}"
    indent: ClassVar[int] = 1
    return_node: ClassVar[str] = "return {node}; // {comment}"
    unseen_stop: ClassVar[str] = "return -1;"
    unseen_missing: ClassVar[str] = "continue;"
    unseen_error: ClassVar[str]
    """What the walk does at an unseen category, for each policy."""

    # -- declarations --------------------------------------------------------------------------

    number_variable: ClassVar[str]
    text_variable: ClassVar[str]
    reference: ClassVar[str] = "{v}"
    """The variable of a column in a condition."""
    row: ClassVar[str]
    """A row of a table of numbers, as a format."""

    # -- literals ------------------------------------------------------------------------------

    nan: ClassVar[str] = "NaN"
    infinity: ClassVar[str] = "Infinity"
    backslashed: ClassVar[str] = '"\\'
    """The characters of a text that need a backslash."""

    def number(self, value: float) -> str:
        """Return a number as a literal of a table."""
        if math.isnan(value):
            return self.nan
        if math.isinf(value):
            return self.infinity if value > 0 else f"-{self.infinity}"
        return repr(value)

    def threshold(self, value: float) -> str:
        """Return a number as a literal of a condition; a column may have the name of a constant."""
        return f"{math.copysign(1, value):.0f}e999" if math.isinf(value) else repr(value)

    def text(self, text: str) -> str:
        """Return a text as a literal in which control characters are escapes."""
        parts = []
        for c in text:
            plain = f"\\{c}" if c in self.backslashed else c
            parts.append(plain if c.isprintable() else self.escape(c))
        return '"' + "".join(parts) + '"'

    def escape(self, character: str) -> str:
        """Return the escape of a character that is not printable."""
        raise NotImplementedError

    @abstractmethod
    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""

    def variables(self, plan: Plan) -> dict[int, str]:
        """Return the variable of each column."""
        return identifiers.column_variables(plan, self.name)

    def items(self, values: Iterable[float]) -> str:
        """Return numbers as the items of a list; whole numbers are written as such."""
        return wrap_items(self.number(v) if isinstance(v, float) else v for v in values)

    def rows(self, rows: Iterable[Iterable[float]]) -> str:
        """Return the rows of a table of numbers."""
        return "\n".join(self.row.format(", ".join(map(self.number, row))) for row in rows)

    @abstractmethod
    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers."""

    def tables(self, tables: dict[str, Values], plan: Plan) -> str:  # noqa: ARG002
        """Return the declarations of the tables of a plan."""
        return "\n".join(self.table(name, values) for name, values in tables.items())

    def text_list(self, texts: Iterable[str]) -> str:
        """Return texts as literals, separated by commas."""
        return ", ".join(map(self.text, texts))

    def level_line(self, plan: Plan, c: int) -> str:  # noqa: ARG002
        """Return the line with which the head declares the categories of a column."""
        return ""

    # -- fields that only one language has -----------------------------------------------------

    def check(self, plan: Plan) -> None:  # noqa: B027 - most languages say everything
        """Refuse what the language cannot say."""

    def sentence(self, text: str) -> str:
        """Return the sentence at the top of a program."""
        return text

    def head_fields(self, plan: Plan) -> Fields:  # noqa: ARG002
        """Return further fields of the part ``head``."""
        return {}

    def nested_fields(self, plan: Plan) -> Fields:  # noqa: ARG002
        """Return further fields of the part ``nested``."""
        return {}

    def walk_fields(self, plan: Plan) -> Fields:  # noqa: ARG002
        """Return further fields of the part ``walk``."""
        return {}


@cache
def _parts(language: str) -> dict[str, str]:
    """Return the parts of a file; each follows a line with its name."""
    path = files("penjing.export") / "templates" / f"{language}.template"
    _, *parts = re.split(r"^=== (\w+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Return a template with the fields that are given; other braces stay as they are.

    Examples
    --------
    >>> fill("int {name}[] = {{items}};", {"name": "child", "items": "1, 2"})
    'int child[] = {1, 2};'
    """
    return re.sub(r"\{(\w+)\}", lambda found: fields.get(found[1], found[0]), template)


def comment_safe(text: str) -> str:
    """Return a text, shortened, that is safe in a comment of any language."""
    safe = "".join(c if c.isprintable() and c not in "\\*`" else "·" for c in text)
    return safe if len(safe) <= 60 else safe[:59] + "…"


def wrap_items(items: Iterable[object], indent: str = "    ") -> str:
    """Return items separated by commas, in lines of limited length."""
    lines, line = [], ""
    for item in items:
        piece = f"{item}, "
        if line and len(line) + len(piece) > WIDTH - len(indent):
            lines.append(indent + line.rstrip())
            line = ""
        line += piece
    return "\n".join([*lines, indent + line.rstrip()] if line else lines)
